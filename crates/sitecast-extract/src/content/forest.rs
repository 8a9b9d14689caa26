//! Decision trees, as they were learnt.

/// How many trees are asked before looking at what they say.
const TREES_AT_ONCE: usize = 15;
/// A sum beyond which there is hardly any doubt left: one in fifty.
const CERTAIN: f32 = 4.0;

/// Many small decision trees whose answers are added up.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    leaves: Vec<f32>,
    /// Where the nodes and the leaves of each tree begin.
    trees: Vec<(usize, usize)>,
}

/// A question: is this feature at most that much?
#[derive(Debug, Clone, Copy)]
struct Node {
    feature: u16,
    /// Where to go: a node of the tree, or, where negative, a leaf: -1 is the first.
    at_most: i16,
    above: i16,
    threshold: f32,
}

impl Forest {
    /// Reads the format that `training/train.py` writes: a line for each tree, with questions as
    /// `feature,threshold,at most,above`, a `|`, and the leaves.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut forest = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (nodes, leaves) = line.split_once('|')?;
            forest.trees.push((forest.nodes.len(), forest.leaves.len()));
            for node in nodes.split_ascii_whitespace() {
                let mut parts = node.split(',');
                forest.nodes.push(Node {
                    feature: parts.next()?.parse().ok()?,
                    threshold: parts.next()?.parse().ok()?,
                    at_most: parts.next()?.parse().ok()?,
                    above: parts.next()?.parse().ok()?,
                });
            }
            for leaf in leaves.split_ascii_whitespace() {
                forest.leaves.push(leaf.parse().ok()?);
            }
        }
        Some(forest)
    }

    /// How likely what the row describes is content, from 0 to 1.
    pub(crate) fn probability(&self, row: &[f32]) -> f32 {
        let mut sum = 0.0;
        for trees in self.trees.chunks(TREES_AT_ONCE) {
            for (nodes, leaves) in trees {
                sum += self.leaf(*nodes, *leaves, row);
            }
            // Most of a page is plainly the one or the other: the rest of the trees would not
            // change that.
            if sum.abs() > CERTAIN {
                break;
            }
        }
        1.0 / (1.0 + (-sum).exp())
    }

    fn leaf(&self, nodes: usize, leaves: usize, row: &[f32]) -> f32 {
        let mut at = 0i16;
        // A tree that was written wrongly could have a circle; none is this deep.
        for _ in 0..64 {
            let Ok(index) = usize::try_from(at) else {
                let leaf = leaves + usize::from(at.unsigned_abs()) - 1;
                return self.leaves.get(leaf).copied().unwrap_or(0.0);
            };
            let Some(node) = self.nodes.get(nodes + index) else {
                return 0.0;
            };
            let value = row.get(usize::from(node.feature)).copied().unwrap_or(0.0);
            at = if value <= node.threshold {
                node.at_most
            } else {
                node.above
            };
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_added_up() {
        let forest = Forest::parse("# two trees\n0,1.5,-1,1 1,0,-2,-3|-1 2 4\n|0.5\n").unwrap();
        let of = |row: &[f32]| forest.probability(row);
        let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
        // A tree without a question is its only leaf: node 0 is not there, so it says nothing.
        assert_eq!(of(&[1.0, 0.0]), logistic(-1.0));
        assert_eq!(of(&[2.0, 0.0]), logistic(2.0));
        assert_eq!(of(&[2.0, 0.1]), logistic(4.0));
        assert_eq!(of(&[]), logistic(-1.0));
    }

    #[test]
    fn what_is_no_forest_is_refused() {
        for text in ["1,2,3", "x,1,1,1|1", "0,1,-1|1 2", "0,1,-1,-2|x"] {
            assert!(Forest::parse(text).is_none(), "{text}");
        }
    }
}
