//! The text nodes of the body with their positions.
//!
//! The text before a date or name, and its distance from the title, tell what the date or name belongs to.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::date_patterns::{DateOrder, NumberFlags, Tokens};
use super::element_text::{is_skipped, text_of};
use super::text::{last_chars, squeezed};
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::names::NameMap;

/// A longer text node, in characters, is prose: only its end is kept, as context for the next node.
pub(super) const PROSE_CHARS: usize = 600;
/// Characters of text before a date that tell what kind of date it is.
pub(super) const CONTEXT_CHARS: usize = 60;

/// A text node: the text between two tags.
#[derive(Debug)]
pub(super) struct TextNode<'d> {
    /// With white space collapsed; of prose only the last [`CONTEXT_CHARS`] characters.
    pub(super) text: Cow<'d, str>,
    pub(super) prose: bool,
    pub(super) parent: NodeId,
    /// In navigation, comments or lists of other pages.
    pub(super) aside: bool,
    /// In the footer of the page, not in that of an article on it.
    pub(super) in_page_footer: bool,
    /// In program text or sample output, whose dates and names are not those of the page.
    pub(super) in_code: bool,
    /// In an element with `datetime`, at any distance.
    pub(super) has_datetime: bool,
    /// Empty for prose.
    pub(super) numbers: NumberFlags,
    /// Characters of text before it in the body.
    pub(super) start: usize,
}

/// The position of a text node; see the fields of [`TextNode`].
struct TextPosition {
    parent: NodeId,
    aside: bool,
    in_page_footer: bool,
    in_code: bool,
    has_datetime: bool,
}

/// All text nodes of the body, in document order.
#[derive(Debug, Default)]
pub(super) struct TextNodes<'d> {
    pub(super) list: Vec<TextNode<'d>>,
    /// For each node of the tree, the index of the first text node at or after its start; `u32::MAX` outside of the body.
    next: Vec<u32>,
    chars: usize,
}

impl<'d> TextNodes<'d> {
    pub(super) fn of(dom: &'d Dom, body: Option<NodeId>) -> Self {
        let mut text_nodes = Self {
            next: vec![u32::MAX; dom.len()],
            // About every third node is text that is not only white space.
            list: Vec::with_capacity(dom.len() / 3),
            ..Self::default()
        };
        let Some(body) = body else {
            return text_nodes;
        };
        let may_have_datetime = dom.may_have("datetime");
        let has_datetime =
            |id: NodeId| may_have_datetime && dom.attribute(id, "datetime").is_some();
        // The end, as a node index, of the current element of each kind. An `article` has its own footer.
        let (mut aside_end, mut datetime_end, mut skipped_end) = (0, 0, 0);
        let (mut footer_end, mut code_end, mut article_end) = (0, 0, 0);
        if dom.ancestors(body).any(has_datetime) {
            datetime_end = dom.end_of(body);
        }
        for id in dom.descendants(body) {
            let at = id.index();
            if at < skipped_end {
                continue;
            }
            if let Some(next) = text_nodes.next.get_mut(at) {
                *next = u32::try_from(text_nodes.list.len()).unwrap_or(u32::MAX);
            }
            if let Some(element) = dom.element(id) {
                if is_skipped(element.tag) && !holds_page(dom, id, element.tag) {
                    skipped_end = dom.end_of(id);
                } else if at >= aside_end && is_aside(element) {
                    aside_end = dom.end_of(id);
                }
                if at >= datetime_end && has_datetime(id) {
                    datetime_end = dom.end_of(id);
                }
                match element.tag {
                    tag if is_code_element(tag) => code_end = code_end.max(dom.end_of(id)),
                    Tag::Article | Tag::Main => article_end = article_end.max(dom.end_of(id)),
                    _ if at >= article_end && at >= footer_end && is_footer(element) => {
                        footer_end = dom.end_of(id);
                    }
                    _ => {}
                }
            } else if let Some(text) = dom.text(id) {
                let position = TextPosition {
                    parent: dom.parent(id).unwrap_or(body),
                    aside: at < aside_end,
                    in_page_footer: at < footer_end,
                    in_code: at < code_end,
                    has_datetime: at < datetime_end,
                };
                text_nodes.push(text, position);
            }
        }
        text_nodes
    }

