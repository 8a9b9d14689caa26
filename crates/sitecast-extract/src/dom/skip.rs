//! How far to jump over text that no reader sees.

use memchr::{memchr, memmem};

/// The most attributes an element may have: finding one given twice takes the parser a look at
/// all before it, and there is no honest element with half as many.
pub(super) const MAX_ATTRIBUTES: u32 = 256;

/// Where the text of a `script` or `style` ends and its end tag is over, in bytes; all of it
/// where there is no end tag.
pub(super) fn end_of_raw_text(text: &str, element: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    // HTML, "Script data double escaped state": after `<!--`, `<script` opens a script in the
    // script, whose end tag is not ours, until `-->`.
    let mut escaped = false;
    let mut inner = false;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'<', rest)) {
        at += found;
        if escaped
            && let Some(before) = bytes.get(..at)
            && ends_escape(
                before,
                bytes.get(at.saturating_sub(found)..at).unwrap_or_default(),
            )
        {
            escaped = false;
            inner = false;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        if element == "script" && rest.starts_with(b"<!--") {
            escaped = true;
            // `<!-->` is over at once.
            at += 2;
            continue;
        }
        if escaped && starts_tag(rest, b"<script") {
            inner = true;
        } else if let Some(after) = rest.strip_prefix(b"</")
            && after
                .get(..element.len())
                .is_some_and(|name| name.eq_ignore_ascii_case(element.as_bytes()))
            && after.get(element.len()).is_none_or(|b| ends_name(*b))
        {
            if !inner {
                return rest
                    .iter()
                    .position(|b| *b == b'>')
                    .map_or(bytes.len(), |end| at + end + 1);
            }
            inner = false;
        }
        at += 1;
    }
    bytes.len()
}

/// Drawings longer than this are not looked through for their end.
const LONGEST_DRAWING: usize = 65_536;

/// Where an `svg` ends, its end tag included, if it has one and holds nothing to read: HTML in it
/// would either be shown (`foreignObject`) or end it (`<div>`).
pub(super) fn end_of_drawing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..LONGEST_DRAWING).unwrap_or(bytes);
    let mut at = 0;
    let mut depth = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'<', rest)) {
        at += found;
        let rest = bytes.get(at..).unwrap_or_default();
        if starts_tag(rest, b"</svg") {
            depth -= 1;
            if depth == 0 {
                return Some(at + memchr(b'>', rest)? + 1);
            }
        } else if starts_tag(rest, b"<svg") {
            depth += 1;
        } else if READ_IN_DRAWINGS.iter().any(|tag| starts_tag(rest, tag)) {
            return None;
        }
        at += 1;
    }
    None
}

const READ_IN_DRAWINGS: [&[u8]; 9] = [
    b"<foreignobject",
    b"<div",
    b"<p",
    b"<span",
    b"<table",
    b"<ul",
    b"<h1",
    b"<h2",
    b"<body",
];

/// Whether `-->` is in what was passed over since the last look.
fn ends_escape(before: &[u8], passed: &[u8]) -> bool {
    let from = before.len().saturating_sub(passed.len() + 2);
    before
        .get(from..)
        .is_some_and(|text| memmem::find(text, b"-->").is_some())
}

fn starts_tag(text: &[u8], tag: &[u8]) -> bool {
    text.get(..tag.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && text.get(tag.len()).is_none_or(|b| ends_name(*b))
}

fn ends_name(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'/' | b'>')
}

/// What to cut out of the text so that no element has too many attributes, if anything: ranges of
/// bytes in order. What looks like a tag in a script or a comment is treated as one; there, too,
/// only thousands of attributes are cut.
pub(super) fn surplus_attributes(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut cuts = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'<', rest)) {
        at += found + 1;
        // End tags can have them, too.
        at += usize::from(bytes.get(at) == Some(&b'/'));
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (end, surplus) = scan_tag(bytes, at);
        cuts.extend(surplus.map(|from| from..end));
        at = end;
    }
    cuts
}

/// Where the tag ends whose name begins at `at`, and where its surplus attributes begin.
fn scan_tag(bytes: &[u8], mut at: usize) -> (usize, Option<usize>) {
    let mut surplus = None;
    let mut attributes = 0;
    let mut in_name = true;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return (at, surplus),
            b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'/' => in_name = false,
            b'=' if in_name => {
                in_name = false;
                at += 1;
                while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                    at += 1;
                }
                match bytes.get(at) {
                    Some(quote @ (b'"' | b'\'')) => {
                        let rest = bytes.get(at + 1..).unwrap_or_default();
                        // Without an end it is no tag, or it is and takes all the rest with it;
                        // tags in what follows are looked at as if it were none.
                        let Some(length) = memchr(*quote, rest) else {
                            return (at, surplus);
                        };
                        at += length + 1;
                    }
                    Some(_) => {
                        while bytes
                            .get(at)
                            .is_some_and(|b| !b.is_ascii_whitespace() && *b != b'>')
                        {
                            at += 1;
                        }
                        continue;
                    }
                    None => {}
                }
            }
            _ if in_name => {}
            _ => {
                in_name = true;
                attributes += 1;
                if attributes == MAX_ATTRIBUTES {
                    surplus = Some(at);
                }
            }
        }
        at += 1;
    }
    (bytes.len(), surplus)
}

#[cfg(test)]
#[allow(clippy::string_slice)]
mod tests {
    use super::*;

    #[test]
    fn a_script_ends_at_its_own_end_tag() {
        for (text, rest) in [
            ("var a = 1;</script>after", "after"),
            ("a</scripty></SCRIPT >after", "after"),
            ("<!-- <script>a</script> --></script>after", "after"),
            ("<!-- a </script>after", "after"),
            ("<!--><script></script>after", "after"),
            ("<!-- --><script></script>after", "after"),
            ("no end", ""),
            ("</script", ""),
        ] {
            assert_eq!(&text[end_of_raw_text(text, "script")..], rest, "{text}");
        }
        let style = "<!-- p {} </style>after";
        assert_eq!(&style[end_of_raw_text(style, "style")..], "after");
    }

    #[test]
    fn a_drawing_ends_at_its_own_end_tag_and_holds_nothing_to_read() {
        let end = |text| end_of_drawing(text).map(|end| &text[end..]);
        assert_eq!(end("<path d='M0'/></svg>after"), Some("after"));
        assert_eq!(end("<svg><g/></svg></SVG >after"), Some("after"));
        assert_eq!(end("<g>never closed"), None);
        assert_eq!(end("<foreignObject>text</foreignObject></svg>after"), None);
        assert_eq!(end("<div>not in it any more</svg>after"), None);
        assert_eq!(end("<path/></svg"), None);
    }

    #[test]
    fn only_surplus_attributes_are_cut() {
        let honest = r#"<p class="a > b" id=x data-a='"' hidden>text</p>"#;
        assert!(surplus_attributes(honest).is_empty());
        let many: String = (0..500).map(|n| format!(" a{n}=\"{n}\"")).collect();
        let page = format!("<p>before</p><div x='>'{many}>after");
        let cuts = surplus_attributes(&page);
        assert_eq!(cuts.len(), 1);
        assert!(page[cuts[0].clone()].starts_with("a254="));
        assert_eq!(&page[cuts[0].end..], ">after");
    }
}
