//! The plain text of a page.

use std::borrow::Cow;

use sitecast_scp::{Block, Page, list_items};

use crate::bytes::find_byte;

/// Returns the plain text of a page: its title, then its blocks, separated by blank lines. It has no markup, and is the same
/// for equal pages.
///
/// Headings, paragraphs and quotations are unchanged. Every list item and every table row has a line; items of nested
/// lists are indented. Images, videos and audio are named in brackets. A link is omitted if the preceding block contains
/// its text. In anything that looks like an HTML tag, `<` is written as `&lt;`.
///
/// ```
/// use sitecast_scp::{Block, Page};
///
/// let mut page = Page::new("https://example.com/".parse()?, "TCT Protocol Guide", "2025-10-01T00:00:00Z".parse()?, "en".parse()?);
/// page.content = vec![
///     Block::Text { text: "The protocol is simple.".to_owned() },
///     Block::Image { url: "https://example.com/flow.png".parse()?, alt: "A flow diagram".to_owned() },
///     Block::Text { text: "It saves bandwidth.".to_owned() },
/// ];
/// assert_eq!(sitecast_tct::page_text(&page), "TCT Protocol Guide\n\nThe protocol is simple.\n\n[Image: A flow diagram]\n\nIt saves bandwidth.");
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
pub fn page_text(page: &Page) -> String {
    let mut text = Text::default();
    text.piece(&page.title);
    let mut blocks = page.content.iter();
    // Skips a first heading that repeats the title.
    if let Some(Block::Heading { text: heading, .. }) = page.content.first()
        && heading.trim() == page.title.trim()
    {
        blocks.next();
    }
    for block in blocks {
        text.block(block);
    }
    text.whole
}

#[derive(Default)]
struct Text {
    whole: String,
    /// The offset of the last block that is not a link.
    last: usize,
}

impl Text {
    fn block(&mut self, block: &Block) {
        if let Block::Link { text, .. } = block {
            let before = self.whole.get(self.last..).unwrap_or_default();
            if !before.contains(&*cleaned(text.trim())) {
                let last = self.last;
                self.piece(text);
                self.last = last;
            }
            return;
        }
        match block {
            Block::Text { text } | Block::Heading { text, .. } => self.piece(text),
            Block::Image { alt, .. } => self.named("Image", alt),
            Block::List { ordered, items } => {
                let mut lines = String::new();
                for (number, item) in list_items(*ordered, items).enumerate() {
                    if number > 0 {
                        lines.push('\n');
                    }
                    lines.push_str(&item.prefix);
                    one_line(item.text, &mut lines);
                }
                self.push(&lines);
            }
            // White space is significant in code, except for line breaks around it.
            Block::Code { code, .. } => self.push(code.trim_matches(['\n', '\r'])),
            Block::Table { rows } => {
                let mut lines = String::new();
                for (row, cells) in rows.iter().enumerate() {
                    if row > 0 {
                        lines.push('\n');
                    }
                    for (column, cell) in cells.iter().enumerate() {
                        if column > 0 {
                            lines.push_str(" | ");
                        }
                        one_line(cell, &mut lines);
                    }
                }
                self.push(&lines);
            }
            Block::Quote { text, citation } => match citation.as_deref().map(str::trim) {
                Some(citation) if !citation.is_empty() => {
                    self.piece(&format!("{}\n— {citation}", text.trim()));
                }
                _ => self.piece(text),
            },
            Block::Video(video) => {
                self.named("Video", &video.name);
                self.also(video.summary.as_deref());
                self.also(video.transcript.as_deref());
            }
            Block::Audio(audio) => {
                self.named("Audio", &audio.name);
                self.also(audio.summary.as_deref());
                self.also(audio.transcript.as_deref());
            }
            Block::Link { .. } => {}
        }
    }

    fn piece(&mut self, text: &str) {
        self.push(text.trim());
    }

    fn also(&mut self, text: Option<&str>) {
        self.piece(text.unwrap_or_default());
    }

    fn named(&mut self, what: &str, name: &str) {
        if !name.trim().is_empty() {
            let mut line = format!("[{what}: ");
            one_line(name, &mut line);
            line.push(']');
            self.push(&line);
        }
    }

    fn push(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.whole.is_empty() {
            self.whole.push_str("\n\n");
        }
        self.last = self.whole.len();
        clean(text, &mut self.whole);
    }
}

/// Appends the text on one line: all white space becomes single spaces.
fn one_line(text: &str, into: &mut String) {
    for (number, word) in text.split_whitespace().enumerate() {
        if number > 0 {
            into.push(' ');
        }
        into.push_str(word);
    }
}

