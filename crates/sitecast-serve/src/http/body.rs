//! Response bodies: empty, bytes, or ranges of a file or object, read as fast as the client takes them.
//!
//! Memory does not grow with the size of the body: a download holds one chunk, and a smaller one while there are many
//! downloads.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use sitecast_storage::Content;
use tokio::task::JoinHandle;

use super::chunk::{Chunk, Download};
use crate::observe::RequestTracker;

/// A piece of a response body.
#[derive(Debug)]
pub(crate) enum Piece {
    Bytes(Bytes),
    /// A range of a file or object.
    Part(Content, Range<u64>),
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Part(_, range) => range.end.saturating_sub(range.start),
        }
    }
}

/// Returns the bytes in a range, which is clipped to their length.
pub(crate) fn slice(bytes: &Bytes, range: &Range<u64>) -> Bytes {
    let within = |place: u64| {
        usize::try_from(place)
            .unwrap_or(usize::MAX)
            .min(bytes.len())
    };
    let (start, end) = (within(range.start), within(range.end));
    bytes.slice(start.min(end)..end)
}

/// The body of a response.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    state: State,
    /// Bytes that are still to be sent.
    left: u64,
    /// Counts and logs the request when the body is dropped, whether it was sent completely or not.
    tracker: RequestTracker,
}

#[derive(Debug)]
enum State {
    Empty,
    Bytes(Bytes),
    Pieces(Box<Pieces>),
}

#[derive(Debug)]
struct Pieces {
    queue: VecDeque<Piece>,
    reading: Reading,
    download: Download,
}

/// A chunk, and for remote objects the reader positioned after it.
type ReadChunk = (Bytes, Option<Box<dyn Read + Send>>);

#[derive(Default)]
enum Reading {
    #[default]
    Idle,
    /// A blocking thread reads the next chunk and returns its reader.
    Background(JoinHandle<io::Result<ReadChunk>>),
    /// The reader of a remote object, positioned where the last chunk ended.
    Resumable(Box<dyn Read + Send>),
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Idle => "Idle",
            Self::Background(_) => "Background",
            Self::Resumable(_) => "Resumable",
        })
    }
}

impl ResponseBody {
    pub(crate) fn empty(tracker: RequestTracker) -> Self {
        Self {
            state: State::Empty,
            left: 0,
            tracker,
        }
    }

    pub(crate) fn bytes(bytes: Bytes, tracker: RequestTracker) -> Self {
        Self {
            left: bytes.len() as u64,
            state: State::Bytes(bytes),
            tracker,
        }
    }

    pub(crate) fn pieces(pieces: Vec<Piece>, download: Download, tracker: RequestTracker) -> Self {
        Self {
            left: pieces.iter().map(Piece::len).sum(),
            state: State::Pieces(Box::new(Pieces {
                queue: pieces.into(),
                reading: Reading::Idle,
                download,
            })),
            tracker,
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let bytes = match &mut self.state {
            State::Empty => return Poll::Ready(None),
            State::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                self.state = State::Empty;
                (!bytes.is_empty()).then_some(Ok(bytes))
            }
            State::Pieces(pieces) => match pieces.poll_next(context) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(bytes.map(|bytes| {
            let bytes = bytes?;
            let length = bytes.len() as u64;
            self.left = self.left.saturating_sub(length);
            self.tracker.sent(length);
            Ok(Frame::data(bytes))
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

impl Pieces {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        loop {
            if let Reading::Background(handle) = &mut self.reading {
                let read = match Pin::new(handle).poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Err(stopped)) => Err(io::Error::other(stopped)),
                    Poll::Ready(Ok(result)) => result,
                };
                self.reading = Reading::Idle;
                return Poll::Ready(Some(read.map(|(bytes, reader)| {
                    if let Some(reader) = reader {
                        self.reading = Reading::Resumable(reader);
                    }
                    bytes
                })));
            }
            match self.queue.front_mut() {
                None => return Poll::Ready(None),
                Some(Piece::Bytes(bytes)) => {
                    let bytes = std::mem::take(bytes);
                    self.queue.pop_front();
                    if !bytes.is_empty() {
                        return Poll::Ready(Some(Ok(bytes)));
                    }
                }
                Some(Piece::Part(_, range)) if range.is_empty() => {
                    self.queue.pop_front();
                    self.reading = Reading::Idle;
                }
                Some(Piece::Part(content, range)) => {
                    let length = range.end.saturating_sub(range.start);
                    let size = self.download.chunk().min(length);
                    let this = range.start..range.start + size;
                    let rest = range.clone();
                    range.start = this.end;
                    match content {
                        Content::File(file) => {
                            let chunk = match Chunk::read_now(file, this.clone()) {
                                Some(chunk) => chunk,
                                None => {
                                    let file = std::sync::Arc::clone(file);
                                    self.reading =
                                        Reading::Background(tokio::task::spawn_blocking(
                                            move || Ok((Chunk::read(&file, this)?, None)),
                                        ));
                                    continue;
                                }
                            };
                            return Poll::Ready(Some(chunk));
                        }
                        Content::Memory(bytes) => {
                            let all = Bytes::from_owner(std::sync::Arc::clone(bytes));
                            return Poll::Ready(Some(Ok(slice(&all, &this))));
                        }
                        Content::Remote(remote) => {
                            let remote = std::sync::Arc::clone(remote);
                            let reader = match std::mem::take(&mut self.reading) {
                                Reading::Resumable(reader) => Some(reader),
                                _ => None,
                            };
                            self.reading =
                                Reading::Background(tokio::task::spawn_blocking(move || {
                                    let mut reader = match reader {
                                        Some(reader) => reader,
                                        None => remote.read(rest).map_err(io::Error::other)?,
                                    };
                                    let mut bytes = Vec::new();
                                    reader.by_ref().take(size).read_to_end(&mut bytes)?;
                                    if bytes.len() as u64 != size {
                                        return Err(io::ErrorKind::UnexpectedEof.into());
                                    }
                                    Ok((Bytes::from(bytes), Some(reader)))
                                }));
                        }
                    }
                }
            }
        }
    }
}
