//! The languages of a site, learned from its pages.
//!
//! A page with little text does not show its language, and a template may state the wrong one. Such a page gets the language of
//! most other pages in the same language folder, such as `/pt-br/`, or of most pages outside of such folders. The counts do not
//! depend on the order of the pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sitecast_scp::{HttpUrl, LanguageTag};

use super::language_codes::short_code;

/// The fewest pages in a language for it to be the site's; at least two thirds of all pages must be in it, too.
const MIN_PAGES: u32 = 2;

/// The language folder of a page, in lower case; empty if there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct LanguageFolder(String);

impl LanguageFolder {
    pub(crate) fn of(url: &HttpUrl) -> Self {
        let path = url.as_str().split_once("://").map_or("", |(_, rest)| rest);
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let mut folders = path.split('/').skip(1).collect::<Vec<_>>();
        folders.pop();
        let mut names = folders.into_iter().map(str::to_ascii_lowercase);
        Self(names.find(|name| is_language(name)).unwrap_or_default())
    }
}

/// Returns true for names of language folders: `de`, `pt-br`, `zh_hans`.
fn is_language(name: &str) -> bool {
    let mut parts = name.split(['-', '_']);
    let is_code = parts
        .next()
        .is_some_and(|first| first.len() == 2 && short_code(first).is_some());
    let is_subtag = |part: &str| {
        matches!(part.len(), 2 | 4) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    is_code && parts.all(is_subtag)
}

/// The language of a page, determined without its site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageLanguage {
    /// The first language that the page states.
    pub(crate) stated: Option<LanguageTag>,
    /// The determined language.
    pub(crate) language: LanguageTag,
    /// The text of the page confirms `language`.
    pub(crate) by_text: bool,
}

/// Numbers of pages by language.
type Counts = BTreeMap<String, u32>;

/// Counts of the pages in one folder that state the same language.
#[derive(Debug, Clone, Default)]
struct Group {
    /// Pages by the language of their text.
    shown: Counts,
    /// Pages whose text does not show a language.
    others: u32,
}

impl Group {
    /// Returns true if the text of at least a third of the pages shows a language, so that a few stray pages do not decide.
    fn shows_enough(&self) -> bool {
        let shown: u32 = self.shown.values().sum();
        u64::from(shown) * 2 >= u64::from(self.others)
    }
}

/// Counts the languages of the pages of a site, by folder and stated language.
#[derive(Debug, Clone, Default)]
pub(crate) struct LanguageCounts(BTreeMap<(LanguageFolder, Option<String>), Group>);

impl LanguageCounts {
    pub(crate) fn add(&mut self, folder: LanguageFolder, shown: PageLanguage) {
        let stated = shown.stated.map(|tag| tag.as_str().to_owned());
        let group = self.0.entry((folder, stated)).or_default();
        if shown.by_text {
            let language = shown.language.as_str().to_owned();
            *group.shown.entry(language).or_default() += 1;
        } else {
            group.others += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (key, other) in other.0 {
            let group = self.0.entry(key).or_default();
            group.others += other.others;
            for (language, count) in other.shown {
                *group.shown.entry(language).or_default() += count;
            }
        }
    }

    pub(crate) fn languages(&self) -> SiteLanguages {
        let mut found = Vec::new();
        let mut folders: BTreeMap<&LanguageFolder, Counts> = BTreeMap::new();
        for ((folder, stated), group) in &self.0 {
            let all = folders.entry(folder).or_default();
            for (language, count) in &group.shown {
                *all.entry(language.clone()).or_default() += count;
            }
            let Some(stated) = stated else {
                continue;
            };
            let other = most(&group.shown)
                .filter(|language| primary(language) != primary(stated) && group.shows_enough());
            let language = other.as_ref().unwrap_or(stated);
            *all.entry(language.clone()).or_default() += group.others;
            found.extend(other.map(|language| SiteLanguage {
                folder: folder.clone(),
                stated: Some(stated.clone()),
                language,
            }));
        }
        for (folder, counts) in folders {
            found.extend(most(&counts).map(|language| SiteLanguage {
                folder: folder.clone(),
                stated: None,
                language,
            }));
        }
        SiteLanguages(found)
    }
}

fn primary(language: &str) -> &str {
    language.split('-').next().unwrap_or_default()
}

/// Returns the language of most pages, in its most frequent variety, such as `pt` or `pt-BR`.
fn most(counts: &Counts) -> Option<String> {
    let all: u32 = counts.values().sum();
    let mut languages: BTreeMap<&str, u32> = BTreeMap::new();
    for (language, count) in counts {
        *languages.entry(primary(language)).or_default() += count;
    }
    let (usual, pages) = languages.into_iter().max_by_key(|(_, pages)| *pages)?;
    let is_usual = pages >= MIN_PAGES && u64::from(pages) * 3 >= u64::from(all) * 2;
    let varieties = counts
        .iter()
        .filter(|(language, _)| primary(language) == usual);
    let (variety, _) = varieties.max_by_key(|(_, pages)| **pages)?;
    is_usual.then(|| variety.clone())
}

/// The language of pages in a folder whose text does not show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SiteLanguage {
    folder: LanguageFolder,
    /// Applies to pages that state this language; `None` for pages that state none.
    stated: Option<String>,
    language: String,
}

