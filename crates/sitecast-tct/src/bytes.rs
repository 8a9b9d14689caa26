//! Looking through long texts for the few bytes that need care.

/// How many bytes are looked at together: as many as the compiler tests with one or two instructions.
const TOGETHER: usize = 32;

/// Where the first byte is that `is_special` says yes to.
///
/// Long stretches without any are passed over many bytes at a time, which an iterator that may end at each byte
/// cannot do.
#[inline(always)]
pub(crate) fn first(bytes: &[u8], is_special: impl Fn(u8) -> bool) -> Option<usize> {
    let (together, _) = bytes.as_chunks::<TOGETHER>();
    let has_special = |chunk: &&[u8; TOGETHER]| {
        chunk
            .iter()
            .fold(false, |any, &byte| any | is_special(byte))
    };
    let plain = together.iter().take_while(|chunk| !has_special(chunk));
    let start = plain.count() * TOGETHER;
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
        fn the_first_is_found_wherever_it_is(bytes in prop::collection::vec(0_u8..64, 0..200)) {
            for special in [0, 63, 255] {
                let is_special = |byte| byte == special;
                let expected = bytes.iter().position(|&byte| is_special(byte));
                prop_assert_eq!(first(&bytes, is_special), expected);
            }
        }
    }
}
