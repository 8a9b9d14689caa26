//! What the owner of the bundled site does between its two builds.

/// An edit of a page.
pub(super) struct Edit {
    /// The page, as the bundle calls it.
    pub(super) page: &'static str,
    /// What stood there.
    pub(super) find: &'static str,
    /// What stands there now.
    pub(super) replace: &'static str,
    /// A part of that which a reader sees, to look for in what was synced.
    pub(super) said: &'static str,
}

/// A price (which is on its page twice), an addition to an article, a row in a table.
pub(super) const EDITS: [Edit; 4] = [
    Edit {
        page: "products/mini.html",
        find: "€79 <small>",
        replace: "€69 <small>",
        said: "€69",
    },
    Edit {
        page: "products/mini.html",
        find: r#""price": "79.00""#,
        replace: r#""price": "69.00""#,
        said: "69.00",
    },
    Edit {
        page: "blog/a-lake-of-cold-air.html",
        find: "There are always scratched housings.",
        replace: "There are always scratched housings. Since this was written, two more schools have hung \
                  theirs, one of them along a disused railway cutting.",
        said: "a disused railway cutting",
    },
    Edit {
        page: "docs/data-format.html",
        find: "<tr><td><code>shaking</code></td>",
        replace: "<tr><td><code>web_suspected</code></td><td>Weak echo for more than an hour above +5 °C: most \
                  likely a spider</td><td>wind fields are kept, but may be low</td></tr>\n\
                  <tr><td><code>shaking</code></td>",
        said: "most likely a spider",
    },
];

/// A product that is no longer made.
pub(super) const DELETED: &str = "products/station-3.html";
