//! Whether a position breaks a rule already.

use crate::puzzle::{Cage, Cell, DigitSet, Position};

/// Whether a cell or a house is left without candidate, two digits clash, or a full cage misses its target. The plain
/// twin of what [`Context`](super::context::Context) keeps track of.
pub fn has_contradiction(position: &Position) -> bool {
    let puzzle = position.puzzle();
    let houses_fail = puzzle.houses().iter().any(|house| {
        let (mut found, mut placed) = (DigitSet::EMPTY, DigitSet::EMPTY);
        let mut fails = false;
        for &cell in &house.cells {
            let candidates = position.candidates(cell);
            fails |= candidates.is_empty();
            found |= candidates;
            if !position.is_open(cell) {
                fails |= !(placed & candidates).is_empty();
                placed |= candidates;
            }
        }
        fails || found != puzzle.digits()
    });
    houses_fail || puzzle.cages().iter().any(|cage| cage_fails(position, cage))
}

/// Whether a cage is full and misses its target, or holds a digit twice that it may hold once.
pub fn cage_fails(position: &Position, cage: &Cage) -> bool {
    let digits: Option<Vec<u8>> =
        cage.cells.iter().map(|&cell| position.digit(cell).map(|digit| digit.value())).collect();
    digits.is_some_and(|digits| !cage.is_met_by(&digits)) || (cage.distinct && repeats(position, &cage.cells))
}

/// Whether a digit stands twice in these cells.
fn repeats(position: &Position, cells: &[Cell]) -> bool {
    let mut placed = DigitSet::EMPTY;
    cells.iter().filter_map(|&cell| position.digit(cell)).any(|digit| {
        let is_there = placed.contains(digit);
        placed.insert(digit);
        is_there
    })
}
