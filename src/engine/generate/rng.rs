//! Where randomness comes from: one stream for each attempt of a seed, the same on every machine.
//!
//! The generator is ChaCha with 8 rounds. How a seed becomes its key, a word becomes a number below a bound, and
//! a list is shuffled is all written here, so that no other crate's release can change a puzzle.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Fills the key behind the seed.
const DOMAIN: &[u8; 24] = b"sleuth puzzle generator.";

/// A stream of random numbers.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of an attempt.
    pub fn new(seed: u64, attempt: u32) -> Stream {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(DOMAIN);
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(u64::from(attempt));
        Stream(generator)
    }

    /// A number below `bound` (at least 1), each equally likely: the high half of a 32 by 32 bit product, where
    /// words that would favour some numbers are thrown away.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "no number is below 0");
        let favoured = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product as u32 >= favoured {
                return (product >> 32) as u32;
            }
        }
    }

    /// Puts a list into random order, each order equally likely, from the end down.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            list.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puzzles of old seeds rest on these numbers, which an independent writing of ChaCha8 gives too.
    #[test]
    fn pinned() {
        let mut stream = Stream::new(1, 0);
        let numbers: Vec<u32> = (0..12).map(|_| stream.below(1000)).collect();
        assert_eq!(numbers, [599, 545, 722, 611, 244, 779, 751, 94, 661, 127, 796, 738]);
        let mut list: Vec<u32> = (0..10).collect();
        Stream::new(u64::MAX, 7).shuffle(&mut list);
        assert_eq!(list, [0, 4, 8, 7, 1, 3, 6, 9, 5, 2]);
    }

    #[test]
    fn streams_differ() {
        let first = |seed, attempt| Stream::new(seed, attempt).below(u32::MAX);
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
    }

    #[test]
    fn each_number_is_as_likely() {
        let mut stream = Stream::new(5, 0);
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[stream.below(6) as usize] += 1;
        }
        assert!(seen.iter().all(|count| (9_500..10_500).contains(count)), "{seen:?}");
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn each_order_is_as_likely() {
        let mut stream = Stream::new(6, 0);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut list = [0, 1, 2, 3];
            stream.shuffle(&mut list);
            *seen.entry(list).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 24);
        assert!(seen.values().all(|count| (850..1_150).contains(count)), "{seen:?}");
    }
}
