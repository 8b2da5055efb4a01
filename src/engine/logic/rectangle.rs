//! Rectangles: four cells at the crossings of two rows and two columns that two digits could fill in two ways,
//! whatever stands elsewhere.
//!
//! ```text
//!  0 1 | .     cells named going round: 0 and 2 are opposite
//!  3 2 | .     every house and every cage has none of them, or two neighbours
//! ```

use crate::puzzle::{Cage, Cell, Operation, Puzzle};

/// The four cells, going round; the first comes first in reading order.
pub type Rectangle = [Cell; 4];

/// Every rectangle without a given in which two digits could change places and keep every house and every cage.
pub fn rectangles(puzzle: &Puzzle) -> Vec<Rectangle> {
    let size = puzzle.size();
    let is_free = |cell: Cell| puzzle.given(cell).is_none();
    let mut found = Vec::new();
    for top in 0..size {
        for bottom in top + 1..size {
            let is_free_at = |column: usize| {
                is_free(Cell::at(top, column, size)) && is_free(Cell::at(bottom, column, size))
            };
            let columns: Vec<usize> = (0..size).filter(|&column| is_free_at(column)).collect();
            for (index, &left) in columns.iter().enumerate() {
                for &right in &columns[index + 1..] {
                    let at = |row: usize, column: usize| Cell::at(row, column, size);
                    let corners = [at(top, left), at(top, right), at(bottom, right), at(bottom, left)];
                    if keeps_rules(puzzle, corners) {
                        found.push(corners);
                    }
                }
            }
        }
    }
    found
}

/// Whether every house and every cage would hold the same digits if the corners changed theirs.
fn keeps_rules(puzzle: &Puzzle, corners: Rectangle) -> bool {
    // Rows and columns, which come first, hold two neighbours.
    let lines = 2 * puzzle.size();
    let houses_keep = corners.iter().all(|&corner| {
        let others = puzzle.houses_of(corner).iter().filter(|house| house.index() >= lines);
        others
            .into_iter()
            .all(|&house| holds_neighbours(&corners.map(|corner| puzzle.houses_of(corner).contains(&house))))
    });
    houses_keep && puzzle.cages().iter().all(|cage| keeps_cage(cage, corners))
}

fn keeps_cage(cage: &Cage, corners: Rectangle) -> bool {
    let inside = corners.map(|corner| cage.cells.binary_search(&corner).is_ok());
    let is_free = cage.operation == Operation::Free && !cage.distinct;
    is_free || inside == [false; 4] || holds_neighbours(&inside) || (!cage.distinct && inside == [true; 4])
}

/// Whether two corners are inside that are not opposite: these hold both digits before and after.
fn holds_neighbours(inside: &[bool; 4]) -> bool {
    inside.iter().filter(|inside| **inside).count() == 2 && inside[0] != inside[2]
}
