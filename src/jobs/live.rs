//! A job that this process has claimed: from then until its end is stored.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::SetOnce;

use super::end::Room;
use super::job::{ClientId, Job, JobId, JobOutcome, JobSpec, JobState, Priority};
use super::log::Log;
use super::runner::Ending;
use crate::engine::budget::CancelFlag;
use crate::engine::search::BRIEF_UNITS;
use crate::store::row::whole_millis;
use crate::store::{EarlyEnd, Ended, Lease};

/// Why a run is to stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The job is to end as cancelled, for this reason.
    Cancel(String),
    /// The service shuts down; the job goes back to the queue.
    Shutdown,
    /// It is no longer this process's job, or never became one.
    Lost,
}

/// When a job was stored, and as what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Birth {
    pub id: JobId,
    pub time: SystemTime,
}

/// A claimed job.
#[derive(Debug)]
pub struct Live {
    /// Where its end may be handed in while it is being stored.
    pub early: EarlyEnd,
    pub client: ClientId,
    pub request_id: Option<String>,
    pub spec: JobSpec,
    pub priority: Priority,
    pub attempt: u32,
    pub deaths: u32,
    pub work: u64,
    pub deadline: Option<SystemTime>,
    pub time_limit: Option<Duration>,
    pub work_limit: Option<u64>,
    pub due: Option<SystemTime>,
    pub keep_trace: bool,
    /// Its last claim died.
    pub suspect: bool,
    pub log: Arc<Log>,
    /// Raised to stop the run.
    pub flag: CancelFlag,
    /// When its run began.
    pub started: OnceLock<(SystemTime, Instant)>,
    /// How long its run took, once that is over.
    pub ran: OnceLock<Duration>,
    /// Set once its end is stored, or it is no longer this process's.
    pub ended: SetOnce<()>,
    /// The time by the store's clock, at some moment.
    clock: (SystemTime, Instant),
    life: Mutex<Life>,
    stop: Mutex<Verdict>,
    is_brief: bool,
    /// Some of its trace is under way to the store.
    is_storing: AtomicBool,
}

/// The turn to store some of a trace; one at a time, so that chunks never overlap.
pub struct Turn(Arc<Live>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.is_storing.store(false, Ordering::Release);
    }
}

/// Whether it is stored.
#[derive(Debug)]
enum Life {
    /// It is being stored, which may be after its run began; what its end is to be, if it came so far.
    Unborn(Option<(Ending, Room)>),
    Born(Birth),
    /// It could not be stored, or is none of its own.
    Stillborn,
}

impl Default for Life {
    fn default() -> Life {
        Life::Unborn(None)
    }
}

#[derive(Debug, Default)]
struct Verdict {
    stop: Option<Stop>,
    /// The run has ended, so that nothing can stop it any more.
    sealed: bool,
}

/// What a job is made from.
pub struct Claimed {
    pub client: ClientId,
    pub request_id: Option<String>,
    pub spec: JobSpec,
    pub priority: Priority,
    pub attempt: u32,
    pub deaths: u32,
    pub work: u64,
    pub deadline: Option<SystemTime>,
    pub time_limit: Option<Duration>,
    pub work_limit: Option<u64>,
    pub due: Option<SystemTime>,
    pub keep_trace: bool,
    pub suspect: bool,
    pub log: Arc<Log>,
    /// The time by the store's clock.
    pub now: SystemTime,
}

impl Live {
    pub fn new(claimed: Claimed) -> Live {
        let is_brief = !claimed.suspect && claimed.work >= BRIEF_UNITS && claimed.spec.is_brief();
        Live {
            early: EarlyEnd::default(),
            life: Mutex::default(),
            client: claimed.client,
            request_id: claimed.request_id,
            spec: claimed.spec,
            priority: claimed.priority,
            attempt: claimed.attempt,
            deaths: claimed.deaths,
            work: claimed.work,
            deadline: claimed.deadline,
            time_limit: claimed.time_limit,
            work_limit: claimed.work_limit,
            due: claimed.due,
            keep_trace: claimed.keep_trace,
            suspect: claimed.suspect,
            log: claimed.log,
            flag: CancelFlag::new(),
            started: OnceLock::new(),
            ran: OnceLock::new(),
            ended: SetOnce::new(),
            clock: (claimed.now, Instant::now()),
            stop: Mutex::default(),
            is_brief,
            is_storing: AtomicBool::new(false),
        }
    }

    /// How long it may go on. A clock that is set meanwhile changes nothing about that.
    pub fn time_left(&self) -> Option<Duration> {
        let (time, since) = self.clock;
        let limit = self.deadline?.duration_since(time).unwrap_or_default();
        Some(limit.saturating_sub(since.elapsed()))
    }

    /// Whether it is most likely done in a moment, so that several may run in one go.
    pub fn is_brief(&self) -> bool {
        self.is_brief
    }

    /// Its run begins.
    pub fn begin(&self) {
        let (time, since) = self.clock;
        self.started.get_or_init(|| (whole_millis(time + since.elapsed()), Instant::now()));
    }

    /// Its run is over.
    pub fn note_ran(&self) {
        if let Some((_, began)) = self.started.get() {
            self.ran.get_or_init(|| began.elapsed());
        }
    }

    /// The turn to store some of its trace, unless another has it.
    pub fn take_turn(self: &Arc<Live>) -> Option<Turn> {
        let was_taken = self.is_storing.swap(true, Ordering::Acquire);
        (!was_taken).then(|| Turn(self.clone()))
    }

    /// Stops the run unless it has ended; the first to say so is heard.
    pub fn stop(&self, stop: Stop) {
        let mut verdict = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if !verdict.sealed && verdict.stop.is_none() {
            verdict.stop = Some(stop);
            self.flag.raise();
        }
    }

