//! Jobs from submit to end: what is promised to those who submit, follow, cancel and wait.

mod broken;
mod cancel;
mod follow;
mod queue;
mod run;
mod submit;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use sleuth::engine::budget::{Budget, Stopped};
use sleuth::engine::search::Verdict;
use sleuth::engine::solve::{SolveError, SolveOptions, SolveOutcome};
use sleuth::jobs::{
    ClientId, Execute, Job, JobId, JobOutcome, JobSpec, Jobs, JobsError, Run, RunEvent, Settings, Submission,
    TraceEntry, TraceEvent, Watcher,
};
use sleuth::puzzle::{Puzzle, formats};
use sleuth::store::{Durability, SqliteStore, Store};
use tempfile::TempDir;

/// What a scripted job does; it stands in the options where the number of solutions would.
pub mod script {
    pub const QUICK: u64 = 1_000;
    /// Panics after one entry.
    pub const PANIC: u64 = 2_000;
    /// One entry, then works until it is stopped.
    pub const ENDLESS: u64 = 3_000;
    /// One entry, then waits for the gate, which minds no flag, then another entry.
    pub const GATED: u64 = 4_000;
    /// Kills nobody, but tells so much progress.
    pub const PROGRESS: u64 = 5_000;
}

/// A door that jobs wait at.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().expect("no panic") = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let shut = self.0.0.lock().expect("no panic");
        drop(self.0.1.wait_while(shut, |is_open| !*is_open).expect("no panic"));
    }
}

/// Jobs on a database of their own.
pub struct Bench {
    pub jobs: Jobs,
    pub store: Arc<dyn Store>,
    pub gate: Gate,
    pub folder: TempDir,
}

pub async fn open_store(folder: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(&folder.join("sleuth.db"), Durability::Normal).await.expect("opens"))
}

impl Bench {
    /// Scripted jobs.
    pub async fn scripted(settings: Settings) -> Bench {
        Bench::on(tempfile::tempdir().expect("a folder"), settings).await
    }

    /// Scripted jobs, on what an earlier process left.
    pub async fn on(folder: TempDir, settings: Settings) -> Bench {
        let gate = Gate::default();
        let store = open_store(folder.path()).await;
        let jobs = Jobs::start_with(store.clone(), settings, scripted(gate.clone())).await.expect("starts");
        Bench { jobs, store, gate, folder }
    }

    /// The engine itself.
    pub async fn real(settings: Settings) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open_store(folder.path()).await;
        let jobs = Jobs::start(store.clone(), settings).await.expect("starts");
        Bench { jobs, store, gate: Gate::default(), folder }
    }

    /// Shuts down without grace, and gives back the folder.
    pub async fn close(self) -> TempDir {
        self.gate.open();
        timely(self.jobs.shutdown(Duration::ZERO)).await;
        self.store.close().await.expect("closes");
        self.folder
    }
}

/// One thread for any work, besides the interactive one.
pub fn one_worker() -> Settings {
    Settings { workers: 1, places: 128, ..Settings::default() }
}

/// What should happen soon; a test that hangs says so.
pub async fn timely<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("happens within a minute")
}

pub fn scripted(gate: Gate) -> Arc<Execute> {
    Arc::new(move |spec: &JobSpec, budget: &mut Budget, each: &mut dyn FnMut(TraceEvent)| {
        let JobSpec::Solve { puzzle, options } = spec else { panic!("solves alone are scripted") };
        let stopped = play(options.limit, &gate, budget, each).err();
        Ok::<_, SolveError>(JobOutcome::Solve(SolveOutcome {
            verdict: Some(Verdict::One),
            nodes: 7,
            solutions: vec![],
            steps: 0,
            path: None,
            grid: puzzle.givens().to_vec(),
            searched_cells: 0,
            stopped,
        }))
    })
}

fn play(
    script: u64,
    gate: &Gate,
    budget: &mut Budget,
    each: &mut dyn FnMut(TraceEvent),
) -> Result<(), Stopped> {
    each(TraceEvent::Verdict(Verdict::One));
    match script {
        script::PANIC => panic!("as the script says"),
        script::ENDLESS => loop {
            budget.spend(1)?;
            std::thread::yield_now();
        },
        script::GATED => {
            gate.pass();
            each(TraceEvent::Verdict(Verdict::None));
        }
        script::PROGRESS => {
            for tried in 1..=100 {
                each(TraceEvent::Progress(sleuth::engine::generate::Progress {
                    tried,
                    ..Default::default()
                }));
            }
            gate.pass();
        }
        _ => {}
    }
    Ok(())
}

