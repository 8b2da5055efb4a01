//! What dies, and what must survive it. (Killing the real daemon is for the test of the whole.)

use std::time::Duration;

use sleuth::jobs::{JobState, JobsError, RunEvent, Settings, TraceEvent};
use sleuth::store::Page;

use super::jobs::*;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_shutdown_leaves_is_taken_up_again() {
    let bench = Bench::scripted(one_worker()).await;
    let running = timely(bench.jobs.submit(scripted_job(script::ENDLESS))).await.expect("stored").job.id;
    let mut watcher = timely(bench.jobs.watch(None, running, None)).await.expect("live");
    let mut seen = None;
    for _ in 0..2 {
        seen = Some(timely(watcher.next()).await.expect("more").expect("no fault").cursor);
    }
    let mut waiting = Vec::new();
    for _ in 0..200 {
        waiting.push(timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored").job.id);
    }
    let folder = bench.close().await;

    let bench = Bench::on(folder, Settings { workers: 2, ..Settings::default() }).await;
    for id in waiting {
        let entries = watch_all(timely(bench.jobs.watch(None, id, None)).await.expect("kept")).await;
        let job = job_of(&entries.expect("whole"));
        assert_eq!((job.state, job.deaths), (JobState::Succeeded, 0));
    }
    let job = timely(bench.jobs.job(None, running)).await.expect("is there");
    assert_eq!((job.state, job.attempt, job.deaths), (JobState::Running, 2, 0));
    let mut watcher = timely(bench.jobs.watch(None, running, seen)).await.expect("live");
    let first = timely(watcher.next()).await.expect("more").expect("no fault");
    assert_eq!(first.event, TraceEvent::Restarted { attempt: 2 });
    assert_eq!(first.sequence(), None);
    let second = timely(watcher.next()).await.expect("more").expect("no fault");
    assert_eq!((second.cursor.sequence, &second.event), (1, &TraceEvent::Started { attempt: 2 }));
    timely(bench.jobs.cancel(None, running)).await.expect("cancelled");
    bench.close().await;
}

/// The store is closed under running jobs, as a death would: nothing is given back, nothing more is written.
#[tokio::test(flavor = "multi_thread")]
async fn every_acknowledged_job_survives_a_death_and_ends_once() {
    let mut folder = tempfile::tempdir().expect("a folder");
    let mut acknowledged = Vec::new();
    for round in 0..5 {
        let bench = Bench::on(folder, Settings { workers: 2, ..Settings::default() }).await;
        let (sender, mut accepted) = tokio::sync::mpsc::unbounded_channel();
        let submitters: Vec<_> = (0..8)
            .map(|_| {
                let (jobs, sender) = (bench.jobs.clone(), sender.clone());
                tokio::spawn(async move {
                    while let Ok(submitted) = jobs.submit(scripted_job(script::QUICK)).await {
                        sender.send(submitted.job.id).expect("the test listens");
                    }
                })
            })
            .collect();
        for _ in 0..100 + 37 * round {
            acknowledged.push(timely(accepted.recv()).await.expect("one more"));
        }
        bench.store.close().await.expect("closes");
        for submitter in submitters {
            timely(submitter).await.expect("no panic");
        }
        drop(sender);
        while let Some(id) = accepted.recv().await {
            acknowledged.push(id);
        }
        timely(bench.jobs.shutdown(Duration::ZERO)).await;
        folder = bench.folder;
    }
    let bench = Bench::on(folder, Settings { workers: 2, ..Settings::default() }).await;
    let count = acknowledged.len();
    acknowledged.sort_unstable();
    acknowledged.dedup();
    assert_eq!(acknowledged.len(), count, "every job was acknowledged once");
    for &id in &acknowledged {
        let entries = watch_all(timely(bench.jobs.watch(None, id, None)).await.expect("kept")).await;
        let job = job_of(&entries.expect("whole"));
        assert_eq!(job.state, JobState::Succeeded, "{job:?}");
        assert!(job.outcome.is_some());
    }
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_kills_fails_and_spares_its_neighbours() {
    let mut folder = tempfile::tempdir().expect("a folder");
    let mut killer = None;
    for death in 0..3 {
        let bench = Bench::on(folder, one_worker()).await;
        let id = match killer {
            Some(id) => id,
            None => timely(bench.jobs.submit(scripted_job(script::ENDLESS))).await.expect("stored").job.id,
        };
        killer = Some(id);
        // it is known to have started once some of the trace of this attempt is stored
        let has_started = async {
            while !bench.store.trace(id).await.expect("read").iter().any(|chunk| chunk.attempt == death + 1) {
                tokio::task::yield_now().await;
            }
        };
        timely(has_started).await;
        if death == 0 {
            timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored");
        }
        bench.store.close().await.expect("closes");
        timely(bench.jobs.shutdown(Duration::ZERO)).await;
        folder = bench.folder;
    }
    let bench = Bench::on(folder, one_worker()).await;
    let killer = killer.expect("submitted");
    let job = timely(bench.jobs.job(None, killer)).await.expect("is there");
    assert_eq!((job.state, job.deaths), (JobState::Failed, 3));
    let reason = job.reason.as_deref().expect("a reason");
    assert!(reason.contains("3 times"), "{reason}");
    let entries = watch_all(timely(bench.jobs.watch(None, killer, None)).await.expect("kept")).await;
    let entries = entries.expect("what was stored before its death, and its end");
    assert_eq!(job_of(&entries), job);
    assert_eq!(entries.iter().map(|entry| entry.cursor.sequence).collect::<Vec<_>>(), [1, 2, 3]);
    let others = bench.jobs.list(&Default::default(), &Page::default()).await.expect("read").items;
    let neighbour = others.iter().find(|job| job.id != killer).expect("the neighbour").id;
    let entries = watch_all(timely(bench.jobs.watch(None, neighbour, None)).await.expect("kept")).await;
    let job = job_of(&entries.expect("whole"));
    assert_eq!((job.state, job.deaths), (JobState::Succeeded, 0));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_refuses_and_loses_nothing() {
    let bench = Bench::scripted(one_worker()).await;
    bench.store.close().await.expect("closes");
    let refused = timely(bench.jobs.submit(scripted_job(script::QUICK))).await;
    assert!(matches!(refused, Err(JobsError::Store(_))), "{refused:?}");
    let mut run = bench.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    let fault = loop {
        match timely(run.next()).await {
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => panic!("the fault is told"),
        }
    };
    assert!(matches!(fault, JobsError::Store(_)), "{fault:?}");
    timely(bench.jobs.shutdown(Duration::ZERO)).await;
    assert_eq!(bench.jobs.waiting(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_cancels_nothing_and_tells_everybody() {
    let bench = Bench::scripted(one_worker()).await;
    let mut running = bench.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    follow_until_busy(&mut running).await;
    let mut waiting = Vec::new();
    for _ in 0..140 {
        let mut run = bench.jobs.run(scripted_job(script::QUICK)).expect("admitted");
        follow_until(&mut run, |event| matches!(event, RunEvent::Accepted(_))).await;
        waiting.push(run);
    }
    timely(bench.jobs.shutdown(Duration::ZERO)).await;
    for mut run in waiting.into_iter().chain([running]) {
        let last = timely(run.next()).await;
        assert!(matches!(last, Some(Err(JobsError::Closing))), "{last:?}");
    }
    let page = Page { size: Page::MAX, token: None };
    let jobs = bench.jobs.list(&Default::default(), &page).await.expect("read").items;
    assert_eq!(jobs.len(), 141);
    assert!(jobs.iter().all(|job| job.state == JobState::Queued), "all are left for the next start");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_follows_a_job_whose_end_cannot_be_stored_is_told() {
    let bench = Bench::scripted(one_worker()).await;
    let mut run = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut run).await;
    bench.store.close().await.expect("closes");
    bench.gate.open();
    let fault = loop {
        match timely(run.next()).await {
            Some(Ok(event)) => assert!(!is_finished(&event), "{event:?}"),
            Some(Err(error)) => break error,
            None => panic!("the fault is told"),
        }
    };
    assert!(matches!(fault, JobsError::Store(_)), "{fault:?}");
    timely(bench.jobs.shutdown(Duration::ZERO)).await;
}
