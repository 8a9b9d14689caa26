//! Asking the trees.

use super::{Branch, Column, Forest, LANES, Question, Stage, rank};

/// A sum beyond which there is hardly any doubt left: one in fifty.
const CERTAIN: f32 = 4.0;

/// Rows that the processor takes together.
const ABREAST: usize = 8;

/// For each row a bit for each leaf of a branch that is left.
type Left = [u32; LANES];

/// A forest that is asked about the segments of a page.
pub(crate) struct Asking<'a> {
    forest: &'a Forest,
    /// How many of the features are those of rows. The others are of the page.
    width: usize,
    /// For each stage and each of its branches the leaves that the page leaves.
    on_page: Vec<Vec<u32>>,
    /// Of each feature, over all rows.
    bounds: Vec<Bounds>,
    /// For each branch of a stage the leaves that some row may come to.
    common: Vec<u32>,
    /// The leaves that are left for each row, as far as rows differ.
    left: Vec<Left>,
    /// Questions about which they do.
    open: Vec<u32>,
}

/// A row that is still in doubt.
struct Row {
    lane: usize,
    sum: f32,
}

impl<'a> Asking<'a> {
    /// What is known of the page is described by the features after the first `width`.
    pub(crate) fn new(forest: &'a Forest, width: usize, page: &[f32]) -> Self {
        let on_page = |stage: &Stage| {
            let mut left = vec![u32::MAX; stage.branches.len()];
            for question in stage.split(width).1 {
                let at = usize::from(question.feature) - width;
                let value = page.get(at).copied().unwrap_or(0.0);
                if let Some(left) = left.get_mut(usize::from(question.branch)) {
                    *left &= question.left_within(Bounds::one(value)).0;
                }
            }
            left
        };
        Self {
            forest,
            width,
            on_page: forest.stages.iter().map(on_page).collect(),
            bounds: Vec::with_capacity(width),
            common: Vec::new(),
            left: Vec::new(),
            open: Vec::new(),
        }
    }

    /// How likely what each of these rows describes is content, from 0 to 1. There are not more than [`LANES`].
    pub(crate) fn probabilities(
        &mut self,
        columns: &[Column],
        rows: usize,
        mut take: impl FnMut(usize, f32),
    ) {
        let groups = rows.min(LANES).div_ceil(ABREAST);
        self.bounds.clear();
        let bounds = columns.iter().map(|column| Bounds::of(column, groups));
        self.bounds.extend(bounds);
        let mut rows: Vec<Row> = (0..rows.min(LANES)).map(Row::new).collect();
        let forest = self.forest;
        for (number, stage) in forest.stages.iter().enumerate() {
            self.ask(number, stage, columns, groups);
            // Most of a page is plainly the one or the other: the rest of the trees would not
            // change that.
            rows.retain_mut(|row| {
                row.add(&stage.branches, &self.common, &self.left);
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

    /// Asks all questions of a stage.
    fn ask(&mut self, number: usize, stage: &Stage, columns: &[Column], groups: usize) {
        self.common.clear();
        self.common
            .extend(self.on_page.get(number).into_iter().flatten());
        let questions = stage.split(self.width).0;
        self.open.resize(questions.len(), 0);
        let mut count = 0;
        for (question, at) in questions.iter().zip(0..) {
            let bounds = self.bounds.get(usize::from(question.feature));
            let (left, is_open) = question.left_within(bounds.copied().unwrap_or_default());
            if let Some(common) = self.common.get_mut(usize::from(question.branch)) {
                *common &= left;
            }
            // The next one overwrites it unless it is open.
            if let Some(slot) = self.open.get_mut(count) {
                *slot = at;
            }
            count += usize::from(is_open);
        }
        self.left.clear();
        self.left.resize(stage.branches.len(), [u32::MAX; LANES]);
        for at in self.open.iter().take(count) {
            let Some(question) = questions.get(*at as usize) else {
                continue;
            };
            let branch = usize::from(question.branch);
            let rules_out = |common: &u32| common & !question.above() != 0;
            if self.common.get(branch).is_some_and(rules_out)
                && let Some(column) = columns.get(usize::from(question.feature))
                && let Some(left) = self.left.get_mut(branch)
            {
                question.ask(column, groups, left);
            }
        }
    }
}

impl Stage {
    /// The questions about rows and those about the page.
    fn split(&self, width: usize) -> (&[Question], &[Question]) {
        let is_of_row = |question: &Question| usize::from(question.feature) < width;
        let split = self.questions.partition_point(is_of_row);
        self.questions.split_at_checked(split).unwrap_or_default()
    }
}

impl Question {
    /// The leaves that are left where all values are within these bounds, and whether their answers may differ.
    /// They are looked up: nobody could guess which way a branch goes.
    #[inline(always)]
    fn left_within(&self, bounds: Bounds) -> (u32, bool) {
        let is_any_above = bounds.highest > self.rank;
        let is_none_at_most = bounds.lowest > self.rank;
        let answers = usize::from(is_any_above) + usize::from(is_none_at_most);
        (
            self.left.get(answers).copied().unwrap_or(u32::MAX),
            answers == 1,
        )
    }

    /// Asks about all rows. There is no branch in it, so that the processor can answer for several at once.
    fn ask(&self, column: &Column, groups: usize, left: &mut Left) {
        let above = self.above();
        let (column, _) = column.as_chunks::<ABREAST>();
        let (left, _) = left.as_chunks_mut::<ABREAST>();
        for (values, left) in column.iter().zip(left).take(groups) {
            for (value, left) in values.iter().zip(left) {
                let is_at_most = *value <= self.threshold;
                *left &= above | if is_at_most { u32::MAX } else { 0 };
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
    /// Those of a column, as far as there are rows in it.
    fn of(column: &Column, groups: usize) -> Self {
        // As many as fit into one of the processor's registers: in the end they are compared with each other.
        const TOGETHER: usize = ABREAST / 2;
        let mut lowest = [f32::INFINITY; TOGETHER];
        let mut highest = [f32::NEG_INFINITY; TOGETHER];
        let mut sum = [0.0f32; TOGETHER];
        let (column, _) = column.as_chunks::<TOGETHER>();
        for values in column.iter().take(groups * ABREAST / TOGETHER) {
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
            // What is no number is above all, and the sum is none either then.
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

    /// Adds what each tree says: the first leaf that is left.
    fn add(&mut self, branches: &[Branch], common: &[u32], left: &[Left]) {
        let mut is_found = false;
        for (branch, (common, left)) in branches.iter().zip(common.iter().zip(left)) {
            let left = common & left.get(self.lane).copied().unwrap_or_default();
            if let Some(leaf) = branch.leaves.get(left.trailing_zeros() as usize)
                && !is_found
            {
                self.sum += leaf;
                is_found = true;
            }
            is_found &= branch.goes_on;
        }
    }

    fn probability(&self) -> f32 {
        1.0 / (1.0 + (-self.sum).exp())
    }
}
