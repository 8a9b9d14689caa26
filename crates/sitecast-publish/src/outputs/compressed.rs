//! Compressed copies that a build leaves beside a file, such as `sitemap.xml.gz`: servers send them in its place
//! (`gzip_static`, `brotli_static`, `precompressed`), so that one that is not brought up to date hides the file.

use std::io::{Read, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sitecast_storage::StorePath;

use super::{Outputs, SITE_CACHE, served};
use crate::PublishError;
use crate::carrier::{own_path, read_all};
use crate::source::Source;

/// Copies that cannot be made here.
const OTHERS: [&str; 2] = ["br", "zst"];

impl Outputs<'_> {
    /// Brings the copies of a file up to date, after it was put. A copy with gzip is made again; others are removed,
    /// but only if the file was written just now: else they were made of it as it is.
    pub(super) fn renew_copies(
        &mut self,
        source: &dyn Source,
        kind: &'static str,
        path: &StorePath,
        is_written: bool,
    ) -> Result<(), PublishError> {
        self.renew_gzip(source, kind, path)?;
        for end in OTHERS.iter().filter(|_| is_written) {
            let copy = own_path(&format!("{path}.{end}"));
            if self.store.get(&copy)?.is_some() {
                self.store.delete(&copy)?;
                self.wrote_many(kind, 0, 1, 0);
                self.notes.push(format!(
                    "`{copy}` was removed, since `{path}` changed: compress after publishing"
                ));
            } else if source.site_file(copy.as_str())?.is_some() {
                self.notes.push(format!(
                    "`{copy}` of the source is no copy of `{path}` any more: do not upload it, or compress after publishing"
                ));
            }
        }
        Ok(())
    }

    fn renew_gzip(
        &mut self,
        source: &dyn Source,
        kind: &'static str,
        path: &StorePath,
    ) -> Result<(), PublishError> {
        let copy = own_path(&format!("{path}.gz"));
        let there = read_all(self.store, &copy)?.map(|(bytes, _)| bytes);
        if there.is_none() && source.site_file(copy.as_str())?.is_none() {
            return Ok(());
        }
        let Some((bytes, _)) = read_all(self.store, path)? else {
            return Ok(());
        };
        if there.is_some_and(|there| is_copy(&there, &bytes)) {
            self.looked_at.push(copy);
            return Ok(());
        }
        let failed = |source| PublishError::Source {
            path: copy.to_string(),
            source,
        };
        // Without a date or a name, so that the same file is the same bytes.
        let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&bytes).map_err(failed)?;
        let gzip = gzip.finish().map_err(failed)?;
        self.put(kind, &copy, gzip, served("application/gzip", SITE_CACHE))
    }
}

/// Whether a file is a compressed copy of these bytes.
fn is_copy(gzip: &[u8], bytes: &[u8]) -> bool {
    let mut text = Vec::new();
    let most = bytes.len() as u64 + 1;
    let read = GzDecoder::new(gzip).take(most).read_to_end(&mut text);
    read.is_ok() && text == bytes
}
