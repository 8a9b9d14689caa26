//! Sources of decompressed bytes: a decoder on this thread, or one that works ahead on another.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::compression::{Chunk, Decoder};
use crate::{Compression, Limits, ReadError};

/// The number of chunks by which the other thread may be ahead.
const CHUNKS_AHEAD: usize = 3;

pub(super) enum Source<R> {
    Here(Box<Decoder<R>>),
    Ahead(ReadAhead),
}

/// The progress of reading the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    /// Stored bytes fetched so far.
    pub(super) fetched: u64,
    pub(super) compression: Compression,
}

impl<R: Read> Source<R> {
    pub(super) fn here(source: R, limits: &Limits) -> Self {
        Self::Here(Box::new(Decoder::new(source, limits.clone())))
    }

    /// Replaces the contents of `chunk` with the next bytes. An empty chunk means the end.
    pub(super) fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<Progress, ReadError> {
        match self {
            Self::Here(decoder) => {
                decoder.next_chunk(chunk)?;
                Ok(progress(decoder))
            }
            Self::Ahead(ahead) => ahead.next_chunk(chunk),
        }
    }
}

impl<R: Read + Send + 'static> Source<R> {
    pub(super) fn ahead(source: R, limits: &Limits) -> Result<Self, ReadError> {
        ReadAhead::spawn(Decoder::new(source, limits.clone())).map(Self::Ahead)
    }
}

fn progress<R: Read>(decoder: &Decoder<R>) -> Progress {
    Progress {
        fetched: decoder.fetched(),
        compression: decoder.compression(),
    }
}

/// A connection to the thread that decompresses while this one checks.
pub(super) struct ReadAhead {
    chunks: Receiver<Result<(Chunk, Progress), ReadError>>,
    spare: Sender<Chunk>,
}

impl ReadAhead {
    fn spawn<R: Read + Send + 'static>(decoder: Decoder<R>) -> Result<Self, ReadError> {
        let (send, chunks) = sync_channel(CHUNKS_AHEAD);
        let (spare, spares) = channel();
        thread::Builder::new()
            .name("scp-decompress".to_owned())
            .spawn(move || work_ahead(decoder, &send, &spares))
            .map_err(ReadError::Io)?;
        Ok(Self { chunks, spare })
    }

    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<Progress, ReadError> {
        let Ok(next) = self.chunks.recv() else {
            // The thread ends after an error or at the end, and callers read no further after either.
            return Err(ReadError::Io(std::io::Error::other(
                "the decompression thread ended unexpectedly",
            )));
        };
        let (next, progress) = next?;
        // Return the buffer for reuse. Sending fails only if the thread has ended and needs none.
        let _ = self.spare.send(std::mem::replace(chunk, next));
        Ok(progress)
    }
}

/// Runs until the end, an error, or the receiver is dropped.
fn work_ahead<R: Read>(
    mut decoder: Decoder<R>,
    send: &SyncSender<Result<(Chunk, Progress), ReadError>>,
    spares: &Receiver<Chunk>,
) {
    loop {
        let mut chunk = spares.try_recv().unwrap_or_default();
        let result = decoder.next_chunk(&mut chunk);
        let last = result.is_err() || chunk.bytes().is_empty();
        if send
            .send(result.map(|()| (chunk, progress(&decoder))))
            .is_err()
            || last
        {
            return;
        }
    }
}
