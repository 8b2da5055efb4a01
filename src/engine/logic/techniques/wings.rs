//! Wings: a pivot and its pincers, or two cells joined by a link, one of which must hold a digit.
//!
//! ```text
//!  pivot ab . . | bc pincer
//!  . . .    . . | .
//!  pincer ac  . | -c target: sees both pincers
//! ```

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet};

/// XY-wing.
pub const XY_WING: Technique = Technique {
    slug: "xy-wing",
    name: Text { en: "XY-wing", zh: "XY 翼" },
    level: Level::Hard,
    score: 160,
    needs: Needs::NONE,
    on_path: true,
    find: xy_wing,
    sentence: Text {
        en: "whichever of its two digits {pivot} holds, one of {pincer} holds {digits}, so {target} can go",
        zh: "无论 {pivot} 填哪个数，{pincer} 中必有一格填 {digits}，因此删去 {target}",
    },
    lesson: Text {
        en: "{pivot} holds one of two digits; whichever it is, one of {pincer} loses it and holds {digits}; a cell that sees both pincers therefore cannot hold {digits}, so {target} can go",
        zh: "{pivot} 填两个数字之一；无论是哪一个，{pincer} 中总有一格因此填 {digits}；同时看到两个钳格的格不能填 {digits}，因此删去 {target}",
    },
};

/// XYZ-wing.
pub const XYZ_WING: Technique = Technique {
    slug: "xyz-wing",
    name: Text { en: "XYZ-wing", zh: "XYZ 翼" },
    level: Level::Hard,
    score: 180,
    needs: Needs::NONE,
    on_path: true,
    find: xyz_wing,
    sentence: Text {
        en: "whichever of its three digits {pivot} holds, it or one of {pincer} holds {digits}, so {target} can go",
        zh: "无论 {pivot} 填三个数字中的哪一个，它或 {pincer} 之一必填 {digits}，因此删去 {target}",
    },
    lesson: Text {
        en: "{pivot} holds one of three digits; if it is not {digits} itself, one of {pincer} loses the other and holds {digits}; a cell that sees the pivot and both pincers therefore cannot hold {digits}, so {target} can go",
        zh: "{pivot} 填三个数字之一；若不是 {digits}，{pincer} 中总有一格因此填 {digits}；同时看到枢纽与两个钳格的格不能填 {digits}，因此删去 {target}",
    },
};

/// W-wing.
pub const W_WING: Technique = Technique {
    slug: "w-wing",
    name: Text { en: "W-wing", zh: "W 翼" },
    level: Level::Hard,
    score: 150,
    needs: Needs::NONE,
    on_path: true,
    find: w_wing,
    sentence: Text {
        en: "one of {pattern} in {base} is {locked}, so one of {pincer} is not and holds {digits}; {target} can go",
        zh: "{base}的 {pattern} 之一填 {locked}，于是 {pincer} 中必有一格填 {digits}，因此删去 {target}",
    },
    lesson: Text {
        en: "{pincer} hold the same two digits; {locked} must stand in {base}, and has no place there but {pattern}, of which each sees one of the pincers; so one pincer cannot hold {locked} and holds {digits}; a cell that sees both pincers therefore cannot hold {digits}, so {target} can go",
        zh: "{pincer} 含相同的两个数字；{locked} 必须出现在{base}中，而位置只有 {pattern}，它们各看到一个钳格；所以必有一个钳格不能填 {locked} 而填 {digits}；同时看到两个钳格的格不能填 {digits}，因此删去 {target}",
    },
};

/// Three cells of two digits each.
pub fn xy_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let bivalue = context.bivalue();
    for pivot in bivalue {
        sink.spend(1)?;
        find_pincers(context, sink, pivot, bivalue & context.peers(pivot))?;
    }
    ControlFlow::Continue(())
}

fn find_pincers(context: &Context<'_>, sink: &mut Sink<'_>, pivot: Cell, bivalue: CellSet) -> Flow {
    let held = context.candidates(pivot);
    for one in bivalue {
        let third = context.candidates(one) - held;
        let Some(digit) = third.only() else { continue };
        let wanted = (held - context.candidates(one)) | third;
        // Each pair of pincers once: the one with the pivot's smaller digit first.
        if held.min() != (held & context.candidates(one)).only() {
            continue;
        }
        for other in bivalue {
            if context.candidates(other) != wanted || is_triple(context, [pivot, one, other]) {
                continue;
            }
            let pincers = CellSet::single(one) | CellSet::single(other);
            let gone = context.common_peers(pincers) & context.spots(digit);
            if gone.is_empty() {
                continue;
            }
            let conclusions = context.eliminations(gone, DigitSet::single(digit));
            let marks = vec![
                Mark::cell(Role::Pivot, pivot),
                Mark::cells(Role::Pincer, pincers),
                Mark::digit(Role::Digits, digit),
            ];
            let premises = [pivot, one, other].map(Premise::Cell).to_vec();
            let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
            sink.push(conclusions, marks, proof)?;
        }
    }
    ControlFlow::Continue(())
}

