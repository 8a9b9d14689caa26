//! llms.txt: the pages of a site as a Markdown list, as <https://llmstxt.org> describes it.
//!
//! It is read by models, by parsers of Markdown, and by a regular expression that the proposal itself comes with:
//! `[`, anything but `]`, `](`, anything but `)`, `)`. So within a title brackets are entities, and within a URL
//! parentheses are percent-encoded; a backslash would do for Markdown alone.

use std::fmt::Write as _;
use std::io::{self, Write};

/// A page in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LlmsEntry<'a> {
    /// Its URL, or that of its Markdown twin.
    pub(crate) url: &'a str,
    /// Its title; the URL stands in for an empty one.
    pub(crate) title: &'a str,
    /// Its description; may be empty.
    pub(crate) description: &'a str,
    /// The heading that it is under.
    pub(crate) section: Option<&'a str>,
}

/// Writes an llms.txt, entry by entry, and holds none of them.
///
/// Entries of one section have to come together: with each change of it there is a new heading.
pub(crate) struct LlmsTxt<W> {
    out: W,
    section: Option<String>,
}

/// Lists stand under headings, so there has to be one.
const UNNAMED_SECTION: &str = "Pages";

impl<W: Write> LlmsTxt<W> {
    /// Begins with the name of the site, and with what it is about unless that is empty.
    pub(crate) fn new(mut out: W, site: &str, summary: &str) -> io::Result<Self> {
        writeln!(out, "# {}", heading(site))?;
        let summary = inline(summary);
        if !summary.is_empty() {
            writeln!(out, "\n> {}", line_start(&summary))?;
        }
        Ok(Self { out, section: None })
    }

    /// Adds what is neither for people nor for models, before the first page: where lists are, parsers want
    /// nothing else.
    pub(crate) fn comment(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "\n<!-- {text} -->")
    }

    /// Adds a page.
    pub(crate) fn entry(&mut self, entry: &LlmsEntry<'_>) -> io::Result<()> {
        let section = entry.section.unwrap_or(UNNAMED_SECTION);
        if self.section.as_deref() != Some(section) {
            writeln!(self.out, "\n## {}\n", heading(section))?;
            self.section = Some(section.to_owned());
        }
        let url = destination(entry.url);
        let mut title = label(entry.title);
        if title.is_empty() {
            title = label(entry.url);
        }
        let description = inline(entry.description);
        let colon = if description.is_empty() { "" } else { ": " };
        writeln!(self.out, "- [{title}]({url}){colon}{description}")
    }

    /// Hands back what was written to.
    pub(crate) fn finish(self) -> W {
        self.out
    }
}

/// A line of text that means itself within a paragraph.
fn inline(text: &str) -> String {
    let text = one_line(text);
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' => true,
            // Within a word it is none, and names of functions are full of them.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '~' => before == '~' || after == '~',
            // An entity.
            '&' => after == '#' || after.is_ascii_alphabetic(),
            '!' => after == '[',
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(c);
        before = c;
    }
    escaped
}

/// The text of a link, without a bracket in it.
fn label(text: &str) -> String {
    inline(text).replace("\\[", "&#91;").replace("\\]", "&#93;")
}

/// A heading: number signs at its end would belong to the mark.
fn heading(text: &str) -> String {
    let text = inline(text);
    match text.strip_suffix('#') {
        Some(rest) => format!("{rest}\\#"),
        None => text,
    }
}

/// A paragraph that cannot be taken for a heading, a list or a quotation.
fn line_start(text: &str) -> String {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < text.len()
        && let Some(digits) = text.strip_suffix(number)
        && number.starts_with(['.', ')'])
    {
        return format!("{digits}\\{number}");
    }
    if text.starts_with(['#', '>', '-', '+', '=', '|', '~']) {
        return format!("\\{text}");
    }
    text.to_owned()
}

/// White space of any kind as single spaces, control characters gone.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}

