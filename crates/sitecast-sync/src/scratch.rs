//! What a sync keeps on disk beside the index: downloads on their way, and sitemaps as they were when
//! last seen. Everything here can be deleted; it is then fetched again.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sitecast_fetch::{Client, Download, Downloaded, FetchError, Request, Validators};
use sitecast_index::SiteId;
use sitecast_tct::ContentHash;
use url::Url;

use crate::SyncError;

/// Downloads that nobody went on with for so long are removed.
const PART_KEPT: Duration = Duration::from_secs(3 * 24 * 3600);
/// Files that nobody wanted for so long are removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Bytes of the sitemaps of a site where no quota says how many.
const CACHED_BYTES: u64 = 2 << 30;
/// A quota for pages may be smaller than one sitemap.
const LEAST_CACHED_BYTES: u64 = 16 << 20;

/// Bytes of a hash that are enough to name a file.
const SHORT: usize = 10;

/// The folder of one site. As long as it is held no other process syncs the site.
pub(crate) struct Scratch {
    folder: PathBuf,
    _lock: File,
    /// Bytes that the files of sitemaps may have together.
    most_cached: u64,
    /// The files of sitemaps that this run uses, with their sizes.
    in_use: HashMap<PathBuf, u64>,
}

/// Something that was fetched, or is still as it was.
pub(crate) struct Cached {
    pub(crate) path: PathBuf,
    /// The hash of its bytes as they came.
    pub(crate) hash: String,
}

/// What became of asking for it.
pub(crate) enum Asked {
    Have(Cached),
    /// The server answers with this status.
    Not(u16),
}

#[derive(Serialize, Deserialize)]
struct Label {
    url: String,
    validators: Validators,
    hash: String,
}