    fn push(&mut self, text: &'d str, position: TextPosition) {
        let mut text = squeezed(text);
        if text.is_empty() {
            return;
        }
        let chars = text.chars().count();
        let prose = chars > PROSE_CHARS;
        if prose {
            text = match text {
                Cow::Borrowed(text) => last_chars(text, CONTEXT_CHARS).into(),
                Cow::Owned(text) => last_chars(&text, CONTEXT_CHARS).to_owned().into(),
            };
        }
        let numbers = match prose {
            true => NumberFlags::default(),
            false => NumberFlags::of(&text),
        };
        self.list.push(TextNode {
            text,
            prose,
            parent: position.parent,
            aside: position.aside,
            in_page_footer: position.in_page_footer,
            in_code: position.in_code,
            has_datetime: position.has_datetime,
            numbers,
            start: self.chars,
        });
        self.chars += chars + 1;
    }

    /// Returns the order of day and month that the page's own dates show, if they agree on one.
    pub(super) fn order_of_dates(&self) -> Option<DateOrder> {
        let mut shown = self
            .list
            .iter()
            .filter(|text_node| text_node.numbers.may_show_order())
            .filter_map(|text_node| Tokens::of(&text_node.text).order());
        let first = shown.next()?;
        shown.all(|order| order == first).then_some(first)
    }

    /// Joins three text nodes with spaces, if that is at most `max` bytes and may be a date.
    pub(super) fn joined(&self, from: usize, max: usize) -> Option<String> {
        let text_nodes = || self.list.iter().skip(from).take(3);
        let numbers = text_nodes()
            .map(|text_node| text_node.numbers)
            .reduce(NumberFlags::and)?;
        let bytes: usize = text_nodes().map(|text_node| text_node.text.len() + 1).sum();
        if !numbers.may_be_parts_of_date() || bytes > max {
            return None;
        }
        let texts: Vec<&str> = text_nodes().map(|text_node| &*text_node.text).collect();
        Some(texts.join(" "))
    }

    /// Returns the last [`CONTEXT_CHARS`] characters before a text node, each earlier node on its own line.
    pub(super) fn before(&self, at: usize) -> String {
        let mut chars = 0;
        let text_nodes = self.list.get(..at).unwrap_or_default();
        let near = text_nodes.iter().rev().take_while(|text_node| {
            let is_near = chars < CONTEXT_CHARS;
            chars += 1 + text_node.text.chars().count();
            is_near
        });
        let near: Vec<&str> = near.map(|text_node| &*text_node.text).collect();
        let mut before = String::new();
        for text in near.into_iter().rev() {
            before.push('\n');
            before.push_str(text);
        }
        last_chars(&before, CONTEXT_CHARS).to_owned()
    }

    /// Returns the number of characters before an element; `None` outside of the body.
    pub(super) fn start_of(&self, id: NodeId) -> Option<usize> {
        let at = *self.next.get(id.index())?;
        if at == u32::MAX {
            return None;
        }
        Some(
            self.list
                .get(at as usize)
                .map_or(self.chars, |text_node| text_node.start),
        )
    }

    /// Returns the range of an element's text, to measure distances to it.
    pub(super) fn range_of(&self, dom: &Dom, id: NodeId) -> Option<TextRange> {
        let start = self.start_of(id)?;
        let chars = text_of(dom, id, 1_000).chars().count();
        Some(TextRange {
            start,
            end: start + chars + 1,
        })
    }
}

/// A range of the body's text, in characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextRange {
    start: usize,
    end: usize,
}

