//! Death blossom: a cell (the stem) and, for each of its digits, an almost locked set (a petal) that loses it to the
//! stem.
//!
//! ```text
//!  stem abc     a takes a from petal A, b takes b from petal B, c takes c from petal C:
//!               one petal is locked, and if z is in all of them, it holds a z
//! ```

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::super::counting::Counting;
use crate::engine::logic::als::{AlsBook, ones};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, MAX_SIZE, Mark, Role};
use crate::puzzle::{Cell, Digit, DigitSet};

/// Death blossom.
pub const DEATH_BLOSSOM: Technique = Technique {
    slug: "death-blossom",
    name: Text { en: "Death blossom", zh: "死亡绽放" },
    level: Level::Unfair,
    score: 360,
    needs: Needs::NONE,
    on_path: true,
    find: death_blossom,
    sentence: Text {
        en: "whatever {pivot} holds, it takes it from one of the almost locked sets {set}, which is then locked with {digits}, so {target} can go",
        zh: "无论 {pivot} 填什么，待定数组 {set} 之一都会失去该数而被锁定，从而含有 {digits}，因此删去 {target}",
    },
    lesson: Text {
        en: "{set} are almost locked sets: each lacks just one of its digits; for every digit that {pivot} may hold there is one of them in which all places for that digit see {pivot}; whatever {pivot} holds, such a set lacks it and holds all its others, {digits} among them; what sees all places for that in all these sets cannot hold it, so {target} can go",
        zh: "{set} 是待定数组，各只缺一个数字；对 {pivot} 可能填的每个数，都有一组中该数的所有位置看到 {pivot}；无论 {pivot} 填什么，总有一组缺它而含有其余各数，其中包括 {digits}；同时看到这些组中该数所有位置的格不能填它，因此删去 {target}",
    },
};

/// More ways than this to choose petals are not gone through for one stem: a whole stem is left out, so that what is
/// found does not depend on the order.
const MAX_WAYS: usize = 4_000;

/// A digit that petals chosen so far have in common, and the cells that see all its places in them.
type Victims = Vec<(Digit, CellSet)>;

/// A stem and a petal for each of its digits.
pub fn death_blossom(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let book = context.als();
    for stem in context.open() {
        sink.spend(1)?;
        let digits = context.candidates(stem);
        if digits.len() < 2 || digits.iter().any(|digit| book.hits(digit, stem).iter().all(|&row| row == 0)) {
            continue;
        }
        if is_promising(context, book, sink, stem)? {
            Stem { context, book, stem, digits }.grow(sink)?;
        }
    }
    ControlFlow::Continue(())
}

/// Whether some candidate elsewhere is seen by a petal of each digit.
fn is_promising(
    context: &Context<'_>,
    book: &AlsBook,
    sink: &mut Sink<'_>,
    stem: Cell,
) -> ControlFlow<(), bool> {
    let digits = context.candidates(stem);
    let elsewhere = context.open() - CellSet::single(stem);
    // Digits that all petals so far may have in common, and where.
    let mut others = context.puzzle().digits() - digits;
    let mut left = [elsewhere; MAX_SIZE];
    for of_stem in digits {
        // By digit, what the petals of this one exclude.
        let mut excluded = [CellSet::EMPTY; MAX_SIZE];
        for petal in ones(book.hits(of_stem, stem)) {
            sink.spend(1)?;
            for digit in book.sets()[petal].digits & others {
                excluded[digit.index()] |= book.view(petal, digit).seers;
            }
        }
        for digit in others {
            left[digit.index()] &= excluded[digit.index()];
            if left[digit.index()].is_empty() {
                others -= DigitSet::single(digit);
            }
        }
        if others.is_empty() {
            return ControlFlow::Continue(false);
        }
    }
    ControlFlow::Continue(true)
}

struct Stem<'a> {
    context: &'a Context<'a>,
    book: &'a AlsBook,
    stem: Cell,
    digits: DigitSet,
}

impl Stem<'_> {
    /// Chooses petals digit by digit; of choices that exclude the same so far, the first is kept.
    fn grow(&self, sink: &mut Sink<'_>) -> Flow {
        let mut ways: Vec<(Victims, Vec<usize>)> = vec![(self.all_victims(), Vec::new())];
        for digit in self.digits {
            let petals = self.petals(digit);
            let mut seen = HashSet::new();
            let mut grown = Vec::new();
            for (victims, chosen) in &ways {
                sink.spend(petals.len() as u64)?;
                for (of_petal, petal) in &petals {
                    let left = meet(victims, of_petal);
                    if !left.is_empty() && seen.insert(left.clone()) {
                        let mut chosen = chosen.clone();
                        chosen.push(*petal);
                        grown.push((left, chosen));
                    }
                }
            }
            if grown.len() > MAX_WAYS {
                return ControlFlow::Continue(());
            }
            ways = grown;
        }
        ways.iter().try_for_each(|(victims, petals)| self.push(sink, victims, petals))
    }

    /// Every digit that the stem does not hold, wherever it stands.
    fn all_victims(&self) -> Victims {
        let digits = self.context.puzzle().digits() - self.digits;
        digits.iter().map(|digit| (digit, self.context.spots(digit))).collect()
    }

    /// The sets that lose a digit to the stem, with what they exclude then; of those that exclude the same, one.
    fn petals(&self, digit: Digit) -> Vec<(Victims, usize)> {
        let mut seen = HashSet::new();
        let mut petals = Vec::new();
        for petal in ones(self.book.hits(digit, self.stem)) {
            let others = self.book.sets()[petal].digits - self.digits;
            let victims = others.iter().map(|other| (other, self.book.view(petal, other).seers));
            let victims: Victims = victims.filter(|(_, seers)| !seers.is_empty()).collect();
            if !victims.is_empty() && seen.insert(victims.clone()) {
                petals.push((victims, petal));
            }
        }
        petals
    }

    fn push(&self, sink: &mut Sink<'_>, victims: &Victims, petals: &[usize]) -> Flow {
        let mut conclusions = Vec::new();
        for &(digit, cells) in victims {
            conclusions.extend(cells.iter().map(|cell| Conclusion::Eliminate(cell, digit)));
        }
        let mut counting = Counting::new(self.context);
        counting.count_cells(CellSet::single(self.stem));
        let mut marks = vec![Mark::cell(Role::Pivot, self.stem)];
        for (digit, &petal) in self.digits.iter().zip(petals) {
            let als = self.book.sets()[petal];
            counting.count_cells(als.cells);
            for of_petal in als.digits {
                let mut spots = self.book.view(petal, of_petal).spots;
                if of_petal == digit {
                    spots.insert(self.stem);
                }
                counting.link(of_petal, spots);
            }
            marks.push(Mark::cells(Role::Set, als.cells));
        }
        marks.push(Mark::digits(Role::Digits, victims.iter().map(|(digit, _)| *digit).collect()));
        let proof = counting.prove(&conclusions);
        sink.push(conclusions, marks, proof)
    }
}

/// What both exclude.
fn meet(one: &Victims, other: &Victims) -> Victims {
    let mut common = Vec::new();
    for &(digit, cells) in one {
        let Some((_, others)) = other.iter().find(|(of_other, _)| *of_other == digit) else { continue };
        if cells.meets(*others) {
            common.push((digit, cells & *others));
        }
    }
    common
}
