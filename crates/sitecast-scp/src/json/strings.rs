//! JSON strings: finding their end and checking their escapes.

use super::Expected;

/// Properties of a scanned string.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) escaped: bool,
    pub(super) lone_surrogate: bool,
}

/// Scans the string whose first byte after the opening quote is at `at`. Leaves `at` after
/// the closing quote, or at the error.
///
/// The position is passed through `at` so that the result fits into a register: returning a result through memory
/// takes as long as scanning a short string.
#[inline(always)]
pub(super) fn scan(bytes: &[u8], at: &mut usize) -> Result<Found, Expected> {
    *at = next_special(bytes, *at);
    if bytes.get(*at) == Some(&b'"') {
        *at += 1;
        return Ok(Found::default());
    }
    scan_with_escapes(bytes, at)
}

#[inline(never)]
fn scan_with_escapes(bytes: &[u8], at: &mut usize) -> Result<Found, Expected> {
    let mut found = Found::default();
    loop {
        match bytes.get(*at) {
            Some(b'"') => {
                *at += 1;
                return Ok(found);
            }
            Some(b'\\') => {
                found.escaped = true;
                found.lone_surrogate |= escape(bytes, at)?;
            }
            Some(_) => return Err(Expected::Escape),
            None => return Err(Expected::Quote),
        }
        *at = next_special(bytes, *at);
    }
}

/// Returns the position of the first quote, backslash or control character at or after `from`, or the end.
#[inline(always)]
fn next_special(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    // Eight bytes at a time in a register: most strings of a page are so short that this is faster
    // than a call into SIMD code, and it needs no `unsafe`.
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let marks = special_marks(u64::from_le_bytes(*chunk));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes
        .get(at)
        .is_some_and(|&b| b != b'"' && b != b'\\' && b >= 0x20)
    {
        at += 1;
    }
    at
}

/// Sets the high bit of each byte that is `"`, `\` or below 0x20. A borrow can also mark a byte above such
/// a byte, so only the lowest mark is reliable.
#[inline(always)]
fn special_marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let zero_in = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    (zero_in(word ^ (ONES * b'"' as u64)) | zero_in(word ^ (ONES * b'\\' as u64)) | below_space)
        & HIGH
}

/// Checks the escape whose backslash is at `at`, and moves `at` after it. Returns true for a lone half of a
/// surrogate pair.
fn escape(bytes: &[u8], at: &mut usize) -> Result<bool, Expected> {
    *at += 1;
    match bytes.get(*at) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
            *at += 1;
            Ok(false)
        }
        Some(b'u') => {
            *at += 1;
            let unit = hex4(bytes, *at).ok_or(Expected::HexDigits)?;
            *at += 4;
            match unit {
                0xd800..=0xdbff => {
                    let paired = bytes.get(*at..*at + 2) == Some(b"\\u")
                        && matches!(hex4(bytes, *at + 2), Some(0xdc00..=0xdfff));
                    if paired {
                        *at += 6;
                    }
                    Ok(!paired)
                }
                0xdc00..=0xdfff => Ok(true),
                _ => Ok(false),
            }
        }
        _ => Err(Expected::EscapeLetter),
    }
}

fn hex4(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..at + 4)?
        .iter()
        .try_fold(0, |unit: u16, &digit| {
            Some((unit << 4) | (char::from(digit).to_digit(16)? as u16))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_first_special_byte(bytes in prop::collection::vec(any::<u8>(), 0..40), from in 0usize..8) {
            let special = |&i: &usize| matches!(bytes[i], b'"' | b'\\' | 0..0x20);
            let naive = (from..bytes.len()).find(special).unwrap_or(bytes.len().max(from));
            prop_assert_eq!(next_special(&bytes, from), naive);
        }
    }
}
