//! What should a player do next? Wrong entries first, then the next step, then what only search can tell.

use super::budget::{Budget, Stopped};
use super::check::WrongEntry;
use super::logic::Step;
use super::logic::path::first_step;
use super::search::Verdict;
use super::solve::SolveError;
use super::survey::{Survey, SurveyOptions, survey};
use crate::puzzle::{Cell, Digit, Position};

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
pub fn hint(position: &Position, options: &SurveyOptions, budget: &mut Budget) -> Result<Hint, SolveError> {
    let survey = survey(position, *options, budget)?;
    let is_done = survey.is_done(position);
    let Survey { mut checked, facts } = survey;
    let wrong = std::mem::take(&mut checked.wrong);
    let mut hint = Hint {
        verdict: checked.verdict,
        nodes: checked.nodes,
        advice: Advice::Nothing,
        stopped: checked.stopped,
    };
    match facts {
        _ if !wrong.is_empty() => hint.advice = Advice::Correct(wrong),
        Some(facts) => match first_step(position, facts, budget) {
            Ok(Some(step)) => hint.advice = Advice::Step(step),
            Ok(None) => hint.advice = fill(position, checked.only_solution()),
            Err(stopped) => hint.stopped = Some(stopped),
        },
        None if is_done => hint.advice = Advice::Done,
        None => {}
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
