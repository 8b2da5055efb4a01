//! The way out: first no new calls, then an end to those in flight.

use tokio_util::sync::CancellationToken;

/// Two flags. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    closing: CancellationToken,
    ending: CancellationToken,
}

impl Drain {
    /// Neither is raised.
    pub fn new() -> Drain {
        Drain::default()
    }

    /// New calls are refused from now on.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Whether new calls are refused.
    pub fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Calls in flight end from now on, and new ones are refused.
    pub fn end(&self) {
        self.closing.cancel();
        self.ending.cancel();
    }

    /// Waits for [`end`](Self::end).
    pub async fn ended(self) {
        self.ending.cancelled_owned().await;
    }
}
