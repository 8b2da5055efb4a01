//! Singles, locked candidates and subsets, in the order in which HoDoKu looks for them.

use super::board::{Board, GEOMETRY, cells, digits};
use super::method::Method;
use super::step::Step;

const ROWS: std::ops::Range<usize> = 0..9;
const COLUMNS: std::ops::Range<usize> = 9..18;
const BOXES: std::ops::Range<usize> = 18..27;

/// The last open cell of a house, among the cells with one candidate.
pub fn full_house(board: &Board) -> Option<Step> {
    board.naked.iter().find_map(|&(cell, digit)| {
        let is_last = |&house: &u8| {
            (0..9).all(|other| other == usize::from(digit) || board.free[usize::from(house)][other] == 0)
        };
        let is_open = board.values[usize::from(cell)] == 0;
        (is_open && GEOMETRY.houses_of[usize::from(cell)].iter().any(is_last))
            .then(|| Step::place(usize::from(cell), usize::from(digit)))
    })
}

/// The next cell with one candidate.
pub fn naked_single(board: &mut Board) -> Option<Step> {
    while let Some((cell, digit)) = board.naked.pop_front() {
        if board.values[usize::from(cell)] == 0 {
            return Some(Step::place(usize::from(cell), usize::from(digit)));
        }
    }
    None
}

/// The next digit with one place in a house.
pub fn hidden_single(board: &mut Board) -> Option<Step> {
    while let Some((cell, digit)) = board.hidden.pop_front() {
        let (cell, digit) = (usize::from(cell), usize::from(digit));
        if board.values[cell] == 0 {
            let is_alone = |&house: &u8| board.free[usize::from(house)][digit] == 1;
            // An open cell whose entry has gone stale ends the search, as it does there.
            return GEOMETRY.houses_of[cell].iter().any(is_alone).then(|| Step::place(cell, digit));
        }
    }
    None
}

/// Locked candidates: of a box in a line, or of a line in a box.
pub fn locked_candidates(board: &Board, method: Method) -> Option<Step> {
    let ranges: &[std::ops::Range<usize>] =
        if method == Method::Pointing { &[BOXES] } else { &[ROWS, COLUMNS] };
    ranges.iter().flat_map(|range| range.clone()).find_map(|house| {
        (0..9).find_map(|digit| {
            let count = board.free[house][digit];
            if count != 2 && count != 3 {
                return None;
            }
            let spots = spots_in(board, house, digit);
            let kinds: &[usize] = if method == Method::Pointing { &[0, 1] } else { &[2] };
            let other = kinds.iter().find_map(|&kind| {
                let first = GEOMETRY.houses_of[spots.trailing_zeros() as usize][kind];
                let is_common = cells(spots).all(|cell| GEOMETRY.houses_of[cell][kind] == first);
                (is_common && board.free[usize::from(first)][digit] > count).then_some(usize::from(first))
            })?;
            let gone = spots_in(board, other, digit) & !spots;
            Some(Step::eliminate(cells(gone).map(|cell| (cell, digit))))
        })
    })
}

fn spots_in(board: &Board, house: usize, digit: usize) -> u128 {
    board.spots[digit] & GEOMETRY.houses[house].iter().fold(0, |set, &cell| set | 1 << cell)
}

/// What a search for naked subsets has come across and not reported: others will ask for it.
#[derive(Default)]
pub struct Cached {
    steps: Vec<(Method, Step)>,
    at: usize,
}

/// Naked subsets of so many cells; locked ones alone, or the others alone.
pub fn naked_subset(board: &Board, method: Method, cached: &mut Cached, at: usize) -> Option<Step> {
    let known = cached.steps.iter().find(|(of, _)| *of == method).filter(|_| cached.at == at);
    if let Some((_, step)) = known {
        return Some(step.clone());
    }
    cached.steps.clear();
    cached.at = at;
    let (count, locked) = match method {
        Method::LockedPair => (2, true),
        Method::LockedTriple => (3, true),
        Method::NakedPair => (2, false),
        Method::NakedTriple => (3, false),
        _ => (4, false),
    };
    let ranges: &[std::ops::Range<usize>] = if locked { &[BOXES] } else { &[BOXES, ROWS, COLUMNS] };
    for house in ranges.iter().flat_map(|range| range.clone()) {
        let few: Vec<usize> = GEOMETRY.houses[house]
            .iter()
            .map(|&cell| usize::from(cell))
            .filter(|&cell| (1..=count).contains(&(board.candidates[cell].count_ones() as usize)))
            .collect();
        let mut chosen = Vec::new();
        if let Some(step) = grow_naked(board, &few, (count, locked), &mut chosen, cached) {
            return Some(step);
        }
    }
    None
}

