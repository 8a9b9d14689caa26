//! Deterministic test pages, made of real paragraphs if a corpus is available.

use std::fs;
use std::path::{Path, PathBuf};

use sitecast_scp::{Block, HeadingLevel, Page, Timestamp};

/// A linear congruential generator with a fixed seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// The paragraphs of the pages.
pub struct Texts {
    pub source: String,
    pub paragraphs: Vec<String>,
}

/// Returns paragraphs of the folder `SITECAST_BENCH_TEXT` (JSON or text files), or of the corpora of the
/// development tree, or of generated words.
pub fn texts() -> Texts {
    let mut folders: Vec<PathBuf> = Vec::new();
    folders.extend(std::env::var_os("SITECAST_BENCH_TEXT").map(PathBuf::from));
    for up in Path::new(env!("CARGO_MANIFEST_DIR")).ancestors() {
        folders.push(up.join("shared/corpora/wcxb/ground-truth"));
    }
    for folder in folders {
        let mut paragraphs = Vec::new();
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file).unwrap_or_default();
            let content = serde_json::from_str::<serde_json::Value>(&text)
                .ok()
                .and_then(|value| {
                    let content = &value["ground_truth"]["main_content"];
                    content.as_str().map(str::to_owned)
                })
                .unwrap_or(text);
            paragraphs.extend(
                content
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .map(str::to_owned),
            );
        }
        if paragraphs.len() > 1_000 {
            return Texts {
                source: "real text".to_owned(),
                paragraphs,
            };
        }
    }
    Texts {
        source: "made-up words".to_owned(),
        paragraphs: generated_words(),
    }
}

fn generated_words() -> Vec<String> {
    let mut random = Random(7);
    let word = |random: &mut Random| -> String {
        (0..2 + random.below(3))
            .map(|_| {
                let consonants = b"bcdfghklmnprstvw";
                let vowels = b"aeiou";
                let pair = [consonants[random.below(16)], vowels[random.below(5)]];
                String::from_utf8(pair.to_vec()).unwrap()
            })
            .collect()
    };
    let words: Vec<String> = (0..20_000).map(|_| word(&mut random)).collect();
    (0..50_000)
        .map(|_| {
            let length = 5 + random.below(60);
            let chosen: Vec<&str> = (0..length)
                .map(|_| words[random.below(200 + random.0 as usize % 19_800)].as_str())
                .collect();
            chosen.join(" ")
        })
        .collect()
}

/// Returns the `modified` of the first version of the pages.
pub fn first_time() -> Timestamp {
    "2025-01-15T10:00:00Z".parse().unwrap()
}

/// Returns the URL of the n-th page. URLs sort in the order of `n`.
pub fn url(n: usize) -> String {
    format!(
        "https://www.example.com/articles/{:03}/a-page-about-something-{n:08}/",
        n / 1_000
    )
}

/// Returns the line of the n-th page in a version: about 4 kB, with some much shorter or longer.
pub fn line(texts: &[String], n: usize, version: u64, modified: Timestamp) -> String {
    let mut random = Random(n as u64 ^ (version << 40) ^ 0x5bd1_e995);
    random.below(2);
    let mut page = Page::new(
        url(n).parse().unwrap(),
        format!("Page {n} about something"),
        modified,
        "en".parse().unwrap(),
    );
    page.description = texts[random.below(texts.len())].chars().take(150).collect();
    let wanted = 400
        + random.below(3_000)
        + if random.below(5) == 0 {
            random.below(16_000)
        } else {
            0
        };
    let mut bytes = 0;
    while bytes < wanted {
        let text = texts[random.below(texts.len())].clone();
        bytes += text.len();
        if random.below(8) == 0 {
            page.content.push(Block::Heading {
                level: HeadingLevel::clamped(2),
                text: text.chars().take(60).collect(),
            });
        }
        page.content.push(Block::Text { text });
    }
    page.content.truncate(900);
    serde_json::to_string(&page).unwrap()
}
