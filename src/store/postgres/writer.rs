//! The one task of a process that writes. Each batch is a transaction with a number; the number is written with it, so
//! that after a broken connection the process learns whether the commit was made, and makes no batch twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sqlx::{Connection, Error, PgConnection};
use tokio::sync::mpsc;

use super::link::{Link, PATIENCE, PAUSES, is_conflict, is_outage, refusal};
use super::sql::Opening;
use super::{puzzles, sql, waiting};
use crate::store::StoreError;
use crate::store::batch::{Answers, Batch, Command, SubmitWrite, Transact, Write, write_all};
use crate::store::news::News;
use crate::store::row::*;
use crate::store::turns::Turns;

/// How long a transaction may take before the connection is given up.
const PATIENCE_OF_ONE: Duration = Duration::from_secs(20);

/// How often a transaction is tried again that was in another's way.
const CONFLICTS: u32 = 5;

/// The connection that writes, and who writes.
pub struct Writer {
    link: Arc<Link>,
    conn: Option<PgConnection>,
    /// This process among the nodes, once it is one.
    node: Option<i64>,
    /// What it was, when it cannot know what a lost commit gave it: to be taken for dead.
    disowned: Vec<i64>,
    batch: i64,
}

/// A batch on its way, over as many tries as it takes.
#[derive(Default)]
struct Passage {
    number: i64,
    /// What to answer if the commit was made.
    done: Option<Box<Done>>,
}

/// What came of a try that met no error.
enum Passed {
    Made(Box<Done>),
    /// Nothing was made, and another try may.
    Not,
    /// The node is gone, and with it the knowledge of whether an earlier try was made.
    Unknown,
}

#[derive(Default)]
struct Done {
    answers: Answers,
    news: News,
}

impl Writer {
    /// Over this connection, the first of many.
    pub fn new(link: Arc<Link>, conn: PgConnection) -> Writer {
        Writer { link, conn: Some(conn), node: None, disowned: Vec::new(), batch: 0 }
    }

    /// Writes until every sender is gone, and then leaves the nodes in order.
    pub async fn run(mut self, receiver: mpsc::UnboundedReceiver<Command>) {
        write_all(&mut self, receiver).await;
        if let (Some(mut conn), Some(node)) = (self.conn.take(), self.node) {
            let left = match sql::expire_node(&mut conn, node).await {
                Ok(()) => conn.close().await,
                Err(error) => Err(error),
            };
            if let Err(error) = left {
                tracing::warn!(%error, "leaving the database failed; its lease will end by itself");
            }
        }
        self.link.closed.cancel();
    }

    /// The connection, and this process's number among the nodes.
    async fn connect(&mut self) -> Result<(&mut PgConnection, i64), Error> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.link.connect().await?,
        };
        while let Some(node) = self.disowned.last() {
            sql::expire_node(&mut conn, *node).await?;
            self.disowned.pop();
        }
        let node = match self.node {
            Some(node) => node,
            None => {
                let name = format!("{}:{}", host_name(), std::process::id());
                sql::begin(&mut conn).await?;
                let node = sql::insert_node(&mut conn, &name, self.link.lease).await?;
                sql::commit(&mut conn).await?;
                tracing::info!(node, "this process is node {node} of the database");
                node
            }
        };
        self.node = Some(node);
        self.link.node.store(node, Ordering::Relaxed);
        Ok((self.conn.insert(conn), node))
    }

    async fn undo(&mut self) {
        if let Some(conn) = &mut self.conn
            && sql::rollback(conn).await.is_err()
        {
            self.conn = None;
        }
    }

    /// One try: made, or an error and nothing made, or an outage and nobody knows.
    async fn pass(&mut self, batch: &Batch, passage: &mut Passage) -> Result<Passed, Error> {
        let link = self.link.clone();
        let (conn, node) = self.connect().await?;
        let Some(opening) = sql::open_batch(conn, node, passage.number, batch.submits.len()).await? else {
            let last = sql::select_batch(conn, node).await?;
            sql::rollback(conn).await?;
            let done = passage.done.take();
            let is_unknown = done.is_some();
            if let Some(done) = done.filter(|_| last == Some(passage.number)) {
                return Ok(Passed::Made(done));
            }
            tracing::warn!(
                node,
                "node {node} was silent for too long and was taken for dead: it begins anew"
            );
            self.node = None;
            return Ok(if is_unknown { Passed::Unknown } else { Passed::Not });
        };
        link.set_clock(sql::from_millis(opening.now));
        passage.done = None;
        let Opening { now, ids } = opening;
        let mut work = Work { conn, link: &link, node, now, ids: &ids, news: News::default() };
        let answers = work.apply(batch).await?;
        let done = Done { answers, news: std::mem::take(&mut work.news) };
        passage.done = Some(Box::new(done));
        sql::commit(conn).await?;
        Ok(passage.done.take().map_or(Passed::Not, Passed::Made))
    }

    /// Whether to try again after an outage, and the pause before that.
    async fn wait(&self, began: Instant, pause: &mut Duration) -> bool {
        if began.elapsed() > PATIENCE {
            return false;
        }
        let goes_on = tokio::select! {
            () = tokio::time::sleep(*pause) => true,
            () = self.link.closing.cancelled() => false,
        };
        *pause = (*pause * 2).min(PAUSES.1);
        goes_on
    }
}

