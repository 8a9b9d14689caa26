//! Large things, into files, going on where they broke off.
//!
//! Beside the file that is to be, `NAME.part` holds what came so far and `NAME.part.json` says of what.
//! Both survive the process. The part is continued only if the server still has the very same thing
//! (`If-Range`), and begun anew in every other case.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::body::{Beyond, Body, Limits};
use crate::client::Client;
use crate::deadline::Clock;
use crate::exchange::{Begun, Manners};
use crate::range::ContentRange;
use crate::room::Room;
use crate::{Coding, FetchError, Head, Request, Validators};

/// So many bytes beyond the highest length reached count as progress, and the attempts are counted anew.
const PROGRESS: u64 = 1 << 20;
/// Attempts in one call, with progress or without. The next call goes on with what is there.
const ROUNDS: u32 = 1_000;
/// Times that a download is begun anew in one call after something of it had come.
const RESTARTS: u32 = 3;

/// What to download, and where to.
#[derive(Clone, Copy)]
pub struct Download<'d> {
    /// What.
    pub request: &'d Request,
    /// The file that is there when all has come.
    pub to: &'d Path,
    /// Told how many bytes there are, and how many there will be if that is known.
    pub progress: &'d dyn Fn(u64, Option<u64>),
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum Downloaded {
    /// The file is there.
    Whole {
        /// What the server says of it.
        head: Head,
        /// Its size.
        bytes: u64,
    },
    /// It is still what the request's validators name.
    NotModified(Head),
    /// The server answers something else.
    Nothing(Head),
}

/// What the bytes so far are of.
#[derive(Debug, Serialize, Deserialize)]
struct Origin {
    url: String,
    validators: Validators,
}

impl Client {
    /// Downloads, or goes on with what an earlier process began.
    pub fn download(&self, download: Download<'_>) -> Result<Downloaded, FetchError> {
        let url = &download.request.url;
        self.run(url, async {
            let part = Part::at(download.to);
            let mut state = Rounds {
                clock: Clock::start(url, &self.shared.options),
                highest: part.continuable(download.request),
                received: 0,
                restarts: 0,
            };
            let mut attempts = 0;
            for _ in 1..ROUNDS {
                let before = state.highest;
                let error = match self.attempt(download, &part, &mut state).await {
                    Ok(done) => return Ok(done),
                    Err(error) => error,
                };
                if matches!(
                    error,
                    FetchError::TooLarge { .. } | FetchError::NoRoom { .. }
                ) {
                    // It can never become whole.
                    part.remove();
                    return Err(error);
                }
                if state.restarts > RESTARTS {
                    return Err(error);
                }
                attempts += 1;
                if state.highest >= before + PROGRESS {
                    attempts = 1;
                }
                self.wait_to_retry(error, attempts, &mut state.clock)
                    .await?;
            }
            self.attempt(download, &part, &mut state).await
        })
    }

