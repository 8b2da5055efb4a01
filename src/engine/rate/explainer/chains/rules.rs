//! What other rules remove from a board on which an assumption has run out: intersections, pairs, X-Wings, and
//! from level 2 on chains. The first rule that finds anything new is the last one asked.

use super::super::board::{Board, HOUSE_CELLS, SHARED, bits};
use super::super::direct::{hidden_sets, locked};
use super::super::indirect::{fish, fish_removals, naked_sets};
use super::chase::{Mode, Removal, Removals, store};
use super::found::Finds;
use super::links::{Literal, literal};
use super::run::Run;
use super::sieve::{self, Marks, State};
use super::{Chains, multiple, single};
use crate::engine::budget::{Budget, Stopped};

/// Collects removals of one run.
struct Gather<'a> {
    run: &'a Run,
    removals: Removals,
}

impl Gather<'_> {
    /// Takes what a pattern removes, if it needs something that went in the run: otherwise it was there before.
    fn take(&mut self, missing: &[Literal], removed: &[(u8, u16)], nested: Option<u32>) {
        let start = self.removals.parents.len() as u32;
        let nodes = missing.iter().map(|&gone| self.run.node_of(gone).expect("what went is said in the run"));
        self.removals.parents.extend(nodes);
        let parents = start..self.removals.parents.len() as u32;
        for &(cell, mask) in removed {
            for digit in bits(mask) {
                let literal = literal(usize::from(cell), digit, false);
                self.removals.list.push(Removal { literal, parents: parents.clone(), nested });
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.removals.list.is_empty()
    }
}

/// What the first rule that removes anything removes, in order.
pub fn removals(
    chains: &mut Chains,
    board: &mut Board,
    source: &Board,
    run: &Run,
    level: u8,
    budget: &mut Budget,
) -> Result<Removals, Stopped> {
    let mut gather = Gather { run, removals: Removals::default() };
    let patterns: [fn(&Board, &Board, &mut Gather<'_>); 4] =
        [intersections, hidden_pairs, naked_pairs, x_wings];
    budget.spend(20)?;
    for pattern in patterns {
        pattern(board, source, &mut gather);
        if !gather.is_empty() {
            return Ok(gather.removals);
        }
    }
    if (2..4).contains(&level) {
        chained(chains, board, source, &mut gather, None, budget)?;
    }
    if level == 3 && gather.is_empty() {
        chained(chains, board, source, &mut gather, Some(Mode::MULTIPLE), budget)?;
    }
    if level >= 4 {
        chained(chains, board, source, &mut gather, Some(Mode::dynamic(0)), budget)?;
    }
    if level >= 5 && gather.is_empty() {
        chained(chains, board, source, &mut gather, Some(Mode::dynamic(level - 3)), budget)?;
    }
    Ok(gather.removals)
}

/// What went from a house.
fn gone(board: &Board, source: &Board, house: usize, digit: usize) -> u16 {
    source.places[house][digit] & !board.places[house][digit]
}

fn off_at(house: usize, place: usize, digit: usize) -> Literal {
    literal(usize::from(HOUSE_CELLS[house][place]), digit, false)
}

fn sort(removed: &mut [(u8, u16)]) {
    removed.sort_unstable_by_key(|(cell, _)| *cell);
}

fn intersections(board: &Board, source: &Board, gather: &mut Gather<'_>) {
    for (house, other, digit) in locked(board) {
        let places = board.places[other][digit] & !SHARED[other][house];
        let gone = gone(board, source, house, digit) & !SHARED[house][other];
        if places == 0 || gone == 0 {
            continue;
        }
        let missing: Vec<Literal> = bits(gone).map(|place| off_at(house, place, digit)).collect();
        let removed: Vec<(u8, u16)> =
            bits(places).map(|place| (HOUSE_CELLS[other][place], 1 << digit)).collect();
        gather.take(&missing, &removed, None);
    }
}

fn hidden_pairs(board: &Board, source: &Board, gather: &mut Gather<'_>) {
    for (house, digits, places) in hidden_sets(board, 2, 4) {
        let removed = bits(places).map(|place| {
            let cell = HOUSE_CELLS[house][place];
            (cell, board.candidates[usize::from(cell)] & !digits)
        });
        let mut removed: Vec<(u8, u16)> = removed.filter(|(_, mask)| *mask != 0).collect();
        let missing = bits(0x1ff & !places).flat_map(|place| {
            bits(digits)
                .filter(move |&digit| source.places[house][digit] >> place & 1 != 0)
                .map(move |digit| off_at(house, place, digit))
        });
        let missing: Vec<Literal> = missing.collect();
        if !removed.is_empty() && !missing.is_empty() {
            sort(&mut removed);
            gather.take(&missing, &removed, None);
        }
    }
}

fn naked_pairs(board: &Board, source: &Board, gather: &mut Gather<'_>) {
    for (house, places, digits) in naked_sets(board, 2) {
        let removed = bits(0x1ff & !places).map(|place| {
            let cell = HOUSE_CELLS[house][place];
            (cell, board.candidates[usize::from(cell)] & digits)
        });
        let mut removed: Vec<(u8, u16)> = removed.filter(|(_, mask)| *mask != 0).collect();
        let missing = bits(places).flat_map(|place| {
            let cell = usize::from(HOUSE_CELLS[house][place]);
            bits(source.candidates[cell] & !digits).map(move |digit| literal(cell, digit, false))
        });
        let missing: Vec<Literal> = missing.collect();
        if !removed.is_empty() && !missing.is_empty() {
            sort(&mut removed);
            gather.take(&missing, &removed, None);
        }
    }
}

fn x_wings(board: &Board, source: &Board, gather: &mut Gather<'_>) {
    for fish in fish(board, 2) {
        let mut removed = fish_removals(board, &fish);
        let missing = bits(fish.lines).flat_map(|line| {
            let house = fish.base + line;
            let outside = gone(board, source, house, fish.digit) & !fish.covers;
            bits(outside).map(move |place| off_at(house, place, fish.digit))
        });
        let missing: Vec<Literal> = missing.collect();
        if !removed.is_empty() && !missing.is_empty() {
            sort(&mut removed);
            gather.take(&missing, &removed, None);
        }
    }
}

/// What chains on the board as it is now remove: single ones without a mode.
fn chained(
    chains: &mut Chains,
    board: &mut Board,
    source: &Board,
    gather: &mut Gather<'_>,
    mode: Option<Mode>,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    let mut ledger = chains.take_ledger();
    let mut finds = Finds::new(true);
    match mode {
        None => single::find(chains, board, &mut ledger, &mut finds, budget)?,
        Some(mode) => {
            let marks = match mode.is_dynamic {
                true => sieve::sweep(board, &State::new(board), mode, budget)?,
                false => Marks::of_fixed(board),
            };
            multiple::find(chains, board, (mode, &marks), &mut ledger, &mut finds, budget)?;
        }
    }
    let mut taken = [0u16; 81];
    let mut missing = Vec::new();
    for found in finds.sorted() {
        budget.spend(5)?;
        // A candidate that an easier chain removes is not removed again.
        let mut removed = found.hint.removals.clone();
        removed.retain_mut(|(cell, mask)| {
            *mask &= !taken[usize::from(*cell)];
            *mask != 0
        });
        if removed.is_empty() {
            continue;
        }
        found.missing(source, board, &mut ledger, &mut missing);
        if missing.is_empty() {
            continue;
        }
        sort(&mut removed);
        removed.iter().for_each(|&(cell, mask)| taken[usize::from(cell)] |= mask);
        let nested = store(&mut chains.nested, found.nest(&mut ledger));
        gather.take(&missing, &removed, Some(nested));
    }
    chains.give_ledger(ledger);
    Ok(())
}
