//! Steps that remove candidates by intersections, sets, fish and wings.

use super::board::{Board, HOUSE_CELLS, Mask, PEER_LIST, PEERS, SHARED, bits, cells, has_two};
use super::direct::{combinations_within, hidden_sets, houses, locked};
use super::hint::Hint;
use super::technique::Technique;

/// Intersections.
pub fn find_locking(board: &Board) -> Option<Hint> {
    locked(board).find_map(|(house, other, digit)| {
        let (technique, difficulty) =
            if house < 9 { (Technique::Pointing, 2.6) } else { (Technique::Claiming, 2.8) };
        Hint::remove(technique, difficulty, locking_removals(board, house, other, digit))
    })
}

/// What an intersection removes, in the order of the house that loses.
fn locking_removals(board: &Board, house: usize, other: usize, digit: usize) -> Vec<(u8, u16)> {
    let places = board.places[other][digit] & !SHARED[other][house];
    bits(places).map(|place| (HOUSE_CELLS[other][place], 1 << digit)).collect()
}

/// The naked sets of so many cells: house, places, digits.
pub fn naked_sets(board: &Board, size: u32) -> impl Iterator<Item = (usize, u16, u16)> + '_ {
    houses()
        .filter(move |&house| u32::from(board.open[house]) >= 2 * size)
        .flat_map(move |house| {
            let mut able = 0;
            for (place, &cell) in HOUSE_CELLS[house].iter().enumerate() {
                let count = board.candidates[usize::from(cell)].count();
                able |= u16::from((2..=size).contains(&count)) << place;
            }
            let union = move |places: u16| {
                bits(places)
                    .fold(0, |union, place| union | board.candidates[usize::from(HOUSE_CELLS[house][place])])
            };
            combinations_within(able, size).map(move |places| (house, places, union(places)))
        })
        .filter(move |(_, _, digits)| digits.count() == size)
}

/// Naked sets of 2 to 4 cells.
pub fn find_naked(board: &Board, size: u32) -> Option<Hint> {
    let (technique, difficulty) = match size {
        2 => (Technique::NakedPair, 3.0),
        3 => (Technique::NakedTriplet, 3.6),
        _ => (Technique::NakedQuad, 5.0),
    };
    naked_sets(board, size).find_map(|(house, places, digits)| {
        let removals = HOUSE_CELLS[house].iter().enumerate().filter(|(place, _)| places & 1 << place == 0);
        let removals = removals.map(|(_, &cell)| (cell, board.candidates[usize::from(cell)] & digits));
        Hint::remove(technique, difficulty, removals.filter(|(_, mask)| *mask != 0).collect())
    })
}

/// Hidden sets of 2 to 4 digits.
pub fn find_hidden(board: &Board, size: u32) -> Option<Hint> {
    let (technique, difficulty) = match size {
        2 => (Technique::HiddenPair, 3.4),
        3 => (Technique::HiddenTriplet, 4.0),
        _ => (Technique::HiddenQuad, 5.4),
    };
    hidden_sets(board, size, 2 * size as u8).find_map(|(house, digits, places)| {
        let removals = bits(places).map(|place| {
            let cell = HOUSE_CELLS[house][place];
            (cell, board.candidates[usize::from(cell)] & !digits)
        });
        Hint::remove(technique, difficulty, removals.filter(|(_, mask)| *mask != 0).collect())
    })
}

/// A fish: its base lines (18 for columns, 9 for rows, and a mask), its cover mask and digit.
pub struct Fish {
    /// The first house of the base's kind.
    pub base: usize,
    /// The base lines.
    pub lines: u16,
    /// The cover lines.
    pub covers: u16,
    /// The digit.
    pub digit: usize,
}

