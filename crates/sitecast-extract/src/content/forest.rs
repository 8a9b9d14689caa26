//! Decision trees, as they were learnt.
//!
//! They are not walked from the root to a leaf. What is above the threshold of a question cannot come to the leaves
//! for what is at most that, and the first leaf that no question rules out so is the one at which a walk would end
//! (Lucchese et al., "QuickScorer"). So questions can be asked in any order, each of many rows at the same time and
//! without a branch. Most have the same answer for all of the rows, and many are about what others have ruled out.

mod asking;

use std::ops::Range;
use std::str::FromStr;

pub(crate) use asking::Asking;

/// How many trees are asked before looking at what they say.
const TREES_AT_ONCE: usize = 15;

/// No tree has more nodes than this. One that was written wrongly could have a circle.
const MOST_NODES: usize = 4_096;

/// How many rows are asked at the same time. All of a page would be a hundred times the page.
pub(crate) const LANES: usize = 32;

/// What one feature is for each of the rows.
pub(crate) type Column = [f32; LANES];

/// Many small decision trees whose answers are added up.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    stages: Vec<Stage>,
    /// How many there are.
    trees: usize,
}

/// Some trees that are asked together.
#[derive(Debug, Default)]
struct Stage {
    /// By feature.
    questions: Vec<Question>,
    branches: Vec<Branch>,
}

/// Is this feature at most that much? Either answer rules out leaves.
#[derive(Debug, Clone, Copy)]
struct Question {
    threshold: f32,
    /// That of the threshold.
    rank: i32,
    feature: u16,
    /// Where in the stage the leaves are.
    branch: u16,
    /// A bit for each of the leaves that are left: if it is; if it is for some rows and for others not, so that none
    /// is ruled out; and if it is not. What the first of them rules out would not be reached anyway, since of the
    /// leaves that are left the first counts; but questions on the way there need not be asked then.
    left: [u32; 3],
}

impl Question {
    /// The leaves that are left for what is above the threshold.
    fn above(&self) -> u32 {
        let [_, _, above] = self.left;
        above
    }
}

const LEAVES: usize = u32::BITS as usize;

/// Leaves beside each other, all of a tree or some. Beyond the last one they are never reached.
#[derive(Debug)]
struct Branch {
    leaves: [f32; LEAVES],
    /// Whether the tree goes on in the next one.
    goes_on: bool,
}

impl Forest {
    /// Reads the format that `training/train.py` writes: a line for each tree, with questions as
    /// `feature,threshold,at most,above`, a `|`, and the leaves. Else says which line is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, usize> {
        let mut forest = Self::default();
        for (number, line) in (1usize..).zip(text.lines()) {
            if !line.starts_with('#') {
                forest.add_tree(line).ok_or(number)?;
            }
        }
        for stage in &mut forest.stages {
            stage.questions.sort_by_key(|question| question.feature);
        }
        Ok(forest)
    }

    fn add_tree(&mut self, line: &str) -> Option<()> {
        let (questions, leaves) = line.split_once('|')?;
        let questions = questions
            .split_ascii_whitespace()
            .map(Written::parse)
            .collect::<Option<Vec<_>>>()?;
        let leaves = leaves
            .split_ascii_whitespace()
            .map(|leaf| leaf.parse().ok())
            .collect::<Option<Vec<f32>>>()?;
        if self.trees.is_multiple_of(TREES_AT_ONCE) {
            self.stages.push(Stage::default());
        }
        self.trees += 1;
        self.stages.last_mut()?.add(&questions, &leaves)
    }
}

/// A step of the way through a tree.
enum Step {
    /// To a question or a leaf.
    To(i16),
    /// From what is at most the threshold of a question to what is above. The leaves of the one begin here.
    Over(Written, usize),
    /// Away from a question, whose leaves begin with the one and change sides at the other.
    Away(Written, usize, usize),
}

