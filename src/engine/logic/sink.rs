//! Where finders report to: it decides whether the first or all steps are wanted, and counts the work.

use std::ops::ControlFlow;

use super::technique::{Flow, Technique};
use super::{Conclusion, Mark, Proof, Slug, Step};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::Position;

/// Takes what finders find. It drops conclusions that are no news, and steps that are left with none.
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
    pub fn push(&mut self, mut conclusions: Vec<Conclusion>, marks: Vec<Mark>, proof: Proof) -> Flow {
        conclusions.sort_unstable();
        conclusions.dedup();
        conclusions.retain(|conclusion| conclusion.is_news(self.position));
        if conclusions.is_empty() {
            return ControlFlow::Continue(());
        }
        (self.each)(Step { technique: Slug::of(self.technique.slug), conclusions, marks, proof })
    }

    /// Counts work done; breaks when the budget says stop. To be called in every loop that can be long.
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
