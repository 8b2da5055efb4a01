//! Traces: seen while they are made, by anybody, from anywhere.

use std::time::Duration;

use sleuth::jobs::{Cursor, JobState, JobsError, Settings, Submission, TraceEntry, TraceEvent};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn entries_are_seen_before_the_run_has_ended() {
    let bench = Bench::scripted(Settings::default()).await;
    let mut run = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    let events = follow_until_busy(&mut run).await;
    let RunEvent::Accepted(submitted) =
        events.iter().find(|event| matches!(event, RunEvent::Accepted(_))).expect("accepted")
    else {
        panic!("just found")
    };
    let now = timely(bench.jobs.job(None, submitted.job.id)).await.expect("is there");
    assert_eq!((now.state, now.attempt, now.last_sequence), (JobState::Running, 1, 2));
    let mut watcher = timely(bench.jobs.watch(None, now.id, None)).await.expect("live");
    for sequence in 1..=2 {
        let entry = timely(watcher.next()).await.expect("more").expect("no fault");
        assert_eq!(entry.cursor, Cursor { attempt: 1, sequence });
    }
    bench.gate.open();
    let rest = watch_all(watcher).await.expect("whole");
    assert_eq!(rest.iter().map(|entry| entry.cursor.sequence).collect::<Vec<_>>(), [3, 4]);
    follow_until(&mut run, is_finished).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_is_read_from_any_cursor_live_or_later() {
    let bench = Bench::real(Settings::default()).await;
    let mut run = bench.jobs.run(solve(classic())).expect("admitted");
    let (entries, job) = follow(&mut run).await;
    for seen in 0..=entries.len() {
        let after = seen.checked_sub(1).map(|last| entries[last].cursor);
        let after = after.map(|cursor| cursor.to_string().parse().expect("reads back"));
        let watcher = timely(bench.jobs.watch(None, job.id, after)).await.expect("kept");
        assert_eq!(watch_all(watcher).await.as_deref(), Ok(&entries[seen..]), "after {seen}");
    }
    for cursor in [Cursor { attempt: 1, sequence: job.last_sequence + 1 }, Cursor { attempt: 2, sequence: 0 }]
    {
        let refused = timely(bench.jobs.watch(None, job.id, Some(cursor))).await;
        assert_eq!(refused.expect_err("past the end"), JobsError::PastEnd(job.id));
    }
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_that_sleeps_holds_nobody_up_and_misses_nothing() {
    let bench = Bench::scripted(Settings::default()).await;
    let mut run = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut run).await;
    let id = bench.jobs.list(&Default::default(), &Default::default()).await.expect("read").items[0].id;
    let sleeper = timely(bench.jobs.watch(None, id, None)).await.expect("live");
    let mut watchers = Vec::new();
    for _ in 0..100 {
        watchers.push(timely(bench.jobs.watch(None, id, None)).await.expect("live"));
    }
    bench.gate.open();
    for watcher in watchers {
        assert_eq!(watch_all(watcher).await.expect("whole").len(), 4);
    }
    follow_until(&mut run, is_finished).await;
    assert_eq!(watch_all(sleeper).await.expect("whole").len(), 4);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_but_not_kept() {
    let bench = Bench::scripted(Settings::default()).await;
    let mut run = bench.jobs.run(scripted_job(script::PROGRESS)).expect("admitted");
    let is_last = |event: &RunEvent| matches!(event, RunEvent::Trace(TraceEntry { event: TraceEvent::Progress(progress), .. }) if progress.tried == 100);
    follow_until(&mut run, is_last).await;
    bench.gate.open();
    let events = follow_until(&mut run, is_finished).await;
    let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
    assert_eq!(last.cursor.sequence, 3, "started, verdict, finished");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_is_not_kept_is_gone_with_the_run() {
    let bench = Bench::scripted(Settings::default()).await;
    let submission = Submission { keep_trace: false, ..scripted_job(script::QUICK) };
    let mut run = bench.jobs.run(submission).expect("admitted");
    let (entries, job) = follow(&mut run).await;
    assert_eq!(entries.len(), 3, "whoever follows sees it all");
    let watched = timely(bench.jobs.watch(None, job.id, None)).await;
    assert_eq!(watched.expect_err("not kept"), JobsError::NotKept(job.id));
    // but right before the end nothing is missing
    let watcher = timely(bench.jobs.watch(None, job.id, Some(entries[1].cursor))).await.expect("kept");
    assert_eq!(watch_all(watcher).await.as_deref(), Ok(&entries[2..]));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_of_an_unfinished_job_are_told_of_a_shutdown() {
    let bench = Bench::scripted(one_worker()).await;
    let mut run = bench.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    follow_until_busy(&mut run).await;
    let waiting = timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored").job.id;
    let watcher = timely(bench.jobs.watch(None, waiting, None)).await.expect("waits");
    timely(bench.jobs.shutdown(Duration::from_millis(10))).await;
    assert_eq!(watch_all(watcher).await, Err(JobsError::Closing));
    let last = timely(run.next()).await;
    assert!(matches!(last, Some(Err(JobsError::Closing))), "{last:?}");
    let refused = bench.jobs.submit(scripted_job(script::QUICK)).await;
    assert_eq!(refused, Err(JobsError::Closing));
    bench.close().await;
}
