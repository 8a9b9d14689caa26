//! Decoding of `Content-Encoding`, within limits.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use url::Url;

use crate::FetchError;

/// The value of `Accept-Encoding` for bodies that are decoded here.
pub(crate) const ACCEPTED: &str = "gzip";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    TooLarge(u64),
    Undecodable(String),
}

impl Problem {
    pub(crate) fn at(self, url: &Url) -> FetchError {
        let url = url.to_string();
        match self {
            Self::TooLarge(limit) => FetchError::TooLarge { url, limit },
            Self::Undecodable(reason) => FetchError::Encoding { url, reason },
        }
    }
}

/// Returns true if the body has to be decompressed.
fn is_gzip(coding: &str, body: &[u8]) -> Result<bool, Problem> {
    match coding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(false),
        // Some servers label uncompressed bodies as gzip: trust the magic number.
        "gzip" | "x-gzip" => Ok(body.starts_with(&[0x1f, 0x8b])),
        other => Err(Problem::Undecodable(format!(
            "content encoding `{}` was not requested",
            other.chars().take(40).collect::<String>()
        ))),
    }
}

pub(crate) fn decode(coding: &str, body: Vec<u8>, limit: u64) -> Result<Vec<u8>, Problem> {
    if !is_gzip(coding, &body)? {
        return Ok(body);
    }
    let mut decoded = Vec::new();
    let read = MultiGzDecoder::new(&*body)
        .take(limit.saturating_add(1))
        .read_to_end(&mut decoded);
    read.map_err(|error| Problem::Undecodable(error.to_string()))?;
    if decoded.len() as u64 > limit {
        return Err(Problem::TooLarge(limit));
    }
    Ok(decoded)
}

/// Decodes the first `limit` bytes of a text whose transfer was cut at `limit` bytes.
pub(crate) fn decode_prefix(
    coding: &str,
    mut body: Vec<u8>,
    limit: u64,
) -> Result<Vec<u8>, Problem> {
    if !is_gzip(coding, &body)? {
        body.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        return Ok(body);
    }
    let mut decoded = Vec::new();
    let read = MultiGzDecoder::new(&*body)
        .take(limit)
        .read_to_end(&mut decoded);
    match read {
        // The transfer was cut: drop the incomplete last line.
        Err(_) if body.len() as u64 >= limit => {
            let end = decoded.iter().rposition(|byte| *byte == b'\n');
            decoded.truncate(end.unwrap_or(0));
            Ok(decoded)
        }
        Err(error) => Err(Problem::Undecodable(error.to_string())),
        Ok(_) => Ok(decoded),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn decodes_gzip_within_the_limit() {
        let body = gzip(&[b'a'; 1_000_000]);
        assert_eq!(
            decode("gzip", body.clone(), 1_000_000).unwrap().len(),
            1_000_000
        );
        assert_eq!(
            decode("GZIP", body.clone(), 999_999),
            Err(Problem::TooLarge(999_999))
        );
        assert_eq!(decode("", b"x".to_vec(), 1).unwrap(), b"x");
        assert_eq!(decode("gzip", b"plain".to_vec(), 9).unwrap(), b"plain");
        let cut = body[..body.len() / 2].to_vec();
        assert!(matches!(
            decode("gzip", cut, 1_000_000),
            Err(Problem::Undecodable(_))
        ));
        assert!(matches!(
            decode("br", body, 9),
            Err(Problem::Undecodable(_))
        ));
    }

    proptest! {
        #[test]
        fn never_decodes_beyond_the_limit(body in prop::collection::vec(any::<u8>(), 0..200), flip in any::<(usize, u8)>(), limit in 0u64..300) {
            // A gzip stream with one damaged byte, and arbitrary bytes after the magic number.
            let mut damaged = gzip(&body);
            let at = flip.0 % damaged.len();
            damaged[at] ^= flip.1;
            for bytes in [damaged, [&[0x1f, 0x8b], &body[..]].concat()] {
                if let Ok(decoded) = decode("gzip", bytes.clone(), limit) {
                    prop_assert!(decoded.len() as u64 <= limit || decoded == bytes);
                }
            }
        }
    }
}
