//! A body that can be ended from outside, with a status in its trailers.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tonic::Status;
use tonic::body::Body;

use crate::api::status::Refusal;

/// What ends a call before its time.
pub type Ending = Pin<Box<dyn Future<Output = Refusal> + Send>>;

/// The body of a call in flight. What produces it is dropped at once when it ends, whoever ends it.
pub struct GuardedBody {
    inner: Option<Body>,
    ending: Ending,
    permit: Option<OwnedSemaphorePermit>,
}

impl GuardedBody {
    /// A body that ends by itself or by `ending`, and gives its permit back then.
    pub fn new(inner: Body, ending: Ending, permit: Option<OwnedSemaphorePermit>) -> GuardedBody {
        GuardedBody { inner: Some(inner), ending, permit }
    }

    fn finish(&mut self) {
        self.inner = None;
        self.permit = None;
    }
}

impl http_body::Body for GuardedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let Some(inner) = this.inner.as_mut() else { return Poll::Ready(None) };
        // first, since a stream that always has more would never come to its end
        if let Poll::Ready(refusal) = this.ending.as_mut().poll(context) {
            this.finish();
            return Poll::Ready(Some(Ok(Frame::trailers(trailers(refusal.into())))));
        }
        let frame = std::task::ready!(Pin::new(inner).poll_frame(context));
        if frame.as_ref().is_none_or(|frame| frame.as_ref().map_or(true, Frame::is_trailers)) {
            this.finish();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

fn trailers(status: Status) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if status.add_header(&mut headers).is_err() {
        headers.insert("grpc-status", http::HeaderValue::from(i32::from(status.code())));
    }
    headers
}
