//! Real daemons on one PostgreSQL, killed and frozen as processes are, with a client outside that keeps the books.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sleuth::api::client::{Client, JobWishes};
use sleuth::engine::search::Verdict;
use sleuth::engine::solve::{Mode, SolveOptions};
use sleuth::jobs::{JobSpec, JobState};
use sleuth::puzzle::{PuzzleDraft, formats};

use crate::harness::{CLASSIC, Process, until};
use crate::nodes::database;

/// A daemon that may be silent for two seconds.
fn start(url: &str) -> Process {
    Process::start_on(url, &["--lease", "2", "--workers", "1"])
}

fn detached() -> JobWishes {
    JobWishes { detached: true, ..JobWishes::default() }
}

fn quick() -> JobSpec {
    let puzzle = std::sync::Arc::new(formats::read(CLASSIC).expect("a puzzle"));
    JobSpec::Solve { puzzle, options: SolveOptions::default() }
}

fn endless() -> JobSpec {
    let puzzle = std::sync::Arc::new(PuzzleDraft::latin(25).check().expect("a puzzle"));
    let options = SolveOptions { mode: Mode::SearchOnly, limit: u64::MAX, ..SolveOptions::default() };
    JobSpec::Solve { puzzle, options }
}

async fn wait_for_attempt(client: &Client, name: &str, attempt: u32) {
    until("the attempt runs", async || {
        let job = client.job(name).await.expect("is there");
        (job.state == JobState::Running && job.attempt == attempt).then_some(())
    })
    .await;
}

/// A node that was taken for dead comes back: its run is void, and it takes up new work as a new node.
#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_node_comes_too_late() {
    let Some(url) = database("frozen").await else { return };
    let frozen = start(&url);
    let client = frozen.client().await;
    let job = client.submit(&endless(), &detached()).await.expect("stored");
    wait_for_attempt(&client, &job.name, 1).await;
    let other = start(&url);
    let witness = other.client().await;
    frozen.freeze();
    wait_for_attempt(&witness, &job.name, 2).await;
    let taken = witness.job(&job.name).await.expect("is there");
    frozen.thaw();
    // it answers again, and says what the other one does
    let seen = client.job(&job.name).await.expect("it answers");
    assert_eq!((seen.attempt, seen.state), (2, JobState::Running));
    let next = client.submit(&quick(), &detached()).await.expect("it works again");
    let ended = until("the next job ends", async || {
        let job = witness.job(&next.name).await.expect("is there");
        job.state.is_final().then_some(job)
    })
    .await;
    // the one that is back may have claimed it before it knew that it had been taken for dead
    assert_eq!(ended.state, JobState::Succeeded, "attempt {}", ended.attempt);
    // cancelled through the one that does not run it
    let cancelled = client.cancel(&job.name).await.expect("cancelled");
    assert_eq!((cancelled.state, cancelled.attempt), (JobState::Cancelled, 2));
    assert_eq!(cancelled.start_time, taken.start_time, "it is the same run");
    for process in [frozen, other] {
        assert!(tokio::task::spawn_blocking(move || process.terminate()).await.expect("no panic").success());
    }
}

/// Nodes die by SIGKILL with work in their hands, and whatever was acknowledged is ended by those that are left.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_node_accepted_is_ended_by_others() {
    let Some(url) = database("killed").await else { return };
    let survivor = start(&url);
    let witness = survivor.client().await;
    let mut acknowledged = BTreeSet::new();
    for round in 0..3 {
        let victim = start(&url);
        let count = Arc::new(AtomicUsize::new(0));
        let submitters: Vec<_> = (0..4)
            .map(|_| {
                let (url, count) = (victim.url.clone(), count.clone());
                tokio::spawn(async move {
                    let client = Client::connect(&url).await.expect("a connection");
                    let mut names = Vec::new();
                    while let Ok(job) = client.submit(&quick(), &detached()).await {
                        names.push(job.name);
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                    names
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300 + 170 * round)).await;
        until("there is some load", async || (count.load(Ordering::Relaxed) > 8).then_some(())).await;
        victim.kill();
        for submitter in submitters {
            for name in submitter.await.expect("no panic") {
                assert!(acknowledged.insert(name), "a number is given once");
            }
        }
    }
    assert!(acknowledged.len() > 20, "there was some load: {}", acknowledged.len());
    for name in acknowledged {
        let job = until("it ends", async || {
            let job = witness.job(&name).await.expect("it was acknowledged");
            job.state.is_final().then_some(job)
        })
        .await;
        assert_eq!(job.state, JobState::Succeeded, "{job:?}");
        let outcome = job.outcome.expect("an outcome");
        let sleuth::jobs::JobOutcome::Solve(solve) = outcome else { panic!("a solve") };
        assert_eq!(solve.verdict, Some(Verdict::One));
    }
    assert!(tokio::task::spawn_blocking(move || survivor.terminate()).await.expect("no panic").success());
}
