//! Unique, hidden and avoidable rectangles, in the order in which HoDoKu looks for them.
//!
//! A search goes through all rectangles until it finds one of the type wanted; what it comes across before is kept
//! for the searches that follow at the same position, and these look at nothing else.

use super::board::{Board, GEOMETRY, cells, digits};
use super::method::Method;
use super::step::Step;

/// What a search came across.
#[derive(Default)]
pub struct Cached {
    steps: Vec<(Method, Step)>,
    /// The position, and whether the rectangles were avoidable ones.
    at: Option<(usize, bool)>,
}

/// The first rectangle of a type.
pub fn find(board: &Board, method: Method, cached: &mut Cached, at: usize) -> Option<Step> {
    let is_avoidable = matches!(method, Method::Avoidable1 | Method::Avoidable2);
    if cached.at == Some((at, is_avoidable)) {
        return cached.steps.iter().find(|(of, _)| *of == method).map(|(_, step)| step.clone());
    }
    cached.steps.clear();
    cached.at = Some((at, is_avoidable));
    let mut search = Search { board, wanted: method, seen: Vec::new(), aside: &mut cached.steps };
    (0..81).find_map(|cell| match is_avoidable {
        true => search.avoidable_from(cell),
        false => search.unique_from(cell),
    })
}

struct Search<'s> {
    board: &'s Board,
    wanted: Method,
    /// Rectangles looked at, by the number that HoDoKu gives them: some share one.
    seen: Vec<usize>,
    aside: &'s mut Vec<(Method, Step)>,
}

/// Where a digit would go if nothing but placed digits counted.
fn is_allowed(board: &Board, cell: usize, digit: usize) -> bool {
    board.values[cell] == 0
        && cells(GEOMETRY.peers[cell]).all(|peer| usize::from(board.values[peer]) != digit + 1)
}

/// The other cells of the box of a cell that share a line with it, and for each the lines that lead away.
fn beside(cell: usize) -> impl Iterator<Item = (usize, [usize; 2])> {
    let own = GEOMETRY.houses_of[cell].map(usize::from);
    GEOMETRY.houses[own[2]].map(usize::from).into_iter().filter_map(move |other| {
        let there = GEOMETRY.houses_of[other].map(usize::from);
        if other == cell || (own[0] != there[0] && own[1] != there[1]) {
            return None;
        }
        Some((other, if own[0] == there[0] { [own[1], there[1]] } else { [own[0], there[0]] }))
    })
}

