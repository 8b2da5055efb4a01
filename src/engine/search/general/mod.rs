//! The general engine: any houses and cages up to 25×25.
//!
//! Read [`domains`] first (candidates, houses, the trail), then [`relations`] (cages and linear facts between few
//! cells) with [`fill`], [`rows`], [`combinations`] and [`bounds`], then [`cages`] and [linear] (which
//! relations there are), then [`branch`]. This file is the search itself: draw what follows; where nothing
//! does, try a candidate; where that fails, undo it and rule the candidate out.
//!
//! A node is one candidate tried, failures included. The stack is explicit and never deeper than the cells.

mod bounds;
mod branch;
mod cages;
mod combinations;
mod domains;
mod fill;
mod limits;
mod linear;
mod relations;
mod rows;
#[cfg(test)]
mod tests;

use self::domains::Domains;
use self::limits::Limits;
use self::relations::Relations;
use super::{Count, End, Search};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{Digit, Puzzle, Solution};

/// The general engine.
pub struct General;

impl General {
    fn count_within(limits: Limits, question: Question<'_, '_>) -> Count {
        let Question { puzzle, limit, budget, found } = question;
        let mut run = Run {
            puzzle,
            domains: Domains::new(puzzle),
            relations: Relations::default(),
            limits,
            budget,
            stack: Vec::new(),
            nodes: 0,
            facts_added: 0,
        };
        let mut solutions = 0;
        let end = run.search(&mut |solution| {
            found(solution);
            solutions += 1;
            solutions < limit
        });
        Count { solutions, nodes: run.nodes, end }
    }
}

/// What [`Search::count`] is asked.
struct Question<'p, 'b> {
    puzzle: &'p Puzzle,
    limit: u64,
    budget: &'b mut Budget,
    found: &'b mut dyn FnMut(&Solution),
}

impl Search for General {
    fn name(&self) -> &'static str {
        "general"
    }

    fn count(
        &self,
        puzzle: &Puzzle,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Solution),
    ) -> Count {
        General::count_within(Limits::USUAL, Question { puzzle, limit, budget, found })
    }
}

/// Why drawing conclusions ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    /// What was assumed cannot be.
    Conflict,
    Stopped(Stopped),
}

/// At the root, a conflict is an answer: there is no solution (more).
impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        match halt {
            Halt::Conflict => End::Complete,
            Halt::Stopped(stopped) => End::Stopped(stopped),
        }
    }
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Halt {
        Halt::Stopped(stopped)
    }
}

/// A candidate being tried.
struct Trial {
    cell: u16,
    digit: u32,
    /// The trail before it.
    mark: usize,
}

struct Run<'r> {
    puzzle: &'r Puzzle,
    domains: Domains<'r>,
    relations: Relations,
    limits: Limits,
    budget: &'r mut Budget,
    stack: Vec<Trial>,
    nodes: u64,
    /// How many entries of the limits' `facts` have been added.
    facts_added: usize,
}

impl Run<'_> {
    /// Finds all solutions, as long as `found` wants more.
    fn search(&mut self, found: &mut dyn FnMut(&Solution) -> bool) -> End {
        if let Err(halt) = self.prepare() {
            return halt.into();
        }
        let mut is_found = false;
        loop {
            let is_stuck = match self.propagate() {
                Err(Halt::Stopped(stopped)) => return End::Stopped(stopped),
                Err(Halt::Conflict) => true,
                Ok(()) => match branch::choose(&self.domains) {
                    // What has been found must not be found again.
                    Some(_) if self.wants_facts() && !is_found => {
                        if let Err(halt) = self.add_facts() {
                            return halt.into();
                        }
                        continue;
                    }
                    Some((cell, digit)) => {
                        self.nodes += 1;
                        self.stack.push(Trial { cell, digit, mark: self.domains.mark() });
                        // A candidate of an open cell: this leaves it.
                        self.domains.keep(cell, digit).is_err()
                    }
                    None => {
                        let solution = self.solution();
                        debug_assert!(self.puzzle.is_solved_by(&solution), "found {solution}");
                        is_found = true;
                        if !found(&solution) {
                            return End::Limit;
                        }
                        true
                    }
                },
            };
            if is_stuck && !self.back_up() {
                return End::Complete;
            }
        }
    }

    /// Undoes trials until one of them leaves something else to try. Returns whether there was one.
    fn back_up(&mut self) -> bool {
        while let Some(trial) = self.stack.pop() {
            self.domains.undo(trial.mark);
            if self.domains.keep(trial.cell, !trial.digit).is_ok() {
                return true;
            }
        }
        false
    }

    /// What follows before anything is tried; tables are built from the smallest cages to the largest, so that
    /// each gains from what the earlier ones ruled out.
    fn prepare(&mut self) -> Result<(), Halt> {
        cages::take_in(self.puzzle, &mut self.domains, &mut self.relations)?;
        self.propagate()?;
        let mut order: Vec<u16> = (0..self.relations.list.len() as u16).collect();
        order.sort_by_key(|&id| self.relations.list[id as usize].count);
        for id in order {
            cages::build(id, &mut self.domains, &mut self.relations, &self.limits, self.budget)?;
            let work = self.relations.propagate(id, &mut self.domains)?;
            self.budget.spend(work)?;
            if self.relations.list[id as usize].count > 3 {
                self.propagate()?;
            }
        }
        Ok(())
    }

    fn wants_facts(&self) -> bool {
        self.limits.facts.get(self.facts_added).is_some_and(|&(nodes, _)| self.nodes >= nodes)
    }

    /// Goes back to the root and adds linear facts there, longer ones than before. What has been ruled out at the
    /// root, and where conflicts were, is kept.
    fn add_facts(&mut self) -> Result<(), Halt> {
        if let Some(trial) = self.stack.first() {
            self.domains.undo(trial.mark);
            self.stack.clear();
        }
        let (_, most_cells) = self.limits.facts[self.facts_added];
        self.facts_added += 1;
        let first = self.relations.list.len();
        linear::add_facts(self.puzzle, most_cells, &self.domains, &mut self.relations, self.budget)?;
        let end = self.relations.list.len();
        self.domains.live.resize(end, 0);
        self.domains.watch(self.relations.all_cells());
        for id in first as u16..end as u16 {
            cages::build(id, &mut self.domains, &mut self.relations, &self.limits, self.budget)?;
            let work = self.relations.propagate(id, &mut self.domains)?;
            self.budget.spend(work)?;
        }
        self.propagate()
    }

    /// Draws conclusions until nothing follows any more, cheapest first.
    fn propagate(&mut self) -> Result<(), Halt> {
        loop {
            let work = self.domains.follow_singles()?;
            self.budget.spend(work)?;
            if let Some(relation) = self.domains.next_relation() {
                let work = self.relations.propagate(relation, &mut self.domains)?;
                self.budget.spend(work)?;
                continue;
            }
            let Some(house) = self.domains.next_for_sets() else { return Ok(()) };
            self.domains.find_locked(house)?;
            self.budget.spend(2)?;
        }
    }

    fn solution(&self) -> Solution {
        let digits =
            self.domains.cells.iter().map(|digits| Digit::from_index(digits.trailing_zeros() as usize));
        Solution::new(digits.collect::<Vec<Digit>>())
    }
}
