//! Real pages with marked content, if a corpus is present.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use sitecast_extract::{Html, extract_page};
use sitecast_scp::{HttpUrl, to_text};

use super::seen;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora/wcxb");

fn words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text
        .to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
    {
        if !word.is_empty() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// A sample, which shows at once if a change spoils extraction; `evaluate` measures the whole corpus.
#[test]
fn scores_a_sample_of_the_corpus() {
    let Ok(folder) = fs::read_dir(Path::new(CORPUS).join("html")) else {
        eprintln!("skipped: no corpus at `{CORPUS}`");
        return;
    };
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut sum, mut pages) = (0.0, 0.0);
    for path in files.iter().step_by(25) {
        let id = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .replace(".html.gz", "");
        let mut html = Vec::new();
        GzDecoder::new(File::open(path).unwrap())
            .read_to_end(&mut html)
            .unwrap();
        let record = fs::read(format!("{CORPUS}/ground-truth/{id}.json")).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        let wanted = words(
            record["ground_truth"]["main_content"]
                .as_str()
                .unwrap_or_default(),
        );
        let Ok(url) = record["url"]
            .as_str()
            .unwrap_or_default()
            .parse::<HttpUrl>()
        else {
            continue;
        };
        if wanted.is_empty() {
            continue;
        }
        let page = extract_page(&Html::new(&url, &html, seen())).unwrap().page;
        let found = words(&to_text(&page));
        let shared: usize = found
            .iter()
            .map(|(word, count)| (*count).min(wanted.get(word).copied().unwrap_or(0)))
            .sum();
        let all: usize = found.values().sum::<usize>() + wanted.values().sum::<usize>();
        sum += 2.0 * shared as f64 / all as f64;
        pages += 1.0;
    }
    assert!(sum / pages > 0.87, "{:.3} over {pages} pages", sum / pages);
}
