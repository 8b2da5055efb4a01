//! The one thread that writes, and the connection it writes through.

use std::collections::BTreeSet;
use std::time::SystemTime;

use sqlx::{Error, SqliteConnection};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::checkpoint::Checkpoints;
use super::fault::refusal;
use super::heads::Heads;
use super::sql::JobRecord;
use super::{heads, puzzles, sql, waiting};
use crate::store::batch::{Answers, Batch, Command, SubmitWrite, Transact, Write, write_all};
use crate::store::row::*;
use crate::store::turns::Turns;
use crate::store::{Clock, StoreError};

/// The connection that writes, and who writes.
pub struct Writer {
    conn: SqliteConnection,
    checkpoints: Checkpoints,
    owner: String,
    clock: Clock,
    last_job: i64,
    last_puzzle: i64,
    heads: Heads,
}

impl Writer {
    /// Starts the thread. It ends once every sender is gone, and gives the connection back.
    ///
    /// It is a thread and no task, since each statement is a way to the connection's thread and back: as a task it
    /// stood in line behind whatever else a busy daemon does, twenty times a commit.
    pub async fn start(
        mut conn: SqliteConnection,
        checkpoints: Checkpoints,
        owner: String,
        clock: Clock,
    ) -> Result<(mpsc::UnboundedSender<Command>, JoinHandle<SqliteConnection>), Error> {
        let last_job = sql::last_job_id(&mut conn).await?;
        let last_puzzle = sql::last_puzzle_id(&mut conn).await?;
        let heads = Heads::open(&mut conn, heads::MANY).await?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let writer = Writer { conn, checkpoints, owner, clock, last_job, last_puzzle, heads };
        let runtime = Handle::current();
        let task = tokio::task::spawn_blocking(move || runtime.block_on(writer.run(receiver)));
        Ok((sender, task))
    }

    async fn run(mut self, receiver: mpsc::UnboundedReceiver<Command>) -> SqliteConnection {
        write_all(&mut self, receiver).await;
        self.conn
    }

