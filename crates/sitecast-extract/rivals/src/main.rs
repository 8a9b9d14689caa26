//! Runs other extractors over a corpus, and ours, one thread, each page in turn: what they made goes to
//! `NAME.jsonl` for `evaluate --rival NAME=FILE`, the time each took to standard output.
//!
//! ```text
//! cargo run --release -- CORPUS OUT
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

type Rival = fn(&str, &str) -> Option<Value>;

const RIVALS: [(&str, Rival); 3] = [
    ("sitecast", sitecast),
    ("rs-trafilatura", rs_trafilatura),
    ("dom_smoothie", dom_smoothie),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, out] = arguments.as_slice() else {
        return Err("usage: CORPUS OUT".into());
    };
    fs::create_dir_all(out)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(corpus).join("html"))? {
        files.push(entry?.path());
    }
    files.sort();
    let mut outputs = Vec::new();
    for (name, _) in RIVALS {
        outputs.push(BufWriter::new(File::create(Path::new(out).join(format!("{name}.jsonl")))?));
    }
    let mut times = [Duration::ZERO; RIVALS.len()];
    let mut bytes = 0;
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = name.split('.').next().unwrap_or_default();
        let mut html = Vec::new();
        flate2::read::GzDecoder::new(File::open(&path)?).read_to_end(&mut html)?;
        let html = String::from_utf8_lossy(&html);
        bytes += html.len();
        let record = fs::read(Path::new(corpus).join("ground-truth").join(format!("{id}.json")))?;
        let record: Value = serde_json::from_slice(&record)?;
        let url = record["url"].as_str().unwrap_or_default();
        for (((_, rival), output), time) in RIVALS.iter().zip(&mut outputs).zip(&mut times) {
            let started = Instant::now();
            let made = catch_unwind(AssertUnwindSafe(|| rival(&html, url))).ok().flatten();
            *time += started.elapsed();
            let mut made = made.unwrap_or_else(|| json!({}));
            made["id"] = id.into();
            writeln!(output, "{made}")?;
        }
    }
    for ((name, _), time) in RIVALS.iter().zip(times) {
        let seconds = time.as_secs_f64();
        println!("{name:<16} {seconds:8.1} s  {:6.1} MB/s", bytes as f64 / 1e6 / seconds);
    }
    Ok(())
}

fn sitecast(html: &str, url: &str) -> Option<Value> {
    let url = url.parse().or_else(|_| "https://example.com/".parse()).ok()?;
    let seen = sitecast_scp::Timestamp::from_unix_seconds(0)?;
    let html = sitecast_extract::Html::new(&url, html.as_bytes(), seen);
    let page = sitecast_extract::extract_page(&html).ok()?.page;
    Some(json!({"text": sitecast_scp::to_text(&page), "title": page.title, "author": page.author}))
}

fn rs_trafilatura(html: &str, url: &str) -> Option<Value> {
    let options = rs_trafilatura::Options {
        url: Some(url.to_owned()),
        ..Default::default()
    };
    let made = rs_trafilatura::extract_with_options(html, &options).ok()?;
    Some(json!({
        "text": made.content_text, "html": made.content_html,
        "title": made.metadata.title, "author": made.metadata.author,
        "date": made.metadata.date.map(|date| date.to_rfc3339()),
    }))
}

fn dom_smoothie(html: &str, url: &str) -> Option<Value> {
    let config = dom_smoothie::Config {
        text_mode: dom_smoothie::TextMode::Formatted,
        ..Default::default()
    };
    let url = Some(url).filter(|url| !url.is_empty());
    let mut readability = dom_smoothie::Readability::new(html, url, Some(config)).ok()?;
    let made = readability.parse().ok()?;
    Some(json!({
        "text": made.text_content.to_string(), "html": made.content.to_string(),
        "title": made.title, "author": made.byline, "date": made.published_time,
    }))
}
