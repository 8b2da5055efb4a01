//! The one place where search and logic meet: the verdict first, then the path, then what search must fill.

use std::sync::Arc;

use super::budget::{Budget, Stopped};
use super::logic::path::{Facts, PathEnd, deduce};
use super::logic::{self, Step};
use super::search::{Engine, Verdict};
use crate::puzzle::{Cell, Position, Puzzle, Solution};

/// Which engines take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Verdict, path, and what search must fill.
    #[default]
    Full,
    /// The path alone. Nothing is searched, so uniqueness is not known unless it is asserted.
    LogicOnly,
    /// Verdict and solutions alone.
    SearchOnly,
}

/// What a caller may ask of a solve.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolveOptions {
    /// Which engines take part.
    pub mode: Mode,
    /// Which search engine.
    pub engine: Engine,
    /// Solutions are counted up to this many; at least 1, and 2 for a verdict.
    pub limit: u64,
    /// The caller asserts that there is exactly one solution.
    pub assume_unique: bool,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions { mode: Mode::Full, engine: Engine::General, limit: 2, assume_unique: false }
    }
}

/// What happens during a solve, as it happens.
#[derive(Debug)]
pub enum SolveEvent<'a> {
    /// Search has decided.
    Verdict(Verdict),
    /// Logic has made a step, in this position.
    Step(&'a Position, Step),
}

/// How a solve ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolveOutcome {
    /// What search found; none with [`Mode::LogicOnly`].
    pub verdict: Option<Verdict>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// Up to two solutions, in the order found.
    pub solutions: Vec<Solution>,
    /// Steps made.
    pub steps: u64,
    /// Where the path ended; none with [`Mode::SearchOnly`], and when there is no solution.
    pub path: Option<PathEnd>,
    /// The digits known at the end of the path, given ones included; `None` where the path left a cell open.
    pub grid: Vec<Option<crate::puzzle::Digit>>,
    /// Cells that search filled where logic stalled.
    pub searched_cells: u32,
    /// Why the whole was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// A solve that cannot be done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolveError {
    /// The board is too large for logic.
    #[error("logic takes on boards up to size {max}, and this one has size {size}; search alone can answer", max = logic::MAX_SIZE)]
    TooLargeForLogic {
        /// Its size.
        size: usize,
    },
}

/// Whether the options can be met for this puzzle; to be asked before a job is accepted.
pub fn check(puzzle: &Puzzle, options: &SolveOptions) -> Result<(), SolveError> {
    if options.mode != Mode::SearchOnly && puzzle.size() > logic::MAX_SIZE {
        return Err(SolveError::TooLargeForLogic { size: puzzle.size() });
    }
    Ok(())
}

/// Solves, telling `each` what happens while it happens.
pub fn solve(
    puzzle: &Arc<Puzzle>,
    options: &SolveOptions,
    budget: &mut Budget,
    each: &mut dyn FnMut(SolveEvent<'_>),
) -> Result<SolveOutcome, SolveError> {
    check(puzzle, options)?;
    let mut outcome = SolveOutcome {
        verdict: None,
        nodes: 0,
        solutions: Vec::new(),
        steps: 0,
        path: None,
        grid: puzzle.givens().to_vec(),
        searched_cells: 0,
        stopped: None,
    };
    if options.mode != Mode::LogicOnly {
        search(puzzle, options, budget, &mut outcome);
        each(SolveEvent::Verdict(outcome.verdict.expect("search has just decided")));
    }
    let has_none = outcome.verdict == Some(Verdict::None);
    if options.mode == Mode::SearchOnly || has_none || outcome.stopped.is_some() {
        return Ok(outcome);
    }
    let facts = Facts { unique: outcome.verdict == Some(Verdict::One) || options.assume_unique };
    let mut position = Position::new(puzzle.clone());
    let end = deduce(&mut position, facts, budget, &mut |before, step| {
        outcome.steps += 1;
        each(SolveEvent::Step(before, step));
    });
    outcome.path = Some(end);
    outcome.grid = Cell::all(puzzle.size()).map(|cell| position.digit(cell)).collect();
    if let PathEnd::Stopped(stopped) = end {
        outcome.stopped = Some(stopped);
    }
    if outcome.verdict == Some(Verdict::One) && end == PathEnd::Stalled {
        outcome.searched_cells = position.open_cells().count() as u32;
    }
    Ok(outcome)
}

fn search(puzzle: &Puzzle, options: &SolveOptions, budget: &mut Budget, outcome: &mut SolveOutcome) {
    let solutions = &mut outcome.solutions;
    let count = options.engine.search().count(puzzle, options.limit.max(2), budget, &mut |solution| {
        if solutions.len() < 2 {
            solutions.push(solution.clone());
        }
    });
    outcome.nodes = count.nodes;
    outcome.verdict = Some(count.verdict());
    if let super::search::End::Stopped(stopped) = count.end {
        outcome.stopped = Some(stopped);
    }
}
