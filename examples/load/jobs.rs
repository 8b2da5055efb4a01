//! Jobs a second through `RunJobs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sleuth::api::proto as pb;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::run_jobs_request::Action;
use sleuth::api::proto::run_jobs_response::Outcome;
use sleuth::store::Durability;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;

use crate::bare::{Answers, DATABASE};
use crate::client::{connect_jobs, input, puzzle};
use crate::process::{Daemon, Process, busy};
use crate::raw::{self, Bodies, Raw};
use crate::table::{Goal, Row, median_rate};
use crate::{Arguments, Fault};

/// What a job does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// The search says how many solutions there are; the trace is not kept.
    Search,
    /// Every step is streamed with its proof, and the trace is kept.
    Steps,
}

/// A request of the load.
pub fn request(number: u64, work: Work, priority: pb::Priority) -> pb::RunJobsRequest {
    let is_search = work == Work::Search;
    let mode = if is_search { pb::SolveMode::SearchOnly } else { pb::SolveMode::Full };
    let options = pb::SolveOptions { mode: mode.into(), ..pb::SolveOptions::default() };
    let spec = pb::SolveSpec { puzzle: input(puzzle(number)), options: Some(options) };
    pb::RunJobsRequest {
        tag: number.to_string(),
        action: Some(Action::Spec(pb::JobSpec { kind: Some(pb::job_spec::Kind::Solve(spec)) })),
        options: Some(pb::JobOptions {
            discard_trace: is_search,
            priority: priority.into(),
            ..pb::JobOptions::default()
        }),
        // who wants many results wants nothing else
        view: is_search.then(|| pb::EventView { end_only: true, ..pb::EventView::default() }),
        ..pb::RunJobsRequest::default()
    }
}

