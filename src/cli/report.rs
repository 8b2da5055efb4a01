//! Answers as JSON: stable field names, the same from a daemon and in process. One document a command.
//!
//! Here is what several of them have; [`outcome`] is what jobs give, [`player`] and [`check`] what short calls say,
//! [`job`] the jobs themselves, [`technique`] the table, [`bench`](mod@bench) a measurement.

pub mod bench;
mod check;
mod job;
mod outcome;
mod player;
mod technique;

use serde::Serialize;

pub use check::{CandidatesReport, CellReport, CheckReport, VerifyReport};
pub use job::{JobReport, OutlookReport, ResultReport};
pub use outcome::{CountReport, GenerateReport, ProgressReport, RateReport, RatingReport, SolveReport};
pub use player::{HintReport, ProveReport, StepsReport, ToldReport, WrongReport};
pub use technique::TechniqueReport;

use crate::engine::budget::Stopped;
use crate::engine::logic::Step;
use crate::engine::logic::path::PathEnd;
use crate::engine::logic::record::StepRecord;
use crate::engine::search::Verdict;
use crate::puzzle::Puzzle;

/// How many solutions there are, in words and numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VerdictReport {
    /// `none`, `one`, `several`, `gave-up`.
    pub kind: &'static str,
    /// Solutions counted; null where search gave up.
    pub count: Option<u64>,
    /// Whether all were counted.
    pub complete: bool,
}

impl From<Verdict> for VerdictReport {
    fn from(verdict: Verdict) -> VerdictReport {
        let (kind, count, complete) = match verdict {
            Verdict::None => ("none", Some(0), true),
            Verdict::One => ("one", Some(1), true),
            Verdict::Several { count, complete } => ("several", Some(count), complete),
            Verdict::GaveUp { .. } => ("gave-up", None, false),
        };
        VerdictReport { kind, count, complete }
    }
}

/// A step as it is recorded, and its sentence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StepReport {
    /// As in a trace.
    #[serde(flatten)]
    pub record: StepRecord,
    /// The sentence.
    pub explanation: String,
}

impl StepReport {
    /// A step of a puzzle, and how it is explained.
    pub fn new(step: &Step, explanation: String, puzzle: &Puzzle) -> StepReport {
        StepReport { record: StepRecord::from_step(step, puzzle), explanation }
    }
}

/// A word for where a path ended.
pub const fn path_word(end: PathEnd) -> &'static str {
    match end {
        PathEnd::Solved => "solved",
        PathEnd::Stalled => "stalled",
        PathEnd::Contradiction => "contradiction",
        PathEnd::Stopped(_) => "stopped",
    }
}

/// A word for why something was broken off.
pub const fn stopped_word(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Cancelled => "cancelled",
        Stopped::Exhausted => "exhausted",
    }
}
