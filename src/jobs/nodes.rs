//! What a process does because others share its store: it says that it lives, takes back what the dead left, hears
//! what others did, and leaves them the work that it would only keep waiting.
//!
//! All of it works by looking; what others tell only makes it look sooner.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::core::Core;
use super::live::{Live, Stop};
use super::runner::Ending;
use crate::store::{News, Standing, StoreError};

/// How often a process says that it lives, at the least, and asks what has become of its claims.
const BEAT: Duration = Duration::from_millis(500);

/// How often it looks at what waits in the store, if nobody tells.
const POLL: Duration = Duration::from_secs(1);

/// Looking takes at most this part of the time, however long the queue is.
const LOOKING: u32 = 50;

/// How often it looks for the dead.
const ROUND: Duration = Duration::from_secs(2);

/// Jobs are kept waiting here for about so long; what would wait longer is left to others.
const HORIZON: Duration = Duration::from_millis(200);

/// Work that others tell of is left to them for so long: a little longer than the store leaves it to them.
const COURTESY: Duration = Duration::from_millis(120);

/// Starts all of it.
pub fn start(core: &Arc<Core>) {
    core.tasks.spawn(renew(core.clone()));
    core.tasks.spawn(hear(core.clone()));
    core.tasks.spawn(look(core.clone()));
    core.tasks.spawn(bury(core.clone()));
}

/// Renews the leases, until nothing is claimed here after a shutdown.
async fn renew(core: Arc<Core>) {
    let mut changes = core.changes.subscribe();
    loop {
        if let Err(error) = renew_once(&core).await {
            tracing::warn!(%error, "this process could not say that it lives");
        }
        core.spread();
        loop {
            let is_closing = core.closing.is_cancelled();
            if is_closing && core.live_count() == 0 {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(BEAT) => break,
                () = core.asked.notified() => break,
                _ = changes.changed(), if is_closing => {}
                () = core.closing.cancelled(), if !is_closing => {}
            }
        }
    }
}

async fn renew_once(core: &Arc<Core>) -> Result<(), StoreError> {
    let leases = core.lives().iter().filter_map(|live| live.lease()).collect();
    for (lease, standing) in core.store.renew(leases).await? {
        let Some(live) = core.find(lease.job).filter(|live| live.attempt == lease.attempt) else { continue };
        match standing {
            Standing::Lost => core.stop_here(&live, Stop::Lost),
            Standing::Cancel(reason) => core.stop_here(&live, Stop::Cancel(reason)),
        }
    }
    Ok(())
}

/// Hears what others did.
async fn hear(core: Arc<Core>) {
    let mut work = None;
    loop {
        let news = tokio::select! {
            news = core.store.bulletin().next() => news,
            () = sleep_until(work) => {
                work = None;
                core.queue.note_waiting();
                continue;
            }
            () = core.closing.cancelled() => return,
        };
        if news.everything {
            core.queue.note_waiting();
        }
        if news.work {
            work.get_or_insert_with(|| Instant::now() + COURTESY);
        }
        if news.everything || news.cancels.iter().any(|id| core.find(*id).is_some()) {
            core.asked.notify_one();
        }
        if news.everything || !news.changes.is_empty() {
            // whoever waits for something to happen to a job looks again
            core.changes.send_modify(|count| *count += 1);
            core.followed.post(News { work: false, cancels: Default::default(), ..news });
        }
    }
}

async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}

/// Looks at what waits in the store.
async fn look(core: Arc<Core>) {
    let mut pause = POLL;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = core.closing.cancelled() => return,
        }
        let began = Instant::now();
        let arrivals = core.queue.arrivals();
        match core.store.backlog().await {
            Ok(backlog) => core.queue.set_backlog(&backlog, arrivals),
            Err(error) => tracing::warn!(%error, "it is not known how many jobs wait"),
        }
        // others may have stored some
        core.has_deadlines.store(true, Ordering::Relaxed);
        core.attention.notify_one();
        core.scheduled.notify_one();
        pause = vary(POLL.max(began.elapsed() * LOOKING));
    }
}

/// Takes back what the dead left.
async fn bury(core: Arc<Core>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(vary(ROUND)) => {}
            () = core.closing.cancelled() => return,
        }
        let arrivals = core.queue.arrivals();
        let counted = match core.store.recover(core.settings.max_deaths).await {
            Ok(0) => continue,
            Ok(_) => core.store.backlog().await,
            Err(error) => Err(error),
        };
        match counted {
            Ok(backlog) => core.queue.set_backlog(&backlog, arrivals),
            Err(error) => tracing::warn!(%error, "it is not known which processes are gone"),
        }
    }
}

/// From three quarters to five quarters of a time, so that processes that were started together do not stay so.
fn vary(time: Duration) -> Duration {
    let nanos = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.subsec_nanos());
    time.mul_f64(0.75 + f64::from(nanos / 1_000 % 1_000) / 2_000.0)
}

impl Core {
    /// Keeps no more jobs waiting here than will soon be begun, and gives back what is more. Of what runs, only what
    /// has run for long tells anything: a thread that was kept waiting for a processor is no long run.
    fn spread(self: &Arc<Core>) {
        let elapsed = |live: Arc<Live>| {
            let (_, began) = live.started.get().filter(|_| live.ran.get().is_none())?;
            Some(began.elapsed()).filter(|elapsed| *elapsed > HORIZON)
        };
        let running: Vec<Duration> = self.lives().into_iter().filter_map(elapsed).collect();
        let so_far =
            running.iter().sum::<Duration>() / u32::try_from(running.len().max(1)).unwrap_or(u32::MAX);
        let one = self.mean_run().max(so_far).max(Duration::from_micros(1));
        let workers = self.settings.workers.max(1);
        let soon = workers as u128 * HORIZON.as_micros() / one.as_micros().max(1);
        let places = usize::try_from(soon).unwrap_or(usize::MAX).min(self.settings.places);
        for live in self.queue.set_places(places) {
            // as in a shutdown: nothing has been done, and nobody is to blame
            live.stop(Stop::Shutdown);
            self.end(live, Ending::Release, None);
        }
    }
}
