use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::Path;

use sitecast_scp::HttpUrl;

use super::{Outputs, Published, scratch_error};
use crate::PublishError;
use crate::artefacts::{add_alternate, machine_url, without_alternate};
use crate::source::{Item, Items, Loaded, Source};
use crate::survey::Survey;

/// How much HTML was edited.
#[derive(Default)]
pub(super) struct Edited {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Outputs<'_> {
    /// Gives HTML its link to the machine page.
    pub(super) fn link_html(
        &mut self,
        source: &dyn Source,
        items: &Items,
        published: &Published<'_>,
        survey: &Survey,
    ) -> Result<(), PublishError> {
        let to_link = survey.to_link.iter();
        let pages =
            to_link.filter_map(|(number, place)| Some((items.get(*number as usize)?, *place)));
        let linked = self.edit_html(source, pages, |place, html| {
            let page = published.ledger.url(place as usize).parse::<HttpUrl>();
            add_alternate(html, &machine_url(&page.ok()?).ok()?)
        })?;
        self.wrote_many("html-links", linked.files, 0, linked.bytes);
        Ok(())
    }

    /// Takes all links to machine pages out again.
    pub(super) fn unlink_html(
        &mut self,
        source: &dyn Source,
        items: &Items,
    ) -> Result<(), PublishError> {
        let pages = items.iter().map(|item| (item, ()));
        let unlinked = self.edit_html(source, pages, |(), html| match without_alternate(html) {
            Cow::Borrowed(_) => None,
            Cow::Owned(html) => Some(html),
        })?;
        self.wrote_many("html-links", 0, unlinked.files, 0);
        Ok(())
    }

    /// Replaces HTML by what `edit` makes of it. The file keeps its date and permissions: what it
    /// says has not changed.
    fn edit_html<'i, T>(
        &self,
        source: &dyn Source,
        pages: impl Iterator<Item = (Item<'i>, T)>,
        edit: impl Fn(T, &[u8]) -> Option<Vec<u8>>,
    ) -> Result<Edited, PublishError> {
        let mut edited = Edited::default();
        let mut pages = pages.peekable();
        let Some(folder) = source.folder().filter(|_| pages.peek().is_some()) else {
            return Ok(edited);
        };
        let scratch = self.scratch("linked.html")?;
        for (item, about) in pages {
            let Loaded::Html(raw) = source.load(item)? else {
                continue;
            };
            if let Some(html) = edit(about, &raw.bytes) {
                let path = folder.join(item.key);
                replace(&path, &scratch, &html).map_err(|source| PublishError::Source {
                    path: path.display().to_string(),
                    source,
                })?;
                edited.files += 1;
                edited.bytes += html.len() as u64;
            }
        }
        if scratch.exists() {
            fs::remove_file(&scratch).map_err(|source| scratch_error(&scratch, source))?;
        }
        Ok(edited)
    }
}

/// Replaces a file at once, with date and permissions of the old one.
fn replace(path: &Path, scratch: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A link is followed, so that it stays one.
    let target = path.canonicalize()?;
    let metadata = fs::metadata(&target)?;
    let mut file = fs::File::create(scratch)?;
    file.write_all(bytes)?;
    file.set_permissions(metadata.permissions())?;
    file.set_modified(metadata.modified()?)?;
    drop(file);
    fs::rename(scratch, target)
}
