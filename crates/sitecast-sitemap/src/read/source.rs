//! The text of a sitemap as UTF-8: decompression, character encoding, limits, positions.

use std::io::{self, BufRead, Read};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::input::Input;
use crate::{Limits, Position, ReadErrorKind};

/// Bytes fetched at once.
const CHUNK: usize = 64 << 10;
/// Bytes at the beginning in which an XML declaration is found before decoding.
const DECLARATION: usize = 256;

/// The text of a sitemap, decoded to UTF-8 for parsers.
///
/// If reading fails, parsers get an [`io::Error`] as a placeholder, and [`Self::failure`] has the
/// reason.
pub(crate) struct TextSource<R> {
    input: Input<R>,
    /// Bytes fetched but not decoded yet.
    undecoded: Vec<u8>,
    /// The decoder; `None` for UTF-8, and after the end of the input.
    decoder: Option<Decoder>,
    encoding: &'static Encoding,
    /// The declared encoding, if it is unknown.
    unknown_label: Option<String>,
    /// True if the text began with a byte order mark of UTF-8.
    marked: bool,
    /// True if the text began with white space.
    spaces_first: bool,
    /// The line of the first bytes that are invalid in the encoding.
    invalid: Option<u64>,
    /// Decoded text, of which everything before `at` is consumed.
    text: Vec<u8>,
    at: usize,
    ended: bool,
    /// Decompressed bytes so far.
    bytes: u64,
    max_bytes: u64,
    max_token: usize,
    /// Decoded bytes before `text`.
    before: u64,
    /// The start of the current token, in decoded bytes.
    token_start: u64,
    lines: LineCount,
    failure: Option<ReadErrorKind>,
    record: Option<Record>,
}

/// The line count up to `counted`. Lines are counted only on demand, because a parser consumes a few bytes at a time.
struct LineCount {
    line: u64,
    /// Decoded bytes before the current line.
    line_start: u64,
    /// The offset in `text` up to which lines have been counted.
    counted: usize,
}

/// A copy of the consumed text.
struct Record {
    bytes: Vec<u8>,
    /// The offset in `text` from which consumed bytes are not yet in `bytes`.
    from: usize,
}

impl<R: Read> TextSource<R> {
    pub(crate) fn new(source: R, limits: &Limits) -> Self {
        let mut text = Self {
            input: Input::open(source, limits.bytes),
            undecoded: Vec::new(),
            decoder: None,
            encoding: UTF_8,
            unknown_label: None,
            marked: false,
            spaces_first: false,
            invalid: None,
            text: Vec::new(),
            at: 0,
            ended: false,
            bytes: 0,
            max_bytes: limits.bytes,
            max_token: limits.token_bytes,
            before: 0,
            token_start: 0,
            lines: LineCount {
                line: 1,
                line_start: 0,
                counted: 0,
            },
            failure: None,
            record: None,
        };
        text.detect_encoding();
        text
    }

    /// Detects the encoding by the first bytes.
    fn detect_encoding(&mut self) {
        let mut head = [0; DECLARATION];
        let mut filled = 0;
        while filled < head.len() && !self.ended {
            // A failure is reported after the bytes before it have been consumed.
            filled += self
                .fetch(head.get_mut(filled..).unwrap_or_default())
                .unwrap_or(0);
        }
        let mut head = head.get(..filled).unwrap_or_default();
        let (encoding, mark) = match head {
            [0xff, 0xfe, ..] => (UTF_16LE, 2),
            [0xfe, 0xff, ..] => (UTF_16BE, 2),
            [b'<', 0, ..] => (UTF_16LE, 0),
            [0, b'<', ..] => (UTF_16BE, 0),
            _ => {
                // Some files have several byte order marks.
                while let Some(rest) = head.strip_prefix(b"\xef\xbb\xbf") {
                    head = rest;
                    self.marked = true;
                }
                let label = declared_label(head).filter(|_| !self.marked);
                // UTF-16 would have been detected by its bytes, so ignore its declaration.
                let known = label.and_then(|label| Encoding::for_label(label.as_bytes()));
                let wide = known.is_some_and(|encoding| !encoding.is_ascii_compatible());
                if known.is_none() || wide {
                    self.unknown_label = label.map(|label| label.chars().take(40).collect());
                }
                (known.filter(|_| !wide).unwrap_or(UTF_8), 0)
            }
        };
        self.encoding = encoding;
        if encoding != UTF_8 {
            self.decoder = Some(encoding.new_decoder_without_bom_handling());
        }
        self.undecoded = head.get(mark..).unwrap_or_default().to_vec();
    }

