//! Streams that make their next item when it is asked for, and keep none.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio_stream::Stream;
use tonic::Status;

/// What makes one item of an answer after the other.
pub trait Source: Send + 'static {
    /// An item.
    type Item: Send + 'static;

    /// The next item; none at the end. It may be called again only after it has answered with an item.
    fn next(&mut self) -> impl Future<Output = Option<Result<Self::Item, Status>>> + Send;
}

/// A stream made by one future, which goes on when it is asked for an item and stands still from handing one out until
/// it is asked for the next. Nothing runs ahead: a reader that does not read costs nothing.
pub struct Pull<T> {
    /// None once it has ended.
    maker: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    handed: Arc<Mutex<Option<T>>>,
}

/// By which the future hands out items.
pub struct Giver<T>(Arc<Mutex<Option<T>>>);

impl<T: Send + 'static> Pull<T> {
    /// The stream of what this hands out.
    pub fn new<F>(make: impl FnOnce(Giver<T>) -> F) -> Pull<T>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let handed = Arc::new(Mutex::new(None));
        Pull { maker: Some(Box::pin(make(Giver(handed.clone())))), handed }
    }

    fn take(&self) -> Option<T> {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<I: Send + 'static> Pull<Result<I, Status>> {
    /// The stream of a source's items. An error is the last, and its source is dropped before it is handed out.
    pub fn of(mut source: impl Source<Item = I>) -> Pull<Result<I, Status>> {
        Pull::new(|giver| async move {
            while let Some(item) = source.next().await {
                if item.is_err() {
                    drop(source);
                    giver.give(item).await;
                    return;
                }
                giver.give(item).await;
            }
        })
    }
}

impl<T> Giver<T> {
    /// Hands out an item; done when the next is asked for.
    pub fn give(&self, item: T) -> impl Future<Output = ()> + Send + use<T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(item);
        let mut is_handed = false;
        // nobody needs to be woken: whoever polls takes the item at once
        std::future::poll_fn(move |_| match std::mem::replace(&mut is_handed, true) {
            false => Poll::Pending,
            true => Poll::Ready(()),
        })
    }
}

impl<T: Send + 'static> Stream for Pull<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(maker) = self.maker.as_mut() else { return Poll::Ready(None) };
        if maker.as_mut().poll(context).is_ready() {
            self.maker = None;
            return Poll::Ready(None);
        }
        match self.take() {
            Some(item) => Poll::Ready(Some(item)),
            None => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio_stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn nothing_is_made_before_it_is_asked_for() {
        let made = Arc::new(AtomicU32::new(0));
        let counter = made.clone();
        let mut stream = Pull::new(|giver| async move {
            for number in 1..=3 {
                tokio::task::yield_now().await;
                counter.store(number, Ordering::Relaxed);
                giver.give(number).await;
            }
        });
        for number in 1..=3 {
            assert_eq!(stream.next().await, Some(number));
            tokio::task::yield_now().await;
            assert_eq!(made.load(Ordering::Relaxed), number);
        }
        assert_eq!((stream.next().await, stream.next().await), (None, None));
    }

    struct Failing(#[expect(dead_code, reason = "it is counted")] Arc<()>);

    impl Source for Failing {
        type Item = u32;

        async fn next(&mut self) -> Option<Result<u32, Status>> {
            Some(Err(Status::internal("no")))
        }
    }

    #[tokio::test]
    async fn an_error_is_the_last_and_its_source_is_gone() {
        let alive = Arc::new(());
        let mut stream = Pull::of(Failing(alive.clone()));
        assert!(stream.next().await.is_some_and(|item| item.is_err()));
        assert_eq!(Arc::strong_count(&alive), 1);
        assert!(stream.next().await.is_none());
    }
}
