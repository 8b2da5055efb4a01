//! Two processes on one PostgreSQL, as two stores.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sleuth::store::*;
use sqlx::Connection;

use super::suite::{finish, job, submit};
use super::{TIMED_POSTGRES, Timed};
use crate::postgres::Cluster;

async fn open(url: &str, lease: Duration) -> Arc<dyn Store> {
    let options = Options { lease, ..Options::default() };
    Arc::new(PostgresStore::open(url, options).await.expect("opens"))
}

/// A store that says nothing for longer than its lease loses what it has claimed, and nothing that it writes about it
/// later is heard.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_silent_for_too_long_loses_its_claims() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database(&format!("silent-{}", std::process::id())).await;
    let silent = open(&url, Duration::from_millis(300)).await;
    let other = open(&url, Duration::from_secs(60)).await;
    let started = Lease { job: submit(&silent, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    let beside = Lease { job: submit(&silent, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    let unwanted = Lease { job: submit(&silent, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    assert_eq!(silent.start(started).await, Ok(true));
    assert_eq!(other.cancel(unwanted.job, "no need".into()).await, Ok(None));
    let asked = vec![(unwanted, Standing::Cancel("no need".into()))];
    assert_eq!(silent.renew(vec![started, beside, unwanted]).await, Ok(asked));
    let taken = async {
        while other.recover(3).await.expect("asked") < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), taken).await.expect("its lease ends");
    let row = async |id| other.job(id).await.expect("read").expect("is there");
    let (first, second, third) = (row(started.job).await, row(beside.job).await, row(unwanted.job).await);
    assert_eq!((first.state, first.deaths), (JobState::Queued, 1));
    assert_eq!((second.state, second.deaths), (JobState::Queued, 0), "it had not begun: nobody blames it");
    assert_eq!((third.state, third.reason.as_deref()), (JobState::Cancelled, Some("no need")));

    // before another has it, and after
    assert_eq!(silent.finish(beside, finish(JobState::Succeeded)).await, Ok(None));
    let again = other.claim(Want::Suspect).await.expect("claimed");
    assert_eq!(again.iter().map(|row| (row.id, row.attempt)).collect::<Vec<_>>(), [(started.job, 2)]);
    assert_eq!(silent.finish(started, finish(JobState::Succeeded)).await, Ok(None));
    assert_eq!(silent.release(started).await, Ok(false));
    let lost = silent.renew(vec![started, beside]).await;
    assert_eq!(lost, Ok(vec![(started, Standing::Lost), (beside, Standing::Lost)]));
    assert!(
        other
            .finish(Lease { attempt: 2, ..started }, finish(JobState::Succeeded))
            .await
            .expect("written")
            .is_some()
    );

    // it goes on as a new node
    let next = Lease { job: submit(&silent, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    assert_eq!(silent.start(next).await, Ok(true));
    assert!(silent.finish(next, finish(JobState::Succeeded)).await.expect("written").is_some());
    silent.close().await.expect("closes");
    other.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_does_the_other_hears() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database(&format!("news-{}", std::process::id())).await;
    let (one, other) = (open(&url, Duration::from_secs(60)).await, open(&url, Duration::from_secs(60)).await);
    let hear = async |what: &dyn Fn(&News) -> bool| {
        let heard = async { while !what(&other.bulletin().next().await) {} };
        tokio::time::timeout(Duration::from_secs(30), heard).await.expect("it is told");
    };
    hear(&|news| news.everything).await;
    let waiting = submit(&one, job("a")).await;
    hear(&|news| news.work).await;
    let lease = Lease { job: submit(&one, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    let chunk = Chunk { attempt: 1, first: 1, count: 1, format: 1, body: vec![1] };
    assert_eq!(one.append(lease, chunk).await, Ok(true));
    hear(&|news| news.changes.contains(&lease.job)).await;
    assert!(one.cancel(waiting, "x".into()).await.expect("written").is_some());
    hear(&|news| news.changes.contains(&waiting)).await;
    // the other way round
    let asked = async { while !one.bulletin().next().await.cancels.contains(&lease.job) {} };
    let (cancelled, asked) = tokio::join!(
        other.cancel(lease.job, "y".into()),
        tokio::time::timeout(Duration::from_secs(30), asked)
    );
    assert_eq!((cancelled, asked), (Ok(None), Ok(())));
    one.close().await.expect("closes");
    other.close().await.expect("closes");
}

/// A node of today on tables of tomorrow: what only adds is passed over, what would be misread is refused.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_process_lives_with_newer_tables() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database(&format!("tomorrow-{}", std::process::id())).await;
    let before = open(&url, Duration::from_secs(60)).await;
    let mut conn = sqlx::PgConnection::connect(&url).await.expect("connects");
    for statement in [
        "alter table jobs add column mood text not null default 'calm'",
        "alter table puzzles add column colour text",
        "create table moods (mood text primary key)",
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (9001, 'moods', true, '\\x00', 1)",
    ] {
        sqlx::query(statement).execute(&mut conn).await.expect("migrated");
    }
    let after = open(&url, Duration::from_secs(60)).await;
    for store in [&before, &after] {
        let lease = Lease { job: submit(store, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
        assert!(store.finish(lease, finish(JobState::Succeeded)).await.expect("written").is_some());
        assert_eq!(store.job(lease.job).await.expect("read").expect("is there").state, JobState::Succeeded);
    }
    // what a later process asks for is left to those that can read it
    let theirs =
        submit(&after, NewJob { spec: Body { version: Body::VERSION + 1, text: "?".into() }, ..job("a") })
            .await;
    let ours = submit(&after, job("a")).await;
    let claimed = async {
        loop {
            // the node that stored it has the first say
            let claimed = before.claim(Want::Ready(Priority::Normal, 9)).await.expect("claimed");
            if !claimed.is_empty() {
                return claimed;
            }
        }
    };
    let claimed =
        tokio::time::timeout(Duration::from_secs(30), claimed).await.expect("it is left to others soon");
    assert_eq!(claimed.iter().map(|row| row.id).collect::<Vec<_>>(), [ours]);
    assert_eq!(before.job(theirs).await.expect("read").expect("is there").state, JobState::Queued);
    before.close().await.expect("closes");
    after.close().await.expect("closes");
    sqlx::query("update schema_needs set version = 9001").execute(&mut conn).await.expect("migrated");
    let refused = PostgresStore::open(&url, Options::default()).await.map(drop);
    assert!(
        matches!(&refused, Err(StoreError::Open { reason, .. }) if reason.contains("9001")),
        "{refused:?}"
    );
    conn.close().await.expect("closes");
}

/// Leases are counted by the server's clock. If that is set ahead by more than a lease, processes take one another for
/// dead: what they run begins again, and nothing is lost or ended twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_clock_is_set_loses_nothing() {
    let Some(_) = Cluster::shared() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let Timed { open, set } = TIMED_POSTGRES;
    set(folder.path(), Duration::ZERO).await.expect("set");
    let (one, other) = (open(folder.path()).await.expect("opens"), open(folder.path()).await.expect("opens"));
    let lease = Lease { job: submit(&one, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    assert_eq!(one.start(lease).await, Ok(true));
    assert_eq!(other.recover(3).await, Ok(0));
    set(folder.path(), Duration::from_secs(3_600)).await.expect("set");
    assert_eq!(other.recover(3).await, Ok(1));
    assert_eq!(one.finish(lease, finish(JobState::Succeeded)).await, Ok(None));
    let again = other.claim(Want::Suspect).await.expect("claimed");
    assert_eq!(again.iter().map(|row| (row.id, row.attempt)).collect::<Vec<_>>(), [(lease.job, 2)]);
    // and back
    set(folder.path(), Duration::ZERO).await.expect("set");
    for store in [&one, &other] {
        assert_eq!(store.recover(3).await, Ok(0));
    }
    let lease = Lease { attempt: 2, ..lease };
    assert!(other.finish(lease, finish(JobState::Succeeded)).await.expect("written").is_some());
    one.close().await.expect("closes");
    other.close().await.expect("closes");
}

/// The clock is the server's, and goes on between two words of it.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_go_by_one_clock() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database(&format!("clock-{}", std::process::id())).await;
    let store = open(&url, Duration::from_secs(60)).await;
    let Ok(Stored::Fresh(_, time)) = store.submit(job("a")).await else { panic!("stored") };
    assert!(store.clock() >= time);
    let apart = store.clock().duration_since(SystemTime::now()).unwrap_or_else(|error| error.duration());
    assert!(apart < Duration::from_secs(5), "it is the same machine: {apart:?}");
    store.close().await.expect("closes");
}
