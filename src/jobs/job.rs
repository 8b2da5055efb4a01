//! What a job is: what was asked, how it is treated, where it stands, what came of it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::outlook::Outlook;
use crate::engine::generate::{GenerateOutcome, Recipe};
use crate::engine::rate::{RateOutcome, Scale};
use crate::engine::solve::{self, SolveOptions, SolveOutcome};
use crate::puzzle::Puzzle;
pub use crate::store::{ClientId, JobFilter, JobId, JobKind, JobState, Priority, PuzzleId};

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobSpec {
    /// Solve a puzzle.
    Solve {
        /// The puzzle.
        puzzle: Arc<Puzzle>,
        /// How.
        options: SolveOptions,
    },
    /// Rate a puzzle.
    Rate {
        /// The puzzle.
        puzzle: Arc<Puzzle>,
        /// On which scale.
        scale: Scale,
    },
    /// Make a puzzle.
    Generate {
        /// What is wanted.
        recipe: Recipe,
    },
}

impl JobSpec {
    /// Its kind.
    pub fn kind(&self) -> JobKind {
        match self {
            JobSpec::Solve { .. } => JobKind::Solve,
            JobSpec::Rate { .. } => JobKind::Rate,
            JobSpec::Generate { .. } => JobKind::Generate,
        }
    }

    /// The puzzle handed in; none where one is to be made.
    pub fn puzzle(&self) -> Option<&Arc<Puzzle>> {
        match self {
            JobSpec::Solve { puzzle, .. } | JobSpec::Rate { puzzle, .. } => Some(puzzle),
            JobSpec::Generate { .. } => None,
        }
    }

    /// Whether it is most likely done in a moment.
    pub fn is_brief(&self) -> bool {
        match self {
            JobSpec::Solve { puzzle, options } => solve::is_brief(puzzle, options),
            JobSpec::Rate { .. } | JobSpec::Generate { .. } => false,
        }
    }

    /// The first field in which another differs: `kind`, `puzzle`, `options`, `scale` or `recipe`.
    pub fn difference(&self, other: &JobSpec) -> Option<&'static str> {
        match (self, other) {
            (
                JobSpec::Solve { puzzle, options },
                JobSpec::Solve { puzzle: other, options: other_options },
            ) => {
                if puzzle != other {
                    Some("puzzle")
                } else {
                    (options != other_options).then_some("options")
                }
            }
            (JobSpec::Rate { puzzle, scale }, JobSpec::Rate { puzzle: other, scale: other_scale }) => {
                if puzzle != other {
                    Some("puzzle")
                } else {
                    (scale != other_scale).then_some("scale")
                }
            }
            (JobSpec::Generate { recipe }, JobSpec::Generate { recipe: other }) => {
                (recipe != other).then_some("recipe")
            }
            _ => Some("kind"),
        }
    }
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobOutcome {
    /// Of a solve.
    Solve(SolveOutcome),
    /// Of a rating.
    Rate(RateOutcome),
    /// Of a generation.
    Generate(GenerateOutcome),
}

/// A request for a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submission {
    /// Whose it is.
    pub client: ClientId,
    /// By which the client may repeat it: the same id gives the same job.
    pub request_id: Option<String>,
    /// What is to be done.
    pub spec: JobSpec,
    /// Which go first.
    pub priority: Priority,
    /// How long it may take from when it is accepted, or due, to the millisecond. Then it is broken off, and ends as
    /// cancelled.
    pub time_limit: Option<Duration>,
    /// It is not begun before. Its time limit counts from then.
    pub due: Option<SystemTime>,
    /// It goes on when nobody holds its [`super::Run`] any more.
    pub detached: bool,
    /// Its steps are kept once it has finished.
    pub keep_trace: bool,
    /// The most units of work; none for the service's own limit, which also bounds this.
    pub work: Option<u64>,
}

impl Submission {
    /// What most want: normal priority, no time limit, attached, trace kept.
    pub fn new(client: ClientId, spec: JobSpec) -> Submission {
        Submission {
            client,
            request_id: None,
            spec,
            priority: Priority::Normal,
            time_limit: None,
            due: None,
            detached: false,
            keep_trace: true,
            work: None,
        }
    }
}

/// A job, as far as it has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Its identity.
    pub id: JobId,
    /// Whose it is.
    pub client: ClientId,
    /// By which the client repeats its submit.
    pub request_id: Option<String>,
    /// What is to be done.
    pub spec: JobSpec,
    /// Which go first.
    pub priority: Priority,
    /// Where it stands.
    pub state: JobState,
    /// How often it was begun: 0 while it waits for the first time.
    pub attempt: u32,
    /// How many of its runs died.
    pub deaths: u32,
    /// The most units of work.
    pub work: u64,
    /// When it was stored.
    pub create_time: SystemTime,
    /// When its last attempt began.
    pub start_time: Option<SystemTime>,
    /// When it ended; present exactly if its state is final.
    pub end_time: Option<SystemTime>,
    /// When it is broken off.
    pub deadline: Option<SystemTime>,
    /// The time limit that was asked for.
    pub time_limit: Option<Duration>,
    /// The work limit that was asked for.
    pub work_limit: Option<u64>,
    /// It is not begun before.
    pub due: Option<SystemTime>,
    /// Its turn among the waiting jobs of its priority in the store, if it has been given one.
    pub turn: Option<i64>,
    /// Where it stands if it waits, once that was looked at.
    pub outlook: Option<Outlook>,
    /// Whether its steps are kept once it has finished.
    pub keep_trace: bool,
    /// Why it failed or was cancelled.
    pub reason: Option<String>,
    /// What came of it; present exactly if it succeeded.
    pub outcome: Option<JobOutcome>,
    /// The puzzle it solved, rated or made, in the archive; once it has succeeded.
    pub puzzle: Option<PuzzleId>,
    /// The sequence number of the last entry of its trace, as far as it has come.
    pub last_sequence: u64,
}
