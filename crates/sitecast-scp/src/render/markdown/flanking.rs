//! Where delimiters of emphasis are read as such: CommonMark, "left-flanking delimiter run".
//!
//! A delimiter counts only if it does for every version of CommonMark: up to 0.30 symbols such as `→` were letters, from
//! 0.31 on they are punctuation.

/// What a character is to the delimiters beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// White space, or the end of the line.
    Space,
    Punctuation,
    /// Punctuation or a letter, depending on the version.
    Symbol,
    Letter,
    /// Nobody knows.
    Odd,
}

impl Side {
    pub(super) fn of(c: char) -> Self {
        match c {
            c if c.is_ascii_punctuation() => Self::Punctuation,
            '\t' | '\n' | '\x0c' | '\r' => Self::Space,
            // White space for Unicode, not for CommonMark.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => Self::Odd,
            c if c.is_whitespace() => Self::Space,
            // Letters in circles and squares are symbols, though Unicode calls them alphabetic.
            '\u{24b6}'..='\u{24e9}'
            | '\u{1f130}'..='\u{1f149}'
            | '\u{1f150}'..='\u{1f169}'
            | '\u{1f170}'..='\u{1f189}' => Self::Symbol,
            c if c.is_alphanumeric() => Self::Letter,
            _ => Self::Symbol,
        }
    }

    fn parts(self) -> bool {
        matches!(self, Self::Space | Self::Punctuation)
    }
}

/// Whether a delimiter between these two begins emphasis.
pub(super) fn opens(before: Side, after: Side) -> bool {
    match after {
        Side::Letter => before != Side::Odd,
        Side::Punctuation | Side::Symbol => before.parts(),
        Side::Space | Side::Odd => false,
    }
}

/// Whether a delimiter between these two ends emphasis.
pub(super) fn closes(before: Side, after: Side) -> bool {
    opens(after, before)
}

/// Whether a delimiter between these two may end emphasis by some version.
pub(super) fn may_close(before: Side, after: Side) -> bool {
    match before {
        Side::Space => false,
        Side::Letter | Side::Symbol | Side::Odd => true,
        Side::Punctuation => after != Side::Letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_stand_at_the_edges_of_words() {
        let sides = |before: char, after: char| (Side::of(before), Side::of(after));
        for (before, after, opening, closing) in [
            (' ', 'a', true, false),
            ('a', ' ', false, true),
            ('a', 'b', true, true),
            (' ', '"', true, false),
            ('a', '"', false, true),
            ('(', '"', true, true),
            ('→', '"', false, true),
            ('→', 'a', true, false),
            ('Ⓐ', '"', false, true),
            ('a', '🄰', false, true),
            (' ', ' ', false, false),
            ('\u{85}', 'a', false, false),
        ] {
            let (before, after) = sides(before, after);
            assert_eq!(opens(before, after), opening, "{before:?} {after:?}");
            assert_eq!(closes(before, after), closing, "{before:?} {after:?}");
            assert!(!closing || may_close(before, after), "{before:?} {after:?}");
        }
    }
}
