use super::Tag;
use super::attribute::{Attribute, Seen, find};
use super::store::{Mark, Span, Store};

/// Where a node is in its [`Dom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(super) const NONE: Self = Self(u32::MAX);
    pub(crate) const ROOT: Self = Self(0);

    pub(super) fn new(index: usize) -> Self {
        u32::try_from(index).map_or(Self::NONE, Self)
    }

    /// The node at a place in the order of the document.
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

/// A node in its place. The first of those in it, if there are any, comes right after it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    pub(super) previous: NodeId,
    pub(super) next: NodeId,
    /// The node that comes after all that are in this one.
    pub(super) end: NodeId,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// The document, and what nobody asks about.
    Other,
    Element(Stored),
    Text(Span),
}

/// What a node says of an element. Its attributes are in the [`Store`] of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    /// Where its attributes are in the store.
    first: u32,
    count: u8,
    /// Only of interest where two trees are compared.
    #[cfg_attr(not(any(test, feature = "oracle")), expect(dead_code))]
    namespace: Namespace,
    tag: Tag,
}

/// An element with its attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'d> {
    stored: Stored,
    store: &'d Store,
    pub(crate) tag: Tag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Html,
    Svg,
    MathMl,
}

impl Stored {
    /// An element whose attributes are those since `mark`. The name of one whose tag does not say
    /// it has been [put before them](Store::add_name).
    pub(super) fn new(store: &Store, mark: Mark, (namespace, tag): (Namespace, Tag)) -> Self {
        let count = store.attributes_since(mark).len();
        Self {
            first: Store::first_since(mark),
            count: u8::try_from(count).unwrap_or(u8::MAX),
            namespace,
            tag,
        }
    }

    /// Adds those of the attributes since `mark` that it has not, if there are any.
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

    /// Whether another element has the same attributes in any order, all of them in `store`.
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

    /// The name as it is in the source, in lower case.
    pub(super) fn name_in<'a>(&self, store: &'a Store) -> &'a str {
        if self.tag == Tag::Other {
            store.name_before(self.first)
        } else {
            self.tag.name()
        }
    }
}

impl<'d> Element<'d> {
    /// The name as it is in the source, in lower case.
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

    /// An attribute, which has to be among those that are [kept](super::attribute).
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

    /// Whether one of the words of an attribute, such as `rel`, is this one.
    #[inline(always)]
    pub(crate) fn has_word(self, attribute: &str, word: &str) -> bool {
        self.attribute(attribute).is_some_and(|words| {
            words
                .split_ascii_whitespace()
                .any(|other| other.eq_ignore_ascii_case(word))
        })
    }
}

/// A parsed document: its nodes in their order, each followed by those in it.
#[derive(Debug, Default)]
pub(crate) struct Dom {
    nodes: Vec<Node>,
    store: Store,
    seen: Seen,
    has_lost_nosnippet: bool,
}

/// What a walk meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Dom {
    /// A tree of these nodes, whose texts and attributes are in `store`.
    pub(super) fn new(nodes: Vec<Node>, store: Store) -> Self {
        let seen = Seen::of(store.all_attributes());
        Self {
            nodes,
            store,
            seen,
            has_lost_nosnippet: false,
        }
    }

    /// The same tree, of which a limit has kept an element with `data-nosnippet`.
    pub(super) fn with_lost_nosnippet(mut self, has_lost: bool) -> Self {
        self.has_lost_nosnippet = has_lost;
        self
    }

    /// Whether an element that is not to be quoted lost its tags to a limit, while its text is still there.
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

    /// The index of the node that comes after all that are in this one.
    pub(crate) fn end_of(&self, id: NodeId) -> usize {
        self.extent(id).end
    }

    /// All nodes in `top` in document order, itself first.
    pub(crate) fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        self.extent(top).map(NodeId::new)
    }

    /// All elements in `top` in document order, itself first.
    pub(crate) fn elements(&self, top: NodeId) -> impl Iterator<Item = (NodeId, Element<'_>)> {
        let nodes = self.nodes.get(self.extent(top)).unwrap_or_default();
        nodes
            .iter()
            .zip(top.index()..)
            .filter_map(|(node, index)| Some((NodeId::new(index), self.element_of(node)?)))
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
