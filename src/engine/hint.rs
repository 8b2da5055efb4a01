//! What should a player do next? Wrong entries first, then the next step, then what only search can tell.

use super::budget::{Budget, Stopped};
use super::check::{WrongEntry, check};
use super::logic::Step;
use super::logic::path::{Facts, first_step, has_contradiction};
use super::search::{Engine, Verdict};
use super::solve::SolveError;
use crate::puzzle::{Cell, Digit, Position};

/// What a caller may ask of a hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HintOptions {
    /// Which search engine decides how many solutions the puzzle has.
    pub engine: Engine,
    /// The caller asserts that there is exactly one solution, should search give up.
    pub assume_unique: bool,
}

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advice {
    /// Take these back: no step is given from a position that is wrong. At least one.
    Correct(Vec<WrongEntry>),
    /// The next step.
    Step(Step),
    /// Logic stalls. Search knows what this cell holds: it has the fewest candidates.
    Fill {
        /// An open cell.
        cell: Cell,
        /// What the only solution has there.
        digit: Digit,
    },
    /// Nothing is left to do.
    Done,
    /// Nothing can be said: logic stalls, and there is not exactly one solution, or none is known.
    Nothing,
}

/// How a hint ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// How many solutions the puzzle has, whatever the position.
    pub verdict: Verdict,
    /// Nodes that search visited.
    pub nodes: u64,
    /// What to do next.
    pub advice: Advice,
    /// Why search or logic was broken off, if either was.
    pub stopped: Option<Stopped>,
}

/// A hint for a player's position. Entries are compared with the only solution, if there is exactly one, and with
/// the rules alone otherwise. Logic is told the verdict, never the solution. With no solution, there is no step.
pub fn hint(position: &Position, options: &HintOptions, budget: &mut Budget) -> Result<Hint, SolveError> {
    super::rate::check(position.puzzle())?;
    let mut share = budget.share(budget.left() / 2);
    let mut checked = check(position.puzzle(), Some(position), options.engine, &mut share);
    budget.settle(share);
    let wrong = std::mem::take(&mut checked.wrong);
    let mut hint = Hint {
        verdict: checked.verdict,
        nodes: checked.nodes,
        advice: Advice::Nothing,
        stopped: checked.stopped,
    };
    if !wrong.is_empty() {
        hint.advice = Advice::Correct(wrong);
        return Ok(hint);
    }
    if checked.verdict == Verdict::None || checked.stopped == Some(Stopped::Cancelled) {
        return Ok(hint);
    }
    if position.is_full() {
        hint.advice = Advice::Done;
        return Ok(hint);
    }
    // With one solution and no wrong entry there is none; with several, a player may have gone astray unseen.
    if has_contradiction(position) {
        return Ok(hint);
    }
    let unique = match checked.verdict {
        Verdict::One => true,
        Verdict::GaveUp { .. } => options.assume_unique,
        Verdict::None | Verdict::Several { .. } => false,
    };
    match first_step(position, Facts { unique }, budget) {
        Ok(Some(step)) => hint.advice = Advice::Step(step),
        Ok(None) => hint.advice = fill(position, checked.only_solution()),
        Err(stopped) => hint.stopped = Some(stopped),
    }
    Ok(hint)
}

/// The first of the open cells with the fewest candidates, and what belongs there.
fn fill(position: &Position, solution: Option<&crate::puzzle::Solution>) -> Advice {
    let cell = position.open_cells().min_by_key(|&cell| position.candidates(cell).len());
    match (cell, solution) {
        (Some(cell), Some(solution)) => Advice::Fill { cell, digit: solution.digits()[cell.index()] },
        (None, _) | (_, None) => Advice::Nothing,
    }
}
