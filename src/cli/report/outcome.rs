//! What jobs give: answers of `solve`, `rate` and `generate`.

use serde::Serialize;

use super::{StepReport, VerdictReport, path_word, stopped_word};
use crate::engine::generate::{GenerateOutcome, Progress};
use crate::engine::logic::Level;
use crate::engine::rate::{RateOutcome, Rating};
use crate::engine::solve::SolveOutcome;
use crate::puzzle::{Solution, notation};

/// Answer of `solve`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SolveReport {
    /// How many solutions there are; null with logic alone.
    pub verdict: Option<VerdictReport>,
    /// Up to two, one line each.
    pub solutions: Vec<String>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// Every step.
    pub steps: Vec<StepReport>,
    /// `solved`, `stalled`, `contradiction`, `stopped`; null where no path was walked.
    pub path: Option<&'static str>,
    /// The digits known at the end of the path.
    pub grid: String,
    /// Cells that search filled.
    pub searched_cells: u32,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl SolveReport {
    /// Of an outcome and the steps on the way to it.
    pub fn new(outcome: &SolveOutcome, steps: Vec<StepReport>) -> SolveReport {
        SolveReport {
            verdict: outcome.verdict.map(VerdictReport::from),
            solutions: outcome.solutions.iter().map(Solution::to_string).collect(),
            nodes: outcome.nodes,
            steps,
            path: outcome.path.map(path_word),
            grid: notation::line(outcome.grid.iter().copied()),
            searched_cells: outcome.searched_cells,
            stopped: outcome.stopped.map(stopped_word),
        }
    }
}

/// A rating.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RatingReport {
    /// The scale.
    pub scale: String,
    /// Its version.
    pub version: u32,
    /// `easy`, `medium`, `hard`, `unfair`, `extreme`; null on a scale without levels.
    pub level: Option<&'static str>,
    /// What all steps count together; on the Explainer's scale, the hardest step (ER) in tenths.
    pub score: u32,
    /// The slug of the hardest technique.
    pub hardest: Option<String>,
    /// How often each technique was used, cheapest first.
    pub counts: Vec<CountReport>,
    /// Cells that search had to fill.
    pub searched_cells: u32,
    /// On the Explainer's scale: the hardest step up to the first digit placed (EP), in tenths.
    pub pearl: Option<u32>,
    /// On the Explainer's scale: the first step (ED), in tenths.
    pub diamond: Option<u32>,
}

/// How often a technique was used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CountReport {
    /// The slug.
    pub technique: String,
    /// Distinct steps.
    pub count: u32,
}

impl From<&Rating> for RatingReport {
    fn from(rating: &Rating) -> RatingReport {
        let counts = rating.counts.iter();
        RatingReport {
            scale: rating.scale.clone(),
            version: rating.version,
            level: rating.level.map(Level::word),
            score: rating.score,
            hardest: rating.hardest.as_ref().map(ToString::to_string),
            counts: counts
                .map(|(slug, count)| CountReport { technique: slug.to_string(), count: *count })
                .collect(),
            searched_cells: rating.searched_cells,
            pearl: rating.pearl,
            diamond: rating.diamond,
        }
    }
}

/// Answer of `rate`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RateReport {
    /// How many solutions there are.
    pub verdict: VerdictReport,
    /// The only solution.
    pub solution: Option<String>,
    /// The rating; null unless there is exactly one solution.
    pub rating: Option<RatingReport>,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl From<&RateOutcome> for RateReport {
    fn from(outcome: &RateOutcome) -> RateReport {
        RateReport {
            verdict: outcome.verdict.into(),
            solution: outcome.solution.as_ref().map(Solution::to_string),
            rating: outcome.rating.as_ref().map(RatingReport::from),
            stopped: outcome.stopped.map(stopped_word),
        }
    }
}

/// Answer of `generate`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GenerateReport {
    /// The puzzle; null if the recipe was not met.
    pub puzzle: Option<String>,
    /// Its solution.
    pub solution: Option<String>,
    /// Its rating.
    pub rating: Option<RatingReport>,
    /// Digits given.
    pub clues: Option<usize>,
    /// The seed: with the same recipe it makes the same puzzle again.
    pub seed: Option<u64>,
    /// The attempt that made it, from 0.
    pub attempt: Option<u32>,
    /// How far the attempts came.
    pub progress: ProgressReport,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

/// How far a generation came.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProgressReport {
    /// Grids tried.
    pub tried: u32,
    /// Those with a fitting number of clues.
    pub kept: u32,
    /// The level that came nearest.
    pub nearest_level: Option<&'static str>,
    /// The number of clues that came nearest.
    pub nearest_clues: Option<u32>,
}

impl From<&Progress> for ProgressReport {
    fn from(progress: &Progress) -> ProgressReport {
        ProgressReport {
            tried: progress.tried,
            kept: progress.kept,
            nearest_level: progress.nearest.map(Level::word),
            nearest_clues: progress.nearest_clues,
        }
    }
}

impl GenerateReport {
    /// Of an outcome under this seed; `text` is how the puzzle is written.
    pub fn new(outcome: &GenerateOutcome, seed: Option<u64>, text: Option<String>) -> GenerateReport {
        let generated = outcome.generated.as_ref();
        GenerateReport {
            puzzle: text,
            solution: generated.map(|made| made.solution.to_string()),
            rating: generated.map(|made| RatingReport::from(&made.rating)),
            clues: generated.map(|made| made.puzzle.givens().iter().flatten().count()),
            seed,
            attempt: generated.map(|made| made.attempt),
            progress: (&outcome.progress).into(),
            stopped: outcome.stopped.map(stopped_word),
        }
    }
}
