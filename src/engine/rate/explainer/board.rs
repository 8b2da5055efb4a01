//! The board as the Explainer sees it: digits, candidates by cell and places by house, each a mask.
//!
//! Houses count 0 to 8 boxes, 9 to 17 rows, 18 to 26 columns; a place is a cell's number within its house. The
//! order in which the Explainer meets houses, cells and digits decides which of several equal steps it takes, so
//! every loop over this board says in which order it goes.

use crate::puzzle::{Digit, Puzzle};

/// Cells of a board.
pub const CELLS: usize = 81;
/// Candidates of a board: cell · 9 + digit, both from 0.
pub const CANDIDATES: usize = 729;

/// Boxes, rows, columns: the order of chains.
pub const CHAIN_ORDER: [usize; 3] = [0, 9, 18];
/// Boxes, columns, rows: the order of everything else.
pub const HOUSE_ORDER: [usize; 3] = [0, 18, 9];

/// The cells of each house, by place.
pub static HOUSE_CELLS: [[u8; 9]; 27] = house_cells();
/// The box, row and column of each cell.
pub static HOUSES_OF: [[u8; 3]; CELLS] = houses_of();
/// The place of each cell in its box, row and column.
pub static PLACES_OF: [[u8; 3]; CELLS] = places_of();
/// The peers of each cell as a set.
pub static PEERS: [u128; CELLS] = peers();
/// The peers of each cell in the order of its box, row and column.
pub static PEER_LIST: [[u8; 20]; CELLS] = peer_list();
/// The places of the first house that lie in the second as well.
pub static SHARED: [[u16; 27]; 27] = shared();

const fn house_cells() -> [[u8; 9]; 27] {
    let mut table = [[0; 9]; 27];
    let mut house = 0;
    while house < 9 {
        let mut place = 0;
        while place < 9 {
            table[house][place] = ((house / 3 * 3 + place / 3) * 9 + house % 3 * 3 + place % 3) as u8;
            table[house + 9][place] = (house * 9 + place) as u8;
            table[house + 18][place] = (place * 9 + house) as u8;
            place += 1;
        }
        house += 1;
    }
    table
}

const fn houses_of() -> [[u8; 3]; CELLS] {
    let mut table = [[0; 3]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (row, column) = (cell / 9, cell % 9);
        table[cell] = [(row / 3 * 3 + column / 3) as u8, (row + 9) as u8, (column + 18) as u8];
        cell += 1;
    }
    table
}

const fn places_of() -> [[u8; 3]; CELLS] {
    let mut table = [[0; 3]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (row, column) = (cell / 9, cell % 9);
        table[cell] = [(row % 3 * 3 + column % 3) as u8, column as u8, row as u8];
        cell += 1;
    }
    table
}

const fn peer_list() -> [[u8; 20]; CELLS] {
    let (houses, cells) = (houses_of(), house_cells());
    let mut table = [[0; 20]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (mut found, mut count, mut kind) = (1u128 << cell, 0, 0);
        while kind < 3 {
            let mut place = 0;
            while place < 9 {
                let other = cells[houses[cell][kind] as usize][place];
                if found & 1 << other == 0 {
                    found |= 1 << other;
                    table[cell][count] = other;
                    count += 1;
                }
                place += 1;
            }
            kind += 1;
        }
        cell += 1;
    }
    table
}

const fn peers() -> [u128; CELLS] {
    let list = peer_list();
    let mut table = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut place = 0;
        while place < 20 {
            table[cell] |= 1 << list[cell][place];
            place += 1;
        }
        cell += 1;
    }
    table
}

const fn shared() -> [[u16; 27]; 27] {
    let (houses, cells) = (houses_of(), house_cells());
    let mut table = [[0; 27]; 27];
    let mut house = 0;
    while house < 27 {
        let mut place = 0;
        while place < 9 {
            let of_cell = houses[cells[house][place] as usize];
            let mut kind = 0;
            while kind < 3 {
                table[house][of_cell[kind] as usize] |= 1 << place;
                kind += 1;
            }
            place += 1;
        }
        house += 1;
    }
    table
}

/// The houses that hold two cells: box, row and column.
pub fn common_houses(one: usize, other: usize) -> impl Iterator<Item = usize> {
    let pairs = HOUSES_OF[one].into_iter().zip(HOUSES_OF[other]);
    pairs.filter(|(house, of_other)| house == of_other).map(|(house, _)| usize::from(house))
}

