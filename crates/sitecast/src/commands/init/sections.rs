//! Which parts of a site may deserve collections of their own, by the paths of its pages.

use std::collections::{BTreeMap, BTreeSet};

use sitecast_publish::OutlinedPage;
use sitecast_scp::Identifier;
use sitecast_tct::sitemap::Listing;

use crate::config::template::ChosenSection;

/// A part with fewer pages than these is not worth a collection.
const FEWEST: u64 = 5;
/// Nor one with less than this share of all pages.
const LEAST_SHARE: f64 = 0.02;
/// One with more than this is all of the site, which has a section anyway.
const LARGEST_SHARE: f64 = 0.95;
/// More sections than these are not proposed: each repeats its pages.
const MOST: usize = 12;

/// Names of what is added to every day, or nearly so.
const NEWS: &[&str] = &[
    "blog",
    "news",
    "post",
    "posts",
    "article",
    "articles",
    "event",
    "events",
    "update",
    "updates",
    "changelog",
    "release",
    "releases",
    "press",
    "magazine",
    "story",
    "stories",
    "job",
    "jobs",
    "product",
    "products",
    "shop",
];
/// Names of what hardly ever changes.
const STILL: &[&str] = &["about", "legal", "company", "team", "archive", "archives"];

/// All paths of years: `/2025/…`.
const YEARS: &str = "/[12][0-9][0-9][0-9]/**";

/// Counts pages by folder and language, as they come.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pages: u64,
    /// Pages by the first two folders of their paths; an empty text where there is no such folder.
    folders: BTreeMap<(String, String), Tally>,
    languages: BTreeMap<String, u64>,
}

#[derive(Debug, Default)]
struct Tally {
    pages: u64,
    /// Those that list others.
    listings: u64,
    /// Those by language.
    languages: BTreeMap<String, u64>,
}

impl Paths {
    pub(super) fn add(&mut self, page: &OutlinedPage) {
        let mut parts = page.path.trim_start_matches('/').split('/');
        // What comes after the last slash is a page, not a folder.
        let (first, second, third) = (parts.next(), parts.next(), parts.next());
        let first_folder = first.filter(|_| second.is_some()).unwrap_or_default();
        let second_folder = second.filter(|_| third.is_some()).unwrap_or_default();
        let key = (first_folder.to_owned(), second_folder.to_owned());
        let tally = self.folders.entry(key).or_default();
        let below = page
            .path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(first_folder));
        let is_listing = |path: &str| Listing::of(&format!("https://example.com{path}")).is_some();
        tally.pages += 1;
        tally.listings += u64::from(is_listing(&page.path) || below.is_some_and(is_listing));
        if let Some(language) = page.language.as_deref().and_then(primary) {
            *tally.languages.entry(language.clone()).or_default() += 1;
            *self.languages.entry(language).or_default() += 1;
        }
        self.pages += 1;
    }

    /// The languages of the site, the commonest first. One that a few pages claim is more likely a slip.
    pub(super) fn languages(&self) -> Vec<String> {
        let enough = self
            .languages
            .iter()
            .filter(|(_, pages)| **pages * 50 >= self.pages);
        let mut languages: Vec<_> = enough.collect();
        languages.sort_by_key(|(_, pages)| std::cmp::Reverse(**pages));
        languages
            .into_iter()
            .map(|(language, _)| language.clone())
            .collect()
    }

    /// Sections for the site, the largest first.
    pub(super) fn sections(&self) -> Vec<ChosenSection> {
        let mut found: BTreeMap<String, (BTreeSet<String>, Tally)> = BTreeMap::new();
        let mut add = |name: &str, path: String, tally: &Tally| {
            let (paths, all) = found.entry(name.to_owned()).or_default();
            paths.insert(path);
            all.pages += tally.pages;
            all.listings += tally.listings;
        };
        for ((first, second), tally) in &self.folders {
            if first.is_empty() {
                continue;
            }
            if self.is_language(first) {
                add(first, format!("/{first}/**"), tally);
                if !second.is_empty() {
                    let (name, path) = named(second);
                    add(&name, format!("/{first}{path}"), tally);
                }
            } else {
                let (name, path) = named(first);
                add(&name, path, tally);
            }
        }
        let share = |pages: u64| pages as f64 / self.pages.max(1) as f64;
        let mut sections: Vec<ChosenSection> = found
            .into_iter()
            .filter(|(name, (paths, tally))| {
                tally.pages >= FEWEST
                    && (LEAST_SHARE..=LARGEST_SHARE).contains(&share(tally.pages))
                    && tally.listings * 2 <= tally.pages
                    && name != "all"
                    && !name.starts_with('_')
                    && name.parse::<Identifier>().is_ok()
                    && paths
                        .iter()
                        .all(|path| sitecast_publish::check_glob(path).is_ok())
            })
            .map(|(name, (paths, tally))| ChosenSection {
                update_freq: frequency(&name, self.is_language(&name)),
                name,
                paths: paths.into_iter().collect(),
                pages: tally.pages,
            })
            .collect();
        sections.sort_by_key(|section| std::cmp::Reverse(section.pages));
        sections.truncate(MOST);
        sections
    }

    /// Whether a folder is called by a language, and its pages are in it.
    fn is_language(&self, folder: &str) -> bool {
        let Some(language) = primary(folder).filter(|_| folder.len() <= 7) else {
            return false;
        };
        let inside = self
            .folders
            .iter()
            .filter(|((first, _), _)| first == folder);
        let (mut pages, mut in_it) = (0, 0);
        for (_, tally) in inside {
            pages += tally.pages;
            in_it += tally.languages.get(&language).copied().unwrap_or(0);
        }
        pages > 0 && in_it * 2 > pages
    }
}

