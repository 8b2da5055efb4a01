//! Walking the table: the first row that fires, all steps here, a whole solving path.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::context::{Board, Context};
use super::contradiction::has_contradiction;
use super::registry::{TECHNIQUES, place};
use super::sink::{Sink, Wanted};
use super::technique::{Flow, Level, Technique};
use super::techniques::singles;
use super::verify::{NodeCap, Refusal, verify};
use super::{CellSet, Conclusion, Conclusions, MAX_SIZE, Step};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::Position;

/// What logic is told about the puzzle: the verdict alone, never a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// There is exactly one solution (search says so, or the caller asserts it).
    pub unique: bool,
}

/// Where a solving path ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathEnd {
    /// Every cell has its digit.
    Solved,
    /// No row fires.
    Stalled,
    /// A cell or a house is left without candidate: there is no solution from here.
    Contradiction,
    /// The budget said so.
    Stopped(Stopped),
}

/// The rows that paths look for in this position under these facts.
fn path_rows(context: &Context<'_>, facts: Facts) -> impl Iterator<Item = &'static Technique> {
    rows(context, facts).filter(|row| row.on_path)
}

/// The rows that may run in this position under these facts. None where it contradicts itself: anything would follow.
fn rows(context: &Context<'_>, facts: Facts) -> impl Iterator<Item = &'static Technique> {
    let table = if context.is_contradictory() { &[] } else { TECHNIQUES };
    let has_cages = !context.puzzle().cages().is_empty();
    table.iter().filter(move |row| (!row.needs.cages || has_cages) && (!row.needs.unique || facts.unique))
}

/// Runs the finder of one row; `each` says whether more steps are wanted.
pub fn run(
    row: &'static Technique,
    context: &Context<'_>,
    budget: &mut Budget,
    each: &mut dyn FnMut(Step) -> Flow,
) -> Result<(), Stopped> {
    run_for(row, context, budget, Wanted::Steps(each)).map(|_| ())
}

/// The same for whoever wants something; returns whether all that was found has been told.
fn run_for<'a>(
    row: &'static Technique,
    context: &'a Context<'_>,
    budget: &'a mut Budget,
    wanted: Wanted<'a>,
) -> Result<bool, Stopped> {
    let mut sink = Sink::new(context.position(), row, budget, wanted);
    let _ = (row.find)(context, &mut sink);
    sink.stopped().map_or(Ok(sink.is_complete()), Err)
}

/// The first step of the first row that fires.
pub fn first_step(position: &Position, facts: Facts, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    let board = Board::new(position.puzzle());
    first_step_in(&Context::new(&board, position), facts, budget)
}

fn first_step_in(context: &Context<'_>, facts: Facts, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    // With cages, a row that looks at them comes between the singles.
    let has_singles_first = context.puzzle().cages().is_empty() && !context.is_contradictory();
    if has_singles_first && let Some(single) = singles::first(context, budget)? {
        return Ok(Some(single));
    }
    let done = if has_singles_first { singles::ROWS.len() } else { 0 };
    for row in path_rows(context, facts).skip(done) {
        let mut first = None;
        run_for(row, context, budget, Wanted::First(&mut first))?;
        if first.is_some() {
            return Ok(first);
        }
    }
    Ok(None)
}

/// How far a row was looked through.
#[derive(Clone, Copy, Debug)]
pub struct RowEnd {
    /// The row.
    pub technique: &'static Technique,
    /// Distinct steps reported.
    pub steps: u32,
    /// Whether these are all; if not, the row used up its share of the work, or found what takes too much to prove.
    pub complete: bool,
}

/// Every step of every row here, in table order; of steps of one row that say the same, the first. Each row may
/// spend `row_work` units, and is left unfinished then. Returns how far each row was looked through, up to the one
/// where `each` wanted no more.
pub fn all_steps(
    position: &Position,
    facts: Facts,
    row_work: u64,
    budget: &mut Budget,
    each: &mut dyn FnMut(Step) -> Flow,
) -> Result<Vec<RowEnd>, Stopped> {
    let board = Board::new(position.puzzle());
    let context = Context::new(&board, position);
    let mut ends = Vec::new();
    for row in rows(&context, facts) {
        let mut share = budget.share(row_work);
        let mut steps = 0;
        let mut flow = ControlFlow::Continue(());
        let ended = run_distinct(row, &context, &mut share, &mut |step| {
            steps += 1;
            flow = each(step);
            flow
        });
        budget.settle(share);
        let complete = ended == Ok(true) && flow.is_continue();
        ends.push(RowEnd { technique: row, steps, complete });
        // The row's own share may end, but not the whole budget.
        if ended.is_err() {
            budget.spend(0)?;
        }
        if flow.is_break() {
            break;
        }
    }
    Ok(ends)
}

/// What steps say, each once, in the order in which they said it.
#[derive(Default)]
struct Distinct {
    /// The conclusions of one after the other.
    said: Vec<Conclusion>,
    /// Where those of each end.
    ends: Vec<u32>,
    /// By digit index, the cells where a step says no more than that the cell does not hold the digit, and those
    /// where one says no more than that it does.
    of_one: [[CellSet; MAX_SIZE]; 2],
    /// What several conclusions say, once there are many: a few are compared sooner than hashed.
    of_several: HashSet<Conclusions>,
}

impl Distinct {
    const FEW: usize = 16;

    /// Whether this has not been said before.
    fn insert(&mut self, conclusions: &[Conclusion]) -> bool {
        let is_new = match *conclusions {
            [only] => {
                let is_placement = matches!(only, Conclusion::Place(..));
                let cells = &mut self.of_one[usize::from(is_placement)][only.digit().index()];
                let is_new = !cells.contains(only.cell());
                cells.insert(only.cell());
                is_new
            }
            _ => self.insert_several(conclusions),
        };
        if is_new {
            self.said.extend_from_slice(conclusions);
            self.ends.push(self.said.len() as u32);
        }
        is_new
    }

    fn insert_several(&mut self, conclusions: &[Conclusion]) -> bool {
        if self.ends.len() < Distinct::FEW {
            return self.each().all(|said| said != conclusions);
        }
        if self.of_several.is_empty() {
            let said = self.each().map(Conclusions::from).collect();
            self.of_several = said;
        }
        self.of_several.insert(conclusions.into())
    }

    fn each(&self) -> impl Iterator<Item = &[Conclusion]> {
        let mut start = 0;
        self.ends
            .iter()
            .map(move |&end| &self.said[std::mem::replace(&mut start, end as usize)..end as usize])
    }

    fn clear(&mut self) {
        self.said.clear();
        self.ends.clear();
        self.of_one = Default::default();
        self.of_several.clear();
    }
}

/// Runs the finder of one row; of steps that say the same, `each` gets the first. Returns whether these are all.
fn run_distinct(
    row: &'static Technique,
    context: &Context<'_>,
    budget: &mut Budget,
    each: &mut dyn FnMut(Step) -> Flow,
) -> Result<bool, Stopped> {
    let mut said = Distinct::default();
    let each = &mut |step: Step| match said.insert(&step.conclusions) {
        true => each(step),
        false => ControlFlow::Continue(()),
    };
    run_for(row, context, budget, Wanted::Steps(each))
}

/// What a round says: all steps of one row, applied together.
pub struct Round {
    /// The conclusions of each distinct step.
    steps: Distinct,
}

impl Round {
    /// As many steps as a round of most puzzles has, and more than that: each of a few reallocations would cost what
    /// it takes to find some steps.
    const MANY: usize = 48;

    /// Nothing said yet.
    pub fn empty() -> Round {
        let (said, ends) = (Vec::with_capacity(Round::MANY), Vec::with_capacity(Round::MANY));
        Round { steps: Distinct { said, ends, ..Distinct::default() } }
    }

    /// How many distinct steps.
    pub fn step_count(&self) -> u32 {
        self.steps.ends.len() as u32
    }

    /// What they conclude.
    pub fn conclusions(&self) -> impl Iterator<Item = Conclusion> + '_ {
        self.steps.said.iter().copied()
    }
}

