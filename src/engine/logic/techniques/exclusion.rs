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
use crate::engine::logic::{
    Argument, CellSet, Conclusion, Lemma, Literal, MAX_SIZE, Mark, Premise, Proof, Role,
};
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
    sink.spend(1 + (bases.len() * bases.len()) as u64 / 8)?;
    let all: CellSet = bases.iter().map(|(cell, _)| *cell).collect();
    let mut pairs: Vec<(Cell, Cell)> = Vec::new();
    for base in &bases {
        let others = all & excluded_with(context, base);
        pairs.extend(others.iter().map(|other| (base.0.min(other), base.0.max(other))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    for (one, other) in pairs {
        let [seen, also_seen] = [one, other].map(|cell| excluders_of(&bases, cell));
        let excluders = seen & also_seen;
        if excluders.is_several() {
            find(context, sink, &[one, other], excluders)?;
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

/// What a base sees of the excluders; the cell is one.
fn excluders_of(bases: &[(Cell, CellSet)], cell: Cell) -> CellSet {
    let place = bases.binary_search_by_key(&cell, |(base, _)| *base);
    bases[place.expect("only bases are asked for")].1
}

/// The cells with which a base could not be filled with some of its candidates: each candidate of theirs it sees, or
/// would empty with it an excluder of these two digits, if that sees both.
fn excluded_with(context: &Context<'_>, &(base, seen): &(Cell, CellSet)) -> CellSet {
    let mut excluded = CellSet::EMPTY;
    for digit in context.candidates(base) {
        // By digit, the cells that see an excluder of it and this one.
        let mut barred = [CellSet::EMPTY; MAX_SIZE];
        let mut digits = DigitSet::EMPTY;
        for excluder in seen & context.spots(digit) {
            for other in context.candidates(excluder) - DigitSet::single(digit) {
                barred[other.index()] |= context.peers(excluder);
                digits.insert(other);
            }
        }
        if digits.is_empty() {
            continue;
        }
        barred[digit.index()] = context.peers(base);
        digits.insert(digit);
        let allowed = |digit: Digit| context.spots(digit) - barred[digit.index()];
        let around = digits.iter().fold(CellSet::EMPTY, |around, digit| around | barred[digit.index()]);
        excluded |= context.puzzle().digits().iter().fold(around, |left, digit| left - allowed(digit));
    }
    excluded.remove(base);
    excluded
}

fn is_aligned(context: &Context<'_>, cells: [Cell; 3]) -> bool {
    let all: CellSet = cells.into_iter().collect();
    cells.iter().any(|&cell| context.candidates(cell).len() <= 3 && context.peers(cell).meets(all))
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
                    let pairs = excluders.iter().map(|cell| (cell, context.candidates(cell))).collect();
                    let base = Base { context: &context, cells: &[one, other], excluders: pairs };
                    let has_all = base.meet(&mut Vec::new(), &mut [DigitSet::EMPTY; 2]);
                    let is_excluded = excluded_with(&context, &(one, seen)).contains(other)
                        || excluded_with(&context, &(other, also_seen)).contains(one);
                    assert_eq!(is_excluded, !has_all);
                    count += usize::from(!has_all);
                }
            }
        }
        assert!(count > 5, "{count}");
    }
}
