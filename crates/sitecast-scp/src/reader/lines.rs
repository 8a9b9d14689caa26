//! Splits decompressed bytes into lines and hashes the content.

use std::io::Read;

use memchr::memchr;
use sha2::{Digest, Sha256};

use super::source::{Progress, Source};
use crate::compression::Chunk;
use crate::validate::ChecksumCut;
use crate::{Checksum, Compression, ReadError};

/// Capacity of `carry`, in bytes, above which it is freed after a long line.
const KEPT_CAPACITY: usize = 4 << 20;

/// Splits a source into lines. A line within one chunk is returned as a slice of the chunk; only one that
/// continues in the next chunk is copied to `carry`.
pub(super) struct Lines<R> {
    source: Source<R>,
    chunk: Chunk,
    at: usize,
    carry: Vec<u8>,
    ended: bool,
    progress: Progress,
    uncompressed: u64,
    hash: Option<Sha256>,
    number: u64,
}

/// The place of the current line in memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Chunk {
        from: usize,
        to: usize,
    },
    Carry,
    /// Not in memory: the line exceeds its limit and was skipped.
    TooLong {
        bytes: u64,
    },
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: Source<R>) -> Self {
        Self {
            source,
            chunk: Chunk::default(),
            at: 0,
            carry: Vec::new(),
            ended: false,
            progress: Progress {
                fetched: 0,
                compression: Compression::None,
            },
            uncompressed: 0,
            hash: None,
            number: 0,
        }
    }

    /// The number of the current line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    /// Decompressed bytes so far.
    pub(super) fn uncompressed(&self) -> u64 {
        self.uncompressed
    }

    /// Moves to the next line, if there is one. A line longer than `max` bytes is skipped.
    pub(super) fn advance(&mut self, max: usize) -> Result<Option<Place>, ReadError> {
        let place = self.find_line(max)?;
        self.number += u64::from(place.is_some());
        Ok(place)
    }

    /// The bytes of the current line, without its line feed.
    pub(super) fn line(&self, place: Place) -> &[u8] {
        match place {
            Place::Chunk { from, to } => self.chunk.bytes().get(from..to).unwrap_or_default(),
            Place::Carry => &self.carry,
            Place::TooLong { .. } => &[],
        }
    }

    fn find_line(&mut self, max: usize) -> Result<Option<Place>, ReadError> {
        if self.carry.capacity() > KEPT_CAPACITY {
            self.carry = Vec::new();
        }
        self.carry.clear();
        let mut length: u64 = 0;
        loop {
            let rest = self.chunk.bytes().get(self.at..).unwrap_or_default();
            let feed = memchr(b'\n', rest);
            let part = rest.get(..feed.unwrap_or(rest.len())).unwrap_or_default();
            let in_one_piece = length == 0 && feed.is_some();
            length += part.len() as u64;
            let fits = length <= max as u64;
            let from = self.at;
            let to = from + part.len();
            if fits && !in_one_piece {
                self.carry.extend_from_slice(part);
            } else if !fits {
                // Free the part in memory; the rest of the line is not stored.
                self.carry = Vec::new();
                if self.number == 0 {
                    // A file with an overlong first line is refused, so the rest is not needed.
                    return Ok(Some(Place::TooLong { bytes: length }));
                }
            }
            if feed.is_some() {
                self.at = to + 1;
                return Ok(Some(match (fits, in_one_piece) {
                    (false, _) => Place::TooLong { bytes: length },
                    (true, true) => Place::Chunk { from, to },
                    (true, false) => Place::Carry,
                }));
            }
            self.at = to;
            if self.ended || !self.refill()? {
                // Bytes after the last line feed are a line too.
                return Ok(match (length, fits) {
                    (0, _) => None,
                    (_, true) => Some(Place::Carry),
                    (bytes, false) => Some(Place::TooLong { bytes }),
                });
            }
        }
    }

    /// Reads the next chunk. Returns false at the end.
    fn refill(&mut self) -> Result<bool, ReadError> {
        self.progress = self.source.next_chunk(&mut self.chunk)?;
        self.at = 0;
        self.uncompressed += self.chunk.bytes().len() as u64;
        self.ended = self.chunk.bytes().is_empty();
        if let Some(hash) = &mut self.hash {
            hash.update(self.chunk.bytes());
        }
        Ok(!self.ended)
    }

    /// Starts the hash with line 1 without its `cut`, and with the rest of the chunk. Line 1 must be the current line.
    /// Later chunks are hashed as they are read.
    pub(super) fn hash_from_first_line(&mut self, place: Place, cut: Option<&ChecksumCut>) {
        let line = self.line(place);
        let cut = cut.cloned().unwrap_or(0..0);
        let mut hash = Sha256::new();
        hash.update(line.get(..cut.start).unwrap_or_default());
        hash.update(line.get(cut.end..).unwrap_or_default());
        let rest = self.chunk.bytes().get(self.at..).unwrap_or_default();
        // A byte that belongs neither to the line nor to the rest is the line feed.
        if self.uncompressed > (line.len() + rest.len()) as u64 {
            hash.update(b"\n");
        }
        hash.update(rest);
        self.hash = Some(hash);
    }

    /// Finishes the hash and returns it.
    pub(super) fn digest(&mut self) -> Option<Checksum> {
        self.hash
            .take()
            .map(|hash| Checksum::from_bytes(hash.finalize().into()))
    }
}
