//! A job on a worker thread: what was asked goes to the engine, what happens goes to the log, what came of it is
//! made ready for the store.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::codec;
use super::job::{JobOutcome, JobSpec, JobState};
use super::live::{End, Live, Stop};
use super::trace::TraceEvent;
use crate::archive::learn;
use crate::engine::budget::Budget;
use crate::engine::generate::generate;
use crate::engine::rate::rate;
use crate::engine::solve::{SolveError, SolveEvent, SolveOutcome, solve, solve_brief};
use crate::puzzle::Puzzle;
use crate::store::{Chunk, Finish, NewPuzzle};

/// Does what is asked, telling what happens. The engine, or what a test puts in its place.
pub type Execute =
    dyn Fn(&JobSpec, &mut Budget, &mut dyn FnMut(TraceEvent)) -> Result<JobOutcome, SolveError> + Send + Sync;

/// The same for one run.
type ExecuteOnce<'e> =
    dyn Fn(&JobSpec, &mut Budget, &mut dyn FnMut(TraceEvent)) -> Result<JobOutcome, SolveError> + 'e;

/// The engine.
pub fn execute(
    spec: &JobSpec,
    budget: &mut Budget,
    each: &mut dyn FnMut(TraceEvent),
) -> Result<JobOutcome, SolveError> {
    match spec {
        JobSpec::Solve { puzzle, options } => {
            let outcome = solve(puzzle, options, budget, &mut |event| match event {
                SolveEvent::Verdict(verdict) => each(TraceEvent::Verdict(verdict)),
                SolveEvent::Step(_, step) => each(TraceEvent::Step(Arc::new(step))),
            })?;
            Ok(JobOutcome::Solve(outcome))
        }
        JobSpec::Rate { puzzle, scale } => Ok(JobOutcome::Rate(rate(puzzle, *scale, budget))),
        JobSpec::Generate { recipe } => {
            let outcome =
                generate(recipe, budget, &mut |progress| each(TraceEvent::Progress(progress.clone())));
            Ok(JobOutcome::Generate(outcome))
        }
    }
}

/// Who does what jobs ask for.
#[derive(Clone)]
pub enum Executor {
    /// The engine.
    Engine,
    /// What a test puts in its place.
    Other(Arc<Execute>),
}

impl Executor {
    /// How many brief jobs are worth running in one go.
    pub fn at_once(&self) -> usize {
        match self {
            Executor::Engine => 16,
            Executor::Other(_) => 1,
        }
    }

    /// Runs jobs one after another, and tells how each ended. Brief ones that come together are searched in one call.
    /// Stops where `ended` breaks.
    pub fn run(
        &self,
        jobs: &[Arc<Live>],
        ended: &mut dyn FnMut(&Arc<Live>, Ending) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let execute = match self {
            Executor::Engine => &execute,
            Executor::Other(execute) => &**execute,
        };
        let mut outcomes = if jobs.len() > 1 { search_brief(jobs) } else { Vec::new() }.into_iter();
        for live in jobs {
            let ending = match outcomes.next().flatten() {
                None => guard(live, || try_run(live, execute)),
                Some(outcome) => guard(live, || take_brief(live, outcome)),
            };
            ended(live, ending)?;
        }
        ControlFlow::Continue(())
    }
}

/// What comes of brief jobs, as far as it came in a moment.
fn search_brief(jobs: &[Arc<Live>]) -> Vec<Option<SolveOutcome>> {
    let puzzles: Option<Vec<&Puzzle>> = jobs
        .iter()
        .map(|live| live.is_brief().then(|| live.spec.puzzle().map(Arc::as_ref)).flatten())
        .collect();
    let Some(puzzles) = puzzles else { return Vec::new() };
    jobs.iter().filter(|live| !live.flag.is_raised()).for_each(|live| live.begin());
    catch_unwind(AssertUnwindSafe(|| solve_brief(&puzzles))).unwrap_or_else(|panic| {
        // each is run alone then, and the one that it is will say so itself
        tracing::error!(panic = panic_message(&*panic), "a search of several puzzles panicked");
        Vec::new()
    })
}

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// With the end of the job.
    Finish { end: Box<End>, finish: Arc<Finish> },
    /// The job goes back to the queue.
    Release,
    /// It is no job of this process.
    Forget,
}

/// Whatever panics, the job ends.
fn guard(live: &Live, run: impl FnOnce() -> Ending) -> Ending {
    let ending = catch_unwind(AssertUnwindSafe(run));
    live.note_ran();
    ending.unwrap_or_else(|panic| {
        let reason = format!("its end could not be written: {}", panic_message(&*panic));
        end(live, JobState::Failed, Some(reason), None, None)
    })
}

