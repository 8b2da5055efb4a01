//! What is so and what is not: answers of `check`, `candidates` and `verify`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{VerdictReport, WrongReport, stopped_word};
use crate::engine::check::Checked;
use crate::engine::logic::Step;
use crate::engine::logic::path::PathEnd;
use crate::engine::logic::trace::Trace;
use crate::engine::search::candidates::TrueCandidates;
use crate::puzzle::{Cell, Position, Puzzle, Solution, notation};

/// Answer of `check`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckReport {
    /// How many solutions the puzzle has.
    pub verdict: VerdictReport,
    /// Up to two.
    pub solutions: Vec<String>,
    /// What is wrong in the player's position.
    pub wrong: Vec<WrongReport>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl CheckReport {
    /// Of a check.
    pub fn new(checked: &Checked, puzzle: &Puzzle) -> CheckReport {
        CheckReport {
            verdict: checked.verdict.into(),
            solutions: checked.solutions.iter().map(Solution::to_string).collect(),
            wrong: checked.wrong.iter().map(|entry| WrongReport::new(entry, puzzle)).collect(),
            nodes: checked.nodes,
            stopped: checked.stopped.map(stopped_word),
        }
    }
}

/// Answer of `candidates`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CandidatesReport {
    /// In reading order.
    pub cells: Vec<CellReport>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

/// The true candidates of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CellReport {
    /// Its name.
    pub cell: String,
    /// Digits that some solution has here, with how many have them, up to the cap.
    pub counts: BTreeMap<String, u64>,
    /// Digits of which that is not known.
    pub undecided: Vec<String>,
}

impl CandidatesReport {
    /// Of true candidates.
    pub fn new(found: &TrueCandidates, puzzle: &Puzzle) -> CandidatesReport {
        let cell = |cell: Cell| CellReport {
            cell: notation::cell(cell, puzzle.size()),
            counts: found
                .digits(cell)
                .iter()
                .map(|digit| (digit.to_string(), found.count(cell, digit)))
                .collect(),
            undecided: found.undecided[cell.index()].iter().map(|digit| digit.to_string()).collect(),
        };
        CandidatesReport {
            cells: Cell::all(puzzle.size()).map(cell).collect(),
            nodes: found.nodes,
            stopped: found.stopped.map(stopped_word),
        }
    }
}

/// Answer of `verify`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VerifyReport {
    /// Whether every step is proved.
    pub proved: bool,
    /// Steps proved, from the first.
    pub steps_proved: usize,
    /// Steps in the trace.
    pub steps: usize,
    /// Why the next step is not, and which it is, from 1.
    pub reason: Option<String>,
    /// Whether a step holds only if there is exactly one solution.
    pub relies_on_uniqueness: bool,
}

impl VerifyReport {
    /// Of a trace whose first `proved` steps are proved, and why the next is not, if there is one.
    pub fn new(trace: &Trace, proved: usize, mut reason: Option<String>) -> VerifyReport {
        if reason.is_none() && trace.end == Some(PathEnd::Solved) && !is_full_after(trace) {
            reason = Some("the trace says that all is solved, and its steps leave cells open".to_owned());
        }
        VerifyReport {
            proved: reason.is_none(),
            steps_proved: proved,
            steps: trace.steps.len(),
            reason,
            relies_on_uniqueness: trace.steps.iter().take(proved).any(Step::relies_on_uniqueness),
        }
    }
}

fn is_full_after(trace: &Trace) -> bool {
    let mut position = Position::new(trace.puzzle.clone());
    trace.steps.iter().for_each(|step| step.apply(&mut position));
    position.is_full()
}
