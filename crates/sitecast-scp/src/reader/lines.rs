//! Decompressed bytes in, lines out, the content's hash on the side.

use std::io::Read;

use memchr::memchr;
use sha2::{Digest, Sha256};

use super::source::{Progress, Source};
use crate::compression::Chunk;
use crate::validate::ChecksumCut;
use crate::{Checksum, Compression, ReadError};

/// What one long line made room for is not kept for the short ones after it.
const KEPT_CAPACITY: usize = 4 << 20;

/// Splits a source into lines. A line within one chunk is handed out where it lies; only one that
/// goes over the end of a chunk is put together in `carry`.
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

/// Where the line that was found lies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Chunk {
        from: usize,
        to: usize,
    },
    Carry,
    /// It was longer than allowed, and its bytes have been passed over.
    Nowhere {
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

    /// The number of the line just gone to, from 1.
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

    /// Goes to the next line, if there is one; it is held if it has at most `max` bytes.
    pub(super) fn advance(&mut self, max: usize) -> Result<Option<Place>, ReadError> {
        let place = self.find_line(max)?;
        self.number += u64::from(place.is_some());
        Ok(place)
    }

    /// The bytes of the line just gone to, without its line feed.
    pub(super) fn line(&self, place: Place) -> &[u8] {
        match place {
            Place::Chunk { from, to } => self.chunk.bytes().get(from..to).unwrap_or_default(),
            Place::Carry => &self.carry,
            Place::Nowhere { .. } => &[],
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
                // Never held whole, and what was held is let go.
                self.carry = Vec::new();
                if self.number == 0 {
                    // Without its first line the file is of no use; no need to read on.
                    return Ok(Some(Place::Nowhere { bytes: length }));
                }
            }
            if feed.is_some() {
                self.at = to + 1;
                return Ok(Some(match (fits, in_one_piece) {
                    (false, _) => Place::Nowhere { bytes: length },
                    (true, true) => Place::Chunk { from, to },
                    (true, false) => Place::Carry,
                }));
            }
            self.at = to;
            if self.ended || !self.refill()? {
                // What follows the last line feed is a line too, if there is anything.
                return Ok(match (length, fits) {
                    (0, _) => None,
                    (_, true) => Some(Place::Carry),
                    (bytes, false) => Some(Place::Nowhere { bytes }),
                });
            }
        }
    }

    /// Gets more bytes; `false` at the end.
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

    /// Starts to hash with line 1, less the `cut`; it must be the line just gone to. From here on
    /// whole chunks are hashed as they come.
    pub(super) fn hash_from_first_line(&mut self, place: Place, cut: Option<&ChecksumCut>) {
        let line = self.line(place);
        let cut = cut.cloned().unwrap_or(0..0);
        let mut hash = Sha256::new();
        hash.update(line.get(..cut.start).unwrap_or_default());
        hash.update(line.get(cut.end..).unwrap_or_default());
        let rest = self.chunk.bytes().get(self.at..).unwrap_or_default();
        // A line feed was taken if bytes have gone by that were neither line nor rest.
        if self.uncompressed > (line.len() + rest.len()) as u64 {
            hash.update(b"\n");
        }
        hash.update(rest);
        self.hash = Some(hash);
    }

    /// The hash of all that was read, and the end of hashing.
    pub(super) fn digest(&mut self) -> Option<Checksum> {
        self.hash
            .take()
            .map(|hash| Checksum::from_bytes(hash.finalize().into()))
    }
}