    /// Fetches into `buffer`. Returns `None` if that failed.
    fn fetch(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let gzip = self.input.is_gzip();
        match self.input.read(buffer) {
            Ok(count) => {
                let allowed = self.max_bytes.saturating_sub(self.bytes);
                self.bytes += count as u64;
                self.ended = count == 0;
                if count as u64 > allowed {
                    // Return the bytes within the limit, so that the result does not depend on read sizes.
                    self.fail(ReadErrorKind::TooLarge(self.max_bytes));
                    return Some(allowed as usize);
                }
                Some(count)
            }
            Err(error) => {
                self.fail(match error.kind() {
                    io::ErrorKind::FileTooLarge => ReadErrorKind::TooLarge(self.max_bytes),
                    io::ErrorKind::UnexpectedEof if gzip => {
                        ReadErrorKind::Decompress("it is cut short".to_owned())
                    }
                    io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if gzip => {
                        ReadErrorKind::Decompress(error.to_string())
                    }
                    _ => ReadErrorKind::Io(error),
                });
                None
            }
        }
    }

    fn fail(&mut self, failure: ReadErrorKind) {
        self.failure.get_or_insert(failure);
        self.ended = true;
    }

    /// Takes the reason why reading failed, if it did.
    pub(crate) fn failure(&mut self) -> Option<ReadErrorKind> {
        self.failure.take()
    }

    /// Marks the beginning of a token, whose length is limited.
    #[inline]
    pub(crate) fn begin_token(&mut self) {
        self.token_start = self.before + self.at as u64;
    }

    /// The number of decompressed bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of bytes fetched.
    pub(crate) fn stored_bytes(&self) -> u64 {
        self.input.fetched()
    }

    /// Returns true if the file is compressed.
    pub(crate) fn is_gzip(&self) -> bool {
        self.input.is_gzip()
    }

    /// Returns true if other bytes than padding follow the compressed stream.
    pub(crate) fn has_trailing_bytes(&self) -> bool {
        self.input.has_trailing_bytes()
    }

    /// The declared encoding, if it is unknown.
    pub(crate) fn unknown_label(&self) -> Option<&str> {
        self.unknown_label.as_deref()
    }

    /// Records that the text begins with white space.
    pub(crate) fn note_skipped_spaces(&mut self) {
        self.spaces_first = true;
    }

    /// Returns true if the text begins with white space.
    pub(crate) fn skipped_spaces(&self) -> bool {
        self.spaces_first
    }

    /// Returns true if the text began with a byte order mark of UTF-8.
    pub(crate) fn has_byte_order_mark(&self) -> bool {
        self.marked
    }

    /// The encoding of the text.
    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Takes the line of the first invalid bytes since the last call.
    pub(crate) fn take_invalid(&mut self) -> Option<u64> {
        self.invalid.take()
    }

    /// Returns true if there are invalid bytes that [`Self::take_invalid`] has not returned yet.
    pub(crate) fn saw_invalid(&self) -> bool {
        self.invalid.is_some()
    }

    /// The position of the next byte.
    pub(crate) fn position(&mut self) -> Position {
        self.count_lines();
        Position {
            line: self.lines.line,
            column: self.before + self.at as u64 - self.lines.line_start + 1,
        }
    }

    fn count_lines(&mut self) {
        let consumed = self
            .text
            .get(self.lines.counted..self.at)
            .unwrap_or_default();
        let feeds = memchr::memchr_iter(b'\n', consumed);
        let (count, last) = feeds.fold((0, None), |(count, _), at| (count + 1, Some(at)));
        if let Some(last) = last {
            self.lines.line += count;
            self.lines.line_start = self.before + (self.lines.counted + last) as u64 + 1;
        }
        self.lines.counted = self.at;
    }

    /// Starts to keep a copy of the consumed text.
    pub(crate) fn start_record(&mut self) {
        self.record = Some(Record {
            bytes: Vec::new(),
            from: self.at,
        });
    }

    /// Takes the text consumed since the record was started or last taken.
    pub(crate) fn take_record(&mut self) -> Vec<u8> {
        let Some(record) = &mut self.record else {
            return Vec::new();
        };
        let mut bytes = std::mem::take(&mut record.bytes);
        bytes.extend_from_slice(self.text.get(record.from..self.at).unwrap_or_default());
        record.from = self.at;
        bytes
    }

