//! Keeps jobs, traces and puzzles. All SQL is here and nothing but SQL: what a body means is for others to say.
//!
//! Read [`row`] (what is kept), then the trait [`Store`], then an implementation.

pub mod page;
pub mod row;

pub use page::{Page, Paged, TokenError};
pub use row::{
    Body, Chunk, ClientId, Ended, Finish, JobId, JobKind, JobRow, JobState, Lease, NameError, NewJob,
    NewPuzzle, Priority, Provenance, PuzzleId, PuzzleRow, RatingColumns, Stored,
};

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

/// Keeps everything. Its whole shape follows.
pub trait Store: Send + Sync + std::fmt::Debug {}
