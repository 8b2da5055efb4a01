//! The raw limit of jobs: their rows in shared transactions through sqlx, with the daemon's schema, pragmas and texts,
//! and nothing else. The log is copied into the file as SQLite does it by itself, by the writer after a thousand pages.

use std::future::Future;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sleuth::store::{Durability, SqliteStore, Store};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

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
        .statement_cache_capacity(2_048)
        .disable_statement_logging()
        .connect()
        .await?)
}

/// What the daemon stored of a job.
pub struct Bodies {
    pub spec: String,
    pub result: String,
    /// If it was kept.
    pub trace: Option<Trace>,
}

/// How many entries, the form of the body, and the body.
type Trace = (i64, i64, Vec<u8>);

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
        let trace = sqlx::query_as("select count, format, body from traces order by job desc limit 1")
            .fetch_optional(&mut conn)
            .await?;
        conn.close().await?;
        Ok(Bodies { spec, result, trace })
    }
}

/// What is to be measured.
pub struct Raw<'a> {
    pub database: &'a Path,
    pub durability: Durability,
    /// Jobs under way at a time.
    pub in_flight: usize,
    pub bodies: Arc<Bodies>,
}

/// Group commit: so many tasks, each of which has a job stored, and once that is durable its end, and so on; one writer
/// shares commits among all that wait. How many jobs a second.
pub async fn measure(raw: &Raw<'_>, time: Duration) -> Result<f64, Fault> {
    let (sender, writer) = open(raw).await?;
    let ended = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..raw.in_flight {
        tasks.spawn(run_jobs(sender.clone(), ended.clone()));
    }
    drop(sender);
    let watch = async {
        tokio::time::sleep(time / 4).await;
        let (before, began) = (ended.load(Ordering::Relaxed), Instant::now());
        tokio::time::sleep(time).await;
        let rate = (ended.load(Ordering::Relaxed) - before) as f64 / began.elapsed().as_secs_f64();
        // the writer ends with them
        tasks.shutdown().await;
        rate
    };
    let (written, rate) = tokio::join!(writer, watch);
    written?;
    Ok(rate)
}

/// The way to a new database, and what writes it until nobody can send it anything more.
pub async fn open(
    raw: &Raw<'_>,
) -> Result<(Writer, impl Future<Output = Result<(), sqlx::Error>> + use<>), Fault> {
    create(raw.database).await?;
    let conn = connect(raw.database, raw.durability).await?;
    let (sender, receiver) = mpsc::channel(raw.in_flight);
    Ok((sender, write(conn, receiver, raw.bodies.clone(), raw.in_flight)))
}

/// The way to whoever writes.
pub type Writer = mpsc::Sender<Write>;

/// A write, and whom to tell the number of its job.
pub struct Write {
    /// The job that has ended; none for a new one.
    end: Option<i64>,
    done: oneshot::Sender<i64>,
}

async fn run_jobs(writer: Writer, ended: Arc<AtomicU64>) {
    while let Some(job) = store(&writer, None).await {
        if store(&writer, Some(job)).await.is_none() {
            return;
        }
        ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// The job's number, once what is asked for is durable; none once the writer has gone.
pub async fn store(writer: &Writer, end: Option<i64>) -> Option<i64> {
    let (done, answer) = oneshot::channel();
    writer.send(Write { end, done }).await.ok()?;
    answer.await.ok()
}

async fn write(
    mut conn: SqliteConnection,
    mut receiver: mpsc::Receiver<Write>,
    bodies: Arc<Bodies>,
    most: usize,
) -> Result<(), sqlx::Error> {
    let statements = Statements::new(most);
    let (mut writes, mut last) = (Vec::new(), 0);
    while receiver.recv_many(&mut writes, most).await > 0 {
        let (ends, begins): (Vec<Write>, Vec<Write>) =
            writes.drain(..).partition(|write| write.end.is_some());
        let first = last + 1;
        last += begins.len() as i64;
        let ended: Vec<i64> = ends.iter().filter_map(|write| write.end).collect();
        commit(&mut conn, &statements, &bodies, first..last + 1, &ended).await?;
        for (write, job) in begins.into_iter().zip(first..).chain(ends.into_iter().zip(ended)) {
            // whoever asked may have been stopped
            let _ = write.done.send(job);
        }
    }
    conn.close().await
}

/// The texts of statements by how many rows they write.
struct Statements {
    jobs: Vec<String>,
    specs: Vec<String>,
    results: Vec<String>,
    traces: Vec<String>,
    ends: Vec<String>,
}

impl Statements {
    fn new(most: usize) -> Statements {
        let texts = |head: &str, row: &str, tail: &str| {
            (0..=most).map(|count| format!("{head} {} {tail}", vec![row; count].join(", "))).collect()
        };
        Statements {
            jobs: texts(
                "insert into jobs (id, client, kind, priority, state, owner, attempt, work, keep_trace, create_time,
                     turn) values",
                "(?, 'local', 'solve', 'normal', 'queued', 'raw', 1, 1000000000000, 0, 1700000000000, 0)",
                "",
            ),
            specs: texts("insert into job_specs (job, version, body) values", "(?, 1, ?)", ""),
            results: texts("insert into job_results (job, version, body) values", "(?, 1, ?)", ""),
            traces: texts("insert into traces (job, attempt, count, format, body) values", "(?, 1, ?, ?, ?)", ""),
            ends: texts(
                "update jobs set state = 'succeeded', owner = null, start_time = 1700000000000,
                     end_time = 1700000000001, last_sequence = 3
                 where attempt = 1 and owner is not null and id in (",
                "?",
                ")",
            ),
        }
    }
}

/// One transaction: some jobs come, others have ended.
async fn commit(
    conn: &mut SqliteConnection,
    statements: &Statements,
    bodies: &Bodies,
    begun: Range<i64>,
    ended: &[i64],
) -> Result<(), sqlx::Error> {
    let count = (begun.end - begun.start) as usize;
    sqlx::query("begin immediate").execute(&mut *conn).await?;
    if count > 0 {
        let jobs = sqlx::query(AssertSqlSafe(statements.jobs[count].as_str()));
        begun.clone().fold(jobs, |query, id| query.bind(id)).execute(&mut *conn).await?;
        let specs = sqlx::query(AssertSqlSafe(statements.specs[count].as_str()));
        begun.fold(specs, |query, id| query.bind(id).bind(&bodies.spec)).execute(&mut *conn).await?;
    }
    if !ended.is_empty() {
        let results = sqlx::query(AssertSqlSafe(statements.results[ended.len()].as_str()));
        let results = ended.iter().fold(results, |query, id| query.bind(*id).bind(&bodies.result));
        results.execute(&mut *conn).await?;
        if let Some((count, format, body)) = &bodies.trace {
            let traces = sqlx::query(AssertSqlSafe(statements.traces[ended.len()].as_str()));
            let traces =
                ended.iter().fold(traces, |query, id| query.bind(*id).bind(count).bind(format).bind(body));
            traces.execute(&mut *conn).await?;
        }
        let ends = sqlx::query(AssertSqlSafe(statements.ends[ended.len()].as_str()));
        ended.iter().fold(ends, |query, id| query.bind(*id)).execute(&mut *conn).await?;
    }
    sqlx::query("commit").execute(&mut *conn).await.map(drop)
}
