//! Sleuth's own scale: level and score, the same for every face of a puzzle. A path is walked in rounds, each of all
//! steps of the cheapest row that fires, applied together; every distinct step counts what its row says.

use std::sync::Arc;

use super::{Rating, Scale};
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::context::{Board, Context};
use crate::engine::logic::path::{Facts, Round, look_round};
use crate::engine::logic::registry::TECHNIQUES;
use crate::engine::logic::{Level, Slug, Technique};
use crate::puzzle::{Position, Puzzle};

/// The version of the scale, raised whenever a rating may change: rows, their order or scores, what finders find.
pub const VERSION: u32 = 4;

/// What each cell that search must fill counts on Sleuth's own scale: more than any step of a row. Once logic
/// stalls, every cell still open counts, since which cells logic could do without if told one of them depends
/// on the cell told, and so on the face.
pub const SEARCHED_CELL_SCORE: u32 = 1500;

/// Rates a puzzle that has exactly one solution.
pub fn rate(puzzle: &Arc<Puzzle>, budget: &mut Budget) -> Result<Rating, Stopped> {
    Ok(walk(puzzle, Level::Extreme, budget)?.reading())
}

/// Whether a puzzle that is known to have exactly one solution is solved by rows of at most this level.
/// It costs less than a rating: rows beyond the level are not looked at.
pub fn is_within(puzzle: &Arc<Puzzle>, level: Level, budget: &mut Budget) -> Result<bool, Stopped> {
    if level == Level::Extreme {
        return Ok(true);
    }
    Ok(walk(puzzle, level, budget)?.open_cells == 0)
}

/// A path in rounds, as far as it went.
struct Walk {
    /// Distinct steps of each row, in table order.
    counts: Vec<u32>,
    /// Cells left open at its end.
    open_cells: u32,
}

/// Goes from round to round until the grid is full, or no row up to the level fires.
fn walk(puzzle: &Arc<Puzzle>, level: Level, budget: &mut Budget) -> Result<Walk, Stopped> {
    let board = Board::new(puzzle);
    let mut context = Context::new(&board, &Position::new(puzzle.clone()));
    let mut counts = vec![0; TECHNIQUES.len()];
    let mut round = Round::empty();
    while !context.is_full() {
        let found = look_round(&context, Facts { unique: true }, level, budget, &mut round)?;
        let Some(row) = found else { break };
        counts[row] += round.step_count();
        for conclusion in round.conclusions() {
            context.apply(conclusion);
        }
    }
    Ok(Walk { counts, open_cells: context.open().len() as u32 })
}

impl Walk {
    /// The rows used, each with its number of steps.
    fn used(&self) -> Vec<(&'static Technique, u32)> {
        let used = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        used.map(|(place, count)| (&TECHNIQUES[place], *count)).collect()
    }

    fn reading(&self) -> Rating {
        let used = self.used();
        // Levels only rise along the table.
        let level = used.last().map_or(Level::Easy, |(row, _)| row.level);
        let steps: u32 = used.iter().map(|(row, count)| row.score * count).sum();
        Rating {
            scale: Scale::Sleuth.name().to_owned(),
            version: VERSION,
            level: Some(if self.open_cells > 0 { Level::Extreme } else { level }),
            score: steps + self.open_cells * SEARCHED_CELL_SCORE,
            hardest: used.last().map(|(row, _)| Slug::of(row.slug)),
            counts: used.iter().map(|(row, count)| (Slug::of(row.slug), *count)).collect(),
            searched_cells: self.open_cells,
            pearl: None,
            diamond: None,
        }
    }
}
