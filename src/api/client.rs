//! The other end: connects to a daemon, calls it, and follows jobs across lost connections. Speaks in the values of
//! the engine, so that whoever uses it knows neither tonic nor a message.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tonic::codec::CompressionEncoding;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use super::caller::HEADER;
use super::convert::answer::{self, Garbled, JobNews, JobView};
use super::convert::job::{write_kind, write_state};
use super::convert::puzzle::write_puzzle;
use super::convert::spec::{write_priority, write_spec};
use super::convert::step::{write_conclusion, write_step};
use super::follow::Follow;
use super::proto as pb;
use super::proto::archive_service_client::ArchiveServiceClient;
use super::proto::job_service_client::JobServiceClient;
use super::proto::solver_service_client::SolverServiceClient;
use super::{CONNECTION_WINDOW, STREAM_WINDOW};
use crate::engine::check::Checked;
use crate::engine::hint::Hint;
use crate::engine::list::ListOptions;
use crate::engine::logic::explain::Language;
use crate::engine::logic::{Conclusion, Step};
use crate::engine::prove::Proving;
use crate::engine::search::Engine;
use crate::engine::search::candidates::TrueCandidates;
use crate::engine::survey::SurveyOptions;
use crate::jobs::{JobKind, JobSpec, JobState, Priority};
use crate::puzzle::{Cell, Fault, Position, Puzzle};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The largest answer that is read.
pub(super) const MAX_ANSWER: usize = 64 << 20;

/// Why a daemon did not answer with what it was asked for.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ClientError {
    /// It cannot be reached, or the connection was lost.
    #[error("no daemon answers at {url}: {reason}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why.
        reason: String,
    },
    /// The request is wrong; every fault is named.
    #[error("the daemon refused the request: {message}")]
    Invalid {
        /// In short.
        message: String,
        /// Each field with what is wrong.
        faults: Vec<Fault>,
    },
    /// There is no such job or puzzle.
    #[error("{0}")]
    NotFound(String),
    /// It has too much to do.
    #[error("the daemon is busy: {message}")]
    Busy {
        /// In short.
        message: String,
        /// When to ask again.
        retry_after: Option<Duration>,
    },
    /// The time allowed has passed.
    #[error("the time allowed has passed")]
    Deadline,
    /// Anything else that it says.
    #[error("the daemon failed: {message} ({code})")]
    Failed {
        /// The name of the status.
        code: &'static str,
        /// In short.
        message: String,
    },
    /// Its answer cannot be understood.
    #[error(transparent)]
    Garbled(#[from] Garbled),
}

/// How a job is to be treated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobWishes {
    /// By which the request may be repeated.
    pub request_id: Option<String>,
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// It is not begun before.
    pub start_time: Option<SystemTime>,
    /// Which go first; none for the usual.
    pub priority: Option<Priority>,
    /// The most units of work.
    pub work_limit: Option<u64>,
    /// It goes on when nobody follows it.
    pub detached: bool,
    /// The language of explanations.
    pub language: Language,
}

/// What of a list of jobs is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobQuery {
    /// In this state.
    pub state: Option<JobState>,
    /// Of this kind.
    pub kind: Option<JobKind>,
    /// How many at most; 0 for as many as is usual.
    pub page_size: u16,
    /// The token of the page before.
    pub page_token: Option<String>,
}

/// Whether the steps of a path are proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verification {
    /// All are.
    pub proved: bool,
    /// How many are, from the first.
    pub steps_proved: u32,
    /// Where not all are: why the next is rejected.
    pub reason: String,
}

/// The name that a client gives itself, on every call of a connection.
#[derive(Clone, Debug, Default)]
pub struct Name(Option<MetadataValue<Ascii>>);

impl Interceptor for Name {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(name) = &self.0 {
            request.metadata_mut().insert(HEADER, name.clone());
        }
        Ok(request)
    }
}

/// A connection, and who calls over it.
pub type Line = InterceptedService<Channel, Name>;

