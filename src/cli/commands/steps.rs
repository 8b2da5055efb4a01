//! `sleuth steps`: every step that could be taken from here.

use super::{print, print_json, step_text, verdict_line};
use crate::api::client::StepList;
use crate::cli::args::StepsArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::report::{StepsReport, WrongReport};
use crate::cli::{local, remote, source};
use crate::engine::list::ListOptions;
use crate::engine::survey::SurveyOptions;
use crate::puzzle::Puzzle;

/// Lists steps, cheapest technique first.
pub fn run(arguments: &StepsArguments) -> Result<Outcome, Failure> {
    let position = source::position(&arguments.puzzle, &arguments.progress)?;
    let language = arguments.output.lang.into();
    let options = ListOptions {
        survey: SurveyOptions::default(),
        row_work: arguments.technique_work,
        limit: arguments.limit as usize,
    };
    let list = if arguments.place.local {
        local::run_steps(&position, &options, language)?
    } else {
        remote::run_steps(&arguments.place.server, &position, &options, language)?
    };
    if arguments.output.json {
        print_json(&StepsReport::new(&list, position.puzzle()))?;
    } else {
        print(&answer(&list, position.puzzle(), arguments.teach))?;
    }
    Ok(match (list.complete, list.steps.is_empty()) {
        (true, false) => Outcome::Yes,
        (true, true) => Outcome::No,
        (false, true) if list.stopped.is_none() && list.unfinished.is_empty() => Outcome::No,
        (false, _) => Outcome::Undecided,
    })
}

fn answer(list: &StepList, puzzle: &Puzzle, teach: bool) -> String {
    let mut text = format!("{}\n", verdict_line(list.verdict));
    for entry in &list.wrong {
        text.push_str(&format!("{}\n", WrongReport::new(entry, puzzle).message));
    }
    for told in &list.steps {
        let sentence = if teach { &told.lesson } else { &told.explanation };
        text.push_str(&step_text(&told.step, sentence, puzzle));
    }
    let count = list.steps.len();
    let complete = if list.complete { "yes" } else { "no" };
    text.push_str(&format!("{count} steps; complete: {complete}\n"));
    if !list.unfinished.is_empty() {
        text.push_str(&format!("not looked through to the end: {}\n", list.unfinished.join(", ")));
    }
    text
}