impl Transact for Writer {
    async fn transact(&mut self, batch: &Batch) -> Result<Answers, StoreError> {
        self.batch += 1;
        let mut passage = Passage { number: self.batch, ..Passage::default() };
        let began = Instant::now();
        let (mut pause, mut conflicts) = (PAUSES.0, 0);
        loop {
            let passed = tokio::time::timeout(PATIENCE_OF_ONE, self.pass(batch, &mut passage)).await;
            let error = match passed {
                Ok(Ok(Passed::Made(done))) => {
                    self.link.announce(done.news);
                    return Ok(done.answers);
                }
                Ok(Ok(Passed::Not)) => continue,
                Ok(Ok(Passed::Unknown)) => {
                    let reason = "nobody remembers whether the last commit was made";
                    return Err(StoreError::Unavailable(reason.into()));
                }
                Ok(Err(error)) => error,
                Err(_) => Error::Io(std::io::ErrorKind::TimedOut.into()),
            };
            if is_conflict(&error) && conflicts < CONFLICTS {
                conflicts += 1;
                self.undo().await;
                continue;
            }
            if !is_outage(&error) {
                self.undo().await;
                return Err(refusal(error));
            }
            if self.conn.take().is_some() {
                tracing::warn!(%error, "the database cannot be reached; what was asked waits");
            }
            if !self.wait(began, &mut pause).await {
                // if the commit was made there are claims that nobody here knows of
                if passage.done.is_some() {
                    self.disowned.extend(self.node.take());
                }
                return Err(refusal(error));
            }
        }
    }
}

/// A transaction at work.
struct Work<'a> {
    conn: &'a mut PgConnection,
    link: &'a Link,
    node: i64,
    now: i64,
    ids: &'a [i64],
    news: News,
}

