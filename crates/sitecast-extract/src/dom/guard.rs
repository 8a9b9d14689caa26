//! Stands between tokenizer and tree builder, and keeps from the latter what would make it slow
//! or large.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use html5ever::tokenizer::{EndTag, StartTag, Tag as Token, Token as AnyToken};
use html5ever::tokenizer::{TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult};

use super::sink::Sink;
use super::tree::NodeId;
use super::{Dom, Tag};
use crate::Limits;

/// Unclosed formatting elements that the parser may carry along. Each is made anew in every
/// block that follows.
const MAX_OPEN_FORMATTING: u32 = 128;

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
    skip: Cell<Option<&'static str>>,
    /// The start tag of the element that may be skipped, should it not be.
    held: Cell<Option<Token>>,
}

impl Guard {
    pub(super) fn new(limits: &Limits) -> Self {
        let options = TreeBuilderOpts {
            // What is for readers without scripts is what we want to read.
            scripting_enabled: false,
            drop_doctype: true,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: TreeBuilder::new(Sink::new(), options),
            max_depth: limits.depth,
            max_nodes: limits.nodes,
            withheld: RefCell::default(),
            withheld_total: Cell::new(0),
            open: RefCell::new([0; Tag::COUNT]),
            open_formatting: Cell::new(0),
            skip: Cell::new(None),
            held: Cell::new(None),
        }
    }

    /// The element whose text comes next and is of no use: it can be passed over.
    pub(super) fn to_skip(&self, result: &TokenizerResult<NodeId>) -> Option<&'static str> {
        match result {
            TokenizerResult::Script(_) => self.skip.take(),
            _ => None,
        }
    }

    /// What [`Self::to_skip`] named cannot be skipped: it goes the way of all others.
    pub(super) fn go_on(&self) {
        if let Some(tag) = self.held.take()
            && self.admits(Tag::from_name(&tag.name))
        {
            // An `svg` leaves the tokenizer as it is, whatever the answer.
            let _ = self.builder.process_token(AnyToken::TagToken(tag), 0);
        }
    }

    pub(super) fn finish(self) -> Dom {
        use html5ever::tree_builder::TreeSink;
        self.builder.sink.finish()
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

    fn withhold(&self, token: &Token) {
        *self
            .withheld
            .borrow_mut()
            .entry(token.name.clone())
            .or_default() += 1;
        self.withheld_total.set(self.withheld_total.get() + 1);
    }

    /// Whether an end tag belongs to a start tag that was withheld.
    fn ends_withheld(&self, token: &Token) -> bool {
        if self.withheld_total.get() == 0 {
            return false;
        }
        let mut withheld = self.withheld.borrow_mut();
        match withheld.get_mut(&token.name) {
            Some(count) if *count > 0 => {
                *count -= 1;
                self.withheld_total.set(self.withheld_total.get() - 1);
                true
            }
            _ => false,
        }
    }
}

fn is_json_ld(token: &Token) -> bool {
    token.attrs.iter().any(|attribute| {
        &*attribute.name.local == "type"
            && attribute
                .value
                .split(';')
                .next()
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
    })
}

impl TokenSink for Guard {
    type Handle = NodeId;

    fn process_token(&self, token: AnyToken, line: u64) -> TokenSinkResult<NodeId> {
        match &token {
            AnyToken::TagToken(tag) => {
                let kind = Tag::from_name(&tag.name);
                match tag.kind {
                    StartTag => {
                        let skip = match kind {
                            Tag::Script if !is_json_ld(tag) => Some("script"),
                            Tag::Style => Some("style"),
                            Tag::Svg if !tag.self_closing => Some("svg"),
                            _ => None,
                        };
                        if skip.is_some() {
                            if kind == Tag::Svg {
                                self.held.set(Some(tag.clone()));
                            }
                            self.skip.set(skip);
                            return TokenSinkResult::Script(NodeId::ROOT);
                        }
                        if !self.admits(kind) {
                            if !kind.is_void() {
                                self.withhold(tag);
                            }
                            return TokenSinkResult::Continue;
                        }
                    }
                    EndTag => {
                        // Of elements that are not open, these make new ones.
                        let is_full = self.builder.sink.len() >= self.max_nodes;
                        if self.ends_withheld(tag) || (is_full && matches!(kind, Tag::P | Tag::Br))
                        {
                            return TokenSinkResult::Continue;
                        }
                        self.close(kind);
                    }
                }
            }
            AnyToken::CommentToken(_) => return TokenSinkResult::Continue,
            _ => {}
        }
        match self.builder.process_token(token, line) {
            // Decoding is done already.
            TokenSinkResult::EncodingIndicator(_) => TokenSinkResult::Continue,
            result => result,
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}
