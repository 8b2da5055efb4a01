//! What a submit promises.

use std::time::Duration;

use sleuth::engine::generate::Recipe;
use sleuth::engine::rate::Scale;
use sleuth::engine::solve::SolveError;
use sleuth::jobs::{
    ClientId, JobFilter, JobOutcome, JobSpec, JobState, JobsError, Priority, Settings, Submission, TraceEvent,
};
use sleuth::puzzle::{BoxShape, Layout};
use sleuth::store::Page;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_solve_is_stored_and_streamed() {
    let bench = Bench::real(Settings::default()).await;
    let mut run = bench.jobs.run(solve(classic())).expect("admitted");
    let (entries, job) = follow(&mut run).await;
    let steps = entries.iter().filter(|entry| matches!(entry.event, TraceEvent::Step(_))).count();
    assert_eq!((steps, job.state, job.attempt, job.client.clone()), (51, JobState::Succeeded, 1, client()));
    let Some(JobOutcome::Solve(outcome)) = &job.outcome else { panic!("a solve has its outcome") };
    assert!(classic().is_solved_by(&outcome.solutions[0]));
    // what was told is what is stored
    assert_eq!(timely(bench.jobs.job(None, job.id)).await, Ok(job.clone()));
    let watcher = bench.jobs.watch(Some(&client()), job.id, None).await.expect("kept");
    assert_eq!(watch_all(watcher).await, Ok(entries));
    let archived = sleuth::archive::Archive::new(bench.store.clone());
    let puzzle = archived.puzzle(job.puzzle.expect("archived")).await.expect("read").expect("is there");
    assert_eq!((puzzle.puzzle, puzzle.solution.as_ref()), (classic(), outcome.solutions.first()));
    assert_eq!((puzzle.job, puzzle.verdict), (Some(job.id), outcome.verdict));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ratings_and_generations_are_jobs_too() {
    let bench = Bench::real(Settings::default()).await;
    let archive = sleuth::archive::Archive::new(bench.store.clone());
    let rate = Submission::new(client(), JobSpec::Rate { puzzle: classic(), scale: Scale::Sleuth });
    let (_, rated) = follow(&mut bench.jobs.run(rate).expect("admitted")).await;
    let Some(JobOutcome::Rate(outcome)) = &rated.outcome else { panic!("a rating") };
    let puzzle = archive.puzzle(rated.puzzle.expect("archived")).await.expect("read").expect("is there");
    assert_eq!(
        (puzzle.rating.as_ref(), puzzle.solution),
        (outcome.rating.as_ref(), outcome.solution.clone())
    );

    let recipe = Recipe::any(Layout::boxed(BoxShape { rows: 2, columns: 2 }), 5);
    let generate = Submission::new(client(), JobSpec::Generate { recipe });
    let (_, made) = follow(&mut bench.jobs.run(generate).expect("admitted")).await;
    assert_eq!(timely(bench.jobs.job(None, made.id)).await, Ok(made.clone()));
    let Some(JobOutcome::Generate(outcome)) = &made.outcome else { panic!("a generation") };
    let generated = outcome.generated.as_ref().expect("made");
    let puzzle = archive.puzzle(made.puzzle.expect("archived")).await.expect("read").expect("is there");
    assert_eq!((&*puzzle.puzzle, puzzle.rating.as_ref()), (&generated.puzzle, Some(&generated.rating)));
    let all = archive.list(&Default::default(), &Page::default()).await.expect("read");
    assert_eq!(all.items.len(), 2);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_submit_is_the_same_job() {
    let bench = Bench::scripted(Settings::default()).await;
    let submission = Submission { request_id: Some("once".into()), ..scripted_job(script::QUICK) };
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            tokio::spawn({
                let (jobs, submission) = (bench.jobs.clone(), submission.clone());
                async move { jobs.submit(submission).await }
            })
        })
        .collect();
    let mut ids = Vec::new();
    let mut fresh = 0;
    for task in tasks {
        let submitted = timely(task).await.expect("no panic").expect("stored");
        fresh += usize::from(submitted.fresh);
        ids.push(submitted.job.id);
    }
    ids.dedup();
    assert_eq!((fresh, ids.len()), (1, 1));
    // once it has ended it is still the same
    let mut run = bench.jobs.run(submission.clone()).expect("admitted");
    let (_, job) = follow(&mut run).await;
    assert_eq!(job.id, ids[0]);
    let again = timely(bench.jobs.submit(submission.clone())).await.expect("stored");
    assert_eq!((again.fresh, again.job), (false, job));
    assert_eq!(bench.jobs.waiting(), 0);

    // limits are what was asked for, and not what it came to
    let limited = Submission {
        request_id: Some("limited".into()),
        time_limit: Some(Duration::from_micros(90_000_500)),
        work: Some(u64::MAX),
        ..submission.clone()
    };
    let first = timely(bench.jobs.submit(limited.clone())).await.expect("stored");
    let again = timely(bench.jobs.submit(limited.clone())).await.expect("stored");
    assert_eq!((first.job.id, again.fresh), (again.job.id, false));
    for (submission, field) in [
        (Submission { time_limit: None, ..limited.clone() }, "time_limit"),
        (Submission { work: None, ..limited }, "work_limit"),
    ] {
        let refused = timely(bench.jobs.submit(submission)).await;
        assert_eq!(refused, Err(JobsError::Conflict { job: first.job.id, field }));
    }

    // other content is refused, by the field
    let other = |spec| Submission { spec, ..submission.clone() };
    let JobSpec::Solve { puzzle, options } = submission.spec.clone() else { panic!("a solve") };
    let options = sleuth::engine::solve::SolveOptions { assume_unique: true, ..options };
    for (submission, field) in [
        (other(JobSpec::Solve { puzzle: small(2), options: options.clone() }), "puzzle"),
        (other(JobSpec::Solve { puzzle: puzzle.clone(), options }), "options"),
        (other(JobSpec::Rate { puzzle, scale: Scale::Sleuth }), "kind"),
        (Submission { priority: Priority::Bulk, ..submission.clone() }, "priority"),
        (Submission { keep_trace: false, ..submission.clone() }, "discard_trace"),
        (Submission { time_limit: Some(Duration::from_secs(9)), ..submission.clone() }, "time_limit"),
        (Submission { work: Some(7), ..submission.clone() }, "work_limit"),
    ] {
        let conflict = Err(JobsError::Conflict { job: ids[0], field });
        assert_eq!(timely(bench.jobs.validate(&submission)).await.map(drop), conflict.clone().map(drop));
        assert_eq!(timely(bench.jobs.submit(submission)).await, conflict);
    }
    assert_eq!(timely(bench.jobs.validate(&submission)).await, Ok(true));
    let stranger = Submission { client: ClientId("you".into()), ..submission };
    assert_eq!(timely(bench.jobs.validate(&stranger)).await, Ok(false));
    assert!(timely(bench.jobs.submit(stranger)).await.expect("stored").fresh);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_met_is_refused_before_it_is_stored() {
    let bench = Bench::real(Settings::default()).await;
    let large = read("{\"size\": 20}");
    let refused = bench.jobs.submit(solve(large.clone())).await;
    assert_eq!(refused, Err(JobsError::Refused(SolveError::TooLargeForLogic { size: 20 })));
    let rate = Submission::new(client(), JobSpec::Rate { puzzle: large, scale: Scale::Sleuth });
    assert!(matches!(timely(bench.jobs.validate(&rate)).await, Err(JobsError::Refused(_))));
    let recipe = Recipe::any(Layout::latin(5), 1);
    let generate = Submission::new(client(), JobSpec::Generate { recipe });
    assert!(matches!(bench.jobs.submit(generate).await, Err(JobsError::Recipe(_))));
    let all = bench.jobs.list(&JobFilter::default(), &Page::default()).await.expect("read");
    assert_eq!(all.items, []);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_sees_its_own_jobs() {
    let bench = Bench::scripted(Settings::default()).await;
    let job = timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored").job;
    let stranger = ClientId("you".into());
    let not_found = Err(JobsError::NotFound(job.id));
    assert_eq!(bench.jobs.job(Some(&stranger), job.id).await, not_found);
    assert_eq!(bench.jobs.cancel(Some(&stranger), job.id).await, not_found);
    assert!(matches!(bench.jobs.watch(Some(&stranger), job.id, None).await, Err(JobsError::NotFound(_))));
    let filter = |client: &ClientId| JobFilter { client: Some(client.clone()), ..JobFilter::default() };
    assert_eq!(bench.jobs.list(&filter(&stranger), &Page::default()).await.expect("read").items, []);
    let mine = bench.jobs.list(&filter(&client()), &Page::default()).await.expect("read").items;
    assert_eq!(mine.iter().map(|job| job.id).collect::<Vec<_>>(), [job.id]);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_refuses_at_once_and_says_when_to_come_back() {
    let bench = Bench::scripted(Settings { queue_limit: 3, ..one_worker() }).await;
    let mut first = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut first).await;
    let mut runs: Vec<_> =
        (0..3).map(|_| bench.jobs.run(scripted_job(script::QUICK)).expect("admitted")).collect();
    match bench.jobs.run(scripted_job(script::QUICK)) {
        Err(JobsError::Full { retry_after }) => assert!(retry_after >= Duration::from_millis(100)),
        other => panic!("{other:?}"),
    }
    bench.gate.open();
    for run in &mut runs {
        follow(run).await;
    }
    follow_until(&mut first, is_finished).await;
    follow(&mut bench.jobs.run(scripted_job(script::QUICK)).expect("there is room again")).await;
    assert_eq!(bench.jobs.waiting(), 0);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_fits_here_waits_in_the_store_and_is_run_in_order() {
    let bench = Bench::scripted(one_worker()).await;
    let mut first = bench.jobs.run(scripted_job(script::GATED)).expect("admitted");
    follow_until_busy(&mut first).await;
    let mut ids = Vec::new();
    for _ in 0..400 {
        ids.push(timely(bench.jobs.submit(scripted_job(script::QUICK))).await.expect("stored").job.id);
    }
    assert_eq!(bench.jobs.waiting(), 400);
    assert!(ids.is_sorted());
    bench.gate.open();
    let mut starts = Vec::new();
    for id in ids {
        let watcher = timely(bench.jobs.watch(None, id, None)).await.expect("kept");
        let job = job_of(&watch_all(watcher).await.expect("whole"));
        assert_eq!((job.state, job.attempt), (JobState::Succeeded, 1));
        starts.push(job.start_time);
    }
    assert!(starts.is_sorted(), "one worker takes them in the order in which they came");
    assert_eq!(bench.jobs.waiting(), 0);
    bench.close().await;
}
