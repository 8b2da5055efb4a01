//! Every puzzle of the public corpora, through every format that can hold it.

use std::fs;

use sleuth::puzzle::formats::corpus::{self, CorpusPuzzle};
use sleuth::puzzle::formats::{self, Format, json};
use sleuth::puzzle::{Puzzle, PuzzleDraft};

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

fn round_trip(format: Format, puzzle: &Puzzle, id: &str) -> String {
    let text = formats::write(format, puzzle).unwrap_or_else(|error| panic!("{id}: {error}"));
    let read = formats::read_as(format, &text);
    assert_eq!(read.as_ref(), Ok(puzzle), "{format} of {id}: {text}");
    assert_eq!(formats::read(&text).as_ref(), Ok(puzzle), "{id} is told to be {format}: {text}");
    text
}

/// The descriptor says the same as the fields of its line, and is written again letter for letter.
#[test]
fn descriptors_agree_with_the_corpus() {
    let mut count = 0;
    for (file, format) in
        [("kenken_sgt", Format::SgtKeen), ("killer_sgt", Format::SgtSolo), ("sudoku_sgt", Format::SgtSolo)]
    {
        for line in puzzles_of(file) {
            let descriptor = line.descriptor.expect("a descriptor");
            assert_eq!(formats::detect(&descriptor), Ok(format), "{}", line.id);
            assert_eq!(round_trip(format, &line.puzzle, &line.id), descriptor);
            count += 1;
        }
    }
    assert!(count == 0 || count == 4131, "{count} descriptors");
}

/// Every puzzle in every format that can hold it; which ones can is told by its rules.
#[test]
fn corpus_in_every_format() {
    for file in FILES {
        for line in puzzles_of(file) {
            let puzzle = &line.puzzle;
            let is_drawable = matches!(puzzle.kind(), "classic" | "latin");
            for format in [Format::Line, Format::Grid, Format::Pencil] {
                match formats::write(format, puzzle) {
                    Ok(_) => assert!(is_drawable && round_trip(format, puzzle, &line.id).len() > 1),
                    Err(error) => assert!(!is_drawable && !error.rules.is_empty(), "{}: {error}", line.id),
                }
            }
        }
    }
}
