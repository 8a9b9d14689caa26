//! Download of the collections of a plan.

use std::fs;
use std::path::{Path, PathBuf};

use sitecast_fetch::{Coding, Download, Downloaded, FetchError, Request, Validators};
use url::Url;

use crate::SyncError;
use crate::plan::Candidate;
use crate::progress::Activity;
use crate::site::SiteRun;

/// A collection may always be this many bytes larger than announced.
const MIN_SLACK: u64 = 1 << 20;
/// The most bytes of a collection whose size neither the sitemap nor the server gives.
const UNANNOUNCED: u64 = 1 << 30;

/// A downloaded collection that has not been verified yet.
pub(super) struct LocalFile<'c> {
    pub(super) candidate: &'c Candidate,
    /// The index of the file in the candidate.
    pub(super) file: usize,
    pub(super) path: PathBuf,
    pub(super) validators: Validators,
    pub(super) bytes: u64,
}

impl LocalFile<'_> {
    /// Removes the file and its metadata.
    pub(super) fn discard(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(metadata_path(&self.path));
    }
}

/// Returns the path of a download's metadata file, which has its validators.
fn metadata_path(path: &Path) -> PathBuf {
    path.with_extension("scp.json")
}

/// Writes the validators of a download. Errors are ignored: a file without metadata is fetched again.
fn write_metadata(path: &Path, validators: &Validators) {
    if let Ok(text) = serde_json::to_vec(validators) {
        let _ = fs::write(metadata_path(path), text);
    }
}

/// Reads the validators of a complete download that an earlier process did not merge.
fn read_metadata(path: &Path) -> Option<Validators> {
    let text = fs::read(metadata_path(path)).ok()?;
    let validators: Validators = serde_json::from_slice(&text).ok()?;
    let usable = validators.etag.is_some() || validators.last_modified.is_some();
    (usable && path.exists()).then_some(validators)
}

/// The result of fetching a candidate.
pub(super) enum Fetched<'c> {
    File(LocalFile<'c>),
    /// The server answered 304: the file is the one that was applied before.
    AlreadyApplied,
}

impl SiteRun<'_> {
    /// Downloads the first of a candidate's files that the server delivers.
    pub(super) fn fetch_candidate<'c>(
        &mut self,
        candidate: &'c Candidate,
        first: usize,
    ) -> Result<Fetched<'c>, SyncError> {
        let mut last = SyncError::NoCollection {
            reason: "the sitemap names no file for it".to_owned(),
        };
        for (file, collection) in candidate.files.iter().enumerate().skip(first) {
            let fetched = self.fetch_file(candidate, file, &collection.url, collection.size);
            match fetched {
                Ok(fetched) => return Ok(fetched),
                Err(error) if error.allows_another_way() => {
                    if file + 1 < candidate.files.len() {
                        self.report.warn(error.to_string());
                    }
                    last = error;
                }
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn fetch_file<'c>(
        &mut self,
        candidate: &'c Candidate,
        file: usize,
        url: &str,
        size: Option<u64>,
    ) -> Result<Fetched<'c>, SyncError> {
        let place = Url::parse(url).map_err(|_| FetchError::NotHttp {
            url: url.to_owned(),
        })?;
        self.check_host(&place)?;
        let path = self
            .scratch
            .file(&format!("{url} {}", candidate.generated), "scp");
        // A file that an earlier process left is used only if the server confirms its validators.
        let kept = read_metadata(&path);
        // If the download replaces the file, the old metadata must not describe it.
        let _ = fs::remove_file(metadata_path(&path));
        let most = self.options.scp_limits.compressed_bytes;
        let limit = size.map_or(most, |size| {
            size.saturating_mul(2)
                .max(size.saturating_add(MIN_SLACK))
                .min(most)
        });
        let quota = self.download_quota(&path);
        let limit = limit.min(quota);
        // Without a position, the section starts again, and an unchanged file has to be downloaded again, too.
        let section = candidate.files.get(file).map(|file| file.section.as_str());
        let position = section.and_then(|section| self.section_state(section).generated);
        let known = match position {
            Some(_) => self.index.validators(&self.site, url)?.unwrap_or_default(),
            None => Default::default(),
        };
        let request = Request {
            coding: Coding::Stored,
            known: kept.clone().unwrap_or(Validators {
                etag: known.etag,
                last_modified: known.last_modified,
            }),
            unannounced_limit: size.map_or(UNANNOUNCED, |_| limit).min(limit),
            ..Request::new(place, limit).accept("application/scp,*/*;q=0.5")
        };
        let progress = |bytes, total: Option<u64>| {
            let total = total.or(size);
            self.activity(Activity::Downloading { url, bytes, total });
        };
        let done = self.client.download(Download {
            request: &request,
            to: &path,
            progress: &progress,
        });
        let done = match done {
            Err(FetchError::TooLarge { .. }) if limit == quota => {
                return Err(SyncError::NoCollection {
                    reason: format!(
                        "`{url}` has more than the {quota} bytes that `quota_bytes` leaves for it"
                    ),
                });
            }
            done => done.map_err(|error| self.without_collections(error, &request.url))?,
        };
        match done {
            Downloaded::Complete { head, bytes } => {
                if size.is_some_and(|size| size != bytes) {
                    self.report.warn(format!(
                        "`{url}` has {bytes} bytes, not the {} that the sitemap says",
                        size.unwrap_or_default()
                    ));
                }
                write_metadata(&path, &head.validators);
                Ok(Fetched::File(LocalFile {
                    candidate,
                    file,
                    path,
                    validators: head.validators,
                    bytes,
                }))
            }
            Downloaded::NotModified(_) => Ok(match kept {
                None => Fetched::AlreadyApplied,
                Some(validators) => {
                    write_metadata(&path, &validators);
                    Fetched::File(LocalFile {
                        candidate,
                        file,
                        bytes: fs::metadata(&path).map_or(0, |metadata| metadata.len()),
                        path,
                        validators,
                    })
                }
            }),
            Downloaded::OtherStatus(head) => Err(FetchError::Status {
                url: url.to_owned(),
                status: head.status,
                wait: None,
            }
            .into()),
        }
    }

    /// Returns the bytes that the quota leaves for a download beside the other downloaded files. The quota limits
    /// uncompressed lines, so it is generous for compressed files; small collections are always allowed.
    fn download_quota(&self, path: &Path) -> u64 {
        self.options.quota.bytes.map_or(u64::MAX, |quota| {
            quota
                .max(MIN_SLACK)
                .saturating_sub(self.scratch.downloaded_bytes(path))
        })
    }

    /// Converts an error that only affects the collections: their server is unreachable but is not the site's, or
    /// their URL leads to a private address. The site itself may still be reachable.
    fn without_collections(&self, error: FetchError, url: &Url) -> SyncError {
        if error.is_out_of_visit_time() {
            return error.into();
        }
        let is_private = matches!(error, FetchError::Address { .. });
        if error.is_unreachable() && (is_private || !self.scope.has_host(url)) {
            return SyncError::NoCollection {
                reason: error.to_string(),
            };
        }
        error.into()
    }

    /// Fails if the settings do not allow collections from the host of `url`.
    fn check_host(&self, url: &Url) -> Result<(), SyncError> {
        let Some(allowed) = &self.options.collection_hosts else {
            return Ok(());
        };
        let host = url.host_str().unwrap_or_default();
        if self.scope.has_host(url) || allowed.contains(host) {
            return Ok(());
        }
        Err(SyncError::NoCollection {
            reason: format!("`collection_hosts` does not allow collections from `{host}`"),
        })
    }
}
