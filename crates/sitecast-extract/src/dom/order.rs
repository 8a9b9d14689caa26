//! Makes the tree of what the parser put together: its nodes in the order of the document, so that
//! going through all of an element is going through a piece of memory. Extraction does that dozens
//! of times.

use foldhash::HashMap;
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

use super::Tag;
use super::attribute::kept;
use super::sink::{Raw, RawContent};
use super::store::{Span, Store};
use super::tree::{Content, Dom, Namespace, Node, NodeId, Stored};

/// The tree of all nodes that the document has in it. The parser makes most of them in order; it
/// moves some, and leaves a few out in the end.
pub(super) fn in_document_order(raw: Vec<Raw>) -> Dom {
    let mut maker = Maker {
        raw: &raw,
        nodes: Vec::with_capacity(raw.len()),
        store: Store::default(),
        values: HashMap::default(),
    };
    maker.walk();
    Dom::new(maker.nodes, maker.store)
}

struct Maker<'a> {
    raw: &'a [Raw],
    nodes: Vec<Node>,
    store: Store,
    /// Long values by where the parser has them. It copies unclosed formatting elements over and
    /// over, and what such copies share has to be there once.
    values: HashMap<(usize, usize), Span>,
}

impl Maker<'_> {
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
            // Up to the nearest that has another one beside it.
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

    fn element(&mut self, name: &QualName, attributes: &[Attribute]) -> Stored {
        // `a` or `title` of SVG are not those of HTML; `svg` and `math` themselves matter.
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
        Stored::new(&self.store, mark, (namespace, tag))
    }

    fn value(&mut self, value: &StrTendril) -> Span {
        // Shorter ones are not shared.
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
    fn memory_has_the_order_of_the_document() {
        for html in [
            "",
            "<p>a<b>c</b><p>d",
            // Moved by the parser: out of a table, and out of each other.
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