impl Stage {
    /// Adds a tree.
    fn add(&mut self, questions: &[Written], leaves: &[f32]) -> Option<()> {
        let first = self.branches.len();
        let mut in_order = Vec::with_capacity(leaves.len());
        let mut nodes = 0;
        let mut steps = vec![Step::To(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::To(to) => {
                    nodes += 1;
                    if nodes > MOST_NODES {
                        return None;
                    }
                    let at = usize::try_from(to).ok();
                    if let Some(question) = at.and_then(|at| questions.get(at)) {
                        steps.push(Step::Over(*question, in_order.len()));
                        steps.push(Step::To(question.at_most));
                    } else {
                        let leaf = usize::from(to.unsigned_abs()).checked_sub(1);
                        let leaf = leaf.and_then(|leaf| leaves.get(leaf));
                        in_order.push(leaf.copied().unwrap_or(0.0));
                    }
                }
                Step::Over(question, start) => {
                    steps.push(Step::Away(question, start, in_order.len()));
                    steps.push(Step::To(question.above));
                }
                Step::Away(question, start, middle) => {
                    let at_most = start..middle;
                    let above = middle..in_order.len();
                    self.ask(&question, first, at_most, above)?;
                }
            }
        }
        let count = in_order.len().div_ceil(LEAVES);
        for (number, some) in (1..).zip(in_order.chunks(LEAVES)) {
            let mut leaves = [0.0; LEAVES];
            for (slot, leaf) in leaves.iter_mut().zip(some) {
                *slot = *leaf;
            }
            let goes_on = number < count;
            self.branches.push(Branch { leaves, goes_on });
        }
        Some(())
    }

    /// Adds a question of the tree that begins with a branch, given the leaves to which the answers lead.
    fn ask(
        &mut self,
        question: &Written,
        first: usize,
        at_most: Range<usize>,
        above: Range<usize>,
    ) -> Option<()> {
        for number in at_most.start / LEAVES..above.end.div_ceil(LEAVES) {
            let without = |range: &Range<usize>| !bits(range, number * LEAVES);
            self.questions.push(Question {
                threshold: question.threshold,
                rank: rank(question.threshold),
                feature: question.feature,
                branch: u16::try_from(first + number).ok()?,
                left: [without(&above), u32::MAX, without(&at_most)],
            });
        }
        Some(())
    }
}

/// A bit for each of the leaves in a range, as far as they are in the branch whose leaves begin there.
fn bits(range: &Range<usize>, branch: usize) -> u32 {
    let below = |leaf: usize| match leaf.saturating_sub(branch) {
        bit if bit < LEAVES => (1 << bit) - 1,
        _ => u32::MAX,
    };
    below(range.end) & !below(range.start)
}

/// A whole number for each number, in the same order.
fn rank(number: f32) -> i32 {
    // There are two zeros, and the sum of both is this one.
    let bits = (number + 0.0).to_bits().cast_signed();
    // Of numbers below zero the bits grow with the size.
    bits ^ ((bits >> 31) & i32::MAX)
}

/// A question as it is written.
#[derive(Debug, Clone, Copy)]
struct Written {
    feature: u16,
    threshold: f32,
    /// Another question of the tree, or, where negative, a leaf: -1 is the first.
    at_most: i16,
    above: i16,
}

impl Written {
    fn parse(mut text: &str) -> Option<Self> {
        Some(Self {
            feature: take_number(&mut text)?,
            threshold: take_number(&mut text).filter(|it: &f32| !it.is_nan())?,
            at_most: take_number(&mut text)?,
            above: take_number(&mut text)?,
        })
    }
}

/// Takes what is before the first comma, or all. For pieces so short a plain look at each byte is the fastest.
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
    fn leaves_of_a_branch_are_bits() {
        let plainly = |range: &Range<usize>, branch: usize| {
            let is_in = |bit: &usize| range.contains(&(branch + bit));
            (0..LEAVES)
                .filter(is_in)
                .fold(0u32, |bits, bit| bits | 1 << bit)
        };
        for start in 0..100 {
            for end in start..100 {
                for branch in [0, LEAVES, 2 * LEAVES] {
                    let range = start..end;
                    assert_eq!(
                        bits(&range, branch),
                        plainly(&range, branch),
                        "{range:?} {branch}"
                    );
                }
            }
        }
    }
}
