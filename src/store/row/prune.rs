//! What need not be kept.

use std::time::SystemTime;

use super::JobId;

/// Which finished jobs, or which of their traces, need not be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prune {
    /// What is to go.
    pub what: PruneWhat,
    /// That of jobs which ended before.
    pub before: SystemTime,
    /// That of jobs up to here, however late they ended.
    pub upto: JobId,
    /// Jobs up to here have been looked at.
    pub after: JobId,
    /// How many jobs are looked at, at most: it bounds how long others wait.
    pub limit: u32,
}

impl Prune {
    /// Of jobs with their times of creation and end, in order, those that are to go, and where to look next.
    pub(in crate::store) fn choose(
        &self,
        window: &[(i64, i64, Option<i64>)],
        before: i64,
    ) -> (Vec<i64>, Option<JobId>) {
        let is_old = |&&(id, _, end): &&(i64, i64, Option<i64>)| {
            end.is_some_and(|end| end < before || id <= self.upto.0)
        };
        let chosen = window.iter().filter(is_old).map(|(id, _, _)| *id).collect();
        // what was stored later ended later
        let next = window.last().filter(|(id, created, _)| {
            window.len() == self.limit as usize && (*created < before || *id < self.upto.0)
        });
        (chosen, next.map(|(id, _, _)| JobId(*id)))
    }
}

/// What is to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PruneWhat {
    /// Jobs with all that belongs to them. What the archive has learnt stays.
    Jobs,
    /// Their traces alone.
    Traces,
}

/// What a pruning did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pruned {
    /// How many jobs or traces have gone.
    pub count: u64,
    /// Where to go on; none if there is nothing more to look at.
    pub next: Option<JobId>,
}
