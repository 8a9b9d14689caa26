//! Formatting elements, which are reconstructed in the next block if they were not closed (HTML, "The list of active formatting
//! elements").

use super::body::{bounds_scope, is_special};
use super::{ContentModel, DirectBuilder, Open};
use crate::dom::Tag;
use crate::dom::tree::{Content, Node, NodeId, StoredElement};

/// Unclosed formatting start tags beyond which the guard of html5ever's tree builder withholds more.
const MAX_UNCLOSED: u32 = 128;

/// The most nodes that are shifted to insert one before them.
const MAX_MOVED_NODES: usize = 256;

/// The list of active formatting elements, and the counts that the guard of html5ever's tree builder keeps.
pub(super) struct Formatting {
    list: Vec<Entry>,
    /// Start tags without an end tag so far, by tag.
    unclosed: [u32; Tag::COUNT],
    unclosed_total: u32,
}

enum Entry {
    /// The start of a cell, caption, template or object: entries before it do not apply until its end.
    Marker,
    Element {
        tag: Tag,
        id: NodeId,
        is_open: bool,
    },
}

impl Default for Formatting {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            unclosed: [0; Tag::COUNT],
            unclosed_total: 0,
        }
    }
}

impl Formatting {
    pub(super) fn mark(&mut self) {
        self.list.push(Entry::Marker);
    }

    pub(super) fn clear_to_mark(&mut self) {
        while let Some(Entry::Element { .. }) = self.list.pop() {}
    }

    /// Counts a start tag; returns false if there are too many.
    pub(super) fn count(&mut self, tag: Tag) -> bool {
        if let Some(unclosed) = self.unclosed.get_mut(tag as usize) {
            *unclosed += 1;
        }
        self.unclosed_total += 1;
        self.unclosed_total <= MAX_UNCLOSED
    }

    /// Counts an end tag.
    pub(super) fn uncount(&mut self, tag: Tag) {
        if let Some(unclosed) = self.unclosed.get_mut(tag as usize)
            && *unclosed > 0
        {
            *unclosed -= 1;
            self.unclosed_total -= 1;
        }
    }

    /// Marks an element as closed.
    pub(super) fn closed(&mut self, closed: NodeId) {
        for entry in self.list.iter_mut().rev() {
            if let Entry::Element { id, is_open, .. } = entry
                && *id == closed
            {
                *is_open = false;
                return;
            }
        }
    }

    fn position(&self, wanted: NodeId) -> Option<usize> {
        self.list
            .iter()
            .rposition(|entry| matches!(entry, Entry::Element { id, .. } if *id == wanted))
    }

    fn remove(&mut self, id: NodeId) {
        if let Some(at) = self.position(id) {
            self.list.remove(at);
        }
    }

    /// Iterates over the elements after the last marker, from the last to the first.
    fn since_mark(&self) -> impl Iterator<Item = (Tag, NodeId, bool)> {
        self.list.iter().rev().map_while(|entry| match entry {
            Entry::Marker => None,
            Entry::Element { tag, id, is_open } => Some((*tag, *id, *is_open)),
        })
    }
}

impl DirectBuilder {
    /// Opens clones of formatting elements that the end of a block closed. HTML, "reconstruct the active formatting elements".
    pub(super) fn reconstruct_formatting(&mut self) {
        let closed = self.formatting.since_mark();
        let closed = closed.take_while(|(_, _, is_open)| !is_open).count();
        if closed == 0 {
            return;
        }
        for at in self.formatting.list.len() - closed..self.formatting.list.len() {
            let Some(Entry::Element { tag, id, .. }) = self.formatting.list.get(at) else {
                return;
            };
            let (tag, old) = (*tag, *id);
            let Some(copy) = self.element(old).copied() else {
                return;
            };
            let id = self.append(Content::Element(copy));
            self.push(tag, id);
            if let Some(entry) = self.formatting.list.get_mut(at) {
                let is_open = true;
                *entry = Entry::Element { tag, id, is_open };
            }
        }
    }

