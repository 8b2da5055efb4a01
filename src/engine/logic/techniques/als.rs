//! Almost locked sets that restrict each other: of two that share a restricted common, one is locked.
//!
//! ```text
//!  A: abx abx x..      x in A sees every x in B, so one of the two has none and is locked: it holds its z's
//!  B: zx  .            z sees every z in A and in B: out
//! ```
//!
//! Sets may overlap; a restricted common never lies where they do.

pub mod blossom;
pub mod chains;

use std::ops::ControlFlow;

use super::counting::Counting;
use crate::engine::logic::als::{AlsBook, ones};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Mark, Role};
use crate::puzzle::{Cell, Digit, DigitSet};

/// ALS-XZ.
pub const ALS_XZ: Technique = Technique {
    slug: "als-xz",
    name: Text { en: "ALS-XZ", zh: "ALS-XZ 法则" },
    level: Level::Unfair,
    score: 300,
    needs: Needs::NONE,
    on_path: true,
    find: als_xz,
    sentence: Text {
        en: "{restricted} cannot stand in both almost locked sets {set}, so one of them is locked with {digits}, and {target} can go",
        zh: "{restricted} 不能同时出现在待定数组 {set} 中，因此其中一组被锁定而含 {digits}，可删去 {target}",
    },
    lesson: Text {
        en: "{set} are almost locked sets: each has one digit more than cells, so it holds all its digits but one; every place for {restricted} in one sees every place for it in the other, so one of the two lacks {restricted} and holds {digits}; what sees all places for that in both cannot hold it, so {target} can go",
        zh: "{set} 是待定数组：数字比格数多一个，因此只缺其中一个数字；一组中 {restricted} 的每个位置都看到另一组中它的每个位置，所以必有一组没有 {restricted}，从而含有 {digits}；同时看到两组中该数所有位置的格不能填它，因此删去 {target}",
    },
};

/// ALS-XZ, doubly linked.
pub const ALS_XZ_DOUBLE: Technique = Technique {
    slug: "als-xz-double",
    name: Text { en: "Doubly linked ALS-XZ", zh: "双强制 ALS-XZ" },
    level: Level::Unfair,
    score: 300,
    needs: Needs::NONE,
    on_path: true,
    find: als_xz_double,
    sentence: Text {
        en: "neither of {restricted} can stand in both almost locked sets {set}, so each of these lacks one of them and is locked with all its other digits, and {target} can go",
        zh: "{restricted} 都不能同时出现在待定数组 {set} 中，因此每组各缺其中一个而被锁定，可删去 {target}",
    },
    lesson: Text {
        en: "{set} are almost locked sets: each has one digit more than cells, so it holds all its digits but one; neither of {restricted} can stand in both, so each set lacks exactly one of these two and the other set holds it; all other digits of a set stand in it for certain, and {target} can go",
        zh: "{set} 是待定数组：数字比格数多一个，因此只缺其中一个数字；{restricted} 都不能同时出现在两组中，所以每组恰缺其一，而另一组含有它；各组其余的数字必定都在组内，因此删去 {target}",
    },
};

/// ALS-XY-wing.
pub const ALS_XY_WING: Technique = Technique {
    slug: "als-xy-wing",
    name: Text { en: "ALS-XY-wing", zh: "ALS-XY 翼" },
    level: Level::Unfair,
    score: 320,
    needs: Needs::NONE,
    on_path: true,
    find: als_xy_wing,
    sentence: Text {
        en: "the almost locked set {pivot} lacks at most one of {restricted}, so it takes the other from one of {set}, which is then locked with {digits}, and {target} can go",
        zh: "待定数组 {pivot} 至多缺 {restricted} 之一，因此另一个会使 {set} 之一失去它而被锁定，从而含有 {digits}，可删去 {target}",
    },
    lesson: Text {
        en: "{pivot} and both of {set} are almost locked sets: each lacks exactly one of its digits; {pivot} shares a restricted common ({restricted}) with each of the two, and it cannot lack both, so it takes one of them from its partner, which then holds {digits}; what sees all places for that in both of {set} cannot hold it, so {target} can go",
        zh: "{pivot} 与 {set} 都是待定数组，各只缺一个数字；{pivot} 与两组各有一个强制共有数（{restricted}），它不能两个都缺，所以必使 {set} 之一失去它的强制共有数，该组从而含有 {digits}；同时看到两组中该数所有位置的格不能填它，因此删去 {target}",
    },
};

