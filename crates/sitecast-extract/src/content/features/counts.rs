//! How often things occur.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

/// How often each of some things occurs.
#[derive(Debug)]
pub(super) struct Counts<T> {
    /// The number of each of them.
    numbers: HashMap<T, usize>,
    counts: Vec<f32>,
    /// Which of them came when.
    order: Vec<usize>,
}

impl<T: Hash + Eq> Counts<T> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            numbers: HashMap::with_capacity(capacity),
            counts: Vec::new(),
            order: Vec::with_capacity(capacity),
        }
    }

    pub(super) fn add(&mut self, thing: T) {
        let next = self.counts.len();
        let number = *self.numbers.entry(thing).or_insert(next);
        if number == next {
            self.counts.push(0.0);
        }
        if let Some(count) = self.counts.get_mut(number) {
            *count += 1.0;
        }
        self.order.push(number);
    }

    /// How often the one occurs that was added at that place.
    pub(super) fn of(&self, at: usize) -> Option<f32> {
        self.counts.get(*self.order.get(at)?).copied()
    }
}