    /// The run has ended: whether somebody had stopped it. Nobody can any more.
    pub fn seal(&self) -> Option<Stop> {
        let mut verdict = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        verdict.sealed = true;
        verdict.stop.clone()
    }

    /// Whether its run has ended.
    pub fn is_sealed(&self) -> bool {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).sealed
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        // nothing in here panics half-way
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its birth, once it is stored.
    pub fn birth(&self) -> Option<Birth> {
        match *self.life() {
            Life::Born(birth) => Some(birth),
            Life::Unborn(_) | Life::Stillborn => None,
        }
    }

    /// The right to write about it, once it is stored.
    pub fn lease(&self) -> Option<Lease> {
        Some(Lease { job: self.birth()?.id, attempt: self.attempt })
    }

    /// It is stored, or will not be; what its end is to be, if it waited for that. To be called once.
    pub fn be_born(&self, birth: Option<Birth>) -> Option<(Ending, Room)> {
        match std::mem::replace(&mut *self.life(), birth.map_or(Life::Stillborn, Life::Born)) {
            Life::Unborn(end) => end,
            Life::Born(_) | Life::Stillborn => None,
        }
    }

    /// It is to end. Given back with its birth, if that is known; else its end waits for that, and is handed in to be
    /// stored together with it.
    pub fn end(&self, ending: Ending, room: Room) -> Option<(Option<Birth>, Ending, Room)> {
        let mut life = self.life();
        match &mut *life {
            Life::Born(birth) => Some((Some(*birth), ending, room)),
            Life::Stillborn => Some((None, ending, room)),
            Life::Unborn(end) => {
                if let Ending::Finish { finish, .. } = &ending {
                    // if it comes too late, it is stored once it is known that the job is
                    self.early.hand_in(finish.clone());
                }
                *end = Some((ending, room));
                None
            }
        }
    }

    /// The job as it stands, unfinished.
    pub fn job(&self, birth: Birth) -> Job {
        let started = self.started.get();
        Job {
            id: birth.id,
            client: self.client.clone(),
            request_id: self.request_id.clone(),
            spec: self.spec.clone(),
            priority: self.priority,
            state: if started.is_some() { JobState::Running } else { JobState::Queued },
            attempt: if started.is_some() { self.attempt } else { self.attempt - 1 },
            deaths: self.deaths,
            work: self.work,
            create_time: birth.time,
            start_time: started.map(|(time, _)| *time),
            end_time: None,
            deadline: self.deadline,
            time_limit: self.time_limit,
            work_limit: self.work_limit,
            due: self.due,
            turn: None,
            outlook: None,
            keep_trace: self.keep_trace,
            reason: None,
            outcome: None,
            puzzle: None,
            last_sequence: self.log.len() as u64,
        }
    }

    /// The job at its end.
    pub fn finished(&self, birth: Birth, ended: Ended, end: End) -> Job {
        Job {
            state: end.state,
            attempt: self.attempt,
            end_time: Some(ended.time),
            reason: end.reason,
            outcome: end.outcome,
            puzzle: ended.puzzle,
            last_sequence: end.last_sequence,
            ..self.job(birth)
        }
    }
}

/// How a job ended.
#[derive(Clone, Debug)]
pub struct End {
    pub state: JobState,
    pub reason: Option<String>,
    pub outcome: Option<JobOutcome>,
    pub last_sequence: u64,
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::engine::rate::Scale;
    use crate::puzzle::PuzzleDraft;
    use crate::store::Finish;

    /// A job that is claimed as it is stored.
    pub fn live(client: &str, priority: Priority, spec: JobSpec) -> Live {
        Live::new(Claimed {
            client: ClientId(client.into()),
            request_id: None,
            spec,
            priority,
            attempt: 1,
            deaths: 0,
            work: 10_000,
            deadline: None,
            time_limit: None,
            work_limit: None,
            due: None,
            keep_trace: false,
            suspect: false,
            log: Arc::new(Log::new()),
            now: SystemTime::UNIX_EPOCH,
        })
    }

    /// One that is not brief.
    pub fn rating(client: &str, priority: Priority) -> Live {
        let puzzle = Arc::new(PuzzleDraft::latin(2).check().expect("a puzzle"));
        live(client, priority, JobSpec::Rate { puzzle, scale: Scale::Sleuth })
    }

    fn ending() -> Ending {
        let state = JobState::Succeeded;
        let end = Box::new(End { state, reason: None, outcome: None, last_sequence: 1 });
        let finish = Finish {
            priority: Priority::Normal,
            state,
            reason: None,
            start_time: None,
            outcome: None,
            last_sequence: 1,
            trace: None,
            puzzle: None,
        };
        Ending::Finish { end, finish: Arc::new(finish) }
    }

    #[test]
    fn an_end_waits_for_the_birth_once() {
        let birth = Birth { id: JobId(7), time: SystemTime::UNIX_EPOCH };
        let early = rating("a", Priority::Normal);
        assert!(early.end(ending(), None).is_none() && early.birth().is_none());
        assert!(matches!(early.be_born(Some(birth)), Some((Ending::Finish { .. }, None))));
        assert_eq!(early.lease(), Some(Lease { job: JobId(7), attempt: 1 }));
        let late = rating("a", Priority::Normal);
        assert!(late.be_born(Some(birth)).is_none());
        assert!(
            matches!(late.end(ending(), None), Some((Some(known), Ending::Finish { .. }, None)) if known == birth)
        );
        let lost = rating("a", Priority::Normal);
        assert!(lost.be_born(None).is_none());
        assert!(matches!(lost.end(Ending::Forget, None), Some((None, Ending::Forget, None))));
    }
}
