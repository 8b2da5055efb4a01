//! The store, through one suite for every implementation, and against a simple model.

mod encrypted;
mod model;
mod nodes;
mod outage;
mod suite;

use std::path::Path;
use std::sync::Arc;

use std::time::{Duration, SystemTime};

use sleuth::store::{Answer, Clock, Durability, Options, PostgresStore, SqliteStore, Store, StoreError};
use sqlx::{Connection, PgConnection};

use super::postgres::Cluster;

/// Opens a store in a folder: the same one each time.
type Open = fn(&Path) -> Answer<'_, Arc<dyn Store>>;

fn open_sqlite(folder: &Path) -> Answer<'_, Arc<dyn Store>> {
    Box::pin(async move {
        let store = SqliteStore::open(&folder.join("sleuth.db"), Durability::Normal).await?;
        Ok(Arc::new(store) as Arc<dyn Store>)
    })
}

fn open_postgres(folder: &Path) -> Answer<'_, Arc<dyn Store>> {
    Box::pin(async move {
        let cluster = Cluster::shared().expect("asked before");
        let name = folder.file_name().expect("a name").to_string_lossy();
        let store = PostgresStore::open(&cluster.database(&name).await, Options::default()).await?;
        Ok(Arc::new(store) as Arc<dyn Store>)
    })
}

/// A database whose clock can be set.
#[derive(Clone, Copy)]
struct Timed {
    open: Open,
    /// Sets the clock so far ahead of the true time.
    set: fn(&Path, Duration) -> Answer<'_, ()>,
}

/// The clock reads how far ahead it is from a file beside the database.
const TIMED_SQLITE: Timed = Timed {
    open: |folder| {
        Box::pin(async move {
            let (path, file) = (folder.join("sleuth.db"), folder.join("ahead"));
            let ahead =
                move || std::fs::read_to_string(&file).map_or(0, |text| text.parse().expect("a number"));
            let clock = Clock::new(move || SystemTime::now() + Duration::from_millis(ahead()));
            let store = SqliteStore::open_by(&path, Durability::Normal, clock).await?;
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
    },
    set: |folder, ahead| {
        Box::pin(async move {
            // in one step, so that nobody reads half of it
            let file = folder.join("ahead.new");
            std::fs::write(&file, ahead.as_millis().to_string()).expect("written");
            std::fs::rename(file, folder.join("ahead")).expect("renamed");
            Ok(())
        })
    },
};

/// A function of the database stands before the server's own clock, and adds what a table says.
const TIMED_POSTGRES: Timed = Timed {
    open: open_postgres,
    set: |folder, ahead| {
        Box::pin(async move {
            let cluster = Cluster::shared().expect("asked before");
            let name = folder.file_name().expect("a name").to_string_lossy();
            let url = cluster.database(&name).await;
            let mut conn = PgConnection::connect(&url).await.expect("connects");
            let made: Option<String> = sqlx::query_scalar("select to_regclass('clock.ahead')::text")
                .fetch_one(&mut conn)
                .await
                .expect("asked");
            if made.is_none() {
                sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
                    "create schema clock; create table clock.ahead (millis bigint); insert into clock.ahead values (0);
                     create function clock.clock_timestamp() returns timestamptz language sql volatile as
                         $$select pg_catalog.clock_timestamp() + (select millis from clock.ahead) * interval '1 ms'$$;
                     alter database \"{name}\" set search_path = clock, pg_catalog, public"
                )))
                .execute(&mut conn)
                .await
                .expect("made");
            }
            sqlx::query("update clock.ahead set millis = $1")
                .bind(ahead.as_millis() as i64)
                .execute(&mut conn)
                .await
                .expect("set");
            conn.close().await.expect("closes");
            Ok(())
        })
    },
};

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_keeps_the_contract() {
    suite::check(open_sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_keeps_the_contract() {
    if Cluster::shared().is_some() {
        suite::check(open_postgres).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_agrees_with_the_model() {
    if Cluster::shared().is_some() {
        for seed in 1..=8 {
            model::check(TIMED_POSTGRES, seed).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_agrees_with_the_model() {
    for seed in 1..=25 {
        model::check(TIMED_SQLITE, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_has_one_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sleuth.db");
    let first = SqliteStore::open(&path, Durability::Full).await.expect("opens");
    let second = SqliteStore::open(&path, Durability::Full).await;
    assert!(matches!(second, Err(StoreError::InUse { .. })), "{second:?}");
    first.close().await.expect("closes");
    let third = SqliteStore::open(&path, Durability::Full).await.expect("opens again");
    third.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_database_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sleuth.db");
    std::fs::write(
        &path,
        "this is a letter, not a database, and it is long enough to be taken for one".repeat(99),
    )
    .expect("written");
    let opened = SqliteStore::open(&path, Durability::Full).await;
    assert!(matches!(&opened, Err(StoreError::Open { .. })), "{opened:?}");
    let opened = SqliteStore::open(&folder.path().join("no/such/folder.db"), Durability::Full).await;
    assert!(matches!(&opened, Err(StoreError::Open { .. })), "{opened:?}");
}
