//! Formulas in TeX, between dollars.
//!
//! CommonMark knows no formulas. Its extensions do, between dollars: GitHub, Pandoc, Jupyter, Obsidian. `\(` is no
//! delimiter there: CommonMark reads it as a bracket.

/// The delimiters that pages have, and whether a formula between them has a line to itself.
const DELIMITERS: [(&str, &str, Layout); 4] = [
    ("\\(", "\\)", Layout::Line),
    ("\\[", "\\]", Layout::Display),
    ("$$", "$$", Layout::Display),
    ("$", "$", Layout::Line),
];

/// Where a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// In a line of text.
    Line,
    /// On a line of its own.
    Display,
}

/// A formula as Markdown; `None` if it cannot be written so that all read it alike. `text` has the delimiters that the page
/// has, if any; without them `layout` says where it stands.
pub(super) fn markup(text: &str, layout: Layout) -> Option<String> {
    let text = text.trim();
    let delimited = DELIMITERS.iter().find_map(|(open, close, layout)| {
        let tex = text.strip_prefix(open)?.strip_suffix(close)?;
        Some((tex, *layout))
    });
    let (tex, layout) = delimited.unwrap_or((text, layout));
    let tex = tex.trim();
    if tex.is_empty() || tex.ends_with('\\') || tex.contains(['$', '`', '\0']) || !is_balanced(tex)
    {
        return None;
    }
    let dollars = match layout {
        Layout::Line => "$",
        Layout::Display => "$$",
    };
    Some(format!("{dollars}{}{dollars}", without_tags(tex)))
}

/// Whether every brace has its other one.
fn is_balanced(tex: &str) -> bool {
    let mut depth = 0_usize;
    let mut chars = tex.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '{' => depth += 1,
            '}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}

/// A space after each `<` that could begin a tag for who reads no formulas. TeX does not see it.
fn without_tags(tex: &str) -> String {
    let mut out = String::with_capacity(tex.len() + 4);
    let mut chars = tex.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        let begins_tag =
            |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        if c == '<' && chars.peek().is_some_and(begins_tag) {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_stand_between_dollars() {
        for (text, layout, written) in [
            ("\\(E = mc^2\\)", Layout::Line, "$E = mc^2$"),
            ("\\[ a \\]", Layout::Line, "$$a$$"),
            ("$$a$$", Layout::Line, "$$a$$"),
            ("$a$", Layout::Display, "$a$"),
            ("a_1", Layout::Display, "$$a_1$$"),
            ("a<b \\{", Layout::Line, "$a< b \\{$"),
        ] {
            assert_eq!(markup(text, layout).as_deref(), Some(written), "{text}");
        }
    }

    #[test]
    fn what_would_not_be_read_as_a_formula_is_none() {
        for text in ["", "\\(\\)", "a}", "{a", "\\$5", "a\\", "``a''", "$"] {
            assert_eq!(markup(text, Layout::Line), None, "{text}");
        }
    }
}
