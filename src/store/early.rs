//! The end of a job that ends before it is stored.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::row::Finish;

/// The way by which the end of a job reaches the commit that stores the job: what was handed in when that commit is
/// put together is stored with it, and the job needs no second one. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct EarlyEnd(Arc<Mutex<Slot>>);

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Empty,
    Full(Arc<Finish>),
    /// The commit was put together.
    Gone,
}

impl EarlyEnd {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        // nothing in here panics half-way
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands in the end. False if it came too late.
    pub fn hand_in(&self, finish: Arc<Finish>) -> bool {
        let mut slot = self.lock();
        if matches!(*slot, Slot::Gone) {
            return false;
        }
        *slot = Slot::Full(finish);
        true
    }

    /// What was handed in; nothing more is taken.
    pub(super) fn take(&self) -> Option<Arc<Finish>> {
        match std::mem::replace(&mut *self.lock(), Slot::Gone) {
            Slot::Full(finish) => Some(finish),
            Slot::Empty | Slot::Gone => None,
        }
    }

    /// Bytes of the texts that were handed in.
    pub(super) fn bytes(&self) -> usize {
        match &*self.lock() {
            Slot::Full(finish) => finish.bytes(),
            Slot::Empty | Slot::Gone => 0,
        }
    }
}