/// A puzzle of size 4 with this digit in its first cell.
pub fn small(digit: u8) -> Arc<Puzzle> {
    read(&format!("{{\"size\": 4, \"boxes\": \"2x2\", \"givens\": \"{digit}...............\"}}"))
}

/// A classic that singles solve, in 51 steps.
pub fn classic() -> Arc<Puzzle> {
    read(
        "{\"size\": 9, \"boxes\": \"3x3\", \"givens\":
          \"530070000600195000098000060800060003400803001700020006060000280000419005000080079\"}",
    )
}

pub fn read(json: &str) -> Arc<Puzzle> {
    Arc::new(formats::json::from_str(json).expect("readable").check().expect("a puzzle"))
}

pub fn client() -> ClientId {
    ClientId("me".into())
}

/// A submission of a scripted job.
pub fn scripted_job(script: u64) -> Submission {
    let options = SolveOptions { limit: script, ..SolveOptions::default() };
    Submission::new(client(), JobSpec::Solve { puzzle: small(1), options })
}

pub fn solve(puzzle: Arc<Puzzle>) -> Submission {
    Submission::new(client(), JobSpec::Solve { puzzle, options: SolveOptions::default() })
}

/// Follows a run until something has happened.
pub async fn follow_until(run: &mut Run, is_it: impl Fn(&RunEvent) -> bool) -> Vec<RunEvent> {
    let mut events = Vec::new();
    loop {
        let event = timely(run.next()).await.expect("more happens").expect("no fault");
        let is_last = is_it(&event);
        events.push(event);
        if is_last {
            return events;
        }
    }
}

/// Follows a run until it is accepted and has made its first entry beyond the start.
pub async fn follow_until_busy(run: &mut Run) -> Vec<RunEvent> {
    let (mut accepted, mut busy) = (false, false);
    let mut events = Vec::new();
    while !accepted || !busy {
        let event = timely(run.next()).await.expect("more happens").expect("no fault");
        match &event {
            RunEvent::Accepted(_) => accepted = true,
            RunEvent::Trace(entry) => busy |= matches!(entry.event, TraceEvent::Verdict(_)),
        }
        events.push(event);
    }
    events
}

/// Follows a run to its end: the entries of its trace, and the job.
pub async fn follow(run: &mut Run) -> (Vec<TraceEntry>, Job) {
    let events = follow_until(run, is_finished).await;
    assert_eq!(events.iter().filter(|event| matches!(event, RunEvent::Accepted(_))).count(), 1);
    assert!(timely(run.next()).await.is_none(), "nothing follows the end");
    let entries: Vec<TraceEntry> = events
        .into_iter()
        .filter_map(|event| match event {
            RunEvent::Trace(entry) => Some(entry),
            RunEvent::Accepted(_) => None,
        })
        .collect();
    let job = job_of(&entries);
    (entries, job)
}

pub fn is_finished(event: &RunEvent) -> bool {
    matches!(event, RunEvent::Trace(entry) if matches!(entry.event, TraceEvent::Finished(_)))
}

pub fn accepted(events: &[RunEvent]) -> JobId {
    let id = events.iter().find_map(|event| match event {
        RunEvent::Accepted(submitted) => Some(submitted.job.id),
        RunEvent::Trace(_) => None,
    });
    id.expect("accepted")
}

/// The job that a whole trace ends with.
pub fn job_of(entries: &[TraceEntry]) -> Job {
    match entries.last().map(|entry| &entry.event) {
        Some(TraceEvent::Finished(job)) => (**job).clone(),
        other => panic!("a trace ends with its job, not with {other:?}"),
    }
}

/// Reads a watcher to its end.
pub async fn watch_all(mut watcher: Watcher) -> Result<Vec<TraceEntry>, JobsError> {
    let mut entries = Vec::new();
    while let Some(entry) = timely(watcher.next()).await {
        entries.push(entry?);
    }
    Ok(entries)
}
