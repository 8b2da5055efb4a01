//! The one task that writes. What arrives while a commit is under way shares the next one, so that many clients
//! share the cost of making things durable; each is answered after the commit.
//!
//! Writes of a batch are applied kind by kind, in an order that keeps every cause before its effect. If any of
//! them fails the whole batch is undone and each is done again by itself, so that none fails for its neighbours.

use std::time::SystemTime;

use sqlx::{Connection, Error, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::sql;
use crate::store::row::*;
use crate::store::{StoreError, sqlite::failed};

/// Writes that share a commit, at most.
const BATCH: usize = 256;

/// Writes that may wait for the next commit; further ones wait to be let in.
const BACKLOG: usize = 4096;

/// Something to write, and whom to tell.
pub struct Write<I, T> {
    pub input: I,
    pub reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<I, T> Write<I, T> {
    fn answer(self, result: Result<T, StoreError>) {
        // whoever asked may have gone; the write stands
        let _ = self.reply.send(result);
    }
}

/// The end of a job to write.
type FinishWrite = Write<(Lease, Box<Finish>), Option<Ended>>;

/// Everything that can be written.
pub enum Command {
    Recover(Write<u32, Backlog>),
    Submit(Write<Box<NewJob>, Stored>),
    Start(Write<Lease, bool>),
    Append(Write<(Lease, Chunk), bool>),
    Finish(FinishWrite),
    Cancel(Write<(JobId, String), Option<Waiting>>),
    CancelOverdue(Write<(SystemTime, String), Vec<Waiting>>),
    Release(Write<Lease, bool>),
    Claim(Write<Want, Vec<JobRow>>),
}

/// Writes of one commit, by kind, in the order in which they are applied.
#[derive(Default)]
struct Batch {
    recovers: Vec<Write<u32, Backlog>>,
    submits: Vec<Write<Box<NewJob>, Stored>>,
    starts: Vec<Write<Lease, bool>>,
    appends: Vec<Write<(Lease, Chunk), bool>>,
    finishes: Vec<FinishWrite>,
    cancels: Vec<Write<(JobId, String), Option<Waiting>>>,
    overdue: Vec<Write<(SystemTime, String), Vec<Waiting>>>,
    releases: Vec<Write<Lease, bool>>,
    claims: Vec<Write<Want, Vec<JobRow>>>,
}

/// What to answer, in the same order.
#[derive(Default)]
struct Answers {
    recovers: Vec<Backlog>,
    submits: Vec<Stored>,
    starts: Vec<bool>,
    appends: Vec<bool>,
    finishes: Vec<Option<Ended>>,
    cancels: Vec<Option<Waiting>>,
    overdue: Vec<Vec<Waiting>>,
    releases: Vec<bool>,
    claims: Vec<Vec<JobRow>>,
}

impl Batch {
    fn of(commands: impl IntoIterator<Item = Command>) -> Batch {
        let mut batch = Batch::default();
        for command in commands {
            match command {
                Command::Recover(write) => batch.recovers.push(write),
                Command::Submit(write) => batch.submits.push(write),
                Command::Start(write) => batch.starts.push(write),
                Command::Append(write) => batch.appends.push(write),
                Command::Finish(write) => batch.finishes.push(write),
                Command::Cancel(write) => batch.cancels.push(write),
                Command::CancelOverdue(write) => batch.overdue.push(write),
                Command::Release(write) => batch.releases.push(write),
                Command::Claim(write) => batch.claims.push(write),
            }
        }
        batch
    }

    fn into_commands(self) -> Vec<Command> {
        let mut commands = Vec::new();
        commands.extend(self.recovers.into_iter().map(Command::Recover));
        commands.extend(self.submits.into_iter().map(Command::Submit));
        commands.extend(self.starts.into_iter().map(Command::Start));
        commands.extend(self.appends.into_iter().map(Command::Append));
        commands.extend(self.finishes.into_iter().map(Command::Finish));
        commands.extend(self.cancels.into_iter().map(Command::Cancel));
        commands.extend(self.overdue.into_iter().map(Command::CancelOverdue));
        commands.extend(self.releases.into_iter().map(Command::Release));
        commands.extend(self.claims.into_iter().map(Command::Claim));
        commands
    }

    fn succeed(self, answers: Answers) {
        fn tell<I, T>(writes: Vec<Write<I, T>>, answers: Vec<T>) {
            writes.into_iter().zip(answers).for_each(|(write, answer)| write.answer(Ok(answer)));
        }
        tell(self.recovers, answers.recovers);
        tell(self.submits, answers.submits);
        tell(self.starts, answers.starts);
        tell(self.appends, answers.appends);
        tell(self.finishes, answers.finishes);
        tell(self.cancels, answers.cancels);
        tell(self.overdue, answers.overdue);
        tell(self.releases, answers.releases);
        tell(self.claims, answers.claims);
    }

    fn fail(self, error: &StoreError) {
        fn tell<I, T>(writes: Vec<Write<I, T>>, error: &StoreError) {
            writes.into_iter().for_each(|write| write.answer(Err(error.clone())));
        }
        tell(self.recovers, error);
        tell(self.submits, error);
        tell(self.starts, error);
        tell(self.appends, error);
        tell(self.finishes, error);
        tell(self.cancels, error);
        tell(self.overdue, error);
        tell(self.releases, error);
        tell(self.claims, error);
    }
}

/// The connection that writes, and who writes.
pub struct Writer {
    conn: SqliteConnection,
    owner: String,
    last_job: i64,
}

impl Writer {
    /// Starts the task. It ends, and the connection with it, once every sender is gone.
    pub async fn start(
        mut conn: SqliteConnection,
        owner: String,
    ) -> Result<(mpsc::Sender<Command>, JoinHandle<()>), Error> {
        let last_job = sql::last_job_id(&mut conn).await?;
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let task = tokio::spawn(Writer { conn, owner, last_job }.run(receiver));
        Ok((sender, task))
    }

    async fn run(mut self, mut receiver: mpsc::Receiver<Command>) {
        let mut commands = Vec::with_capacity(BATCH);
        while receiver.recv_many(&mut commands, BATCH).await > 0 {
            self.write(Batch::of(commands.drain(..))).await;
        }
        if let Err(error) = self.conn.close().await {
            tracing::warn!(%error, "closing the database failed");
        }
    }

    async fn write(&mut self, batch: Batch) {
        let Err((batch, error)) = self.try_write(batch).await else { return };
        let commands = batch.into_commands();
        if let [_] = commands.as_slice() {
            Batch::of(commands).fail(&failed(error));
            return;
        }
        tracing::warn!(%error, writes = commands.len(), "a shared commit failed, its writes are done one by one");
        for command in commands {
            if let Err((batch, error)) = self.try_write(Batch::of([command])).await {
                batch.fail(&failed(error));
            }
        }
    }

    /// All of it and the answers, or nothing of it.
    async fn try_write(&mut self, batch: Batch) -> Result<(), (Batch, Error)> {
        let last_job = self.last_job;
        match self.transact(&batch).await {
            Ok(answers) => {
                batch.succeed(answers);
                Ok(())
            }
            Err(error) => {
                self.last_job = last_job;
                // when SQLite has undone it already there is nothing to undo, and that is its only error here
                let _ = sql::rollback(&mut self.conn).await;
                Err((batch, error))
            }
        }
    }

    async fn transact(&mut self, batch: &Batch) -> Result<Answers, Error> {
        sql::begin(&mut self.conn).await?;
        let answers = self.apply(batch).await?;
        sql::commit(&mut self.conn).await?;
        Ok(answers)
    }

    async fn apply(&mut self, batch: &Batch) -> Result<Answers, Error> {
        let now = whole_millis(SystemTime::now());
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
            answers.cancels.push(sql::cancel_waiting(&mut self.conn, *id, reason, now).await?);
        }
        for write in &batch.overdue {
            let (due, reason) = &write.input;
            answers.overdue.push(sql::cancel_overdue(&mut self.conn, *due, reason, now).await?);
        }
        if !batch.releases.is_empty() {
            let leases: Vec<Lease> = batch.releases.iter().map(|write| write.input).collect();
            let held = sql::release_jobs(&mut self.conn, &leases).await?;
            answers.releases = leases.iter().map(|lease| held.contains(&lease.job.0)).collect();
        }
        for write in &batch.claims {
            answers.claims.push(self.claim(write.input, now).await?);
        }
        Ok(answers)
    }

    async fn recover(&mut self, max_deaths: u32, now: SystemTime) -> Result<Backlog, Error> {
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
        sql::select_backlog(&mut self.conn).await
    }

    async fn submit(
        &mut self,
        writes: &[Write<Box<NewJob>, Stored>],
        now: SystemTime,
    ) -> Result<Vec<Stored>, Error> {
        let mut jobs: Vec<(JobId, &NewJob)> = Vec::with_capacity(writes.len());
        for write in writes {
            self.last_job += 1;
            jobs.push((JobId(self.last_job), &write.input));
        }
        let mut fresh = sql::insert_jobs(&mut self.conn, &jobs, &self.owner, now).await?;
        fresh.sort_unstable();
        let is_fresh = |id: JobId| fresh.binary_search(&id).is_ok();
        let specs: Vec<(JobId, &Body)> =
            jobs.iter().filter(|(id, _)| is_fresh(*id)).map(|(id, job)| (*id, &job.spec)).collect();
        if !specs.is_empty() {
            sql::insert_specs(&mut self.conn, &specs).await?;
        }
        let mut stored = Vec::with_capacity(jobs.len());
        for (id, job) in jobs {
            let request_id = job.request_id.as_deref().filter(|_| !is_fresh(id));
            stored.push(match request_id {
                None => Stored::Fresh(id, now),
                Some(request_id) => {
                    let row = sql::select_by_request(&mut self.conn, &job.client, request_id).await?;
                    Stored::Existing(Box::new(row))
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
        ends.retain(|(lease, _)| held.contains(&lease.job.0));

        let puzzles: Vec<(JobId, &NewPuzzle)> = ends
            .iter()
            .filter_map(|(lease, finish)| finish.puzzle.as_ref().map(|puzzle| (lease.job, puzzle)))
            .collect();
        if !puzzles.is_empty() {
            sql::upsert_puzzles(conn, &puzzles, now).await?;
        }
        let results: Vec<(JobId, &Body)> = ends
            .iter()
            .filter_map(|(lease, finish)| finish.outcome.as_ref().map(|outcome| (lease.job, outcome)))
            .collect();
        if !results.is_empty() {
            sql::insert_results(conn, &results).await?;
        }
        for (lease, finish) in &ends {
            if let Some(trace) = &finish.trace {
                sql::insert_trace(conn, lease.job, trace).await?;
            }
        }
        let jobs: Vec<JobId> = ends.iter().map(|(lease, _)| lease.job).collect();
        if !jobs.is_empty() {
            sql::delete_chunks(conn, &jobs).await?;
        }
        let ended = sql::finish_jobs(conn, &ends, now).await?;
        let answer = |lease: &Lease| {
            let (_, puzzle) = ended.iter().find(|(id, _)| *id == lease.job.0)?;
            Some(Ended { time: now, puzzle: puzzle.map(PuzzleId) })
        };
        Ok(leases.iter().map(answer).collect())
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