/// Prints the rows.
pub async fn measure(arguments: &Arguments, work: Work) -> Result<(), Fault> {
    for durability in [Durability::Normal, Durability::Full] {
        let word = durability.word();
        let (mut raws, mut bares, mut ours, mut costs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..arguments.turns {
            let folder = arguments.new_folder()?;
            let database = folder.path().join(DATABASE);
            let daemon = Daemon { database: &database, durability: word, calls: None };
            let daemon = Process::start_daemon(arguments, &daemon)?;
            raws.push(match work {
                Work::Search => {
                    let in_flight = arguments.in_flight_of_all();
                    run_one(daemon.url(), work).await?;
                    let bodies = Arc::new(Bodies::read(&database).await?);
                    let database = &folder.path().join("raw.sqlite");
                    raw::measure(&Raw { database, durability, in_flight, bodies }, arguments.time()).await?
                }
                Work::Steps => {
                    let answers = Answers { job: run_one(daemon.url(), work).await?, ..Answers::default() };
                    answers.write(folder.path())?;
                    let bare = Process::start_bare(arguments, folder.path(), None)?;
                    bares.push(load(&bare, work, arguments).await?.rate);
                    drop(bare);
                    let raw = Process::start_bare(arguments, folder.path(), Some(durability))?;
                    load(&raw, work, arguments).await?.rate
                }
            });
            let pace = load(&daemon, work, arguments).await?;
            ours.push(pace.rate);
            costs.push(pace);
            daemon.stop()?;
        }
        let (name, goal) = match work {
            Work::Search => ("durable solve jobs", Goal::AtLeast(0.5, 0.8)),
            Work::Steps => ("— with every step streamed, trace stored", Goal::AtLeast(0.4, 0.7)),
        };
        let (anchor, ours) = (median_rate(raws), median_rate(ours));
        Row { work: &format!("{name}, {word}"), anchor, ours, goal }.print();
        costs.sort_by_key(|pace| pace.server);
        let Pace { server, client, .. } = costs[costs.len() / 2];
        println!("  processor time a job: daemon {server:.1?}, client {client:.1?}");
        if !bares.is_empty() {
            println!("  the same messages from a bare server that stores nothing: {}", median_rate(bares));
        }
    }
    Ok(())
}

/// Runs one job; all that is told of it.
pub async fn run_one(url: &str, work: Work) -> Result<Vec<pb::RunJobsResponse>, Fault> {
    let requests = tokio_stream::once(request(1, work, pb::Priority::Normal));
    let mut answers = connect_jobs(url).await?.run_jobs(requests).await?.into_inner();
    let mut messages = Vec::new();
    while let Some(message) = answers.message().await? {
        messages.push(message);
    }
    Ok(messages)
}

/// How fast jobs end, as the client sees it, and what each costs.
struct Pace {
    /// Jobs a second.
    rate: f64,
    /// Of the server's processor time, a job.
    server: Duration,
    /// Of the client's.
    client: Duration,
}

async fn load(server: &Process, work: Work, arguments: &Arguments) -> Result<Pace, Fault> {
    let load = Load::start(server.url(), work, pb::Priority::Normal, arguments).await?;
    // the first jobs meet cold connections
    tokio::time::sleep(arguments.time() / 4).await;
    let (before, began) = (load.ended(), Instant::now());
    let busy_before = (server.busy()?, busy("self")?);
    tokio::time::sleep(arguments.time()).await;
    let (ended, took) = (load.ended() - before, began.elapsed());
    let jobs = u32::try_from(ended)?.max(1);
    let pace = Pace {
        rate: ended as f64 / took.as_secs_f64(),
        server: (server.busy()? - busy_before.0) / jobs,
        client: (busy("self")? - busy_before.1) / jobs,
    };
    load.stop().await?;
    Ok(pace)
}

/// Jobs without end, each begun when another has ended.
pub struct Load {
    ended: Arc<AtomicU64>,
    stop: tokio_util::sync::CancellationToken,
    streams: JoinSet<Result<(), Fault>>,
}

impl Load {
    pub async fn start(
        url: &str,
        work: Work,
        priority: pb::Priority,
        arguments: &Arguments,
    ) -> Result<Load, Fault> {
        let mut load = Load { ended: Arc::default(), stop: Default::default(), streams: JoinSet::new() };
        for number in 0..arguments.streams {
            let stream = Stream {
                jobs: connect_jobs(url).await?,
                work,
                priority,
                in_flight: arguments.in_flight,
                // no two streams bring the same puzzle
                next: number as u64 * 50_000,
            };
            load.streams.spawn(stream.run(load.ended.clone(), load.stop.clone()));
        }
        Ok(load)
    }

    /// How many have ended.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Begins nothing more; an error of any stream.
    pub async fn stop(self) -> Result<(), Fault> {
        self.stop.cancel();
        self.join().await
    }

    /// Waits until every stream has ended; an error of any.
    async fn join(mut self) -> Result<(), Fault> {
        while let Some(stream) = self.streams.join_next().await {
            stream??;
        }
        Ok(())
    }
}

struct Stream {
    jobs: pb::job_service_client::JobServiceClient<tonic::transport::Channel>,
    work: Work,
    priority: pb::Priority,
    in_flight: u16,
    next: u64,
}

impl Stream {
    async fn run(
        mut self,
        ended: Arc<AtomicU64>,
        stop: tokio_util::sync::CancellationToken,
    ) -> Result<(), Fault> {
        let (sender, requests) = tokio::sync::mpsc::channel(usize::from(self.in_flight));
        for _ in 0..self.in_flight {
            sender.send(self.request()).await?;
        }
        let mut sender = Some(sender);
        let mut answers = self.jobs.run_jobs(ReceiverStream::new(requests)).await?.into_inner();
        while let Some(answer) = answers.message().await? {
            match answer.outcome {
                Some(Outcome::Event(event)) if matches!(event.event, Some(Event::Finished(_))) => {}
                Some(Outcome::Event(_)) => continue,
                Some(Outcome::Error(error)) => return Err(error.message.into()),
                None => return Err("an answer says nothing".into()),
            }
            ended.fetch_add(1, Ordering::Relaxed);
            if stop.is_cancelled() {
                sender = None;
            }
            if let Some(sender) = &sender {
                sender.send(self.request()).await?;
            }
        }
        Ok(())
    }

    fn request(&mut self) -> pb::RunJobsRequest {
        self.next += 1;
        request(self.next, self.work, self.priority)
    }
}

/// Keeps the daemon at this address busy until it is killed; says so once that is under way.
pub async fn saturate(url: &str, arguments: &Arguments) -> Result<(), Fault> {
    let load = Load::start(url, Work::Steps, pb::Priority::Bulk, arguments).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("{url} is busy");
    load.join().await
}
