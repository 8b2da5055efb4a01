//! Aligned exclusion: two or three cells whose every common filling with some candidate leaves nothing to a cell
//! that sees them all, or puts a digit twice where cells differ.
//!
//! ```text
//!  base ? ? | ab  bc     with a and b in the base the first of these has nothing left, with b and c the second
//! ```

use std::ops::ControlFlow;

use smallvec::smallvec;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Argument, CellSet, Conclusion, Lemma, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet};

/// Aligned pair exclusion.
pub const ALIGNED_PAIR: Technique = Technique {
    slug: "aligned-pair-exclusion",
    name: Text { en: "Aligned pair exclusion", zh: "对齐数对排除" },
    level: Level::Unfair,
    score: 280,
    needs: Needs::NONE,
    on_path: true,
    find: aligned_pair,
    sentence: Text {
        en: "whatever {pattern} hold together, each of {reason} must keep a digit; no such filling has {target}, so it can go",
        zh: "无论 {pattern} 如何同时填写，{reason} 各格都须留下可填的数字；没有一种填法用到 {target}，因此删去",
    },
    lesson: Text {
        en: "try all ways to fill {pattern} together: a way is out if cells that see each other hold the same digit, or if one of {reason}, which see them all, loses its last candidate; the ways that are left never use {target}, so it can go",
        zh: "把 {pattern} 的各种填法逐一试过：互相看到的格填同一数字，或使看到它们全部的 {reason} 之一没有候选数的，都不成立；剩下的填法从不用到 {target}，因此删去",
    },
};

/// Aligned triplet exclusion.
pub const ALIGNED_TRIPLET: Technique = Technique {
    slug: "aligned-triplet-exclusion",
    name: Text { en: "Aligned triplet exclusion", zh: "对齐三格排除" },
    score: 400,
    on_path: false,
    find: aligned_triplet,
    ..ALIGNED_PAIR
};

