//! The store, through one suite for every implementation, and against a simple model.

mod model;
mod nodes;
mod outage;
mod suite;

use std::path::Path;
use std::sync::Arc;

use sleuth::store::{Answer, Durability, Options, PostgresStore, SqliteStore, Store, StoreError};

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
            model::check(open_postgres, seed).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_agrees_with_the_model() {
    for seed in 1..=25 {
        model::check(open_sqlite, seed).await;
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
