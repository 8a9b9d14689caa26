//! Lines in blocks: many lines are compressed together, which makes them a good deal smaller than
//! each alone, and spares the database as many rows.
//!
//! A block holds for each line its URL's length, its URL, its own length and itself, lengths as
//! four bytes, the least first. So what is left of a block can be told without an index of blocks.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::failing::{damaged, engine};
use super::rows::{LineHash, line_hash};
use crate::IndexError;

/// A block is closed when it holds so much. To read one page, one block is decompressed; twice the
/// size would save 2 % of the room.
pub(super) const BLOCK_BYTES: usize = 64 << 10;

/// The strength of the compression: the fastest of zstd's ordinary ones.
const LEVEL: i32 = 1;

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) block: i64,
    pub(super) offset: usize,
    pub(super) length: usize,
}

/// A block that is being filled.
#[derive(Debug)]
pub(super) struct OpenBlock {
    pub(super) id: i64,
    pub(super) bytes: Vec<u8>,
    /// The bytes of its lines.
    pub(super) lines: usize,
}

impl OpenBlock {
    pub(super) fn new(id: i64, mut room: Vec<u8>) -> Self {
        room.clear();
        Self {
            id,
            bytes: room,
            lines: 0,
        }
    }

    /// Adds a line. Lengths are bounded by those of collections, far below four bytes' most.
    pub(super) fn push(&mut self, url: &str, line: &str) -> Place {
        let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes();
        self.bytes.extend_from_slice(&length(url));
        self.bytes.extend_from_slice(url.as_bytes());
        self.bytes.extend_from_slice(&length(line));
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(line.as_bytes());
        self.lines += line.len();
        Place {
            block: self.id,
            offset,
            length: line.len(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= BLOCK_BYTES
    }
}

/// The lines of a block with their URLs, and where each begins.
pub(super) fn entries(mut bytes: &[u8]) -> Option<Vec<(&str, usize, &str)>> {
    let whole = bytes.len();
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let url = piece(&mut bytes)?;
        let line = piece(&mut bytes)?;
        found.push((url, whole - bytes.len() - line.len(), line));
    }
    Some(found)
}

fn piece<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (text, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

/// Compresses blocks, one after the other.
pub(super) struct Compressor {
    context: zstd_safe::CCtx<'static>,
}

impl Compressor {
    pub(super) fn new() -> Result<Self, String> {
        let mut context = zstd_safe::CCtx::try_create().ok_or("no memory for zstd")?;
        for parameter in [
            zstd_safe::CParameter::CompressionLevel(LEVEL),
            // A bit that flips on the disk is noticed when the block is read.
            zstd_safe::CParameter::ChecksumFlag(true),
        ] {
            context.set_parameter(parameter).map_err(name)?;
        }
        Ok(Self { context })
    }

    pub(super) fn compress(&mut self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut stored = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
        self.context.compress2(&mut stored, bytes).map_err(name)?;
        Ok(stored)
    }
}

fn name(code: zstd_safe::ErrorCode) -> String {
    zstd_safe::get_error_name(code).to_owned()
}

/// Reads blocks, and remembers the last one: pages that came together are often read together.
pub(super) struct Blocks {
    context: Option<zstd_safe::DCtx<'static>>,
    last: Option<(i64, Vec<u8>)>,
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self {
            context: None,
            last: None,
        }
    }

    /// The line at `place`, if it is the one that was put there: a row can be damaged as well.
    pub(super) fn line(
        &mut self,
        connection: &Connection,
        folder: &Path,
        place: Place,
        hash: &LineHash,
    ) -> Result<String, IndexError> {
        let remembered = self.last.as_ref().is_some_and(|(id, _)| *id == place.block);
        let mut line = cut(self.block(connection, folder, place.block)?, place, hash);
        // The numbers of blocks that were removed are given again: what is remembered can be the
        // block that had this one before the last merge.
        if line.is_none() && remembered {
            self.last = None;
            line = cut(self.block(connection, folder, place.block)?, place, hash);
        }
        line.ok_or_else(|| damaged(folder, format!("block {} is not as it was", place.block)))
    }

    /// Tells whether the block that was read last has this URL before the line at `place`.
    pub(super) fn is_of(&self, place: Place, url: &str) -> bool {
        let block = self.last.as_ref().filter(|(id, _)| *id == place.block);
        // Between the two is the length of the line.
        let end = place.offset.checked_sub(4);
        let before = block
            .zip(end)
            .and_then(|((_, bytes), end)| bytes.get(..end));
        before.is_some_and(|before| before.ends_with(url.as_bytes()))
    }

    /// A block, decompressed.
    pub(super) fn block(
        &mut self,
        connection: &Connection,
        folder: &Path,
        id: i64,
    ) -> Result<&[u8], IndexError> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != id) {
            let room = self.last.take().map(|(_, room)| room).unwrap_or_default();
            let bytes = self.read(connection, folder, id, room)?;
            self.last = Some((id, bytes));
        }
        Ok(self.last.as_ref().map_or(&[], |(_, bytes)| bytes))
    }

    fn read(
        &mut self,
        connection: &Connection,
        folder: &Path,
        id: i64,
        mut room: Vec<u8>,
    ) -> Result<Vec<u8>, IndexError> {
        let broken = |problem: &str| damaged(folder, format!("block {id} {problem}"));
        let failed = engine(folder);
        let context = match &mut self.context {
            Some(context) => context,
            none => {
                none.insert(zstd_safe::DCtx::try_create().ok_or_else(|| broken("needs memory"))?)
            }
        };
        let mut statement = connection
            .prepare_cached("SELECT data FROM blocks WHERE id = ?1")
            .map_err(failed)?;
        let decompressed = statement
            .query_row([id], |row| {
                let stored = row.get_ref(0)?.as_blob()?;
                Ok(decompress(context, stored, &mut room))
            })
            .optional()
            .map_err(failed)?;
        match decompressed {
            None => Err(broken("is missing")),
            Some(Err(problem)) => Err(broken(&problem)),
            Some(Ok(())) => Ok(room),
        }
    }
}

