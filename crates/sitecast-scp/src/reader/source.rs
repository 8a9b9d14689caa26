//! Where decompressed bytes come from: this thread, or one that works ahead.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::compression::{Chunk, Decoder};
use crate::{Compression, Limits, ReadError};

/// Chunks that the other thread may be ahead by.
const CHUNKS_AHEAD: usize = 3;

pub(super) enum Source<R> {
    Here(Box<Decoder<R>>),
    Ahead(ReadAhead),
}

/// How far the source has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    pub(super) fetched: u64,
    pub(super) compression: Compression,
}

impl<R: Read> Source<R> {
    pub(super) fn here(source: R, limits: &Limits) -> Self {
        Self::Here(Box::new(Decoder::new(source, limits.clone())))
    }

    /// Puts the next bytes into `chunk` in place of what it holds. Nothing means the end.
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

/// A thread that decompresses while this one checks.
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
            // The thread ends after an error or the end, and nobody asks again after those.
            return Err(ReadError::Io(std::io::Error::other(
                "the decompressing thread has ended",
            )));
        };
        let (next, progress) = next?;
        // The buffer goes back to be filled again. If the thread has ended, it needs none.
        let _ = self.spare.send(std::mem::replace(chunk, next));
        Ok(progress)
    }
}

/// Runs until the end, an error, or nobody listens any more.
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
