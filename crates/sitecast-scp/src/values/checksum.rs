//! SHA-256 checksums.

use std::fmt;
use std::str::FromStr;

use super::InvalidValue;

/// The SHA-256 of a collection, written as `sha256:` and 64 hex digits.
///
/// Parsing accepts upper-case digits, which the pattern in draft one allows; writing uses lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Checksum([u8; 32]);

impl Checksum {
    /// The prefix of every checksum.
    pub const PREFIX: &str = "sha256:";

    /// The checksum with these 32 bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Checksum {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let invalid = || InvalidValue::new(text, "`sha256:` followed by 64 hexadecimal digits");
        let digits = text
            .strip_prefix(Self::PREFIX)
            .ok_or_else(invalid)?
            .as_bytes();
        if digits.len() != 64 {
            return Err(invalid());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for &digit in pair {
                let value = char::from(digit).to_digit(16).ok_or_else(invalid)?;
                *byte = (*byte << 4) | (value as u8);
            }
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_upper_case_and_writes_lower_case() {
        let upper = format!("sha256:{}", "AB".repeat(32));
        let checksum: Checksum = upper.parse().unwrap();
        assert_eq!(checksum.to_string(), format!("sha256:{}", "ab".repeat(32)));
    }

    #[test]
    fn refuses_other_lengths_prefixes_and_digits() {
        for text in [
            "",
            "sha256:",
            "sha256:ab",
            &"ab".repeat(32),
            &format!("md5:{}", "ab".repeat(32)),
        ] {
            assert!(text.parse::<Checksum>().is_err(), "{text}");
        }
        assert!(
            format!("sha256:{}", "zz".repeat(32))
                .parse::<Checksum>()
                .is_err()
        );
        assert!(
            format!("sha256:+{}", "a".repeat(63))
                .parse::<Checksum>()
                .is_err()
        );
    }
}