impl Work<'_> {
    async fn apply(&mut self, batch: &Batch) -> Result<Answers, Error> {
        let now = self.now;
        let mut answers = Answers::default();
        for write in &batch.recovers {
            answers.recovers.push(self.recover(write.input).await?);
        }
        if !batch.submits.is_empty() {
            answers.submits = self.submit(&batch.submits).await?;
        }
        if !batch.starts.is_empty() {
            let leases: Vec<Lease> = batch.starts.iter().map(|write| write.input).collect();
            let held = to_set(sql::start_jobs(self.conn, self.node, &leases, now).await?);
            answers.starts = leases.iter().map(|lease| held.contains(&lease.job)).collect();
        }
        if !batch.appends.is_empty() {
            answers.appends = self.append(&batch.appends).await?;
        }
        let ends = batch.ends(&answers.submits);
        if !ends.is_empty() {
            let ended = self.finish(&ends).await?;
            answers.take_ended(batch, ended);
        }
        if !batch.cancels.is_empty() {
            answers.cancels = self.cancel(&batch.cancels).await?;
        }
        for write in &batch.overdue {
            let (due, reason) = &write.input;
            let cancelled = waiting::cancel_overdue(self.conn, *due, reason, now).await?;
            self.news.changes.extend(cancelled.iter().map(|waiting| waiting.id));
            answers.overdue.push(cancelled);
        }
        if !batch.releases.is_empty() {
            let leases: Vec<Lease> = batch.releases.iter().map(|write| write.input).collect();
            let fronts = waiting::select_fronts(&mut *self.conn).await?;
            let held = to_set(sql::release_jobs(self.conn, self.node, &leases, fronts, now).await?);
            answers.releases = leases.iter().map(|lease| held.contains(&lease.job)).collect();
            self.news.work = true;
            self.news.changes.extend(held);
        }
        for write in &batch.promotes {
            answers.promotes.push(self.promote(write.input).await?);
        }
        for write in &batch.renewals {
            answers.renewals.push(self.renew(&write.input).await?);
        }
        for write in &batch.prunes {
            answers.prunes.push(self.prune(write.input).await?);
        }
        for write in &batch.claims {
            answers.claims.push(match write.input {
                Want::Ready(priority, limit) => {
                    sql::claim_ready(self.conn, self.node, priority, limit, now).await?
                }
                Want::Suspect => sql::claim_suspect(self.conn, self.node, now).await?,
            });
        }
        Ok(answers)
    }

    async fn recover(&mut self, max_deaths: u32) -> Result<u64, Error> {
        let dead = sql::delete_dead_nodes(self.conn, self.now).await?;
        if dead.is_empty() {
            return Ok(0);
        }
        let failed = sql::fail_deadly(self.conn, &dead, max_deaths, self.now).await?;
        let requeued = sql::requeue_claimed(self.conn, &dead, self.now).await?;
        let count = failed.len() + requeued.len();
        if count > 0 {
            tracing::info!(
                nodes = ?dead, failed = failed.len(), requeued = requeued.len(),
                "took back {count} jobs of nodes that are gone"
            );
        }
        self.news.work |= requeued.iter().any(|(_, waits)| *waits);
        self.news.changes.extend(failed.into_iter().chain(requeued.iter().map(|(id, _)| *id)).map(JobId));
        Ok(count as u64)
    }

    /// The next turns of the clients of these jobs.
    async fn turns(&mut self, jobs: impl Iterator<Item = (&ClientId, Priority)>) -> Result<Turns, Error> {
        let needed: BTreeSet<(&ClientId, Priority)> = jobs.collect();
        if needed.is_empty() { Ok(Turns::default()) } else { waiting::select_turns(self.conn, &needed).await }
    }

    async fn promote(&mut self, limit: u32) -> Result<Vec<Waiting>, Error> {
        let due = waiting::select_due(self.conn, limit, self.now).await?;
        if due.is_empty() {
            return Ok(due);
        }
        let mut turns = self.turns(due.iter().map(|job| (&job.client, job.priority))).await?;
        let queued: Vec<(JobId, i64)> =
            due.iter().map(|job| (job.id, turns.take(&job.client, job.priority))).collect();
        waiting::queue_jobs(self.conn, &queued).await?;
        self.news.work = true;
        Ok(due)
    }

    async fn submit(&mut self, writes: &[SubmitWrite]) -> Result<Vec<Stored>, Error> {
        let ids = self.ids.iter().copied().map(JobId);
        let now = sql::from_millis(self.now);
        let waits = |job: &NewJob| !job.claimed && job.due.is_none_or(|due| due <= now);
        let waiting = writes.iter().map(|write| &write.input.job).filter(|job| waits(job));
        let mut turns = self.turns(waiting.map(|job| (&job.client, job.priority))).await?;
        let mut turn = |job: &NewJob| match waits(job) {
            true => Some(turns.take(&job.client, job.priority)),
            // one that is claimed is past its turn
            false => job.claimed.then_some(0),
        };
        let jobs: Vec<(JobId, &NewJob, Option<i64>)> =
            ids.zip(writes).map(|(id, write)| (id, &write.input.job, turn(&write.input.job))).collect();
        let fresh = to_set(sql::insert_jobs(self.conn, &jobs, self.node, self.now).await?);
        self.news.work |= jobs.iter().any(|(id, job, _)| !job.claimed && fresh.contains(id));
        let mut stored = Vec::with_capacity(jobs.len());
        for (id, job, _) in jobs {
            let request_id = job.request_id.as_deref().filter(|_| !fresh.contains(&id));
            let existing = match request_id {
                None if fresh.contains(&id) => None,
                None => return Err(Error::Protocol(format!("the number {id} was given twice"))),
                Some(request_id) => {
                    let row = sql::select_by_request(&mut *self.conn, &job.client, request_id).await?;
                    Some(Box::new(row.ok_or(Error::RowNotFound)?))
                }
            };
            stored.push(existing.map_or(Stored::Fresh(id, sql::from_millis(self.now)), Stored::Existing));
        }
        Ok(stored)
    }

    async fn append(&mut self, writes: &[Write<(Lease, Chunk), bool>]) -> Result<Vec<bool>, Error> {
        let leases: Vec<Lease> = writes.iter().map(|write| write.input.0).collect();
        let held = to_set(sql::start_jobs(self.conn, self.node, &leases, self.now).await?);
        let chunks: Vec<(JobId, &Chunk)> = writes
            .iter()
            .map(|write| (write.input.0.job, &write.input.1))
            .filter(|(job, _)| held.contains(job))
            .collect();
        if !chunks.is_empty() {
            sql::insert_chunks(self.conn, &chunks).await?;
        }
        let answers = leases.iter().map(|lease| held.contains(&lease.job)).collect();
        self.news.changes.extend(held);
        Ok(answers)
    }

    async fn finish(&mut self, all: &[(Lease, &Finish)]) -> Result<Vec<Option<Ended>>, Error> {
        // what a run found out about a puzzle is true whether or not its lease holds
        let gathered =
            puzzles::gather(all.iter().filter_map(|(lease, end)| Some((lease.job, end.puzzle.as_ref()?))));
        let numbers = match gathered.is_empty() {
            true => BTreeMap::new(),
            false => puzzles::upsert_puzzles(self.conn, &gathered, self.now).await?,
        };
        let number = |end: &Finish| numbers.get(&end.puzzle.as_ref()?.digest()).copied();
        // the first of two ends is heard
        let mut ends: BTreeMap<(JobId, u32), (Lease, &Finish, Option<i64>)> = BTreeMap::new();
        for (lease, end) in all {
            ends.entry((lease.job, lease.attempt)).or_insert_with(|| (*lease, end, number(end)));
        }
        let rows: Vec<_> = ends.into_values().collect();
        let held = sql::finish_jobs(self.conn, self.node, &rows, self.now).await?;
        let held: BTreeSet<(i64, i64)> = held.into_iter().collect();
        let is_held = |lease: &Lease| held.contains(&(lease.job.0, i64::from(lease.attempt)));
        let mut ended: BTreeMap<JobId, Ended> = rows
            .iter()
            .filter(|(lease, _, _)| is_held(lease))
            .map(|(lease, _, puzzle)| {
                (lease.job, Ended { time: sql::from_millis(self.now), puzzle: puzzle.map(PuzzleId) })
            })
            .collect();
        self.news.changes.extend(ended.keys());
        let answer =
            |(lease, _): &(Lease, &Finish)| is_held(lease).then(|| ended.remove(&lease.job)).flatten();
        Ok(all.iter().map(answer).collect())
    }

    async fn cancel(
        &mut self,
        writes: &[Write<(JobId, String), Option<Waiting>>],
    ) -> Result<Vec<Option<Waiting>>, Error> {
        // the first reason is heard
        let mut wanted: BTreeMap<JobId, &str> = BTreeMap::new();
        for write in writes {
            let (id, reason) = &write.input;
            wanted.entry(*id).or_insert(reason);
        }
        let rows: Vec<(JobId, &str)> = wanted.into_iter().collect();
        let cancelled = waiting::cancel_waiting(self.conn, &rows, self.now).await?;
        let mut cancelled: BTreeMap<JobId, Waiting> =
            cancelled.into_iter().map(|waiting| (waiting.id, waiting)).collect();
        self.news.changes.extend(cancelled.keys());
        let rest: Vec<(JobId, &str)> =
            rows.into_iter().filter(|(id, _)| !cancelled.contains_key(id)).collect();
        if !rest.is_empty() {
            self.news.cancels.extend(to_set(sql::ask_owners(self.conn, &rest, self.node).await?));
        }
        Ok(writes.iter().map(|write| cancelled.remove(&write.input.0)).collect())
    }

    async fn renew(&mut self, leases: &[Lease]) -> Result<Vec<(Lease, Standing)>, Error> {
        let nodes = sql::count_nodes(self.conn).await?;
        self.link.nodes.store(nodes.max(1) as u64, Ordering::Relaxed);
        if leases.is_empty() {
            return Ok(Vec::new());
        }
        let held: BTreeMap<i64, Option<String>> =
            sql::select_standing(self.conn, self.node, leases).await?.into_iter().collect();
        let standing = |lease: &Lease| match held.get(&lease.job.0) {
            None => Some((*lease, Standing::Lost)),
            Some(cancel) => cancel.clone().map(|reason| (*lease, Standing::Cancel(reason))),
        };
        Ok(leases.iter().filter_map(standing).collect())
    }

    async fn prune(&mut self, prune: Prune) -> Result<Pruned, Error> {
        let window = sql::select_window(self.conn, prune.after, prune.limit).await?;
        let (ids, next) = prune.choose(&window, sql::to_millis(prune.before));
        let count = match prune.what {
            _ if ids.is_empty() => 0,
            PruneWhat::Jobs => sql::delete_jobs(self.conn, &ids).await?,
            PruneWhat::Traces => sql::delete_traces(self.conn, &ids).await?,
        };
        Ok(Pruned { count, next })
    }
}

fn to_set(ids: Vec<i64>) -> BTreeSet<JobId> {
    ids.into_iter().map(JobId).collect()
}

/// The name of this machine, for people.
fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "?".into(), |name| name.trim().into())
}
