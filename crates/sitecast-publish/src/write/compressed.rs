//! Compressed copies that a build leaves beside a file, such as `sitemap.xml.gz`: servers send them in its place
//! (`gzip_static`, `brotli_static`, `precompressed`), so that one that is not brought up to date hides the file.

use std::io::{Read, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sitecast_storage::StorePath;

use super::writer::{FileWriter, SITE_CACHE, START, served};
use crate::PublishError;
use crate::artefacts::is_marked;
use crate::files::{own_path, read_all};
use crate::recall::sitemaps::published_in;

/// Copies that cannot be made here.
const OTHERS: [&str; 2] = ["br", "zst"];

impl FileWriter<'_> {
    /// Brings the copies of a file up to date, before it is put with these bytes: after a kill in between no copy hides
    /// what is new. A copy with gzip is made again; others are removed, but only if the file changes: else they were
    /// made of it as it is.
    pub(super) fn renew_copies(
        &mut self,
        kind: &'static str,
        path: &StorePath,
        new: &[u8],
    ) -> Result<(), PublishError> {
        let there = read_all(self.run.store, path)?.map(|(bytes, _)| bytes);
        let is_new = there.as_deref() != Some(new);
        let old = match there {
            Some(there) => Some(there),
            None => self.run.source.optional_file(path.as_str())?,
        };
        self.renew_gzip(kind, path, old.as_deref(), new)?;
        for end in OTHERS.iter().filter(|_| is_new) {
            let copy = own_path(&format!("{path}.{end}"));
            let Some(in_source) = self.copy_of_source(&copy)? else {
                continue;
            };
            if self.run.store.get(&copy)?.is_some() {
                self.run.store.delete(&copy)?;
                self.wrote_many(kind, 0, 1, 0);
                self.notes.push(format!(
                    "`{copy}` was removed, since `{path}` changed: compress after publishing"
                ));
            } else if in_source.is_some() {
                self.notes.push(format!(
                    "`{copy}` of the source is no copy of `{path}` any more: do not upload it, or compress after publishing"
                ));
            }
        }
        Ok(())
    }

    fn renew_gzip(
        &mut self,
        kind: &'static str,
        path: &StorePath,
        old: Option<&[u8]>,
        new: &[u8],
    ) -> Result<(), PublishError> {
        let copy = own_path(&format!("{path}.gz"));
        let Some(in_source) = self.copy_of_source(&copy)? else {
            return Ok(());
        };
        let there = read_all(self.run.store, &copy)?.map(|(bytes, _)| bytes);
        let Some(known) = there.as_deref().or(in_source.as_deref()) else {
            return Ok(());
        };
        if there.as_deref().is_some_and(|there| is_copy(there, new)) {
            self.looked_at.push(copy);
            return Ok(());
        }
        // It may be the only sitemap that the site has.
        let is_replaceable = is_copy(known, new)
            || old.is_some_and(|old| is_copy(known, old))
            || is_ours(known)
            || !published_in(self.run.store, &copy)?.collections.is_empty();
        if !is_replaceable {
            self.notes.push(format!(
                "`{copy}` is no copy of `{path}` and stays as it is: servers may send it in place of `{path}`"
            ));
            self.looked_at.push(copy);
            return Ok(());
        }
        let failed = |error| PublishError::source(&copy, error);
        // Without a date or a name, so that the same file is the same bytes.
        let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(new).map_err(failed)?;
        let gzip = gzip.finish().map_err(failed)?;
        self.put(kind, &copy, gzip, served("application/gzip", SITE_CACHE))
    }

    /// A copy in the source, if there is one. `None` for one that is not to be read, of which the owner is told.
    fn copy_of_source(
        &mut self,
        copy: &StorePath,
    ) -> Result<Option<Option<Vec<u8>>>, PublishError> {
        match self.run.source.site_file(copy.as_str()) {
            Err(PublishError::Refused { reason, .. }) => {
                self.notes
                    .push(format!("`{copy}` is passed over: {reason}"));
                Ok(None)
            }
            result => result.map(Some),
        }
    }
}

/// Returns true if a file is a compressed copy of these bytes.
fn is_copy(gzip: &[u8], bytes: &[u8]) -> bool {
    let mut text = Vec::new();
    let most = bytes.len() as u64 + 1;
    let read = GzDecoder::new(gzip).take(most).read_to_end(&mut text);
    read.is_ok() && text == bytes
}

/// Returns true if a file is a compressed copy of a sitemap of ours.
fn is_ours(gzip: &[u8]) -> bool {
    let mut start = Vec::new();
    let read = GzDecoder::new(gzip).take(START).read_to_end(&mut start);
    read.is_ok() && is_marked(&start)
}
