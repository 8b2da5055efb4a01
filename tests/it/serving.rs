//! How the daemon behaves as a server: deadlines, limits, health, reflection, gRPC-Web, slow readers.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};

use prost::Message;
use sleuth::api::proto as pb;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::solver_service_client::SolverServiceClient;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt;

use crate::harness::{
    CLASSIC, CLASSIC_SOLUTION, Daemon, empty, endless, endless_check, endless_spec, parts, solve_spec, text,
    until,
};

/// What came back over gRPC-Web.
struct WebAnswer {
    http: u16,
    messages: Vec<Vec<u8>>,
    trailers: HashMap<String, String>,
}

impl WebAnswer {
    fn code(&self) -> Code {
        self.trailers.get("grpc-status").map_or(Code::Unknown, |code| Code::from_bytes(code.as_bytes()))
    }
}

/// A call by plain HTTP/1.1, as a page makes it; also the way to set a deadline that no client of ours obeys itself.
async fn web_call(
    address: SocketAddr,
    path: &str,
    timeout: Option<&str>,
    message: &impl Message,
) -> WebAnswer {
    let body = message.encode_to_vec();
    let mut request = format!(
        "POST /sleuth.v1.{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/grpc-web+proto\r\ncontent-length: {}\r\n",
        body.len() + 5
    );
    if let Some(timeout) = timeout {
        request.push_str(&format!("grpc-timeout: {timeout}\r\n"));
    }
    request.push_str("\r\n");
    let mut bytes = request.into_bytes();
    bytes.push(0);
    bytes.extend((body.len() as u32).to_be_bytes());
    bytes.extend(body);
    let mut socket = TcpStream::connect(address).await.expect("a connection");
    socket.write_all(&bytes).await.expect("sent");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.expect("an answer");
    read_web_answer(&answer)
}

fn read_web_answer(answer: &[u8]) -> WebAnswer {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("an end of the head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let http = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
    let mut trailers: HashMap<String, String> = read_headers(&head);
    let rest = &answer[end + 4..];
    let is_chunked = trailers.get("transfer-encoding").is_some_and(|value| value == "chunked");
    let body = if is_chunked { dechunk(rest) } else { rest.to_vec() };
    let mut messages = Vec::new();
    let mut left = &body[..];
    while left.len() >= 5 {
        let length = u32::from_be_bytes(left[1..5].try_into().expect("four bytes")) as usize;
        let (kind, content) = (left[0], &left[5..5 + length]);
        if kind & 0x80 == 0 {
            messages.push(content.to_vec());
        } else {
            trailers.extend(read_headers(&String::from_utf8_lossy(content)));
        }
        left = &left[5 + length..];
    }
    WebAnswer { http, messages, trailers }
}

fn read_headers(text: &str) -> HashMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned())).collect()
}

