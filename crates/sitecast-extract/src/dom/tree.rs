use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

use super::Tag;
use super::attribute::{Attributes, Seen};

/// Where a node is in its [`Dom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(super) const NONE: Self = Self(u32::MAX);
    pub(crate) const ROOT: Self = Self(0);

    pub(super) fn new(index: usize) -> Self {
        u32::try_from(index).map_or(Self::NONE, Self)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    pub(super) first_child: NodeId,
    pub(super) last_child: NodeId,
    pub(super) previous: NodeId,
    pub(super) next: NodeId,
    /// The node that comes after all that are in this one; known once the tree is whole.
    pub(super) end: NodeId,
    /// How many ancestors it had when it was put in its place.
    pub(super) depth: u32,
    pub(super) content: Content,
}

impl Node {
    /// A node that is nowhere yet.
    pub(super) fn new(content: Content) -> Self {
        Self {
            parent: NodeId::NONE,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            previous: NodeId::NONE,
            next: NodeId::NONE,
            end: NodeId::NONE,
            depth: 0,
            content,
        }
    }
}

#[derive(Debug)]
pub(super) enum Content {
    /// The document, and what nobody asks about.
    Other,
    Element(Element),
    Text(StrTendril),
}

/// An element with its attributes.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) tag: Tag,
    pub(super) name: QualName,
    pub(super) attributes: Attributes,
}

impl Element {
    pub(super) fn new(name: QualName, attributes: Vec<Attribute>) -> Self {
        // `a` or `title` of SVG are not those of HTML; `svg` and `math` themselves matter.
        let is_known = name.ns == ns!(html)
            || name.local == local_name!("svg")
            || name.local == local_name!("math");
        let tag = if is_known {
            Tag::of(&name.local)
        } else {
            Tag::Other
        };
        Self {
            tag,
            name,
            attributes: Attributes::new(attributes),
        }
    }

    /// The name as it is in the source, in lower case.
    pub(crate) fn name(&self) -> &str {
        &self.name.local
    }

    /// An attribute, which has to be among those that are [kept](super::attribute).
    #[inline(always)]
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)
    }

    pub(crate) fn has_attributes(&self) -> bool {
        !self.attributes.is_empty()
    }

    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter()
    }

    /// Whether one of the words of an attribute, such as `rel`, is this one.
    #[inline(always)]
    pub(crate) fn has_word(&self, attribute: &str, word: &str) -> bool {
        self.attribute(attribute).is_some_and(|words| {
            words
                .split_ascii_whitespace()
                .any(|other| other.eq_ignore_ascii_case(word))
        })
    }
}

/// A parsed document: its nodes in their order, each followed by those in it.
#[derive(Debug)]
pub(crate) struct Dom {
    pub(super) nodes: Vec<Node>,
    pub(super) seen: Seen,
}

/// What a walk meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Dom {
    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.node(id)?.content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The name of an element; [`Tag::Other`] for anything else.
    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.element(id).map_or(Tag::Other, |element| element.tag)
    }

    #[inline(always)]
    pub(crate) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.element(id)?.attribute(name)
    }

    /// Whether any element may have an attribute. Now and then the answer is yes and none has.
    #[inline(always)]
    pub(crate) fn may_have(&self, attribute: &str) -> bool {
        self.seen.may_have(attribute)
    }

    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id)?.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id)?.parent.some()
    }

    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.node(id)?.first_child.some()
    }

    pub(crate) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.node(id)?.next.some()
    }

    pub(crate) fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.node(id)?.previous.some()
    }

    pub(crate) fn children(&self, id: NodeId) -> Children<'_> {
        Children {
            dom: self,
            next: self.first_child(id),
        }
    }

    /// The node and what it is in, from the inside out.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// What comes after `step` in a walk through all of `top`; `None` at its end. With `into`
    /// false an element just entered is left at once.
    pub(crate) fn step(&self, top: NodeId, step: Step, into: bool) -> Option<Step> {
        match step {
            Step::Enter(id) => Some(match self.first_child(id) {
                Some(child) if into => Step::Enter(child),
                _ => Step::Leave(id),
            }),
            Step::Leave(id) if id == top => None,
            Step::Leave(id) => Some(match self.next_sibling(id) {
                Some(sibling) => Step::Enter(sibling),
                None => Step::Leave(self.parent(id)?),
            }),
        }
    }

    /// From where to where a node and all that are in it are.
    fn extent(&self, top: NodeId) -> std::ops::Range<usize> {
        top.index()..self.node(top).map_or(top.index(), |node| node.end.index())
    }

    /// All nodes in `top` in document order, itself first.
    pub(crate) fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        self.extent(top).map(NodeId::new)
    }

    /// All elements in `top` in document order, itself first.
    pub(crate) fn elements(&self, top: NodeId) -> impl Iterator<Item = (NodeId, &Element)> {
        let nodes = self.nodes.get(self.extent(top)).unwrap_or_default();
        nodes
            .iter()
            .zip(top.index()..)
            .filter_map(|(node, index)| match &node.content {
                Content::Element(element) => Some((NodeId::new(index), element)),
                _ => None,
            })
    }
}

/// The children of a node, in order.
#[derive(Debug, Clone)]
pub(crate) struct Children<'a> {
    dom: &'a Dom,
    next: Option<NodeId>,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let id = self.next?;
        self.next = self.dom.next_sibling(id);
        Some(id)
    }
}
