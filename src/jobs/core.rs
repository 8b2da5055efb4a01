//! What the parts of the facade share: the store, the queue, the jobs that are claimed here and their logs; how a
//! job is admitted, and how its end is stored.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::codec::{self, CodecError};
use super::error::JobsError;
use super::job::{Job, JobId, JobSpec, JobState, Priority, Submission};
use super::live::{Birth, Claimed, End, Live, Stop};
use super::log::Log;
use super::outlook::Fronts;
use super::queue::{Place, Queue, Refusal};
use super::runner::{Ending, end_stopped};
use super::trace::TraceEvent;
use super::{Settings, Submitted};
use crate::engine::{rate, solve};
use crate::store::row::whole_millis;
use crate::store::{
    Bulletin, Ended, Finish, JobRow, Lease, NewJob, Store, StoreError, Stored, Wait, Waiting,
};

/// Entries of finished jobs that are kept in memory for those who watch them still.
const RECENT_ENTRIES: usize = 100_000;

/// The reason of jobs whose deadline passed.
pub const OVERDUE: &str = "its deadline passed";

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
    mean_run: AtomicU64,
}

#[derive(Debug, Default)]
struct Registry {
    /// Jobs claimed here whose end is not stored.
    lives: HashMap<JobId, Arc<Live>>,
    /// Logs of jobs that wait in the store and are watched.
    logs: HashMap<JobId, Weak<Log>>,
    /// Logs of finished jobs that are watched still, the oldest first.
    recent: VecDeque<Arc<Log>>,
    recent_entries: usize,
    /// Runs that keep a job going.
    holds: HashMap<JobId, Hold>,
}

/// A submission that was let in.
#[derive(Debug)]
pub struct Admitted {
    pub submission: Submission,
    /// Where its job is to wait.
    pub place: Place,
    /// When its job is broken off.
    pub deadline: Option<SystemTime>,
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
            mean_run: AtomicU64::new(1_000),
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        // nothing in here panics half-way
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- submit

    /// Whether a submission makes sense.
    pub fn check(&self, submission: &Submission) -> Result<(), JobsError> {
        match &submission.spec {
            JobSpec::Solve { puzzle, options } => solve::check(puzzle, options)?,
            JobSpec::Rate { puzzle, scale } => rate::check(puzzle, *scale)?,
            JobSpec::Generate { recipe } => drop(recipe.clone().check().map_err(JobsError::Recipe)?),
        }
        Ok(())
    }

    /// The same, and whether its request id was used for another submission before. Says whether it was used at all.
    pub async fn validate(&self, submission: &Submission) -> Result<bool, JobsError> {
        self.check(submission)?;
        let Some(request_id) = submission.request_id.clone() else { return Ok(false) };
        let Some(row) = self.store.job_of_request(submission.client.clone(), request_id).await? else {
            return Ok(false);
        };
        compare(&self.read_job(row)?, submission)?;
        Ok(true)
    }

    /// Checks a submission, and finds its job a place. Its time begins now.
    pub fn admit(&self, submission: Submission) -> Result<Admitted, JobsError> {
        self.check(&submission)?;
        let now = self.store.clock();
        let due = submission.due.filter(|due| *due > now);
        let place = self.queue.admit(&submission.client, submission.priority, due.is_some());
        let place = place.map_err(|refusal| self.refused(refusal))?;
        let deadline = submission.time_limit.map(|limit| whole_millis(due.unwrap_or(now) + limit));
        Ok(Admitted { submission, place, deadline })
    }

    /// A refusal, as it is told.
    pub fn refused(&self, refusal: Refusal) -> JobsError {
        match refusal {
            Refusal::Closing => JobsError::Closing,
            Refusal::Full => JobsError::Full { retry_after: self.retry_after() },
            Refusal::OverQuota => {
                JobsError::OverQuota { limit: self.settings.client_limit, retry_after: self.retry_after() }
            }
        }
    }

    /// About when a tenth of what waits will be done.
    fn retry_after(&self) -> Duration {
        let mean = self.mean_run();
        let jobs = (self.queue.waiting() / 10 / self.settings.workers.max(1)).max(1);
        mean.saturating_mul(u32::try_from(jobs).unwrap_or(u32::MAX))
            .clamp(Duration::from_millis(100), Duration::from_secs(60))
    }

    /// The job of a submission that is to be claimed as it is stored.
    pub fn live(&self, admitted: &Admitted) -> Arc<Live> {
        let submission = &admitted.submission;
        Arc::new(Live::new(Claimed {
            client: submission.client.clone(),
            request_id: submission.request_id.clone(),
            spec: submission.spec.clone(),
            priority: submission.priority,
            attempt: 1,
            deaths: 0,
            work: self.work(submission),
            deadline: admitted.deadline,
            time_limit: submission.time_limit,
            work_limit: submission.work,
            due: submission.due.map(whole_millis),
            keep_trace: submission.keep_trace,
            suspect: false,
            log: Arc::new(Log::new()),
            now: self.store.clock(),
        }))
    }

