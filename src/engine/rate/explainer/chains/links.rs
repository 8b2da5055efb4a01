//! Links between candidates, in the order in which the Explainer follows them.

use super::super::board::{Board, HOUSE_CELLS, HOUSES_OF, Mask, PLACES_OF, bits};

/// A candidate said to hold or not: cell · 18 + digit · 2 + (1 if it holds).
pub type Literal = u16;

/// Literals of a board.
pub const LITERALS: usize = 1458;

/// A literal.
pub fn literal(cell: usize, digit: usize, holds: bool) -> Literal {
    ((cell * 9 + digit) * 2) as Literal | Literal::from(holds)
}

/// Its cell.
pub fn cell_of(literal: Literal) -> usize {
    usize::from(literal) / 18
}

/// Its digit, from 0.
pub fn digit_of(literal: Literal) -> usize {
    usize::from(literal) / 2 % 9
}

/// Whether it says that the candidate holds.
pub fn holds(literal: Literal) -> bool {
    literal & 1 != 0
}

/// Why a literal follows from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is where the chain starts.
    Start,
    /// The cell holds one digit.
    Cell,
    /// The house holds the digit once: 0 box, 1 row, 2 column.
    House(u8),
    /// Another rule says so.
    Rule,
}

/// What goes if a candidate holds: the rest of its cell, then of its box, row and column.
pub fn each_off(
    board: &Board,
    from: Literal,
    with_cell: bool,
    each: &mut impl FnMut(Literal, Cause) -> bool,
) -> bool {
    let (cell, digit) = (cell_of(from), digit_of(from));
    if with_cell {
        for other in bits(board.candidates[cell] & !(1 << digit)) {
            if each(literal(cell, other, false), Cause::Cell) {
                return true;
            }
        }
    }
    for kind in 0..3 {
        let house = usize::from(HOUSES_OF[cell][kind]);
        let others = board.places[house][digit] & !(1 << PLACES_OF[cell][kind]);
        for place in bits(others) {
            let other = usize::from(HOUSE_CELLS[house][place]);
            if each(literal(other, digit, false), Cause::House(kind as u8)) {
                return true;
            }
        }
    }
    false
}

/// What holds if a candidate goes: the last one of its cell, of its box, row and column. The candidate itself
/// still stands on the board.
pub fn each_on(
    board: &Board,
    from: Literal,
    with_cell: bool,
    each: &mut impl FnMut(Literal, Cause) -> bool,
) -> bool {
    let (cell, digit) = (cell_of(from), digit_of(from));
    if with_cell && board.candidates[cell].count() == 2 {
        let other = (board.candidates[cell] & !(1 << digit)).trailing_zeros() as usize;
        if other < 9 && each(literal(cell, other, true), Cause::Cell) {
            return true;
        }
    }
    for kind in 0..3 {
        let house = usize::from(HOUSES_OF[cell][kind]);
        let places = board.places[house][digit];
        if places.count() == 2 {
            let other = (places & !(1 << PLACES_OF[cell][kind])).trailing_zeros() as usize;
            let other = usize::from(HOUSE_CELLS[house][other]);
            if each(literal(other, digit, true), Cause::House(kind as u8)) {
                return true;
            }
        }
    }
    false
}
