//! A set of cells, for boards up to 16×16. Its width is known to this file alone.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

use crate::puzzle::Cell;

const WORDS: usize = 4;

/// Up to 256 cells, by index: cell `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CellSet([u64; WORDS]);

impl CellSet {
    /// No cell.
    pub const EMPTY: CellSet = CellSet([0; WORDS]);

    /// One cell.
    #[inline]
    pub fn single(cell: Cell) -> CellSet {
        let mut set = CellSet::EMPTY;
        set.insert(cell);
        set
    }

    /// Whether the cell is in the set.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] & (1 << (cell.index() % 64)) != 0
    }

    /// Whether every cell of `other` is in the set.
    #[inline]
    pub fn contains_all(&self, other: CellSet) -> bool {
        (other - *self).is_empty()
    }

    /// Whether the two share a cell.
    #[inline]
    pub fn meets(&self, other: CellSet) -> bool {
        !(*self & other).is_empty()
    }

    /// Adds a cell.
    #[inline]
    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    /// Takes a cell away.
    #[inline]
    pub fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
    }

    /// Adds a cell or takes it away.
    #[inline]
    pub fn put(&mut self, cell: Cell, is_in: bool) {
        let word = &mut self.0[cell.index() / 64];
        *word = *word & !(1 << (cell.index() % 64)) | u64::from(is_in) << (cell.index() % 64);
    }

    /// How many cells.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Whether there are two cells or more.
    #[inline]
    pub fn is_several(&self) -> bool {
        let mut seen = 0u64;
        let mut more = 0;
        for &word in &self.0 {
            // Beside the first cell.
            more |= if seen == 0 { word & word.wrapping_sub(1) } else { word };
            seen |= word;
        }
        more != 0
    }

    /// The first cell in reading order.
    #[inline]
    pub fn first(&self) -> Option<Cell> {
        self.iter().next()
    }

    /// The cell, if there is exactly one.
    #[inline]
    pub fn only(&self) -> Option<Cell> {
        self.first().filter(|_| !self.is_several())
    }

    /// The cells in reading order.
    #[inline]
    pub fn iter(&self) -> Cells {
        let [bits, later @ ..] = self.0;
        Cells { bits, later, from: 0 }
    }
}

impl IntoIterator for CellSet {
    type Item = Cell;
    type IntoIter = Cells;
    #[inline]
    fn into_iter(self) -> Cells {
        self.iter()
    }
}

impl FromIterator<Cell> for CellSet {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> CellSet {
        let mut set = CellSet::EMPTY;
        for cell in cells {
            set.insert(cell);
        }
        set
    }
}

/// The cells of a set in reading order.
#[derive(Clone)]
pub struct Cells {
    /// What is left of the word in hand.
    bits: u64,
    /// The words after it.
    later: [u64; WORDS - 1],
    /// The first cell of the word in hand. (One byte: no cell is out of range, and none is checked.)
    from: u8,
}

impl Iterator for Cells {
    type Item = Cell;
    #[inline]
    fn next(&mut self) -> Option<Cell> {
        while self.bits == 0 {
            let [next, last @ ..] = self.later;
            if next | last[0] | last[1] == 0 {
                return None;
            }
            (self.bits, self.later) = (next, [last[0], last[1], 0]);
            self.from = self.from.wrapping_add(64);
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(Cell::new(usize::from(self.from) + bit))
    }
}

impl BitOr for CellSet {
    type Output = CellSet;
    #[inline]
    fn bitor(mut self, other: CellSet) -> CellSet {
        self |= other;
        self
    }
}

impl BitOrAssign for CellSet {
    #[inline]
    fn bitor_assign(&mut self, other: CellSet) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

impl BitAnd for CellSet {
    type Output = CellSet;
    #[inline]
    fn bitand(mut self, other: CellSet) -> CellSet {
        self &= other;
        self
    }
}

impl BitAndAssign for CellSet {
    #[inline]
    fn bitand_assign(&mut self, other: CellSet) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
    }
}

impl Sub for CellSet {
    type Output = CellSet;
    #[inline]
    fn sub(mut self, other: CellSet) -> CellSet {
        self -= other;
        self
    }
}

impl SubAssign for CellSet {
    #[inline]
    fn sub_assign(&mut self, other: CellSet) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= !other;
        }
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Cell::index)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends() {
        let set: CellSet = [255, 0, 64].into_iter().map(Cell::new).collect();
        assert_eq!(set.iter().map(Cell::index).collect::<Vec<_>>(), [0, 64, 255]);
        assert_eq!((set - CellSet::single(Cell::new(0))).first(), Some(Cell::new(64)));
        assert_eq!(set.only(), None);
        for cells in [vec![], vec![3], vec![255], vec![0, 255], vec![64, 65], vec![63, 64], vec![254, 255]] {
            let set: CellSet = cells.iter().copied().map(Cell::new).collect();
            assert_eq!(set.is_several(), cells.len() > 1, "{cells:?}");
        }
    }
}
