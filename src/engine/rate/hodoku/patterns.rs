//! Skyscrapers, kites, empty rectangles, wings and graves, in the order in which HoDoKu looks for them.

use super::board::{Board, GEOMETRY, cells, digits};
use super::step::Step;

fn set_of(house: usize) -> u128 {
    GEOMETRY.houses[house].iter().fold(0, |set, &cell| set | 1 << cell)
}

fn spots_in(board: &Board, house: usize, digit: usize) -> u128 {
    board.spots[digit] & set_of(house)
}

/// The two places of a digit in a house.
fn pair_in(board: &Board, house: usize, digit: usize) -> Option<[usize; 2]> {
    let spots = spots_in(board, house, digit);
    (spots.count_ones() == 2).then(|| {
        let first = spots.trailing_zeros() as usize;
        [first, (spots & !(1 << first)).trailing_zeros() as usize]
    })
}

fn of_digit(gone: u128, digit: usize) -> Option<Step> {
    (gone != 0).then(|| Step::eliminate(cells(gone).map(|cell| (cell, digit))))
}

/// Two lines with two places each, of which two face each other.
pub fn skyscraper(board: &Board) -> Option<Step> {
    for (lines, kind) in [(0..9, 1), (9..18, 0)] {
        for digit in 0..9 {
            let pairs: Vec<[usize; 2]> =
                lines.clone().filter_map(|house| pair_in(board, house, digit)).collect();
            for (place, one) in pairs.iter().enumerate() {
                for other in &pairs[place + 1..] {
                    let faces = |end: usize| {
                        GEOMETRY.houses_of[one[end]][kind] == GEOMETRY.houses_of[other[end]][kind]
                    };
                    let top = match (faces(0), faces(1)) {
                        (true, false) => 1,
                        (false, true) => 0,
                        _ => continue,
                    };
                    let seen = GEOMETRY.peers[one[top]] & GEOMETRY.peers[other[top]];
                    if let Some(step) = of_digit(board.spots[digit] & seen, digit) {
                        return Some(step);
                    }
                }
            }
        }
    }
    None
}

/// A row and a column with two places each, of which two share a box.
pub fn two_string_kite(board: &Board) -> Option<Step> {
    for digit in 0..9 {
        let of = |houses: std::ops::Range<usize>| -> Vec<[usize; 2]> {
            houses.filter_map(|house| pair_in(board, house, digit)).collect()
        };
        let (mut rows, mut columns) = (of(0..9), of(9..18));
        for row in &mut rows {
            for column in &mut columns {
                let shares =
                    |one: usize, other: usize| GEOMETRY.houses_of[one][2] == GEOMETRY.houses_of[other][2];
                // The ends that share a box come first, and stay so for the pairs that follow.
                if shares(row[0], column[0]) {
                } else if shares(row[0], column[1]) {
                    column.swap(0, 1);
                } else if shares(row[1], column[0]) {
                    row.swap(0, 1);
                } else if shares(row[1], column[1]) {
                    column.swap(0, 1);
                    row.swap(0, 1);
                } else {
                    continue;
                }
                if row.iter().any(|cell| column.contains(cell)) {
                    continue;
                }
                let crossing = column[1] / 9 * 9 + row[1] % 9;
                if board.may_hold(crossing, digit) {
                    return Some(Step::eliminate([(crossing, digit)]));
                }
            }
        }
    }
    None
}

/// A box whose places of a digit lie in one row and one column, and a strong link.
pub fn empty_rectangle(board: &Board) -> Option<Step> {
    for digit in 0..9 {
        for house in 18..27 {
            if !(2..=5).contains(&board.free[house][digit]) {
                continue;
            }
            let spots = spots_in(board, house, digit);
            let corner = usize::from(GEOMETRY.houses[house][0]);
            for place in 0..9 {
                // The places to be empty are listed from the last row and column on.
                let (row, column) = (corner / 9 + 2 - place / 3, corner % 9 + 2 - place % 3);
                if let Some(step) = rectangle_at(board, digit, (house, spots), row, column) {
                    return Some(step);
                }
            }
        }
    }
    None
}

