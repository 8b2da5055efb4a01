//! How much work an engine may do, and the flag that stops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why an engine stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// Somebody raised the flag.
    Cancelled,
    /// The units of work are used up.
    Exhausted,
}

/// A flag shared with whoever may want an engine to stop. Cheap to clone; all clones are one flag.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// A flag that is not raised.
    pub fn new() -> CancelFlag {
        CancelFlag::default()
    }

    /// Raises it, for good.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Units of work and a cancel flag. A unit is about what it takes to look at one house, cage or premise once:
/// well under a microsecond. Engines call [`spend`](Self::spend) at least every hundred units or so, which is
/// what keeps the answer to a raised flag within milliseconds.
#[derive(Clone, Debug)]
pub struct Budget {
    flag: CancelFlag,
    limit: u64,
    spent: u64,
}

impl Budget {
    /// So many units, under this flag.
    pub fn new(limit: u64, flag: CancelFlag) -> Budget {
        Budget { flag, limit, spent: 0 }
    }

    /// No bound and a flag that nobody holds: for tests and small work.
    pub fn unlimited() -> Budget {
        Budget::new(u64::MAX, CancelFlag::new())
    }

    /// Takes units; an error once they are used up or the flag is raised.
    #[inline]
    pub fn spend(&mut self, units: u64) -> Result<(), Stopped> {
        self.spent = self.spent.saturating_add(units);
        if self.flag.is_raised() {
            Err(Stopped::Cancelled)
        } else if self.spent > self.limit {
            Err(Stopped::Exhausted)
        } else {
            Ok(())
        }
    }

    /// Units taken so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Units that may still be taken.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// Does a part that may take so many of these units at most.
    #[inline(always)]
    pub fn within<T>(&mut self, units: u64, part: impl FnOnce(&mut Budget) -> T) -> T {
        let limit = self.narrow(units);
        let result = part(self);
        self.widen(limit);
        result
    }

    /// Begins a part that may take so many of these units at most; gives what is to be handed to
    /// [`widen`](Self::widen) after it.
    pub fn narrow(&mut self, units: u64) -> u64 {
        let limit = self.limit;
        self.limit = limit.min(self.spent.saturating_add(units));
        limit
    }

    /// A part is over.
    pub fn widen(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// A budget of its own under the same flag, of this many units or what is left here, whichever is less:
    /// for a part that must not use up what others need. To be handed back to [`settle`](Self::settle).
    pub fn share(&self, units: u64) -> Budget {
        Budget::new(units.min(self.left()), self.flag.clone())
    }

    /// Takes what a share has spent. Going over the limit shows at the next [`spend`](Self::spend).
    pub fn settle(&mut self, share: Budget) {
        self.spent = self.spent.saturating_add(share.spent);
    }

    /// The flag.
    pub fn flag(&self) -> &CancelFlag {
        &self.flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stays_within_its_units() {
        let mut budget = Budget::new(100, CancelFlag::new());
        assert_eq!(budget.within(30, |part| (part.left(), part.spend(31))), (30, Err(Stopped::Exhausted)));
        assert_eq!((budget.spent(), budget.left()), (31, 69));
        assert_eq!(budget.within(u64::MAX, |part| part.spend(69)), Ok(()));
        assert_eq!(budget.within(u64::MAX, |part| part.spend(1)), Err(Stopped::Exhausted));
    }

    #[test]
    fn a_share_leaves_the_rest() {
        let mut budget = Budget::new(100, CancelFlag::new());
        assert_eq!(budget.spend(20), Ok(()));
        let mut share = budget.share(40);
        assert_eq!(share.spend(41), Err(Stopped::Exhausted));
        budget.settle(share);
        assert_eq!((budget.spent(), budget.left()), (61, 39));
        assert_eq!(budget.share(u64::MAX).left(), 39);
        assert_eq!(budget.spend(39), Ok(()));
        budget.flag().raise();
        assert_eq!(budget.share(10).spend(1), Err(Stopped::Cancelled));
    }
}
