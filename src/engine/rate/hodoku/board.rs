//! The state that HoDoKu keeps, with the two queues of singles whose order decides which single comes next.

use std::collections::VecDeque;

/// Cells, houses and peers of the plain board. Houses: rows, columns, boxes.
pub struct Geometry {
    /// Of each house, its cells.
    pub houses: [[u8; 9]; 27],
    /// Of each cell, its row, column and box.
    pub houses_of: [[u8; 3]; 81],
    /// Of each cell, the cells it sees, as a set and in order.
    pub peers: [u128; 81],
}

/// The geometry.
pub static GEOMETRY: Geometry = geometry();

const fn geometry() -> Geometry {
    let mut houses = [[0; 9]; 27];
    let mut houses_of = [[0; 3]; 81];
    let mut cell = 0;
    while cell < 81 {
        let (row, column) = (cell / 9, cell % 9);
        let of_cell = [row, 9 + column, 18 + row / 3 * 3 + column / 3];
        houses[of_cell[0]][column] = cell as u8;
        houses[of_cell[1]][row] = cell as u8;
        houses[of_cell[2]][row % 3 * 3 + column % 3] = cell as u8;
        houses_of[cell] = [of_cell[0] as u8, of_cell[1] as u8, of_cell[2] as u8];
        cell += 1;
    }
    let mut peers = [0u128; 81];
    let mut one = 0;
    while one < 81 {
        let mut kind = 0;
        while kind < 3 {
            let house = houses_of[one][kind] as usize;
            let mut seat = 0;
            while seat < 9 {
                peers[one] |= 1 << houses[house][seat];
                seat += 1;
            }
            kind += 1;
        }
        peers[one] &= !(1 << one);
        one += 1;
    }
    Geometry { houses, houses_of, peers }
}

/// The cells of a set, in order.
pub fn cells(set: u128) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let cell = left.trailing_zeros() as usize;
            left &= left - 1;
            cell
        })
    })
}

/// The digits (from 0) of a mask, in order.
pub fn digits(mask: u16) -> impl Iterator<Item = usize> + Clone {
    (0..9).filter(move |digit| mask & 1 << digit != 0)
}

/// Cells without digit, their candidates, and the queues.
#[derive(Clone)]
pub struct Board {
    /// The digit of each cell, from 1; 0 if there is none.
    pub values: [u8; 81],
    /// Candidates of open cells; of others none.
    pub candidates: [u16; 81],
    /// By digit, the open cells that may hold it.
    pub spots: [u128; 9],
    /// By house and digit, how many places there are.
    pub free: [[u8; 9]; 27],
    /// Cells with one candidate, as they came to be.
    pub naked: VecDeque<(u8, u8)>,
    /// Digits with one place in a house, as they came to be.
    pub hidden: VecDeque<(u8, u8)>,
    /// The cells that were given.
    pub givens: u128,
}

impl Board {
    /// A puzzle: its givens are set one after the other.
    pub fn new(givens: &[u8; 81]) -> Board {
        let mut board = Board {
            values: [0; 81],
            candidates: [0x1ff; 81],
            spots: [(1 << 81) - 1; 9],
            free: [[9; 9]; 27],
            naked: VecDeque::new(),
            hidden: VecDeque::new(),
            givens: 0,
        };
        for (cell, &value) in givens.iter().enumerate() {
            if value != 0 {
                board.givens |= 1 << cell;
                board.place(cell, usize::from(value) - 1);
            }
        }
        board
    }

    /// Whether every cell has its digit.
    pub fn is_full(&self) -> bool {
        self.values.iter().all(|&value| value != 0)
    }

    /// The cells without digit.
    pub fn open(&self) -> u128 {
        self.spots.iter().fold(0, |open, spots| open | spots)
    }

    /// Places a digit (from 0).
    pub fn place(&mut self, cell: usize, digit: usize) {
        if usize::from(self.values[cell]) == digit + 1 {
            return;
        }
        self.values[cell] = digit as u8 + 1;
        let held = std::mem::take(&mut self.candidates[cell]);
        for other in digits(held) {
            self.spots[other] &= !(1 << cell);
        }
        for peer in cells(GEOMETRY.peers[cell]) {
            self.eliminate(peer, digit);
        }
        for other in digits(held) {
            for house in GEOMETRY.houses_of[cell].map(usize::from) {
                self.free[house][other] -= 1;
                if self.free[house][other] == 1 && other != digit {
                    self.note_hidden(house, other);
                }
            }
        }
    }

    /// Removes a candidate.
    pub fn eliminate(&mut self, cell: usize, digit: usize) {
        if self.candidates[cell] & 1 << digit == 0 {
            return;
        }
        self.candidates[cell] &= !(1 << digit);
        self.spots[digit] &= !(1 << cell);
        if self.candidates[cell] == 0 {
            // Broken: HoDoKu leaves its counts as they are.
            return;
        }
        if self.candidates[cell].count_ones() == 1 {
            self.naked.push_back((cell as u8, self.candidates[cell].trailing_zeros() as u8));
        }
        for house in GEOMETRY.houses_of[cell].map(usize::from) {
            self.free[house][digit] -= 1;
            match self.free[house][digit] {
                1 => self.note_hidden(house, digit),
                0 => self.forget_hidden(house, digit),
                _ => {}
            }
        }
    }

    fn note_hidden(&mut self, house: usize, digit: usize) {
        let mut cells = GEOMETRY.houses[house].iter();
        if let Some(&cell) = cells.find(|&&cell| self.candidates[usize::from(cell)] & 1 << digit != 0) {
            self.hidden.push_back((cell, digit as u8));
        }
    }

    fn forget_hidden(&mut self, house: usize, digit: usize) {
        let is_it = |&(cell, other): &(u8, u8)| {
            usize::from(other) == digit && GEOMETRY.houses_of[usize::from(cell)].contains(&(house as u8))
        };
        if let Some(place) = self.hidden.iter().position(is_it) {
            self.hidden.remove(place);
        }
    }

    /// Whether a cell may hold a digit.
    pub fn may_hold(&self, cell: usize, digit: usize) -> bool {
        self.candidates[cell] & 1 << digit != 0
    }
}