    fn element(&self, id: NodeId) -> Option<&StoredElement> {
        match &self.nodes.get(id.index())?.content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(super) fn start_formatting(&mut self, tag: Tag) -> ContentModel {
        if tag == Tag::A {
            self.close_link();
        }
        self.reconstruct_formatting();
        if tag == Tag::Nobr && self.is_in_scope(tag, bounds_scope) {
            self.end_formatting(tag);
            self.reconstruct_formatting();
        }
        let id = NodeId::new(self.nodes.len());
        self.insert(tag);
        self.drop_fourth(tag, id);
        self.formatting.list.push(Entry::Element {
            tag,
            id,
            is_open: true,
        });
        ContentModel::Markup
    }

    /// Closes an open link at the start of another.
    fn close_link(&mut self) {
        let found = self
            .formatting
            .since_mark()
            .find(|(tag, ..)| *tag == Tag::A);
        let Some((_, id, _)) = found else {
            return;
        };
        self.end_formatting(Tag::A);
        self.formatting.remove(id);
        if self.stack.iter().any(|open| open.id == id) {
            self.give_up();
        }
    }

    /// Keeps at most three equal elements in the list. HTML, "push onto the list of active formatting elements".
    fn drop_fourth(&mut self, tag: Tag, new: NodeId) {
        let Some(new) = self.element(new) else {
            return;
        };
        let list = self.formatting.since_mark();
        let mut same = list.filter(|(other, id, _)| {
            *other == tag
                && self
                    .element(*id)
                    .is_some_and(|other| other.is_same_in(new, &self.store))
        });
        let first = same
            .nth(2)
            .map(|(_, third, _)| same.last().map_or(third, |(_, id, _)| id));
        if let Some(first) = first {
            self.formatting.remove(first);
        }
    }

    /// HTML, "adoption agency algorithm".
    pub(super) fn end_formatting(&mut self, tag: Tag) {
        let current = self.stack.last().map(|open| (open.tag, open.id));
        if let Some((open, id)) = current
            && open == tag
            && self.formatting.position(id).is_none()
        {
            return self.close_current();
        }
        for _ in 0..8 {
            let found = self
                .formatting
                .since_mark()
                .find(|(other, ..)| *other == tag);
            let Some((_, id, is_open)) = found else {
                return self.end_any(tag, "");
            };
            if !is_open {
                return self.formatting.remove(id);
            }
            let Some(at) = self.stack.iter().rposition(|open| open.id == id) else {
                return self.give_up();
            };
            let inner = self.stack.get(at + 1..).unwrap_or_default();
            match inner.iter().position(|open| is_special(open.tag)) {
                None => {
                    while self.stack.len() > at && !self.has_given_up {
                        self.close_current();
                    }
                    return self.formatting.remove(id);
                }
                // A block directly inside, without a scope boundary.
                Some(0) if inner.iter().all(|open| !bounds_scope(open.tag)) => {
                    if self.split_around_block(at).is_none() {
                        return self.give_up();
                    }
                }
                Some(_) => return self.give_up(),
            }
        }
    }

    /// Splits an open formatting element around the block directly inside it: moves the block after the element, and wraps the
    /// content of the block into a clone of the element. `None` if that is not possible or moves too many nodes.
    fn split_around_block(&mut self, at: usize) -> Option<()> {
        let outer = self.stack.get(at.checked_sub(1)?)?;
        let is_table = matches!(
            outer.tag,
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr
        );
        let (outer, old) = (outer.id, self.stack.get(at)?);
        let (old, tag) = (old.id, old.tag);
        let block = self.stack.get(at + 1)?.id;
        // Detached forms may be between them.
        let is_in = |id: NodeId, outer| {
            self.nodes
                .get(id.index())
                .is_some_and(|node| node.parent == outer)
        };
        if !is_in(old, outer) || !is_in(block, old) {
            return None;
        }
        if is_table || self.nodes.len() - block.index() > MAX_MOVED_NODES {
            return None;
        }
        let copy = *self.element(old)?;
        self.make_room(block);
        let copy_id = NodeId::new(block.index() + 1);
        let end = NodeId::new(self.nodes.len() + 1);
        self.nodes.insert(
            copy_id.index(),
            Node {
                parent: block,
                previous: NodeId::NONE,
                next: NodeId::NONE,
                end,
                content: Content::Element(copy),
            },
        );
        let before = self.nodes.get(block.index())?.previous;
        if let Some(node) = self.nodes.get_mut(before.index()) {
            node.next = NodeId::NONE;
        }
        let node = self.nodes.get_mut(old.index())?;
        node.end = block;
        node.next = block;
        let node = self.nodes.get_mut(block.index())?;
        (node.parent, node.previous) = (outer, old);
        self.stack.get_mut(at - 1)?.last_child = block;
        let open = self.stack.get_mut(at + 1)?;
        let last_child = std::mem::replace(&mut open.last_child, copy_id);
        let copy = Open {
            tag,
            id: copy_id,
            last_child,
        };
        self.stack.insert(at + 2, copy);
        self.stack.remove(at);
        let place = self.formatting.position(old)?;
        *self.formatting.list.get_mut(place)? = Entry::Element {
            tag,
            id: copy_id,
            is_open: true,
        };
        Some(())
    }

    /// Shifts all links to nodes after `block` by one, and makes the node to be inserted the parent of the block's children.
    fn make_room(&mut self, block: NodeId) {
        let later = |id: &mut NodeId| {
            if *id != NodeId::NONE && *id > block {
                *id = NodeId::new(id.index() + 1);
            }
        };
        for node in self.nodes.iter_mut().skip(block.index() + 1) {
            if node.parent == block {
                node.parent = NodeId::new(block.index() + 1);
            } else {
                later(&mut node.parent);
            }
            later(&mut node.previous);
            later(&mut node.next);
            later(&mut node.end);
        }
        for open in &mut self.stack {
            later(&mut open.id);
            later(&mut open.last_child);
        }
        for entry in &mut self.formatting.list {
            if let Entry::Element { id, .. } = entry {
                later(id);
            }
        }
        if let Some(form) = &mut self.form {
            later(form);
        }
    }
}