/// Two sets with one restricted common, both of which a candidate takes a digit from.
pub fn als_xz(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let book = context.als();
    sink.spend(1 + book.sets().len() as u64)?;
    let aims = Aims::of(context, book);
    let mut hit_too = vec![0; book.words()];
    for one in ones(&aims.hit) {
        aims.collect_hit_with(one, &mut hit_too);
        book.each_linked_after(one, &hit_too, false, |other, restricted| {
            sink.spend(1)?;
            let (sets, barred) = ([one, other], restricted);
            let ends = Ends { sets, hubs: &[], restricted: &[restricted], barred };
            push_ends(context, book, sink, &ends)
        })?;
    }
    ControlFlow::Continue(())
}

/// Two sets with two restricted commons, one of which a candidate takes a digit from.
pub fn als_xz_double(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let book = context.als();
    sink.spend(1 + book.sets().len() as u64)?;
    let aims = Aims::of(context, book);
    if aims.rows.is_empty() {
        return ControlFlow::Continue(());
    }
    let all = vec![u64::MAX; book.words()];
    for one in 0..book.sets().len() {
        let among = if aims.hit[one / 64] & 1 << (one % 64) != 0 { &all } else { &aims.hit };
        book.each_linked_after(one, among, true, |other, restricted| {
            sink.spend(1)?;
            match restricted.len() {
                2 => push_double(context, book, sink, [one, other], restricted),
                _ => ControlFlow::Continue(()),
            }
        })?;
    }
    ControlFlow::Continue(())
}

/// What may be concluded from sets: the candidates that are doomed.
struct Aims<'b> {
    /// Of each, the sets that it takes its digit from.
    rows: Vec<&'b [u64]>,
    /// All these sets.
    hit: Vec<u64>,
}

impl<'b> Aims<'b> {
    fn of(context: &Context<'_>, book: &'b AlsBook) -> Aims<'b> {
        let mut aims = Aims { rows: Vec::new(), hit: vec![0; book.words()] };
        for (digit, &doomed) in context.puzzle().digits().iter().zip(book.doomed(context)) {
            aims.rows.extend(doomed.iter().map(|cell| book.hits(digit, cell)));
        }
        for row in &aims.rows {
            aims.hit.iter_mut().zip(*row).for_each(|(hit, row)| *hit |= row);
        }
        aims
    }

    /// The sets that some candidate takes its digit from which takes it from this one too.
    fn collect_hit_with(&self, set: usize, hit: &mut [u64]) {
        hit.fill(0);
        for row in self.rows.iter().filter(|row| row[set / 64] & 1 << (set % 64) != 0) {
            hit.iter_mut().zip(*row).for_each(|(hit, row)| *hit |= row);
        }
    }
}

/// Whether a digit is a restricted common of two sets.
fn is_linked(book: &AlsBook, one: usize, other: usize, digit: Digit) -> bool {
    book.links(book.view_id(one, digit))[other / 64] & (1 << (other % 64)) != 0
}

/// Two sets, one of which is locked, and why.
struct Ends<'a> {
    sets: [usize; 2],
    /// Sets between them, from the first to the second.
    hubs: &'a [usize],
    /// The restricted common of each set with the next, from the first over the hubs to the second.
    restricted: &'a [DigitSet],
    /// Digits that are not concluded from.
    barred: DigitSet,
}

/// Reports what sees a digit in both ends, if anything does.
fn push_ends(context: &Context<'_>, book: &AlsBook, sink: &mut Sink<'_>, ends: &Ends<'_>) -> Flow {
    let [one, other] = ends.sets;
    let conclusions = conclusions_of(book, ends.sets, ends.barred);
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    let seen: DigitSet = conclusions.iter().map(|conclusion| conclusion.digit()).collect();
    let all: Vec<usize> =
        std::iter::once(one).chain(ends.hubs.iter().copied()).chain(std::iter::once(other)).collect();
    let proof = count_chain(context, book, &all, ends.restricted).prove(&conclusions);
    let marks = marks_of(book, ends, seen);
    sink.push(conclusions, marks, proof)
}

/// What sees a digit in both sets, barred digits aside.
fn conclusions_of(book: &AlsBook, [one, other]: [usize; 2], barred: DigitSet) -> Vec<Conclusion> {
    let mut conclusions = Vec::new();
    for digit in (book.sets()[one].digits & book.sets()[other].digits) - barred {
        let gone = book.common_seers(one, other, digit);
        conclusions.extend(gone.iter().map(|cell| Conclusion::Eliminate(cell, digit)));
    }
    conclusions
}

