//! A row of numbers, and what each of them is called.

/// Writes one row.
pub(super) struct Row<'a> {
    pub(super) values: &'a mut Vec<f32>,
    pub(super) names: Option<&'a mut Vec<String>>,
}

impl<'v> Row<'v> {
    /// One whose names nobody wants to know.
    pub(super) fn of(values: &'v mut Vec<f32>) -> Self {
        Self {
            values,
            names: None,
        }
    }

    #[inline(always)]
    pub(super) fn put(&mut self, name: &str, value: f32) {
        self.values.push(value);
        if self.names.is_some() {
            self.name(name.to_owned());
        }
    }

    #[inline(always)]
    pub(super) fn put_of(&mut self, prefix: &str, name: &str, value: f32) {
        self.values.push(value);
        if self.names.is_some() {
            self.name(format!("{prefix}_{}", name.to_lowercase()));
        }
    }

    /// Apart, since only training asks for names.
    #[cold]
    #[inline(never)]
    fn name(&mut self, name: String) {
        if let Some(names) = &mut self.names {
            names.push(name);
        }
    }
}

pub(super) fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}
