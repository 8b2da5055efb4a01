//! Floor 2: submit, claim, run, watch. Threads and clocks are here; no message and no status code.
//!
//! Read [`job`] (what a job is) and [`trace`] (what happens to it) first, then the facade [`Jobs`]. Behind it: `queue`
//! (what waits in this process, by `lane` and `tally`), `outlook` (how long it still will), `worker` (the threads),
//! `runner` (a job on a thread), `live`, `log` and `recent` (a claimed job, its trace in memory, and those of finished
//! jobs), `core` (what is shared), `admit` and `end` (how a job is stored, and how its end is), `tend`, `schedule` and
//! `prune` (the tasks in the background), `nodes` and `follow` (further tasks where other processes share the store),
//! `run` and `watch` (those who follow), `codec` (jobs and traces as text).

mod admit;
mod codec;
mod core;
mod end;
pub mod error;
mod follow;
pub mod job;
mod lane;
mod live;
mod log;
mod nodes;
mod outlook;
mod prune;
mod queue;
mod recent;
mod run;
mod runner;
mod schedule;
mod tally;
mod tend;
pub mod trace;
mod watch;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use tokio::sync::{Semaphore, mpsc, oneshot};

use self::core::Core;
pub use error::JobsError;
pub use job::{
    ClientId, Job, JobFilter, JobId, JobKind, JobOutcome, JobSpec, JobState, Priority, PuzzleId, Submission,
};
use live::Stop;
pub use outlook::Outlook;
pub use prune::Retention;
use queue::{Bounds, Queue};
pub use run::{Run, RunEvent};
use runner::Executor;
use runner::{Ending, panic_message};
pub use runner::{Execute, execute};
pub use trace::{Cursor, CursorError, TraceEntry, TraceEvent};
pub use watch::Watcher;
use worker::Crew;

use crate::engine::budget::{Budget, CancelFlag};
use crate::engine::search::BRIEF_UNITS;
use crate::store::{Page, Paged, Store, StoreError};

/// Units of work that the thread which serves a call may do itself: others wait for it meanwhile. Most puzzles that
/// people play take fewer.
pub const AT_ONCE_UNITS: u64 = BRIEF_UNITS / 4;

/// How many of what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Threads that take any work; one more takes interactive work alone, and one short calls alone.
    pub workers: usize,
    /// Jobs that may wait.
    pub queue_limit: usize,
    /// Jobs of one client that may wait.
    pub client_limit: usize,
    /// Jobs of each priority that may wait in this process, claimed as they are stored. Enough to keep the threads busy
    /// over a commit, and for a few busy streams; few enough that not many have to be taken back when the process dies.
    pub places: usize,
    /// Short calls that may wait.
    pub call_limit: usize,
    /// The most units of work a job may ask for, and what it gets unless it asks for less.
    pub work_limit: u64,
    /// The most units of work of a short call.
    pub call_work_limit: u64,
    /// How many runs of a job may die before it fails for good.
    pub max_deaths: u32,
    /// How long finished jobs are kept.
    pub retention: Retention,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            workers: std::thread::available_parallelism().map_or(2, |count| count.get()),
            queue_limit: 100_000,
            client_limit: 50_000,
            places: 512,
            call_limit: 1_000,
            work_limit: 1_000_000_000_000,
            call_work_limit: 200_000_000,
            max_deaths: 3,
            retention: Retention::default(),
        }
    }
}

/// The answer to a submit: the job is stored, and will end.
#[derive(Clone, PartialEq, Debug)]
pub struct Submitted {
    /// The job.
    pub job: Job,
    /// Whether it is new; else it was submitted before under the same request id.
    pub fresh: bool,
}