fn cleaned(text: &str) -> Cow<'_, str> {
    if find_byte(text.as_bytes(), needs_cleaning).is_none() {
        return text.into();
    }
    let mut cleaned = String::with_capacity(text.len());
    clean(text, &mut cleaned);
    cleaned.into()
}

fn needs_cleaning(byte: u8) -> bool {
    byte == b'<' || byte == b'\r'
}

/// Appends the text with `\n` as line ends, and with `<` escaped where a tag could begin.
fn clean(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(at) = find_byte(rest.as_bytes(), needs_cleaning) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or_default();
        into.push_str(plain);
        let mut after = from.get(1..).unwrap_or_default();
        if from.starts_with('\r') {
            after = after.strip_prefix('\n').unwrap_or(after);
            into.push('\n');
        } else if after.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) {
            into.push_str("&lt;");
        } else {
            into.push('<');
        }
        rest = after;
    }
    into.push_str(rest);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sitecast_scp::{HeadingLevel, HttpUrl, MediaUrl, Video};

    use super::*;

    fn url() -> HttpUrl {
        "https://example.com/x".parse().unwrap()
    }

    fn page(title: &str, content: Vec<Block>) -> Page {
        let mut page = Page::new(
            url(),
            title,
            "2025-01-01T00:00:00Z".parse().unwrap(),
            "en".parse().unwrap(),
        );
        page.content = content;
        page
    }

    fn text(text: &str) -> Block {
        Block::Text {
            text: text.to_owned(),
        }
    }

    #[test]
    fn writes_every_kind_of_block() {
        let strings = |items: &[&str]| {
            items
                .iter()
                .map(|item| (*item).to_owned())
                .collect::<Vec<_>>()
        };
        let content = vec![
            Block::Heading {
                level: HeadingLevel::clamped(1),
                text: "Guide".to_owned(),
            },
            text(" One paragraph,\r\nwith a break and a link. "),
            Block::Link {
                url: url(),
                text: "a link".to_owned(),
                rel: vec![],
            },
            Block::Link {
                url: url(),
                text: "elsewhere".to_owned(),
                rel: vec![],
            },
            Block::List {
                ordered: false,
                items: strings(&["a", "b\n c"]),
            },
            Block::List {
                ordered: true,
                items: strings(&["first", "  - within", "second"]),
            },
            Block::Code {
                language: Some("html".to_owned()),
                code: "\n  <p>a < b</p>\n    x\n".to_owned(),
            },
            Block::Table {
                rows: vec![strings(&["h1", "h2"]), strings(&["1", ""])],
            },
            Block::Quote {
                text: "To be".to_owned(),
                citation: Some("Hamlet".to_owned()),
            },
            Block::Image {
                url: url(),
                alt: "A flow\ndiagram".to_owned(),
            },
            Block::Image {
                url: url(),
                alt: String::new(),
            },
            text("  "),
            Block::Video(Video {
                name: "Film".to_owned(),
                url: MediaUrl::One(url()),
                duration: None,
                width: None,
                height: None,
                icon: None,
                summary: Some("About".to_owned()),
                captions: vec![],
                chapters: vec![],
                transcript: Some("Said".to_owned()),
            }),
        ];
        assert_eq!(
            page_text(&page("Guide", content)),
            "Guide\n\nOne paragraph,\nwith a break and a link.\n\nelsewhere\n\n- a\n- b c\n\n1. first\n  - within\n2. second\n\n  \
             &lt;p>a < b&lt;/p>\n    x\n\nh1 | h2\n1 | \n\nTo be\n— Hamlet\n\n[Image: A flow diagram]\n\n[Video: Film]\n\nAbout\n\nSaid"
        );
    }

    #[test]
    fn starts_with_the_title() {
        assert_eq!(page_text(&page("Title", vec![])), "Title");
        assert_eq!(page_text(&page("", vec![text("Text")])), "Text");
        assert_eq!(
            page_text(&page("Title", vec![text("Title")])),
            "Title\n\nTitle"
        );
    }

    proptest! {
        /// An HTML parser finds no tag in the text.
        #[test]
        fn content_must_not_contain_html_tags(texts in prop::collection::vec("[<>/a-z! &;\n\r]{0,12}", 0..6)) {
            let blocks = texts.iter().map(|text| Block::Code { language: None, code: text.clone() });
            let text = page_text(&page("<b>", blocks.collect()));
            let mut after = text.split('<').skip(1);
            prop_assert!(after.all(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c))), "{text}");
            prop_assert!(!text.contains('\r'));
        }
    }
}
