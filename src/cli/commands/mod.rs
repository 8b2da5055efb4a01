//! One file a command. Each reads its arguments, gets an answer (in process or from a daemon) and prints it.

pub mod bench;
pub mod candidates;
pub mod check;
pub mod generate;
pub mod hint;
pub mod jobs;
pub mod prove;
pub mod rate;
pub mod serve;
pub mod solve;
pub mod steps;
pub mod techniques;
pub mod verify;
pub mod watch;

use std::io::Write;

use serde::Serialize;

use super::args::{Arguments, Command, LimitArguments, OutputArguments, WhereArguments};
use super::exit::{Failure, Outcome};
use super::remote;
use crate::engine::logic::Step;
use crate::engine::search::Verdict;
use crate::jobs::JobSpec;
use crate::puzzle::Puzzle;

/// Does what the arguments say.
pub fn run(arguments: Arguments) -> Result<Outcome, Failure> {
    match arguments.command {
        None => serve::run(&arguments.serve),
        Some(Command::Serve(arguments)) => serve::run(&arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        Some(Command::Rate(arguments)) => rate::run(&arguments),
        Some(Command::Generate(arguments)) => generate::run(&arguments),
        Some(Command::Hint(arguments)) => hint::run(&arguments),
        Some(Command::Steps(arguments)) => steps::run(&arguments),
        Some(Command::Prove(arguments)) => prove::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Candidates(arguments)) => candidates::run(&arguments),
        Some(Command::Verify(arguments)) => verify::run(&arguments),
        Some(Command::Watch(arguments)) => watch::run(&arguments),
        Some(Command::Jobs(arguments)) => jobs::run(&arguments),
        Some(Command::Techniques(arguments)) => techniques::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
    }
}

/// Prints one JSON document.
fn print_json(report: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(report)
        .map_err(|error| Failure::failed(format!("cannot write JSON: {error}")))?;
    print(&format!("{text}\n"))
}

/// Prints text at once.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Leaves a job to the daemon, and tells its name.
fn leave(
    place: &WhereArguments,
    spec: &JobSpec,
    limits: &LimitArguments,
    output: OutputArguments,
) -> Result<Outcome, Failure> {
    let name = remote::leave(&place.server, spec, limits)?;
    if output.json {
        print_json(&serde_json::json!({"job": name}))?;
    } else {
        print(&format!("{name}\n"))?;
    }
    Ok(Outcome::Yes)
}

/// What a verdict means to a script.
fn outcome_of(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::One => Outcome::Yes,
        Verdict::None => Outcome::No,
        Verdict::Several { .. } | Verdict::GaveUp { .. } => Outcome::Undecided,
    }
}

/// A verdict in a sentence.
fn verdict_line(verdict: Verdict) -> String {
    match verdict {
        Verdict::None => "no solution".to_owned(),
        Verdict::One => "exactly one solution".to_owned(),
        Verdict::Several { count, complete: true } => format!("{count} solutions"),
        Verdict::Several { count, complete: false } => format!("several solutions, at least {count}"),
        Verdict::GaveUp { nodes } => format!("gave up after {nodes} nodes"),
    }
}

/// `hidden-single  r1c1=4`, and the sentence below.
fn step_text(step: &Step, explanation: &str, puzzle: &Puzzle) -> String {
    let conclusions: Vec<String> =
        step.conclusions.iter().map(|conclusion| conclusion.notation(puzzle.size())).collect();
    format!("{:<20}  {}\n      {explanation}\n", step.technique.as_str(), conclusions.join(", "))
}
