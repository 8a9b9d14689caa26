//! The parsed document: nodes in document order in one vector.

use super::Tag;
use super::attribute::{Attribute, AttributeFilter, find};
use super::store::{Mark, Span, Store};

/// The index of a node in its [`Dom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(super) const NONE: Self = Self(u32::MAX);
    pub(crate) const ROOT: Self = Self(0);

    pub(super) fn new(index: usize) -> Self {
        u32::try_from(index).map_or(Self::NONE, Self)
    }

    /// Returns the node at an index in document order.
    pub(crate) fn at(index: usize) -> Self {
        Self::new(index)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// A node with its links. Its first child, if there is one, comes right after it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    pub(super) previous: NodeId,
    pub(super) next: NodeId,
    /// The first node after its descendants.
    pub(super) end: NodeId,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// The document, comments and processing instructions.
    Other,
    Element(StoredElement),
    Text(Span),
}

/// An element of the tree, without its attributes, which are in the [`Store`].
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredElement {
    /// The index of its first attribute in the store.
    first: u32,
    count: u8,
    /// Read only to compare two trees.
    #[cfg_attr(not(any(test, feature = "oracle")), expect(dead_code))]
    namespace: Namespace,
    tag: Tag,
}

/// An element with its attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'d> {
    stored: StoredElement,
    store: &'d Store,
    pub(crate) tag: Tag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Html,
    Svg,
    MathMl,
}

impl StoredElement {
    /// Returns an element with the attributes added since `mark`. The name of a [`Tag::Other`] must have been
    /// [added before them](Store::add_name).
    pub(super) fn new(store: &Store, mark: Mark, (namespace, tag): (Namespace, Tag)) -> Self {
        let count = store.attributes_since(mark).len();
        Self {
            first: Store::first_since(mark),
            count: u8::try_from(count).unwrap_or(u8::MAX),
            namespace,
            tag,
        }
    }

    /// Adds the attributes since `mark` that the element lacks; returns false if it has all of them.
    pub(super) fn add_missing(&mut self, store: &mut Store, mark: Mark) -> bool {
        let old = store.attributes(self.first, self.count);
        let new = store.attributes_since(mark).iter();
        let missing = new.filter(|new| old.iter().all(|old| old.name() != new.name()));
        let missing: Vec<Attribute> = missing.copied().collect();
        if missing.is_empty() {
            return false;
        }
        let all = [old, &missing].concat();
        let mark = store.mark();
        store.add_attributes(&all);
        self.first = Store::first_since(mark);
        self.count = u8::try_from(all.len()).unwrap_or(u8::MAX);
        true
    }

    /// Returns true if another element has the same attributes, in any order.
    pub(super) fn is_same_in(&self, other: &Self, store: &Store) -> bool {
        let theirs = store.attributes(other.first, other.count);
        let ours = store.attributes(self.first, self.count);
        ours.len() == theirs.len()
            && ours.iter().all(|our| {
                theirs.iter().any(|their| {
                    our.name() == their.name() && store.text(our.value) == store.text(their.value)
                })
            })
    }

    /// Returns the name in lower case.
    pub(super) fn name_in<'a>(&self, store: &'a Store) -> &'a str {
        if self.tag == Tag::Other {
            store.name_before(self.first)
        } else {
            self.tag.name()
        }
    }
}

impl<'d> Element<'d> {
    /// Returns the name in lower case.
    pub(crate) fn name(self) -> &'d str {
        self.stored.name_in(self.store)
    }

    #[cfg(any(test, feature = "oracle"))]
    pub(super) fn namespace(self) -> Namespace {
        self.stored.namespace
    }

    #[inline(always)]
    fn kept(self) -> &'d [Attribute] {
        self.store.attributes(self.stored.first, self.stored.count)
    }

    /// Returns the value of an attribute, which must be one of those that are [kept](super::attribute).
    #[inline(always)]
    pub(crate) fn attribute(self, name: &str) -> Option<&'d str> {
        if self.stored.count == 0 {
            return None;
        }
        let found = find(self.kept(), name)?;
        Some(self.store.text(found.value))
    }

    pub(crate) fn has_attributes(self) -> bool {
        self.stored.count > 0
    }

    pub(crate) fn attributes(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let text = move |attribute: &'d Attribute| {
            (attribute.name().as_str(), self.store.text(attribute.value))
        };
        self.kept().iter().map(text)
    }

    /// Returns true if an attribute with words, such as `rel`, has this word in any case.
    #[inline(always)]
    pub(crate) fn has_word(self, attribute: &str, word: &str) -> bool {
        self.attribute(attribute).is_some_and(|words| {
            words
                .split_ascii_whitespace()
                .any(|other| other.eq_ignore_ascii_case(word))
        })
    }
}

