//! The lanes of a queue, one a priority: what is there, what has room, and who takes what next.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Bounds, Call, Duty, Work};
use crate::jobs::job::{ClientId, Priority};
use crate::jobs::lane::Lane;
use crate::jobs::live::Live;
use crate::jobs::tally::{Spot, Tallies};
use crate::store::Backlog;

/// Places beyond those of [`Bounds::places`], for clients that have nothing else waiting here.
pub(super) const GUESTS: usize = 128;

/// A priority whose jobs were passed over so often for those of higher ones goes first once.
pub(super) const PATIENCE: u32 = 16;

/// So many are fetched, at most, because others said that jobs wait in the store: all that do, most likely.
pub(super) const RUMOURED: u64 = 32;

/// What waits in a process, under one lock.
pub(super) struct Lanes {
    pub(super) bounds: Bounds,
    pub(super) calls: [VecDeque<Call>; 3],
    pub(super) jobs: [Lane; 3],
    /// Places kept for jobs that are being stored.
    pub(super) reserved: [usize; 3],
    /// What waits here and in the store, or is being stored to wait there.
    pub(super) tallies: Tallies,
    /// Others said that jobs wait in the store.
    pub(super) rumours: [bool; 3],
    pub(super) suspects: u64,
    /// Jobs of each priority that may wait here.
    pub(super) places: usize,
    /// How often each priority was passed over while it had jobs.
    pub(super) passed: [u32; 3],
    /// Threads of each duty that have no work.
    pub(super) idle: [usize; 3],
    /// How many of them were woken and have not looked yet.
    pub(super) woken: [usize; 3],
    /// Counts what comes to wait in the store, so that what is known to be gone is not what came meanwhile.
    pub(super) arrivals: u64,
    /// Jobs that are to wait in the store, and are not known to be there yet.
    pub(super) unsettled: usize,
    pub(super) closed: bool,
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = self.calls.each_ref().map(VecDeque::len);
        let (jobs, all) = (self.jobs.each_ref().map(Lane::len), self.tallies.all());
        write!(f, "calls {calls:?}, jobs {jobs:?}, {all:?}, suspects {}", self.suspects)
    }
}

impl Lanes {
    pub(super) fn new(bounds: Bounds, backlog: &Backlog) -> Lanes {
        let mut tallies = Tallies::default();
        tallies.set_backlog(backlog);
        Lanes {
            bounds,
            calls: Default::default(),
            jobs: Default::default(),
            reserved: [0; 3],
            tallies,
            rumours: [false; 3],
            suspects: backlog.suspects,
            places: bounds.places,
            passed: [0; 3],
            idle: [0; 3],
            woken: [0; 3],
            arrivals: 0,
            unsettled: 0,
            closed: false,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        usize::try_from(self.tallies.all().all() + self.suspects).unwrap_or(usize::MAX)
    }

    pub(super) fn free(&self, priority: Priority) -> usize {
        self.places.max(self.idle[Duty::Any as usize]).saturating_sub(self.taken(priority.index()))
    }

    pub(super) fn taken(&self, lane: usize) -> usize {
        self.jobs[lane].len() + self.reserved[lane]
    }

    /// How many may wait in the store at this priority.
    pub(super) fn stored(&self, lane: usize) -> u64 {
        self.tallies.all().stored[lane] + if self.rumours[lane] { RUMOURED } else { 0 }
    }

    /// Whether any may.
    pub(super) fn has_stored(&self, lane: usize) -> bool {
        self.stored(lane) > 0
    }

    /// Whether jobs are to be fetched: there is room for many, or for all.
    pub(super) fn is_low(&self, priority: Priority) -> bool {
        let free = self.free(priority);
        free >= self.places / 2 || self.stored(priority.index()) <= free as u64
    }

    /// Whether there is room here for one more and all that wait in the store before it.
    pub(super) fn has_room_behind(&self, priority: Priority) -> bool {
        Priority::ALL[..=priority.index()]
            .iter()
            .all(|&priority| self.stored(priority.index()) < self.free(priority) as u64)
    }

    /// A job waits no more where it did. Gives whom to wake for those that were held back for it.
    pub(super) fn leave(&mut self, client: &ClientId, spot: Spot) -> Vec<Duty> {
        self.tallies.remove(client, spot);
        let Spot::Stored(priority) = spot else { return Vec::new() };
        let lane = priority.index();
        let released = self.jobs[lane].note_gone(client, self.tallies.of(client).stored[lane]);
        self.wake_some(priority, released)
    }

    /// The same after more is known of what waits in the store.
    pub(super) fn release(&mut self, stored: impl Fn(&Tallies, &ClientId) -> [u64; 3]) -> Vec<Duty> {
        let mut sleepers = Vec::new();
        for priority in Priority::ALL {
            let lane = priority.index();
            let tallies = &self.tallies;
            let released = self.jobs[lane].release_all(|client| stored(tallies, client)[lane]);
            sleepers.extend(self.wake_some(priority, released));
        }
        sleepers
    }

    pub(super) fn wake_some(&mut self, priority: Priority, jobs: usize) -> Vec<Duty> {
        (0..jobs).map_while(|_| self.wake(duties_of(priority))).collect()
    }

    /// Whether there is a place for a client that has no other.
    pub(super) fn has_guest_place(&self, lane: usize) -> bool {
        !self.bounds.is_shared && self.taken(lane) < self.places + GUESTS
    }
}

/// Who takes work of a priority. Those that take little else come first: they are sure to take it.
pub(super) fn duties_of(priority: Priority) -> &'static [Duty] {
    match priority {
        Priority::Interactive => &[Duty::Interactive, Duty::Any],
        Priority::Normal | Priority::Bulk => &[Duty::Any],
    }
}

