//! Where a player stands, before any step is told: how many solutions the puzzle has, and what is wrong.

use super::budget::{Budget, Stopped};
use super::check::{Checked, WrongEntry, check};
use super::logic::contradiction::has_contradiction;
use super::logic::path::Facts;
use super::search::{Engine, Verdict};
use super::solve::{SolveError, logic_takes};
use crate::puzzle::Position;

/// What a caller may ask of a look at a player's position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SurveyOptions {
    /// Which search engine decides how many solutions the puzzle has.
    pub engine: Engine,
    /// The caller asserts that there is exactly one solution, should search give up.
    pub assume_unique: bool,
}

/// What is known of a position before logic looks at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// What search found of the puzzle, and what it shows to be wrong in the position.
    pub checked: Checked,
    /// What logic may be told; none where no step can be given: the position is wrong, full, or without solution.
    pub facts: Option<Facts>,
}

impl Survey {
    /// What has to be taken back before any step is given.
    pub fn wrong(&self) -> &[WrongEntry] {
        &self.checked.wrong
    }

    /// Whether nothing is left to find in this position, which was looked at: it is full, and right.
    pub fn is_done(&self, position: &Position) -> bool {
        let is_possible =
            self.checked.verdict != Verdict::None && self.checked.stopped != Some(Stopped::Cancelled);
        is_possible && self.wrong().is_empty() && position.is_full()
    }
}

/// Looks at a position. Entries are compared with the only solution, if there is exactly one, and with the rules
/// alone otherwise. Search may use half of the budget.
pub fn survey(
    position: &Position,
    options: SurveyOptions,
    budget: &mut Budget,
) -> Result<Survey, SolveError> {
    logic_takes(position.puzzle())?;
    let mut share = budget.share(budget.left() / 2);
    let checked = check(position.puzzle(), Some(position), options.engine, &mut share);
    budget.settle(share);
    let unique = match checked.verdict {
        Verdict::One => true,
        Verdict::GaveUp { .. } => options.assume_unique,
        Verdict::None | Verdict::Several { .. } => false,
    };
    // With one solution and no wrong entry there is no contradiction; with several, a player may have gone astray
    // unseen.
    let is_lost = !checked.wrong.is_empty()
        || checked.verdict == Verdict::None
        || checked.stopped == Some(Stopped::Cancelled)
        || position.is_full()
        || has_contradiction(position);
    Ok(Survey { checked, facts: (!is_lost).then_some(Facts { unique }) })
}
