//! Small sets of small numbers, as wide as they need to be.

/// Up to `64 * W` numbers: number `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    /// Nothing.
    pub const EMPTY: Bits<W> = Bits([0; W]);

    /// One number.
    pub fn single(number: usize) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        bits.insert(number);
        bits
    }

    /// The numbers whose bits are set in a word.
    pub fn from_word(word: u64) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        bits.0[0] = word;
        bits
    }

    /// Every number below `count`.
    pub fn below(count: usize) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        for (place, word) in bits.0.iter_mut().enumerate() {
            let left = count.saturating_sub(64 * place);
            *word = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        }
        bits
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Whether the number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] & (1 << (number % 64)) != 0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// What is in both.
    pub fn and(self, other: Bits<W>) -> Bits<W> {
        self.zip(other, |one, other| one & other)
    }

    /// What is in one of them.
    pub fn or(self, other: Bits<W>) -> Bits<W> {
        self.zip(other, |one, other| one | other)
    }

    /// What is in the first alone.
    pub fn minus(self, other: Bits<W>) -> Bits<W> {
        self.zip(other, |one, other| one & !other)
    }

    /// Whether all of it is in the other.
    pub fn is_within(&self, other: Bits<W>) -> bool {
        self.minus(other).is_empty()
    }

    /// Whether the two share a number.
    pub fn meets(&self, other: Bits<W>) -> bool {
        !self.and(other).is_empty()
    }

    /// The least number.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The numbers, rising.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(place, word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(64 * place + bit)
            })
        })
    }

    fn zip(mut self, other: Bits<W>, join: impl Fn(u64, u64) -> u64) -> Bits<W> {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = join(*word, other);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn across_words() {
        let all: Bits<2> = Bits::below(70);
        assert_eq!((all.len(), all.first()), (70, Some(0)));
        let high = all.minus(Bits::below(64));
        assert_eq!(high.iter().collect::<Vec<_>>(), [64, 65, 66, 67, 68, 69]);
        assert!(high.is_within(all) && !all.is_within(high) && high.meets(Bits::single(69)));
        assert!(high.and(Bits::below(64)).is_empty() && Bits::<1>::below(64).contains(63));
        assert_eq!(Bits::<1>::single(3).or(Bits::single(5)).iter().collect::<Vec<_>>(), [3, 5]);
    }
}
