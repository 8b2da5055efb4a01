//! What waits in this process for a worker thread: short calls, and jobs that are claimed. It also counts what
//! waits in the store, and so decides whether a new job may be claimed at once or has to queue up there.
//!
//! Priorities go first in their order, but none for ever: one that was passed over some times has its turn. Within a
//! priority clients take turns, here as in the store. A client that has nothing waiting at a priority gets a place here
//! even where there is none left, and one whose jobs all wait in the store has some fetched: so nobody waits for more
//! than a job of each other client.
//!
//! Where there is room here for all that waits in the store and for a new job, the new one is claimed as well, and held
//! back for those of its client that are yet to be fetched. So the store is left to what has no room here.

mod lanes;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::job::{ClientId, Priority};
use super::lane::Lane;
use super::live::Live;
use super::tally::{Crowd, Spot, Tallies};
use crate::store::{Backlog, Wait, Waiting};
use lanes::{GUESTS, Lanes, duties_of};

/// So many jobs of each client are fetched where one has none here.
const ROUNDS: u64 = 4;

/// So many are fetched at least where others are held back for them.
const FETCH: u64 = 64;

/// So often a thread that finds no work lets others go first, and looks again, before it sleeps.
const LOOKS: u32 = 2;

/// A short call, which answers its caller itself.
pub type Call = Box<dyn FnOnce() + Send>;

/// Something for a worker.
pub enum Work {
    /// In the order in which they waited: one, or several brief ones.
    Jobs(Vec<Arc<Live>>),
    Call(Call),
}

/// Where a new job is to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Here, claimed as it is stored: a place is reserved.
    Here,
    /// The same, behind those of its client that wait in the store.
    Behind,
    /// In the store, behind those that wait there.
    Store,
    /// In the store, for its time.
    Later,
}

impl Place {
    /// Whether the job is claimed as it is stored.
    pub fn is_here(self) -> bool {
        matches!(self, Place::Here | Place::Behind)
    }

    fn spot(self, priority: Priority) -> Spot {
        match self {
            Place::Here | Place::Behind => Spot::Here(priority),
            Place::Store => Spot::Stored(priority),
            Place::Later => Spot::Scheduled,
        }
    }
}

/// Nothing more may wait, or nothing more is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Full,
    /// The client has as much waiting as it may.
    OverQuota,
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

/// How much may wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Jobs.
    pub jobs: usize,
    /// Jobs of one client.
    pub jobs_of_client: usize,
    /// Jobs of each priority that may wait here, claimed.
    pub places: usize,
    /// Short calls.
    pub calls: usize,
    /// Other processes claim as well: what would wait here long is left to them.
    pub is_shared: bool,
}

/// What had come to wait in the store at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrivals {
    count: u64,
    /// All of it was in the store.
    is_settled: bool,
}

impl Arrivals {
    /// Whether all of it was in the store, and nothing has come since.
    fn are_all(self, count: u64) -> bool {
        self.is_settled && self.count == count
    }
}

/// The queue of a process.
#[derive(Debug)]
pub struct Queue {
    lanes: Mutex<Lanes>,
    /// Wakes threads of each duty.
    bells: [Condvar; 3],
    /// Wakes who fetches jobs from the store.
    pub hungry: Notify,
}

