//! The end of raw text: of elements such as `title` and `script`, in which only their own end tag is markup.

use memchr::{memchr, memchr2};

/// The kind of an element's raw text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RawText {
    /// `style`, `title` and the like: up to the end tag.
    Plain,
    /// `script`: after `<!--`, a nested `<script` pairs with the next end tag.
    Script,
}

/// Returns the offset of the end tag of `element`, if there is one. HTML, "RCDATA end tag name state" and its equivalents.
pub(super) fn end_of_raw_text(text: &[u8], element: &str, kind: RawText) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'<', text.get(at..)?)?;
        let rest = text.get(at..)?;
        if is_end_tag(rest, element) {
            return Some(at);
        }
        if kind == RawText::Script && rest.starts_with(b"<!--") {
            // In `<!-->` the same dashes end the escaped part.
            match end_of_escaped_script(text, at + 2)? {
                Escaped::Left(end) => at = end,
                Escaped::EndTag(end) => return Some(end),
            }
        } else {
            at += 1;
        }
    }
}

enum Escaped {
    /// The offset after `-->`.
    Left(usize),
    /// The offset of the end tag of the script.
    EndTag(usize),
}

/// HTML, "Script data escaped state" and "Script data double escaped state".
fn end_of_escaped_script(text: &[u8], mut at: usize) -> Option<Escaped> {
    let mut is_within_another = false;
    loop {
        at += memchr2(b'<', b'-', text.get(at..)?)?;
        let rest = text.get(at..)?;
        if rest.starts_with(b"-->") {
            return Some(Escaped::Left(at + 3));
        }
        if is_end_tag(rest, "script") {
            if !is_within_another {
                return Some(Escaped::EndTag(at));
            }
            is_within_another = false;
        } else if starts_tag(rest, b"<script") {
            is_within_another = true;
        }
        at += 1;
    }
}

fn is_end_tag(text: &[u8], element: &str) -> bool {
    text.strip_prefix(b"</")
        .is_some_and(|name| starts_tag(name, element.as_bytes()))
}

/// Returns true if `text` begins with `start`, in any case, followed by the end of a tag name.
pub(super) fn starts_tag(text: &[u8], start: &[u8]) -> bool {
    text.split_at_checked(start.len())
        .is_some_and(|(name, rest)| {
            name.eq_ignore_ascii_case(start)
                && matches!(
                    rest.first(),
                    Some(b' ' | b'\t' | b'\n' | b'\x0c' | b'/' | b'>')
                )
        })
}

#[cfg(test)]
#[allow(clippy::string_slice)]
mod tests {
    use super::*;

    #[test]
    fn scripts_end_at_their_own_end_tag() {
        for (text, rest) in [
            ("var a = 1;</script>after", Some("</script>after")),
            ("a</scripty></SCRIPT >after", Some("</SCRIPT >after")),
            ("<!-- <script>a</script> --></script>", Some("</script>")),
            (
                "<!-- <script>a</script></script> -->",
                Some("</script> -->"),
            ),
            ("<!-- a </script>after", Some("</script>after")),
            ("<!--><script></script>after", Some("</script>after")),
            ("<!---><script></script>after", Some("</script>after")),
            ("<!-- --><script></script>after", Some("</script>after")),
            ("<!-- <scripty></script>after", Some("</script>after")),
            ("<!-- <script>a</script>", None),
            ("no end", None),
            ("</script", None),
        ] {
            let end = end_of_raw_text(text.as_bytes(), "script", RawText::Script);
            assert_eq!(end.map(|end| &text[end..]), rest, "{text}");
        }
    }

    #[test]
    fn comments_do_not_matter_in_other_raw_text() {
        let style = "<!-- p {} </style>after";
        let end = end_of_raw_text(style.as_bytes(), "style", RawText::Plain);
        assert_eq!(end, Some(10));
    }
}
