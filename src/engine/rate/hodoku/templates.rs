//! Which places of a digit are in no way to place it in all rows, columns and boxes. Whatever looks at one digit alone
//! removes nothing else, so where there is no such place the long searches for fish can be left out.

use super::board::{Board, cells};

/// By digit, the places that are in no way to place it.
pub fn doomed(board: &Board) -> [u128; 9] {
    let mut doomed = [0; 9];
    for (digit, doomed) in doomed.iter_mut().enumerate() {
        let spots = board.spots[digit];
        let mut covered = 0u128;
        for cell in cells(spots) {
            if covered & 1 << cell != 0 {
                continue;
            }
            match place(spots, cell, 0, placed_lines(board, digit), 0) {
                Some(way) => covered |= way,
                None => *doomed |= 1 << cell,
            }
        }
    }
    doomed
}

/// The rows, columns and boxes that hold the digit already.
fn placed_lines(board: &Board, digit: usize) -> u32 {
    (0..81)
        .filter(|&cell| usize::from(board.values[cell]) == digit + 1)
        .fold(0, |set, cell| set | lines(cell))
}

/// The row, column and box of a cell, as bits.
const fn lines(cell: usize) -> u32 {
    1 << (18 + cell / 9) | 1 << (cell % 9) | 1 << (9 + cell / 27 * 3 + cell % 9 / 3)
}

/// A way to place the digit in the rows from this one on, with one cell fixed.
fn place(spots: u128, fixed: usize, row: usize, used: u32, way: u128) -> Option<u128> {
    if row == 9 {
        return Some(way);
    }
    if used & 1 << (18 + row) != 0 {
        return place(spots, fixed, row + 1, used, way);
    }
    let in_row = if fixed / 9 == row { 1 << fixed } else { spots & (0x1ff << (9 * row)) };
    cells(in_row).find_map(|cell| {
        let is_free = used & lines(cell) == 0 && (cell == fixed || lines(cell) & lines(fixed) == 0);
        if !is_free {
            return None;
        }
        place(spots, fixed, row + 1, used | lines(cell), way | 1 << cell)
    })
}
