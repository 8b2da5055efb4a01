//! Jobs, what came of them, and the events of their traces.

use std::time::SystemTime;

use super::puzzle::{write_grid, write_puzzle, write_rating, write_solution};
use super::single::tell_step;
use super::spec::{write_priority, write_spec};
use super::words::{shorten, write_level, write_path_end, write_stopped, write_verdict};
use crate::api::proto as pb;
use crate::api::proto::job_event::Event;
use crate::engine::generate::{GenerateOutcome, Generated, Progress};
use crate::engine::logic::explain::Language;
use crate::engine::rate::RateOutcome;
use crate::engine::solve::SolveOutcome;
use crate::jobs::{Job, JobKind, JobOutcome, JobSpec, JobState, Outlook, TraceEntry, TraceEvent};
use crate::puzzle::{Fault, Faults, Puzzle};

/// What of a trace is wanted, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// The language of explanations.
    pub language: Language,
    /// Steps are left out.
    pub omits_steps: bool,
    /// Proofs are left out.
    pub omits_proofs: bool,
    /// All but the end is left out.
    pub end_only: bool,
}

impl View {
    /// What was asked for, or none and a fault.
    pub fn read(message: Option<pb::EventView>, field: &str, faults: &mut Faults) -> Option<View> {
        let message = message.unwrap_or_default();
        let language = read_language(&message.language, &format!("{field}.language"), faults)?;
        Some(View {
            language,
            omits_steps: message.omit_steps,
            omits_proofs: message.omit_proofs,
            end_only: message.end_only,
        })
    }
}

/// The language of a tag, English if it is empty, or none and a fault.
pub fn read_language(tag: &str, field: &str, faults: &mut Faults) -> Option<Language> {
    if tag.is_empty() {
        return Some(Language::default());
    }
    let language = Language::from_tag(tag);
    if language.is_none() {
        let tags: Vec<&str> = Language::ALL.iter().map(|language| language.tag()).collect();
        let message = format!("`{}` is not spoken here, but {} are", shorten(tag), tags.join(", "));
        faults.push(Fault::new(field, message));
    }
    language
}

/// How much of a job is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Detail {
    /// In lists: neither specification nor result.
    Listed,
    /// In events: the result.
    Ended,
    /// All of it.
    Full,
}

/// A job.
pub fn write_job(job: &Job, detail: Detail) -> pb::Job {
    let result = job.outcome.as_ref().filter(|_| detail >= Detail::Ended);
    pb::Job {
        name: job.id.to_string(),
        kind: write_kind(job.spec.kind()).into(),
        state: write_state(job.state).into(),
        request_id: job.request_id.clone().unwrap_or_default(),
        attempt: job.attempt,
        create_time: Some(write_time(job.create_time)),
        start_time: job.start_time.map(write_time),
        end_time: job.end_time.map(write_time),
        deadline: job.deadline.map(write_time),
        spec: (detail == Detail::Full).then(|| write_spec(&job.spec)),
        result: result.map(|outcome| pb::JobResult {
            kind: Some(write_outcome(outcome, &job.spec)),
            puzzle: job.puzzle.map(|id| id.to_string()).unwrap_or_default(),
        }),
        reason: job.reason.clone().unwrap_or_default(),
        priority: write_priority(job.priority).into(),
        schedule_time: job.due.map(write_time),
        outlook: job.outlook.map(write_outlook),
    }
}

/// Where a job stands.
pub fn write_outlook(outlook: Outlook) -> pb::JobOutlook {
    pb::JobOutlook {
        place: outlook.place.unwrap_or(0),
        // a wait that the message cannot hold is not told
        expected_wait: outlook.wait.try_into().ok(),
    }
}

/// The message's word for a kind.
pub fn write_kind(kind: JobKind) -> pb::JobKind {
    match kind {
        JobKind::Solve => pb::JobKind::Solve,
        JobKind::Rate => pb::JobKind::Rate,
        JobKind::Generate => pb::JobKind::Generate,
    }
}

/// The reverse of [`write_kind`].
pub fn read_kind(message: i32) -> Option<JobKind> {
    JobKind::ALL.into_iter().find(|&kind| write_kind(kind) as i32 == message)
}

/// The message's word for a state.
pub fn write_state(state: JobState) -> pb::JobState {
    match state {
        JobState::Scheduled => pb::JobState::Scheduled,
        JobState::Queued => pb::JobState::Queued,
        JobState::Running => pb::JobState::Running,
        JobState::Succeeded => pb::JobState::Succeeded,
        JobState::Failed => pb::JobState::Failed,
        JobState::Cancelled => pb::JobState::Cancelled,
    }
}

