//! A server of PostgreSQL that dies under load, again and again, and what was acknowledged.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sleuth::store::*;

use super::suite::{finish, job};
use crate::harness::until;
use crate::postgres::{Cluster, skip};

/// Deaths of the server.
const CRASHES: usize = 3;
/// Tasks that submit, claim and end jobs at the same time.
const CLIENTS: usize = 8;

/// What a client was told.
#[derive(Default)]
struct Books {
    submitted: Vec<(JobId, bool)>,
    ended: Vec<JobId>,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_the_server() {
    let Some(cluster) = Cluster::start(&["fsync=off"]) else { return skip().unwrap_or_default() };
    let url = cluster.database("outage").await;
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&url, Options::default()).await.expect("opens"));
    let stop = tokio_util::sync::CancellationToken::new();
    let count = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| tokio::spawn(work(store.clone(), client, count.clone(), stop.clone())))
        .collect();
    let cluster = Arc::new(cluster);
    for _ in 0..CRASHES {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let cluster = cluster.clone();
        let crashed = tokio::task::spawn_blocking(move || {
            cluster.crash();
            cluster.revive();
        });
        crashed.await.expect("it comes back");
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    until("there was some load", async || (count.load(Ordering::Relaxed) > 100).then_some(())).await;
    stop.cancel();
    let mut ended: BTreeMap<JobId, u32> = BTreeMap::new();
    let mut submitted = Vec::new();
    for client in clients {
        let books =
            tokio::time::timeout(Duration::from_secs(60), client).await.expect("ends").expect("no panic");
        submitted.extend(books.submitted);
        books.ended.iter().for_each(|id| *ended.entry(*id).or_default() += 1);
    }
    assert!(submitted.len() > 100, "there was some load: {}", submitted.len());
    assert!(ended.values().all(|&count| count == 1), "each has one end");
    for (id, is_claimed) in submitted {
        let row = store.job(id).await.expect("read").unwrap_or_else(|| panic!("{id} was acknowledged"));
        match ended.get(&id) {
            Some(_) => assert_eq!((row.state, row.attempt), (JobState::Succeeded, 1), "{id}"),
            None => assert_eq!((row.state, row.attempt), (JobState::Queued, u32::from(is_claimed)), "{id}"),
        }
    }
    // no claim was made that nobody was told of
    let page = Page { size: Page::MAX, token: None };
    let mut rest =
        store.jobs(JobFilter { state: Some(JobState::Running), ..JobFilter::default() }, page).await;
    assert_eq!(rest.as_mut().map(|paged| paged.items.len()), Ok(0));
    store.close().await.expect("closes");
}

/// Submits jobs, claimed and not, ends those that are claimed, and claims and ends what others left.
async fn work(
    store: Arc<dyn Store>,
    client: usize,
    count: Arc<AtomicUsize>,
    stop: tokio_util::sync::CancellationToken,
) -> Books {
    let mut books = Books::default();
    let mut number = 0;
    while !stop.is_cancelled() {
        number += 1;
        let claimed = number % 2 == 0;
        let new = NewJob { claimed, request_id: Some(number.to_string()), ..job(&client.to_string()) };
        match store.submit(new).await.expect("stored, however long it takes") {
            Stored::Fresh(id, _) => books.submitted.push((id, claimed)),
            Stored::Ended(id, _) => panic!("{id} has ended"),
            Stored::Existing(row) => panic!("{} was submitted twice", row.id),
        }
        count.fetch_add(1, Ordering::Relaxed);
        if claimed && number % 4 == 0 {
            let (id, _) = *books.submitted.last().expect("just now");
            end(&store, Lease { job: id, attempt: 1 }, &mut books).await;
        }
        for row in store.claim(Want::Ready(Priority::Normal, 1)).await.expect("claimed") {
            end(&store, Lease { job: row.id, attempt: row.attempt }, &mut books).await;
        }
    }
    books
}

async fn end(store: &Arc<dyn Store>, lease: Lease, books: &mut Books) {
    let ended = store.finish(lease, finish(JobState::Succeeded)).await.expect("written");
    assert!(ended.is_some(), "the lease of {} holds", lease.job);
    books.ended.push(lease.job);
}
