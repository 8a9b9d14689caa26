//! JSON values as slices of their line.

use std::borrow::Cow;

/// One JSON value with valid syntax, as a slice of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value<'a> {
    pub(crate) kind: Kind,
    /// As written, quotes and brackets included.
    pub(crate) raw: &'a str,
}

/// The kind of a value. It fits one byte, because it is copied for every value of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    Number,
    True,
    False,
    Null,
    Object,
    /// An empty array, which can stand for an array of any kind.
    EmptyArray,
    /// An array of strings.
    Strings,
    /// An array of arrays of strings.
    Rows,
    /// Any other array.
    Mixed,
}

impl Kind {
    /// The name of the JSON type for messages: "a number".
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain | Self::Escaped => "a string",
            Self::Number => "a number",
            Self::True | Self::False => "a boolean",
            Self::Null => "null",
            Self::Object => "an object",
            Self::EmptyArray | Self::Strings | Self::Rows | Self::Mixed => "an array",
        }
    }
}

impl<'a> Value<'a> {
    /// The text of a string between its quotes, with its escapes as written.
    pub(crate) fn inner(&self) -> &'a str {
        self.raw
            .get(1..self.raw.len().saturating_sub(1))
            .unwrap_or_default()
    }

    /// The unescaped text of a string, or `None` if this is not a string or has a lone surrogate.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            Kind::Plain => Some(Cow::Borrowed(self.inner())),
            Kind::Escaped => serde_json::from_str(self.raw).ok().map(Cow::Owned),
            _ => None,
        }
    }

    pub(crate) fn is_string(&self) -> bool {
        matches!(self.kind, Kind::Plain | Kind::Escaped)
    }

    pub(crate) fn is_string_list(&self) -> bool {
        matches!(self.kind, Kind::Strings | Kind::EmptyArray)
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(
            self.kind,
            Kind::EmptyArray | Kind::Strings | Kind::Rows | Kind::Mixed
        )
    }

    /// The value of a number as a double; infinite if it is out of range.
    pub(crate) fn number(&self) -> Option<f64> {
        (self.kind == Kind::Number)
            .then(|| self.raw.parse().ok())
            .flatten()
    }

    /// The value of a non-negative integer, in any notation (`2`, `2.0`, `2e0`).
    pub(crate) fn non_negative_integer(&self) -> Option<u64> {
        if self.kind != Kind::Number {
            return None;
        }
        // Parse the digits first: a double cannot represent every integer above 2^53.
        self.raw.parse().ok().or_else(|| {
            let number: f64 = self.raw.parse().ok()?;
            let integral =
                number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
            integral.then_some(number as u64)
        })
    }
}
