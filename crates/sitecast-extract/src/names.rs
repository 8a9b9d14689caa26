//! Hash maps with a fixed set of names as keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use html5ever::LocalName;

/// A map from names to values. Its keys are compiled in, so that pages cannot force collisions.
pub(crate) struct NameMap<T>(HashMap<&'static [u8], T, BuildHasherDefault<NameHasher>>);

/// A map from names that html5ever has interned to values.
pub(crate) type InternedNameMap<T> = HashMap<LocalName, T, BuildHasherDefault<NameHasher>>;

impl<T> NameMap<T> {
    pub(crate) fn new(all: impl Iterator<Item = (&'static str, T)>) -> Self {
        Self(all.map(|(name, value)| (name.as_bytes(), value)).collect())
    }

    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> Option<&T> {
        self.0.get(name)
    }
}

/// A fast hash function for short keys.
#[derive(Default)]
pub(crate) struct NameHasher(u64);

impl NameHasher {
    fn add(&mut self, word: u64) {
        // The constant is 2^64 divided by the golden ratio: its multiples spread evenly.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = 0;
        for byte in rest {
            last = (last << 8) | u64::from(*byte);
        }
        self.add(last);
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    fn finish(&self) -> u64 {
        // `HashMap` takes the bucket from the low bits and a tag from the high ones.
        self.0 ^ (self.0 >> 32)
    }
}
