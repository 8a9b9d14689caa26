//! Formulas in TeX among the text of a page, which a script renders.
//!
//! Text that looks like a formula counts as one only on a page with such a script, or with elements named after
//! formulas.

use std::ops::Range;

use memchr::{memchr, memmem};
use sitecast_scp::MarkKind;

use super::class::classes;
use crate::dom::{Dom, NodeId};

/// Classes of elements with formulas: Sphinx and Pandoc, arithmatex, KaTeX, MathJax.
const NAMES: &[&str] = &[
    "math",
    "arithmatex",
    "katex",
    "MathJax",
    "MathJax_Preview",
    "tex2jax_process",
];

const SCRIPT: &[u8] = b"script";

/// Search at most this many bytes of each script.
const MOST: usize = 65_536;

/// The delimiters around formulas in the text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiters {
    /// The page has no formulas in its text.
    None,
    /// `\(`, `\[` and `$$`: the defaults of KaTeX and MathJax.
    Brackets,
    /// Those and `$`, which the page has to configure.
    Dollars,
}

impl Delimiters {
    /// Detects the delimiters by the scripts in the source and the classes of elements.
    pub(crate) fn of(source: &[u8], dom: &Dom) -> Self {
        let by_scripts = of_scripts(source);
        if by_scripts != Self::None {
            return by_scripts;
        }
        let is_named = dom.elements(NodeId::ROOT).any(|(_, element)| {
            element.has_attributes() && classes(element).any(|word| NAMES.contains(&word))
        });
        if is_named { Self::Brackets } else { Self::None }
    }

    fn pairs(self) -> &'static [(&'static str, &'static str, MarkKind)] {
        const ALL: [(&str, &str, MarkKind); 4] = [
            ("\\(", "\\)", MarkKind::Formula),
            ("\\[", "\\]", MarkKind::DisplayFormula),
            ("$$", "$$", MarkKind::DisplayFormula),
            ("$", "$", MarkKind::Formula),
        ];
        match self {
            Self::None => &[],
            Self::Brackets => ALL.get(..3).unwrap_or_default(),
            Self::Dollars => &ALL,
        }
    }
}

/// Detects the delimiters that the page's scripts look for.
fn of_scripts(source: &[u8]) -> Delimiters {
    let mut found = Delimiters::None;
    let mut rest = source;
    while let Some(at) = memchr(b'<', rest) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let Some((name, after)) = rest.split_at_checked(SCRIPT.len()) else {
            break;
        };
        if !name.eq_ignore_ascii_case(SCRIPT) {
            continue;
        }
        let script = after.get(..MOST).unwrap_or(after);
        let end = memmem::find(script, b"</").unwrap_or(script.len());
        let (script, after) = after.split_at_checked(end).unwrap_or((after, &[]));
        rest = after;
        let script = script.to_ascii_lowercase();
        let has = |words: &str| memmem::find(&script, words.as_bytes()).is_some();
        if !(has("mathjax") || has("katex") || has("math/tex")) {
            continue;
        }
        // `inlineMath: [['$', '$']]`, `{left: "$", right: "$"}`
        if has("'$'") || has("\"$\"") {
            return Delimiters::Dollars;
        }
        found = Delimiters::Brackets;
    }
    found
}

/// Returns the formulas in a text in order, as ranges that include the delimiters.
pub(super) fn in_text(
    text: &str,
    delimiters: Delimiters,
) -> impl Iterator<Item = (Range<usize>, MarkKind)> {
    let mut at = 0;
    // Opening delimiters without an end, so that each is searched for only once.
    let mut endless: Vec<&str> = Vec::new();
    std::iter::from_fn(move || {
        if delimiters == Delimiters::None {
            return None;
        }
        loop {
            let rest = text.get(at..)?;
            let start = at + rest.find(['\\', '$'])?;
            let rest = text.get(start..)?;
            let mut pairs = delimiters.pairs().iter();
            let Some((open, close, kind)) = pairs.find(|(open, ..)| rest.starts_with(open)) else {
                // A backslash escapes the dollar sign after it.
                at = start + if rest.starts_with("\\$") { 2 } else { 1 };
                continue;
            };
            at = start + open.len();
            if endless.contains(open) {
                continue;
            }
            let Some(length) = text.get(at..)?.find(close) else {
                endless.push(open);
                continue;
            };
            let tex = text.get(at..at + length)?;
            if let Some(inner) = tex.rfind(open) {
                at += inner;
            } else if is_tex(tex, open) {
                at += length + close.len();
                return Some((start..at, *kind));
            }
        }
    })
}

/// Returns true if text between delimiters is a formula. Between single dollars it may be text between two prices.
fn is_tex(tex: &str, open: &str) -> bool {
    let has_room = tex.starts_with(char::is_whitespace) || tex.ends_with(char::is_whitespace);
    !tex.trim().is_empty() && (open != "$" || !has_room)
}

#[cfg(test)]
#[allow(clippy::string_slice)]
mod tests {
    use super::*;

    fn found(text: &str, delimiters: Delimiters) -> Vec<&str> {
        in_text(text, delimiters)
            .map(|(range, _)| &text[range])
            .collect()
    }

    #[test]
    fn finds_formulas_between_their_delimiters() {
        use Delimiters::{Brackets, Dollars, None};
        for (text, delimiters, formulas) in [
            (
                "so \\(a\\) and \\[b\\], $$c$$",
                Brackets,
                vec!["\\(a\\)", "\\[b\\]", "$$c$$"],
            ),
            ("so \\(a\\)", None, vec![]),
            ("from $5 to $6", Brackets, vec![]),
            ("from $5 to $6", Dollars, vec![]),
            ("is $x$ or \\$5$", Dollars, vec!["$x$"]),
            ("\\( \\( a\\) \\(\\)", Brackets, vec!["\\( a\\)"]),
            ("$$a $$ $", Dollars, vec!["$$a $$"]),
            ("\\(a", Brackets, vec![]),
        ] {
            assert_eq!(found(text, delimiters), formulas, "{text}");
        }
    }

    #[test]
    fn detects_delimiters_from_scripts() {
        for (source, delimiters) in [
            ("<p>MathJax</p>", Delimiters::None),
            ("<script>let a = '$';</script>", Delimiters::None),
            (
                "<SCRIPT async src=https://cdn/MathJax.js></script>",
                Delimiters::Brackets,
            ),
            (
                "<script>MathJax = {tex: {inlineMath: [['$', '$']]}}</script>",
                Delimiters::Dollars,
            ),
            ("<script src=/katex.js", Delimiters::Brackets),
            (
                "<script></script><script>katex</script>",
                Delimiters::Brackets,
            ),
        ] {
            assert_eq!(of_scripts(source.as_bytes()), delimiters, "{source}");
        }
    }

    #[test]
    fn searches_unclosed_delimiters_in_linear_time() {
        let many = "\\( ".repeat(200_000);
        assert_eq!(found(&many, Delimiters::Dollars), [""; 0]);
        assert_eq!(
            found(&format!("{many}a\\)"), Delimiters::Dollars),
            ["\\( a\\)"]
        );
        assert_eq!(
            found(&"$$a".repeat(200_001), Delimiters::Dollars).len(),
            100_000
        );
    }
}
