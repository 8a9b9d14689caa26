//! Rows of numbers, and what each of them is called.

use crate::content::forest::{Column, LANES};

/// What is told the numbers that describe something, one after the other.
pub(in crate::content) trait Row {
    fn put(&mut self, name: &str, value: f32);

    /// The same for one of several that are named alike.
    fn put_of(&mut self, prefix: &str, name: &str, value: f32);
}

/// Writes one row.
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

    /// Apart, since the first row tells how many columns there are.
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

/// Numbers alone.
impl Row for Vec<f32> {
    fn put(&mut self, _: &str, value: f32) {
        self.push(value);
    }

    fn put_of(&mut self, _: &str, _: &str, value: f32) {
        self.push(value);
    }
}

/// Names alone.
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
