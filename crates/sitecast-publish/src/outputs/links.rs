use std::fs;
use std::io::Write;
use std::path::Path;

use sitecast_scp::HttpUrl;

use super::{Outputs, Published, scratch_error};
use crate::PublishError;
use crate::artefacts::{add_alternate, machine_url};
use crate::source::{Items, Loaded, Source};
use crate::survey::Survey;

impl Outputs<'_> {
    /// Gives HTML its link to the machine page. The file keeps its date and permissions: what it
    /// says has not changed.
    pub(super) fn link_html(
        &mut self,
        source: &dyn Source,
        items: &Items,
        published: &Published<'_>,
        survey: &Survey,
    ) -> Result<(), PublishError> {
        let Some(folder) = source.folder().filter(|_| !survey.to_link.is_empty()) else {
            return Ok(());
        };
        let scratch = self.scratch("linked.html")?;
        let (mut written, mut bytes) = (0, 0);
        for (number, place) in &survey.to_link {
            let Some(item) = items.get(*number as usize) else {
                continue;
            };
            let Loaded::Html(raw) = source.load(item)? else {
                continue;
            };
            let page = published.ledger.url(*place as usize).parse::<HttpUrl>();
            let Some(target) = page.ok().and_then(|page| machine_url(&page).ok()) else {
                continue;
            };
            if let Some(linked) = add_alternate(&raw.bytes, &target) {
                let path = folder.join(item.key);
                replace(&path, &scratch, &linked).map_err(|source| PublishError::Source {
                    path: path.display().to_string(),
                    source,
                })?;
                written += 1;
                bytes += linked.len() as u64;
            }
        }
        if scratch.exists() {
            fs::remove_file(&scratch).map_err(|source| scratch_error(&scratch, source))?;
        }
        self.wrote_many("html-links", written, 0, bytes);
        Ok(())
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
