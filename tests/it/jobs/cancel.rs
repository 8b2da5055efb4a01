//! Cancelling, deadlines, and callers that go away: a job ends one way or the other, never half.

use std::time::{Duration, Instant};

use sleuth::engine::solve::{Mode, SolveOptions};
use sleuth::jobs::{Job, JobSpec, JobState, Settings, Submission, execute};

use super::*;

fn assert_whole(job: &Job) {
    assert!(job.state.is_final(), "{job:?}");
    assert_eq!(job.state == JobState::Succeeded, job.outcome.is_some(), "{job:?}");
    assert!(job.end_time.is_some());
    assert_eq!(job.state == JobState::Succeeded, job.reason.is_none(), "{job:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_cancelled_wherever_it_is() {
    let bench = Bench::scripted(one_worker()).await;
    let mut running = bench.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    follow_until_busy(&mut running).await;
    // beyond the places here, some wait in the store
    let mut waiting = Vec::new();
    for _ in 0..150 {
        waiting.push(timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored").job.id);
    }
    for id in [waiting[0], waiting[149]] {
        let watcher = timely(bench.jobs.watch(None, id, None)).await.expect("waits");
        let job = timely(bench.jobs.cancel(Some(&client()), id)).await.expect("cancelled");
        assert_whole(&job);
        assert_eq!((job.state, job.start_time), (JobState::Cancelled, None));
        assert_eq!(job_of(&watch_all(watcher).await.expect("whole")), job);
    }
    let events = follow_until_busy_or_cancel(&bench, &mut running).await;
    assert_eq!(events.state, JobState::Cancelled);
    assert_whole(&events);
    // what has ended stays as it is
    assert_eq!(timely(bench.jobs.cancel(None, events.id)).await, Ok(events));
    for id in &waiting[1..149] {
        let watcher = timely(bench.jobs.watch(None, *id, None)).await.expect("kept");
        assert_eq!(job_of(&watch_all(watcher).await.expect("whole")).state, JobState::Succeeded);
    }
    bench.close().await;
}

/// Cancels the job of a run that is busy, and follows it to its end.
async fn follow_until_busy_or_cancel(bench: &Bench, run: &mut Run) -> Job {
    let list = bench.jobs.list(&Default::default(), &sleuth::store::Page { size: 1_000, token: None }).await;
    let id = list.expect("read").items.last().expect("the first").id;
    let cancelled = timely(bench.jobs.cancel(None, id)).await.expect("cancelled");
    let events = follow_until(run, is_finished).await;
    let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
    assert_eq!(job_of(std::slice::from_ref(last)), cancelled);
    cancelled
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_races_with_the_end_and_one_wins() {
    let bench = Bench::scripted(Settings { workers: 2, ..Settings::default() }).await;
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            let jobs = bench.jobs.clone();
            tokio::spawn(async move {
                let id = jobs.submit(scripted_job(script::QUICK)).await.expect("stored").job.id;
                let cancelled = jobs.cancel(None, id).await.expect("answered");
                assert_whole(&cancelled);
                assert_eq!(jobs.job(None, id).await, Ok(cancelled.clone()));
                let entries =
                    watch_all(jobs.watch(None, id, None).await.expect("kept")).await.expect("whole");
                assert_eq!(job_of(&entries), cancelled);
                let numbers: Vec<_> = entries.iter().filter_map(|entry| entry.sequence()).collect();
                assert_eq!(numbers, (1..=cancelled.last_sequence).collect::<Vec<_>>());
            })
        })
        .collect();
    for task in tasks {
        timely(task).await.expect("no panic");
    }
    assert_eq!(bench.jobs.waiting(), 0);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_idle_soon_after_the_flag() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open_store(folder.path()).await;
    let (sender, returned) = std::sync::mpsc::channel();
    let (began_sender, mut began) = tokio::sync::mpsc::unbounded_channel();
    let engine: std::sync::Arc<sleuth::jobs::Execute> =
        std::sync::Arc::new(move |spec: &JobSpec, budget: &mut Budget, each: &mut dyn FnMut(TraceEvent)| {
            began_sender.send(()).expect("the test listens");
            let result = execute(spec, budget, each);
            sender.send(Instant::now()).expect("the test listens");
            result
        });
    let jobs = Jobs::start_with(store.clone(), one_worker(), engine).await.expect("starts");
    let boards = [
        read("{\"size\": 25, \"boxes\": \"5x5\"}"),
        read("{\"size\": 16, \"boxes\": \"4x4\"}"),
        read("{\"size\": 9, \"boxes\": \"3x3\"}"),
        read("{\"size\": 25}"),
    ];
    let mut times = Vec::new();
    for board in boards.iter().cycle().take(100) {
        let options = SolveOptions { mode: Mode::SearchOnly, limit: u64::MAX, ..SolveOptions::default() };
        let spec = JobSpec::Solve { puzzle: board.clone(), options };
        let mut run =
            jobs.run(Submission { keep_trace: false, ..Submission::new(client(), spec) }).expect("admitted");
        let events = follow_until(&mut run, |event| matches!(event, RunEvent::Accepted(_))).await;
        timely(began.recv()).await.expect("the engine is at it");
        let raised = Instant::now();
        let job = timely(jobs.cancel(None, accepted(&events))).await.expect("cancelled");
        assert_eq!(job.state, JobState::Cancelled);
        times.push(returned.recv().expect("it has returned").saturating_duration_since(raised));
    }
    times.sort_unstable();
    println!("cancel: p50 {:?}, p99 {:?}, max {:?}", times[50], times[98], times[99]);
    assert!(times[98] <= Duration::from_millis(50), "p99 {:?}", times[98]);
    jobs.shutdown(Duration::ZERO).await;
    store.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_ends_at_its_deadline() {
    let bench = Bench::scripted(one_worker()).await;
    let time_limit = Some(Duration::from_millis(150));
    let running = Submission { time_limit, ..scripted_job(script::ENDLESS) };
    let mut running = bench.jobs.run(running).expect("admitted");
    follow_until_busy(&mut running).await;
    let waiting = Submission { time_limit, ..scripted_job(script::QUICK) };
    let mut waiting: Vec<_> = (0..2).map(|_| bench.jobs.run(waiting.clone()).expect("admitted")).collect();
    let past = Submission { time_limit: Some(Duration::ZERO), ..scripted_job(script::QUICK) };
    waiting.push(bench.jobs.run(past).expect("admitted"));
    for run in waiting.iter_mut() {
        let (_, job) = follow(run).await;
        // those that waited either never ran, or ran when the first had ended at its own deadline
        assert_whole(&job);
    }
    let events = follow_until(&mut running, is_finished).await;
    let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
    let job = job_of(std::slice::from_ref(last));
    assert_eq!((job.state, job.reason.as_deref()), (JobState::Cancelled, Some("its deadline passed")));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_waits_in_the_store_ends_at_its_deadline() {
    let bench = Bench::scripted(one_worker()).await;
    let mut first = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut first).await;
    for _ in 0..130 {
        timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored");
    }
    let time_limit = Some(Duration::from_millis(100));
    let mut late =
        bench.jobs.run(Submission { time_limit, ..scripted_job(script::QUICK) }).expect("admitted");
    let (entries, job) = follow(&mut late).await;
    assert_eq!(
        (job.state, job.reason.as_deref(), entries.len()),
        (JobState::Cancelled, Some("its deadline passed"), 1)
    );
    bench.gate.open();
    follow_until(&mut first, is_finished).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_ends_with_its_last_caller_unless_it_is_detached() {
    let bench = Bench::scripted(Settings { workers: 2, ..Settings::default() }).await;
    let end = async |id| {
        let entries = watch_all(timely(bench.jobs.watch(None, id, None)).await.expect("kept")).await;
        job_of(&entries.expect("whole")).state
    };
    // one caller
    let mut run = bench.jobs.run(scripted_job(script::ENDLESS)).expect("admitted");
    let id = accepted(&follow_until_busy(&mut run).await);
    drop(run);
    assert_eq!(end(id).await, JobState::Cancelled);
    // gone before it was stored
    drop(bench.jobs.run(scripted_job(script::ENDLESS)).expect("admitted"));
    // two callers of one request
    let request = Submission { request_id: Some("shared".into()), ..scripted_job(script::GATED) };
    let mut first = bench.jobs.run(request.clone()).expect("admitted");
    let id = accepted(&follow_until_busy(&mut first).await);
    let mut second = bench.jobs.run(request).expect("admitted");
    assert_eq!(accepted(&follow_until_busy(&mut second).await), id);
    drop(first);
    // detached
    let detached = Submission { detached: true, ..scripted_job(script::GATED) };
    let mut run = bench.jobs.run(detached).expect("admitted");
    let lone = accepted(&follow_until_busy(&mut run).await);
    drop(run);
    bench.gate.open();
    assert_eq!(end(lone).await, JobState::Succeeded);
    assert_eq!(end(id).await, JobState::Succeeded);
    follow_until(&mut second, is_finished).await;
    bench.close().await;
}
