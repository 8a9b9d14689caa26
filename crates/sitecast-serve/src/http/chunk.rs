//! Chunks of files: reading them into pooled buffers.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::quota::Permit;

/// Bytes in the buffer of a download.
const LARGE_CHUNK: usize = 256 << 10;
/// The same while there are more than [`FEW_DOWNLOADS`].
const SMALL_CHUNK: usize = 32 << 10;
/// Concurrent downloads up to which each gets a large buffer.
const FEW_DOWNLOADS: usize = 128;
/// Large buffers that the pool keeps.
const POOL_BUFFERS: usize = 32;

static ACTIVE: AtomicUsize = AtomicUsize::new(0);
static POOL: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Counts a download until dropped.
#[derive(Debug)]
pub(crate) struct Download {
    _permit: Option<Permit>,
}

impl Download {
    pub(crate) fn begin(permit: Option<Permit>) -> Self {
        ACTIVE.fetch_add(1, Ordering::Relaxed);
        Self { _permit: permit }
    }

    /// The number of bytes to read at once.
    #[expect(clippy::unused_self, reason = "only a counted download may ask")]
    pub(crate) fn chunk(&self) -> u64 {
        let many = ACTIVE.load(Ordering::Relaxed) > FEW_DOWNLOADS;
        (if many { SMALL_CHUNK } else { LARGE_CHUNK }) as u64
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A buffer that returns to the pool when the last reference to it is dropped.
pub(crate) struct Chunk {
    buffer: Vec<u8>,
    filled: usize,
}

impl Chunk {
    fn new(length: usize) -> Self {
        let buffer = if length > SMALL_CHUNK {
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            // Not zeroed: only the bytes read into it are ever visible.
            pool.pop().unwrap_or_else(|| vec![0; LARGE_CHUNK])
        } else {
            vec![0; length]
        };
        Self {
            filled: length.min(buffer.len()),
            buffer,
        }
    }

    fn space(&mut self) -> &mut [u8] {
        self.buffer.get_mut(..self.filled).unwrap_or_default()
    }

    /// Reads from the page cache without waiting for a disk; `None` if the range is not cached.
    #[cfg(target_os = "linux")]
    pub(crate) fn read_now(file: &File, range: Range<u64>) -> Option<io::Result<Bytes>> {
        use rustix::io::{ReadWriteFlags, preadv2};

        let mut chunk = Self::new(length(&range));
        let wanted = chunk.filled;
        let mut read = 0;
        while read < wanted {
            let space = chunk.space().get_mut(read..).unwrap_or_default();
            let place = range.start + read as u64;
            let got = preadv2(
                file,
                &mut [io::IoSliceMut::new(space)],
                place,
                ReadWriteFlags::NOWAIT,
            );
            match got {
                Ok(0) => return Some(Err(io::ErrorKind::UnexpectedEof.into())),
                Ok(more) => read += more,
                // Not in the page cache, or the file system does not support `RWF_NOWAIT`.
                Err(_) => return None,
            }
        }
        Some(Ok(Bytes::from_owner(chunk)))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read_now(_file: &File, _range: Range<u64>) -> Option<io::Result<Bytes>> {
        None
    }

    /// Reads the range, and blocks on the disk if necessary.
    pub(crate) fn read(file: &Arc<File>, range: Range<u64>) -> io::Result<Bytes> {
        let mut chunk = Self::new(length(&range));
        read_exact_at(file, chunk.space(), range.start)?;
        Ok(Bytes::from_owner(chunk))
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if self.buffer.len() == LARGE_CHUNK {
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            if pool.len() < POOL_BUFFERS {
                pool.push(std::mem::take(&mut self.buffer));
            }
        }
    }
}

fn length(range: &Range<u64>) -> usize {
    let length = range.end.saturating_sub(range.start);
    usize::try_from(length)
        .unwrap_or(LARGE_CHUNK)
        .min(LARGE_CHUNK)
}

/// Fills the buffer from an offset in the file.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, place)
}

/// Fills the buffer from an offset in the file.
#[cfg(not(unix))]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    let mut done = 0;
    while let Some(space) = buffer.get_mut(done..).filter(|space| !space.is_empty()) {
        match std::os::windows::fs::FileExt::seek_read(file, space, place + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}
