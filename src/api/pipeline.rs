//! Many jobs over one stream: requests are read while events of earlier ones are sent.

use std::collections::{HashMap, VecDeque};

use futures_util::FutureExt;
use futures_util::stream::{SelectAll, StreamExt};
use tonic::{Status, Streaming};

use super::convert::job::View;
use super::convert::spec::Request as JobRequest;
use super::convert::words::shorten;
use super::layers::Limits;
use super::layers::guard::refusal_of_message;
use super::proto as pb;
use super::proto::job_event::Event;
use super::proto::run_jobs_request::Action;
use super::proto::run_jobs_response::Outcome;
use super::pull::{Pull, Source};
use super::status::Refusal;
use super::stream::{Events, Happened};
use crate::jobs::{ClientId, JobId, Jobs, Priority, Submission};
use crate::puzzle::{Fault, Faults};

/// How many jobs of one stream may be unfinished.
const IN_FLIGHT: usize = 64;
/// The longest tag, in bytes.
const MAX_TAG: usize = 64;

/// The jobs of one stream. All are followed by the task that sends: what happens to many wakes it once, and no more is
/// read ahead of the reader than what stood in the log of one job. Dropping the pipeline ends its jobs that are not
/// detached.
pub struct Pipeline {
    jobs: Jobs,
    client: ClientId,
    requests: Streaming<pb::RunJobsRequest>,
    limits: Limits,
    has_more: bool,
    /// A request that waits for a place.
    held: Option<pb::RunJobsRequest>,
    /// Each with its tag.
    running: HashMap<String, Running>,
    followed: SelectAll<Pull<News>>,
    /// To be sent.
    ready: VecDeque<pb::RunJobsResponse>,
}

/// An unfinished job.
#[derive(Default)]
struct Running {
    /// Once it is stored.
    id: Option<JobId>,
    /// It is to be cancelled as soon as that is possible.
    wants_end: bool,
}

/// What happened under a tag.
struct News {
    tag: String,
    /// The job, once it is stored.
    id: Option<JobId>,
    outcomes: Vec<Outcome>,
    /// Nothing more comes under this tag.
    is_last: bool,
}

impl News {
    fn push(&mut self, event: Result<Happened, Refusal>) {
        let outcome = match event {
            Ok(Happened::Stored) => return,
            Ok(Happened::Event(event)) => Outcome::Event(event),
            Err(refusal) => Outcome::Error(refusal.into_message()),
        };
        self.is_last = match &outcome {
            Outcome::Event(event) => matches!(event.event, Some(Event::Finished(_))),
            Outcome::Error(_) => true,
        };
        self.outcomes.push(outcome);
    }
}

impl Source for Pipeline {
    type Item = pb::RunJobsResponse;

    async fn next(&mut self) -> Option<Result<pb::RunJobsResponse, Status>> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(Ok(ready));
            }
            if let Some(refused) = self.take_held() {
                return Some(Ok(refused));
            }
            if !self.has_more && self.running.is_empty() {
                return None;
            }
            // with all places taken, one more is read: it may cancel a job
            let may_read = self.has_more && self.held.is_none();
            tokio::select! {
                Some(news) = self.followed.next(), if !self.followed.is_empty() => self.take_news(news),
                request = self.requests.message(), if may_read => match request {
                    Ok(Some(request)) => self.held = Some(request),
                    Ok(None) => self.has_more = false,
                    Err(status) => return Some(Err(refusal_of_message(status, &self.limits))),
                },
            }
        }
    }
}

fn respond(tag: String, outcome: Outcome) -> pb::RunJobsResponse {
    pb::RunJobsResponse { tag, outcome: Some(outcome) }
}

impl Pipeline {
    /// The jobs that these requests will ask for.
    pub fn new(
        jobs: Jobs,
        client: ClientId,
        requests: Streaming<pb::RunJobsRequest>,
        limits: Limits,
    ) -> Pipeline {
        Pipeline {
            jobs,
            client,
            requests,
            limits,
            has_more: true,
            held: None,
            running: HashMap::new(),
            followed: SelectAll::new(),
            ready: VecDeque::new(),
        }
    }

