//! Texts as the benchmark compares them.

use std::collections::HashMap;

/// Lower-cased runs of letters, digits and underscores, as Python's `\w+` finds them.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of a text, single spaces between them.
pub fn normal(text: &str) -> String {
    words(text).join(" ")
}

/// Precision, recall and F1 of words, or of anything else that can be counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Score {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

impl Score {
    pub fn of<T: std::hash::Hash + Eq>(found: &[T], wanted: &[T]) -> Self {
        if found.is_empty() || wanted.is_empty() {
            let both = f64::from(u8::from(found.is_empty() && wanted.is_empty()));
            return Self {
                precision: both,
                recall: both,
                f1: both,
            };
        }
        let mut counts: HashMap<&T, i64> = HashMap::new();
        for item in wanted {
            *counts.entry(item).or_default() += 1;
        }
        let mut shared = 0.0;
        for item in found {
            if let Some(count) = counts.get_mut(item)
                && *count > 0
            {
                *count -= 1;
                shared += 1.0;
            }
        }
        let (precision, recall) = (shared / found.len() as f64, shared / wanted.len() as f64);
        let f1 = if shared > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        };
        Self {
            precision,
            recall,
            f1,
        }
    }
}

/// The mean of scores.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean {
    sum: Score,
    pub count: usize,
}

impl Mean {
    pub fn add(&mut self, score: Score) {
        self.sum.precision += score.precision;
        self.sum.recall += score.recall;
        self.sum.f1 += score.f1;
        self.count += 1;
    }

    pub fn get(&self) -> Score {
        let count = self.count.max(1) as f64;
        Score {
            precision: self.sum.precision / count,
            recall: self.sum.recall / count,
            f1: self.sum.f1 / count,
        }
    }
}
