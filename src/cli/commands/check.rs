//! `sleuth check`: how many solutions, and which entries are wrong.

use super::{outcome_of, print, print_json, verdict_line};
use crate::cli::args::CheckArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::render::{self, Paint};
use crate::cli::report::{CheckReport, WrongReport};
use crate::cli::{local, remote, source};
use crate::engine::check::Checked;
use crate::puzzle::Puzzle;

/// Checks a puzzle, and a player's position if there is one. A puzzle that cannot be one fails with every fault.
pub fn run(arguments: &CheckArguments) -> Result<Outcome, Failure> {
    let position = source::position(&arguments.puzzle, &arguments.progress)?;
    let puzzle = position.puzzle();
    let of_player = arguments.progress.progress.is_some().then_some(&position);
    let checked = if arguments.place.local {
        local::run_check(puzzle, of_player)
    } else {
        remote::run_check(&arguments.place.server, puzzle, of_player)?
    };
    if arguments.output.json {
        print_json(&CheckReport::new(&checked, puzzle))?;
    } else {
        print(&answer(&checked, puzzle))?;
    }
    Ok(if checked.wrong.is_empty() { outcome_of(checked.verdict) } else { Outcome::No })
}

fn answer(checked: &Checked, puzzle: &Puzzle) -> String {
    let mut text = format!("{}\n", verdict_line(checked.verdict));
    for solution in &checked.solutions {
        text.push('\n');
        text.push_str(&render::solution(puzzle, solution, Paint::of_stdout()));
    }
    for entry in &checked.wrong {
        text.push_str(&format!("{}\n", WrongReport::new(entry, puzzle).message));
    }
    text
}
