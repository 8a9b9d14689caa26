//! Evaluation of learnt decision trees, without walking them from root to leaf (Lucchese et al., "QuickScorer").
//!
//! A value above the threshold of a node cannot reach the leaves for smaller values. The first leaf that no node
//! excludes is the leaf that a walk would reach. So nodes can be evaluated in any order, each for many rows at once
//! and without a branch. Most nodes have the same result for all rows, and many only concern leaves that others have
//! excluded already.

mod scorer;

use std::ops::Range;
use std::str::FromStr;

pub(crate) use scorer::Scorer;

/// Number of trees to evaluate before looking for rows whose result is certain.
const TREES_PER_STAGE: usize = 15;

/// The most nodes of a tree. A malformed tree could have a cycle.
const MOST_NODES: usize = 4_096;

/// Number of rows evaluated at once. All rows of a page would need a hundred times the memory of the page.
pub(crate) const LANES: usize = 32;

/// The values of one feature for each row.
pub(crate) type Column = [f32; LANES];

/// Many small decision trees, whose results are added up.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    stages: Vec<Stage>,
    /// Number of trees.
    trees: usize,
}

/// Trees that are evaluated together.
#[derive(Debug, Default)]
struct Stage {
    /// Sorted by feature.
    nodes: Vec<Node>,
    blocks: Vec<LeafBlock>,
}

/// A node of a tree: is the feature at most the threshold? Either result excludes leaves.
#[derive(Debug, Clone, Copy)]
struct Node {
    threshold: f32,
    /// The [rank] of the threshold.
    rank: i32,
    feature: u16,
    /// Index of the block of leaves in the stage.
    block: u16,
    /// Masks of the leaves that remain: if the value is at most the threshold; if that differs between rows, so that
    /// no leaf is excluded; if the value is above. The leaves that the first mask excludes would not be reached
    /// anyway, since the first remaining leaf counts; but the nodes on the way to them need no evaluation then.
    remaining: [u32; 3],
}

impl Node {
    /// Returns the mask of the leaves for values above the threshold.
    fn above(&self) -> u32 {
        let [_, _, above] = self.remaining;
        above
    }
}

const LEAVES: usize = u32::BITS as usize;

/// Consecutive leaves of a tree: all of them or a part. Slots after the last leaf are never reached.
#[derive(Debug)]
struct LeafBlock {
    leaves: [f32; LEAVES],
    /// The tree has more leaves in the next block.
    continues: bool,
}

impl Forest {
    /// Reads the format of `training/train.py`: one line for each tree, with its nodes as
    /// `feature,threshold,at most,above`, a `|`, and the leaves. Returns the number of the first malformed line as an error.
    pub(crate) fn parse(text: &str) -> Result<Self, usize> {
        let mut forest = Self::default();
        for (number, line) in (1usize..).zip(text.lines()) {
            if !line.starts_with('#') {
                forest.add_tree(line).ok_or(number)?;
            }
        }
        for stage in &mut forest.stages {
            stage.nodes.sort_by_key(|node| node.feature);
        }
        Ok(forest)
    }

    fn add_tree(&mut self, line: &str) -> Option<()> {
        let (nodes, leaves) = line.split_once('|')?;
        let nodes = nodes
            .split_ascii_whitespace()
            .map(ParsedNode::parse)
            .collect::<Option<Vec<_>>>()?;
        let leaves = leaves
            .split_ascii_whitespace()
            .map(|leaf| leaf.parse().ok())
            .collect::<Option<Vec<f32>>>()?;
        if self.trees.is_multiple_of(TREES_PER_STAGE) {
            self.stages.push(Stage::default());
        }
        self.trees += 1;
        self.stages.last_mut()?.add(&nodes, &leaves)
    }
}

/// A step of the walk through a tree while it is read.
enum Step {
    /// Enter a node or a leaf.
    To(i16),
    /// Go from the smaller values of a node to the greater ones. The number is the index of the node's first leaf.
    Over(ParsedNode, usize),
    /// Leave a node. The numbers are the indices of its first leaf and of its first leaf for greater values.
    Away(ParsedNode, usize, usize),
}

