//! Decision trees, as they were learnt.

/// How many trees are asked before looking at what they say.
const TREES_AT_ONCE: usize = 15;
/// A sum beyond which there is hardly any doubt left: one in fifty.
const CERTAIN: f32 = 4.0;

/// How many rows go through a tree at the same time, a question of each in turn: the processor waits for the answer
/// to one while it works on the others.
const ROWS_ABREAST: usize = 8;
/// No tree has more nodes than this. One that was written wrongly could have a circle.
const MOST_NODES: usize = 4_096;

/// Many small decision trees whose answers are added up.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    /// What each node says, if it is a leaf.
    leaves: Vec<f32>,
    trees: Vec<Tree>,
}

#[derive(Debug, Clone, Copy)]
struct Tree {
    root: u16,
    /// How many questions it takes to come to a leaf, at most.
    depth: u32,
}

/// A question: is this feature at most that much?
#[derive(Debug, Clone, Copy)]
struct Node {
    threshold: f32,
    feature: u16,
    /// Where to go if it is not; if it is, to the node after that.
    above: u16,
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
        Ok(forest)
    }

    fn add_tree(&mut self, line: &str) -> Option<()> {
        let (questions, leaves) = line.split_once('|')?;
        let questions = questions
            .split_ascii_whitespace()
            .map(Question::parse)
            .collect::<Option<Vec<_>>>()?;
        let leaves = leaves
            .split_ascii_whitespace()
            .map(|leaf| leaf.parse().ok())
            .collect::<Option<Vec<f32>>>()?;
        self.add(&questions, &leaves)
    }

    /// Adds a tree, level by level, with the two answers to a question beside each other.
    fn add(&mut self, questions: &[Question], leaves: &[f32]) -> Option<()> {
        let root = self.nodes.len();
        let mut depth = 0;
        let mut level: Vec<i16> = vec![0];
        while !level.is_empty() {
            let mut next = Vec::new();
            let below = self.nodes.len() + level.len();
            for to in level {
                let here = self.nodes.len();
                let question = usize::try_from(to).ok().and_then(|at| questions.get(at));
                let (node, leaf) = match question {
                    Some(question) => {
                        let above = u16::try_from(below + next.len()).ok()?;
                        next.extend([question.above, question.at_most]);
                        let node = Node {
                            threshold: question.threshold,
                            feature: question.feature,
                            above,
                        };
                        (node, None)
                    }
                    None => {
                        // A leaf leads to itself: nothing is at most what is no number.
                        let node = Node {
                            threshold: f32::NAN,
                            feature: 0,
                            above: u16::try_from(here).ok()?,
                        };
                        let leaf = usize::from(to.unsigned_abs()).checked_sub(1);
                        (node, leaf.and_then(|leaf| leaves.get(leaf)))
                    }
                };
                self.nodes.push(node);
                self.leaves.push(leaf.copied().unwrap_or(0.0));
            }
            if self.nodes.len() - root > MOST_NODES {
                return None;
            }
            depth += u32::from(!next.is_empty());
            level = next;
        }
        self.trees.push(Tree {
            root: u16::try_from(root).ok()?,
            depth,
        });
        Some(())
    }

    /// How likely what each of these rows describes is content, from 0 to 1. A row is `width` numbers.
    ///
    /// All rows go through a tree before the next one is begun: a tree is a few lines of the processor's cache, the
    /// forest is more than all of it.
    pub(crate) fn probabilities(
        &self,
        rows: &[f32],
        width: usize,
        mut take: impl FnMut(usize, f32),
    ) {
        let mut sums = vec![0.0; rows.len() / width.max(1)];
        // Those about which there is still doubt.
        let mut open: Vec<usize> = (0..sums.len()).collect();
        for trees in self.trees.chunks(TREES_AT_ONCE) {
            for tree in trees {
                for abreast in open.chunks(ROWS_ABREAST) {
                    self.add_up(tree, rows, width, abreast, &mut sums);
                }
            }
            // Most of a page is plainly the one or the other: the rest of the trees would not
            // change that.
            open.retain(|row| sums.get(*row).is_some_and(|sum| sum.abs() <= CERTAIN));
        }
        for (row, sum) in sums.into_iter().enumerate() {
            take(row, 1.0 / (1.0 + (-sum).exp()));
        }
    }

    /// Adds to the sums of some rows what a tree says.
    fn add_up(&self, tree: &Tree, rows: &[f32], width: usize, abreast: &[usize], sums: &mut [f32]) {
        let mut places = [tree.root; ROWS_ABREAST];
        let mut values: [&[f32]; ROWS_ABREAST] = [&[]; ROWS_ABREAST];
        for (values, row) in values.iter_mut().zip(abreast) {
            let start = row * width;
            *values = rows.get(start..start + width).unwrap_or_default();
        }
        for _ in 0..tree.depth {
            for (place, values) in places.iter_mut().zip(values) {
                if let Some(node) = self.nodes.get(usize::from(*place)) {
                    let value = values.get(usize::from(node.feature)).copied();
                    let is_at_most = value.unwrap_or(0.0) <= node.threshold;
                    *place = node.above.wrapping_add(u16::from(is_at_most));
                }
            }
        }
        for (place, row) in places.iter().zip(abreast) {
            if let (Some(sum), Some(leaf)) =
                (sums.get_mut(*row), self.leaves.get(usize::from(*place)))
            {
                *sum += leaf;
            }
        }
    }
}

/// A question as it is written.
struct Question {
    feature: u16,
    threshold: f32,
    /// Another question of the tree, or, where negative, a leaf: -1 is the first.
    at_most: i16,
    above: i16,
}

impl Question {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(',');
        Some(Self {
            feature: parts.next()?.parse().ok()?,
            threshold: parts.next()?.parse().ok()?,
            at_most: parts.next()?.parse().ok()?,
            above: parts.next()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_added_up() {
        let forest = Forest::parse("# two trees\n0,1.5,-1,1 1,0,-2,-3|-1 2 4\n|0.5\n").unwrap();
        let of = |row: &[f32]| {
            let mut found = Vec::new();
            let rows = [row, row, row].concat();
            forest.probabilities(&rows, row.len(), |_, probability| found.push(probability));
            assert!(found.iter().all(|one| *one == found[0]));
            found.first().copied()
        };
        let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
        // A tree without a question is its only leaf: node 0 is not there, so it says nothing.
        assert_eq!(of(&[1.0, 0.0]), Some(logistic(-1.0)));
        assert_eq!(of(&[2.0, 0.0]), Some(logistic(2.0)));
        assert_eq!(of(&[2.0, 0.1]), Some(logistic(4.0)));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[2.0]), Some(logistic(2.0)));
        assert_eq!(of(&[f32::NAN, f32::NAN]), Some(logistic(4.0)));
    }

    #[test]
    fn what_is_no_forest_is_refused() {
        for text in [
            "1,2,3",
            "x,1,1,1|1",
            "0,1,-1|1 2",
            "0,1,-1,-2|x",
            "0,1,0,-1|1",
        ] {
            assert_eq!(Forest::parse(text).err(), Some(1), "{text}");
        }
    }
}
