//! The work done by a daemon, asked over gRPC.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use super::args::LimitArguments;
use super::exit::Failure;
use super::news::{EachNews, SolveNews};
use super::report::VerifyReport;
use crate::api::client::{Client, ClientError, JobWishes, News, StepList, ToldStep, View};
use crate::engine::check::Checked;
use crate::engine::generate::{GenerateOutcome, Progress, Recipe};
use crate::engine::hint::Hint;
use crate::engine::list::ListOptions;
use crate::engine::logic::Conclusion;
use crate::engine::logic::explain::Language;
use crate::engine::logic::trace::Trace;
use crate::engine::prove::Proving;
use crate::engine::rate::{RateOutcome, Scale};
use crate::engine::search::Engine;
use crate::engine::search::candidates::TrueCandidates;
use crate::engine::solve::{SolveOptions, SolveOutcome};
use crate::engine::survey::SurveyOptions;
use crate::jobs::{JobOutcome, JobSpec, JobState};
use crate::puzzle::{Position, Puzzle};

/// Who asks, where that is somebody: the jobs of this name are seen.
const CLIENT: &str = "SLEUTH_CLIENT";

/// A daemon and the runtime in which it is asked.
pub struct Daemon {
    client: Client,
    runtime: tokio::runtime::Runtime,
}

impl Daemon {
    /// Connects to the daemon at `http://host:port`.
    pub fn connect(server: &str) -> Result<Daemon, Failure> {
        let is_url = server
            .parse::<http::Uri>()
            .is_ok_and(|uri| uri.scheme_str() == Some("http") && uri.authority().is_some());
        if !is_url {
            return Err(Failure::invalid(format!("`{server}` is no address as in http://127.0.0.1:7353")));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::failed(format!("cannot start: {error}")))?;
        let mut client = runtime.block_on(Client::connect(server))?;
        if let Ok(name) = std::env::var(CLIENT) {
            let named = client.named(&name);
            client = named.ok_or_else(|| Failure::invalid(format!("{CLIENT}: `{name}` is no name")))?;
        }
        Ok(Daemon { client, runtime })
    }

    /// Asks it something.
    pub fn ask<T>(&self, question: impl AsyncFnOnce(&Client) -> Result<T, Failure>) -> Result<T, Failure> {
        self.runtime.block_on(question(&self.client))
    }
}

/// Runs a job to its end, and gives what came of it.
fn run(
    server: &str,
    spec: &JobSpec,
    limits: &LimitArguments,
    (language, each): (Language, &mut dyn FnMut(News) -> Result<(), Failure>),
) -> Result<JobOutcome, Failure> {
    let wishes = JobWishes { language, ..wishes(limits) };
    Daemon::connect(server)?.ask(async |client| {
        let mut follow = client.run(spec, &wishes).await?;
        while let Some(news) = follow.next().await {
            match news? {
                News::Finished(job) => return outcome_of(*job),
                news => each(news)?,
            }
        }
        Err(Failure::failed("the daemon did not say how the job ended"))
    })
}

fn wishes(limits: &LimitArguments) -> JobWishes {
    JobWishes {
        request_id: Some(new_request_id()),
        time_limit: limits.deadline,
        work_limit: limits.work,
        start_time: limits.start_at,
        ..JobWishes::default()
    }
}

/// Leaves a job to the daemon, and gives its name.
pub fn leave(server: &str, spec: &JobSpec, limits: &LimitArguments) -> Result<String, Failure> {
    let wishes = wishes(limits);
    Daemon::connect(server)?.ask(async |client| Ok(client.submit(spec, &wishes).await?.name))
}

/// What came of a job that has ended, or why nothing did.
pub fn outcome_of(job: View) -> Result<JobOutcome, Failure> {
    let reason = job.reason.unwrap_or_else(|| "no reason was given".to_owned());
    match (job.state, job.outcome) {
        (JobState::Succeeded, Some(outcome)) => Ok(outcome),
        (JobState::Cancelled, _) => Err(Failure::undecided(format!("{} was cancelled: {reason}", job.name))),
        (state, _) => Err(Failure::failed(format!("{} is {}: {reason}", job.name, state.word()))),
    }
}

/// So that a request can be repeated when the connection is lost.
fn new_request_id() -> String {
    let mut id = "cli-".to_owned();
    for _ in 0..2 {
        // Keys of every `RandomState` differ, so its empty hash does.
        id.push_str(&format!(
            "{:016x}",
            std::collections::hash_map::RandomState::new().build_hasher().finish()
        ));
    }
    id
}

fn unexpected() -> Failure {
    Failure::failed("the daemon answered something else than what was asked")
}

