//! Bytes as stored in, bytes of JSON Lines out.
//!
//! What can come, and what stops it, in this order: more stored bytes than the limit
//! ([`Decoder::fetch`]); a window larger than the limit (libzstd's `WindowLogMax`); damage and
//! foreign bytes behind the stream (the decompressor); an end before the end; more bytes out than
//! the limit, or more than the ratio allows ([`Decoder::meter`]).

use std::io::{self, Read};

use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

use super::Compression;
use super::gzip::GzipReader;
use crate::{Limits, ReadError};

/// Bytes handed on at a time.
const CHUNK: usize = 512 << 10;

/// Bytes fetched from the source at a time, always in full except at the end. The ratio is taken
/// against what has been fetched, so it does not depend on how the source hands out its bytes.
pub(crate) const INPUT_CHUNK: usize = 256 << 10;

/// A buffer and how much of it counts. It is zeroed once, by the operating system, and then only
/// written over: small files touch little of it.
#[derive(Default)]
pub(crate) struct Chunk {
    buffer: Vec<u8>,
    filled: usize,
}

impl Chunk {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// What is behind the bytes that count, in a buffer of so many bytes.
    fn room(&mut self, capacity: usize) -> &mut [u8] {
        if self.buffer.is_empty() {
            self.buffer = vec![0; capacity];
        }
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }
}

/// Decompresses a source of unknown compression within limits.
pub(crate) struct Decoder<R> {
    source: R,
    input: Chunk,
    taken: usize,
    at_end: bool,
    fetched: u64,
    produced: u64,
    codec: Option<Codec>,
    limits: Limits,
}

enum Codec {
    Plain,
    Gzip(Box<GzipReader>),
    Zstd {
        context: Box<DCtx<'static>>,
        ended: bool,
    },
}

/// What one step of a decompressor did.
pub(super) struct Step {
    pub(super) taken: usize,
    pub(super) produced: usize,
    /// Whether the input may end here.
    pub(super) finished: bool,
}

impl<R: Read> Decoder<R> {
    pub(crate) fn new(source: R, limits: Limits) -> Self {
        Self {
            source,
            input: Chunk::default(),
            taken: 0,
            at_end: false,
            fetched: 0,
            produced: 0,
            codec: None,
            limits,
        }
    }

    /// Stored bytes fetched so far.
    pub(crate) fn fetched(&self) -> u64 {
        self.fetched
    }

    /// How the source is stored, once its first bytes are known.
    pub(crate) fn compression(&self) -> Compression {
        match self.codec {
            None | Some(Codec::Plain) => Compression::None,
            Some(Codec::Gzip(_)) => Compression::Gzip,
            Some(Codec::Zstd { .. }) => Compression::Zstd,
        }
    }

    /// Puts up to [`CHUNK`] bytes into `chunk` in place of what it holds. Nothing means the end.
    pub(crate) fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<(), ReadError> {
        chunk.filled = 0;
        loop {
            if self.taken == self.input.filled && !self.at_end {
                self.fetch()?;
            }
            let codec = match &mut self.codec {
                Some(codec) => codec,
                None => self
                    .codec
                    .insert(Codec::new(self.input.bytes(), &self.limits)?),
            };
            let input = self.input.bytes().get(self.taken..).unwrap_or_default();
            let room = chunk.room(CHUNK);
            if room.is_empty() {
                return Ok(());
            }
            let step = codec
                .step(input, room)
                .map_err(|reason| ReadError::Decompress {
                    compression: codec.compression(),
                    at: self.fetched,
                    reason,
                })?;
            self.taken += step.taken;
            chunk.filled += step.produced;
            self.meter(step.produced)?;

            let exhausted = self.at_end && self.taken == self.input.filled;
            if exhausted && step.finished {
                return Ok(());
            }
            if exhausted && step.produced == 0 && step.taken == 0 {
                return Err(ReadError::CutShort {
                    compression: self.compression(),
                    at: self.fetched,
                });
            }
        }
    }

    /// Refills the input from the source.
    fn fetch(&mut self) -> Result<(), ReadError> {
        self.taken = 0;
        self.input.filled = 0;
        loop {
            let room = self.input.room(INPUT_CHUNK);
            if room.is_empty() {
                break;
            }
            match self.source.read(room) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(count) => self.input.filled += count.min(room.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Io(error)),
            }
        }
        self.fetched += self.input.filled as u64;
        if self.fetched > self.limits.compressed_bytes {
            return Err(ReadError::CompressedSize {
                limit: self.limits.compressed_bytes,
            });
        }
        Ok(())
    }

    fn meter(&mut self, produced: usize) -> Result<(), ReadError> {
        self.produced += produced as u64;
        if self.produced > self.limits.uncompressed_bytes {
            return Err(ReadError::UncompressedSize {
                limit: self.limits.uncompressed_bytes,
            });
        }
        if self.limits.exceeds_ratio(self.produced, self.fetched) {
            return Err(ReadError::Ratio {
                compressed: self.fetched,
                uncompressed: self.produced,
                limit: self.limits.ratio,
            });
        }
        Ok(())
    }
}

impl Codec {
    fn new(start: &[u8], limits: &Limits) -> Result<Self, ReadError> {
        Ok(match Compression::detect(start) {
            Compression::None => Self::Plain,
            Compression::Gzip => Self::Gzip(Box::new(GzipReader::new())),
            Compression::Zstd => {
                let mut context = DCtx::create();
                context
                    .set_parameter(DParameter::WindowLogMax(limits.zstd_window_log))
                    .map_err(|code| ReadError::Decompress {
                        compression: Compression::Zstd,
                        at: 0,
                        reason: zstd_reason(code),
                    })?;
                Self::Zstd {
                    context: Box::new(context),
                    ended: false,
                }
            }
        })
    }

    fn compression(&self) -> Compression {
        match self {
            Self::Plain => Compression::None,
            Self::Gzip(_) => Compression::Gzip,
            Self::Zstd { .. } => Compression::Zstd,
        }
    }

    fn step(&mut self, input: &[u8], room: &mut [u8]) -> Result<Step, String> {
        match self {
            Self::Plain => {
                let count = input.len().min(room.len());
                if let (Some(from), Some(to)) = (input.get(..count), room.get_mut(..count)) {
                    to.copy_from_slice(from);
                }
                Ok(Step {
                    taken: count,
                    produced: count,
                    finished: true,
                })
            }
            Self::Gzip(reader) => reader.step(input, room),
            Self::Zstd { context, ended } => {
                if *ended && input.is_empty() {
                    return Ok(Step {
                        taken: 0,
                        produced: 0,
                        finished: true,
                    });
                }
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(room);
                // RFC 8878 §3.1: frames simply follow one another; libzstd begins each anew.
                let due = context
                    .decompress_stream(&mut to, &mut from)
                    .map_err(zstd_reason)?;
                *ended = due == 0;
                Ok(Step {
                    taken: from.pos(),
                    produced: to.pos(),
                    finished: *ended,
                })
            }
        }
    }
}

fn zstd_reason(code: usize) -> String {
    zstd_safe::get_error_name(code).to_lowercase()
}
