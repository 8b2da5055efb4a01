//! Unique loops: rectangles and longer loops of two digits, one of whose cells must hold something else.

use super::board::{Board, HOUSE_CELLS, HOUSES_OF, Mask, PEERS, bits, cells, common_houses, has_two};
use super::direct::{combinations_within, place_of};
use super::hint::Hint;
use super::technique::Technique;

/// A loop with its two digits.
struct Loop<'a> {
    cells: &'a [u8],
    first: usize,
    second: usize,
}

impl Loop<'_> {
    /// The two digits as a mask.
    fn pair(&self) -> u16 {
        1 << self.first | 1 << self.second
    }

    fn difficulty(&self) -> f64 {
        let base = if self.cells.len() >= 10 { 4.5 + 0.3 } else { 4.5 };
        match self.cells.len() {
            8.. => base + 0.2,
            6.. => base + 0.1,
            _ => base,
        }
    }
}

/// The easiest step, of a type as low as possible, found first.
struct Best {
    hint: Option<(Hint, u8)>,
}

impl Best {
    fn offer(&mut self, difficulty: f64, kind: u8, removals: Vec<(u8, u16)>) {
        let is_better = self.hint.as_ref().is_none_or(|(hint, of_type)| {
            difficulty < hint.difficulty || difficulty == hint.difficulty && kind < *of_type
        });
        if is_better && let Some(hint) = Hint::remove(Technique::UniqueLoop, difficulty, removals) {
            self.hint = Some((hint, kind));
        }
    }
}

/// The step that the Explainer takes, if there is a loop.
pub fn find(board: &Board) -> Option<Hint> {
    let mut best = Best { hint: None };
    for start in (0..81).filter(|&cell| board.candidates[cell].count() == 2) {
        let mut digits = bits(board.candidates[start]);
        let (Some(first), Some(second)) = (digits.next(), digits.next()) else { continue };
        let by_digit = [first, second].map(|digit| set_of(board, digit));
        let able = by_digit[0] & by_digit[1];
        if !has_two(PEERS[start] & able) {
            continue;
        }
        let mut found = Vec::new();
        let mut walk =
            Walk { board, pair: board.candidates[start], able, cells: Vec::new(), found: &mut found };
        walk.extend(start, 2, 0, usize::MAX);
        for cells in &found {
            examine(board, &Loop { cells, first, second }, &mut best);
        }
    }
    best.hint.map(|(hint, _)| hint)
}

/// The cells that may hold a digit.
fn set_of(board: &Board, digit: usize) -> u128 {
    (0..9).fold(0, |set, row| set | u128::from(board.places[9 + row][digit]) << (9 * row))
}

/// A walk from cell to cell that may close to a loop.
struct Walk<'a> {
    board: &'a Board,
    pair: u16,
    /// The cells that may hold both digits.
    able: u128,
    cells: Vec<u8>,
    found: &'a mut Vec<Vec<u8>>,
}

impl Walk<'_> {
    /// Goes on to a cell, and from there on. `extra` digits gather from one neighbour to the next, whether the
    /// walk went there or not: so does the Explainer.
    fn extend(&mut self, cell: usize, may_exceed: i32, mut extra: u16, last_kind: usize) {
        self.cells.push(cell as u8);
        let start = usize::from(self.cells[0]);
        for kind in (0..3).filter(|&kind| kind != last_kind) {
            for &next in &HOUSE_CELLS[usize::from(HOUSES_OF[cell][kind])] {
                let next = usize::from(next);
                if next == start && self.cells.len() >= 4 {
                    self.close();
                } else if self.able >> next & 1 != 0 && !self.cells.contains(&(next as u8)) {
                    let candidates = self.board.candidates[next];
                    extra = (extra | candidates) & !self.pair;
                    let is_bivalue = candidates.count() == 2;
                    if is_bivalue || extra.count() == 1 || may_exceed > 0 {
                        self.extend(next, may_exceed - i32::from(!is_bivalue), extra, kind);
                    }
                }
            }
        }
        self.cells.pop();
    }

    /// Keeps a loop each of whose houses is visited once by each of its two colours.
    fn close(&mut self) {
        let mut visited = [0u32; 2];
        for (place, &cell) in self.cells.iter().enumerate() {
            for house in HOUSES_OF[usize::from(cell)] {
                if visited[place % 2] & 1 << house != 0 {
                    return;
                }
                visited[place % 2] |= 1 << house;
            }
        }
        if visited[0] == visited[1] {
            self.found.push(self.cells.clone());
        }
    }
}

