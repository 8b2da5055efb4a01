//! How a job ends: its end is stored, however long that takes, and told.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::core::Core;
use super::live::{Birth, End, Live};
use super::runner::Ending;
use super::trace::TraceEvent;
use crate::store::{Ended, Finish, Lease, Reply, StoreError};

/// How soon an end that could not be stored is tried again; it takes twice as long each time.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// The room that an end takes among those under way to the store.
pub type Room = Option<OwnedSemaphorePermit>;

/// An end on its way to the store.
struct Delivery {
    live: Arc<Live>,
    birth: Birth,
    end: Box<End>,
    finish: Arc<Finish>,
    room: Room,
    /// Before the next try.
    pause: Duration,
}

impl Core {
    /// A run has ended, or will not be. Its end comes after its beginning: until that is stored it waits.
    pub fn end(self: &Arc<Self>, live: Arc<Live>, ending: Ending, room: Room) {
        if let Some((birth, ending, room)) = live.end(ending, room) {
            self.store_end(live, birth, ending, room);
        }
    }

    /// Stores the end of a job whose beginning is known, and tells it.
    pub fn store_end(self: &Arc<Self>, live: Arc<Live>, birth: Option<Birth>, ending: Ending, room: Room) {
        match (ending, birth) {
            (Ending::Finish { end, finish }, Some(birth)) => {
                self.deliver(Delivery { live, birth, end, finish, room, pause: PAUSES.0 });
            }
            (Ending::Release, Some(birth)) => {
                let core = self.clone();
                self.tasks.spawn(async move { core.give_back(&live, birth).await });
            }
            (Ending::Forget, _) | (_, None) => {
                live.log.give_up();
                self.wind_up(&live);
            }
        }
    }

    async fn give_back(&self, live: &Live, birth: Birth) {
        let lease = Lease { job: birth.id, attempt: live.attempt };
        if let Err(error) = self.store.release(lease).await {
            tracing::warn!(job.id = %lease.job, %error, "{} could not be given back", lease.job);
        }
        self.lose(live);
    }

    fn deliver(self: &Arc<Self>, delivery: Delivery) {
        let lease = Lease { job: delivery.birth.id, attempt: delivery.live.attempt };
        let finish = delivery.finish.clone();
        let (core, token) = (self.clone(), self.tasks.token());
        let stored = move |ended| {
            core.take_delivered(delivery, ended);
            drop(token);
        };
        self.store.finish_then(lease, finish, Reply::new(stored));
    }

    fn take_delivered(self: &Arc<Self>, mut delivery: Delivery, ended: Result<Option<Ended>, StoreError>) {
        let id = delivery.birth.id;
        let error = match ended {
            Ok(Some(ended)) => {
                let Delivery { live, birth, end, room, .. } = delivery;
                self.tell(&live, birth, ended, *end);
                self.wind_up(&live);
                return drop(room);
            }
            Ok(None) | Err(StoreError::Closed) => return self.lose(&delivery.live),
            Err(error) => error,
        };
        tracing::error!(job.id = %id, %error, "the end of {id} cannot be stored");
        let core = self.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(delivery.pause) => {
                    delivery.pause = (delivery.pause * 2).min(PAUSES.1);
                    core.deliver(delivery);
                }
                // the next start takes it up
                () = core.closing.cancelled() => core.lose(&delivery.live),
            }
        });
    }

    /// A job is no longer this process's.
    fn lose(&self, live: &Live) {
        if self.closing.is_cancelled() {
            live.log.close();
        } else {
            live.log.give_up();
        }
        self.wind_up(live);
    }

    /// Nothing more is to be done about a job that was claimed here.
    pub fn wind_up(&self, live: &Live) {
        if let Some(birth) = live.birth() {
            self.forget(birth.id);
        }
        if let Some(time) = live.ran.get() {
            self.note_run(*time);
        }
        // set once, here alone
        let _ = live.ended.set(());
        self.changes.send_modify(|count| *count += 1);
        if live.suspect {
            self.queue.hungry.notify_one();
        }
    }

    /// Tells watchers the end.
    pub fn tell(&self, live: &Live, birth: Birth, ended: Ended, end: End) {
        let job = live.finished(birth, ended, end);
        tracing::info!(
            job.id = %job.id, job.kind = job.spec.kind().word(), job.state = job.state.word(),
            "{} has {}", job.id, job.state.word()
        );
        live.log.finish(live.attempt, TraceEvent::Finished(Arc::new(job)));
        self.keep_for_watchers(&live.log);
    }

    /// Mean time of a run, lately.
    pub fn mean_run(&self) -> Duration {
        Duration::from_micros(self.mean_run.load(Ordering::Relaxed))
    }

    fn note_run(&self, time: Duration) {
        let time = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mean = self.mean_run.load(Ordering::Relaxed);
        self.mean_run.store(mean - mean / 16 + time / 16, Ordering::Relaxed);
    }
}
