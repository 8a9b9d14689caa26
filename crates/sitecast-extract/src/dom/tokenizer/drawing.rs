//! Drawings, which are passed over as a whole.

use memchr::memchr;

use super::raw_text::starts_tag;

/// Drawings longer than this are not looked through for their end.
const LONGEST_DRAWING: usize = 65_536;

/// Where an `svg` ends, its end tag included, if it has one and holds nothing to read: HTML in it
/// would either be shown (`foreignObject`) or end it (`<div>`).
pub(super) fn end_of_drawing(text: &[u8]) -> Option<usize> {
    let text = text.get(..LONGEST_DRAWING).unwrap_or(text);
    let mut at = 0;
    let mut depth = 1;
    loop {
        at += memchr(b'<', text.get(at..)?)?;
        let rest = text.get(at..)?;
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

#[cfg(test)]
#[allow(clippy::string_slice)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_ends_at_its_own_end_tag_and_holds_nothing_to_read() {
        let end = |text: &'static str| end_of_drawing(text.as_bytes()).map(|end| &text[end..]);
        assert_eq!(end("<path d='M0'/></svg>after"), Some("after"));
        assert_eq!(end("<svg><g/></svg></SVG >after"), Some("after"));
        assert_eq!(end("<g>never closed"), None);
        assert_eq!(end("<foreignObject>text</foreignObject></svg>after"), None);
        assert_eq!(end("<div>not in it any more</svg>after"), None);
        assert_eq!(end("<path/></svg"), None);
    }
}
