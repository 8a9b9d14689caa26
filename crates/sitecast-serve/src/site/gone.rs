//! Pages that were there once.

use std::collections::HashSet;

use super::Site;
use super::base::Base;
use super::pages::Pages;

/// Pages that are remembered to be gone.
const MOST: usize = 100_000;

/// Pages that are gone, by their path from the base on; collected for a publication. What it has is not gone, and takes
/// none of the room.
pub(crate) struct Gone<'p> {
    base: &'p Base,
    pages: &'p Pages,
    most: usize,
    pub(crate) paths: HashSet<Box<str>>,
}

impl<'p> Gone<'p> {
    pub(crate) fn new(base: &'p Base, pages: &'p Pages) -> Self {
        Self {
            base,
            pages,
            most: MOST,
            paths: HashSet::new(),
        }
    }

    /// A page that is said to be gone.
    pub(crate) fn add_url(&mut self, url: &str) {
        if let Some(path) = self.base.relative(url) {
            self.add(&path);
        }
    }

    fn add(&mut self, path: &str) {
        if self.paths.len() < self.most && self.pages.by_page(self.base, path).is_none() {
            self.paths.insert(path.into());
        }
    }

    /// Pages that the publication before had, and those that were gone already: in this order, since agents have heard
    /// of the latter.
    pub(crate) fn carry_over(&mut self, before: &Site) {
        for page in before.pages.iter() {
            self.add_url(&page.url);
        }
        for path in &before.gone {
            self.add(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use sitecast_tct::ContentHash;

    use super::super::pages::Page;
    use super::*;
    use crate::protection::Parts;

    fn pages(base: &Base, numbers: std::ops::Range<u32>) -> Pages {
        let mut pages = Pages::default();
        for number in numbers {
            let page = Page {
                url: base.url_of(&format!("{number}/")).into(),
                machine: format!("{number}/llm.json").into(),
                hash: ContentHash::of(b""),
                modified: None,
                parts: Parts::default(),
            };
            pages.add(base, page);
        }
        pages
    }

    #[test]
    fn pages_that_are_still_there_take_no_room_from_those_that_are_gone() {
        let base = Base::new("https://example.com/".parse().unwrap()).unwrap();
        let (was, is) = (pages(&base, 0..40), pages(&base, 3..40));
        let mut gone = Gone::new(&base, &is);
        gone.most = 10;
        for page in was.iter() {
            gone.add_url(&page.url);
        }
        let mut paths: Vec<&str> = gone.paths.iter().map(|path| &**path).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["0/", "1/", "2/"]);
    }
}
