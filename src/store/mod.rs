//! Keeps jobs, traces and puzzles. All SQL is here and nothing but SQL: what a body means is for others to say.
//!
//! Read [`row`] (what is kept), then the trait [`Store`], then an implementation: [`sqlite`] for one process,
//! [`postgres`] for several; `turns` is who goes first, `batch` how both share commits, `line` in which order,
//! [`Reply`] who is told of them, [`EarlyEnd`] what may come to one until the last moment, and [`news`] what processes
//! tell one another.

/// The number of the last entry that a job has which ends while nobody runs it.
macro_rules! last_sequence {
    () => {
        "coalesce((select max(first_sequence + count) from trace_chunks as chunk
             where chunk.job = jobs.id and chunk.attempt = jobs.attempt), 1)"
    };
}

/// The turn of a job that goes back to this front: there, unless jobs of its client that came before it wait; then behind
/// those, and before what came after it, whose numbers are higher at the same turn. The turns of a client rise with its
/// numbers, so that each part is a look at one end of an index.
macro_rules! turn_back {
    ($front:literal) => {
        concat!(
            "case when (select id from jobs as first where client = jobs.client and priority = jobs.priority and ",
            ready!(),
            " order by turn, id limit 1) < jobs.id
             then coalesce((select turn from jobs as next where client = jobs.client and priority = jobs.priority
                     and next.id > jobs.id and ",
            ready!(),
            " order by turn, id limit 1), (select max(turn) from jobs as last where client = jobs.client
                     and priority = jobs.priority and ",
            ready!(),
            ")) else coalesce(",
            $front,
            ", turn) end"
        )
    };
}

mod batch;
mod clock;
mod early;
mod line;
pub mod news;
pub mod page;
pub mod postgres;
mod reply;
pub mod row;
pub mod sqlite;
mod turns;
mod url;

pub use clock::Clock;
pub use early::EarlyEnd;
pub use news::{Bulletin, News};
pub use page::{Page, Paged, TokenError};
pub use postgres::PostgresStore;
pub use reply::Reply;
pub use row::{
    Backlog, Body, Chunk, ClientBacklog, ClientId, Ended, Finish, JobFilter, JobId, JobKind, JobRow,
    JobState, Lease, NameError, NewJob, NewPuzzle, Priority, Provenance, Prune, PruneWhat, Pruned,
    PuzzleFilter, PuzzleId, PuzzleRow, RatingColumns, Standing, Stored, Wait, Waiting, Want,
};
pub use sqlite::SqliteStore;
pub use url::{DatabaseUrl, Options, open};

use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::time::SystemTime;

/// What a commit withstands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// A power cut: the disk is waited for.
    #[default]
    Full,
    /// The death of this process. A power cut may lose the last commits (and spoils nothing); with PostgreSQL the
    /// death of its server may as well.
    Normal,
}

impl Durability {
    /// The word of the configuration: `full` or `normal`.
    pub const fn word(self) -> &'static str {
        match self {
            Durability::Full => "full",
            Durability::Normal => "normal",
        }
    }
}

/// The reverse of [`word`](Durability::word).
impl FromStr for Durability {
    type Err = String;

    fn from_str(word: &str) -> Result<Durability, String> {
        let known = [Durability::Full, Durability::Normal].into_iter().find(|known| known.word() == word);
        known.ok_or_else(|| format!("durability is full or normal, not {word:?}"))
    }
}

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
    /// There is no room for more.
    #[error("the database has no room: {0}")]
    NoRoom(String),
    /// It cannot be reached or written for now.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
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

impl StoreError {
    /// Whether the write itself was at fault, so that its neighbours may yet succeed.
    fn is_of_one_write(&self) -> bool {
        matches!(self, StoreError::Failed(_) | StoreError::Unreadable { .. })
    }
}

/// A failure, as it is told.
fn failed(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::PoolClosed => StoreError::Closed,
        sqlx::Error::ColumnDecode { index, source } => {
            StoreError::Unreadable { what: index, reason: source.to_string() }
        }
        error => StoreError::Failed(error.to_string()),
    }
}

/// A future that a trait object may give.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps jobs, traces and puzzles. Whatever changes something answers after the commit that makes it durable. Every write about a claimed job needs its [`Lease`], and does
/// nothing once that is lost.
pub trait Store: Send + Sync + std::fmt::Debug {
    /// Whether other processes may use it at the same time: they claim, cancel and end jobs as well.
    fn is_shared(&self) -> bool;

    /// What other processes did. Nothing ever comes where there are none.
    fn bulletin(&self) -> &Bulletin;

    /// How many processes use it, as far as is known.
    fn sharers(&self) -> u64;

    /// The time by the clock that all who share the store go by.
    fn clock(&self) -> SystemTime;

