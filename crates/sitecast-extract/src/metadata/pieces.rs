//! The text of the body piece by piece, with where each piece stands: dates and names are told
//! apart by what is before them and how far they are from the title.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::date_patterns::{Numbers, Order, Tokens};
use super::element_text::{is_mute, text_of};
use super::text::{last_chars, squeezed};
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::names::NameMap;

/// A longer piece is prose: only its end matters, as what stands before the next.
pub(super) const PROSE_CHARS: usize = 600;
/// How much text before a date tells what date it is.
pub(super) const CONTEXT_CHARS: usize = 60;

/// The text between two tags.
#[derive(Debug)]
pub(super) struct Piece<'d> {
    /// The last of it only, if it is prose.
    pub(super) text: Cow<'d, str>,
    pub(super) prose: bool,
    pub(super) parent: NodeId,
    /// In navigation, comments, lists of other pages.
    pub(super) aside: bool,
    /// In the footer of the page, not in that of an article on it.
    pub(super) in_page_footer: bool,
    /// In program text or sample output, whose dates and names are of nothing on the page.
    pub(super) is_sample: bool,
    /// In an element that states a date for machines, however far out.
    pub(super) dated: bool,
    /// None, if it is prose.
    pub(super) numbers: Numbers,
    /// Characters of text before it.
    pub(super) start: usize,
}

/// Where a piece stands; see [`Piece`].
struct Stands {
    parent: NodeId,
    aside: bool,
    in_page_footer: bool,
    is_sample: bool,
    dated: bool,
}

/// All text of the body.
#[derive(Debug, Default)]
pub(super) struct Pieces<'d> {
    pub(super) list: Vec<Piece<'d>>,
    /// For each node, the piece that comes next where it begins.
    next: Vec<u32>,
    chars: usize,
}

impl<'d> Pieces<'d> {
    pub(super) fn of(dom: &'d Dom, body: Option<NodeId>) -> Self {
        let mut pieces = Self {
            next: vec![u32::MAX; dom.len()],
            // About every third node is a text that is more than space.
            list: Vec::with_capacity(dom.len() / 3),
            ..Self::default()
        };
        let Some(body) = body else {
            return pieces;
        };
        let may_be_dated = dom.may_have("datetime");
        let is_dated = |id: NodeId| may_be_dated && dom.attribute(id, "datetime").is_some();
        // Up to where what is aside goes, what is in an element with a date, what is not looked at, …
        let (mut aside, mut dated, mut mute) = (0, 0, 0);
        // … the footer of the page, program text, and what may have a footer of its own.
        let (mut footer, mut sample, mut article) = (0, 0, 0);
        if dom.ancestors(body).any(is_dated) {
            dated = dom.end_of(body);
        }
        for id in dom.descendants(body) {
            let at = id.index();
            if at < mute {
                continue;
            }
            if let Some(next) = pieces.next.get_mut(at) {
                *next = u32::try_from(pieces.list.len()).unwrap_or(u32::MAX);
            }
            if let Some(element) = dom.element(id) {
                if is_mute(element.tag) && !holds_page(dom, id, element.tag) {
                    mute = dom.end_of(id);
                } else if at >= aside && is_aside(element) {
                    aside = dom.end_of(id);
                }
                if at >= dated && is_dated(id) {
                    dated = dom.end_of(id);
                }
                match element.tag {
                    tag if is_sample(tag) => sample = sample.max(dom.end_of(id)),
                    Tag::Article | Tag::Main => article = article.max(dom.end_of(id)),
                    _ if at >= article && at >= footer && is_footer(element) => {
                        footer = dom.end_of(id);
                    }
                    _ => {}
                }
            } else if let Some(text) = dom.text(id) {
                let stands = Stands {
                    parent: dom.parent(id).unwrap_or(body),
                    aside: at < aside,
                    in_page_footer: at < footer,
                    is_sample: at < sample,
                    dated: at < dated,
                };
                pieces.push(text, stands);
            }
        }
        pieces
    }

    fn push(&mut self, text: &'d str, stands: Stands) {
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
            true => Numbers::default(),
            false => Numbers::of(&text),
        };
        self.list.push(Piece {
            text,
            prose,
            parent: stands.parent,
            aside: stands.aside,
            in_page_footer: stands.in_page_footer,
            is_sample: stands.is_sample,
            dated: stands.dated,
            numbers,
            start: self.chars,
        });
        self.chars += chars + 1;
    }

    /// What order of day and month the page's own dates show, if they agree on one.
    pub(super) fn order_of_dates(&self) -> Option<Order> {
        let mut shown = self
            .list
            .iter()
            .filter(|piece| piece.numbers.may_show_order())
            .filter_map(|piece| Tokens::of(&piece.text).order());
        let first = shown.next()?;
        shown.all(|order| order == first).then_some(first)
    }

    /// Three pieces in one line, if that is shorter than `most` bytes and may be a date.
    pub(super) fn joined(&self, from: usize, most: usize) -> Option<String> {
        let pieces = || self.list.iter().skip(from).take(3);
        let numbers = pieces().map(|piece| piece.numbers).reduce(Numbers::and)?;
        let bytes: usize = pieces().map(|piece| piece.text.len() + 1).sum();
        if !numbers.may_be_parts_of_date() || bytes > most {
            return None;
        }
        let texts: Vec<&str> = pieces().map(|piece| &*piece.text).collect();
        Some(texts.join(" "))
    }

    /// What stands before a piece, each other piece on a line of its own: as much as tells what date it may hold.
    pub(super) fn before(&self, at: usize) -> String {
        let mut chars = 0;
        let pieces = self.list.get(..at).unwrap_or_default();
        let near = pieces.iter().rev().take_while(|piece| {
            let is_near = chars < CONTEXT_CHARS;
            chars += 1 + piece.text.chars().count();
            is_near
        });
        let near: Vec<&str> = near.map(|piece| &*piece.text).collect();
        let mut before = String::new();
        for text in near.into_iter().rev() {
            before.push('\n');
            before.push_str(text);
        }
        last_chars(&before, CONTEXT_CHARS).to_owned()
    }

    /// How much text is before an element; `None` outside of the body.
    pub(super) fn start_of(&self, id: NodeId) -> Option<usize> {
        let at = *self.next.get(id.index())?;
        if at == u32::MAX {
            return None;
        }
        Some(
            self.list
                .get(at as usize)
                .map_or(self.chars, |piece| piece.start),
        )
    }

    /// The place of an element, for distances to it.
    pub(super) fn place_of(&self, dom: &Dom, id: NodeId) -> Option<Place> {
        let start = self.start_of(id)?;
        let chars = text_of(dom, id, 1_000).chars().count();
        Some(Place {
            start,
            end: start + chars + 1,
        })
    }
}

