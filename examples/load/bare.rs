//! The bare server: tonic alone, with the answers that the daemon once gave. It speaks the daemon's own services, so
//! that one client measures both. Of jobs it stores nothing, or the rows of the raw limit, and what ends a job is sent once
//! its end is durable.

use std::convert::Infallible;
use std::future::Future;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::StreamExt;
use http::{Request, Response};
use prost::Message;
use sleuth::api::proto::{self as pb, job_service_server, solver_service_server};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService};
use tonic::transport::server::TcpIncoming;
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

use crate::raw::{self, Bodies, Raw, Writer};
use crate::{Arguments, Fault};

/// The name of the daemon's database in a folder.
pub const DATABASE: &str = "jobs.sqlite";

/// What the daemon answered.
#[derive(Clone, Default)]
pub struct Answers {
    /// To a check.
    pub check: pb::CheckResponse,
    /// To one job of a stream.
    pub job: Vec<pb::RunJobsResponse>,
}

impl Answers {
    /// Writes them down for the process of the bare server.
    pub fn write(&self, folder: &Path) -> Result<(), Fault> {
        std::fs::write(folder.join("check"), self.check.encode_to_vec())?;
        let mut stream = Vec::new();
        for message in &self.job {
            message.encode_length_delimited(&mut stream)?;
        }
        std::fs::write(folder.join("job"), stream)?;
        Ok(())
    }

    fn read(folder: &Path) -> Result<Answers, Fault> {
        let check = pb::CheckResponse::decode(std::fs::read(folder.join("check"))?.as_slice())?;
        let stream = std::fs::read(folder.join("job"))?;
        let mut rest = stream.as_slice();
        let mut job = Vec::new();
        while !rest.is_empty() {
            job.push(pb::RunJobsResponse::decode_length_delimited(&mut rest)?);
        }
        Ok(Answers { check, job })
    }
}

/// Serves until it is killed. With a durability jobs are stored in a database of their own, as the daemon's database in
/// the folder has its latest.
pub async fn serve(arguments: &Arguments, folder: &Path) -> Result<(), Fault> {
    let answers = Arc::new(Answers::read(folder)?);
    let mut writer = None;
    if let Some(durability) = arguments.stored {
        let bodies = Arc::new(Bodies::read(&folder.join(DATABASE)).await?);
        let database = folder.join("bare.sqlite");
        let raw = Raw { database: &database, durability, in_flight: arguments.in_flight_of_all(), bodies };
        let (sender, write) = raw::open(&raw).await?;
        tokio::spawn(write);
        writer = Some(sender);
    }
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse()?)?.with_nodelay(Some(true));
    println!("http://{}", incoming.local_addr()?);
    std::io::stdout().flush()?;
    tonic::transport::Server::builder()
        .tcp_nodelay(true)
        .add_service(Solver { answers: answers.clone() })
        .add_service(Jobs { answers, writer })
        .serve_with_incoming(incoming)
        .await?;
    Ok(())
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;
type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// `Check`.
#[derive(Clone)]
struct Solver {
    answers: Arc<Answers>,
}

impl NamedService for Solver {
    const NAME: &'static str = solver_service_server::SERVICE_NAME;
}

impl Service<Request<Body>> for Solver {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let answers = self.answers.clone();
        Box::pin(async move {
            let check = service_fn(|_: tonic::Request<pb::CheckRequest>| {
                std::future::ready(Ok::<_, Status>(tonic::Response::new(answers.check.clone())))
            });
            Ok(Grpc::new(ProstCodec::default()).unary(check, request).await)
        })
    }
}

/// `RunJobs`, which answers every request with the messages of one job, and `WatchJob`, which sends one message and
/// then nothing.
#[derive(Clone)]
struct Jobs {
    answers: Arc<Answers>,
    /// Where jobs are stored, if they are.
    writer: Option<Writer>,
}

impl NamedService for Jobs {
    const NAME: &'static str = job_service_server::SERVICE_NAME;
}