fn rectangle_at(
    board: &Board,
    digit: usize,
    (house, spots): (usize, u128),
    row: usize,
    column: usize,
) -> Option<Step> {
    let (in_row, in_column) = (spots & set_of(row), spots & set_of(9 + column));
    let is_cross = spots & !(set_of(row) | set_of(9 + column)) == 0;
    if !is_cross || in_row & !in_column == 0 || in_column & !in_row == 0 {
        return None;
    }
    if in_row.count_ones() < 2 && in_column.count_ones() < 2 {
        return None;
    }
    let outside = |cell: &usize| usize::from(GEOMETRY.houses_of[*cell][2]) != house;
    for is_turned in [false, true] {
        let line = if is_turned { 9 + column } else { row };
        for cell in GEOMETRY.houses[line].map(usize::from).into_iter().filter(outside) {
            if !board.may_hold(cell, digit) {
                continue;
            }
            let across = if is_turned { cell / 9 } else { 9 + cell % 9 };
            let Some(pair) = pair_in(board, across, digit) else { continue };
            let far = if pair[0] == cell { pair[1] } else { pair[0] };
            let target = if is_turned { row * 9 + far % 9 } else { far / 9 * 9 + column };
            if outside(&target) && board.may_hold(target, digit) {
                return Some(Step::eliminate([(target, digit)]));
            }
        }
    }
    None
}

fn with_candidates(board: &Board, count: u32) -> Vec<usize> {
    (0..81).filter(|&cell| board.candidates[cell].count_ones() == count).collect()
}

/// Two cells of the same two digits, tied by a strong link of one of them.
pub fn w_wing(board: &Board) -> Option<Step> {
    let pairs = with_candidates(board, 2);
    for (place, &one) in pairs.iter().enumerate() {
        let held: Vec<usize> = digits(board.candidates[one]).collect();
        for &other in &pairs[place + 1..] {
            if board.candidates[one] != board.candidates[other] {
                continue;
            }
            for (gone, linked) in [(held[0], held[1]), (held[1], held[0])] {
                let seen = board.spots[gone] & GEOMETRY.peers[one] & GEOMETRY.peers[other];
                if seen != 0 && are_tied(board, linked, one, other) {
                    return of_digit(seen, gone);
                }
            }
        }
    }
    None
}

fn are_tied(board: &Board, digit: usize, one: usize, other: usize) -> bool {
    (0..27).any(|house| {
        let Some(pair) = pair_in(board, house, digit) else { return false };
        let (mut sees_one, mut sees_other) = (false, false);
        for cell in pair.into_iter().filter(|&cell| cell != one && cell != other) {
            if GEOMETRY.peers[cell] & 1 << one != 0 {
                sees_one = true;
            } else if GEOMETRY.peers[cell] & 1 << other != 0 {
                sees_other = true;
            }
        }
        sees_one && sees_other
    })
}

/// Three cells of two digits each, or one of three with two of two.
pub fn wing(board: &Board, of_three: bool) -> Option<Step> {
    let pairs = with_candidates(board, 2);
    let firsts = if of_three { with_candidates(board, 3) } else { pairs.clone() };
    for (place, &first) in firsts.iter().enumerate() {
        for second in if of_three { 0 } else { place + 1 }..pairs.len() {
            let held = |cell: usize| board.candidates[cell];
            if (held(first) | held(pairs[second])).count_ones() != 3 {
                continue;
            }
            for &third in &pairs[second + 1..] {
                let trio = [first, pairs[second], third];
                let [a, b, c] = trio.map(held);
                if (a | b | c).count_ones() != 3 || a == b || b == c || c == a {
                    continue;
                }
                let turns: &[[usize; 3]] =
                    if of_three { &[[0, 1, 2]] } else { &[[0, 1, 2], [1, 0, 2], [2, 1, 0]] };
                for turn in turns {
                    if let Some(step) = wing_step(board, turn.map(|place| trio[place]), of_three) {
                        return Some(step);
                    }
                }
            }
        }
    }
    None
}

fn wing_step(board: &Board, [pivot, one, other]: [usize; 3], of_three: bool) -> Option<Step> {
    let peers = &GEOMETRY.peers;
    let common = board.candidates[one] & board.candidates[other];
    if peers[pivot] & 1 << one == 0 || peers[pivot] & 1 << other == 0 || common.count_ones() != 1 {
        return None;
    }
    let digit = common.trailing_zeros() as usize;
    let mut seen = board.spots[digit] & peers[one] & peers[other];
    if of_three {
        seen &= peers[pivot];
    }
    of_digit(seen, digit)
}

