//! Puts the nodes of a tree into the order of the document, so that going through all of an
//! element is going through a piece of memory. Extraction does that dozens of times.

use super::tree::{Node, NodeId};

/// The nodes that are in the tree, in order, each knowing where those within it end. The parser
/// makes most of them in that order; it moves some, and leaves a few out in the end.
pub(super) fn in_document_order(mut nodes: Vec<Node>) -> Vec<Node> {
    let order = walk(&mut nodes);
    let is_in_order = order.len() == nodes.len()
        && order
            .iter()
            .enumerate()
            .all(|(index, id)| id.index() == index);
    if is_in_order {
        return nodes;
    }
    let mut places = vec![NodeId::NONE; nodes.len()];
    for (index, id) in order.iter().enumerate() {
        if let Some(place) = places.get_mut(id.index()) {
            *place = NodeId::new(index);
        }
    }
    let place = |id: NodeId| places.get(id.index()).copied().unwrap_or(NodeId::NONE);
    let mut unordered: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    order
        .iter()
        .filter_map(|id| {
            let node = unordered.get_mut(id.index())?.take()?;
            Some(Node {
                parent: place(node.parent),
                first_child: place(node.first_child),
                last_child: place(node.last_child),
                previous: place(node.previous),
                next: place(node.next),
                ..node
            })
        })
        .collect()
}

/// All nodes in the tree, in order; on the way each is told where those within it end.
fn walk(nodes: &mut [Node]) -> Vec<NodeId> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut at = NodeId::ROOT;
    while let Some(node) = nodes.get(at.index()) {
        order.push(at);
        if node.first_child != NodeId::NONE {
            at = node.first_child;
            continue;
        }
        // Up to the nearest that has another one beside it.
        while let Some(node) = nodes.get_mut(at.index()) {
            node.end = NodeId::new(order.len());
            at = if node.next == NodeId::NONE {
                node.parent
            } else {
                node.next
            };
            if node.next != NodeId::NONE {
                break;
            }
        }
    }
    order
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
