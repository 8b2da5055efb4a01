//! Stored traces that somebody has changed by hand: they are refused by name, and not told as if they had happened.

use sleuth::jobs::{Cursor, JobsError, Settings, TraceEntry};
use sleuth::store::StoreError;
use sqlx::{Connection, SqliteConnection};

use super::*;

/// A finished job in a database that nobody has open.
struct Stored {
    folder: TempDir,
    entries: Vec<TraceEntry>,
    job: Job,
}

impl Stored {
    async fn new() -> Stored {
        let bench = Bench::real(Settings::default()).await;
        let mut run = bench.jobs.run(solve(classic())).expect("admitted");
        let (entries, job) = follow(&mut run).await;
        Stored { folder: bench.close().await, entries, job }
    }

    /// Changes something in the database; the rows that a statement has changed.
    async fn change(&self, statement: &str, with: Option<&[u8]>) -> u64 {
        let url = format!("sqlite://{}", self.folder.path().join("sleuth.db").display());
        let mut conn = SqliteConnection::connect(&url).await.expect("opens");
        let mut query = sqlx::query(sqlx::AssertSqlSafe(statement)).bind(self.job.id.0);
        if let Some(bytes) = with {
            query = query.bind(bytes);
        }
        let changed = query.execute(&mut conn).await.expect("changed").rows_affected();
        conn.close().await.expect("closes");
        changed
    }

    /// The trace, which is short enough to be stored as text.
    async fn body(&self) -> String {
        let url = format!("sqlite://{}", self.folder.path().join("sleuth.db").display());
        let mut conn = SqliteConnection::connect(&url).await.expect("opens");
        let body: Vec<u8> = sqlx::query_scalar("select body from traces where job = ?")
            .bind(self.job.id.0)
            .fetch_one(&mut conn)
            .await
            .expect("a trace");
        conn.close().await.expect("closes");
        String::from_utf8(body).expect("text")
    }

    /// What another process tells of the trace after this cursor.
    async fn watch(&mut self, after: Option<Cursor>) -> Result<Vec<TraceEntry>, JobsError> {
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a folder"));
        let bench = Bench::on(folder, Settings::default()).await;
        let watched = match timely(bench.jobs.watch(None, self.job.id, after)).await {
            Ok(watcher) => watch_all(watcher).await,
            Err(error) => Err(error),
        };
        self.folder = bench.close().await;
        watched
    }

    /// It is refused from every cursor that needs the stored entries, with the job's name and this reason.
    async fn assert_broken(&mut self, reason: &str) {
        for after in [None, Some(self.entries[10].cursor)] {
            let error = self.watch(after).await.expect_err("it is broken");
            let JobsError::Store(StoreError::Unreadable { what, reason: told }) = &error else {
                panic!("{error}")
            };
            assert_eq!(what, &format!("the trace of {}", self.job.id));
            assert!(told.contains(reason), "{told}");
        }
        // the end is not in the trace
        let last = self.entries.len() - 1;
        let end = self.watch(Some(self.entries[last - 1].cursor)).await;
        assert_eq!(end.as_deref(), Ok(&self.entries[last..]));
    }
}

const SET_BODY: &str = "update traces set body = ?2 where job = ?1";

/// The place of a single, its cell, its digit and its house, as it is stored.
fn first_with_house(body: &str) -> (&str, Vec<u16>) {
    let steps = &body[body.find("\"steps\":[").expect("singles") + 9..];
    let texts = steps.split_inclusive(']').map(|text| text.trim_start_matches(','));
    let texts = texts.map(|text| &text[..text.len() - 1]);
    let numbers =
        |text: &str| text[1..].split(',').map(|number| number.parse().ok()).collect::<Option<Vec<u16>>>();
    texts.filter_map(|text| numbers(text).map(|numbers| (text, numbers))).next().expect("a hidden single")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_single_with_another_house_is_refused() {
    let mut stored = Stored::new().await;
    assert_eq!(stored.watch(None).await, Ok(stored.entries.clone()));
    let body = stored.body().await;
    let (single, numbers) = first_with_house(&body);
    let mut refused = 0;
    for house in 0..27 {
        if house == numbers[3] {
            continue;
        }
        let other = format!("[{},{},{},{house}", numbers[0], numbers[1], numbers[2]);
        let changed = body.replacen(single, &other, 1);
        assert_ne!(changed, body);
        assert_eq!(stored.change(SET_BODY, Some(changed.as_bytes())).await, 1);
        let puzzle = classic();
        let cells = &puzzle.houses()[usize::from(house)].cells;
        if cells.iter().any(|cell| cell.index() == usize::from(numbers[1])) {
            // the cell lies in it, and the digit may have another place there or none
            if let Err(error) = stored.watch(None).await {
                assert!(error.to_string().contains("does not give"), "{error}");
                refused += 1;
            }
        } else {
            stored.assert_broken("a single that the puzzle does not have").await;
            refused += 1;
        }
    }
    assert!(refused >= 24);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_is_shorter_or_longer_than_its_job_says_is_refused() {
    let mut stored = Stored::new().await;
    let count = stored.entries.len() - 1;
    for (by, wanted) in [(1, count + 1), (-1, count - 1)] {
        stored
            .change(&format!("update jobs set last_sequence = last_sequence + {by} where id = ?1"), None)
            .await;
        let error = stored.watch(None).await.expect_err("it is broken");
        let reason = format!(
            "the trace of {} cannot be read: it has {count} entries before its end instead of {wanted}",
            stored.job.id
        );
        assert_eq!(error.to_string(), reason);
        stored
            .change(&format!("update jobs set last_sequence = last_sequence - {by} where id = ?1"), None)
            .await;
    }
    let body = stored.body().await;
    let shorter = body.lines().next().expect("a line").to_owned();
    stored.change(SET_BODY, Some(shorter.as_bytes())).await;
    stored.assert_broken(&format!("1 entries instead of {count}")).await;
    stored.change("update traces set count = 1 where job = ?1", None).await;
    stored.assert_broken(&format!("it has 1 entries before its end instead of {count}")).await;
    let parts = "insert into trace_chunks (job, attempt, first_sequence, count, format, body)
        select job, attempt, 2, count, format, body from traces where job = ?1";
    stored.change(parts, None).await;
    stored.change("delete from traces where job = ?1", None).await;
    stored.assert_broken("entry 2 of attempt 1 follows where entry 1 of attempt 1 should").await;
    // what was let go of as a whole is not broken
    assert_eq!(stored.change("delete from trace_chunks where job = ?1", None).await, 1);
    assert_eq!(stored.watch(None).await, Err(JobsError::NotKept(stored.job.id)));
}

/// A body that is none at all.
#[tokio::test(flavor = "multi_thread")]
async fn a_trace_of_something_else_is_refused() {
    let mut stored = Stored::new().await;
    let id: JobId = stored.job.id;
    stored.change(SET_BODY, Some(b"\xff\xff")).await;
    let error = stored.watch(None).await.expect_err("it is broken");
    assert!(error.to_string().starts_with(&format!("the trace of {id} cannot be read: ")), "{error}");
    stored.change("update traces set format = 99 where job = ?1", None).await;
    stored.assert_broken("trace format 99 is not known here").await;
}