impl Queue {
    pub fn new(bounds: Bounds, backlog: &Backlog) -> Queue {
        Queue {
            lanes: Mutex::new(Lanes::new(bounds, backlog)),
            bells: Default::default(),
            hungry: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        // nothing in here panics half-way
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a new job of a client is to wait. It may not overtake any that waits at its priority or above, but those
    /// of other clients where its own has nothing waiting.
    pub fn admit(&self, client: &ClientId, priority: Priority, is_later: bool) -> Result<Place, Refusal> {
        let mut lanes = self.lock();
        if lanes.closed {
            return Err(Refusal::Closing);
        }
        if lanes.waiting() >= lanes.bounds.jobs {
            return Err(Refusal::Full);
        }
        let own = lanes.tallies.of(client);
        if own.all() >= lanes.bounds.jobs_of_client as u64 {
            return Err(Refusal::OverQuota);
        }
        let lane = priority.index();
        let is_first = || (0..=lane).all(|lane| !lanes.has_stored(lane)) && lanes.free(priority) > 0;
        let is_guest = || own.here[lane] + own.stored[lane] == 0 && lanes.has_guest_place(lane);
        let has_room = || lanes.has_room_behind(priority);
        let place = if is_later {
            Place::Later
        } else if is_first() || is_guest() || (own.stored[lane] == 0 && has_room()) {
            Place::Here
        } else if has_room() {
            Place::Behind
        } else {
            Place::Store
        };
        lanes.reserved[lane] += usize::from(place.is_here());
        lanes.arrivals += u64::from(!place.is_here());
        lanes.unsettled += usize::from(!place.is_here());
        lanes.tallies.add(client, place.spot(priority));
        // those in the store are not to wait longer for room that new ones take
        let is_wanted = place.is_here() && lanes.has_stored(lane);
        drop(lanes);
        if is_wanted {
            self.hungry.notify_one();
        }
        Ok(place)
    }

    /// A new job is not to wait after all.
    pub fn withdraw(&self, client: &ClientId, priority: Priority, place: Place) {
        let mut lanes = self.lock();
        lanes.reserved[priority.index()] -= usize::from(place.is_here());
        lanes.unsettled -= usize::from(!place.is_here());
        let sleepers = lanes.leave(client, place.spot(priority));
        drop(lanes);
        self.ring(sleepers);
        self.hungry.notify_one();
    }

    /// A job takes the place here that was reserved for it. False if the queue has closed meanwhile.
    pub fn take_place(&self, live: Arc<Live>, place: Place) -> bool {
        let mut lanes = self.lock();
        let lane = live.priority.index();
        lanes.reserved[lane] -= 1;
        let stored = lanes.tallies.of(&live.client).stored[lane];
        if place == Place::Behind && stored > 0 && !lanes.closed {
            lanes.jobs[lane].hold(live, stored);
            return true;
        }
        self.enter(lanes, live)
    }

    /// A claimed job waits here. False if the queue has closed.
    pub fn push(&self, live: Arc<Live>) -> bool {
        let mut lanes = self.lock();
        lanes.tallies.add(&live.client, Spot::Here(live.priority));
        self.enter(lanes, live)
    }

    fn enter(&self, mut lanes: MutexGuard<'_, Lanes>, live: Arc<Live>) -> bool {
        let priority = live.priority;
        if lanes.closed {
            lanes.tallies.remove(&live.client, Spot::Here(priority));
            return false;
        }
        lanes.jobs[priority.index()].push(live);
        let sleeper = lanes.wake(duties_of(priority));
        drop(lanes);
        self.ring(sleeper);
        true
    }

    /// A call waits here.
    pub fn push_call(&self, priority: Priority, call: Call) -> Result<(), Refusal> {
        let mut lanes = self.lock();
        if lanes.closed {
            return Err(Refusal::Closing);
        }
        if lanes.calls.iter().map(VecDeque::len).sum::<usize>() >= lanes.bounds.calls {
            return Err(Refusal::Full);
        }
        lanes.calls[priority.index()].push_back(call);
        let sleeper = lanes.wake(&[Duty::Calls]).or_else(|| lanes.wake(duties_of(priority)));
        drop(lanes);
        self.ring(sleeper);
        Ok(())
    }

    fn ring(&self, sleepers: impl IntoIterator<Item = Duty>) {
        sleepers.into_iter().for_each(|duty| self.bells[duty as usize].notify_one());
    }

    /// The next work for a thread, so many brief jobs at most; waits for it. None once the queue has closed.
    pub fn next(&self, duty: Duty, at_once: usize) -> Option<Work> {
        let mut lanes = self.lock();
        let mut looks = 0;
        loop {
            if lanes.closed {
                return None;
            }
            if let Some((work, priority)) = lanes.take(duty, at_once) {
                let lane = priority.index();
                let is_absent = matches!(&work, Work::Jobs(jobs)
                    if jobs.iter().any(|live| lanes.tallies.is_absent(&live.client, lane)));
                let is_wanted = lanes.is_low(priority) || lanes.jobs[lane].has_held();
                if (is_wanted && lanes.has_stored(lane)) || is_absent {
                    self.hungry.notify_one();
                }
                return Some(work);
            }
            if duty == Duty::Any && looks < LOOKS {
                looks += 1;
                drop(lanes);
                // whoever brings more may be about to
                std::thread::yield_now();
                lanes = self.lock();
                continue;
            }
            lanes.idle[duty as usize] += 1;
            if duty == Duty::Any && (0..3).any(|lane| lanes.has_stored(lane)) {
                self.hungry.notify_one();
            }
            lanes = self.bells[duty as usize].wait(lanes).unwrap_or_else(PoisonError::into_inner);
            lanes.idle[duty as usize] -= 1;
            // one that wakes by itself takes another's place: whoever was woken looks all the same
            lanes.woken[duty as usize] = lanes.woken[duty as usize].saturating_sub(1);
        }
    }

    /// Takes a claimed job out again, if no thread has it yet.
    pub fn remove(&self, live: &Arc<Live>) -> bool {
        let mut lanes = self.lock();
        let was_here = lanes.jobs[live.priority.index()].remove(live);
        if was_here {
            lanes.tallies.remove(&live.client, Spot::Here(live.priority));
        }
        was_here
    }

    /// How many jobs of each priority are worth fetching from the store, and whether a suspect waits there.
    pub fn appetite(&self) -> ([u32; 3], bool) {
        let lanes = self.lock();
        let wants = Priority::ALL.map(|priority| {
            let (lane, free) = (priority.index(), lanes.free(priority));
            let (stored, room) = (lanes.stored(lane), free as u64);
            if lanes.closed {
                0
            } else if lanes.jobs[lane].has_held() {
                stored.min(room.max(FETCH)) as u32
            } else if free > 0 && lanes.is_low(priority) {
                stored.min(room) as u32
            } else if lanes.tallies.absent(lane) > 0 && lanes.has_guest_place(lane) {
                // what comes first is about one job of each client, then another
                (ROUNDS * lanes.tallies.storing(lane)).min(GUESTS as u64) as u32
            } else {
                0
            }
        });
        (wants, lanes.suspects > 0 && !lanes.closed)
    }

    /// A job waits in the store no more: it is claimed, which those before it were already, or it is over.
    pub fn note_gone(&self, waiting: &Waiting, is_claimed: bool) {
        let mut lanes = self.lock();
        if waiting.wait == Wait::Claim && !is_claimed {
            lanes.jobs[waiting.priority.index()].note_over(&waiting.client, waiting.id);
        }
        let sleepers = match waiting.wait {
            Wait::Time => lanes.leave(&waiting.client, Spot::Scheduled),
            Wait::Claim => lanes.leave(&waiting.client, Spot::Stored(waiting.priority)),
            Wait::Trial => {
                lanes.suspects = lanes.suspects.saturating_sub(1);
                Vec::new()
            }
        };
        drop(lanes);
        self.ring(sleepers);
    }

    /// A new job waits in the store for a claim.
    pub fn note_stored(&self) {
        self.lock().unsettled -= 1;
        self.hungry.notify_one();
    }

    /// The time of a new job came while it was being stored.
    pub fn note_due(&self, waiting: &Waiting) {
        self.lock().unsettled -= 1;
        self.note_promoted(std::slice::from_ref(waiting));
    }

    /// A new job waits for its time, by the clock of the store, where it was to wait for a claim.
    pub fn note_scheduled(&self, client: &ClientId, priority: Priority, place: Place) {
        let mut lanes = self.lock();
        lanes.unsettled -= 1;
        let sleepers = lanes.leave(client, place.spot(priority));
        lanes.tallies.add(client, Spot::Scheduled);
        drop(lanes);
        self.ring(sleepers);
    }

    /// Jobs whose time has come wait for a claim.
    pub fn note_promoted(&self, jobs: &[Waiting]) {
        let mut lanes = self.lock();
        for job in jobs {
            lanes.tallies.remove(&job.client, Spot::Scheduled);
            lanes.tallies.add(&job.client, Spot::Stored(job.priority));
        }
        lanes.arrivals += jobs.len() as u64;
        drop(lanes);
        self.hungry.notify_one();
    }

    // ---- what is known of the store by looking

    /// What has come to wait in the store so far, to be told from what comes while somebody looks.
    pub fn arrivals(&self) -> Arrivals {
        let lanes = self.lock();
        Arrivals { count: lanes.arrivals, is_settled: lanes.unsettled == 0 }
    }

    /// Jobs may wait in the store, of any priority.
    pub fn note_waiting(&self) {
        let mut lanes = self.lock();
        lanes.arrivals += 1;
        lanes.rumours = [true; 3];
        drop(lanes);
        self.hungry.notify_one();
    }

    /// No more jobs of this priority wait in the store than were claimed, unless some came meanwhile. In a store that
    /// nobody shares that is known already; a count that was wrong would keep jobs waiting for ever.
    pub fn note_exhausted(&self, priority: Priority, arrivals: Arrivals) {
        let mut lanes = self.lock();
        if !arrivals.are_all(lanes.arrivals) {
            return;
        }
        lanes.rumours[priority.index()] = false;
        lanes.tallies.clear_stored(priority.index());
        let sleepers = lanes.release(|tallies, client| tallies.of(client).stored);
        drop(lanes);
        self.ring(sleepers);
    }

    /// So many wait in the store, unless some came meanwhile: those are counted already.
    pub fn set_backlog(&self, backlog: &Backlog, arrivals: Arrivals) {
        let mut lanes = self.lock();
        if arrivals.are_all(lanes.arrivals) {
            lanes.rumours = [false; 3];
            lanes.tallies.set_backlog(backlog);
        }
        lanes.suspects = backlog.suspects;
        // whatever has come since is behind those that were held back
        let ready =
            |_: &Tallies, client: &ClientId| backlog.clients.get(client).map_or([0; 3], |all| all.ready);
        let sleepers = lanes.release(ready);
        drop(lanes);
        self.ring(sleepers);
        self.hungry.notify_one();
    }

    /// So many jobs of each priority may wait here. Gives those that are too many.
    pub fn set_places(&self, places: usize) -> Vec<Arc<Live>> {
        let mut lanes = self.lock();
        lanes.places = places;
        let given_back: Vec<Arc<Live>> = lanes.jobs.iter_mut().flat_map(|lane| lane.cut(places)).collect();
        for live in &given_back {
            lanes.tallies.remove(&live.client, Spot::Here(live.priority));
            lanes.tallies.add(&live.client, Spot::Stored(live.priority));
            lanes.arrivals += 1;
        }
        given_back
    }

    // ---- looking

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
        lanes.suspects > 0 || lanes.tallies.all().scheduled > 0 || (0..3).any(|lane| lanes.has_stored(lane))
    }

    /// How many jobs are begun before this one, if it waits here and nothing else comes.
    pub fn ahead_of(&self, live: &Arc<Live>) -> Option<u64> {
        let lanes = self.lock();
        let lane = live.priority.index();
        let above: usize = lanes.jobs[..lane].iter().map(Lane::len).sum();
        let is_held = lanes.jobs[lane].holds(live);
        let stored = if is_held { lanes.tallies.of(&live.client).stored[lane] } else { 0 };
        Some(lanes.jobs[lane].ahead_of(live)? + above as u64 + stored)
    }

    /// Who waits before a job in the store.
    pub fn crowds(&self) -> [Ahead; 3] {
        let lanes = self.lock();
        let all = *lanes.tallies.all();
        let mut above = 0;
        std::array::from_fn(|lane| {
            let ahead = Ahead { before: above + all.here[lane], crowd: lanes.tallies.crowd(lane) };
            above += all.here[lane] + all.stored[lane];
            ahead
        })
    }

    /// Takes nothing more and hands out nothing more; calls that wait are dropped, jobs given back.
    pub fn close(&self) -> Vec<Arc<Live>> {
        let mut lanes = self.lock();
        lanes.closed = true;
        let calls = std::mem::take(&mut lanes.calls);
        let jobs = std::mem::take(&mut lanes.jobs);
        lanes.tallies.clear_here();
        drop(lanes);
        drop(calls);
        self.bells.iter().for_each(Condvar::notify_all);
        self.hungry.notify_one();
        jobs.into_iter().flat_map(Lane::into_jobs).collect()
    }
}

/// Who waits before a job in the store, by its priority.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// Those of higher priorities, and those that are claimed.
    pub before: u64,
    /// Those of its own priority in the store.
    pub crowd: Crowd,
}

#[cfg(test)]
mod tests;
