//! The work done in this process: the engines, called as they are.

use std::sync::Arc;

use super::args::LimitArguments;
use super::exit::Failure;
use crate::engine::budget::{Budget, CancelFlag};
use crate::engine::check::{Checked, check};
use crate::engine::generate::{GenerateOutcome, Progress, Recipe, generate};
use crate::engine::hint::{Hint, HintOptions, hint};
use crate::engine::rate::{RateOutcome, rate};
use crate::engine::search::Engine;
use crate::engine::solve::{SolveError, SolveEvent, SolveOptions, SolveOutcome, solve};
use crate::puzzle::{Position, Puzzle};

/// What is told of a solve while it runs, with the position in which a step was found.
pub type EachStep<'a> = dyn FnMut(SolveEvent<'_>) + 'a;

/// A budget that ends with the deadline or the units of work.
pub fn budget(limits: &LimitArguments) -> Budget {
    let flag = CancelFlag::new();
    if let Some(deadline) = limits.deadline {
        let raised = flag.clone();
        // Ends with the process; nobody waits for it.
        std::thread::spawn(move || {
            std::thread::sleep(deadline);
            raised.raise();
        });
    }
    Budget::new(limits.work.unwrap_or(u64::MAX), flag)
}

/// Solves.
pub fn run_solve(
    puzzle: &Arc<Puzzle>,
    options: &SolveOptions,
    limits: &LimitArguments,
    each: &mut EachStep<'_>,
) -> Result<SolveOutcome, Failure> {
    Ok(solve(puzzle, options, &mut budget(limits), each)?)
}

/// Rates.
pub fn run_rate(puzzle: &Arc<Puzzle>, limits: &LimitArguments) -> Result<RateOutcome, Failure> {
    crate::engine::rate::check(puzzle)?;
    Ok(rate(puzzle, &mut budget(limits)))
}

/// Makes a puzzle.
pub fn run_generate(
    recipe: &Recipe,
    limits: &LimitArguments,
    each: &mut dyn FnMut(&Progress),
) -> GenerateOutcome {
    generate(recipe, &mut budget(limits), each)
}

/// Advises.
pub fn run_hint(position: &Position) -> Result<Hint, Failure> {
    Ok(hint(position, &HintOptions::default(), &mut Budget::unlimited())?)
}

/// Checks a puzzle and a position.
pub fn run_check(puzzle: &Puzzle, position: Option<&Position>) -> Checked {
    check(puzzle, position, Engine::General, &mut Budget::unlimited())
}

/// A board too large for logic is bad usage.
impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Failure {
        Failure::invalid(error.to_string())
    }
}
