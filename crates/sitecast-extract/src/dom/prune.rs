//! Removing elements from a tree.

use std::ops::Range;

use super::tree::{Dom, Element, Node, NodeId};

impl Dom {
    /// Returns the tree without some elements and their content.
    pub(crate) fn without(self, is_unwanted: impl Fn(Element<'_>) -> bool) -> Self {
        let removed = self.outermost(is_unwanted);
        if removed.is_empty() {
            return self;
        }
        let (nodes, store) = self.into_parts();
        // The new index of each node, or of the next kept node.
        let mut moved = Vec::with_capacity(nodes.len() + 1);
        let mut is_kept = vec![true; nodes.len()];
        for range in &removed {
            is_kept
                .get_mut(range.clone())
                .unwrap_or_default()
                .fill(false);
        }
        let mut count = 0;
        for kept in &is_kept {
            moved.push(NodeId::new(count));
            count += usize::from(*kept);
        }
        moved.push(NodeId::new(count));
        let to = |id: NodeId| moved.get(id.index()).copied().unwrap_or(NodeId::NONE);
        let mut kept: Vec<Node> = Vec::with_capacity(count);
        // The last child of each node so far, by the node's new index.
        let mut last_children = vec![NodeId::NONE; count];
        for (node, _) in nodes.into_iter().zip(is_kept).filter(|(_, kept)| *kept) {
            let id = NodeId::new(kept.len());
            let parent = to(node.parent);
            let mut previous = NodeId::NONE;
            if let Some(last) = last_children.get_mut(parent.index()) {
                previous = std::mem::replace(last, id);
            }
            if let Some(before) = kept.get_mut(previous.index()) {
                before.next = id;
            }
            kept.push(Node {
                parent,
                previous,
                next: NodeId::NONE,
                end: to(node.end),
                content: node.content,
            });
        }
        Self::new(kept, store)
    }

    /// Returns the node ranges of matching elements with their content, without matches inside other matches.
    pub(crate) fn outermost(&self, is_one: impl Fn(Element<'_>) -> bool) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (id, element) in self.elements(NodeId::ROOT) {
            let is_in_one = found.last().is_some_and(|last| id.index() < last.end);
            if !is_in_one && is_one(element) {
                found.push(id.index()..self.end_of(id));
            }
        }
        found
    }

    /// Returns true if the links between all nodes are consistent.
    #[cfg(test)]
    fn is_sound(&self) -> bool {
        self.descendants(NodeId::ROOT).all(|id| {
            let mut previous = None;
            self.children(id).all(|child| {
                let fits = self.parent(child) == Some(id)
                    && self.previous_sibling(child) == previous
                    && self.end_of(child) <= self.end_of(id);
                previous = Some(child);
                fits
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    fn without_i(html: &str) -> Dom {
        parse(html, &Limits::default()).without(|element| element.name() == "i")
    }

    #[test]
    fn removes_elements_with_their_content() {
        for (html, expected) in [
            ("<p>a<i>b<b>c</b></i>d<i></i></p><i>e</i><p>f", "adf"),
            ("<i>a<i>b</i></i>c", "c"),
            ("<div><i>a</i></div><div>b<i>c</i><u>d</u></div>", "bd"),
            ("<p>a", "a"),
        ] {
            let dom = without_i(html);
            let all = dom.descendants(NodeId::ROOT);
            let text: String = all.filter_map(|id| dom.text(id)).collect();
            assert_eq!(text, expected, "{html}");
            assert!(dom.is_sound(), "{html}");
        }
    }
}
