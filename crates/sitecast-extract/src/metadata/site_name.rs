//! What the site is called, to tell its name from the title of a page.

use super::address::Address;
use super::head::Head;
use super::schema::{Graph, is_organization, text_member};
use super::text::{fold, folds_to};

/// A name is short; a page that offers hundreds is playing.
const MAX_NAMES: usize = 40;
const MAX_NAME_CHARS: usize = 100;

/// How closely a text must be like the name of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The name itself.
    Same,
    /// Also with a word or two around it, a part of it, or its initials.
    Akin,
}

/// Names of the site, folded, and the labels of its host.
#[derive(Debug, Default)]
pub(super) struct SiteNames {
    names: Vec<Name>,
    labels: Vec<String>,
    /// The host and the domains it is in, dots gone: `wwwexamplecom`, `examplecom`.
    hosts: Vec<String>,
}

/// A name, folded, and the same with no spaces.
#[derive(Debug)]
struct Name {
    words: String,
    joined: String,
}

impl SiteNames {
    pub(super) fn of(head: &Head, graph: &Graph<'_>, address: &Address, known: &[String]) -> Self {
        let mut site = Self {
            names: Vec::new(),
            labels: address.labels(),
            hosts: address.hosts(),
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
        // Some plug-ins call the site what they call the page.
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
            && name.len() <= MAX_NAME_CHARS
            && self.names.len() < MAX_NAMES
            && !self.names.iter().any(|other| other.words == name)
        {
            self.names.push(Name {
                joined: name.replace(' ', ""),
                words: name,
            });
        }
    }

    /// Whether the text is a name that the page gives its site.
    pub(super) fn is_stated(&self, text: &str) -> bool {
        self.names.iter().any(|name| folds_to(text, &name.words))
    }

    /// Whether the text, spaces apart, is a name that the page gives its site.
    pub(super) fn is_stated_closely(&self, text: &str) -> bool {
        let text = fold(text).replace(' ', "");
        text.is_empty() || self.names.iter().any(|name| name.joined == text)
    }

    pub(super) fn is_site(&self, text: &str, likeness: Likeness) -> bool {
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
        likeness == Likeness::Akin && (self.is_akin_to_name(&text) || self.is_akin_to_label(&text))
    }

    fn is_akin_to_name(&self, text: &str) -> bool {
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

    fn is_akin_to_label(&self, text: &str) -> bool {
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
    fn names_and_labels() {
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
            assert_eq!(site.is_site(text, Likeness::Same), same, "{text}");
            assert_eq!(site.is_site(text, Likeness::Akin), akin, "{text}");
        }
    }
}
