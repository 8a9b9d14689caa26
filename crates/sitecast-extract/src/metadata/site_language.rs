//! The language of a site: pages of a site agree on theirs unless their text says otherwise.
//!
//! A page with little text shows no language, and a template may state the wrong one. What the other pages of the site are in
//! decides then: those below the same folder of a language, such as `/pt-br/`, or else those below none. Pages are counted, so
//! that their order does not matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sitecast_scp::{HttpUrl, LanguageTag};

use super::language_codes::short_code;

/// Pages that have to be in a language before others are taken to be; two thirds of all have to be in it, too.
const LEAST_PAGES: u32 = 2;

/// The folder of a language that a page is in; empty if it is in none.
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

/// Whether a folder is called like a language: `de`, `pt-br`, `zh_hans`.
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

/// What a page shows of its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// What it states first.
    pub(crate) stated: Option<LanguageTag>,
    /// What it is in, as far as the page alone shows it.
    pub(crate) language: LanguageTag,
    /// Whether its text shows it, too.
    pub(crate) by_text: bool,
}

/// How many pages are in which language.
type Counts = BTreeMap<String, u32>;

/// Pages of one folder that state the same.
#[derive(Debug, Clone, Default)]
struct Group {
    /// What their text shows.
    shown: Counts,
    /// How many show nothing but what they state.
    others: u32,
}

impl Group {
    /// Whether so many pages show a language, a third, that the others are not taken to be in it for a few stray ones.
    fn shows_enough(&self) -> bool {
        let shown: u32 = self.shown.values().sum();
        u64::from(shown) * 2 >= u64::from(self.others)
    }
}

/// Counts the languages of the pages of a site, by their folder and by what they state.
#[derive(Debug, Clone, Default)]
pub(crate) struct LanguageCounts(BTreeMap<(LanguageFolder, Option<String>), Group>);

impl LanguageCounts {
    pub(crate) fn add(&mut self, folder: LanguageFolder, shown: Shown) {
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

/// The language that most pages are in; of its varieties, such as `pt` and `pt-BR`, the one of most.
fn most(counts: &Counts) -> Option<String> {
    let all: u32 = counts.values().sum();
    let mut languages: BTreeMap<&str, u32> = BTreeMap::new();
    for (language, count) in counts {
        *languages.entry(primary(language)).or_default() += count;
    }
    let (usual, pages) = languages.into_iter().max_by_key(|(_, pages)| *pages)?;
    let is_usual = pages >= LEAST_PAGES && u64::from(pages) * 3 >= u64::from(all) * 2;
    let varieties = counts
        .iter()
        .filter(|(language, _)| primary(language) == usual);
    let (variety, _) = varieties.max_by_key(|(_, pages)| **pages)?;
    is_usual.then(|| variety.clone())
}

/// The language of pages whose own text does not show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SiteLanguage {
    folder: LanguageFolder,
    /// Of those that state this one; `None` for those that state none.
    stated: Option<String>,
    language: String,
}

/// The languages of a site, for pages whose own text does not show theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SiteLanguages(Vec<SiteLanguage>);

impl SiteLanguages {
    pub(crate) const NONE: &'static Self = &Self(Vec::new());

    /// What the pages of the site are in that state what this one states.
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

    /// Counts pages: path, what they state, what they are in, whether their text shows it.
    fn counts(pages: &[(&str, Option<&str>, &str, bool)]) -> LanguageCounts {
        let mut counts = LanguageCounts::default();
        for (path, stated, language, by_text) in pages {
            let shown = Shown {
                stated: stated.map(tag),
                language: tag(language),
                by_text: *by_text,
            };
            counts.add(LanguageFolder::of(&url(path)), shown);
        }
        counts
    }

    #[test]
    fn folders_of_languages() {
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
    fn most_pages_decide_and_their_order_does_not_matter() {
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
    fn a_template_that_states_the_wrong_language_is_known_by_the_texts() {
        let pages = [
            ("/a", Some("en"), "pt", true),
            ("/b", Some("en"), "pt", true),
            ("/c", Some("en"), "en", false),
            ("/d", Some("en"), "en", false),
        ];
        let languages = counts(&pages).languages();
        assert_eq!(languages.of(&url("/e"), Some(&tag("en"))), Some(tag("pt")));
        assert_eq!(languages.of(&url("/e"), None), Some(tag("pt")));
        // A few stray ones are no template.
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
    fn one_page_shows_nothing_and_neither_do_many_that_disagree() {
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
