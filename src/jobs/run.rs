//! A job submitted and followed in one go.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::Submitted;
use super::admit::Admitted;
use super::core::Core;
use super::error::JobsError;
use super::job::JobId;
use super::live::{Live, Stop};
use super::outlook::Outlook;
use super::trace::{TraceEntry, TraceEvent};
use super::watch::Watcher;

/// The reason of jobs that nobody kept going.
const ABANDONED: &str = "the caller went away";

/// What a [`Run`] tells.
#[derive(Clone, PartialEq, Debug)]
pub enum RunEvent {
    /// The job is stored, and will end. Entries may have come before.
    Accepted(Box<Submitted>),
    /// Something happened to it.
    Trace(TraceEntry),
}

/// A job submitted and followed. Dropped before its end, it cancels the job, unless the job is detached or
/// somebody else holds another run of it.
#[derive(Debug)]
pub struct Run {
    core: Arc<Core>,
    tie: Arc<Tie>,
    /// Until the job is stored.
    accepted: Option<oneshot::Receiver<Result<Submitted, JobsError>>>,
    /// The job is stored, and that is not told yet.
    submitted: Option<Submitted>,
    /// What the watcher found and may be told only after that.
    held_back: Option<Result<TraceEntry, JobsError>>,
    /// Once there is something to watch: at once for a job that may run before it is stored.
    watcher: Option<Watcher>,
    is_done: bool,
}

/// What a run and the storing of its job have in common.
#[derive(Debug)]
struct Tie {
    detached: bool,
    /// The job, if it may run before it is stored.
    live: Option<Arc<Live>>,
    phase: Mutex<Phase>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The job is being stored.
    Pending,
    /// The run keeps this job going.
    Holds(JobId),
    /// The run is over.
    Over,
}

impl Tie {
    fn exchange(&self, next: impl FnOnce(Phase) -> Phase) -> Phase {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let last = *phase;
        *phase = next(last);
        last
    }
}

impl Run {
    /// Stores an admitted job, and follows it.
    pub(super) fn start(core: Arc<Core>, admitted: Admitted) -> Run {
        let live = admitted.place.is_here().then(|| core.live(&admitted));
        let submission = &admitted.submission;
        let early = live.clone().filter(|_| submission.request_id.is_none());
        let watcher = early.as_ref().map(|live| Watcher::of_unstored(core.clone(), live.log.clone()));
        let tie =
            Arc::new(Tie { detached: submission.detached, live: early, phase: Mutex::new(Phase::Pending) });
        let (sender, accepted) = oneshot::channel();
        let (core_of_job, tie_of_job) = (core.clone(), tie.clone());
        core.store(admitted, live, move |submitted| {
            if let Ok(submitted) = &submitted {
                tie_job(&core_of_job, &tie_of_job, submitted);
            }
            // the run may be gone; the job is stored
            let _ = sender.send(submitted);
        });
        Run { core, tie, accepted: Some(accepted), submitted: None, held_back: None, watcher, is_done: false }
    }

    /// Whether what happens next is known already.
    pub fn has_more(&self) -> bool {
        let is_told = || self.held_back.is_some() || self.watcher.as_ref().is_some_and(Watcher::has_more);
        !self.is_done && self.accepted.is_none() && is_told()
    }

    /// What happens next; `Accepted` comes once, `Finished` last, then none. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<RunEvent, JobsError>> {
        if self.is_done {
            return None;
        }
        let event = self.try_next().await;
        let is_last = match &event {
            Ok(RunEvent::Trace(entry)) => matches!(entry.event, TraceEvent::Finished(_)),
            Ok(RunEvent::Accepted(_)) => false,
            Err(_) => true,
        };
        if is_last {
            self.is_done = true;
            self.release(matches!(&event, Ok(RunEvent::Trace(_))));
        }
        Some(event)
    }

    /// Where its job stands, if that is stored and waits.
    pub async fn outlook(&self, id: JobId) -> Result<Option<Outlook>, JobsError> {
        self.core.outlook_of(id).await
    }

    /// Waits until the job is stored, and tells nothing else.
    pub(super) async fn accepted(&mut self) -> Result<Submitted, JobsError> {
        let accepted = self.accepted.take().ok_or(JobsError::Closing)?;
        accepted.await.unwrap_or(Err(JobsError::Closing))
    }

    async fn try_next(&mut self) -> Result<RunEvent, JobsError> {
        if let Some(accepted) = &mut self.accepted {
            let submitted = match &mut self.watcher {
                Some(watcher) if self.held_back.is_none() => tokio::select! {
                    // that it is stored is told as soon as it is known
                    biased;
                    submitted = &mut *accepted => submitted,
                    entry = watcher.next() => {
                        let entry = entry.unwrap_or(Err(JobsError::Closing));
                        if let Ok(entry) = entry.as_ref()
                            && !matches!(entry.event, TraceEvent::Finished(_))
                        {
                            return Ok(RunEvent::Trace(entry.clone()));
                        }
                        self.held_back = Some(entry);
                        (&mut *accepted).await
                    }
                },
                _ => (&mut *accepted).await,
            };
            self.accepted = None;
            self.submitted = Some(submitted.map_err(|_| JobsError::Closing)??);
        }
        if let Some(submitted) = &self.submitted {
            match &mut self.watcher {
                Some(watcher) => watcher.set_id(submitted.job.id),
                None => {
                    let job = submitted.job.clone();
                    let watcher = Box::pin(Watcher::of_job(self.core.clone(), job, None, true));
                    self.watcher = Some(watcher.await?);
                }
            }
        }
        if let Some(submitted) = self.submitted.take() {
            return Ok(RunEvent::Accepted(Box::new(submitted)));
        }
        if let Some(entry) = self.held_back.take() {
            return entry.map(RunEvent::Trace);
        }
        let Some(watcher) = &mut self.watcher else { return Err(JobsError::Closing) };
        watcher.next().await.unwrap_or(Err(JobsError::Closing)).map(RunEvent::Trace)
    }

    /// The run is over, with the job or without.
    fn release(&self, has_ended: bool) {
        let last = self.tie.exchange(|_| Phase::Over);
        match last {
            Phase::Pending if !self.tie.detached => {
                if let Some(live) = &self.tie.live {
                    live.stop(Stop::Cancel(ABANDONED.to_owned()));
                }
            }
            Phase::Holds(id) if has_ended => drop(self.core.let_go(id)),
            Phase::Holds(id) => abandon(&self.core, id),
            Phase::Pending | Phase::Over => {}
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.release(false);
    }
}

/// The job of a run is stored: the run keeps it going, or is over already.
fn tie_job(core: &Arc<Core>, tie: &Tie, submitted: &Submitted) {
    let id = submitted.job.id;
    if !core.hold(id, tie.detached, submitted.fresh) {
        return;
    }
    let last = tie.exchange(|phase| if phase == Phase::Over { Phase::Over } else { Phase::Holds(id) });
    if last == Phase::Over {
        abandon(core, id);
    }
}

/// A run has let go of a job: if nobody else keeps it going, it is cancelled.
fn abandon(core: &Arc<Core>, id: JobId) {
    // a shutdown ends runs as well, and leaves their jobs for the next start
    if !core.let_go(id) || core.closing.is_cancelled() {
        return;
    }
    let task_core = core.clone();
    core.tasks.spawn(async move {
        if let Err(error) = task_core.cancel(id, ABANDONED).await {
            tracing::warn!(job.id = %id, %error, "{id} was abandoned, but could not be cancelled");
        }
    });
}
