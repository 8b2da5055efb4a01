//! Positions for tests: what hard puzzles come to on their paths.

use std::sync::{Arc, OnceLock};

use super::path::{Facts, deduce};
use crate::engine::budget::Budget;
use crate::puzzle::{Position, formats};

/// From each of these, chains, sets of sets and nets are needed.
const PUZZLES: [&str; 3] = [
    "300090008020600509000000040804230000000050007000001200086140000000000070150009060",
    "600340000920080010040000000407000001000005300000020090008600009000500200000000076",
    "100000400065070090007000063001900000004005000500100830000090006030007002000806000",
];

/// Positions on the paths of hard puzzles in which something beyond subsets was found.
pub fn hard() -> &'static [Position] {
    static POSITIONS: OnceLock<Vec<Position>> = OnceLock::new();
    POSITIONS.get_or_init(walk)
}

fn walk() -> Vec<Position> {
    let mut positions = Vec::new();
    for text in PUZZLES {
        let puzzle = Arc::new(formats::read(text).expect("a puzzle"));
        let mut position = Position::new(puzzle);
        deduce(&mut position, Facts { unique: true }, &mut Budget::unlimited(), &mut |before, step| {
            let slug = step.technique.as_str();
            if ["single", "house", "pair", "triple", "pointing", "claiming"]
                .iter()
                .all(|word| !slug.contains(word))
            {
                positions.push(before.clone());
            }
        });
    }
    assert!(positions.len() > 30, "{}", positions.len());
    positions
}