impl Lanes {
    /// The first of these duties that has a thread asleep, which is to be woken. One is enough, and where none sleeps
    /// whoever is done next looks before it does.
    pub(super) fn wake(&mut self, duties: &[Duty]) -> Option<Duty> {
        let sleeper =
            duties.iter().copied().find(|&duty| self.idle[duty as usize] > self.woken[duty as usize]);
        if let Some(duty) = sleeper {
            self.woken[duty as usize] += 1;
        }
        sleeper
    }

    pub(super) fn take(&mut self, duty: Duty, at_once: usize) -> Option<(Work, Priority)> {
        let priorities = match duty {
            Duty::Any | Duty::Calls => &Priority::ALL[..],
            Duty::Interactive => &Priority::ALL[..1],
        };
        if duty == Duty::Any
            && let Some(lane) = (1..3).find(|&lane| self.passed[lane] >= PATIENCE)
            && let Some(jobs) = self.take_jobs(lane, at_once)
        {
            self.pass(duty, lane);
            return Some((Work::Jobs(jobs), Priority::ALL[lane]));
        }
        for &priority in priorities {
            let lane = priority.index();
            if let Some(call) = self.calls[lane].pop_front() {
                self.pass(duty, lane);
                return Some((Work::Call(call), priority));
            }
            if duty == Duty::Calls {
                continue;
            }
            if let Some(jobs) = self.take_jobs(lane, at_once) {
                self.pass(duty, lane);
                return Some((Work::Jobs(jobs), priority));
            }
        }
        None
    }

    /// The next job, and while they are brief those that come next.
    pub(super) fn take_jobs(&mut self, lane: usize, at_once: usize) -> Option<Vec<Arc<Live>>> {
        let mut jobs = vec![self.take_job(lane)?];
        while jobs[0].is_brief()
            && jobs.len() < at_once
            && self.jobs[lane].peek().is_some_and(|next| next.is_brief())
        {
            jobs.extend(self.take_job(lane));
        }
        Some(jobs)
    }

    pub(super) fn take_job(&mut self, lane: usize) -> Option<Arc<Live>> {
        let live = self.jobs[lane].pop()?;
        self.tallies.remove(&live.client, Spot::Here(live.priority));
        Some(live)
    }

    /// Work of this priority is begun, and jobs of lower ones are passed over.
    pub(super) fn pass(&mut self, duty: Duty, lane: usize) {
        if duty == Duty::Any {
            self.passed[lane] = 0;
            for lower in lane + 1..3 {
                let waits = self.jobs[lower].has_next();
                self.passed[lower] = if waits { self.passed[lower] + 1 } else { 0 };
            }
        }
    }
}