/// A URL that ends where it should.
fn destination(url: &str) -> String {
    // `&copy;` in it would be an entity.
    let has_entities = url.contains('&');
    let mut safe = String::with_capacity(url.len());
    for c in url.chars() {
        let is_safe = c.is_ascii_graphic()
            && !matches!(c, '(' | ')' | '<' | '>' | '"' | '\\' | '`')
            && !(c == ';' && has_entities);
        if is_safe {
            safe.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(safe, "%{byte:02X}");
            }
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry<'a>(url: &'a str, title: &'a str, description: &'a str) -> LlmsEntry<'a> {
        LlmsEntry {
            url,
            title,
            description,
            section: None,
        }
    }

    fn written(site: &str, summary: &str, entries: &[LlmsEntry<'_>]) -> String {
        let mut llms = LlmsTxt::new(Vec::new(), site, summary).unwrap();
        for entry in entries {
            llms.entry(entry).unwrap();
        }
        String::from_utf8(llms.finish()).unwrap()
    }

    #[test]
    fn a_whole_file() {
        let mut tea = entry(
            "https://example.com/tea/index.md",
            "Tea",
            "How to\n make it.",
        );
        tea.section = Some("Drinks");
        let mut coffee = entry("https://example.com/coffee/index.md", "Coffee", "");
        coffee.section = Some("Drinks");
        let about = entry("https://example.com/about", "", "Who we are");
        assert_eq!(
            written("The Shop", "Things to drink.", &[tea, coffee, about]),
            "# The Shop\n\n> Things to drink.\n\n## Drinks\n\n\
             - [Tea](https://example.com/tea/index.md): How to make it.\n\
             - [Coffee](https://example.com/coffee/index.md)\n\n## Pages\n\n\
             - [https://example.com/about](https://example.com/about): Who we are\n"
        );
        assert_eq!(written("The Shop", " ", &[]), "# The Shop\n");
    }

    #[test]
    fn text_means_itself() {
        for (text, expected) in [
            ("plain text, 1 < 2 & 3 > 2!", "plain text, 1 \\< 2 & 3 > 2!"),
            ("a *b* `c` <d>", "a \\*b\\* \\`c\\` \\<d>"),
            ("snake_case and _emphasis_", "snake_case and \\_emphasis\\_"),
            (
                "[link](url) ![image](url)",
                "\\[link\\](url) \\!\\[image\\](url)",
            ),
            ("&amp; &#38; AT&T", "\\&amp; \\&#38; AT\\&T"),
            ("~~gone~~ ~5 minutes", "\\~\\~gone\\~\\~ ~5 minutes"),
            ("back\\slash", "back\\\\slash"),
            ("a\r\n\tb\u{a0}c\0d\u{2028}e", "a b c d e"),
        ] {
            assert_eq!(inline(text), expected, "{text}");
        }
    }

    #[test]
    fn blocks_cannot_begin_in_a_summary() {
        for (text, expected) in [
            ("# no heading", "\\# no heading"),
            ("- no list", "\\- no list"),
            ("1. no list", "1\\. no list"),
            ("2025) no list", "2025\\) no list"),
            ("2025 was a year", "2025 was a year"),
            ("> no quotation", "\\> no quotation"),
            ("=== no heading", "\\=== no heading"),
            ("7", "7"),
        ] {
            let text = written("x", text, &[]);
            assert_eq!(text, format!("# x\n\n> {expected}\n"));
        }
    }

    #[test]
    fn headings_end_as_they_should() {
        assert_eq!(written("C #", "", &[]), "# C \\#\n");
        assert_eq!(written("C#", "", &[]), "# C\\#\n");
        assert_eq!(written("#1", "", &[]), "# #1\n");
    }

    #[test]
    fn urls_end_as_they_should() {
        for (url, expected) in [
            ("https://example.com/a_(b)", "https://example.com/a_%28b%29"),
            (
                "https://example.com/a b<c>",
                "https://example.com/a%20b%3Cc%3E",
            ),
            ("https://example.com/ä", "https://example.com/%C3%A4"),
            (
                "https://example.com/?a=1&copy;=2",
                "https://example.com/?a=1&copy%3B=2",
            ),
            ("https://example.com/a;b", "https://example.com/a;b"),
        ] {
            assert_eq!(destination(url), expected);
        }
    }

    /// Title, URL and description of a line, found as the proposal's own expression finds them.
    fn found(line: &str) -> Option<(&str, &str, &str)> {
        let (title, rest) = line.strip_prefix("- [")?.split_once(']')?;
        let (url, rest) = rest.strip_prefix('(')?.split_once(')')?;
        Some((title, url, rest.strip_prefix(": ").unwrap_or(rest)))
    }

    /// Reads the output of [`inline`] and [`label`] as Markdown.
    fn unescaped(text: &str) -> String {
        let text = text.replace("&#91;", "\\[").replace("&#93;", "\\]");
        let mut plain = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            plain.extend(if c == '\\' { rest.next() } else { Some(c) });
        }
        plain
    }

    proptest! {
        #[test]
        fn a_simple_parser_finds_everything(
            path in "[a-z()äß ;&_*]{1,12}",
            title in "\\PC{0,20}|[\\[\\]()\\\\*_`&<!#~a ]{0,20}",
            description in "[ -~\n\t]{0,30}",
        ) {
            let url = format!("https://example.com/{path}");
            let text = written("x", "", &[entry(&url, &title, &description)]);
            let lines: Vec<&str> = text.lines().collect();
            prop_assert_eq!(lines.len(), 5);
            let (found_title, found_url, found_description) = found(lines[4]).unwrap();
            prop_assert_eq!(found_url, destination(&url));
            let title = one_line(&title);
            let title = if title.is_empty() { one_line(&url) } else { title };
            prop_assert_eq!(unescaped(found_title), title);
            prop_assert_eq!(unescaped(found_description), one_line(&description));
        }
    }
}