    fn work(&self, submission: &Submission) -> u64 {
        submission.work.unwrap_or(u64::MAX).min(self.settings.work_limit)
    }

    /// Stores a job that was admitted. A job with a place here gets into the queue at once, and may run before it
    /// is stored; one with a request id only then, for it may turn out to be no new job.
    pub async fn store(
        self: &Arc<Self>,
        admitted: Admitted,
        live: Option<Arc<Live>>,
    ) -> Result<Submitted, JobsError> {
        let Admitted { submission, place, deadline } = &admitted;
        let place = *place;
        let is_queued = live.is_some() && submission.request_id.is_none();
        if let Some(live) = live.as_ref().filter(|_| is_queued) {
            self.enter(live);
        }
        let stored = self.store.submit(self.new_job(&admitted, live.is_some())).await;
        match stored {
            Ok(Stored::Fresh(id, time)) => {
                let birth = Birth { id, time };
                let mut job = match &live {
                    Some(live) => live.job(birth),
                    None => self.live(&admitted).job(birth),
                };
                if live.is_none() && job.due.is_some_and(|due| due > time) {
                    job.state = JobState::Scheduled;
                }
                match live {
                    Some(live) => {
                        self.register(id, &live);
                        // set once, here alone
                        let _ = live.birth.set(Some(birth));
                        if !is_queued {
                            self.enter(&live);
                        }
                        self.changes.send_modify(|count| *count += 1);
                    }
                    None if job.state == JobState::Scheduled => {
                        self.queue.note_scheduled(&job.client, job.priority, place);
                        self.scheduled.notify_one();
                    }
                    // its time came while it was being stored
                    None if place == Place::Later => {
                        let (client, priority) = (job.client.clone(), job.priority);
                        self.queue.note_promoted(&[Waiting { id, client, priority, wait: Wait::Claim }]);
                    }
                    None => self.queue.hungry.notify_one(),
                }
                if deadline.is_some() && place != Place::Here {
                    self.has_deadlines.store(true, Ordering::Relaxed);
                    self.attention.notify_one();
                }
                Ok(Submitted { job, fresh: true })
            }
            Ok(Stored::Existing(row)) => {
                self.take_back(live, &admitted, is_queued);
                let existing = self.read_job(*row)?;
                compare(&existing, submission)?;
                // with its outcome, and as it stands
                Ok(Submitted { job: self.job(existing.id).await?, fresh: false })
            }
            Err(error) => {
                self.take_back(live, &admitted, is_queued);
                Err(error.into())
            }
        }
    }

    fn new_job(&self, admitted: &Admitted, claimed: bool) -> NewJob {
        let submission = &admitted.submission;
        NewJob {
            client: submission.client.clone(),
            request_id: submission.request_id.clone(),
            kind: submission.spec.kind(),
            priority: submission.priority,
            work: self.work(submission),
            deadline: admitted.deadline,
            time_limit: submission.time_limit,
            work_limit: submission.work,
            due: submission.due.map(whole_millis),
            keep_trace: submission.keep_trace,
            spec: codec::write_spec(&submission.spec),
            claimed,
        }
    }

    /// A job takes the place reserved for it.
    fn enter(self: &Arc<Self>, live: &Arc<Live>) {
        if !self.queue.take_place(live.clone()) {
            live.stop(Stop::Shutdown);
            self.end(live.clone(), Ending::Release);
        }
    }

