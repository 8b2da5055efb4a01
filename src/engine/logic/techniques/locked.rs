//! Locked candidates: a digit that one house keeps inside another goes from the rest of that other.
//!
//! ```text
//!  A   . . .        the digit lies in A∩B: wherever it is, B has it there
//!  A∩B x x . | . - . | . . -   B
//!  A   . . .
//! ```

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::{Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Digit, DigitSet, HouseId, HouseKind};

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
    for base in context.puzzle().house_ids() {
        sink.spend(1)?;
        if is_straight(context.puzzle().house(base).kind) != from_lines {
            continue;
        }
        for digit in context.puzzle().digits() {
            if context.seats_in(base, digit).count_ones() >= 2 {
                find_covers(context, sink, base, digit)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The other houses that hold all places of a digit in a house.
fn find_covers(context: &Context<'_>, sink: &mut Sink<'_>, base: HouseId, digit: Digit) -> Flow {
    let spots = context.spots_in(base, digit);
    let Some(first) = spots.first() else { return ControlFlow::Continue(()) };
    for &cover in context.puzzle().houses_of(first) {
        if cover == base || !context.house(cover).contains_all(spots) {
            continue;
        }
        let gone = context.spots_in(cover, digit) - spots;
        if gone.is_empty() {
            continue;
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
        sink.push(conclusions, marks, proof)?;
    }
    ControlFlow::Continue(())
}