fn examine(board: &Board, unique: &Loop<'_>, best: &mut Best) {
    let has_more = |cell: &&u8| board.candidates[usize::from(**cell)].count() > 2;
    let roof: Vec<usize> = unique.cells.iter().filter(has_more).map(|&cell| usize::from(cell)).collect();
    match roof[..] {
        [] => {}
        [cell] => best.offer(unique.difficulty(), 1, vec![(cell as u8, unique.pair())]),
        [one, other] => {
            let extra = (board.candidates[one] | board.candidates[other]) & !unique.pair();
            if extra.count() == 1 {
                common_extra(board, unique, &roof, best);
            } else {
                naked_or_hidden(board, unique, [one, other], best);
            }
            locked_pair(board, unique, [one, other], best);
        }
        _ => common_extra(board, unique, &roof, best),
    }
}

/// Type 2: the roof shares one extra digit.
fn common_extra(board: &Board, unique: &Loop<'_>, roof: &[usize], best: &mut Best) {
    let extra = board.candidates[roof[0]] & !unique.pair();
    let digit = extra.trailing_zeros() as usize;
    let seen = roof.iter().fold(u128::MAX, |seen, &cell| seen & PEERS[cell]) & set_of(board, digit);
    let removals = cells(seen).filter(|cell| !roof.contains(cell));
    best.offer(unique.difficulty(), 2, removals.map(|cell| (cell as u8, 1 << digit)).collect());
}

/// Type 3: the extra digits of two cells are part of a naked or a hidden set.
fn naked_or_hidden(board: &Board, unique: &Loop<'_>, roof: [usize; 2], best: &mut Best) {
    let extra = (board.candidates[roof[0]] | board.candidates[roof[1]]) & !unique.pair();
    for size in extra.count()..=7 {
        for house in common_houses(roof[0], roof[1]) {
            let open = u32::from(board.open[house]);
            if 2 * size <= open {
                naked(board, unique, roof, (house, size, extra), best);
            }
            if 2 * size < open {
                hidden(board, unique, roof, (house, size, extra), best);
            }
        }
    }
}

fn naked(
    board: &Board,
    unique: &Loop<'_>,
    roof: [usize; 2],
    (house, size, extra): (usize, u32, u16),
    best: &mut Best,
) {
    let roof_places = roof.map(|cell| 1u16 << place_of(cell, house));
    let candidates_at = |place: usize| board.candidates[usize::from(HOUSE_CELLS[house][place])];
    let both = extra & board.candidates[roof[0]] & board.candidates[roof[1]];
    for places in combinations_within(0x1ff & !roof_places[1], size) {
        let others = places & !roof_places[0];
        if others == places || bits(others).any(|place| candidates_at(place).count() < 2) {
            continue;
        }
        let union = bits(others).fold(0, |union, place| union | candidates_at(place));
        if (union | both).count() != size || (union | extra).count() != size {
            continue;
        }
        let digits = union | extra;
        let rest = bits(0x1ff & !others & !roof_places[0] & !roof_places[1]);
        let removals = rest.map(|place| (HOUSE_CELLS[house][place], candidates_at(place) & digits));
        let difficulty = unique.difficulty() + f64::from(size - 1) * 0.1;
        best.offer(difficulty, 3, removals.filter(|(_, mask)| *mask != 0).collect());
    }
}

fn hidden(
    board: &Board,
    unique: &Loop<'_>,
    roof: [usize; 2],
    (house, size, extra): (usize, u32, u16),
    best: &mut Best,
) {
    let roof_places = roof.map(|cell| 1u16 << place_of(cell, house));
    let rest = 0x1ff & !extra & !unique.pair();
    let sets: Vec<u16> = if size == 2 { vec![0] } else { combinations_within(rest, size - 2).collect() };
    for set in sets {
        let digits = set | unique.pair();
        let places_of = |digit: usize| board.places[house][digit] & !roof_places[1];
        let places = bits(digits).fold(0, |places, digit| places | places_of(digit));
        if bits(digits).any(|digit| places_of(digit) == 0) || places.count() != size {
            continue;
        }
        let places = places & !roof_places[0];
        let removals = bits(places).map(|place| {
            let cell = HOUSE_CELLS[house][place];
            (cell, board.candidates[usize::from(cell)] & !digits)
        });
        let difficulty = unique.difficulty() + (f64::from(places.count()) - 1.0) * 0.1;
        best.offer(difficulty, 3, removals.filter(|(_, mask)| *mask != 0).collect());
    }
}

/// Type 4: one of the two digits is locked in the roof, so the other goes.
fn locked_pair(board: &Board, unique: &Loop<'_>, roof: [usize; 2], best: &mut Best) {
    let mut is_locked = [false; 2];
    for house in common_houses(roof[0], roof[1]) {
        let places = roof.map(|cell| 1u16 << place_of(cell, house));
        for (which, digit) in [unique.first, unique.second].into_iter().enumerate() {
            is_locked[which] |= board.places[house][digit] & !(places[0] | places[1]) == 0;
        }
    }
    let digit = match is_locked {
        [true, _] => unique.second,
        [false, true] => unique.first,
        _ => return,
    };
    best.offer(unique.difficulty(), 4, roof.map(|cell| (cell as u8, 1 << digit)).to_vec());
}
