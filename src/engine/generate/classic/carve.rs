//! Taking clues from a full grid, as fast as can be: what is left has that grid as its only solution.
//!
//! - **Groups.** Having one solution is never lost by adding clues, so if sixteen clues can go at once, each of
//!   them could have gone in turn; if not, the group is halved. The puzzle that comes out is the same as one
//!   clue at a time would give, in half as many searches.
//! - **Another digit.** Whether one clue can go is whether no solution has another digit in its cell: one search
//!   for a first solution, not for a second.

use crate::engine::budget::{Budget, Stopped};
use crate::engine::search::classic::solver::{Candidates, Digits, Solver};

/// A set of the 81 cells.
pub type Cells = u128;

/// All of them.
pub const BOARD: Cells = (1 << 81) - 1;

const ALL: u16 = 0x1FF;

/// How many cells are dropped at once, from the full grid on; then it is one group at a time. Tried and no better:
/// further groups of four, which fail as often as not, and longer falling rows (0.90 to 0.99 of the speed).
const AT_ONCE: [u32; 3] = [18, 14, 8];

/// A puzzle in the making.
pub struct Carver<'s> {
    solver: &'s mut Solver,
    digits: Digits,
    candidates: Candidates,
    clues: Cells,
}

impl<'s> Carver<'s> {
    /// The full grid.
    pub fn new(solver: &'s mut Solver, digits: Digits) -> Carver<'s> {
        let candidates = digits.map(|digit| 1 << digit);
        Carver { solver, digits, candidates, clues: BOARD }
    }

    /// The cells that are clues.
    pub fn clues(&self) -> Cells {
        self.clues
    }

    /// How many clues there are.
    pub fn count(&self) -> u32 {
        self.clues.count_ones()
    }

    /// Drops what can go of these groups of clues (disjoint, of one size or nearly), in their order, down to no
    /// fewer than so many clues.
    pub fn carve(&mut self, groups: &[Cells], fewest: u32, budget: &mut Budget) -> Result<(), Stopped> {
        let mut left = groups;
        let mut sizes = AT_ONCE.into_iter();
        while let Some(first) = left.first() {
            let size = sizes.next().map_or(1, |cells| cells.div_ceil(first.count_ones()) as usize);
            let (now, later) = left.split_at(size.min(left.len()));
            self.drop_some(now, fewest, false, budget)?;
            left = later;
        }
        Ok(())
    }

    /// Drops what can go of a few groups. `is_hopeless` if it is known that not all can.
    fn drop_some(
        &mut self,
        groups: &[Cells],
        fewest: u32,
        is_hopeless: bool,
        budget: &mut Budget,
    ) -> Result<bool, Stopped> {
        let cells = groups.iter().fold(0, |all, group| all | group);
        let is_too_many = self.count() < fewest + cells.count_ones();
        if !is_hopeless && !is_too_many && self.can_go(cells, budget)? {
            return Ok(true);
        }
        if groups.len() > 1 {
            let (first, second) = groups.split_at(groups.len() / 2);
            let has_gone = self.drop_some(first, fewest, false, budget)?;
            self.drop_some(second, fewest, has_gone && !is_too_many, budget)?;
        }
        Ok(false)
    }

    /// Takes these clues away if one solution is left; whether it did.
    pub fn can_go(&mut self, cells: Cells, budget: &mut Budget) -> Result<bool, Stopped> {
        self.open(cells);
        let is_single = cells.count_ones() == 1;
        let (solutions, limit) = if is_single {
            let cell = cells.trailing_zeros() as usize;
            self.candidates[cell] = ALL & !(1 << self.digits[cell]);
            let found = self.count_to(1, budget);
            self.candidates[cell] = ALL;
            (found?, 0)
        } else {
            (self.count_to(2, budget)?, 1)
        };
        if solutions > limit {
            self.close(cells);
        }
        Ok(solutions == limit)
    }

    /// Whether every clue by itself is needed.
    pub fn is_minimal(&mut self, budget: &mut Budget) -> Result<bool, Stopped> {
        let mut clues = self.clues;
        while clues != 0 {
            let clue = clues & clues.wrapping_neg();
            if self.can_go(clue, budget)? {
                self.close(clue);
                return Ok(false);
            }
            clues &= clues - 1;
        }
        Ok(true)
    }

    /// Makes one of these groups of cells clues such that the grid is the only solution, if one of them can do that:
    /// the first that does. A group does if all other solutions differ from the grid in it; so every other solution
    /// that comes up rules out all groups in which it does not, and a few searches do for all groups.
    pub fn decide(&mut self, groups: &mut Vec<Cells>, budget: &mut Budget) -> Result<Option<Cells>, Stopped> {
        while let Some(group) = groups.pop() {
            self.close(group);
            let (digits, mut is_alone) = (&self.digits, true);
            let found = self.solver.search(&self.candidates, 2, budget, &mut |solution| {
                if solution != digits {
                    is_alone = false;
                    let differing = differing(solution, digits);
                    groups.retain(|group| group & differing != 0);
                }
            });
            if found.stopped.is_none() && is_alone {
                return Ok(Some(group));
            }
            self.open(group);
            found.stopped.map_or(Ok(()), Err)?;
        }
        Ok(None)
    }

    fn count_to(&mut self, limit: u64, budget: &mut Budget) -> Result<u64, Stopped> {
        let found = self.solver.count(&self.candidates, limit, budget);
        found.stopped.map_or(Ok(found.solutions), Err)
    }

    /// Makes clues of these cells no longer, whatever solutions that adds.
    pub fn open(&mut self, cells: Cells) {
        self.clues &= !cells;
        each(cells & BOARD, |cell| self.candidates[cell] = ALL);
    }

    /// Makes clues of these cells.
    pub fn close(&mut self, cells: Cells) {
        self.clues |= cells;
        each(cells, |cell| self.candidates[cell] = 1 << self.digits[cell]);
    }
}

/// The cells in which two grids differ.
fn differing(one: &Digits, other: &Digits) -> Cells {
    (0..81).fold(0, |cells, cell| cells | Cells::from(one[cell] != other[cell]) << cell)
}

/// Each cell of a set, in reading order.
pub fn each(mut cells: Cells, mut visit: impl FnMut(usize)) {
    while cells != 0 {
        visit(cells.trailing_zeros() as usize);
        cells &= cells - 1;
    }
}
