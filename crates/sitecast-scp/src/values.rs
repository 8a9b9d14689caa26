//! Validated value types: each is checked once, when it is parsed.

mod checksum;
mod http_url;
mod identifier;
mod json_object;
mod language;
mod media_duration;
mod timestamp;
mod version;

pub use checksum::Checksum;
pub use http_url::{HttpUrl, UrlProblem};
pub use identifier::Identifier;
pub use json_object::JsonObject;
pub use language::LanguageTag;
pub use media_duration::MediaDuration;
pub use timestamp::Timestamp;
pub use version::Version;

pub(crate) use http_url::{UrlForm, classify_url};

/// The error of a text that is not a valid value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct InvalidValue {
    text: String,
    expected: &'static str,
}

impl InvalidValue {
    /// Characters of the text in the message; untrusted text can be of any length.
    const SHOWN_CHARS: usize = 80;

    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        let mut shown: String = text.chars().take(Self::SHOWN_CHARS).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Self {
            text: shown,
            expected,
        }
    }

    /// The expected value as a noun phrase, such as `a BCP 47 language tag`.
    pub fn expected(&self) -> &'static str {
        self.expected
    }
}

/// Serialises a type as its `Display` text.
macro_rules! serialize_as_text {
    ($($name:ty),+) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )+};
}
serialize_as_text!(
    Checksum,
    HttpUrl,
    Identifier,
    LanguageTag,
    MediaDuration,
    Timestamp,
    Version
);

/// Implements the constructor and the traits of a validated string.
macro_rules! checked_string {
    ($name:ident, $expected:literal, $check:expr) => {
        impl $name {
            /// Checks `text` and wraps it.
            pub fn new(text: impl Into<String>) -> Result<Self, $crate::values::InvalidValue> {
                let text = text.into();
                if $check(text.as_str()) {
                    Ok(Self(text))
                } else {
                    Err($crate::values::InvalidValue::new(&text, $expected))
                }
            }

            /// The text, unchanged.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::values::InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}
pub(crate) use checked_string;
