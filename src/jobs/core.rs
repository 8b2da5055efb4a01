//! What the parts of the facade share: the store, the queue, the jobs that are claimed here and their logs, and who
//! keeps them going.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Settings;
use super::codec::{self, CodecError};
use super::error::JobsError;
use super::job::{Job, JobId, JobState, Priority};
use super::live::{Birth, Claimed, Live, Stop};
use super::log::Log;
use super::outlook::Fronts;
use super::queue::Queue;
use super::recent::Recent;
use super::runner::{Ending, end_stopped};
use crate::store::{Bulletin, Finish, JobRow, Lease, Store, StoreError};

/// The reason of jobs whose deadline passed.
pub const OVERDUE: &str = "its deadline passed";

/// How many microseconds a run is taken to last before any has ended here.
const LIKELY_RUN: u64 = 200;

/// What is shared.
#[derive(Debug)]
pub struct Core {
    pub store: Arc<dyn Store>,
    pub queue: Arc<Queue>,
    pub settings: Settings,
    pub tasks: TaskTracker,
    /// Cancelled when a shutdown begins.
    pub closing: CancellationToken,
    /// Cancelled when the grace of a shutdown is over: what runs still is broken off.
    pub halting: CancellationToken,
    registry: Mutex<Registry>,
    /// Counts changes of the registry, for those who wait for one.
    pub changes: watch::Sender<u64>,
    /// Wakes who looks after running jobs.
    pub attention: Notify,
    /// Wakes who asks what has become of the claims of this process.
    pub asked: Notify,
    /// What other processes changed, for who follows their jobs.
    pub followed: Bulletin,
    /// Wakes who queues jobs whose time has come.
    pub scheduled: Notify,
    /// The front of the store's queues, lately.
    pub fronts: tokio::sync::Mutex<Fronts>,
    /// Whether a waiting job may have a deadline.
    pub has_deadlines: AtomicBool,
    /// Mean time of a run in microseconds, lately.
    pub mean_run: AtomicU64,
}

#[derive(Debug, Default)]
struct Registry {
    /// Jobs claimed here whose end is not stored.
    lives: HashMap<JobId, Arc<Live>>,
    /// Logs of jobs that wait in the store and are watched.
    logs: HashMap<JobId, Weak<Log>>,
    /// Logs of finished jobs that are watched still, the oldest first.
    recent: Recent,
    /// Runs that keep a job going.
    holds: HashMap<JobId, Hold>,
}

/// Who keeps a job going.
#[derive(Debug, Default)]
struct Hold {
    /// Attached runs.
    runs: usize,
    /// Somebody has submitted it as detached.
    is_detached: bool,
}

