//! One file, one process: SQLite in WAL mode, one writer that batches, a pool of readers that never wait for it. `sql`,
//! `waiting` and `puzzles` hold the statements, `bulk` those for many rows, `heads` finds puzzles by their texts,
//! `checkpoint` copies the log beside the writer.

/// The condition of jobs that wait for a claim, as the indexes have it.
macro_rules! ready {
    () => {
        "state = 'queued' and owner is null and suspect = 0"
    };
}

mod bulk;
mod checkpoint;
mod fault;
mod file;
mod heads;
mod puzzles;
mod sql;
mod waiting;
mod writer;

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqlSafeStr, SqliteConnection, SqlitePool};
use tokio::task::{JoinError, JoinHandle};

use super::batch::{Command, Inlet, Write};
use super::news::Bulletin;
use super::row::*;
use super::{Answer, Clock, Durability, EarlyEnd, Page, Paged, Reply, Store, StoreError};
use checkpoint::Checkpoints;
use fault::refusal;
use writer::Writer;

/// The oldest library that does not spoil a file which two connections use (its WAL reset was at fault before).
const OLDEST_LIBRARY: [u32; 3] = [3, 51, 3];

/// Readers at a time.
const READERS: u32 = 4;

/// Memory for pages of the file that the writer keeps, in KiB: where puzzles stand in their index is anywhere, and each
/// page that is not kept is read again.
const WRITER_CACHE: u32 = 32 << 10;

/// Statements that the writer keeps prepared: some 20, several of them for a number of sizes.
const STATEMENTS: usize = 256;

/// A database file, owned by this process alone.
#[derive(Debug)]
pub struct SqliteStore {
    readers: SqlitePool,
    writer: Inlet,
    /// Who writes, and who copies the log.
    tasks: Mutex<Option<[JoinHandle<SqliteConnection>; 2]>>,
    /// Held as long as the store is open. A file beside the database: closing any handle of the database file
    /// itself would drop the locks that SQLite holds on it.
    lock: Mutex<Option<File>>,
    clock: Clock,
    /// Nobody else has the file, so nothing ever stands here.
    bulletin: Bulletin,
}

impl SqliteStore {
    /// Opens the file, or creates it, and brings its tables up to date.
    pub async fn open(path: &Path, durability: Durability) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_by(path, durability, Clock::default()).await
    }

    /// The same by another clock than the machine's.
    pub async fn open_by(
        path: &Path,
        durability: Durability,
        clock: Clock,
    ) -> Result<SqliteStore, StoreError> {
        let failed = |error: &dyn std::fmt::Display| StoreError::Open {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        let lock = lock(path)?;
        file::check(path).await.map_err(|error| failed(&error))?;
        let options = options(path, durability);
        let mut conn = options
            .clone()
            .statement_cache_capacity(STATEMENTS)
            .pragma("cache_size", format!("-{WRITER_CACHE}"))
            .pragma("wal_autocheckpoint", checkpoint::LAST_RESORT.to_string())
            .pragma("journal_size_limit", checkpoint::LONGEST_FILE.to_string())
            .connect()
            .await
            .map_err(|error| failed(&error))?;
        check_library(&mut conn).await.map_err(|error| failed(&error))?;
        migrate(&mut conn).await.map_err(|error| failed(&error))?;
        let owner = format!("{}-{}", std::process::id(), sql::to_millis(SystemTime::now()));
        let (checkpoints, copier) =
            Checkpoints::start(options.clone().connect().await.map_err(|error| failed(&error))?);
        let (sender, task) =
            Writer::start(conn, checkpoints, owner, clock.clone()).await.map_err(|error| failed(&error))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.create_if_missing(false).read_only(true))
            .await
            .map_err(|error| failed(&error))?;
        Ok(SqliteStore {
            readers,
            writer: Inlet::new(sender),
            tasks: Mutex::new(Some([task, copier])),
            lock: Mutex::new(Some(lock)),
            clock,
            bulletin: Bulletin::default(),
        })
    }
}

