//! Singles: the last open cell of a house, a digit with one place in a house, a cell with one candidate.

use std::ops::ControlFlow;

use smallvec::smallvec;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Conclusion, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, HouseId};

/// Full house.
pub const FULL_HOUSE: Technique = Technique {
    slug: "full-house",
    name: Text { en: "Full house", zh: "同区剩余" },
    level: Level::Easy,
    score: 4,
    needs: Needs::NONE,
    on_path: true,
    find: full_house,
    sentence: Text {
        en: "{pattern} is the last open cell of {base}, and {digits} is all that is missing there",
        zh: "{base}只剩 {pattern} 一格未填，所缺的数字是 {digits}",
    },
    lesson: Text {
        en: "every digit stands once in {base}, and all cells of it but {pattern} are filled, so {pattern} holds the one digit that is missing, {digits}",
        zh: "{base}中每个数字恰好出现一次，除 {pattern} 外都已填好，所以 {pattern} 填唯一缺少的数字 {digits}",
    },
};

/// Hidden single.
pub const HIDDEN_SINGLE: Technique = Technique {
    slug: "hidden-single",
    name: Text { en: "Hidden single", zh: "排除法" },
    level: Level::Easy,
    score: 8,
    needs: Needs::NONE,
    on_path: true,
    find: hidden_single,
    sentence: Text {
        en: "{digits} has no other place in {base} than {pattern}",
        zh: "{base}中 {digits} 只能填在 {pattern}",
    },
    lesson: Text {
        en: "every digit stands somewhere in {base}, and {digits} cannot stand in any of its cells but {pattern}, so it stands there",
        zh: "{base}中每个数字都要出现，而 {digits} 在其他格都不能填，只剩 {pattern}，所以填在那里",
    },
};

/// Naked single.
pub const NAKED_SINGLE: Technique = Technique {
    slug: "naked-single",
    name: Text { en: "Naked single", zh: "唯一余数" },
    level: Level::Easy,
    score: 14,
    needs: Needs::NONE,
    on_path: true,
    find: naked_single,
    sentence: Text { en: "{pattern} can hold nothing but {digits}", zh: "{pattern} 只能填 {digits}" },
    lesson: Text {
        en: "the houses of {pattern} rule out every digit but {digits}, and a cell must hold something",
        zh: "{pattern} 所在的各区排除了 {digits} 以外的所有数字，而每格必须填一个数字",
    },
};

/// Houses with one open cell.
pub fn full_house(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    sink.spend(context.puzzle().houses().len() as u64)?;
    for house in context.almost_full() {
        let cells = context.house(house) & context.open();
        let missing = context.puzzle().digits() - context.placed(house);
        if let (Some(cell), Some(digit)) = (cells.first(), missing.only()) {
            push_single_in(house, cell, digit, sink)?;
        }
    }
    ControlFlow::Continue(())
}

/// Digits with one place in a house.
pub fn hidden_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    sink.spend(context.puzzle().houses().len() as u64)?;
    for house in context.with_lone() {
        for digit in context.lone(house) {
            let seat = context.seats_in(house, digit).trailing_zeros();
            push_single_in(house, context.puzzle().house(house).cells[seat as usize], digit, sink)?;
        }
    }
    ControlFlow::Continue(())
}

fn push_single_in(house: HouseId, cell: Cell, digit: Digit, sink: &mut Sink<'_>) -> Flow {
    sink.push_with(smallvec![Conclusion::Place(cell, digit)], || {
        let mut marks = Vec::with_capacity(4);
        marks.push(Mark::digit(Role::Digits, digit));
        marks.push(Mark::house(Role::Base, house));
        marks.push(Mark::cell(Role::Pattern, cell));
        (marks, Proof::by_premise(Literal::is(cell, digit), Premise::House(house, digit)))
    })
}

/// Cells with one candidate.
pub fn naked_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    sink.spend(context.open().len() as u64)?;
    for cell in context.naked() {
        let Some(digit) = context.candidates(cell).only() else { continue };
        sink.push_with(smallvec![Conclusion::Place(cell, digit)], || {
            let mut marks = Vec::with_capacity(3);
            marks.push(Mark::cell(Role::Pattern, cell));
            marks.push(Mark::digit(Role::Digits, digit));
            (marks, Proof::by_premise(Literal::is(cell, digit), Premise::Cell(cell)))
        })?;
    }
    ControlFlow::Continue(())
}
