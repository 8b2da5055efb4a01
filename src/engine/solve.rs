//! The one place where search and logic meet: the verdict first, then the path, then what search must fill.

use std::sync::Arc;

use super::budget::{Budget, Stopped};
use super::logic::path::{Facts, PathEnd, deduce};
use super::logic::{self, Step};
use super::search::classic::Batch;
use super::search::{BRIEF_UNITS, Count, End, Engine, Verdict};
use crate::puzzle::{Cell, Digit, Position, Puzzle, Solution};

/// A verdict needs that many solutions counted.
const LEAST_LIMIT: u64 = 2;

/// Solutions that are told.
const KEPT: usize = 2;

/// Which engines take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Verdict, path, and what search must fill.
    #[default]
    Full,
    /// The path alone. Nothing is searched, so uniqueness is not known unless it is asserted, and where logic
    /// stalls nothing is filled.
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
    /// Solutions are counted up to this many. Less than 2 is taken as 2: a verdict needs that.
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
    /// Search has decided, or given up. Comes before the first step.
    Verdict(Verdict),
    /// Logic has made a step, in this position.
    Step(&'a Position, Step),
}

/// How a solve ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolveOutcome {
    /// What search found; none with [`Mode::LogicOnly`]. Where search gave up and logic, told of no uniqueness,
    /// fills the grid or runs into a contradiction, this is what logic thereby proved: one, or none.
    pub verdict: Option<Verdict>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// Up to two solutions, in the order found. With the verdict that search gave up, what it found until then.
    pub solutions: Vec<Solution>,
    /// Steps made.
    pub steps: u64,
    /// Where the path ended; none with [`Mode::SearchOnly`], and when there is no solution.
    pub path: Option<PathEnd>,
    /// The digits known at the end of the path, given ones included; `None` where the path left a cell open.
    /// With several solutions, these are digits that all solutions share.
    pub grid: Vec<Option<Digit>>,
    /// Cells of the only solution that search filled, where logic stalled or ran out of work.
    pub searched_cells: u32,
    /// Why an engine was broken off before its end, if one was. With `Exhausted`, the solve gave up: on the
    /// verdict, or on the path.
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
    /// The scale is not for this puzzle.
    #[error("the scale `{scale}` is for plain 9×9 sudoku without restrictions, which this is not")]
    NotOnScale {
        /// The scale.
        scale: &'static str,
    },
}

/// Whether the options can be met for this puzzle; to be asked before a job is accepted.
pub fn check(puzzle: &Puzzle, options: &SolveOptions) -> Result<(), SolveError> {
    if options.mode == Mode::SearchOnly { Ok(()) } else { logic_takes(puzzle) }
}

/// Whether logic takes on this board.
pub fn logic_takes(puzzle: &Puzzle) -> Result<(), SolveError> {
    let size = puzzle.size();
    if size > logic::MAX_SIZE { Err(SolveError::TooLargeForLogic { size }) } else { Ok(()) }
}

