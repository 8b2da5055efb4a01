//! What the store keeps, as plain values: identities, words and rows. It knows no puzzle: bodies are text that
//! floor 2's codec writes and reads. Jobs are here; `puzzle`, `waiting` and `prune` hold the rest.

mod prune;
mod puzzle;
mod waiting;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use prune::{Prune, PruneWhat, Pruned};
pub use puzzle::{NewPuzzle, Provenance, PuzzleFilter, PuzzleRow, RatingColumns, TextDigest, digest_of};
pub use waiting::{Backlog, ClientBacklog, Wait, Waiting, Want};

/// The identity of a job: `jobs/42`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub i64);

/// The identity of a puzzle in the archive: `puzzles/42`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PuzzleId(pub i64);

/// A text that is no name of a job or puzzle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a name like {collection}/42 was expected")]
pub struct NameError {
    collection: &'static str,
}

fn parse_name(name: &str, collection: &'static str) -> Result<i64, NameError> {
    let digits = name.strip_prefix(collection).and_then(|rest| rest.strip_prefix('/'));
    digits
        .filter(|digits| !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
        .ok_or(NameError { collection })
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "jobs/{}", self.0)
    }
}

impl FromStr for JobId {
    type Err = NameError;

    fn from_str(name: &str) -> Result<JobId, NameError> {
        parse_name(name, "jobs").map(JobId)
    }
}

impl fmt::Display for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "puzzles/{}", self.0)
    }
}

impl FromStr for PuzzleId {
    type Err = NameError;

    fn from_str(name: &str) -> Result<PuzzleId, NameError> {
        parse_name(name, "puzzles").map(PuzzleId)
    }
}

/// Who asks. A client sees its own jobs alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientId(pub Arc<str>);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum JobKind {
    /// Solve a puzzle.
    Solve,
    /// Rate a puzzle.
    Rate,
    /// Make a puzzle.
    Generate,
}

impl JobKind {
    /// Every kind.
    pub const ALL: [JobKind; 3] = [JobKind::Solve, JobKind::Rate, JobKind::Generate];

    /// Its word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            JobKind::Solve => "solve",
            JobKind::Rate => "rate",
            JobKind::Generate => "generate",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<JobKind> {
        JobKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Where a job stands.
///
/// ```text
/// scheduled -> queued <-> running -> succeeded | failed
///      \__________\___________\____> cancelled
/// ```
/// `running -> queued` is a run that died or was broken off by a shutdown: a new attempt follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum JobState {
    /// To be queued at a later time.
    Scheduled,
    /// Waiting for a worker.
    Queued,
    /// A worker is at it.
    Running,
    /// It has its outcome. "No solution" and "gave up" are outcomes too.
    Succeeded,
    /// The service's fault, or a job that kills its workers; the reason says which.
    Failed,
    /// Somebody asked for it.
    Cancelled,
}

impl JobState {
    /// Every state.
    pub const ALL: [JobState; 6] = [
        JobState::Scheduled,
        JobState::Queued,
        JobState::Running,
        JobState::Succeeded,
        JobState::Failed,
        JobState::Cancelled,
    ];

    /// Its word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            JobState::Scheduled => "scheduled",
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Succeeded => "succeeded",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<JobState> {
        JobState::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether it is for good.
    pub const fn is_final(self) -> bool {
        matches!(self, JobState::Succeeded | JobState::Failed | JobState::Cancelled)
    }

    /// Whether a job may go from here to there.
    pub const fn may_become(self, next: JobState) -> bool {
        use JobState::*;
        match self {
            Scheduled => matches!(next, Queued | Cancelled),
            // a claimed job that ends before it was ever seen running goes to its end at once
            Queued => matches!(next, Running | Succeeded | Failed | Cancelled),
            Running => matches!(next, Queued | Succeeded | Failed | Cancelled),
            Succeeded | Failed | Cancelled => false,
        }
    }
}

/// Which jobs go first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Priority {
    /// Somebody waits: never held up by the others.
    Interactive,
    /// The usual.
    #[default]
    Normal,
    /// When nothing else is to be done.
    Bulk,
}

impl Priority {
    /// Every priority, the first served first.
    pub const ALL: [Priority; 3] = [Priority::Interactive, Priority::Normal, Priority::Bulk];

    /// Its word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Priority::Interactive => "interactive",
            Priority::Normal => "normal",
            Priority::Bulk => "bulk",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Priority> {
        Priority::ALL.into_iter().find(|priority| priority.word() == word)
    }

    /// Its place in [`ALL`](Self::ALL).
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A time in whole milliseconds, as it is stored.
pub fn whole_millis(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::new(since.as_secs(), since.subsec_millis() * 1_000_000)
}

/// A text with the version of its writing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The version.
    pub version: u32,
    /// The text.
    pub text: String,
}

impl Body {
    /// The version in which bodies are written, and so far the only one there is. A process claims no job that a later
    /// one has written.
    pub const VERSION: u32 = 1;
}

/// The right to write about a job: lost as soon as the job has another attempt, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// The attempt, from 1.
    pub attempt: u32,
}

/// What has become of a lease that does not simply hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is lost: whatever is written under it is refused.
    Lost,
    /// It holds, and another process wants the job cancelled, for this reason.
    Cancel(String),
}

