//! How hard is a puzzle? A rating is a reading of the solving path under a scale.

pub mod explainer;

use std::sync::Arc;

use super::budget::{Budget, Stopped};
use super::logic::path::{Facts, round};
use super::logic::registry::{TECHNIQUES, place};
use super::logic::{self, Level, Slug, Technique};
use super::search::{End, Engine, Verdict};
use super::solve::SolveError;
use crate::puzzle::{Position, Puzzle, Solution};

/// The name of Sleuth's own scale.
pub const SCALE: &str = "sleuth";

/// Its version, raised whenever a rating may change: rows, their order or scores, what finders find.
pub const VERSION: u32 = 1;

/// What each cell that search must fill counts on Sleuth's own scale: more than any step of a row. Once logic
/// stalls, every cell still open counts, since which cells logic could do without if told one of them depends
/// on the cell told, and so on the face.
pub const SEARCHED_CELL_SCORE: u32 = 500;

/// A puzzle is unfair, whatever its rows, if its steps of level hard and above count more than this together:
/// to find so many fish and wings, each needed for the next, is as much as to find a long chain.
pub const HARD_WORK: u32 = 300;

/// A rating: which scale, which version, what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rating {
    /// The scale, as in `sleuth`.
    pub scale: String,
    /// Its version: ratings of different versions are not compared.
    pub version: u32,
    /// The hardest level of the rows used, but unfair at least if there are many hard steps ([`HARD_WORK`]), and
    /// extreme if search had to fill cells.
    pub level: Level,
    /// What all distinct steps and all searched cells count together.
    pub score: u32,
    /// The hardest row used (the last in the table); none if no row was.
    pub hardest: Option<Slug>,
    /// Distinct steps of each row used, in table order.
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
    /// The rating, if there is exactly one solution, the board is one that [`check`] lets pass, and the budget
    /// sufficed.
    pub rating: Option<Rating>,
    /// Why it was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// Whether logic takes on this board; to be asked before a job is accepted.
pub fn check(puzzle: &Puzzle) -> Result<(), SolveError> {
    if puzzle.size() > logic::MAX_SIZE {
        return Err(SolveError::TooLargeForLogic { size: puzzle.size() });
    }
    Ok(())
}

/// Rates a puzzle on Sleuth's own scale. The same for every face of the puzzle: it works in rounds, each of all
/// steps of the cheapest row that fires, applied together.
pub fn rate(puzzle: &Arc<Puzzle>, budget: &mut Budget) -> RateOutcome {
    let mut outcome = decide(puzzle, budget);
    if outcome.verdict != Verdict::One || check(puzzle).is_err() {
        return outcome;
    }
    match walk(puzzle, Level::Extreme, budget) {
        Ok(walk) => outcome.rating = Some(walk.reading()),
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
    let mut position = Position::new(puzzle.clone());
    let mut counts = vec![0; TECHNIQUES.len()];
    while !position.is_full() {
        let steps = round(&position, Facts { unique: true }, budget)?;
        let Some(row) = steps.first().and_then(|step| place(step.technique.as_str())) else { break };
        if TECHNIQUES[row].level > level {
            break;
        }
        counts[row] += steps.len() as u32;
        for step in &steps {
            step.apply(&mut position);
        }
    }
    Ok(Walk { counts, open_cells: position.open_cells().count() as u32 })
}

impl Walk {
    /// The rows used, each with its number of steps.
    fn used(&self) -> impl Iterator<Item = (&'static Technique, u32)> {
        TECHNIQUES.iter().zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    fn level(&self) -> Level {
        let hardest = self.used().map(|(row, _)| row.level).max().unwrap_or(Level::Easy);
        let hard = self.used().filter(|(row, _)| row.level >= Level::Hard);
        let work: u32 = hard.map(|(row, count)| row.score * count).sum();
        if self.open_cells > 0 {
            Level::Extreme
        } else if work > HARD_WORK {
            hardest.max(Level::Unfair)
        } else {
            hardest
        }
    }

    fn reading(&self) -> Rating {
        let steps: u32 = self.used().map(|(row, count)| row.score * count).sum();
        Rating {
            scale: SCALE.to_owned(),
            version: VERSION,
            level: self.level(),
            score: steps + self.open_cells * SEARCHED_CELL_SCORE,
            hardest: self.used().last().map(|(row, _)| Slug::of(row.slug)),
            counts: self.used().map(|(row, count)| (Slug::of(row.slug), count)).collect(),
            searched_cells: self.open_cells,
        }
    }
}
