//! The oracle for tests and fuzzing: compares our trees with those of html5ever's own tokenizer.
//!
//! The tokens of html5ever's tokenizer pass through the same guard, so that limits apply equally. Comments and attributes that
//! are not kept are filtered out; both sides read scripts, styles and drawings. Parse errors are filtered out, too: after one,
//! the tree builder forgets that it must drop a line feed after `<pre>`.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, EndTag, StartTag, Tokenizer};
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};

use super::attribute::kept;
use super::direct::DirectBuilder;
use super::guard::Guard;
use super::tokenizer::{UnreadElements, preprocessed, tokenize};
use super::tree::NodeId;
use super::{Dom, Step, Tag};
use crate::Limits;

/// Returns outlines of the trees of our tokenizer and of html5ever's, to compare them.
pub(crate) fn outlines(html: &str, limits: &Limits) -> [String; 2] {
    let theirs = outline(&theirs(html, limits));
    let page = preprocessed(html);
    let direct = tokenize(
        &page,
        DirectBuilder::new(limits, &page),
        UnreadElements::Keep,
    );
    let built = tokenize(&page, Guard::new(limits, &page), UnreadElements::Keep);
    let ours = [direct, built].into_iter().flatten();
    let mut ours = ours.map(|dom| outline(&dom));
    let other = ours.find(|outline| *outline != theirs);
    [other.unwrap_or_else(|| theirs.clone()), theirs]
}

fn theirs(html: &str, limits: &Limits) -> Dom {
    let tokenizer = Tokenizer::new(Filter(Guard::new(limits, html)), Default::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // `feed` returns at the end of every script.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.0.into_dom()
}

struct Filter(Guard);

impl TokenSink for Filter {
    type Handle = NodeId;

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<NodeId> {
        match token {
            Token::TagToken(tag) if tag.kind == StartTag => {
                let mut attributes = tag.attrs;
                attributes.retain(|attribute| kept(attribute.name.local.as_bytes()).is_some());
                let kind = Tag::of(&tag.name);
                match self
                    .0
                    .pass_start_tag(kind, tag.name, attributes, tag.self_closing)
                {
                    TokenSinkResult::EncodingIndicator(_) => TokenSinkResult::Continue,
                    result => result,
                }
            }
            Token::TagToken(tag) => {
                debug_assert_eq!(tag.kind, EndTag);
                self.0.pass_end_tag(Tag::of(&tag.name), tag.name);
                TokenSinkResult::Continue
            }
            Token::CharacterTokens(text) => {
                self.0.pass_text(text);
                TokenSinkResult::Continue
            }
            Token::NullCharacterToken => {
                self.0.pass_null();
                TokenSinkResult::Continue
            }
            Token::DoctypeToken(doctype) => {
                self.0.pass_doctype(doctype);
                TokenSinkResult::Continue
            }
            // `into_dom` passes on the end of the file.
            Token::CommentToken(_) | Token::ParseError(_) | Token::EOFToken => {
                TokenSinkResult::Continue
            }
        }
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.is_in_foreign()
    }
}

/// Writes a line for each element and text node, with its links.
fn outline(dom: &Dom) -> String {
    let mut outline = String::new();
    let mut depth = 0;
    let mut step = Some(Step::Enter(NodeId::ROOT));
    while let Some(now) = step {
        step = dom.step(NodeId::ROOT, now, true);
        match now {
            Step::Leave(_) => depth -= 1,
            Step::Enter(id) => {
                outline.push_str(&" ".repeat(depth));
                depth += 1;
                if let Some(text) = dom.text(id) {
                    outline.push_str(&format!("{text:?}"));
                } else if let Some(element) = dom.element(id) {
                    outline.push_str(&format!("<{:?}:{}", element.namespace(), element.name()));
                    for attribute in element.attributes() {
                        outline.push_str(&format!(" {attribute:?}"));
                    }
                }
                // Equal trees have equal node indexes.
                let before = dom.previous_sibling(id).map(NodeId::index);
                let within = dom.descendants(id).count();
                outline.push_str(&format!(" {before:?} {within}\n"));
            }
        }
    }
    outline
}

#[cfg(test)]
mod tests;