impl Core {
    pub fn new(store: Arc<dyn Store>, queue: Arc<Queue>, settings: Settings) -> Core {
        Core {
            store,
            queue,
            settings,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            halting: CancellationToken::new(),
            registry: Mutex::default(),
            changes: watch::Sender::new(0),
            attention: Notify::new(),
            asked: Notify::new(),
            followed: Bulletin::default(),
            scheduled: Notify::new(),
            fronts: tokio::sync::Mutex::default(),
            has_deadlines: AtomicBool::new(true),
            mean_run: AtomicU64::new(LIKELY_RUN),
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        // nothing in here panics half-way
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- claimed jobs

    /// A claimed job is known here from now on. Running jobs are looked after often enough, unless there was none.
    pub fn register(&self, id: JobId, live: &Arc<Live>) {
        let mut registry = self.registry();
        registry.lives.insert(id, live.clone());
        let is_only = registry.lives.len() == 1;
        let log = registry.logs.remove(&id).and_then(|log| log.upgrade());
        drop(registry);
        // one that ran before it was stored was not there to be stopped with the others
        if self.halting.is_cancelled() {
            live.stop(Stop::Shutdown);
        }
        // whoever watched it while it was being stored looks for it again
        if let Some(log) = log.filter(|log| !Arc::ptr_eq(log, &live.log)) {
            log.give_up();
        }
        if is_only || live.time_left().is_some_and(|left| left < Duration::from_millis(50)) {
            self.attention.notify_one();
        }
    }

    /// A job that was claimed from the store waits here from now on.
    pub fn adopt(self: &Arc<Self>, row: JobRow, suspect: bool) {
        let lease = Lease { job: row.id, attempt: row.attempt };
        let spec = match codec::read_spec(&row.spec) {
            Ok(spec) => spec,
            Err(error) => return self.fail_unreadable(lease, row.priority, &error),
        };
        // whoever asks for the log of this job from now on finds it in memory, or the job in the store as ended
        let log = self.log(row.id);
        let live = Arc::new(Live::new(Claimed {
            client: row.client,
            request_id: row.request_id,
            spec,
            priority: row.priority,
            attempt: row.attempt,
            deaths: row.deaths,
            work: row.work,
            deadline: row.deadline,
            time_limit: row.time_limit,
            work_limit: row.work_limit,
            due: row.due,
            keep_trace: row.keep_trace,
            suspect,
            log,
            now: self.store.clock(),
        }));
        // it has not begun, so nothing waits for that
        drop(live.be_born(Some(Birth { id: row.id, time: row.create_time })));
        self.register(row.id, &live);
        if !self.queue.push(live.clone()) {
            live.stop(Stop::Shutdown);
            self.end(live, Ending::Release, None);
        }
        self.changes.send_modify(|count| *count += 1);
    }

    /// A job whose specification no version can read would wait for ever.
    fn fail_unreadable(self: &Arc<Self>, lease: Lease, priority: Priority, error: &CodecError) {
        tracing::error!(job.id = %lease.job, %error, "{} cannot be read, and fails", lease.job);
        let finish = Finish {
            priority,
            state: JobState::Failed,
            reason: Some(format!("what was asked cannot be read: {error}")),
            start_time: None,
            outcome: None,
            last_sequence: 1,
            trace: None,
            puzzle: None,
        };
        let core = self.clone();
        self.tasks.spawn(async move {
            if let Err(error) = core.store.finish(lease, finish).await {
                tracing::error!(job.id = %lease.job, %error, "the end of {} could not be stored", lease.job);
            }
        });
    }

    /// The job claimed here under this identity.
    pub fn find(&self, id: JobId) -> Option<Arc<Live>> {
        self.registry().lives.get(&id).cloned()
    }

    /// All jobs claimed here that are stored.
    pub fn lives(&self) -> Vec<Arc<Live>> {
        self.registry().lives.values().cloned().collect()
    }

    /// A job is no longer claimed here.
    pub fn forget(&self, id: JobId) {
        self.registry().lives.remove(&id);
    }

    /// How many jobs are claimed here.
    pub fn live_count(&self) -> usize {
        self.registry().lives.len()
    }

    /// Logs that are watched, of jobs that are not claimed here.
    pub fn watched_elsewhere(&self) -> BTreeMap<JobId, Arc<Log>> {
        let registry = self.registry();
        let is_elsewhere = |id: &JobId| !registry.lives.contains_key(id);
        let logs = registry.logs.iter().filter(|(id, _)| is_elsewhere(id));
        logs.filter_map(|(id, log)| Some((*id, log.upgrade()?))).collect()
    }

    /// The log of a job that is claimed here or waits in the store.
    pub fn log(&self, id: JobId) -> Arc<Log> {
        let mut registry = self.registry();
        if let Some(live) = registry.lives.get(&id) {
            return live.log.clone();
        }
        if let Some(log) = registry.logs.get(&id).and_then(Weak::upgrade) {
            return log;
        }
        if registry.logs.len() >= 1_024 && registry.logs.len().is_power_of_two() {
            registry.logs.retain(|_, log| log.strong_count() > 0);
        }
        let log = Arc::new(Log::new());
        registry.logs.insert(id, Arc::downgrade(&log));
        log
    }

    // ---- watched logs

    /// A job that waited in the store has ended there.
    pub async fn tell_stored_end(&self, id: JobId) {
        let log = self.registry().logs.remove(&id).and_then(|log| log.upgrade());
        // watchers read it all from the store
        if let Some(log) = log {
            log.give_up();
        }
    }

    /// The job of a log has finished, which those who watch it read on.
    pub fn keep_for_watchers(&self, log: &Arc<Log>) {
        if log.is_watched() {
            self.registry().recent.note(log);
        }
    }

    // ---- who keeps a job going

    /// A run of a job begins: whether it keeps the job going. A repeated submit does so only while others do:
    /// otherwise the job was detached from the first, or has ended.
    pub fn hold(&self, id: JobId, detached: bool, fresh: bool) -> bool {
        let mut registry = self.registry();
        if fresh && !detached {
            registry.holds.insert(id, Hold { runs: 1, is_detached: false });
            return true;
        }
        let Some(hold) = registry.holds.get_mut(&id) else { return false };
        hold.is_detached |= detached;
        hold.runs += usize::from(!detached);
        !detached
    }

    /// A run that kept a job going is over: whether nobody keeps it going now.
    pub fn let_go(&self, id: JobId) -> bool {
        let mut registry = self.registry();
        let Some(hold) = registry.holds.get_mut(&id) else { return false };
        hold.runs -= 1;
        let (runs, is_detached) = (hold.runs, hold.is_detached);
        if runs == 0 {
            registry.holds.remove(&id);
        }
        runs == 0 && !is_detached
    }

    // ---- reading and cancelling

    /// A job as it stands.
    pub async fn job(&self, id: JobId) -> Result<Job, JobsError> {
        let row = self.store.job(id).await?.ok_or(JobsError::NotFound(id))?;
        self.read_job(row)
    }

    /// What a row says, and what is known here beyond it.
    pub fn read_job(&self, row: JobRow) -> Result<Job, JobsError> {
        let unreadable = |error: CodecError| StoreError::Unreadable {
            what: row.id.to_string(),
            reason: error.to_string(),
        };
        let mut job = Job {
            id: row.id,
            spec: codec::read_spec(&row.spec).map_err(unreadable)?,
            outcome: row.outcome.as_ref().map(codec::read_outcome).transpose().map_err(unreadable)?,
            client: row.client,
            request_id: row.request_id,
            priority: row.priority,
            state: row.state,
            attempt: row.attempt,
            deaths: row.deaths,
            work: row.work,
            create_time: row.create_time,
            start_time: row.start_time,
            end_time: row.end_time,
            deadline: row.deadline,
            time_limit: row.time_limit,
            work_limit: row.work_limit,
            due: row.due,
            turn: row.turn.filter(|_| row.state == JobState::Queued),
            outlook: None,
            keep_trace: row.keep_trace,
            reason: row.reason,
            puzzle: row.puzzle,
            last_sequence: row.last_sequence,
        };
        // a run that others have taken over is no longer the job's
        if !job.state.is_final()
            && let Some(live) = self.find(job.id).filter(|live| live.attempt == job.attempt)
        {
            job = live.job(Birth { id: job.id, time: job.create_time });
        }
        Ok(job)
    }

    /// Cancels a job and waits for its end, whichever it is.
    pub async fn cancel(self: &Arc<Self>, id: JobId, reason: &str) -> Result<Job, JobsError> {
        loop {
            let mut changes = self.changes.subscribe();
            if let Some(live) = self.find(id) {
                self.stop_here(&live, Stop::Cancel(reason.to_owned()));
                live.ended.wait().await;
                let job = self.job(id).await?;
                if job.state.is_final() {
                    return Ok(job);
                }
                if self.closing.is_cancelled() {
                    return Err(JobsError::Closing);
                }
                // it was given back to the store, and is no longer here
                continue;
            }
            if let Some(waiting) = self.store.cancel(id, reason.to_owned()).await? {
                self.queue.note_gone(&waiting, false);
                self.tell_stored_end(id).await;
                return self.job(id).await;
            }
            let job = self.job(id).await?;
            if job.state.is_final() {
                return Ok(job);
            }
            // it is being claimed, and will be here at once
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return Err(JobsError::Closing) },
                () = self.closing.cancelled() => return Err(JobsError::Closing),
                () = tokio::time::sleep(Duration::from_millis(100)) => {}
            }
        }
    }

