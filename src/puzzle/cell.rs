//! A cell: its place on a board, counted row by row from the top left.

/// A cell, by its index `row * size + column` (zero-based). Written `r3c6` (see [`super::notation`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u16);

impl Cell {
    /// The cell at an index. Panics beyond the largest board: indices come from loops over a checked size.
    #[inline]
    pub const fn new(index: usize) -> Cell {
        assert!(index < 25 * 25, "cell index out of range");
        Cell(index as u16)
    }

    /// The cell in a row and a column, both zero-based.
    #[inline]
    pub const fn at(row: usize, column: usize, size: usize) -> Cell {
        Cell::new(row * size + column)
    }

    /// Its index, row by row.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Zero-based row.
    #[inline]
    pub const fn row(self, size: usize) -> usize {
        self.0 as usize / size
    }

    /// Zero-based column.
    #[inline]
    pub const fn column(self, size: usize) -> usize {
        self.0 as usize % size
    }

    /// All cells of a board, in reading order.
    #[inline]
    pub fn all(size: usize) -> impl DoubleEndedIterator<Item = Cell> + Clone {
        (0..size * size).map(Cell::new)
    }
}
