//! Fast search for special bytes in long texts.

/// Bytes that are tested at once: the compiler turns a test of 32 into one or two SIMD instructions.
const CHUNK: usize = 32;

/// Returns the offset of the first special byte.
///
/// Tests whole chunks first. The compiler cannot vectorise `Iterator::position`, which may stop at any byte.
#[inline(always)]
pub(crate) fn find_byte(bytes: &[u8], is_special: impl Fn(u8) -> bool) -> Option<usize> {
    let (chunks, _) = bytes.as_chunks::<CHUNK>();
    let has_special = |chunk: &&[u8; CHUNK]| {
        chunk
            .iter()
            .fold(false, |any, &byte| any | is_special(byte))
    };
    let plain = chunks.iter().take_while(|chunk| !has_special(chunk));
    let start = plain.count() * CHUNK;
    let rest = bytes.get(start..).unwrap_or_default();
    let at = rest.iter().position(|&byte| is_special(byte))?;
    Some(start + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_first_special_byte(bytes in prop::collection::vec(0_u8..64, 0..200)) {
            for special in [0, 63, 255] {
                let is_special = |byte| byte == special;
                let expected = bytes.iter().position(|&byte| is_special(byte));
                prop_assert_eq!(find_byte(&bytes, is_special), expected);
            }
        }
    }
}
