//! Forgetting: finished jobs and their traces go when they are old, or when there are too many. A few at a time, so
//! that nobody waits for it; what the archive has learnt stays.

use std::sync::Arc;
use std::time::Duration;

use super::core::Core;
use super::job::JobId;
use crate::store::{JobFilter, Page, Prune, PruneWhat, StoreError};

/// How long finished jobs and their traces are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// Jobs with their outcome, and what a repeated request id is compared with.
    pub jobs: Duration,
    /// Traces.
    pub traces: Duration,
    /// So many of the latest jobs at most.
    pub most: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        const DAY: Duration = Duration::from_secs(86_400);
        Retention { jobs: 30 * DAY, traces: 7 * DAY, most: 10_000_000 }
    }
}

/// How often it is looked for what is to go.
const ROUND: Duration = Duration::from_secs(60);

/// Jobs that are looked at in one commit.
const HANDFUL: u32 = 200;

/// The pause between two of them: others write meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// Forgets until a shutdown.
pub async fn prune(core: Arc<Core>) {
    // traces up to here have gone already, but for jobs that had not ended: those wait for the next start
    let mut traces_done = JobId(0);
    loop {
        tokio::select! {
            () = forget(&core, &mut traces_done) => {}
            () = core.closing.cancelled() => return,
        }
        tokio::select! {
            () = tokio::time::sleep(ROUND) => {}
            () = core.closing.cancelled() => return,
        }
    }
}

async fn forget(core: &Core, traces_done: &mut JobId) {
    let mut jobs_done = JobId(0);
    for (what, done) in [(PruneWhat::Jobs, &mut jobs_done), (PruneWhat::Traces, traces_done)] {
        match forget_all(core, what, done).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(?what, count, "forgot {count} old {}", word(what)),
            Err(error) => tracing::warn!(%error, "old {} could not be forgotten", word(what)),
        }
    }
}

fn word(what: PruneWhat) -> &'static str {
    match what {
        PruneWhat::Jobs => "jobs",
        PruneWhat::Traces => "traces",
    }
}

/// Forgets what is old after a job, which moves on.
async fn forget_all(core: &Core, what: PruneWhat, done: &mut JobId) -> Result<u64, StoreError> {
    let keep = core.settings.retention;
    let (age, upto) = match what {
        PruneWhat::Jobs => (keep.jobs, JobId(last_job(core).await?.0.saturating_sub_unsigned(keep.most))),
        PruneWhat::Traces => (keep.traces, JobId(0)),
    };
    let before = core.store.clock().checked_sub(age).unwrap_or(std::time::UNIX_EPOCH);
    let mut count = 0;
    loop {
        let pruned = core.store.prune(Prune { what, before, upto, after: *done, limit: HANDFUL }).await?;
        count += pruned.count;
        let Some(next) = pruned.next else { return Ok(count) };
        *done = next;
        tokio::time::sleep(PAUSE).await;
    }
}

/// The number of the latest job.
async fn last_job(core: &Core) -> Result<JobId, StoreError> {
    let page = core.store.jobs(JobFilter::default(), Page { size: 1, token: None }).await?;
    Ok(page.items.first().map_or(JobId(0), |row| row.id))
}
