//! The daemon: opens the store, starts the workers, serves every service on one port, and stops in order.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use tonic::body::Body;
use tonic::codec::CompressionEncoding;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tonic_web::GrpcWebLayer;
use tower::{Layer, Service};

use crate::api::archive::ArchiveCalls;
use crate::api::job::JobCalls;
use crate::api::layers::{Drain, Guard, Limits};
use crate::api::proto::DESCRIPTORS;
use crate::api::proto::archive_service_server::{self, ArchiveServiceServer};
use crate::api::proto::job_service_server::{self, JobServiceServer};
use crate::api::proto::solver_service_server::{self, SolverServiceServer};
use crate::api::solver::Solver;
use crate::api::{CONNECTION_WINDOW, STREAM_WINDOW};
use crate::archive::Archive;
use crate::config::Config;
use crate::jobs::Jobs;
use crate::puzzle::Faults;
use crate::store::{self, Options, Store, StoreError};

/// How often a silent connection is asked whether it lives, and how long it may take to say so.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(10));
/// The largest message that is sent: a full page of large puzzles.
const MAX_SENT: usize = 32 << 20;
/// The names under which health is told; the empty one is the daemon as a whole.
const HEALTH_NAMES: [&str; 4] = [
    "",
    solver_service_server::SERVICE_NAME,
    job_service_server::SERVICE_NAME,
    archive_service_server::SERVICE_NAME,
];

/// Why the daemon does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration does not go together.
    #[error("{0}")]
    Config(#[from] Faults),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        reason: String,
    },
    /// The database cannot be had.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The descriptors of the services cannot be read: a fault of the build.
    #[error("reflection cannot be served: {0}")]
    Reflection(String),
    /// The transport failed.
    #[error("serving failed: {0}")]
    Transport(String),
}

/// A daemon that listens: its jobs run, and calls are answered once [`run`](Self::run) is awaited.
#[derive(Debug)]
pub struct Server {
    config: Config,
    address: SocketAddr,
    incoming: TcpIncoming,
    store: Arc<dyn Store>,
    jobs: Jobs,
}

impl Server {
    /// Takes the address, opens the database and takes up what was left unfinished.
    pub async fn bind(config: Config) -> Result<Server, ServeError> {
        let config = config.check()?;
        let address = config.listen;
        let refused =
            |error: &dyn std::error::Error| ServeError::Listen { address, reason: error.to_string() };
        let incoming = TcpIncoming::bind(address).map_err(|error| refused(&error))?.with_nodelay(Some(true));
        let address = incoming.local_addr().map_err(|error| refused(&error))?;
        let options = Options { durability: config.durability, lease: config.lease };
        let store = store::open(&config.database, options).await?;
        let jobs = Jobs::start(store.clone(), config.jobs.clone()).await?;
        Ok(Server { config, address, incoming, store, jobs })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Answers calls until `stop` is done, and then stops in order: health says so, new calls are refused, running
    /// jobs get their grace and are left queued after it, what can be answered is, all other calls end, connections
    /// close, the database closes.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let drain = Drain::new();
        let (health, health_service) = tonic_health::server::health_reporter();
        tell_health(&health, ServingStatus::Serving).await;
        let limits = Limits::new(
            self.config.call_limit,
            self.config.message_limit,
            self.config.request_patience,
            drain.clone(),
        );
        let mut routes = self.routes(&limits)?;
        routes = routes.add_service(expose(Guard::uncounted(health_service, limits.clone())));
        let server = tonic::transport::Server::builder()
            .accept_http1(true)
            .tcp_nodelay(true)
            .max_concurrent_streams(self.config.stream_limit)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .http2_keepalive_interval(Some(KEEPALIVE.0))
            .http2_keepalive_timeout(Some(KEEPALIVE.1))
            .add_routes(routes);
        let stopped = tokio_util::sync::CancellationToken::new();
        let serving = server.serve_with_incoming_shutdown(self.incoming, stopped.clone().cancelled_owned());
        let mut serving = tokio::spawn(serving);
        tracing::info!(address = %self.address, "serving on {}", self.address);
        tokio::select! {
            ended = &mut serving => return read_end(ended),
            () = stop => {}
        }
        tracing::info!("stopping");
        drain.close();
        tell_health(&health, ServingStatus::NotServing).await;
        // the port stays open until here, so that whoever calls is told that the daemon stops
        self.jobs.shutdown(self.config.grace).await;
        limits.settle(self.config.close_limit).await;
        drain.end();
        stopped.cancel();
        let ended = match tokio::time::timeout(self.config.close_limit, &mut serving).await {
            Ok(ended) => read_end(ended),
            Err(_) => {
                tracing::warn!("connections did not close in time");
                serving.abort();
                Ok(())
            }
        };
        self.store.close().await?;
        tracing::info!("stopped");
        ended
    }

    fn routes(&self, limits: &Limits) -> Result<Routes, ServeError> {
        let received = self.config.message_limit;
        let archive = Archive::new(self.store.clone());
        // many small messages are sent plain: compressing each costs more than it saves on any but the slowest line
        let solver = SolverServiceServer::new(Solver::new(self.jobs.clone()))
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(received)
            .max_encoding_message_size(MAX_SENT);
        let jobs = JobServiceServer::new(JobCalls::new(self.jobs.clone(), limits.clone()))
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(received)
            .max_encoding_message_size(MAX_SENT);
        let archive = ArchiveServiceServer::new(ArchiveCalls::new(archive))
            .accept_compressed(CompressionEncoding::Gzip)
            .send_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(received)
            .max_encoding_message_size(MAX_SENT);
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let unreadable = |error: tonic_reflection::server::Error| ServeError::Reflection(error.to_string());
        // old clients ask for v1alpha, new ones for v1
        let v1 = reflection().build_v1().map_err(unreadable)?;
        let v1alpha = reflection().build_v1alpha().map_err(unreadable)?;
        Ok(Routes::default()
            .add_service(expose(Guard::new(solver, limits.clone())))
            .add_service(expose(Guard::new(jobs, limits.clone())))
            .add_service(expose(Guard::new(archive, limits.clone())))
            .add_service(expose(Guard::uncounted(v1, limits.clone())))
            .add_service(expose(Guard::uncounted(v1alpha, limits.clone()))))
    }
}

/// gRPC and gRPC-Web. Each service has its own translation: one for the whole server would refuse plain HTTP.
fn expose<S>(
    service: S,
) -> impl Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>
+ NamedService
+ Clone
+ Send
+ Sync
+ 'static
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + NamedService,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    GrpcWebLayer::new().layer(service)
}

async fn tell_health(health: &HealthReporter, status: ServingStatus) {
    for name in HEALTH_NAMES {
        health.set_service_status(name, status).await;
    }
}

fn read_end(
    ended: Result<Result<(), tonic::transport::Error>, tokio::task::JoinError>,
) -> Result<(), ServeError> {
    match ended {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ServeError::Transport(error.to_string())),
        Err(error) => Err(ServeError::Transport(error.to_string())),
    }
}

/// Listens for SIGTERM, and for SIGINT from a terminal; what it gives is done when the process is told to stop.
/// From the call on neither signal kills the process, so it comes before the address is told to anybody.
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
