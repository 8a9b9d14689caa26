//! Downloading what a plan wants.

use std::fs;
use std::path::{Path, PathBuf};

use sitecast_fetch::{Coding, Download, Downloaded, FetchError, Request, Validators};
use url::Url;

use crate::SyncError;
use crate::plan::Candidate;
use crate::progress::Doing;
use crate::site::SiteRun;

/// How much larger than announced a collection may be.
const SLACK: u64 = 1 << 20;
/// The most bytes of a collection whose size neither the sitemap nor the server says.
const UNANNOUNCED: u64 = 1 << 30;

/// A collection that is here and still to be verified.
pub(super) struct Local<'c> {
    pub(super) candidate: &'c Candidate,
    /// Which of its files it is.
    pub(super) file: usize,
    pub(super) path: PathBuf,
    pub(super) validators: Validators,
    pub(super) bytes: u64,
}

impl Local<'_> {
    /// Removes the file: it was merged, is damaged, or was refused.
    pub(super) fn discard(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(label_of(&self.path));
    }
}

/// The file beside a download that says what the server said of it.
fn label_of(path: &Path) -> PathBuf {
    path.with_extension("scp.json")
}

/// Writes down what the server said of a download. A file without that is fetched again, so it is no
/// failure if it cannot be written.
fn label(path: &Path, validators: &Validators) {
    if let Ok(text) = serde_json::to_vec(validators) {
        let _ = fs::write(label_of(path), text);
    }
}

/// The validators of a download that a process left behind which did not come to merge it.
fn kept(path: &Path) -> Option<Validators> {
    let label = fs::read(label_of(path)).ok()?;
    let validators: Validators = serde_json::from_slice(&label).ok()?;
    let usable = validators.etag.is_some() || validators.last_modified.is_some();
    (usable && path.exists()).then_some(validators)
}

/// How fetching a candidate ended.
pub(super) enum Fetched<'c> {
    Here(Local<'c>),
    /// The server says it is what was applied before.
    Known,
}

impl SiteRun<'_> {
    /// Downloads the first of a candidate's files that can be had.
    pub(super) fn fetch_candidate<'c>(
        &mut self,
        candidate: &'c Candidate,
        first: usize,
    ) -> Result<Fetched<'c>, SyncError> {
        let mut last = SyncError::NoCollection {
            reason: "it names no file".to_owned(),
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
        // It is used only if the server still has the very same: it may have been replaced since.
        let kept = kept(&path);
        // Should another file come, the label must not stay beside it.
        let _ = fs::remove_file(label_of(&path));
        let most = self.options.scp_limits.compressed_bytes;
        let limit = size.map_or(most, |size| {
            size.saturating_mul(2)
                .max(size.saturating_add(SLACK))
                .min(most)
        });
        let quota = self.download_quota(&path);
        let limit = limit.min(quota);
        // Where the section begins anew, what was here before is of no use.
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
            self.doing(Doing::Downloading { url, bytes, total });
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
                label(&path, &head.validators);
                Ok(Fetched::Here(Local {
                    candidate,
                    file,
                    path,
                    validators: head.validators,
                    bytes,
                }))
            }
            Downloaded::NotModified(_) => Ok(match kept {
                None => Fetched::Known,
                Some(validators) => {
                    label(&path, &validators);
                    Fetched::Here(Local {
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

    /// Bytes that a download may have beside those that are here. A quota is on lines, which are larger than a
    /// collection of them; the smallest collections always have room.
    fn download_quota(&self, path: &Path) -> u64 {
        self.options.quota.bytes.map_or(u64::MAX, |quota| {
            quota
                .max(SLACK)
                .saturating_sub(self.scratch.downloaded_bytes(path))
        })
    }

    /// A site whose collections are elsewhere can be there though they are not, and a collection that leads
    /// to a private address is no reason to leave the site.
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

    /// Whether collections may come from there.
    fn check_host(&self, url: &Url) -> Result<(), SyncError> {
        let Some(allowed) = &self.options.collection_hosts else {
            return Ok(());
        };
        let host = url.host_str().unwrap_or_default();
        if self.scope.has_host(url) || allowed.contains(host) {
            return Ok(());
        }
        Err(SyncError::NoCollection {
            reason: format!("`{host}` is not a host that collections may come from"),
        })
    }
}
