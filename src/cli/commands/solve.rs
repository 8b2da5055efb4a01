//! `sleuth solve`: every step as it is made, then the answer.

use std::sync::Arc;

use super::{leave, outcome_of, print, print_json, step_text, verdict_line};
use crate::cli::args::{SolveArguments, SolveMode};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::news::{EachNews, SolveNews};
use crate::cli::render::{self, Paint};
use crate::cli::report::{SolveReport, StepReport, path_word};
use crate::cli::{local, remote, source};
use crate::engine::logic::Step;
use crate::engine::logic::path::PathEnd;
use crate::engine::logic::trace;
use crate::engine::search::Verdict;
use crate::engine::solve::{Mode, SolveOptions, SolveOutcome};
use crate::jobs::JobSpec;
use crate::puzzle::Puzzle;

/// Solves a puzzle.
pub fn run(arguments: &SolveArguments) -> Result<Outcome, Failure> {
    let puzzle = Arc::new(source::puzzle(&arguments.puzzle)?);
    let options = options(arguments);
    crate::engine::solve::check(&puzzle, &options)?;
    if arguments.limits.detach {
        let spec = JobSpec::Solve { puzzle, options };
        return leave(&arguments.place, &spec, &arguments.limits, arguments.output);
    }
    let mut path = Path { is_silent: arguments.quiet || arguments.output.json, steps: Vec::new() };
    let mut each = |news| path.take(news, &puzzle);
    let told = (arguments.output.lang.into(), &mut each as &mut EachNews<'_>);
    let outcome = if arguments.place.local {
        local::run_solve(&puzzle, &options, &arguments.limits, told)?
    } else {
        remote::run_solve(&arguments.place.server, (&puzzle, &options), &arguments.limits, told)?
    };
    if let Some(file) = &arguments.trace {
        let unique = outcome.verdict == Some(Verdict::One) || options.assume_unique;
        save(file, &puzzle, unique, &path.steps, outcome.path)?;
    }
    if arguments.output.json {
        let steps = if arguments.quiet { Vec::new() } else { path.steps };
        let steps = steps.into_iter().map(|(step, sentence)| StepReport::new(&step, sentence, &puzzle));
        print_json(&SolveReport::new(&outcome, steps.collect()))?;
    } else {
        print(&answer(&puzzle, &outcome))?;
    }
    Ok(meaning(&outcome))
}

/// The steps so far, each with its sentence.
struct Path {
    is_silent: bool,
    steps: Vec<(Box<Step>, String)>,
}

impl Path {
    /// Keeps a step, and prints what happened as it happens.
    fn take(&mut self, news: SolveNews, puzzle: &Puzzle) -> Result<(), Failure> {
        let text = match news {
            SolveNews::Verdict(verdict) => format!("{}\n", verdict_line(verdict)),
            SolveNews::Restarted => {
                self.steps.clear();
                "the daemon was restarted: steps begin again\n".to_owned()
            }
            SolveNews::Step { step, explanation } => {
                let text = step_text(&step, &explanation, puzzle);
                self.steps.push((step, explanation));
                format!("{:>4}  {text}", self.steps.len())
            }
        };
        if self.is_silent { Ok(()) } else { print(&text) }
    }
}

fn options(arguments: &SolveArguments) -> SolveOptions {
    SolveOptions {
        mode: match arguments.mode {
            SolveMode::Full => Mode::Full,
            SolveMode::Logic => Mode::LogicOnly,
            SolveMode::Search => Mode::SearchOnly,
        },
        engine: arguments.engine.into(),
        limit: arguments.limit.max(2),
        assume_unique: arguments.assume_unique,
    }
}

/// Writes the trace to a file, over what was there.
fn save(
    file: &std::path::Path,
    puzzle: &Puzzle,
    unique: bool,
    steps: &[(Box<Step>, String)],
    end: Option<PathEnd>,
) -> Result<(), Failure> {
    let mut lines = vec![trace::header_line(puzzle, unique)];
    lines.extend(steps.iter().map(|(step, _)| trace::step_line(step, puzzle)));
    lines.extend(end.map(trace::end_line));
    std::fs::write(file, lines.join("\n") + "\n")
        .map_err(|error| Failure::failed(format!("cannot write {}: {error}", file.display())))
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