/// The line at `place` in `bytes`, if it is the one that has this hash.
fn cut(bytes: &[u8], place: Place, hash: &LineHash) -> Option<String> {
    let line = bytes.get(place.offset..)?.get(..place.length)?;
    let line = std::str::from_utf8(line).ok()?;
    (line_hash(line) == *hash).then(|| line.to_owned())
}

fn decompress(
    context: &mut zstd_safe::DCtx<'static>,
    stored: &[u8],
    room: &mut Vec<u8>,
) -> Result<(), String> {
    let bytes = zstd_safe::get_frame_content_size(stored)
        .ok()
        .flatten()
        .and_then(|bytes| usize::try_from(bytes).ok())
        // 128 KiB can take four bytes at the least; what promises more is not ours.
        .filter(|bytes| bytes / 40_000 <= stored.len())
        .ok_or("has no length")?;
    room.clear();
    room.try_reserve(bytes)
        .map_err(|_| "does not fit into memory")?;
    context
        .decompress(room, stored)
        .map_err(|code| format!("cannot be decompressed: {}", name(code)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_gives_back_what_was_put_into_it() {
        let mut block = OpenBlock::new(7, Vec::new());
        let first = block.push("https://example.com/", "{\"a\":1}");
        let second = block.push("https://example.com/ü", "");
        let found = entries(&block.bytes).unwrap();
        assert_eq!(
            found,
            [
                ("https://example.com/", first.offset, "{\"a\":1}"),
                ("https://example.com/ü", second.offset, "")
            ]
        );
        assert_eq!((block.lines, second.block), (7, 7));
    }

    #[test]
    fn a_block_that_is_cut_is_noticed() {
        let mut block = OpenBlock::new(1, Vec::new());
        block.push("https://example.com/", "{}");
        for end in 1..block.bytes.len() {
            assert!(entries(&block.bytes[..end]).is_none(), "{end}");
        }
    }

    #[test]
    fn what_zstd_reaches_at_most_is_let_through() {
        let zeros = vec![0; 100 << 20];
        let stored = Compressor::new().unwrap().compress(&zeros).unwrap();
        let mut room = Vec::new();
        let mut context = zstd_safe::DCtx::create();
        decompress(&mut context, &stored, &mut room).unwrap();
        assert_eq!(room.len(), zeros.len());
    }
}
