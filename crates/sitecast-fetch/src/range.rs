//! The response header `Content-Range` (RFC 9110 §14.4).

/// A parsed `Content-Range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContentRange {
    /// Offset of the first byte.
    pub(crate) first: u64,
    /// Offset of the last byte, inclusive.
    pub(crate) last: u64,
    /// The total size in bytes, if the server knows it.
    pub(crate) whole: Option<u64>,
}

impl ContentRange {
    /// Parses `bytes 100-199/1000` or `bytes 100-199/*`. Returns `None` for malformed and contradictory ranges.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (unit, rest) = text.trim().split_once(' ')?;
        let (part, whole) = rest.trim().split_once('/')?;
        let (first, last) = part.split_once('-')?;
        let whole = match whole {
            "*" => None,
            whole => Some(number(whole)?),
        };
        let range = Self {
            first: number(first)?,
            last: number(last)?,
            whole,
        };
        let fits = range.first <= range.last && whole.is_none_or(|whole| range.last < whole);
        (unit.eq_ignore_ascii_case("bytes") && fits).then_some(range)
    }
}

/// Parses digits only; `str::parse` would accept a sign.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parses_content_range() {
        let range = |first, last, whole| Some(ContentRange { first, last, whole });
        for (text, expected) in [
            ("bytes 0-0/1", range(0, 0, Some(1))),
            ("bytes 100-199/1000", range(100, 199, Some(1000))),
            (" Bytes 100-199/* ", range(100, 199, None)),
            ("bytes */1000", None),
            ("bytes 100-199", None),
            ("bytes 100-/1000", None),
            ("bytes -199/1000", None),
            ("bytes +1-2/3", None),
            ("bytes 200-199/1000", None),
            ("bytes 100-199/199", None),
            ("items 1-2/3", None),
            ("bytes 1-99999999999999999999/*", None),
            ("", None),
        ] {
            assert_eq!(ContentRange::parse(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn returns_only_consistent_ranges(text in "(bytes )?[ -~]{0,30}") {
            if let Some(range) = ContentRange::parse(&text) {
                prop_assert!(range.first <= range.last);
                prop_assert!(range.whole.is_none_or(|whole| range.last < whole));
            }
        }

        #[test]
        fn round_trips_valid_ranges(first in 0u64..1 << 40, more in 0u64..1 << 40, rest in 1u64..1 << 40) {
            let (last, whole) = (first + more, first + more + rest);
            let text = format!("bytes {first}-{last}/{whole}");
            let range = ContentRange::parse(&text).unwrap();
            prop_assert_eq!((range.first, range.last, range.whole), (first, last, Some(whole)));
        }
    }
}
