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
mod relations;
mod rows;

use self::domains::Domains;
use self::relations::Relations;
use super::{Count, End, Search};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{Digit, Puzzle, Solution};

/// The general engine.
pub struct General;

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
        let mut run = Run {
            puzzle,
            domains: Domains::new(puzzle),
            relations: Relations::default(),
            budget,
            stack: Vec::new(),
            nodes: 0,
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

/// Why drawing conclusions ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    /// What was assumed cannot be.
    Conflict,
    Stopped(Stopped),
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
    budget: &'r mut Budget,
    stack: Vec<Trial>,
    nodes: u64,
}

impl Run<'_> {
    /// Finds all solutions, as long as `found` wants more.
    fn search(&mut self, found: &mut dyn FnMut(&Solution) -> bool) -> End {
        match self.prepare() {
            Ok(()) => {}
            Err(Halt::Conflict) => return End::Complete,
            Err(Halt::Stopped(stopped)) => return End::Stopped(stopped),
        }
        loop {
            let is_stuck = match self.propagate() {
                Err(Halt::Stopped(stopped)) => return End::Stopped(stopped),
                Err(Halt::Conflict) => true,
                Ok(()) => match branch::choose(&self.domains) {
                    Some((cell, digit)) => {
                        self.nodes += 1;
                        self.stack.push(Trial { cell, digit, mark: self.domains.mark() });
                        // A candidate of an open cell: this leaves it.
                        self.domains.keep(cell, digit).is_err()
                    }
                    None => {
                        let solution = self.solution();
                        debug_assert!(self.puzzle.is_solved_by(&solution), "found {solution}");
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
            cages::build(id, &mut self.domains, &mut self.relations, self.budget)?;
            let work = self.relations.propagate(id, &mut self.domains)?;
            self.budget.spend(work)?;
            if self.relations.list[id as usize].count > 3 {
                self.propagate()?;
            }
        }
        Ok(())
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
