//! The guard between the tokenizer and html5ever's tree builder: withholds tags beyond the limits on depth, nodes and unclosed
//! formatting elements, which would make the builder slow or the tree large.

use foldhash::HashMap;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, EndTag, StartTag, Tag as TagToken, TagKind, Token};
use html5ever::tokenizer::{TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, ns};

use super::attribute::Name;
use super::builder::{Builder, ContentModel, SourceText};
use super::sink::Sink;
use super::tokenizer::{decode_value, needs_decoding};
use super::tree::NodeId;
use super::{Dom, Tag};
use crate::Limits;

/// Unclosed formatting elements that reach the parser. It reconstructs each in every block that comes after it.
const MAX_UNCLOSED_FORMATTING: u32 = 128;

/// Extraction refuses a page of which an element with this attribute was withheld.
const NOSNIPPET: &str = "data-nosnippet";

/// Most pages have more bytes for each node: allocating too much memory costs little.
const BYTES_PER_NODE: usize = 32;

pub(super) struct Guard {
    builder: TreeBuilder<NodeId, Sink>,
    max_depth: u32,
    max_nodes: usize,
    /// Start tags that were withheld, by name: as many end tags are withheld, too.
    withheld: RefCell<HashMap<LocalName, u32>>,
    withheld_total: Cell<u32>,
    /// A withheld start tag had `data-nosnippet`.
    withheld_nosnippet: Cell<bool>,
    /// Start tags without an end tag so far, by tag. The tree builder does not report what it closes.
    open: RefCell<[u32; Tag::COUNT]>,
    open_formatting: Cell<u32>,
    /// An element with raw text is open: the next end tag is its own.
    is_raw: Cell<bool>,
    /// The page: text and values that need no decoding share its memory.
    page: StrTendril,
    /// The attributes of the pending tag.
    pending: Vec<Attribute>,
    scratch: String,
}

impl Guard {
    pub(super) fn new(limits: &Limits, page: &str) -> Self {
        let options = TreeBuilderOpts {
            // Without scripting, the content of `noscript` is parsed as markup.
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

    /// Returns a part of the page without copying it.
    fn piece(&self, piece: SourceText<'_>) -> StrTendril {
        // A page has at most 2³¹ bytes.
        match (u32::try_from(piece.at), u32::try_from(piece.text.len())) {
            (Ok(start), Ok(length)) => self.page.try_subtendril(start, length).unwrap_or_default(),
            _ => StrTendril::new(),
        }
    }

    /// Passes a start tag to the tree builder, unless a limit withholds it. The result says how to read the text after it.
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
        // `</p>` and `</br>` without an open element create an empty one.
        let is_full = self.builder.sink.len() >= self.max_nodes;
        let creates_element = is_full && matches!(tag, Tag::P | Tag::Br);
        if !self.is_raw.take() && (self.ends_withheld(&name) || creates_element) {
            return;
        }
        self.close(tag);
        let _ = self.pass(Token::TagToken(token(EndTag, name, Vec::new(), false)));
    }

    /// Passes on text, which must not be empty nor contain U+0000.
    pub(super) fn pass_text(&self, text: StrTendril) {
        let _ = self.pass(Token::CharacterTokens(text));
    }

    /// Passes on U+0000, which the tree builder drops or replaces depending on the insertion mode.
    pub(super) fn pass_null(&self) {
        let _ = self.pass(Token::NullCharacterToken);
    }

    pub(super) fn pass_doctype(&self, doctype: Doctype) {
        let _ = self.pass(Token::DoctypeToken(doctype));
    }

    /// Returns true in SVG and MathML, where CDATA sections are text.
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

    /// Returns true if a start tag may reach the tree builder, and counts it.
    fn admits(&self, tag: Tag) -> bool {
        if self.builder.sink.len() >= self.max_nodes {
            return false;
        }
        if !tag.is_void() && self.builder.sink.depth() >= self.max_depth {
            return false;
        }
        if tag.is_formatting() {
            let open = self.open_formatting.get();
            if open >= MAX_UNCLOSED_FORMATTING {
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

    /// Counts an end tag that reaches the tree builder.
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

    /// Returns true if an end tag belongs to a withheld start tag, which it ends.
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

    fn attribute(&mut self, name: Name, value: SourceText<'_>) {
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

    fn start_tag(&mut self, tag: Tag, name: &str, self_closing: bool) -> ContentModel {
        let attributes = std::mem::take(&mut self.pending);
        match self.pass_start_tag(tag, tag.interned(name), attributes, self_closing) {
            TokenSinkResult::RawData(kind) => ContentModel::Text(kind),
            TokenSinkResult::Plaintext => ContentModel::Plaintext,
            _ => ContentModel::Markup,
        }
    }

    fn end_tag(&mut self, tag: Tag, name: &str) {
        self.pass_end_tag(tag, tag.interned(name));
    }

    fn text(&mut self, text: SourceText<'_>) {
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
        // The tree builder uses it only to check nonces.
        had_duplicate_attributes: false,
    }
}
