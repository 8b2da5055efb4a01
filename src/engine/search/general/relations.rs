//! Relations between a few cells: every cage is one, every linear fact too. How each is kept, and what follows.
//!
//! | kept as | when | what follows |
//! |---|---|---|
//! | rows | few enough ways to fill it | exactly what any row still allows |
//! | combinations | the digits differ, and there are few enough sets of them | the digits of the sets left |
//! | bounds | otherwise | what the smallest and largest digits allow; exact once few ways are left |
//!
//! Rows and combinations that are out stand behind those that are left, so that undoing restores a number.

use super::domains::Domains;
use super::fill::{Rule, Slots};
use super::{Halt, bounds, combinations, rows};

/// How a relation is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// Not at all, yet.
    Unbuilt,
    /// `words` words a row, from `rows[start]` on; the digits of each row in `sets`, if it has them.
    Rows { start: u32, words: u8, sets: Option<u32> },
    /// Sets of digits from `sets[start]` on.
    Combinations { start: u32 },
    /// The rule alone.
    Bounds,
}

/// One relation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relation {
    /// Its cells are `cells[first_cell..first_cell + count]`.
    pub first_cell: u32,
    pub count: u16,
    pub rule: Rule,
    /// All its digits differ.
    pub distinct: bool,
    /// Derived, not asked: a cage says it already, less plainly.
    pub is_fact: bool,
    pub kept: Kept,
}

/// All relations, and their tables.
#[derive(Default)]
pub(super) struct Relations {
    pub list: Vec<Relation>,
    pub cells: Vec<u16>,
    /// One bit a cell: the digits of a row side by side, `64 / size` cells a word.
    pub rows: Vec<u64>,
    /// Digits of a row, or of a combination.
    pub sets: Vec<u32>,
}

impl Relations {
    /// Takes a relation in; it is [`Kept::Unbuilt`].
    pub fn push(&mut self, cells: impl IntoIterator<Item = u16>, rule: Rule, distinct: bool, is_fact: bool) {
        let first_cell = self.cells.len() as u32;
        self.cells.extend(cells);
        let count = (self.cells.len() as u32 - first_cell) as u16;
        self.list.push(Relation { first_cell, count, rule, distinct, is_fact, kept: Kept::Unbuilt });
    }

    /// The cells of a relation.
    pub fn cells_of(&self, id: u16) -> &[u16] {
        let relation = &self.list[id as usize];
        &self.cells[relation.first_cell as usize..relation.first_cell as usize + relation.count as usize]
    }

    /// The cells of every relation.
    pub fn all_cells(&self) -> impl Iterator<Item = &[u16]> + Clone {
        (0..self.list.len() as u16).map(|id| self.cells_of(id))
    }

    /// Draws what follows from one relation now. Returns the units of work it took.
    pub fn propagate(&mut self, id: u16, domains: &mut Domains<'_>) -> Result<u64, Halt> {
        let relation = self.list[id as usize];
        let range = relation.first_cell as usize..relation.first_cell as usize + relation.count as usize;
        let cells = &self.cells[range];
        // Rows say all they can at once; nobody need wake them for what they have said themselves.
        domains.allow_wake(id, !matches!(relation.kept, Kept::Rows { .. }));
        let result = match relation.kept {
            Kept::Unbuilt => Ok(0),
            Kept::Rows { start, words, sets } => {
                let live = domains.live[id as usize] as usize;
                let rows = &mut self.rows[start as usize..start as usize + live * words as usize];
                let sets = sets.map(|sets| &mut self.sets[sets as usize..sets as usize + live]);
                rows::propagate(domains, id, cells, rows, sets)
            }
            Kept::Combinations { start } => {
                let live = domains.live[id as usize] as usize;
                let sets = &mut self.sets[start as usize..start as usize + live];
                combinations::propagate(domains, id, cells, sets)
            }
            Kept::Bounds => bounds::propagate(domains, cells, relation.rule, relation.distinct),
        };
        domains.allow_wake(id, true);
        if let Err(Halt::Conflict) = result {
            domains.blame(cells.iter().copied());
        }
        result
    }
}

/// Cells as slots to be filled: who differs from whom is read off the houses.
pub(super) fn slots_of(domains: &Domains<'_>, cells: &[u16], distinct: bool) -> Slots {
    let mut slots = Slots { count: cells.len(), ..Slots::EMPTY };
    for (at, &cell) in cells.iter().enumerate() {
        slots.candidates[at] = domains.of(cell);
        for (earlier, &other) in cells[..at].iter().enumerate() {
            if distinct || domains.houses_of(cell) & domains.houses_of(other) != 0 {
                slots.differs_from[at] |= 1 << earlier;
            }
        }
    }
    slots
}

/// Digits that the cells of a relation must hold: where all places of one lie in a house, the rest of that
/// house is without it.
pub(super) fn lock_needed(domains: &mut Domains<'_>, cells: &[u16], needed: u32) -> Result<(), Halt> {
    let mut digits = needed;
    while digits != 0 {
        let digit = digits & digits.wrapping_neg();
        digits &= digits - 1;
        let mut common = u128::MAX;
        for &cell in cells {
            if domains.of(cell) & digit != 0 {
                common &= domains.houses_of(cell);
            }
        }
        if common != 0 && common != u128::MAX {
            domains.leave_rest(common, digit, |_, cell| cells.contains(&cell))?;
        }
    }
    Ok(())
}
