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

/// Every rectangle in which two digits could change places and keep every house and every cage, in every position.
pub struct Rectangles(pub Vec<Rectangle>);

impl Rectangles {
    /// Those of a puzzle's houses and cages.
    pub fn of(puzzle: &Puzzle) -> Rectangles {
        let size = puzzle.size();
        let mut found = Vec::new();
        for top in 0..size {
            for bottom in top + 1..size {
                for left in 0..size {
                    for right in left + 1..size {
                        let at = |row: usize, column: usize| Cell::at(row, column, size);
                        let corners = [at(top, left), at(top, right), at(bottom, right), at(bottom, left)];
                        if keeps_rules(puzzle, corners) {
                            found.push(corners);
                        }
                    }
                }
            }
        }
        Rectangles(found)
    }
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
