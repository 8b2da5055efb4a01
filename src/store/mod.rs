//! Keeps jobs, traces and puzzles. All SQL is here and nothing but SQL: what a body means is for others to say.
//!
//! Read [`row`] (what is kept), then the trait [`Store`], then an implementation.

pub mod page;
pub mod row;
pub mod sqlite;

pub use page::{Page, Paged, TokenError};
pub use row::{
    Backlog, Body, Chunk, ClientId, Ended, Finish, JobFilter, JobId, JobKind, JobRow, JobState, Lease,
    NameError, NewJob, NewPuzzle, Priority, Provenance, PuzzleFilter, PuzzleId, PuzzleRow, RatingColumns,
    Stored, Waiting, Want,
};
pub use sqlite::{Durability, SqliteStore};

use std::future::Future;
use std::pin::Pin;
use std::time::SystemTime;

/// Why the store did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    /// The file, or what it stands for, cannot be used at all.
    #[error("cannot open the database {path}: {reason}")]
    Open {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// Another daemon has it.
    #[error(
        "the database {path} is in use by another process; stop that one, or give this one a file of its own"
    )]
    InUse {
        /// Which.
        path: String,
    },
    /// A statement failed.
    #[error("the database failed: {0}")]
    Failed(String),
    /// A row says what this version does not understand.
    #[error("{what} cannot be read: {reason}")]
    Unreadable {
        /// Which row.
        what: String,
        /// Why.
        reason: String,
    },
    /// The page token belongs to another list.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// It was closed.
    #[error("the database is closed")]
    Closed,
}

/// A future that a trait object may give.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps jobs, traces and puzzles. Whatever changes something answers after the commit that makes it durable. Every write about a claimed job needs its [`Lease`], and does
/// nothing once that is lost.
pub trait Store: Send + Sync + std::fmt::Debug {
    /// Takes back what earlier owners left claimed: known to have started, one more death, and the end for those
    /// that have died `max_deaths` times; back in the queue as suspects otherwise. Says what waits then.
    fn recover(&self, max_deaths: u32) -> Answer<'_, Backlog>;

    /// Stores a job, unless its client has submitted one under the same request id.
    fn submit(&self, job: NewJob) -> Answer<'_, Stored>;

    /// Claims waiting jobs: each gets its next attempt.
    fn claim(&self, want: Want) -> Answer<'_, Vec<JobRow>>;

    /// Notes that a run has started.
    fn start(&self, lease: Lease) -> Answer<'_, bool>;

    /// Keeps some entries of the trace of a running job; notes also that it has started.
    fn append(&self, lease: Lease, chunk: Chunk) -> Answer<'_, bool>;

    /// Ends a job: state, result, trace and puzzle at once. None if the lease is lost.
    fn finish(&self, lease: Lease, finish: Finish) -> Answer<'_, Option<Ended>>;

    /// Puts a claimed job back into the queue, blaming nobody.
    fn release(&self, lease: Lease) -> Answer<'_, bool>;

    /// Cancels a job that waits. None if it does not: it is claimed, or has ended, or was never there.
    fn cancel(&self, id: JobId, reason: String) -> Answer<'_, Option<Waiting>>;

    /// Cancels every waiting job whose deadline has passed.
    fn cancel_overdue(&self, now: SystemTime, reason: String) -> Answer<'_, Vec<Waiting>>;

    /// The earliest deadline of a waiting job.
    fn next_deadline(&self) -> Answer<'_, Option<SystemTime>>;

    /// A job.
    fn job(&self, id: JobId) -> Answer<'_, Option<JobRow>>;

    /// Jobs without outcome, the latest first.
    fn jobs(&self, filter: JobFilter, page: Page) -> Answer<'_, Paged<JobRow>>;

    /// The trace of a job's last attempt as far as it is stored, in order.
    fn trace(&self, id: JobId) -> Answer<'_, Vec<Chunk>>;

    /// A puzzle.
    fn puzzle(&self, id: PuzzleId) -> Answer<'_, Option<PuzzleRow>>;

    /// Puzzles, the latest first.
    fn puzzles(&self, filter: PuzzleFilter, page: Page) -> Answer<'_, Paged<PuzzleRow>>;

    /// Waits for what is under way and closes. Everything asked later fails.
    fn close(&self) -> Answer<'_, ()>;
}
