//! A short way to the tree of a page whose tags are in order.
//!
//! HTML says what becomes of any soup of tags, and that takes a tree builder that is prepared for
//! everything at every tag: html5ever's. Most pages are made by programs and need little of it. This one
//! knows what HTML says about most tags, and gives up at the first that would move what is in its
//! place already, or is rare: formatting elements that end far before what is in them, text in a table
//! outside of its cells, templates of parts of a table, framesets, SVG and MathML that are read,
//! limits that are reached. Then the page is parsed a second time, by the tree builder of html5ever.
//! `oracle` holds the two to each other.
//!
//! Nodes are made in the order of the document, so none has to be moved at the end. Comments are left
//! out by the tokenizer, so what comes after `</body>` is no different from what comes before it.

mod body;
mod formatting;
mod tables;
mod templates;

use html5ever::tokenizer::Doctype;
use html5ever::tokenizer::states::RawKind;

use super::attribute::{Name, find};
use super::builder::{Builder, Follows, Piece};
use super::store::{Mark, Store};
use super::tag::lower_name;
use super::tokenizer::{decode_value, needs_decoding};
use super::tree::{Content, Namespace, Node, NodeId, Stored};
use super::{Dom, Tag};
use crate::Limits;
use formatting::Formatting;

/// Most pages have more bytes for each element and text: room for too many costs little.
const BYTES_PER_NODE: usize = 32;

/// HTML, "The insertion mode".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTemplate,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
}

/// An element whose end was not met yet.
struct Open {
    tag: Tag,
    id: NodeId,
    last_child: NodeId,
}

pub(super) struct Orderly {
    nodes: Vec<Node>,
    store: Store,
    /// The document, and the open elements from the outside in.
    stack: Vec<Open>,
    /// How many of the open elements have each tag.
    open: [u32; Tag::COUNT],
    formatting: Formatting,
    mode: Mode,
    /// Whether the innermost element has nothing but text, up to its end tag.
    is_raw: bool,
    /// Whether a line feed is to be dropped if it comes next.
    ignores_line_feed: bool,
    /// The form that is open, whatever is.
    form: Option<NodeId>,
    /// Forms that were closed before what is in them: they are on the stack no more.
    torn_forms: usize,
    /// What may come next in each of the open templates.
    template_modes: Vec<Mode>,
    /// Whether the doctype is the one that makes browsers follow the standard.
    is_standard: bool,
    pending: Pending,
    has_given_up: bool,
    max_depth: usize,
    max_nodes: usize,
}

/// The start tag that is being read.
struct Pending {
    /// Whether there is one.
    is_there: bool,
    /// What the store had before it.
    before: Mark,
    /// Where its attributes begin in the store.
    attributes: Mark,
}

impl Orderly {
    pub(super) fn new(limits: &Limits, page: &str) -> Self {
        let nodes = (page.len() / BYTES_PER_NODE).clamp(64, 65_536);
        let store = Store::with_capacity(page.len() / 2, nodes / 2);
        let mut builder = Self {
            nodes: Vec::with_capacity(nodes),
            stack: Vec::with_capacity(64),
            open: [0; Tag::COUNT],
            formatting: Formatting::default(),
            mode: Mode::Initial,
            is_raw: false,
            ignores_line_feed: false,
            form: None,
            torn_forms: 0,
            template_modes: Vec::new(),
            is_standard: false,
            pending: Pending {
                is_there: false,
                before: store.mark(),
                attributes: store.mark(),
            },
            store,
            has_given_up: false,
            max_depth: limits.depth as usize,
            max_nodes: limits.nodes,
        };
        let id = NodeId::ROOT;
        builder.append(Content::Other);
        builder.stack.push(Open {
            tag: Tag::Other,
            id,
            last_child: NodeId::NONE,
        });
        builder
    }

    fn give_up(&mut self) {
        self.has_given_up = true;
    }

    /// Whether there are as many nodes as there may be, or as many in each other.
    fn is_at_limits(&self) -> bool {
        self.stack.len() + self.torn_forms >= self.max_depth || self.nodes.len() >= self.max_nodes
    }

    /// What comes next is in this element.
    fn current(&self) -> Tag {
        self.stack.last().map_or(Tag::Other, |open| open.tag)
    }

