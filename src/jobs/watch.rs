//! Reading a trace: from the log in memory while the job is under way, from the store once it has ended.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;

use super::codec::{self, CodecError};
use super::core::Core;
use super::error::JobsError;
use super::job::{Job, JobId};
use super::log::{Found, Log, Seat};
use super::outlook::Outlook;
use super::trace::{Cursor, TraceEntry, TraceEvent};
use crate::store::StoreError;

/// Reads the trace of a job, at its own speed. Holds nobody up, and dropping it does nothing to the job.
#[derive(Debug)]
pub struct Watcher {
    core: Arc<Core>,
    id: Option<JobId>,
    at: Cursor,
    /// Progresses told.
    told: u64,
    source: Source,
    /// Read, and not yet given.
    read: VecDeque<TraceEntry>,
    /// A trace that is not kept is no fault: the end alone is told.
    end_suffices: bool,
    is_done: bool,
}

#[derive(Debug)]
enum Source {
    Log(Seat),
    Store,
}

impl Watcher {
    /// Reads the log of a job that is being stored.
    pub(super) fn of_unstored(core: Arc<Core>, log: Arc<Log>) -> Watcher {
        Watcher::of_log(core, None, log, Cursor::default(), true)
    }

    fn of_log(
        core: Arc<Core>,
        id: Option<JobId>,
        log: Arc<Log>,
        after: Cursor,
        end_suffices: bool,
    ) -> Watcher {
        Watcher::new(core, id, Source::Log(log.watch()), after, end_suffices)
    }

    fn new(core: Arc<Core>, id: Option<JobId>, source: Source, at: Cursor, end_suffices: bool) -> Watcher {
        Watcher { core, id, at, told: 0, source, read: VecDeque::new(), end_suffices, is_done: false }
    }

    /// Reads a job's trace, wherever it is.
    pub(super) async fn of_job(
        core: Arc<Core>,
        job: Job,
        after: Option<Cursor>,
        end_suffices: bool,
    ) -> Result<Watcher, JobsError> {
        let after = after.unwrap_or_default();
        let id = job.id;
        if job.state.is_final() {
            let mut watcher = Watcher::new(core, Some(id), Source::Store, after, end_suffices);
            watcher.load(job).await?;
            return Ok(watcher);
        }
        let mut watcher = Watcher::new(core, Some(id), Source::Store, after, end_suffices);
        watcher.reload(id).await?;
        if let Source::Log(seat) = &watcher.source
            && matches!(seat.log().read(after, 0), Found::PastEnd)
        {
            return Err(JobsError::PastEnd(id));
        }
        Ok(watcher)
    }

    /// The job it is, once that is stored.
    pub(super) fn set_id(&mut self, id: JobId) {
        self.id = Some(id);
    }

    /// Where its job stands, if that waits.
    pub async fn outlook(&self, id: JobId) -> Result<Option<Outlook>, JobsError> {
        self.core.outlook_of(id).await
    }

    /// Whether what happened next is known already.
    pub fn has_more(&self) -> bool {
        let is_logged = || matches!(&self.source, Source::Log(seat) if seat.log().has_more(self.at));
        !self.read.is_empty() || is_logged()
    }

    /// What happened next; `Finished` comes last, then none. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<TraceEntry, JobsError>> {
        let next = self.try_next().await;
        if !matches!(next, Some(Ok(_))) {
            self.is_done = true;
        }
        next
    }

    async fn try_next(&mut self) -> Option<Result<TraceEntry, JobsError>> {
        loop {
            if let Some(entry) = self.read.pop_front() {
                self.at = entry.cursor;
                self.is_done = matches!(entry.event, TraceEvent::Finished(_));
                return Some(Ok(entry));
            }
            if self.is_done {
                return None;
            }
            let Source::Log(seat) = &self.source else {
                let Some(id) = self.id else { return Some(Err(StoreError::Closed.into())) };
                // boxed: it is large and seldom, and thousands may watch
                if let Err(error) = Box::pin(self.reload(id)).await {
                    return Some(Err(error));
                }
                continue;
            };
            // thousands may wait, and each would keep its room
            self.read = VecDeque::new();
            let found = poll_fn(|context| seat.poll_read(self.at, self.told, context)).await;
            match found {
                Found::Entries(entries) => self.read.extend(entries),
                Found::Restarted(attempt) => {
                    let cursor = Cursor { attempt, sequence: 0 };
                    self.told = 0;
                    self.read.push_back(TraceEntry { cursor, event: TraceEvent::Restarted { attempt } });
                }
                Found::Progress(told, progress) => {
                    self.told = told;
                    self.read
                        .push_back(TraceEntry { cursor: self.at, event: TraceEvent::Progress(progress) });
                }
                Found::PastEnd => return Some(Err(self.past_end())),
                Found::InStore => self.source = Source::Store,
                Found::Closed => return Some(Err(JobsError::Closing)),
                Found::Nothing => {}
            }
        }
    }

    fn past_end(&self) -> JobsError {
        self.id.map_or(JobsError::Store(StoreError::Closed), JobsError::PastEnd)
    }

    /// Reads from the store if the job has ended, else from its log. The log is taken before the job is looked at:
    /// a job that has not ended then will be told in this log, and no other, when it does.
    async fn reload(&mut self, id: JobId) -> Result<(), JobsError> {
        loop {
            let mut changes = self.core.changes.subscribe();
            let log = self.core.log(id);
            let seat = log.watch();
            let job = self.core.job(id).await?;
            if job.state.is_final() {
                self.source = Source::Store;
                return self.load(job).await;
            }
            if !log.is_given_up() {
                self.source = Source::Log(seat);
                return Ok(());
            }
            // it was claimed here and is no longer; that will be known at once
            tokio::select! {
                changed = changes.changed() => changed.map_err(|_| JobsError::Closing)?,
                () = self.core.closing.cancelled() => return Err(JobsError::Closing),
            }
        }
    }

    /// Reads from the store what comes after the cursor, of a job that has ended.
    async fn load(&mut self, job: Job) -> Result<(), JobsError> {
        let id = job.id;
        let unreadable = |error: CodecError| StoreError::Unreadable {
            what: format!("the trace of {id}"),
            reason: error.to_string(),
        };
        let last = Cursor { attempt: job.attempt, sequence: job.last_sequence };
        if self.at > last {
            return Err(JobsError::PastEnd(id));
        }
        if self.at.attempt > 0 && self.at.attempt < job.attempt {
            let cursor = Cursor { attempt: job.attempt, sequence: 0 };
            self.at = cursor;
            let event = TraceEvent::Restarted { attempt: job.attempt };
            self.read.push_back(TraceEntry { cursor, event });
        }
        let mut seen = if self.at.attempt == 0 { 0 } else { self.at.sequence };
        // what is not kept need not be looked for
        let is_kept = job.keep_trace || !self.end_suffices;
        if seen + 1 < last.sequence && is_kept {
            let chunks = self.core.store.trace(id).await?;
            if !chunks.is_empty() {
                let entries = codec::read_trace(&chunks, last, job.spec.puzzle()).map_err(unreadable)?;
                self.read.extend(entries.into_iter().filter(|entry| entry.cursor.sequence > seen));
                seen = last.sequence - 1;
            } else if !self.end_suffices {
                self.read.clear();
                return Err(JobsError::NotKept(id));
            }
        }
        if seen < last.sequence {
            self.read.push_back(TraceEntry { cursor: last, event: TraceEvent::Finished(Arc::new(job)) });
        } else {
            // it has seen the end
            self.is_done = true;
        }
        Ok(())
    }
}
