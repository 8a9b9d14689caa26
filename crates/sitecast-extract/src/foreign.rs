//! Detection of other formats in files that are named or served as HTML.

/// Bytes in which control characters are counted.
const LOOK: usize = 4_096;
/// Up to one control character in this many bytes is accepted as a mistake.
const ACCIDENT: usize = 50;

/// Returns the format of bytes that clearly are not HTML, as a noun phrase; `None` for bytes that may be text.
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

/// Returns true if there are many control characters. UTF-16 has them, too, but also a byte order mark.
fn is_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return false;
    }
    let start = bytes.get(..LOOK).unwrap_or(bytes);
    // Counting up to 255 in a `u8` lets the compiler vectorise the loop.
    let in_chunk = |chunk: &[u8]| {
        let count = chunk.iter().map(|byte| u8::from(is_control(*byte)));
        usize::from(count.sum::<u8>())
    };
    let controls: usize = start.chunks(usize::from(u8::MAX)).map(in_chunk).sum();
    controls > start.len() / ACCIDENT
}

/// Returns true for control characters that do not occur in text.
fn is_control(byte: u8) -> bool {
    (byte < b' ') & !matches!(byte, b'\t' | b'\n' | 0xc | b'\r' | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_binary_data() {
        // A Lehmer generator: the same noise every time.
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
    fn accepts_text_in_any_encoding() {
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
