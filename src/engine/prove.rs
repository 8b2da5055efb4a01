//! A player's own placement or elimination put to the test: proved, wrong, or not to be decided yet.
//!
//! Search tells what is wrong where there is exactly one solution; logic, which never sees it, looks for a proof of
//! the conclusion, or of its opposite. A proof is the steps that are needed, in order, the last of which says it: it is
//! among its conclusions.

use std::ops::ControlFlow;

use smallvec::smallvec;

use super::budget::{Budget, Stopped};
use super::check::WrongEntry;
use super::logic::path::{Facts, PathEnd, deduce_while, simplest_step};
use super::logic::registry::{TECHNIQUES, place};
use super::logic::verify::{NodeCap, verify_under};
use super::logic::{Argument, Conclusion, Lemma, Literal, Premises, Step};
use super::search::Verdict;
use super::solve::SolveError;
use super::survey::{SurveyOptions, survey};
use crate::puzzle::{Digit, Position};

/// What is to be said of a conclusion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Take these back first. At least one.
    Correct(Vec<WrongEntry>),
    /// The position says so already.
    Known,
    /// It is so: these steps show it, each in the position that those before it leave; the last one has it among its
    /// conclusions.
    Proved(Vec<Step>),
    /// It is not so. The steps show the opposite in the same way; without steps, only search knows.
    Wrong(Vec<Step>),
    /// It may be so, and no proof was found: with exactly one solution it is right, and a guess.
    Undecided,
}

/// How a test ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proving {
    /// How many solutions the puzzle has, whatever the position.
    pub verdict: Verdict,
    /// Nodes that search visited.
    pub nodes: u64,
    /// What is to be said.
    pub finding: Finding,
    /// Why search or logic was broken off, if either was.
    pub stopped: Option<Stopped>,
}

/// Puts a conclusion about an open cell of a position to the test. Of the proofs found, the one whose hardest step is
/// the easiest is given: a single step if there is one as easy as the path that leads to the conclusion, and of that
/// path no more than is needed.
pub fn prove(
    position: &Position,
    conclusion: Conclusion,
    options: SurveyOptions,
    budget: &mut Budget,
) -> Result<Proving, SolveError> {
    let survey = survey(position, options, budget)?;
    let mut proving = Proving {
        verdict: survey.checked.verdict,
        nodes: survey.checked.nodes,
        finding: Finding::Undecided,
        stopped: survey.checked.stopped,
    };
    if !survey.wrong().is_empty() {
        proving.finding = Finding::Correct(survey.checked.wrong);
        return Ok(proving);
    }
    if let Some(finding) = read_off(position, conclusion) {
        proving.finding = finding;
        return Ok(proving);
    }
    let Some(facts) = survey.facts else { return Ok(proving) };
    let is_right = survey.checked.only_solution().map(|solution| is_true(conclusion, solution.digits()));
    // Without exactly one solution both are tried; whichever is proved is so in every solution.
    let mut look = |conclusion| find_proof(position, conclusion, facts, budget);
    let found = match is_right {
        Some(true) => look(conclusion).map(|steps| steps.map(Finding::Proved)),
        Some(false) => {
            proving.finding = Finding::Wrong(Vec::new());
            look(opposite(conclusion)).map(|steps| steps.map(Finding::Wrong))
        }
        None => match look(conclusion) {
            Ok(None) => look(opposite(conclusion)).map(|steps| steps.map(Finding::Wrong)),
            found => found.map(|steps| steps.map(Finding::Proved)),
        },
    };
    match found {
        Ok(Some(finding)) => proving.finding = finding,
        Ok(None) => {}
        Err(stopped) => proving.stopped = Some(stopped),
    }
    Ok(proving)
}

/// What the position itself says of a conclusion, if it does.
fn read_off(position: &Position, conclusion: Conclusion) -> Option<Finding> {
    let (cell, digit) = (conclusion.cell(), conclusion.digit());
    let says_so = match position.digit(cell) {
        Some(held) => held == digit,
        None if !position.is_candidate(cell, digit) => false,
        None => return None,
    };
    let is_placed = matches!(conclusion, Conclusion::Place(..));
    Some(if says_so == is_placed { Finding::Known } else { Finding::Wrong(Vec::new()) })
}

fn is_true(conclusion: Conclusion, solution: &[Digit]) -> bool {
    let holds = solution[conclusion.cell().index()] == conclusion.digit();
    holds == matches!(conclusion, Conclusion::Place(..))
}

