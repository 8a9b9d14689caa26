//! The stack of open containers.

/// The containers that are open at a position in a line. Each takes one bit, so that even a line of nothing but
/// brackets needs only an eighth of its length.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    objects: Vec<u64>,
    depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
}

impl Nesting {
    pub(super) fn clear(&mut self) {
        self.depth = 0;
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn push(&mut self, container: Container) {
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if word == self.objects.len() {
            self.objects.push(0);
        }
        if let Some(word) = self.objects.get_mut(word) {
            match container {
                Container::Object => *word |= bit,
                Container::Array => *word &= !bit,
            }
        }
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The innermost container.
    pub(super) fn last(&self) -> Option<Container> {
        let at = self.depth.checked_sub(1)?;
        let is_object = self.objects.get(at / 64)? & (1 << (at % 64)) != 0;
        Some(if is_object {
            Container::Object
        } else {
            Container::Array
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_as_a_stack(steps in prop::collection::vec(0u8..3, 0..400)) {
            let (mut nesting, mut stack) = (Nesting::default(), Vec::new());
            for step in steps {
                match step {
                    0 => drop(stack.pop().map(|_| nesting.pop())),
                    step => {
                        let container = if step == 1 { Container::Object } else { Container::Array };
                        stack.push(container);
                        nesting.push(container);
                    }
                }
                prop_assert_eq!((nesting.last(), nesting.depth()), (stack.last().copied(), stack.len()));
            }
        }
    }
}
