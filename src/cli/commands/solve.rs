//! `sleuth solve`: every step as it is made, then the answer.

use std::sync::Arc;

use super::{outcome_of, print, print_json, verdict_line};
use crate::cli::args::{Language, SearchEngine, SolveArguments, SolveMode};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::render::{self, Paint};
use crate::cli::report::{SolveReport, StepReport, path_word};
use crate::cli::{local, remote, source, trace};
use crate::engine::logic::Step;
use crate::engine::logic::path::PathEnd;
use crate::engine::search::{Engine, Verdict};
use crate::engine::solve::{Mode, SolveEvent, SolveOptions, SolveOutcome};
use crate::puzzle::Puzzle;

/// Solves a puzzle.
pub fn run(arguments: &SolveArguments) -> Result<Outcome, Failure> {
    let puzzle = Arc::new(source::puzzle(&arguments.puzzle)?);
    let options = options(arguments);
    crate::engine::solve::check(&puzzle, &options)?;
    let mut steps = Vec::new();
    let mut failure = None;
    let mut each = |event: SolveEvent<'_>| {
        if let Err(error) = tell(arguments, &puzzle, &event, steps.len() + 1) {
            failure.get_or_insert(error);
        }
        if let SolveEvent::Step(_, step) = event {
            steps.push(step);
        }
    };
    let outcome = if arguments.place.local {
        local::run_solve(&puzzle, &options, &arguments.limits, &mut each)?
    } else {
        remote::run_solve(&arguments.place.server, &puzzle, &options, &arguments.limits, &mut each)?
    };
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Some(path) = &arguments.trace {
        trace::save(path, &puzzle, outcome.verdict == Some(Verdict::One) || options.assume_unique, &steps)?;
    }
    if arguments.output.json {
        print_json(&SolveReport::new(&outcome, step_reports(arguments, &puzzle, &steps)))?;
    } else {
        print(&answer(&puzzle, &outcome))?;
    }
    Ok(meaning(&outcome))
}

fn options(arguments: &SolveArguments) -> SolveOptions {
    SolveOptions {
        mode: match arguments.mode {
            SolveMode::Full => Mode::Full,
            SolveMode::Logic => Mode::LogicOnly,
            SolveMode::Search => Mode::SearchOnly,
        },
        engine: match arguments.engine {
            SearchEngine::General => Engine::General,
            SearchEngine::Classic => Engine::Classic,
            SearchEngine::Dlx => Engine::Dlx,
        },
        limit: arguments.limit.max(2),
        assume_unique: arguments.assume_unique,
    }
}

/// Prints an event as it comes.
fn tell(
    arguments: &SolveArguments,
    puzzle: &Puzzle,
    event: &SolveEvent<'_>,
    number: usize,
) -> Result<(), Failure> {
    if arguments.quiet || arguments.output.json {
        return Ok(());
    }
    match event {
        SolveEvent::Verdict(verdict) => print(&format!("{}\n", verdict_line(*verdict))),
        SolveEvent::Step(_, step) => print(&step_line(step, puzzle, number, arguments.output.lang)),
    }
}

/// `12  hidden-single  r1c1=4  the sentence`.
pub fn step_line(step: &Step, puzzle: &Puzzle, number: usize, language: Language) -> String {
    let conclusions: Vec<String> =
        step.conclusions.iter().map(|conclusion| conclusion.notation(puzzle.size())).collect();
    let explanation = crate::cli::report::explanation(step, puzzle, language);
    format!("{number:>4}  {:<20}  {}\n      {explanation}\n", step.technique.as_str(), conclusions.join(", "))
}

fn step_reports(arguments: &SolveArguments, puzzle: &Puzzle, steps: &[Step]) -> Vec<StepReport> {
    if arguments.quiet {
        return Vec::new();
    }
    steps.iter().map(|step| StepReport::new(step, puzzle, arguments.output.lang)).collect()
}

/// The board, and what is known of it.
fn answer(puzzle: &Puzzle, outcome: &SolveOutcome) -> String {
    let paint = Paint::of_stdout();
    let mut text = String::new();
    match outcome.solutions.as_slice() {
        [] => text.push_str(&render::digits(puzzle, &outcome.grid, paint)),
        solutions => {
            let boards: Vec<String> =
                solutions.iter().map(|solution| render::solution(puzzle, solution, paint)).collect();
            text.push_str(&boards.join("\n"));
        }
    }
    let mut facts = Vec::new();
    if let Some(verdict) = outcome.verdict {
        facts.push(verdict_line(verdict));
        facts.push(format!("{} search nodes", outcome.nodes));
    }
    if let Some(path) = outcome.path {
        facts.push(format!("{} steps, {}", outcome.steps, path_word(path)));
    }
    if outcome.searched_cells > 0 {
        facts.push(format!("{} cells filled by search", outcome.searched_cells));
    }
    format!("{text}{}\n", facts.join("; "))
}

/// What the outcome means to a script.
fn meaning(outcome: &SolveOutcome) -> Outcome {
    match (outcome.verdict, outcome.path) {
        (Some(verdict), _) => outcome_of(verdict),
        (None, Some(PathEnd::Solved)) => Outcome::Yes,
        (None, Some(PathEnd::Contradiction)) => Outcome::No,
        (None, _) => Outcome::Undecided,
    }
}
