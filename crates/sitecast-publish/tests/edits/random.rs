/// Numbers that are the same for the same seed and page.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64, key: &str) -> Self {
        Self(hash(seed, key))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    pub(super) fn one_in(&mut self, of: u64) -> bool {
        self.next().is_multiple_of(of)
    }
}

pub(super) fn hash(seed: u64, text: &str) -> u64 {
    text.bytes().fold(mixed(seed), |hash, byte| {
        mixed(hash ^ u64::from(byte)).wrapping_add(0x9e37_79b9_7f4a_7c15)
    })
}

fn mixed(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
