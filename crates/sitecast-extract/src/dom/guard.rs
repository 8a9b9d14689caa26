//! Stands between tokenizer and tree builder, and keeps from the latter what would make it slow
//! or large.

use foldhash::HashMap;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, EndTag, StartTag, Tag as TagToken, TagKind, Token};
use html5ever::tokenizer::{TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, ns};

use super::attribute::Name;
use super::builder::{Builder, Follows, Piece};
use super::sink::Sink;
use super::tokenizer::{decode_value, needs_decoding};
use super::tree::NodeId;
use super::{Dom, Tag};
use crate::Limits;

/// Unclosed formatting elements that the parser may carry along. Each is made anew in every
/// block that follows.
const MAX_OPEN_FORMATTING: u32 = 128;

/// Whoever reads the tree has to know that a part with this is not where it says.
const NOSNIPPET: &str = "data-nosnippet";

/// Most pages have more bytes for each element and text: room for too many costs little.
const BYTES_PER_NODE: usize = 32;

pub(super) struct Guard {
    builder: TreeBuilder<NodeId, Sink>,
    max_depth: u32,
    max_nodes: usize,
    /// What was kept from the tree builder, by name: as many end tags are kept from it, too.
    withheld: RefCell<HashMap<LocalName, u32>>,
    withheld_total: Cell<u32>,
    /// Whether one of these was not to be quoted.
    withheld_nosnippet: Cell<bool>,
    /// Start tags without an end tag so far, by name. The tree builder does not tell what it
    /// closes.
    open: RefCell<[u32; Tag::COUNT]>,
    open_formatting: Cell<u32>,
    /// Whether an element is open that has nothing but text: the next end tag is its own.
    is_raw: Cell<bool>,
    /// The page: what is taken out of it unchanged shares its memory.
    page: StrTendril,
    /// The attributes of the tag that is being read.
    pending: Vec<Attribute>,
    scratch: String,
}

impl Guard {
    pub(super) fn new(limits: &Limits, page: &str) -> Self {
        let options = TreeBuilderOpts {
            // What is for readers without scripts is what we want to read.
            scripting_enabled: false,
            drop_doctype: true,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: TreeBuilder::new(
                Sink::new((page.len() / BYTES_PER_NODE).clamp(64, 65_536)),
                options,
            ),
            max_depth: limits.depth,
            max_nodes: limits.nodes,
            withheld: RefCell::default(),
            withheld_total: Cell::new(0),
            withheld_nosnippet: Cell::new(false),
            open: RefCell::new([0; Tag::COUNT]),
            open_formatting: Cell::new(0),
            is_raw: Cell::new(false),
            page: StrTendril::from_slice(page),
            pending: Vec::new(),
            scratch: String::new(),
        }
    }

    /// A piece of the page, without a copy of it.
    fn piece(&self, piece: Piece<'_>) -> StrTendril {
        // A page has at most 2³¹ bytes.
        match (u32::try_from(piece.at), u32::try_from(piece.text.len())) {
            (Ok(start), Ok(length)) => self.page.try_subtendril(start, length).unwrap_or_default(),
            _ => StrTendril::new(),
        }
    }

    /// Passes on a start tag, if it may reach the tree builder. The answer says how to read the
    /// text that follows.
    pub(super) fn pass_start_tag(
        &self,
        tag: Tag,
        name: LocalName,
        attributes: Vec<Attribute>,
        self_closing: bool,
    ) -> TokenSinkResult<NodeId> {
        if !self.admits(tag) {
            if !tag.is_void() {
                let is_nosnippet = |attribute: &Attribute| &*attribute.name.local == NOSNIPPET;
                if attributes.iter().any(is_nosnippet) {
                    self.withheld_nosnippet.set(true);
                }
                self.withhold(name);
            }
            return TokenSinkResult::Continue;
        }
        let result = self.pass(Token::TagToken(token(
            StartTag,
            name,
            attributes,
            self_closing,
        )));
        self.is_raw
            .set(matches!(result, TokenSinkResult::RawData(_)));
        result
    }

    pub(super) fn pass_end_tag(&self, tag: Tag, name: LocalName) {
        // Of elements that are not open, these make new ones.
        let is_full = self.builder.sink.len() >= self.max_nodes;
        let makes_one = is_full && matches!(tag, Tag::P | Tag::Br);
        if !self.is_raw.take() && (self.ends_withheld(&name) || makes_one) {
            return;
        }
        self.close(tag);
        let _ = self.pass(Token::TagToken(token(EndTag, name, Vec::new(), false)));
    }

    /// Passes on text, which must not be empty nor hold U+0000.
    pub(super) fn pass_text(&self, text: StrTendril) {
        let _ = self.pass(Token::CharacterTokens(text));
    }

    /// Passes on U+0000, of which different places make different things.
    pub(super) fn pass_null(&self) {
        let _ = self.pass(Token::NullCharacterToken);
    }

