//! Following what runs on other nodes: the logs of jobs that are watched here and are not claimed here are filled from
//! the store, one reader for all who watch a job.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::codec;
use super::core::Core;
use super::job::JobId;
use super::log::Log;
use crate::puzzle::Puzzle;
use crate::store::{Lease, StoreError};

/// How often a watched job is looked at if nobody tells that it has changed.
const POLL: Duration = Duration::from_secs(1);

/// The puzzles of jobs that are followed, by which their traces are read.
type Puzzles = BTreeMap<JobId, Option<Arc<Puzzle>>>;

/// Follows jobs until a shutdown.
pub async fn follow(core: Arc<Core>) {
    let mut puzzles = Puzzles::new();
    loop {
        let news = tokio::select! {
            news = core.followed.next() => Some(news),
            () = tokio::time::sleep(POLL) => None,
            () = core.closing.cancelled() => return,
        };
        let mut logs = core.watched_elsewhere();
        puzzles.retain(|id, _| logs.contains_key(id));
        if let Some(news) = news.filter(|news| !news.everything) {
            logs.retain(|id, _| news.changes.contains(id));
        }
        if logs.is_empty() {
            continue;
        }
        if let Err(error) = look(&core, &logs, &mut puzzles).await {
            tracing::warn!(%error, "watched jobs of other nodes could not be looked at");
        }
    }
}

async fn look(
    core: &Core,
    logs: &BTreeMap<JobId, Arc<Log>>,
    puzzles: &mut Puzzles,
) -> Result<(), StoreError> {
    let stages = core.store.stages(logs.keys().copied().collect()).await?;
    let there: BTreeSet<JobId> = stages.iter().map(|(lease, _)| lease.job).collect();
    for id in logs.keys().filter(|id| !there.contains(id)) {
        // whoever watches it is told that it is gone
        core.tell_stored_end(*id).await;
    }
    for (lease, state) in stages {
        if state.is_final() {
            core.tell_stored_end(lease.job).await;
        } else if let Some(log) = logs.get(&lease.job).filter(|_| lease.attempt > 0)
            && let Err(error) = read_on(core, lease, log, puzzles).await
        {
            tracing::warn!(job.id = %lease.job, %error, "{} cannot be followed", lease.job);
        }
    }
    Ok(())
}

/// Reads what its owner has stored since.
async fn read_on(core: &Core, lease: Lease, log: &Log, puzzles: &mut Puzzles) -> Result<(), StoreError> {
    let chunks = core.store.chunks(lease, log.length_of(lease.attempt)).await?;
    if chunks.is_empty() {
        return Ok(());
    }
    let id = lease.job;
    let unreadable = |reason: String| StoreError::Unreadable { what: format!("the trace of {id}"), reason };
    let puzzle = match puzzles.entry(id) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => {
            let Some(row) = core.store.job(id).await? else { return Ok(()) };
            let spec = codec::read_spec(&row.spec).map_err(|error| unreadable(error.to_string()))?;
            entry.insert(spec.puzzle().cloned())
        }
    };
    for chunk in &chunks {
        let entries =
            codec::read_entries(chunk, puzzle.as_ref()).map_err(|error| unreadable(error.to_string()))?;
        log.follow(entries);
    }
    Ok(())
}