fn marks_of(book: &AlsBook, ends: &Ends<'_>, seen: DigitSet) -> Vec<Mark> {
    let [one, other] = ends.sets;
    let mark = |role: Role, set: usize| Mark::cells(role, book.sets()[set].cells);
    let mut marks = vec![mark(Role::Set, one)];
    let hub = if ends.hubs.len() == 1 { Role::Pivot } else { Role::Set };
    marks.extend(ends.hubs.iter().map(|&set| mark(hub, set)));
    marks.push(mark(Role::Set, other));
    marks.extend(ends.restricted.iter().map(|&digits| Mark::digits(Role::Restricted, digits)));
    marks.push(Mark::digits(Role::Digits, seen));
    marks
}

/// Counts the cells of sets against their digits, each restricted common once for the two that share it.
fn count_chain<'a>(
    context: &'a Context<'a>,
    book: &AlsBook,
    sets: &[usize],
    restricted: &[DigitSet],
) -> Counting<'a> {
    let mut counting = Counting::new(context);
    for (place, &set) in sets.iter().enumerate() {
        let als = book.sets()[set];
        counting.count_cells(als.cells);
        let before = place.checked_sub(1).map_or(DigitSet::EMPTY, |before| restricted[before]);
        let after = restricted.get(place).copied().unwrap_or_default();
        for digit in als.digits - before {
            let mut spots = book.view(set, digit).spots;
            if after.contains(digit) {
                spots |= book.view(sets[place + 1], digit).spots;
            }
            counting.link(digit, spots);
        }
    }
    counting
}

fn push_double(
    context: &Context<'_>,
    book: &AlsBook,
    sink: &mut Sink<'_>,
    sets: [usize; 2],
    restricted: DigitSet,
) -> Flow {
    let [one, other] = sets;
    let [first, second] = sets.map(|set| book.sets()[set]);
    let mut conclusions = Vec::new();
    let mut exclude = |cells: CellSet, digit: Digit| {
        conclusions.extend(cells.iter().map(|cell| Conclusion::Eliminate(cell, digit)));
    };
    for digit in restricted {
        exclude(book.common_seers(one, other, digit), digit);
    }
    for digit in first.digits - restricted {
        exclude(book.view(one, digit).seers - second.cells, digit);
    }
    for digit in second.digits - restricted {
        exclude(book.view(other, digit).seers - first.cells, digit);
    }
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    conclusions.sort_unstable();
    conclusions.dedup();
    let proof = count_chain(context, book, &sets, &[restricted]).prove(&conclusions);
    let marks = vec![
        Mark::cells(Role::Set, first.cells),
        Mark::cells(Role::Set, second.cells),
        Mark::digits(Role::Restricted, restricted),
    ];
    sink.push(conclusions, marks, proof)
}

/// Two sets and a third between them.
pub fn als_xy_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let book = context.als();
    let mut wings = Wings { context, book, cleared: vec![0; book.words() * context.size()] };
    for (digit, &doomed) in context.puzzle().digits().iter().zip(book.doomed(context)) {
        for cell in doomed {
            wings.find_of(sink, cell, digit)?;
        }
    }
    ControlFlow::Continue(())
}

struct Wings<'a> {
    context: &'a Context<'a>,
    book: &'a AlsBook,
    /// By digit, the sets that a candidate would take the digit from, by way of a set that it takes its own from.
    cleared: Vec<u64>,
}

