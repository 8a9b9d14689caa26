//! A strict, one-pass JSON scanner over one line in memory.
//!
//! A collection is mostly text, which does not have to be copied while it is being checked. The scanner
//! walks over a line once, checks all of its syntax (RFC 8259, nothing looser), and returns values as
//! slices of the line. Only values that a caller asks for are unescaped or copied.
//!
//! Threats, each with the check that stops it, in the order of the checks: bytes that are not UTF-8 (the scanner takes a
//! `&str`); raw control characters and malformed escapes ([`strings`]); nesting
//! ([`Scanner::skip_container`], which has its own stack and never recurses; a value deeper than
//! the limit is recorded and still has to be JSON); anything after the value ([`Scanner::end`]).

mod nesting;
mod strings;
mod value;

pub(crate) use value::{Kind, Value};

use nesting::{Container, Nesting};

/// The syntax expected at [`Scanner::position`], where a line stops being JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Value,
    Object,
    Array,
    Key,
    KeyOrEnd,
    CommaOrObjectEnd,
    CommaOrArrayEnd,
    Colon,
    Digit,
    Quote,
    Escape,
    EscapeLetter,
    HexDigits,
    End,
}

impl Expected {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Value => "a JSON value",
            Self::Object => "`{`",
            Self::Array => "`[`",
            Self::Key => "a member name",
            Self::KeyOrEnd => "a member name or `}`",
            Self::CommaOrObjectEnd => "`,` or `}`",
            Self::CommaOrArrayEnd => "`,` or `]`",
            Self::Colon => "`:`",
            Self::Digit => "a digit",
            Self::Quote => "`\"`",
            Self::Escape => "an escape: a string cannot contain a raw control character",
            Self::EscapeLetter => "one of `\"\\/bfnrtu`",
            Self::HexDigits => "four hexadecimal digits",
            Self::End => "the end of the line",
        }
    }
}

