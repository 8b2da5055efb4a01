//! The one thread that writes, and the connection it writes through.

use std::collections::BTreeSet;
use std::time::SystemTime;

use sqlx::{Error, SqliteConnection};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::fault::refusal;
use super::{sql, waiting};
use crate::store::batch::{Answers, BACKLOG, Batch, Command, FinishWrite, Transact, Write, write_all};
use crate::store::row::*;
use crate::store::turns::Turns;
use crate::store::{Clock, StoreError};

/// The connection that writes, and who writes.
pub struct Writer {
    conn: SqliteConnection,
    owner: String,
    clock: Clock,
    last_job: i64,
}

impl Writer {
    /// Starts the thread. It ends once every sender is gone, and gives the connection back.
    ///
    /// It is a thread and no task, since each statement is a way to the connection's thread and back: as a task it
    /// stood in line behind whatever else a busy daemon does, twenty times a commit.
    pub async fn start(
        mut conn: SqliteConnection,
        owner: String,
        clock: Clock,
    ) -> Result<(mpsc::Sender<Command>, JoinHandle<SqliteConnection>), Error> {
        let last_job = sql::last_job_id(&mut conn).await?;
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let writer = Writer { conn, owner, clock, last_job };
        let runtime = Handle::current();
        let task = tokio::task::spawn_blocking(move || runtime.block_on(writer.run(receiver)));
        Ok((sender, task))
    }

    async fn run(mut self, receiver: mpsc::Receiver<Command>) -> SqliteConnection {
        write_all(&mut self, receiver).await;
        self.conn
    }

    async fn try_transact(&mut self, batch: &Batch) -> Result<Answers, Error> {
        sql::begin(&mut self.conn).await?;
        let answers = self.apply(batch).await?;
        sql::commit(&mut self.conn).await?;
        Ok(answers)
    }

    async fn apply(&mut self, batch: &Batch) -> Result<Answers, Error> {
        let now = whole_millis(self.clock.now());
        let mut answers = Answers::default();
        for write in &batch.recovers {
            answers.recovers.push(self.recover(write.input, now).await?);
        }
        if !batch.submits.is_empty() {
            answers.submits = self.submit(&batch.submits, now).await?;
        }
        if !batch.starts.is_empty() {
            let leases: Vec<Lease> = batch.starts.iter().map(|write| write.input).collect();
            let held = sql::start_jobs(&mut self.conn, &leases, now).await?;
            answers.starts = leases.iter().map(|lease| held.contains(&lease.job.0)).collect();
        }
        if !batch.appends.is_empty() {
            answers.appends = self.append(&batch.appends, now).await?;
        }
        if !batch.finishes.is_empty() {
            answers.finishes = self.finish(&batch.finishes, now).await?;
        }
        for write in &batch.cancels {
            let (id, reason) = &write.input;
            answers.cancels.push(waiting::cancel_waiting(&mut self.conn, *id, reason, now).await?);
        }
        for write in &batch.overdue {
            let (due, reason) = &write.input;
            answers.overdue.push(waiting::cancel_overdue(&mut self.conn, *due, reason, now).await?);
        }
        if !batch.releases.is_empty() {
            let leases: Vec<Lease> = batch.releases.iter().map(|write| write.input).collect();
            let fronts = waiting::select_fronts(&mut self.conn).await?;
            let held = sql::release_jobs(&mut self.conn, &leases, fronts).await?;
            answers.releases = leases.iter().map(|lease| held.contains(&lease.job.0)).collect();
        }
        for write in &batch.prunes {
            answers.prunes.push(self.prune(write.input).await?);
        }
        for write in &batch.promotes {
            answers.promotes.push(self.promote(write.input, now).await?);
        }
        for write in &batch.renewals {
            let held = sql::select_held(&mut self.conn, &write.input).await?;
            let lost = write.input.iter().filter(|lease| !held.contains(&lease.job.0));
            answers.renewals.push(lost.map(|lease| (*lease, Standing::Lost)).collect());
        }
        for write in &batch.claims {
            answers.claims.push(self.claim(write.input, now).await?);
        }
        Ok(answers)
    }

    async fn recover(&mut self, max_deaths: u32, now: SystemTime) -> Result<u64, Error> {
        let failed = sql::fail_deadly(&mut self.conn, max_deaths, now).await?;
        let requeued = sql::requeue_claimed(&mut self.conn).await?;
        if failed + requeued > 0 {
            tracing::info!(
                failed,
                requeued,
                "took back {} jobs that an earlier process left",
                failed + requeued
            );
        }
        Ok(failed + requeued)
    }

    /// The next turns of the clients of these jobs.
    async fn turns(&mut self, jobs: impl Iterator<Item = (&ClientId, Priority)>) -> Result<Turns, Error> {
        let needed: BTreeSet<(&ClientId, Priority)> = jobs.collect();
        if needed.is_empty() {
            Ok(Turns::default())
        } else {
            waiting::select_turns(&mut self.conn, &needed).await
        }
    }

    async fn promote(&mut self, limit: u32, now: SystemTime) -> Result<Vec<Waiting>, Error> {
        let due = waiting::select_due(&mut self.conn, limit, now).await?;
        if due.is_empty() {
            return Ok(due);
        }
        let mut turns = self.turns(due.iter().map(|job| (&job.client, job.priority))).await?;
        let queued: Vec<(JobId, i64)> =
            due.iter().map(|job| (job.id, turns.take(&job.client, job.priority))).collect();
        waiting::queue_jobs(&mut self.conn, &queued).await?;
        Ok(due)
    }

