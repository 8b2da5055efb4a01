//! What waits in this process for a worker thread: short calls, and jobs that are claimed. It also counts what
//! waits in the store, and so decides whether a new job may be claimed at once or has to queue up there.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::job::Priority;
use super::live::Live;
use crate::store::{Backlog, Waiting};

/// Claimed jobs of one priority that may wait here. Enough to keep the threads busy over a commit; few enough that
/// not many have to be taken back when the process dies.
pub const PLACES: usize = 128;

/// A short call, which answers its caller itself.
pub type Call = Box<dyn FnOnce() + Send>;

/// Something for a worker.
pub enum Work {
    Job(Arc<Live>),
    Call(Call),
}

/// Where a new job is to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Here, claimed as it is stored: a place is reserved.
    Here,
    /// In the store, behind those that wait there.
    Store,
}

/// Nothing more may wait, or nothing more is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Full,
    Closing,
}

/// Which work a thread takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duty {
    Any,
    Interactive,
    /// Calls are bounded and jobs are not, so that no number of jobs keeps a call from its turn.
    Calls,
}

/// The queue of a process.
#[derive(Debug)]
pub struct Queue {
    lanes: Mutex<Lanes>,
    /// Wakes threads of each duty.
    any: Condvar,
    interactive: Condvar,
    calls: Condvar,
    /// Wakes who fetches jobs from the store.
    pub hungry: Notify,
    job_limit: usize,
    call_limit: usize,
}

#[derive(Default)]
struct Lanes {
    calls: [VecDeque<Call>; 3],
    jobs: [VecDeque<Arc<Live>>; 3],
    /// Places kept for jobs that are being stored.
    reserved: [usize; 3],
    /// Jobs that wait in the store, or are being stored to wait there.
    stored: [u64; 3],
    suspects: u64,
    /// Jobs of each priority that may wait here.
    places: usize,
    /// Threads for any work that have none.
    idle: usize,
    /// Counts what comes to wait in the store, so that what is known to be gone is not what came meanwhile.
    arrivals: u64,
    closed: bool,
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = self.calls.each_ref().map(VecDeque::len);
        let jobs = self.jobs.each_ref().map(VecDeque::len);
        write!(f, "calls {calls:?}, jobs {jobs:?}, stored {:?}, suspects {}", self.stored, self.suspects)
    }
}

impl Lanes {
    fn waiting(&self) -> usize {
        let here: usize = self.jobs.iter().map(VecDeque::len).sum();
        let reserved: usize = self.reserved.iter().sum();
        let stored = self.stored.iter().sum::<u64>() + self.suspects;
        here + reserved + usize::try_from(stored).unwrap_or(usize::MAX)
    }

    fn free(&self, priority: Priority) -> usize {
        let lane = priority.index();
        self.places.max(self.idle).saturating_sub(self.jobs[lane].len() + self.reserved[lane])
    }
}

