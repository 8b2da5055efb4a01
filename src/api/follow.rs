//! A job followed by a client, across lost connections.

use std::sync::Arc;
use std::time::Duration;

use tonic::{Code, Status, Streaming};

use super::client::{Client, ClientError, JobWishes, subject_of, write_wishes};
use super::convert::answer::{JobNews, read_news};
use super::convert::spec::write_spec;
use super::proto as pb;
use super::proto::job_spec::Kind;
use crate::engine::logic::explain::Language;
use crate::jobs::JobSpec;
use crate::puzzle::Puzzle;

/// How often a lost connection is taken up again without news in between, at growing intervals: half a minute in all.
const RETRIES: u32 = 9;
/// The first interval; it doubles up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest interval.
const MAX_PAUSE: Duration = Duration::from_secs(8);

/// Events of one of the calls that stream them.
enum Source {
    Solve(Streaming<pb::SolveResponse>),
    Rate(Streaming<pb::RateResponse>),
    Generate(Streaming<pb::GenerateResponse>),
    Watch(Streaming<pb::WatchJobResponse>),
}

impl Source {
    async fn next(&mut self) -> Result<Option<pb::JobEvent>, Status> {
        Ok(match self {
            Source::Solve(stream) => stream.message().await?.and_then(|response| response.event),
            Source::Rate(stream) => stream.message().await?.and_then(|response| response.event),
            Source::Generate(stream) => stream.message().await?.and_then(|response| response.event),
            Source::Watch(stream) => stream.message().await?.and_then(|response| response.event),
        })
    }
}

/// What would have to be asked again, should the connection be lost.
enum Request {
    /// A submit, which is harmless to repeat if it has a request id.
    Run(Box<(Kind, JobWishes)>),
    /// A job that is known by name.
    Watch(String),
}

/// Follows a job. Dropped, it ends the stream; a job submitted by it and not detached is cancelled then.
pub struct Follow {
    client: Client,
    request: Request,
    source: Option<Source>,
    puzzle: Option<Arc<Puzzle>>,
    language: Language,
    name: Option<String>,
    cursor: String,
    may_resume: bool,
    is_over: bool,
}

impl Follow {
    pub(super) async fn run(
        client: Client,
        spec: &JobSpec,
        wishes: &JobWishes,
    ) -> Result<Follow, ClientError> {
        let kind = write_spec(spec).kind.ok_or_else(|| {
            ClientError::Garbled(super::convert::answer::Garbled("there is no specification".to_owned()))
        })?;
        let mut follow = Follow {
            client,
            request: Request::Run(Box::new((kind, wishes.clone()))),
            source: None,
            puzzle: subject_of(spec),
            language: wishes.language,
            name: None,
            cursor: String::new(),
            may_resume: wishes.detached || wishes.request_id.is_some(),
            is_over: false,
        };
        follow.open_or_error().await?;
        Ok(follow)
    }

    pub(super) async fn watch(
        client: Client,
        name: &str,
        after: Option<&str>,
        language: Language,
    ) -> Result<Follow, ClientError> {
        let job = client.job(name).await?;
        let mut follow = Follow {
            client,
            request: Request::Watch(name.to_owned()),
            source: None,
            puzzle: job.subject,
            language,
            name: Some(name.to_owned()),
            cursor: after.unwrap_or_default().to_owned(),
            may_resume: true,
            is_over: false,
        };
        follow.open_or_error().await?;
        Ok(follow)
    }

    /// The name of the job, once it is known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where the trace stands: to watch on from here.
    pub fn cursor(&self) -> &str {
        &self.cursor
    }

    /// What happens next; none after the job has finished.
    pub async fn next(&mut self) -> Option<Result<JobNews, ClientError>> {
        let mut retries = 0;
        while !self.is_over {
            match self.event().await {
                Ok(Some(event)) => match self.read(event) {
                    Ok(Some(news)) => return Some(Ok(news)),
                    Ok(None) => retries = 0,
                    Err(error) => return Some(Err(self.fail(error))),
                },
                Ok(None) => {
                    let lost = Status::unavailable("the stream ended before the job did");
                    if let Err(error) = self.resume(lost, &mut retries).await {
                        return Some(Err(error));
                    }
                }
                Err(status) => {
                    if let Err(error) = self.resume(status, &mut retries).await {
                        return Some(Err(error));
                    }
                }
            }
        }
        None
    }

