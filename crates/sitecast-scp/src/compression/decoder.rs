//! Decompression of stored collections, within limits.
//!
//! Threats, each with the check that stops it, in the order of the checks: more stored bytes than the limit
//! ([`Decoder::fetch`]); a window larger than the limit (libzstd's `WindowLogMax`); damage, and
//! unrelated bytes after the stream (the decompressor); a truncated stream ([`Decoder::next_chunk`]); more
//! decompressed bytes than the limit, or than the ratio allows ([`Decoder::meter`]).

use std::io::{self, Read};

use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

use super::Compression;
use super::gzip::GzipReader;
use crate::{Limits, ReadError};

/// Decompressed bytes in a chunk, at most.
const CHUNK: usize = 512 << 10;

/// Bytes fetched from the source at a time; only the last chunk may be shorter. The ratio is computed
/// from the fetched bytes, so that it does not depend on the sizes of the source's reads.
pub(crate) const INPUT_CHUNK: usize = 256 << 10;

/// A buffer and the length of its valid part. The operating system zeroes it once, on allocation; after that it is
/// only overwritten, so that small files touch little memory.
#[derive(Default)]
pub(crate) struct Chunk {
    buffer: Vec<u8>,
    filled: usize,
}

impl Chunk {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// The unused part of the buffer, which is allocated with `capacity` bytes on first use.
    fn unused(&mut self, capacity: usize) -> &mut [u8] {
        if self.buffer.is_empty() {
            self.buffer = vec![0; capacity];
        }
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }
}

/// Detects the compression of a source and decompresses it within limits.
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

/// The result of one step of a decompressor.
pub(super) struct Step {
    /// Bytes of input consumed.
    pub(super) taken: usize,
    /// Bytes of output written.
    pub(super) produced: usize,
    /// True where the input may end: after a gzip member or a zstd frame.
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

    /// The compression of the source; `None` before its first bytes are known.
    pub(crate) fn compression(&self) -> Compression {
        match self.codec {
            None | Some(Codec::Plain) => Compression::None,
            Some(Codec::Gzip(_)) => Compression::Gzip,
            Some(Codec::Zstd { .. }) => Compression::Zstd,
        }
    }

    /// Replaces the contents of `chunk` with the next bytes, at most [`CHUNK`]. An empty chunk means the end.
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
            let output = chunk.unused(CHUNK);
            if output.is_empty() {
                return Ok(());
            }
            let step = codec
                .step(input, output)
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
            let unused = self.input.unused(INPUT_CHUNK);
            if unused.is_empty() {
                break;
            }
            match self.source.read(unused) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(count) => self.input.filled += count.min(unused.len()),
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

    /// Checks the limits on the decompressed size and on the ratio.
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

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        match self {
            Self::Plain => {
                let count = input.len().min(output.len());
                if let (Some(from), Some(to)) = (input.get(..count), output.get_mut(..count)) {
                    to.copy_from_slice(from);
                }
                Ok(Step {
                    taken: count,
                    produced: count,
                    finished: true,
                })
            }
            Self::Gzip(reader) => reader.step(input, output),
            Self::Zstd { context, ended } => {
                if *ended && input.is_empty() {
                    return Ok(Step {
                        taken: 0,
                        produced: 0,
                        finished: true,
                    });
                }
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(output);
                // RFC 8878 §3.1: frames are concatenated; libzstd starts the next one by itself.
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
