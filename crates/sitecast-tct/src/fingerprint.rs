//! The template-invariant fingerprint: a hash of a text that does not depend on its spacing, case or encoding.

use std::borrow::Cow;
use std::sync::LazyLock;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use sha2::{Digest, Sha256};
use sitecast_scp::split_plain_words;

use crate::ContentHash;
use crate::bytes::find_byte;

/// The version of Unicode for normalisation and case folding.
pub const UNICODE_VERSION: &str = "18.0.0";

/// Normalises a text by the six steps of the protocol: decode HTML entities, NFKC, full case folding, remove control
/// characters, collapse white space, trim.
///
/// ```
/// assert_eq!(sitecast_tct::normalize("  Stra&szlig;e\n\tＮr.\u{a0}1 "), "strasse nr. 1");
/// ```
pub fn normalize(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    let mut normalizer = Normalizer::default();
    normalizer.push(text, &mut normalized);
    normalizer.finish(&mut normalized);
    normalized
}

/// Hashes the [normalised](normalize) text. This is Method B of the protocol, and detects changes of a page's text.
///
/// ```
/// let hash = sitecast_tct::fingerprint("Hello  World\n\t\nTesting");
/// assert_eq!(hash.to_string(), "sha256-479045cd11cebe841bab15d5ffba3dbac4fed0ca5c4eb74d1102e562a45f4f1f");
/// ```
pub fn fingerprint(text: &str) -> ContentHash {
    let mut fingerprinter = Fingerprinter::new();
    fingerprinter.push(text);
    fingerprinter.finish()
}

/// Computes the [`fingerprint`] of a text in pieces, without holding the whole text.
///
/// ```
/// use sitecast_tct::{Fingerprinter, fingerprint};
///
/// let mut pieces = Fingerprinter::new();
/// for piece in ["Hello &a", "mp; wor", "ld"] {
///     pieces.push(piece);
/// }
/// assert_eq!(pieces.finish(), fingerprint("Hello &amp; world"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Fingerprinter {
    normalizer: Normalizer,
    hashed: Sha256,
    ready: String,
}

/// Normalised text is hashed in pieces of about this many bytes.
const PIECE: usize = 8 << 10;

impl Fingerprinter {
    /// Starts with an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a piece of the text.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(boundary(rest, PIECE));
            self.normalizer.push(piece, &mut self.ready);
            rest = after;
            if self.ready.len() >= PIECE {
                self.hashed.update(self.ready.as_bytes());
                self.ready.clear();
            }
        }
    }

    /// Returns the fingerprint of all pieces.
    pub fn finish(mut self) -> ContentHash {
        self.normalizer.finish(&mut self.ready);
        self.hashed.update(self.ready.as_bytes());
        ContentHash::finish(self.hashed)
    }
}

/// Returns the last character boundary that is not after `most`.
fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Applies the six steps to a text in pieces.
///
/// The result must not depend on the cuts. A cut is safe before an ASCII character that cannot be part of an
/// entity: entities end before it, and it does not compose with the character before it. Text after the last safe cut
/// waits for the next piece.
#[derive(Debug, Clone, Default)]
struct Normalizer {
    waiting: String,
    /// True if the waiting text contains `&`, which may start an entity.
    ampersand: bool,
    /// True if white space followed the last character that was kept.
    space: bool,
    begun: bool,
}

/// Returns true if a cut before this byte is safe.
fn is_cut(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'&' | b'#' | b';')
}

/// Returns true for ideographs and kana, which end every entity and do not compose with the character before them.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}')
}

fn fold_one(text: &str) -> Cow<'_, str> {
    CaseMapper::new().fold_string(text)
}

