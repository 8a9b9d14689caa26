//! From stored bytes to UTF-8 text: decompression, character encoding, limits, positions.

use std::io::{self, BufRead, Read};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::input::Input;
use crate::{Limits, Position, ReadErrorKind};

/// How much is fetched at once.
const CHUNK: usize = 64 << 10;
/// How far an XML declaration can be from the beginning to be seen before decoding.
const DECLARATION: usize = 256;

/// The text of a sitemap, as a parser that wants UTF-8 can have it.
///
/// When reading fails, parsers get an [`io::Error`] without meaning; [`Self::failure`] has the
/// reason.
pub(crate) struct TextSource<R> {
    input: Input<R>,
    /// Bytes that were fetched and are not decoded yet.
    undecoded: Vec<u8>,
    decoder: Option<Decoder>,
    encoding: &'static Encoding,
    /// What the declaration says, if it is no encoding that anyone knows.
    unknown_label: Option<String>,
    marked: bool,
    spaces_first: bool,
    /// The line on which bytes came that the encoding does not allow.
    invalid: Option<u64>,
    /// Decoded text, of which everything before `at` is consumed.
    text: Vec<u8>,
    at: usize,
    ended: bool,
    /// What came out of decompression so far, and how much may.
    bytes: u64,
    max_bytes: u64,
    max_token: usize,
    /// Decoded bytes before `text`.
    before: u64,
    /// Where the piece began that is being read now, in decoded bytes.
    token_start: u64,
    lines: LineCount,
    failure: Option<ReadErrorKind>,
    record: Option<Record>,
}

/// Counts lines only as far as somebody asks: a parser consumes a few bytes at a time.
struct LineCount {
    line: u64,
    /// Decoded bytes before the first of the line.
    line_start: u64,
    /// Up to where `text` has been counted.
    counted: usize,
}

/// Keeps what is consumed.
struct Record {
    bytes: Vec<u8>,
    /// What is consumed and kept by `text` alone begins here.
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
        text.sniff_encoding();
        text
    }

    /// The encoding that the first bytes tell.
    fn sniff_encoding(&mut self) {
        let mut head = [0; DECLARATION];
        let mut filled = 0;
        while filled < head.len() && !self.ended {
            // A failure is told when the bytes before it are used up.
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
                // Some have several.
                while let Some(rest) = head.strip_prefix(b"\xef\xbb\xbf") {
                    head = rest;
                    self.marked = true;
                }
                let label = declared_label(head).filter(|_| !self.marked);
                // UTF-16 was told by its bytes if it is that.
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

    /// Fetches into `buffer`; `None` if that failed.
    fn fetch(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let gzip = self.input.is_gzip();
        match self.input.read(buffer) {
            Ok(count) => {
                let room = self.max_bytes.saturating_sub(self.bytes);
                self.bytes += count as u64;
                self.ended = count == 0;
                if count as u64 > room {
                    // What is within the limit counts, however the bytes arrive.
                    self.fail(ReadErrorKind::TooLarge(self.max_bytes));
                    return Some(room as usize);
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

    /// Why reading failed, if it did.
    pub(crate) fn failure(&mut self) -> Option<ReadErrorKind> {
        self.failure.take()
    }

    /// Says that a piece begins here, which may be so long and no longer.
    #[inline]
    pub(crate) fn begin_token(&mut self) {
        self.token_start = self.before + self.at as u64;
    }

    /// How many bytes came out of decompression.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes were fetched.
    pub(crate) fn stored_bytes(&self) -> u64 {
        self.input.fetched()
    }

    /// Whether they were compressed.
    pub(crate) fn is_gzip(&self) -> bool {
        self.input.is_gzip()
    }

    /// Whether something else than padding followed the compressed stream.
    pub(crate) fn has_trailing_bytes(&self) -> bool {
        self.input.has_trailing_bytes()
    }

    /// The encoding that is declared, if it is no encoding that anyone knows.
    pub(crate) fn unknown_label(&self) -> Option<&str> {
        self.unknown_label.as_deref()
    }

    /// Takes note that white space was passed over at the beginning.
    pub(crate) fn note_skipped_spaces(&mut self) {
        self.spaces_first = true;
    }

    /// Whether white space was passed over at the beginning.
    pub(crate) fn skipped_spaces(&self) -> bool {
        self.spaces_first
    }

    /// Whether the text began with a byte order mark of UTF-8.
    pub(crate) fn was_marked(&self) -> bool {
        self.marked
    }

    /// The encoding of the text.
    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// The line on which bytes came that the encoding does not allow. Asking makes it forget.
    pub(crate) fn take_invalid(&mut self) -> Option<u64> {
        self.invalid.take()
    }

    /// Whether such bytes came, without forgetting.
    pub(crate) fn saw_invalid(&self) -> bool {
        self.invalid.is_some()
    }

    /// Where the next byte is.
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

    /// From now on keeps what is consumed, until it is taken.
    pub(crate) fn start_record(&mut self) {
        self.record = Some(Record {
            bytes: Vec::new(),
            from: self.at,
        });
    }

    /// What was consumed since the record was started or last taken.
    pub(crate) fn take_record(&mut self) -> Vec<u8> {
        let Some(record) = &mut self.record else {
            return Vec::new();
        };
        let mut bytes = std::mem::take(&mut record.bytes);
        bytes.extend_from_slice(self.text.get(record.from..self.at).unwrap_or_default());
        record.from = self.at;
        bytes
    }

    /// Decodes the next piece in place of the one that is consumed.
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

    /// Moves what is whole of the fetched bytes to the text.
    fn take_utf8(&mut self) {
        std::mem::swap(&mut self.text, &mut self.undecoded);
        self.undecoded.clear();
        let Err(error) = std::str::from_utf8(&self.text) else {
            return;
        };
        if error.error_len().is_none() && !self.ended {
            // The last character goes on in the next piece.
            self.undecoded = self.text.split_off(error.valid_up_to());
            return;
        }
        // A piece with something invalid: replaced, but for a last character that may go on.
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
        let room = decoder
            .max_utf8_buffer_length(self.undecoded.len())
            .unwrap_or(4 * CHUNK);
        self.text.resize(room, 0);
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

/// How many bytes at the end are the beginning of a character.
fn incomplete_tail(bytes: &[u8]) -> usize {
    (1..=3.min(bytes.len()))
        .find(|&count| {
            let tail = bytes.get(bytes.len() - count..).unwrap_or_default();
            matches!(std::str::from_utf8(tail), Err(error) if error.error_len().is_none() && error.valid_up_to() == 0)
        })
        .unwrap_or(0)
}

/// What `<?xml … encoding="…"?>` says.
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