/// The reverse of [`write_state`].
pub fn read_state(message: i32) -> Option<JobState> {
    JobState::ALL.into_iter().find(|&state| write_state(state) as i32 == message)
}

/// A moment.
pub fn write_time(time: SystemTime) -> prost_types::Timestamp {
    time.into()
}

fn write_outcome(outcome: &JobOutcome, spec: &JobSpec) -> pb::job_result::Kind {
    let seed = match spec {
        JobSpec::Generate { recipe } => recipe.seed,
        JobSpec::Solve { .. } | JobSpec::Rate { .. } => 0,
    };
    match outcome {
        JobOutcome::Solve(outcome) => pb::job_result::Kind::Solve(write_solve(outcome)),
        JobOutcome::Rate(outcome) => pb::job_result::Kind::Rate(write_rate(outcome)),
        JobOutcome::Generate(outcome) => pb::job_result::Kind::Generate(write_generate(outcome, seed)),
    }
}

fn write_solve(outcome: &SolveOutcome) -> pb::SolveResult {
    pb::SolveResult {
        verdict: outcome.verdict.map(write_verdict),
        nodes: outcome.nodes,
        solutions: outcome.solutions.iter().map(write_solution).collect(),
        steps: outcome.steps,
        path_end: write_path_end(outcome.path).into(),
        grid: Some(write_grid(&outcome.grid)),
        searched_cells: outcome.searched_cells,
        stop_reason: write_stopped(outcome.stopped).into(),
    }
}

fn write_rate(outcome: &RateOutcome) -> pb::RateResult {
    pb::RateResult {
        verdict: Some(write_verdict(outcome.verdict)),
        solution: outcome.solution.as_ref().map(write_solution),
        rating: outcome.rating.as_ref().map(write_rating),
        stop_reason: write_stopped(outcome.stopped).into(),
    }
}

fn write_generate(outcome: &GenerateOutcome, seed: u64) -> pb::GenerateResult {
    pb::GenerateResult {
        generated: outcome.generated.as_ref().map(write_generated),
        progress: Some(write_progress(&outcome.progress)),
        stop_reason: write_stopped(outcome.stopped).into(),
        seed,
    }
}

fn write_generated(generated: &Generated) -> pb::Generated {
    pb::Generated {
        puzzle: Some(write_puzzle(&generated.puzzle, true)),
        solution: Some(write_solution(&generated.solution)),
        rating: Some(write_rating(&generated.rating)),
        attempt: generated.attempt,
    }
}

fn write_progress(progress: &Progress) -> pb::GenerateProgress {
    pb::GenerateProgress {
        tried: progress.tried,
        kept: progress.kept,
        nearest: progress.nearest.map_or(0, |level| write_level(level).into()),
        nearest_clues: progress.nearest_clues,
    }
}

/// An entry of a trace, or none where the view leaves it out. `puzzle` is what the job is about, if it is about one.
pub fn write_entry(entry: &TraceEntry, puzzle: Option<&Puzzle>, view: View) -> Option<Event> {
    let event = match &entry.event {
        event if view.end_only && !matches!(event, TraceEvent::Finished(_)) => return None,
        TraceEvent::Started { attempt } => Event::Started(pb::JobStarted { attempt: *attempt }),
        TraceEvent::Restarted { attempt } => Event::Restarted(pb::JobRestarted { attempt: *attempt }),
        TraceEvent::Verdict(verdict) => Event::Verdict(write_verdict(*verdict)),
        TraceEvent::Step(_) if view.omits_steps => return None,
        TraceEvent::Step(step) => Event::Step(tell_step(step, puzzle?, view)),
        TraceEvent::Progress(progress) => Event::Progress(write_progress(progress)),
        TraceEvent::Finished(job) => {
            Event::Finished(Box::new(pb::JobFinished { job: Some(write_job(job, Detail::Ended)) }))
        }
    };
    Some(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        assert!(JobState::ALL.iter().all(|&state| read_state(write_state(state).into()) == Some(state)));
        assert!(JobKind::ALL.iter().all(|&kind| read_kind(write_kind(kind).into()) == Some(kind)));
        assert_eq!(read_state(0), None);
        assert_eq!(read_kind(-1), None);
    }

    #[test]
    fn languages() {
        let mut faults = Faults::none();
        assert_eq!(read_language("zh-CN", "language", &mut faults), Some(Language::Chinese));
        assert_eq!(read_language("", "language", &mut faults), Some(Language::English));
        assert!(faults.is_empty());
        assert_eq!(read_language("tlh", "language", &mut faults), None);
        assert_eq!(faults.list[0].field, "language");
    }
}
