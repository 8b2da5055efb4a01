//! Every puzzle of the public corpora, through every format that can hold it.

use std::fs;

use sleuth::puzzle::PuzzleDraft;
use sleuth::puzzle::formats::corpus::{self, CorpusPuzzle};
use sleuth::puzzle::formats::json;

use crate::support;

const FILES: [&str; 7] = [
    "kenken_misc",
    "kenken_sgt",
    "kenken_unknown_operation",
    "killer_misc",
    "killer_renowned",
    "killer_sgt",
    "sudoku_sgt",
];

/// The puzzles of one file; none if the data is absent.
fn puzzles_of(file: &str) -> Vec<CorpusPuzzle> {
    let Some(path) = support::data(&format!("variants/{file}.jsonl")) else { return Vec::new() };
    let text = fs::read_to_string(&path).expect("readable");
    let read = |line| corpus::read_line(line).unwrap_or_else(|faults| panic!("{file}: {faults}\n{line}"));
    text.lines().map(read).collect()
}

#[test]
fn corpus_is_read_and_written_as_json() {
    let mut with_solution = 0;
    for file in FILES {
        for line in puzzles_of(file) {
            let written = json::to_string(&line.puzzle);
            let read = json::from_str(&written).and_then(PuzzleDraft::check);
            assert_eq!(read.as_ref(), Ok(&line.puzzle), "{}", line.id);
            with_solution += usize::from(line.solution.is_some());
        }
    }
    assert!(with_solution == 0 || with_solution > 4700, "{with_solution} have a solution");
}