    /// Puts a node into the current element, after all that are there.
    fn append(&mut self, content: Content) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        let (parent, previous) = match self.stack.last_mut() {
            Some(open) => (open.id, std::mem::replace(&mut open.last_child, id)),
            None => (NodeId::NONE, NodeId::NONE),
        };
        if let Some(node) = self.nodes.get_mut(previous.index()) {
            node.next = id;
        }
        self.nodes.push(Node {
            parent,
            previous,
            next: NodeId::NONE,
            end: NodeId::new(self.nodes.len() + 1),
            content,
        });
        id
    }

    fn push(&mut self, tag: Tag, id: NodeId) {
        if let Some(open) = self.open.get_mut(tag as usize) {
            *open += 1;
        }
        self.stack.push(Open {
            tag,
            id,
            last_child: NodeId::NONE,
        });
    }

    /// The element of the tag that was read, which never has anything in it.
    fn insert_void(&mut self, tag: Tag) -> NodeId {
        self.pending.is_there = false;
        let mark = self.pending.attributes;
        let element = Stored::new(&self.store, mark, (Namespace::Html, tag));
        self.append(Content::Element(element))
    }

    /// Opens the element of the tag that was read.
    fn insert(&mut self, tag: Tag) -> Follows {
        let id = self.insert_void(tag);
        self.push(tag, id);
        Follows::Markup
    }

    /// The same for one that has nothing but text in it.
    fn insert_raw(&mut self, tag: Tag, kind: RawKind) -> Follows {
        self.insert(tag);
        self.is_raw = true;
        Follows::Text(kind)
    }

    /// Opens an element whose start tag was left out.
    fn insert_implied(&mut self, tag: Tag) {
        let mark = self.store.mark();
        let element = Stored::new(&self.store, mark, (Namespace::Html, tag));
        let id = self.append(Content::Element(element));
        self.push(tag, id);
    }

    /// Closes the current element.
    fn close_current(&mut self) {
        // The document stays.
        if self.stack.len() <= 1 {
            return self.give_up();
        }
        let Some(closed) = self.stack.pop() else {
            return;
        };
        self.end_node(closed.id);
        if closed.tag.is_formatting() {
            self.formatting.closed(closed.id);
        }
        if let Some(open) = self.open.get_mut(closed.tag as usize) {
            *open -= 1;
        }
    }

    /// The element that was taken from the stack ends here, and with it the forms around it that
    /// were closed before.
    fn end_node(&mut self, id: NodeId) {
        let end = NodeId::new(self.nodes.len());
        let outer = self.stack.last().map_or(NodeId::NONE, |open| open.id);
        let mut id = id;
        while id != outer
            && let Some(node) = self.nodes.get_mut(id.index())
        {
            node.end = end;
            id = node.parent;
        }
    }

    /// Closes elements up to one of a tag.
    fn pop_until(&mut self, tag: Tag) {
        while !self.has_given_up {
            let is_it = self.current() == tag;
            self.close_current();
            if is_it {
                return;
            }
        }
    }

    fn is_open(&self, tag: Tag) -> bool {
        self.open.get(tag as usize).is_some_and(|open| *open > 0)
    }

    /// Whether an element is open and nothing around what comes next hides it. HTML, "have an
    /// element in scope".
    fn is_in_scope(&self, tag: Tag, hides: impl Fn(Tag) -> bool) -> bool {
        self.is_open(tag)
            && self
                .stack
                .iter()
                .rev()
                .find(|open| open.tag == tag || hides(open.tag))
                .is_some_and(|open| open.tag == tag)
    }

    /// Closes elements whose end tags may be left out. HTML, "generate implied end tags".
    fn close_implied(&mut self, except: Option<Tag>) {
        loop {
            let tag = self.current();
            if !has_optional_end(tag) || Some(tag) == except {
                return;
            }
            self.close_current();
        }
    }

    fn append_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let last = self.stack.last().map_or(NodeId::NONE, |o| o.last_child);
        if let Some(node) = self.nodes.get_mut(last.index())
            && let Content::Text(span) = &mut node.content
        {
            match self.store.extend(*span, text) {
                Some(longer) => *span = longer,
                None => self.give_up(),
            }
            return;
        }
        let span = self.store.add(text);
        self.append(Content::Text(span));
    }

    fn characters(&mut self, text: &str) {
        let text = if std::mem::take(&mut self.ignores_line_feed) {
            text.strip_prefix('\n').unwrap_or(text)
        } else {
            text
        };
        if self.is_raw {
            return self.append_text(text);
        }
        match self.mode {
            Mode::InBody | Mode::InTemplate | Mode::InCell | Mode::InCaption => {
                if !text.is_empty() {
                    self.reopen();
                    self.append_text(text);
                }
            }
            Mode::InTable | Mode::InTableBody | Mode::InRow | Mode::InColumnGroup => {
                if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                    self.append_text(text);
                } else {
                    self.give_up();
                }
            }
            _ => self.characters_before_body(text),
        }
    }

    /// Text begins the body; white space before it does not.
    fn characters_before_body(&mut self, text: &str) {
        let rest = text.trim_ascii_start();
        let space = text.get(..text.len() - rest.len()).unwrap_or_default();
        if !matches!(
            self.mode,
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead
        ) {
            self.append_text(space);
        }
        if !rest.is_empty() {
            self.begin_body();
            self.append_text(rest);
        }
    }

    /// All that comes before a body, as far as it is not there.
    fn begin_body(&mut self) {
        loop {
            match self.mode {
                Mode::Initial => self.mode = Mode::BeforeHtml,
                Mode::BeforeHtml => {
                    self.insert_implied(Tag::Html);
                    self.mode = Mode::BeforeHead;
                }
                Mode::BeforeHead => {
                    self.insert_implied(Tag::Head);
                    self.mode = Mode::InHead;
                }
                Mode::InHeadNoscript => {
                    self.close_current();
                    self.mode = Mode::InHead;
                }
                Mode::InHead => {
                    self.close_current();
                    self.mode = Mode::AfterHead;
                }
                Mode::AfterHead => {
                    self.insert_implied(Tag::Body);
                    self.mode = Mode::InBody;
                }
                _ => return,
            }
        }
    }

    fn start(&mut self, tag: Tag) -> Follows {
        if tag == Tag::Html && self.is_open(tag) {
            self.add_to_open(tag);
            return Follows::Markup;
        }
        loop {
            match self.mode {
                Mode::Initial => self.mode = Mode::BeforeHtml,
                Mode::BeforeHtml => {
                    self.mode = Mode::BeforeHead;
                    if tag == Tag::Html {
                        return self.insert(tag);
                    }
                    self.insert_implied(Tag::Html);
                }
                Mode::BeforeHead => {
                    self.mode = Mode::InHead;
                    if tag == Tag::Head {
                        return self.insert(tag);
                    }
                    self.insert_implied(Tag::Head);
                }
                Mode::InHead => match tag {
                    Tag::Head => return Follows::Markup,
                    Tag::Noscript => {
                        self.mode = Mode::InHeadNoscript;
                        return self.insert(tag);
                    }
                    _ => {
                        if let Some(follows) = self.start_in_head(tag) {
                            return follows;
                        }
                        self.close_current();
                        self.mode = Mode::AfterHead;
                    }
                },
                Mode::InHeadNoscript => match tag {
                    Tag::Head | Tag::Noscript => return Follows::Markup,
                    Tag::Link | Tag::Meta | Tag::Style => {
                        return self.start_in_head(tag).unwrap_or(Follows::Markup);
                    }
                    _ => {
                        self.close_current();
                        self.mode = Mode::InHead;
                    }
                },
                Mode::AfterHead => match tag {
                    Tag::Head => return Follows::Markup,
                    // Those are put into the head, which is closed.
                    Tag::Base
                    | Tag::Link
                    | Tag::Meta
                    | Tag::Script
                    | Tag::Style
                    | Tag::Template
                    | Tag::Title => {
                        self.give_up();
                        return Follows::Markup;
                    }
                    Tag::Body => {
                        self.mode = Mode::InBody;
                        return self.insert(tag);
                    }
                    _ => {
                        self.insert_implied(Tag::Body);
                        self.mode = Mode::InBody;
                    }
                },
                Mode::InBody => return self.start_in_body(tag),
                Mode::InTemplate => {
                    if let Some(follows) = self.start_in_template(tag) {
                        return follows;
                    }
                }
                _ => {
                    if let Some(follows) = self.start_in_table(tag) {
                        return follows;
                    }
                }
            }
        }
    }

    /// A start tag that the head may have; `None` if this is another.
    fn start_in_head(&mut self, tag: Tag) -> Option<Follows> {
        Some(match tag {
            Tag::Base | Tag::Link | Tag::Meta => {
                self.insert_void(tag);
                Follows::Markup
            }
            Tag::Title => self.insert_raw(tag, RawKind::Rcdata),
            Tag::Style => self.insert_raw(tag, RawKind::Rawtext),
            Tag::Script => self.insert_raw(tag, RawKind::ScriptData),
            Tag::Template => self.start_template(),
            _ => return None,
        })
    }

    fn end(&mut self, tag: Tag, name: &str) {
        if tag == Tag::Template && self.is_open(tag) {
            return self.end_template();
        }
        match self.mode {
            Mode::Initial => {
                self.mode = Mode::BeforeHtml;
                self.end(tag, name);
            }
            Mode::BeforeHtml | Mode::BeforeHead => {
                if matches!(tag, Tag::Head | Tag::Body | Tag::Html | Tag::Br) {
                    self.give_up();
                }
            }
            Mode::InHead => match tag {
                Tag::Head => {
                    self.close_current();
                    self.mode = Mode::AfterHead;
                }
                Tag::Body | Tag::Html | Tag::Br => self.give_up(),
                _ => {}
            },
            Mode::InHeadNoscript => match tag {
                Tag::Noscript => {
                    self.close_current();
                    self.mode = Mode::InHead;
                }
                Tag::Br => self.give_up(),
                _ => {}
            },
            Mode::AfterHead => {
                if matches!(tag, Tag::Body | Tag::Html | Tag::Br) {
                    self.give_up();
                }
            }
            Mode::InBody => self.end_in_body(tag, name),
            Mode::InTemplate => {}
            _ => self.end_in_table(tag, name),
        }
    }
}

