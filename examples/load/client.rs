//! Connections, and the requests that are measured.

use std::time::Duration;

use sleuth::api::proto as pb;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::job_service_client::JobServiceClient;
use sleuth::api::proto::solver_service_client::SolverServiceClient;
use tonic::transport::{Channel, Endpoint};

use crate::Fault;

/// A classic with 17 givens.
pub const PUZZLE: &str = "000000010400000000020000000000050407008000300001090000300400200050100000000806000";

/// A connection of its own, with the windows of the project's own client.
pub async fn connect(url: &str) -> Result<Channel, Fault> {
    let endpoint = Endpoint::from_shared(url.to_owned())?;
    Ok(endpoint
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        .initial_stream_window_size(64 << 10)
        .initial_connection_window_size(32 << 20)
        .connect()
        .await?)
}

pub async fn connect_solver(url: &str) -> Result<SolverServiceClient<Channel>, Fault> {
    Ok(SolverServiceClient::new(connect(url).await?))
}

pub async fn connect_jobs(url: &str) -> Result<JobServiceClient<Channel>, Fault> {
    Ok(JobServiceClient::new(connect(url).await?))
}

/// The puzzle with its digits renamed: as many puzzles as one likes, all equally hard.
pub fn puzzle(number: u64) -> String {
    let mut digits = *b"123456789";
    let mut rest = number;
    for last in (1..9).rev() {
        digits.swap(last, (rest % (last as u64 + 1)) as usize);
        rest /= last as u64 + 1;
    }
    let rename =
        |symbol: char| symbol.to_digit(10).filter(|&digit| digit > 0).map(|digit| digit as usize - 1);
    PUZZLE.chars().map(|symbol| rename(symbol).map_or('0', |place| char::from(digits[place]))).collect()
}

pub fn input(text: String) -> Option<pb::PuzzleInput> {
    Some(pb::PuzzleInput { source: Some(pb::puzzle_input::Source::Text(text)), ..pb::PuzzleInput::default() })
}

/// An interactive solve with all steps.
pub fn solve(number: u64) -> pb::SolveRequest {
    pb::SolveRequest { puzzle: input(puzzle(number)), ..pb::SolveRequest::default() }
}

/// Its event.
pub fn event(response: &pb::SolveResponse) -> Option<&Event> {
    response.event.as_ref()?.event.as_ref()
}
