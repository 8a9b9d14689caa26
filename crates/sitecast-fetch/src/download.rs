//! Downloads into files, resumed after an interruption.
//!
//! Next to the target, `NAME.part` holds the bytes received so far, and `NAME.part.json` their URL and validators.
//! Both survive the process. The download resumes only if the server still has the same file (`If-Range`);
//! otherwise it restarts from the first byte.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::body::{Body, Limits, OverLimit};
use crate::client::Client;
use crate::deadline::UrlDeadline;
use crate::disk_reserve::DiskReserve;
use crate::exchange::{PendingResponse, RobotsCheck};
use crate::range::ContentRange;
use crate::{Coding, FetchError, Head, Request, Validators};

/// Reset the attempt counter after this many bytes beyond the highest length reached before.
const PROGRESS: u64 = 1 << 20;
/// Attempts in one call, with progress or without. The next call resumes from the part on disk.
const MAX_ATTEMPTS: u32 = 1_000;
/// Restarts from the first byte in one call, after bytes had been received.
const MAX_RESTARTS: u32 = 3;

/// A download: its request and its target file.
#[derive(Clone, Copy)]
pub struct Download<'d> {
    /// The URL, the limits and the validators of a copy that the caller has.
    pub request: &'d Request,
    /// The target file. It appears when the download is complete.
    pub to: &'d Path,
    /// Called with the bytes so far, and with the total where the server announces it.
    pub progress: &'d dyn Fn(u64, Option<u64>),
}

/// The result of a download.
#[derive(Debug, Clone)]
pub enum Downloaded {
    /// The target file is complete.
    Complete {
        /// Status and headers of the last response.
        head: Head,
        /// The size of the file.
        bytes: u64,
    },
    /// The server answered 304: the request's validators still match.
    NotModified(Head),
    /// The server answered with another status, for example 404. No file was written.
    OtherStatus(Head),
}

/// The contents of `NAME.part.json`: the source of the bytes in the part.
#[derive(Debug, Serialize, Deserialize)]
struct PartMetadata {
    url: String,
    validators: Validators,
}

impl Client {
    /// Downloads a file, or resumes a download that an earlier process started.
    pub fn download(&self, download: Download<'_>) -> Result<Downloaded, FetchError> {
        let url = &download.request.url;
        self.run(url, async {
            let part = Part::at(download.to);
            let mut state = DownloadState {
                deadline: UrlDeadline::start(url, &self.shared.options),
                highest: part.resumable_bytes(download.request),
                received: 0,
                restarts: 0,
            };
            let mut attempts = 0;
            for _ in 1..MAX_ATTEMPTS {
                let before = state.highest;
                let error = match self.attempt(download, &part, &mut state).await {
                    Ok(done) => return Ok(done),
                    Err(error) => error,
                };
                if matches!(
                    error,
                    FetchError::TooLarge { .. } | FetchError::DiskFull { .. }
                ) {
                    // No later attempt can complete it.
                    part.remove();
                    return Err(error);
                }
                if state.restarts > MAX_RESTARTS {
                    return Err(error);
                }
                attempts += 1;
                if state.highest >= before + PROGRESS {
                    attempts = 1;
                }
                self.wait_to_retry(error, attempts, &mut state.deadline)
                    .await?;
            }
            self.attempt(download, &part, &mut state).await
        })
    }

    async fn attempt(
        &self,
        download: Download<'_>,
        part: &Part,
        state: &mut DownloadState,
    ) -> Result<Downloaded, FetchError> {
        let request = download.request;
        let resumable = part.resumable(request);
        let mut exchange = self.exchange(Method::GET, request, RobotsCheck::Obey);
        if let Some((length, metadata)) = &resumable {
            exchange.from = metadata
                .validators
                .for_if_range()
                .map(|validator| (*length, validator));
        }
        let asks_for_rest = exchange.from.is_some();
        let PendingResponse {
            head,
            response,
            host_lock,
        } = match exchange.send(&mut state.deadline).await {
            Err(FetchError::Unconditional304 { url }) if asks_for_rest => {
                part.remove();
                state.restart();
                return Err(FetchError::NotContinued { url, status: 304 });
            }
            pending => pending?,
        };
        let continued = resumable
            .as_ref()
            .and_then(|(length, metadata)| Some((*length, continues(&head, *length, metadata)?)));
        let (continued, whole) = match (head.status, continued) {
            (200, _) => {
                // Also if the part has no strong validator and no range was requested.
                if asks_for_rest || state.received > 0 {
                    state.restart();
                }
                (0, None)
            }
            (206, Some(continued)) => continued,
            (206 | 416, _) => {
                // The range does not continue the part: restart from the first byte.
                part.remove();
                state.restart();
                return Err(FetchError::NotContinued {
                    url: head.url.to_string(),
                    status: head.status,
                });
            }
            (304, _) => return Ok(Downloaded::NotModified(head)),
            _ => return Ok(Downloaded::OtherStatus(head)),
        };
        let options = &self.shared.options;
        let limits = Limits {
            bytes: request.limit.saturating_sub(continued),
            unannounced_limit: request.unannounced_limit.saturating_sub(continued),
            over_limit: OverLimit::Refuse,
        };
        let mut body = Body::new(response, limits, options, &self.meter)?;
        let total = whole.or(body.expected().map(|rest| continued + rest));
        let mut reserve = DiskReserve::for_file(&part.file, options.free_bytes);
        reserve.check_announced(head.url.as_str(), body.expected().unwrap_or(0))?;
        let mut file = part.open(request, &head, continued)?;
        let mut length = continued;
        (download.progress)(length, total);
        while let Some(piece) = body.next(&state.deadline).await? {
            file.write_all(&piece).map_err(|error| part.failed(error))?;
            length += piece.len() as u64;
            state.reach(length);
            reserve.wrote(head.url.as_str(), piece.len() as u64)?;
            (download.progress)(length, total);
        }
        drop((file, host_lock));
        // A server may send less than the requested range (RFC 9110 §15.3.7): the next attempt asks for the rest.
        if whole.is_some_and(|whole| length < whole) {
            return Err(FetchError::Truncated {
                url: head.url.to_string(),
                received: length - continued,
            });
        }
        part.finish(download.to)?;
        Ok(Downloaded::Complete {
            head,
            bytes: length,
        })
    }
}

