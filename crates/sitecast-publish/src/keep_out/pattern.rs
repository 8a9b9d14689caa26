//! Patterns of `_headers`: `*` stands for anything, `:name` for all up to the next separator.

use std::fmt;

use serde::Serialize;

/// A pattern, as bytes to compare in lower case.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub(super) struct Pattern {
    tokens: Vec<Token>,
    separator: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum Token {
    Byte(u8),
    Anything,
    Name,
}

impl Pattern {
    /// Names end at `separator`: `/` in a path, `.` in a host.
    pub(super) fn new(text: &str, separator: u8) -> Self {
        let mut tokens = Vec::new();
        let mut bytes = text.bytes().peekable();
        while let Some(byte) = bytes.next() {
            let begins_name = byte == b':' && bytes.peek().is_some_and(u8::is_ascii_alphabetic);
            if begins_name {
                while bytes
                    .next_if(|next| next.is_ascii_alphanumeric() || *next == b'_')
                    .is_some()
                {}
                tokens.push(Token::Name);
            } else if byte != b'*' {
                tokens.push(Token::Byte(byte.to_ascii_lowercase()));
            } else if tokens.last() != Some(&Token::Anything) {
                tokens.push(Token::Anything);
            }
        }
        Self { tokens, separator }
    }

    /// Returns true if it matches all of a text. All ways are followed at once: time grows with both lengths, whatever they are.
    pub(super) fn matches(&self, text: &str) -> bool {
        // Most patterns differ in their first bytes.
        let mut bytes = text.bytes();
        for token in &self.tokens {
            let Token::Byte(expected) = token else {
                break;
            };
            if bytes.next().map(|byte| byte.to_ascii_lowercase()) != Some(*expected) {
                return false;
            }
        }
        let mut at = vec![false; self.tokens.len() + 1];
        self.reach(&mut at, 0);
        for byte in text.bytes() {
            let byte = byte.to_ascii_lowercase();
            let mut next = vec![false; at.len()];
            for (number, token) in self.tokens.iter().enumerate() {
                if at.get(number) != Some(&true) {
                    continue;
                }
                match token {
                    Token::Byte(expected) if *expected == byte => self.reach(&mut next, number + 1),
                    Token::Anything => self.reach(&mut next, number),
                    Token::Name if byte != self.separator => {
                        self.reach(&mut next, number);
                        self.reach(&mut next, number + 1);
                    }
                    Token::Byte(_) | Token::Name => {}
                }
            }
            at = next;
        }
        at.last() == Some(&true)
    }

    /// Marks a place, and those after it that need no byte.
    fn reach(&self, places: &mut [bool], from: usize) {
        let mut number = from;
        while let Some(place) = places.get_mut(number) {
            *place = true;
            if self.tokens.get(number) != Some(&Token::Anything) {
                break;
            }
            number += 1;
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.tokens {
            match token {
                Token::Byte(byte) => write!(f, "{}", byte.escape_ascii())?,
                Token::Anything => f.write_str("*")?,
                Token::Name => f.write_str(":name")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_names_match() {
        for (pattern, text, expected) in [
            ("/a", "/a", true),
            ("/a", "/A", true),
            ("/a", "/ab", false),
            ("/a/*", "/a/", true),
            ("/a/*", "/a/b/c", true),
            ("/a/*", "/ab", false),
            ("/*", "/", true),
            ("/*.html", "/a/b.html", true),
            ("/*.html", "/a/b.htm", false),
            ("/:year/x", "/2025/x", true),
            ("/:year/x", "/2025/1/x", false),
            ("/:year/x", "//x", false),
            ("/a:b", "/ac", true),
            ("/a:", "/a:", true),
            ("/*/b/*", "/x/y/b/z", true),
        ] {
            assert_eq!(
                Pattern::new(pattern, b'/').matches(text),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern = Pattern::new(&"*a".repeat(500), b'/');
        assert!(!pattern.matches(&"b".repeat(2_000)));
        assert!(!pattern.matches(&"a".repeat(499)));
    }
}
