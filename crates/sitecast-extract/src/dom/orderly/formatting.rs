//! Formatting elements: those that are opened again in the next block when they were not closed.
//!
//! HTML, "The list of active formatting elements".

use super::body::{hides, is_special};
use super::{Follows, Open, Orderly};
use crate::dom::Tag;
use crate::dom::tree::{Content, Node, NodeId, Stored};

/// Start tags without an end tag of which the rest is kept from the tree builder.
const MOST_OPEN: u32 = 128;

/// More nodes are not moved for one that is put before them.
const MOST_MOVED: usize = 256;

/// The list, and what the guard of the tree builder counts.
pub(super) struct Formatting {
    list: Vec<Entry>,
    /// Start tags without an end tag so far, by name.
    unclosed: [u32; Tag::COUNT],
    unclosed_total: u32,
}

enum Entry {
    /// A cell, a caption or an object begins, and what is before it counts no more until its end.
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

    /// Takes note of a start tag, unless there are too many.
    pub(super) fn count(&mut self, tag: Tag) -> bool {
        if let Some(unclosed) = self.unclosed.get_mut(tag as usize) {
            *unclosed += 1;
        }
        self.unclosed_total += 1;
        self.unclosed_total <= MOST_OPEN
    }

    /// Takes note of an end tag.
    pub(super) fn uncount(&mut self, tag: Tag) {
        if let Some(unclosed) = self.unclosed.get_mut(tag as usize)
            && *unclosed > 0
        {
            *unclosed -= 1;
            self.unclosed_total -= 1;
        }
    }

    /// An element is open no more.
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

    /// The elements since the last marker, from the last to the first.
    fn since_mark(&self) -> impl Iterator<Item = (Tag, NodeId, bool)> {
        self.list.iter().rev().map_while(|entry| match entry {
            Entry::Marker => None,
            Entry::Element { tag, id, is_open } => Some((*tag, *id, *is_open)),
        })
    }
}

impl Orderly {
    /// Opens again what was closed by the end of a block. HTML, "reconstruct the active formatting
    /// elements".
    pub(super) fn reopen(&mut self) {
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
            let Some(twin) = self.element(old).copied() else {
                return;
            };
            let id = self.append(Content::Element(twin));
            self.push(tag, id);
            if let Some(entry) = self.formatting.list.get_mut(at) {
                let is_open = true;
                *entry = Entry::Element { tag, id, is_open };
            }
        }
    }

    fn element(&self, id: NodeId) -> Option<&Stored> {
        match &self.nodes.get(id.index())?.content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(super) fn start_formatting(&mut self, tag: Tag) -> Follows {
        if tag == Tag::A {
            self.close_link();
        }
        self.reopen();
        if tag == Tag::Nobr && self.is_in_scope(tag, hides) {
            self.end_formatting(tag);
            self.reopen();
        }
        let id = NodeId::new(self.nodes.len());
        self.insert(tag);
        self.drop_fourth(tag, id);
        self.formatting.list.push(Entry::Element {
            tag,
            id,
            is_open: true,
        });
        Follows::Markup
    }

    /// A link in a link ends the outer one.
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

    /// Of the same element at most three are opened again. HTML, "push onto the list of active
    /// formatting elements".
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
                // Right in it, and not one that it is out of scope in.
                Some(0) if inner.iter().all(|open| !hides(open.tag)) => {
                    if self.part(at).is_none() {
                        return self.give_up();
                    }
                }
                Some(_) => return self.give_up(),
            }
        }
    }

    /// Parts a formatting element, which is open, from the block right in it: the block comes after
    /// it, and a twin of it takes what is in the block. `None` if there is too much in it.
    fn part(&mut self, at: usize) -> Option<()> {
        let outer = self.stack.get(at.checked_sub(1)?)?;
        let is_table = matches!(
            outer.tag,
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr
        );
        let (outer, old) = (outer.id, self.stack.get(at)?);
        let (old, tag) = (old.id, old.tag);
        let block = self.stack.get(at + 1)?.id;
        // Forms that are on the stack no more may be between them.
        let is_in = |id: NodeId, outer| {
            self.nodes
                .get(id.index())
                .is_some_and(|node| node.parent == outer)
        };
        if !is_in(old, outer) || !is_in(block, old) {
            return None;
        }
        if is_table || self.nodes.len() - block.index() > MOST_MOVED {
            return None;
        }
        let twin = *self.element(old)?;
        self.make_room(block);
        let twin_id = NodeId::new(block.index() + 1);
        let end = NodeId::new(self.nodes.len() + 1);
        self.nodes.insert(
            twin_id.index(),
            Node {
                parent: block,
                previous: NodeId::NONE,
                next: NodeId::NONE,
                end,
                content: Content::Element(twin),
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
        let last_child = std::mem::replace(&mut open.last_child, twin_id);
        let twin = Open {
            tag,
            id: twin_id,
            last_child,
        };
        self.stack.insert(at + 2, twin);
        self.stack.remove(at);
        let place = self.formatting.position(old)?;
        *self.formatting.list.get_mut(place)? = Entry::Element {
            tag,
            id: twin_id,
            is_open: true,
        };
        Some(())
    }

    /// Tells all nodes in `block` that they come one later, and its children that they are in the
    /// one that comes before them.
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