/// The languages of a site, for pages whose text does not show theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SiteLanguages(Vec<SiteLanguage>);

impl SiteLanguages {
    pub(crate) const NONE: &'static Self = &Self(Vec::new());

    /// Returns the language of the site's pages that are in the same folder and state the same language.
    pub(crate) fn of(&self, url: &HttpUrl, stated: Option<&LanguageTag>) -> Option<LanguageTag> {
        if self.0.is_empty() {
            return None;
        }
        let folder = LanguageFolder::of(url);
        let found = self.0.iter().find(|of| {
            of.folder == folder && of.stated.as_deref() == stated.map(LanguageTag::as_str)
        });
        LanguageTag::new(found?.language.as_str()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> LanguageTag {
        LanguageTag::new(text).unwrap()
    }

    fn url(path: &str) -> HttpUrl {
        format!("https://example.com{path}").parse().unwrap()
    }

    /// Counts pages: path, stated language, language, confirmed by text.
    fn counts(pages: &[(&str, Option<&str>, &str, bool)]) -> LanguageCounts {
        let mut counts = LanguageCounts::default();
        for (path, stated, language, by_text) in pages {
            let shown = PageLanguage {
                stated: stated.map(tag),
                language: tag(language),
                by_text: *by_text,
            };
            counts.add(LanguageFolder::of(&url(path)), shown);
        }
        counts
    }

    #[test]
    fn finds_language_folders() {
        for (path, folder) in [
            ("/de/tee", "de"),
            ("/shop/PT-BR/cha.html", "pt-br"),
            ("/zh_hans/", "zh_hans"),
            ("/tee/de", ""),
            ("/", ""),
            ("/blog/tea?x=/de/y", ""),
            ("/us/tea", ""),
            ("/de-luxe-edition/tea", ""),
        ] {
            assert_eq!(LanguageFolder::of(&url(path)).0, folder, "{path}");
        }
    }

    #[test]
    fn majority_decides_in_any_order() {
        let mut pages = [
            ("/a", Some("pt-BR"), "pt-BR", true),
            ("/b", Some("pt-BR"), "pt-BR", false),
            ("/c", None, "en", true),
            ("/en/a", Some("en"), "en", true),
            ("/en/b", None, "en", true),
        ];
        for _ in 0..pages.len() {
            pages.rotate_left(1);
            let languages = counts(&pages).languages();
            assert_eq!(languages.of(&url("/d"), None), Some(tag("pt-BR")));
            assert_eq!(languages.of(&url("/en/d"), None), Some(tag("en")));
            assert_eq!(languages.of(&url("/fr/d"), None), None);
            assert_eq!(languages.of(&url("/d"), Some(&tag("pt-BR"))), None);
        }
    }

    #[test]
    fn texts_override_wrong_language_of_template() {
        let pages = [
            ("/a", Some("en"), "pt", true),
            ("/b", Some("en"), "pt", true),
            ("/c", Some("en"), "en", false),
            ("/d", Some("en"), "en", false),
        ];
        let languages = counts(&pages).languages();
        assert_eq!(languages.of(&url("/e"), Some(&tag("en"))), Some(tag("pt")));
        assert_eq!(languages.of(&url("/e"), None), Some(tag("pt")));
        // A few stray pages do not decide.
        let mut counts = counts(&pages);
        for n in 0..3 {
            counts.merge(self::counts(&[(
                format!("/{n}").as_str(),
                Some("en"),
                "en",
                false,
            )]));
        }
        let languages = counts.languages();
        assert_eq!(languages.of(&url("/e"), Some(&tag("en"))), None);
    }

    #[test]
    fn no_language_without_majority() {
        let one = counts(&[("/a", None, "de", true)]).languages();
        assert_eq!(one, *SiteLanguages::NONE);
        let pages = [("/a", None, "de", true), ("/b", None, "de", true)];
        let others = [("/c", None, "en", true), ("/d", None, "fr", true)];
        assert_eq!(
            counts(&pages).languages().of(&url("/x"), None),
            Some(tag("de"))
        );
        let mut all = counts(&pages);
        all.merge(counts(&others));
        assert_eq!(all.languages(), *SiteLanguages::NONE);
    }
}