    /// A claimed job is known here from now on. Running jobs are looked after often enough, unless there was none.
    fn register(&self, id: JobId, live: &Arc<Live>) {
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

    /// A job was not stored, or is none of its own.
    fn take_back(self: &Arc<Self>, live: Option<Arc<Live>>, admitted: &Admitted, is_queued: bool) {
        let Admitted { submission, place, .. } = admitted;
        if !is_queued {
            self.queue.withdraw(&submission.client, submission.priority, *place);
        }
        let Some(live) = live else { return };
        live.stop(Stop::Lost);
        // set once, here alone
        let _ = live.birth.set(None);
        if !is_queued || self.queue.remove(&live) {
            self.end(live, Ending::Forget);
        }
    }

    // ---- claimed jobs

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
        // set once, here alone
        let _ = live.birth.set(Some(Birth { id: row.id, time: row.create_time }));
        self.register(row.id, &live);
        if !self.queue.push(live.clone()) {
            live.stop(Stop::Shutdown);
            self.end(live, Ending::Release);
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

    // ---- the end

    /// A run has ended, or will not be.
    pub fn end(self: &Arc<Self>, live: Arc<Live>, ending: Ending) {
        let core = self.clone();
        self.tasks.spawn(async move { core.store_end(&live, ending).await });
    }

    /// Stores the end of a job, and tells it.
    pub async fn store_end(self: &Arc<Self>, live: &Arc<Live>, ending: Ending) {
        // its end comes after its beginning
        let birth = *live.birth.wait().await;
        let lease = live.lease();
        match (ending, birth, lease) {
            (Ending::Finish { end, finish }, Some(birth), Some(lease)) => {
                match self.finish(lease, *finish).await {
                    Some(ended) => self.tell(live, birth, ended, *end),
                    None if self.closing.is_cancelled() => live.log.close(),
                    None => live.log.give_up(),
                }
            }
            (Ending::Release, Some(_), Some(lease)) => {
                if let Err(error) = self.store.release(lease).await {
                    tracing::warn!(job.id = %lease.job, %error, "{} could not be given back", lease.job);
                }
                if self.closing.is_cancelled() {
                    live.log.close();
                } else {
                    live.log.give_up();
                }
            }
            (Ending::Forget, ..) | (_, None, _) | (_, _, None) => live.log.give_up(),
        }
        if let Some(birth) = birth {
            let mut registry = self.registry();
            registry.lives.remove(&birth.id);
        }
        if let Some(time) = live.ran.get() {
            self.note_run(*time);
        }
        // set once, here alone
        let _ = live.ended.set(());
        self.changes.send_modify(|count| *count += 1);
        if live.suspect {
            self.queue.hungry.notify_one();
        }
    }

    /// Stores the end of a job, however long that takes. None if the job is no longer this process's.
    async fn finish(&self, lease: Lease, finish: Finish) -> Option<Ended> {
        let mut pause = Duration::from_millis(50);
        loop {
            match self.store.finish(lease, finish.clone()).await {
                Ok(ended) => return ended,
                Err(StoreError::Closed) => return None,
                Err(error) => {
                    tracing::error!(job.id = %lease.job, %error, "the end of {} cannot be stored", lease.job);
                }
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_secs(5)),
                // the next start takes it up
                () = self.closing.cancelled() => return None,
            }
        }
    }

    /// Tells watchers the end.
    fn tell(&self, live: &Live, birth: Birth, ended: Ended, end: End) {
        let job = live.finished(birth, ended, end);
        tracing::info!(
            job.id = %job.id, job.kind = job.spec.kind().word(), job.state = job.state.word(),
            "{} has {}", job.id, job.state.word()
        );
        live.log.finish(live.attempt, TraceEvent::Finished(Arc::new(job)));
        self.keep_for_watchers(&live.log);
    }

    /// A job that waited in the store has ended there.
    pub async fn tell_stored_end(&self, id: JobId) {
        let log = self.registry().logs.remove(&id).and_then(|log| log.upgrade());
        // watchers read it all from the store
        if let Some(log) = log {
            log.give_up();
        }
    }

    /// Keeps the log of a finished job while it is watched, and lets go of older ones for it.
    fn keep_for_watchers(&self, log: &Arc<Log>) {
        if !log.is_watched() {
            return;
        }
        let mut registry = self.registry();
        registry.recent_entries += log.len();
        registry.recent.push_back(log.clone());
        while registry.recent_entries > RECENT_ENTRIES {
            let Some(oldest) = registry.recent.pop_front() else { break };
            registry.recent_entries -= oldest.len().min(registry.recent_entries);
            oldest.give_up();
        }
    }

    /// Mean time of a run, lately.
    pub fn mean_run(&self) -> Duration {
        Duration::from_micros(self.mean_run.load(Ordering::Relaxed))
    }

    fn note_run(&self, time: Duration) {
        let time = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mean = self.mean_run.load(Ordering::Relaxed);
        self.mean_run.store(mean - mean / 16 + time / 16, Ordering::Relaxed);
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
                return if job.state.is_final() { Ok(job) } else { Err(JobsError::Closing) };
            }
            if let Some(waiting) = self.store.cancel(id, reason.to_owned()).await? {
                self.queue.note_gone(&waiting);
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
            self.end(live.clone(), end_stopped(live));
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

/// The first field in which a repeated submission differs from the job it was before.
fn compare(existing: &Job, submission: &Submission) -> Result<(), JobsError> {
    let millis = |limit: Option<Duration>| limit.map(|limit| limit.as_millis());
    let storable = |limit: u64| limit.min(i64::MAX as u64);
    let wishes = [
        ("priority", existing.priority == submission.priority),
        ("time_limit", millis(existing.time_limit) == millis(submission.time_limit)),
        ("work_limit", existing.work_limit.map(storable) == submission.work.map(storable)),
        ("start_time", existing.due == submission.due.map(whole_millis)),
        ("discard_trace", existing.keep_trace == submission.keep_trace),
    ];
    let other = || wishes.into_iter().find(|(_, is_same)| !is_same).map(|(field, _)| field);
    let field = existing.spec.difference(&submission.spec).or_else(other);
    field.map_or(Ok(()), |field| Err(JobsError::Conflict { job: existing.id, field }))
}
