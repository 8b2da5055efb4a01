//! Threads and what they do: panics, priorities, short calls.

use std::time::{Duration, SystemTime};

use sleuth::engine::solve::{self, Mode};
use sleuth::jobs::{AT_ONCE_UNITS, JobState, JobsError, Priority, Settings, Submission};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_fails_its_job_alone() {
    let bench = Bench::scripted(one_worker()).await;
    for _ in 0..3 {
        let (entries, job) =
            follow(&mut bench.jobs.run(scripted_job(script::PANIC)).expect("admitted")).await;
        let reason = job.reason.expect("a reason");
        assert_eq!((job.state, job.outcome, entries.len()), (JobState::Failed, None, 3));
        assert!(reason.contains("as the script says"), "{reason}");
    }
    let (_, job) = follow(&mut bench.jobs.run(scripted_job(script::QUICK)).expect("admitted")).await;
    assert_eq!(job.state, JobState::Succeeded);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_work_holds_up_nothing_interactive() {
    let bench = Bench::scripted(one_worker()).await;
    let bulk = |script| Submission { priority: Priority::Bulk, ..scripted_job(script) };
    let mut running = bench.jobs.run(bulk(script::GATED)).expect("admitted");
    follow_until_busy(&mut running).await;
    let mut waiting: Vec<_> =
        (0..20).map(|_| bench.jobs.run(bulk(script::QUICK)).expect("admitted")).collect();
    let interactive = Submission { priority: Priority::Interactive, ..scripted_job(script::QUICK) };
    let (_, job) = follow(&mut bench.jobs.run(interactive).expect("admitted")).await;
    assert_eq!(job.state, JobState::Succeeded);
    assert_eq!(timely(bench.jobs.compute(Priority::Interactive, None, |_| 7)).await, Ok(7));
    assert_eq!(bench.jobs.waiting(), 20, "bulk work still waits");
    bench.gate.open();
    for run in waiting.iter_mut() {
        follow(run).await;
    }
    follow_until(&mut running, is_finished).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn higher_priorities_go_first() {
    let bench = Bench::scripted(one_worker()).await;
    let mut running = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut running).await;
    let mut runs = Vec::new();
    for priority in [Priority::Bulk, Priority::Normal, Priority::Bulk, Priority::Normal] {
        let submission = Submission { priority, ..scripted_job(script::QUICK) };
        let mut run = bench.jobs.run(submission).expect("admitted");
        follow_until(&mut run, |event| matches!(event, RunEvent::Accepted(_))).await;
        runs.push(run);
    }
    bench.gate.open();
    let mut starts = Vec::new();
    for run in &mut runs {
        let events = follow_until(run, is_finished).await;
        let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
        starts.push(job_of(std::slice::from_ref(last)).start_time);
    }
    assert!(starts[1] <= starts[0] && starts[3] <= starts[0] && starts[0] <= starts[2], "{starts:?}");
    follow_until(&mut running, is_finished).await;
    bench.close().await;
}

/// What is over in a moment is done by whoever asks, and anything else by a worker.
#[tokio::test(flavor = "multi_thread")]
async fn a_brief_call_is_answered_at_once() {
    let bench = Bench::scripted(Settings { call_work_limit: 5_000, ..one_worker() }).await;
    let brief = async |units: u64| {
        let work = move |budget: &mut Budget| (budget.spend(units), std::thread::current().id());
        timely(bench.jobs.compute_brief(Priority::Interactive, work)).await
    };
    let here = std::thread::current().id();
    assert_eq!(brief(AT_ONCE_UNITS).await, Ok((Ok(()), here)));
    let (spent, there) = brief(AT_ONCE_UNITS + 1).await.expect("an answer");
    assert!(spent.is_ok() && there != here);
    let (spent, there) = brief(5_001).await.expect("an answer");
    assert!(spent == Err(Stopped::Exhausted) && there != here);
    let panicked = timely(bench.jobs.compute_brief(Priority::Normal, |_| -> u8 { panic!("call {}", 1) }));
    assert_eq!(panicked.await, Err(JobsError::Panicked("call 1".into())));
    timely(bench.jobs.shutdown(Duration::ZERO)).await;
    assert_eq!(brief(1).await, Err(JobsError::Closing));
    bench.store.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_answers_its_caller() {
    let bench = Bench::scripted(Settings { call_limit: 2, ..one_worker() }).await;
    let panicked =
        timely(bench.jobs.compute(Priority::Normal, None, |_| -> u8 { panic!("call {}", 1) })).await;
    assert_eq!(panicked, Err(JobsError::Panicked("call 1".into())));
    // not where it is asked for
    let here = std::thread::current().id();
    let there = timely(bench.jobs.compute(Priority::Normal, None, |_| std::thread::current().id())).await;
    assert!(there.is_ok_and(|there| there != here));
    let endless = |budget: &mut Budget| {
        loop {
            if let Err(stopped) = budget.spend(1) {
                return stopped;
            }
            std::thread::yield_now();
        }
    };
    let deadline = Some(SystemTime::now() + Duration::from_millis(50));
    let stopped = timely(bench.jobs.compute(Priority::Normal, deadline, endless)).await;
    assert_eq!(stopped, Ok(Stopped::Cancelled));
    // a caller that goes away stops its work
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let call = bench.jobs.compute(Priority::Normal, None, move |budget| {
        let _ = sender.send(endless(budget));
    });
    drop(tokio::time::timeout(Duration::from_millis(50), call).await);
    // it may have been dropped before it began
    assert!(matches!(timely(receiver).await, Ok(Stopped::Cancelled) | Err(_)));
    // no more wait than may
    let mut first = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut first).await;
    // one more takes the thread that is for calls alone
    let (sender, begun) = tokio::sync::oneshot::channel();
    let (jobs, gate) = (bench.jobs.clone(), bench.gate.clone());
    let held = tokio::spawn(async move {
        let work = move |_: &mut Budget| {
            let _ = sender.send(());
            gate.pass();
        };
        jobs.compute(Priority::Bulk, None, work).await
    });
    timely(begun).await.expect("it begins");
    let calls: Vec<_> = (0..2)
        .map(|_| {
            tokio::spawn({
                let jobs = bench.jobs.clone();
                async move { jobs.compute(Priority::Bulk, None, |_| ()).await }
            })
        })
        .collect();
    while bench.jobs.waiting_calls() < 2 {
        tokio::task::yield_now().await;
    }
    let full = timely(bench.jobs.compute(Priority::Bulk, None, |_| ())).await;
    assert!(matches!(full, Err(JobsError::Full { .. })), "{full:?}");
    bench.gate.open();
    assert_eq!(timely(held).await.expect("no panic"), Ok(()));
    for call in calls {
        assert_eq!(timely(call).await.expect("no panic"), Ok(()));
    }
    follow_until(&mut first, is_finished).await;
    bench.close().await;
}

/// Searches that wait together are done in one call, and nobody can tell: those that take long among them, those of
/// another kind, one that is cancelled while it waits.
#[tokio::test(flavor = "multi_thread")]
async fn brief_searches_that_wait_together_end_each_for_itself() {
    let bench = Bench::real(one_worker()).await;
    let mut calls = Vec::new();
    for _ in 0..2 {
        // one thread takes it that is for calls alone, the other one all work; bulk, for the interactive thread to let it be
        let (sender, begun) = tokio::sync::oneshot::channel();
        let (jobs, gate) = (bench.jobs.clone(), bench.gate.clone());
        calls.push(tokio::spawn(async move {
            let work = move |_: &mut Budget| {
                let _ = sender.send(());
                gate.pass();
            };
            jobs.compute(Priority::Bulk, None, work).await
        }));
        timely(begun).await.expect("it begins");
    }
    let lines = [
        "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
        "531070000600195000098000060800060003400803001700020006060000280000419005000080079",
        "530070000600195000098000060800060003400803001700020006060000280000000005000080079",
        // takes more than a moment
        "..3......4...8..36..8...1...4..6..73...9..........2..5..4.7..686........7..6..5..",
        "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
        "1234341221434321",
    ];
    let puzzles =
        lines.map(|line| Arc::new(formats::read_as(formats::Format::Line, line).expect("a puzzle")));
    let brief = SolveOptions { mode: Mode::SearchOnly, ..SolveOptions::default() };
    let mut runs = Vec::new();
    for number in 0..50 {
        let puzzle = puzzles[number % puzzles.len()].clone();
        let limit = if number % 7 == 6 { 9 } else { 2 };
        let spec = JobSpec::Solve { puzzle, options: SolveOptions { limit, ..brief.clone() } };
        let work = (number % 5 == 4).then_some(if number % 2 == 0 { 500 } else { 5_000 });
        let submission = Submission { work, priority: Priority::Bulk, ..Submission::new(client(), spec) };
        let mut run = bench.jobs.run(submission.clone()).expect("admitted");
        let events = follow_until(&mut run, |event| matches!(event, RunEvent::Accepted(_))).await;
        runs.push((submission, run, accepted(&events)));
    }
    let cancelled = 2;
    timely(bench.jobs.cancel(None, runs[cancelled].2)).await.expect("cancelled");
    bench.gate.open();
    for (number, (submission, mut run, _)) in runs.into_iter().enumerate() {
        let events = follow_until(&mut run, is_finished).await;
        let entries: Vec<TraceEntry> = events
            .into_iter()
            .filter_map(|event| if let RunEvent::Trace(entry) = event { Some(entry) } else { None })
            .collect();
        let job = job_of(&entries);
        if number == cancelled {
            assert_eq!(job.state, JobState::Cancelled);
            continue;
        }
        let JobSpec::Solve { puzzle, options } = &submission.spec else { panic!("a solve") };
        let mut budget = Budget::new(submission.work.unwrap_or(u64::MAX), Default::default());
        let expected = solve::solve(puzzle, options, &mut budget, &mut |_| {}).expect("can be met");
        assert!(
            entries.iter().any(|entry| matches!(entry.event, TraceEvent::Verdict(verdict) if Some(verdict) == expected.verdict)),
            "{number}: {entries:?}"
        );
        assert_eq!(
            (job.state, job.outcome),
            (JobState::Succeeded, Some(JobOutcome::Solve(expected))),
            "{number}"
        );
        assert!(job.start_time.is_some() && job.attempt == 1);
    }
    for call in calls {
        assert_eq!(timely(call).await.expect("no panic"), Ok(()));
    }
    bench.close().await;
}