/// `zh` for `zh-Hans`; `None` for what cannot be a language.
fn primary(tag: &str) -> Option<String> {
    let first = tag.split(['-', '_']).next().unwrap_or_default();
    let is_language =
        (2..=3).contains(&first.len()) && first.bytes().all(|b| b.is_ascii_alphabetic());
    is_language.then(|| first.to_ascii_lowercase())
}

/// The section of a folder, and the paths in it. Folders of years are one section.
fn named(folder: &str) -> (String, String) {
    let is_year = folder.len() == 4
        && folder.starts_with(['1', '2'])
        && folder.bytes().all(|b| b.is_ascii_digit());
    if is_year {
        return ("posts".to_owned(), YEARS.to_owned());
    }
    let name: String = folder
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let has_special = folder.contains(['*', '?', '[', ']', '{', '}', '\\']);
    // Not a name, so that it is dropped.
    let name = if has_special {
        String::new()
    } else {
        name.trim_matches('-').to_owned()
    };
    (name, format!("/{folder}/**"))
}

fn frequency(name: &str, is_language: bool) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let numbers = lower.strip_prefix('v').unwrap_or(&lower);
    let is_version = numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'_'));
    if is_version || STILL.contains(&lower.as_str()) {
        "monthly"
    } else if is_language || NEWS.contains(&lower.as_str()) {
        "daily"
    } else {
        "weekly"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pages: &[(&str, &str, usize)]) -> (Paths, Vec<String>) {
        let mut paths = Paths::default();
        for (folder, language, count) in pages {
            for n in 0..*count {
                paths.add(&OutlinedPage {
                    path: folder.replace('#', &n.to_string()),
                    language: Some((*language).to_owned()).filter(|language| !language.is_empty()),
                });
            }
        }
        let sections = paths.sections();
        let shown = sections.iter().map(|section| {
            format!(
                "{} {} {} {}",
                section.name,
                section.paths.join(" "),
                section.update_freq,
                section.pages
            )
        });
        let shown = shown.collect();
        (paths, shown)
    }

    #[test]
    fn folders_with_enough_pages_are_sections() {
        let (_, sections) = of(&[
            ("/", "en", 1),
            ("/about/", "en", 1),
            ("/blog/#/", "en", 20),
            ("/docs/a/#.html", "en", 30),
            ("/v1.2/#.html", "en", 6),
            ("/few/#", "en", 4),
        ]);
        assert_eq!(
            sections,
            [
                "docs /docs/** weekly 30",
                "blog /blog/** daily 20",
                "v1-2 /v1.2/** monthly 6"
            ]
        );
    }

    #[test]
    fn a_page_is_no_folder_and_all_of_the_site_is_no_section() {
        assert_eq!(of(&[("/#.html", "", 50)]).1, Vec::<String>::new());
        assert_eq!(
            of(&[("/docs/#.html", "", 99), ("/", "", 1)]).1,
            Vec::<String>::new()
        );
    }

    #[test]
    fn listings_are_no_sections() {
        let (_, sections) = of(&[
            ("/tags/#/", "en", 30),
            ("/blog/#/", "en", 30),
            ("/page/#/", "en", 9),
        ]);
        assert_eq!(sections, ["blog /blog/** daily 30"]);
    }

    #[test]
    fn languages_are_sections_and_what_is_in_them_belongs_together() {
        let (paths, sections) = of(&[
            ("/posts/#/", "en", 20),
            ("/zh/posts/#/", "zh-CN", 15),
            ("/zh/#/", "zh-CN", 3),
            ("/", "en", 1),
        ]);
        assert_eq!(
            sections,
            [
                "posts /posts/** /zh/posts/** daily 35",
                "zh /zh/** daily 18"
            ]
        );
        assert_eq!(paths.languages(), ["en", "zh"]);
        // Called like a language, and none.
        let (_, sections) = of(&[("/go/#/", "en", 20), ("/js/#/", "", 20)]);
        assert_eq!(sections, ["go /go/** weekly 20", "js /js/** weekly 20"]);
    }

    #[test]
    fn years_are_one_section() {
        let (_, sections) = of(&[
            ("/2019/05/#.html", "", 9),
            ("/2020/01/#.html", "", 9),
            ("/#.html", "", 9),
        ]);
        assert_eq!(sections, ["posts /[12][0-9][0-9][0-9]/** daily 18"]);
    }

    #[test]
    fn odd_names_do_no_harm() {
        let (_, sections) = of(&[
            ("/caf\u{e9} x/#", "", 9),
            ("/a[b/#", "", 9),
            ("/all/#", "", 9),
            ("/_modules/#", "", 9),
            ("//#", "", 9),
        ]);
        assert_eq!(sections, ["caf--x /caf\u{e9} x/** weekly 9"]);
    }
}