impl Scratch {
    /// Opens the folder of a site, of which `quota` bytes are kept.
    pub(crate) fn open(root: &Path, site: &SiteId, quota: Option<u64>) -> Result<Self, SyncError> {
        let folder = root.join(short_hash(site.as_str()));
        let failed = |source| SyncError::Scratch {
            path: folder.clone(),
            source,
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(SyncError::Busy {
                    site: site.to_string(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let scratch = Self {
            folder,
            _lock: lock,
            most_cached: quota.map_or(CACHED_BYTES, |quota| quota.max(LEAST_CACHED_BYTES)),
            in_use: HashMap::new(),
        };
        // A run that was killed may have left more.
        scratch.make_room();
        Ok(scratch)
    }

    /// The file for something that is named so.
    pub(crate) fn file(&self, name: &str, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", short_hash(name)))
    }

    /// A file of this name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Fetches something, unless it is still what is here.
    pub(crate) fn cached(
        &mut self,
        client: &Client,
        url: &Url,
        limit: u64,
        accept: &'static str,
    ) -> Result<Asked, FetchError> {
        let path = self.file(url.as_str(), "cached");
        let label = self.file(url.as_str(), "cached.json");
        let known = read_label(&label).filter(|known| known.url == url.as_str() && path.exists());
        let (known, hash) = known
            .map(|known| (known.validators, known.hash))
            .unwrap_or_default();
        let others = self.in_use.iter().filter(|(other, _)| **other != path);
        let others: u64 = others.map(|(_, bytes)| bytes).sum();
        let limit = limit.min(self.most_cached.saturating_sub(others));
        if limit == 0 {
            let url = url.to_string();
            return Err(FetchError::TooLarge { url, limit });
        }
        let request = Request::new(url.clone(), limit)
            .accept(accept)
            .unless_matches(known);
        // A file without its label is fetched again; a label is never of another file.
        let fresh = self.file(url.as_str(), "fresh");
        let done = client.download(Download {
            request: &request,
            to: &fresh,
            progress: &|_, _| {},
        })?;
        match done {
            Downloaded::NotModified(_) => {
                self.uses(&path);
                Ok(Asked::Have(Cached { path, hash }))
            }
            Downloaded::OtherStatus(head) => Ok(Asked::Not(head.status)),
            Downloaded::Complete { head, .. } => {
                let keep = || -> io::Result<String> {
                    let hash = hash_of(&fresh)?;
                    let _ = fs::remove_file(&label);
                    fs::rename(&fresh, &path)?;
                    let text = serde_json::to_vec(&Label {
                        url: url.to_string(),
                        validators: head.validators.clone(),
                        hash: hash.clone(),
                    })?;
                    fs::write(&fresh, text)?;
                    fs::rename(&fresh, &label)?;
                    Ok(hash)
                };
                let hash = keep().map_err(|error| FetchError::File {
                    path: path.clone(),
                    source: error.into(),
                })?;
                self.uses(&path);
                Ok(Asked::Have(Cached { path, hash }))
            }
        }
    }

    fn uses(&mut self, path: &Path) {
        let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
        self.in_use.insert(path.to_owned(), bytes);
    }

    /// Removes files of sitemaps until the others are within their bound: the oldest first, and none that this run
    /// uses.
    fn make_room(&self) {
        let mut bytes: u64 = self.in_use.values().sum();
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_cached = path.extension().is_some_and(|end| end == "cached");
            if let (true, Ok(metadata)) = (
                is_cached && !self.in_use.contains_key(&path),
                entry.metadata(),
            ) {
                files.push((metadata.modified().ok(), path, metadata.len()));
            }
        }
        files.sort_unstable();
        while let Some((_, path, size)) = files.pop() {
            bytes = bytes.saturating_add(size);
            if bytes > self.most_cached {
                let _ = fs::remove_file(path.with_extension("cached.json"));
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Bytes of collections that are here, whole and in part, but for one.
    pub(crate) fn downloaded_bytes(&self, but: &Path) -> u64 {
        let whole = but.file_name().unwrap_or_default().to_string_lossy();
        let part = format!("{whole}.part");
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return 0;
        };
        entries
            .flatten()
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_download = name.ends_with(".scp") || name.ends_with(".scp.part");
                is_download && name != whole && name != *part
            })
            .filter_map(|entry| entry.metadata().ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Removes what was not touched for long, and downloads that nobody will go on with: those of sitemaps,
    /// and all of them once a site's collections are up to date.
    pub(crate) fn tidy(&self, is_up_to_date: bool) {
        self.make_room();
        let now = SystemTime::now();
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let age = entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .ok()
                .and_then(|modified| now.duration_since(modified).ok());
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_part = name.ends_with(".part") || name.ends_with(".part.json");
            let is_useless = is_part && (is_up_to_date || !name.contains(".scp."));
            let kept = if is_part { PART_KEPT } else { KEPT };
            if (is_useless || age.is_some_and(|age| age > kept)) && entry.file_name() != "lock" {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn read_label(path: &Path) -> Option<Label> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn short_hash(text: &str) -> String {
    let hash = ContentHash::of(text.as_bytes());
    let bytes = hash.bytes().iter().take(SHORT);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Some servers know no validators; the bytes always tell whether something is as it was.
fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut room = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut room)?;
        if read == 0 {
            break;
        }
        hasher.update(room.get(..read).unwrap_or_default());
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// What tells a set of files, each with its hash, from any other.
pub(crate) fn hash_of_all<'u>(files: impl Iterator<Item = (&'u Url, &'u str)>) -> String {
    let mut all = HashOfAll::default();
    for (url, hash) in files {
        all.add(url, hash);
    }
    all.finish()
}

/// The same for files that come one by one and are not held.
#[derive(Default)]
pub(crate) struct HashOfAll(Sha256);

impl HashOfAll {
    pub(crate) fn add(&mut self, url: &Url, hash: &str) {
        for text in [url.as_str(), " ", hash, "\n"] {
            self.0.update(text.as_bytes());
        }
    }

    pub(crate) fn finish(self) -> String {
        let hash = self.0.finalize();
        let bytes = hash.iter().take(SHORT);
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The file as it was before it was compressed for the way, if it was.
pub(crate) fn open_plain(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = io::BufReader::with_capacity(64 << 10, File::open(path)?);
    let gzip = io::BufRead::fill_buf(&mut file)?.starts_with(&[0x1f, 0x8b]);
    Ok(if gzip {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(root: &Path, quota: Option<u64>) -> Scratch {
        let site = SiteId::new(&"https://example.com/".parse().unwrap());
        Scratch::open(root, &site, quota).unwrap()
    }

    fn write(scratch: &Scratch, name: &str, bytes: usize, days_ago: u64) {
        let path = scratch.path(name);
        fs::write(&path, vec![0; bytes]).unwrap();
        let time = SystemTime::now() - Duration::from_secs(days_ago * 24 * 3600 + 60);
        File::options()
            .write(true)
            .open(path)
            .and_then(|file| file.set_modified(time))
            .unwrap();
    }

    fn names(scratch: &Scratch) -> Vec<String> {
        let entries = fs::read_dir(&scratch.folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "lock").collect();
        names.sort();
        names
    }

    #[test]
    fn downloads_beside_one_count_whole_and_in_part() {
        let root = tempfile::tempdir().unwrap();
        let scratch = scratch(root.path(), None);
        for name in ["a.scp", "a.scp.part", "b.scp", "c.scp.part", "d.cached"] {
            write(&scratch, name, 1_000, 0);
        }
        assert_eq!(scratch.downloaded_bytes(&scratch.path("a.scp")), 2_000);
        assert_eq!(scratch.downloaded_bytes(&scratch.path("new.scp")), 4_000);
    }

    #[test]
    fn parts_that_nobody_went_on_with_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let scratch = scratch(root.path(), None);
        for (name, days) in [
            ("old.scp.part", 4),
            ("old.scp.part.json", 4),
            ("new.scp.part", 1),
            ("new.scp.part.json", 1),
            ("whole.scp", 4),
            ("new.fresh.part", 0),
            ("forgotten.cached", 31),
        ] {
            write(&scratch, name, 10, days);
        }
        scratch.tidy(false);
        let left = ["new.scp.part", "new.scp.part.json", "whole.scp"];
        assert_eq!(names(&scratch), left);
        scratch.tidy(true);
        assert_eq!(names(&scratch), ["whole.scp"]);
    }

    #[test]
    fn the_oldest_sitemaps_make_room_and_none_that_is_used() {
        let root = tempfile::tempdir().unwrap();
        let mut scratch = scratch(root.path(), Some(1));
        let third = (LEAST_CACHED_BYTES / 3) as usize;
        for (name, days) in [("a", 4), ("b", 3), ("c", 2), ("d", 1)] {
            write(&scratch, &format!("{name}.cached"), third, days);
            write(&scratch, &format!("{name}.cached.json"), 10, days);
        }
        scratch.uses(&scratch.path("a.cached"));
        scratch.make_room();
        let left = [
            "a.cached",
            "a.cached.json",
            "c.cached",
            "c.cached.json",
            "d.cached",
            "d.cached.json",
        ];
        assert_eq!(names(&scratch), left);
    }
}
