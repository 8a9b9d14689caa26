//! Decompression of the source.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// Bytes fetched at once.
const CHUNK: usize = 64 << 10;
/// Bytes decompressed at once. A decompressor that finds an error discards the output of the same
/// step, so steps are small.
const STEP: usize = 1 << 10;

/// A stored file, plain or gzip.
pub(super) struct Input<R> {
    stage: Stage<R>,
    gzip: bool,
    /// The error to return after the bytes before it have been returned.
    failure: Option<io::Error>,
    /// True if other bytes than padding follow the compressed stream.
    trailing: bool,
}

enum Stage<R> {
    Plain(Counted<R>),
    Gzip(Box<GzDecoder<BufReader<Counted<R>>>>),
    /// With the number of bytes fetched.
    Ended(u64),
}

impl<R: Read> Input<R> {
    /// Detects gzip by its first bytes. Stops fetching once more than `limit` bytes have been fetched.
    pub(super) fn open(source: R, limit: u64) -> Self {
        let mut counted = Counted {
            ahead: Vec::new(),
            source,
            fetched: 0,
            limit,
        };
        let mut ahead = [0; 2];
        let mut filled = 0;
        let mut failure = None;
        while let Some(rest) = ahead.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match counted.read(rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        counted.ahead = ahead.get(..filled).unwrap_or_default().to_vec();
        let gzip = ahead == [0x1f, 0x8b];
        Self {
            stage: if gzip {
                let buffered = BufReader::with_capacity(CHUNK, counted);
                Stage::Gzip(Box::new(GzDecoder::new(buffered)))
            } else {
                Stage::Plain(counted)
            },
            gzip,
            failure,
            trailing: false,
        }
    }

    /// Reads into `buffer`; returns 0 at the end. An error is returned after all bytes before it.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Stage::Plain(source) = &mut self.stage {
            return match self.failure.take() {
                None => source.read(buffer),
                Some(error) if source.ahead.is_empty() => Err(error),
                failure => {
                    self.failure = failure;
                    Ok(source.give_back(buffer))
                }
            };
        }
        let mut filled = 0;
        while self.failure.is_none()
            && let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty())
        {
            let step = rest.len().min(STEP);
            match self.step(rest.get_mut(..step).unwrap_or_default()) {
                Ok(0) => return Ok(filled),
                Ok(count) => filled += count,
                Err(error) => self.failure = Some(error),
            }
        }
        match self.failure.take() {
            Some(error) if filled == 0 => Err(error),
            failure => {
                self.failure = failure;
                Ok(filled)
            }
        }
    }

    fn step(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Stage::Gzip(decoder) = &mut self.stage else {
                return Ok(0);
            };
            let count = decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            // A file can have several members; other bytes after a member are padding or garbage.
            let ended = Stage::Ended(decoder.get_ref().get_ref().fetched);
            let Stage::Gzip(decoder) = std::mem::replace(&mut self.stage, ended) else {
                return Ok(0);
            };
            let mut rest = decoder.into_inner();
            if let &[byte] = rest.fill_buf()? {
                // One byte is not enough to detect a member; put it back and read it again with the next ones.
                rest.consume(1);
                rest.get_mut().ahead.push(byte);
            }
            let next = rest.fill_buf()?;
            if next.starts_with(&[0x1f, 0x8b]) {
                self.stage = Stage::Gzip(Box::new(GzDecoder::new(rest)));
            } else {
                self.trailing = next.iter().any(|&byte| byte != 0);
                self.stage = Stage::Ended(rest.get_ref().fetched);
            }
        }
    }

    /// The number of bytes fetched.
    pub(super) fn fetched(&self) -> u64 {
        match &self.stage {
            Stage::Plain(source) => source.fetched,
            Stage::Gzip(decoder) => decoder.get_ref().get_ref().fetched,
            Stage::Ended(fetched) => *fetched,
        }
    }

    /// Returns true if the file is compressed.
    pub(super) fn is_gzip(&self) -> bool {
        self.gzip
    }

    /// Returns true if other bytes than padding follow the compressed stream.
    pub(super) fn has_trailing_bytes(&self) -> bool {
        self.trailing
    }
}

/// A source that counts and limits the bytes fetched, and can return bytes again.
struct Counted<R> {
    /// Bytes to return again.
    ahead: Vec<u8>,
    source: R,
    fetched: u64,
    limit: u64,
}

impl<R> Counted<R> {
    fn give_back(&mut self, buffer: &mut [u8]) -> usize {
        let count = self.ahead.len().min(buffer.len());
        for (place, byte) in buffer.iter_mut().zip(self.ahead.drain(..count)) {
            *place = byte;
        }
        count
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let given_back = self.give_back(buffer);
        let Some(rest) = buffer.get_mut(given_back..).filter(|rest| !rest.is_empty()) else {
            return Ok(given_back);
        };
        if self.fetched > self.limit {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large"));
        }
        loop {
            match self.source.read(rest) {
                Ok(count) => {
                    self.fetched += count as u64;
                    return Ok(given_back + count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