fn opposite(conclusion: Conclusion) -> Conclusion {
    match conclusion {
        Conclusion::Place(cell, digit) => Conclusion::Eliminate(cell, digit),
        Conclusion::Eliminate(cell, digit) => Conclusion::Place(cell, digit),
    }
}

fn find_proof(
    position: &Position,
    conclusion: Conclusion,
    facts: Facts,
    budget: &mut Budget,
) -> Result<Option<Vec<Step>>, Stopped> {
    let path = find_path(position, conclusion, facts, budget)?;
    let places = path.iter().flatten().filter_map(|step| place(step.technique.as_str()));
    let last_place = places.max().unwrap_or(TECHNIQUES.len());
    let is_wanted = |step: &Step| bears_out(position, step, conclusion);
    let alone = simplest_step(position, &is_wanted, facts, last_place, budget)?;
    Ok(alone.map(|step| vec![step]).or(path).map(|steps| spell_out(position, steps, conclusion)))
}

/// A proof whose last step has the conclusion among its own. Where that step places a digit, and the candidate goes
/// for that alone, it goes on to rule the candidate out.
fn spell_out(position: &Position, mut steps: Vec<Step>, conclusion: Conclusion) -> Vec<Step> {
    let Some((last, first)) = steps.split_last_mut() else { return steps };
    if last.conclusions.contains(&conclusion) {
        return steps;
    }
    let mut before = position.clone();
    first.iter().for_each(|step| step.apply(&mut before));
    let leaves_no_room = |placed: &Conclusion| {
        let mut after = before.clone();
        placed.apply(&mut after);
        read_off(&after, conclusion) == Some(Finding::Known)
    };
    let placed = last.conclusions.iter().copied().find(leaves_no_room).map(Literal::from);
    let lemmas = &mut last.proof_mut().lemmas;
    let is_claimed = |lemma: &Lemma| lemma.claims.iter().any(|claim| claim[..] == placed.as_slice()[..]);
    if let Some(used) = lemmas.iter().position(is_claimed) {
        let argument = Argument::Conflict { premises: Premises::new(), uses: vec![used as u32] };
        lemmas.push(Lemma { claims: smallvec![smallvec![conclusion.into()]], argument });
        last.conclusions.push(conclusion);
        last.conclusions.sort_unstable();
    }
    steps
}

/// Whether a position says so after a step. A placement elsewhere can say that a digit is gone here.
fn bears_out(position: &Position, step: &Step, conclusion: Conclusion) -> bool {
    let mut after = position.clone();
    step.apply(&mut after);
    read_off(&after, conclusion) == Some(Finding::Known)
}

/// The path up to the step that says it, without what is not needed. It may use half of the budget: where it is
/// long, a single hard step may still be found.
fn find_path(
    position: &Position,
    conclusion: Conclusion,
    facts: Facts,
    budget: &mut Budget,
) -> Result<Option<Vec<Step>>, Stopped> {
    let mut path = Vec::new();
    let mut share = budget.share(budget.left() / 2);
    let end = deduce_while(&mut position.clone(), facts, &mut share, &mut |before, step| {
        let is_last = bears_out(before, &step, conclusion);
        path.push(step);
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    budget.settle(share);
    match end {
        None => prune(position, path, conclusion, facts, budget).map(Some),
        Some(PathEnd::Stopped(Stopped::Cancelled)) => Err(Stopped::Cancelled),
        Some(_) => Ok(None),
    }
}

/// The steps of a path without those that the last one does not need. Each that is kept is proved anew.
fn prune(
    position: &Position,
    mut path: Vec<Step>,
    conclusion: Conclusion,
    facts: Facts,
    budget: &mut Budget,
) -> Result<Vec<Step>, Stopped> {
    let mut place = path.len();
    while place > 0 {
        place -= 1;
        let mut shorter = path.clone();
        shorter.remove(place);
        if let Some(shorter) = replay(position, shorter, conclusion, facts, budget)? {
            path = shorter;
        }
    }
    Ok(path)
}

/// A path told anew, if all its proofs still hold and it leads to the conclusion.
fn replay(
    position: &Position,
    path: Vec<Step>,
    conclusion: Conclusion,
    facts: Facts,
    budget: &mut Budget,
) -> Result<Option<Vec<Step>>, Stopped> {
    let mut walked = position.clone();
    for step in &path {
        if verify_under(&walked, step, facts, NodeCap::default(), budget)?.is_err() {
            return Ok(None);
        }
        step.apply(&mut walked);
    }
    Ok((read_off(&walked, conclusion) == Some(Finding::Known)).then_some(path))
}
