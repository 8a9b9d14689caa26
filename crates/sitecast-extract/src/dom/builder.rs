//! What the tokenizer hands out, and to whom.

use html5ever::tokenizer::Doctype;
use html5ever::tokenizer::states::RawKind;

use super::attribute::Name;
use super::{Dom, Tag};

/// How what follows a start tag is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    Markup,
    /// Text up to the end tag of the element.
    Text(RawKind),
    /// Text up to the end of the page.
    Plaintext,
}

/// A piece of the page as it is in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// Where it begins.
    pub(super) at: usize,
}

/// Makes a tree of tags and text.
pub(super) trait Builder {
    /// Whether this page is none for this builder, so that there is no sense in going on.
    fn has_given_up(&self) -> bool;

    /// A start tag of this name begins, which is in the case that the source has it in.
    fn begin(&mut self, tag: Tag, name: &str);

    /// The tag that has begun has an attribute, unless it has one of that name already.
    fn attribute(&mut self, name: Name, value: Piece<'_>);

    /// An attribute of the tag that has begun.
    fn pending_attribute(&self, name: &str) -> Option<&str>;

    /// The tag that has begun is not to be in the tree.
    fn forget(&mut self);

    /// The tag that has begun is complete.
    fn start_tag(&mut self, tag: Tag, name: &str, self_closing: bool) -> Follows;

    fn end_tag(&mut self, tag: Tag, name: &str);

    /// Text as it is in the source, which is not empty nor holds U+0000.
    fn text(&mut self, text: Piece<'_>);

    /// Text that is not in the source like this; not empty and without U+0000, too.
    fn decoded(&mut self, text: &str);

    /// U+0000, of which different places make different things.
    fn null(&mut self);

    fn doctype(&mut self, doctype: Doctype);

    /// Whether what comes next is in SVG or MathML, where CDATA sections are text.
    fn is_in_foreign_content(&self) -> bool;

    /// The tree, unless this page is none for this builder.
    fn finish(self) -> Option<Dom>;
}