/// The fish of so many lines, columns before rows.
pub fn fish(board: &Board, size: u32) -> impl Iterator<Item = Fish> + '_ {
    [18, 9]
        .into_iter()
        .flat_map(move |base| {
            // For each digit the lines with few enough places.
            let able: [u16; 9] = std::array::from_fn(|digit| {
                let has_room = u32::from(board.placed[digit]) + 2 * size <= 9;
                let lines = (0..9).filter(|line| {
                    has_room && (2..=size).contains(&board.places[base + line][digit].count())
                });
                let lines = lines.fold(0, |lines, line| lines | 1 << line);
                if lines.count() >= size { lines } else { 0 }
            });
            let any = able.iter().fold(0, |any, lines| any | lines);
            combinations_within(any, size).flat_map(move |lines| {
                (0..9).filter(move |&digit| lines & !able[digit] == 0).map(move |digit| {
                    let covers =
                        bits(lines).fold(0, |covers, line| covers | board.places[base + line][digit]);
                    Fish { base, lines, covers, digit }
                })
            })
        })
        .filter(move |fish| fish.covers.count() == size)
}

/// What a fish removes: in each cover line in turn.
pub fn fish_removals(board: &Board, fish: &Fish) -> Vec<(u8, u16)> {
    let cover = 27 - fish.base;
    let outside = |&line: &usize| board.places[cover + line][fish.digit] & !fish.lines;
    let lines = bits(fish.covers).map(|line| (line, outside(&line)));
    lines
        .flat_map(|(line, places)| {
            bits(places).map(move |place| (HOUSE_CELLS[cover + line][place], 1 << fish.digit))
        })
        .collect()
}

/// Fish of 2 to 4 lines.
pub fn find_fish(board: &Board, size: u32) -> Option<Hint> {
    let (technique, difficulty) = match size {
        2 => (Technique::XWing, 3.2),
        3 => (Technique::Swordfish, 3.8),
        _ => (Technique::Jellyfish, 5.2),
    };
    fish(board, size).find_map(|fish| Hint::remove(technique, difficulty, fish_removals(board, &fish)))
}

/// XY-Wings, or XYZ-Wings.
pub fn find_wing(board: &Board, is_xyz: bool) -> Option<Hint> {
    let (technique, difficulty) = if is_xyz { (Technique::XyzWing, 4.4) } else { (Technique::XyWing, 4.2) };
    let bivalue = (0..81).filter(|&cell| board.candidates[cell].count() == 2);
    let bivalue = bivalue.fold(0u128, |set, cell| set | 1 << cell);
    let by_digit = board.by_digit();
    for pivot in (0..81).filter(|&cell| board.candidates[cell].count() == 2 + u32::from(is_xyz)) {
        if !has_two(PEERS[pivot] & bivalue) {
            continue;
        }
        let pincers = || {
            PEER_LIST[pivot].iter().map(|&cell| usize::from(cell)).filter(|&cell| bivalue >> cell & 1 != 0)
        };
        for one in pincers() {
            if (board.candidates[pivot] & !board.candidates[one]).count() != 1 {
                continue;
            }
            for other in pincers().filter(|&other| is_wing(board, pivot, one, other, is_xyz)) {
                let digit = (board.candidates[one] & board.candidates[other]).trailing_zeros() as usize;
                let mut seen =
                    PEERS[one] & PEERS[other] & by_digit[digit] & !(1 << pivot | 1 << one | 1 << other);
                if is_xyz {
                    seen &= PEERS[pivot];
                }
                let removals = cells(seen).map(|cell| (cell as u8, 1 << digit)).collect();
                if let Some(hint) = Hint::remove(technique, difficulty, removals) {
                    return Some(hint);
                }
            }
        }
    }
    None
}

fn is_wing(board: &Board, pivot: usize, one: usize, other: usize, is_xyz: bool) -> bool {
    let [pivot, one, other] = [pivot, one, other].map(|cell| board.candidates[cell]);
    (pivot | one | other).count() == 3 && (pivot & one & other).count() == u32::from(is_xyz)
}
