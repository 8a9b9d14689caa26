//! Comparisons with the last run: of items, of pages, of the site's template, of everything at once.

pub(crate) mod items;
pub(crate) mod pages;
pub(crate) mod publication;
pub(crate) mod site_files;
pub(crate) mod template;

/// The change of a page since the last publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    New,
    Changed,
    Unchanged,
}
