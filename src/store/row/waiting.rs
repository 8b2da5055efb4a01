//! Jobs that wait in the store: which to claim, what each waits for, and how many there are.

use std::collections::BTreeMap;

use super::{ClientId, JobId, JobState, Priority};

/// Which waiting jobs to claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// Up to so many of this priority, by their turns.
    Ready(Priority, u32),
    /// The oldest of those whose last claim died, and it counts as started at once.
    Suspect,
}

/// A job that has just stopped waiting for what it waited for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The job.
    pub id: JobId,
    /// Whose it is.
    pub client: ClientId,
    /// Its priority.
    pub priority: Priority,
    /// What it waited for.
    pub wait: Wait,
}

/// What a job in the store waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// Its time.
    Time,
    /// A claim.
    Claim,
    /// A claim for itself alone, since the last one died.
    Trial,
}

/// How many jobs wait in the store.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// By client; those that have none are left out.
    pub clients: BTreeMap<ClientId, ClientBacklog>,
    /// Those whose last claim died, whoever's they are.
    pub suspects: u64,
}

/// How many jobs of one client wait in the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClientBacklog {
    /// For a claim, by priority.
    pub ready: [u64; 3],
    /// For their time.
    pub scheduled: u64,
}

impl Backlog {
    /// For a claim, by priority.
    pub fn ready(&self) -> [u64; 3] {
        Priority::ALL
            .map(|priority| self.clients.values().map(|waiting| waiting.ready[priority.index()]).sum())
    }

    /// From counts of a client's jobs, each under the word of what they wait for: a priority, `scheduled` or `suspect`.
    /// None if a word is not known.
    pub(in crate::store) fn read(rows: impl IntoIterator<Item = (String, String, i64)>) -> Option<Backlog> {
        let mut backlog = Backlog::default();
        for (client, word, count) in rows.into_iter().filter(|(_, _, count)| *count > 0) {
            let count = count as u64;
            if word == "suspect" {
                backlog.suspects += count;
                continue;
            }
            let waiting = backlog.clients.entry(ClientId(client.into())).or_default();
            match Priority::from_word(&word) {
                Some(priority) => waiting.ready[priority.index()] += count,
                None if word == JobState::Scheduled.word() => waiting.scheduled += count,
                None => return None,
            }
        }
        Some(backlog)
    }
}
