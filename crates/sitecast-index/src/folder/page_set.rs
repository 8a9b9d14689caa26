//! A set of page numbers, for the pages that a merge has named.

/// A bit set of page numbers. The numbers of a site are dense, so the set takes about one bit for each page
/// that the site ever had.
#[derive(Debug, Default)]
pub(super) struct PageSet {
    words: Vec<u64>,
}

impl PageSet {
    /// Adds `number`, and returns true if it was not in the set.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let (word, bit) = place(number);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let Some(bits) = self.words.get_mut(word) else {
            return false;
        };
        let fresh = *bits & bit == 0;
        *bits |= bit;
        fresh
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        let (word, bit) = place(number);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Counts the numbers below `number`.
    pub(super) fn count_below(&self, number: u64) -> u64 {
        let (word, bit) = place(number);
        let whole = self.words.iter().take(word);
        let part = self.words.get(word).map_or(0, |bits| bits & (bit - 1));
        whole.map(|bits| u64::from(bits.count_ones())).sum::<u64>() + u64::from(part.count_ones())
    }
}

fn place(number: u64) -> (usize, u64) {
    let word = usize::try_from(number / 64).unwrap_or(usize::MAX);
    (word, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_exactly_the_inserted_numbers() {
        let mut set = PageSet::default();
        for number in [0, 1, 63, 64, 1_000_000] {
            assert!(!set.contains(number));
            assert!(set.insert(number));
            assert!(!set.insert(number));
            assert!(set.contains(number));
        }
        for number in [2, 62, 65, 999_999, 1_000_001, u64::MAX - 1] {
            assert!(!set.contains(number));
        }
        for (number, below) in [
            (0, 0),
            (1, 1),
            (63, 2),
            (64, 3),
            (65, 4),
            (1_000_001, 5),
            (u64::MAX, 5),
        ] {
            assert_eq!(set.count_below(number), below, "{number}");
        }
    }
}
