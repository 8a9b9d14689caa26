//! Foreign text on a terminal, made harmless.
//!
//! A page can hold anything: escape sequences that retitle the window or move the cursor, and
//! marks that turn the direction of what follows. They are shown, never sent.

use std::fmt::{self, Write};

/// Foreign text, to be displayed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'a> {
    text: &'a str,
    keep_lines: bool,
}

impl<'a> Plain<'a> {
    /// For a single line: line feeds and tabs are shown as well.
    pub(crate) fn line(text: &'a str) -> Self {
        Self {
            text,
            keep_lines: false,
        }
    }

    /// For running text: line feeds and tabs stay.
    pub(crate) fn text(text: &'a str) -> Self {
        Self {
            text,
            keep_lines: true,
        }
    }
}

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.text.chars() {
            match c {
                '\n' | '\t' if self.keep_lines => f.write_char(c)?,
                // U+2400 and on are pictures of the control characters.
                '\0'..='\x1f' => {
                    f.write_char(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'))?
                }
                '\x7f' => f.write_char('\u{2421}')?,
                '\u{80}'..='\u{9f}'
                | '\u{61c}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' => write!(f, "<U+{:04X}>", u32::from(c))?,
                // Within running text these have their uses; in a name or a URL they only deceive.
                '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
                    if !self.keep_lines =>
                {
                    write!(f, "<U+{:04X}>", u32::from(c))?;
                }
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_control_characters_instead_of_sending_them() {
        let text = "a\x1b[31mred\x07\x7f\u{9b}2J\u{202e}evil\0";
        assert_eq!(
            Plain::line(text).to_string(),
            "a␛[31mred␇␡<U+009B>2J<U+202E>evil␀"
        );
    }

    #[test]
    fn shows_what_cannot_be_seen_in_a_name() {
        assert_eq!(Plain::line("a\u{200b}b").to_string(), "a<U+200B>b");
        assert_eq!(Plain::text("a\u{200b}b").to_string(), "a\u{200b}b");
    }

    #[test]
    fn keeps_lines_only_where_they_belong() {
        assert_eq!(Plain::line("a\nb\tc\r").to_string(), "a␊b␉c␍");
        assert_eq!(Plain::text("a\nb\tc\r").to_string(), "a\nb\tc␍");
    }

    #[test]
    fn leaves_every_script_alone() {
        let text = "Grüße, 你好, שלום, नमस्ते, 👩‍👧";
        assert_eq!(Plain::line(text).to_string(), text);
    }
}