impl Stage {
    /// Adds a tree.
    fn add(&mut self, nodes: &[ParsedNode], leaves: &[f32]) -> Option<()> {
        let first = self.blocks.len();
        let mut in_order = Vec::with_capacity(leaves.len());
        let mut visited = 0;
        let mut steps = vec![Step::To(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::To(to) => {
                    visited += 1;
                    if visited > MOST_NODES {
                        return None;
                    }
                    let at = usize::try_from(to).ok();
                    if let Some(node) = at.and_then(|at| nodes.get(at)) {
                        steps.push(Step::Over(*node, in_order.len()));
                        steps.push(Step::To(node.at_most));
                    } else {
                        let leaf = usize::from(to.unsigned_abs()).checked_sub(1);
                        let leaf = leaf.and_then(|leaf| leaves.get(leaf));
                        in_order.push(leaf.copied().unwrap_or(0.0));
                    }
                }
                Step::Over(node, start) => {
                    steps.push(Step::Away(node, start, in_order.len()));
                    steps.push(Step::To(node.above));
                }
                Step::Away(node, start, middle) => {
                    let at_most = start..middle;
                    let above = middle..in_order.len();
                    self.add_node(&node, first, at_most, above)?;
                }
            }
        }
        let count = in_order.len().div_ceil(LEAVES);
        for (number, some) in (1..).zip(in_order.chunks(LEAVES)) {
            let mut leaves = [0.0; LEAVES];
            for (slot, leaf) in leaves.iter_mut().zip(some) {
                *slot = *leaf;
            }
            let continues = number < count;
            self.blocks.push(LeafBlock { leaves, continues });
        }
        Some(())
    }

    /// Adds a node of the tree that begins with block `first`, given the leaves on both of its sides.
    fn add_node(
        &mut self,
        node: &ParsedNode,
        first: usize,
        at_most: Range<usize>,
        above: Range<usize>,
    ) -> Option<()> {
        for number in at_most.start / LEAVES..above.end.div_ceil(LEAVES) {
            let without = |range: &Range<usize>| !bits(range, number * LEAVES);
            self.nodes.push(Node {
                threshold: node.threshold,
                rank: rank(node.threshold),
                feature: node.feature,
                block: u16::try_from(first + number).ok()?,
                remaining: [without(&above), u32::MAX, without(&at_most)],
            });
        }
        Some(())
    }
}

/// Returns the mask of the leaves in a range, within the block whose first leaf is `block`.
fn bits(range: &Range<usize>, block: usize) -> u32 {
    let below = |leaf: usize| match leaf.saturating_sub(block) {
        bit if bit < LEAVES => (1 << bit) - 1,
        _ => u32::MAX,
    };
    below(range.end) & !below(range.start)
}

/// Maps a float to an integer with the same order.
fn rank(number: f32) -> i32 {
    // Adding zero turns a negative zero into a positive one.
    let bits = (number + 0.0).to_bits().cast_signed();
    // For negative floats the bits grow with the magnitude.
    bits ^ ((bits >> 31) & i32::MAX)
}

/// A node as the model file states it.
#[derive(Debug, Clone, Copy)]
struct ParsedNode {
    feature: u16,
    threshold: f32,
    /// Index of another node of the tree, or, if negative, of a leaf: -1 is the first leaf.
    at_most: i16,
    above: i16,
}

impl ParsedNode {
    fn parse(mut text: &str) -> Option<Self> {
        Some(Self {
            feature: take_number(&mut text)?,
            threshold: take_number(&mut text).filter(|it: &f32| !it.is_nan())?,
            at_most: take_number(&mut text)?,
            above: take_number(&mut text)?,
        })
    }
}

/// Takes the text before the first comma, or all of it. For texts this short a loop over bytes is fastest.
fn take_number<T: FromStr>(text: &mut &str) -> Option<T> {
    let end = text.bytes().position(|byte| byte == b',');
    let (number, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    *text = rest.strip_prefix(',').unwrap_or_default();
    number.parse().ok()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod bits_tests {
    use super::*;

    #[test]
    fn masks_match_leaf_ranges() {
        let plainly = |range: &Range<usize>, block: usize| {
            let is_in = |bit: &usize| range.contains(&(block + bit));
            (0..LEAVES)
                .filter(is_in)
                .fold(0u32, |bits, bit| bits | 1 << bit)
        };
        for start in 0..100 {
            for end in start..100 {
                for block in [0, LEAVES, 2 * LEAVES] {
                    let range = start..end;
                    assert_eq!(
                        bits(&range, block),
                        plainly(&range, block),
                        "{range:?} {block}"
                    );
                }
            }
        }
    }
}
