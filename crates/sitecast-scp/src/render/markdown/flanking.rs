//! Rules for the delimiters of emphasis: CommonMark, "left-flanking delimiter run".
//!
//! A delimiter is used only where every version of CommonMark reads it: symbols such as `→` count as letters up to 0.30,
//! and as punctuation from 0.31.

/// The class of a character next to a delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// White space, or the end of the line.
    Space,
    Punctuation,
    /// Punctuation or a letter, depending on the version.
    Symbol,
    Letter,
    /// Control characters and line separators, which parsers treat differently.
    Unclear,
}

impl Side {
    pub(super) fn of(c: char) -> Self {
        match c {
            c if c.is_ascii_punctuation() => Self::Punctuation,
            '\t' | '\n' | '\x0c' | '\r' => Self::Space,
            // White space for Unicode, not for CommonMark.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => Self::Unclear,
            c if c.is_whitespace() => Self::Space,
            // Letters in circles and squares are symbols, although Unicode has them as alphabetic.
            '\u{24b6}'..='\u{24e9}'
            | '\u{1f130}'..='\u{1f149}'
            | '\u{1f150}'..='\u{1f169}'
            | '\u{1f170}'..='\u{1f189}' => Self::Symbol,
            c if c.is_alphanumeric() => Self::Letter,
            _ => Self::Symbol,
        }
    }

    fn is_boundary(self) -> bool {
        matches!(self, Self::Space | Self::Punctuation)
    }
}

/// Returns true if a delimiter between these two begins emphasis in all versions.
pub(super) fn can_open(before: Side, after: Side) -> bool {
    match after {
        Side::Letter => before != Side::Unclear,
        Side::Punctuation | Side::Symbol => before.is_boundary(),
        Side::Space | Side::Unclear => false,
    }
}

/// Returns true if a delimiter between these two ends emphasis in all versions.
pub(super) fn can_close(before: Side, after: Side) -> bool {
    can_open(after, before)
}

/// Returns true if a delimiter between these two ends emphasis in some version.
pub(super) fn may_close(before: Side, after: Side) -> bool {
    match before {
        Side::Space => false,
        Side::Letter | Side::Symbol | Side::Unclear => true,
        Side::Punctuation => after != Side::Letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_open_and_close_at_word_edges() {
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
            assert_eq!(can_open(before, after), opening, "{before:?} {after:?}");
            assert_eq!(can_close(before, after), closing, "{before:?} {after:?}");
            assert!(!closing || may_close(before, after), "{before:?} {after:?}");
        }
    }
}