/// The state of a download across its attempts.
struct DownloadState {
    deadline: UrlDeadline,
    /// The largest length that the part has had.
    highest: u64,
    /// Bytes received beyond the highest length, in this call.
    received: u64,
    restarts: u32,
}

impl DownloadState {
    fn reach(&mut self, length: u64) {
        self.received += length.saturating_sub(self.highest);
        self.highest = self.highest.max(length);
        self.deadline.reach(self.received);
    }

    /// Counts a restart. If it discards only bytes of an earlier process, the highest length is reset: the file may
    /// have changed since, and its new bytes are progress.
    fn restart(&mut self) {
        if self.restarts == 0 && self.received == 0 {
            self.highest = 0;
        }
        self.restarts += 1;
    }
}

/// Returns `None` if a 206 does not continue the part; otherwise the total size, if the server knows it.
fn continues(head: &Head, length: u64, metadata: &PartMetadata) -> Option<Option<u64>> {
    let range = ContentRange::parse(head.header("content-range")?)?;
    let same = match (&head.validators.etag, &metadata.validators.etag) {
        (Some(now), Some(then)) => now == then,
        _ => true,
    };
    (range.first == length && same).then_some(range.whole)
}

/// The incomplete file and its metadata file.
struct Part {
    file: PathBuf,
    metadata: PathBuf,
}

impl Part {
    fn at(target: &Path) -> Self {
        let beside = |end: &str| {
            let mut name = target.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        Self {
            file: beside(".part"),
            metadata: beside(".part.json"),
        }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |metadata| metadata.len())
    }

    /// Bytes on disk that a download can resume from.
    fn resumable_bytes(&self, request: &Request) -> u64 {
        self.resumable(request).map_or(0, |(length, _)| length)
    }

    /// Returns the length and the metadata of a part that this request can resume.
    fn resumable(&self, request: &Request) -> Option<(u64, PartMetadata)> {
        // Compression on the fly need not produce the same bytes twice.
        if request.coding == Coding::Gzip {
            return None;
        }
        let length = Some(self.length()).filter(|length| (1..request.limit).contains(length))?;
        let metadata: PartMetadata =
            serde_json::from_slice(&fs::read(&self.metadata).ok()?).ok()?;
        let usable =
            metadata.url == request.url.as_str() && metadata.validators.for_if_range().is_some();
        usable.then_some((length, metadata))
    }

    /// Opens the part for writing after its first `continued` bytes.
    fn open(&self, request: &Request, head: &Head, continued: u64) -> Result<File, FetchError> {
        let open = || -> io::Result<File> {
            if continued == 0 {
                // Empty the part before its metadata changes, so that the metadata never describes other bytes.
                let file = File::create(&self.file)?;
                let metadata = PartMetadata {
                    url: request.url.to_string(),
                    validators: head.strong_validators(),
                };
                fs::write(&self.metadata, serde_json::to_vec(&metadata)?)?;
                return Ok(file);
            }
            let mut file = OpenOptions::new().write(true).open(&self.file)?;
            file.set_len(continued)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        open().map_err(|error| self.failed(error))
    }

    fn finish(&self, target: &Path) -> Result<(), FetchError> {
        fs::rename(&self.file, target).map_err(|error| self.failed(error))?;
        // Metadata without a part is ignored, so a failure does no harm.
        let _ = fs::remove_file(&self.metadata);
        Ok(())
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_file(&self.metadata);
    }

    fn failed(&self, error: io::Error) -> FetchError {
        FetchError::File {
            path: self.file.clone(),
            source: Arc::new(error),
        }
    }
}
