//! Jobs that wait for their time are queued when it comes, by the clock of the store.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::core::Core;
use crate::store::{Reply, StoreError, Waiting};

/// Jobs that are queued in one commit.
const HANDFUL: u32 = 256;

/// The clock is looked at so often at least while a job waits for it: it may be set.
const GLANCE: Duration = Duration::from_secs(5);

/// Queues jobs when they are due, until a shutdown.
pub async fn promote(core: Arc<Core>) {
    loop {
        let wait = match promote_due(&core).await {
            Ok(wait) => wait,
            Err(error) => {
                tracing::error!(%error, "jobs whose time may have come could not be queued");
                Some(GLANCE)
            }
        };
        tokio::select! {
            () = core.scheduled.notified() => {}
            () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {}
            () = core.closing.cancelled() => return,
        }
    }
}

/// Queues those that are due; how long to wait unless woken.
async fn promote_due(core: &Core) -> Result<Option<Duration>, StoreError> {
    loop {
        let Some(due) = core.store.next_due().await? else { return Ok(None) };
        if let Ok(left) = due.duration_since(core.store.clock())
            && !left.is_zero()
        {
            return Ok(Some(left.min(GLANCE)));
        }
        let (sender, promoted) = oneshot::channel();
        let queue = core.queue.clone();
        // counted before anybody hears what became of them next
        core.store.promote_then(
            HANDFUL,
            Reply::new(move |jobs: Result<Vec<Waiting>, StoreError>| {
                if let Ok(jobs) = &jobs {
                    queue.note_promoted(jobs);
                }
                // whoever asked may have gone
                let _ = sender.send(jobs.map(|jobs| jobs.len()));
            }),
        );
        if promoted.await.map_err(|_| StoreError::Closed)?? == 0 {
            // another process is at it, or the clocks differ by less than it can tell
            return Ok(Some(Duration::from_millis(5)));
        }
    }
}