/// Solves, telling `each` what happens while it happens.
///
/// When both engines take part, search may use half of the budget, and logic what search leaves: a puzzle too hard
/// to search may still be explained. Logic is told the verdict alone.
pub fn solve(
    puzzle: &Arc<Puzzle>,
    options: &SolveOptions,
    budget: &mut Budget,
    each: &mut dyn FnMut(SolveEvent<'_>),
) -> Result<SolveOutcome, SolveError> {
    check(puzzle, options)?;
    let mut outcome = SolveOutcome::new(puzzle);
    if options.mode != Mode::LogicOnly {
        let verdict = search(puzzle, options, budget, &mut outcome);
        each(SolveEvent::Verdict(verdict));
    }
    let is_decided = outcome.verdict == Some(Verdict::None) || outcome.stopped == Some(Stopped::Cancelled);
    if options.mode != Mode::SearchOnly && !is_decided {
        explain(puzzle, options, budget, &mut outcome, each);
    }
    Ok(outcome)
}

/// Whether this is most likely done in a moment, so that many are better done in one call.
pub fn is_brief(puzzle: &Puzzle, options: &SolveOptions) -> bool {
    let SolveOptions { mode, engine, limit, .. } = *options;
    mode == Mode::SearchOnly && limit <= LEAST_LIMIT && engine.is_brief(puzzle)
}

/// Solves several brief puzzles, each as [`solve`] does with [`BRIEF_UNITS`], in the batch of the classic engine. None
/// for those that take more: they are to be solved alone.
pub fn solve_brief(puzzles: &[&Puzzle]) -> Vec<Option<SolveOutcome>> {
    let batch = Batch { units: BRIEF_UNITS, ..Batch::new(LEAST_LIMIT) };
    let mut outcomes = Vec::with_capacity(puzzles.len());
    batch.solve_puzzles(puzzles, KEPT, &mut Budget::unlimited(), &mut |count, solutions| {
        let mut outcome = SolveOutcome { solutions, ..SolveOutcome::new(puzzles[outcomes.len()]) };
        outcome.take_count(&count);
        outcomes.push(outcome.stopped.is_none().then_some(outcome));
    });
    outcomes
}

impl SolveOutcome {
    /// Nothing done yet.
    fn new(puzzle: &Puzzle) -> SolveOutcome {
        SolveOutcome {
            verdict: None,
            nodes: 0,
            solutions: Vec::new(),
            steps: 0,
            path: None,
            grid: puzzle.givens().to_vec(),
            searched_cells: 0,
            stopped: None,
        }
    }

    /// What search found.
    fn take_count(&mut self, count: &Count) -> Verdict {
        self.nodes = count.nodes;
        if let End::Stopped(stopped) = count.end {
            self.stopped = Some(stopped);
        }
        *self.verdict.insert(count.verdict())
    }
}

fn search(
    puzzle: &Puzzle,
    options: &SolveOptions,
    budget: &mut Budget,
    outcome: &mut SolveOutcome,
) -> Verdict {
    let is_alone = options.mode == Mode::SearchOnly;
    let mut share = budget.share(if is_alone { budget.left() } else { budget.left() / 2 });
    let solutions = &mut outcome.solutions;
    let limit = options.limit.max(LEAST_LIMIT);
    let count = options.engine.search().count(puzzle, limit, &mut share, &mut |solution| {
        if solutions.len() < KEPT {
            solutions.push(solution.clone());
        }
    });
    budget.settle(share);
    outcome.take_count(&count)
}

fn explain(
    puzzle: &Arc<Puzzle>,
    options: &SolveOptions,
    budget: &mut Budget,
    outcome: &mut SolveOutcome,
    each: &mut dyn FnMut(SolveEvent<'_>),
) {
    // With several solutions known, an assertion of one is wrong and would prove wrong things.
    let unique = match outcome.verdict {
        Some(Verdict::One) => true,
        Some(Verdict::None | Verdict::Several { .. }) => false,
        Some(Verdict::GaveUp { .. }) | None => options.assume_unique,
    };
    let mut position = Position::new(puzzle.clone());
    let end = deduce(&mut position, Facts { unique }, budget, &mut |before, step| {
        outcome.steps += 1;
        each(SolveEvent::Step(before, step));
    });
    outcome.path = Some(end);
    outcome.grid = Cell::all(puzzle.size()).map(|cell| position.digit(cell)).collect();
    if let PathEnd::Stopped(stopped) = end {
        outcome.stopped = Some(stopped);
    }
    match outcome.verdict {
        Some(Verdict::One) if end != PathEnd::Stopped(Stopped::Cancelled) => {
            outcome.searched_cells = position.open_cells().count() as u32;
        }
        Some(Verdict::GaveUp { .. }) if !unique => take_proved_verdict(end, outcome),
        _ => {}
    }
}

/// Search gave up, but a path that rests on no uniqueness and goes to its end decides the same question.
fn take_proved_verdict(end: PathEnd, outcome: &mut SolveOutcome) {
    match end {
        PathEnd::Solved => {
            let digits: Option<Vec<Digit>> = outcome.grid.iter().copied().collect();
            outcome.verdict = Some(Verdict::One);
            outcome.solutions = digits.map(Solution::new).into_iter().collect();
            outcome.stopped = None;
        }
        PathEnd::Contradiction => {
            outcome.verdict = Some(Verdict::None);
            outcome.stopped = None;
        }
        PathEnd::Stalled | PathEnd::Stopped(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::formats::{self, Format};

    /// One solution, none and several, and one that takes too long.
    #[test]
    fn brief_solves_are_solves() {
        let lines = [
            "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
            "531070000600195000098000060800060003400803001700020006060000280000419005000080079",
            "530070000600195000098000060800060003400803001700020006060000280000000005000080079",
            "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
            "..3......4...8..36..8...1...4..6..73...9..........2..5..4.7..686........7..6..5..",
            ".................................................................................",
        ];
        let puzzles = lines.map(|line| Arc::new(formats::read_as(Format::Line, line).expect("a puzzle")));
        let options = SolveOptions { mode: Mode::SearchOnly, ..SolveOptions::default() };
        assert!(puzzles.iter().all(|puzzle| is_brief(puzzle, &options)));
        let expected = puzzles.each_ref().map(|puzzle| {
            let mut budget = Budget::new(BRIEF_UNITS, Default::default());
            let outcome = solve(puzzle, &options, &mut budget, &mut |_| {}).expect("can be met");
            outcome.stopped.is_none().then_some(outcome)
        });
        assert_eq!(expected.iter().filter(|outcome| outcome.is_none()).count(), 1);
        assert_eq!(solve_brief(&puzzles.each_ref().map(Arc::as_ref)), expected);
    }

    #[test]
    fn what_may_take_long_is_not_brief() {
        let line = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
        let puzzle = formats::read_as(Format::Line, line).expect("a puzzle");
        let options = SolveOptions { mode: Mode::SearchOnly, ..SolveOptions::default() };
        assert!(is_brief(&puzzle, &options));
        assert!(!is_brief(&puzzle, &SolveOptions::default()));
        assert!(!is_brief(&puzzle, &SolveOptions { limit: 3, ..options.clone() }));
        assert!(!is_brief(&puzzle, &SolveOptions { engine: Engine::Dlx, ..options.clone() }));
        let small = formats::read_as(Format::Line, "1234341221434321").expect("a puzzle");
        assert!(!is_brief(&small, &options));
    }

    fn gave_up(grid: Vec<Option<Digit>>) -> SolveOutcome {
        SolveOutcome {
            verdict: Some(Verdict::GaveUp { nodes: 9 }),
            nodes: 9,
            solutions: Vec::new(),
            steps: 4,
            path: None,
            grid,
            searched_cells: 0,
            stopped: Some(Stopped::Exhausted),
        }
    }

    #[test]
    fn a_finished_path_decides_what_search_could_not() {
        let grid: Vec<Option<Digit>> = [1, 2, 2, 1].map(Digit::new).to_vec();
        let mut outcome = gave_up(grid.clone());
        take_proved_verdict(PathEnd::Solved, &mut outcome);
        assert_eq!((outcome.verdict, outcome.stopped), (Some(Verdict::One), None));
        assert_eq!(outcome.solutions, [Solution::parse("1221").expect("a grid")]);
        let mut outcome = gave_up(grid.clone());
        take_proved_verdict(PathEnd::Contradiction, &mut outcome);
        assert_eq!((outcome.verdict, outcome.stopped), (Some(Verdict::None), None));
        let mut outcome = gave_up(grid.clone());
        take_proved_verdict(PathEnd::Stalled, &mut outcome);
        assert_eq!(outcome, gave_up(grid));
    }
}