impl Wings<'_> {
    /// The wings that take a candidate. Each is reported with the first candidate that it takes.
    fn find_of(&mut self, sink: &mut Sink<'_>, cell: Cell, digit: Digit) -> Flow {
        let book = self.book;
        let hits = book.hits(digit, cell);
        sink.spend(1 + hits.len() as u64)?;
        if ones(hits).take(2).count() < 2 {
            return ControlFlow::Continue(());
        }
        self.cleared.fill(0);
        let words = book.words();
        for set in ones(hits) {
            for link in book.sets()[set].digits - DigitSet::single(digit) {
                let cleared = &mut self.cleared[link.index() * words..][..words];
                cleared
                    .iter_mut()
                    .zip(book.links(book.view_id(set, link)))
                    .for_each(|(all, links)| *all |= links);
            }
        }
        // Sets cleared of two digits would be short of one.
        for word in 0..words {
            let (mut once, mut twice) = (0, 0);
            for link in 0..self.context.size() {
                let bits = self.cleared[link * words + word];
                twice |= once & bits;
                once |= bits;
            }
            while twice != 0 {
                let hub = word * 64 + twice.trailing_zeros() as usize;
                twice &= twice - 1;
                self.find_with(sink, hub, (cell, digit))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn find_with(&self, sink: &mut Sink<'_>, hub: usize, (cell, digit): (Cell, Digit)) -> Flow {
        let book = self.book;
        let hits = book.hits(digit, cell);
        let restricted_with = |set: usize| -> DigitSet {
            let common = book.sets()[hub].digits & book.sets()[set].digits;
            common.iter().filter(|&link| is_linked(book, hub, set, link)).collect()
        };
        let mut partners: Vec<(usize, DigitSet)> = Vec::new();
        for set in ones(hits).filter(|&set| set != hub) {
            let restricted = restricted_with(set);
            if !restricted.is_empty() {
                partners.push((set, restricted));
            }
        }
        for (place, &(one, first)) in partners.iter().enumerate() {
            sink.spend(1)?;
            for &(other, second) in &partners[place + 1..] {
                self.push(sink, [one, hub, other], [first, second], (cell, digit))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn push(
        &self,
        sink: &mut Sink<'_>,
        [one, hub, other]: [usize; 3],
        [first, second]: [DigitSet; 2],
        found_by: (Cell, Digit),
    ) -> Flow {
        let book = self.book;
        // Of several restricted commons, two that differ do.
        let Some(restricted) = pick(first, second) else { return ControlFlow::Continue(()) };
        let [one_cells, other_cells] = [one, other].map(|set| book.sets()[set].cells);
        if one_cells.contains_all(other_cells) || other_cells.contains_all(one_cells) {
            return ControlFlow::Continue(());
        }
        let barred = first | second;
        let common = (book.sets()[one].digits & book.sets()[other].digits) - barred;
        let mut taken = common
            .iter()
            .filter_map(|digit| book.common_seers(one, other, digit).first().map(|cell| (digit, cell)));
        if taken.next() != Some((found_by.1, found_by.0)) {
            return ControlFlow::Continue(());
        }
        let restricted = restricted.map(DigitSet::single);
        let ends = Ends { sets: [one, other], hubs: &[hub], restricted: &restricted, barred };
        push_ends(self.context, book, sink, &ends)
    }
}

/// One of each, not the same.
fn pick(first: DigitSet, second: DigitSet) -> Option<[Digit; 2]> {
    first.iter().find_map(|x| Some([x, (second - DigitSet::single(x)).min()?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;
    use crate::engine::logic::sink::Wanted;

    /// Against every two sets, doomed or not.
    #[test]
    fn pairs_are_those_of_all_sets() {
        let mut count = 0;
        for position in positions::hard().iter().step_by(4) {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let book = context.als();
            let found = |find: &dyn Fn(&mut Sink<'_>) -> Flow| {
                let (mut budget, mut steps) = (Budget::unlimited(), Vec::new());
                let mut each = |step| {
                    steps.push(step);
                    ControlFlow::Continue(())
                };
                let sink = &mut Sink::new(position, &ALS_XZ, &mut budget, Wanted::Steps(&mut each));
                assert!(find(sink).is_continue());
                steps
            };
            let of_all = |wanted: usize, sink: &mut Sink<'_>| {
                for one in 0..book.sets().len() {
                    for other in one + 1..book.sets().len() {
                        let common = book.sets()[one].digits & book.sets()[other].digits;
                        let is_restricted = |&digit: &Digit| is_linked(book, one, other, digit);
                        let restricted: DigitSet = common.iter().filter(is_restricted).collect();
                        match (restricted.len() == wanted, wanted) {
                            (true, 1) => {
                                let (sets, barred) = ([one, other], restricted);
                                let ends = Ends { sets, hubs: &[], restricted: &[restricted], barred };
                                push_ends(&context, book, sink, &ends)?;
                            }
                            (true, _) => push_double(&context, book, sink, [one, other], restricted)?,
                            (false, _) => {}
                        }
                    }
                }
                ControlFlow::Continue(())
            };
            let single = found(&|sink| als_xz(&context, sink));
            assert_eq!(single, found(&|sink| of_all(1, sink)));
            assert_eq!(found(&|sink| als_xz_double(&context, sink)), found(&|sink| of_all(2, sink)));
            count += single.len();
        }
        assert!(count > 50, "{count}");
    }
}
