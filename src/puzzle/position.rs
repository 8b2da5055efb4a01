//! A puzzle and what a player or a solver has done to it: digits placed, candidates removed.

use std::sync::Arc;

use super::{Cell, Digit, DigitSet, Puzzle};

/// A position. Candidates follow the rule that cells which see each other hold different digits, and
/// nothing else: what cages and cleverness rule out is removed by whoever deduces it.
///
/// A player's position may be wrong: nothing here minds digits that clash or cells without candidates.
#[derive(Clone, Debug)]
pub struct Position {
    puzzle: Arc<Puzzle>,
    placed: Vec<Option<Digit>>,
    candidates: Vec<DigitSet>,
}

impl Position {
    /// The puzzle as it is handed out.
    pub fn new(puzzle: Arc<Puzzle>) -> Position {
        let candidates = puzzle.candidates_by_houses();
        let mut position = Position { placed: puzzle.givens().to_vec(), candidates, puzzle };
        position.look_at_cages();
        position
    }

    /// Removes what givens of the same cage rule out, where its digits must differ.
    fn look_at_cages(&mut self) {
        let puzzle = self.puzzle.clone();
        for cage in puzzle.cages().iter().filter(|cage| cage.distinct) {
            let given: DigitSet = cage.cells.iter().filter_map(|&cell| puzzle.given(cell)).collect();
            for &cell in cage.cells.iter().filter(|&&cell| self.placed[cell.index()].is_none()) {
                self.candidates[cell.index()] -= given;
            }
        }
    }

    /// What is being solved.
    #[inline]
    pub fn puzzle(&self) -> &Arc<Puzzle> {
        &self.puzzle
    }

    /// Rows, columns and digits.
    #[inline]
    pub fn size(&self) -> usize {
        self.puzzle.size()
    }

    /// The digit in a cell, given or placed.
    #[inline]
    pub fn digit(&self, cell: Cell) -> Option<Digit> {
        self.placed[cell.index()]
    }

    /// What is still possible in a cell: its own digit alone once it has one.
    #[inline]
    pub fn candidates(&self, cell: Cell) -> DigitSet {
        self.candidates[cell.index()]
    }

    /// Whether a digit is still possible in a cell.
    #[inline]
    pub fn is_candidate(&self, cell: Cell, digit: Digit) -> bool {
        self.candidates[cell.index()].contains(digit)
    }

    /// Whether a cell has no digit yet.
    #[inline]
    pub fn is_open(&self, cell: Cell) -> bool {
        self.placed[cell.index()].is_none()
    }

    /// The cells without digit, in reading order.
    #[inline]
    pub fn open_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        Cell::all(self.size()).filter(|&cell| self.is_open(cell))
    }

    /// Whether every cell has a digit.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.placed.iter().all(Option::is_some)
    }

    /// Places a digit, and removes it from the cells seen.
    pub fn place(&mut self, cell: Cell, digit: Digit) {
        self.set(cell, digit);
        for peer in self.puzzle.peers(cell) {
            if self.placed[peer.index()].is_none() {
                self.candidates[peer.index()].remove(digit);
            }
        }
    }

    /// Places a digit and leaves the cells seen to the caller, who knows which of them still have it.
    #[inline]
    pub(crate) fn set(&mut self, cell: Cell, digit: Digit) {
        self.placed[cell.index()] = Some(digit);
        self.candidates[cell.index()] = DigitSet::single(digit);
    }

    /// Removes a candidate. Returns whether it was there.
    pub fn eliminate(&mut self, cell: Cell, digit: Digit) -> bool {
        let candidates = &mut self.candidates[cell.index()];
        let was_there = candidates.contains(digit);
        candidates.remove(digit);
        was_there
    }
}
