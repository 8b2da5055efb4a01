//! Symmetries of the pattern of clues, and the groups of cells that they carry into one another.
//!
//! Only the pattern is symmetric, not the digits, and a board is a square of cells whatever its boxes: so every
//! symmetry suits every board, 6×6 with its oblong boxes too.

use crate::puzzle::Cell;

/// A symmetry of the pattern of clues.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Symmetry {
    /// None.
    #[default]
    None,
    /// Half a turn.
    HalfTurn,
    /// A quarter turn.
    QuarterTurn,
    /// Left and right.
    LeftRight,
    /// Top and bottom.
    TopBottom,
    /// About the diagonal from the top left.
    FallingDiagonal,
    /// About the diagonal from the bottom left.
    RisingDiagonal,
}

impl Symmetry {
    /// Every symmetry.
    pub const ALL: [Symmetry; 7] = [
        Symmetry::None,
        Symmetry::HalfTurn,
        Symmetry::QuarterTurn,
        Symmetry::LeftRight,
        Symmetry::TopBottom,
        Symmetry::FallingDiagonal,
        Symmetry::RisingDiagonal,
    ];

    /// Its word: `none`, `half-turn`, …
    pub const fn word(self) -> &'static str {
        match self {
            Symmetry::None => "none",
            Symmetry::HalfTurn => "half-turn",
            Symmetry::QuarterTurn => "quarter-turn",
            Symmetry::LeftRight => "left-right",
            Symmetry::TopBottom => "top-bottom",
            Symmetry::FallingDiagonal => "falling-diagonal",
            Symmetry::RisingDiagonal => "rising-diagonal",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Symmetry> {
        Symmetry::ALL.into_iter().find(|symmetry| symmetry.word() == word)
    }

    /// Where it carries a cell.
    pub fn image(self, cell: Cell, size: usize) -> Cell {
        let (row, column) = (cell.row(size), cell.column(size));
        let last = size - 1;
        let (row, column) = match self {
            Symmetry::None => (row, column),
            Symmetry::HalfTurn => (last - row, last - column),
            Symmetry::QuarterTurn => (column, last - row),
            Symmetry::LeftRight => (row, last - column),
            Symmetry::TopBottom => (last - row, column),
            Symmetry::FallingDiagonal => (column, row),
            Symmetry::RisingDiagonal => (last - column, last - row),
        };
        Cell::at(row, column, size)
    }

    /// The cells in groups that are clues together or not at all, in the order of their first cells.
    pub fn orbits(self, size: usize) -> Vec<Vec<Cell>> {
        let mut is_taken = vec![false; size * size];
        let mut orbits = Vec::new();
        for first in Cell::all(size) {
            let mut orbit = Vec::new();
            let mut cell = first;
            while !is_taken[cell.index()] {
                is_taken[cell.index()] = true;
                orbit.push(cell);
                cell = self.image(cell, size);
            }
            if !orbit.is_empty() {
                orbits.push(orbit);
            }
        }
        orbits
    }

    /// For each number of clues, 0 to all cells, whether a pattern of this symmetry can have it.
    pub fn possible_counts(self, size: usize) -> Vec<bool> {
        let mut is_possible = vec![false; size * size + 1];
        is_possible[0] = true;
        for orbit in self.orbits(size) {
            for count in (orbit.len()..is_possible.len()).rev() {
                is_possible[count] |= is_possible[count - orbit.len()];
            }
        }
        is_possible
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for symmetry in Symmetry::ALL {
            assert_eq!(Symmetry::from_word(symmetry.word()), Some(symmetry));
        }
        assert_eq!(Symmetry::from_word("mirror"), None);
    }

    #[test]
    fn orbits_are_a_partition_that_the_symmetry_keeps() {
        for symmetry in Symmetry::ALL {
            for size in [4, 6, 9] {
                let orbits = symmetry.orbits(size);
                let mut cells: Vec<Cell> = orbits.concat();
                cells.sort_unstable();
                assert_eq!(cells, Cell::all(size).collect::<Vec<_>>(), "{symmetry:?} {size}");
                for orbit in orbits {
                    assert!(orbit.iter().all(|&cell| orbit.contains(&symmetry.image(cell, size))));
                }
            }
        }
    }

    #[test]
    fn numbers_of_orbits() {
        let numbers = |size| Symmetry::ALL.map(|symmetry| symmetry.orbits(size).len());
        assert_eq!(numbers(9), [81, 41, 21, 45, 45, 45, 45]);
        assert_eq!(numbers(6), [36, 18, 9, 18, 18, 21, 21]);
    }

    #[test]
    fn possible_numbers_of_clues() {
        let possible = Symmetry::QuarterTurn.possible_counts(9);
        assert_eq!([22, 23, 24, 25].map(|count| possible[count]), [false, false, true, true]);
        assert!(!Symmetry::HalfTurn.possible_counts(6)[13]);
        assert!(Symmetry::FallingDiagonal.possible_counts(6)[13]);
    }
}
