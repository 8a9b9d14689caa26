//! Names of a site, from the parts that its titles share.

use foldhash::HashMap;

use crate::dom::{Dom, NodeId, Tag};

/// This many titles must share a part.
const TITLES_TO_NAME: u32 = 3;

/// Separators between the title of a page and the name of its site.
const SEPARATORS: [&str; 10] = [
    " | ", " - ", " – ", " — ", " · ", " • ", " » ", " :: ", " ‹ ", ": ",
];

/// Counts of the first and last parts of titles.
#[derive(Debug, Clone, Default)]
pub(super) struct TitleParts {
    titles: u32,
    parts: HashMap<String, u32>,
}

impl TitleParts {
    pub(super) fn add(&mut self, dom: &Dom) {
        let title = dom
            .elements(NodeId::ROOT)
            .find(|(_, element)| element.tag == Tag::Title)
            .map(|(id, _)| -> String { dom.children(id).filter_map(|id| dom.text(id)).collect() });
        let Some(title) = title else {
            return;
        };
        let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ");
        self.titles += 1;
        for part in ends(&title) {
            *self.parts.entry(part.to_owned()).or_default() += 1;
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.titles += other.titles;
        for (part, count) in other.parts {
            *self.parts.entry(part).or_default() += count;
        }
    }

    /// Returns the parts of more than half of the titles, most frequent first.
    pub(super) fn site_names(&self) -> Vec<String> {
        let mut names: Vec<(&String, u32)> = self
            .parts
            .iter()
            .map(|(part, count)| (part, *count))
            .filter(|(_, count)| *count >= TITLES_TO_NAME && count * 2 > self.titles)
            .collect();
        names.sort_by(|a, b| {
            b.1.cmp(&a.1)
                .then_with(|| b.0.len().cmp(&a.0.len()))
                .then_with(|| a.0.cmp(b.0))
        });
        names.into_iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Returns the text before the first and after every separator: names may contain separators, too.
fn ends(title: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for separator in SEPARATORS {
        let mut from = title;
        while let Some((_, after)) = from.split_once(separator) {
            found.push(after.trim());
            from = after;
        }
        if let Some((before, _)) = title.split_once(separator) {
            found.push(before.trim());
        }
    }
    found.retain(|part| !part.is_empty() && part.len() <= 100);
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    fn names(titles: &[&str]) -> Vec<String> {
        let mut parts = TitleParts::default();
        for title in titles {
            parts.add(&parse(
                &format!("<title>{title}</title>"),
                &Limits::default(),
            ));
        }
        parts.site_names()
    }

    #[test]
    fn takes_the_shared_part_of_titles() {
        let pages = [
            "Tea - The Shop",
            "Coffee - The Shop",
            "Home | Cocoa - The Shop",
        ];
        assert_eq!(names(&pages), ["The Shop"]);
        assert_eq!(
            names(&["The Shop: Tea", "The Shop: Coffee", "The Shop: Cocoa"]),
            ["The Shop"]
        );
    }

    #[test]
    fn requires_three_titles() {
        assert!(names(&["Tea - The Shop", "Coffee - The Shop"]).is_empty());
        assert!(names(&["Tea", "Coffee", "Cocoa"]).is_empty());
    }

    #[test]
    fn finds_names_with_separators() {
        let pages = [
            "A | Tea - The Shop",
            "B | Tea - The Shop",
            "C | Tea - The Shop",
        ];
        assert_eq!(names(&pages), ["Tea - The Shop", "The Shop"]);
    }
}