/// Takes the database for this process.
fn lock(path: &Path) -> Result<File, StoreError> {
    let name = path.display().to_string();
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let open = |error: std::io::Error| StoreError::Open { path: name.clone(), reason: error.to_string() };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(PathBuf::from(beside))
        .map_err(open)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: name }),
        Err(TryLockError::Error(error)) => Err(open(error)),
    }
}

fn options(path: &Path, durability: Durability) -> SqliteConnectOptions {
    let synchronous = match durability {
        Durability::Full => SqliteSynchronous::Full,
        Durability::Normal => SqliteSynchronous::Normal,
    };
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(Duration::from_secs(5))
        .disable_statement_logging()
}

async fn check_library(conn: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let version = sql::library_version(conn).await?;
    if is_new_enough(&version) {
        return Ok(());
    }
    let [major, minor, patch] = OLDEST_LIBRARY;
    Err(sqlx::Error::Configuration(
        format!("SQLite {version} is linked, and versions before {major}.{minor}.{patch} may spoil the file")
            .into(),
    ))
}

fn is_new_enough(version: &str) -> bool {
    let numbers: Option<Vec<u32>> = version.split('.').map(|number| number.parse().ok()).collect();
    numbers.is_some_and(|numbers| numbers.as_slice() >= OLDEST_LIBRARY.as_slice())
}

/// The tables' history, oldest first. What was merged is never edited.
const MIGRATIONS: &[(&str, &str)] = &[
    ("initial", include_str!("../../../migrations/sqlite/0001_initial.sql")),
    ("wishes", include_str!("../../../migrations/sqlite/0002_wishes.sql")),
    ("turns", include_str!("../../../migrations/sqlite/0003_turns.sql")),
    ("digests", include_str!("../../../migrations/sqlite/0004_digests.sql")),
    ("heads", include_str!("../../../migrations/sqlite/0005_heads.sql")),
];

