//! The guard before every service.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use tokio::sync::Semaphore;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::{Code, Status};
use tower::Service;

use super::arrival::{Arrival, ArrivingBody};
use super::body::{Ending, GuardedBody};
use super::deadline::read_deadline;
use super::drain::Drain;
use crate::api::status::Refusal;

/// When a caller that was refused because of calls in flight should ask again.
const RETRY: Duration = Duration::from_millis(500);

/// Calls are taken to end no more by themselves when none has for so long.
const STILL: Duration = Duration::from_millis(100);

/// What is shared by all guards of a daemon. Cheap to clone; all clones are one.
#[derive(Clone, Debug)]
pub struct Limits {
    in_flight: Arc<Semaphore>,
    most_in_flight: usize,
    message_bytes: usize,
    patience: Duration,
    drain: Drain,
}

impl Limits {
    /// At most so many calls at a time, in messages of at most so many bytes. A request that is waited for may bring
    /// nothing for so long.
    pub fn new(in_flight: usize, message_bytes: usize, patience: Duration, drain: Drain) -> Limits {
        let most_in_flight = in_flight.min(Semaphore::MAX_PERMITS);
        let in_flight = Arc::new(Semaphore::new(most_in_flight));
        Limits { in_flight, most_in_flight, message_bytes, patience, drain }
    }

    /// Lets calls whose answers are known go out before the rest is ended: waits until no call is in flight, or none
    /// has ended for a moment, or `patience` is over. No new ones may come meanwhile.
    pub async fn settle(&self, patience: Duration) {
        let end = tokio::time::Instant::now() + patience;
        let count = || self.most_in_flight - self.in_flight.available_permits();
        let (mut left, mut before) = (count(), usize::MAX);
        while left > 0 && left < before && tokio::time::Instant::now() < end {
            tokio::time::sleep(STILL).await;
            before = left;
            left = count();
        }
    }

    /// How many bytes a message may have.
    pub fn message_bytes(&self) -> usize {
        self.message_bytes
    }
}

/// A service behind its guard.
#[derive(Clone, Debug)]
pub struct Guard<S> {
    inner: S,
    limits: Limits,
    is_counted: bool,
}

impl<S> Guard<S> {
    /// Every call counts as one in flight.
    pub fn new(inner: S, limits: Limits) -> Guard<S> {
        Guard { inner, limits, is_counted: true }
    }

    /// No call is counted: for health and reflection, which must answer when nothing else does. Health also tells
    /// that the daemon is stopping, so its calls are not refused then.
    pub fn uncounted(inner: S, limits: Limits) -> Guard<S> {
        Guard { inner, limits, is_counted: false }
    }
}

impl<S: NamedService> NamedService for Guard<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Guard<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let limits = self.limits.clone();
        let mut permit = None;
        if self.is_counted {
            if limits.drain.is_closing() {
                return refuse(Refusal::closing());
            }
            match limits.in_flight.clone().try_acquire_owned() {
                Ok(free) => permit = Some(free),
                Err(_) => return refuse(Refusal::busy(RETRY)),
            }
        }
        let deadline = read_deadline(request.headers());
        if deadline.is_some_and(|deadline| deadline <= tokio::time::Instant::now()) {
            return refuse(Refusal::deadline());
        }
        let mut ending = ending(deadline, limits.drain.clone());
        // health and reflection hold no place that others want
        let arrival = Arrival::default();
        let watched = arrival.clone();
        let answer = self.inner.call(request.map(|body| Body::new(ArrivingBody::new(body, watched))));
        Box::pin(async move {
            let response = tokio::select! {
                biased;
                refusal = &mut ending => return Ok(Status::from(refusal).into_http()),
                response = answer => response?,
                () = arrival.stall(limits.patience) => return Ok(Status::from(Refusal::stalled()).into_http()),
            };
            if is_too_large(&response) {
                return Ok(Status::from(Refusal::too_large(limits.message_bytes)).into_http());
            }
            if let Some(status) = unreadable(&response) {
                return Ok(Status::from(Refusal::unreadable(status.message())).into_http());
            }
            Ok(response.map(|body| {
                Body::new(match deadline {
                    Some(_) => GuardedBody::new(body, ending, permit),
                    None => GuardedBody::without_deadline(body, &limits.drain, permit),
                })
            }))
        })
    }
}

fn refuse(refusal: Refusal) -> Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>> {
    Box::pin(std::future::ready(Ok(Status::from(refusal).into_http())))
}

/// The deadline of the call or the end of the daemon, whichever comes first. Most calls have no deadline, and thousands
/// may wait: those have no timer.
fn ending(deadline: Option<tokio::time::Instant>, drain: Drain) -> Ending {
    let Some(deadline) = deadline else {
        return Box::pin(async move {
            drain.ended().await;
            Refusal::closing()
        });
    };
    Box::pin(async move {
        tokio::select! {
            () = tokio::time::sleep_until(deadline) => Refusal::deadline(),
            () = drain.ended() => Refusal::closing(),
        }
    })
}

/// tonic answers OUT_OF_RANGE to a message past the limit; our own statuses of that code have details.
fn is_too_large(response: &Response<Body>) -> bool {
    let headers = response.headers();
    let code = headers.get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()));
    code == Some(Code::OutOfRange) && !headers.contains_key("grpc-status-details-bin")
}

/// tonic answers INTERNAL to a message that cannot be decoded; our own statuses of that code have details.
fn unreadable(response: &Response<Body>) -> Option<Status> {
    let status = Status::from_header_map(response.headers())?;
    is_unreadable(&status).then_some(status)
}

fn is_unreadable(status: &Status) -> bool {
    status.code() == Code::Internal && status.details().is_empty()
}

/// The same for the requests of a stream, where the service sees the status.
pub fn refusal_of_message(status: Status, limits: &Limits) -> Status {
    if status.code() == Code::OutOfRange && status.details().is_empty() {
        return Refusal::too_large(limits.message_bytes).into();
    }
    if is_unreadable(&status) {
        return Refusal::unreadable(status.message()).into();
    }
    status
}