fn dechunk(mut left: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = left.windows(2).position(|two| two == b"\r\n") {
        let size =
            std::str::from_utf8(&left[..end]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let size = size.expect("the size of a chunk");
        if size == 0 {
            break;
        }
        body.extend(&left[end + 2..end + 2 + size]);
        left = &left[end + 4 + size..];
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_call_over_plain_http() {
    let daemon = Daemon::start().await;
    let request = pb::ListTechniquesRequest::default();
    let answer = web_call(daemon.address, "SolverService/ListTechniques", None, &request).await;
    assert_eq!((answer.http, answer.code()), (200, Code::Ok));
    let list = pb::ListTechniquesResponse::decode(&answer.messages[0][..]).expect("a list");
    assert!(!list.techniques.is_empty());
    let request = pb::SolveRequest { puzzle: text(CLASSIC), ..Default::default() };
    let answer = web_call(daemon.address, "SolverService/Solve", None, &request).await;
    assert_eq!((answer.http, answer.code()), (200, Code::Ok));
    assert!(answer.messages.len() > 50);
    let answer = web_call(daemon.address, "SolverService/Solve", None, &pb::SolveRequest::default()).await;
    assert_eq!((answer.http, answer.code()), (200, Code::InvalidArgument));
    assert!(answer.trailers.contains_key("grpc-status-details-bin"));
    daemon.stop().await;
}

/// A passed deadline is DEADLINE_EXCEEDED, for the first answer and for streams that are under way, and its job ends.
#[tokio::test(flavor = "multi_thread")]
async fn deadlines_bound_calls_and_streams() {
    let daemon = Daemon::start().await;
    let request = pb::ListTechniquesRequest::default();
    for timeout in ["1n", "0m"] {
        let answer = web_call(daemon.address, "SolverService/ListTechniques", Some(timeout), &request).await;
        assert_eq!(answer.code(), Code::DeadlineExceeded, "{timeout}: {:?}", answer.trailers);
    }
    let answer = web_call(daemon.address, "SolverService/ListTechniques", Some("10S"), &request).await;
    assert_eq!(answer.code(), Code::Ok);
    let began = Instant::now();
    let answer = web_call(daemon.address, "SolverService/Solve", Some("300m"), &endless()).await;
    let took = began.elapsed();
    assert_eq!(answer.code(), Code::DeadlineExceeded, "{:?}", answer.trailers);
    assert!(!answer.messages.is_empty(), "the stream was under way");
    assert!(took > Duration::from_millis(250) && took < Duration::from_secs(2), "it took {took:?}");
    until("the job ends with its call", || async {
        let list = daemon.jobs().await.list_jobs(pb::ListJobsRequest::default()).await.expect("a list");
        (list.into_inner().jobs[0].state() == pb::JobState::Cancelled).then_some(())
    })
    .await;
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_past_the_limit_and_compressed_ones() {
    let daemon = Daemon::start().await;
    let request = pb::SolveRequest { puzzle: text(&"1".repeat(5 << 20)), ..Default::default() };
    let refused = daemon.solver().await.solve(request).await.expect_err("too large");
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    assert_eq!(
        refused.get_error_details().error_info().map(|info| info.reason.clone()),
        Some("MESSAGE_TOO_LARGE".to_owned())
    );
    let requests =
        tokio_stream::iter([pb::RunJobsRequest { tag: "x".repeat(5 << 20), ..Default::default() }]);
    let mut answers = daemon.jobs().await.run_jobs(requests).await.expect("a stream").into_inner();
    assert_eq!(answers.message().await.expect_err("too large").code(), Code::ResourceExhausted);

    let mut solver = daemon.solver().await.send_compressed(CompressionEncoding::Gzip);
    let bomb = pb::SolveRequest { puzzle: text(&"1".repeat(64 << 20)), ..Default::default() };
    assert_eq!(solver.solve(bomb).await.expect_err("a bomb").code(), Code::ResourceExhausted);
    let request = pb::CheckRequest { puzzle: text(CLASSIC), ..Default::default() };
    let checked = solver.check(request).await.expect("gzip is read").into_inner();
    assert_eq!(checked.solutions[0].text, CLASSIC_SOLUTION);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_flight_are_bounded() {
    let daemon = Daemon::start_with(|config| config.call_limit = 2).await;
    let mut solver = daemon.solver().await;
    let first = solver.solve(endless()).await.expect("a stream").into_inner();
    let _second = solver.solve(endless()).await.expect("a stream").into_inner();
    let refused = solver.list_techniques(pb::ListTechniquesRequest::default()).await.expect_err("a third");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(refused.get_error_details().retry_info().and_then(|info| info.retry_delay).is_some());
    let mut health = HealthClient::new(daemon.channel().await);
    assert!(health.check(HealthCheckRequest::default()).await.is_ok(), "health is not counted");
    drop(first);
    until("a call ends", || async {
        daemon.solver().await.list_techniques(pb::ListTechniquesRequest::default()).await.ok()
    })
    .await;
    daemon.stop().await;
}

/// A call whose request never comes in to its end gives its place back; one that streams requests may take its time.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_stalls_holds_no_place() {
    let daemon = Daemon::start_with(|config| {
        config.call_limit = 2;
        config.request_patience = Duration::from_millis(200);
    })
    .await;
    let (sender, requests) = tokio::sync::mpsc::channel(1);
    let requests = tokio_stream::wrappers::ReceiverStream::new(requests);
    let mut idle = daemon.jobs().await.run_jobs(requests).await.expect("a stream").into_inner();
    let mut socket = TcpStream::connect(daemon.address).await.expect("a connection");
    let head = format!(
        "POST /sleuth.v1.SolverService/Check HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
         content-type: application/grpc-web+proto\r\ncontent-length: 1000\r\n\r\n\0",
        daemon.address
    );
    socket.write_all(head.as_bytes()).await.expect("sent");
    let solver = daemon.solver().await;
    until("its place is free", || {
        let mut solver = solver.clone();
        async move { solver.list_techniques(pb::ListTechniquesRequest::default()).await.ok() }
    })
    .await;
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.expect("an answer");
    assert_eq!(read_web_answer(&answer).code(), Code::DeadlineExceeded);
    tokio::time::sleep(Duration::from_millis(600)).await;
    let action = Some(pb::run_jobs_request::Action::Spec(solve_spec(CLASSIC)));
    let request = pb::RunJobsRequest { tag: "late".to_owned(), action, ..Default::default() };
    sender.send(request).await.expect("it is listened to");
    drop(sender);
    assert!(idle.message().await.expect("an event").is_some());
    drop(idle);
    daemon.stop().await;
}

/// Clients are told apart by the name that they give themselves, and each has a quota.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_has_its_own_jobs_and_its_quota() {
    let daemon = Daemon::start_with(|config| {
        config.jobs.workers = 1;
        config.jobs.client_limit = 2;
    })
    .await;
    let mut jobs = daemon.jobs().await;
    let named = |name: &'static str, spec: pb::JobSpec| {
        let mut request =
            tonic::Request::new(pb::CreateJobRequest { spec: Some(spec), ..Default::default() });
        request.metadata_mut().insert("sleuth-client", name.parse().expect("a header"));
        request
    };
    let first = jobs.create_job(named("one", endless_spec())).await.expect("a job").into_inner();
    let first = first.job.expect("a job").name;
    let get = |name: &str| pb::GetJobRequest { name: name.to_owned() };
    let unknown = jobs.get_job(get(&first)).await.expect_err("it is another's");
    assert_eq!(unknown.code(), Code::NotFound);
    let refused = loop {
        if let Err(status) = jobs.create_job(named("one", endless_spec())).await {
            break status;
        }
    };
    let details = refused.get_error_details();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert_eq!(details.error_info().map(|info| info.reason.as_str()), Some("CLIENT_QUOTA"));
    assert!(details.retry_info().and_then(|info| info.retry_delay).is_some());
    let quota = details.quota_failure().expect("a quota");
    assert!(quota.violations[0].description.contains("at most 2"), "{quota:?}");
    // others are not held up, and the one that waits knows its place
    let waiting = jobs.create_job(named("two", solve_spec(CLASSIC))).await.expect("a job").into_inner();
    let waiting = waiting.job.expect("a job").name;
    let mut request = tonic::Request::new(get(&waiting));
    request.metadata_mut().insert("sleuth-client", "two".parse().expect("a header"));
    let seen = jobs.get_job(request).await.expect("a job").into_inner().job.expect("a job");
    let outlook = seen.outlook.expect("it waits");
    assert!((1..=3).contains(&outlook.place) && outlook.expected_wait.is_some(), "{outlook:?}");
    let mut request = tonic::Request::new(pb::WatchJobRequest { name: waiting, ..Default::default() });
    request.metadata_mut().insert("sleuth-client", "two".parse().expect("a header"));
    let mut events = jobs.watch_job(request).await.expect("a stream").into_inner();
    let event = events.message().await.expect("an event").and_then(|answer| answer.event).expect("an event");
    assert!(matches!(event.event, Some(Event::Waiting(pb::JobWaiting { outlook: Some(_) }))), "{event:?}");
    drop(events);
    let refused = jobs.create_job(named("no name", endless_spec())).await.expect_err("no name");
    assert_eq!(refused.code(), Code::InvalidArgument);
    daemon.stop().await;
}

/// A start time is kept, and one that cannot be meant is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_may_be_scheduled() {
    let daemon = Daemon::start().await;
    let mut jobs = daemon.jobs().await;
    let at = |ahead: Duration| Some(prost_types::Timestamp::from(SystemTime::now() + ahead));
    let create = |start_time| pb::CreateJobRequest {
        spec: Some(solve_spec(CLASSIC)),
        options: Some(pb::JobOptions { start_time, ..Default::default() }),
        validate_only: false,
    };
    let soon = at(Duration::from_millis(300));
    let job = jobs.create_job(create(soon)).await.expect("a job").into_inner().job.expect("a job");
    assert_eq!(job.state(), pb::JobState::Scheduled);
    let told = SystemTime::try_from(job.schedule_time.expect("told")).expect("a time");
    let asked = SystemTime::try_from(soon.expect("asked for")).expect("a time");
    assert!(asked.duration_since(told).expect("to the millisecond") < Duration::from_millis(1));
    let request = pb::WatchJobRequest { name: job.name, ..Default::default() };
    let mut events = jobs.watch_job(request).await.expect("a stream").into_inner();
    let mut last = None;
    while let Some(answer) = events.message().await.expect("an event") {
        last = answer.event.and_then(|event| event.event);
    }
    let Some(Event::Finished(finished)) = last else { panic!("it ends: {last:?}") };
    let job = finished.job.expect("a job");
    let begun = SystemTime::try_from(job.start_time.expect("it ran")).expect("a time");
    assert!(job.state() == pb::JobState::Succeeded && begun >= told, "{job:?}");
    let day = Duration::from_secs(86_400);
    let never = Some(prost_types::Timestamp { seconds: i64::MIN, nanos: 0 });
    for wrong in [at(400 * day), never] {
        let refused = jobs.create_job(create(wrong)).await.expect_err("no time");
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_says_when_to_ask_again() {
    let daemon = Daemon::start_with(|config| {
        config.jobs.workers = 1;
        config.jobs.queue_limit = 2;
    })
    .await;
    let mut jobs = daemon.jobs().await;
    let mut refused = None;
    for _ in 0..10 {
        let request = pb::CreateJobRequest { spec: Some(endless_spec()), ..Default::default() };
        if let Err(status) = jobs.create_job(request).await {
            refused = Some(status);
            break;
        }
    }
    let refused = refused.expect("the queue is full before ten wait");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let details = refused.get_error_details();
    assert!(details.retry_info().and_then(|info| info.retry_delay).is_some());
    assert_eq!(details.error_info().map(|info| info.reason.as_str()), Some("QUEUE_FULL"));
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_reflections_know_every_service() {
    use tonic_reflection::pb::{v1, v1alpha};
    let daemon = Daemon::start().await;
    let request = v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1::server_reflection_request::MessageRequest::ListServices(String::new())),
    };
    let mut client = v1::server_reflection_client::ServerReflectionClient::new(daemon.channel().await);
    let mut answers =
        client.server_reflection_info(tokio_stream::iter([request])).await.expect("a stream").into_inner();
    let answer = answers.message().await.expect("an answer").expect("one").message_response;
    let Some(v1::server_reflection_response::MessageResponse::ListServicesResponse(list)) = answer else {
        panic!("{answer:?}")
    };
    let names: Vec<String> = list.service.into_iter().map(|service| service.name).collect();
    for name in ["SolverService", "JobService", "ArchiveService"] {
        assert!(names.contains(&format!("sleuth.v1.{name}")), "{names:?}");
    }
    assert!(names.contains(&"grpc.health.v1.Health".to_owned()), "{names:?}");

    let request = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol(
            "sleuth.v1.SolverService.Solve".to_owned(),
        )),
    };
    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(daemon.channel().await);
    let mut answers =
        client.server_reflection_info(tokio_stream::iter([request])).await.expect("a stream").into_inner();
    let answer = answers.message().await.expect("an answer").expect("one").message_response;
    assert!(
        matches!(
            answer,
            Some(v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_))
        ),
        "{answer:?}"
    );
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_told_by_service() {
    let daemon = Daemon::start().await;
    let mut health = HealthClient::new(daemon.channel().await);
    for service in ["", "sleuth.v1.SolverService", "sleuth.v1.JobService", "sleuth.v1.ArchiveService"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let status = health.check(request).await.expect("an answer").into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
    let unknown = HealthCheckRequest { service: "sleuth.v1.Nothing".to_owned() };
    assert_eq!(health.check(unknown).await.expect_err("unknown").code(), Code::NotFound);
    daemon.stop().await;
}

/// 200 streams on eight connections. Returns how long each solve took, shortest first.
async fn crowd(daemon: &Daemon, rounds: usize) -> Vec<Duration> {
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let channel = daemon.channel().await;
        for _ in 0..25 {
            let mut solver = SolverServiceClient::new(channel.clone());
            tasks.push(tokio::spawn(async move {
                let mut times = Vec::new();
                for _ in 0..rounds {
                    let began = Instant::now();
                    let request = pb::SolveRequest { puzzle: text(CLASSIC), ..Default::default() };
                    let mut stream = solver.solve(request).await.expect("a stream").into_inner();
                    while stream.message().await.expect("a whole stream").is_some() {}
                    times.push(began.elapsed());
                }
                times
            }));
        }
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.expect("no panic"));
    }
    times.sort_unstable();
    times
}