    /// Takes back what owners that are gone left claimed: known to have started, one more death, and the end for
    /// those that have died `max_deaths` times; back in the queue as suspects otherwise. Says how many were taken back.
    fn recover(&self, max_deaths: u32) -> Answer<'_, u64>;

    /// How many jobs wait.
    fn backlog(&self) -> Answer<'_, Backlog>;

    /// Of each priority, the turn of the job that is claimed next; none where none waits.
    fn fronts(&self) -> Answer<'_, [Option<i64>; 3]>;

    /// Queues up to so many jobs whose time has come.
    fn promote_then(&self, limit: u32, reply: Reply<Vec<Waiting>>);

    /// Queues them, and waits for that.
    fn promote(&self, limit: u32) -> Answer<'_, Vec<Waiting>> {
        let (reply, answer) = Reply::pair();
        self.promote_then(limit, reply);
        answer
    }

    /// When the next job is due that waits for its time.
    fn next_due(&self) -> Answer<'_, Option<SystemTime>>;

    /// Says that this process lives, and which of its leases do not simply hold.
    fn renew(&self, leases: Vec<Lease>) -> Answer<'_, Vec<(Lease, Standing)>>;

    /// Stores a job, unless its client has submitted one under the same request id; with its end, if it is stored as
    /// claimed and that comes in time.
    fn submit_early(&self, job: NewJob, early: EarlyEnd, reply: Reply<Stored>);

    /// Stores a job, and waits for that.
    fn submit(&self, job: NewJob) -> Answer<'_, Stored> {
        let (reply, answer) = Reply::pair();
        self.submit_early(job, EarlyEnd::default(), reply);
        answer
    }

    /// Claims waiting jobs, by their turns: each gets its next attempt.
    fn claim(&self, want: Want) -> Answer<'_, Vec<JobRow>>;

    /// Notes that a run has started.
    fn start(&self, lease: Lease) -> Answer<'_, bool>;

    /// Keeps some entries of the trace of a running job; notes also that it has started.
    fn append(&self, lease: Lease, chunk: Chunk) -> Answer<'_, bool>;

    /// Ends a job: state, result, trace and puzzle at once. None if the lease is lost.
    fn finish_then(&self, lease: Lease, finish: Arc<Finish>, reply: Reply<Option<Ended>>);

    /// Ends a job, and waits for that.
    fn finish(&self, lease: Lease, finish: Finish) -> Answer<'_, Option<Ended>> {
        let (reply, answer) = Reply::pair();
        self.finish_then(lease, Arc::new(finish), reply);
        answer
    }

    /// Puts a claimed job back to the front of the queue, blaming nobody.
    fn release(&self, lease: Lease) -> Answer<'_, bool>;

    /// Cancels a job that waits. None if it does not: it is claimed, or has ended, or was never there. If another
    /// process has claimed it, that one is asked to cancel it.
    fn cancel(&self, id: JobId, reason: String) -> Answer<'_, Option<Waiting>>;

    /// Cancels every waiting job whose deadline has passed.
    fn cancel_overdue(&self, now: SystemTime, reason: String) -> Answer<'_, Vec<Waiting>>;

    /// The earliest deadline of a waiting job.
    fn next_deadline(&self) -> Answer<'_, Option<SystemTime>>;

    /// The job that a client has submitted under a request id.
    fn job_of_request(&self, client: ClientId, request_id: String) -> Answer<'_, Option<JobRow>>;

    /// A job.
    fn job(&self, id: JobId) -> Answer<'_, Option<JobRow>>;

    /// Jobs without outcome, the latest first.
    fn jobs(&self, filter: JobFilter, page: Page) -> Answer<'_, Paged<JobRow>>;

    /// The trace of a job's last attempt as far as it is stored, in order.
    fn trace(&self, id: JobId) -> Answer<'_, Vec<Chunk>>;

    /// What is stored of the trace of a running attempt, in order, after so many entries.
    fn chunks(&self, lease: Lease, after: u64) -> Answer<'_, Vec<Chunk>>;

    /// The last attempt and the state of each of these jobs that is there.
    fn stages(&self, ids: Vec<JobId>) -> Answer<'_, Vec<(Lease, JobState)>>;

    /// Lets go of some of what need not be kept.
    fn prune(&self, prune: Prune) -> Answer<'_, Pruned>;

    /// A puzzle.
    fn puzzle(&self, id: PuzzleId) -> Answer<'_, Option<PuzzleRow>>;

    /// Puzzles, the latest first.
    fn puzzles(&self, filter: PuzzleFilter, page: Page) -> Answer<'_, Paged<PuzzleRow>>;

    /// Waits for what is under way and closes. Everything asked later fails.
    fn close(&self) -> Answer<'_, ()>;
}
