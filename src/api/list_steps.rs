//! Every step from a player's position, streamed as a worker finds them.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc;
use tonic::{Response, Status};

use super::convert::step::write_told_step;
use super::convert::words::{write_stopped, write_verdict};
use super::player::{Player, PlayerFields, write_wrong_entries};
use super::proto as pb;
use super::proto::list_steps_response::Event;
use super::pull::{Pull, Source};
use super::status::Refusal;
use super::stream::Answers;
use crate::engine::list::{ListEvent, ListOptions, Listing, list};
use crate::engine::logic::Step;
use crate::engine::logic::explain::Language;
use crate::engine::solve::{SolveError, logic_takes};
use crate::jobs::{Jobs, JobsError, Priority};
use crate::puzzle::{Fault, Faults, Position, Puzzle};

/// How many steps are listed where the request does not say.
const USUAL_STEPS: u32 = 10_000;
/// The most steps that are listed: all may wait for a slow reader, so that no worker does.
const MAX_STEPS: u32 = 10_000;

/// Every step from a player's position.
pub fn list_steps(
    jobs: &Jobs,
    message: pb::ListStepsRequest,
) -> Result<Response<Answers<pb::ListStepsResponse>>, Status> {
    let mut faults = Faults::none();
    let limit = match message.max_steps {
        0 => USUAL_STEPS,
        limit => limit,
    };
    if limit > MAX_STEPS {
        faults.push(Fault::new(
            "max_steps",
            format!("{limit} steps are more than the {MAX_STEPS} of one call"),
        ));
    }
    let row_work = match message.technique_work_limit {
        0 => u64::MAX,
        work => work,
    };
    let fields = PlayerFields {
        puzzle: message.puzzle,
        position: message.position,
        language: message.language,
        engine: message.engine,
        assume_unique: message.assume_unique,
    };
    let player = fields.read(&mut faults);
    faults.into_result()?;
    let Some(Player { position, language, options }) = player else { return Err(Refusal::unread().into()) };
    logic_takes(position.puzzle()).map_err(Refusal::from)?;
    let options = ListOptions { survey: options, row_work, limit: limit as usize };
    let view = View { puzzle: position.puzzle().clone(), language, with_proofs: !message.omit_proofs };
    Ok(Response::new(Box::pin(Pull::of(Steps::start(jobs.clone(), position, options, view)))))
}

/// What a worker found, on its way to the reader.
enum Found {
    Survey(pb::PositionSurvey),
    Step(Step),
}

/// How steps are told.
struct View {
    puzzle: Arc<Puzzle>,
    language: Language,
    with_proofs: bool,
}

type Listed = Result<Result<Listing, SolveError>, JobsError>;

/// The steps of a position as a worker finds them.
struct Steps {
    found: mpsc::UnboundedReceiver<Found>,
    /// None once it has ended.
    listing: Option<Pin<Box<dyn Future<Output = Listed> + Send>>>,
    ended: Option<Listed>,
    view: View,
}

impl Steps {
    /// A worker does not wait for the reader: what it has found is held, at most [`MAX_STEPS`] steps.
    fn start(jobs: Jobs, position: Position, options: ListOptions, view: View) -> Steps {
        let (sender, found) = mpsc::unbounded_channel();
        let listing = async move {
            let work = move |budget: &mut _| {
                list(&position, &options, budget, &mut |event| {
                    let sent = match event {
                        ListEvent::Survey(survey) => sender.send(Found::Survey(pb::PositionSurvey {
                            verdict: Some(write_verdict(survey.checked.verdict)),
                            wrong_entries: write_wrong_entries(survey.wrong(), position.puzzle()).entries,
                            nodes: survey.checked.nodes,
                        })),
                        ListEvent::Step(step) => sender.send(Found::Step(step)),
                    };
                    // the reader has gone
                    if sent.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
            };
            jobs.compute(Priority::Interactive, None, work).await
        };
        Steps { found, listing: Some(Box::pin(listing)), ended: None, view }
    }
}

impl Source for Steps {
    type Item = pb::ListStepsResponse;

    async fn next(&mut self) -> Option<Result<pb::ListStepsResponse, Status>> {
        loop {
            if let Some(listing) = &mut self.listing {
                tokio::select! {
                    biased;
                    Some(found) = self.found.recv() => return Some(Ok(self.view.write(found))),
                    ended = listing => {
                        self.listing = None;
                        self.ended = Some(ended);
                    }
                }
            } else if let Some(found) = self.found.recv().await {
                return Some(Ok(self.view.write(found)));
            } else {
                return match self.ended.take()? {
                    Ok(Ok(listing)) => Some(Ok(write_end(&listing))),
                    Ok(Err(error)) => Some(Err(Refusal::from(error).into())),
                    Err(error) => Some(Err(Refusal::from(error).into())),
                };
            }
        }
    }
}

impl View {
    fn write(&self, found: Found) -> pb::ListStepsResponse {
        let event = match found {
            Found::Survey(survey) => Event::Survey(survey),
            Found::Step(step) => {
                Event::Step(write_told_step(&step, &self.puzzle, self.language, self.with_proofs))
            }
        };
        pb::ListStepsResponse { event: Some(event) }
    }
}

fn write_end(listing: &Listing) -> pb::ListStepsResponse {
    let techniques = listing.rows.iter().map(|row| pb::TechniqueEnd {
        technique: row.technique.slug.to_owned(),
        steps: row.steps,
        complete: row.complete,
    });
    let end = pb::StepsEnd {
        complete: listing.complete,
        techniques: techniques.collect(),
        stop_reason: write_stopped(listing.stopped).into(),
    };
    pb::ListStepsResponse { event: Some(Event::End(end)) }
}
