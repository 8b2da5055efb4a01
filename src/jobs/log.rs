//! The log of one job in memory, shared by the run that appends and everybody who watches. Its length is bounded
//! by the steps of one puzzle; once the job has ended its entries are given up and read from the store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use smallvec::SmallVec;

use super::trace::{Cursor, TraceEntry, TraceEvent};
use crate::engine::generate::Progress;

/// Entries handed to a watcher at a time.
const HANDFUL: usize = 64;

/// The log of a job.
#[derive(Debug, Default)]
pub struct Log {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// 0 until the first run begins.
    attempt: u32,
    entries: Vec<TraceEntry>,
    /// The last progress told, and how many were.
    progress: Option<(u64, Progress)>,
    phase: Phase,
    /// Entries of this attempt that the store has.
    stored: usize,
    /// Of those who watch: how to wake whoever waits for news.
    seats: Vec<Option<Waker>>,
    /// Seats that are free.
    free: Vec<u32>,
}

/// A reader's seat before a log, by which it is woken. Thousands may watch one job, so it is small.
#[derive(Debug)]
pub struct Seat {
    log: Arc<Log>,
    number: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Phase {
    /// More may come.
    #[default]
    Open,
    /// Nothing more comes.
    Finished,
    /// The store has it all.
    GivenUp,
    /// The service shuts down before the end.
    Closed,
}

/// What a watcher finds.
#[derive(Debug)]
pub enum Found {
    /// These, in order.
    Entries(Vec<TraceEntry>),
    /// The attempt is another than the watcher's.
    Restarted(u32),
    /// Nothing but progress, and how many have been told with it.
    Progress(u64, Progress),
    /// Nothing yet.
    Nothing,
    /// The cursor is past the end.
    PastEnd,
    /// To be read from the store.
    InStore,
    /// Nothing, and nothing will come: the service shuts down.
    Closed,
}

/// Those who are to be woken: most logs have one reader.
type Wakers = SmallVec<[Waker; 1]>;

impl Log {
    pub fn new() -> Log {
        Log::default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // nothing in here panics half-way
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes it, and wakes whoever waits for news.
    fn tell(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let waiting: Wakers = state.seats.iter_mut().filter_map(Option::take).collect();
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// For a watcher to wait on.
    pub fn watch(self: &Arc<Self>) -> Seat {
        let mut state = self.lock();
        let number = state.free.pop().unwrap_or_else(|| {
            state.seats.push(None);
            state.seats.len() as u32 - 1
        });
        drop(state);
        Seat { log: self.clone(), number }
    }

    pub fn is_watched(&self) -> bool {
        let state = self.lock();
        state.seats.len() > state.free.len()
    }

    /// A run begins.
    pub fn begin(&self, attempt: u32) {
        self.tell(|state| state.begin(attempt));
    }

    /// A run was over at once. Nobody is woken: whoever watches is, for its end.
    pub fn record(&self, attempt: u32, events: impl Iterator<Item = TraceEvent>) {
        let mut state = self.lock();
        state.begin(attempt);
        events.for_each(|event| state.push(event));
    }

    /// The run goes on.
    pub fn push(&self, event: TraceEvent) {
        self.tell(|state| match event {
            TraceEvent::Progress(progress) => {
                let told = state.progress.as_ref().map_or(0, |(told, _)| *told);
                state.progress = Some((told + 1, progress));
            }
            event => state.push(event),
        });
    }

    /// Another node has stored these entries, which follow one another. What is known already is passed over.
    pub fn follow(&self, entries: Vec<TraceEntry>) {
        self.tell(|state| {
            for entry in entries {
                if entry.cursor.attempt > state.attempt {
                    state.clear(entry.cursor.attempt);
                }
                let next = state.entries.len() as u64 + 1;
                if entry.cursor == (Cursor { attempt: state.attempt, sequence: next })
                    && state.phase == Phase::Open
                {
                    state.entries.push(entry);
                }
            }
        });
    }

    /// How many entries there are of this attempt.
    pub fn length_of(&self, attempt: u32) -> u64 {
        let state = self.lock();
        if state.attempt == attempt { state.entries.len() as u64 } else { 0 }
    }

    /// The job has ended; this is its last entry. A job that never ran has no other.
    pub fn finish(&self, attempt: u32, event: TraceEvent) {
        self.tell(|state| {
            if state.attempt != attempt {
                state.clear(attempt);
            }
            state.push(event);
            state.phase = Phase::Finished;
        });
    }

    /// Lets the entries go; watchers read on from the store.
    pub fn give_up(&self) {
        self.tell(|state| {
            state.entries = Vec::new();
            state.phase = Phase::GivenUp;
        });
    }

    /// The service shuts down: watchers that have seen everything are told so.
    pub fn close(&self) {
        self.tell(|state| {
            if state.phase == Phase::Open {
                state.phase = Phase::Closed;
            }
        });
    }

    /// Whether its entries are in the store alone.
    pub fn is_given_up(&self) -> bool {
        self.lock().phase == Phase::GivenUp
    }

    /// How many entries the attempt has.
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// All entries of the attempt.
    pub fn entries(&self) -> Vec<TraceEntry> {
        self.lock().entries.clone()
    }

    /// Those the store has not.
    pub fn unstored(&self) -> Vec<TraceEntry> {
        let state = self.lock();
        state.entries[state.stored..].to_vec()
    }

    /// The store has so many more of this attempt.
    pub fn note_stored(&self, attempt: u32, count: usize) {
        let mut state = self.lock();
        if state.attempt == attempt {
            state.stored = (state.stored + count).min(state.entries.len());
        }
    }

    /// Whether there are entries after a cursor.
    pub fn has_more(&self, after: Cursor) -> bool {
        let state = self.lock();
        let is_here = state.phase != Phase::GivenUp && (after.attempt == 0 || after.attempt == state.attempt);
        is_here && (state.entries.len() as u64) > after.sequence
    }

    /// What there is now after a cursor and a number of progresses told.
    pub fn read(&self, after: Cursor, told: u64) -> Found {
        self.lock().read(after, told)
    }
}

impl State {
    /// Another attempt: nothing has happened in it. Those who watch stay.
    fn clear(&mut self, attempt: u32) {
        let (seats, free) = (std::mem::take(&mut self.seats), std::mem::take(&mut self.free));
        *self = State { attempt, seats, free, ..State::default() };
    }

    fn begin(&mut self, attempt: u32) {
        self.clear(attempt);
        self.push(TraceEvent::Started { attempt });
    }

    fn push(&mut self, event: TraceEvent) {
        let cursor = Cursor { attempt: self.attempt, sequence: self.entries.len() as u64 + 1 };
        self.entries.push(TraceEntry { cursor, event });
    }

    fn read(&self, after: Cursor, told: u64) -> Found {
        if self.phase == Phase::GivenUp {
            return Found::InStore;
        }
        if self.attempt == 0 {
            return if self.phase == Phase::Closed { Found::Closed } else { Found::Nothing };
        }
        if after.attempt > 0 && after.attempt < self.attempt {
            return Found::Restarted(self.attempt);
        }
        let seen = if after.attempt == 0 { 0 } else { after.sequence };
        let seen = usize::try_from(seen).unwrap_or(usize::MAX);
        if after.attempt > self.attempt || seen > self.entries.len() {
            return Found::PastEnd;
        }
        let news = &self.entries[seen..];
        if !news.is_empty() {
            return Found::Entries(news[..news.len().min(HANDFUL)].to_vec());
        }
        match &self.progress {
            Some((number, progress)) if *number > told => Found::Progress(*number, progress.clone()),
            _ if self.phase == Phase::Closed => Found::Closed,
            _ => Found::Nothing,
        }
    }
}

impl Seat {
    /// What is read.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What there is after a cursor and a number of progresses told; waits while that is nothing.
    pub fn poll_read(&self, after: Cursor, told: u64, context: &Context<'_>) -> Poll<Found> {
        let mut state = self.log.lock();
        let found = state.read(after, told);
        if !matches!(found, Found::Nothing) {
            return Poll::Ready(found);
        }
        let seat = &mut state.seats[self.number as usize];
        if seat.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            return Poll::Pending;
        }
        let last = seat.replace(context.waker().clone());
        drop(state);
        // it may be the last of a task, which may watch other logs, or this one
        drop(last);
        Poll::Pending
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.log.lock();
        state.free.push(self.number);
        let waker = state.seats[self.number as usize].take();
        drop(state);
        // as above
        drop(waker);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    use super::*;
    use crate::engine::search::Verdict;

    #[test]
    fn entries_are_numbered_from_one_and_read_from_anywhere() {
        let log = Log::new();
        assert!(matches!(log.read(Cursor::default(), 0), Found::Nothing));
        log.begin(2);
        log.push(TraceEvent::Verdict(Verdict::One));
        let Found::Entries(entries) = log.read(Cursor::default(), 0) else { panic!("there are entries") };
        assert_eq!(entries.iter().map(|entry| entry.cursor.sequence).collect::<Vec<_>>(), [1, 2]);
        let Found::Entries(rest) = log.read(entries[0].cursor, 0) else { panic!("there is one more") };
        assert_eq!(rest, entries[1..]);
        assert!(matches!(log.read(entries[1].cursor, 0), Found::Nothing));
        assert!(matches!(log.read(Cursor { attempt: 2, sequence: 3 }, 0), Found::PastEnd));
        assert!(matches!(log.read(Cursor { attempt: 3, sequence: 0 }, 0), Found::PastEnd));
        assert!(matches!(log.read(Cursor { attempt: 1, sequence: 9 }, 0), Found::Restarted(2)));
    }

    #[test]
    fn progress_is_told_once_and_keeps_no_place() {
        let log = Log::new();
        log.begin(1);
        let at = Cursor { attempt: 1, sequence: 1 };
        for tried in 1..=3 {
            log.push(TraceEvent::Progress(Progress { tried, ..Progress::default() }));
        }
        assert!(matches!(log.read(at, 0), Found::Progress(3, Progress { tried: 3, .. })));
        assert!(matches!(log.read(at, 3), Found::Nothing));
        assert_eq!(log.len(), 1);
    }

    #[test]
    fn those_who_wait_are_woken_once_and_seats_are_used_again() {
        struct Count(AtomicU32);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let log = Arc::new(Log::new());
        let count = Arc::new(Count(AtomicU32::new(0)));
        let waker = Waker::from(count.clone());
        let context = Context::from_waker(&waker);
        let (one, other) = (log.watch(), log.watch());
        assert!(one.poll_read(Cursor::default(), 0, &context).is_pending());
        assert!(one.poll_read(Cursor::default(), 0, &context).is_pending());
        log.record(1, std::iter::empty());
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        log.push(TraceEvent::Verdict(Verdict::One));
        log.push(TraceEvent::Verdict(Verdict::One));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        let Poll::Ready(Found::Entries(entries)) = other.poll_read(Cursor::default(), 0, &context) else {
            panic!("there are entries")
        };
        assert_eq!(entries.len(), 3);
        drop((one, other));
        assert!(!log.is_watched());
        assert_eq!((log.watch().number, log.lock().seats.len()), (1, 2));
    }

    #[test]
    fn what_is_given_up_is_in_the_store() {
        let log = Log::new();
        log.begin(1);
        log.give_up();
        assert!(matches!(log.read(Cursor::default(), 0), Found::InStore));
    }
}
