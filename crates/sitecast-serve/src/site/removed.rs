//! Removed pages, which answer 410.

use std::collections::HashSet;

use sitecast_storage::Base;

use super::Site;
use super::pages::Pages;

/// Removed pages that are remembered.
const MAX_PAGES: usize = 100_000;

/// Collects the removed pages of a publication, by path relative to the base. Pages that the publication has are
/// ignored and do not count towards the limit.
pub(crate) struct RemovedPages<'p> {
    base: &'p Base,
    pages: &'p Pages,
    limit: usize,
    pub(crate) paths: HashSet<Box<str>>,
}

impl<'p> RemovedPages<'p> {
    pub(crate) fn new(base: &'p Base, pages: &'p Pages) -> Self {
        Self {
            base,
            pages,
            limit: MAX_PAGES,
            paths: HashSet::new(),
        }
    }

    /// Adds a removed page.
    pub(crate) fn add_url(&mut self, url: &str) {
        if let Some(path) = self.base.relative(url) {
            self.add(&path);
        }
    }

    fn add(&mut self, path: &str) {
        if self.paths.len() < self.limit && self.pages.by_page(self.base, path).is_none() {
            self.paths.insert(path.into());
        }
    }

    /// Adds the pages of the previous publication, and then those that were removed before it. In this order, because
    /// agents have had time to notice the latter.
    pub(crate) fn carry_over(&mut self, before: &Site) {
        for page in before.pages.iter() {
            self.add_url(&page.url);
        }
        for path in &before.removed {
            self.add(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use sitecast_tct::ContentHash;

    use super::super::pages::Page;
    use super::*;
    use crate::protection::ProtectedParts;

    fn pages(base: &Base, numbers: std::ops::Range<u32>) -> Pages {
        let mut pages = Pages::default();
        for number in numbers {
            let page = Page {
                url: base.url_of(&format!("{number}/")).into(),
                machine: format!("{number}/llm.json").into(),
                hash: ContentHash::of(b""),
                modified: None,
                parts: ProtectedParts::default(),
            };
            pages.add(base, page);
        }
        pages
    }

    #[test]
    fn existing_pages_do_not_count_towards_the_limit() {
        let base = Base::new("https://example.com/".parse().unwrap()).unwrap();
        let (was, is) = (pages(&base, 0..40), pages(&base, 3..40));
        let mut removed = RemovedPages::new(&base, &is);
        removed.limit = 10;
        for page in was.iter() {
            removed.add_url(&page.url);
        }
        let mut paths: Vec<&str> = removed.paths.iter().map(|path| &**path).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["0/", "1/", "2/"]);
    }
}
