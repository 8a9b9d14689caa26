//! Metadata found on the pages of sites: every author, date and language once, with the number of pages.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use sitecast_extract::{Extractor, Html, SiteLearner};
use sitecast_scp::{HttpUrl, Timestamp};

use crate::site::find;

/// List at most this many values.
const MOST_VALUES: usize = 40;

/// The number of pages with each value, and the first of them.
type Values = BTreeMap<String, (usize, String)>;

pub fn run(folders: &[String]) -> Result<(), Box<dyn Error>> {
    for folder in folders {
        one(Path::new(folder))?;
    }
    Ok(())
}

fn one(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    let mut pages: Vec<(String, HttpUrl, Vec<u8>)> = Vec::new();
    for file in files {
        let path = file.strip_prefix(folder)?.display().to_string();
        let url = format!("https://example.org/{}", path.replace(' ', "%20"));
        pages.push((path, url.parse()?, fs::read(&file)?));
    }
    let seen = Timestamp::from_unix_seconds(4_000_000_000).ok_or("time out of range")?;
    let mut learner = SiteLearner::new(Extractor::default());
    for (_, url, bytes) in pages.iter().take(300) {
        // Errors are printed below.
        let _ = learner.add(&Html::new(url, bytes, seen));
    }
    let template = learner.finish();
    let [mut authors, mut published, mut modified, mut languages] = [(); 4].map(|()| Values::new());
    for (path, url, bytes) in &pages {
        let extracted = match template.extract_page(&Html::new(url, bytes, seen)) {
            Ok(extracted) => extracted,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let add = |values: &mut Values, value: Option<String>| {
            let value = value.unwrap_or_else(|| "-".to_owned());
            values.entry(value).or_insert((0, path.clone())).0 += 1;
        };
        let page = &extracted.page;
        add(&mut authors, page.author.clone());
        add(&mut published, page.published.map(|time| time.to_string()));
        let stated = extracted.states_modified.then(|| page.modified.to_string());
        add(&mut modified, stated);
        add(&mut languages, Some(page.language.to_string()));
    }
    println!("{}: {} pages", folder.display(), pages.len());
    for (name, values) in [
        ("author", &authors),
        ("published", &published),
        ("modified", &modified),
        ("language", &languages),
    ] {
        let mut values: Vec<_> = values.iter().collect();
        values.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        println!("  {name}: {} values", values.len());
        for (value, (count, path)) in values.into_iter().take(MOST_VALUES) {
            println!("    {count:>5}  {value}  ({path})");
        }
    }
    Ok(())
}
