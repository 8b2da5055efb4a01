//! Direct forms: an intersection or a hidden subset after which a digit has one place left in a house. What a person
//! who fills in no candidates sees at a glance.

use std::ops::ControlFlow;

use super::locked::{Confined, each_confined};
use super::subsets::each_hidden;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

const DIRECT_LOCKED: Text = Text {
    en: "all places for {digits} in {reason} lie in {cover} too ({pattern}), so {digits} has one place left in {base}: {target}",
    zh: "{reason}中 {digits} 的位置 {pattern} 全在{cover}内，于是{base}中 {digits} 只剩一处：{target}",
};

const DIRECT_LOCKED_LESSON: Text = Text {
    en: "{digits} must stand somewhere in {reason}, and all places left for it there ({pattern}) lie in {cover} too; so {cover} gets its {digits} from these cells, and where {base} crosses {cover} it cannot have one; that leaves it a single place: {target}",
    zh: "{digits} 必须出现在{reason}中，而位置 {pattern} 都同时在{cover}内；所以{cover}的 {digits} 出自这些格，{base}与{cover}相交处不能再填，只剩一处：{target}",
};

/// Direct pointing.
pub const DIRECT_POINTING: Technique = Technique {
    slug: "direct-pointing",
    name: Text { en: "Direct pointing", zh: "宫区块排除" },
    level: Level::Medium,
    score: 50,
    needs: Needs::NONE,
    on_path: true,
    find: direct_pointing,
    sentence: DIRECT_LOCKED,
    lesson: DIRECT_LOCKED_LESSON,
};

/// Direct claiming.
pub const DIRECT_CLAIMING: Technique = Technique {
    slug: "direct-claiming",
    name: Text { en: "Direct claiming", zh: "行列区块排除" },
    find: direct_claiming,
    ..DIRECT_POINTING
};

/// Direct hidden pair.
pub const DIRECT_HIDDEN_PAIR: Technique = Technique {
    slug: "direct-hidden-pair",
    name: Text { en: "Direct hidden pair", zh: "隐性数对排除" },
    score: 60,
    find: direct_hidden_pair,
    sentence: Text {
        en: "{digits} have no other places in {base} than {pattern}, so {locked} has one place left there: {target}",
        zh: "{base}中 {digits} 只能填在 {pattern}，于是 {locked} 在那里只剩一处：{target}",
    },
    lesson: Text {
        en: "{digits} must all stand in {base} and have no places there but {pattern}, as many cells as digits; these cells are taken, which leaves {locked} a single place in {base}: {target}",
        zh: "{digits} 都要出现在{base}中，而位置只有 {pattern}，格数与数字个数相同；这几格因此被占满，{base}中 {locked} 只剩一处：{target}",
    },
    ..DIRECT_POINTING
};

/// Direct hidden triple.
pub const DIRECT_HIDDEN_TRIPLE: Technique = Technique {
    slug: "direct-hidden-triple",
    name: Text { en: "Direct hidden triple", zh: "隐性三数组排除" },
    score: 90,
    find: direct_hidden_triple,
    ..DIRECT_HIDDEN_PAIR
};

/// From a box (a region, a window) into a line, and a hidden single in another box.
pub fn direct_pointing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_locked(context, sink, false)
}

/// From a line into a box, and a hidden single in another line.
pub fn direct_claiming(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_locked(context, sink, true)
}

/// Two digits with two places.
pub fn direct_hidden_pair(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_hidden(context, sink, 2)
}

/// Three digits with three places.
pub fn direct_hidden_triple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_hidden(context, sink, 3)
}

fn find_locked(context: &Context<'_>, sink: &mut Sink<'_>, from_lines: bool) -> Flow {
    each_confined(context, sink, from_lines, &mut |sink, confined| find_single(context, sink, confined))
}

/// Houses like the first that have one place left for a digit, now that the second has it within the first.
fn find_single(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    Confined { base: reason, digit, cover }: Confined,
) -> Flow {
    let puzzle = context.puzzle();
    let pattern = context.spots_in(reason, digit);
    let gone = context.spots_in(cover, digit) - pattern;
    for base in puzzle.house_ids() {
        let spots = context.spots_in(base, digit);
        let is_alike = base != reason && puzzle.house(base).kind == puzzle.house(reason).kind;
        let Some(cell) = (spots - gone).only().filter(|_| is_alike && spots.meets(gone)) else { continue };
        let marks = vec![
            Mark::digit(Role::Digits, digit),
            Mark::house(Role::Reason, reason),
            Mark::cells(Role::Pattern, pattern),
            Mark::house(Role::Cover, cover),
            Mark::house(Role::Base, base),
        ];
        push(sink, cell, digit, marks, vec![Premise::House(reason, digit), Premise::House(base, digit)])?;
    }
    ControlFlow::Continue(())
}

fn find_hidden(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    each_hidden(context, sink, 2, count, &mut |sink, house, digits, taken| {
        find_left_over(context, sink, house, digits, taken)
    })
}

/// Digits that lose all their places in a house but one to a hidden subset.
fn find_left_over(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    house: HouseId,
    digits: DigitSet,
    taken: u32,
) -> Flow {
    let cells = &context.puzzle().house(house).cells;
    for digit in context.puzzle().digits() - digits {
        let seats = u32::from(context.seats_in(house, digit));
        let left = seats & !taken;
        if left.count_ones() != 1 || seats == left {
            continue;
        }
        let pattern: CellSet =
            (0..cells.len()).filter(|seat| taken & (1 << seat) != 0).map(|seat| cells[seat]).collect();
        let marks = vec![
            Mark::digits(Role::Digits, digits),
            Mark::house(Role::Base, house),
            Mark::cells(Role::Pattern, pattern),
            Mark::digit(Role::Locked, digit),
        ];
        let premises = (digits | DigitSet::single(digit)).iter();
        let premises = premises.map(|digit| Premise::House(house, digit)).collect();
        push(sink, cells[left.trailing_zeros() as usize], digit, marks, premises)?;
    }
    ControlFlow::Continue(())
}

fn push(sink: &mut Sink<'_>, cell: Cell, digit: Digit, marks: Vec<Mark>, premises: Vec<Premise>) -> Flow {
    let proof = Proof::by_conflict([Literal::is(cell, digit)], premises);
    sink.push(vec![Conclusion::Place(cell, digit)], marks, proof)
}
