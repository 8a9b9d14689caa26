//! What a text looks like.

/// What a text looks like.
#[derive(Debug, Default)]
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

impl Shape {
    pub(super) fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut start = true;
        for c in text.chars() {
            // Most are these, and none of those below.
            if c.is_ascii_lowercase() || c == ' ' {
                start = c == ' ';
                continue;
            }
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
                    if start {
                        shape.capitalized += 1.0;
                    }
                }
                _ => {}
            }
            if !c.is_ascii() {
                shape.non_ascii += 1.0;
            }
            start = c == ' ';
        }
        shape.ends_sentence = text
            .trim_end_matches(['"', '\'', ')', '”', '’', '»'])
            .ends_with(['.', '!', '?', '。', '！', '？', '…', '؟', '।']);
        shape
    }
}
