//! Writes the training data of the model: the segments of pages with marked content, and their features.
//! `training/README.md` explains its use.
//!
//! ```text
//! cargo run --release -p sitecast-extract --example segments -- CORPUS OUT
//! cargo run --release -p sitecast-extract --example segments -- CORPUS OUT --again
//! ```
//!
//! With `--again` it writes the features for the second score, from the first scores in `first.f32`.

#![allow(unreachable_pub)]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use sitecast_extract::training::{describe, describe_page_again, second_names};

#[path = "evaluate/corpus.rs"]
mod corpus;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [corpus, out] => write(Path::new(corpus), Path::new(out)),
        [corpus, out, "--again"] => write_again(Path::new(corpus), Path::new(out)),
        _ => Err("usage: segments CORPUS OUT [--again]".into()),
    }
}

fn write(corpus: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(out)?;
    let mut features = BufWriter::new(File::create(out.join("features.f32"))?);
    let mut segments = BufWriter::new(File::create(out.join("segments.jsonl"))?);
    let mut names = Vec::new();
    for page in corpus::pages(corpus)? {
        let page = page?;
        let described = describe(&page.html, &page.url);
        for value in &described.values {
            features.write_all(&value.to_le_bytes())?;
        }
        if !described.names.is_empty() {
            names = described.names;
        }
        let truth = page.truth;
        let line = serde_json::json!({
            "id": page.id, "url": page.url, "type": page.kind, "texts": described.texts,
            "truth": truth.main_content, "supposed": truth.supposed_content,
            "with": truth.with, "without": truth.without,
        });
        writeln!(segments, "{line}")?;
    }
    fs::write(out.join("names.json"), serde_json::to_string(&names)?)?;
    Ok(())
}

fn write_again(corpus: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let first = fs::read(out.join("first.f32"))?;
    let (first, _) = first.as_chunks();
    let mut first = first.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let mut features = BufWriter::new(File::create(out.join("second.f32"))?);
    for page in corpus::pages(corpus)? {
        let page = page?;
        let segments = describe(&page.html, &page.url).texts.len();
        let of_page: Vec<f32> = first.by_ref().take(segments).collect();
        for value in describe_page_again(&page.html, &of_page) {
            features.write_all(&value.to_le_bytes())?;
        }
    }
    let names = serde_json::to_string(&second_names())?;
    fs::write(out.join("second-names.json"), names)?;
    Ok(())
}
