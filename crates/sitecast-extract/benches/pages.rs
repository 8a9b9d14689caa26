//! Speed of extraction, next to html5ever parsing the same bytes, and to Python's trafilatura if it is installed. Runs
//! on one thread; the candidates take turns, and the least time of each counts.
//!
//! ```text
//! cargo bench -p sitecast-extract [-- CORPUS]
//! ```
//!
//! CORPUS is a folder in the format of WCXB; without it the pages are generated.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use html5ever_of_rcdom::tendril::TendrilSink;
use html5ever_of_rcdom::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use sitecast_extract::{Extractor, Html, SiteLearner, extract_page};
use sitecast_scp::{HttpUrl, Timestamp};

#[path = "../examples/evaluate/corpus.rs"]
mod corpus;
#[path = "pages/made_up.rs"]
mod made_up;
#[path = "pages/stopwatch.rs"]
mod stopwatch;

use stopwatch::Stopwatch;

const ROUNDS: usize = 5;
/// Take pages of the corpus at regular intervals up to this number, so that all kinds occur.
const PAGES: usize = 250;

struct Page {
    url: HttpUrl,
    html: String,
}

fn main() {
    let folder = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let pages = match &folder {
        Some(folder) => from_corpus(Path::new(folder)),
        None => made_up::pages(),
    };
    let bytes: usize = pages.iter().map(|page| page.html.len()).sum();
    println!(
        "{} pages, {:.1} MB, least of {ROUNDS} rounds",
        pages.len(),
        bytes as f64 / 1e6
    );

    let seen = Timestamp::from_unix_seconds(0).unwrap();
    let html = |page: &'_ Page| -> usize {
        let html = Html::new(&page.url, page.html.as_bytes(), seen);
        extract_page(&html).unwrap().page.content.len()
    };
    let mut learner = SiteLearner::new(Extractor::default());
    for page in pages.iter().take(50) {
        learner
            .add(&Html::new(&page.url, page.html.as_bytes(), seen))
            .unwrap();
    }
    let template = learner.finish();

    let mut parse = Stopwatch::default();
    let mut alone = Stopwatch::default();
    let mut site = Stopwatch::default();
    for _ in 0..ROUNDS {
        parse.time(|| {
            for page in &pages {
                let dom =
                    parse_document(RcDom::default(), ParseOpts::default()).one(page.html.as_str());
                black_box(dom);
            }
        });
        alone.time(|| pages.iter().map(&html).sum::<usize>());
        site.time(|| {
            for page in &pages {
                let html = Html::new(&page.url, page.html.as_bytes(), seen);
                black_box(template.extract_page(&html).unwrap());
            }
        });
    }
    let limit = parse.least();
    let print = |name: &str, time: Duration| {
        let rate = bytes as f64 / 1e6 / time.as_secs_f64();
        let ratio = time.as_secs_f64() / limit.as_secs_f64();
        println!(
            "{name:<34} {:8.3} s  {rate:7.1} MB/s  {ratio:6.2} × html5ever",
            time.as_secs_f64()
        );
    };
    print("html5ever, parsing into RcDom", limit);
    print("a page alone", alone.least());
    print("a page of a known site", site.least());
    if let Some(time) = trafilatura(&pages) {
        print("Python trafilatura", time);
    }
}

fn from_corpus(folder: &Path) -> Vec<Page> {
    let all: Vec<_> = corpus::pages(folder).unwrap().map(Result::unwrap).collect();
    let every = (all.len() / PAGES).max(1);
    all.into_iter()
        .step_by(every)
        .map(|page| Page {
            url: page
                .url
                .parse()
                .unwrap_or_else(|_| "https://example.com/".parse().unwrap()),
            html: String::from_utf8_lossy(&page.html).into_owned(),
        })
        .collect()
}

/// Returns the CPU time of trafilatura for the same pages, if it is installed.
fn trafilatura(pages: &[Page]) -> Option<Duration> {
    const SCRIPT: &str = "
import json, sys, time
try:
    import trafilatura
except Exception:
    sys.exit(3)
pages = [json.loads(line) for line in open(sys.argv[1])]
trafilatura.extract(pages[0])
start = time.process_time()
for page in pages:
    trafilatura.extract(page)
print(time.process_time() - start)
";
    let file = std::env::temp_dir().join(format!("sitecast-bench-{}.jsonl", std::process::id()));
    let lines: String = pages
        .iter()
        .map(|page| format!("{}\n", serde_json::Value::from(page.html.as_str())))
        .collect();
    std::fs::write(&file, lines).ok()?;
    let output = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(&file)
        .output();
    let _ = std::fs::remove_file(&file);
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    text.trim().parse().ok().map(Duration::from_secs_f64)
}
