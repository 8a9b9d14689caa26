//! HTTP range requests (RFC 9110 §14).

use std::ops::Range;

/// Ranges in one response. A client that resumes a download requests one, readers of archives a few; hundreds are an
/// attack.
const MAX_PARTS: usize = 32;

/// The meaning of a `Range` header for a representation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestedRange {
    /// The whole representation: the header is absent, malformed, or requests too much.
    Whole,
    /// These ranges in the requested order; never empty.
    Parts(Vec<Range<u64>>),
    /// All ranges are beyond the end: 416.
    Unsatisfiable,
}

/// Parses the header for a representation of `size` bytes.
///
/// A malformed header counts as absent (§14.2). Consecutive ranges that overlap or touch are joined, and a request for
/// more bytes than the representation has gets the whole: otherwise a small request could produce a huge response.
pub(crate) fn parse_range(header: &str, size: u64) -> RequestedRange {
    let Some((unit, set)) = header.split_once('=') else {
        return RequestedRange::Whole;
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return RequestedRange::Whole;
    }
    let mut parts: Vec<Range<u64>> = Vec::new();
    let mut asked = 0;
    for spec in set.split(',').map(str::trim) {
        // The grammar of lists allows empty elements.
        if spec.is_empty() {
            continue;
        }
        asked += 1;
        let Some(resolved) = resolve(spec, size) else {
            return RequestedRange::Whole;
        };
        let Some(part) = resolved else {
            continue;
        };
        match parts.last_mut() {
            Some(last) if part.start <= last.end && last.start <= part.end => {
                last.start = last.start.min(part.start);
                last.end = last.end.max(part.end);
            }
            _ => parts.push(part),
        }
        if parts.len() > MAX_PARTS {
            return RequestedRange::Whole;
        }
    }
    if asked == 0 {
        return RequestedRange::Whole;
    }
    if parts.is_empty() {
        return RequestedRange::Unsatisfiable;
    }
    let bytes: u64 = parts.iter().map(|part| part.end - part.start).sum();
    if bytes > size {
        return RequestedRange::Whole;
    }
    RequestedRange::Parts(parts)
}

/// Resolves one `first-last`, `first-` or `-length`: `None` if it is malformed, `Some(None)` if it is beyond the end.
#[expect(
    clippy::option_option,
    reason = "malformed and unsatisfiable are different results"
)]
fn resolve(spec: &str, size: u64) -> Option<Option<Range<u64>>> {
    let (first, last) = spec.split_once('-')?;
    if first.is_empty() {
        let length = number(last)?.min(size);
        return Some((length > 0).then(|| size - length..size));
    }
    let first = number(first)?;
    let end = if last.is_empty() {
        size
    } else {
        let last = number(last)?;
        if last < first {
            return None;
        }
        last.saturating_add(1).min(size)
    };
    Some((first < size).then_some(first..end))
}

/// Parses digits only, since `u64::from_str` accepts a sign. Numbers that are too large become `u64::MAX`.
fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[expect(
        clippy::single_range_in_vec_init,
        reason = "one range is what is meant"
    )]
    #[test]
    fn resolves_ranges_as_in_rfc_9110() {
        for (header, expected) in [
            ("bytes=0-499", RequestedRange::Parts(vec![0..500])),
            ("bytes=500-999", RequestedRange::Parts(vec![500..1000])),
            ("bytes=-500", RequestedRange::Parts(vec![9_500..10_000])),
            ("bytes=9500-", RequestedRange::Parts(vec![9_500..10_000])),
            (
                "bytes=0-0,-1",
                RequestedRange::Parts(vec![0..1, 9_999..10_000]),
            ),
            (
                "bytes= 0-999, 4500-5499, -1000",
                RequestedRange::Parts(vec![0..1000, 4500..5500, 9000..10_000]),
            ),
            (
                "bytes=500-600,601-999",
                RequestedRange::Parts(vec![500..1000]),
            ),
            (
                "bytes=500-700,601-999",
                RequestedRange::Parts(vec![500..1000]),
            ),
            ("bytes=0-99999", RequestedRange::Parts(vec![0..10_000])),
            ("bytes=-99999", RequestedRange::Parts(vec![0..10_000])),
            ("BYTES=1-1", RequestedRange::Parts(vec![1..2])),
            ("bytes=1-1,99999-", RequestedRange::Parts(vec![1..2])),
            ("bytes=18446744073709551615-", RequestedRange::Unsatisfiable),
            (
                "bytes=99999999999999999999999-",
                RequestedRange::Unsatisfiable,
            ),
            (
                "bytes=1-99999999999999999999999",
                RequestedRange::Parts(vec![1..10_000]),
            ),
            ("bytes=10000-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=,,", RequestedRange::Whole),
            ("bytes=", RequestedRange::Whole),
            ("bytes", RequestedRange::Whole),
            ("items=0-1", RequestedRange::Whole),
            ("bytes=1-0", RequestedRange::Whole),
            ("bytes=a-b", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
            ("bytes=+1-2", RequestedRange::Whole),
            ("bytes=1-2-3", RequestedRange::Whole),
            ("bytes=0-4,x", RequestedRange::Whole),
        ] {
            assert_eq!(parse_range(header, 10_000), expected, "{header}");
        }
        assert_eq!(parse_range("bytes=0-", 0), RequestedRange::Unsatisfiable);
        assert_eq!(parse_range("bytes=-1", 0), RequestedRange::Unsatisfiable);
    }

    #[test]
    fn replies_with_the_whole_to_excessive_ranges() {
        let many: Vec<String> = (0..100)
            .map(|n| format!("{}-{}", n * 10, n * 10 + 1))
            .collect();
        assert_eq!(
            parse_range(&format!("bytes={}", many.join(",")), 10_000),
            RequestedRange::Whole
        );
        let same = vec!["5-9000"; 30].join(",0-1,");
        assert_eq!(
            parse_range(&format!("bytes={same}"), 10_000),
            RequestedRange::Whole
        );
    }

    proptest! {
        #[test]
        fn ranges_stay_within_the_representation(header in "bytes=([0-9]{0,3}-[0-9]{0,3},?){0,40}", size in 0_u64..600) {
            if let RequestedRange::Parts(parts) = parse_range(&header, size) {
                prop_assert!(!parts.is_empty());
                prop_assert!(parts.iter().all(|part| part.start < part.end && part.end <= size));
                prop_assert!(parts.iter().map(|part| part.end - part.start).sum::<u64>() <= size);
            }
        }
    }
}
