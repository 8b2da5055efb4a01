//! Several processes on one PostgreSQL: here as several [`Jobs`] in this one, each with a store of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sleuth::jobs::{JobId, JobState, Jobs, JobsError, Priority, Settings, Submission, TraceEvent};
use sleuth::store::{Options, PostgresStore, Store};

use super::harness::until;
use super::jobs::*;
use super::postgres::{Cluster, skip};

/// How long a node may be silent.
const LEASE: Duration = Duration::from_secs(2);

struct Node {
    jobs: Jobs,
    store: Arc<dyn Store>,
    gate: Gate,
}

impl Node {
    async fn start(url: &str, workers: usize) -> Node {
        let options = Options { lease: LEASE, ..Options::default() };
        let store: Arc<dyn Store> = Arc::new(PostgresStore::open(url, options).await.expect("opens"));
        let gate = Gate::default();
        let settings = Settings { workers, ..Settings::default() };
        let jobs = Jobs::start_with(store.clone(), settings, scripted(gate.clone())).await.expect("starts");
        Node { jobs, store, gate }
    }

    async fn submit(&self, script: u64) -> JobId {
        timely(self.jobs.submit(scripted_job(script))).await.expect("stored").job.id
    }

    /// Waits until a job is known to run, wherever that is.
    async fn wait_until_running(&self, id: JobId) {
        let running = async {
            while self.jobs.job(None, id).await.expect("is there").state != JobState::Running {
                tokio::task::yield_now().await;
            }
        };
        timely(running).await;
    }

    /// The end of a job, watched here.
    async fn watch_end(&self, id: JobId) -> sleuth::jobs::Job {
        let watcher = timely(self.jobs.watch(None, id, None)).await.expect("kept");
        job_of(&watch_all(watcher).await.expect("whole"))
    }

    async fn close(self) {
        self.gate.open();
        timely(self.jobs.shutdown(Duration::ZERO)).await;
        timely(self.store.close()).await.expect("closes");
    }
}

