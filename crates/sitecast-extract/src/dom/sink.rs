//! The tree as html5ever's tree builder creates it: linked nodes in the order of their creation.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::document_order::in_document_order;
use super::tree::{Dom, NodeId};

/// A node of the parser's tree.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) parent: NodeId,
    pub(super) first_child: NodeId,
    last_child: NodeId,
    previous: NodeId,
    pub(super) next: NodeId,
    /// The number of its ancestors when it was inserted.
    depth: u32,
    pub(super) content: RawContent,
}

#[derive(Debug)]
pub(super) enum RawContent {
    /// The document, comments and processing instructions.
    Other,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
    },
    Text(StrTendril),
}

impl Raw {
    /// Returns a node without a parent.
    fn new(content: RawContent) -> Self {
        Self {
            parent: NodeId::NONE,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            previous: NodeId::NONE,
            next: NodeId::NONE,
            depth: 0,
            content,
        }
    }
}

/// Receives the tree from the parser.
pub(super) struct Sink {
    nodes: RefCell<Vec<Raw>>,
    /// The depth of the last insertion.
    depth: Cell<u32>,
}

/// The name of an element for the parser. A clone, so that no borrow of the tree outlives a call.
#[derive(Debug)]
pub(super) struct Name {
    namespace: Namespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

impl Sink {
    /// Allocates memory for this number of nodes.
    pub(super) fn new(nodes: usize) -> Self {
        let sink = Self {
            nodes: RefCell::new(Vec::with_capacity(nodes)),
            depth: Cell::new(0),
        };
        sink.create(RawContent::Other);
        sink
    }

    /// Returns the parser's depth: exact right after an insertion, else an estimate.
    pub(super) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Decreases the estimated depth after an end tag, which most likely closed an element.
    pub(super) fn ascend(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    fn create(&self, content: RawContent) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        let id = NodeId::new(nodes.len());
        nodes.push(Raw::new(content));
        id
    }

    fn get<T>(&self, id: NodeId, read: impl FnOnce(&Raw) -> T) -> Option<T> {
        self.nodes.borrow().get(id.index()).map(read)
    }

    fn set(&self, id: NodeId, write: impl FnOnce(&mut Raw)) {
        if let Some(node) = self.nodes.borrow_mut().get_mut(id.index()) {
            write(node);
        }
    }

    fn link(&self, id: NodeId, read: impl FnOnce(&Raw) -> NodeId) -> NodeId {
        self.get(id, read).unwrap_or(NodeId::NONE)
    }

    /// Inserts `child` between two siblings under `parent`.
    fn insert(nodes: &mut [Raw], parent: NodeId, previous: NodeId, next: NodeId, child: NodeId) {
        let depth = nodes.get(parent.index()).map_or(0, |node| node.depth);
        if let Some(node) = nodes.get_mut(child.index()) {
            node.parent = parent;
            node.previous = previous;
            node.next = next;
            node.depth = depth.saturating_add(1);
        }
        if let Some(node) = nodes.get_mut(previous.index()) {
            node.next = child;
        } else if let Some(node) = nodes.get_mut(parent.index()) {
            node.first_child = child;
        }
        if let Some(node) = nodes.get_mut(next.index()) {
            node.previous = child;
        } else if let Some(node) = nodes.get_mut(parent.index()) {
            node.last_child = child;
        }
    }

    /// Inserts a node or text between two siblings. Text is appended to a text node before it.
    fn place(&self, parent: NodeId, previous: NodeId, next: NodeId, child: NodeOrText<NodeId>) {
        let mut nodes = self.nodes.borrow_mut();
        let child = match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => {
                if let Some(node) = nodes.get_mut(previous.index())
                    && let RawContent::Text(before) = &mut node.content
                {
                    before.push_tendril(&text);
                    return;
                }
                let id = NodeId::new(nodes.len());
                nodes.push(Raw::new(RawContent::Text(text)));
                id
            }
        };
        self.depth
            .set(nodes.get(parent.index()).map_or(0, |node| node.depth));
        Self::insert(&mut nodes, parent, previous, next, child);
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Dom;
    type ElemName<'a> = Name;

    fn finish(self) -> Dom {
        in_document_order(self.nodes.into_inner())
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        self.get(*target, |node| match &node.content {
            RawContent::Element { name, .. } => Some(Name {
                namespace: name.ns.clone(),
                local: name.local.clone(),
            }),
            _ => None,
        })
        .flatten()
        .unwrap_or(Name {
            namespace: Namespace::default(),
            local: LocalName::default(),
        })
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> NodeId {
        self.create(RawContent::Element { name, attributes })
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.create(RawContent::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.create(RawContent::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let last = self.link(*parent, |node| node.last_child);
        self.place(*parent, last, NodeId::NONE, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        if self.link(*element, |node| node.parent) == NodeId::NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// The content of a template has the template itself as its parent: readers of the tree decide whether to look there.
    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        if let NodeOrText::AppendNode(id) = &child {
            self.remove_from_parent(id);
        }
        let parent = self.link(*sibling, |node| node.parent);
        let previous = self.link(*sibling, |node| node.previous);
        self.place(parent, previous, *sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<Attribute>) {
        self.set(*target, |node| {
            if let RawContent::Element { attributes, .. } = &mut node.content {
                for new in attrs {
                    if attributes
                        .iter()
                        .all(|other| other.name.local != new.name.local)
                    {
                        attributes.push(new);
                    }
                }
            }
        });
    }

    fn remove_from_parent(&self, target: &NodeId) {
        let Some((parent, previous, next)) =
            self.get(*target, |node| (node.parent, node.previous, node.next))
        else {
            return;
        };
        if parent == NodeId::NONE {
            return;
        }
        if previous == NodeId::NONE {
            self.set(parent, |node| node.first_child = next);
        } else {
            self.set(previous, |node| node.next = next);
        }
        if next == NodeId::NONE {
            self.set(parent, |node| node.last_child = previous);
        } else {
            self.set(next, |node| node.previous = previous);
        }
        self.set(*target, |node| {
            node.parent = NodeId::NONE;
            node.previous = NodeId::NONE;
            node.next = NodeId::NONE;
        });
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut child = self.link(*node, |node| node.first_child);
        while child != NodeId::NONE {
            let next = self.link(child, |node| node.next);
            self.remove_from_parent(&child);
            self.append(new_parent, NodeOrText::AppendNode(child));
            child = next;
        }
    }
}
