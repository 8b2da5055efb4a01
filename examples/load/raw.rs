//! The raw limit of jobs: their rows in shared transactions through sqlx, with the daemon's schema, pragmas and texts,
//! and nothing else.

use std::path::Path;
use std::time::{Duration, Instant};

use sleuth::store::{Durability, SqliteStore, Store};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};

use crate::Fault;

/// Makes the tables.
pub async fn create(path: &Path) -> Result<(), Fault> {
    SqliteStore::open(path, Durability::Normal).await?.close().await?;
    Ok(())
}

/// A connection as the daemon's.
pub async fn connect(path: &Path, durability: Durability) -> Result<SqliteConnection, Fault> {
    let synchronous = match durability {
        Durability::Full => SqliteSynchronous::Full,
        Durability::Normal => SqliteSynchronous::Normal,
    };
    Ok(SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .disable_statement_logging()
        .connect()
        .await?)
}

/// What the daemon stored of a job.
pub struct Bodies {
    pub spec: String,
    pub result: String,
}

impl Bodies {
    /// Of the latest job that has succeeded.
    pub async fn read(path: &Path) -> Result<Bodies, Fault> {
        let mut conn = connect(path, Durability::Normal).await?;
        let (spec, result) = sqlx::query_as(
            "select job_specs.body, job_results.body from job_specs join job_results using (job)
             order by job desc limit 1",
        )
        .fetch_one(&mut conn)
        .await?;
        conn.close().await?;
        Ok(Bodies { spec, result })
    }
}

/// Stores jobs with their results for a while, so many in a transaction; how many a second.
pub async fn measure(raw: &Raw<'_>, time: Duration) -> Result<f64, Fault> {
    create(raw.database).await?;
    let mut conn = connect(raw.database, raw.durability).await?;
    let (statements, batch) = (Statements::new(raw.batch), raw.batch);
    let (mut began, mut first, mut count) = (Instant::now(), 1, 0);
    let warm = began + time / 4;
    let mut is_warm = false;
    while !is_warm || began.elapsed() < time {
        pass(&mut conn, &statements, raw, first).await?;
        first += batch as i64;
        count += batch;
        if !is_warm && Instant::now() >= warm {
            (is_warm, began, count) = (true, Instant::now(), 0);
        }
    }
    let rate = count as f64 / began.elapsed().as_secs_f64();
    conn.close().await?;
    Ok(rate)
}

/// What is to be measured.
pub struct Raw<'a> {
    pub database: &'a Path,
    pub durability: Durability,
    /// Jobs that come, and as many that end, in one transaction.
    pub batch: usize,
    pub bodies: &'a Bodies,
}

/// The texts of statements that write many rows at once.
struct Statements {
    jobs: String,
    specs: String,
    results: String,
}

impl Statements {
    fn new(batch: usize) -> Statements {
        let rows = |row: &str| vec![row; batch].join(", ");
        Statements {
            jobs: format!(
                "insert into jobs (id, client, kind, priority, state, owner, attempt, work, keep_trace, create_time)
                 values {}",
                rows("(?, 'local', 'solve', 'normal', 'queued', 'raw', 1, 1000000000000, 0, 1700000000000)")
            ),
            specs: format!("insert into job_specs (job, version, body) values {}", rows("(?, 1, ?)")),
            results: format!("insert into job_results (job, version, body) values {}", rows("(?, 1, ?)")),
        }
    }
}

/// One transaction: a batch of jobs comes, and the batch before has ended.
async fn pass(
    conn: &mut SqliteConnection,
    statements: &Statements,
    raw: &Raw<'_>,
    first: i64,
) -> Result<(), sqlx::Error> {
    let batch = raw.batch as i64;
    let ids = first..first + batch;
    sqlx::query("begin immediate").execute(&mut *conn).await?;
    let mut jobs = sqlx::query(AssertSqlSafe(statements.jobs.as_str()));
    for id in ids.clone() {
        jobs = jobs.bind(id);
    }
    jobs.execute(&mut *conn).await?;
    let mut specs = sqlx::query(AssertSqlSafe(statements.specs.as_str()));
    for id in ids {
        specs = specs.bind(id).bind(&raw.bodies.spec);
    }
    specs.execute(&mut *conn).await?;
    if first > batch {
        let before = first - batch..first;
        let mut results = sqlx::query(AssertSqlSafe(statements.results.as_str()));
        for id in before.clone() {
            results = results.bind(id).bind(&raw.bodies.result);
        }
        results.execute(&mut *conn).await?;
        sqlx::query(
            "update jobs set state = 'succeeded', owner = null, start_time = 1700000000000,
                 end_time = 1700000000001, last_sequence = 3
             where id >= ? and id < ? and attempt = 1 and owner is not null",
        )
        .bind(before.start)
        .bind(before.end)
        .execute(&mut *conn)
        .await?;
    }
    sqlx::query("commit").execute(&mut *conn).await?;
    Ok(())
}