/// A daemon. Cheap to clone; clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    url: String,
    channel: Channel,
    name: Name,
}

impl Client {
    /// Connects to `http://host:port`.
    pub async fn connect(url: &str) -> Result<Client, ClientError> {
        let unreachable = |reason: String| ClientError::Unreachable { url: url.to_owned(), reason };
        let endpoint =
            Endpoint::from_shared(url.to_owned()).map_err(|error| unreachable(reason_of(&error)))?;
        let channel = endpoint
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10))
            .connect()
            .await
            .map_err(|error| unreachable(reason_of(&error)))?;
        Ok(Client { url: url.to_owned(), channel, name: Name::default() })
    }

    /// The same, under this name: whose jobs it sees, and in whose place it waits. None if it is no name.
    pub fn named(self, name: &str) -> Option<Client> {
        Some(Client { name: Name(Some(name.parse().ok()?)), ..self })
    }

    fn line(&self) -> Line {
        InterceptedService::new(self.channel.clone(), self.name.clone())
    }

    /// Submits a job and follows it. Where the wishes have a request id or say that the job is detached, a lost
    /// connection is taken up again.
    pub async fn run(&self, spec: &JobSpec, wishes: &JobWishes) -> Result<Follow, ClientError> {
        Follow::run(self.clone(), spec, wishes).await
    }

    /// Submits a job and leaves it alone.
    pub async fn submit(&self, spec: &JobSpec, wishes: &JobWishes) -> Result<JobView, ClientError> {
        let request = pb::CreateJobRequest {
            spec: Some(write_spec(spec)),
            options: Some(write_wishes(wishes)),
            validate_only: false,
        };
        let response = self.jobs().create_job(request).await.map_err(|status| self.error(status))?;
        self.read_job(response.into_inner().job)
    }

    /// Follows a job from its beginning, or right after a cursor; takes up lost connections.
    pub async fn watch(
        &self,
        name: &str,
        after: Option<&str>,
        language: Language,
    ) -> Result<Follow, ClientError> {
        Follow::watch(self.clone(), name, after, language).await
    }

    /// A job with all that is known of it.
    pub async fn job(&self, name: &str) -> Result<JobView, ClientError> {
        let request = pb::GetJobRequest { name: name.to_owned() };
        let response = self.jobs().get_job(request).await.map_err(|status| self.error(status))?;
        self.read_job(response.into_inner().job)
    }

    /// Jobs, latest first, and the token of the next page.
    pub async fn list(&self, query: &JobQuery) -> Result<(Vec<JobView>, Option<String>), ClientError> {
        let request = pb::ListJobsRequest {
            page_size: query.page_size.into(),
            page_token: query.page_token.clone().unwrap_or_default(),
            state: query.state.map_or(0, |state| write_state(state).into()),
            kind: query.kind.map_or(0, |kind| write_kind(kind).into()),
        };
        let response =
            self.jobs().list_jobs(request).await.map_err(|status| self.error(status))?.into_inner();
        let jobs: Result<Vec<JobView>, Garbled> = response.jobs.into_iter().map(answer::read_job).collect();
        Ok((jobs?, Some(response.next_page_token).filter(|token| !token.is_empty())))
    }

    /// Cancels a job, and says how it ended.
    pub async fn cancel(&self, name: &str) -> Result<JobView, ClientError> {
        let request = pb::CancelJobRequest { name: name.to_owned() };
        let response = self.jobs().cancel_job(request).await.map_err(|status| self.error(status))?;
        self.read_job(response.into_inner().job)
    }

    /// What to do next in a position, and in words if it is a step.
    pub async fn hint(
        &self,
        position: &Position,
        options: &SurveyOptions,
        language: Language,
    ) -> Result<(Hint, String), ClientError> {
        let puzzle = position.puzzle();
        let request = pb::HintRequest {
            puzzle: Some(write_input(puzzle)),
            position: Some(write_position(position)),
            language: language.tag().to_owned(),
            engine: options.engine.search().name().to_owned(),
            assume_unique: options.assume_unique,
        };
        let response = self.solver().hint(request).await.map_err(|status| self.error(status))?;
        Ok(answer::read_hint(response.into_inner(), puzzle)?)
    }

    /// Every step that could be taken from a position.
    pub async fn list_steps(
        &self,
        position: &Position,
        options: &ListOptions,
        language: Language,
    ) -> Result<StepList, ClientError> {
        let puzzle = position.puzzle();
        let request = pb::ListStepsRequest {
            puzzle: Some(write_input(puzzle)),
            position: Some(write_position(position)),
            language: language.tag().to_owned(),
            engine: options.survey.engine.search().name().to_owned(),
            assume_unique: options.survey.assume_unique,
            max_steps: u32::try_from(options.limit).unwrap_or(u32::MAX),
            technique_work_limit: options.row_work,
            omit_proofs: false,
        };
        let mut stream =
            self.solver().list_steps(request).await.map_err(|status| self.error(status))?.into_inner();
        let mut events = Vec::new();
        while let Some(response) = stream.message().await.map_err(|status| self.error(status))? {
            events.extend(response.event);
        }
        Ok(answer::read_step_list(events, puzzle)?)
    }

    /// The true candidates of a puzzle.
    pub async fn true_candidates(
        &self,
        puzzle: &Puzzle,
        cap: u64,
        engine: Engine,
    ) -> Result<TrueCandidates, ClientError> {
        let request = pb::TrueCandidatesRequest {
            puzzle: Some(write_input(puzzle)),
            cap: u32::try_from(cap).unwrap_or(u32::MAX),
            engine: engine.search().name().to_owned(),
        };
        let response = self.solver().true_candidates(request).await.map_err(|status| self.error(status))?;
        Ok(answer::read_true_candidates(&response.into_inner(), puzzle)?)
    }

    /// Puts a conclusion about a position to the test; with the steps of the proof as they are told.
    pub async fn prove(
        &self,
        position: &Position,
        conclusion: Conclusion,
        options: &SurveyOptions,
        language: Language,
    ) -> Result<(Proving, Vec<ToldStep>), ClientError> {
        let puzzle = position.puzzle();
        let request = pb::ProveRequest {
            puzzle: Some(write_input(puzzle)),
            position: Some(write_position(position)),
            conclusion: Some(write_conclusion(&conclusion)),
            language: language.tag().to_owned(),
            engine: options.engine.search().name().to_owned(),
            assume_unique: options.assume_unique,
        };
        let response = self.solver().prove(request).await.map_err(|status| self.error(status))?;
        Ok(answer::read_proving(response.into_inner(), puzzle)?)
    }

    /// How many solutions a puzzle has, and what is wrong in a position.
    pub async fn check(
        &self,
        puzzle: &Puzzle,
        position: Option<&Position>,
        engine: Engine,
    ) -> Result<Checked, ClientError> {
        let request = pb::CheckRequest {
            puzzle: Some(write_input(puzzle)),
            position: position.map(write_position),
            engine: engine.search().name().to_owned(),
        };
        let response = self.solver().check(request).await.map_err(|status| self.error(status))?;
        Ok(answer::read_checked(response.into_inner(), puzzle)?)
    }

    /// Has every step of a path re-derived from its proof.
    pub async fn verify(
        &self,
        puzzle: &Puzzle,
        steps: &[Step],
        assume_unique: bool,
    ) -> Result<Verification, ClientError> {
        let steps = steps.iter().map(|step| write_step(step, puzzle, String::new(), true)).collect();
        let request = pb::VerifyRequest { puzzle: Some(write_input(puzzle)), steps, assume_unique };
        let response = self.solver().verify(request).await.map_err(|status| self.error(status))?.into_inner();
        Ok(Verification {
            proved: response.proved,
            steps_proved: response.steps_proved,
            reason: response.reason,
        })
    }

    /// The solver service, for what is not covered here.
    pub fn solver(&self) -> SolverServiceClient<Line> {
        SolverServiceClient::new(self.line())
            .max_decoding_message_size(MAX_ANSWER)
            .accept_compressed(CompressionEncoding::Gzip)
    }

    /// The job service, for what is not covered here.
    pub fn jobs(&self) -> JobServiceClient<Line> {
        JobServiceClient::new(self.line())
            .max_decoding_message_size(MAX_ANSWER)
            .accept_compressed(CompressionEncoding::Gzip)
    }

    /// The archive service.
    pub fn archive(&self) -> ArchiveServiceClient<Line> {
        ArchiveServiceClient::new(self.line())
            .max_decoding_message_size(MAX_ANSWER)
            .accept_compressed(CompressionEncoding::Gzip)
    }

    fn read_job(&self, job: Option<pb::Job>) -> Result<JobView, ClientError> {
        let job = job.ok_or_else(|| Garbled("there is no job in it".to_owned()))?;
        Ok(answer::read_job(job)?)
    }

    /// What a status says.
    pub fn error(&self, status: Status) -> ClientError {
        let details = status.get_error_details();
        let message = status.message().to_owned();
        match status.code() {
            Code::InvalidArgument => ClientError::Invalid {
                message,
                faults: details
                    .bad_request()
                    .map(|bad| &bad.field_violations[..])
                    .unwrap_or_default()
                    .iter()
                    .map(|violation| Fault::new(&violation.field, &violation.description))
                    .collect(),
            },
            Code::NotFound => ClientError::NotFound(message),
            Code::ResourceExhausted => ClientError::Busy {
                message,
                retry_after: details.retry_info().and_then(|info| info.retry_delay),
            },
            Code::DeadlineExceeded => ClientError::Deadline,
            Code::Unavailable => ClientError::Unreachable { url: self.url.clone(), reason: message },
            code => ClientError::Failed { code: code.description(), message },
        }
    }
}

