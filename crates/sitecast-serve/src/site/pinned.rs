//! Pinning a version of an object, so that it does not change while it is served.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use sitecast_storage::{Content, Opened};

use crate::http::chunk::read_exact_at;

/// Size up to which content is kept in memory rather than in an open file.
pub(crate) const MAX_MEMORY_BYTES: u64 = 256 << 10;

/// Returns a reader of the whole content.
pub(crate) fn reader(content: &Content, size: u64) -> io::Result<Box<dyn Read + Send>> {
    Ok(match content {
        Content::File(file) => Box::new(FileReader {
            file: Arc::clone(file),
            range: 0..size,
        }),
        Content::Memory(bytes) => Box::new(io::Cursor::new(Arc::clone(bytes))),
        Content::Remote(remote) => remote.read(0..size).map_err(io::Error::other)?,
    })
}

/// Reads the whole content into memory. The caller has checked the size.
pub(crate) fn read_all(content: &Content, size: u64) -> io::Result<Bytes> {
    if let Content::Memory(bytes) = content {
        return Ok(Bytes::from_owner(Arc::clone(bytes)));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    reader(content, size)?.take(size).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Bytes::from(bytes))
}

/// Keeps this version readable until the last reader is done: small content is read into memory, remote content is
/// copied into an unnamed file.
pub(crate) fn pin(opened: &Opened) -> io::Result<Content> {
    if opened.size <= MAX_MEMORY_BYTES {
        return Ok(Content::Memory(
            read_all(&opened.content, opened.size)?.to_vec().into(),
        ));
    }
    match &opened.content {
        Content::Remote(_) => {
            let mut spool = Spool::default();
            io::copy(&mut reader(&opened.content, opened.size)?, &mut spool)?;
            Ok(spool.finish()?.0)
        }
        content => Ok(content.clone()),
    }
}

/// Buffers an unknown number of bytes: in memory, or in an unnamed file if there are many.
#[derive(Default)]
pub(crate) struct Spool {
    memory: Vec<u8>,
    file: Option<File>,
    size: u64,
}

impl Spool {
    /// Returns the content and its size.
    pub(crate) fn finish(self) -> io::Result<(Content, u64)> {
        let content = match self.file {
            None => Content::Memory(self.memory.into()),
            Some(mut file) => {
                file.rewind()?;
                Content::File(Arc::new(file))
            }
        };
        Ok((content, self.size))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.size += bytes.len() as u64;
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        } else if self.size > MAX_MEMORY_BYTES {
            let mut file = tempfile::tempfile()?;
            file.write_all(&self.memory)?;
            file.write_all(bytes)?;
            self.memory = Vec::new();
            self.file = Some(file);
        } else {
            self.memory.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a shared file without moving its position.
struct FileReader {
    file: Arc<File>,
    range: Range<u64>,
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.range.end.saturating_sub(self.range.start);
        let length = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let space = buffer.get_mut(..length).unwrap_or_default();
        read_exact_at(&self.file, space, self.range.start)?;
        self.range.start += length as u64;
        Ok(length)
    }
}
