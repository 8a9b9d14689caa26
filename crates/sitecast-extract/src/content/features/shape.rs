//! Character counts of a text.

use std::sync::LazyLock;

/// Character counts of a text.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shape {
    pub(super) stops: f32,
    pub(super) commas: f32,
    pub(super) digits: f32,
    pub(super) upper: f32,
    pub(super) capitalized: f32,
    pub(super) symbols: f32,
    pub(super) currency: f32,
    pub(super) non_ascii: f32,
    pub(super) ends_sentence: bool,
}

/// Kinds of characters. Each kind has one byte of a counter, so that one addition counts all kinds.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    Stop,
    Comma,
    Digit,
    Upper,
    Symbol,
    Currency,
    /// An upper-case letter at the start of a word.
    Capital,
}

impl Kind {
    fn one(self) -> u64 {
        1 << (self as u32 * u8::BITS)
    }

    fn of(self, counts: u64) -> f32 {
        f32::from((counts >> (self as u32 * u8::BITS)) as u8)
    }
}

/// Add up the counter after this many bytes, before one of its bytes overflows.
const AT_ONCE: usize = u8::MAX as usize;

/// The counter increment for each byte; zero for bytes of non-ASCII characters.
static BYTES: LazyLock<[u64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let kind = match u8::try_from(byte).unwrap_or(0) {
            b'.' | b'!' | b'?' => Kind::Stop,
            b',' | b';' => Kind::Comma,
            b'0'..=b'9' => Kind::Digit,
            b'|' | b'/' | b'>' | b'#' | b'@' | b'+' => Kind::Symbol,
            b'$' => Kind::Currency,
            b'A'..=b'Z' => Kind::Upper,
            _ => return 0,
        };
        kind.one()
    })
});

impl Shape {
    pub(super) fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let table = &*BYTES;
        let mut start = true;
        for bytes in text.as_bytes().chunks(AT_ONCE) {
            let mut counts = 0;
            for byte in bytes {
                counts += table.get(usize::from(*byte)).copied().unwrap_or(0);
                let is_capital = start & byte.is_ascii_uppercase();
                counts += u64::from(is_capital) * Kind::Capital.one();
                start = *byte == b' ';
            }
            shape.add(counts);
        }
        if !text.is_ascii() {
            shape.add_beyond_ascii(text);
        }
        shape.ends_sentence = text
            .trim_end_matches(['"', '\'', ')', '”', '’', '»'])
            .ends_with(['.', '!', '?', '。', '！', '？', '…', '؟', '।']);
        shape
    }

    fn add(&mut self, counts: u64) {
        self.stops += Kind::Stop.of(counts);
        self.commas += Kind::Comma.of(counts);
        self.digits += Kind::Digit.of(counts);
        self.upper += Kind::Upper.of(counts);
        self.symbols += Kind::Symbol.of(counts);
        self.currency += Kind::Currency.of(counts);
        self.capitalized += Kind::Capital.of(counts);
    }

    fn add_beyond_ascii(&mut self, text: &str) {
        let mut start = true;
        for c in text.chars() {
            if !c.is_ascii() {
                self.non_ascii += 1.0;
                match c {
                    '。' | '！' | '？' | '…' | '؟' | '।' => self.stops += 1.0,
                    '，' | '、' | '；' => self.commas += 1.0,
                    '•' | '·' | '»' | '›' | '→' => self.symbols += 1.0,
                    '€' | '£' | '¥' | '₹' => self.currency += 1.0,
                    _ if c.is_uppercase() => {
                        self.upper += 1.0;
                        self.capitalized += f32::from(u8::from(start));
                    }
                    _ => {}
                }
            }
            start = c == ' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reference implementation: counts one character after the other.
    fn plainly(text: &str) -> Shape {
        let mut shape = Shape::default();
        let mut start = true;
        for c in text.chars() {
            match c {
                '.' | '!' | '?' | '。' | '！' | '？' | '…' | '؟' | '।' => {
                    shape.stops += 1.0
                }
                ',' | ';' | '，' | '、' | '；' => shape.commas += 1.0,
                '0'..='9' => shape.digits += 1.0,
                '|' | '•' | '·' | '/' | '»' | '›' | '→' | '>' | '#' | '@' | '+' => {
                    shape.symbols += 1.0
                }
                '$' | '€' | '£' | '¥' | '₹' => shape.currency += 1.0,
                _ if c.is_uppercase() => {
                    shape.upper += 1.0;
                    shape.capitalized += f32::from(u8::from(start));
                }
                _ => {}
            }
            shape.non_ascii += f32::from(u8::from(!c.is_ascii()));
            start = c == ' ';
        }
        shape.ends_sentence = Shape::of(text).ends_sentence;
        shape
    }

    #[test]
    fn counts_beyond_one_byte() {
        for text in ["A ", "1", "Ä,", "… €"] {
            let text = text.repeat(700);
            assert_eq!(Shape::of(&text), plainly(&text));
        }
        assert!(Shape::of("Tea (“green.”)").ends_sentence);
        assert!(!Shape::of("Tea.a").ends_sentence);
    }

    proptest! {
        #[test]
        fn matches_the_reference(text in "([ -~]|[A-Z ÄéΩ。，•€]|\\PC){0,400}") {
            prop_assert_eq!(Shape::of(&text), plainly(&text));
        }
    }
}
