//! Traces in files: a puzzle and the steps of its path, for `verify`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::exit::Failure;
use crate::engine::logic::Step;
use crate::engine::logic::record::StepRecord;
use crate::puzzle::Puzzle;
use crate::puzzle::formats::json;

/// A trace as it stands in a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// The version of this form.
    pub trace: u32,
    /// The puzzle.
    pub puzzle: serde_json::Value,
    /// Whether there is exactly one solution, as search said or the caller asserted.
    pub unique: bool,
    /// The steps, in order.
    pub steps: Vec<StepRecord>,
}

/// Writes a trace, over what was there.
pub fn save(path: &Path, puzzle: &Puzzle, unique: bool, steps: &[Step]) -> Result<(), Failure> {
    let steps = steps.iter().map(|step| StepRecord::from_step(step, puzzle)).collect();
    let trace = TraceFile { trace: 1, puzzle: json::to_json(puzzle), unique, steps };
    let mut text = serde_json::to_string_pretty(&trace)
        .map_err(|error| Failure::failed(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    std::fs::write(path, text)
        .map_err(|error| Failure::failed(format!("cannot write {}: {error}", path.display())))
}