/// A reader that reads nothing holds nobody up, its job ends all the same, and it can read everything later.
#[tokio::test(flavor = "multi_thread")]
async fn a_sleeping_reader_holds_nobody_up() {
    let daemon = Daemon::start().await;
    crowd(&daemon, 1).await;
    let before = resident();
    let p99 = |times: &[Duration]| times[times.len() * 99 / 100];
    let alone = p99(&crowd(&daemon, 3).await);

    let endpoint = Endpoint::from_shared(daemon.url.clone()).expect("an address");
    let narrow = endpoint.initial_stream_window_size(16_384).connect().await.expect("a connection");
    let mut puzzle = empty(16, 4);
    puzzle.givens = vec![0; 256];
    for cell in 0..256u32 {
        let (row, column) = (cell / 16, cell % 16);
        if (row * 7 + column * 5) % 9 >= 5 {
            puzzle.givens[cell as usize] = (4 * (row % 4) + row / 4 + column) % 16 + 1;
        }
    }
    let job = Some(pb::JobOptions { request_id: "sleeper".to_owned(), ..Default::default() });
    let request = pb::SolveRequest { puzzle: parts(puzzle), job, ..Default::default() };
    let mut sleeper = SolverServiceClient::new(narrow).solve(request).await.expect("a stream").into_inner();
    let beside = p99(&crowd(&daemon, 3).await);
    let grown = resident().saturating_sub(before);
    let ratio = beside.as_secs_f64() / alone.as_secs_f64();
    println!("p99 alone {alone:?}, beside a sleeper {beside:?}: {ratio:.2} times; grown by {grown} KiB");
    assert!(ratio < 3.0, "p99 {alone:?} alone and {beside:?} beside a sleeper");
    assert!(grown < 200 << 10, "grown by {grown} KiB");

    let jobs = daemon.jobs().await;
    let job = until("its job ends though nobody reads", || async {
        let list =
            jobs.clone().list_jobs(pb::ListJobsRequest { page_size: 1000, ..Default::default() }).await;
        let job = list.expect("a list").into_inner().jobs.into_iter().find(|job| job.request_id == "sleeper");
        job.filter(|job| job.end_time.is_some())
    });
    assert_eq!(job.await.state(), pb::JobState::Succeeded);
    let mut sequence = 0;
    let mut last = None;
    while let Some(response) = sleeper.message().await.expect("a whole stream") {
        let event = response.event.expect("an event");
        if event.sequence > 0 {
            assert_eq!(event.sequence, sequence + 1);
            sequence = event.sequence;
        }
        last = event.event;
    }
    assert!(matches!(last, Some(Event::Finished(_))) && sequence > 100, "{sequence} events");
    daemon.stop().await;
}

