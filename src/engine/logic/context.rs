//! Facts derived once per position, which all finders read.

use super::{CellSet, Conclusion, MAX_SIZE};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, Position, Puzzle};

/// What does not change along a path: the houses and peers of a puzzle as sets.
pub struct Board {
    houses: Vec<CellSet>,
    peers: Vec<CellSet>,
    /// Of each cell, its houses, with its place among the cells of each.
    seats: Vec<Vec<(HouseId, u8)>>,
}

impl Board {
    /// Derives the sets. The board is at most [`MAX_SIZE`] wide.
    pub fn new(puzzle: &Puzzle) -> Board {
        let mut seats = vec![Vec::new(); puzzle.cell_count()];
        for id in puzzle.house_ids() {
            for (seat, cell) in puzzle.house(id).cells.iter().enumerate() {
                seats[cell.index()].push((id, seat as u8));
            }
        }
        Board {
            houses: puzzle.houses().iter().map(|house| house.cells.iter().copied().collect()).collect(),
            peers: Cell::all(puzzle.size())
                .map(|cell| puzzle.peers(cell).iter().copied().collect())
                .collect(),
            seats,
        }
    }
}

/// A position as finders see it.
pub struct Context<'a> {
    position: &'a Position,
    board: &'a Board,
    /// Cells without digit.
    open: CellSet,
    /// Cells where each digit is still a candidate of an open cell, by digit index.
    spots: [CellSet; MAX_SIZE],
    /// The same by house and digit index: bit `i` is the house's cell `i`.
    seats: Vec<[u16; MAX_SIZE]>,
}

impl<'a> Context<'a> {
    /// Derives the facts of a position on a board made from its puzzle.
    pub fn new(board: &'a Board, position: &'a Position) -> Context<'a> {
        let mut open = CellSet::EMPTY;
        let mut spots = [CellSet::EMPTY; MAX_SIZE];
        let mut seats = vec![[0; MAX_SIZE]; board.houses.len()];
        for cell in position.open_cells() {
            open.insert(cell);
            for digit in position.candidates(cell) {
                spots[digit.index()].insert(cell);
                for &(house, seat) in &board.seats[cell.index()] {
                    seats[house.index()][digit.index()] |= 1 << seat;
                }
            }
        }
        Context { position, board, open, spots, seats }
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

    /// The cells without digit.
    pub fn open(&self) -> CellSet {
        self.open
    }

    /// The open cells where a digit may still stand.
    pub fn spots(&self, digit: Digit) -> CellSet {
        self.spots[digit.index()]
    }

    /// The open cells of a house where a digit may still stand.
    pub fn spots_in(&self, house: HouseId, digit: Digit) -> CellSet {
        self.spots[digit.index()] & self.board.houses[house.index()]
    }

    /// The same as places in the house: bit `i` is its cell `i`.
    pub fn seats_in(&self, house: HouseId, digit: Digit) -> u16 {
        self.seats[house.index()][digit.index()]
    }

    /// The cells of a house.
    pub fn house(&self, house: HouseId) -> CellSet {
        self.board.houses[house.index()]
    }

    /// The cells that a cell sees.
    pub fn peers(&self, cell: Cell) -> CellSet {
        self.board.peers[cell.index()]
    }

    /// The cells that every one of these sees; none if there are none.
    pub fn common_peers(&self, cells: CellSet) -> CellSet {
        let mut cells = cells.iter();
        let Some(first) = cells.next() else { return CellSet::EMPTY };
        cells.fold(self.peers(first), |common, cell| common & self.peers(cell))
    }

    /// What goes if none of these digits may stand in these cells.
    pub fn eliminations(&self, cells: CellSet, digits: DigitSet) -> Vec<Conclusion> {
        let mut eliminations = Vec::new();
        for cell in cells & self.open {
            for digit in self.candidates(cell) & digits {
                eliminations.push(Conclusion::Eliminate(cell, digit));
            }
        }
        eliminations
    }
}
