//! Locked candidates: a digit that one house keeps inside another goes from the rest of that other.
//!
//! ```text
//!  A   . . .        the digit lies in A∩B: wherever it is, B has it there
//!  A∩B x x . | . - . | . . -   B
//!  A   . . .
//! ```

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::crossings::Covers;
use crate::engine::logic::memory::Unless;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Digit, DigitSet, HouseId, HouseKind};

const LOCKED: Text = Text {
    en: "all places for {digits} in {base} lie in {cover} too ({pattern}), so {target} can go",
    zh: "{base}中 {digits} 的位置 {pattern} 全在{cover}内，因此删去 {target}",
};

const LOCKED_LESSON: Text = Text {
    en: "{digits} must stand somewhere in {base}, and all places left for it there ({pattern}) lie in {cover} too; so {cover} gets its {digits} from these cells, and {target} can go",
    zh: "{digits} 必须出现在{base}中，而那里剩下的位置 {pattern} 都同时在{cover}内；所以{cover}的 {digits} 出自这些格，可删去 {target}",
};

/// Pointing.
pub const POINTING: Technique = Technique {
    slug: "pointing",
    name: Text { en: "Pointing", zh: "宫区块" },
    level: Level::Medium,
    score: 50,
    needs: Needs::NONE,
    on_path: true,
    find: pointing,
    sentence: LOCKED,
    lesson: LOCKED_LESSON,
};

/// Claiming.
pub const CLAIMING: Technique = Technique {
    slug: "claiming",
    name: Text { en: "Claiming", zh: "行列区块" },
    level: Level::Medium,
    score: 50,
    needs: Needs::NONE,
    on_path: true,
    find: claiming,
    sentence: LOCKED,
    lesson: LOCKED_LESSON,
};

/// From a box (a region, a window) into another house.
pub fn pointing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, false)
}

/// From a line (a row, a column, a diagonal) into another house.
pub fn claiming(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, true)
}

fn is_straight(kind: HouseKind) -> bool {
    kind.is_line() || kind == HouseKind::Diagonal
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, from_lines: bool) -> Flow {
    Unless::barren(context, sink)
        .of_digits(context.puzzle().digits(), sink, |sink, digits| find_of(context, sink, digits, from_lines))
}

fn find_of(context: &Context<'_>, sink: &mut Sink<'_>, digits: DigitSet, from_lines: bool) -> Flow {
    let covers = Covers::of(context);
    for base in context.puzzle().house_ids() {
        sink.spend(1)?;
        if is_straight(context.puzzle().house(base).kind) != from_lines {
            continue;
        }
        for digit in digits {
            let seats = context.seats_in(base, digit);
            if seats & seats.wrapping_sub(1) != 0 {
                for cover in covers.holding(base, seats) {
                    push(context, sink, [base, cover], digit)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// The second house holds all places of a digit in the first.
fn push(context: &Context<'_>, sink: &mut Sink<'_>, [base, cover]: [HouseId; 2], digit: Digit) -> Flow {
    let spots = context.spots_in(base, digit);
    let gone = context.spots_in(cover, digit) - spots;
    if gone.is_empty() {
        return ControlFlow::Continue(());
    }
    let conclusions = context.eliminations(gone, DigitSet::single(digit));
    let marks = vec![
        Mark::digit(Role::Digits, digit),
        Mark::house(Role::Base, base),
        Mark::cells(Role::Pattern, spots),
        Mark::house(Role::Cover, cover),
    ];
    let literals = conclusions.iter().copied().map(Literal::from);
    let proof = Proof::by_conflict(literals, vec![Premise::House(base, digit)]);
    sink.push(conclusions, marks, proof)
}
