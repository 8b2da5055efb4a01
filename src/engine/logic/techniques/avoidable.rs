//! Avoidable rectangles: cells that were placed, not given, and could have been placed the other way about.
//!
//! ```text
//!  a b | .     placed
//!  b ? | .     a here, and both digits could change places
//! ```

use std::ops::ControlFlow;

use super::deadly::{Conclude, Deadly, type_1, type_2};
use crate::engine::logic::Swap;
use crate::engine::logic::context::Context;
use crate::engine::logic::rectangle::Rectangle;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::puzzle::{Digit, DigitSet};

/// Avoidable rectangle type 1.
pub const AVOIDABLE_RECTANGLE_1: Technique = Technique {
    slug: "avoidable-rectangle-1",
    name: Text { en: "Avoidable rectangle type 1", zh: "可避矩形 1 型" },
    level: Level::Hard,
    score: 150,
    needs: Needs::UNIQUE,
    on_path: true,
    find: avoidable_1,
    sentence: Text {
        en: "none of {floor} was given; if {roof} held one of {digits} too, these could change places in all four cells and there would be a second solution, so {target} can go",
        zh: "{floor} 都不是已知数；若 {roof} 也填 {digits} 之一，四格中这两个数字可以互换而得到第二个解，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} were filled in on the way and not given; if {roof} completed them to a rectangle of {digits} in two rows, two columns and two boxes, these could change places, no given would mind, and a second solution would come of it; the puzzle has one solution, so {roof} holds one of {extra}, and {target} can go",
        zh: "{floor} 是解题途中填入的，并非已知数；若 {roof} 与它们构成位于两行、两列、两宫、只含 {digits} 的矩形，这两个数字可以互换而不触动任何已知数，得到第二个解；而题目只有一个解，所以 {roof} 填 {extra} 之一，可删去 {target}",
    },
};

/// Avoidable rectangle type 2.
pub const AVOIDABLE_RECTANGLE_2: Technique = Technique {
    slug: "avoidable-rectangle-2",
    name: Text { en: "Avoidable rectangle type 2", zh: "可避矩形 2 型" },
    find: avoidable_2,
    sentence: Text {
        en: "none of {floor} was given; one of {roof} must hold {extra}, or {digits} could change places in the four cells and there would be a second solution; so {target} can go",
        zh: "{floor} 都不是已知数；{roof} 中必有一格填 {extra}，否则四格中 {digits} 可以互换而得到第二个解，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} were filled in on the way and not given; if {roof} completed them to a rectangle of {digits} in two rows, two columns and two boxes, these could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds its only other digit, {extra}; a cell that sees all of {roof} therefore cannot hold {extra}, so {target} can go",
        zh: "{floor} 是解题途中填入的，并非已知数；若 {roof} 与它们构成位于两行、两列、两宫、只含 {digits} 的矩形，这两个数字可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填它们唯一的其他数字 {extra}；同时看到 {roof} 各格的格不能填 {extra}，可删去 {target}",
    },
    ..AVOIDABLE_RECTANGLE_1
};

/// Three corners are placed.
pub fn avoidable_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 1, type_1)
}

/// Two corners are placed, and the others have one extra.
pub fn avoidable_2(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 2, type_2)
}

/// Rectangles with so many open corners.
fn find(context: &Context<'_>, sink: &mut Sink<'_>, open: usize, conclude: Conclude) -> Flow {
    sink.spend(context.rectangles().len() as u64)?;
    for &(corners, cells) in context.rectangles() {
        // One or two.
        let cells = cells & context.open();
        if cells.is_empty() || cells.is_several() != (open == 2) || cells.len() != open {
            continue;
        }
        for (even, odd) in fillings(context, corners) {
            let digits = DigitSet::single(even) | DigitSet::single(odd);
            if corners.iter().any(|&corner| !context.puzzle().allowed(corner).contains_all(digits)) {
                continue;
            }
            let mut pattern = corners.map(|corner| (corner, digits)).to_vec();
            pattern.sort_unstable();
            let deadly = Deadly::new(context, Swap::Digits(pattern));
            if deadly.roof.len() == open {
                conclude(context, sink, &deadly)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The digits that corners 0 and 2, and 1 and 3, could have in common.
fn fillings(context: &Context<'_>, corners: Rectangle) -> Vec<(Digit, Digit)> {
    let common =
        |one: usize, other: usize| context.candidates(corners[one]) & context.candidates(corners[other]);
    let (evens, odds) = (common(0, 2), common(1, 3));
    let pairs = evens.iter().flat_map(|even| odds.iter().map(move |odd| (even, odd)));
    pairs.filter(|(even, odd)| even != odd).collect()
}
