use crate::cli::Sample;

impl Sample {
    /// Whether the item at `index` of `total` is one of the sample, which is spread evenly and begins
    /// with the first.
    pub(super) fn takes(self, index: u64, total: u64) -> bool {
        match self {
            Self::All => true,
            Self::Some(0) => false,
            Self::Some(wanted) if wanted >= total => true,
            Self::Some(wanted) => {
                let step = |index: u64| u128::from(index) * u128::from(wanted) / u128::from(total);
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
        for (wanted, total) in [(20, 67), (20, 20), (20, 7), (1, 9), (3, 1_000_000), (0, 5)] {
            let taken: Vec<u64> = (0..total)
                .filter(|&index| Sample::Some(wanted).takes(index, total))
                .collect();
            assert_eq!(taken.len() as u64, wanted.min(total), "{wanted} of {total}");
            if wanted > 0 {
                assert_eq!(taken[0], 0);
            }
            let gaps = taken.windows(2).map(|pair| pair[1] - pair[0]);
            let (least, most) = (gaps.clone().min(), gaps.max());
            assert!(most.unwrap_or(0) - least.unwrap_or(0) <= 1, "{taken:?}");
        }
        assert!((0..9).all(|index| Sample::All.takes(index, 9)));
    }
}