/// A parsed document: its nodes in document order, each followed by its descendants.
#[derive(Debug, Default)]
pub(crate) struct Dom {
    nodes: Vec<Node>,
    store: Store,
    seen: AttributeFilter,
    has_lost_nosnippet: bool,
}

/// A step of a walk over the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Dom {
    /// Returns a tree of these nodes, with their text and attributes in `store`.
    pub(super) fn new(nodes: Vec<Node>, store: Store) -> Self {
        let seen = AttributeFilter::of(store.all_attributes());
        Self {
            nodes,
            store,
            seen,
            has_lost_nosnippet: false,
        }
    }

    /// Sets whether a limit has withheld an element with `data-nosnippet` from the tree.
    pub(super) fn with_lost_nosnippet(mut self, has_lost: bool) -> Self {
        self.has_lost_nosnippet = has_lost;
        self
    }

    /// Returns true if an element with `data-nosnippet` lost its tags to a limit, while its text is in the tree.
    pub(crate) fn has_lost_nosnippet(&self) -> bool {
        self.has_lost_nosnippet
    }

    pub(super) fn into_parts(self) -> (Vec<Node>, Store) {
        (self.nodes, self.store)
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn element(&self, id: NodeId) -> Option<Element<'_>> {
        self.element_of(self.node(id)?)
    }

    #[inline(always)]
    fn element_of(&self, node: &Node) -> Option<Element<'_>> {
        match node.content {
            Content::Element(stored) => Some(Element {
                stored,
                store: &self.store,
                tag: stored.tag,
            }),
            _ => None,
        }
    }

    /// Returns the tag of an element; [`Tag::Other`] for other nodes.
    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.element(id).map_or(Tag::Other, |element| element.tag)
    }

    #[inline(always)]
    pub(crate) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.element(id)?.attribute(name)
    }

    /// Returns false if no element has an attribute, which must be one of those that are kept; true may be wrong.
    #[inline(always)]
    pub(crate) fn may_have(&self, attribute: &str) -> bool {
        self.seen.may_have(attribute)
    }

    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id)?.content {
            Content::Text(text) => Some(self.store.text(*text)),
            _ => None,
        }
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id)?.parent.some()
    }

    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        let first = id.index() + 1;
        (self.node(id)?.end.index() > first).then(|| NodeId::new(first))
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

    /// Iterates over the node and its ancestors, from the inside out.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// Returns the step after `step` in a walk over `top`; `None` at its end. If `into` is false, the walk leaves an element it
    /// has just entered.
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

    /// Returns the index range of a node and its descendants.
    fn extent(&self, top: NodeId) -> std::ops::Range<usize> {
        top.index()..self.node(top).map_or(top.index(), |node| node.end.index())
    }

    /// Returns the index of the first node after the descendants of this one.
    pub(crate) fn end_of(&self, id: NodeId) -> usize {
        self.extent(id).end
    }

    /// Iterates over `top` and its descendants in document order.
    pub(crate) fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        self.extent(top).map(NodeId::new)
    }

    /// Iterates over the elements among `top` and its descendants in document order.
    pub(crate) fn elements(&self, top: NodeId) -> impl Iterator<Item = (NodeId, Element<'_>)> {
        let nodes = self.nodes.get(self.extent(top)).unwrap_or_default();
        nodes
            .iter()
            .zip(top.index()..)
            .filter_map(|(node, index)| Some((NodeId::new(index), self.element_of(node)?)))
    }
}

/// An iterator over the children of a node.
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
