//! Where finders report to: it decides whether the first or all steps are wanted, and counts the work.

use std::ops::ControlFlow;

use smallvec::smallvec;

use super::technique::{Flow, Technique};
use super::{CellList, Conclusion, Conclusions, Mark, Proof, Role, Shape, Single, Slug, Step};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{DigitSet, Position};

/// Takes what finders find. It drops conclusions that are no news, and steps that are left with none; what is
/// left it marks as the step's target.
pub struct Sink<'a> {
    position: &'a Position,
    technique: &'static Technique,
    budget: &'a mut Budget,
    stopped: Option<Stopped>,
    /// How many steps have been reported.
    reported: u32,
    /// Whether something that was found is not told.
    leaves_out: bool,
    wanted: Wanted<'a>,
}

/// Who gets what is found, and says whether more is wanted.
pub enum Wanted<'a> {
    /// The first step, whole.
    First(&'a mut Option<Step>),
    /// Whole steps.
    Steps(&'a mut dyn FnMut(Step) -> Flow),
    /// Conclusions alone, for whoever only counts: marks and proofs need not be put together.
    Conclusions(&'a mut dyn FnMut(&[Conclusion]) -> Flow),
}

impl<'a> Sink<'a> {
    /// A sink for the finder of one row.
    pub fn new(
        position: &'a Position,
        technique: &'static Technique,
        budget: &'a mut Budget,
        wanted: Wanted<'a>,
    ) -> Sink<'a> {
        Sink { position, technique, budget, stopped: None, reported: 0, leaves_out: false, wanted }
    }

    /// Reports a step. Conclusions may be in any order, repeated or no news.
    pub fn push(&mut self, conclusions: impl Into<Conclusions>, marks: Vec<Mark>, proof: Proof) -> Flow {
        self.push_with(conclusions.into(), || (marks, proof))
    }

    /// The same, with marks and proof put together only if a whole step is wanted. For finders whose steps take longer
    /// to put together than to find.
    #[inline]
    pub fn push_with(
        &mut self,
        mut conclusions: Conclusions,
        evidence: impl FnOnce() -> (Vec<Mark>, Proof),
    ) -> Flow {
        if let [only] = conclusions[..] {
            if !only.is_news(self.position) {
                return ControlFlow::Continue(());
            }
        } else {
            conclusions.sort_unstable();
            conclusions.dedup();
            conclusions.retain(|conclusion| conclusion.is_news(self.position));
            if conclusions.is_empty() {
                return ControlFlow::Continue(());
            }
        }
        self.reported += 1;
        match &mut self.wanted {
            Wanted::Conclusions(each) => each(&conclusions),
            Wanted::First(_) | Wanted::Steps(_) => {
                let (mut marks, proof) = evidence();
                push_targets(&conclusions, self.position, &mut marks);
                self.hand_out(Step::new(Slug::of(self.technique.slug), conclusions, marks, proof))
            }
        }
    }

    fn hand_out(&mut self, step: Step) -> Flow {
        match &mut self.wanted {
            Wanted::First(first) => {
                // Whatever the finder does with the break.
                first.get_or_insert(step);
                ControlFlow::Break(())
            }
            Wanted::Steps(each) => each(step),
            Wanted::Conclusions(each) => each(&step.conclusions),
        }
    }

    /// Reports a single.
    #[inline]
    pub fn push_single(&mut self, single: Single) -> Flow {
        let conclusion = Conclusion::Place(single.cell, single.digit);
        if !conclusion.is_news(self.position) {
            return ControlFlow::Continue(());
        }
        self.reported += 1;
        match &mut self.wanted {
            Wanted::Conclusions(each) => each(&[conclusion]),
            Wanted::First(_) | Wanted::Steps(_) => {
                self.hand_out(Step::of_single(Slug::of(self.technique.slug), single))
            }
        }
    }

    /// Whether whole steps are wanted, not conclusions alone.
    #[inline]
    pub fn wants_steps(&self) -> bool {
        !matches!(self.wanted, Wanted::Conclusions(_))
    }

    /// Whether the first step is all that is wanted: a finder that would sort its steps may look for that one alone.
    #[inline]
    pub fn wants_one(&self) -> bool {
        matches!(self.wanted, Wanted::First(_))
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

    /// The row whose finder runs.
    #[inline]
    pub fn technique(&self) -> &'static Technique {
        self.technique
    }

    /// How many steps have been reported.
    #[inline]
    pub fn reported(&self) -> u32 {
        self.reported
    }

    /// Something was found that takes too much to prove: what is told is not all.
    pub fn leave_out(&mut self) {
        self.leaves_out = true;
    }

    /// Whether all that was found has been told.
    pub fn is_complete(&self) -> bool {
        !self.leaves_out
    }

    /// Why the budget broke the search off, if it did.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}

/// Marks what the conclusions speak of: cells that lose the same digits in one mark, and all in one where that
/// says no more than the conclusions do.
fn push_targets(conclusions: &[Conclusion], position: &Position, marks: &mut Vec<Mark>) {
    let target = |(digits, cells)| Mark::new(Role::Target, Shape::Candidates { cells, digits });
    if let [only] = conclusions {
        let cells = smallvec![only.cell()];
        marks.push(target((DigitSet::single(only.digit()), cells)));
        return;
    }
    let mut groups: Vec<(DigitSet, CellList)> = Vec::new();
    for of_cell in conclusions.chunk_by(|one, other| one.cell() == other.cell()) {
        let digits: DigitSet = of_cell.iter().map(|conclusion| conclusion.digit()).collect();
        match groups.iter_mut().find(|(of_group, _)| *of_group == digits) {
            Some((_, cells)) => cells.push(of_cell[0].cell()),
            None => groups.push((digits, smallvec![of_cell[0].cell()])),
        }
    }
    let union = groups.iter().fold(DigitSet::EMPTY, |union, (digits, _)| union | *digits);
    let is_exact = groups
        .iter()
        .all(|(digits, cells)| cells.iter().all(|&cell| position.candidates(cell) & union == *digits));
    if is_exact {
        let mut cells: CellList = groups.into_iter().flat_map(|(_, cells)| cells).collect();
        cells.sort_unstable();
        groups = vec![(union, cells)];
    }
    marks.extend(groups.into_iter().map(target));
}