impl Service<Request<Body>> for Jobs {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let answers = self.answers.clone();
        if request.uri().path().ends_with("/WatchJob") {
            return Box::pin(async move {
                let watch = service_fn(|_: tonic::Request<pb::WatchJobRequest>| {
                    std::future::ready(Ok::<_, Status>(tonic::Response::new(watch(&answers))))
                });
                Ok(Grpc::new(ProstCodec::default()).server_streaming(watch, request).await)
            });
        }
        let writer = self.writer.clone();
        Box::pin(async move {
            let run = service_fn(|request: tonic::Request<Streaming<pb::RunJobsRequest>>| {
                let (answers, requests) = (answers.clone(), request.into_inner());
                let run: Messages<pb::RunJobsResponse> = match writer.clone() {
                    None => Box::pin(Run::new(answers, requests)),
                    Some(writer) => Box::pin(run_stored(answers, writer, requests)),
                };
                std::future::ready(Ok::<_, Status>(tonic::Response::new(run)))
            });
            Ok(Grpc::new(ProstCodec::default()).streaming(run, request).await)
        })
    }
}

fn watch(answers: &Answers) -> Messages<pb::WatchJobResponse> {
    let event = answers.job.first().and_then(|message| match &message.outcome {
        Some(pb::run_jobs_response::Outcome::Event(event)) => Some(event.clone()),
        Some(pb::run_jobs_response::Outcome::Error(_)) | None => None,
    });
    let first = tokio_stream::once(Ok(pb::WatchJobResponse { event }));
    Box::pin(first.chain(tokio_stream::pending()))
}

/// Some messages of the job with this tag.
type Part = (String, Range<usize>);

/// The messages of one job for every request: all but the last once the job is stored, that once its end is.
fn run_stored(
    answers: Arc<Answers>,
    writer: Writer,
    mut requests: Streaming<pb::RunJobsRequest>,
) -> impl Stream<Item = Result<pb::RunJobsResponse, Status>> {
    let (parts, arrived) = mpsc::channel::<Part>(64);
    let last = answers.job.len().saturating_sub(1);
    tokio::spawn(async move {
        while let Ok(Some(request)) = requests.message().await {
            let (writer, parts, tag) = (writer.clone(), parts.clone(), request.tag);
            tokio::spawn(async move {
                let job = raw::store(&writer, None).await?;
                parts.send((tag.clone(), 0..last)).await.ok()?;
                raw::store(&writer, Some(job)).await?;
                parts.send((tag, last..last + 1)).await.ok()
            });
        }
    });
    ReceiverStream::new(arrived).flat_map(move |(tag, messages)| {
        let answers = answers.clone();
        let message =
            move |place: usize| Ok(pb::RunJobsResponse { tag: tag.clone(), ..answers.job[place].clone() });
        futures_util::stream::iter(messages.map(message))
    })
}

/// The messages of one job for every request.
struct Run {
    answers: Arc<Answers>,
    requests: Streaming<pb::RunJobsRequest>,
    tag: String,
    /// Messages sent of the job.
    sent: usize,
}

impl Run {
    fn new(answers: Arc<Answers>, requests: Streaming<pb::RunJobsRequest>) -> Run {
        let sent = answers.job.len();
        Run { answers, requests, tag: String::new(), sent }
    }
}

impl Stream for Run {
    type Item = Result<pb::RunJobsResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(message) = self.answers.job.get(self.sent) {
                let message = pb::RunJobsResponse { tag: self.tag.clone(), ..message.clone() };
                self.sent += 1;
                return Poll::Ready(Some(Ok(message)));
            }
            match std::task::ready!(Pin::new(&mut self.requests).poll_next(context)) {
                Some(Ok(request)) => (self.tag, self.sent) = (request.tag, 0),
                Some(Err(status)) => return Poll::Ready(Some(Err(status))),
                None => return Poll::Ready(None),
            }
        }
    }
}
