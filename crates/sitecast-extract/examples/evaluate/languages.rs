//! Accuracy of language detection, compared with the language of the text.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use sitecast_extract::{Html, extract_page};
use sitecast_scp::{HttpUrl, Timestamp};

/// Lengths of the texts, in characters.
const LENGTHS: [usize; 4] = [100, 200, 600, 2_000];
/// The most texts of each length and language.
const MOST_TEXTS: usize = 200;

/// The language that a page declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stated {
    Rightly,
    Nothing,
    /// `en`, as in many templates; `de` on English pages.
    English,
    /// The next language of the corpus.
    Another,
}

const STATED: [(Stated, &str); 4] = [
    (Stated::Rightly, "rightly"),
    (Stated::Nothing, "not"),
    (Stated::English, "as English"),
    (Stated::Another, "as another"),
];

#[derive(Debug, Clone, Copy, Default)]
struct Score {
    right: usize,
    all: usize,
}

impl Score {
    fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.all.max(1) as f64
    }
}

/// The texts in one language.
struct Language {
    code: String,
    lines: Vec<String>,
}

pub fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let (folder, excluded) = arguments
        .split_first()
        .ok_or("usage: evaluate languages FOLDER [CODE]…")?;
    let languages = read(Path::new(folder), excluded)?;
    let mut scores: BTreeMap<(Stated, usize), Score> = BTreeMap::new();
    let mut by_language: BTreeMap<(Stated, usize, &str), Score> = BTreeMap::new();
    let mut taken_for: BTreeMap<(Stated, usize, &str, String), usize> = BTreeMap::new();
    for (at, language) in languages.iter().enumerate() {
        let code = language.code.as_str();
        let next = (at + 1..at + 3).map(|next| &languages[next % languages.len()].code);
        let another = next.into_iter().find(|next| !is_right(next, code));
        let another = another.ok_or("one language is too few")?;
        for length in LENGTHS {
            for text in texts(&language.lines, length) {
                for (stated, _) in STATED {
                    let tag = match stated {
                        Stated::Rightly => Some(code),
                        Stated::Nothing => None,
                        Stated::English if code == "en" => Some("de"),
                        Stated::English => Some("en"),
                        Stated::Another => Some(another.as_str()),
                    };
                    let found = language_of(tag, &text)?;
                    let is_right = is_right(&found, code);
                    let all = scores.entry((stated, length)).or_default();
                    let own = by_language.entry((stated, length, code)).or_default();
                    for score in [all, own] {
                        score.all += 1;
                        score.right += usize::from(is_right);
                    }
                    if !is_right {
                        *taken_for.entry((stated, length, code, found)).or_default() += 1;
                    }
                }
            }
        }
    }
    println!("{} languages; right, %", languages.len());
    print!("{:<12}", "stated");
    for length in LENGTHS {
        print!("{:>16}", format!("{length} characters"));
    }
    println!();
    for (stated, name) in STATED {
        print!("{name:<12}");
        for length in LENGTHS {
            let score = scores.get(&(stated, length)).copied().unwrap_or_default();
            print!("{:>16}", format!("{:.1} of {}", score.percent(), score.all));
        }
        println!();
    }
    for (stated, name) in STATED {
        println!("\nstated {name}, taken for another language in 2 of 100 or more:");
        for length in LENGTHS {
            let of_length = taken_for
                .iter()
                .filter(|((its, of, ..), _)| (*its, *of) == (stated, length));
            let pairs = of_length.filter_map(|((_, _, code, found), count)| {
                let all = by_language.get(&(stated, length, *code))?.all;
                let percent = 100.0 * *count as f64 / all as f64;
                (percent >= 2.0).then(|| format!("{code} as {found} {percent:.0} %"))
            });
            println!("{length}: {}", pairs.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(())
}

fn read(folder: &Path, excluded: &[String]) -> Result<Vec<Language>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut languages = Vec::new();
    for path in paths {
        let code = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path)?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if !excluded.contains(&code.to_string()) && !texts(&lines, LENGTHS[0]).is_empty() {
            languages.push(Language {
                code: code.into_owned(),
                lines,
            });
        }
    }
    Ok(languages)
}

/// Cuts the lines into texts of `length` characters.
fn texts(lines: &[String], length: usize) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let (mut text, mut chars) = (Vec::new(), 0);
    for line in lines {
        let wanted: String = line.chars().take(length - chars).collect();
        chars += wanted.chars().count();
        text.push(wanted);
        if chars == length {
            all.push(std::mem::take(&mut text));
            chars = 0;
        }
    }
    // Spread over the whole corpus.
    let step = all.len().div_ceil(MOST_TEXTS).max(1);
    all.into_iter().step_by(step).collect()
}

fn language_of(tag: Option<&str>, text: &[String]) -> Result<String, Box<dyn Error>> {
    let lang = tag
        .map(|tag| format!(" lang=\"{tag}\""))
        .unwrap_or_default();
    let escaped = |line: &String| line.replace('&', "&amp;").replace('<', "&lt;");
    let paragraphs: String = text
        .iter()
        .map(|line| format!("<p>{}</p>\n", escaped(line)))
        .collect();
    let html = format!(
        "<!doctype html><html{lang}><head><meta charset=utf-8><title>12</title></head><body><nav><a href=/>Home</a> \
         <a href=/blog/>Blog</a> <a href=/login/>Log in</a></nav><main><h1>12</h1>{paragraphs}</main></body></html>"
    );
    let url: HttpUrl = "https://example.com/12".parse()?;
    let seen = Timestamp::from_unix_seconds(0).ok_or("no epoch")?;
    let page = extract_page(&Html::new(&url, html.as_bytes(), seen))?.page;
    Ok(page.language.as_str().to_owned())
}

/// Returns true if a tag matches the language. `no` alone counts as Bokmål.
fn is_right(tag: &str, code: &str) -> bool {
    let primary = |tag: &str| match tag.split('-').next().unwrap_or_default() {
        "no" => "nb".to_owned(),
        primary => primary.to_owned(),
    };
    primary(tag) == primary(code)
}
