//! Facts derived once per position, which all finders read.

use super::CellSet;
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, Position, Puzzle};

/// A position as finders see it.
pub struct Context<'a> {
    position: &'a Position,
    /// Cells where each digit is still a candidate of an open cell, by digit index.
    spots: Vec<CellSet>,
    /// The cells of each house.
    houses: Vec<CellSet>,
}

impl<'a> Context<'a> {
    /// Derives the facts. The board is at most [`super::MAX_SIZE`] wide.
    pub fn new(position: &'a Position) -> Context<'a> {
        let mut spots = vec![CellSet::EMPTY; position.size()];
        for cell in position.open_cells() {
            for digit in position.candidates(cell) {
                spots[digit.index()].insert(cell);
            }
        }
        let houses =
            position.puzzle().houses().iter().map(|house| house.cells.iter().copied().collect()).collect();
        Context { position, spots, houses }
    }

    /// The position.
    pub fn position(&self) -> &Position {
        self.position
    }

    /// The puzzle.
    pub fn puzzle(&self) -> &Puzzle {
        self.position.puzzle()
    }

    /// Rows, columns and digits.
    pub fn size(&self) -> usize {
        self.position.size()
    }

    /// The candidates of a cell.
    pub fn candidates(&self, cell: Cell) -> DigitSet {
        self.position.candidates(cell)
    }

    /// The open cells where a digit may still stand.
    pub fn spots(&self, digit: Digit) -> CellSet {
        self.spots[digit.index()]
    }

    /// The open cells of a house where a digit may still stand.
    pub fn spots_in(&self, house: HouseId, digit: Digit) -> CellSet {
        self.spots[digit.index()] & self.houses[house.index()]
    }

    /// The cells of a house.
    pub fn house(&self, house: HouseId) -> CellSet {
        self.houses[house.index()]
    }

    /// The cells that every one of these sees.
    pub fn common_peers(&self, cells: CellSet) -> CellSet {
        let mut common: Option<CellSet> = None;
        for cell in cells {
            let peers: CellSet = self.puzzle().peers(cell).iter().copied().collect();
            common = Some(common.map_or(peers, |common| common & peers));
        }
        common.unwrap_or(CellSet::EMPTY)
    }
}
