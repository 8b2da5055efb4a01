//! The way out, and back: what callers are told while the daemon stops, and what its next start takes up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sleuth::api::client::{ClientError, JobWishes};
use sleuth::api::convert::answer::JobNews;
use sleuth::api::proto as pb;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::job_service_client::JobServiceClient;
use sleuth::engine::logic::explain::Language;
use sleuth::engine::solve::SolveOptions;
use sleuth::jobs::{JobSpec, JobState};
use sleuth::puzzle::formats;
use sqlx::{Connection, SqliteConnection};
use tonic::transport::Channel;
use tonic::{Code, Streaming};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::harness::{CLASSIC, Daemon, Process, endless, endless_check, solve_spec, until};

/// Health says so first, streams end with UNAVAILABLE, new calls are refused, and what ran is taken up by the next
/// daemon on the same database, where a watcher goes on from its cursor.
#[tokio::test(flavor = "multi_thread")]
async fn the_way_out_and_back() {
    let daemon = Daemon::start_with(|config| config.grace = Duration::from_millis(300)).await;
    let mut health = HealthClient::new(daemon.channel().await);
    let mut told = health.watch(HealthCheckRequest::default()).await.expect("a stream").into_inner();
    let next = |answer: Option<HealthCheckResponse>| answer.map(|answer| answer.status());
    assert_eq!(next(told.message().await.expect("an answer")), Some(ServingStatus::Serving));

    let mut solver = daemon.solver().await;
    let mut stream = solver.solve(endless()).await.expect("a stream").into_inner();
    let (mut name, mut cursor) = (String::new(), String::new());
    while name.is_empty() || cursor.is_empty() {
        let event = stream.message().await.expect("an event").expect("more").event.expect("an event");
        name = if event.job.is_empty() { name } else { event.job };
        cursor = if event.cursor.is_empty() { cursor } else { event.cursor };
    }
    let watch =
        |after: &str| pb::WatchJobRequest { name: name.clone(), after_cursor: after.to_owned(), view: None };
    let mut watcher = daemon.jobs().await.watch_job(watch("")).await.expect("a stream").into_inner();
    daemon.tell_to_stop();
    assert_eq!(next(told.message().await.expect("an answer")), Some(ServingStatus::NotServing));
    let refused = solver.list_techniques(pb::ListTechniquesRequest::default()).await.expect_err("stopping");
    assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    assert_eq!(end_of(&mut stream).await, Code::Unavailable);
    loop {
        match watcher.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the watcher ended as if the job had"),
            Err(status) => {
                assert_eq!(status.code(), Code::Unavailable, "{status:?}");
                break;
            }
        }
    }
    let folder = daemon.stop().await;

    let daemon = Daemon::start_in(folder, |_| {}).await;
    let mut watcher = daemon.jobs().await.watch_job(watch(&cursor)).await.expect("a stream").into_inner();
    let first = watcher.message().await.expect("an event").expect("more").event.expect("an event");
    assert!(matches!(first.event, Some(Event::Restarted(pb::JobRestarted { attempt: 2 }))), "{first:?}");
    let cancelled = daemon.jobs().await.cancel_job(pb::CancelJobRequest { name: name.clone() }).await;
    let job = cancelled.expect("an answer").into_inner().job.expect("a job");
    assert_eq!(job.state(), pb::JobState::Cancelled);
    let mut last = None;
    while let Some(response) = watcher.message().await.expect("a whole stream") {
        last = response.event;
    }
    assert!(matches!(last.and_then(|event| event.event), Some(Event::Finished(_))));
    daemon.stop().await;
}

async fn end_of(stream: &mut Streaming<pb::SolveResponse>) -> Code {
    loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => return Code::Ok,
            Err(status) => return status.code(),
        }
    }
}