impl Queue {
    pub fn new(job_limit: usize, call_limit: usize, backlog: Backlog) -> Queue {
        let (stored, suspects) = (backlog.ready, backlog.suspects);
        let lanes = Lanes { stored, suspects, places: PLACES, ..Lanes::default() };
        Queue {
            lanes: Mutex::new(lanes),
            any: Condvar::new(),
            interactive: Condvar::new(),
            calls: Condvar::new(),
            hungry: Notify::new(),
            job_limit,
            call_limit,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        // nothing in here panics half-way
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a new job is to wait. It may not overtake any that waits at its priority or above.
    pub fn admit(&self, priority: Priority) -> Result<Place, Refusal> {
        let mut lanes = self.lock();
        if lanes.closed {
            return Err(Refusal::Closing);
        }
        if lanes.waiting() >= self.job_limit {
            return Err(Refusal::Full);
        }
        let lane = priority.index();
        let is_first = lanes.stored[..=lane].iter().all(|&count| count == 0);
        if is_first && lanes.free(priority) > 0 {
            lanes.reserved[lane] += 1;
            return Ok(Place::Here);
        }
        lanes.stored[lane] += 1;
        lanes.arrivals += 1;
        Ok(Place::Store)
    }

    /// A new job is not to wait after all.
    pub fn withdraw(&self, priority: Priority, place: Place) {
        let mut lanes = self.lock();
        match place {
            Place::Here => lanes.reserved[priority.index()] -= 1,
            // in a shared store the count is what was known last
            Place::Store => lanes.note_gone(priority.index()),
        }
        drop(lanes);
        self.hungry.notify_one();
    }

    /// A job takes the place reserved for it. False if the queue has closed meanwhile.
    pub fn take_place(&self, live: Arc<Live>) -> bool {
        self.lock().reserved[live.priority.index()] -= 1;
        self.push(live)
    }

    /// A claimed job waits here. False if the queue has closed.
    pub fn push(&self, live: Arc<Live>) -> bool {
        let mut lanes = self.lock();
        if lanes.closed {
            return false;
        }
        let priority = live.priority;
        lanes.jobs[priority.index()].push_back(live);
        drop(lanes);
        self.wake(priority);
        true
    }

    /// A call waits here.
    pub fn push_call(&self, priority: Priority, call: Call) -> Result<(), Refusal> {
        let mut lanes = self.lock();
        if lanes.closed {
            return Err(Refusal::Closing);
        }
        if lanes.calls.iter().map(VecDeque::len).sum::<usize>() >= self.call_limit {
            return Err(Refusal::Full);
        }
        lanes.calls[priority.index()].push_back(call);
        drop(lanes);
        self.wake(priority);
        self.calls.notify_one();
        Ok(())
    }

    fn wake(&self, priority: Priority) {
        self.any.notify_one();
        if priority == Priority::Interactive {
            self.interactive.notify_one();
        }
    }

    /// The next work for a thread; waits for it. None once the queue has closed.
    pub fn next(&self, duty: Duty) -> Option<Work> {
        let mut lanes = self.lock();
        loop {
            if lanes.closed {
                return None;
            }
            if let Some((work, priority)) = lanes.take(duty) {
                let lane = priority.index();
                let is_low = lanes.free(priority) >= lanes.places / 2;
                if is_low && lanes.stored[lane] > 0 {
                    self.hungry.notify_one();
                }
                return Some(work);
            }
            let bell = match duty {
                Duty::Any => &self.any,
                Duty::Interactive => &self.interactive,
                Duty::Calls => &self.calls,
            };
            let is_any = usize::from(duty == Duty::Any);
            lanes.idle += is_any;
            if is_any > 0 && lanes.stored.iter().any(|&count| count > 0) {
                self.hungry.notify_one();
            }
            lanes = bell.wait(lanes).unwrap_or_else(PoisonError::into_inner);
            lanes.idle -= is_any;
        }
    }

    /// Takes a claimed job out again, if no thread has it yet.
    pub fn remove(&self, live: &Arc<Live>) -> bool {
        let mut lanes = self.lock();
        let lane = &mut lanes.jobs[live.priority.index()];
        let place = lane.iter().position(|other| Arc::ptr_eq(other, live));
        place.map(|place| lane.remove(place)).is_some()
    }

    /// How many jobs of each priority are worth fetching from the store, and whether a suspect waits there.
    pub fn appetite(&self) -> ([u32; 3], bool) {
        let lanes = self.lock();
        let wants = Priority::ALL.map(|priority| {
            let free = lanes.free(priority);
            if free == 0 || free < lanes.places / 2 || lanes.closed {
                0
            } else {
                lanes.stored[priority.index()].min(free as u64) as u32
            }
        });
        (wants, lanes.suspects > 0 && !lanes.closed)
    }

    /// A job no longer waits in the store.
    pub fn note_gone(&self, waiting: Waiting) {
        let mut lanes = self.lock();
        if waiting.suspect {
            lanes.suspects = lanes.suspects.saturating_sub(1);
        } else {
            lanes.note_gone(waiting.priority.index());
        }
    }

    // ---- where the store is shared, and the counts are what was known last

    /// How much has come to wait in the store, as far as this process knows.
    pub fn arrivals(&self) -> u64 {
        self.lock().arrivals
    }

    /// Jobs may wait in the store, of any priority.
    pub fn note_waiting(&self) {
        let mut lanes = self.lock();
        lanes.arrivals += 1;
        lanes.stored.iter_mut().for_each(|count| *count = (*count).max(1));
        drop(lanes);
        self.hungry.notify_one();
    }

    /// No more jobs of this priority wait in the store than were claimed, unless some came meanwhile.
    pub fn note_exhausted(&self, priority: Priority, arrivals: u64) {
        let mut lanes = self.lock();
        if lanes.arrivals == arrivals {
            lanes.stored[priority.index()] = 0;
        }
    }

    /// So many wait in the store, unless some came meanwhile: those are counted already.
    pub fn set_backlog(&self, backlog: Backlog, arrivals: u64) {
        let mut lanes = self.lock();
        if lanes.arrivals == arrivals {
            lanes.stored = backlog.ready;
        }
        lanes.suspects = backlog.suspects;
        drop(lanes);
        self.hungry.notify_one();
    }

    /// So many jobs of each priority may wait here. Gives those that are too many, the last of each.
    pub fn set_places(&self, places: usize) -> Vec<Arc<Live>> {
        let mut lanes = self.lock();
        lanes.places = places;
        let mut given_back = Vec::new();
        for lane in &mut lanes.jobs {
            let too_many = lane.split_off(lane.len().min(places));
            // a suspect runs where it was claimed
            let (kept, rest): (VecDeque<_>, VecDeque<_>) =
                too_many.into_iter().partition(|live| live.suspect);
            lane.extend(kept);
            given_back.extend(rest);
        }
        for live in &given_back {
            lanes.stored[live.priority.index()] += 1;
            lanes.arrivals += 1;
        }
        given_back
    }

    /// How many jobs wait, here and in the store.
    pub fn waiting(&self) -> usize {
        self.lock().waiting()
    }

    /// How many calls wait.
    pub fn waiting_calls(&self) -> usize {
        self.lock().calls.iter().map(VecDeque::len).sum()
    }

    /// Whether any job waits in the store.
    pub fn has_stored(&self) -> bool {
        let lanes = self.lock();
        lanes.suspects > 0 || lanes.stored.iter().any(|&count| count > 0)
    }

    /// Takes nothing more and hands out nothing more; calls that wait are dropped, jobs given back.
    pub fn close(&self) -> Vec<Arc<Live>> {
        let mut lanes = self.lock();
        lanes.closed = true;
        let calls = std::mem::take(&mut lanes.calls);
        let jobs = std::mem::take(&mut lanes.jobs);
        drop(lanes);
        drop(calls);
        self.any.notify_all();
        self.interactive.notify_all();
        self.calls.notify_all();
        self.hungry.notify_one();
        jobs.into_iter().flatten().collect()
    }
}

impl Lanes {
    fn note_gone(&mut self, lane: usize) {
        self.stored[lane] = self.stored[lane].saturating_sub(1);
    }

    fn take(&mut self, duty: Duty) -> Option<(Work, Priority)> {
        let priorities = match duty {
            Duty::Any | Duty::Calls => &Priority::ALL[..],
            Duty::Interactive => &Priority::ALL[..1],
        };
        for &priority in priorities {
            if let Some(call) = self.calls[priority.index()].pop_front() {
                return Some((Work::Call(call), priority));
            }
            if duty == Duty::Calls {
                continue;
            }
            if let Some(live) = self.jobs[priority.index()].pop_front() {
                return Some((Work::Job(live), priority));
            }
        }
        None
    }
}
