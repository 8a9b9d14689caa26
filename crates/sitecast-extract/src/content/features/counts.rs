//! Counters for repeated values.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

/// Counts equal values, and remembers the value at each place.
#[derive(Debug)]
pub(super) struct Counts<T> {
    /// The index of each value in `counts`.
    numbers: HashMap<T, usize>,
    counts: Vec<f32>,
    /// The index of the value that was added at each place.
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

    /// Returns the count of the value that was added at a place.
    pub(super) fn of(&self, at: usize) -> Option<f32> {
        self.counts.get(*self.order.get(at)?).copied()
    }
}
