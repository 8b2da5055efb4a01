//! Plain 9×9 sudoku, as fast as the machine allows.
//!
//! Read [`sweep`] (what is deduced, and how: the whole board at once), then [`solver`] (the search over it). Both
//! are written once over [`lanes`], which hold the instruction sets, chosen at run time; the portable one is
//! the witness of the others, which must count the very same nodes. [`batch`] counts many puzzles in one call.
//!
//! A node is one guess.

pub mod batch;
mod lanes;
pub mod sample;
pub mod solver;
mod sweep;

pub use batch::Batch;
pub use lanes::Instructions;
pub use solver::Solver;

use super::{Count, End, Search, general};
use crate::engine::budget::Budget;
use crate::puzzle::{Cell, Digit, Puzzle, Solution};
use solver::{Candidates, Digits, Found};

/// The classic engine. Puzzles that are no plain 9×9 sudoku go to the general one.
pub struct Classic;

impl Search for Classic {
    fn name(&self) -> &'static str {
        "classic"
    }

    fn count(
        &self,
        puzzle: &Puzzle,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Solution),
    ) -> Count {
        match candidates(puzzle) {
            Some(candidates) => count(&mut Solver::new(), &candidates, limit, budget, found),
            None => general::General.count(puzzle, limit, budget, found),
        }
    }
}

/// Whether the puzzle is plain: 9×9 with boxes and nothing more. Restrictions are fine.
pub fn is_plain(puzzle: &Puzzle) -> bool {
    puzzle.layout().is_plain() && puzzle.cages().is_empty()
}

/// What each cell may hold, if the puzzle is plain.
pub fn candidates(puzzle: &Puzzle) -> Option<Candidates> {
    is_plain(puzzle).then(|| {
        let mut candidates = [0; 81];
        for (index, (candidates, given)) in candidates.iter_mut().zip(puzzle.givens()).enumerate() {
            // without a branch, of which many would be mispredicted
            let given = given.map_or(0x1FF, |digit| 1 << digit.index());
            *candidates = puzzle.allowed(Cell::new(index)).bits() as u16 & given;
        }
        candidates
    })
}

/// The count of a solver, as every engine gives it.
pub fn count(
    solver: &mut Solver,
    candidates: &Candidates,
    limit: u64,
    budget: &mut Budget,
    found: &mut dyn FnMut(&Solution),
) -> Count {
    let result = solver.search(candidates, limit, budget, &mut |digits| found(&as_solution(digits)));
    as_count(result, limit)
}

fn as_solution(digits: &Digits) -> Solution {
    Solution::new(digits.map(|digit| Digit::from_index(digit.into())))
}

fn as_count(found: Found, limit: u64) -> Count {
    let end = match found.stopped {
        Some(stopped) => End::Stopped(stopped),
        None if found.solutions == limit => End::Limit,
        None => End::Complete,
    };
    Count { solutions: found.solutions, nodes: found.guesses, end }
}