    async fn attempt(
        &self,
        download: Download<'_>,
        part: &Part,
        state: &mut Rounds,
    ) -> Result<Downloaded, FetchError> {
        let request = download.request;
        let begun = part.begun(request);
        let mut exchange = self.exchange(Method::GET, request, Manners::Robots);
        if let Some((length, origin)) = &begun {
            exchange.from = origin
                .validators
                .for_a_part()
                .map(|validator| (*length, validator));
        }
        let asks_for_rest = exchange.from.is_some();
        let Begun {
            head,
            response,
            turn,
        } = match exchange.begin(&mut state.clock).await {
            Err(FetchError::Unconditional304 { url }) if asks_for_rest => {
                part.remove();
                state.restart();
                return Err(FetchError::NotContinued { url, status: 304 });
            }
            begun => begun?,
        };
        let goes_on = begun
            .as_ref()
            .and_then(|(length, origin)| Some((*length, continues(&head, *length, origin)?)));
        let (continued, whole) = match (head.status, goes_on) {
            (200, _) => {
                // Also where the part is of nothing that could be continued.
                if asks_for_rest || state.received > 0 {
                    state.restart();
                }
                (0, None)
            }
            (206, Some(goes_on)) => goes_on,
            (206 | 416, _) => {
                // Not what we have the beginning of: from the beginning, then.
                part.remove();
                state.restart();
                return Err(FetchError::NotContinued {
                    url: head.url.to_string(),
                    status: head.status,
                });
            }
            (304, _) => return Ok(Downloaded::NotModified(head)),
            _ => return Ok(Downloaded::Nothing(head)),
        };
        let options = &self.shared.options;
        let limits = Limits {
            bytes: request.limit.saturating_sub(continued),
            unannounced: request.unannounced.saturating_sub(continued),
            beyond: Beyond::Refuse,
        };
        let mut body = Body::new(response, limits, options, &self.meter)?;
        let total = whole.or(body.expected().map(|rest| continued + rest));
        let mut room = Room::beside(&part.file, options.free_bytes);
        room.check_announced(head.url.as_str(), body.expected().unwrap_or(0))?;
        let mut file = part.open(request, &head, continued)?;
        let mut length = continued;
        (download.progress)(length, total);
        while let Some(piece) = body.next(&state.clock).await? {
            file.write_all(&piece).map_err(|error| part.failed(error))?;
            length += piece.len() as u64;
            state.reach(length);
            room.wrote(head.url.as_str(), piece.len() as u64)?;
            (download.progress)(length, total);
        }
        drop((file, turn));
        // A server may answer with less than was asked for (RFC 9110, 14.2): the rest is still to come.
        if whole.is_some_and(|whole| length < whole) {
            return Err(FetchError::Truncated {
                url: head.url.to_string(),
                received: length - continued,
            });
        }
        part.finish(download.to)?;
        Ok(Downloaded::Whole {
            head,
            bytes: length,
        })
    }
}

/// What is known of a download over all its attempts.
struct Rounds {
    clock: Clock,
    /// The most bytes that were ever there at once.
    highest: u64,
    /// Bytes that came beyond the highest length, in this call.
    received: u64,
    restarts: u32,
}

impl Rounds {
    fn reach(&mut self, length: u64) {
        self.received += length.saturating_sub(self.highest);
        self.highest = self.highest.max(length);
        self.clock.reach(self.received);
    }

    /// Counts that it begins anew. A part that an earlier process left is not held against the server: the
    /// file may have changed since.
    fn restart(&mut self) {
        if self.restarts == 0 && self.received == 0 {
            self.highest = 0;
        }
        self.restarts += 1;
    }
}

/// Whether a 206 goes on with what we have; and how much there is in all, if it says so.
fn continues(head: &Head, length: u64, origin: &Origin) -> Option<Option<u64>> {
    let range = ContentRange::parse(head.header("content-range")?)?;
    let same = match (&head.validators.etag, &origin.validators.etag) {
        (Some(now), Some(then)) => now == then,
        _ => true,
    };
    (range.first == length && same).then_some(range.whole)
}

/// The file that is not whole yet, and what it is of.
struct Part {
    file: PathBuf,
    origin: PathBuf,
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
            origin: beside(".part.json"),
        }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |metadata| metadata.len())
    }

    /// Bytes that can be continued.
    fn continuable(&self, request: &Request) -> u64 {
        self.begun(request).map_or(0, |(length, _)| length)
    }

    /// What there is of this, and can be continued.
    fn begun(&self, request: &Request) -> Option<(u64, Origin)> {
        // What a server compresses on the fly need not come out the same twice.
        if request.coding == Coding::Gzip {
            return None;
        }
        let length = Some(self.length()).filter(|length| (1..request.limit).contains(length))?;
        let origin: Origin = serde_json::from_slice(&fs::read(&self.origin).ok()?).ok()?;
        let usable = origin.url == request.url.as_str() && origin.validators.for_a_part().is_some();
        usable.then_some((length, origin))
    }

    /// Opens it for what comes after so many bytes.
    fn open(&self, request: &Request, head: &Head, continued: u64) -> Result<File, FetchError> {
        let open = || -> io::Result<File> {
            if continued == 0 {
                // In this order: bytes are never said to be of something that they are not of.
                let file = File::create(&self.file)?;
                let origin = Origin {
                    url: request.url.to_string(),
                    validators: head.strong_validators(),
                };
                fs::write(&self.origin, serde_json::to_vec(&origin)?)?;
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
        // Without its file it says nothing.
        let _ = fs::remove_file(&self.origin);
        Ok(())
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_file(&self.origin);
    }

    fn failed(&self, error: io::Error) -> FetchError {
        FetchError::File {
            path: self.file.clone(),
            source: Arc::new(error),
        }
    }
}
