//! The names of the site, to remove them from the titles of pages.

use super::head::Head;
use super::schema::{Graph, is_organization, text_member};
use super::text::{fold, folds_to};
use super::url_parts::UrlParts;

/// Further names of the site are ignored.
const MAX_NAMES: usize = 40;
/// Longer names, in bytes, are ignored.
const MAX_NAME_BYTES: usize = 100;

/// The required similarity between a text and a name of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameMatch {
    /// The name, host or a label of the host.
    Exact,
    /// Also the name with one or two more words, a part of it, or its initials.
    Close,
}

/// The names of the site, folded, and the labels of its host.
#[derive(Debug, Default)]
pub(super) struct SiteNames {
    names: Vec<Name>,
    labels: Vec<String>,
    /// The host and its parent domains without dots: `wwwexamplecom`, `examplecom`.
    hosts: Vec<String>,
}

/// A folded name, with and without spaces.
#[derive(Debug)]
struct Name {
    words: String,
    joined: String,
}

impl SiteNames {
    pub(super) fn of(
        head: &Head,
        graph: &Graph<'_>,
        url_parts: &UrlParts,
        known: &[String],
    ) -> Self {
        let mut site = Self {
            names: Vec::new(),
            labels: url_parts.labels(),
            hosts: url_parts.hosts(),
        };
        for name in known {
            site.add(name);
        }
        for meta in [
            "og:site_name",
            "application-name",
            "apple-mobile-web-app-title",
            "dc.publisher",
            "citation_journal_title",
        ] {
            for name in head.all_meta(meta) {
                site.add(name);
            }
        }
        // Some plug-ins state the title of the page as the name of the site.
        let title = fold(&head.title);
        let is_title = |name: &str| title.split(' ').count() > 3 && folds_to(name, &title);
        for node in &graph.nodes {
            if is_organization(node.map)
                && let Some(name) = text_member(node.map, "name")
                && !is_title(name)
            {
                site.add(name);
            }
            if let Some(name) = node
                .map
                .get("publisher")
                .and_then(|publisher| text_member(publisher.as_object()?, "name"))
            {
                site.add(name);
            }
        }
        site
    }

    fn add(&mut self, name: &str) {
        let name = fold(name);
        if !name.is_empty()
            && name.len() <= MAX_NAME_BYTES
            && self.names.len() < MAX_NAMES
            && !self.names.iter().any(|other| other.words == name)
        {
            self.names.push(Name {
                joined: name.replace(' ', ""),
                words: name,
            });
        }
    }

    /// Returns true if the text is a stated name of the site.
    pub(super) fn is_stated(&self, text: &str) -> bool {
        self.names.iter().any(|name| folds_to(text, &name.words))
    }

    /// Returns true if the text is empty or, without spaces, a stated name of the site.
    pub(super) fn is_stated_closely(&self, text: &str) -> bool {
        let text = fold(text).replace(' ', "");
        text.is_empty() || self.names.iter().any(|name| name.joined == text)
    }

    pub(super) fn is_site(&self, text: &str, name_match: NameMatch) -> bool {
        let text = fold(text);
        let joined = text.replace(' ', "");
        if joined.is_empty() {
            return true;
        }
        let is_label = |label: &str| joined == label || joined.strip_prefix("the") == Some(label);
        if self.labels.iter().any(|label| is_label(label)) || self.hosts.contains(&joined) {
            return true;
        }
        if self.names.iter().any(|name| name.joined == joined) {
            return true;
        }
        name_match == NameMatch::Close
            && (self.is_close_to_name(&text) || self.is_close_to_label(&text))
    }

    fn is_close_to_name(&self, text: &str) -> bool {
        let words = text.split(' ').count();
        self.names.iter().any(
            |Name {
                 words: name,
                 joined,
             }| {
                let name_words = name.split(' ').count();
                (joined.chars().count() >= 4
                    && (starts_with_words(text, name) || ends_with_words(text, name))
                    && words <= name_words + 2)
                    || (text.replace(' ', "").chars().count() >= 4
                        && (starts_with_words(name, text) || ends_with_words(name, text)))
            },
        )
    }

    fn is_close_to_label(&self, text: &str) -> bool {
        let words = text.split(' ').count();
        let joined = text.replace(' ', "");
        let initials: String = text
            .split(' ')
            .filter_map(|word| word.chars().next())
            .collect();
        self.labels.iter().any(|label| {
            (words <= 4
                && ((joined.chars().count() >= 4 && label.starts_with(&joined))
                    || (label.len() >= 4 && joined.starts_with(label))
                    || (label.len() >= 5 && joined.contains(label))))
                || (initials.chars().count() >= 3 && initials == *label)
        })
    }
}

fn starts_with_words(text: &str, words: &str) -> bool {
    text.strip_prefix(words)
        .is_some_and(|rest| rest.starts_with(' '))
}

pub(super) fn ends_with_words(text: &str, words: &str) -> bool {
    text.strip_suffix(words)
        .is_some_and(|rest| rest.ends_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(names: &[&str], labels: &[&str]) -> SiteNames {
        let mut site = SiteNames {
            names: Vec::new(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            hosts: vec!["dailyplanetcom".to_owned()],
        };
        for name in names {
            site.add(name);
        }
        site
    }

    #[test]
    fn matches_names_and_labels() {
        let site = site(&["The Daily Planet"], &["dailyplanet", "nyt"]);
        for (text, same, akin) in [
            ("The Daily Planet", true, true),
            ("TheDailyPlanet", true, true),
            ("Daily Planet", true, true),
            ("DailyPlanet.com", true, true),
            ("Planet", false, true),
            ("The Daily Planet News", false, true),
            ("New York Times", false, true),
            ("Sports", false, false),
            ("The Daily Planet and all the rest", false, false),
        ] {
            assert_eq!(site.is_site(text, NameMatch::Exact), same, "{text}");
            assert_eq!(site.is_site(text, NameMatch::Close), akin, "{text}");
        }
    }
}
