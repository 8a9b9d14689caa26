//! TeX formulas between dollar signs.
//!
//! CommonMark has no formulas. The extensions of GitHub, Pandoc, Jupyter and Obsidian have them between dollar signs.
//! `\(` is not a delimiter there, because CommonMark reads it as an escaped bracket.

/// The delimiters of formulas in pages, and the layout that each pair stands for.
const DELIMITERS: [(&str, &str, Layout); 4] = [
    ("\\(", "\\)", Layout::Line),
    ("\\[", "\\]", Layout::Display),
    ("$$", "$$", Layout::Display),
    ("$", "$", Layout::Line),
];

/// The layout of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Within a line of text.
    Line,
    /// On a line of its own.
    Display,
}

/// Writes a formula as Markdown. Returns `None` if parsers would not all read it as one formula. `text` may include
/// delimiters, which then determine the layout; `layout` applies without them.
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

/// Returns true if all braces are paired.
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

/// Adds a space after each `<` that parsers without formulas would read as the start of a tag. TeX ignores the space.
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
    fn writes_formulas_between_dollars() {
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
    fn rejects_text_that_is_not_a_formula() {
        for text in ["", "\\(\\)", "a}", "{a", "\\$5", "a\\", "``a''", "$"] {
            assert_eq!(markup(text, Layout::Line), None, "{text}");
        }
    }
}