impl TextRange {
    /// Returns the distance in characters of a position after this range; negative if it is before.
    pub(super) fn distance_to(self, start: usize) -> f64 {
        if start >= self.start {
            start as f64 - self.end as f64
        } else {
            start as f64 - self.start as f64
        }
    }
}

/// Returns true if a `noscript` holds the page itself, as in some forums.
fn holds_page(dom: &Dom, id: NodeId, tag: Tag) -> bool {
    tag == Tag::Noscript && crate::layout::holds_page(dom, id)
}

/// Longer classes and ids, in bytes, are not looked at.
const MAX_NAME_BYTES: usize = 1_000;

/// Returns class and id in lower case, with a space between them.
pub(super) fn names_of(element: Element<'_>) -> String {
    let class = element.attribute("class").unwrap_or_default();
    let id = element.attribute("id").unwrap_or_default();
    if class.len() + id.len() > MAX_NAME_BYTES {
        return String::new();
    }
    let mut names = String::with_capacity(class.len() + 1 + id.len());
    names.push_str(class);
    names.push(' ');
    names.push_str(id);
    if names.is_ascii() {
        names.make_ascii_lowercase();
        return names;
    }
    names.to_lowercase()
}

/// Returns true for elements of program text and its output.
pub(super) fn is_code_element(tag: Tag) -> bool {
    matches!(tag, Tag::Pre | Tag::Code | Tag::Samp | Tag::Kbd)
}

/// Classes and ids of the footer of a page.
const FOOTERS: [&str; 7] = [
    "footer",
    "site-footer",
    "page-footer",
    "main-footer",
    "global-footer",
    "md-footer",
    "colophon",
];

/// Returns true if an element is a footer by its tag, its role, or a class or id: `site-footer`, but not `has-footer`.
fn is_footer(element: Element<'_>) -> bool {
    let is_named = || {
        ["class", "id"].iter().any(|attribute| {
            let names = element.attribute(attribute).unwrap_or_default();
            names.len() <= MAX_NAME_BYTES
                && names.split_ascii_whitespace().any(|name| {
                    let mut footers = FOOTERS.iter();
                    footers.any(|footer| name.eq_ignore_ascii_case(footer))
                })
        })
    };
    match element.tag {
        Tag::Footer => true,
        Tag::Body | Tag::Html => false,
        _ => {
            element.has_attributes()
                && (element.attribute("role") == Some("contentinfo") || is_named())
        }
    }
}

/// Returns true if an element holds text about other pages or by other people, judged by tag, class and id.
pub(super) fn is_aside(element: Element<'_>) -> bool {
    match element.tag {
        Tag::Nav | Tag::Footer => true,
        Tag::Body | Tag::Html | Tag::Main | Tag::Article => false,
        _ if !element.has_attributes() => false,
        _ => {
            let class = element.attribute("class").unwrap_or_default();
            let id = element.attribute("id").unwrap_or_default();
            let is_lower = |names: &str| {
                let mut bytes = names.bytes();
                bytes.all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
            };
            if class.len() + id.len() <= MAX_NAME_BYTES && is_lower(class) && is_lower(id) {
                return any_is_aside_word(ascii_words(class).chain(ascii_words(id)));
            }
            has_aside_word(&names_of(element))
        }
    }
}