    /// Answers what happened.
    fn take_news(&mut self, news: News) {
        if news.is_last {
            self.running.remove(&news.tag);
        } else if let Some(running) = self.running.get_mut(&news.tag)
            && running.id != news.id
        {
            running.id = news.id;
            if let Some(id) = news.id.filter(|_| running.wants_end) {
                self.stop(id);
            }
        }
        self.ready.extend(news.outcomes.into_iter().map(|outcome| respond(news.tag.clone(), outcome)));
    }

    /// Does what the request that was read asks for, unless it must wait for a place; what to answer if it is refused.
    fn take_held(&mut self) -> Option<pb::RunJobsResponse> {
        let request = self.held.take()?;
        let wants_place = matches!(request.action, Some(Action::Spec(_)));
        if wants_place && self.running.len() >= IN_FLIGHT {
            self.held = Some(request);
            return None;
        }
        let tag = request.tag.clone();
        let refusal = self.take(request).err()?;
        Some(respond(tag, Outcome::Error(refusal.into_message())))
    }

    /// Starts or cancels a job.
    fn take(&mut self, request: pb::RunJobsRequest) -> Result<(), Refusal> {
        let tag = request.tag;
        if tag.len() > MAX_TAG {
            return Err(Refusal::invalid(
                "tag",
                format!("`{}` is longer than {MAX_TAG} bytes", shorten(&tag)),
            ));
        }
        let running = self.running.get_mut(&tag);
        let spec = match request.action {
            Some(Action::Cancel(_)) => {
                let Some(running) = running else {
                    return Err(Refusal::invalid("tag", format!("no unfinished job has the tag `{tag}`")));
                };
                let is_first = !std::mem::replace(&mut running.wants_end, true);
                if let Some(id) = running.id.filter(|_| is_first) {
                    self.stop(id);
                }
                return Ok(());
            }
            Some(Action::Spec(spec)) => spec,
            None => return Err(Refusal::invalid("action", "one of `spec` and `cancel` is needed")),
        };
        let mut faults = Faults::none();
        if running.is_some() {
            faults.push(Fault::new("tag", format!("an unfinished job has the tag `{tag}`")));
        }
        let view = View::read(request.view, "view", &mut faults);
        let request = JobRequest {
            kind: spec.kind,
            field: "spec",
            options: request.options,
            options_field: "options",
            detached: request.detached,
            priority: Priority::Normal,
        };
        let submission = request.read(self.client.clone(), &mut faults);
        faults.into_result()?;
        let (Some(view), Some(submission)) = (view, submission) else { return Err(Refusal::unread()) };
        self.start(tag, submission, view)
    }

    fn start(&mut self, tag: String, submission: Submission, view: View) -> Result<(), Refusal> {
        let puzzle = submission.spec.puzzle().cloned();
        let run = self.jobs.run(submission)?;
        self.running.insert(tag.clone(), Running::default());
        self.followed.push(follow(tag, Events::of_run(run, puzzle, view)));
        Ok(())
    }

    /// Cancels a job; that it has ended is told by its trace.
    fn stop(&mut self, id: JobId) {
        self.followed.push(cancel(self.jobs.clone(), self.client.clone(), id));
    }
}

/// Cancels a job. There is nothing to tell of it.
fn cancel(jobs: Jobs, client: ClientId, id: JobId) -> Pull<News> {
    Pull::new(|_| async move {
        if let Err(error) = jobs.cancel(Some(&client), id).await {
            tracing::warn!(job.id = %id, error = %error, "{id} was not cancelled: {error}");
        }
    })
}

/// What happens to a job, as much at a time as is known. The last is its end or an error.
fn follow(tag: String, mut events: Events) -> Pull<News> {
    Pull::new(|giver| async move {
        while let Some(event) = events.advance().await {
            let mut news = News { tag: tag.clone(), id: None, outcomes: Vec::new(), is_last: false };
            news.push(event);
            while !news.is_last && events.has_more() {
                // what is left out of the view makes no event: then there is nothing more yet
                let Some(Some(event)) = events.advance().now_or_never() else { break };
                news.push(event);
            }
            news.id = events.id();
            let is_last = news.is_last;
            giver.give(news).await;
            if is_last {
                return;
            }
        }
    })
}
