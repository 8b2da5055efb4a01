//! The memory of many who watch one job.

use std::time::Duration;

use sleuth::api::proto as pb;
use sleuth::api::proto::job_service_client::JobServiceClient;
use tonic::Streaming;
use tonic::transport::Channel;

use crate::bare::Answers;
use crate::client::{connect_jobs, input};
use crate::process::{Daemon, Process};
use crate::table::{Figure, Goal, Row};
use crate::{Arguments, Fault};

/// Prints the row: what so many watchers add to a daemon and to a bare server.
pub async fn measure(arguments: &Arguments) -> Result<(), Fault> {
    let folder = arguments.new_folder()?;
    let database = folder.path().join("jobs.sqlite");
    let calls = Some(arguments.watchers + 100);
    let daemon =
        Process::start_daemon(arguments, &Daemon { database: &database, durability: "full", calls })?;
    let name = submit_endless(daemon.url()).await?;
    let answer = pb::RunJobsResponse {
        outcome: Some(pb::run_jobs_response::Outcome::Event(first_event(daemon.url(), &name).await?)),
        ..pb::RunJobsResponse::default()
    };
    Answers { job: vec![answer], ..Answers::default() }.write(folder.path())?;
    let bare = Process::start_bare(arguments, folder.path(), None)?;

    let anchor = watch(&bare, &name, arguments).await?;
    let ours = watch(&daemon, &name, arguments).await?;
    let (count, connections) = (arguments.watchers, arguments.connections);
    let goal = Goal::AtMost(1.3, 1.1);
    let memory = Figure::Memory;
    let work = format!("{count} watchers, {connections} connections, added");
    Row { work: &work, anchor: memory(anchor.added), ours: memory(ours.added), goal }.print();
    let work = format!("{count} watchers, {connections} connections, in all");
    Row { work: &work, anchor: memory(anchor.whole), ours: memory(ours.whole), goal }.print();
    let cancel = pb::CancelJobRequest { name };
    connect_jobs(daemon.url()).await?.cancel_job(cancel).await?;
    daemon.stop()
}

/// A job that counts the solutions of an empty board, and so tells nothing until it is cancelled.
async fn submit_endless(url: &str) -> Result<String, Fault> {
    let options = pb::SolveOptions {
        mode: pb::SolveMode::SearchOnly.into(),
        solution_limit: 1 << 40,
        ..pb::SolveOptions::default()
    };
    let spec = pb::SolveSpec { puzzle: input("0".repeat(81)), options: Some(options) };
    let request = pb::CreateJobRequest {
        spec: Some(pb::JobSpec { kind: Some(pb::job_spec::Kind::Solve(spec)) }),
        ..pb::CreateJobRequest::default()
    };
    let job = connect_jobs(url).await?.create_job(request).await?.into_inner().job;
    Ok(job.ok_or("there is no job")?.name)
}

async fn first_event(url: &str, name: &str) -> Result<pb::JobEvent, Fault> {
    let (_, first) = start_watching(&mut connect_jobs(url).await?, name).await?;
    Ok(first)
}

/// A watcher that has heard that the job runs.
async fn start_watching(
    jobs: &mut JobServiceClient<Channel>,
    name: &str,
) -> Result<(Streaming<pb::WatchJobResponse>, pb::JobEvent), Fault> {
    let request = pb::WatchJobRequest { name: name.to_owned(), ..pb::WatchJobRequest::default() };
    let mut answers = jobs.watch_job(request).await?.into_inner();
    let first = answers.message().await?.and_then(|answer| answer.event);
    Ok((answers, first.ok_or("nothing is told of the job")?))
}

/// The memory of a server.
struct Memory {
    /// With all its watchers.
    whole: u64,
    /// More than without them.
    added: u64,
}

/// What a server holds while so many watch.
async fn watch(server: &Process, name: &str, arguments: &Arguments) -> Result<Memory, Fault> {
    let before = server.memory()?;
    let (mut connections, mut watchers) = (Vec::new(), Vec::new());
    for _ in 0..arguments.connections {
        connections.push(connect_jobs(server.url()).await?);
    }
    for number in 0..arguments.watchers {
        let connection = &mut connections[number % arguments.connections];
        watchers.push(start_watching(connection, name).await?);
    }
    // what the last of them left behind goes
    tokio::time::sleep(Duration::from_secs(1)).await;
    let whole = server.memory()?;
    Ok(Memory { whole, added: whole.saturating_sub(before) })
}
