//! `SolverService`: traces of jobs that are made for the call, and short work that is not kept.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use super::caller::caller;
use super::candidates;
use super::convert::job::{View, read_language};
use super::convert::player::{read_position, write_wrong};
use super::convert::puzzle::{read_input, write_fault, write_solution};
use super::convert::reader::Reader;
use super::convert::spec::Request as JobRequest;
use super::convert::step::read_known_step;
use super::convert::words::{read_engine, write_level, write_stopped, write_verdict};
use super::list_steps;
use super::pages::slice;
use super::player;
use super::proto as pb;
use super::proto::job_spec::Kind;
use super::proto::solver_service_server::SolverService;
use super::status::Refusal;
use super::stream::{Answers, Events, Wrapped};
use super::verify::{MAX_STEPS, walk, write_walk};
use crate::engine::check::{Checked, check};
use crate::engine::logic::Technique;
use crate::engine::logic::explain::Language;
use crate::engine::logic::path::Facts;
use crate::engine::logic::registry::TECHNIQUES;
use crate::engine::solve::logic_takes;
use crate::jobs::{ClientId, Jobs, Priority};
use crate::puzzle::{Fault, Faults, Puzzle};

/// The service, on the jobs of this process.
#[derive(Clone, Debug)]
pub struct Solver {
    jobs: Jobs,
}

impl Solver {
    /// The service.
    pub fn new(jobs: Jobs) -> Solver {
        Solver { jobs }
    }

    /// Submits a job and streams its trace.
    async fn run<T: Send + 'static>(
        &self,
        client: ClientId,
        request: JobRequest,
        view: Option<pb::EventView>,
        validate_only: bool,
        wrap: fn(pb::JobEvent) -> T,
    ) -> Result<Response<Answers<T>>, Status> {
        let mut faults = Faults::none();
        let view = View::read(view, "view", &mut faults);
        let submission = request.read(client, &mut faults);
        faults.into_result()?;
        let (Some(view), Some(submission)) = (view, submission) else { return Err(Refusal::unread().into()) };
        if validate_only {
            self.jobs.validate(&submission).await?;
            return Ok(Response::new(Box::pin(tokio_stream::empty())));
        }
        let puzzle = submission.spec.puzzle().cloned();
        let run = self.jobs.run(submission)?;
        Ok(Response::new(Wrapped::stream(Events::of_run(run, puzzle, view), wrap)))
    }
}

/// A request whose parts are fields of its own.
fn interactive(kind: Kind, options: Option<pb::JobOptions>, detached: bool) -> JobRequest {
    JobRequest {
        kind: Some(kind),
        field: "",
        options,
        options_field: "job",
        detached,
        priority: Priority::Interactive,
    }
}

#[tonic::async_trait]
impl SolverService for Solver {
    type SolveStream = Answers<pb::SolveResponse>;
    type RateStream = Answers<pb::RateResponse>;
    type GenerateStream = Answers<pb::GenerateResponse>;
    type ListStepsStream = Answers<pb::ListStepsResponse>;

    async fn solve(&self, request: Request<pb::SolveRequest>) -> Result<Response<Self::SolveStream>, Status> {
        let client = caller(&request)?;
        let message = request.into_inner();
        let kind = Kind::Solve(pb::SolveSpec { puzzle: message.puzzle, options: message.options });
        let request = interactive(kind, message.job, message.detached);
        let wrap = |event| pb::SolveResponse { event: Some(event) };
        self.run(client, request, message.view, message.validate_only, wrap).await
    }

    async fn rate(&self, request: Request<pb::RateRequest>) -> Result<Response<Self::RateStream>, Status> {
        let client = caller(&request)?;
        let message = request.into_inner();
        let kind = Kind::Rate(pb::RateSpec { puzzle: message.puzzle, scale: message.scale });
        let request = interactive(kind, message.job, message.detached);
        let wrap = |event| pb::RateResponse { event: Some(event) };
        self.run(client, request, message.view, message.validate_only, wrap).await
    }

    async fn generate(
        &self,
        request: Request<pb::GenerateRequest>,
    ) -> Result<Response<Self::GenerateStream>, Status> {
        let client = caller(&request)?;
        let message = request.into_inner();
        let kind = Kind::Generate(message.recipe.unwrap_or_default());
        let request = interactive(kind, message.job, message.detached);
        let wrap = |event| pb::GenerateResponse { event: Some(event) };
        self.run(client, request, message.view, message.validate_only, wrap).await
    }

    async fn hint(&self, request: Request<pb::HintRequest>) -> Result<Response<pb::HintResponse>, Status> {
        player::hint(&self.jobs, request.into_inner()).await
    }

    async fn list_steps(
        &self,
        request: Request<pb::ListStepsRequest>,
    ) -> Result<Response<Self::ListStepsStream>, Status> {
        list_steps::list_steps(&self.jobs, request.into_inner())
    }