fn grow_naked(
    board: &Board,
    few: &[usize],
    (count, locked): (usize, bool),
    chosen: &mut Vec<usize>,
    cached: &mut Cached,
) -> Option<Step> {
    let union = chosen.iter().fold(0, |union, &cell| union | board.candidates[cell]);
    if union.count_ones() as usize > count {
        return None;
    }
    if chosen.len() == count {
        if union.count_ones() as usize != count {
            return None;
        }
        let (step, is_locked) = naked_step(board, chosen, union)?;
        if is_locked == locked {
            return Some(step);
        }
        let other = match (count, is_locked) {
            (2, true) => Method::LockedPair,
            (2, false) => Method::NakedPair,
            (3, true) => Method::LockedTriple,
            (3, false) => Method::NakedTriple,
            _ => Method::NakedQuadruple,
        };
        cached.steps.push((other, step));
        return None;
    }
    for (place, &cell) in few.iter().enumerate() {
        chosen.push(cell);
        let found = grow_naked(board, &few[place + 1..], (count, locked), chosen, cached);
        chosen.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What a naked subset eliminates, house by house, and whether it is locked: in a box and a line with something to
/// say in both.
fn naked_step(board: &Board, chosen: &[usize], union: u16) -> Option<(Step, bool)> {
    let mut gone: Vec<(usize, usize)> = Vec::new();
    let mut same = [false; 3];
    let mut says = 0;
    let own_box = GEOMETRY.houses_of[chosen[0]][2];
    for (kind, &house) in GEOMETRY.houses_of[chosen[0]].iter().enumerate() {
        same[kind] = chosen.iter().all(|&cell| GEOMETRY.houses_of[cell][kind] == house);
        if !same[kind] {
            continue;
        }
        let mut found = false;
        for cell in GEOMETRY.houses[usize::from(house)].map(usize::from) {
            if chosen.contains(&cell) {
                continue;
            }
            for digit in digits(board.candidates[cell] & union) {
                gone.push((cell, digit));
                found |= kind == 2 || GEOMETRY.houses_of[cell][2] != own_box;
            }
        }
        says += usize::from(found);
    }
    let is_locked = chosen.len() < 4 && says > 1 && same[2] && (same[0] || same[1]);
    (!gone.is_empty()).then(|| (Step::eliminate(gone), is_locked))
}

/// Hidden subsets of so many digits.
pub fn hidden_subset(board: &Board, count: usize) -> Option<Step> {
    [BOXES, ROWS, COLUMNS].into_iter().flatten().find_map(|house| {
        let open = GEOMETRY.houses[house].iter().filter(|&&cell| board.candidates[usize::from(cell)] != 0);
        if open.count() <= count {
            return None;
        }
        let few: Vec<usize> =
            (0..9).filter(|&digit| (1..=count).contains(&usize::from(board.free[house][digit]))).collect();
        grow_hidden(board, house, (&few, count), 0, 0)
    })
}

fn grow_hidden(
    board: &Board,
    house: usize,
    (few, count): (&[usize], usize),
    chosen: u16,
    union: u128,
) -> Option<Step> {
    if chosen.count_ones() as usize == count {
        if union.count_ones() as usize != count {
            return None;
        }
        let gone: Vec<(usize, usize)> = cells(union)
            .flat_map(|cell| digits(board.candidates[cell] & !chosen).map(move |digit| (cell, digit)))
            .collect();
        return (!gone.is_empty()).then(|| Step::eliminate(gone));
    }
    few.iter().enumerate().find_map(|(place, &digit)| {
        let union = union | spots_in(board, house, digit);
        grow_hidden(board, house, (&few[place + 1..], count), chosen | 1 << digit, union)
    })
}