/// The jobs of this process. Cheap to clone; all clones are one. To be shut down before it is dropped.
///
/// Where a `client` is asked for, none stands for an administrator, who may see everybody's jobs.
#[derive(Clone, Debug)]
pub struct Jobs {
    core: Arc<Core>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Jobs {
    /// Takes up what is unfinished and starts the workers.
    pub async fn start(store: Arc<dyn Store>, settings: Settings) -> Result<Jobs, StoreError> {
        Jobs::start_crew(store, settings, Executor::Engine).await
    }

    /// The same with something else in the engine's place: for tests of what may go wrong.
    pub async fn start_with(
        store: Arc<dyn Store>,
        settings: Settings,
        execute: Arc<Execute>,
    ) -> Result<Jobs, StoreError> {
        Jobs::start_crew(store, settings, Executor::Other(execute)).await
    }

    async fn start_crew(
        store: Arc<dyn Store>,
        settings: Settings,
        executor: Executor,
    ) -> Result<Jobs, StoreError> {
        store.recover(settings.max_deaths).await?;
        let bounds = Bounds {
            jobs: settings.queue_limit,
            jobs_of_client: settings.client_limit,
            places: settings.places,
            calls: settings.call_limit,
            is_shared: store.is_shared(),
        };
        let queue = Arc::new(Queue::new(bounds, &store.backlog().await?));
        let workers = settings.workers;
        let core = Arc::new(Core::new(store, queue.clone(), settings));
        let (sender, ended) = mpsc::channel(64);
        let room = Arc::new(Semaphore::new(tend::ENDS));
        let crew = Crew { queue, executor, room: room.clone(), ended: sender };
        let threads = crew.start(workers).map_err(|error| StoreError::Failed(error.to_string()))?;
        core.tasks.spawn(tend::fetch(core.clone()));
        core.tasks.spawn(tend::store_ends(core.clone(), room, ended));
        core.tasks.spawn(tend::look_after(core.clone()));
        core.tasks.spawn(schedule::promote(core.clone()));
        core.tasks.spawn(prune::prune(core.clone()));
        if core.store.is_shared() {
            nodes::start(&core);
            core.tasks.spawn(follow::follow(core.clone()));
        }
        Ok(Jobs { core, threads: Arc::new(Mutex::new(threads)) })
    }

    /// Whether a submission could be accepted, if there is room for its job. Says whether the job is there already,
    /// submitted before under the same request id.
    pub async fn validate(&self, submission: &Submission) -> Result<bool, JobsError> {
        self.core.validate(submission).await
    }

    /// Stores a job, and answers after the commit that stores it. Whatever the submission says, it is detached.
    /// Dropping the future does not take it back.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, JobsError> {
        let admitted = self.core.admit(Submission { detached: true, ..submission })?;
        Run::start(self.core.clone(), admitted).accepted().await
    }

    /// Stores a job and follows it. Refused at once where the queue is full.
    pub fn run(&self, submission: Submission) -> Result<Run, JobsError> {
        Ok(Run::start(self.core.clone(), self.core.admit(submission)?))
    }

    /// A job as it stands now.
    pub async fn job(&self, client: Option<&ClientId>, id: JobId) -> Result<Job, JobsError> {
        let mut job = self.core.job(id).await?;
        // to others it is as if it were not there
        if client.is_some_and(|client| *client != job.client) {
            return Err(JobsError::NotFound(id));
        }
        self.look_ahead(std::slice::from_mut(&mut job)).await?;
        Ok(job)
    }

    /// Jobs, the latest first, without outcome.
    pub async fn list(&self, filter: &JobFilter, page: &Page) -> Result<Paged<Job>, JobsError> {
        let rows = self.core.store.jobs(filter.clone(), page.clone()).await?;
        let mut jobs = rows.try_map(|row| self.core.read_job(row))?;
        self.look_ahead(&mut jobs.items).await?;
        Ok(jobs)
    }

    /// Tells those that wait where they stand.
    async fn look_ahead(&self, jobs: &mut [Job]) -> Result<(), JobsError> {
        let waits = |job: &Job| matches!(job.state, JobState::Scheduled | JobState::Queued);
        if jobs.iter().any(waits) {
            let prospect = self.core.prospect().await?;
            jobs.iter_mut().for_each(|job| job.outlook = self.core.outlook(job, &prospect));
        }
        Ok(())
    }

    /// Cancels a job and answers once it has ended, in whichever way: cancelled, or as it did just before.
    pub async fn cancel(&self, client: Option<&ClientId>, id: JobId) -> Result<Job, JobsError> {
        let job = self.job(client, id).await?;
        if job.state.is_final() {
            return Ok(job);
        }
        self.core.cancel(id, "cancelled on request").await
    }

