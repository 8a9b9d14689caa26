//! Comments and doctypes: the markup after `<!`.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Doctype;
use memchr::{memchr, memmem};

/// Returns the end of a comment in the text after its `<!--`, if there is one. HTML, "Comment start state" and the states
/// after it.
pub(super) fn end_of_comment(text: &[u8]) -> Option<usize> {
    if text.starts_with(b">") {
        return Some(1);
    }
    if text.starts_with(b"->") {
        return Some(2);
    }
    let mut at = 0;
    loop {
        at += memmem::find(text.get(at..)?, b"--")?;
        at += text.get(at..)?.iter().take_while(|b| **b == b'-').count();
        let rest = text.get(at..)?;
        if rest.starts_with(b">") {
            return Some(at + 1);
        }
        if rest.starts_with(b"!>") {
            return Some(at + 2);
        }
    }
}

/// Reads a doctype from the text after `<!doctype`, and returns it with its end. HTML, "DOCTYPE state" and the states after it.
pub(super) fn doctype(text: &str) -> (Doctype, usize) {
    let mut doctype = Doctype::default();
    let mut reader = Reader { text, at: 0 };
    if reader.doctype(&mut doctype).is_none() {
        doctype.force_quirks = true;
    }
    let end = memchr(b'>', reader.rest().as_bytes());
    (doctype, end.map_or(text.len(), |end| reader.at + end + 1))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte, unless the input or the doctype ends here.
    fn peek(&self) -> Option<u8> {
        let byte = self.rest().bytes().next();
        byte.filter(|byte| *byte != b'>')
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_space).len();
    }

    /// Reads the doctype; `None` if a part is missing or superfluous.
    fn doctype(&mut self, doctype: &mut Doctype) -> Option<()> {
        self.space();
        self.peek()?;
        let name = self.rest();
        let name = name
            .get(..name.find(|c| is_space(c) || c == '>')?)
            .unwrap_or_default();
        self.at += name.len();
        doctype.name = Some(clean(&name.to_ascii_lowercase()));
        self.space();
        if self.rest().starts_with('>') {
            return Some(());
        }
        let keyword = self.rest().get(..6)?;
        let is_public = keyword.eq_ignore_ascii_case("public");
        if !is_public && !keyword.eq_ignore_ascii_case("system") {
            return None;
        }
        self.at += 6;
        self.space();
        if is_public {
            self.quoted(&mut doctype.public_id)?;
            self.space();
            if self.rest().starts_with('>') {
                return Some(());
            }
        }
        self.quoted(&mut doctype.system_id)?;
        self.space();
        // Anything may follow, as long as the doctype ends.
        (!self.rest().is_empty()).then_some(())
    }

    fn quoted(&mut self, into: &mut Option<StrTendril>) -> Option<()> {
        let quote = char::from(self.peek()?);
        if quote != '"' && quote != '\'' {
            return None;
        }
        self.at += 1;
        let rest = self.rest();
        let end = rest.find([quote, '>']);
        let id = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += id.len();
        *into = Some(clean(id));
        if self.peek().map(char::from) != Some(quote) {
            return None;
        }
        self.at += 1;
        Some(())
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0c')
}

fn clean(text: &str) -> StrTendril {
    StrTendril::from(text.replace('\0', "\u{fffd}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_ends_of_comments_as_browsers_do() {
        for (text, end) in [
            (">after", Some(1)),
            ("->after", Some(2)),
            ("-->after", Some(3)),
            ("--!>after", Some(4)),
            (" a -- b - > ---> after", Some(16)),
            ("!> -->", Some(6)),
            ("-!> -->", Some(7)),
            ("<!-->", Some(5)),
            (" --!-->", Some(7)),
            ("--", None),
            ("a -- >", None),
            ("", None),
        ] {
            assert_eq!(end_of_comment(text.as_bytes()), end, "{text}");
        }
    }

    #[test]
    fn incomplete_doctypes_force_quirks() {
        let is_quirky = |text: &str| doctype(text).0.force_quirks;
        for text in [
            " html>",
            "html>",
            " html PUBLIC \"a\" 'b'>",
            " html public 'a'>",
            " html SYSTEM 'a' what else>",
        ] {
            assert!(!is_quirky(text), "{text}");
        }
        for text in [
            ">",
            " ",
            " html",
            " html x>",
            " html PUBLIC>",
            " html PUBLIC 'a>",
            " html PUBLIC 'a' x>",
            " html SYSTEM>",
            " html SYSTEM 'a'",
        ] {
            assert!(is_quirky(text), "{text}");
        }
        let (whole, end) = doctype(" HTML PUBLIC 'p' \"s\" >after");
        assert_eq!(whole.name.as_deref(), Some("html"));
        assert_eq!(whole.public_id.as_deref(), Some("p"));
        assert_eq!(whole.system_id.as_deref(), Some("s"));
        assert_eq!(end, 22);
    }
}
