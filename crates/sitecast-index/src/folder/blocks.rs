//! Blocks of lines. Lines compress better together than alone, and the database needs fewer rows.
//!
//! A block contains, for each line: the length of its URL, the URL, the length of the line and the line.
//! Lengths are 32-bit little-endian integers. With the URLs in the block, compaction finds the rows of its
//! lines without an index from blocks to pages.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::errors::{damaged, from_sqlite};
use super::rows::{LineHash, line_hash};
use crate::IndexError;

/// A block is closed at this size. Reading one page decompresses one block; blocks of twice the size would
/// save only 2 % of the space.
pub(super) const BLOCK_BYTES: usize = 64 << 10;

/// The compression level: the fastest of zstd's regular levels.
const LEVEL: i32 = 1;

/// The location of a line.
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
    /// The size of its lines in bytes, without URLs and lengths.
    pub(super) lines: usize,
}

impl OpenBlock {
    pub(super) fn new(id: i64, mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self {
            id,
            bytes: buffer,
            lines: 0,
        }
    }

    /// Adds a line. The limits on collections keep lengths far below 2³².
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

/// Splits a block into its lines: URL, offset and line. Returns `None` if the block is malformed.
pub(super) fn entries(mut bytes: &[u8]) -> Option<Vec<(&str, usize, &str)>> {
    let whole = bytes.len();
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let url = read_prefixed(&mut bytes)?;
        let line = read_prefixed(&mut bytes)?;
        found.push((url, whole - bytes.len() - line.len(), line));
    }
    Some(found)
}

fn read_prefixed<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (text, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

/// A reusable compressor of blocks.
pub(super) struct Compressor {
    context: zstd_safe::CCtx<'static>,
}

impl Compressor {
    pub(super) fn new() -> Result<Self, String> {
        let mut context = zstd_safe::CCtx::try_create().ok_or("zstd is out of memory")?;
        for parameter in [
            zstd_safe::CParameter::CompressionLevel(LEVEL),
            // Detects bits that flipped on the disk.
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

/// A reader that keeps the last block, because pages that were merged together are often read together.
pub(super) struct BlockReader {
    context: Option<zstd_safe::DCtx<'static>>,
    last: Option<(i64, Vec<u8>)>,
}

impl BlockReader {
    pub(super) fn new() -> Self {
        Self {
            context: None,
            last: None,
        }
    }

    /// Returns the line at `place`. Compares it with `hash`, because a damaged row can point to another line.
    pub(super) fn line(
        &mut self,
        connection: &Connection,
        folder: &Path,
        place: Place,
        hash: &LineHash,
    ) -> Result<String, IndexError> {
        let remembered = self.last.as_ref().is_some_and(|(id, _)| *id == place.block);
        let mut line = checked_line(self.block(connection, folder, place.block)?, place, hash);
        // Numbers of removed blocks are reused, so the kept block may be one that had this number before the
        // last merge.
        if line.is_none() && remembered {
            self.last = None;
            line = checked_line(self.block(connection, folder, place.block)?, place, hash);
        }
        line.ok_or_else(|| {
            damaged(
                folder,
                format!("block {} does not match the hash of the page", place.block),
            )
        })
    }

    /// Returns true if the last block has this URL before the line at `place`.
    pub(super) fn is_of(&self, place: Place, url: &str) -> bool {
        let block = self.last.as_ref().filter(|(id, _)| *id == place.block);
        // The length of the line is between the two.
        let end = place.offset.checked_sub(4);
        let before = block
            .zip(end)
            .and_then(|((_, bytes), end)| bytes.get(..end));
        before.is_some_and(|before| before.ends_with(url.as_bytes()))
    }

    /// Returns a decompressed block.
    pub(super) fn block(
        &mut self,
        connection: &Connection,
        folder: &Path,
        id: i64,
    ) -> Result<&[u8], IndexError> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != id) {
            let buffer = self
                .last
                .take()
                .map(|(_, buffer)| buffer)
                .unwrap_or_default();
            let bytes = self.read(connection, folder, id, buffer)?;
            self.last = Some((id, bytes));
        }
        Ok(self.last.as_ref().map_or(&[], |(_, bytes)| bytes))
    }

    fn read(
        &mut self,
        connection: &Connection,
        folder: &Path,
        id: i64,
        mut buffer: Vec<u8>,
    ) -> Result<Vec<u8>, IndexError> {
        let broken = |problem: &str| damaged(folder, format!("block {id} {problem}"));
        let failed = from_sqlite(folder);
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(
                zstd_safe::DCtx::try_create()
                    .ok_or_else(|| broken("cannot be decompressed: zstd is out of memory"))?,
            ),
        };
        let mut statement = connection
            .prepare_cached("SELECT data FROM blocks WHERE id = ?1")
            .map_err(failed)?;
        let decompressed = statement
            .query_row([id], |row| {
                let stored = row.get_ref(0)?.as_blob()?;
                Ok(decompress(context, stored, &mut buffer))
            })
            .optional()
            .map_err(failed)?;
        match decompressed {
            None => Err(broken("is missing")),
            Some(Err(problem)) => Err(broken(&problem)),
            Some(Ok(())) => Ok(buffer),
        }
    }
}

/// Returns the line at `place` in `bytes` if it has this hash.
fn checked_line(bytes: &[u8], place: Place, hash: &LineHash) -> Option<String> {
    let line = bytes.get(place.offset..)?.get(..place.length)?;
    let line = std::str::from_utf8(line).ok()?;
    (line_hash(line) == *hash).then(|| line.to_owned())
}

fn decompress(
    context: &mut zstd_safe::DCtx<'static>,
    stored: &[u8],
    buffer: &mut Vec<u8>,
) -> Result<(), String> {
    let bytes = zstd_safe::get_frame_content_size(stored)
        .ok()
        .flatten()
        .and_then(|bytes| usize::try_from(bytes).ok())
        // zstd needs at least four bytes for 128 KiB. A header that claims more is damaged.
        .filter(|bytes| bytes / 40_000 <= stored.len())
        .ok_or("has no valid content size")?;
    buffer.clear();
    buffer
        .try_reserve(bytes)
        .map_err(|_| "does not fit into memory")?;
    context
        .decompress(buffer, stored)
        .map_err(|code| format!("cannot be decompressed: {}", name(code)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_returns_the_lines_put_into_it() {
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
    fn rejects_truncated_block() {
        let mut block = OpenBlock::new(1, Vec::new());
        block.push("https://example.com/", "{}");
        for end in 1..block.bytes.len() {
            assert!(entries(&block.bytes[..end]).is_none(), "{end}");
        }
    }

    #[test]
    fn accepts_the_highest_ratio_that_zstd_reaches() {
        let zeros = vec![0; 100 << 20];
        let stored = Compressor::new().unwrap().compress(&zeros).unwrap();
        let mut buffer = Vec::new();
        let mut context = zstd_safe::DCtx::create();
        decompress(&mut context, &stored, &mut buffer).unwrap();
        assert_eq!(buffer.len(), zeros.len());
    }
}
