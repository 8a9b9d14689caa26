//! A strict, one-pass JSON scanner over one line that is held in memory.
//!
//! A collection is mostly text that nobody needs to own while it is being checked. The scanner
//! walks a line once, checks all of its syntax (RFC 8259, nothing looser), and hands out values as
//! slices of the line; only what a caller asks for is unescaped or built.
//!
//! What can come, and what stops it, in this order: bytes that are not UTF-8 (the line is a `&str`
//! before it gets here); raw control characters and malformed escapes ([`strings`]); nesting
//! ([`Scanner::skip_container`], which keeps its own stack and never recurses; what is deeper than
//! the limit is noted and still has to be JSON); anything after the value ([`Scanner::end`]).

mod nesting;
mod strings;
mod value;

pub(crate) use value::{Kind, Value};

use nesting::{Container, Nesting};

/// What would have been right where a line stops being JSON, which is at [`Scanner::position`].
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
            Self::Escape => "an escape: a control character cannot stand in a string",
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

    /// Whether a string so far had half of a surrogate pair as an escape: JSON by its grammar,
    /// but no Unicode text.
    pub(crate) fn saw_lone_surrogate(&self) -> bool {
        self.lone_surrogate
    }

    /// Whether containers so far were nested deeper than the limit.
    pub(crate) fn was_too_deep(&self) -> bool {
        self.too_deep
    }

    /// The byte of the line that comes next.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Where in the line a value that this scanner handed out begins.
    pub(crate) fn offset_of(&self, value: Value<'a>) -> usize {
        (value.raw.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// The next byte that is not white space, without taking it.
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

    /// Makes sure that nothing follows.
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

    /// Takes `{`. Follow with [`Self::next_key`] until it answers `None`. `depth` is how many
    /// containers are open around it.
    pub(crate) fn begin_object(&mut self, depth: usize) -> Result<(), Expected> {
        self.enter(depth);
        self.take(b'{', Expected::Object)
    }

    /// The next member's name as written between its quotes, its colon taken as well; or `None`
    /// after the object's `}`. `first` is whether no member came before.
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

    /// Takes `[`. Follow with [`Self::next_element`] until it answers `false`.
    pub(crate) fn begin_array(&mut self, depth: usize) -> Result<(), Expected> {
        self.enter(depth);
        self.take(b'[', Expected::Array)
    }

    /// Whether another element follows; takes the comma before it, or the array's `]`.
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

    /// Takes one value of any kind. `depth` is how many containers are open around it.
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

    /// Takes a string; its opening quote has been seen.
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

    /// Takes a string; answers whether it has escapes.
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

    /// An array. Its kind says what its elements are, so lists and tables need no second walk.
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

    /// An array inside of an array, which is then one of `Rows` if this holds strings alone.
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

    /// Notes that a container opens inside of so many others.
    fn enter(&mut self, depth: usize) {
        self.too_deep |= depth >= self.max_depth;
    }

    /// Takes an object whose text is `prefix`, a string, and the closing brace, with nothing else
    /// in between; or takes nothing and answers `None`, whatever else comes.
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

    /// Takes one value without keeping anything of it.
    fn skip(&mut self, depth: usize) -> Result<(), Expected> {
        match self.peek() {
            Some(b'"') => self.skip_string().map(drop),
            Some(b'[' | b'{') => self.skip_container(depth),
            _ => self.scalar().map(drop),
        }
    }

    /// Takes an object or array of any depth with a stack of its own, so that no input can exhaust
    /// the thread's.
    fn skip_container(&mut self, depth: usize) -> Result<(), Expected> {
        self.open.clear();
        loop {
            // A value is due.
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
            // Close what ends here, until another value is due.
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