/// A job to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    /// Whose it is.
    pub client: ClientId,
    /// By which the client repeats a submit.
    pub request_id: Option<String>,
    /// What is to be done.
    pub kind: JobKind,
    /// Which go first.
    pub priority: Priority,
    /// The most units of work.
    pub work: u64,
    /// When it is to be broken off.
    pub deadline: Option<SystemTime>,
    /// How long it may take, as it was asked for.
    pub time_limit: Option<Duration>,
    /// The most units of work that were asked for.
    pub work_limit: Option<u64>,
    /// It is not begun before.
    pub due: Option<SystemTime>,
    /// Whether its steps are kept once it has finished.
    pub keep_trace: bool,
    /// What exactly.
    pub spec: Body,
    /// Whether it is stored as claimed by the process that stores it, attempt 1.
    pub claimed: bool,
}

impl NewJob {
    /// A job of normal priority that any process may claim at once, without limits, whose steps are not kept.
    pub fn plain(client: ClientId, kind: JobKind, spec: Body) -> NewJob {
        NewJob {
            client,
            request_id: None,
            kind,
            priority: Priority::Normal,
            work: 1,
            deadline: None,
            time_limit: None,
            work_limit: None,
            due: None,
            keep_trace: false,
            spec,
            claimed: false,
        }
    }
}

/// What became of a submit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It is a new job, stored at this time.
    Fresh(JobId, SystemTime),
    /// It is a new job, stored together with its end.
    Ended(JobId, Ended),
    /// The client had already submitted a job under this request id.
    Existing(Box<JobRow>),
}

/// A job as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobRow {
    /// Its identity.
    pub id: JobId,
    /// Whose it is.
    pub client: ClientId,
    /// By which the client repeats a submit.
    pub request_id: Option<String>,
    /// What is to be done.
    pub kind: JobKind,
    /// Which go first.
    pub priority: Priority,
    /// Where it stands.
    pub state: JobState,
    /// How often it was claimed.
    pub attempt: u32,
    /// How many of its runs died under it.
    pub deaths: u32,
    /// The most units of work.
    pub work: u64,
    /// When it was stored.
    pub create_time: SystemTime,
    /// When its last attempt started.
    pub start_time: Option<SystemTime>,
    /// When it ended; present exactly if its state is final.
    pub end_time: Option<SystemTime>,
    /// When it is to be broken off.
    pub deadline: Option<SystemTime>,
    /// How long it may take, as it was asked for.
    pub time_limit: Option<Duration>,
    /// The most units of work that were asked for.
    pub work_limit: Option<u64>,
    /// It is not begun before.
    pub due: Option<SystemTime>,
    /// Its turn among the jobs of its priority, unless it waits for its time.
    pub turn: Option<i64>,
    /// Whether its steps are kept once it has finished.
    pub keep_trace: bool,
    /// Why it ended as it did.
    pub reason: Option<String>,
    /// The last sequence number of its trace, once it has ended.
    pub last_sequence: u64,
    /// The puzzle it solved, rated or made, in the archive.
    pub puzzle: Option<PuzzleId>,
    /// What exactly was to be done.
    pub spec: Body,
    /// What came of it.
    pub outcome: Option<Body>,
}

/// Some entries of a trace, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// The attempt they belong to.
    pub attempt: u32,
    /// The sequence number of the first.
    pub first: u64,
    /// How many they are.
    pub count: u64,
    /// How they are written.
    pub format: u32,
    /// The entries.
    pub body: Vec<u8>,
}

/// The end of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// Of the job: which ends are written first.
    pub priority: Priority,
    /// A final state.
    pub state: JobState,
    /// Why it ended as it did.
    pub reason: Option<String>,
    /// When its run started.
    pub start_time: Option<SystemTime>,
    /// What came of it.
    pub outcome: Option<Body>,
    /// The sequence number of its last trace entry, the end itself.
    pub last_sequence: u64,
    /// Its whole trace, if it is to be kept.
    pub trace: Option<Chunk>,
    /// What the archive learns.
    pub puzzle: Option<NewPuzzle>,
}

impl Finish {
    /// Bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        self.outcome.as_ref().map_or(0, |outcome| outcome.text.len())
            + self.trace.as_ref().map_or(0, |trace| trace.body.len())
            + self.puzzle.as_ref().map_or(0, |puzzle| 2 * puzzle.text.len())
    }
}

/// That a job has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// When.
    pub time: SystemTime,
    /// The puzzle's place in the archive.
    pub puzzle: Option<PuzzleId>,
}

/// Which jobs a list holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct JobFilter {
    /// Those of this client alone; none for everybody's.
    pub client: Option<ClientId>,
    /// In this state.
    pub state: Option<JobState>,
    /// Of this kind.
    pub kind: Option<JobKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        assert_eq!("jobs/42".parse(), Ok(JobId(42)));
        assert_eq!(JobId(42).to_string(), "jobs/42");
        assert_eq!("puzzles/7".parse(), Ok(PuzzleId(7)));
        for name in [
            "",
            "jobs",
            "jobs/",
            "jobs/0",
            "jobs/042",
            "jobs/+1",
            "jobs/-1",
            "jobs/1/2",
            "puzzles/1",
            "jobs/99999999999999999999",
        ] {
            assert!(name.parse::<JobId>().is_err(), "{name}");
        }
    }

    #[test]
    fn words_round_trip() {
        assert!(JobState::ALL.iter().all(|&state| JobState::from_word(state.word()) == Some(state)));
        assert!(JobKind::ALL.iter().all(|&kind| JobKind::from_word(kind.word()) == Some(kind)));
        assert!(Priority::ALL.iter().all(|&priority| Priority::from_word(priority.word()) == Some(priority)));
        assert!(Provenance::ALL.iter().all(|&word| Provenance::from_word(word.word()) == Some(word)));
    }

    #[test]
    fn final_states_are_for_good() {
        for state in JobState::ALL {
            assert_eq!(state.is_final(), !JobState::ALL.iter().any(|&next| state.may_become(next)));
        }
    }
}
