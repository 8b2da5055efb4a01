//! Walking from puzzle to puzzle of one grid, towards a number of clues that carving seldom gives.
//!
//! Clues are exchanged in groups (single cells, without symmetry): one for one to wander, two for one to have fewer,
//! one for two to have more. Every puzzle on the way has the grid as its only solution and no group to spare.

use super::carve::{Carver, Cells};
use crate::engine::budget::{Budget, Stopped};
use crate::engine::generate::rng::Stream;
use std::ops::RangeInclusive;

/// A walk.
pub struct Walk<'w, 's> {
    /// Where it stands.
    pub carver: &'w mut Carver<'s>,
    /// Cells that are clues together or not at all.
    pub groups: &'w [Cells],
    /// Where directions are drawn from.
    pub stream: &'w mut Stream,
}

impl Walk<'_, '_> {
    /// Walks until the number of clues is in this range, or so many exchanges were tried; whether it got there.
    pub fn steer(
        &mut self,
        clues: &RangeInclusive<u32>,
        tries: u32,
        budget: &mut Budget,
    ) -> Result<bool, Stopped> {
        for _ in 0..tries {
            if self.carver.count() > *clues.end() {
                self.fewer(budget)?;
            } else if self.carver.count() < *clues.start() {
                self.more(budget)?;
            } else {
                return Ok(true);
            }
        }
        Ok(clues.contains(&self.carver.count()))
    }

    /// Tries to have one group instead of two; if that fails, of one, another instead.
    fn fewer(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let (one, other) = (self.draw(true), self.draw(true));
        if one == other || self.exchange(one | other, budget)? {
            return Ok(());
        }
        self.exchange(one, budget)?;
        Ok(())
    }

    /// Opens these groups and closes one other that decides; if there is none, takes it back. Whether there was.
    fn exchange(&mut self, gone: Cells, budget: &mut Budget) -> Result<bool, Stopped> {
        let mut open = self.open_groups();
        self.carver.open(gone);
        let come = self.carver.decide(&mut open, budget)?;
        match come {
            Some(come) => self.drop_spare(come, budget)?,
            None => self.carver.close(gone),
        }
        Ok(come.is_some())
    }

    /// Tries to have two groups instead of one, all of them needed.
    fn more(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let before = self.carver.clues();
        let (gone, one) = (self.draw(true), self.draw(false));
        let mut open = self.open_groups();
        open.retain(|&group| group != one);
        self.carver.open(gone);
        self.carver.close(one);
        let other = self.carver.decide(&mut open, budget)?;
        if let Some(other) = other {
            self.drop_spare(one | other, budget)?;
        }
        if other.is_none() || self.carver.count() < before.count_ones() {
            self.carver.open(!before);
            self.carver.close(before);
        }
        Ok(())
    }

    /// The groups that are no clues, in random order.
    fn open_groups(&mut self) -> Vec<Cells> {
        let clues = self.carver.clues();
        let mut open: Vec<Cells> = self.groups.iter().copied().filter(|group| group & clues == 0).collect();
        self.stream.shuffle(&mut open);
        open
    }

    /// Drops every group that can go, those that have just come last.
    fn drop_spare(&mut self, come: Cells, budget: &mut Budget) -> Result<(), Stopped> {
        let clues = self.carver.clues();
        let (new, old): (Vec<Cells>, Vec<Cells>) = self
            .groups
            .iter()
            .copied()
            .filter(|group| group & clues != 0)
            .partition(|group| group & come != 0);
        for group in old.into_iter().chain(new) {
            self.carver.can_go(group, budget)?;
        }
        Ok(())
    }

    /// A group of clues, or one that is none.
    fn draw(&mut self, is_clue: bool) -> Cells {
        loop {
            let group = self.groups[self.stream.below(self.groups.len() as u32) as usize];
            if (self.carver.clues() & group != 0) == is_clue {
                return group;
            }
        }
    }
}
