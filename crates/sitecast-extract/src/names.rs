//! Names that are known beforehand, found by their bytes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use html5ever::LocalName;

/// What belongs to each of some names. Only names of ours are ever put in, so nobody can choose
/// them to collide.
pub(crate) struct Names<T>(HashMap<&'static [u8], T, BuildHasherDefault<Mix>>);

/// The same for names that the parser has interned.
pub(crate) type Interned<T> = HashMap<LocalName, T, BuildHasherDefault<Mix>>;

impl<T> Names<T> {
    pub(crate) fn new(all: impl Iterator<Item = (&'static str, T)>) -> Self {
        Self(all.map(|(name, what)| (name.as_bytes(), what)).collect())
    }

    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> Option<&T> {
        self.0.get(name)
    }
}

/// A hash of few instructions for short keys.
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Mix {
    fn add(&mut self, word: u64) {
        // The constant is 2^64 divided by the golden ratio: its multiples spread evenly.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mix {
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
        // The table takes its position from the low bits and a check from the high ones.
        self.0 ^ (self.0 >> 32)
    }
}
