//! Whether a request comes in. A call whose request is never sent to its end would hold its place among the calls in
//! flight for ever: nothing else bounds it if it sets no deadline.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

/// It has come in to its end.
const ARRIVED: u64 = u64::MAX;

/// How far a request has come in. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Arrival(Arc<AtomicU64>);

impl Arrival {
    /// Waits until nothing of the request has come for so long. Never done for one that has come in to its end.
    pub async fn stall(&self, patience: Duration) {
        let mut seen = self.0.load(Ordering::Relaxed);
        loop {
            if seen == ARRIVED {
                return std::future::pending().await;
            }
            tokio::time::sleep(patience).await;
            let frames = self.0.load(Ordering::Relaxed);
            if frames == seen {
                return;
            }
            seen = frames;
        }
    }
}

/// A body that counts what comes.
pub struct ArrivingBody {
    inner: Body,
    arrival: Arrival,
}

impl ArrivingBody {
    /// This body, counted there.
    pub fn new(inner: Body, arrival: Arrival) -> ArrivingBody {
        let body = ArrivingBody { inner, arrival };
        body.note_end();
        body
    }

    fn note_end(&self) {
        if http_body::Body::is_end_stream(&self.inner) {
            self.arrival.0.store(ARRIVED, Ordering::Relaxed);
        }
    }
}

impl http_body::Body for ArrivingBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = std::task::ready!(Pin::new(&mut self.inner).poll_frame(context));
        match &frame {
            Some(_) => drop(self.arrival.0.fetch_add(1, Ordering::Relaxed)),
            None => self.arrival.0.store(ARRIVED, Ordering::Relaxed),
        }
        self.note_end();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whole_requests_are_never_stalled() {
        let arrival = Arrival::default();
        let patience = Duration::from_millis(10);
        tokio::time::timeout(Duration::from_secs(30), arrival.stall(patience)).await.expect("nothing comes");
        drop(ArrivingBody::new(Body::empty(), arrival.clone()));
        let stalled = tokio::time::timeout(patience * 9, arrival.stall(patience)).await;
        assert!(stalled.is_err(), "it has come in to its end");
    }
}
