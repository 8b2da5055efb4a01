//! The logs of finished jobs. Those who watch one hold it, for they may be slow, and it is gone with the last of them.
//! So that many slow readers of many jobs do not fill the memory, the oldest logs are given up when all that are held
//! are long together: their readers go on from the store, which has the steps unless the trace is not kept.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::log::Log;

/// Entries of the logs that stay when the oldest are given up.
const KEPT: usize = 50_000;

/// Entries of all logs that were noted and not found gone, at most. As many again as stay, so that it seldom has to be
/// looked which are gone.
const MOST: usize = 2 * KEPT;

/// Logs that were watched when their jobs finished, the oldest first.
#[derive(Debug, Default)]
pub struct Recent {
    /// Each with its length.
    logs: VecDeque<(Weak<Log>, usize)>,
    entries: usize,
}

impl Recent {
    /// The job of a watched log has finished.
    pub fn note(&mut self, log: &Arc<Log>) {
        let len = log.len();
        self.logs.push_back((Arc::downgrade(log), len));
        self.entries += len;
        while self.logs.front().is_some_and(|(log, _)| log.strong_count() == 0) {
            self.pop();
        }
        if self.entries <= MOST {
            return;
        }
        // one that is held may stand before many that are gone
        self.logs.retain(|(log, _)| log.strong_count() > 0);
        self.entries = self.logs.iter().map(|(_, len)| len).sum();
        while self.entries > KEPT {
            let Some(oldest) = self.pop() else { break };
            if let Some(oldest) = oldest.upgrade() {
                oldest.give_up();
            }
        }
    }

    fn pop(&mut self) -> Option<Weak<Log>> {
        let (log, len) = self.logs.pop_front()?;
        self.entries -= len;
        Some(log)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::TraceEvent;
    use super::*;

    fn log() -> Arc<Log> {
        let log = Arc::new(Log::new());
        log.record(1, (1..100).map(|attempt| TraceEvent::Started { attempt }));
        assert_eq!(log.len(), 100);
        log
    }

    /// One slow reader loses nothing, however many others come and go.
    #[test]
    fn what_is_gone_does_not_count() {
        let mut recent = Recent::default();
        let slow = log();
        recent.note(&slow);
        for _ in 0..3 * MOST / 100 {
            recent.note(&log());
            assert!(recent.entries <= MOST && recent.logs.len() <= MOST / 100);
        }
        assert!(!slow.is_given_up());
        drop(slow);
        recent.note(&log());
        assert_eq!(
            (recent.logs.len(), recent.entries),
            (1, 100),
            "that which is noted last is not looked at again"
        );
    }

    /// However many are slow, the memory is bounded, and the latest are kept.
    #[test]
    fn the_oldest_are_given_up() {
        let mut recent = Recent::default();
        let held: Vec<Arc<Log>> = (0..3 * MOST / 100).map(|_| log()).collect();
        held.iter().for_each(|log| recent.note(log));
        let kept = held.iter().filter(|log| !log.is_given_up()).count();
        assert!((KEPT / 100..=MOST / 100).contains(&kept), "{kept} logs of 100 entries");
        assert!(held.iter().rev().take(kept).all(|log| !log.is_given_up()));
    }
}
