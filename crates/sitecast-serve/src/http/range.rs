//! Parts of a representation: RFC 9110, section 14.

use std::ops::Range;

/// The most parts of one answer. Clients that resume ask for one, readers of archives for a few;
/// hundreds are an attack.
const MOST_PARTS: usize = 32;

/// What a `Range` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Everything: there is no range, or none that is understood, or one that is too much.
    All,
    /// These parts, in the order asked for; never empty.
    Parts(Vec<Range<u64>>),
    /// Nothing of it is there: 416.
    Nothing,
}

/// Reads the header for a representation of `size` bytes.
///
/// What is not understood counts as absent (section 14.2). Ranges that overlap or touch are joined
/// where they follow each other, and a request for more bytes than there are gets them all:
/// otherwise a small request could ask for a huge answer.
pub(crate) fn wanted(header: &str, size: u64) -> Wanted {
    let Some((unit, set)) = header.split_once('=') else {
        return Wanted::All;
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::All;
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
            return Wanted::All;
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
        if parts.len() > MOST_PARTS {
            return Wanted::All;
        }
    }
    if asked == 0 {
        return Wanted::All;
    }
    if parts.is_empty() {
        return Wanted::Nothing;
    }
    let bytes: u64 = parts.iter().map(|part| part.end - part.start).sum();
    if bytes > size {
        return Wanted::All;
    }
    Wanted::Parts(parts)
}

/// One `first-last`, `first-` or `-length`: `None` if it is none of these, `Some(None)` if nothing of
/// it is there.
#[expect(
    clippy::option_option,
    reason = "not understood and not there are two things"
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

/// Digits alone: `u64::from_str` would take a sign. What is too large is as good as infinite.
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
    fn ranges_are_resolved_as_rfc_9110_says() {
        for (header, expected) in [
            ("bytes=0-499", Wanted::Parts(vec![0..500])),
            ("bytes=500-999", Wanted::Parts(vec![500..1000])),
            ("bytes=-500", Wanted::Parts(vec![9_500..10_000])),
            ("bytes=9500-", Wanted::Parts(vec![9_500..10_000])),
            ("bytes=0-0,-1", Wanted::Parts(vec![0..1, 9_999..10_000])),
            (
                "bytes= 0-999, 4500-5499, -1000",
                Wanted::Parts(vec![0..1000, 4500..5500, 9000..10_000]),
            ),
            ("bytes=500-600,601-999", Wanted::Parts(vec![500..1000])),
            ("bytes=500-700,601-999", Wanted::Parts(vec![500..1000])),
            ("bytes=0-99999", Wanted::Parts(vec![0..10_000])),
            ("bytes=-99999", Wanted::Parts(vec![0..10_000])),
            ("BYTES=1-1", Wanted::Parts(vec![1..2])),
            ("bytes=1-1,99999-", Wanted::Parts(vec![1..2])),
            ("bytes=18446744073709551615-", Wanted::Nothing),
            ("bytes=99999999999999999999999-", Wanted::Nothing),
            (
                "bytes=1-99999999999999999999999",
                Wanted::Parts(vec![1..10_000]),
            ),
            ("bytes=10000-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=,,", Wanted::All),
            ("bytes=", Wanted::All),
            ("bytes", Wanted::All),
            ("items=0-1", Wanted::All),
            ("bytes=1-0", Wanted::All),
            ("bytes=a-b", Wanted::All),
            ("bytes=-", Wanted::All),
            ("bytes=+1-2", Wanted::All),
            ("bytes=1-2-3", Wanted::All),
            ("bytes=0-4,x", Wanted::All),
        ] {
            assert_eq!(wanted(header, 10_000), expected, "{header}");
        }
        assert_eq!(wanted("bytes=0-", 0), Wanted::Nothing);
        assert_eq!(wanted("bytes=-1", 0), Wanted::Nothing);
    }

    #[test]
    fn many_parts_are_not_more_than_everything() {
        let many: Vec<String> = (0..100)
            .map(|n| format!("{}-{}", n * 10, n * 10 + 1))
            .collect();
        assert_eq!(
            wanted(&format!("bytes={}", many.join(",")), 10_000),
            Wanted::All
        );
        let same = vec!["5-9000"; 30].join(",0-1,");
        assert_eq!(wanted(&format!("bytes={same}"), 10_000), Wanted::All);
    }

    proptest! {
        #[test]
        fn parts_are_within_and_no_more_than_everything(header in "bytes=([0-9]{0,3}-[0-9]{0,3},?){0,40}", size in 0_u64..600) {
            if let Wanted::Parts(parts) = wanted(&header, size) {
                prop_assert!(!parts.is_empty());
                prop_assert!(parts.iter().all(|part| part.start < part.end && part.end <= size));
                prop_assert!(parts.iter().map(|part| part.end - part.start).sum::<u64>() <= size);
            }
        }
    }
}