/// Two cells, and two cells or more of two digits that see both.
pub fn aligned_pair(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let bases = bases(context, 2);
    let mut later: CellSet = bases.iter().map(|(cell, _)| *cell).collect();
    for &(one, seen) in &bases {
        sink.spend(bases.len() as u64 / 8)?;
        later.remove(one);
        for other in seen_twice(context, seen) & later {
            let excluders = seen & context.peers(other);
            if excludes_any(context, [one, other], excluders) {
                find(context, sink, &[one, other], excluders)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Three cells, of which one has two or three digits and sees another; and two cells or more of two or three digits
/// that see all.
pub fn aligned_triplet(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let bases = bases(context, 3);
    for (index, &(one, seen)) in bases.iter().enumerate() {
        for (offset, &(other, also_seen)) in bases.iter().enumerate().skip(index + 1) {
            let both = seen & also_seen;
            if both.len() < 2 {
                continue;
            }
            sink.spend(1 + bases.len() as u64 / 8)?;
            for &(third, seen_too) in &bases[offset + 1..] {
                let excluders = both & seen_too;
                if excluders.len() >= 2 && is_aligned(context, [one, other, third]) {
                    find(context, sink, &[one, other, third], excluders)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Open cells of two digits or more, each with the cells it sees that have two at least and so many at most.
fn bases(context: &Context<'_>, count: usize) -> Vec<(Cell, CellSet)> {
    let has = |cell: Cell| context.candidates(cell).len();
    let excluders: CellSet = context.open().iter().filter(|&cell| (2..=count).contains(&has(cell))).collect();
    let bases = context.open().iter().filter(|&cell| has(cell) >= 2);
    bases
        .map(|cell| (cell, excluders & context.peers(cell)))
        .filter(|(_, excluders)| excluders.len() >= 2)
        .collect()
}

/// The cells that see two of these or more.
fn seen_twice(context: &Context<'_>, cells: CellSet) -> CellSet {
    let (mut once, mut twice) = (CellSet::EMPTY, CellSet::EMPTY);
    for cell in cells {
        twice |= once & context.peers(cell);
        once |= context.peers(cell);
    }
    twice
}

fn is_aligned(context: &Context<'_>, cells: [Cell; 3]) -> bool {
    let all: CellSet = cells.into_iter().collect();
    cells.iter().any(|&cell| context.candidates(cell).len() <= 3 && context.peers(cell).meets(all))
}

/// Whether some candidate of two cells goes with none of the other: each of these it sees, or would empty with it an
/// excluder of these two digits.
fn excludes_any(context: &Context<'_>, cells: [Cell; 2], excluders: CellSet) -> bool {
    let [one, other] = cells.map(|cell| context.candidates(cell));
    let pairs = || excluders.iter().map(|cell| context.candidates(cell));
    let in_pairs = pairs().fold(DigitSet::EMPTY, |all, pair| all | pair);
    // What goes with all digits that pairs have is excluded by none.
    let are_several = |digits: DigitSet| digits.bits() & digits.bits().wrapping_sub(1) != 0;
    if are_several(one - in_pairs) && are_several(other - in_pairs) {
        return false;
    }
    let sees = context.peers(cells[0]).contains(cells[1]);
    let excludes = |digit: Digit, others: DigitSet| {
        let barred =
            pairs().filter(|pair| pair.contains(digit)).fold(DigitSet::EMPTY, |all, pair| all | pair);
        // Of a pair the digit itself is barred only where the cells see each other.
        let barred = if sees { barred | DigitSet::single(digit) } else { barred - DigitSet::single(digit) };
        barred.contains_all(others)
    };
    one.iter().any(|digit| excludes(digit, other)) || other.iter().any(|digit| excludes(digit, one))
}

/// Looks at every way to fill the cells.
fn find(context: &Context<'_>, sink: &mut Sink<'_>, cells: &[Cell], excluders: CellSet) -> Flow {
    sink.spend(1)?;
    let union = cells.iter().fold(DigitSet::EMPTY, |union, &cell| union | context.candidates(cell));
    let mut base = Base { context, cells, excluders: Vec::new() };
    for cell in excluders {
        let digits = context.candidates(cell);
        // A cell that no way can empty excludes nothing, and of two alike the first will do.
        if union.contains_all(digits) && base.excluders.iter().all(|(_, other)| *other != digits) {
            base.excluders.push((cell, digits));
        }
    }
    if base.excluders.is_empty() {
        return ControlFlow::Continue(());
    }
    let mut met = vec![DigitSet::EMPTY; cells.len()];
    if base.meet(&mut Vec::new(), &mut met) {
        return ControlFlow::Continue(());
    }
    base.push(sink, &met)
}

/// The cells to be filled, and those that must keep a digit.
struct Base<'c> {
    context: &'c Context<'c>,
    cells: &'c [Cell],
    excluders: Vec<(Cell, DigitSet)>,
}

impl Base<'_> {
    /// Notes the digits of all ways that go on from these; true once every candidate has been met.
    fn meet(&self, held: &mut Vec<Digit>, met: &mut [DigitSet]) -> bool {
        let place = held.len();
        if place == self.cells.len() {
            let all: DigitSet = held.iter().copied().collect();
            if !self.excluders.iter().any(|(_, digits)| all.contains_all(*digits)) {
                for (met, &digit) in met.iter_mut().zip(held.iter()) {
                    met.insert(digit);
                }
            }
            return met.iter().zip(self.cells).all(|(met, &cell)| *met == self.context.candidates(cell));
        }
        for digit in self.context.candidates(self.cells[place]) {
            let clashes = |(other, &held): (usize, &Digit)| {
                held == digit && self.context.peers(self.cells[other]).contains(self.cells[place])
            };
            if held.iter().enumerate().any(clashes) {
                continue;
            }
            held.push(digit);
            let is_done = self.meet(held, met);
            held.pop();
            if is_done {
                return true;
            }
        }
        false
    }

    /// One step for all that is not met, with a lemma for each candidate.
    fn push(&self, sink: &mut Sink<'_>, met: &[DigitSet]) -> Flow {
        let mut conclusions = Vec::new();
        let mut lemmas = Vec::new();
        let mut reasons = CellSet::EMPTY;
        for (place, &cell) in self.cells.iter().enumerate() {
            for digit in self.context.candidates(cell) - met[place] {
                let others: Vec<Cell> = self.cells.iter().copied().filter(|&other| other != cell).collect();
                let Some((fillers, excluders)) = self.grounds(cell, digit, &others) else { continue };
                reasons |= excluders.iter().copied().collect();
                let premises = fillers.into_iter().chain(excluders).map(Premise::Cell).collect();
                let claims = smallvec![smallvec![Literal::is_not(cell, digit)]];
                lemmas.push(Lemma { claims, argument: Argument::Conflict { premises, uses: Vec::new() } });
                conclusions.push(Conclusion::Eliminate(cell, digit));
            }
        }
        if reasons.is_empty() {
            return ControlFlow::Continue(());
        }
        let marks = vec![
            Mark::cells(Role::Pattern, self.cells.iter().copied().collect()),
            Mark::cells(Role::Reason, reasons),
        ];
        sink.push(conclusions, marks, Proof { lemmas: lemmas.into() })
    }

    /// The other cells that need be filled, and the excluders that leave none of the ways: one other cell if it will
    /// do.
    fn grounds(&self, cell: Cell, digit: Digit, others: &[Cell]) -> Option<(Vec<Cell>, Vec<Cell>)> {
        let alone = others.iter().map(std::slice::from_ref);
        alone.chain([others]).find_map(|fillers| {
            let mut ways = Vec::new();
            self.collect(&mut vec![(cell, digit)], fillers, &mut ways);
            let blockers = |all: DigitSet| {
                let blocks = move |place: &usize| all.contains_all(self.excluders[*place].1);
                (0..self.excluders.len()).filter(blocks)
            };
            let all_block = ways.iter().all(|&all| blockers(all).next().is_some());
            if !all_block {
                return None;
            }
            let mut needed: Vec<usize> = (0..self.excluders.len()).collect();
            for place in 0..self.excluders.len() {
                let without: Vec<usize> = needed.iter().copied().filter(|&other| other != place).collect();
                if ways.iter().all(|&all| blockers(all).any(|blocker| without.contains(&blocker))) {
                    needed = without;
                }
            }
            Some((fillers.to_vec(), needed.into_iter().map(|place| self.excluders[place].0).collect()))
        })
    }

    /// The digits of all ways in which no two cells clash.
    fn collect(&self, held: &mut Vec<(Cell, Digit)>, fillers: &[Cell], ways: &mut Vec<DigitSet>) {
        let Some((&cell, rest)) = fillers.split_first() else {
            ways.push(held.iter().map(|(_, digit)| *digit).collect());
            return;
        };
        for digit in self.context.candidates(cell) {
            let clashes =
                |&(other, held): &(Cell, Digit)| held == digit && self.context.peers(other).contains(cell);
            if !held.iter().any(clashes) {
                held.push((cell, digit));
                self.collect(held, rest, ways);
                held.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Against trying every way to fill two cells.
    #[test]
    fn excludes_what_no_way_has() {
        let mut count = 0;
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let bases = bases(&context, 2);
            for (index, &(one, seen)) in bases.iter().enumerate() {
                for &(other, also_seen) in &bases[index + 1..] {
                    let excluders = seen & also_seen;
                    assert_eq!(seen_twice(&context, seen).contains(other), excluders.is_several());
                    let pairs = excluders.iter().map(|cell| (cell, context.candidates(cell))).collect();
                    let base = Base { context: &context, cells: &[one, other], excluders: pairs };
                    let has_all = base.meet(&mut Vec::new(), &mut [DigitSet::EMPTY; 2]);
                    assert_eq!(excludes_any(&context, [one, other], excluders), !has_all);
                    count += usize::from(!has_all);
                }
            }
        }
        assert!(count > 5, "{count}");
    }
}
