//! `JobService`: submit, run in bulk, look at, follow, cancel.

use std::str::FromStr;

use tonic::{Request, Response, Status, Streaming};

use super::caller::caller;
use super::convert::job::{Detail, View, read_kind, read_state, write_job};
use super::convert::spec::Request as JobRequest;
use super::convert::words::{read_or, shorten};
use super::layers::Limits;
use super::pages::read_page;
use super::pipeline::Pipeline;
use super::proto as pb;
use super::proto::job_service_server::JobService;
use super::pull::Pull;
use super::status::Refusal;
use super::stream::{Answers, Events, Wrapped};
use crate::jobs::{Cursor, JobFilter, JobId, Jobs, Priority};
use crate::puzzle::Faults;

/// The service, on the jobs of this process.
#[derive(Clone, Debug)]
pub struct JobCalls {
    jobs: Jobs,
    limits: Limits,
}

impl JobCalls {
    /// The service.
    pub fn new(jobs: Jobs, limits: Limits) -> JobCalls {
        JobCalls { jobs, limits }
    }
}

/// The job of this name; one that is none names no job.
fn read_name(name: &str) -> Result<JobId, Refusal> {
    if name.is_empty() {
        return Err(Refusal::invalid("name", "the name of a job is needed, like `jobs/42`"));
    }
    JobId::from_str(name).map_err(|error| Refusal::invalid("name", format!("`{}`: {error}", shorten(name))))
}

#[tonic::async_trait]
impl JobService for JobCalls {
    type RunJobsStream = Answers<pb::RunJobsResponse>;
    type WatchJobStream = Answers<pb::WatchJobResponse>;

    async fn create_job(
        &self,
        request: Request<pb::CreateJobRequest>,
    ) -> Result<Response<pb::CreateJobResponse>, Status> {
        let client = caller(&request)?;
        let message = request.into_inner();
        let request = JobRequest {
            kind: message.spec.and_then(|spec| spec.kind),
            field: "spec",
            options: message.options,
            options_field: "options",
            detached: true,
            priority: Priority::Normal,
        };
        let mut faults = Faults::none();
        let submission = request.read(client, &mut faults);
        faults.into_result()?;
        let Some(submission) = submission else { return Err(Refusal::unread().into()) };
        if message.validate_only {
            let existed = self.jobs.validate(&submission).await?;
            return Ok(Response::new(pb::CreateJobResponse { job: None, existed }));
        }
        let submitted = self.jobs.submit(submission).await?;
        Ok(Response::new(pb::CreateJobResponse {
            job: Some(write_job(&submitted.job, Detail::Ended)),
            existed: !submitted.fresh,
        }))
    }

    async fn run_jobs(
        &self,
        request: Request<Streaming<pb::RunJobsRequest>>,
    ) -> Result<Response<Self::RunJobsStream>, Status> {
        let client = caller(&request)?;
        let pipeline = Pipeline::new(self.jobs.clone(), client, request.into_inner(), self.limits.clone());
        Ok(Response::new(Box::pin(Pull::of(pipeline))))
    }

    async fn get_job(
        &self,
        request: Request<pb::GetJobRequest>,
    ) -> Result<Response<pb::GetJobResponse>, Status> {
        let client = caller(&request)?;
        let id = read_name(&request.into_inner().name)?;
        let job = self.jobs.job(Some(&client), id).await?;
        Ok(Response::new(pb::GetJobResponse { job: Some(write_job(&job, Detail::Full)) }))
    }

    async fn list_jobs(
        &self,
        request: Request<pb::ListJobsRequest>,
    ) -> Result<Response<pb::ListJobsResponse>, Status> {
        let client = caller(&request)?;
        let message = request.into_inner();
        let mut faults = Faults::none();
        let page = read_page(message.page_size, &message.page_token, &mut faults);
        let state = read_or(message.state, None, |state| read_state(state).map(Some), "state", &mut faults);
        let kind = read_or(message.kind, None, |kind| read_kind(kind).map(Some), "kind", &mut faults);
        faults.into_result()?;
        let (Some(page), Some(state), Some(kind)) = (page, state, kind) else {
            return Err(Refusal::unread().into());
        };
        let filter = JobFilter { client: Some(client), state, kind };
        let paged = self.jobs.list(&filter, &page).await?;
        Ok(Response::new(pb::ListJobsResponse {
            jobs: paged.items.iter().map(|job| write_job(job, Detail::Listed)).collect(),
            next_page_token: paged.next.unwrap_or_default(),
        }))
    }

    async fn watch_job(
        &self,
        request: Request<pb::WatchJobRequest>,
    ) -> Result<Response<Self::WatchJobStream>, Status> {
        let client = caller(&request)?;
        let message = request.into_inner();
        let mut faults = Faults::none();
        let view = View::read(message.view, "view", &mut faults);
        faults.into_result()?;
        let id = read_name(&message.name)?;
        let after = if message.after_cursor.is_empty() {
            None
        } else {
            let cursor = Cursor::from_str(&message.after_cursor);
            Some(cursor.map_err(|error| Refusal::invalid("after_cursor", error.to_string()))?)
        };
        let job = self.jobs.job(Some(&client), id).await?;
        let watcher = self.jobs.watch(Some(&client), id, after).await?;
        let puzzle = job.spec.puzzle().cloned();
        let events = Events::of_watcher(watcher, id, puzzle, view.unwrap_or_default(), after);
        Ok(Response::new(Wrapped::stream(events, |event| pb::WatchJobResponse { event: Some(event) })))
    }

    async fn cancel_job(
        &self,
        request: Request<pb::CancelJobRequest>,
    ) -> Result<Response<pb::CancelJobResponse>, Status> {
        let client = caller(&request)?;
        let id = read_name(&request.into_inner().name)?;
        let job = self.jobs.cancel(Some(&client), id).await?;
        Ok(Response::new(pb::CancelJobResponse { job: Some(write_job(&job, Detail::Ended)) }))
    }
}
