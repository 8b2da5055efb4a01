//! Whom to tell what came of a write.

use tokio::sync::oneshot;

use super::{Answer, StoreError};

type Tell<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send + Sync>;

/// Told once, after the commit; one that is dropped untold hears that the store is closed. What it does is to be
/// short: others wait behind it.
pub struct Reply<T>(Option<Tell<T>>);

impl<T> Reply<T> {
    /// Calls this.
    pub fn new(tell: impl FnOnce(Result<T, StoreError>) + Send + Sync + 'static) -> Reply<T> {
        Reply(Some(Box::new(tell)))
    }

    /// Tells what came of it.
    pub fn tell(mut self, result: Result<T, StoreError>) {
        if let Some(tell) = self.0.take() {
            tell(result);
        }
    }
}

impl<T: Send + 'static> Reply<T> {
    /// A reply to be waited for.
    pub fn pair<'a>() -> (Reply<T>, Answer<'a, T>) {
        let (sender, answer) = oneshot::channel();
        // whoever asked may have gone; the write stands
        let reply = Reply::new(move |result| drop(sender.send(result)));
        (reply, Box::pin(async move { answer.await.map_err(|_| StoreError::Closed)? }))
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            tell(Err(StoreError::Closed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn told_once_or_closed() {
        let (reply, answer) = Reply::pair();
        reply.tell(Ok(7));
        assert_eq!(answer.await, Ok(7));
        let (reply, answer) = Reply::<u32>::pair();
        drop(reply);
        assert_eq!(answer.await, Err(StoreError::Closed));
    }
}
