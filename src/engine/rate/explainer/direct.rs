//! Steps that fill a cell at once: singles, and what removes just enough to leave one.

use super::board::{Board, HOUSE_CELLS, HOUSE_ORDER, HOUSES_OF, Mask, SHARED, bits};
use super::hint::Hint;
use super::technique::Technique;

/// The first direct step, in the order of the Explainer.
pub fn find(board: &Board) -> Option<Hint> {
    hidden_single(board, true)
        .or_else(|| hidden_single(board, false))
        .or_else(|| locking(board))
        .or_else(|| hidden_set(board, 2))
        .or_else(|| naked_single(board))
        .or_else(|| hidden_set(board, 3))
}

/// Boxes, columns, rows, each in turn.
pub fn houses() -> impl Iterator<Item = usize> {
    HOUSE_ORDER.into_iter().flat_map(|first| first..first + 9)
}

fn hidden_single(board: &Board, is_alone: bool) -> Option<Hint> {
    for house in houses().filter(|&house| board.open[house] != 0 && (board.open[house] == 1) == is_alone) {
        for digit in 0..9 {
            let places = board.places[house][digit];
            if places.count() == 1 {
                let cell = HOUSE_CELLS[house][places.trailing_zeros() as usize];
                let difficulty = match (is_alone, house) {
                    (true, _) => 1.0,
                    (false, 0..9) => 1.2,
                    (false, _) => 1.5,
                };
                return Some(Hint::place(Technique::HiddenSingle, difficulty, usize::from(cell), digit));
            }
        }
    }
    None
}

fn naked_single(board: &Board) -> Option<Hint> {
    let cell = board.candidates.iter().position(|mask| mask.count() == 1)?;
    let digit = board.candidates[cell].trailing_zeros() as usize;
    Some(Hint::place(Technique::NakedSingle, 2.3, cell, digit))
}

/// The house that holds the digit on the intersection alone, and the one that loses it elsewhere, in order, each
/// with the digit.
pub fn locked(board: &Board) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    [(0, 18), (0, 9), (18, 0), (9, 0)].into_iter().flat_map(move |(first, second)| {
        (first..first + 9).flat_map(move |house| {
            // A digit whose places lie on one intersection has three of them at most.
            let few = few_places(board, house);
            let crossing = (second..second + 9).filter(move |&other| few != 0 && SHARED[house][other] != 0);
            crossing.flat_map(move |other| {
                let is_locked = move |digit: &usize| {
                    let places = board.places[house][*digit];
                    places & !SHARED[house][other] == 0
                };
                bits(few).filter(is_locked).map(move |digit| (house, other, digit))
            })
        })
    })
}

/// The digits with two or three places in a house.
fn few_places(board: &Board, house: usize) -> u16 {
    let mut few = 0;
    for digit in 0..9 {
        few |= u16::from(matches!(board.places[house][digit].count(), 2 | 3)) << digit;
    }
    few
}

fn locking(board: &Board) -> Option<Hint> {
    for (house, other, digit) in locked(board) {
        let first = house / 9 * 9;
        for third in (first..first + 9).filter(|&third| third != house && SHARED[third][other] != 0) {
            let places = board.places[third][digit];
            let left = places & !SHARED[third][other];
            if places.count() > 1 && left.count() == 1 {
                let cell = HOUSE_CELLS[third][left.trailing_zeros() as usize];
                let (technique, difficulty) = if house < 9 {
                    (Technique::DirectPointing, 1.7)
                } else {
                    (Technique::DirectClaiming, 1.9)
                };
                return Some(Hint::place(technique, difficulty, usize::from(cell), digit));
            }
        }
    }
    None
}

/// The digits of a house with two to `size` places.
pub fn digits_with_places(board: &Board, house: usize, size: u32) -> u16 {
    let mut digits = 0;
    for digit in 0..9 {
        digits |= u16::from((2..=size).contains(&board.places[house][digit].count())) << digit;
    }
    digits
}

/// The union of the places of some digits in a house.
pub fn places_of_digits(board: &Board, house: usize, digits: u16) -> u16 {
    bits(digits).fold(0, |union, digit| union | board.places[house][digit])
}

/// The hidden sets of so many digits: house, digits, places.
pub fn hidden_sets(board: &Board, size: u32, open: u8) -> impl Iterator<Item = (usize, u16, u16)> + '_ {
    houses()
        .filter(move |&house| board.open[house] > open)
        .flat_map(move |house| {
            let able = digits_with_places(board, house, size);
            let digits = combinations_within(able, size);
            digits.map(move |digits| (house, digits, places_of_digits(board, house, digits)))
        })
        .filter(move |(_, _, places)| places.count() == size)
}

/// The masks of so many bits of those given, in rising order.
pub fn combinations_within(able: u16, ones: u32) -> impl Iterator<Item = u16> {
    let has_enough = able.count() >= ones;
    // The next subset of `able` above a mask is found by carrying through the bits that are not in it.
    let mut mask = able.wrapping_neg() & able;
    std::iter::from_fn(move || {
        while has_enough && mask != 0 {
            let found = mask;
            mask = (mask | !able).wrapping_add(1) & able;
            if found.count() == ones {
                return Some(found);
            }
        }
        None
    })
}

fn hidden_set(board: &Board, size: u32) -> Option<Hint> {
    for (house, digits, places) in hidden_sets(board, size, size as u8) {
        for digit in bits(0x1ff & !digits) {
            let all = board.places[house][digit];
            let left = all & !places;
            if all.count() > 1 && left.count() == 1 {
                let cell = HOUSE_CELLS[house][left.trailing_zeros() as usize];
                let (technique, difficulty) = match size {
                    2 => (Technique::DirectHiddenPair, 2.0),
                    _ => (Technique::DirectHiddenTriplet, 2.5),
                };
                return Some(Hint::place(technique, difficulty, usize::from(cell), digit));
            }
        }
    }
    None
}

/// The place of a cell within a house that holds it.
pub fn place_of(cell: usize, house: usize) -> usize {
    let kind = house / 9;
    debug_assert_eq!(usize::from(HOUSES_OF[cell][kind]), house);
    usize::from(super::board::PLACES_OF[cell][kind])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_rise() {
        assert_eq!(combinations_within(0b1101, 2).collect::<Vec<_>>(), [0b101, 0b1001, 0b1100]);
        assert_eq!(combinations_within(0b1, 2).count(), 0);
        assert_eq!(combinations_within(0x1ff, 4).count(), 126);
    }
}