    async fn try_transact(&mut self, batch: &Batch) -> Result<Answers, Error> {
        sql::begin(&mut self.conn).await?;
        let answers = self.apply(batch).await?;
        self.heads.index(&mut self.conn).await?;
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
        let ends = batch.ends(&answers.submits);
        if !ends.is_empty() {
            let ended = self.finish(&ends, now).await?;
            answers.take_ended(batch, ended);
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

    async fn submit(&mut self, writes: &[SubmitWrite], now: SystemTime) -> Result<Vec<Stored>, Error> {
        let waits = |job: &NewJob| !job.claimed && job.due.is_none_or(|due| due <= now);
        let waiting = writes.iter().map(|write| &write.input.job).filter(|job| waits(job));
        let mut turns = self.turns(waiting.map(|job| (&job.client, job.priority))).await?;
        let mut records: Vec<JobRecord<'_>> = Vec::with_capacity(writes.len());
        for write in writes {
            self.last_job += 1;
            let job = &write.input.job;
            let turn = match waits(job) {
                true => Some(turns.take(&job.client, job.priority)),
                // one that is claimed is past its turn
                false => job.claimed.then_some(0),
            };
            let end = write.input.end.as_deref().map(|end| (end, None));
            records.push(JobRecord { id: JobId(self.last_job), job, turn, end });
        }
        self.learn_early(&mut records, now).await?;
        let conn = &mut self.conn;
        let mut fresh = sql::insert_jobs(conn, &records, &self.owner, now).await?;
        fresh.sort_unstable();
        let is_fresh = |id: JobId| fresh.binary_search(&id).is_ok();
        let new = records.iter().filter(|record| is_fresh(record.id));
        let specs: Vec<(JobId, &Body)> = new.clone().map(|record| (record.id, &record.job.spec)).collect();
        sql::insert_specs(conn, &specs).await?;
        let ends: Vec<(JobId, &Finish)> = new.filter_map(|new| Some((new.id, new.end?.0))).collect();
        insert_outcomes(conn, &ends).await?;
        let mut stored = Vec::with_capacity(records.len());
        for JobRecord { id, job, end, .. } in records {
            let request_id = job.request_id.as_deref().filter(|_| !is_fresh(id));
            stored.push(match (request_id, end) {
                (None, None) => Stored::Fresh(id, now),
                (None, Some((_, puzzle))) => Stored::Ended(id, Ended { time: now, puzzle }),
                (Some(request_id), _) => {
                    let row = sql::select_by_request(&mut *conn, &job.client, request_id).await?;
                    Stored::Existing(Box::new(row.ok_or(Error::RowNotFound)?))
                }
            });
        }
        Ok(stored)
    }

    /// Keeps the puzzles of jobs that have ended before they are stored.
    async fn learn_early(&mut self, records: &mut [JobRecord<'_>], now: SystemTime) -> Result<(), Error> {
        let mut puzzles: Vec<(JobId, &NewPuzzle)> = Vec::new();
        let mut places: Vec<&mut Option<PuzzleId>> = Vec::new();
        for record in records {
            let Some((finish, place)) = &mut record.end else { continue };
            let Some(puzzle) = &finish.puzzle else { continue };
            puzzles.push((record.id, puzzle));
            places.push(place);
        }
        let ids = self.learn(&puzzles, now).await?;
        places.into_iter().zip(ids).for_each(|(place, id)| *place = Some(id));
        Ok(())
    }

    /// Keeps puzzles; gives their identities.
    async fn learn(
        &mut self,
        puzzles: &[(JobId, &NewPuzzle)],
        now: SystemTime,
    ) -> Result<Vec<PuzzleId>, Error> {
        puzzles::keep_puzzles(&mut self.conn, &mut self.heads, puzzles, &mut self.last_puzzle, now).await
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

    async fn finish(
        &mut self,
        ends: &[(Lease, &Finish)],
        now: SystemTime,
    ) -> Result<Vec<Option<Ended>>, Error> {
        let leases: Vec<Lease> = ends.iter().map(|(lease, _)| *lease).collect();
        let held = sql::select_held(&mut self.conn, &leases).await?;
        let is_held = |lease: &Lease| held.binary_search(&lease.job.0).is_ok();
        let held_ends = ends.iter().filter(|(lease, _)| is_held(lease));
        let puzzles: Vec<(JobId, &NewPuzzle)> = held_ends
            .clone()
            .filter_map(|(lease, finish)| Some((lease.job, finish.puzzle.as_ref()?)))
            .collect();
        let mut ids = self.learn(&puzzles, now).await?.into_iter();
        let ends_of_jobs: Vec<(JobId, &Finish)> =
            held_ends.clone().map(|(lease, finish)| (lease.job, *finish)).collect();
        let conn = &mut self.conn;
        insert_outcomes(conn, &ends_of_jobs).await?;
        if !ends_of_jobs.is_empty() {
            let jobs: Vec<JobId> = ends_of_jobs.iter().map(|(job, _)| *job).collect();
            sql::delete_chunks(conn, &jobs).await?;
        }
        let rows: Vec<(Lease, &Finish, Option<PuzzleId>)> = held_ends
            .map(|(lease, finish)| (*lease, *finish, finish.puzzle.as_ref().and_then(|_| ids.next())))
            .collect();
        sql::finish_jobs(conn, &rows, now).await?;
        let mut ended = rows.into_iter().map(|(_, _, puzzle)| Ended { time: now, puzzle });
        Ok(leases.iter().map(|lease| is_held(lease).then(|| ended.next()).flatten()).collect())
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

/// Stores what came of jobs, and their traces.
async fn insert_outcomes(conn: &mut SqliteConnection, ends: &[(JobId, &Finish)]) -> Result<(), Error> {
    let results: Vec<(JobId, &Body)> =
        ends.iter().filter_map(|(job, finish)| Some((*job, finish.outcome.as_ref()?))).collect();
    sql::insert_results(conn, &results).await?;
    let traces: Vec<(JobId, &Chunk)> =
        ends.iter().filter_map(|(job, finish)| Some((*job, finish.trace.as_ref()?))).collect();
    sql::insert_traces(conn, &traces).await
}

impl Transact for Writer {
    async fn transact(&mut self, batch: &Batch) -> Result<Answers, StoreError> {
        self.checkpoints.keep_up(&mut self.conn).await;
        let last = (self.last_job, self.last_puzzle);
        match self.try_transact(batch).await {
            Ok(answers) => {
                self.heads.settle();
                self.checkpoints.note(batch.bytes);
                Ok(answers)
            }
            Err(error) => {
                (self.last_job, self.last_puzzle) = last;
                self.heads.undo();
                // when SQLite has undone it already there is nothing to undo, and that is its only error here
                let _ = sql::rollback(&mut self.conn).await;
                Err(refusal(error))
            }
        }
    }
}
