//! A digit (1 to 25, written 1–9 then A–P) and a set of digits.

use std::fmt::{self, Write};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

/// A digit of a puzzle: 1 to 25.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digit(u8);

impl Digit {
    /// The largest digit of the largest puzzle.
    pub const MAX: u8 = 25;

    /// The digit of this value, if there is one.
    #[inline]
    pub const fn new(value: u8) -> Option<Digit> {
        if value >= 1 && value <= Self::MAX { Some(Digit(value)) } else { None }
    }

    /// The digit at a zero-based index. Panics beyond 25: indices come from loops over a checked size.
    #[inline]
    pub const fn from_index(index: usize) -> Digit {
        assert!(index < Self::MAX as usize, "digit index out of range");
        Digit(index as u8 + 1)
    }

    /// 1 to 25.
    #[inline]
    pub const fn value(self) -> u8 {
        self.0
    }

    /// 0 to 24.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// `1` to `9`, then `A` to `P`.
    pub const fn symbol(self) -> char {
        if self.0 <= 9 { (b'0' + self.0) as char } else { (b'A' + self.0 - 10) as char }
    }

    /// The digit written as this symbol; letters may be small.
    pub const fn from_symbol(symbol: char) -> Option<Digit> {
        match symbol {
            '1'..='9' => Digit::new(symbol as u8 - b'0'),
            'A'..='P' => Digit::new(symbol as u8 - b'A' + 10),
            'a'..='p' => Digit::new(symbol as u8 - b'a' + 10),
            _ => None,
        }
    }

    /// All digits of a puzzle of this size, smallest first.
    #[inline]
    pub fn all(size: usize) -> impl DoubleEndedIterator<Item = Digit> + Clone {
        (0..size).map(Digit::from_index)
    }
}

impl fmt::Display for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(self.symbol())
    }
}

impl fmt::Debug for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(self.symbol())
    }
}

/// A set of digits: bit `d - 1` is digit `d`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DigitSet(u32);

impl DigitSet {
    /// No digit.
    pub const EMPTY: DigitSet = DigitSet(0);

    /// Every digit of a puzzle of this size (at most 25).
    #[inline]
    pub const fn full(size: usize) -> DigitSet {
        DigitSet(((1u64 << size) - 1) as u32)
    }

    /// One digit.
    #[inline]
    pub const fn single(digit: Digit) -> DigitSet {
        DigitSet(1 << digit.index())
    }

    /// Bit `d - 1` for digit `d`.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The reverse of [`bits`](Self::bits); bits beyond digit 25 are dropped.
    #[inline]
    pub const fn from_bits(bits: u32) -> DigitSet {
        DigitSet(bits & ((1 << Digit::MAX) - 1))
    }

    /// Whether the digit is in the set.
    #[inline]
    pub const fn contains(self, digit: Digit) -> bool {
        self.0 & (1 << digit.index()) != 0
    }

    /// Whether every digit of `other` is in the set.
    #[inline]
    pub const fn contains_all(self, other: DigitSet) -> bool {
        other.0 & !self.0 == 0
    }

    /// Adds a digit.
    #[inline]
    pub fn insert(&mut self, digit: Digit) {
        self.0 |= 1 << digit.index();
    }

    /// Takes a digit away.
    #[inline]
    pub fn remove(&mut self, digit: Digit) {
        self.0 &= !(1 << digit.index());
    }

    /// How many digits.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The digit, if there is exactly one.
    #[inline]
    pub const fn only(self) -> Option<Digit> {
        if self.0 != 0 && self.0 & (self.0 - 1) == 0 {
            Some(Digit(self.0.trailing_zeros() as u8 + 1))
        } else {
            None
        }
    }

    /// The smallest digit.
    #[inline]
    pub const fn min(self) -> Option<Digit> {
        if self.0 == 0 { None } else { Some(Digit(self.0.trailing_zeros() as u8 + 1)) }
    }

    /// The largest digit.
    #[inline]
    pub const fn max(self) -> Option<Digit> {
        if self.0 == 0 { None } else { Some(Digit(32 - self.0.leading_zeros() as u8)) }
    }

    /// The digits, smallest first.
    #[inline]
    pub const fn iter(self) -> Digits {
        Digits(self.0)
    }
}

impl IntoIterator for DigitSet {
    type Item = Digit;
    type IntoIter = Digits;
    #[inline]
    fn into_iter(self) -> Digits {
        self.iter()
    }
}

impl FromIterator<Digit> for DigitSet {
    fn from_iter<I: IntoIterator<Item = Digit>>(digits: I) -> DigitSet {
        let mut set = DigitSet::EMPTY;
        for digit in digits {
            set.insert(digit);
        }
        set
    }
}

/// The digits of a set, smallest first.
#[derive(Clone)]
pub struct Digits(u32);

impl Iterator for Digits {
    type Item = Digit;
    #[inline]
    fn next(&mut self) -> Option<Digit> {
        let digit = DigitSet(self.0).min()?;
        self.0 &= self.0 - 1;
        Some(digit)
    }
}

impl DoubleEndedIterator for Digits {
    #[inline]
    fn next_back(&mut self) -> Option<Digit> {
        let digit = DigitSet(self.0).max()?;
        self.0 &= !(1 << digit.index());
        Some(digit)
    }
}

impl BitOr for DigitSet {
    type Output = DigitSet;
    #[inline]
    fn bitor(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 | other.0)
    }
}

impl BitOrAssign for DigitSet {
    #[inline]
    fn bitor_assign(&mut self, other: DigitSet) {
        self.0 |= other.0;
    }
}

impl BitAnd for DigitSet {
    type Output = DigitSet;
    #[inline]
    fn bitand(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & other.0)
    }
}

impl BitAndAssign for DigitSet {
    #[inline]
    fn bitand_assign(&mut self, other: DigitSet) {
        self.0 &= other.0;
    }
}

impl Sub for DigitSet {
    type Output = DigitSet;
    #[inline]
    fn sub(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & !other.0)
    }
}

impl SubAssign for DigitSet {
    #[inline]
    fn sub_assign(&mut self, other: DigitSet) {
        self.0 &= !other.0;
    }
}

/// The symbols side by side: `137`.
impl fmt::Display for DigitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|digit| write!(f, "{digit}"))
    }
}

impl fmt::Debug for DigitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_round_trip() {
        for digit in Digit::all(25) {
            assert_eq!(Digit::from_symbol(digit.symbol()), Some(digit));
        }
        assert_eq!(Digit::from_symbol('p').map(Digit::value), Some(25));
        assert_eq!(Digit::from_symbol('Q'), None);
        assert_eq!(Digit::from_symbol('0'), None);
    }

    #[test]
    fn ends_of_a_set() {
        let set = DigitSet::full(25);
        assert_eq!(
            (set.len(), set.min().map(Digit::value), set.max().map(Digit::value)),
            (25, Some(1), Some(25))
        );
        assert_eq!(DigitSet::EMPTY.max(), None);
        assert_eq!(DigitSet::full(3).iter().rev().map(Digit::value).collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(DigitSet::single(Digit::from_index(24)).only().map(Digit::value), Some(25));
    }
}
