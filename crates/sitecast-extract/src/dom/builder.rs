//! The interface between the tokenizer and the tree builders.

use html5ever::tokenizer::Doctype;
use html5ever::tokenizer::states::RawKind;

use super::attribute::Name;
use super::{Dom, Tag};

/// The rule by which the tokenizer reads the input after a start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentModel {
    Markup,
    /// Text up to the end tag of the element.
    Text(RawKind),
    /// Text up to the end of the page.
    Plaintext,
}

/// A part of the page as it is in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceText<'a> {
    pub(super) text: &'a str,
    /// Its offset in the page, in bytes.
    pub(super) at: usize,
}

/// Builds a tree from the tags and text of a page.
pub(super) trait Builder {
    /// Returns true if the builder cannot build the tree of this page, so that the tokenizer stops.
    fn has_given_up(&self) -> bool;

    /// Begins a start tag. `name` is in the case of the source.
    fn begin(&mut self, tag: Tag, name: &str);

    /// Adds an attribute to the pending tag, unless that has one of this name.
    fn attribute(&mut self, name: Name, value: SourceText<'_>);

    /// Returns the value of an attribute of the pending tag.
    fn pending_attribute(&self, name: &str) -> Option<&str>;

    /// Drops the pending tag.
    fn forget(&mut self);

    /// Puts the pending tag into the tree.
    fn start_tag(&mut self, tag: Tag, name: &str, self_closing: bool) -> ContentModel;

    fn end_tag(&mut self, tag: Tag, name: &str);

    /// Adds text as it is in the source; it is not empty and has no U+0000.
    fn text(&mut self, text: SourceText<'_>);

    /// Adds text with its character references decoded; it is not empty and has no U+0000.
    fn decoded(&mut self, text: &str);

    /// Adds U+0000, which HTML drops or replaces depending on the insertion mode.
    fn null(&mut self);

    fn doctype(&mut self, doctype: Doctype);

    /// Returns true in SVG and MathML, where CDATA sections are text.
    fn is_in_foreign_content(&self) -> bool;

    /// Returns the tree; `None` if the builder has given up.
    fn finish(self) -> Option<Dom>;
}
