//! Reading from the network as from a file.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc;

use crate::engine::{Engine, wait};

/// How many pieces wait to be read; each is what the network library read at once, some 400 KB at
/// most.
const WAITING: usize = 8;

/// The bytes of a stream, of which there must be exactly as many as were announced.
pub(crate) struct Streamed {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
    missing: u64,
    /// Works as long as somebody reads.
    _engine: Arc<Engine>,
}

impl Streamed {
    pub(crate) fn new(
        engine: &Arc<Engine>,
        size: u64,
        stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    ) -> Self {
        let (sender, pieces) = mpsc::channel(WAITING);
        engine.handle().spawn(async move {
            let mut stream = Box::pin(stream);
            while let Some(piece) = stream.next().await {
                // Nobody listens any more: the reader was dropped.
                if sender.send(piece).await.is_err() {
                    break;
                }
            }
        });
        Self {
            pieces,
            piece: Bytes::new(),
            missing: size,
            _engine: Arc::clone(engine),
        }
    }
}

impl Read for Streamed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.piece.is_empty() {
            match wait(self.pieces.recv()) {
                Some(piece) => self.piece = piece?,
                None if self.missing == 0 => return Ok(0),
                None => {
                    let message = format!("it ended {} bytes early", self.missing);
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                }
            }
        }
        let read = self.piece.len().min(buffer.len());
        self.missing = self
            .missing
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is longer than said"))?;
        if let Some(buffer) = buffer.get_mut(..read) {
            self.piece.copy_to_slice(buffer);
        }
        Ok(read)
    }
}
