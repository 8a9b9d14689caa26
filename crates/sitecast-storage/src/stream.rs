//! A blocking reader of an asynchronous stream.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc;

use crate::runtime::{StoreRuntime, wait};

/// The most buffered chunks. A chunk is one read of the network library, up to about 400 KB.
const MAX_BUFFERED: usize = 8;

/// Reads the bytes of a stream. Fails unless there are exactly as many as were announced.
pub(crate) struct StreamReader {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    chunk: Bytes,
    remaining: u64,
    /// Keeps the runtime alive while this is being read.
    _runtime: Arc<StoreRuntime>,
}

impl StreamReader {
    pub(crate) fn new(
        runtime: &Arc<StoreRuntime>,
        size: u64,
        stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    ) -> Self {
        let (sender, chunks) = mpsc::channel(MAX_BUFFERED);
        runtime.handle().spawn(async move {
            let mut stream = Box::pin(stream);
            while let Some(chunk) = stream.next().await {
                // The reader was dropped.
                if sender.send(chunk).await.is_err() {
                    break;
                }
            }
        });
        Self {
            chunks,
            chunk: Bytes::new(),
            remaining: size,
            _runtime: Arc::clone(runtime),
        }
    }
}

impl Read for StreamReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.chunk.is_empty() {
            match wait(self.chunks.recv()) {
                Some(chunk) => self.chunk = chunk?,
                None if self.remaining == 0 => return Ok(0),
                None => {
                    let message = format!("it ended {} bytes early", self.remaining);
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                }
            }
        }
        let read = self.chunk.len().min(buffer.len());
        self.remaining = self.remaining.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "it is longer than announced")
        })?;
        if let Some(buffer) = buffer.get_mut(..read) {
            self.chunk.copy_to_slice(buffer);
        }
        Ok(read)
    }
}
