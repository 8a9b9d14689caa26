//! Text normalisation as in the benchmark.

use std::collections::HashMap;

/// Returns lower-case runs of letters, digits and underscores, like Python's `\w+`.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the words of a text, joined by single spaces.
pub fn normal(text: &str) -> String {
    words(text).join(" ")
}

/// Precision, recall and F1 of words or other countable values.
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

/// The mean of several scores.
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

/// Precision and recall of runs of four words, as in collections of news articles. Each page has the same weight,
/// whatever its length.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shingles {
    shared: f64,
    surplus: f64,
    missing: f64,
}

impl Shingles {
    pub fn add(&mut self, found: &[String], wanted: &[String]) {
        let (found, wanted) = (counts(found), counts(wanted));
        let (mut shared, mut surplus, mut missing) = (0, 0, 0);
        for (shingle, count) in &found {
            let other = wanted.get(shingle).copied().unwrap_or_default();
            shared += other.min(*count);
            surplus += count - other.min(*count);
        }
        for (shingle, count) in &wanted {
            missing += count - found.get(shingle).copied().unwrap_or_default().min(*count);
        }
        let all = f64::from(shared + surplus + missing).max(1.0);
        self.shared += f64::from(shared) / all;
        self.surplus += f64::from(surplus) / all;
        self.missing += f64::from(missing) / all;
    }

    pub fn get(&self) -> Score {
        let precision = self.shared / (self.shared + self.surplus);
        let recall = self.shared / (self.shared + self.missing);
        Score {
            precision,
            recall,
            f1: 2.0 * precision * recall / (precision + recall),
        }
    }
}

/// Counts every run of four words in a text. A shorter text is one run.
fn counts(words: &[String]) -> HashMap<&[String], u32> {
    let mut counts = HashMap::new();
    if !words.is_empty() {
        for shingle in words.windows(words.len().min(4)) {
            *counts.entry(shingle).or_default() += 1;
        }
    }
    counts
}
