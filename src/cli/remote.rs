//! The work done by a daemon, asked over gRPC.

use std::sync::Arc;

use super::args::LimitArguments;
use super::exit::Failure;
use super::local::EachStep;
use crate::engine::check::Checked;
use crate::engine::generate::{GenerateOutcome, Progress, Recipe};
use crate::engine::hint::Hint;
use crate::engine::rate::RateOutcome;
use crate::engine::solve::{SolveOptions, SolveOutcome};
use crate::puzzle::{Position, Puzzle};

fn no_daemon(server: &str) -> Failure {
    Failure::unreachable(format!("cannot ask {server}: use --local"))
}

/// Solves.
pub fn run_solve(
    server: &str,
    _puzzle: &Arc<Puzzle>,
    _options: &SolveOptions,
    _limits: &LimitArguments,
    _each: &mut EachStep<'_>,
) -> Result<SolveOutcome, Failure> {
    Err(no_daemon(server))
}

/// Rates.
pub fn run_rate(
    server: &str,
    _puzzle: &Arc<Puzzle>,
    _limits: &LimitArguments,
) -> Result<RateOutcome, Failure> {
    Err(no_daemon(server))
}

/// Makes a puzzle.
pub fn run_generate(
    server: &str,
    _recipe: &Recipe,
    _limits: &LimitArguments,
    _each: &mut dyn FnMut(&Progress),
) -> Result<GenerateOutcome, Failure> {
    Err(no_daemon(server))
}

/// Advises.
pub fn run_hint(server: &str, _position: &Position) -> Result<Hint, Failure> {
    Err(no_daemon(server))
}

/// Checks a puzzle and a position.
pub fn run_check(server: &str, _puzzle: &Puzzle, _position: Option<&Position>) -> Result<Checked, Failure> {
    Err(no_daemon(server))
}