/// A cell of three digits and two that hold two of these each.
pub fn xyz_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let bivalue = context.bivalue();
    for pivot in context.open() - bivalue {
        sink.spend(1)?;
        let held = context.candidates(pivot);
        if held.len() != 3 {
            continue;
        }
        let is_part = |&cell: &Cell| held.contains_all(context.candidates(cell));
        let pincers: CellSet = (bivalue & context.peers(pivot)).iter().filter(is_part).collect();
        for one in pincers {
            for other in pincers.iter().filter(|&other| one < other) {
                let Some(digit) = (context.candidates(one) & context.candidates(other)).only() else {
                    continue;
                };
                if !is_triple(context, [pivot, one, other]) {
                    push_xyz(context, sink, [pivot, one, other], digit)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

fn push_xyz(context: &Context<'_>, sink: &mut Sink<'_>, cells: [Cell; 3], digit: Digit) -> Flow {
    let gone = context.common_peers(cells.into_iter().collect()) & context.spots(digit);
    if gone.is_empty() {
        return ControlFlow::Continue(());
    }
    let conclusions = context.eliminations(gone, DigitSet::single(digit));
    let marks = vec![
        Mark::cell(Role::Pivot, cells[0]),
        Mark::cells(Role::Pincer, cells[1..].iter().copied().collect()),
        Mark::digit(Role::Digits, digit),
    ];
    let proof =
        Proof::by_conflict(conclusions.iter().copied().map(Literal::from), cells.map(Premise::Cell).to_vec());
    sink.push(conclusions, marks, proof)
}

/// Two cells of the same two digits, and a house whose two places for one of these they see.
pub fn w_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let bivalue = context.bivalue();
    let cells: SmallVec<[(Cell, DigitSet); 32]> =
        bivalue.iter().map(|cell| (cell, context.candidates(cell))).collect();
    for (place, &(one, digits)) in cells.iter().enumerate() {
        for &(other, also) in &cells[place + 1..] {
            if also != digits || context.peers(one).contains(other) {
                continue;
            }
            let pincers = CellSet::single(one) | CellSet::single(other);
            let shared = context.common_peers(pincers);
            for locked in digits {
                sink.spend(1)?;
                let left = digits - DigitSet::single(locked);
                let gone = left.iter().fold(CellSet::EMPTY, |_, digit| shared & context.spots(digit));
                if !gone.is_empty() {
                    find_w_links(context, sink, [one, other], locked, gone)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

fn find_w_links(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    pincers: [Cell; 2],
    locked: Digit,
    gone: CellSet,
) -> Flow {
    let digits = context.candidates(pincers[0]) - DigitSet::single(locked);
    for link in context.conjugates(locked) {
        let sees = |end: usize, pincer: usize| context.peers(pincers[pincer]).contains(link.cells[end]);
        let is_joined = (sees(0, 0) && sees(1, 1)) || (sees(0, 1) && sees(1, 0));
        if !is_joined || link.cells.iter().any(|cell| pincers.contains(cell)) {
            continue;
        }
        let conclusions = context.eliminations(gone, digits);
        let marks = vec![
            Mark::cells(Role::Pincer, pincers.into_iter().collect()),
            Mark::digits(Role::Digits, digits),
            Mark::digit(Role::Locked, locked),
            Mark::cells(Role::Pattern, link.cells.into_iter().collect()),
            Mark::house(Role::Base, link.house),
        ];
        let [one, other] = pincers.map(Premise::Cell);
        let premises = vec![one, other, Premise::House(link.house, locked)];
        let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
        sink.push(conclusions, marks, proof)?;
    }
    ControlFlow::Continue(())
}

/// Whether the three stand in one house: then they are a naked triple, which says more.
fn is_triple(context: &Context<'_>, cells: [Cell; 3]) -> bool {
    let cells: CellSet = cells.into_iter().collect();
    context.puzzle().house_ids().any(|house| context.house(house).contains_all(cells))
}
