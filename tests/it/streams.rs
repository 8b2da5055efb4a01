//! Answers that are streams: taken up again, shared by many jobs, silent, dropped.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use sleuth::api::proto as pb;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::run_jobs_request::Action;
use sleuth::api::proto::run_jobs_response::Outcome;
use tonic::{Code, Streaming};

use crate::harness::{CLASSIC, Daemon, empty, endless, endless_spec, get_job, parts, solve_spec, until};

/// From every cursor of a trace the rest of it follows, whether the job runs or has ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_trace_resumes_after_every_cursor() {
    let daemon = Daemon::start().await;
    let mut jobs = daemon.jobs().await;
    let request = pb::CreateJobRequest { spec: Some(solve_spec(CLASSIC)), ..Default::default() };
    let name = jobs.create_job(request).await.expect("a job").into_inner().job.expect("a job").name;
    let live = watch(&daemon, &name, "").await;
    let kept = watch(&daemon, &name, "").await;
    assert_eq!(live, kept, "live and kept traces are one");
    assert!(live.len() > 50);
    for index in (0..live.len()).step_by(7).chain([live.len() - 1]) {
        assert_eq!(watch(&daemon, &name, &live[index].cursor).await, live[index + 1..]);
    }
    let bad = pb::WatchJobRequest { name: name.clone(), after_cursor: "x".to_owned(), view: None };
    assert_eq!(jobs.watch_job(bad).await.expect_err("no cursor").code(), Code::InvalidArgument);
    let past = pb::WatchJobRequest { name, after_cursor: format!("{:08x}{:016x}", 1, 9999), view: None };
    let refused = match jobs.watch_job(past).await {
        Ok(stream) => stream.into_inner().message().await.expect_err("past the end"),
        Err(status) => status,
    };
    assert_eq!(refused.code(), Code::OutOfRange, "{refused:?}");
    for name in ["jobs/999", "jobs/x", ""] {
        let request = pb::WatchJobRequest { name: name.to_owned(), ..Default::default() };
        let refused = jobs.watch_job(request).await.expect_err("no job");
        let code = if name == "jobs/999" { Code::NotFound } else { Code::InvalidArgument };
        assert_eq!(refused.code(), code, "{name}");
    }
    daemon.stop().await;
}

