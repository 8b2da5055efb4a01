//! How long one call takes.

use std::time::{Duration, Instant};

use sleuth::api::proto as pb;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::solver_service_client::SolverServiceClient;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::bare::Answers;
use crate::client::{PUZZLE, connect_solver, event, input, solve};
use crate::process::{Daemon, Process};
use crate::table::{Goal, Row, median_rate, median_time, percentile};
use crate::{Arguments, Fault};

type Solver = SolverServiceClient<Channel>;

/// Calls at a time that ask for as much as they can get.
const MANY: usize = 64;

/// The daemon and the bare server side by side.
struct Pair {
    daemon: Process,
    bare: Process,
    /// Their database and answers.
    _folder: tempfile::TempDir,
}

impl Pair {
    async fn start(arguments: &Arguments) -> Result<Pair, Fault> {
        let folder = arguments.new_folder()?;
        let database = folder.path().join("jobs.sqlite");
        let daemon = Daemon { database: &database, durability: "full", calls: None };
        let daemon = Process::start_daemon(arguments, &daemon)?;
        let check = connect_solver(daemon.url()).await?.check(check()).await?.into_inner();
        Answers { check, ..Answers::default() }.write(folder.path())?;
        let bare = Process::start_bare(arguments, folder.path(), None)?;
        Ok(Pair { daemon, bare, _folder: folder })
    }
}

fn check() -> pb::CheckRequest {
    pb::CheckRequest { puzzle: input(PUZZLE.to_owned()), ..pb::CheckRequest::default() }
}

/// `Check`: one caller, and many.
pub async fn measure_check(arguments: &Arguments) -> Result<(), Fault> {
    let pair = Pair::start(arguments).await?;
    let (mut echo, mut ours) =
        (connect_solver(pair.bare.url()).await?, connect_solver(pair.daemon.url()).await?);
    let (mut echo_times, mut times, mut echo_rates, mut rates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..arguments.turns {
        echo_times.push(percentile(call_in_turn(&mut echo, arguments.time() / 2).await?, 0.5));
        times.push(percentile(call_in_turn(&mut ours, arguments.time() / 2).await?, 0.5));
        echo_rates.push(call_at_once(&echo, arguments.time() / 2).await?);
        rates.push(call_at_once(&ours, arguments.time() / 2).await?);
    }
    Row {
        work: "Check, 1 client, p50",
        anchor: median_time(echo_times),
        ours: median_time(times),
        goal: Goal::AtMost(1.3, 1.1),
    }
    .print();
    Row {
        work: "Check, 64 clients",
        anchor: median_rate(echo_rates),
        ours: median_rate(rates),
        goal: Goal::AtLeast(0.7, 0.9),
    }
    .print();
    pair.daemon.stop()
}

/// The time of each of many calls, one after the other.
async fn call_in_turn(solver: &mut Solver, time: Duration) -> Result<Vec<Duration>, Fault> {
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < time {
        let sent = Instant::now();
        solver.check(check()).await?;
        times.push(sent.elapsed());
    }
    Ok(times)
}

/// Calls a second by many callers over one connection.
async fn call_at_once(solver: &Solver, time: Duration) -> Result<f64, Fault> {
    let began = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..MANY {
        let mut solver = solver.clone();
        callers.spawn(async move { call_in_turn(&mut solver, time).await.map(|times| times.len()) });
    }
    let mut count = 0;
    while let Some(caller) = callers.join_next().await {
        count += caller??;
    }
    Ok(count as f64 / began.elapsed().as_secs_f64())
}

/// The first step of an interactive solve on an idle daemon.
pub async fn measure_first(arguments: &Arguments) -> Result<(), Fault> {
    let pair = Pair::start(arguments).await?;
    let (mut echo, mut ours) =
        (connect_solver(pair.bare.url()).await?, connect_solver(pair.daemon.url()).await?);
    let (mut echoes, mut middles, mut slowest) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..arguments.turns {
        echoes.push(percentile(call_in_turn(&mut echo, arguments.time() / 2).await?, 0.99));
        let times = solve_in_turn(&mut ours, arguments.time() / 2).await?;
        let firsts: Vec<Duration> = times.into_iter().map(|times| times.first_step).collect();
        middles.push(percentile(firsts.clone(), 0.5));
        slowest.push(percentile(firsts, 0.99));
    }
    let anchor = median_time(echoes);
    for (work, times) in
        [("first step, idle, p50 (echo p99)", middles), ("first step, idle, p99 (echo p99)", slowest)]
    {
        Row { work, anchor, ours: median_time(times), goal: Goal::AtMost(3.0, 1.5) }.print();
    }
    pair.daemon.stop()
}

/// An interactive solve while a bulk load saturates the machine, and without.
pub async fn measure_interactive(arguments: &Arguments) -> Result<(), Fault> {
    let pair = Pair::start(arguments).await?;
    let mut ours = connect_solver(pair.daemon.url()).await?;
    let (mut idle, mut busy) = (Vec::new(), Vec::new());
    for _ in 0..arguments.turns {
        let wholes = |times: Vec<Times>| times.into_iter().map(|times| times.whole).collect();
        idle.push(percentile(wholes(solve_in_turn(&mut ours, arguments.time()).await?), 0.99));
        // by a process of its own: what this one waits for is the daemon, and not its own share of the load
        let load = Process::start_bulk(pair.daemon.url(), arguments)?;
        busy.push(percentile(wholes(solve_in_turn(&mut ours, arguments.time()).await?), 0.99));
        drop(load);
    }
    Row {
        work: "interactive solve p99, bulk load (idle p99)",
        anchor: median_time(idle),
        ours: median_time(busy),
        goal: Goal::AtMost(5.0, 2.0),
    }
    .print();
    pair.daemon.stop()
}

/// Of one solve, after its request was sent.
struct Times {
    first_step: Duration,
    /// Until its end, which is stored by then.
    whole: Duration,
}

/// Solves, one after the other with a little rest between.
async fn solve_in_turn(solver: &mut Solver, time: Duration) -> Result<Vec<Times>, Fault> {
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < time {
        let sent = Instant::now();
        let mut first_step = None;
        let mut answers = solver.solve(solve(times.len() as u64)).await?.into_inner();
        while let Some(answer) = answers.message().await? {
            if matches!(event(&answer), Some(Event::Step(_))) {
                first_step.get_or_insert_with(|| sent.elapsed());
            }
        }
        let whole = sent.elapsed();
        times.push(Times { first_step: first_step.ok_or("a solve has no step")?, whole });
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(times)
}