/// Simple colours: within one cluster of strong links, a colour that sees itself, or what sees both.
pub fn simple_colours(board: &Board) -> Option<Step> {
    (0..9).find_map(|digit| {
        clusters(board, digit).into_iter().find_map(|colours| {
            let wrapped = colours.iter().filter(|colour| sees_itself(**colour));
            let wrapped: Vec<usize> = wrapped.flat_map(|colour| cells(*colour)).collect();
            if !wrapped.is_empty() {
                return Some(Step::eliminate(wrapped.into_iter().map(|cell| (cell, digit))));
            }
            of_digit(trapped(board, digit, colours[0], colours[1]), digit)
        })
    })
}

/// Multi colours: two clusters, of which one colour sees another.
pub fn multi_colours(board: &Board) -> Option<Step> {
    for digit in 0..9 {
        let clusters = clusters(board, digit);
        for (place, one) in clusters.iter().enumerate() {
            for (other_place, other) in clusters.iter().enumerate() {
                if place == other_place {
                    continue;
                }
                let sees =
                    |colour: u128, seen: u128| cells(colour).any(|cell| GEOMETRY.peers[cell] & seen != 0);
                let doomed = one.iter().filter(|&&colour| sees(colour, other[0]) && sees(colour, other[1]));
                let doomed: Vec<usize> = doomed.flat_map(|&colour| cells(colour)).collect();
                if !doomed.is_empty() {
                    return Some(Step::eliminate(doomed.into_iter().map(|cell| (cell, digit))));
                }
                let mut gone = Vec::new();
                for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if sees(one[a], other[b]) {
                        gone.extend(cells(trapped(board, digit, one[1 - a], other[1 - b])));
                    }
                }
                if !gone.is_empty() {
                    return Some(Step::eliminate(gone.into_iter().map(|cell| (cell, digit))));
                }
            }
        }
    }
    None
}

fn sees_itself(colour: u128) -> bool {
    cells(colour).any(|cell| GEOMETRY.peers[cell] & colour != 0)
}

/// What sees both colours.
fn trapped(board: &Board, digit: usize, one: u128, other: u128) -> u128 {
    let seen = |colour: u128| cells(colour).fold(0, |seen, cell| seen | GEOMETRY.peers[cell]);
    board.spots[digit] & seen(one) & seen(other)
}

/// The clusters of strong links of a digit, each in two colours, by their first cells.
fn clusters(board: &Board, digit: usize) -> Vec<[u128; 2]> {
    let mut left = board.spots[digit];
    let mut clusters = Vec::new();
    for cell in cells(left) {
        if left & 1 << cell == 0 {
            continue;
        }
        let mut colours = [0u128; 2];
        let mut open = vec![(cell, 0)];
        while let Some((cell, colour)) = open.pop() {
            if left & 1 << cell == 0 {
                continue;
            }
            left &= !(1 << cell);
            colours[colour] |= 1 << cell;
            for house in GEOMETRY.houses_of[cell].map(usize::from) {
                if let Some(pair) = pair_in(board, house, digit) {
                    open.extend(
                        pair.into_iter().filter(|&other| other != cell).map(|other| (other, 1 - colour)),
                    );
                }
            }
        }
        if colours[1] != 0 {
            clusters.push(colours);
        }
    }
    clusters
}

/// All open cells hold two candidates but one, which holds three.
pub fn grave(board: &Board) -> Option<Step> {
    let mut odd = None;
    for cell in cells(board.open()) {
        match board.candidates[cell].count_ones() {
            2 => {}
            3 if odd.is_none() => odd = Some(cell),
            _ => return None,
        }
    }
    let cell = odd?;
    // In every house, a digit has two places, but one of that cell's has three in each of its houses.
    let mut extra = None;
    for house in 0..27 {
        for digit in 0..9 {
            match board.free[house][digit] {
                0 | 2 => {}
                3 if GEOMETRY.houses_of[cell].contains(&(house as u8))
                    && extra.is_none_or(|extra| extra == digit) =>
                {
                    extra = Some(digit);
                }
                _ => return None,
            }
        }
    }
    let extra = extra.filter(|&digit| board.may_hold(cell, digit))?;
    let gone = digits(board.candidates[cell]).filter(|&digit| digit != extra);
    Some(Step::eliminate(gone.map(|digit| (cell, digit))))
}
