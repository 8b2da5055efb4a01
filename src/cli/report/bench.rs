//! What `bench --json` prints.

use serde::Serialize;

use crate::bench::turns::{Measured, MeasuredMaking};

/// A whole measurement.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BenchReport {
    /// What the classic engine does, to the last guess.
    pub signature: String,
    /// Set by set.
    pub sets: Vec<SetReport>,
    /// Minimal puzzles made, if that was asked for.
    pub generation: Vec<MakingReport>,
}

/// One set.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SetReport {
    /// Its name.
    pub name: String,
    /// Who took part, the measure first.
    pub rows: Vec<RowReport>,
}

/// One contender on one set.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RowReport {
    /// Who.
    pub name: String,
    /// Puzzles in each pass.
    pub puzzles: u64,
    /// Puzzles a second of CPU time.
    pub puzzles_per_second: f64,
    /// Nanoseconds of CPU time a puzzle.
    pub nanoseconds_per_puzzle: f64,
    /// Nodes a puzzle; null where they are not counted.
    pub nodes_per_puzzle: Option<f64>,
    /// Puzzles without solution.
    pub none: u64,
    /// Puzzles with one solution.
    pub one: u64,
    /// Puzzles with several solutions.
    pub several: u64,
    /// Whether it counts as the first does.
    pub agrees: bool,
    /// How many times as fast the first is.
    pub first_is_faster: f64,
}

impl From<&Measured> for RowReport {
    fn from(row: &Measured) -> RowReport {
        let (puzzles, seconds) = (row.puzzles as f64, row.time.as_secs_f64());
        let [none, one, several] = row.solutions;
        RowReport {
            name: row.name.clone(),
            puzzles: row.puzzles,
            puzzles_per_second: puzzles / seconds,
            nanoseconds_per_puzzle: seconds * 1e9 / puzzles,
            nodes_per_puzzle: row.nodes.map(|nodes| nodes as f64 / puzzles),
            none,
            one,
            several,
            agrees: row.agrees,
            first_is_faster: row.first_is_faster,
        }
    }
}

/// One contender at making minimal puzzles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MakingReport {
    /// Who.
    pub name: String,
    /// Puzzles in each pass.
    pub puzzles: u64,
    /// Puzzles a second of CPU time.
    pub puzzles_per_second: f64,
    /// Clues a puzzle.
    pub clues_per_puzzle: f64,
    /// How many times as fast the first is.
    pub first_is_faster: f64,
}

impl From<&MeasuredMaking> for MakingReport {
    fn from(row: &MeasuredMaking) -> MakingReport {
        MakingReport {
            name: row.name.clone(),
            puzzles: row.puzzles,
            puzzles_per_second: row.puzzles as f64 / row.time.as_secs_f64(),
            clues_per_puzzle: row.clues,
            first_is_faster: row.first_is_faster,
        }
    }
}
