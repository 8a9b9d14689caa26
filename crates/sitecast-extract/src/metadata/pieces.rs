//! The text of the body piece by piece, with where each piece stands: dates and names are told
//! apart by what is before them and how far they are from the title.

use std::borrow::Cow;

use super::date_patterns::{DigitRuns, Order, Tokens};
use super::element_text::{is_mute, text_of};
use super::text::{last_chars, squeezed};
use crate::dom::{Dom, Element, NodeId, Step, Tag};

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
    /// Characters of text before it.
    pub(super) start: usize,
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
    pub(super) fn of(dom: &'d Dom) -> Self {
        let mut pieces = Self {
            next: vec![u32::MAX; dom.len()],
            ..Self::default()
        };
        let Some((body, _)) = dom
            .elements(NodeId::ROOT)
            .find(|(_, element)| element.tag == Tag::Body)
        else {
            return pieces;
        };
        let mut aside = None;
        let mut next = Some(Step::Enter(body));
        while let Some(step) = next {
            let mut into = true;
            match step {
                Step::Enter(id) => {
                    if let Some(at) = pieces.next.get_mut(id.index()) {
                        *at = u32::try_from(pieces.list.len()).unwrap_or(u32::MAX);
                    }
                    if let Some(element) = dom.element(id) {
                        into = !is_mute(element.tag) || holds_page(dom, id, element.tag);
                        if aside.is_none() && is_aside(element) {
                            aside = Some(id);
                        }
                    } else if let Some(text) = dom.text(id) {
                        pieces.push(text, dom.parent(id).unwrap_or(body), aside.is_some());
                    }
                }
                Step::Leave(id) => {
                    if aside == Some(id) {
                        aside = None;
                    }
                }
            }
            next = dom.step(body, step, into);
        }
        pieces
    }

    fn push(&mut self, text: &'d str, parent: NodeId, aside: bool) {
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
        self.list.push(Piece {
            text,
            prose,
            parent,
            aside,
            start: self.chars,
        });
        self.chars += chars + 1;
    }

    /// What order of day and month the page's own dates show, if they agree on one.
    pub(super) fn order_of_dates(&self) -> Option<Order> {
        let mut shown = self
            .list
            .iter()
            .filter(|piece| !piece.prose && DigitRuns::of(&piece.text).may_show_order())
            .filter_map(|piece| Tokens::of(&piece.text).order());
        let first = shown.next()?;
        shown.all(|order| order == first).then_some(first)
    }

    /// Some pieces in one line.
    pub(super) fn join(&self, from: usize, count: usize) -> String {
        let pieces: Vec<&str> = self
            .list
            .iter()
            .skip(from)
            .take(count)
            .map(|piece| &*piece.text)
            .collect();
        pieces.join(" ")
    }

    /// What stands before a piece: as much as tells what date it may hold.
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
            before.push(' ');
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
pub(super) fn names_of(element: &Element) -> String {
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

/// Whether what an element holds is about other pages or by other people.
pub(super) fn is_aside(element: &Element) -> bool {
    match element.tag {
        Tag::Nav | Tag::Footer => true,
        Tag::Body | Tag::Html | Tag::Main | Tag::Article => false,
        _ => {
            let class = element.attribute("class").unwrap_or_default();
            let id = element.attribute("id").unwrap_or_default();
            let is_lower = |names: &str| names.is_ascii() && !names.contains(is_upper);
            if class.len() + id.len() <= MOST_NAMES && is_lower(class) && is_lower(id) {
                return names_aside(class, id);
            }
            names_aside(&names_of(element), "")
        }
    }
}

fn is_upper(c: char) -> bool {
    c.is_ascii_uppercase()
}

/// Whether names, in lower case, are of such an element.
fn names_aside(class: &str, id: &str) -> bool {
    let mut previous = "";
    [class, id]
        .into_iter()
        .flat_map(|names| names.split(|c: char| c.is_whitespace() || c == '_' || c == '-'))
        .any(|word| {
            let pair = (std::mem::replace(&mut previous, word), word);
            matches!(
                word,
                "comment"
                    | "comments"
                    | "respond"
                    | "related"
                    | "sidebar"
                    | "widget"
                    | "recent"
                    | "popular"
                    | "trending"
                    | "footer"
                    | "breadcrumb"
                    | "breadcrumbs"
                    | "menu"
                    | "nav"
                    | "navbar"
                    | "navigation"
                    | "newsletter"
                    | "promo"
                    | "copyright"
                    | "cookie"
                    | "consent"
                    | "latest"
                    | "signature"
                    | "quote"
                    | "bbcodeblock"
                    | "teaser"
                    | "carousel"
                    | "upcoming"
                    | "moreposts"
                    | "morestories"
                    | "morearticles"
                    | "readnext"
            ) || word.starts_with("recommend")
                || matches!(
                    pair,
                    ("more", "posts" | "stories" | "articles")
                        | ("archive", "list")
                        | ("read", "next")
                )
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
        let pieces = Pieces::of(&dom);
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
        assert!(names_aside("entry-related x", ""));
        assert!(names_aside("block__recommended", ""));
        assert!(names_aside("read-next", ""));
        assert!(!names_aside("commentary unrelated read later next", ""));
        assert!(!names_aside("article-body main", ""));
    }
}