/// The whole chain of causes: transport errors say nothing by themselves.
fn reason_of(error: &dyn std::error::Error) -> String {
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !reason.contains(&cause_text) {
            reason.push_str(": ");
            reason.push_str(&cause_text);
        }
        source = cause.source();
    }
    reason
}

fn write_input(puzzle: &Puzzle) -> pb::PuzzleInput {
    let source = pb::puzzle_input::Source::Puzzle(write_puzzle(puzzle, false));
    pb::PuzzleInput { source: Some(source), format: String::new() }
}

fn write_position(position: &Position) -> pb::PlayerPosition {
    let cells = || Cell::all(position.size());
    pb::PlayerPosition {
        entries: cells().map(|cell| position.digit(cell).map_or(0, |digit| digit.value().into())).collect(),
        candidates: cells()
            .map(|cell| if position.is_open(cell) { position.candidates(cell).bits() } else { 0 })
            .collect(),
        text: String::new(),
    }
}

pub(super) fn write_wishes(wishes: &JobWishes) -> pb::JobOptions {
    pb::JobOptions {
        request_id: wishes.request_id.clone().unwrap_or_default(),
        time_limit: wishes.time_limit.and_then(|limit| limit.try_into().ok()),
        priority: wishes.priority.map_or(0, |priority| write_priority(priority).into()),
        work_limit: wishes.work_limit.unwrap_or(0),
        discard_trace: false,
        start_time: wishes.start_time.map(prost_types::Timestamp::from),
    }
}

/// What a job is about, to read its steps.
pub(super) fn subject_of(spec: &JobSpec) -> Option<Arc<Puzzle>> {
    spec.puzzle().cloned()
}

pub use super::convert::answer::{JobNews as News, JobView as View, StepList, ToldStep};
/// Something that happened, and the cursor right after it.
pub type CursorNews = (String, JobNews);
