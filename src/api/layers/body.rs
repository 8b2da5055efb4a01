//! A body that can be ended from outside, with a status in its trailers.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;
use tonic::Status;
use tonic::body::Body;

use crate::api::status::Refusal;

/// What ends a call before its time.
pub type Ending = Pin<Box<dyn Future<Output = Refusal> + Send>>;

/// The body of a call in flight. What produces it is dropped at once when it ends, whoever ends it: a body is not
/// polled while its reader does not read, so its end is watched by a task.
pub struct GuardedBody {
    call: Arc<Mutex<Call>>,
    watch: AbortHandle,
}

/// What goes when the call ends.
#[derive(Default)]
struct Call {
    inner: Option<Body>,
    #[expect(dead_code, reason = "it is held, and given back when dropped")]
    permit: Option<OwnedSemaphorePermit>,
    /// Why it ended before its time, until that is told.
    refusal: Option<Box<Refusal>>,
    /// Who waits for the next frame.
    reader: Option<Waker>,
}

impl GuardedBody {
    /// A body that ends by itself or by `ending`, and gives its permit back then.
    pub fn new(inner: Body, ending: Ending, permit: Option<OwnedSemaphorePermit>) -> GuardedBody {
        let call = Arc::new(Mutex::new(Call { inner: Some(inner), permit, ..Call::default() }));
        let watched = call.clone();
        let watch = tokio::spawn(async move {
            let refusal = ending.await;
            let mut call = lock(&watched);
            if call.inner.is_none() {
                return;
            }
            let gone =
                std::mem::replace(&mut *call, Call { refusal: Some(Box::new(refusal)), ..Call::default() });
            drop(call);
            if let Some(reader) = gone.reader {
                reader.wake();
            }
        });
        GuardedBody { call, watch: watch.abort_handle() }
    }
}

impl Drop for GuardedBody {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

fn lock(call: &Mutex<Call>) -> MutexGuard<'_, Call> {
    // a body that panicked half-way is dropped with its call
    call.lock().unwrap_or_else(PoisonError::into_inner)
}

impl http_body::Body for GuardedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut call = lock(&self.call);
        if let Some(refusal) = call.refusal.take() {
            return Poll::Ready(Some(Ok(Frame::trailers(trailers((*refusal).into())))));
        }
        let Some(inner) = call.inner.as_mut() else { return Poll::Ready(None) };
        let Poll::Ready(frame) = Pin::new(inner).poll_frame(context) else {
            call.reader = Some(context.waker().clone());
            return Poll::Pending;
        };
        if frame.as_ref().is_none_or(|frame| frame.as_ref().map_or(true, Frame::is_trailers)) {
            *call = Call::default();
            self.watch.abort();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let call = lock(&self.call);
        call.refusal.is_none() && call.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let call = lock(&self.call);
        match (&call.inner, &call.refusal) {
            (Some(inner), _) => inner.size_hint(),
            (None, Some(_)) => SizeHint::default(),
            (None, None) => SizeHint::with_exact(0),
        }
    }
}

fn trailers(status: Status) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if status.add_header(&mut headers).is_err() {
        headers.insert("grpc-status", http::HeaderValue::from(i32::from(status.code())));
    }
    headers
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body::Body as _;
    use tokio::sync::Semaphore;

    use super::*;

    /// A body that is never polled, as that of a caller who never reads, still ends.
    #[tokio::test]
    async fn a_body_that_nobody_reads_ends_at_its_time() {
        let calls = Arc::new(Semaphore::new(1));
        let permit = calls.clone().try_acquire_owned().expect("it is free");
        let ending = Box::pin(async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Refusal::deadline()
        });
        let mut body = GuardedBody::new(Body::empty(), ending, Some(permit));
        let freed = tokio::time::timeout(Duration::from_secs(10), calls.acquire()).await;
        assert!(freed.expect("in time").is_ok());
        assert!(!body.is_end_stream());
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let trailers = frame.expect("a frame").expect("no error").into_trailers().expect("trailers");
        assert_eq!(trailers.get("grpc-status").map(|code| code.as_bytes()), Some(&b"4"[..]));
        let end = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        assert!(end.is_none() && body.is_end_stream());
    }
}
