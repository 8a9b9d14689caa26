//! Where text ends in which no tag counts but the end tag of the element it is in.

use memchr::{memchr, memchr2};

/// How an element's text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RawText {
    /// `style`, `title` and the like: up to the end tag.
    Plain,
    /// `script`: after `<!--`, a `<script` within takes the next end tag for itself.
    Script,
}

/// Where the end tag of `element` begins, if there is one. HTML, "RCDATA end tag name state" and
/// those like it.
pub(super) fn end_of_raw_text(text: &[u8], element: &str, kind: RawText) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'<', text.get(at..)?)?;
        let rest = text.get(at..)?;
        if is_end_tag(rest, element) {
            return Some(at);
        }
        if kind == RawText::Script && rest.starts_with(b"<!--") {
            // The dashes may be those of `-->` already.
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
    /// Behind `-->`.
    Left(usize),
    /// At the end tag of the script, which counts unless a script within was opened.
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

/// Whether `text` begins with `start` in any case, and with the end of a name after it.
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
    fn a_script_ends_at_its_own_end_tag() {
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
    fn other_raw_text_knows_no_comments() {
        let style = "<!-- p {} </style>after";
        let end = end_of_raw_text(style.as_bytes(), "style", RawText::Plain);
        assert_eq!(end, Some(10));
    }
}
