//! Scoring rows with a forest.

use super::{Column, Forest, LANES, LeafBlock, Node, Stage, rank};

/// Stop at a sum beyond this: hardly any doubt is remaining, about one in fifty.
const CERTAIN: f32 = 4.0;

/// Rows that one SIMD instruction processes together.
const SIMD_ROWS: usize = 8;

/// For each row, a mask of the remaining leaves of a block.
type Remaining = [u32; LANES];

/// Scores the segments of one page with a forest.
pub(crate) struct Scorer<'a> {
    forest: &'a Forest,
    /// Number of features that differ between rows. The features after them are the page's.
    width: usize,
    /// For each stage and block, the leaves that the page's own features leave.
    on_page: Vec<Vec<u32>>,
    /// One for each feature, over all rows.
    bounds: Vec<Bounds>,
    /// For each block of a stage, the leaves that any row may reach.
    common: Vec<u32>,
    /// The leaves that remain for each row, as far as rows differ.
    remaining: Vec<Remaining>,
    /// Indices of the nodes whose result differs between rows.
    open: Vec<u32>,
}

/// A row without a certain result yet.
struct Row {
    lane: usize,
    sum: f32,
}

impl<'a> Scorer<'a> {
    /// Prepares a forest for a page. `page` has the values of the features after the first `width`.
    pub(crate) fn new(forest: &'a Forest, width: usize, page: &[f32]) -> Self {
        let on_page = |stage: &Stage| {
            let mut remaining = vec![u32::MAX; stage.blocks.len()];
            for node in stage.split(width).1 {
                let at = usize::from(node.feature) - width;
                let value = page.get(at).copied().unwrap_or(0.0);
                if let Some(remaining) = remaining.get_mut(usize::from(node.block)) {
                    *remaining &= node.remaining_within(Bounds::one(value)).0;
                }
            }
            remaining
        };
        Self {
            forest,
            width,
            on_page: forest.stages.iter().map(on_page).collect(),
            bounds: Vec::with_capacity(width),
            common: Vec::new(),
            remaining: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Passes the probability of each row, from 0 to 1, to `take`. Scores at most [`LANES`] rows.
    pub(crate) fn probabilities(
        &mut self,
        columns: &[Column],
        rows: usize,
        mut take: impl FnMut(usize, f32),
    ) {
        let groups = rows.min(LANES).div_ceil(SIMD_ROWS);
        self.bounds.clear();
        let bounds = columns.iter().map(|column| Bounds::of(column, groups));
        self.bounds.extend(bounds);
        let mut rows: Vec<Row> = (0..rows.min(LANES)).map(Row::new).collect();
        let forest = self.forest;
        for (number, stage) in forest.stages.iter().enumerate() {
            self.evaluate(number, stage, columns, groups);
            // Most segments of a page are clear after a few trees, and the rest would not change the result.
            rows.retain_mut(|row| {
                row.add(&stage.blocks, &self.common, &self.remaining);
                let is_open = row.sum.abs() <= CERTAIN;
                if !is_open {
                    take(row.lane, row.probability());
                }
                is_open
            });
            if rows.is_empty() {
                break;
            }
        }
        for row in rows {
            take(row.lane, row.probability());
        }
    }

    /// Evaluates all nodes of a stage.
    fn evaluate(&mut self, number: usize, stage: &Stage, columns: &[Column], groups: usize) {
        self.common.clear();
        self.common
            .extend(self.on_page.get(number).into_iter().flatten());
        let nodes = stage.split(self.width).0;
        self.open.resize(nodes.len(), 0);
        let mut count = 0;
        for (node, at) in nodes.iter().zip(0..) {
            let bounds = self.bounds.get(usize::from(node.feature));
            let (remaining, is_open) = node.remaining_within(bounds.copied().unwrap_or_default());
            if let Some(common) = self.common.get_mut(usize::from(node.block)) {
                *common &= remaining;
            }
            // The next node overwrites the slot unless this one is open.
            if let Some(slot) = self.open.get_mut(count) {
                *slot = at;
            }
            count += usize::from(is_open);
        }
        self.remaining.clear();
        self.remaining.resize(stage.blocks.len(), [u32::MAX; LANES]);
        for at in self.open.iter().take(count) {
            let Some(node) = nodes.get(*at as usize) else {
                continue;
            };
            let block = usize::from(node.block);
            let rules_out = |common: &u32| common & !node.above() != 0;
            if self.common.get(block).is_some_and(rules_out)
                && let Some(column) = columns.get(usize::from(node.feature))
                && let Some(remaining) = self.remaining.get_mut(block)
            {
                node.evaluate(column, groups, remaining);
            }
        }
    }
}

impl Stage {
    /// Splits the nodes into those about rows and those about the page.
    fn split(&self, width: usize) -> (&[Node], &[Node]) {
        let is_of_row = |node: &Node| usize::from(node.feature) < width;
        let split = self.nodes.partition_point(is_of_row);
        self.nodes.split_at_checked(split).unwrap_or_default()
    }
}

impl Node {
    /// Returns the leaves that remain for values within these bounds, and true if the result differs between values.
    /// The lookup avoids a branch that no processor could predict.
    #[inline(always)]
    fn remaining_within(&self, bounds: Bounds) -> (u32, bool) {
        let is_any_above = bounds.highest > self.rank;
        let is_none_at_most = bounds.lowest > self.rank;
        let answers = usize::from(is_any_above) + usize::from(is_none_at_most);
        (
            self.remaining.get(answers).copied().unwrap_or(u32::MAX),
            answers == 1,
        )
    }

    /// Evaluates the node for all rows, without a branch, so that the compiler can vectorise the loop.
    fn evaluate(&self, column: &Column, groups: usize, remaining: &mut Remaining) {
        let above = self.above();
        let (column, _) = column.as_chunks::<SIMD_ROWS>();
        let (remaining, _) = remaining.as_chunks_mut::<SIMD_ROWS>();
        for (values, remaining) in column.iter().zip(remaining).take(groups) {
            for (value, remaining) in values.iter().zip(remaining) {
                let is_at_most = *value <= self.threshold;
                *remaining &= above | if is_at_most { u32::MAX } else { 0 };
            }
        }
    }
}

/// The [ranks](rank) of the lowest and the highest value of a feature.
#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    lowest: i32,
    highest: i32,
}

impl Bounds {
    /// Computes the bounds of the rows in a column.
    fn of(column: &Column, groups: usize) -> Self {
        // As many as fit into one SIMD register; they are compared with each other at the end.
        const TOGETHER: usize = SIMD_ROWS / 2;
        let mut lowest = [f32::INFINITY; TOGETHER];
        let mut highest = [f32::NEG_INFINITY; TOGETHER];
        let mut sum = [0.0f32; TOGETHER];
        let (column, _) = column.as_chunks::<TOGETHER>();
        for values in column.iter().take(groups * SIMD_ROWS / TOGETHER) {
            let lanes = lowest.iter_mut().zip(&mut highest).zip(&mut sum);
            for (((lowest, highest), sum), value) in lanes.zip(values) {
                *lowest = if value < lowest { *value } else { *lowest };
                *highest = if value > highest { *value } else { *highest };
                *sum += *value;
            }
        }
        let is_number = !sum.into_iter().sum::<f32>().is_nan();
        let highest = highest.into_iter().fold(f32::NEG_INFINITY, f32::max);
        Self {
            lowest: rank(lowest.into_iter().fold(f32::INFINITY, f32::min)),
            // NaN counts as greater than any number; the sum shows if there is one.
            highest: if is_number { rank(highest) } else { i32::MAX },
        }
    }

    fn one(value: f32) -> Self {
        let rank = if value.is_nan() {
            i32::MAX
        } else {
            rank(value)
        };
        Self {
            lowest: rank,
            highest: rank,
        }
    }
}

impl Row {
    fn new(lane: usize) -> Self {
        Self { lane, sum: 0.0 }
    }

    /// Adds the result of each tree: its first remaining leaf.
    fn add(&mut self, blocks: &[LeafBlock], common: &[u32], remaining: &[Remaining]) {
        let mut is_found = false;
        for (block, (common, remaining)) in blocks.iter().zip(common.iter().zip(remaining)) {
            let remaining = common & remaining.get(self.lane).copied().unwrap_or_default();
            if let Some(leaf) = block.leaves.get(remaining.trailing_zeros() as usize)
                && !is_found
            {
                self.sum += leaf;
                is_found = true;
            }
            is_found &= block.continues;
        }
    }

    fn probability(&self) -> f32 {
        1.0 / (1.0 + (-self.sum).exp())
    }
}