/// A word in a class or id that marks an element as aside.
#[derive(Clone, Copy)]
enum AsideWord {
    Aside,
    /// Only directly after this other word.
    AsideAfter(&'static str),
}

static ASIDE_WORDS: LazyLock<NameMap<AsideWord>> = LazyLock::new(|| {
    let alone = [
        "comment",
        "comments",
        "respond",
        "related",
        "sidebar",
        "widget",
        "recent",
        "popular",
        "trending",
        "footer",
        "breadcrumb",
        "breadcrumbs",
        "menu",
        "nav",
        "navbar",
        "navigation",
        "newsletter",
        "promo",
        "copyright",
        "cookie",
        "consent",
        "latest",
        "signature",
        "quote",
        "bbcodeblock",
        "teaser",
        "carousel",
        "upcoming",
        "moreposts",
        "morestories",
        "morearticles",
        "readnext",
    ];
    let after = [
        ("posts", "more"),
        ("stories", "more"),
        ("articles", "more"),
        ("list", "archive"),
        ("next", "read"),
    ];
    let alone = alone.map(|word| (word, AsideWord::Aside));
    let after = after.map(|(word, before)| (word, AsideWord::AsideAfter(before)));
    NameMap::new(alone.into_iter().chain(after))
});

/// Shorter words, in bytes, never match.
const MIN_WORD_BYTES: usize = 3;

/// Returns true if a lower-case class or id has an [`AsideWord`].
fn has_aside_word(names: &str) -> bool {
    let words = names.split(|c: char| c == '-' || c == '_' || c.is_whitespace());
    any_is_aside_word(words.map(str::as_bytes))
}

/// Splits ASCII names into the same words as [`has_aside_word`] does.
fn ascii_words(names: &str) -> impl Iterator<Item = &[u8]> {
    let is_space = |byte: &u8| char::from(*byte).is_whitespace();
    let bytes = names.as_bytes();
    bytes.split(move |byte| matches!(byte, b'-' | b'_') || is_space(byte))
}

fn any_is_aside_word<'n>(mut words: impl Iterator<Item = &'n [u8]>) -> bool {
    let mut previous: &[u8] = b"";
    words.any(|word| {
        let before = std::mem::replace(&mut previous, word);
        word.len() >= MIN_WORD_BYTES
            && match ASIDE_WORDS.get(word) {
                Some(AsideWord::Aside) => true,
                Some(AsideWord::AsideAfter(other)) => before == other.as_bytes(),
                None => word.starts_with(b"recommend"),
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    #[test]
    fn finds_positions_of_text_nodes() {
        let dom = parse(
            "<body><nav>Menu</nav><h1>Title</h1><p>Some <b>text</b></p><script>x</script>\
             <div class='post more-stories'>Other</div>",
            &Limits::default(),
        );
        let body = dom.elements(NodeId::ROOT).find(|(_, e)| e.tag == Tag::Body);
        let text_nodes = TextNodes::of(&dom, body.map(|(body, _)| body));
        let texts: Vec<_> = text_nodes
            .list
            .iter()
            .map(|p| (&*p.text, p.start, p.aside))
            .collect();
        assert_eq!(
            texts,
            [
                ("Menu", 0, true),
                ("Title", 5, false),
                ("Some", 11, false),
                ("text", 16, false),
                ("Other", 21, true)
            ]
        );
        let (h1, _) = dom
            .elements(NodeId::ROOT)
            .find(|(_, e)| e.tag == Tag::H1)
            .unwrap();
        let place = text_nodes.range_of(&dom, h1).unwrap();
        assert_eq!(place.distance_to(11), 0.0);
        assert_eq!(place.distance_to(0), -5.0);
    }

    #[test]
    fn recognizes_names_of_asides() {
        assert!(has_aside_word("entry-related x"));
        assert!(has_aside_word("block__recommended"));
        assert!(has_aside_word("read-next"));
        assert!(!has_aside_word("commentary unrelated read later next"));
        assert!(!has_aside_word("article-body main"));
    }

    #[test]
    fn ascii_words_match_like_words_of_any_script() {
        for names in [
            "",
            "-",
            "post nav",
            "more posts",
            "more\x0bposts",
            "posts more",
            "read--next",
            "read_next",
            "a recommendation",
            "un-recommend-ed",
            "archive list\n",
            "list archive",
        ] {
            let is = has_aside_word(names);
            assert_eq!(any_is_aside_word(ascii_words(names)), is, "{names}");
        }
    }
}
