use std::borrow::Cow;

/// One JSON value as a slice of its line, its syntax already checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value<'a> {
    pub(crate) kind: Kind,
    /// As written, quotes and brackets included.
    pub(crate) raw: &'a str,
}

/// What a value is, in one byte: kinds are copied for every value of a line.
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
    /// An array with nothing in it, which can be an array of anything.
    EmptyArray,
    /// An array of strings.
    Strings,
    /// An array of arrays of strings.
    Rows,
    /// Any other array.
    Mixed,
}

impl Kind {
    /// For messages: "a number".
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
    /// A string's bytes between the quotes, escapes as written.
    pub(crate) fn inner(&self) -> &'a str {
        self.raw
            .get(1..self.raw.len().saturating_sub(1))
            .unwrap_or_default()
    }

    /// A string's text, or `None` if this is no string or not Unicode (a lone surrogate).
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

    /// A number as a double, which is what JSON's numbers are; out of range it is infinite.
    pub(crate) fn number(&self) -> Option<f64> {
        (self.kind == Kind::Number)
            .then(|| self.raw.parse().ok())
            .flatten()
    }

    /// A number without a fraction that is at least zero, in any spelling (`2`, `2.0`, `2e0`).
    pub(crate) fn non_negative_integer(&self) -> Option<u64> {
        if self.kind != Kind::Number {
            return None;
        }
        // Digits first: a double cannot tell the integers beyond 2^53 apart.
        self.raw.parse().ok().or_else(|| {
            let number: f64 = self.raw.parse().ok()?;
            let integral =
                number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
            integral.then_some(number as u64)
        })
    }
}
