//! True candidates, answered at once.

use tonic::{Response, Status};

use super::convert::puzzle::read_input;
use super::convert::words::{read_engine, write_stopped};
use super::proto as pb;
use super::status::Refusal;
use crate::engine::search::candidates::{MAX_CAP, TrueCandidates, true_candidates};
use crate::jobs::{Jobs, Priority};
use crate::puzzle::{Cell, Fault, Faults};

/// `SolverService.TrueCandidates`.
pub async fn answer(
    jobs: &Jobs,
    message: pb::TrueCandidatesRequest,
) -> Result<Response<pb::TrueCandidatesResponse>, Status> {
    let mut faults = Faults::none();
    let engine = read_engine(&message.engine, "engine", &mut faults);
    let puzzle = read_input(message.puzzle, "puzzle", &mut faults);
    let cap = u64::from(message.cap.max(1));
    if cap > MAX_CAP {
        faults.push(Fault::new(
            "cap",
            format!("{cap} is more than the {MAX_CAP} that solutions are counted to"),
        ));
    }
    faults.into_result()?;
    let (Some(engine), Some(puzzle)) = (engine, puzzle) else { return Err(Refusal::unread().into()) };
    let work = move |budget: &mut _| true_candidates(&puzzle, cap, engine, budget);
    let found = jobs.compute(Priority::Interactive, None, work).await?;
    Ok(Response::new(write(&found, cap)))
}

fn write(found: &TrueCandidates, cap: u64) -> pb::TrueCandidatesResponse {
    let cells = (0..found.undecided.len()).map(Cell::new);
    let counts = if cap > 1 { found.counts() } else { &[] };
    let undecided = if found.stopped.is_some() { found.undecided.as_slice() } else { &[] };
    pb::TrueCandidatesResponse {
        candidates: cells.map(|cell| found.digits(cell).bits()).collect(),
        counts: counts.iter().map(|&count| count as u32).collect(),
        undecided: undecided.iter().map(|digits| digits.bits()).collect(),
        stop_reason: write_stopped(found.stopped).into(),
        nodes: found.nodes,
    }
}
