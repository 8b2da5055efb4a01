//! Wings: a cell of two digits and its pincers, one of which must hold the third digit.
//!
//! ```text
//!  pivot ab . . | bc pincer
//!  . . .    . . | .
//!  pincer ac  . | -c target: sees both pincers
//! ```

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, DigitSet};

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

/// Three cells of two digits each.
pub fn xy_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let mut bivalue = CellSet::EMPTY;
    for cell in context.open() {
        if context.candidates(cell).len() == 2 {
            bivalue.insert(cell);
        }
    }
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

/// Whether the three stand in one house: then they are a naked triple, which says more.
fn is_triple(context: &Context<'_>, cells: [Cell; 3]) -> bool {
    let cells: CellSet = cells.into_iter().collect();
    context.puzzle().house_ids().any(|house| context.house(house).contains_all(cells))
}