    async fn event(&mut self) -> Result<Option<pb::JobEvent>, Status> {
        match &mut self.source {
            Some(source) => source.next().await,
            None => {
                self.open().await?;
                match &mut self.source {
                    Some(source) => source.next().await,
                    None => Ok(None),
                }
            }
        }
    }

    fn read(&mut self, event: pb::JobEvent) -> Result<Option<JobNews>, ClientError> {
        if !event.cursor.is_empty() {
            self.cursor.clone_from(&event.cursor);
        }
        if !event.job.is_empty() {
            self.name = Some(event.job.clone());
        }
        let news = read_news(event, self.puzzle.as_deref())?;
        self.is_over = matches!(news, Some(JobNews::Finished(_)));
        Ok(news)
    }

    fn fail(&mut self, error: ClientError) -> ClientError {
        self.is_over = true;
        self.source = None;
        error
    }

    /// Waits before the stream is taken up again, or gives up. A job that is not detached was cancelled when its
    /// stream was lost, so only its request can be repeated, which tells how it ended.
    async fn resume(&mut self, status: Status, retries: &mut u32) -> Result<(), ClientError> {
        // a status of the daemon's own has details; one without comes from the transport
        let is_lost = match status.code() {
            Code::Unavailable => true,
            Code::Unknown | Code::Cancelled | Code::Internal => status.details().is_empty(),
            _ => false,
        };
        if !is_lost || !self.may_resume || *retries >= RETRIES {
            let error = self.client.error(status);
            return Err(self.fail(error));
        }
        self.source = None;
        let pause = FIRST_PAUSE.saturating_mul(1 << *retries).min(MAX_PAUSE);
        *retries += 1;
        tokio::time::sleep(pause).await;
        Ok(())
    }

    async fn open_or_error(&mut self) -> Result<(), ClientError> {
        let opened = self.open().await;
        opened.map_err(|status| self.client.error(status))
    }

    async fn open(&mut self) -> Result<(), Status> {
        let view =
            Some(pb::EventView { language: self.language.tag().to_owned(), ..pb::EventView::default() });
        let request = match (&self.request, &self.name) {
            (Request::Watch(name), _) | (Request::Run(_), Some(name)) => {
                let request =
                    pb::WatchJobRequest { name: name.clone(), after_cursor: self.cursor.clone(), view };
                let stream = self.client.jobs().watch_job(request).await?.into_inner();
                self.source = Some(Source::Watch(stream));
                return Ok(());
            }
            (Request::Run(request), None) => request,
        };
        // nothing that was told before the job was accepted is kept
        self.cursor.clear();
        let (kind, wishes) = (&request.0, &request.1);
        let (job, detached) = (Some(write_wishes(wishes)), wishes.detached);
        let mut solver = self.client.solver();
        self.source = Some(match kind.clone() {
            Kind::Solve(spec) => {
                let (puzzle, options) = (spec.puzzle, spec.options);
                let request = pb::SolveRequest { puzzle, options, job, view, detached, validate_only: false };
                Source::Solve(solver.solve(request).await?.into_inner())
            }
            Kind::Rate(spec) => {
                let request = pb::RateRequest {
                    puzzle: spec.puzzle,
                    scale: spec.scale,
                    job,
                    view,
                    detached,
                    validate_only: false,
                };
                Source::Rate(solver.rate(request).await?.into_inner())
            }
            Kind::Generate(recipe) => {
                let request =
                    pb::GenerateRequest { recipe: Some(recipe), job, view, detached, validate_only: false };
                Source::Generate(solver.generate(request).await?.into_inner())
            }
        });
        Ok(())
    }
}
