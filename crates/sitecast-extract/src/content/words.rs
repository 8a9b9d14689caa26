//! A filter for known words, to skip most lookups.

/// The lengths of known ASCII words, by their first byte. Most words of a text fail this test and need no lookup.
#[derive(Debug)]
pub(super) struct WordFilter([u32; 128]);

impl Default for WordFilter {
    fn default() -> Self {
        Self([0; 128])
    }
}

impl WordFilter {
    /// Adds a word in lower case.
    pub(super) fn add(&mut self, word: &[u8]) {
        if let Some(lengths) = word
            .first()
            .and_then(|first| self.0.get_mut(usize::from(*first)))
        {
            *lengths |= length_bit(word);
        }
    }

    /// Returns true if a word in any case may be known.
    #[inline]
    pub(super) fn may_have(&self, word: &[u8]) -> bool {
        let first = word.first().map_or(0, u8::to_ascii_lowercase);
        let lengths = self.0.get(usize::from(first)).copied().unwrap_or_default();
        lengths & length_bit(word) != 0
    }
}

/// Words of 31 bytes and more share a bit.
fn length_bit(word: &[u8]) -> u32 {
    1 << word.len().min(31)
}

/// Returns the words of an ASCII text: runs of letters and digits.
pub(super) fn ascii_words(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes()
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_known_word() {
        let mut filter = WordFilter::default();
        let long = "x".repeat(40);
        for word in ["tea", "2nd", &long] {
            filter.add(word.as_bytes());
        }
        for word in ["tea", "Tea", "TOO", "2nd", "2ND", &long] {
            assert!(filter.may_have(word.as_bytes()), "{word}");
        }
        for word in ["te", "coffee", "", "\u{e9}t\u{e9}"] {
            assert!(!filter.may_have(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn splits_at_everything_but_letters_and_digits() {
        let words: Vec<_> = ascii_words("  It's 5 o'clock (UTC+1). ").collect();
        let wanted: [&[u8]; 7] = [b"It", b"s", b"5", b"o", b"clock", b"UTC", b"1"];
        assert_eq!(words, wanted);
    }
}