/// How many bits each mask of nine has: the instruction for it is not in every machine that this is built for.
static COUNTS: [u8; 512] = counts();

const fn counts() -> [u8; 512] {
    let mut table = [0; 512];
    let mut mask = 1;
    while mask < 512 {
        table[mask] = table[mask / 2] + (mask % 2) as u8;
        mask += 1;
    }
    table
}

/// A mask of nine digits or places.
pub trait Mask {
    /// How many bits it has.
    fn count(self) -> u32;
}

impl Mask for u16 {
    #[inline]
    fn count(self) -> u32 {
        u32::from(COUNTS[usize::from(self & 0x1ff)])
    }
}

/// Whether a set has two cells or more.
#[inline]
pub fn has_two(set: u128) -> bool {
    set & set.wrapping_sub(1) != 0
}

/// The numbers of the bits of a mask, lowest first.
#[inline]
pub fn bits(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

/// The cells of a set, in reading order.
#[inline]
pub fn cells(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let cell = set.trailing_zeros() as usize;
            set &= set - 1;
            cell
        })
    })
}

/// Digits, candidates and places. Digits count from 0 here.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    /// The digit of each cell, from 1; 0 while it is open.
    pub digits: [u8; CELLS],
    /// The candidates of each open cell; nothing of a filled one.
    pub candidates: [u16; CELLS],
    /// For each house and digit, the places that may hold it.
    pub places: [[u16; 9]; 27],
    /// Open cells of each house.
    pub open: [u8; 27],
    /// Cells that hold each digit.
    pub placed: [u8; 9],
}

impl Board {
    /// The board of a plain puzzle with the candidates that its givens leave.
    pub fn new(puzzle: &Puzzle) -> Board {
        let mut board = Board {
            digits: [0; CELLS],
            candidates: [0x1ff; CELLS],
            places: [[0x1ff; 9]; 27],
            open: [9; 27],
            placed: [0; 9],
        };
        for (cell, given) in puzzle.givens().iter().enumerate() {
            if let Some(digit) = given {
                board.place(cell, digit_index(*digit));
            }
        }
        board
    }

    /// Whether all cells are filled.
    pub fn is_full(&self) -> bool {
        self.placed.iter().map(|&count| u32::from(count)).sum::<u32>() == CELLS as u32
    }

    /// Fills a cell and clears what its digit excludes. A cell that is full already keeps its digit.
    pub fn place(&mut self, cell: usize, digit: usize) {
        if self.digits[cell] != 0 {
            return;
        }
        self.digits[cell] = digit as u8 + 1;
        self.placed[digit] += 1;
        for house in HOUSES_OF[cell] {
            self.open[usize::from(house)] -= 1;
        }
        for other in bits(self.candidates[cell]) {
            self.remove(cell, other);
        }
        for &peer in &PEER_LIST[cell] {
            self.remove(peer as usize, digit);
        }
    }

    /// Removes a candidate.
    pub fn remove(&mut self, cell: usize, digit: usize) {
        self.candidates[cell] &= !(1 << digit);
        for kind in 0..3 {
            self.places[HOUSES_OF[cell][kind] as usize][digit] &= !(1 << PLACES_OF[cell][kind]);
        }
    }

    /// Whether a cell may hold a digit.
    pub fn has(&self, cell: usize, digit: usize) -> bool {
        self.candidates[cell] & 1 << digit != 0
    }

    /// The cells that may hold each digit.
    pub fn by_digit(&self) -> [u128; 9] {
        let mut sets = [0; 9];
        for (digit, set) in sets.iter_mut().enumerate() {
            for row in 0..9 {
                *set |= u128::from(self.places[9 + row][digit]) << (9 * row);
            }
        }
        sets
    }
}

/// A digit from 0.
fn digit_index(digit: Digit) -> usize {
    usize::from(digit.value()) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_agree() {
        for cell in 0..CELLS {
            for (house, place) in HOUSES_OF[cell].into_iter().zip(PLACES_OF[cell]) {
                assert_eq!(usize::from(HOUSE_CELLS[usize::from(house)][usize::from(place)]), cell);
            }
            assert_eq!(PEERS[cell].count_ones(), 20);
        }
        assert_eq!(SHARED[0][9], 0b111);
        assert_eq!(SHARED[18][0], 0b111);
        assert_eq!((SHARED[0][12], SHARED[9][18]), (0, 1));
    }
}
