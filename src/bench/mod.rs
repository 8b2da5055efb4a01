//! How fast search is: sets of plain 9×9 puzzles, our engines and other programs over them in turns, in CPU time.
//!
//! Read [`line`](mod@line) (a puzzle as text, and its faces), [`set`] (where puzzles come from), then who takes
//! part: [`contender`] (what is asked of each), [`ours`], [`peer`] (another process and the protocol it speaks);
//! [`turns`] lets them take turns and takes medians. [`signature`] is what must not change unnoticed. Nothing
//! here prints.

pub mod clock;
pub mod contender;
pub mod line;
pub mod ours;
pub mod peer;
pub mod set;
pub mod signature;
pub mod turns;

pub use contender::{Contender, Made, Tally};
pub use line::Line;
pub use set::PuzzleSet;

/// Why a measurement could not be made.
#[derive(Clone, PartialEq, Eq, thiserror::Error, Debug)]
pub enum BenchError {
    /// A file that cannot be read.
    #[error("cannot read {path}: {reason}")]
    File {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file without puzzles.
    #[error("no line of {path} is a puzzle of 81 characters")]
    NoPuzzles {
        /// Which.
        path: String,
    },
    /// A peer that cannot be started.
    #[error("peer {name}: cannot run `{command}`: {reason}")]
    Start {
        /// Its name.
        name: String,
        /// What was run.
        command: String,
        /// Why.
        reason: String,
    },
    /// A peer that took too long.
    #[error("peer {name}: no answer within {seconds} s")]
    Silent {
        /// Its name.
        name: String,
        /// How long it was given.
        seconds: u64,
    },
    /// A peer that ended before it had answered.
    #[error("peer {name}: ended without an answer ({status})")]
    Ended {
        /// Its name.
        name: String,
        /// How it ended.
        status: String,
    },
    /// A peer that broke the protocol.
    #[error("peer {name}: {fault}")]
    Nonsense {
        /// Its name.
        name: String,
        /// What is wrong with what it said.
        fault: String,
    },
}
