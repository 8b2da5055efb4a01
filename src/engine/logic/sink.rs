//! Where finders report to: it decides whether the first or all steps are wanted, and counts the work.

use std::ops::ControlFlow;

use super::technique::{Flow, Technique};
use super::{Conclusion, Mark, Proof, Role, Shape, Slug, Step};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{Cell, DigitSet, Position};

/// Takes what finders find. It drops conclusions that are no news, and steps that are left with none; what is
/// left it marks as the step's target.
pub struct Sink<'a> {
    position: &'a Position,
    technique: &'static Technique,
    budget: &'a mut Budget,
    stopped: Option<Stopped>,
    each: &'a mut dyn FnMut(Step) -> Flow,
}

impl<'a> Sink<'a> {
    /// A sink for the finder of one row; `each` gets its steps and says whether more are wanted.
    pub fn new(
        position: &'a Position,
        technique: &'static Technique,
        budget: &'a mut Budget,
        each: &'a mut dyn FnMut(Step) -> Flow,
    ) -> Sink<'a> {
        Sink { position, technique, budget, stopped: None, each }
    }

    /// Reports a step. Conclusions may be in any order, repeated or no news.
    pub fn push(&mut self, mut conclusions: Vec<Conclusion>, mut marks: Vec<Mark>, proof: Proof) -> Flow {
        conclusions.sort_unstable();
        conclusions.dedup();
        conclusions.retain(|conclusion| conclusion.is_news(self.position));
        if conclusions.is_empty() {
            return ControlFlow::Continue(());
        }
        push_targets(&conclusions, self.position, &mut marks);
        (self.each)(Step { technique: Slug::of(self.technique.slug), conclusions, marks, proof })
    }

    /// Counts work done; breaks when the budget says stop. To be called in every loop that can be long.
    #[inline]
    pub fn spend(&mut self, units: u64) -> Flow {
        match self.budget.spend(units) {
            Ok(()) => ControlFlow::Continue(()),
            Err(stopped) => {
                self.stopped = Some(stopped);
                ControlFlow::Break(())
            }
        }
    }

    /// Why the budget broke the search off, if it did.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}

/// Marks what the conclusions speak of: cells that lose the same digits in one mark, and all in one where that
/// says no more than the conclusions do.
fn push_targets(conclusions: &[Conclusion], position: &Position, marks: &mut Vec<Mark>) {
    let mut groups: Vec<(DigitSet, Vec<Cell>)> = Vec::new();
    for of_cell in conclusions.chunk_by(|one, other| one.cell() == other.cell()) {
        let digits: DigitSet = of_cell.iter().map(|conclusion| conclusion.digit()).collect();
        match groups.iter_mut().find(|(of_group, _)| *of_group == digits) {
            Some((_, cells)) => cells.push(of_cell[0].cell()),
            None => groups.push((digits, vec![of_cell[0].cell()])),
        }
    }
    let union = groups.iter().fold(DigitSet::EMPTY, |union, (digits, _)| union | *digits);
    let is_exact = groups
        .iter()
        .all(|(digits, cells)| cells.iter().all(|&cell| position.candidates(cell) & union == *digits));
    if is_exact {
        let mut cells: Vec<Cell> = groups.into_iter().flat_map(|(_, cells)| cells).collect();
        cells.sort_unstable();
        groups = vec![(union, cells)];
    }
    let target = |(digits, cells)| Mark::new(Role::Target, Shape::Candidates { cells, digits });
    marks.extend(groups.into_iter().map(target));
}
