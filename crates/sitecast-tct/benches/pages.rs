//! Measures the speed of fingerprinting and of canonical JSON next to their lower bounds, in one run:
//! `cargo bench -p sitecast-tct`.
//!
//! Each time is the minimum of several runs. The candidates alternate.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use sitecast_tct::{ContentHash, canonicalize, fingerprint};

const RUNS: usize = 11;
const ENGLISH: &str =
    "The quick brown fox jumps over the lazy dog, while Crawlers fetch Pages built for eyes.\n";
const GERMAN: &str =
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich &amp; zurück.\n";
const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";

fn main() {
    // `cargo test --benches` only checks that it runs.
    let measured = std::env::args().any(|argument| argument == "--bench");
    let (bytes, runs) = if measured {
        (20_000_000, RUNS)
    } else {
        (10_000, 1)
    };
    println!("{:<52}{:>9}{:>9}", "", "MB/s", "ratio");
    for (name, piece) in [
        ("English", ENGLISH),
        ("German", GERMAN),
        ("Japanese", JAPANESE),
    ] {
        let text = piece.repeat(bytes / piece.len());
        let mut ours = Duration::MAX;
        let mut book = Duration::MAX;
        let mut hash = Duration::MAX;
        for _ in 0..runs {
            ours = ours.min(time(|| fingerprint(&text)));
            book = book.min(time(|| reference(&text)));
            hash = hash.min(time(|| ContentHash::of(text.as_bytes())));
        }
        row(&format!("{name}: fingerprint"), text.len(), ours, ours);
        row(
            &format!("{name}: the six steps one after the other"),
            text.len(),
            book,
            ours,
        );
        row(&format!("{name}: SHA-256 alone"), text.len(), hash, ours);
    }
    let item = format!(
        r#"{{"name":"Näme","price":29.90,"tags":["a","b",null,true],"text":"{}","n":1e21,"nested":{{"b":1,"a":2.5}}}}"#,
        ENGLISH.trim().repeat(3)
    );
    let json = format!("[{}]", vec![item; bytes / 4 / 400].join(", "));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut ours = Duration::MAX;
    let mut parse = Duration::MAX;
    let mut theirs = Duration::MAX;
    for _ in 0..runs {
        ours = ours.min(time(|| canonicalize(&json).unwrap()));
        parse = parse.min(time(|| {
            serde_json::from_str::<serde_json::Value>(&json).unwrap()
        }));
        theirs = theirs.min(time(|| {
            serde_json_canonicalizer::to_string(&value).unwrap()
        }));
    }
    row("JSON: canonicalize, from text", json.len(), ours, ours);
    row("JSON: serde_json's parsing alone", json.len(), parse, ours);
    row(
        "JSON: serde_json_canonicalizer, already parsed",
        json.len(),
        theirs,
        ours,
    );
}

fn row(name: &str, bytes: usize, time: Duration, ours: Duration) {
    let rate = bytes as f64 / time.as_secs_f64() / 1e6;
    let ratio = ours.as_secs_f64() / time.as_secs_f64();
    println!("{name:<52}{rate:>9.0}{ratio:>9.2}");
}

fn time<T>(task: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    black_box(task());
    begin.elapsed()
}

fn reference(text: &str) -> ContentHash {
    let decoded = htmlize::unescape(text);
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(&decoded);
    let folded = CaseMapper::new().fold_string(&composed);
    let kept: String = folded
        .chars()
        .filter(|&c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))
        .collect();
    let words: Vec<&str> = kept
        .split([' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .collect();
    ContentHash::of(words.join(" ").as_bytes())
}