/// HTML, "generate implied end tags". `rb` and `rtc` are never open here.
fn has_optional_end(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Dd | Tag::Dt | Tag::Li | Tag::Option | Tag::Optgroup | Tag::P | Tag::Rp | Tag::Rt
    )
}

/// Elements that HTML treats by name and [`Tag`] has not. They are out of use.
fn is_obsolete(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "basefont",
        "bgsound",
        "dir",
        "frame",
        "image",
        "isindex",
        "keygen",
        "listing",
        "marquee",
        "noembed",
        "noframes",
        "plaintext",
        "rb",
        "rtc",
    ];
    NAMES.iter().any(|other| name.eq_ignore_ascii_case(other))
}

impl Builder for Orderly {
    fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    fn begin(&mut self, tag: Tag, name: &str) {
        let before = self.store.mark();
        if tag == Tag::Other {
            self.store.add_name(&lower_name(name));
        }
        self.pending = Pending {
            is_there: true,
            before,
            attributes: self.store.mark(),
        };
    }

    fn attribute(&mut self, name: Name, value: Piece<'_>) {
        let others = self.store.attributes_since(self.pending.attributes);
        if others.iter().any(|other| other.name() == name) {
            return;
        }
        let value = if needs_decoding(value.text) {
            self.store.add_with(|text| decode_value(value.text, text))
        } else {
            self.store.add(value.text)
        };
        self.store.add_attribute(name, value);
    }

