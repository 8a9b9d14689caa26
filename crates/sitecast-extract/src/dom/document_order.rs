//! Copies the nodes of html5ever's tree builder into document order.
//!
//! All nodes of an element are then adjacent in memory. Extraction walks over them dozens of times.

use foldhash::HashMap;
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

use super::Tag;
use super::attribute::kept;
use super::sink::{Raw, RawContent};
use super::store::{Span, Store};
use super::tree::{Content, Dom, Namespace, Node, NodeId, StoredElement};

/// Returns the tree of all nodes that the document contains. The parser creates most nodes in order, moves some, and leaves a
/// few outside of the document.
pub(super) fn in_document_order(raw: Vec<Raw>) -> Dom {
    let mut flattener = Flattener {
        raw: &raw,
        nodes: Vec::with_capacity(raw.len()),
        store: Store::default(),
        values: HashMap::default(),
    };
    flattener.walk();
    Dom::new(flattener.nodes, flattener.store)
}

struct Flattener<'a> {
    raw: &'a [Raw],
    nodes: Vec<Node>,
    store: Store,
    /// Stored attribute values by their address in the parser's memory. The parser clones unclosed formatting elements again and
    /// again; their clones share values, which are stored once.
    values: HashMap<(usize, usize), Span>,
}

impl Flattener<'_> {
    fn walk(&mut self) {
        let mut at = NodeId::ROOT;
        let mut parent = NodeId::NONE;
        let mut previous = NodeId::NONE;
        while let Some(raw) = self.raw.get(at.index()) {
            let id = self.push(parent, previous, &raw.content);
            if raw.first_child != NodeId::NONE {
                at = raw.first_child;
                (parent, previous) = (id, NodeId::NONE);
                continue;
            }
            // Go up to the nearest ancestor with a next sibling.
            previous = id;
            let mut next = raw;
            loop {
                let end = NodeId::new(self.nodes.len());
                let Some(node) = self.nodes.get_mut(previous.index()) else {
                    return;
                };
                node.end = end;
                at = next.next;
                if at != NodeId::NONE {
                    parent = node.parent;
                    break;
                }
                previous = node.parent;
                match self.raw.get(next.parent.index()) {
                    Some(outer) => next = outer,
                    None => return,
                }
            }
        }
    }

    fn push(&mut self, parent: NodeId, previous: NodeId, content: &RawContent) -> NodeId {
        let content = match content {
            RawContent::Other => Content::Other,
            RawContent::Text(text) => Content::Text(self.store.add(text)),
            RawContent::Element { name, attributes } => {
                Content::Element(self.element(name, attributes))
            }
        };
        let id = NodeId::new(self.nodes.len());
        if let Some(node) = self.nodes.get_mut(previous.index()) {
            node.next = id;
        }
        self.nodes.push(Node {
            parent,
            previous,
            next: NodeId::NONE,
            end: NodeId::NONE,
            content,
        });
        id
    }

    fn element(&mut self, name: &QualName, attributes: &[Attribute]) -> StoredElement {
        // `a` and `title` in SVG are not HTML's elements; `svg` and `math` themselves get a tag.
        let is_known = name.ns == ns!(html)
            || name.local == local_name!("svg")
            || name.local == local_name!("math");
        let tag = if is_known {
            Tag::of(&name.local)
        } else {
            Tag::Other
        };
        let namespace = match name.ns {
            ns!(svg) => Namespace::Svg,
            ns!(mathml) => Namespace::MathMl,
            _ => Namespace::Html,
        };
        if tag == Tag::Other {
            self.store.add_name(&name.local);
        }
        let mark = self.store.mark();
        for attribute in attributes {
            if let Some(name) = kept(attribute.name.local.as_bytes()) {
                let value = self.value(&attribute.value);
                self.store.add_attribute(name, value);
            }
        }
        StoredElement::new(&self.store, mark, (namespace, tag))
    }

    fn value(&mut self, value: &StrTendril) -> Span {
        // Tendrils of up to eight bytes are inline, so that clones do not share them.
        if value.len() <= 8 {
            return self.store.add(value);
        }
        let place = (value.as_ptr() as usize, value.len());
        *self
            .values
            .entry(place)
            .or_insert_with(|| self.store.add(value))
    }
}

#[cfg(test)]
mod tests {
    use crate::Limits;
    use crate::dom::{Dom, NodeId, Step, parse};

    fn by_steps(dom: &Dom, top: NodeId) -> Vec<NodeId> {
        let steps =
            std::iter::successors(Some(Step::Enter(top)), |step| dom.step(top, *step, true));
        steps
            .filter_map(|step| match step {
                Step::Enter(id) => Some(id),
                Step::Leave(_) => None,
            })
            .collect()
    }

    #[test]
    fn nodes_are_in_document_order() {
        for html in [
            "",
            "<p>a<b>c</b><p>d",
            // The parser moves these nodes out of a table, and out of each other.
            "<table>a<tr><td>b</table>c<table><p>d</table>",
            "<b>a<p>b</b>c<i>d<div>e</i>f</div><a>g<a>h",
            "<body>a</body><frameset>b",
        ] {
            let dom = parse(html, &Limits::default());
            for top in by_steps(&dom, NodeId::ROOT) {
                let in_memory: Vec<_> = dom.descendants(top).collect();
                assert_eq!(in_memory, by_steps(&dom, top), "{html}");
            }
            assert_eq!(dom.descendants(NodeId::ROOT).count(), dom.len(), "{html}");
        }
    }
}
