//! The work done in this process: the engines, called as they are.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::args::LimitArguments;
use super::exit::Failure;
use super::news::{EachNews, SolveNews};
use super::report::VerifyReport;
use crate::api::client::{StepList, ToldStep};
use crate::engine::budget::{Budget, CancelFlag};
use crate::engine::check::{Checked, check};
use crate::engine::generate::{GenerateOutcome, Progress, Recipe, generate};
use crate::engine::hint::{Advice, Hint, hint};
use crate::engine::list::{ListEvent, ListOptions, list};
use crate::engine::logic::explain::{Language, explain, teach};
use crate::engine::logic::trace::{Trace, verify_trace};
use crate::engine::logic::verify::NodeCap;
use crate::engine::logic::{Conclusion, Step};
use crate::engine::prove::{Finding, Proving, prove};
use crate::engine::rate::{RateOutcome, Scale, rate};
use crate::engine::search::Engine;
use crate::engine::search::candidates::{TrueCandidates, true_candidates};
use crate::engine::solve::{SolveError, SolveEvent, SolveOptions, SolveOutcome, solve};
use crate::engine::survey::SurveyOptions;
use crate::puzzle::{Position, Puzzle};

/// A budget that ends with the deadline or the units of work.
fn budget(limits: &LimitArguments) -> Budget {
    let flag = CancelFlag::new();
    if let Some(deadline) = limits.deadline {
        let raised = flag.clone();
        // Ends with the process; nobody waits for it.
        std::thread::spawn(move || {
            std::thread::sleep(deadline);
            raised.raise();
        });
    }
    Budget::new(limits.work.unwrap_or(u64::MAX), flag)
}

/// Solves.
pub fn run_solve(
    puzzle: &Arc<Puzzle>,
    options: &SolveOptions,
    limits: &LimitArguments,
    (language, each): (Language, &mut EachNews<'_>),
) -> Result<SolveOutcome, Failure> {
    let mut budget = budget(limits);
    let flag = budget.flag().clone();
    let mut told = Ok(());
    let outcome = solve(puzzle, options, &mut budget, &mut |event| {
        let news = match event {
            SolveEvent::Verdict(verdict) => SolveNews::Verdict(verdict),
            SolveEvent::Step(_, step) => {
                SolveNews::Step { explanation: explain(&step, puzzle, language), step: Box::new(step) }
            }
        };
        if told.is_ok() {
            told = each(news);
        }
        if told.is_err() {
            flag.raise();
        }
    })?;
    told.map(|()| outcome)
}

/// Rates.
pub fn run_rate(puzzle: &Arc<Puzzle>, scale: Scale, limits: &LimitArguments) -> Result<RateOutcome, Failure> {
    crate::engine::rate::check(puzzle, scale)?;
    Ok(rate(puzzle, scale, &mut budget(limits)))
}

/// Makes a puzzle.
pub fn run_generate(
    recipe: &Recipe,
    limits: &LimitArguments,
    each: &mut dyn FnMut(&Progress),
) -> GenerateOutcome {
    generate(recipe, &mut budget(limits), each)
}

/// Advises, and says in words why.
pub fn run_hint(position: &Position, language: Language) -> Result<(Hint, String), Failure> {
    let hint = hint(position, &SurveyOptions::default(), &mut Budget::unlimited())?;
    let explanation = match &hint.advice {
        Advice::Step(step) => explain(step, position.puzzle(), language),
        Advice::Correct(_) | Advice::Fill { .. } | Advice::Done | Advice::Nothing => String::new(),
    };
    Ok((hint, explanation))
}

/// Lists every step, told.
pub fn run_steps(
    position: &Position,
    options: &ListOptions,
    language: Language,
) -> Result<StepList, Failure> {
    let puzzle = position.puzzle();
    let mut surveyed = None;
    let mut steps = Vec::new();
    let listing = list(position, options, &mut Budget::unlimited(), &mut |event| {
        match event {
            ListEvent::Survey(survey) => surveyed = Some(survey.checked.clone()),
            ListEvent::Step(step) => steps.push(tell(step, puzzle, language)),
        }
        ControlFlow::Continue(())
    })?;
    let checked = surveyed.expect("the survey comes first");
    let unfinished = listing.rows.iter().filter(|row| !row.complete).map(|row| row.technique.slug.to_owned());
    Ok(StepList {
        verdict: checked.verdict,
        wrong: checked.wrong,
        steps,
        complete: listing.complete,
        unfinished: unfinished.collect(),
        stopped: listing.stopped,
    })
}

/// Puts a conclusion to the test; with the steps of the proof, told.
pub fn run_prove(
    position: &Position,
    conclusion: Conclusion,
    language: Language,
) -> Result<(Proving, Vec<ToldStep>), Failure> {
    let proving = prove(position, conclusion, SurveyOptions::default(), &mut Budget::unlimited())?;
    let steps = match &proving.finding {
        Finding::Proved(steps) | Finding::Wrong(steps) => steps.clone(),
        Finding::Correct(_) | Finding::Known | Finding::Undecided => Vec::new(),
    };
    let told = steps.into_iter().map(|step| tell(step, position.puzzle(), language)).collect();
    Ok((proving, told))
}

fn tell(step: Step, puzzle: &Puzzle, language: Language) -> ToldStep {
    ToldStep { explanation: explain(&step, puzzle, language), lesson: teach(&step, puzzle, language), step }
}

/// Checks a puzzle and a position.
pub fn run_check(puzzle: &Puzzle, position: Option<&Position>) -> Checked {
    check(puzzle, position, Engine::General, &mut Budget::unlimited())
}

/// Finds true candidates.
pub fn run_candidates(puzzle: &Puzzle, cap: u64, engine: Engine) -> TrueCandidates {
    true_candidates(puzzle, cap, engine, &mut Budget::unlimited())
}

/// Re-checks a trace, each step in the position that those before it leave.
pub fn run_verify(trace: &Trace) -> Result<VerifyReport, Failure> {
    let checked = verify_trace(trace, NodeCap::default(), &mut Budget::unlimited())
        .map_err(|_| Failure::undecided("the check was broken off"))?;
    let (proved, reason) = match checked.failures.first() {
        Some((number, refusal)) => (*number, Some(refusal.to_string())),
        None => (trace.steps.len(), None),
    };
    Ok(VerifyReport::new(trace, proved, reason))
}

/// A board too large for logic is bad usage.
impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Failure {
        Failure::invalid(error.to_string())
    }
}
