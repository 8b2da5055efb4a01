//! `sleuth prove`: a placement or an elimination of the player's own, put to the test.

use super::{print, print_json, step_text};
use crate::api::client::ToldStep;
use crate::cli::args::ProveArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::report::{ProveReport, WrongReport};
use crate::cli::{local, remote, source};
use crate::engine::logic::Conclusion;
use crate::engine::prove::{Finding, Proving};
use crate::puzzle::Puzzle;

/// Says whether it is so, and why.
pub fn run(arguments: &ProveArguments) -> Result<Outcome, Failure> {
    let position = source::position(&arguments.puzzle, &arguments.progress)?;
    let puzzle = position.puzzle();
    let text = &arguments.conclusion;
    let Some(conclusion) = Conclusion::parse(text, puzzle.size()) else {
        return Err(Failure::invalid(format!(
            "`{text}` is no conclusion on this board, as `r1c1=4` and `r8c3<>4` are"
        )));
    };
    let language = arguments.output.lang.into();
    let (proving, told) = if arguments.place.local {
        local::run_prove(&position, conclusion, language)?
    } else {
        remote::run_prove(&arguments.place.server, &position, conclusion, language)?
    };
    if arguments.output.json {
        print_json(&ProveReport::new(&proving, &told, puzzle))?;
    } else {
        let told: String = told
            .iter()
            .map(|told: &ToldStep| {
                step_text(&told.step, if arguments.teach { &told.lesson } else { &told.explanation }, puzzle)
            })
            .collect();
        print(&format!("{told}{}", answer(&proving, text, puzzle)))?;
    }
    Ok(match proving.finding {
        Finding::Known | Finding::Proved(_) => Outcome::Yes,
        Finding::Correct(_) | Finding::Wrong(_) => Outcome::No,
        Finding::Undecided => Outcome::Undecided,
    })
}

fn answer(proving: &Proving, conclusion: &str, puzzle: &Puzzle) -> String {
    match &proving.finding {
        Finding::Correct(wrong) => {
            wrong.iter().map(|entry| format!("{}\n", WrongReport::new(entry, puzzle).message)).collect()
        }
        Finding::Known => format!("{conclusion} is known already\n"),
        Finding::Proved(_) => format!("{conclusion} is proved\n"),
        Finding::Wrong(steps) if steps.is_empty() => format!("{conclusion} is wrong\n"),
        Finding::Wrong(_) => format!("{conclusion} is wrong: the opposite is proved\n"),
        Finding::Undecided => format!("{conclusion} cannot be decided yet\n"),
    }
}
