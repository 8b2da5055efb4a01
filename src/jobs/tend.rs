//! The tasks in the background: fetching jobs from the store, storing the ends of runs, looking after those that
//! run.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, mpsc};

use super::codec;
use super::core::{Core, OVERDUE};
use super::job::Priority;
use super::live::{Live, Stop};
use super::worker::Ended;
use crate::store::{JobRow, StoreError, Wait, Waiting, Want};

/// A running job is looked after so often; its trace is stored in chunks at most that often.
const TICK: Duration = Duration::from_millis(50);

/// How often deadlines of jobs in the store are looked at.
const PATROL: Duration = Duration::from_millis(250);

/// A suspect runs alone among suspects for so long; one that has not killed the process by then is let be.
const QUARANTINE: Duration = Duration::from_secs(5);

/// Ends that may be under way to the store.
pub const ENDS: usize = 1_024;

/// Fetches jobs that wait in the store whenever there is room for them here, until a shutdown.
pub async fn fetch(core: Arc<Core>) {
    let mut pause = TICK;
    loop {
        let wait = match fetch_once(&core).await {
            Ok(wait) => {
                pause = TICK;
                wait
            }
            Err(error) => {
                tracing::error!(%error, "waiting jobs could not be claimed");
                pause = (pause * 2).min(Duration::from_secs(5));
                Some(pause)
            }
        };
        tokio::select! {
            () = core.queue.hungry.notified() => {}
            () = sleep(wait) => {}
            () = core.closing.cancelled() => return,
        }
    }
}

async fn sleep(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

/// Fetches what there is room for; how long to wait unless woken.
async fn fetch_once(core: &Arc<Core>) -> Result<Option<Duration>, StoreError> {
    let (wants, has_suspects) = core.queue.appetite();
    let arrivals = core.queue.arrivals();
    for (priority, want) in Priority::ALL.into_iter().zip(wants) {
        if want > 0 {
            let rows = core.store.claim(Want::Ready(priority, want)).await?;
            let is_all = rows.len() < want as usize;
            for row in rows {
                let waiting = waited(&row, Wait::Claim);
                core.adopt(row, false);
                // those that were held back for it come behind it
                core.queue.note_gone(&waiting, true);
            }
            if is_all {
                core.queue.note_exhausted(priority, arrivals);
            }
        }
    }
    if !has_suspects {
        return Ok(None);
    }
    if let Some(left) = quarantine(core) {
        return Ok(Some(left));
    }
    for row in core.store.claim(Want::Suspect).await? {
        core.queue.note_gone(&waited(&row, Wait::Trial), true);
        core.adopt(row, true);
    }
    Ok(Some(QUARANTINE))
}

fn waited(row: &JobRow, wait: Wait) -> Waiting {
    Waiting { id: row.id, client: row.client.clone(), priority: row.priority, wait }
}

/// How long a suspect must still be alone, if one is.
fn quarantine(core: &Core) -> Option<Duration> {
    let left = |live: &Arc<Live>| match live.started.get() {
        None => QUARANTINE,
        Some((_, started)) => QUARANTINE.saturating_sub(started.elapsed()),
    };
    core.lives().iter().filter(|live| live.suspect).map(left).max().filter(|left| !left.is_zero())
}

/// Stores the ends of runs, many at a time, until the last thread has gone.
pub async fn store_ends(core: Arc<Core>, rooms: Arc<Semaphore>, mut ended: mpsc::Receiver<Ended>) {
    while let Some((live, ending, room)) = ended.recv().await {
        let room = match room {
            Some(room) => room,
            None => match rooms.clone().acquire_owned().await {
                Ok(room) => room,
                // it is never closed
                Err(_) => return,
            },
        };
        core.end(live, ending, Some(room));
    }
}

/// Looks after claimed and waiting jobs, until there is nobody left: deadlines, chunks of traces.
pub async fn look_after(core: Arc<Core>) {
    let mut patrolled = Instant::now();
    loop {
        let deadline = core.stop_overdue();
        for live in core.lives() {
            store_news(&core, live);
        }
        let may_be_overdue = core.queue.has_stored() && core.has_deadlines.load(Ordering::Relaxed);
        if may_be_overdue && patrolled.elapsed() >= PATROL {
            patrolled = Instant::now();
            if let Err(error) = patrol(&core).await {
                tracing::error!(%error, "deadlines of waiting jobs could not be looked at");
            }
        }
        let tick = (core.live_count() > 0).then_some(TICK);
        let patrol = may_be_overdue.then_some(PATROL);
        let deadline = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wait = [tick, patrol, deadline].into_iter().flatten().min();
        tokio::select! {
            () = core.attention.notified() => {}
            () = sleep(wait) => {}
            () = core.closing.cancelled(), if core.live_count() == 0 => return,
        }
    }
}

/// Stores what a run has appended to its trace since it was last looked at, if it is no short run. One that is over is
/// stored with all of its trace.
fn store_news(core: &Arc<Core>, live: Arc<Live>) {
    let Some(lease) = live.lease().filter(|_| !live.is_sealed()) else { return };
    if live.started.get().is_none_or(|(_, started)| started.elapsed() < TICK) {
        return;
    }
    let Some(turn) = live.take_turn() else { return };
    let entries = live.log.unstored();
    let puzzle = live.spec.puzzle().map(Arc::as_ref);
    let Some(chunk) = codec::write_entries(&entries, puzzle, false) else { return };
    let core = core.clone();
    core.clone().tasks.spawn(async move {
        match core.store.append(lease, chunk).await {
            Ok(true) => live.log.note_stored(lease.attempt, entries.len()),
            Ok(false) if !live.is_sealed() => live.stop(Stop::Lost),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(job.id = %lease.job, %error, "some of the trace of {} waits for another try", lease.job);
            }
        }
        drop(turn);
    });
}

/// Ends jobs in the store whose deadline has passed.
async fn patrol(core: &Arc<Core>) -> Result<(), StoreError> {
    let now = core.store.clock();
    match core.store.next_deadline().await? {
        None => core.has_deadlines.store(false, Ordering::Relaxed),
        Some(deadline) if deadline <= now => {
            for waiting in core.store.cancel_overdue(now, OVERDUE.to_owned()).await? {
                core.queue.note_gone(&waiting, false);
                core.tell_stored_end(waiting.id).await;
            }
        }
        Some(_) => {}
    }
    Ok(())
}
