//! A PostgreSQL server that any number of processes share. Each has one connection that writes in batches, some that
//! read, one that tells the others what is new and one that listens.
//!
//! A process is a row of `nodes`, which each of its commits renews; if it is silent for longer than its lease, others
//! remove the row and take its jobs back. Read `link` (what the connections share), `sql`, `waiting` and `puzzles` (the
//! statements), `writer`, `reader`, and `talk` (how processes wake one another).

/// The condition of jobs that wait for a claim, as the indexes have it.
macro_rules! ready {
    () => {
        "state = 'queued' and owner is null and not suspect"
    };
}

mod link;
mod puzzles;
mod reader;
mod sql;
mod talk;
mod text;
mod waiting;
mod writer;

use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Error, PgConnection, PgPool, SqlSafeStr};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::batch::{Command, Inlet, Write};
use super::news::Bulletin;
use super::row::*;
use super::url::{DatabaseUrl, Options};
use super::{Answer, EarlyEnd, Page, Paged, Reply, Store, StoreError};
use link::{Link, PATIENCE, PAUSES, is_outage, refusal};
use reader::Reader;
use writer::Writer;

/// Readers at a time.
const READERS: u32 = 8;

/// The version of the tables that this process knows. It also works on later ones that only add something.
const SCHEMA: i64 = 1;

/// The tables' history, oldest first. What was merged is never edited.
const MIGRATIONS: &[(&str, &str)] = &[
    ("initial", include_str!("../../../migrations/postgres/0001_initial.sql")),
    ("home", include_str!("../../../migrations/postgres/0002_home.sql")),
    ("wishes", include_str!("../../../migrations/postgres/0003_wishes.sql")),
    ("turns", include_str!("../../../migrations/postgres/0004_turns.sql")),
];

/// A database that other processes may use as well.
#[derive(Debug)]
pub struct PostgresStore {
    link: Arc<Link>,
    readers: PgPool,
    reader: Reader,
    writer: Inlet,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl PostgresStore {
    /// Connects, and brings the tables up to date. The database itself must be there.
    pub async fn open(url: &str, options: Options) -> Result<PostgresStore, StoreError> {
        let failed = |error: &dyn std::fmt::Display| StoreError::Open {
            path: DatabaseUrl::Postgres(url.to_owned()).to_string(),
            reason: error.to_string(),
        };
        let link = Arc::new(Link::new(url, options).map_err(|error| failed(&error))?);
        let mut conn = link.connect().await.map_err(|error| failed(&error))?;
        migrate(&mut conn).await.map_err(|error| failed(&error))?;
        let readers = PgPoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(Duration::from_secs(5))
            .connect_lazy_with(link.options());
        let (sender, receiver) = mpsc::unbounded_channel();
        let tasks = vec![
            tokio::spawn(Writer::new(link.clone(), conn).run(receiver)),
            tokio::spawn(talk::announce(link.clone())),
            tokio::spawn(talk::listen(link.clone())),
        ];
        let reader = Reader::start(link.clone(), readers.clone());
        let (writer, tasks) = (Inlet::new(sender), Mutex::new(tasks));
        Ok(PostgresStore { link, readers, reader, writer, tasks })
    }

    /// Reads, through an outage of the server if it is a short one.
    fn read<'a, T, F>(&'a self, query: impl Fn(PgPool) -> F + Send + Sync + 'a) -> Answer<'a, T>
    where
        T: Send + 'a,
        F: Future<Output = Result<T, Error>> + Send + 'a,
    {
        Box::pin(async move {
            let began = Instant::now();
            let mut pause = PAUSES.0;
            loop {
                let error = match query(self.readers.clone()).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => error,
                };
                let is_over = began.elapsed() > PATIENCE || self.link.closing.is_cancelled();
                if !is_outage(&error) || is_over {
                    return Err(refusal(error));
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        })
    }
}

async fn migrate(conn: &mut PgConnection) -> Result<(), Error> {
    let migrations = MIGRATIONS.iter().zip(1..).map(|(&(name, text), version)| {
        Migration::new(version, name.into(), MigrationType::Simple, text.into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    // a later version has been here, and says below whether this one may stay
    migrator.set_ignore_missing(true);
    migrator.run_direct(None, conn, false).await?;
    let needs = sql::select_needs(conn).await?;
    if needs > SCHEMA {
        let message =
            format!("its tables need version {needs} of a process, and this one knows version {SCHEMA}");
        return Err(Error::Configuration(message.into()));
    }
    Ok(())
}

impl Store for PostgresStore {
    fn is_shared(&self) -> bool {
        true
    }

    fn bulletin(&self) -> &Bulletin {
        &self.link.inbox
    }

    fn sharers(&self) -> u64 {
        self.link.nodes.load(Ordering::Relaxed)
    }

    fn clock(&self) -> SystemTime {
        self.link.clock()
    }

    fn recover(&self, max_deaths: u32) -> Answer<'_, u64> {
        self.writer.ask(max_deaths, Command::Recover)
    }

    fn backlog(&self) -> Answer<'_, Backlog> {
        self.read(|pool| async move { waiting::select_backlog(&pool).await })
    }

    fn fronts(&self) -> Answer<'_, [Option<i64>; 3]> {
        self.read(|pool| async move { waiting::select_fronts(&pool).await })
    }

    fn promote_then(&self, limit: u32, reply: Reply<Vec<Waiting>>) {
        self.writer.send(Command::Promote(Write { input: limit, reply }));
    }

    fn next_due(&self) -> Answer<'_, Option<SystemTime>> {
        self.read(|pool| async move { waiting::select_next_due(&pool).await })
    }

    fn renew(&self, leases: Vec<Lease>) -> Answer<'_, Vec<(Lease, Standing)>> {
        self.writer.ask(leases, Command::Renew)
    }