/// Walks over one line of JSON text.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    open: Nesting,
    too_deep: bool,
    lone_surrogate: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            max_depth,
            open: Nesting::default(),
            too_deep: false,
            lone_surrogate: false,
        }
    }

    /// Returns true if a string so far had an escape for half of a surrogate pair, which the grammar of JSON
    /// allows, but which is not Unicode text.
    pub(crate) fn saw_lone_surrogate(&self) -> bool {
        self.lone_surrogate
    }

    /// Returns true if containers so far were nested deeper than the limit.
    pub(crate) fn was_too_deep(&self) -> bool {
        self.too_deep
    }

    /// The offset in the line of the next byte.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The offset in the line of a value that this scanner returned.
    pub(crate) fn offset_of(&self, value: Value<'a>) -> usize {
        (value.raw.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8, expected: Expected) -> Result<(), Expected> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(expected)
        }
    }

    /// Checks that nothing but white space follows.
    pub(crate) fn end(&mut self) -> Result<(), Expected> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Expected::End),
        }
    }

    fn slice(&self, from: usize) -> &'a str {
        // Every boundary is at an ASCII byte that the scanner has seen, so this always succeeds.
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// Consumes `{`. Call [`Self::next_key`] afterwards until it returns `None`. `depth` is the number of
    /// containers around the object.
    pub(crate) fn begin_object(&mut self, depth: usize) -> Result<(), Expected> {
        self.enter(depth);
        self.take(b'{', Expected::Object)
    }

    /// Consumes the name of the next member and its colon, and returns the name as written; or consumes the
    /// object's `}` and returns `None`. `first` is true for the first member.
    #[inline(always)]
    pub(crate) fn next_key(&mut self, first: bool) -> Result<Option<Value<'a>>, Expected> {
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return Ok(None);
            }
            Some(b',') if !first => {
                self.at += 1;
                if self.peek() != Some(b'"') {
                    return Err(Expected::Key);
                }
            }
            Some(b'"') if first => {}
            _ if first => return Err(Expected::KeyOrEnd),
            _ => return Err(Expected::CommaOrObjectEnd),
        }
        let key = self.string()?;
        self.take(b':', Expected::Colon)?;
        Ok(Some(key))
    }

    /// Consumes `[`. Call [`Self::next_element`] afterwards until it returns false.
    pub(crate) fn begin_array(&mut self, depth: usize) -> Result<(), Expected> {
        self.enter(depth);
        self.take(b'[', Expected::Array)
    }

    /// Consumes the comma before the next element and returns true, or the array's `]` and returns false.
    #[inline]
    pub(crate) fn next_element(&mut self, first: bool) -> Result<bool, Expected> {
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => Err(Expected::CommaOrArrayEnd),
        }
    }

    /// Consumes one value of any kind. `depth` is the number of containers around it.
    #[inline(always)]
    pub(crate) fn value(&mut self, depth: usize) -> Result<Value<'a>, Expected> {
        if self.peek() == Some(b'"') {
            self.string()
        } else {
            self.other_value(depth)
        }
    }

    #[inline(never)]
    fn other_value(&mut self, depth: usize) -> Result<Value<'a>, Expected> {
        match self.peek() {
            Some(b'[') => self.array(depth),
            Some(b'{') => {
                let from = self.at;
                self.skip_container(depth)?;
                Ok(Value {
                    kind: Kind::Object,
                    raw: self.slice(from),
                })
            }
            _ => self.scalar(),
        }
    }

    /// Consumes a string. The caller has seen its opening quote.
    #[inline(always)]
    fn string(&mut self) -> Result<Value<'a>, Expected> {
        let from = self.at;
        let kind = if self.skip_string()? {
            Kind::Escaped
        } else {
            Kind::Plain
        };
        Ok(Value {
            kind,
            raw: self.slice(from),
        })
    }

    /// Consumes a string. Returns true if it has escapes.
    #[inline(always)]
    fn skip_string(&mut self) -> Result<bool, Expected> {
        self.at += 1;
        let found = strings::scan(self.bytes, &mut self.at)?;
        self.lone_surrogate |= found.lone_surrogate;
        Ok(found.escaped)
    }

    fn scalar(&mut self) -> Result<Value<'a>, Expected> {
        let from = self.at;
        let kind = match self.peek() {
            Some(b't') => self.word("true", Kind::True)?,
            Some(b'f') => self.word("false", Kind::False)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(Expected::Value),
        };
        Ok(Value {
            kind,
            raw: self.slice(from),
        })
    }

    fn word(&mut self, word: &'static str, kind: Kind) -> Result<Kind, Expected> {
        let end = self.at + word.len();
        if self.bytes.get(self.at..end) != Some(word.as_bytes()) {
            return Err(Expected::Value);
        }
        self.at = end;
        Ok(kind)
    }

    fn number(&mut self) -> Result<Kind, Expected> {
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) -> Result<(), Expected> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == from {
            Err(Expected::Digit)
        } else {
            Ok(())
        }
    }

    /// Consumes an array. Its kind tells the kind of its elements, so that lists and tables need no second walk.
    fn array(&mut self, depth: usize) -> Result<Value<'a>, Expected> {
        let from = self.at;
        self.begin_array(depth)?;
        let mut kind = Kind::EmptyArray;
        let mut first = true;
        while self.next_element(first)? {
            first = false;
            let element = match self.peek() {
                Some(b'"') => {
                    self.skip_string()?;
                    Kind::Strings
                }
                Some(b'[') => self.row(depth + 1)?,
                _ => {
                    self.skip(depth + 1)?;
                    Kind::Mixed
                }
            };
            kind = if kind == Kind::EmptyArray || kind == element {
                element
            } else {
                Kind::Mixed
            };
        }
        Ok(Value {
            kind,
            raw: self.slice(from),
        })
    }

    /// Consumes an array within an array. Returns [`Kind::Rows`] if all of its elements are strings.
    fn row(&mut self, depth: usize) -> Result<Kind, Expected> {
        self.begin_array(depth)?;
        let mut kind = Kind::Rows;
        let mut first = true;
        while self.next_element(first)? {
            first = false;
            if self.peek() == Some(b'"') {
                self.skip_string()?;
            } else {
                kind = Kind::Mixed;
                self.skip(depth + 1)?;
            }
        }
        Ok(kind)
    }

    /// Records that a container begins inside `depth` others.
    fn enter(&mut self, depth: usize) {
        self.too_deep |= depth >= self.max_depth;
    }

    /// Consumes an object that is written as `prefix`, a string and `}`, with nothing in between. Consumes nothing
    /// and returns `None` if the object is written in any other way.
    #[inline(always)]
    pub(crate) fn object_of_one_string(
        &mut self,
        prefix: &str,
        depth: usize,
    ) -> Result<Option<Value<'a>>, Expected> {
        self.enter(depth);
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        if !rest.starts_with(prefix.as_bytes()) || rest.get(prefix.len()) != Some(&b'"') {
            return Ok(None);
        }
        self.at += prefix.len();
        let text = self.string()?;
        if self.bytes.get(self.at) != Some(&b'}') {
            self.at = start;
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(text))
    }

    /// Consumes one value and ignores it.
    fn skip(&mut self, depth: usize) -> Result<(), Expected> {
        match self.peek() {
            Some(b'"') => self.skip_string().map(drop),
            Some(b'[' | b'{') => self.skip_container(depth),
            _ => self.scalar().map(drop),
        }
    }

    /// Consumes an object or array of any depth. It uses its own stack, so that no input can exhaust
    /// that of the thread.
    fn skip_container(&mut self, depth: usize) -> Result<(), Expected> {
        self.open.clear();
        loop {
            // A value must follow.
            let entered = match self.peek() {
                Some(b'{') => Some(Container::Object),
                Some(b'[') => Some(Container::Array),
                Some(b'"') => self.skip_string().map(|_| None)?,
                _ => self.scalar().map(|_| None)?,
            };
            let mut first = false;
            if let Some(container) = entered {
                self.enter(depth + self.open.depth());
                self.at += 1;
                self.open.push(container);
                first = true;
            }
            // Close the containers that end here, until another value must follow.
            loop {
                let another = match self.open.last() {
                    None => return Ok(()),
                    Some(Container::Object) => self.next_key(first)?.is_some(),
                    Some(Container::Array) => self.next_element(first)?,
                };
                if another {
                    break;
                }
                self.open.pop();
                first = false;
            }
        }
    }
}

#[cfg(test)]
mod tests;