    /// Stops a job that is claimed here, whether it runs or waits.
    pub fn stop_here(self: &Arc<Self>, live: &Arc<Live>, stop: Stop) {
        live.stop(stop);
        if self.queue.remove(live) {
            self.end(live.clone(), end_stopped(live), None);
        }
    }

    /// Ends jobs claimed here whose deadline has passed; when the next one does.
    pub fn stop_overdue(self: &Arc<Self>) -> Option<Instant> {
        let mut next: Option<Duration> = None;
        for live in self.lives() {
            let Some(left) = live.time_left() else { continue };
            if left.is_zero() {
                self.stop_here(&live, Stop::Cancel(OVERDUE.to_owned()));
            } else {
                next = Some(next.map_or(left, |next| next.min(left)));
            }
        }
        next.and_then(|left| Instant::now().checked_add(left))
    }

    /// Ends the logs of jobs that wait in the store: nothing more comes to them.
    pub fn close_logs_of_waiting(&self) {
        let logs: Vec<Arc<Log>> = self.registry().logs.values().filter_map(Weak::upgrade).collect();
        logs.iter().for_each(|log| log.close());
    }

    /// Waits until no job is claimed here.
    pub async fn wait_until_idle(&self) {
        let mut changes = self.changes.subscribe();
        while self.live_count() > 0 {
            // this holds the sender
            drop(changes.changed().await);
        }
    }
}
