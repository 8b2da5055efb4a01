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

use super::drain::{Drain, End, Seat};
use crate::api::status::Refusal;

/// After a frame of so many bytes a body lets others go first. A reader with a wide window takes one after the other, and
/// a stream that tells what many jobs do had a thread to itself for tens of milliseconds.
const LARGE: usize = 16 << 10;

/// What ends a call before its time.
pub type Ending = Pin<Box<dyn Future<Output = Refusal> + Send>>;

/// The body of a call in flight. What produces it is dropped at once when it ends, whoever ends it: a body is not
/// polled while its reader does not read, so somebody else watches for its end.
pub struct GuardedBody {
    call: Arc<Watched>,
    watch: Watch,
    /// The last frame was large.
    lets_others_go_first: bool,
}

/// Who watches for the end of a call.
enum Watch {
    /// A task that knows its deadline.
    Task(AbortHandle),
    /// The way out of the daemon alone. Thousands of calls without deadline may wait, and a task each is much.
    Drain(#[expect(dead_code, reason = "it is held, and given back when dropped")] Seat),
}

/// A call, as those who end it know it.
#[derive(Default)]
struct Watched(Mutex<Call>);

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

impl Watched {
    fn new(inner: Body, permit: Option<OwnedSemaphorePermit>) -> Arc<Watched> {
        Arc::new(Watched(Mutex::new(Call { inner: Some(inner), permit, ..Call::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Call> {
        // a body that panicked half-way is dropped with its call
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, refusal: Refusal) {
        let mut call = self.lock();
        if call.inner.is_none() {
            return;
        }
        let gone =
            std::mem::replace(&mut *call, Call { refusal: Some(Box::new(refusal)), ..Call::default() });
        drop(call);
        if let Some(reader) = gone.reader {
            reader.wake();
        }
    }
}

impl End for Watched {
    fn end(&self) {
        self.refuse(Refusal::closing());
    }
}

impl GuardedBody {
    /// A body that ends by itself or by `ending`, and gives its permit back then.
    pub fn new(inner: Body, ending: Ending, permit: Option<OwnedSemaphorePermit>) -> GuardedBody {
        let call = Watched::new(inner, permit);
        let watched = call.clone();
        let watch = tokio::spawn(async move { watched.refuse(ending.await) });
        GuardedBody { call, watch: Watch::Task(watch.abort_handle()), lets_others_go_first: false }
    }

    /// A body that ends by itself or with the daemon.
    pub fn without_deadline(inner: Body, drain: &Drain, permit: Option<OwnedSemaphorePermit>) -> GuardedBody {
        let call = Watched::new(inner, permit);
        let watch = Watch::Drain(drain.seat(call.clone()));
        GuardedBody { call, watch, lets_others_go_first: false }
    }

    fn stop_watching(&self) {
        match &self.watch {
            Watch::Task(task) => task.abort(),
            Watch::Drain(_) => {}
        }
    }
}

impl Drop for GuardedBody {
    fn drop(&mut self) {
        self.stop_watching();
    }
}

impl http_body::Body for GuardedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let body = self.get_mut();
        if std::mem::take(&mut body.lets_others_go_first) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut call = body.call.lock();
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
            body.stop_watching();
        }
        let is_large = |frame: &Frame<Bytes>| frame.data_ref().is_some_and(|data| data.len() >= LARGE);
        body.lets_others_go_first = matches!(&frame, Some(Ok(frame)) if is_large(frame));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let call = self.call.lock();
        call.refusal.is_none() && call.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let call = self.call.lock();
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

    /// So does one that nobody reads when the daemon stops, whether it began before or not.
    #[tokio::test]
    async fn a_body_ends_with_the_daemon() {
        let drain = Drain::new();
        let calls = Arc::new(Semaphore::new(2));
        let body = || {
            let permit = calls.clone().try_acquire_owned().expect("it is free");
            GuardedBody::without_deadline(Body::empty(), &drain, Some(permit))
        };
        let early = body();
        drop(body());
        drain.end();
        let late = body();
        assert_eq!(calls.available_permits(), 2);
        for mut body in [early, late] {
            let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            let trailers = frame.expect("a frame").expect("no error").into_trailers().expect("trailers");
            assert_eq!(trailers.get("grpc-status").map(|code| code.as_bytes()), Some(&b"14"[..]));
        }
    }

    /// Whoever waits for the thread has it between any two large frames.
    #[tokio::test]
    async fn a_body_lets_others_go_first() {
        let frames = |bytes: usize| {
            let inner = Body::new(Frames { left: 9, bytes });
            GuardedBody::without_deadline(inner, &Drain::new(), None)
        };
        for (bytes, turns) in [(LARGE, 9), (LARGE - 1, 0)] {
            let mut body = frames(bytes);
            let other = tokio::spawn(async {
                let mut turns = 0;
                loop {
                    tokio::task::yield_now().await;
                    turns += 1;
                    TURNS.with(|seen| seen.set(turns));
                }
            });
            tokio::task::yield_now().await;
            let before = TURNS.get();
            let mut count = 0;
            while let Some(frame) =
                std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
            {
                count += usize::from(frame.expect("no error").is_data());
            }
            assert_eq!((count, TURNS.get() - before), (9, turns));
            other.abort();
        }
    }

    /// So many frames of so many bytes, all of them ready.
    struct Frames {
        left: usize,
        bytes: usize,
    }

    impl http_body::Body for Frames {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            let Some(left) = self.left.checked_sub(1) else { return Poll::Ready(None) };
            self.left = left;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![0; self.bytes])))))
        }
    }

    thread_local! {
        static TURNS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }

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