fn migrator() -> Migrator {
    let migrations = MIGRATIONS.iter().zip(1..).map(|(&(name, text), version)| {
        Migration::new(version, name.into(), MigrationType::Simple, text.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Brings the tables up to date.
async fn migrate(conn: &mut SqliteConnection) -> Result<(), MigrateError> {
    // a table that others refer to may be made anew
    sql::look_at_references(conn, false).await?;
    migrator().run_direct(None, conn, false).await?;
    sql::look_at_references(conn, true).await?;
    Ok(())
}

impl Store for SqliteStore {
    fn is_shared(&self) -> bool {
        false
    }

    fn bulletin(&self) -> &Bulletin {
        &self.bulletin
    }

    fn sharers(&self) -> u64 {
        1
    }

    fn clock(&self) -> SystemTime {
        self.clock.now()
    }

    fn backlog(&self) -> Answer<'_, Backlog> {
        Box::pin(async { waiting::select_backlog(&self.readers).await.map_err(refusal) })
    }

    fn fronts(&self) -> Answer<'_, [Option<i64>; 3]> {
        Box::pin(async { waiting::select_fronts(&self.readers).await.map_err(refusal) })
    }

    fn promote_then(&self, limit: u32, reply: Reply<Vec<Waiting>>) {
        self.writer.send(Command::Promote(Write { input: limit, reply }));
    }

    fn next_due(&self) -> Answer<'_, Option<SystemTime>> {
        Box::pin(async { waiting::select_next_due(&self.readers).await.map_err(refusal) })
    }

    fn renew(&self, leases: Vec<Lease>) -> Answer<'_, Vec<(Lease, Standing)>> {
        self.writer.ask(leases, Command::Renew)
    }

    fn stages(&self, ids: Vec<JobId>) -> Answer<'_, Vec<(Lease, JobState)>> {
        Box::pin(async move { sql::select_stages(&self.readers, &ids).await.map_err(refusal) })
    }

    fn prune(&self, prune: Prune) -> Answer<'_, Pruned> {
        self.writer.ask(prune, Command::Prune)
    }

    fn recover(&self, max_deaths: u32) -> Answer<'_, u64> {
        self.writer.ask(max_deaths, Command::Recover)
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
        Box::pin(async { waiting::select_next_deadline(&self.readers).await.map_err(refusal) })
    }

    fn job_of_request(&self, client: ClientId, request_id: String) -> Answer<'_, Option<JobRow>> {
        Box::pin(
            async move { sql::select_by_request(&self.readers, &client, &request_id).await.map_err(refusal) },
        )
    }

    fn job(&self, id: JobId) -> Answer<'_, Option<JobRow>> {
        Box::pin(async move { sql::select_job(&self.readers, id).await.map_err(refusal) })
    }

    fn jobs(&self, filter: JobFilter, page: Page) -> Answer<'_, Paged<JobRow>> {
        Box::pin(async move {
            let below = page.after(&filter)?.unwrap_or(i64::MAX);
            let limit = page.limit();
            let rows = sql::select_jobs(&self.readers, &filter, below, limit + 1).await.map_err(refusal)?;
            Ok(Paged::cut(rows, limit, &filter, |row| row.id.0))
        })
    }

    fn trace(&self, id: JobId) -> Answer<'_, Vec<Chunk>> {
        Box::pin(async move { sql::select_trace(&self.readers, id).await.map_err(refusal) })
    }

    fn chunks(&self, lease: Lease, after: u64) -> Answer<'_, Vec<Chunk>> {
        Box::pin(async move { sql::select_chunks(&self.readers, lease, after).await.map_err(refusal) })
    }

    fn puzzle(&self, id: PuzzleId) -> Answer<'_, Option<PuzzleRow>> {
        Box::pin(async move { puzzles::select_puzzle(&self.readers, id).await.map_err(refusal) })
    }

    fn puzzles(&self, filter: PuzzleFilter, page: Page) -> Answer<'_, Paged<PuzzleRow>> {
        Box::pin(async move {
            let below = page.after(&filter)?.unwrap_or(i64::MAX);
            let limit = page.limit();
            let rows =
                puzzles::select_puzzles(&self.readers, &filter, below, limit + 1).await.map_err(refusal)?;
            Ok(Paged::cut(rows, limit, &filter, |row| row.id.0))
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async {
            self.writer.close();
            let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some([writer, copier]) = tasks else { return Ok(()) };
            let given_up = |error: JoinError| StoreError::Failed(error.to_string());
            let conn = writer.await.map_err(given_up)?;
            self.readers.close().await;
            copier.await.map_err(given_up)?.close().await.map_err(refusal)?;
            // the last to leave folds the log into the file and removes it, which readers may not
            conn.close().await.map_err(refusal)?;
            // unlocked, not just closed: a process that another thread is just starting holds the file for a moment more
            let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
            lock.map_or(Ok(()), |file| file.unlock())
                .map_err(|error| StoreError::Failed(error.to_string()))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::heads::Heads;
    use super::*;

    #[test]
    fn old_libraries_are_refused() {
        assert!(["3.51.3", "3.52.0", "4.0.0", "3.51.3.1"].iter().all(|version| is_new_enough(version)));
        assert!(["3.51.2", "3.40.1", "3.9.9", "", "new"].iter().all(|version| !is_new_enough(version)));
    }

    fn puzzle(text: &str) -> NewPuzzle {
        NewPuzzle {
            text: text.to_owned(),
            kind: "sudoku".to_owned(),
            size: 9,
            givens: ".".repeat(81),
            solutions: Some((0, true)),
            solution: None,
            rating: None,
            provenance: Provenance::Solved,
        }
    }

    /// A file of a version that found puzzles by their texts: they get their digests, keep their numbers, and are found.
    #[tokio::test]
    async fn puzzles_without_digests_get_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.sqlite");
        let count = 5_000;
        let mut conn = options(&path, Durability::Normal).connect().await.expect("a file");
        let old = Migrator::with_migrations(migrator().iter().take(3).cloned().collect());
        old.run_direct(None, &mut conn, false).await.expect("old tables");
        sqlx::raw_sql(
            "with recursive n (i) as (values (1) union all select i + 1 from n where i < 5000)
             insert into puzzles (id, text, kind, size, givens, provenance, create_time)
             select i, 'puzzle ' || i, 'sudoku', 9, '.', 'solved', 1 from n;
             insert into jobs (client, kind, priority, state, work, keep_trace, create_time, end_time, puzzle)
             values ('a', 'solve', 'normal', 'succeeded', 1, 0, 1, 2, 4999);
             delete from puzzles where id = 5000",
        )
        .execute(&mut conn)
        .await
        .expect("old rows");
        conn.close().await.expect("closed");

        SqliteStore::open(&path, Durability::Normal).await.expect("migrated").close().await.expect("closed");
        let mut conn = options(&path, Durability::Normal).connect().await.expect("a file");
        let rows: Vec<(i64, String, Vec<u8>)> =
            sqlx::query_as("select id, text, digest from puzzles order by id")
                .fetch_all(&mut conn)
                .await
                .expect("rows");
        assert_eq!(rows.len(), count - 1);
        for (row, id) in rows.iter().zip(1..) {
            assert_eq!((row.0, row.1.as_str()), (id, format!("puzzle {id}").as_str()));
            assert_eq!(row.2, digest_of(&row.1));
        }
        let broken: Vec<(String, i64)> =
            sqlx::query_as("select \"table\", rowid from pragma_foreign_key_check")
                .fetch_all(&mut conn)
                .await
                .expect("rows");
        assert_eq!(broken, []);
        let job: i64 =
            sqlx::query_scalar("select puzzle from jobs").fetch_one(&mut conn).await.expect("a job");
        assert_eq!(job, 4_999);
        assert_eq!(
            sql::last_puzzle_id(&mut conn).await.expect("a number"),
            5_000,
            "no number is given twice"
        );
        let now = SystemTime::now();
        let (known, new) = (puzzle("puzzle 17"), puzzle("another"));
        let mut heads = Heads::open(&mut conn, heads::MANY).await.expect("read");
        let puzzles = [(JobId(1), &new), (JobId(1), &known)];
        let ids = puzzles::keep_puzzles(&mut conn, &mut heads, &puzzles, &mut 5_000, now).await;
        assert_eq!(ids.expect("kept"), [PuzzleId(5_001), PuzzleId(17)]);
        sqlx::query("update jobs set puzzle = 77777").execute(&mut conn).await.expect_err("no such puzzle");
        conn.close().await.expect("closed");
    }

    /// However much is written at a time, the log begins anew again and again, and what it held is in the file.
    #[tokio::test]
    async fn the_log_stays_short() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long.sqlite");
        let store = SqliteStore::open(&path, Durability::Normal).await.expect("a store");
        let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
        let log = || size(folder.path().join("long.sqlite-wal"));
        let job = |bytes: usize| {
            let spec = Body { version: Body::VERSION, text: "x".repeat(bytes) };
            NewJob::plain(ClientId("a".into()), JobKind::Solve, spec)
        };
        let write = async |megabytes: usize| {
            for _ in 0..megabytes {
                let stored: Vec<Answer<'_, Stored>> = (0..32).map(|_| store.submit(job(32 << 10))).collect();
                for stored in stored {
                    stored.await.expect("it is stored");
                }
            }
        };
        // a commit each
        for _ in 0..3_000 {
            store.submit(job(1)).await.expect("it is stored");
        }
        assert!(log() >> 20 < 32, "{} bytes of log", log());
        write(125).await;
        let file = size(path.clone()) >> 20;
        assert!(log() >> 20 < 64, "{} bytes of log", log());
        assert!(file > 60, "{file} of some 125 MiB in the file");
        // one who reads all the while is in the way, and then no more
        let mut reader = options(&path, Durability::Normal).connect().await.expect("a reader");
        sqlx::raw_sql("begin; select count(*) from jobs").execute(&mut reader).await.expect("it reads");
        write(80).await;
        assert!(log() >> 20 > 80, "{} bytes of log", log());
        reader.close().await.expect("closed");
        write(80).await;
        assert!(log() >> 20 <= 64, "{} bytes of log", log());
        store.close().await.expect("closed");
        assert!(size(path) >> 20 > 280);
    }
}
