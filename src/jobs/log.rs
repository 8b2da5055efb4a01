//! The log of one job in memory, shared by the run that appends and everybody who watches. Its length is bounded
//! by the steps of one puzzle; once the job has ended its entries are given up and read from the store.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::trace::{Cursor, TraceEntry, TraceEvent};
use crate::engine::generate::Progress;

/// Entries handed to a watcher at a time.
const HANDFUL: usize = 64;

/// The log of a job.
#[derive(Debug)]
pub struct Log {
    state: Mutex<State>,
    /// Wakes watchers. It says only that there may be news.
    news: watch::Sender<()>,
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

impl Log {
    pub fn new() -> Log {
        Log { state: Mutex::default(), news: watch::Sender::new(()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // nothing in here panics half-way
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a watcher to wait on.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    pub fn is_watched(&self) -> bool {
        self.news.receiver_count() > 0
    }

    /// A run begins.
    pub fn begin(&self, attempt: u32) {
        let mut state = self.lock();
        *state = State { attempt, ..State::default() };
        state.push(TraceEvent::Started { attempt });
        drop(state);
        self.news.send_replace(());
    }

    /// The run goes on.
    pub fn push(&self, event: TraceEvent) {
        let mut state = self.lock();
        match event {
            TraceEvent::Progress(progress) => {
                let told = state.progress.as_ref().map_or(0, |(told, _)| *told);
                state.progress = Some((told + 1, progress));
            }
            event => state.push(event),
        }
        drop(state);
        self.news.send_replace(());
    }

    /// Another node has stored these entries, which follow one another. What is known already is passed over.
    pub fn follow(&self, entries: Vec<TraceEntry>) {
        let mut state = self.lock();
        for entry in entries {
            if entry.cursor.attempt > state.attempt {
                *state = State { attempt: entry.cursor.attempt, ..State::default() };
            }
            let next = state.entries.len() as u64 + 1;
            if entry.cursor == (Cursor { attempt: state.attempt, sequence: next })
                && state.phase == Phase::Open
            {
                state.entries.push(entry);
            }
        }
        drop(state);
        self.news.send_replace(());
    }

    /// How many entries there are of this attempt.
    pub fn length_of(&self, attempt: u32) -> u64 {
        let state = self.lock();
        if state.attempt == attempt { state.entries.len() as u64 } else { 0 }
    }

    /// The job has ended; this is its last entry. A job that never ran has no other.
    pub fn finish(&self, attempt: u32, event: TraceEvent) {
        let mut state = self.lock();
        if state.attempt != attempt {
            *state = State { attempt, ..State::default() };
        }
        state.push(event);
        state.phase = Phase::Finished;
        drop(state);
        self.news.send_replace(());
    }

    /// Lets the entries go; watchers read on from the store.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.entries = Vec::new();
        state.phase = Phase::GivenUp;
        drop(state);
        self.news.send_replace(());
    }

    /// The service shuts down: watchers that have seen everything are told so.
    pub fn close(&self) {
        let mut state = self.lock();
        if state.phase == Phase::Open {
            state.phase = Phase::Closed;
        }
        drop(state);
        self.news.send_replace(());
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

    /// What there is after a cursor and a number of progresses told.
    pub fn read(&self, after: Cursor, told: u64) -> Found {
        let state = self.lock();
        if state.phase == Phase::GivenUp {
            return Found::InStore;
        }
        if state.attempt == 0 {
            return if state.phase == Phase::Closed { Found::Closed } else { Found::Nothing };
        }
        if after.attempt > 0 && after.attempt < state.attempt {
            return Found::Restarted(state.attempt);
        }
        let seen = if after.attempt == 0 { 0 } else { after.sequence };
        let seen = usize::try_from(seen).unwrap_or(usize::MAX);
        if after.attempt > state.attempt || seen > state.entries.len() {
            return Found::PastEnd;
        }
        let news = &state.entries[seen..];
        if !news.is_empty() {
            return Found::Entries(news[..news.len().min(HANDFUL)].to_vec());
        }
        match &state.progress {
            Some((number, progress)) if *number > told => Found::Progress(*number, progress.clone()),
            _ if state.phase == Phase::Closed => Found::Closed,
            _ => Found::Nothing,
        }
    }
}

impl State {
    fn push(&mut self, event: TraceEvent) {
        let cursor = Cursor { attempt: self.attempt, sequence: self.entries.len() as u64 + 1 };
        self.entries.push(TraceEntry { cursor, event });
    }
}

#[cfg(test)]
mod tests {
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
    fn what_is_given_up_is_in_the_store() {
        let log = Log::new();
        log.begin(1);
        log.give_up();
        assert!(matches!(log.read(Cursor::default(), 0), Found::InStore));
    }
}
