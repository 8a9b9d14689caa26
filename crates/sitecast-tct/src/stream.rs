//! A streaming reader of large JSON documents: visits an object member by member, and an array element by element.

use std::io::{self, Read};

use crate::Limits;

const CHUNK: usize = 16 << 10;

/// A position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line number, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
}

/// An error that ends reading.
#[derive(Debug)]
pub(crate) enum StreamError {
    Io(io::Error),
    TooLarge(u64),
    CutShort,
    Expected(&'static str),
}

/// The text of one JSON value.
pub(crate) enum Value<'b> {
    /// The unparsed text.
    Text(&'b [u8]),
    /// The text is longer than the limit and was skipped.
    TooLong,
}

pub(crate) struct JsonStream<R> {
    source: R,
    chunk: Vec<u8>,
    at: usize,
    ended: bool,
    bytes: u64,
    limit: u64,
    position: Position,
    value: Vec<u8>,
}

impl<R: Read> JsonStream<R> {
    pub(crate) fn new(source: R, limits: &Limits) -> Self {
        Self {
            source,
            chunk: Vec::new(),
            at: 0,
            ended: false,
            bytes: 0,
            limit: limits.sitemap_bytes,
            position: Position { line: 1, column: 1 },
            value: Vec::new(),
        }
    }

    pub(crate) fn position(&self) -> Position {
        self.position
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the next byte without consuming it; `None` at the end.
    fn peek(&mut self) -> Result<Option<u8>, StreamError> {
        while self.at >= self.chunk.len() && !self.ended {
            self.at = 0;
            self.chunk.resize(CHUNK, 0);
            let count = match self.source.read(&mut self.chunk) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(StreamError::Io(error)),
            };
            self.chunk.truncate(count);
            self.ended = count == 0;
            self.bytes += count as u64;
            if self.bytes > self.limit {
                return Err(StreamError::TooLarge(self.limit));
            }
        }
        Ok(self.chunk.get(self.at).copied())
    }

    /// Consumes the byte that `peek` returned.
    fn take(&mut self, byte: u8) {
        self.at += 1;
        if byte == b'\n' {
            self.position.line += 1;
            self.position.column = 1;
        } else {
            self.position.column += 1;
        }
    }

    /// Skips white space and returns the next byte without consuming it; `None` at the end.
    pub(crate) fn peek_token(&mut self) -> Result<Option<u8>, StreamError> {
        loop {
            match self.peek()? {
                Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) => self.take(byte),
                other => return Ok(other),
            }
        }
    }

    /// Consumes a complete byte order mark, which JSON must not have but files do; otherwise returns an error.
    pub(crate) fn expect_byte_order_mark(
        &mut self,
        otherwise: &'static str,
    ) -> Result<(), StreamError> {
        for byte in [0xef, 0xbb, 0xbf] {
            match self.peek()? {
                Some(found) if found == byte => self.take(byte),
                Some(_) => return Err(StreamError::Expected(otherwise)),
                None => return Err(StreamError::CutShort),
            }
        }
        self.position.column = 1;
        Ok(())
    }

    /// Consumes one required punctuation byte.
    pub(crate) fn expect(&mut self, mark: u8, expected: &'static str) -> Result<(), StreamError> {
        match self.peek_token()? {
            Some(byte) if byte == mark => {
                self.take(byte);
                Ok(())
            }
            Some(_) => Err(StreamError::Expected(expected)),
            None => Err(StreamError::CutShort),
        }
    }

    /// Consumes one of two punctuation bytes. Returns true for the first.
    pub(crate) fn either(
        &mut self,
        first: u8,
        second: u8,
        expected: &'static str,
    ) -> Result<bool, StreamError> {
        match self.peek_token()? {
            Some(byte) if byte == first || byte == second => {
                self.take(byte);
                Ok(byte == first)
            }
            Some(_) => Err(StreamError::Expected(expected)),
            None => Err(StreamError::CutShort),
        }
    }

    /// Consumes one value and returns its text if it has at most `longest` bytes. Only brackets and quotes are matched; the
    /// caller parses the rest.
    pub(crate) fn value(&mut self, longest: usize) -> Result<Value<'_>, StreamError> {
        self.value.clear();
        let mut too_long = false;
        let mut depth = 0usize;
        let mut in_string = false;
        let mut escaped = false;
        let first = self.peek_token()?.ok_or(StreamError::CutShort)?;
        if matches!(first, b',' | b':' | b']' | b'}') {
            return Err(StreamError::Expected("a JSON value"));
        }
        let scalar = !matches!(first, b'{' | b'[' | b'"');
        loop {
            let Some(byte) = self.peek()? else {
                if scalar {
                    break;
                }
                return Err(StreamError::CutShort);
            };
            if scalar && matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r') {
                break;
            }
            self.take(byte);
            if self.value.len() < longest {
                self.value.push(byte);
            } else {
                too_long = true;
            }
            if in_string {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' => escaped = true,
                    b'"' => in_string = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            if !scalar && !in_string && depth == 0 {
                break;
            }
        }
        Ok(if too_long {
            Value::TooLong
        } else {
            Value::Text(&self.value)
        })
    }
}