    /// The trace of a job from its beginning, or right after a cursor. Progress is told as it comes, and is no
    /// entry of the trace.
    pub async fn watch(
        &self,
        client: Option<&ClientId>,
        id: JobId,
        after: Option<Cursor>,
    ) -> Result<Watcher, JobsError> {
        let job = self.job(client, id).await?;
        Watcher::of_job(self.core.clone(), job, after, false).await
    }

    /// Does short work on the worker threads, stored nowhere. Its flag is raised at the deadline, and when the
    /// caller drops the future. A shutdown breaks it off after its grace.
    pub async fn compute<T: Send + 'static>(
        &self,
        priority: Priority,
        deadline: Option<SystemTime>,
        work: impl FnOnce(&mut Budget) -> T + Send + 'static,
    ) -> Result<T, JobsError> {
        let flag = RaiseOnDrop(CancelFlag::new());
        let mut budget = Budget::new(self.core.settings.call_work_limit, flag.0.clone());
        let (sender, receiver) = oneshot::channel();
        let call = move || {
            if sender.is_closed() {
                return;
            }
            // the caller may have gone meanwhile
            let _ = sender.send(do_work(|| work(&mut budget)));
        };
        self.core.queue.push_call(priority, Box::new(call)).map_err(|refusal| self.core.refused(refusal))?;
        let answer = async {
            tokio::select! {
                answer = receiver => answer.unwrap_or(Err(JobsError::Closing)),
                // the flag is raised on the way out, for the threads are waited for
                () = self.core.halting.cancelled() => Err(JobsError::Closing),
            }
        };
        let Some(deadline) = deadline else { return answer.await };
        tokio::pin!(answer);
        let left = deadline.duration_since(SystemTime::now()).unwrap_or_default();
        if let Ok(result) = tokio::time::timeout(left, &mut answer).await {
            return result;
        }
        flag.0.raise();
        answer.await
    }

    /// The same for work that is most likely done in a moment: the caller's thread does up to [`AT_ONCE_UNITS`] of it,
    /// sooner than another would wake. What takes more begins anew on a worker thread.
    pub async fn compute_brief<T: Send + 'static>(
        &self,
        priority: Priority,
        work: impl Fn(&mut Budget) -> T + Send + 'static,
    ) -> Result<T, JobsError> {
        if self.core.closing.is_cancelled() {
            return Err(JobsError::Closing);
        }
        let limit = AT_ONCE_UNITS.min(self.core.settings.call_work_limit);
        let mut budget = Budget::new(limit, CancelFlag::new());
        let result = do_work(|| work(&mut budget))?;
        if budget.spent() <= limit {
            return Ok(result);
        }
        self.compute(priority, None, work).await
    }

    /// How many jobs wait for a worker.
    pub fn waiting(&self) -> usize {
        self.core.queue.waiting()
    }

    /// How many short calls wait for a worker.
    pub fn waiting_calls(&self) -> usize {
        self.core.queue.waiting_calls()
    }

    /// Accepts nothing more, gives running jobs the grace to end, stops the others and leaves them queued for the
    /// next start, and ends every thread and task. Watchers and runs end with [`JobsError::Closing`]. The store is
    /// left open.
    pub async fn shutdown(&self, grace: Duration) {
        let core = &self.core;
        core.closing.cancel();
        for live in core.queue.close() {
            live.stop(Stop::Shutdown);
            core.end(live, Ending::Release, None);
        }
        core.close_logs_of_waiting();
        // whether it is over or not: a job that is being stored may run and not be listed yet
        drop(tokio::time::timeout(grace, core.wait_until_idle()).await);
        core.halting.cancel();
        core.lives().iter().for_each(|live| live.stop(Stop::Shutdown));
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let joined =
            tokio::task::spawn_blocking(|| threads.into_iter().map(JoinHandle::join).all(|end| end.is_ok()));
        if !joined.await.unwrap_or(false) {
            tracing::error!("a worker thread had panicked");
        }
        core.attention.notify_one();
        core.tasks.close();
        core.tasks.wait().await;
    }
}

/// Does the work of a call. What a panic leaves half-done belongs to the work alone, and is dropped.
fn do_work<T>(work: impl FnOnce() -> T) -> Result<T, JobsError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| JobsError::Panicked(panic_message(&*panic)))
}

/// Raises a flag when it is dropped.
struct RaiseOnDrop(CancelFlag);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}
