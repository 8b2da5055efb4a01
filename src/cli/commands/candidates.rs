//! `sleuth candidates`: the digits that some solution has in each cell.

use super::{print, print_json};
use crate::cli::args::CandidatesArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::render::{self, Paint};
use crate::cli::report::CandidatesReport;
use crate::cli::{local, remote, source};
use crate::engine::search::candidates::TrueCandidates;
use crate::puzzle::{Cell, DigitSet, Puzzle, notation};

/// Finds the true candidates of a puzzle. A puzzle without solution has none.
pub fn run(arguments: &CandidatesArguments) -> Result<Outcome, Failure> {
    let puzzle = source::puzzle(&arguments.puzzle)?;
    let (cap, engine) = (arguments.count, arguments.engine.into());
    let found = if arguments.place.local {
        local::run_candidates(&puzzle, cap, engine)
    } else {
        remote::run_candidates(&arguments.place.server, &puzzle, cap, engine)?
    };
    if arguments.output.json {
        print_json(&CandidatesReport::new(&found, &puzzle))?;
    } else {
        print(&answer(&found, &puzzle, cap))?;
    }
    let has_any = found.counts().iter().any(|&count| count > 0);
    Ok(match found.stopped {
        Some(_) => Outcome::Undecided,
        None if has_any => Outcome::Yes,
        None => Outcome::No,
    })
}

fn answer(found: &TrueCandidates, puzzle: &Puzzle, cap: u64) -> String {
    let sets: Vec<DigitSet> = Cell::all(puzzle.size()).map(|cell| found.digits(cell)).collect();
    if sets.iter().all(|digits| digits.is_empty()) && found.stopped.is_none() {
        return "no solution\n".to_owned();
    }
    let mut text = render::sets(puzzle, &sets, Paint::of_stdout());
    if cap > 1 {
        text.push('\n');
        for cell in Cell::all(puzzle.size()).filter(|cell| puzzle.given(*cell).is_none()) {
            text.push_str(&counts_line(found, puzzle, cell, cap));
        }
    }
    if found.stopped.is_some() {
        text.push_str("broken off: what is missing may be true\n");
    }
    text
}

/// `r1c3  1: 4, 5: at least 10`
fn counts_line(found: &TrueCandidates, puzzle: &Puzzle, cell: Cell, cap: u64) -> String {
    let count = |digit| match found.count(cell, digit) {
        count if count == cap || found.stopped.is_some() => format!("{digit}: at least {count}"),
        count => format!("{digit}: {count}"),
    };
    let counts: Vec<String> = found.digits(cell).iter().map(count).collect();
    format!("{:<7}  {}\n", notation::cell(cell, puzzle.size()), counts.join(", "))
}