    pub(super) fn pass_doctype(&self, doctype: Doctype) {
        let _ = self.pass(Token::DoctypeToken(doctype));
    }

    /// Whether what comes next is in SVG or MathML, where CDATA sections are text.
    pub(super) fn is_in_foreign(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    pub(super) fn into_dom(self) -> Dom {
        use html5ever::tree_builder::TreeSink;
        let _ = self.pass(Token::EOFToken);
        self.builder.end();
        let has_lost_nosnippet = self.withheld_nosnippet.get();
        self.builder
            .sink
            .finish()
            .with_lost_nosnippet(has_lost_nosnippet)
    }

    fn pass(&self, token: Token) -> TokenSinkResult<NodeId> {
        self.builder.process_token(token, 0)
    }

    /// Whether a start tag may reach the tree builder.
    fn admits(&self, tag: Tag) -> bool {
        if self.builder.sink.len() >= self.max_nodes {
            return false;
        }
        if !tag.is_void() && self.builder.sink.depth() >= self.max_depth {
            return false;
        }
        if tag.is_formatting() {
            let open = self.open_formatting.get();
            if open >= MAX_OPEN_FORMATTING {
                return false;
            }
            self.open_formatting.set(open + 1);
        }
        if !tag.is_void()
            && let Some(open) = self.open.borrow_mut().get_mut(tag as usize)
        {
            *open += 1;
        }
        true
    }

    /// Takes note of an end tag on its way to the tree builder.
    fn close(&self, tag: Tag) {
        if let Some(open) = self.open.borrow_mut().get_mut(tag as usize)
            && *open > 0
        {
            *open -= 1;
            self.builder.sink.ascend();
            if tag.is_formatting() {
                let open = self.open_formatting.get();
                self.open_formatting.set(open.saturating_sub(1));
            }
        }
    }

    fn withhold(&self, name: LocalName) {
        *self.withheld.borrow_mut().entry(name).or_default() += 1;
        self.withheld_total.set(self.withheld_total.get() + 1);
    }

    /// Whether an end tag belongs to a start tag that was withheld.
    fn ends_withheld(&self, name: &LocalName) -> bool {
        if self.withheld_total.get() == 0 {
            return false;
        }
        let mut withheld = self.withheld.borrow_mut();
        match withheld.get_mut(name) {
            Some(count) if *count > 0 => {
                *count -= 1;
                self.withheld_total.set(self.withheld_total.get() - 1);
                true
            }
            _ => false,
        }
    }
}

impl Builder for Guard {
    fn has_given_up(&self) -> bool {
        false
    }

    fn begin(&mut self, _: Tag, _: &str) {}

    fn attribute(&mut self, name: Name, value: Piece<'_>) {
        let Some(local) = name.interned() else {
            return;
        };
        if self.pending.iter().any(|other| other.name.local == *local) {
            return;
        }
        let value = if needs_decoding(value.text) {
            self.scratch.clear();
            decode_value(value.text, &mut self.scratch);
            StrTendril::from_slice(&self.scratch)
        } else {
            self.piece(value)
        };
        self.pending.push(Attribute {
            name: QualName::new(None, ns!(), local.clone()),
            value,
        });
    }

    fn pending_attribute(&self, name: &str) -> Option<&str> {
        let mut pending = self.pending.iter();
        let found = pending.find(|attribute| &*attribute.name.local == name)?;
        Some(&found.value)
    }

    fn forget(&mut self) {
        self.pending.clear();
    }

    fn start_tag(&mut self, tag: Tag, name: &str, self_closing: bool) -> Follows {
        let attributes = std::mem::take(&mut self.pending);
        match self.pass_start_tag(tag, tag.interned(name), attributes, self_closing) {
            TokenSinkResult::RawData(kind) => Follows::Text(kind),
            TokenSinkResult::Plaintext => Follows::Plaintext,
            _ => Follows::Markup,
        }
    }

    fn end_tag(&mut self, tag: Tag, name: &str) {
        self.pass_end_tag(tag, tag.interned(name));
    }

    fn text(&mut self, text: Piece<'_>) {
        self.pass_text(self.piece(text));
    }

    fn decoded(&mut self, text: &str) {
        self.pass_text(StrTendril::from_slice(text));
    }

    fn null(&mut self) {
        self.pass_null();
    }

    fn doctype(&mut self, doctype: Doctype) {
        self.pass_doctype(doctype);
    }

    fn is_in_foreign_content(&self) -> bool {
        self.is_in_foreign()
    }

    fn finish(self) -> Option<Dom> {
        Some(self.into_dom())
    }
}

fn token(kind: TagKind, name: LocalName, attrs: Vec<Attribute>, self_closing: bool) -> TagToken {
    TagToken {
        kind,
        name,
        self_closing,
        attrs,
        // Of interest to nonces only.
        had_duplicate_attributes: false,
    }
}