/// The client speaks in values, and follows a job across a daemon that is stopped and started again.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_follows_across_a_restart() {
    let daemon = Daemon::start_with(|config| config.grace = Duration::ZERO).await;
    let (address, client) = (daemon.address, daemon.client().await);
    let puzzle = std::sync::Arc::new(formats::read(CLASSIC).expect("a puzzle"));
    let spec = JobSpec::Solve { puzzle, options: SolveOptions::default() };
    let mut follow = client.run(&spec, &JobWishes::default()).await.expect("a job");
    let (mut steps, mut end) = (0, None);
    while let Some(news) = follow.next().await {
        match news.expect("news") {
            JobNews::Step { explanation, .. } => steps += usize::from(!explanation.is_empty()),
            JobNews::Finished(job) => end = Some(job),
            _ => {}
        }
    }
    assert!(steps >= 20);
    assert_eq!(end.expect("an end").state, JobState::Succeeded);

    let layout = sleuth::puzzle::PuzzleDraft::latin(25).check().expect("a puzzle");
    let options = SolveOptions {
        mode: sleuth::engine::solve::Mode::SearchOnly,
        limit: u64::MAX,
        ..SolveOptions::default()
    };
    let spec = JobSpec::Solve { puzzle: std::sync::Arc::new(layout), options };
    let wishes = JobWishes { detached: true, ..JobWishes::default() };
    let mut follow = client.run(&spec, &wishes).await.expect("a job");
    while follow.name().is_none() || follow.cursor().is_empty() {
        follow.next().await.expect("more").expect("news");
    }
    let name = follow.name().expect("a name").to_owned();
    let folder = daemon.stop().await;
    let next = tokio::spawn(async move {
        // what the first attempt still said when it was broken off may come first
        while let Some(news) = follow.next().await {
            if let JobNews::Restarted { attempt } = news.expect("the connection is taken up again") {
                return (attempt, follow);
            }
        }
        panic!("the job ended before it was taken up again")
    });
    let daemon = Daemon::start_in(folder, |config| config.listen = address).await;
    let (attempt, mut follow) = next.await.expect("no panic");
    assert_eq!(attempt, 2);
    let job = client.cancel(&name).await.expect("a job");
    assert_eq!(job.state, JobState::Cancelled);
    let mut last = None;
    while let Some(news) = follow.next().await {
        last = Some(news.expect("news"));
    }
    assert!(matches!(last, Some(JobNews::Finished(job)) if job.state == JobState::Cancelled));
    let missing = client.watch("jobs/77", None, Language::English).await;
    assert!(matches!(missing, Err(ClientError::NotFound(_))));
    daemon.stop().await;
}

/// The binary stops in order on SIGTERM with a stream open, and its next start takes up what ran.
#[tokio::test(flavor = "multi_thread")]
async fn the_binary_stops_on_sigterm() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(folder.path());
    let client = process.client().await;
    let mut stream = client.solver().solve(endless()).await.expect("a stream").into_inner();
    let mut name = String::new();
    while name.is_empty() {
        name = stream.message().await.expect("an event").expect("more").event.expect("an event").job;
    }
    let ended = tokio::task::spawn_blocking(move || process.terminate());
    assert_eq!(end_of(&mut stream).await, Code::Unavailable);
    assert!(ended.await.expect("no panic").success(), "it ends in order");

    let process = Process::start(folder.path());
    let client = process.client().await;
    let job = client.job(&name).await.expect("the job is kept");
    assert!(!job.state.is_final(), "{job:?}");
    assert_eq!(client.cancel(&name).await.expect("a job").state, JobState::Cancelled);
    assert!(tokio::task::spawn_blocking(move || process.terminate()).await.expect("no panic").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_under_way_do_not_keep_the_daemon_from_stopping() {
    let daemon = Daemon::start_with(|config| config.grace = Duration::from_millis(100)).await;
    let mut solver = daemon.solver().await;
    let call = tokio::spawn(async move { solver.check(endless_check()).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    daemon.stop().await;
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    let status = call.await.expect("no panic").expect_err("it was broken off");
    assert_eq!(status.code(), Code::Unavailable);
}

/// Whoever is told that the daemon stops has no job stored: all others hear that theirs is.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_a_job_stored_is_told() {
    for round in 0..4 {
        let daemon = Daemon::start_with(|config| config.grace = Duration::ZERO).await;
        let told = Arc::new(AtomicUsize::new(0));
        let mut callers = Vec::new();
        for _ in 0..8 {
            let jobs = daemon.jobs().await;
            callers.extend((0..40).map(|_| tokio::spawn(submit_until_refused(jobs.clone(), told.clone()))));
        }
        until("there is some load", async || {
            (told.load(Ordering::Relaxed) > 400 + 100 * round).then_some(())
        })
        .await;
        let folder = daemon.stop().await;
        for caller in callers {
            assert_eq!(caller.await.expect("no panic"), Code::Unavailable);
        }
        let path = folder.path().join("sleuth.sqlite");
        let mut conn = SqliteConnection::connect(&path.to_string_lossy()).await.expect("a database");
        let stored: i64 =
            sqlx::query_scalar("select count(*) from jobs").fetch_one(&mut conn).await.expect("a count");
        assert_eq!(stored, told.load(Ordering::Relaxed) as i64, "round {round}");
    }
}

async fn submit_until_refused(mut jobs: JobServiceClient<Channel>, told: Arc<AtomicUsize>) -> Code {
    loop {
        let request = pb::CreateJobRequest { spec: Some(solve_spec(CLASSIC)), ..Default::default() };
        match jobs.create_job(request).await {
            Ok(_) => told.fetch_add(1, Ordering::Relaxed),
            Err(status) => return status.code(),
        };
    }
}