/// Case foldings of the characters up to Cyrillic, padded with zeros. A lookup in the library takes several times as
/// long as all other steps.
static FOLDED: LazyLock<Vec<[char; 3]>> = LazyLock::new(|| {
    let characters = (0..0x530).map(|code| char::from_u32(code).unwrap_or_default());
    let folded = characters.map(|c| {
        let mut places = ['\0'; 3];
        let mut text = [0; 4];
        let folded = fold_one(c.encode_utf8(&mut text));
        for (place, c) in places.iter_mut().zip(folded.chars()) {
            *place = c;
        }
        places
    });
    folded.collect()
});

/// Returns true for bytes that only change their case.
fn is_simple(byte: u8) -> bool {
    byte.is_ascii() && byte != b'&'
}

impl Normalizer {
    fn push(&mut self, text: &str, into: &mut String) {
        let Some(cut) = self.last_cut(text) else {
            return self.wait(text);
        };
        let (ready, wait) = text.split_at_checked(cut).unwrap_or((text, ""));
        if self.waiting.is_empty() {
            self.take(ready, into);
        } else {
            let mut whole = std::mem::take(&mut self.waiting);
            whole.push_str(ready);
            self.take(&whole, into);
        }
        self.ampersand = false;
        self.wait(wait);
    }

    fn wait(&mut self, text: &str) {
        self.waiting.push_str(text);
        self.ampersand |= text.contains('&');
    }

    /// Returns the last safe cut of a text that follows the waiting text.
    fn last_cut(&self, text: &str) -> Option<usize> {
        text.bytes().rposition(is_cut).or_else(|| {
            // A long run of letters: base64, or a script without spaces. A cut is then safe before an ideograph, and, if
            // no entity may have started, before any ASCII character.
            let begun = self.ampersand || text.contains('&');
            let mut characters = text.char_indices().rev();
            characters
                .find(|&(_, c)| is_ideograph(c) || (c.is_ascii() && !begun))
                .map(|(at, _)| at)
        })
    }

    fn finish(&mut self, into: &mut String) {
        let rest = std::mem::take(&mut self.waiting);
        self.take(&rest, into);
    }

