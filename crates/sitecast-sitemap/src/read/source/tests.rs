use std::io::Write;

use proptest::prelude::*;

use super::*;

/// A source that returns at most a few bytes at a time, like a network.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(buffer.get_mut(..count).unwrap())
    }
}

fn text_of(bytes: &[u8], step: usize) -> (String, bool) {
    let mut source = TextSource::new(Trickle(bytes, step), &Limits::default());
    let mut text = String::new();
    source.read_to_string(&mut text).unwrap();
    (text, source.take_invalid().is_some())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16(text: &str, little: bool) -> Vec<u8> {
    let units = text.encode_utf16();
    units
        .flat_map(|unit| {
            if little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        })
        .collect()
}

#[test]
fn detects_encodings_by_mark_pattern_and_declaration() {
    let text = "<?xml version=\"1.0\"?><a>é😀</a>";
    for step in [1, 2, 3, 7, 1 << 20] {
        assert_eq!(text_of(text.as_bytes(), step), (text.to_owned(), false));
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        assert_eq!(text_of(&marked, step), (text.to_owned(), false));
        for little in [true, false] {
            let plain = utf16(text, little);
            assert_eq!(text_of(&plain, step), (text.to_owned(), false));
            let marked = utf16(&format!("\u{feff}{text}"), little);
            assert_eq!(text_of(&marked, step), (text.to_owned(), false));
        }
        let latin = b"<?xml version='1.0' encoding = 'ISO-8859-1' ?><a>\xe9</a>";
        let (decoded, invalid) = text_of(latin, step);
        assert!(decoded.ends_with("<a>é</a>") && !invalid, "{decoded}");
        assert_eq!(text_of(&gzip(&marked), step), (text.to_owned(), false));
    }
}

#[test]
fn replaces_and_reports_invalid_bytes() {
    for step in [1, 2, 5, 1 << 20] {
        let (text, invalid) = text_of(b"caf\xe9 \xf0\x9f\x98\x80 \xc3", step);
        assert_eq!(text, "caf\u{fffd} 😀 \u{fffd}");
        assert!(invalid);
    }
}

#[test]
fn reads_several_gzip_members_and_skips_padding() {
    let mut bytes = gzip(b"one ");
    bytes.extend(gzip(b"two"));
    bytes.extend([0; 100]);
    assert_eq!(text_of(&bytes, 3).0, "one two");
}

#[test]
fn positions_count_lines_and_bytes() {
    let mut source = TextSource::new(&b"ab\ncd\n\nefg"[..], &Limits::default());
    let mut at = |count| {
        source.fill_buf().unwrap();
        source.consume(count);
        let Position { line, column } = source.position();
        (line, column)
    };
    assert_eq!(
        [at(0), at(1), at(2), at(1), at(3), at(2)],
        [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 3)]
    );
}

#[test]
fn retries_interrupted_reads() {
    struct Interrupted<'a>(&'a [u8], bool);
    impl Read for Interrupted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let count = buffer.len().min(1);
            self.0.read(buffer.get_mut(..count).unwrap())
        }
    }
    let mut members = gzip(b"one ");
    members.extend(gzip(b"two"));
    for (bytes, text) in [(b"plain".to_vec(), "plain"), (members, "one two")] {
        let mut source = TextSource::new(Interrupted(&bytes, false), &Limits::default());
        let mut read = String::new();
        source.read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
    }
}

#[test]
fn returns_the_intact_part_of_a_damaged_stream() {
    let text: String = (0..20_000).map(|n| format!("line {n} of many\n")).collect();
    let mut bytes = gzip(text.as_bytes());
    let half = bytes.len() / 2;
    bytes[half..half + 20].fill(0xff);
    let mut source = TextSource::new(&bytes[..], &Limits::default());
    let mut read = Vec::new();
    assert!(source.read_to_end(&mut read).is_err());
    assert!(matches!(
        source.failure(),
        Some(ReadErrorKind::Decompress(_))
    ));
    assert!(read.len() > text.len() / 3, "{}", read.len());
    assert_eq!(read.get(..100_000), text.as_bytes().get(..100_000));
}

#[test]
fn limits_stored_and_decompressed_bytes() {
    let limits = Limits {
        bytes: 1_000,
        ..Limits::default()
    };
    let plain = vec![b'a'; 1_001];
    // Endless empty members decompress to nothing.
    let empty: Vec<u8> = std::iter::repeat_n(gzip(b""), 200_000).flatten().collect();
    for bytes in [plain.clone(), gzip(&vec![b'a'; 1_000_000]), empty] {
        let mut source = TextSource::new(&bytes[..], &limits);
        assert!(io::copy(&mut source, &mut io::sink()).is_err());
        assert!(matches!(
            source.failure(),
            Some(ReadErrorKind::TooLarge(1_000))
        ));
    }
    let mut source = TextSource::new(plain.get(..1_000).unwrap(), &limits);
    assert_eq!(io::copy(&mut source, &mut io::sink()).unwrap(), 1_000);
}

#[test]
fn reports_truncated_and_damaged_streams() {
    let whole = gzip(&b"some text that goes on for a while ".repeat(20));
    let mut damaged = whole.clone();
    let last = damaged.len() - 5;
    damaged[last] ^= 1;
    for bytes in [
        whole.get(..whole.len() - 1).unwrap(),
        whole.get(..12).unwrap(),
        &damaged,
    ] {
        let mut source = TextSource::new(bytes, &Limits::default());
        assert!(io::copy(&mut source, &mut io::sink()).is_err());
        assert!(matches!(
            source.failure(),
            Some(ReadErrorKind::Decompress(_))
        ));
    }
}

proptest! {
    #[test]
    fn returns_the_text_unchanged(text in "\\PC{0,300}", step in 1usize..9, repeat in 1usize..300) {
        let text = format!("x{text}").repeat(repeat.min(150_000 / (text.len() + 1) + 1));
        let mut source = TextSource::new(Trickle(text.as_bytes(), step * 100), &Limits::default());
        source.start_record();
        let mut read = String::new();
        source.read_to_string(&mut read).unwrap();
        prop_assert_eq!(&read, &text);
        prop_assert_eq!(source.take_record(), text.as_bytes());
    }
}
