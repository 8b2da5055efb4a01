//! How a job comes in: checked, given a place, stored.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::Submitted;
use super::codec;
use super::core::Core;
use super::error::JobsError;
use super::job::{Job, JobSpec, JobState, Submission};
use super::live::{Birth, Claimed, Live, Stop};
use super::log::Log;
use super::queue::{Place, Refusal};
use super::runner::Ending;
use crate::engine::{rate, solve};
use crate::store::row::whole_millis;
use crate::store::{Ended, JobRow, NewJob, Reply, StoreError, Stored, Wait, Waiting};

/// A submission that was let in.
#[derive(Debug)]
pub struct Admitted {
    pub submission: Submission,
    /// Where its job is to wait.
    pub place: Place,
    /// When its job is broken off.
    pub deadline: Option<SystemTime>,
}

/// A job that is being stored.
struct Newcomer {
    admitted: Admitted,
    /// If it is claimed as it is stored.
    live: Option<Arc<Live>>,
    /// It is in the queue already.
    is_queued: bool,
}

impl Core {
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

    /// Stores a job that was admitted, and tells `then` after the commit. A job with a place here gets into the queue at
    /// once, and may run before it is stored, and even end: then its end is stored with it. One with a request id gets
    /// into the queue only after the commit, for it may turn out to be no new job.
    pub fn store<F>(self: &Arc<Self>, admitted: Admitted, live: Option<Arc<Live>>, then: F)
    where
        F: FnOnce(Result<Submitted, JobsError>) + Send + Sync + 'static,
    {
        let is_queued = live.is_some() && admitted.submission.request_id.is_none();
        let early = live.as_ref().map(|live| live.early.clone()).unwrap_or_default();
        if let Some(live) = live.as_ref().filter(|_| is_queued) {
            self.enter(live, admitted.place);
        }
        let job = self.new_job(&admitted);
        let (core, token) = (self.clone(), self.tasks.token());
        let stored = move |stored: Result<Stored, StoreError>| {
            let newcomer = Newcomer { admitted, live, is_queued };
            match stored {
                Ok(Stored::Fresh(id, time)) => {
                    let job = core.take_fresh(newcomer, Birth { id, time });
                    then(Ok(Submitted { job, fresh: true }));
                }
                Ok(Stored::Ended(id, ended)) => {
                    core.take_ended(newcomer, Birth { id, time: ended.time }, ended, then);
                }
                Ok(Stored::Existing(row)) => {
                    let submission = core.take_back(newcomer);
                    // with its outcome, and as it stands
                    let reading = core.clone();
                    core.tasks.spawn(async move { then(reading.read_existing(*row, &submission).await) });
                }
                Err(error) => {
                    drop(core.take_back(newcomer));
                    then(Err(error.into()));
                }
            }
            drop(token);
        };
        self.store.submit_early(job, early, Reply::new(stored));
    }

    /// A new job is stored.
    fn take_fresh(self: &Arc<Self>, newcomer: Newcomer, birth: Birth) -> Job {
        let Newcomer { admitted, live, is_queued } = newcomer;
        let (place, has_deadline) = (admitted.place, admitted.deadline.is_some());
        let Birth { id, time } = birth;
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
                let ended = live.be_born(Some(birth));
                if !is_queued {
                    self.enter(&live, place);
                }
                self.changes.send_modify(|count| *count += 1);
                if let Some((ending, room)) = ended {
                    self.store_end(live, Some(birth), ending, room);
                }
            }
            None if job.state == JobState::Scheduled => {
                self.queue.note_scheduled(&job.client, job.priority, place);
                self.scheduled.notify_one();
            }
            // its time came while it was being stored
            None if place == Place::Later => {
                let (client, priority) = (job.client.clone(), job.priority);
                self.queue.note_due(&Waiting { id, client, priority, wait: Wait::Claim });
            }
            None => self.queue.note_stored(),
        }
        if has_deadline && !place.is_here() {
            self.has_deadlines.store(true, Ordering::Relaxed);
            self.attention.notify_one();
        }
        job
    }

    /// A new job is stored, and its end with it.
    fn take_ended<F>(self: &Arc<Self>, newcomer: Newcomer, birth: Birth, ended: Ended, then: F)
    where
        F: FnOnce(Result<Submitted, JobsError>),
    {
        let Some(live) = newcomer.live else { return };
        let ending = live.be_born(Some(birth));
        then(Ok(Submitted { job: live.job(birth), fresh: true }));
        // nothing else is handed in early
        if let Some((Ending::Finish { end, .. }, _)) = ending {
            self.tell(&live, birth, ended, *end);
        }
        self.wind_up(&live);
    }

    fn new_job(&self, admitted: &Admitted) -> NewJob {
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
            claimed: admitted.place.is_here(),
        }
    }

    /// A job takes the place reserved for it.
    fn enter(self: &Arc<Self>, live: &Arc<Live>, place: Place) {
        if !self.queue.take_place(live.clone(), place) {
            live.stop(Stop::Shutdown);
            self.end(live.clone(), Ending::Release, None);
        }
    }

    /// A job was not stored, or is none of its own. Gives what was submitted.
    fn take_back(self: &Arc<Self>, newcomer: Newcomer) -> Submission {
        let Newcomer { admitted, live, is_queued } = newcomer;
        let Admitted { submission, place, .. } = admitted;
        if !is_queued {
            self.queue.withdraw(&submission.client, submission.priority, place);
        }
        let Some(live) = live else { return submission };
        live.stop(Stop::Lost);
        let ended = live.be_born(None);
        if let Some((ending, room)) = ended {
            self.store_end(live, None, ending, room);
        } else if !is_queued || self.queue.remove(&live) {
            self.end(live, Ending::Forget, None);
        }
        submission
    }

    async fn read_existing(&self, row: JobRow, submission: &Submission) -> Result<Submitted, JobsError> {
        let existing = self.read_job(row)?;
        compare(&existing, submission)?;
        Ok(Submitted { job: self.job(existing.id).await?, fresh: false })
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