    fn submit_early(&self, job: NewJob, early: EarlyEnd, reply: Reply<Stored>) {
        self.writer.submit(job, early, reply);
    }

    fn claim(&self, want: Want) -> Answer<'_, Vec<JobRow>> {
        self.writer.ask(want, Command::Claim)
    }

    fn start(&self, lease: Lease) -> Answer<'_, bool> {
        self.writer.ask(lease, Command::Start)
    }

    fn append(&self, lease: Lease, chunk: Chunk) -> Answer<'_, bool> {
        self.writer.ask((lease, chunk), Command::Append)
    }

    fn finish_then(&self, lease: Lease, finish: Arc<Finish>, reply: Reply<Option<Ended>>) {
        self.writer.send(Command::Finish(Write { input: (lease, finish), reply }));
    }

    fn release(&self, lease: Lease) -> Answer<'_, bool> {
        self.writer.ask(lease, Command::Release)
    }

    fn cancel(&self, id: JobId, reason: String) -> Answer<'_, Option<Waiting>> {
        self.writer.ask((id, reason), Command::Cancel)
    }

    fn cancel_overdue(&self, now: SystemTime, reason: String) -> Answer<'_, Vec<Waiting>> {
        self.writer.ask((now, reason), Command::CancelOverdue)
    }

    fn next_deadline(&self) -> Answer<'_, Option<SystemTime>> {
        self.read(|pool| async move { waiting::select_next_deadline(&pool).await })
    }

    fn job_of_request(&self, client: ClientId, request_id: String) -> Answer<'_, Option<JobRow>> {
        self.read(move |pool| {
            let (client, request_id) = (client.clone(), request_id.clone());
            async move { sql::select_by_request(&pool, &client, &request_id).await }
        })
    }

    fn job(&self, id: JobId) -> Answer<'_, Option<JobRow>> {
        Box::pin(self.reader.job(id))
    }

    fn jobs(&self, filter: JobFilter, page: Page) -> Answer<'_, Paged<JobRow>> {
        Box::pin(async move {
            let below = page.after(&filter)?.unwrap_or(i64::MAX);
            let limit = page.limit();
            let read = |pool: PgPool| {
                let filter = &filter;
                async move { sql::select_jobs(&pool, filter, below, limit + 1).await }
            };
            let rows = self.read(read).await?;
            Ok(Paged::cut(rows, limit, &filter, |row| row.id.0))
        })
    }

    fn trace(&self, id: JobId) -> Answer<'_, Vec<Chunk>> {
        self.read(move |pool| async move { sql::select_trace(&pool, id).await })
    }

    fn chunks(&self, lease: Lease, after: u64) -> Answer<'_, Vec<Chunk>> {
        self.read(move |pool| async move { sql::select_chunks(&pool, lease, after).await })
    }

    fn stages(&self, ids: Vec<JobId>) -> Answer<'_, Vec<(Lease, JobState)>> {
        self.read(move |pool| {
            let ids = ids.clone();
            async move { sql::select_stages(&pool, &ids).await }
        })
    }

    fn prune(&self, prune: Prune) -> Answer<'_, Pruned> {
        self.writer.ask(prune, Command::Prune)
    }

    fn puzzle(&self, id: PuzzleId) -> Answer<'_, Option<PuzzleRow>> {
        self.read(move |pool| async move { puzzles::select_puzzle(&pool, id).await })
    }

    fn puzzles(&self, filter: PuzzleFilter, page: Page) -> Answer<'_, Paged<PuzzleRow>> {
        Box::pin(async move {
            let below = page.after(&filter)?.unwrap_or(i64::MAX);
            let limit = page.limit();
            let read = |pool: PgPool| {
                let filter = &filter;
                async move { puzzles::select_puzzles(&pool, filter, below, limit + 1).await }
            };
            let rows = self.read(read).await?;
            Ok(Paged::cut(rows, limit, &filter, |row| row.id.0))
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async {
            self.link.closing.cancel();
            self.writer.close();
            let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
            for task in tasks {
                task.await.map_err(|error| StoreError::Failed(error.to_string()))?;
            }
            self.readers.close().await;
            Ok(())
        })
    }
}
