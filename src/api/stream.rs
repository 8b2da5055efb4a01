//! The events of jobs as messages.

use std::pin::Pin;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio_stream::Stream;
use tonic::Status;

use super::convert::job::{View, write_entry, write_outlook};
use super::proto as pb;
use super::proto::job_event::Event;
use super::pull::{Pull, Source};
use super::status::Refusal;
use crate::jobs::{Cursor, JobId, JobsError, Run, RunEvent, TraceEntry, TraceEvent, Watcher};
use crate::puzzle::Puzzle;
use std::sync::Arc;

/// After how long without event a stream shows that the daemon lives.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// After how long a job that has not begun is told where it stands; each time it takes twice as long.
const FIRST_OUTLOOK: Duration = Duration::from_millis(500);

/// The type of all answers in a stream.
pub type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Where the entries of a trace come from: the run of a job, or a watcher of it.
pub enum Trace {
    /// The one who submitted it.
    Run(Box<Run>),
    /// Somebody who watches.
    Watcher(Watcher),
}

/// What is known of a job that was not known before.
pub enum Happened {
    /// It is stored, which the view leaves out.
    Stored,
    /// Something to tell.
    Event(pb::JobEvent),
}

/// The events of a job as messages.
pub struct Events {
    trace: Trace,
    name: String,
    id: Option<JobId>,
    puzzle: Option<Arc<Puzzle>>,
    view: View,
    cursor: Option<Cursor>,
    /// After how long without event the next is made.
    patience: Duration,
}

impl Events {
    /// Of a job that is about to be submitted.
    pub fn of_run(run: Run, puzzle: Option<Arc<Puzzle>>, view: View) -> Events {
        let trace = Trace::Run(Box::new(run));
        Events { trace, name: String::new(), id: None, puzzle, view, cursor: None, patience: FIRST_OUTLOOK }
    }

    /// Of a job that is watched after a cursor.
    pub fn of_watcher(
        watcher: Watcher,
        id: JobId,
        puzzle: Option<Arc<Puzzle>>,
        view: View,
        cursor: Option<Cursor>,
    ) -> Events {
        let trace = Trace::Watcher(watcher);
        let patience = FIRST_OUTLOOK;
        Events { trace, name: id.to_string(), id: Some(id), puzzle, view, cursor, patience }
    }

    /// The job, once it is known.
    pub fn id(&self) -> Option<JobId> {
        self.id
    }

    /// Whether the next event is known already.
    pub fn has_more(&self) -> bool {
        match &self.trace {
            Trace::Run(run) => run.has_more(),
            Trace::Watcher(watcher) => watcher.has_more(),
        }
    }

