//! Jobs of the daemon, for `jobs` and `watch`.

use std::time::SystemTime;

use serde::Serialize;

use super::{GenerateReport, RateReport, SolveReport};
use crate::api::client::View as JobView;
use crate::cli::source::shortest;
use crate::jobs::{JobOutcome, Outlook};

/// A job of the daemon.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JobReport {
    /// `jobs/42`.
    pub name: String,
    /// `solve`, `rate`, `generate`.
    pub kind: &'static str,
    /// `scheduled`, `queued`, `running`, `succeeded`, `failed`, `cancelled`.
    pub state: &'static str,
    /// How often it was begun.
    pub attempt: u32,
    /// When it was stored, as in `2026-01-31T12:00:00Z`.
    pub create_time: Option<String>,
    /// When its last attempt began.
    pub start_time: Option<String>,
    /// When it ended.
    pub end_time: Option<String>,
    /// When it may begin at the earliest.
    pub schedule_time: Option<String>,
    /// Where it stands while it waits: an estimate.
    pub outlook: Option<OutlookReport>,
    /// Why it failed or was cancelled.
    pub reason: Option<String>,
    /// Its puzzle in the archive.
    pub puzzle: Option<String>,
    /// Answer of the command of its kind, without steps; null unless it succeeded, and in lists.
    pub result: Option<ResultReport>,
}

/// Where a waiting job stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct OutlookReport {
    /// 1 for the job that is begun next; null while it waits for its time.
    pub place: Option<u64>,
    /// About how many milliseconds it will wait.
    pub expected_ms: u64,
}

impl From<&Outlook> for OutlookReport {
    fn from(outlook: &Outlook) -> OutlookReport {
        let expected_ms = u64::try_from(outlook.wait.as_millis()).unwrap_or(u64::MAX);
        OutlookReport { place: outlook.place, expected_ms }
    }
}

impl std::fmt::Display for OutlookReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.expected_ms as f64 / 1e3;
        match self.place {
            Some(place) => write!(f, "place {place}, about {seconds:.1} s"),
            None => write!(f, "begins in {seconds:.1} s"),
        }
    }
}

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum ResultReport {
    /// Of a solve.
    Solve(SolveReport),
    /// Of a rating.
    Rate(RateReport),
    /// Of a generation.
    Generate(GenerateReport),
}

impl From<&JobView> for JobReport {
    fn from(job: &JobView) -> JobReport {
        let time = |time: Option<SystemTime>| time.map(|time| prost_types::Timestamp::from(time).to_string());
        JobReport {
            name: job.name.clone(),
            kind: job.kind.word(),
            state: job.state.word(),
            attempt: job.attempt,
            create_time: time(job.create_time),
            start_time: time(job.start_time),
            end_time: time(job.end_time),
            schedule_time: time(job.schedule_time),
            outlook: job.outlook.as_ref().map(OutlookReport::from),
            reason: job.reason.clone(),
            puzzle: job.puzzle.clone(),
            result: job.outcome.as_ref().map(|outcome| match outcome {
                JobOutcome::Solve(outcome) => ResultReport::Solve(SolveReport::new(outcome, Vec::new())),
                JobOutcome::Rate(outcome) => ResultReport::Rate(outcome.into()),
                JobOutcome::Generate(outcome) => {
                    let text = outcome.generated.as_ref().map(|made| shortest(&made.puzzle));
                    ResultReport::Generate(GenerateReport::new(outcome, job.seed, text))
                }
            }),
        }
    }
}
