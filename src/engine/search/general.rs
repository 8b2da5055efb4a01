//! Any houses and cages up to 25×25.

use super::{Count, End, Search};
use crate::engine::budget::Budget;
use crate::puzzle::{Cell, Digit, Position, Puzzle, Solution};

/// The general engine.
pub struct General;

impl Search for General {
    fn name(&self) -> &'static str {
        "general"
    }

    fn count(
        &self,
        puzzle: &Puzzle,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Solution),
    ) -> Count {
        let position = Position::new(std::sync::Arc::new(puzzle.clone()));
        let mut count = Count { solutions: 0, nodes: 0, end: End::Complete };
        if let Err(end) = descend(&position, limit, budget, found, &mut count) {
            count.end = end;
        }
        count
    }
}

fn descend(
    position: &Position,
    limit: u64,
    budget: &mut Budget,
    found: &mut dyn FnMut(&Solution),
    count: &mut Count,
) -> Result<(), End> {
    budget.spend(position.size() as u64).map_err(End::Stopped)?;
    count.nodes += 1;
    let Some(cell) = position.open_cells().min_by_key(|&cell| position.candidates(cell).len()) else {
        let digits: Vec<Digit> = Cell::all(position.size()).filter_map(|cell| position.digit(cell)).collect();
        let solution = Solution::new(digits);
        if position.puzzle().is_solved_by(&solution) {
            found(&solution);
            count.solutions += 1;
            if count.solutions == limit {
                return Err(End::Limit);
            }
        }
        return Ok(());
    };
    for digit in position.candidates(cell) {
        let mut next = position.clone();
        next.place(cell, digit);
        descend(&next, limit, budget, found, count)?;
    }
    Ok(())
}