/// From where to where the title goes, in characters of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    start: usize,
    end: usize,
}

impl Place {
    /// How far after (before, if negative) this place something is.
    pub(super) fn distance_to(self, start: usize) -> f64 {
        if start >= self.start {
            start as f64 - self.end as f64
        } else {
            start as f64 - self.start as f64
        }
    }
}

/// Whether the page itself is in a `noscript`, as some forums have it.
fn holds_page(dom: &Dom, id: NodeId, tag: Tag) -> bool {
    tag == Tag::Noscript && crate::layout::holds_page(dom, id)
}

/// Names that are longer than this, in bytes, are no names.
const MOST_NAMES: usize = 1_000;

/// Class and id in lower case.
pub(super) fn names_of(element: Element<'_>) -> String {
    let class = element.attribute("class").unwrap_or_default();
    let id = element.attribute("id").unwrap_or_default();
    if class.len() + id.len() > MOST_NAMES {
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

/// Whether an element has program text or its output.
pub(super) fn is_sample(tag: Tag) -> bool {
    matches!(tag, Tag::Pre | Tag::Code | Tag::Samp | Tag::Kbd)
}

/// Names of elements that are the footer of a page.
const FOOTERS: [&str; 7] = [
    "footer",
    "site-footer",
    "page-footer",
    "main-footer",
    "global-footer",
    "md-footer",
    "colophon",
];

/// Whether an element is a footer by its tag, its role or one of its names: `site-footer`, but not `has-footer`.
fn is_footer(element: Element<'_>) -> bool {
    let is_named = || {
        ["class", "id"].iter().any(|attribute| {
            let names = element.attribute(attribute).unwrap_or_default();
            names.len() <= MOST_NAMES
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

/// Whether what an element holds is about other pages or by other people.
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
            if class.len() + id.len() <= MOST_NAMES && is_lower(class) && is_lower(id) {
                return names_aside(ascii_words(class).chain(ascii_words(id)));
            }
            words_aside(&names_of(element))
        }
    }
}

/// What a word in a name says about what the element holds.
#[derive(Clone, Copy)]
enum Word {
    Aside,
    /// The same, but after one other word only.
    AsideAfter(&'static str),
}

static WORDS: LazyLock<NameMap<Word>> = LazyLock::new(|| {
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
    let alone = alone.map(|word| (word, Word::Aside));
    let after = after.map(|(word, before)| (word, Word::AsideAfter(before)));
    NameMap::new(alone.into_iter().chain(after))
});

/// Words that are shorter, in bytes, say nothing.
const SHORTEST_WORD: usize = 3;

/// Whether names, in lower case, are of such an element.
fn words_aside(names: &str) -> bool {
    let words = names.split(|c: char| c == '-' || c == '_' || c.is_whitespace());
    names_aside(words.map(str::as_bytes))
}

/// The same words of names that are ASCII.
fn ascii_words(names: &str) -> impl Iterator<Item = &[u8]> {
    let is_space = |byte: &u8| char::from(*byte).is_whitespace();
    let bytes = names.as_bytes();
    bytes.split(move |byte| matches!(byte, b'-' | b'_') || is_space(byte))
}

fn names_aside<'n>(mut words: impl Iterator<Item = &'n [u8]>) -> bool {
    let mut previous: &[u8] = b"";
    words.any(|word| {
        let before = std::mem::replace(&mut previous, word);
        word.len() >= SHORTEST_WORD
            && match WORDS.get(word) {
                Some(Word::Aside) => true,
                Some(Word::AsideAfter(other)) => before == other.as_bytes(),
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
    fn knows_where_text_stands() {
        let dom = parse(
            "<body><nav>Menu</nav><h1>Title</h1><p>Some <b>text</b></p><script>x</script>\
             <div class='post more-stories'>Other</div>",
            &Limits::default(),
        );
        let body = dom.elements(NodeId::ROOT).find(|(_, e)| e.tag == Tag::Body);
        let pieces = Pieces::of(&dom, body.map(|(body, _)| body));
        let texts: Vec<_> = pieces
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
        let place = pieces.place_of(&dom, h1).unwrap();
        assert_eq!(place.distance_to(11), 0.0);
        assert_eq!(place.distance_to(0), -5.0);
    }

    #[test]
    fn names_of_other_peoples_text() {
        assert!(words_aside("entry-related x"));
        assert!(words_aside("block__recommended"));
        assert!(words_aside("read-next"));
        assert!(!words_aside("commentary unrelated read later next"));
        assert!(!words_aside("article-body main"));
    }
    #[test]
    fn names_in_ascii_are_told_like_all_others() {
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
            let is = words_aside(names);
            assert_eq!(names_aside(ascii_words(names)), is, "{names}");
        }
    }
}