    /// The next event; the finished one is the last. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<pb::JobEvent, Refusal>> {
        loop {
            match self.advance().await? {
                Ok(Happened::Stored) => {}
                Ok(Happened::Event(event)) => return Some(Ok(event)),
                Err(refusal) => return Some(Err(refusal)),
            }
        }
    }

    /// The same, for one who wants to know as soon as the job has its identity.
    pub async fn advance(&mut self) -> Option<Result<Happened, Refusal>> {
        // since when nothing happens but what the view leaves out
        let mut silent: Option<Instant> = None;
        loop {
            let patience = silent.map_or(self.patience, |since| HEARTBEAT.saturating_sub(since.elapsed()));
            // most of what happens is known already, and then no timer is needed
            let happened = match self.known() {
                Some(happened) => happened?,
                None => match tokio::time::timeout(patience, self.happen()).await {
                    Ok(happened) => happened?,
                    Err(_) if silent.is_some() => return Some(Ok(self.live())),
                    Err(_) => match self.idle().await {
                        Some(event) => return Some(Ok(Happened::Event(self.write(0, event)))),
                        None => continue,
                    },
                },
            };
            match happened {
                Ok(RunEvent::Accepted(submitted)) => {
                    self.id = Some(submitted.job.id);
                    self.name = submitted.job.id.to_string();
                    if self.view.end_only {
                        return Some(Ok(Happened::Stored));
                    }
                    let accepted = pb::JobAccepted { existed: !submitted.fresh };
                    return Some(Ok(Happened::Event(self.write(0, Event::Accepted(accepted)))));
                }
                Ok(RunEvent::Trace(entry)) => {
                    if let Some(event) = self.read(&entry) {
                        return Some(Ok(Happened::Event(event)));
                    }
                    if silent.get_or_insert_with(Instant::now).elapsed() >= HEARTBEAT {
                        return Some(Ok(self.live()));
                    }
                }
                Err(error) => return Some(Err(error.into())),
            }
        }
    }

    /// The daemon lives.
    fn live(&self) -> Happened {
        Happened::Event(self.write(0, Event::Heartbeat(pb::JobHeartbeat {})))
    }

    /// Nothing has happened for a while: where the job stands if it waits, or that the daemon lives.
    async fn idle(&mut self) -> Option<Event> {
        let is_long = self.patience >= HEARTBEAT;
        self.patience = (self.patience * 2).min(HEARTBEAT);
        let outlook = match (&self.trace, self.id) {
            // it is being stored
            (_, None) => return is_long.then_some(Event::Heartbeat(pb::JobHeartbeat {})),
            // boxed: it is large and seldom, and thousands may watch
            (Trace::Run(run), Some(id)) => Box::pin(run.outlook(id)).await,
            (Trace::Watcher(watcher), Some(id)) => Box::pin(watcher.outlook(id)).await,
        };
        match outlook {
            Ok(Some(outlook)) => {
                Some(Event::Waiting(pb::JobWaiting { outlook: Some(write_outlook(outlook)) }))
            }
            // it runs, or nobody knows: the trace itself will tell
            Ok(None) | Err(_) => {
                self.patience = HEARTBEAT;
                is_long.then_some(Event::Heartbeat(pb::JobHeartbeat {}))
            }
        }
    }

    /// What happens next, if that is known already.
    fn known(&mut self) -> Option<Option<Result<RunEvent, JobsError>>> {
        match &mut self.trace {
            Trace::Run(run) => run.next().now_or_never(),
            Trace::Watcher(watcher) => Some(watcher.next().now_or_never()?.map(of_watcher)),
        }
    }

    async fn happen(&mut self) -> Option<Result<RunEvent, JobsError>> {
        match &mut self.trace {
            // boxed: it is large, and thousands who watch would have room for it
            Trace::Run(run) => Box::pin(run.next()).await,
            Trace::Watcher(watcher) => watcher.next().await.map(of_watcher),
        }
    }

    fn read(&mut self, entry: &TraceEntry) -> Option<pb::JobEvent> {
        self.cursor = Some(entry.cursor);
        self.patience = HEARTBEAT;
        if let TraceEvent::Finished(job) = &entry.event {
            self.name = job.id.to_string();
        }
        let event = write_entry(entry, self.puzzle.as_deref(), self.view)?;
        Some(self.write(entry.sequence().unwrap_or(0), event))
    }

    fn write(&self, sequence: u64, event: Event) -> pb::JobEvent {
        let cursor = self.cursor.map(|cursor| cursor.to_string()).unwrap_or_default();
        pb::JobEvent { job: self.name.clone(), cursor, sequence, event: Some(event) }
    }
}

fn of_watcher(entry: Result<TraceEntry, JobsError>) -> Result<RunEvent, JobsError> {
    entry.map(RunEvent::Trace)
}

/// Events wrapped in the response of a call.
pub struct Wrapped<T> {
    events: Events,
    wrap: fn(pb::JobEvent) -> T,
}

impl<T: Send + 'static> Wrapped<T> {
    /// A stream of these events.
    pub fn stream(events: Events, wrap: fn(pb::JobEvent) -> T) -> Answers<T> {
        Box::pin(Pull::of(Wrapped { events, wrap }))
    }
}

impl<T: Send + 'static> Source for Wrapped<T> {
    type Item = T;

    async fn next(&mut self) -> Option<Result<T, Status>> {
        let event = self.events.next().await?;
        Some(event.map(self.wrap).map_err(Status::from))
    }
}
