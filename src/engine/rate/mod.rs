//! How hard is a puzzle? A rating is a reading of the solving path under a scale.

use std::sync::Arc;

use super::budget::{Budget, Stopped};
use super::logic::{Level, Slug};
use super::search::Verdict;
use crate::puzzle::{Puzzle, Solution};

/// A rating: which scale, which version, what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rating {
    /// The scale, as in `sleuth`.
    pub scale: String,
    /// Its version: ratings of different versions are not compared.
    pub version: u32,
    /// The level of the hardest row used; extreme if search had to fill cells.
    pub level: Level,
    /// What all distinct steps and all searched cells count together.
    pub score: u32,
    /// The hardest row used (the last in the table); none for a puzzle without open cell.
    pub hardest: Option<Slug>,
    /// Distinct steps of each row, in table order.
    pub counts: Vec<(Slug, u32)>,
    /// Cells that search had to fill.
    pub searched_cells: u32,
}

/// How a rating ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RateOutcome {
    /// What search found. Only a puzzle with exactly one solution is rated.
    pub verdict: Verdict,
    /// The solution, if there is exactly one.
    pub solution: Option<Solution>,
    /// The rating, if there is exactly one solution and the budget sufficed.
    pub rating: Option<Rating>,
    /// Why it was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// Rates a puzzle on Sleuth's own scale. The same for every face of the puzzle: it works in rounds, each of all
/// steps of the cheapest row that fires, applied together.
pub fn rate(_puzzle: &Arc<Puzzle>, _budget: &mut Budget) -> RateOutcome {
    unimplemented!()
}