/// A database of the test's own.
pub async fn database(name: &str) -> Option<String> {
    match Cluster::shared() {
        Some(cluster) => Some(cluster.database(&format!("nodes-{name}-{}", std::process::id())).await),
        None => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_share_the_work_and_end_each_job_once() {
    let Some(url) = database("share").await else { return };
    let mut nodes = Vec::new();
    for _ in 0..4 {
        nodes.push(Node::start(&url, 1).await);
    }
    let submitters: Vec<_> = (0..8)
        .map(|number| {
            let jobs = nodes[number % 2].jobs.clone();
            tokio::spawn(async move {
                let mut ids = Vec::new();
                for _ in 0..60 {
                    ids.push(timely(jobs.submit(scripted_job(script::QUICK))).await.expect("stored").job.id);
                }
                ids
            })
        })
        .collect();
    let mut ids = BTreeSet::new();
    for submitter in submitters {
        ids.extend(timely(submitter).await.expect("no panic"));
    }
    assert_eq!(ids.len(), 480, "every job has a number of its own");
    for (number, id) in ids.into_iter().enumerate() {
        let job = nodes[number % 4].watch_end(id).await;
        assert_eq!((job.state, job.deaths), (JobState::Succeeded, 0), "{job:?}");
        assert!(job.outcome.is_some());
    }
    for node in nodes {
        node.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_watched_live_and_cancelled_from_another_node() {
    let Some(url) = database("watch").await else { return };
    let (one, other) = (Node::start(&url, 1).await, Node::start(&url, 1).await);
    let id = one.submit(script::ENDLESS).await;
    let mut watcher = timely(other.jobs.watch(None, id, None)).await.expect("live");
    let mut sequences = Vec::new();
    for _ in 0..2 {
        let entry = timely(watcher.next()).await.expect("more").expect("no fault");
        sequences.push(entry.sequence());
    }
    assert_eq!(sequences, [Some(1), Some(2)], "it runs still, and what it has done is seen");
    let began = Instant::now();
    let cancelled = timely(other.jobs.cancel(None, id)).await.expect("cancelled");
    let took = began.elapsed();
    assert_eq!(cancelled.state, JobState::Cancelled);
    assert_eq!(cancelled.reason.as_deref(), Some("cancelled on request"));
    println!("cancelled from another node in {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    let end = timely(watcher.next()).await.expect("the end").expect("no fault");
    assert!(matches!(end.event, TraceEvent::Finished(_)));
    assert_eq!(one.watch_end(id).await, cancelled);

    // one that is dropped where it was submitted is cancelled where it runs
    let mut run = one.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    follow_until_busy(&mut run).await;
    let mut waiting = one.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    let accepted =
        follow_until(&mut waiting, |event| matches!(event, sleuth::jobs::RunEvent::Accepted(_))).await;
    let Some(sleuth::jobs::RunEvent::Accepted(submitted)) = accepted.last() else { panic!("{accepted:?}") };
    let id = submitted.job.id;
    other.wait_until_running(id).await;
    drop(waiting);
    assert_eq!(other.watch_end(id).await.state, JobState::Cancelled);
    drop(run);
    one.close().await;
    other.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_wait_long_is_left_to_others() {
    let Some(url) = database("spread").await else { return };
    let busy = Node::start(&url, 1).await;
    let mut first = busy.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut first).await;
    let mut ids = Vec::new();
    for _ in 0..150 {
        ids.push(busy.submit(script::QUICK).await);
    }
    let idle = Node::start(&url, 1).await;
    // all but what the busy one keeps for itself end elsewhere
    let mut done = BTreeSet::new();
    let spread = async {
        while done.len() < 140 {
            for id in &ids {
                if idle.jobs.job(None, *id).await.expect("is there").state == JobState::Succeeded {
                    done.insert(*id);
                }
            }
        }
    };
    timely(spread).await;
    busy.gate.open();
    for id in ids {
        let job = idle.watch_end(id).await;
        assert_eq!((job.state, job.deaths), (JobState::Succeeded, 0));
    }
    follow_until(&mut first, is_finished).await;
    busy.close().await;
    idle.close().await;
}

/// A job may be cancelled at any time, that at which its node gives it back included.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_being_given_back_is_cancelled_as_well() {
    let Some(url) = database("back").await else { return };
    let node = Node::start(&url, 1).await;
    let mut first = node.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut first).await;
    let mut cancels = Vec::new();
    // they are given back when the first has run for a while, about half a second later
    for number in 0..400 {
        let id = node.submit(script::QUICK).await;
        let jobs = node.jobs.clone();
        cancels.push(tokio::spawn(async move {
            tokio::time::sleep(Duration::from_micros(1_500 * number)).await;
            timely(jobs.cancel(None, id)).await
        }));
    }
    for cancel in cancels {
        let job = cancel.await.expect("no panic").expect("nobody stops");
        assert_eq!(job.state, JobState::Cancelled);
    }
    node.gate.open();
    follow_until(&mut first, is_finished).await;
    node.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_leaves_is_taken_up_by_another() {
    let Some(url) = database("leave").await else { return };
    let (one, other) = (Node::start(&url, 1).await, Node::start(&url, 1).await);
    let id = one.submit(script::ENDLESS).await;
    one.wait_until_running(id).await;
    let mut watcher = timely(other.jobs.watch(None, id, None)).await.expect("live");
    let first = timely(watcher.next()).await.expect("more").expect("no fault");
    assert_eq!(first.event, TraceEvent::Started { attempt: 1 });
    let second = timely(watcher.next()).await.expect("more").expect("no fault");
    assert!(matches!(second.event, TraceEvent::Verdict(_)));
    // in order, so that nobody is to blame
    one.close().await;
    let next = timely(watcher.next()).await.expect("more").expect("no fault");
    assert_eq!(next.event, TraceEvent::Restarted { attempt: 2 });
    let job = timely(other.jobs.cancel(None, id)).await.expect("cancelled");
    assert_eq!((job.state, job.attempt, job.deaths), (JobState::Cancelled, 2, 0));
    other.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_submit_is_the_same_job_on_every_node() {
    let Some(url) = database("repeat").await else { return };
    let nodes = [Node::start(&url, 1).await, Node::start(&url, 1).await];
    let submission = Submission { request_id: Some("once".into()), ..scripted_job(script::QUICK) };
    let tasks: Vec<_> = (0..40)
        .map(|number: usize| {
            let (jobs, submission) = (nodes[number % 2].jobs.clone(), submission.clone());
            tokio::spawn(async move { jobs.submit(submission).await })
        })
        .collect();
    let mut ids = BTreeSet::new();
    let mut fresh = 0;
    for task in tasks {
        let submitted = timely(task).await.expect("no panic").expect("stored");
        fresh += usize::from(submitted.fresh);
        ids.insert(submitted.job.id);
    }
    assert_eq!((fresh, ids.len()), (1, 1));
    let other = Submission { priority: Priority::Bulk, ..submission };
    let refused = timely(nodes[1].jobs.submit(other)).await;
    assert!(matches!(refused, Err(JobsError::Conflict { field: "priority", .. })), "{refused:?}");
    for node in nodes {
        node.close().await;
    }
}

/// The server dies under load, three times; whatever was acknowledged ends, and ends once.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_live_through_deaths_of_the_server() {
    let Some(cluster) = Cluster::start(&["fsync=off"]) else { return skip().unwrap_or_default() };
    let url = cluster.database("deaths").await;
    let nodes = [Node::start(&url, 1).await, Node::start(&url, 1).await];
    let stop = tokio_util::sync::CancellationToken::new();
    let count = Arc::new(AtomicUsize::new(0));
    let submitters: Vec<_> = (0..6)
        .map(|number: usize| {
            let (jobs, stop, count) = (nodes[number % 2].jobs.clone(), stop.clone(), count.clone());
            tokio::spawn(async move {
                let mut ids = Vec::new();
                while !stop.is_cancelled() {
                    let submitted = jobs.submit(scripted_job(script::QUICK)).await;
                    ids.push(submitted.expect("stored, however long it takes").job.id);
                    count.fetch_add(1, Ordering::Relaxed);
                }
                ids
            })
        })
        .collect();
    let cluster = Arc::new(cluster);
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let cluster = cluster.clone();
        let back = tokio::task::spawn_blocking(move || {
            cluster.crash();
            cluster.revive();
        });
        back.await.expect("it comes back");
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    until("there was some load", async || (count.load(Ordering::Relaxed) > 60).then_some(())).await;
    stop.cancel();
    let mut ids = Vec::new();
    for submitter in submitters {
        ids.extend(timely(submitter).await.expect("no panic"));
    }
    assert!(ids.len() > 60, "there was some load: {}", ids.len());
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "every job has a number of its own");
    for (number, id) in ids.into_iter().enumerate() {
        let job = nodes[number % 2].watch_end(id).await;
        assert_eq!((job.state, job.deaths), (JobState::Succeeded, 0), "{job:?}");
    }
    for node in nodes {
        node.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deadlines_are_kept_wherever_a_job_waits() {
    let Some(url) = database("deadline").await else { return };
    let (one, other) = (Node::start(&url, 1).await, Node::start(&url, 1).await);
    let mut held = Vec::new();
    for node in [&one, &other] {
        let mut run = node.jobs.run(scripted_job(script::GATED)).expect("admitted");
        follow_until_busy(&mut run).await;
        held.push(run);
    }
    let time_limit = Some(Duration::from_millis(300));
    let late = Submission { time_limit, ..scripted_job(script::QUICK) };
    let id = timely(one.jobs.submit(late)).await.expect("stored").job.id;
    let job = other.watch_end(id).await;
    assert_eq!((job.state, job.reason.as_deref()), (JobState::Cancelled, Some("its deadline passed")));
    one.close().await;
    other.close().await;
}