    /// Normalises text between two safe cuts. Most text is ASCII, which needs almost no work.
    fn take(&mut self, text: &str, into: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            let bytes = rest.as_bytes();
            let Some(simple) = find_byte(bytes, |byte| !is_simple(byte)) else {
                return self.keep_ascii(rest, into);
            };
            // The part that is not simple, extended to the safe cuts around it.
            let before = bytes.get(..simple).unwrap_or_default();
            let from = before.iter().rposition(|&byte| is_cut(byte)).unwrap_or(0);
            let after = bytes.get(simple..).unwrap_or_default();
            let to = after
                .iter()
                .position(|&byte| is_cut(byte))
                .map_or(bytes.len(), |at| simple + at);
            self.keep_ascii(rest.get(..from).unwrap_or_default(), into);
            self.take_any(rest.get(from..to).unwrap_or_default(), into);
            rest = rest.get(to..).unwrap_or_default();
        }
    }

    fn take_any(&mut self, text: &str, into: &mut String) {
        const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
        let decoded = htmlize::unescape(text);
        let composed = NFKC.normalize(&decoded);
        for c in composed.chars() {
            self.fold(c, into);
        }
    }

    /// Step three. The folding of a character does not depend on its neighbours.
    #[inline]
    fn fold(&mut self, c: char, into: &mut String) {
        if c.is_ascii() {
            self.keep(c.to_ascii_lowercase(), into);
        } else if is_ideograph(c) {
            self.keep(c, into);
        } else if let Some(folded) = FOLDED.get(c as usize) {
            for c in folded.iter().copied().take_while(|&c| c != '\0') {
                self.keep(c, into);
            }
        } else {
            let mut text = [0; 4];
            for c in fold_one(c.encode_utf8(&mut text)).chars() {
                self.keep(c, into);
            }
        }
    }

    /// Steps three to six for ASCII. Runs of words with single spaces only change their case.
    fn keep_ascii(&mut self, text: &str, into: &mut String) {
        let mut rest = text;
        loop {
            let (words, after) = split_plain_words(rest);
            if !words.is_empty() {
                if self.space && self.begun {
                    into.push(' ');
                }
                self.space = false;
                self.begun = true;
                let start = into.len();
                into.push_str(words);
                if let Some(words) = into.get_mut(start..) {
                    words.make_ascii_lowercase();
                }
            }
            let mut others = after.chars();
            let Some(other) = others.next() else { return };
            self.keep(other.to_ascii_lowercase(), into);
            rest = others.as_str();
        }
    }

    /// Steps four to six.
    #[inline]
    fn keep(&mut self, c: char, into: &mut String) {
        match c {
            ' ' | '\t' | '\n' | '\r' => self.space = true,
            // The general category Cc, which Unicode guarantees never to change.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {}
            c => {
                if self.space && self.begun {
                    into.push(' ');
                }
                self.space = false;
                self.begun = true;
                into.push(c);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The reference implementation: each step over the whole text, as in the draft.
    fn reference(text: &str) -> String {
        let decoded = htmlize::unescape(text);
        let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(&decoded);
        let folded = CaseMapper::new().fold_string(&composed);
        let kept: String = folded
            .chars()
            .filter(|&c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))
            .collect();
        let words = kept
            .split([' ', '\t', '\n', '\r'])
            .filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn vectors_of_the_draft() {
        for (text, normalized, hash) in [
            (
                "Hello  World\n\t\nTesting",
                "hello world testing",
                "479045cd11cebe841bab15d5ffba3dbac4fed0ca5c4eb74d1102e562a45f4f1f",
            ),
            (
                "Test &amp; Unicode: café—",
                "test & unicode: café—",
                "f58639b586fac9cb70d4513c83a6b2954178a80f12f5c1069aad09d124ef7b24",
            ),
            (
                "Hello\u{c}World\u{c}Test",
                "helloworldtest",
                "a869aef68aa3474f125dd9d5b731f6cc1495a6fbafa5de63f55bc79faf75d9f8",
            ),
        ] {
            assert_eq!(normalize(text), normalized);
            assert_eq!(fingerprint(text).to_string(), format!("sha256-{hash}"));
            assert_eq!(fingerprint(text).etag(), format!("\"sha256-{hash}\""));
        }
    }

    #[test]
    fn entities_must_be_decoded_as_html_does() {
        for (text, normalized) in [
            (
                "&lt;b&gt; &#x2014; &mdash; &NotEqualTilde;",
                "<b> — — ≂\u{338}",
            ),
            ("&copy 2025 &copy2025 &amp &AMP", "© 2025 ©2025 & &"),
            ("&notit; &notin; &not", "¬it; ∉ ¬"),
            (
                "&#x80; &#150; &#0; &#xD800; &#x110000;",
                "€ – \u{fffd} \u{fffd} \u{fffd}",
            ),
            ("&#65 &#x41; &#00065;", "a a a"),
            (
                "&amp;amp; &nosuch; & &; &#; &#x;",
                "&amp; &nosuch; & &; &#; &#x;",
            ),
            ("a&nbsp;b&#10;c&#x9;d", "a b c d"),
            ("e&#x301; cafe&#769;", "é café"),
            ("&fjlig;", "fj"),
        ] {
            assert_eq!(normalize(text), normalized, "{text}");
        }
    }

    #[test]
    fn nfkc_and_full_case_folding_must_be_applied() {
        for (text, normalized) in [
            ("ﬁ ① Ⅷ ㎏ ｱ", "fi 1 viii kg ア"),
            ("Straße STRASSE ẞ", "strasse strasse ss"),
            ("ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"),
            ("İ I ı", "i\u{307} i ı"),
            ("Ꭰ ꭰ", "Ꭰ Ꭰ"),
            ("ŉ ǰ ΐ", "ʼn j\u{30c} ι\u{308}\u{301}"),
            ("A\u{30a} Å \u{212b}", "å å å"),
            ("e\u{301}\u{323} e\u{323}\u{301}", "ẹ\u{301} ẹ\u{301}"),
            ("\u{1e9b}\u{323}", "ṩ"),
        ] {
            assert_eq!(normalize(text), normalized, "{text}");
        }
    }

    #[test]
    fn control_characters_must_be_removed_and_white_space_collapsed() {
        for (text, normalized) in [
            ("a\0b\u{7}c\u{7f}d\u{85}e\u{9f}f", "abcdef"),
            ("a\u{b}b\u{c}c", "abc"),
            (" \t\r\na \r\n b\t ", "a b"),
            ("a \0 b", "a b"),
            ("a\u{2003}b\u{3000}c\u{a0}d", "a b c d"),
            (
                "a\u{2028}b\u{200b}c\u{feff}d",
                "a\u{2028}b\u{200b}c\u{feff}d",
            ),
            ("", ""),
            (" \0 ", ""),
        ] {
            assert_eq!(normalize(text), normalized, "{text:?}");
        }
    }

    #[test]
    fn folds_every_character_like_the_library() {
        for c in '\0'..=char::MAX {
            let mut normalizer = Normalizer::default();
            let mut folded = String::new();
            normalizer.fold(c, &mut folded);
            let expected: String = fold_one(&c.to_string())
                .chars()
                .filter(|c| !c.is_control() && *c != ' ')
                .collect();
            assert_eq!(folded, expected, "{c:?}");
        }
    }

    /// Characters of recent versions, so that data of an older version is noticed.
    #[test]
    fn uses_the_stated_version_of_unicode() {
        // Latin capital letter of Unicode 16 (U+A7CB folds to U+0264), 17 (U+A7CE to U+A7CF).
        assert_eq!(normalize("\u{a7cb}\u{a7da}"), "\u{264}\u{a7db}");
        assert_eq!(normalize("\u{a7ce}"), "\u{a7cf}");
    }

    #[test]
    fn holds_little_of_a_long_text() {
        let mut fingerprinter = Fingerprinter::new();
        let piece = "Ein längerer Text &amp; noch einer. ".repeat(1_000);
        for _ in 0..100 {
            fingerprinter.push(&piece);
            assert!(fingerprinter.ready.capacity() < 64 << 10);
            assert!(fingerprinter.normalizer.waiting.len() < 64);
        }
        assert_eq!(
            fingerprinter.finish(),
            ContentHash::of(reference(&piece.repeat(100)).as_bytes())
        );
        for run in ["abcd0123", "漢字かな"] {
            let mut fingerprinter = Fingerprinter::new();
            for _ in 0..10_000 {
                fingerprinter.push(run);
                assert!(fingerprinter.normalizer.waiting.len() < 64, "{run}");
            }
            assert_eq!(fingerprinter.finish(), fingerprint(&run.repeat(10_000)));
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "&amp;", "&am", "p;", "&#x30", "1;", "&#", "&", ";", "e", "\u{301}", "\u{323}",
                " ", "\n", "ß", "Σ", "é", "\u{338}", "=", "<", "か", "\u{3099}", "ｶ", "ﾞ", "漢",
                "가", "ᄀ", "ᅡ", "ᆨ", "&#x1161;", "&#x301;", "&copy", "2", "A", "İ", "\0", "\u{a0}",
                "ﬁ", "的",
            ])
            .prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
            "[a-zA-Z &;#.]{0,12}",
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn matches_the_reference_in_pieces(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let expected = reference(&text);
            prop_assert_eq!(normalize(&text), expected.clone());
            let mut at: Vec<usize> = cuts.iter().map(|cut| boundary(&text, cut.index(text.len() + 1))).collect();
            at.extend([0, text.len()]);
            at.sort_unstable();
            let mut fingerprinter = Fingerprinter::new();
            for pair in at.windows(2) {
                fingerprinter.push(text.get(pair[0]..pair[1]).unwrap());
            }
            prop_assert_eq!(fingerprinter.finish(), ContentHash::of(expected.as_bytes()));
        }
    }
}
