//! The scratch folder beside the index: unfinished downloads and cached sitemaps. Files in it can be deleted at
//! any time; the next visit fetches them again.

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

/// Unfinished downloads are removed after this time.
const PART_KEPT: Duration = Duration::from_secs(3 * 24 * 3600);
/// Other files are removed after this time without use.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The most bytes of cached sitemaps of a site without a quota.
const CACHED_BYTES: u64 = 2 << 30;
/// The least bytes of cached sitemaps with a quota, which may be smaller than one sitemap.
const LEAST_CACHED_BYTES: u64 = 16 << 20;

/// The number of bytes of a hash in a file name.
const SHORT: usize = 10;

/// The scratch folder of one site. Its lock keeps other processes from syncing the site.
pub(crate) struct Scratch {
    folder: PathBuf,
    _lock: File,
    /// The most bytes of cached sitemaps.
    most_cached: u64,
    /// The cached sitemaps that this visit uses, with their sizes in bytes.
    in_use: HashMap<PathBuf, u64>,
}

/// A cached file that is up to date.
pub(crate) struct Cached {
    pub(crate) path: PathBuf,
    /// The SHA-256 of its bytes as transferred.
    pub(crate) hash: String,
}

/// The result of a request through the cache.
pub(crate) enum CacheResponse {
    File(Cached),
    /// The server answered with this status.
    Status(u16),
}

#[derive(Serialize, Deserialize)]
struct CacheMetadata {
    url: String,
    validators: Validators,
    hash: String,
}

impl Scratch {
    /// Opens and locks the folder of a site. `quota` is the site's quota in bytes.
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
        // A visit that was killed may have left more than the limit.
        scratch.evict();
        Ok(scratch)
    }

    /// Returns the path of the file for a name of any form, such as a URL.
    pub(crate) fn file(&self, name: &str, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", short_hash(name)))
    }

    /// Returns the path of the file with this name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Fetches a file, or returns the cached file if the server says that it is unchanged.
    pub(crate) fn cached(
        &mut self,
        client: &Client,
        url: &Url,
        limit: u64,
        accept: &'static str,
    ) -> Result<CacheResponse, FetchError> {
        let path = self.file(url.as_str(), "cached");
        let metadata_file = self.file(url.as_str(), "cached.json");
        let known = read_metadata(&metadata_file)
            .filter(|known| known.url == url.as_str() && path.exists());
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
        // The metadata is removed before the file is replaced, so it never describes another file. A file without
        // metadata is fetched again.
        let fresh = self.file(url.as_str(), "fresh");
        let done = client.download(Download {
            request: &request,
            to: &fresh,
            progress: &|_, _| {},
        })?;
        match done {
            Downloaded::NotModified(_) => {
                self.mark_used(&path);
                Ok(CacheResponse::File(Cached { path, hash }))
            }
            Downloaded::OtherStatus(head) => Ok(CacheResponse::Status(head.status)),
            Downloaded::Complete { head, .. } => {
                let keep = || -> io::Result<String> {
                    let hash = hash_of(&fresh)?;
                    let _ = fs::remove_file(&metadata_file);
                    fs::rename(&fresh, &path)?;
                    let text = serde_json::to_vec(&CacheMetadata {
                        url: url.to_string(),
                        validators: head.validators.clone(),
                        hash: hash.clone(),
                    })?;
                    fs::write(&fresh, text)?;
                    fs::rename(&fresh, &metadata_file)?;
                    Ok(hash)
                };
                let hash = keep().map_err(|error| FetchError::File {
                    path: path.clone(),
                    source: error.into(),
                })?;
                self.mark_used(&path);
                Ok(CacheResponse::File(Cached { path, hash }))
            }
        }
    }

    fn mark_used(&mut self, path: &Path) {
        let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
        self.in_use.insert(path.to_owned(), bytes);
    }

    /// Removes cached sitemaps until they are within the limit: the oldest first, and none that this visit uses.
    fn evict(&self) {
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

    /// Returns the bytes of all downloaded collections, complete or not, except the one at `but`.
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

    /// Removes old files and useless unfinished downloads: those of sitemaps, and all of them once the site's
    /// collections are up to date.
    pub(crate) fn tidy(&self, is_up_to_date: bool) {
        self.evict();
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

fn read_metadata(path: &Path) -> Option<CacheMetadata> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn short_hash(text: &str) -> String {
    let hash = ContentHash::of(text.as_bytes());
    let bytes = hash.bytes().iter().take(SHORT);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes a file. The hash detects changes even if the server sends no validators.
fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Combines the hashes of a set of files.
pub(crate) fn hash_files<'u>(files: impl Iterator<Item = (&'u Url, &'u str)>) -> String {
    let mut all = FilesHash::default();
    for (url, hash) in files {
        all.add(url, hash);
    }
    all.finish()
}

/// The combined hash of files that are added one by one.
#[derive(Default)]
pub(crate) struct FilesHash(Sha256);

impl FilesHash {
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

/// Opens a file, and decompresses it if it is gzip.
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
    fn counts_complete_and_unfinished_downloads() {
        let root = tempfile::tempdir().unwrap();
        let scratch = scratch(root.path(), None);
        for name in ["a.scp", "a.scp.part", "b.scp", "c.scp.part", "d.cached"] {
            write(&scratch, name, 1_000, 0);
        }
        assert_eq!(scratch.downloaded_bytes(&scratch.path("a.scp")), 2_000);
        assert_eq!(scratch.downloaded_bytes(&scratch.path("new.scp")), 4_000);
    }

    #[test]
    fn removes_abandoned_downloads() {
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
    fn evicts_the_oldest_sitemaps_but_none_in_use() {
        let root = tempfile::tempdir().unwrap();
        let mut scratch = scratch(root.path(), Some(1));
        let third = (LEAST_CACHED_BYTES / 3) as usize;
        for (name, days) in [("a", 4), ("b", 3), ("c", 2), ("d", 1)] {
            write(&scratch, &format!("{name}.cached"), third, days);
            write(&scratch, &format!("{name}.cached.json"), 10, days);
        }
        scratch.mark_used(&scratch.path("a.cached"));
        scratch.evict();
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
