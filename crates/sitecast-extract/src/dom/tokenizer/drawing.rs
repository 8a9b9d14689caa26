//! Skipping drawings (`svg`) as a whole.

use memchr::memchr;

use super::raw_text::starts_tag;

/// The search for the end of a drawing stops after this many bytes.
const MAX_DRAWING_BYTES: usize = 65_536;

/// Returns the end of an `svg` after its end tag; `None` if there is no end tag, or HTML in it, which browsers show
/// (`foreignObject`) or which ends the drawing (`<div>`).
pub(super) fn end_of_drawing(text: &[u8]) -> Option<usize> {
    let text = text.get(..MAX_DRAWING_BYTES).unwrap_or(text);
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
        } else if HTML_IN_DRAWINGS.iter().any(|tag| starts_tag(rest, tag)) {
            return None;
        }
        at += 1;
    }
}

const HTML_IN_DRAWINGS: [&[u8]; 9] = [
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
    fn skips_drawings_without_html_up_to_their_own_end_tag() {
        let end = |text: &'static str| end_of_drawing(text.as_bytes()).map(|end| &text[end..]);
        assert_eq!(end("<path d='M0'/></svg>after"), Some("after"));
        assert_eq!(end("<svg><g/></svg></SVG >after"), Some("after"));
        assert_eq!(end("<g>never closed"), None);
        assert_eq!(end("<foreignObject>text</foreignObject></svg>after"), None);
        assert_eq!(end("<div>not in it any more</svg>after"), None);
        assert_eq!(end("<path/></svg"), None);
    }
}