    async fn submit(
        &mut self,
        writes: &[Write<Box<NewJob>, Stored>],
        now: SystemTime,
    ) -> Result<Vec<Stored>, Error> {
        let waits = |job: &NewJob| !job.claimed && job.due.is_none_or(|due| due <= now);
        let waiting = writes.iter().map(|write| &write.input).filter(|job| waits(job));
        let mut turns = self.turns(waiting.map(|job| (&job.client, job.priority))).await?;
        let mut jobs: Vec<(JobId, &NewJob, Option<i64>)> = Vec::with_capacity(writes.len());
        for write in writes {
            self.last_job += 1;
            let job = &write.input;
            let turn = match waits(job) {
                true => Some(turns.take(&job.client, job.priority)),
                // one that is claimed is past its turn
                false => job.claimed.then_some(0),
            };
            jobs.push((JobId(self.last_job), job, turn));
        }
        let mut fresh = sql::insert_jobs(&mut self.conn, &jobs, &self.owner, now).await?;
        fresh.sort_unstable();
        let is_fresh = |id: JobId| fresh.binary_search(&id).is_ok();
        let specs: Vec<(JobId, &Body)> =
            jobs.iter().filter(|(id, _, _)| is_fresh(*id)).map(|(id, job, _)| (*id, &job.spec)).collect();
        sql::insert_specs(&mut self.conn, &specs).await?;
        let mut stored = Vec::with_capacity(jobs.len());
        for (id, job, _) in jobs {
            let request_id = job.request_id.as_deref().filter(|_| !is_fresh(id));
            stored.push(match request_id {
                None => Stored::Fresh(id, now),
                Some(request_id) => {
                    let row = sql::select_by_request(&mut self.conn, &job.client, request_id).await?;
                    Stored::Existing(Box::new(row.ok_or(Error::RowNotFound)?))
                }
            });
        }
        Ok(stored)
    }

    async fn append(
        &mut self,
        writes: &[Write<(Lease, Chunk), bool>],
        now: SystemTime,
    ) -> Result<Vec<bool>, Error> {
        let leases: Vec<Lease> = writes.iter().map(|write| write.input.0).collect();
        let held = sql::start_jobs(&mut self.conn, &leases, now).await?;
        for write in writes {
            let (lease, chunk) = &write.input;
            if held.contains(&lease.job.0) {
                sql::insert_chunk(&mut self.conn, *lease, chunk).await?;
            }
        }
        Ok(leases.iter().map(|lease| held.contains(&lease.job.0)).collect())
    }

    async fn finish(&mut self, writes: &[FinishWrite], now: SystemTime) -> Result<Vec<Option<Ended>>, Error> {
        let conn = &mut self.conn;
        let mut ends: Vec<(Lease, &Finish)> =
            writes.iter().map(|write| (write.input.0, &*write.input.1)).collect();
        let leases: Vec<Lease> = ends.iter().map(|(lease, _)| *lease).collect();
        let held = sql::select_held(conn, &leases).await?;
        ends.retain(|(lease, _)| held.binary_search(&lease.job.0).is_ok());

        let puzzles: Vec<(JobId, &NewPuzzle)> = ends
            .iter()
            .filter_map(|(lease, finish)| finish.puzzle.as_ref().map(|puzzle| (lease.job, puzzle)))
            .collect();
        sql::upsert_puzzles(conn, &puzzles, now).await?;
        let results: Vec<(JobId, &Body)> = ends
            .iter()
            .filter_map(|(lease, finish)| finish.outcome.as_ref().map(|outcome| (lease.job, outcome)))
            .collect();
        sql::insert_results(conn, &results).await?;
        let traces: Vec<(JobId, &Chunk)> = ends
            .iter()
            .filter_map(|(lease, finish)| finish.trace.as_ref().map(|trace| (lease.job, trace)))
            .collect();
        sql::insert_traces(conn, &traces).await?;
        let jobs: Vec<JobId> = ends.iter().map(|(lease, _)| lease.job).collect();
        if !jobs.is_empty() {
            sql::delete_chunks(conn, &jobs).await?;
        }
        let ended = sql::finish_jobs(conn, &ends, now).await?;
        let answer = |lease: &Lease| {
            let place = ended.binary_search_by_key(&lease.job.0, |(job, _)| *job).ok()?;
            Some(Ended { time: now, puzzle: ended[place].1.map(PuzzleId) })
        };
        Ok(leases.iter().map(answer).collect())
    }

    async fn prune(&mut self, prune: Prune) -> Result<Pruned, Error> {
        let window = sql::select_window(&mut self.conn, prune.after, prune.limit).await?;
        let (ids, next) = prune.choose(&window, sql::to_millis(prune.before));
        let count = match prune.what {
            _ if ids.is_empty() => 0,
            PruneWhat::Jobs => sql::delete_jobs(&mut self.conn, &ids).await?,
            PruneWhat::Traces => sql::delete_traces(&mut self.conn, &ids).await?,
        };
        Ok(Pruned { count, next })
    }

    async fn claim(&mut self, want: Want, now: SystemTime) -> Result<Vec<JobRow>, Error> {
        let conn = &mut self.conn;
        let ids = match want {
            Want::Ready(priority, limit) => sql::claim_ready(conn, &self.owner, priority, limit).await?,
            Want::Suspect => sql::claim_suspect(conn, &self.owner, now).await?,
        };
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<JobId> = ids.into_iter().map(JobId).collect();
        sql::select_claimed(conn, &ids).await
    }
}

impl Transact for Writer {
    async fn transact(&mut self, batch: &Batch) -> Result<Answers, StoreError> {
        let last_job = self.last_job;
        match self.try_transact(batch).await {
            Ok(answers) => Ok(answers),
            Err(error) => {
                self.last_job = last_job;
                // when SQLite has undone it already there is nothing to undo, and that is its only error here
                let _ = sql::rollback(&mut self.conn).await;
                Err(refusal(error))
            }
        }
    }
}
