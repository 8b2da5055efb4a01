//! All that follows from an assumption, as sets: no order, no reasons, but a hundred times faster than a run.

use super::super::super::board::{Board, HOUSE_CELLS, HOUSES_OF, Mask, PEERS, PLACES_OF, bits, cells};
use super::super::links::{Literal, cell_of, digit_of, holds, literal};

/// For each digit a set of cells.
pub type Sets = [u128; 9];

/// A board under an assumption.
#[derive(Clone)]
pub struct State {
    /// For each cell what it may still hold.
    pub candidates: [u16; 81],
    /// For each house and digit the places left.
    pub places: [[u16; 9]; 27],
    /// Candidates not removed; of those on the way out the masks above still tell.
    pub live: Sets,
    /// Candidates that hold.
    pub on: Sets,
}

/// A contradiction was found.
#[derive(Debug)]
pub struct Conflict;

/// Literals to be looked at.
pub type Queue = Vec<Literal>;

impl State {
    /// A board without an assumption.
    pub fn new(board: &Board) -> State {
        State { candidates: board.candidates, places: board.places, live: board.by_digit(), on: [0; 9] }
    }

    /// Says that a candidate holds.
    pub fn set_on(&mut self, cell: usize, digit: usize, queue: &mut Queue) -> Result<(), Conflict> {
        if self.on[digit] >> cell & 1 != 0 {
            return Ok(());
        }
        if self.live[digit] >> cell & 1 == 0 {
            return Err(Conflict);
        }
        self.on[digit] |= 1 << cell;
        queue.push(literal(cell, digit, true));
        Ok(())
    }

    /// Says that a candidate does not hold.
    pub fn set_off(&mut self, cell: usize, digit: usize, queue: &mut Queue) -> Result<(), Conflict> {
        if self.live[digit] >> cell & 1 != 0 {
            if self.on[digit] >> cell & 1 != 0 {
                return Err(Conflict);
            }
            self.live[digit] &= !(1 << cell);
            queue.push(literal(cell, digit, false));
        }
        Ok(())
    }

    /// Says a literal.
    pub fn set(&mut self, said: Literal, queue: &mut Queue) -> Result<(), Conflict> {
        if holds(said) {
            self.set_on(cell_of(said), digit_of(said), queue)
        } else {
            self.set_off(cell_of(said), digit_of(said), queue)
        }
    }

    /// Follows links until none is left: within cells and houses, or for one digit within houses alone.
    pub fn spread(&mut self, queue: &mut Queue, with_cells: bool) -> Result<(), Conflict> {
        while let Some(said) = queue.pop() {
            let (cell, digit) = (cell_of(said), digit_of(said));
            if holds(said) {
                self.exclude(cell, digit, queue, with_cells)?;
            } else {
                self.take_away(cell, digit, queue, with_cells)?;
            }
        }
        Ok(())
    }

    fn exclude(
        &mut self,
        cell: usize,
        digit: usize,
        queue: &mut Queue,
        with_cells: bool,
    ) -> Result<(), Conflict> {
        if with_cells {
            for other in bits(self.candidates[cell] & !(1 << digit)) {
                self.set_off(cell, other, queue)?;
            }
        }
        let gone = self.live[digit] & PEERS[cell];
        if gone & self.on[digit] != 0 {
            return Err(Conflict);
        }
        self.live[digit] &= !gone;
        queue.extend(cells(gone).map(|peer| literal(peer, digit, false)));
        Ok(())
    }

    fn take_away(
        &mut self,
        cell: usize,
        digit: usize,
        queue: &mut Queue,
        with_cells: bool,
    ) -> Result<(), Conflict> {
        self.candidates[cell] &= !(1 << digit);
        let left = self.candidates[cell];
        if with_cells && left != 0 && left & (left - 1) == 0 {
            self.set_on(cell, left.trailing_zeros() as usize, queue)?;
        }
        for kind in 0..3 {
            let house = usize::from(HOUSES_OF[cell][kind]);
            let places = &mut self.places[house][digit];
            *places &= !(1 << PLACES_OF[cell][kind]);
            let left = *places;
            if left != 0 && left & (left - 1) == 0 {
                let place = left.trailing_zeros() as usize;
                self.set_on(usize::from(HOUSE_CELLS[house][place]), digit, queue)?;
            }
        }
        Ok(())
    }

    /// Finds every last candidate again, for a state that was put together from sets.
    pub fn find_singles(&mut self, queue: &mut Queue) -> Result<(), Conflict> {
        for cell in 0..81 {
            let left = self.candidates[cell];
            if left.count() == 1 {
                self.set_on(cell, left.trailing_zeros() as usize, queue)?;
            }
        }
        for (house, cells) in HOUSE_CELLS.iter().enumerate() {
            for digit in 0..9 {
                let left = self.places[house][digit];
                if left.count() == 1 {
                    let place = left.trailing_zeros() as usize;
                    self.set_on(usize::from(cells[place]), digit, queue)?;
                }
            }
        }
        Ok(())
    }

    /// Removes from the masks what is not in the set of live candidates.
    pub fn restrict(&mut self, live: &Sets) {
        for (digit, &kept) in live.iter().enumerate() {
            for cell in cells(self.live[digit] & !kept) {
                self.candidates[cell] &= !(1 << digit);
                for kind in 0..3 {
                    self.places[usize::from(HOUSES_OF[cell][kind])][digit] &= !(1 << PLACES_OF[cell][kind]);
                }
            }
            self.live[digit] &= kept;
        }
    }
}
