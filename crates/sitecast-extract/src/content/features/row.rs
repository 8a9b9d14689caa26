//! Rows of feature values, and the names of the features.

use crate::content::forest::{Column, LANES};

/// Receives the values of features one after the other.
pub(in crate::content) trait Row {
    fn put(&mut self, name: &str, value: f32);

    /// Writes one of several features with the same prefix.
    fn put_of(&mut self, prefix: &str, name: &str, value: f32);
}

/// Writes one row into a lane of the columns.
pub(in crate::content) struct Lane<'a> {
    columns: &'a mut Vec<Column>,
    lane: usize,
    next: usize,
}

impl<'a> Lane<'a> {
    pub(in crate::content) fn of(columns: &'a mut Vec<Column>, lane: usize) -> Self {
        Self {
            columns,
            lane: lane % LANES,
            next: 0,
        }
    }

    /// Separate and cold, since only the first row adds columns.
    #[cold]
    #[inline(never)]
    fn add_column(&mut self, value: f32) {
        self.columns.push([value; LANES]);
    }
}

impl Row for Lane<'_> {
    #[inline(always)]
    fn put(&mut self, _: &str, value: f32) {
        match self.columns.get_mut(self.next) {
            Some(column) => {
                if let Some(slot) = column.get_mut(self.lane % LANES) {
                    *slot = value;
                }
            }
            None => self.add_column(value),
        }
        self.next += 1;
    }

    #[inline(always)]
    fn put_of(&mut self, _: &str, name: &str, value: f32) {
        self.put(name, value);
    }
}

/// Collects values without names.
impl Row for Vec<f32> {
    fn put(&mut self, _: &str, value: f32) {
        self.push(value);
    }

    fn put_of(&mut self, _: &str, _: &str, value: f32) {
        self.push(value);
    }
}

/// Collects names without values.
impl Row for Vec<String> {
    fn put(&mut self, name: &str, _: f32) {
        self.push(name.to_owned());
    }

    fn put_of(&mut self, prefix: &str, name: &str, _: f32) {
        self.push(format!("{prefix}_{}", name.to_lowercase()));
    }
}

pub(super) fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}