async fn watch(daemon: &Daemon, name: &str, after: &str) -> Vec<pb::JobEvent> {
    let request = pb::WatchJobRequest { name: name.to_owned(), after_cursor: after.to_owned(), view: None };
    let mut stream = daemon.jobs().await.watch_job(request).await.expect("a stream").into_inner();
    let mut events = Vec::new();
    while let Some(response) = stream.message().await.expect("a whole stream") {
        events.push(response.event.expect("an event"));
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn many_jobs_over_one_stream() {
    let daemon = Daemon::start().await;
    let mut jobs = daemon.jobs().await;
    let (sender, receiver) = tokio::sync::mpsc::channel(8);
    let requests = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let mut answers = jobs.run_jobs(requests).await.expect("a stream").into_inner();
    let request = |tag: &str, spec: Option<pb::JobSpec>| pb::RunJobsRequest {
        tag: tag.to_owned(),
        action: spec.map(Action::Spec),
        ..Default::default()
    };
    let cancel = |tag: &str| pb::RunJobsRequest {
        tag: tag.to_owned(),
        action: Some(Action::Cancel(pb::CancelTagged {})),
        ..Default::default()
    };
    let endless = request("slow", Some(endless_spec()));
    // which may be cancelled all the same before anything is told of it
    let silent = pb::RunJobsRequest {
        tag: "silent".to_owned(),
        view: Some(pb::EventView { end_only: true, ..Default::default() }),
        ..endless.clone()
    };
    // more than fit at a time, with a bad one, endless ones that are cancelled, and a repeated tag among them
    let writer = tokio::spawn(async move {
        sender.send(silent).await.expect("open");
        sender.send(cancel("silent")).await.expect("open");
        sender.send(endless).await.expect("open");
        sender.send(request("slow", Some(solve_spec(CLASSIC)))).await.expect("open");
        for index in 0..150 {
            sender.send(request(&format!("t{index}"), Some(solve_spec(CLASSIC)))).await.expect("open");
        }
        sender.send(request("bad", Some(solve_spec("12")))).await.expect("open");
        sender.send(request("none", None)).await.expect("open");
        sender.send(cancel("unknown")).await.expect("open");
        sender.send(cancel("slow")).await.expect("open");
    });
    let mut ends: HashMap<String, pb::JobState> = HashMap::new();
    let mut errors: HashMap<String, Vec<pb::RequestError>> = HashMap::new();
    while let Some(answer) = answers.message().await.expect("a whole stream") {
        match answer.outcome.expect("an outcome") {
            Outcome::Event(event) => {
                let tells = event.event.as_ref().expect("an event");
                assert!(answer.tag != "silent" || is_end_or_rest(tells), "{event:?}");
                if let Some(Event::Finished(finished)) = event.event {
                    let state = finished.job.expect("a job").state();
                    assert!(ends.insert(answer.tag, state).is_none(), "each job ends once");
                }
            }
            Outcome::Error(error) => errors.entry(answer.tag).or_default().push(error),
        }
    }
    writer.await.expect("all was sent");
    assert_eq!(ends.remove("slow"), Some(pb::JobState::Cancelled));
    assert_eq!(ends.remove("silent"), Some(pb::JobState::Cancelled));
    assert_eq!(ends.len(), 150);
    assert!(ends.values().all(|state| *state == pb::JobState::Succeeded));
    for tag in ["slow", "bad", "none", "unknown"] {
        let list = &errors[tag];
        assert_eq!((list.len(), list[0].code), (1, Code::InvalidArgument as i32), "{tag}: {list:?}");
        assert!(!list[0].faults.is_empty());
    }
    daemon.stop().await;
}

/// Where the end alone is wanted and much else happens, the stream shows that the daemon lives.
#[tokio::test(flavor = "multi_thread")]
async fn silence_is_broken() {
    let daemon = Daemon::start().await;
    let recipe =
        pb::GenerateSpec { size: 9, max_clues: 17, attempts: 100_000, seed: Some(1), ..Default::default() };
    let view = Some(pb::EventView { end_only: true, ..Default::default() });
    let request = pb::GenerateRequest { recipe: Some(recipe), view, ..Default::default() };
    let mut answers = daemon.solver().await.generate(request).await.expect("a stream").into_inner();
    let first =
        tokio::time::timeout(Duration::from_secs(40), answers.message()).await.expect("a sign of life");
    let event = first.expect("a stream").expect("an answer").event.expect("an event").event;
    assert!(matches!(event, Some(Event::Heartbeat(_))), "{event:?}");
    drop(answers);
    daemon.stop().await;
}

/// What comes where the end alone is wanted.
fn is_end_or_rest(event: &Event) -> bool {
    matches!(event, Event::Finished(_) | Event::Waiting(_) | Event::Heartbeat(_))
}

/// A dropped stream cancels what it started.
#[tokio::test(flavor = "multi_thread")]
async fn many_jobs_end_with_their_stream() {
    let daemon = Daemon::start().await;
    let mut jobs = daemon.jobs().await;
    let requests: Vec<pb::RunJobsRequest> = (0..3)
        .map(|index| pb::RunJobsRequest {
            tag: index.to_string(),
            action: Some(Action::Spec(endless_spec())),
            detached: index == 0,
            ..Default::default()
        })
        .collect();
    let (sender, receiver) = tokio::sync::mpsc::channel(3);
    for request in requests {
        sender.send(request).await.expect("open");
    }
    let open = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let mut answers = jobs.run_jobs(open).await.expect("a stream").into_inner();
    let mut names = HashMap::new();
    while names.len() < 3 {
        let answer = answers.message().await.expect("an answer").expect("more");
        if let Some(Outcome::Event(event)) = answer.outcome
            && !event.job.is_empty()
        {
            names.insert(answer.tag, event.job);
        }
    }
    // the transport tells the daemon once both halves are gone
    drop((sender, answers));
    for tag in ["1", "2"] {
        until("an attached job ends", || async {
            let job = get_job(&mut daemon.jobs().await, &names[tag]).await;
            (job.state() == pb::JobState::Cancelled).then_some(())
        })
        .await;
    }
    let detached = get_job(&mut jobs, &names["0"]).await;
    assert!(matches!(detached.state(), pb::JobState::Running | pb::JobState::Queued), "{detached:?}");
    daemon.stop().await;
}

/// Steps leave while the solve runs: when the first arrives, the job is still at work.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_step_arrives_before_the_last_is_found() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let logic = pb::SolveOptions { mode: pb::SolveMode::LogicOnly.into(), ..Default::default() };
    let request = pb::SolveRequest { options: Some(logic), puzzle: parts(slow_path()), ..Default::default() };
    let mut stream = solver.solve(request).await.expect("a stream").into_inner();
    let mut first = None;
    let mut state = None;
    let mut end = None;
    let mut steps = 0;
    while let Some(response) = stream.message().await.expect("a whole stream") {
        let event = response.event.expect("an event");
        match event.event.expect("an event") {
            Event::Step(_) => {
                steps += 1;
                first.get_or_insert_with(SystemTime::now);
                if state.is_none() && !event.job.is_empty() {
                    state = Some(get_job(&mut daemon.jobs().await, &event.job).await.state());
                }
            }
            Event::Finished(finished) => end = finished.job.and_then(|job| job.end_time),
            _ => {}
        }
    }
    let end = SystemTime::try_from(end.expect("an end")).expect("a moment");
    let first = first.expect("a step");
    assert!(steps > 1, "{steps} steps");
    assert!(first < end, "the first step came {:?} after the end", first.duration_since(end));
    assert_eq!(state, Some(pb::JobState::Running), "the job had ended when its first step was read");
    daemon.stop().await;
}

/// A board of size 16 with one step at once, and then wide cages to look through, each of which takes long: row 1
/// lacks one digit, and every other row has a cage of fourteen cells.
fn slow_path() -> pb::Puzzle {
    let digit = |row: u32, column: u32| (4 * (row % 4) + row / 4 + column) % 16 + 1;
    let mut puzzle = empty(16, 4);
    puzzle.givens = (0..256).map(|cell| if cell < 15 { digit(0, cell) } else { 0 }).collect();
    puzzle.cages = (1..16)
        .map(|row| pb::Cage {
            cells: (0..14).map(|column| 16 * row + column).collect(),
            operation: pb::Operation::Add.into(),
            target: Some((0..14).map(|column| i64::from(digit(row, column))).sum()),
            distinct: true,
        })
        .collect();
    puzzle
}

/// A dropped stream stops its job; its worker is free within 50 ms, 99 times in 100.
#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_stream_frees_the_worker() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let mut waits = Vec::new();
    for _ in 0..100 {
        let mut stream = solver.solve(endless()).await.expect("a stream").into_inner();
        let (mut name, mut has_started) = (String::new(), false);
        while name.is_empty() || !has_started {
            let event = stream.message().await.expect("an event").expect("more").event.expect("an event");
            name = if event.job.is_empty() { name } else { event.job };
            has_started |= matches!(event.event, Some(Event::Started(_)));
        }
        let dropped = SystemTime::now();
        drop(stream);
        let job = until("the job ends", || async {
            let job = get_job(&mut daemon.jobs().await, &name).await;
            job.end_time.is_some().then_some(job)
        })
        .await;
        assert_eq!(job.state(), pb::JobState::Cancelled);
        let end = SystemTime::try_from(job.end_time.expect("an end")).expect("a moment");
        waits.push(end.duration_since(dropped).unwrap_or_default());
    }
    waits.sort_unstable();
    println!("dropped streams: p50 {:?}, p99 {:?}, max {:?}", waits[50], waits[98], waits[99]);
    assert!(waits[98] < Duration::from_millis(50), "p99 {:?}", waits[98]);
    daemon.stop().await;
}

/// A detached job goes on, and a repeated request finds it.
#[tokio::test(flavor = "multi_thread")]
async fn a_detached_job_goes_on() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let job = Some(pb::JobOptions { request_id: "again".to_owned(), ..Default::default() });
    let request = pb::SolveRequest { detached: true, job, ..endless() };
    let accepted = |mut stream: Streaming<pb::SolveResponse>| async move {
        loop {
            let event = stream.message().await.expect("an event").expect("more").event.expect("an event");
            if let Some(Event::Accepted(accepted)) = event.event {
                return (event.job, accepted.existed);
            }
        }
    };
    let (name, existed) = accepted(solver.solve(request.clone()).await.expect("a stream").into_inner()).await;
    assert!(!existed);
    let (again, existed) = accepted(solver.solve(request).await.expect("a stream").into_inner()).await;
    assert!(existed);
    assert_eq!(name, again);
    let job = get_job(&mut daemon.jobs().await, &name).await;
    assert!(!matches!(job.state(), pb::JobState::Cancelled), "{job:?}");
    daemon.stop().await;
}