/// What this process holds in memory, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_small_requests_at_once_keep_their_connection() {
    const COUNT: usize = 6_000;
    let daemon = Daemon::start().await;
    let (sender, requests) = tokio::sync::mpsc::unbounded_channel();
    // each is sent when it is made, so that it goes out in a frame of its own
    let requests = tokio_stream::StreamExt::then(
        tokio_stream::wrappers::UnboundedReceiverStream::new(requests),
        |request| async {
            tokio::task::yield_now().await;
            request
        },
    );
    for index in 0..COUNT {
        let request = pb::RunJobsRequest { tag: index.to_string(), ..Default::default() };
        sender.send(request).expect("an open channel");
    }
    drop(sender);
    let mut answers = daemon.jobs().await.run_jobs(requests).await.expect("a stream").into_inner();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut count = 0;
    while answers.message().await.expect("the connection lives").is_some() {
        count += 1;
    }
    assert_eq!(count, COUNT);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_take_every_worker_leave_short_calls_their_turn() {
    let daemon = Daemon::start_with(|config| config.jobs.workers = 1).await;
    let mut solver = daemon.solver().await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(solver.solve(endless()).await.expect("a stream").into_inner());
    }
    until("two run", || async {
        let request = pb::ListJobsRequest { state: pb::JobState::Running.into(), ..Default::default() };
        let list = daemon.jobs().await.list_jobs(request).await.expect("a list").into_inner();
        (list.jobs.len() == 2).then_some(())
    })
    .await;
    let check = pb::CheckRequest { puzzle: text(CLASSIC), ..Default::default() };
    let answer = tokio::time::timeout(Duration::from_secs(10), solver.check(check)).await;
    assert!(answer.expect("in time").is_ok());
    drop(streams);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_call_ends_by_itself() {
    let daemon = Daemon::start_with(|config| config.jobs.call_work_limit = 100_000).await;
    let checked = daemon.solver().await.check(endless_check()).await.expect("an answer").into_inner();
    assert_eq!(checked.verdict.expect("a verdict").kind(), pb::VerdictKind::GaveUp);
    assert_eq!(checked.stop_reason(), pb::StopReason::WorkLimit);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_decoded_is_the_callers_fault() {
    let daemon = Daemon::start().await;
    // a string where a length should be
    let mut socket = TcpStream::connect(daemon.address).await.expect("a connection");
    let body = b"\0\0\0\0\x02\x0a\xff";
    let head = format!(
        "POST /sleuth.v1.SolverService/Check HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/grpc-web+proto\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.expect("it is read");
    socket.write_all(body).await.expect("it is read");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.contains("grpc-status: 3\r\n"), "{answer}");
    daemon.stop().await;
}
