//! Many jobs over one stream: requests are read while events of earlier ones are sent.

use std::collections::HashMap;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

use super::convert::job::View;
use super::convert::spec::Request as JobRequest;
use super::convert::words::shorten;
use super::layers::Limits;
use super::layers::guard::refusal_of_message;
use super::proto as pb;
use super::proto::run_jobs_request::Action;
use super::proto::run_jobs_response::Outcome;
use super::status::Refusal;
use super::stream::{Events, Source};
use crate::jobs::{ClientId, Jobs, Priority, Submission};
use crate::puzzle::{Fault, Faults};

/// How many jobs of one stream may be unfinished.
const IN_FLIGHT: usize = 64;
/// How many events wait for the reader besides the one that each job holds ready.
const READY: usize = 16;
/// The longest tag, in bytes.
const MAX_TAG: usize = 64;

/// The jobs of one stream. Each is followed by a task of its own, which waits while the reader does; dropping the
/// pipeline ends the tasks, and so the jobs that are not detached.
pub struct Pipeline {
    jobs: Jobs,
    client: ClientId,
    requests: Streaming<pb::RunJobsRequest>,
    limits: Limits,
    has_more: bool,
    /// A request that waits for a place.
    held: Option<pb::RunJobsRequest>,
    running: HashMap<String, CancellationToken>,
    tasks: JoinSet<()>,
    sender: mpsc::Sender<Answer>,
    answers: mpsc::Receiver<Answer>,
}

/// What a job's task says.
enum Answer {
    /// Something happened.
    Outcome(String, Box<Outcome>),
    /// Nothing more comes under this tag.
    End(String),
}

impl Source for Pipeline {
    type Item = pb::RunJobsResponse;

    async fn next(&mut self) -> Option<Result<pb::RunJobsResponse, Status>> {
        loop {
            if let Some(refused) = self.take_held() {
                return Some(Ok(refused));
            }
            if !self.has_more && self.running.is_empty() {
                return None;
            }
            // with all places taken, one more is read: it may cancel a job
            let may_read = self.has_more && self.held.is_none();
            tokio::select! {
                answer = self.answers.recv() => match answer.expect("the pipeline holds a sender itself") {
                    Answer::Outcome(tag, outcome) => return Some(Ok(respond(tag, *outcome))),
                    Answer::End(tag) => {
                        self.running.remove(&tag);
                        self.reap();
                    }
                },
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
        let (sender, answers) = mpsc::channel(READY);
        Pipeline {
            jobs,
            client,
            requests,
            limits,
            has_more: true,
            held: None,
            running: HashMap::new(),
            tasks: JoinSet::new(),
            sender,
            answers,
        }
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
        let running = self.running.get(&tag);
        let spec = match request.action {
            Some(Action::Cancel(_)) => {
                let Some(cancel) = running else {
                    return Err(Refusal::invalid("tag", format!("no unfinished job has the tag `{tag}`")));
                };
                cancel.cancel();
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
        let cancel = CancellationToken::new();
        self.running.insert(tag.clone(), cancel.clone());
        let follower = Follower {
            jobs: self.jobs.clone(),
            client: self.client.clone(),
            events: Events::of_run(run, puzzle, view),
            cancel,
        };
        self.tasks.spawn(follower.follow(tag, self.sender.clone()));
        Ok(())
    }

    /// Forgets tasks that have ended.
    fn reap(&mut self) {
        while let Some(ended) = self.tasks.try_join_next() {
            if let Err(error) = ended {
                tracing::error!(error = %error, "the follower of a job died: {error}");
            }
        }
    }
}

/// Follows one job.
struct Follower {
    jobs: Jobs,
    client: ClientId,
    events: Events,
    cancel: CancellationToken,
}

impl Follower {
    /// Sends what happens to the job until it ends or nobody listens.
    async fn follow(mut self, tag: String, sender: mpsc::Sender<Answer>) {
        let mut has_cancelled = false;
        loop {
            let can_cancel = !has_cancelled && self.events.id().is_some();
            let event = tokio::select! {
                event = self.events.next() => event,
                () = self.cancel.cancelled(), if can_cancel => {
                    has_cancelled = true;
                    self.stop().await;
                    continue;
                }
            };
            let Some(event) = event else { break };
            let outcome = match event {
                Ok(event) => Outcome::Event(event),
                Err(refusal) => Outcome::Error(refusal.into_message()),
            };
            let is_last = matches!(outcome, Outcome::Error(_));
            if sender.send(Answer::Outcome(tag.clone(), Box::new(outcome))).await.is_err() {
                return;
            }
            if is_last {
                break;
            }
        }
        // nobody listens once the stream is gone, and then the end is no news
        let _ = sender.send(Answer::End(tag)).await;
    }

    /// Cancels the job; that it has ended is told by its trace.
    async fn stop(&self) {
        let Some(id) = self.events.id() else { return };
        if let Err(error) = self.jobs.cancel(Some(&self.client), id).await {
            tracing::warn!(job.id = %id, error = %error, "{id} was not cancelled: {error}");
        }
    }
}
