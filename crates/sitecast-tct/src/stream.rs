//! JSON that is too large to hold: walks one object member by member, and an array element by
//! element.

use std::io::{self, Read};

use crate::Limits;

const CHUNK: usize = 16 << 10;

/// A place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The byte of the line, from 1.
    pub column: u64,
}

/// Why walking on is impossible.
#[derive(Debug)]
pub(crate) enum Stop {
    Io(io::Error),
    TooLarge(u64),
    CutShort,
    Expected(&'static str),
}

/// One value's text.
pub(crate) enum Value<'b> {
    /// As written.
    Text(&'b [u8]),
    /// Longer than is held.
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

    /// The next byte, without taking it; `None` at the end.
    fn peek(&mut self) -> Result<Option<u8>, Stop> {
        while self.at >= self.chunk.len() && !self.ended {
            self.at = 0;
            self.chunk.resize(CHUNK, 0);
            let count = match self.source.read(&mut self.chunk) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stop::Io(error)),
            };
            self.chunk.truncate(count);
            self.ended = count == 0;
            self.bytes += count as u64;
            if self.bytes > self.limit {
                return Err(Stop::TooLarge(self.limit));
            }
        }
        Ok(self.chunk.get(self.at).copied())
    }

    /// Takes the byte that was peeked at.
    fn take(&mut self, byte: u8) {
        self.at += 1;
        if byte == b'\n' {
            self.position.line += 1;
            self.position.column = 1;
        } else {
            self.position.column += 1;
        }
    }

    /// The next byte that is not white space, without taking it; `None` at the end.
    pub(crate) fn next_mark(&mut self) -> Result<Option<u8>, Stop> {
        loop {
            match self.peek()? {
                Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) => self.take(byte),
                other => return Ok(other),
            }
        }
    }

    /// Takes a byte order mark, which JSON must not have and files do. A part of one is none.
    pub(crate) fn take_mark(&mut self, otherwise: &'static str) -> Result<(), Stop> {
        for byte in [0xef, 0xbb, 0xbf] {
            match self.peek()? {
                Some(found) if found == byte => self.take(byte),
                Some(_) => return Err(Stop::Expected(otherwise)),
                None => return Err(Stop::CutShort),
            }
        }
        self.position.column = 1;
        Ok(())
    }

    /// Takes one mark that has to come.
    pub(crate) fn expect(&mut self, mark: u8, expected: &'static str) -> Result<(), Stop> {
        match self.next_mark()? {
            Some(byte) if byte == mark => {
                self.take(byte);
                Ok(())
            }
            Some(_) => Err(Stop::Expected(expected)),
            None => Err(Stop::CutShort),
        }
    }

    /// Takes one of two marks that have to come; answers whether it was the first.
    pub(crate) fn either(
        &mut self,
        first: u8,
        second: u8,
        expected: &'static str,
    ) -> Result<bool, Stop> {
        match self.next_mark()? {
            Some(byte) if byte == first || byte == second => {
                self.take(byte);
                Ok(byte == first)
            }
            Some(_) => Err(Stop::Expected(expected)),
            None => Err(Stop::CutShort),
        }
    }

    /// Takes one value, whose brackets and quotes are matched but which is otherwise unchecked, and
    /// holds it if it is not longer than `longest`.
    pub(crate) fn value(&mut self, longest: usize) -> Result<Value<'_>, Stop> {
        self.value.clear();
        let mut too_long = false;
        let mut depth = 0usize;
        let mut in_string = false;
        let mut escaped = false;
        let first = self.next_mark()?.ok_or(Stop::CutShort)?;
        if matches!(first, b',' | b':' | b']' | b'}') {
            return Err(Stop::Expected("a JSON value"));
        }
        let scalar = !matches!(first, b'{' | b'[' | b'"');
        loop {
            let Some(byte) = self.peek()? else {
                if scalar {
                    break;
                }
                return Err(Stop::CutShort);
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
