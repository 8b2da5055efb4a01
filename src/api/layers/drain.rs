//! The way out: first no new calls, then an end to those in flight.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Two flags, and who is told of the second. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    closing: CancellationToken,
    ending: CancellationToken,
    calls: Arc<Mutex<Calls>>,
}

/// A call that can be ended.
pub trait End: Send + Sync {
    /// Ends it because the daemon stops.
    fn end(&self);
}

/// Calls that are ended with the rest. Thousands may wait, so each takes but a place in a list.
#[derive(Default)]
struct Calls {
    seats: Vec<Option<Arc<dyn End>>>,
    free: Vec<u32>,
    has_ended: bool,
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} calls", self.seats.len() - self.free.len())
    }
}

/// A call's place among those that are ended with the rest; given back when it is dropped.
pub struct Seat {
    calls: Arc<Mutex<Calls>>,
    number: u32,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut calls = lock(&self.calls);
        let gone = calls.seats.get_mut(self.number as usize).and_then(Option::take);
        calls.free.push(self.number);
        drop(calls);
        drop(gone);
    }
}

fn lock(calls: &Mutex<Calls>) -> MutexGuard<'_, Calls> {
    // nothing in here panics half-way
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drain {
    /// Neither is raised.
    pub fn new() -> Drain {
        Drain::default()
    }

    /// New calls are refused from now on.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Whether new calls are refused.
    pub fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Calls in flight end from now on, and new ones are refused.
    pub fn end(&self) {
        self.closing.cancel();
        self.ending.cancel();
        let mut calls = lock(&self.calls);
        calls.has_ended = true;
        let all: Vec<Arc<dyn End>> = calls.seats.iter().flatten().cloned().collect();
        drop(calls);
        all.iter().for_each(|call| call.end());
    }

    /// Waits for [`end`](Self::end).
    pub async fn ended(self) {
        self.ending.cancelled_owned().await;
    }

    /// Ends this call with the rest: at once, if that has come.
    pub fn seat(&self, call: Arc<dyn End>) -> Seat {
        let mut calls = lock(&self.calls);
        let has_ended = calls.has_ended;
        let number = calls.free.pop().unwrap_or(calls.seats.len() as u32);
        match calls.seats.get_mut(number as usize) {
            Some(seat) => *seat = Some(call.clone()),
            None => calls.seats.push(Some(call.clone())),
        }
        drop(calls);
        if has_ended {
            call.end();
        }
        Seat { calls: self.calls.clone(), number }
    }
}
