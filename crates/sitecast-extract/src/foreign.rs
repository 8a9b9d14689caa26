//! What is called HTML and is not: files get wrong names.

/// How far to look for bytes that no text has.
const LOOK: usize = 4_096;
/// One such byte in so many may be an accident.
const ACCIDENT: usize = 50;

/// What bytes are, where they plainly are something other than HTML; `None` for anything that may
/// be text.
///
/// ```
/// use sitecast_extract::foreign_format;
///
/// assert_eq!(foreign_format(b"%PDF-1.7 ..."), Some("a PDF document"));
/// assert_eq!(foreign_format(b"<p>Hello"), None);
/// ```
pub fn foreign_format(bytes: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 25] = [
        (b"%PDF-", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"PK\x05\x06", "a ZIP archive"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x28\xb5\x2f\xfd", "zstd data"),
        (b"BZh", "bzip2 data"),
        (b"\xfd7zXZ\0", "xz data"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (b"\x7fELF", "a program"),
        (b"II*\0", "a TIFF picture"),
        (b"MM\0*", "a TIFF picture"),
        (b"%!PS", "a PostScript document"),
        (b"Rar!", "a RAR archive"),
        (b"SQLite format", "a database"),
        (b"OggS", "a media file"),
        (b"ID3", "a media file"),
        (b"fLaC", "a media file"),
        (b"OTTO", "a font"),
        (b"wOFF", "a font"),
        (b"wOF2", "a font"),
        (b"RIFF", "a media file"),
        (b"\xd0\xcf\x11\xe0", "an old Office document"),
    ];
    FORMATS
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, what)| *what)
        .or_else(|| is_binary(bytes).then_some("binary data"))
}

/// Whether there are control characters all over it. UTF-16 has them, too, and a byte order mark.
fn is_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return false;
    }
    let start = bytes.get(..LOOK).unwrap_or(bytes);
    // Counted in bytes, as many as fit: so the processor looks at dozens of them at once.
    let in_chunk = |chunk: &[u8]| {
        let odd = chunk.iter().map(|byte| u8::from(is_odd(*byte)));
        usize::from(odd.sum::<u8>())
    };
    let odd: usize = start.chunks(usize::from(u8::MAX)).map(in_chunk).sum();
    odd > start.len() / ACCIDENT
}

/// A control character that no text has.
fn is_odd(byte: u8) -> bool {
    (byte < b' ') & !matches!(byte, b'\t' | b'\n' | 0xc | b'\r' | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_no_page() {
        // A generator of Lehmer's: noise that is the same every time.
        let mut state = 1u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state * 48_271 % 2_147_483_647;
            (state >> 7) as u8
        })
        .take(10_000)
        .collect();
        for length in [64, 500, 10_000] {
            assert_eq!(foreign_format(&noise[..length]), Some("binary data"));
        }
        assert_eq!(foreign_format(b"\0"), Some("binary data"));
    }

    #[test]
    fn text_of_any_encoding_is_no_noise() {
        for text in [
            &b""[..],
            b"x",
            b"<p>one stray \0 in some sixty characters of text is an accident</p>",
            b"\xff\xfe<\0p\0>\0",
            b"\xfe\xff\0<\0p\0>",
            b"<p>\x1b$B$3$l$O\x1b(B",
            b"\xcf\xf0\xe8\xe2\xe5\xf2",
            b"<p>\r\n\t\x0c</p>",
            "<p>これは</p>".as_bytes(),
        ] {
            assert_eq!(foreign_format(text), None, "{text:?}");
        }
    }
}