    async fn prove(&self, request: Request<pb::ProveRequest>) -> Result<Response<pb::ProveResponse>, Status> {
        player::prove(&self.jobs, request.into_inner()).await
    }

    async fn check(&self, request: Request<pb::CheckRequest>) -> Result<Response<pb::CheckResponse>, Status> {
        let message = request.into_inner();
        if message.puzzle.as_ref().is_none_or(|input| input.source.is_none()) {
            return Err(Refusal::invalid("puzzle", "a puzzle is needed, as `text` or as `puzzle`").into());
        }
        let mut faults = Faults::none();
        let engine = read_engine(&message.engine, "engine", &mut faults);
        let mut found = Faults::none();
        let puzzle = read_input(message.puzzle, "puzzle", &mut found).map(Arc::new);
        let Some(puzzle) = puzzle else {
            faults.into_result()?;
            return Ok(Response::new(write_faults(&found)));
        };
        let position = match message.position {
            None => None,
            Some(position) => read_position(position, &puzzle, "position", &mut faults),
        };
        faults.into_result()?;
        let Some(engine) = engine else { return Err(Refusal::unread().into()) };
        let (checking, is_brief) = (puzzle.clone(), engine.is_brief(&puzzle));
        let work = move |budget: &mut _| check(&checking, position.as_ref(), engine, budget);
        let checked = match is_brief {
            true => self.jobs.compute_brief(Priority::Interactive, work).await?,
            false => self.jobs.compute(Priority::Interactive, None, work).await?,
        };
        Ok(Response::new(write_checked(&checked, &puzzle)))
    }

    async fn true_candidates(
        &self,
        request: Request<pb::TrueCandidatesRequest>,
    ) -> Result<Response<pb::TrueCandidatesResponse>, Status> {
        candidates::answer(&self.jobs, request.into_inner()).await
    }

    async fn verify(
        &self,
        request: Request<pb::VerifyRequest>,
    ) -> Result<Response<pb::VerifyResponse>, Status> {
        let message = request.into_inner();
        let mut faults = Faults::none();
        let puzzle = read_input(message.puzzle, "puzzle", &mut faults).map(Arc::new);
        if message.steps.len() > MAX_STEPS {
            let count = message.steps.len();
            faults.push(Fault::new(
                "steps",
                format!("{count} steps are more than the {MAX_STEPS} of one call"),
            ));
        }
        faults.clone().into_result()?;
        let Some(puzzle) = puzzle else { return Err(Refusal::unread().into()) };
        logic_takes(&puzzle).map_err(Refusal::from)?;
        let steps = Reader::new(&puzzle, &mut faults).each("steps", &message.steps, read_known_step);
        faults.into_result()?;
        let (count, facts) = (steps.len(), Facts { unique: message.assume_unique });
        let work = move |budget: &mut _| walk(&puzzle, &steps, facts, budget);
        let walked = self.jobs.compute(Priority::Interactive, None, work).await?;
        Ok(Response::new(write_walk(walked, count)))
    }

    async fn list_techniques(
        &self,
        request: Request<pb::ListTechniquesRequest>,
    ) -> Result<Response<pb::ListTechniquesResponse>, Status> {
        let message = request.into_inner();
        let mut faults = Faults::none();
        let language = read_language(&message.language, "language", &mut faults);
        let page = slice(TECHNIQUES, message.page_size, &message.page_token, &mut faults);
        faults.into_result()?;
        let (Some(language), Some((rows, next_page_token))) = (language, page) else {
            return Err(Refusal::unread().into());
        };
        let techniques = rows.iter().map(|row| write_technique(row, language)).collect();
        Ok(Response::new(pb::ListTechniquesResponse { techniques, next_page_token }))
    }
}

fn write_faults(faults: &Faults) -> pb::CheckResponse {
    pb::CheckResponse {
        faults: faults.list.iter().map(write_fault).collect(),
        more_faults: faults.more as u64,
        ..pb::CheckResponse::default()
    }
}

fn write_checked(checked: &Checked, puzzle: &Puzzle) -> pb::CheckResponse {
    pb::CheckResponse {
        verdict: Some(write_verdict(checked.verdict)),
        solutions: checked.solutions.iter().map(write_solution).collect(),
        wrong_entries: checked.wrong.iter().map(|wrong| write_wrong(wrong, puzzle)).collect(),
        nodes: checked.nodes,
        stop_reason: write_stopped(checked.stopped).into(),
        ..pb::CheckResponse::default()
    }
}

fn write_technique(row: &Technique, language: Language) -> pb::Technique {
    pb::Technique {
        slug: row.slug.to_owned(),
        name: language.of(&row.name).to_owned(),
        level: write_level(row.level).into(),
        score: row.score,
        needs_cages: row.needs.cages,
        needs_unique: row.needs.unique,
        sentence: language.of(&row.sentence).to_owned(),
        lesson: language.of(&row.lesson).to_owned(),
        on_path: row.on_path,
    }
}
