//! Extraction of a whole site with its template.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sitecast_extract::training::describe;
use sitecast_extract::{Extractor, Html, SiteLearner, extract_page};
use sitecast_scp::{HttpUrl, Timestamp, to_text};

use crate::words::words;

struct Seen {
    /// All visible text of the page.
    visible: String,
    text: String,
}

pub fn run(folders: &[String]) -> Result<(), Box<dyn Error>> {
    let mut versions = Vec::new();
    for folder in folders {
        versions.push(one(Path::new(folder))?);
    }
    if let [old, new] = versions.as_slice() {
        compare(old, new);
    }
    Ok(())
}

fn one(folder: &Path) -> Result<BTreeMap<PathBuf, Seen>, Box<dyn Error>> {
    let seen = Timestamp::from_unix_seconds(0).ok_or("no epoch")?;
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    let mut pages: Vec<(PathBuf, HttpUrl, Vec<u8>)> = Vec::new();
    for file in files {
        let bytes = fs::read(&file)?;
        // Redirect pages have no content.
        if String::from_utf8_lossy(&bytes)
            .to_lowercase()
            .contains("http-equiv=\"refresh\"")
            || String::from_utf8_lossy(&bytes)
                .to_lowercase()
                .contains("http-equiv=refresh")
        {
            continue;
        }
        let path = file.strip_prefix(folder)?.to_owned();
        let url = format!(
            "https://example.com/{}",
            path.display().to_string().replace(' ', "%20")
        );
        pages.push((path, url.parse()?, bytes));
    }
    let started = Instant::now();
    let mut learner = SiteLearner::new(Extractor::default());
    for (_, url, bytes) in &pages {
        learner.add(&Html::new(url, bytes, seen))?;
    }
    let template = learner.finish();
    let mut result = BTreeMap::new();
    let (mut empty, mut alone_words, mut site_words, mut all_words) = (0, 0, 0, 0);
    for (path, url, bytes) in &pages {
        let html = Html::new(url, bytes, seen);
        let alone = to_text(&extract_page(&html)?.page);
        let text = to_text(&template.extract_page(&html)?.page);
        let visible = describe(bytes, url.as_str()).texts.join("\n");
        empty += usize::from(text.trim().is_empty());
        alone_words += words(&alone).len();
        site_words += words(&text).len();
        all_words += words(&visible).len();
        result.insert(path.clone(), Seen { visible, text });
    }
    println!(
        "{}: {} pages, {empty} empty; of {all_words} words {alone_words} kept alone, {site_words} with the site; called {:?}; {:.1} s",
        folder.display(),
        pages.len(),
        template.site_names(),
        started.elapsed().as_secs_f64(),
    );
    Ok(result)
}

fn compare(old: &BTreeMap<PathBuf, Seen>, new: &BTreeMap<PathBuf, Seen>) {
    let (mut same, mut moved, mut changed) = (0, 0, 0);
    for (path, new) in new {
        let Some(old) = old.get(path) else { continue };
        if words(&old.text) == words(&new.text) {
            same += 1;
        } else if words(&old.visible) == words(&new.visible) {
            moved += 1;
            println!("  other text without a visible change: {}", path.display());
            print_only("-", &old.text, &new.text);
            print_only("+", &new.text, &old.text);
        } else {
            changed += 1;
        }
    }
    println!(
        "pages with the same text: {same}; with another: {changed}; with another without a visible change: {moved}"
    );
}

/// Prints up to three lines that only `one` contains.
fn print_only(sign: &str, one: &str, other: &str) {
    let others: HashSet<&str> = other.lines().collect();
    for line in one.lines().filter(|line| !others.contains(line)).take(3) {
        println!("    {sign} {}", line.chars().take(100).collect::<String>());
    }
}

pub fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html" || extension == "htm")
        {
            files.push(path);
        }
    }
    Ok(())
}