/// Solves.
pub fn run_solve(
    server: &str,
    (puzzle, options): (&Arc<Puzzle>, &SolveOptions),
    limits: &LimitArguments,
    (language, each): (Language, &mut EachNews<'_>),
) -> Result<SolveOutcome, Failure> {
    let spec = JobSpec::Solve { puzzle: puzzle.clone(), options: options.clone() };
    let mut tell = |news: News| match news {
        News::Verdict(verdict) => each(SolveNews::Verdict(verdict)),
        News::Step { step, explanation } => each(SolveNews::Step { step, explanation }),
        News::Restarted { .. } => each(SolveNews::Restarted),
        News::Accepted { .. }
        | News::Waiting(_)
        | News::Started { .. }
        | News::Progress(_)
        | News::Finished(_) => Ok(()),
    };
    match run(server, &spec, limits, (language, &mut tell))? {
        JobOutcome::Solve(outcome) => Ok(outcome),
        JobOutcome::Rate(_) | JobOutcome::Generate(_) => Err(unexpected()),
    }
}

/// Rates.
pub fn run_rate(
    server: &str,
    puzzle: &Arc<Puzzle>,
    scale: Scale,
    limits: &LimitArguments,
) -> Result<RateOutcome, Failure> {
    let spec = JobSpec::Rate { puzzle: puzzle.clone(), scale };
    match run(server, &spec, limits, (Language::English, &mut |_| Ok(())))? {
        JobOutcome::Rate(outcome) => Ok(outcome),
        JobOutcome::Solve(_) | JobOutcome::Generate(_) => Err(unexpected()),
    }
}

/// Makes a puzzle.
pub fn run_generate(
    server: &str,
    recipe: &Recipe,
    limits: &LimitArguments,
    each: &mut dyn FnMut(&Progress),
) -> Result<GenerateOutcome, Failure> {
    let spec = JobSpec::Generate { recipe: recipe.clone() };
    let mut tell = |news: News| {
        if let News::Progress(progress) = news {
            each(&progress);
        }
        Ok(())
    };
    match run(server, &spec, limits, (Language::English, &mut tell))? {
        JobOutcome::Generate(outcome) => Ok(outcome),
        JobOutcome::Solve(_) | JobOutcome::Rate(_) => Err(unexpected()),
    }
}

/// Advises, and says in words why.
pub fn run_hint(server: &str, position: &Position, language: Language) -> Result<(Hint, String), Failure> {
    let options = SurveyOptions::default();
    Daemon::connect(server)?.ask(async |client| Ok(client.hint(position, &options, language).await?))
}

/// Lists every step, told.
pub fn run_steps(
    server: &str,
    position: &Position,
    options: &ListOptions,
    language: Language,
) -> Result<StepList, Failure> {
    Daemon::connect(server)?.ask(async |client| Ok(client.list_steps(position, options, language).await?))
}

/// Puts a conclusion to the test; with the steps of the proof, told.
pub fn run_prove(
    server: &str,
    position: &Position,
    conclusion: Conclusion,
    language: Language,
) -> Result<(Proving, Vec<ToldStep>), Failure> {
    let options = SurveyOptions::default();
    Daemon::connect(server)?
        .ask(async |client| Ok(client.prove(position, conclusion, &options, language).await?))
}

/// Checks a puzzle and a position.
pub fn run_check(server: &str, puzzle: &Puzzle, position: Option<&Position>) -> Result<Checked, Failure> {
    Daemon::connect(server)?.ask(async |client| Ok(client.check(puzzle, position, Engine::General).await?))
}

/// Finds true candidates.
pub fn run_candidates(
    server: &str,
    puzzle: &Puzzle,
    cap: u64,
    engine: Engine,
) -> Result<TrueCandidates, Failure> {
    Daemon::connect(server)?.ask(async |client| Ok(client.true_candidates(puzzle, cap, engine).await?))
}

/// Has a trace re-checked.
pub fn run_verify(server: &str, trace: &Trace) -> Result<VerifyReport, Failure> {
    let verification = Daemon::connect(server)?
        .ask(async |client| Ok(client.verify(&trace.puzzle, &trace.steps, trace.unique).await?))?;
    let reason = (!verification.proved).then_some(verification.reason);
    let proved = usize::try_from(verification.steps_proved).unwrap_or(usize::MAX);
    Ok(VerifyReport::new(trace, proved, reason))
}

/// A refusal in lines, one for every fault.
impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        match error {
            ClientError::Unreachable { .. } => Failure::Unreachable(vec![
                error.to_string(),
                "start one with `sleuth`, or use --local where there is that option".to_owned(),
            ]),
            ClientError::Busy { .. } => Failure::unreachable(error.to_string()),
            ClientError::Invalid { message, faults } if faults.is_empty() => Failure::invalid(message),
            ClientError::Invalid { faults, .. } => {
                Failure::Invalid(faults.iter().map(ToString::to_string).collect())
            }
            ClientError::NotFound(message) => Failure::invalid(message),
            ClientError::Deadline => Failure::undecided(error.to_string()),
            ClientError::Failed { .. } | ClientError::Garbled(_) => Failure::failed(error.to_string()),
        }
    }
}
