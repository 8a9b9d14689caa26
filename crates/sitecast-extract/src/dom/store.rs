//! The text of a page: text nodes and attribute values.
//!
//! All of it is in one string, and nodes hold ranges of it. So building and dropping a tree takes a handful of allocations,
//! however many nodes it has.

use super::attribute::{Attribute, Name};

/// A range of the text, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) length: u32,
}

impl Span {
    pub(super) fn end(self) -> usize {
        self.start as usize + self.length as usize
    }
}

/// Longer texts, in bytes, are not copied to extend them: a page could force that copy again and again.
const MAX_COPIED_BYTES: u32 = 1024;

/// The text and the attributes of all nodes.
#[derive(Debug, Default)]
pub(super) struct Store {
    text: String,
    attributes: Vec<Attribute>,
}

/// A state of a store to which [`Store::forget`] returns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    text: usize,
    attributes: usize,
}

impl Store {
    pub(super) fn with_capacity(text: usize, attributes: usize) -> Self {
        Self {
            text: String::with_capacity(text),
            attributes: Vec::with_capacity(attributes),
        }
    }

    #[inline]
    pub(super) fn text(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end())
            .unwrap_or_default()
    }

    pub(super) fn attributes(&self, first: u32, count: u8) -> &[Attribute] {
        let first = first as usize;
        self.attributes
            .get(first..first + usize::from(count))
            .unwrap_or_default()
    }

    pub(super) fn all_attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Returns the attributes added since `mark`.
    pub(super) fn attributes_since(&self, mark: Mark) -> &[Attribute] {
        self.attributes.get(mark.attributes..).unwrap_or_default()
    }

    /// Returns the index of the first attribute added since `mark`.
    pub(super) fn first_since(mark: Mark) -> u32 {
        u32::try_from(mark.attributes).unwrap_or(u32::MAX)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            text: self.text.len(),
            attributes: self.attributes.len(),
        }
    }

    /// Removes everything that was added since `mark`.
    pub(super) fn forget(&mut self, mark: Mark) {
        self.text.truncate(mark.text);
        self.attributes.truncate(mark.attributes);
    }

    /// Adds a text. A text beyond 4 GiB is empty; pages are shorter.
    pub(super) fn add(&mut self, text: &str) -> Span {
        let start = u32::try_from(self.text.len());
        let length = u32::try_from(text.len());
        let (Ok(start), Ok(length)) = (start, length) else {
            return Span::default();
        };
        self.text.push_str(text);
        Span { start, length }
    }

    /// Adds the text that `write` appends.
    pub(super) fn add_with(&mut self, write: impl FnOnce(&mut String)) -> Span {
        let start = self.text.len();
        write(&mut self.text);
        let length = u32::try_from(self.text.len() - start);
        match (u32::try_from(start), length) {
            (Ok(start), Ok(length)) => Span { start, length },
            _ => Span::default(),
        }
    }

    /// Extends a text: in place if it is the last one, by copying if it is short; `None` otherwise.
    pub(super) fn extend(&mut self, span: Span, text: &str) -> Option<Span> {
        if span.end() != self.text.len() {
            if span.length > MAX_COPIED_BYTES {
                return None;
            }
            let longer = [self.text(span), text].concat();
            return Some(self.add(&longer));
        }
        let length = u32::try_from(text.len()).ok()?;
        let length = span.length.checked_add(length)?;
        self.text.push_str(text);
        Some(Span { length, ..span })
    }

    /// Adds the name of an element. Its attributes must be added next.
    pub(super) fn add_name(&mut self, name: &str) {
        let span = self.add(name);
        self.add_attribute(Name::NONE, span);
    }

    /// Returns the name that [`Self::add_name`] put before the attributes of an element.
    pub(super) fn name_before(&self, first: u32) -> &str {
        let name = first.checked_sub(1);
        let name = name.and_then(|at| self.attributes.get(at as usize));
        name.map_or("", |name| self.text(name.value))
    }

    pub(super) fn add_attributes(&mut self, attributes: &[Attribute]) {
        self.attributes.extend_from_slice(attributes);
    }

    pub(super) fn add_attribute(&mut self, name: Name, value: Span) {
        self.attributes.push(Attribute::new(name, value));
    }
}
