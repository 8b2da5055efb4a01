//! Ratings: readings of the solving path under a scale.
//!
//! [`scale`] lists the scales; [`own`] is Sleuth's, [`hodoku`] that of HoDoKu, [`explainer`] that of Sudoku Explainer.

pub mod explainer;
pub mod hodoku;
pub mod own;
pub mod scale;

use std::sync::Arc;

use super::budget::{Budget, Stopped};
use super::logic::{Level, Slug};
use super::search::{End, Engine, Verdict};
use super::solve::{SolveError, logic_takes};
use crate::puzzle::{Puzzle, Solution};
pub use own::{SEARCHED_CELL_SCORE, is_within};
pub use scale::Scale;

/// A rating: which scale, which version, what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rating {
    /// The scale, as in `sleuth`.
    pub scale: String,
    /// Its version: ratings of different versions are not compared.
    pub version: u32,
    /// The level, on a scale that has levels. On Sleuth's: the hardest level of the rows used, and extreme if search
    /// had to fill cells.
    pub level: Option<Level>,
    /// The number. On Sleuth's scale: what all distinct steps and all searched cells count together. On HoDoKu's: what
    /// all steps do. On the Explainer's: the hardest step (ER) in tenths.
    pub score: u32,
    /// The hardest technique used, as the scale names it; none if none was.
    pub hardest: Option<Slug>,
    /// Steps of each technique used, in the order of the scale's search. On Sleuth's scale: distinct steps.
    pub counts: Vec<(Slug, u32)>,
    /// Cells that search had to fill.
    pub searched_cells: u32,
    /// On the Explainer's scale: the hardest step up to the first digit placed (EP), in tenths.
    pub pearl: Option<u32>,
    /// On the Explainer's scale: the first step (ED), in tenths.
    pub diamond: Option<u32>,
}

/// How a rating ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RateOutcome {
    /// What search found. Only a puzzle with exactly one solution is rated.
    pub verdict: Verdict,
    /// The solution, if there is exactly one.
    pub solution: Option<Solution>,
    /// The rating, if there is exactly one solution, the board is one that the scale is for, and the budget
    /// sufficed.
    pub rating: Option<Rating>,
    /// Why it was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// Whether logic takes on this board, and the scale is for it; to be asked before a job is accepted.
pub fn check(puzzle: &Puzzle, scale: Scale) -> Result<(), SolveError> {
    logic_takes(puzzle)?;
    let applies = match scale {
        Scale::Sleuth => true,
        Scale::Hodoku => hodoku::applies_to(puzzle),
        Scale::Explainer => explainer::applies_to(puzzle),
    };
    match applies {
        true => Ok(()),
        false => Err(SolveError::NotOnScale { scale: scale.name() }),
    }
}

/// Rates a puzzle on a scale.
pub fn rate(puzzle: &Arc<Puzzle>, scale: Scale, budget: &mut Budget) -> RateOutcome {
    let mut outcome = decide(puzzle, budget);
    if outcome.verdict != Verdict::One || check(puzzle, scale).is_err() {
        return outcome;
    }
    match scale.rate(puzzle, budget) {
        Ok(rating) => outcome.rating = rating,
        Err(stopped) => outcome.stopped = Some(stopped),
    }
    outcome
}

/// How many solutions there are, and the only one.
fn decide(puzzle: &Puzzle, budget: &mut Budget) -> RateOutcome {
    let mut first = None;
    let count = Engine::General.search().count(puzzle, 2, budget, &mut |solution| {
        first.get_or_insert_with(|| solution.clone());
    });
    let verdict = count.verdict();
    let stopped = match count.end {
        End::Stopped(stopped) => Some(stopped),
        End::Complete | End::Limit => None,
    };
    RateOutcome { verdict, solution: first.filter(|_| verdict == Verdict::One), rating: None, stopped }
}