    fn pending_attribute(&self, name: &str) -> Option<&str> {
        let attributes = self.store.attributes_since(self.pending.attributes);
        Some(self.store.text(find(attributes, name)?.value))
    }

    fn forget(&mut self) {
        if std::mem::take(&mut self.pending.is_there) {
            self.store.forget(self.pending.before);
        }
    }

    fn start_tag(&mut self, tag: Tag, name: &str, _: bool) -> Follows {
        self.ignores_line_feed = false;
        let is_beyond = match tag {
            Tag::Svg | Tag::Math | Tag::Frameset => true,
            Tag::Html | Tag::Head | Tag::Body => self.is_open(Tag::Template),
            Tag::Other => is_obsolete(name) || name.contains('\0'),
            _ => false,
        };
        let is_too_much = tag.is_formatting() && !self.formatting.count(tag);
        if is_beyond || is_too_much || self.is_at_limits() {
            self.give_up();
            return Follows::Markup;
        }
        let follows = self.start(tag);
        self.forget();
        follows
    }

    fn end_tag(&mut self, tag: Tag, name: &str) {
        self.ignores_line_feed = false;
        if std::mem::take(&mut self.is_raw) {
            return self.close_current();
        }
        if self.is_at_limits() || (tag == Tag::Other && name.contains('\0')) {
            return self.give_up();
        }
        if tag.is_formatting() {
            self.formatting.uncount(tag);
        }
        self.end(tag, name);
    }

    fn text(&mut self, text: Piece<'_>) {
        self.characters(text.text);
    }

    fn decoded(&mut self, text: &str) {
        self.characters(text);
    }

    fn null(&mut self) {
        self.give_up();
    }

    fn doctype(&mut self, doctype: Doctype) {
        self.ignores_line_feed = false;
        if self.mode == Mode::Initial {
            self.mode = Mode::BeforeHtml;
            self.is_standard = doctype.name.as_deref() == Some("html")
                && doctype.public_id.is_none()
                && doctype.system_id.is_none()
                && !doctype.force_quirks;
        }
    }

    fn is_in_foreign_content(&self) -> bool {
        false
    }

    fn finish(mut self) -> Option<Dom> {
        if std::mem::take(&mut self.is_raw) {
            self.close_current();
        }
        while self.is_open(Tag::Template) && !self.has_given_up {
            self.end_template();
        }
        self.begin_body();
        while let Some(open) = self.stack.pop() {
            self.end_node(open.id);
        }
        (!self.has_given_up).then(|| Dom::new(self.nodes, self.store))
    }
}
