//! Floor 2: submit, claim, run, watch. Threads and clocks are here; no message and no status code.
//!
//! Read [`job`] (what a job is) and [`trace`] (what happens to it) first, then the facade [`Jobs`]. Behind it:
//! `queue` (what waits in this process), `worker` (the threads), `runner` (a job on a thread), `codec` (jobs and
//! traces as text).

pub mod error;
pub mod job;
pub mod trace;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use error::JobsError;
pub use job::{
    ClientId, Job, JobFilter, JobId, JobKind, JobOutcome, JobSpec, JobState, Priority, PuzzleId, Submission,
};
pub use trace::{Cursor, CursorError, TraceEntry, TraceEvent};

use crate::engine::budget::Budget;
use crate::store::{Page, Paged, StoreError};

/// How many of what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Threads that take any work; one more takes interactive work alone.
    pub workers: usize,
    /// Jobs that may wait.
    pub queue_limit: usize,
    /// Short calls that may wait.
    pub call_limit: usize,
    /// The most units of work a job may ask for, and what it gets unless it asks for less.
    pub work_limit: u64,
    /// How many runs of a job may die before it fails for good.
    pub max_deaths: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            workers: std::thread::available_parallelism().map_or(2, |count| count.get()),
            queue_limit: 100_000,
            call_limit: 1_000,
            work_limit: 1_000_000_000_000,
            max_deaths: 3,
        }
    }
}

/// The answer to a submit: the job is stored, and will end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Submitted {
    /// The job.
    pub id: JobId,
    /// Whether it is new; else it was submitted before under the same request id.
    pub fresh: bool,
}

/// What a [`Run`] tells.
#[derive(Clone, PartialEq, Debug)]
pub enum RunEvent {
    /// The job is stored, and will end. Entries may have come before.
    Accepted(Submitted),
    /// Something happened to it.
    Trace(TraceEntry),
}

/// A job submitted and followed. Dropped before its end, it cancels the job, unless the job is detached or
/// somebody else holds another run of it.
#[derive(Debug)]
pub struct Run;

impl Run {
    /// What happens next; `Accepted` comes once, `Finished` last, then none. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<RunEvent, JobsError>> {
        unimplemented!()
    }
}

/// Reads the trace of a job, at its own speed. Holds nobody up, and dropping it does nothing to the job.
#[derive(Debug)]
pub struct Watcher;

impl Watcher {
    /// What happened next; `Finished` comes last, then none. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<TraceEntry, JobsError>> {
        unimplemented!()
    }
}

/// The jobs of this process. Cheap to clone; all clones are one.
///
/// Where a `client` is asked for, none stands for an administrator, who may see everybody's jobs.
#[derive(Clone, Debug)]
pub struct Jobs;

impl Jobs {
    /// Takes up what is unfinished and starts the workers.
    pub async fn start(
        _store: Arc<dyn crate::store::Store>,
        _settings: Settings,
    ) -> Result<Jobs, StoreError> {
        unimplemented!()
    }

    /// Whether a submission could be accepted, queue and request id aside.
    pub fn check(&self, _submission: &Submission) -> Result<(), JobsError> {
        unimplemented!()
    }

    /// Stores a job, and answers after the commit that stores it. Whatever the submission says, it is detached.
    pub async fn submit(&self, _submission: Submission) -> Result<Submitted, JobsError> {
        unimplemented!()
    }

    /// Stores a job and follows it. Refused at once where the queue is full.
    pub fn run(&self, _submission: Submission) -> Result<Run, JobsError> {
        unimplemented!()
    }

    /// A job as it stands now.
    pub async fn job(&self, _client: Option<&ClientId>, _id: JobId) -> Result<Job, JobsError> {
        unimplemented!()
    }

    /// Jobs, the latest first, without outcome.
    pub async fn list(&self, _filter: &JobFilter, _page: &Page) -> Result<Paged<Job>, JobsError> {
        unimplemented!()
    }

    /// Cancels a job and answers once it has ended, in whichever way: cancelled, or as it did just before.
    pub async fn cancel(&self, _client: Option<&ClientId>, _id: JobId) -> Result<Job, JobsError> {
        unimplemented!()
    }

    /// The trace of a job from its beginning, or right after a cursor.
    pub async fn watch(
        &self,
        _client: Option<&ClientId>,
        _id: JobId,
        _after: Option<Cursor>,
    ) -> Result<Watcher, JobsError> {
        unimplemented!()
    }

    /// Does short work on the worker threads, stored nowhere. Its flag is raised at the deadline, and when the
    /// caller drops the future.
    pub async fn compute<T: Send + 'static>(
        &self,
        _priority: Priority,
        _deadline: Option<SystemTime>,
        _work: impl FnOnce(&mut Budget) -> T + Send + 'static,
    ) -> Result<T, JobsError> {
        unimplemented!()
    }

    /// Accepts nothing more, gives running jobs the grace to end, stops the others and leaves them queued for the
    /// next start, and ends every thread and task. Watchers and runs end with [`JobsError::Closing`].
    pub async fn shutdown(&self, _grace: Duration) {
        unimplemented!()
    }
}
