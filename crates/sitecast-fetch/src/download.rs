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

use crate::body::Body;
use crate::client::Client;
use crate::exchange::{Begun, Manners};
use crate::range::ContentRange;
use crate::retry::wait_after;
use crate::{Coding, FetchError, Head, Request, Validators};

/// So much in one attempt counts as getting on, and the attempts are counted anew.
const PROGRESS: u64 = 1 << 20;

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
        self.run(async {
            let part = Part::at(download.to);
            let mut attempts = 0;
            loop {
                let before = part.length();
                let error = match self.attempt(download, &part).await {
                    Ok(done) => return Ok(done),
                    Err(error) => error,
                };
                attempts += 1;
                if part.length() >= before + PROGRESS {
                    attempts = 1;
                }
                match wait_after(&error, attempts, &self.shared.options) {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => return Err(error),
                }
            }
        })
    }

    async fn attempt(&self, download: Download<'_>, part: &Part) -> Result<Downloaded, FetchError> {
        let request = download.request;
        // What a server compresses on the fly need not come out the same twice.
        let begun = match request.coding {
            Coding::Stored | Coding::Identity => part.begun(request),
            Coding::Gzip => None,
        };
        let mut exchange = self.exchange(Method::GET, request, Manners::Robots);
        if let Some((length, origin)) = &begun {
            exchange.from = origin
                .validators
                .for_a_part()
                .map(|validator| (*length, validator));
        }
        let Begun {
            head,
            response,
            turn,
        } = exchange.begin().await?;
        let goes_on = begun
            .as_ref()
            .and_then(|(length, origin)| Some((*length, continues(&head, *length, origin)?)));
        let (continued, whole) = match (head.status, goes_on) {
            (200, _) => (0, None),
            (206, Some(goes_on)) => goes_on,
            (206 | 416, _) => {
                // Not what we have the beginning of: from the beginning, then.
                part.remove();
                return Err(FetchError::Truncated {
                    url: head.url.to_string(),
                    received: 0,
                });
            }
            (304, _) => return Ok(Downloaded::NotModified(head)),
            _ => return Ok(Downloaded::Nothing(head)),
        };
        let limit = request.limit.saturating_sub(continued);
        let mut body = Body::new(response, limit, &self.shared.options, &self.meter)?;
        let total = whole.or(body.expected().map(|rest| continued + rest));
        let mut file = part.open(request, &head, continued)?;
        let mut length = continued;
        (download.progress)(length, total);
        while let Some(piece) = body.next().await? {
            file.write_all(&piece).map_err(|error| part.failed(error))?;
            length += piece.len() as u64;
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

    /// What there is of this, and can be continued.
    fn begun(&self, request: &Request) -> Option<(u64, Origin)> {
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