impl Search<'_> {
    /// Takes a step, or puts it aside for those who look for its kind.
    fn offer(&mut self, method: Method, step: Step) -> Option<Step> {
        if step.gone.is_empty() {
            return None;
        }
        if method == self.wanted {
            return Some(step);
        }
        self.aside.push((method, step));
        None
    }

    fn is_new(&mut self, mut corners: [usize; 4]) -> bool {
        corners.sort_unstable();
        let number = corners.iter().fold(0, |number, corner| number * 10 + corner);
        let is_new = !self.seen.contains(&number);
        if is_new && self.seen.len() < 400 {
            self.seen.push(number);
        }
        is_new
    }

    fn unique_from(&mut self, first: usize) -> Option<Step> {
        let board = self.board;
        if board.candidates[first].count_ones() != 2 {
            return None;
        }
        let pair = board.candidates[first];
        let mut two = digits(pair);
        let (a, b) = (two.next()?, two.next()?);
        for (second, away) in beside(first) {
            if !is_allowed(board, second, a) || !is_allowed(board, second, b) {
                continue;
            }
            for seat in 0..9 {
                let corners = away.map(|line| usize::from(GEOMETRY.houses[line][seat]));
                let [third, fourth] = corners;
                if GEOMETRY.houses_of[third][2] == GEOMETRY.houses_of[first][2] {
                    continue;
                }
                // Of the third corner HoDoKu asks for the first digit alone.
                let may = is_allowed(board, third, a)
                    && is_allowed(board, fourth, a)
                    && is_allowed(board, fourth, b);
                if may && self.is_new([first, second, third, fourth]) {
                    let found = self.judge([first, second, third, fourth], [a, b]);
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    fn judge(&mut self, corners: [usize; 4], pair: [usize; 2]) -> Option<Step> {
        let board = self.board;
        let mask = 1u16 << pair[0] | 1 << pair[1];
        let mut sorted = corners;
        sorted.sort_unstable();
        let (floor, roof): (Vec<usize>, Vec<usize>) =
            sorted.into_iter().partition(|&cell| board.candidates[cell] & !mask == 0);
        if floor.len() == 3 {
            let gone = digits(board.candidates[roof[0]] & mask).map(|digit| (roof[0], digit));
            let step = Step::eliminate(gone);
            if let Some(step) = self.offer(Method::Uniqueness1, step) {
                return Some(step);
            }
        }
        let extras = roof.iter().fold(0, |extras, &cell| extras | board.candidates[cell] & !mask);
        if (floor.len() == 2 || floor.len() == 1) && extras.count_ones() == 1 {
            let extra = extras.trailing_zeros() as usize;
            let seen = roof.iter().fold(board.spots[extra], |seen, &cell| seen & GEOMETRY.peers[cell]);
            let is_apart = roof.len() == 3 || roof[0] / 9 != roof[1] / 9 && roof[0] % 9 != roof[1] % 9;
            let method = if is_apart { Method::Uniqueness5 } else { Method::Uniqueness2 };
            let step = Step::eliminate(cells(seen).map(|cell| (cell, extra)));
            if let Some(step) = self.offer(method, step) {
                return Some(step);
            }
        }
        if let [one, other] = roof[..] {
            for kind in [0, 1, 2] {
                let house = usize::from(GEOMETRY.houses_of[one][kind]);
                if house != usize::from(GEOMETRY.houses_of[other][kind]) {
                    continue;
                }
                if let Some(step) = self.subset(house, &corners, [one, other], (mask, extras)) {
                    return Some(step);
                }
            }
            if let Some(step) = self.locked(&corners, [one, other], pair) {
                return Some(step);
            }
        }
        let is_diagonal = floor.len() == 2 && floor[0] / 9 != floor[1] / 9 && floor[0] % 9 != floor[1] % 9;
        if floor.len() == 1 || is_diagonal {
            for &corner in &floor {
                if let Some(step) = self.hidden(&corners, corner, pair) {
                    return Some(step);
                }
            }
        }
        None
    }

    /// Type 3: the extras of the roof and other cells of the house are a naked subset.
    fn subset(
        &mut self,
        house: usize,
        corners: &[usize; 4],
        roof: [usize; 2],
        (mask, extras): (u16, u16),
    ) -> Option<Step> {
        let board = self.board;
        let others: Vec<usize> = GEOMETRY.houses[house]
            .map(usize::from)
            .into_iter()
            .filter(|cell| !corners.contains(cell))
            .filter(|&cell| board.candidates[cell] != 0 && board.candidates[cell] & mask == 0)
            .collect();
        self.grow_subset(house, &others, extras, &roof)
    }

    fn grow_subset(&mut self, house: usize, others: &[usize], held: u16, chosen: &[usize]) -> Option<Step> {
        let board = self.board;
        for (place, &cell) in others.iter().enumerate() {
            let held = held | board.candidates[cell];
            let chosen: Vec<usize> = chosen.iter().copied().chain([cell]).collect();
            let common = |kind: usize| {
                let first = GEOMETRY.houses_of[chosen[0]][kind];
                chosen.iter().all(|&cell| GEOMETRY.houses_of[cell][kind] == first)
            };
            let is_line = common(0) || common(1);
            if (house < 18 || !is_line) && held.count_ones() as usize == chosen.len() - 1 {
                let mut gone = Vec::new();
                let mut clear = |house: usize| {
                    for cell in GEOMETRY.houses[house].map(usize::from) {
                        if !chosen.contains(&cell) {
                            gone.extend(digits(board.candidates[cell] & held).map(|digit| (cell, digit)));
                        }
                    }
                };
                clear(house);
                if house < 18 && common(2) {
                    clear(usize::from(GEOMETRY.houses_of[chosen[0]][2]));
                }
                // What a box alone would lose does not count.
                let in_house =
                    |&(cell, _): &(usize, usize)| GEOMETRY.houses_of[cell].contains(&(house as u8));
                if !gone.iter().any(in_house) {
                    gone.clear();
                }
                if let Some(step) = self.offer(Method::Uniqueness3, Step::eliminate(gone)) {
                    return Some(step);
                }
            }
            let found = self.grow_subset(house, &others[place + 1..], held, &chosen);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Types 4 and 6: one of the digits has no other place, so the other one, or in type 6 the same one, goes.
    fn locked(&mut self, corners: &[usize; 4], [one, other]: [usize; 2], pair: [usize; 2]) -> Option<Step> {
        let board = self.board;
        let is_facing = one / 9 == other / 9 || one % 9 == other % 9;
        let around = if is_facing {
            GEOMETRY.peers[one] & GEOMETRY.peers[other]
        } else {
            let lines = [one, other].into_iter().flat_map(|cell| &GEOMETRY.houses_of[cell][..2]);
            let set = lines
                .flat_map(|&line| GEOMETRY.houses[usize::from(line)])
                .fold(0, |set, cell| set | 1u128 << cell);
            corners.iter().fold(set, |set, corner| set & !(1 << corner))
        };
        let free = pair.iter().position(|&digit| board.spots[digit] & around == 0)?;
        let (method, digit) = match is_facing {
            true => (Method::Uniqueness4, pair[1 - free]),
            false => (Method::Uniqueness6, pair[free]),
        };
        let gone = [one, other].into_iter().filter(|&cell| board.may_hold(cell, digit));
        let step = Step::eliminate(gone.map(|cell| (cell, digit)));
        self.offer(method, step)
    }

    fn hidden(&mut self, corners: &[usize; 4], corner: usize, pair: [usize; 2]) -> Option<Step> {
        let board = self.board;
        let opposite = *corners.iter().find(|&&cell| cell / 9 != corner / 9 && cell % 9 != corner % 9)?;
        let inside = corners.iter().fold(0u128, |set, &cell| set | 1 << cell);
        for [linked, gone] in [pair, [pair[1], pair[0]]] {
            let lines = &GEOMETRY.houses_of[opposite][..2];
            let is_tied = lines.iter().all(|&line| {
                let cells =
                    GEOMETRY.houses[usize::from(line)].iter().fold(0u128, |set, &cell| set | 1 << cell);
                board.spots[linked] & cells & !inside == 0
            });
            if is_tied && board.may_hold(opposite, gone) {
                let step = Step::eliminate([(opposite, gone)]);
                if let Some(step) = self.offer(Method::HiddenRectangle, step) {
                    return Some(step);
                }
            }
        }
        None
    }

    fn avoidable_from(&mut self, first: usize) -> Option<Step> {
        let board = self.board;
        let placed = |cell: usize| {
            (board.values[cell] != 0 && board.givens & 1 << cell == 0)
                .then(|| usize::from(board.values[cell]) - 1)
        };
        let a = placed(first)?;
        for (second, away) in beside(first) {
            let Some(b) = placed(second) else { continue };
            for seat in 0..9 {
                let [third, fourth] = away.map(|line| usize::from(GEOMETRY.houses[line][seat]));
                if GEOMETRY.houses_of[third][2] == GEOMETRY.houses_of[first][2] {
                    continue;
                }
                let is_pair = |cell: usize, digit: usize| {
                    board.values[cell] == 0
                        && board.may_hold(cell, digit)
                        && board.candidates[cell].count_ones() == 2
                };
                let is_one = (placed(third) == Some(b) && is_pair(fourth, a))
                    || (placed(fourth) == Some(a) && is_pair(third, b));
                let is_two = is_pair(third, b) && is_pair(fourth, a);
                if !(is_one || is_two) || !self.is_new([first, second, third, fourth]) {
                    continue;
                }
                let found = if is_one {
                    let gone = if board.values[third] != 0 { (fourth, a) } else { (third, b) };
                    self.offer(Method::Avoidable1, Step::eliminate([gone]))
                } else {
                    let extra = digits(board.candidates[third]).find(|&digit| digit != b)?;
                    if !board.may_hold(fourth, extra) {
                        continue;
                    }
                    let seen = board.spots[extra] & GEOMETRY.peers[third] & GEOMETRY.peers[fourth];
                    let step = Step::eliminate(cells(seen).map(|cell| (cell, extra)));
                    self.offer(Method::Avoidable2, step)
                };
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }
}
