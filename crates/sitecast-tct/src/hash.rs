//! Content hashes in the notation of the protocol.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// A SHA-256 hash, written as `sha256-` and 64 lower-case hexadecimal digits.
///
/// ```
/// use sitecast_tct::ContentHash;
///
/// let hash = ContentHash::of(b"foo");
/// assert_eq!(hash.to_string(), "sha256-2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae");
/// assert_eq!(hash.etag(), format!("\"{hash}\""));
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(crate) fn finish(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// Returns the 32 bytes of the hash, as `Content-Digest` (RFC 9530) needs them.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the hash as a strong entity tag, with quotes.
    pub fn etag(&self) -> String {
        format!("\"{self}\"")
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Servers format a hash for each response. Writing single digits would take most of a response's time.
        let digit = |value: u8| match value {
            0..=9 => b'0' + value,
            _ => b'a' + value - 10,
        };
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            if let [high, low] = pair {
                (*high, *low) = (digit(byte >> 4), digit(byte & 15));
            }
        }
        f.write_str("sha256-")?;
        f.write_str(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error for a text that is not a content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not `sha256-` and 64 lower-case hexadecimal digits")]
pub struct InvalidHash;

impl FromStr for ContentHash {
    type Err = InvalidHash;

    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        let digits = text.strip_prefix("sha256-").ok_or(InvalidHash)?.as_bytes();
        if digits.len() != 64 {
            return Err(InvalidHash);
        }
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(InvalidHash),
        };
        let mut hash = [0; 32];
        for (place, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            if let &[high, low] = pair {
                *place = value(high)? << 4 | value(low)?;
            }
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_64_digits_must_be_lowercase() {
        let hash = ContentHash::of(b"").to_string();
        assert!(hash.parse::<ContentHash>().is_ok());
        for wrong in [
            hash.to_uppercase(),
            hash.replace("sha256-", "sha256:"),
            hash.replace("sha256-", ""),
            format!("{hash}0"),
            hash.replace('e', "E"),
        ] {
            assert_eq!(wrong.parse::<ContentHash>(), Err(InvalidHash), "{wrong}");
        }
    }
}