    /// Replaces the consumed text with the next decoded text.
    fn refill(&mut self) {
        self.count_lines();
        if let Some(record) = &mut self.record {
            record
                .bytes
                .extend_from_slice(self.text.get(record.from..).unwrap_or_default());
            record.from = 0;
        }
        self.before += self.text.len() as u64;
        self.at = 0;
        self.lines.counted = 0;
        self.text.clear();
        while self.text.is_empty() {
            if self.ended && self.undecoded.is_empty() && self.decoder.is_none() {
                return;
            }
            let already = self.undecoded.len();
            if !self.ended {
                let mut fetched = std::mem::take(&mut self.undecoded);
                fetched.resize(already.max(DECLARATION) + CHUNK, 0);
                let count = self
                    .fetch(fetched.get_mut(already..).unwrap_or_default())
                    .unwrap_or(0);
                fetched.truncate(already + count);
                self.undecoded = fetched;
            }
            match self.decoder.take() {
                None => self.take_utf8(),
                Some(decoder) => self.decode(decoder),
            }
        }
    }

    /// Moves the complete characters of the fetched bytes to the text, and replaces invalid ones.
    fn take_utf8(&mut self) {
        std::mem::swap(&mut self.text, &mut self.undecoded);
        self.undecoded.clear();
        let Err(error) = std::str::from_utf8(&self.text) else {
            return;
        };
        if error.error_len().is_none() && !self.ended {
            // The last character continues in the next chunk.
            self.undecoded = self.text.split_off(error.valid_up_to());
            return;
        }
        // Replace the invalid bytes, except for an incomplete last character, which may continue.
        let before = self.text.get(..error.valid_up_to()).unwrap_or_default();
        let line = self.lines.line + memchr::memchr_iter(b'\n', before).count() as u64;
        self.invalid.get_or_insert(line);
        let tail = if self.ended {
            0
        } else {
            incomplete_tail(&self.text)
        };
        self.undecoded = self.text.split_off(self.text.len() - tail);
        self.text = String::from_utf8_lossy(&self.text)
            .into_owned()
            .into_bytes();
    }

    fn decode(&mut self, mut decoder: Decoder) {
        let capacity = decoder
            .max_utf8_buffer_length(self.undecoded.len())
            .unwrap_or(4 * CHUNK);
        self.text.resize(capacity, 0);
        let (result, read, written, replaced) =
            decoder.decode_to_utf8(&self.undecoded, &mut self.text, self.ended);
        self.text.truncate(written);
        self.undecoded.drain(..read);
        if replaced {
            let valid = memchr::memmem::find(&self.text, "\u{fffd}".as_bytes()).unwrap_or(0);
            let before = self.text.get(..valid).unwrap_or_default();
            let line = self.lines.line + memchr::memchr_iter(b'\n', before).count() as u64;
            self.invalid.get_or_insert(line);
        }
        if !(self.ended && result == CoderResult::InputEmpty) {
            self.decoder = Some(decoder);
        }
    }
}

/// The length of an incomplete character at the end.
fn incomplete_tail(bytes: &[u8]) -> usize {
    (1..=3.min(bytes.len()))
        .find(|&count| {
            let tail = bytes.get(bytes.len() - count..).unwrap_or_default();
            matches!(std::str::from_utf8(tail), Err(error) if error.error_len().is_none() && error.valid_up_to() == 0)
        })
        .unwrap_or(0)
}

/// The encoding in `<?xml … encoding="…"?>`.
fn declared_label(head: &[u8]) -> Option<&str> {
    let head = head.trim_ascii_start();
    let named = head.strip_prefix(b"<?xml");
    if !named.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace)) {
        return None;
    }
    let end = memchr::memchr(b'>', head)?;
    let declaration = std::str::from_utf8(head.get(..end)?).ok()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.get(1..)?.split(quote).next()
}

impl<R: Read> Read for TextSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut text = self.fill_buf()?;
        let count = text.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for TextSource<R> {
    #[inline]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.text.len() {
            let token = self.before + self.at as u64 - self.token_start;
            if token > self.max_token as u64 {
                self.fail(ReadErrorKind::TokenTooLong(self.max_token));
                return Err(io::Error::other("see TextSource::failure"));
            }
            self.refill();
            if self.text.is_empty() && self.failure.is_some() {
                return Err(io::Error::other("see TextSource::failure"));
            }
        }
        Ok(self.text.get(self.at..).unwrap_or_default())
    }

    #[inline]
    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.text.len());
    }
}

#[cfg(test)]
mod tests;