fn try_run(live: &Live, execute: &ExecuteOnce<'_>) -> Ending {
    live.begin();
    live.log.begin(live.attempt);
    if live.flag.is_raised() {
        return end_stopped(live);
    }
    let mut budget = Budget::new(live.work, live.flag.clone());
    // what a panic leaves half-done is the log alone, which stays well-formed entry by entry
    let result = catch_unwind(AssertUnwindSafe(|| {
        execute(&live.spec, &mut budget, &mut |event| live.log.push(event))
    }));
    let stop = live.seal();
    match (result, stop) {
        (_, Some(Stop::Lost)) => Ending::Forget,
        (Ok(Ok(outcome)), None) => succeed(live, outcome),
        // it came too late
        (Ok(Ok(outcome)), Some(_)) if !is_broken_off(&outcome) => succeed(live, outcome),
        (_, Some(_)) => end_stopped(live),
        (Ok(Err(error)), None) => fail(live, error.to_string()),
        (Err(panic), None) => fail(live, format!("its run panicked: {}", panic_message(&*panic))),
    }
}

/// Takes what came of a brief job for its run, which was over before anybody could have followed it.
fn take_brief(live: &Live, outcome: SolveOutcome) -> Ending {
    live.begin();
    if live.flag.is_raised() {
        live.log.begin(live.attempt);
        return end_stopped(live);
    }
    live.log.record(live.attempt, outcome.verdict.map(TraceEvent::Verdict).into_iter());
    match live.seal() {
        Some(Stop::Lost) => Ending::Forget,
        // whatever else came was too late
        _ => succeed(live, JobOutcome::Solve(outcome)),
    }
}

/// The end of a job that was stopped before or while it ran.
pub fn end_stopped(live: &Live) -> Ending {
    match live.seal() {
        Some(Stop::Cancel(reason)) => finish(live, JobState::Cancelled, Some(reason), None),
        Some(Stop::Shutdown) | None => Ending::Release,
        Some(Stop::Lost) => Ending::Forget,
    }
}

/// Whether the engine was stopped by the flag; to have done all the work allowed is an end like any other.
fn is_broken_off(outcome: &JobOutcome) -> bool {
    use crate::engine::budget::Stopped::Cancelled;
    let stopped = match outcome {
        JobOutcome::Solve(solve) => solve.stopped,
        JobOutcome::Rate(rate) => rate.stopped,
        JobOutcome::Generate(generate) => generate.stopped,
    };
    stopped == Some(Cancelled)
}

fn succeed(live: &Live, outcome: JobOutcome) -> Ending {
    finish(live, JobState::Succeeded, None, Some(outcome))
}

fn fail(live: &Live, reason: String) -> Ending {
    finish(live, JobState::Failed, Some(reason), None)
}

fn finish(live: &Live, state: JobState, reason: Option<String>, outcome: Option<JobOutcome>) -> Ending {
    let puzzle = live.spec.puzzle().map(Arc::as_ref);
    let entries = if live.keep_trace { live.log.entries() } else { Vec::new() };
    end(live, state, reason, outcome, codec::write_entries(&entries, puzzle, true))
}

fn end(
    live: &Live,
    state: JobState,
    reason: Option<String>,
    outcome: Option<JobOutcome>,
    trace: Option<Chunk>,
) -> Ending {
    let last_sequence = live.log.len() as u64 + 1;
    let finish = Finish {
        priority: live.priority,
        state,
        reason: reason.clone(),
        start_time: live.started.get().map(|(time, _)| *time),
        outcome: outcome.as_ref().map(codec::write_outcome),
        last_sequence,
        trace,
        puzzle: outcome.as_ref().and_then(|outcome| learn(&live.spec, outcome)),
    };
    let end = Box::new(End { state, reason, outcome, last_sequence });
    Ending::Finish { end, finish: Arc::new(finish) }
}

/// What the archive learns.
fn learn(spec: &JobSpec, outcome: &JobOutcome) -> Option<NewPuzzle> {
    match (outcome, spec.puzzle()) {
        (JobOutcome::Solve(solve), Some(puzzle)) => Some(learn::from_solve(puzzle, solve)),
        (JobOutcome::Rate(rate), Some(puzzle)) => Some(learn::from_rate(puzzle, rate)),
        (JobOutcome::Generate(generate), _) => generate.generated.as_ref().map(learn::from_generated),
        (JobOutcome::Solve(_) | JobOutcome::Rate(_), None) => None,
    }
}

/// What a panic said.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".to_owned())
}
