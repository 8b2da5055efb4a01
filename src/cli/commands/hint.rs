//! `sleuth hint`: what to do next.

use super::{print, print_json, step_text, verdict_line};
use crate::cli::args::HintArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::render::{self, Paint};
use crate::cli::report::{HintReport, WrongReport};
use crate::cli::{local, remote, source};
use crate::engine::hint::{Advice, Hint};
use crate::puzzle::{Position, notation};

/// Advises a player.
pub fn run(arguments: &HintArguments) -> Result<Outcome, Failure> {
    let position = source::position(&arguments.puzzle, &arguments.progress)?;
    let language = arguments.output.lang.into();
    let (hint, explanation) = if arguments.place.local {
        local::run_hint(&position, language)?
    } else {
        remote::run_hint(&arguments.place.server, &position, language)?
    };
    if arguments.output.json {
        print_json(&HintReport::new(&hint, &explanation, position.puzzle()))?;
    } else {
        print(&answer(&hint, &explanation, &position))?;
    }
    Ok(match hint.advice {
        Advice::Step(_) | Advice::Fill { .. } | Advice::Done => Outcome::Yes,
        Advice::Correct(_) => Outcome::No,
        Advice::Nothing if hint.stopped.is_some() => Outcome::Undecided,
        Advice::Nothing => Outcome::No,
    })
}

fn answer(hint: &Hint, explanation: &str, position: &Position) -> String {
    let puzzle = position.puzzle();
    match &hint.advice {
        Advice::Correct(wrong) => {
            wrong.iter().map(|entry| format!("{}\n", WrongReport::new(entry, puzzle).message)).collect()
        }
        Advice::Step(step) => {
            let board = render::candidates(position, Some(step), Paint::of_stdout());
            format!("{board}{}", step_text(step, explanation, puzzle))
        }
        Advice::Fill { cell, digit } => {
            let placement = notation::placement(*cell, *digit, puzzle.size());
            format!("no technique fires; search knows that {placement}\n")
        }
        Advice::Done => "the board is full, and right\n".to_owned(),
        Advice::Nothing => format!("nothing to advise: {}\n", verdict_line(hint.verdict)),
    }
}
