//! Pieces of files in memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::quota::Place;

/// What a download holds while there are few.
const LARGE: usize = 256 << 10;
/// What it holds while there are many.
const SMALL: usize = 32 << 10;
/// More downloads than these are many.
const FEW: usize = 128;
/// Large buffers that are kept to be used again.
const KEPT: usize = 32;

static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
static POOL: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Counts a download as long as it lives.
#[derive(Debug)]
pub(crate) struct Streaming {
    _place: Option<Place>,
}

impl Streaming {
    pub(crate) fn begin(place: Option<Place>) -> Self {
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        Self { _place: place }
    }

    /// How many bytes to read at once.
    #[expect(clippy::unused_self, reason = "whoever asks is counted")]
    pub(crate) fn chunk(&self) -> u64 {
        let many = UNDER_WAY.load(Ordering::Relaxed) > FEW;
        (if many { SMALL } else { LARGE }) as u64
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A buffer that goes back to the pool when all that look at it are done.
pub(crate) struct Chunk {
    buffer: Vec<u8>,
    filled: usize,
}

impl Chunk {
    fn new(length: usize) -> Self {
        let buffer = if length > SMALL {
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            // Not zeroed again: only what was read is ever shown.
            pool.pop().unwrap_or_else(|| vec![0; LARGE])
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

    /// Reads what the system has in memory, without waiting for a disk: `None` if it has not.
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
                // Not in memory, or a file system that cannot tell.
                Err(_) => return None,
            }
        }
        Some(Ok(Bytes::from_owner(chunk)))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read_now(_file: &File, _range: Range<u64>) -> Option<io::Result<Bytes>> {
        None
    }

    /// Reads, and waits for the disk if need be.
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
        if self.buffer.len() == LARGE {
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            if pool.len() < KEPT {
                pool.push(std::mem::take(&mut self.buffer));
            }
        }
    }
}

fn length(range: &Range<u64>) -> usize {
    let length = range.end.saturating_sub(range.start);
    usize::try_from(length).unwrap_or(LARGE).min(LARGE)
}

/// Fills the buffer from a place in the file.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, place)
}

/// Fills the buffer from a place in the file.
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
