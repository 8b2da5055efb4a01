//! What a caller of the jobs can be told instead of an answer.

use std::time::Duration;

use super::job::JobId;
use crate::engine::solve::SolveError;
use crate::puzzle::Faults;
use crate::store::StoreError;

/// Why the jobs did not do what they were asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JobsError {
    /// There is no such job, or it is another client's.
    #[error("there is no {0}")]
    NotFound(JobId),
    /// The job's options cannot be met.
    #[error(transparent)]
    Refused(#[from] SolveError),
    /// The recipe is at fault.
    #[error("{0}")]
    Recipe(Faults),
    /// The request id was used for another request.
    #[error("the request id was used for {job}, whose {field} is another")]
    Conflict {
        /// The job it was used for.
        job: JobId,
        /// The field in which they differ.
        field: &'static str,
    },
    /// As much waits as may wait.
    #[error("the queue is full; try again in {} ms", retry_after.as_millis())]
    Full {
        /// When there is hope.
        retry_after: Duration,
    },
    /// As much of the client's waits as may wait.
    #[error("{limit} jobs of this client wait, as many as may; try again in {} ms", retry_after.as_millis())]
    OverQuota {
        /// How many may.
        limit: usize,
        /// When there is hope.
        retry_after: Duration,
    },
    /// The trace was not to be kept, or is kept no longer.
    #[error("the trace of {0} is not kept")]
    NotKept(JobId),
    /// The cursor is past the end of the trace.
    #[error("the cursor is past the end of the trace of {0}")]
    PastEnd(JobId),
    /// The work of a short call panicked.
    #[error("the work failed: {0}")]
    Panicked(String),
    /// The service is shutting down.
    #[error("the service is shutting down")]
    Closing,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
