//! Who takes part in a measurement, and what is asked of each.

use std::time::Duration;

use super::{BenchError, Line};

/// A solver that can be measured.
pub trait Contender {
    /// Its name in the table.
    fn name(&self) -> &str;

    /// How many puzzles of a set it is given at most; for those that are too slow for all.
    fn most_puzzles(&self) -> usize {
        usize::MAX
    }

    /// Counts the solutions of each line, up to 2, from its text on.
    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError>;

    /// Makes minimal puzzles without symmetry; nothing if it cannot.
    fn generate(&mut self, count: u64, seed: u64) -> Result<Option<Made>, BenchError>;
}

/// What came of a batch of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// CPU time that it took.
    pub time: Duration,
    /// How many had no solution, one, and several.
    pub solutions: [u64; 3],
    /// Nodes of all, where they are counted.
    pub nodes: Option<u64>,
}

/// What came of making puzzles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Made {
    /// CPU time that it took.
    pub time: Duration,
    /// Puzzles made.
    pub puzzles: u64,
    /// Clues of all.
    pub clues: u64,
}
