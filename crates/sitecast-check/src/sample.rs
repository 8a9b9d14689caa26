//! Samples that are spread evenly over a list.

/// The number of items of a list to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// This number of items, spread evenly over the list, including the first.
    Count(u64),
    /// All items.
    All,
}

impl Sample {
    /// Returns true if the sample includes the item at `index` of a list of `total` items.
    pub(crate) fn includes(self, index: u64, total: u64) -> bool {
        match self {
            Self::All => true,
            Self::Count(0) => false,
            Self::Count(count) if count >= total => true,
            Self::Count(count) => {
                let step = |index: u64| u128::from(index) * u128::from(count) / u128::from(total);
                index == 0 || step(index) != step(index - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_size_and_is_spread_evenly() {
        for (count, total) in [(20, 67), (20, 20), (20, 7), (1, 9), (3, 1_000_000), (0, 5)] {
            let included: Vec<u64> = (0..total)
                .filter(|&index| Sample::Count(count).includes(index, total))
                .collect();
            assert_eq!(
                included.len() as u64,
                count.min(total),
                "{count} of {total}"
            );
            if count > 0 {
                assert_eq!(included[0], 0);
            }
            let gaps = included.windows(2).map(|pair| pair[1] - pair[0]);
            let (least, most) = (gaps.clone().min(), gaps.max());
            assert!(most.unwrap_or(0) - least.unwrap_or(0) <= 1, "{included:?}");
        }
        assert!((0..9).all(|index| Sample::All.includes(index, 9)));
    }
}
