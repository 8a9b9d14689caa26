//! Puts files beside the collections, and keeps account of them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use sitecast_storage::{Attributes, Body, Condition, Put, StorePath};

use crate::PublishError;
use crate::files::read_all;
use crate::list::Listing;
use crate::report::Artefact;
use crate::run::Run;

/// `Cache-Control` of machine pages and JSON sitemaps (TCT, "Cache-Control").
pub(super) const MACHINE_CACHE: &str = sitecast_tct::CACHE_CONTROL;
/// `Cache-Control` of sitemaps and other files that agents read now and then.
pub(super) const SITE_CACHE: &str = sitecast_sitemap::CACHE_CONTROL;
/// Our mark is within the first bytes of a sitemap.
pub(super) const START: u64 = 1_024;

/// Writes files.
pub(super) struct FileWriter<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) listing: &'a Listing,
    pub(super) artefacts: Vec<Artefact>,
    pub(super) notes: Vec<String>,
    /// The files of the site as a whole, written or not.
    pub(super) looked_at: Vec<StorePath>,
}

impl<'a> FileWriter<'a> {
    pub(super) fn new(run: &'a Run<'a>, listing: &'a Listing) -> Self {
        Self {
            run,
            listing,
            artefacts: Vec::new(),
            notes: Vec::new(),
            looked_at: Vec::new(),
        }
    }

    /// Puts a small file if it is not there already as it should be.
    pub(super) fn put(
        &mut self,
        kind: &'static str,
        path: &StorePath,
        bytes: Vec<u8>,
        attributes: Attributes,
    ) -> Result<(), PublishError> {
        self.looked_at.push(path.clone());
        let there = read_all(self.run.store, path)?;
        let condition = match there {
            Some((old, _)) if old == bytes => return Ok(()),
            Some((_, tag)) => Condition::Unchanged(tag),
            None => Condition::Absent,
        };
        let size = bytes.len() as u64;
        self.run.store.put(Put {
            path: path.clone(),
            body: Body::Bytes(bytes),
            attributes,
            condition,
        })?;
        self.wrote(kind, path, size);
        Ok(())
    }

    /// Puts a file from the scratch folder if it is not there already as it should be.
    pub(super) fn put_file(
        &mut self,
        kind: &'static str,
        path: &StorePath,
        file: &Path,
        attributes: Attributes,
    ) -> Result<(), PublishError> {
        self.looked_at.push(path.clone());
        let failed = |source| PublishError::scratch(file.parent().unwrap_or(file), source);
        let condition = match self.run.store.get(path)? {
            None => Condition::Absent,
            Some(object) => {
                let ours = BufReader::new(File::open(file).map_err(failed)?);
                if is_same(object.reader, ours).map_err(failed)? {
                    return std::fs::remove_file(file).map_err(failed);
                }
                Condition::Unchanged(object.tag)
            }
        };
        let size = std::fs::metadata(file).map_err(failed)?.len();
        self.run.store.put(Put {
            path: path.clone(),
            body: Body::File(file.to_owned()),
            attributes,
            condition,
        })?;
        self.wrote(kind, path, size);
        Ok(())
    }

    /// Says which files are in the way of ours and stay as they are, since they are the owner's.
    pub(super) fn leaves(&mut self, paths: &[StorePath], so: &str) {
        let Some(first) = paths.first() else {
            return;
        };
        self.notes.push(match paths.len() {
            1 => format!("`{first}` is not of Sitecast's making and stays as it is: {so}"),
            all => format!(
                "{all} files, `{first}` among them, are not of Sitecast's making and stay as they are: {so}"
            ),
        });
    }

    fn wrote(&mut self, kind: &'static str, path: &StorePath, bytes: u64) {
        self.artefacts.push(Artefact {
            kind,
            path: Some(path.to_string()),
            written: 1,
            removed: 0,
            bytes,
        });
    }

    /// Files of a kind that are too many to be named one by one; none is not worth mentioning.
    pub(super) fn wrote_many(
        &mut self,
        kind: &'static str,
        written: u64,
        removed: u64,
        bytes: u64,
    ) {
        if written + removed > 0 {
            self.artefacts.push(Artefact {
                kind,
                path: None,
                written,
                removed,
                bytes,
            });
        }
    }

    /// A new file in the scratch folder.
    pub(super) fn scratch(&self, name: &str) -> Result<PathBuf, PublishError> {
        Ok(self.run.store.scratch()?.join(name))
    }
}

/// Attributes of a file that is served as it is.
pub(super) fn served(content_type: &str, cache_control: &str) -> Attributes {
    Attributes {
        content_type: Some(content_type.to_owned()),
        content_encoding: None,
        cache_control: Some(cache_control.to_owned()),
    }
}

fn is_same(mut one: impl Read, mut other: impl Read) -> std::io::Result<bool> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        one.by_ref().take(1 << 16).read_to_end(&mut a)?;
        other.by_ref().take(1 << 16).read_to_end(&mut b)?;
        if a != b {
            return Ok(false);
        }
        if a.is_empty() {
            return Ok(true);
        }
    }
}
