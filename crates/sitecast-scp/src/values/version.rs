//! Format versions.

use std::fmt;
use std::str::FromStr;

use super::InvalidValue;

/// The version of the format that a collection declares, `MAJOR.MINOR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Increases with changes that older readers cannot read.
    pub major: u32,
    /// Increases with additions that older readers can ignore.
    pub minor: u32,
}

impl Version {
    /// The version that this library writes, and the newest one that it knows completely.
    pub const CURRENT: Self = Self { major: 0, minor: 1 };
}

impl FromStr for Version {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let number = |digits: &str| {
            let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            // A number that does not fit is still valid, and greater than every known version.
            all_digits.then(|| digits.parse().unwrap_or(u32::MAX))
        };
        text.split_once('.')
            .and_then(|(major, minor)| {
                Some(Self {
                    major: number(major)?,
                    minor: number(minor)?,
                })
            })
            .ok_or_else(|| InvalidValue::new(text, "a version of the form `MAJOR.MINOR`"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_two_non_negative_integers() {
        assert_eq!("0.1".parse(), Ok(Version::CURRENT));
        assert_eq!(
            "12.34".parse(),
            Ok(Version {
                major: 12,
                minor: 34
            })
        );
        assert_eq!("99999999999.0".parse::<Version>().unwrap().major, u32::MAX);
        for text in [
            "", "1", "1.", ".1", "1.2.3", "v1.0", "-1.0", "+1.0", "1. 0", "٠.١",
        ] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
