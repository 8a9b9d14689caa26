//! Base64 (RFC 4648 §4), for digests.

pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .zip([16, 8, 0])
            .fold(0_u32, |bits, (&byte, shift)| {
                bits | u32::from(byte) << shift
            });
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = DIGITS
                .get((bits >> shift & 63) as usize)
                .copied()
                .unwrap_or(b'=');
            text.push(char::from(if place <= chunk.len() { digit } else { b'=' }));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_the_vectors_of_rfc_4648() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
    }
}
