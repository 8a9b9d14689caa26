//! Stands between tokenizer and tree builder, and keeps from the latter what would make it slow
//! or large.

use foldhash::HashMap;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, EndTag, StartTag, Tag as TagToken, TagKind, Token};
use html5ever::tokenizer::{TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName};

use super::sink::Sink;
use super::tree::NodeId;
use super::{Dom, Tag};
use crate::Limits;

/// Unclosed formatting elements that the parser may carry along. Each is made anew in every
/// block that follows.
const MAX_OPEN_FORMATTING: u32 = 128;

/// Most pages have more bytes for each element and text: room for too many costs little.
const BYTES_PER_NODE: usize = 32;

pub(super) struct Guard {
    builder: TreeBuilder<NodeId, Sink>,
    max_depth: u32,
    max_nodes: usize,
    /// What was kept from the tree builder, by name: as many end tags are kept from it, too.
    withheld: RefCell<HashMap<LocalName, u32>>,
    withheld_total: Cell<u32>,
    /// Start tags without an end tag so far, by name. The tree builder does not tell what it
    /// closes.
    open: RefCell<[u32; Tag::COUNT]>,
    open_formatting: Cell<u32>,
}

impl Guard {
    /// For a page of so many bytes.
    pub(super) fn new(limits: &Limits, bytes: usize) -> Self {
        let options = TreeBuilderOpts {
            // What is for readers without scripts is what we want to read.
            scripting_enabled: false,
            drop_doctype: true,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: TreeBuilder::new(
                Sink::new((bytes / BYTES_PER_NODE).clamp(64, 65_536)),
                options,
            ),
            max_depth: limits.depth,
            max_nodes: limits.nodes,
            withheld: RefCell::default(),
            withheld_total: Cell::new(0),
            open: RefCell::new([0; Tag::COUNT]),
            open_formatting: Cell::new(0),
        }
    }

    /// Passes on a start tag, if it may reach the tree builder. The answer says how to read the
    /// text that follows.
    pub(super) fn start_tag(
        &self,
        tag: Tag,
        name: LocalName,
        attributes: Vec<Attribute>,
        self_closing: bool,
    ) -> TokenSinkResult<NodeId> {
        if !self.admits(tag) {
            if !tag.is_void() {
                self.withhold(name);
            }
            return TokenSinkResult::Continue;
        }
        self.pass(Token::TagToken(token(
            StartTag,
            name,
            attributes,
            self_closing,
        )))
    }

    pub(super) fn end_tag(&self, tag: Tag, name: LocalName) {
        // Of elements that are not open, these make new ones.
        let is_full = self.builder.sink.len() >= self.max_nodes;
        if self.ends_withheld(&name) || (is_full && matches!(tag, Tag::P | Tag::Br)) {
            return;
        }
        self.close(tag);
        let _ = self.pass(Token::TagToken(token(EndTag, name, Vec::new(), false)));
    }

    /// Passes on text, which must not be empty nor hold U+0000.
    pub(super) fn text(&self, text: StrTendril) {
        let _ = self.pass(Token::CharacterTokens(text));
    }

    /// Passes on U+0000, of which different places make different things.
    pub(super) fn null(&self) {
        let _ = self.pass(Token::NullCharacterToken);
    }

    pub(super) fn doctype(&self, doctype: Doctype) {
        let _ = self.pass(Token::DoctypeToken(doctype));
    }

    /// Whether what comes next is in SVG or MathML, where CDATA sections are text.
    pub(super) fn is_in_foreign_content(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    pub(super) fn finish(self) -> Dom {
        use html5ever::tree_builder::TreeSink;
        let _ = self.pass(Token::EOFToken);
        self.builder.end();
        self.builder.sink.finish()
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
