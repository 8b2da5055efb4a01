//! What is told of a solve while it runs, the same from a daemon and in process.

use super::exit::Failure;
use crate::engine::logic::Step;
use crate::engine::search::Verdict;

/// Something that happened.
#[derive(Clone, PartialEq, Debug)]
pub enum SolveNews {
    /// Search has decided.
    Verdict(Verdict),
    /// Logic has made a step.
    Step {
        /// The step.
        step: Box<Step>,
        /// In words.
        explanation: String,
    },
    /// A worker died and another begins again: what was told before is void.
    Restarted,
}

/// Takes news as it comes; an error ends the work.
pub type EachNews<'a> = dyn FnMut(SolveNews) -> Result<(), Failure> + 'a;