/// Looks for the steps of the cheapest row that fires, of rows up to this level, and returns its place in the table;
/// none if none fires.
pub fn look_round(
    context: &Context<'_>,
    facts: Facts,
    level: Level,
    budget: &mut Budget,
    round: &mut Round,
) -> Result<Option<usize>, Stopped> {
    round.steps.clear();
    for row in path_rows(context, facts).take_while(|row| row.level <= level) {
        let mut each = |conclusions: &[Conclusion]| {
            round.steps.insert(conclusions);
            ControlFlow::Continue(())
        };
        run_for(row, context, budget, Wanted::Conclusions(&mut each))?;
        if !round.steps.ends.is_empty() {
            return Ok(place(row.slug));
        }
    }
    Ok(None)
}

/// The first row of the table, up to and including this place, that has a step which bears a claim out; of its
/// steps, the one with the shortest proof.
pub fn simplest_step(
    position: &Position,
    is_wanted: &dyn Fn(&Step) -> bool,
    facts: Facts,
    last_place: usize,
    budget: &mut Budget,
) -> Result<Option<Step>, Stopped> {
    let board = Board::new(position.puzzle());
    let context = Context::new(&board, position);
    for row in rows(&context, facts).take_while(|row| place(row.slug) <= Some(last_place)) {
        let mut best: Option<(usize, Step)> = None;
        run(row, &context, budget, &mut |step| {
            let length = step.proof().premise_count();
            if is_wanted(&step) && best.as_ref().is_none_or(|(shortest, _)| length < *shortest) {
                best = Some((length, step));
            }
            ControlFlow::Continue(())
        })?;
        if let Some((_, step)) = best {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// Deduces step by step, cheapest technique first and back to the cheapest after every gain, until the end.
/// Each step is handed out with the position in which it was found, before it is applied. In debug builds each is
/// checked.
pub fn deduce(
    position: &mut Position,
    facts: Facts,
    budget: &mut Budget,
    each: &mut dyn FnMut(&Position, Step),
) -> PathEnd {
    let end = deduce_while(position, facts, budget, &mut |before, step| {
        each(before, step);
        ControlFlow::Continue(())
    });
    end.expect("each wants to go on")
}

/// The same until `each` wants no more, which ends it after that step without a [`PathEnd`].
pub fn deduce_while(
    position: &mut Position,
    facts: Facts,
    budget: &mut Budget,
    each: &mut dyn FnMut(&Position, Step) -> Flow,
) -> Option<PathEnd> {
    let board = Board::new(position.puzzle());
    let mut context = Context::new(&board, position);
    let end = loop {
        debug_assert_eq!(context.is_contradictory(), has_contradiction(context.position()));
        if context.is_contradictory() {
            break Some(PathEnd::Contradiction);
        }
        if context.is_full() {
            break Some(PathEnd::Solved);
        }
        let step = match first_step_in(&context, facts, budget) {
            Ok(Some(step)) => step,
            Ok(None) => break Some(PathEnd::Stalled),
            Err(stopped) => break Some(PathEnd::Stopped(stopped)),
        };
        debug_assert!(is_proved(context.position(), &step, facts), "{step:?}");
        let conclusions = Conclusions::from_slice(&step.conclusions);
        let flow = each(context.position(), step);
        for &conclusion in &conclusions {
            context.apply(conclusion);
        }
        if flow.is_break() {
            break None;
        }
    };
    *position = context.into_position();
    end
}

/// Whether the checker accepts a step. Too large to check is for the tests to catch.
fn is_proved(position: &Position, step: &Step, facts: Facts) -> bool {
    match verify(position, step, facts, NodeCap::default()) {
        Ok(_) | Err(Refusal::TooLarge { .. }) => true,
        Err(_) => false,
    }
}
