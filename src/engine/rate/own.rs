//! Sleuth's own scale: level and score, the same for every face of a puzzle. A path is walked in rounds, each of all
//! steps of the cheapest row that fires, applied together; every distinct step counts what its row says.

use std::sync::Arc;

use super::{Rating, Scale};
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::context::{Board, Context};
use crate::engine::logic::path::{Facts, round};
use crate::engine::logic::registry::{TECHNIQUES, place};
use crate::engine::logic::{Level, Slug, Technique};
use crate::puzzle::{Position, Puzzle};

/// The version of the scale, raised whenever a rating may change: rows, their order or scores, what finders find.
pub const VERSION: u32 = 2;

/// What each cell that search must fill counts on Sleuth's own scale: more than any step of a row. Once logic
/// stalls, every cell still open counts, since which cells logic could do without if told one of them depends
/// on the cell told, and so on the face.
pub const SEARCHED_CELL_SCORE: u32 = 1500;

/// Rates a puzzle that has exactly one solution.
pub fn rate(puzzle: &Arc<Puzzle>, budget: &mut Budget) -> Result<Rating, Stopped> {
    Ok(walk(puzzle, Level::Extreme, budget)?.reading())
}

/// Whether a puzzle that is known to have exactly one solution is solved by rows of at most this level.
/// It costs less than a rating: the first row beyond the level ends it.
pub fn is_within(puzzle: &Arc<Puzzle>, level: Level, budget: &mut Budget) -> Result<bool, Stopped> {
    if level == Level::Extreme {
        return Ok(true);
    }
    let walk = walk(puzzle, level, budget)?;
    Ok(walk.open_cells == 0 && walk.level() <= level)
}

/// A path in rounds, as far as it went.
struct Walk {
    /// Distinct steps of each row, in table order.
    counts: Vec<u32>,
    /// Cells left open at its end.
    open_cells: u32,
}

/// Goes from round to round until the grid is full, no row fires, or the next round is beyond the level.
fn walk(puzzle: &Arc<Puzzle>, level: Level, budget: &mut Budget) -> Result<Walk, Stopped> {
    let board = Board::new(puzzle);
    let mut context = Context::new(&board, &Position::new(puzzle.clone()));
    let mut counts = vec![0; TECHNIQUES.len()];
    while !context.is_full() {
        let steps = round(&context, Facts { unique: true }, budget)?;
        let Some(row) = steps.first().and_then(|step| place(step.technique.as_str())) else { break };
        if TECHNIQUES[row].level > level {
            break;
        }
        counts[row] += steps.len() as u32;
        for conclusion in steps.iter().flat_map(|step| &step.conclusions) {
            context.apply(*conclusion);
        }
    }
    Ok(Walk { counts, open_cells: context.open().len() as u32 })
}

impl Walk {
    /// The rows used, each with its number of steps.
    fn used(&self) -> impl Iterator<Item = (&'static Technique, u32)> {
        TECHNIQUES.iter().zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    fn level(&self) -> Level {
        if self.open_cells > 0 {
            return Level::Extreme;
        }
        self.used().map(|(row, _)| row.level).max().unwrap_or(Level::Easy)
    }

    fn reading(&self) -> Rating {
        let steps: u32 = self.used().map(|(row, count)| row.score * count).sum();
        Rating {
            scale: Scale::Sleuth.name().to_owned(),
            version: VERSION,
            level: Some(self.level()),
            score: steps + self.open_cells * SEARCHED_CELL_SCORE,
            hardest: self.used().last().map(|(row, _)| Slug::of(row.slug)),
            counts: self.used().map(|(row, count)| (Slug::of(row.slug), count)).collect(),
            searched_cells: self.open_cells,
            pearl: None,
            diamond: None,
        }
    }
}
