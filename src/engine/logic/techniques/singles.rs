//! Singles: the last open cell of a house, a digit with one place in a house, a cell with one candidate.

use std::ops::ControlFlow;

use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Single, Slug, Step};
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

/// The rows of this file, in search order. No row that needs no cages comes before or between them.
pub const ROWS: [&Technique; 3] = [&FULL_HOUSE, &HIDDEN_SINGLE, &NAKED_SINGLE];

/// The first step of the first of [`ROWS`] that fires. What the rows say, and with the same work counted, but for a
/// path, whose steps are most often singles, without a finder and a sink for each row.
pub fn first(context: &Context<'_>, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    let house_count = context.puzzle().houses().len() as u64;
    budget.spend(house_count)?;
    for house in context.almost_full() {
        if let Some(single) = full_house_in(context, house) {
            return Ok(Some(Step::of_single(Slug::of(FULL_HOUSE.slug), single)));
        }
    }
    budget.spend(house_count)?;
    for house in context.with_lone() {
        for digit in context.lone(house) {
            if let Some(single) = hidden_single_in(context, house, digit) {
                return Ok(Some(Step::of_single(Slug::of(HIDDEN_SINGLE.slug), single)));
            }
        }
    }
    budget.spend(context.open().len() as u64)?;
    let singles = context.naked().iter().filter_map(|cell| naked_single_in(context, cell));
    Ok(singles.map(|single| Step::of_single(Slug::of(NAKED_SINGLE.slug), single)).next())
}

/// Houses with one open cell.
pub fn full_house(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    sink.spend(context.puzzle().houses().len() as u64)?;
    let mut singles = context.almost_full().filter_map(|house| full_house_in(context, house));
    singles.try_for_each(|single| sink.push_single(single))
}

/// The digit of the only open cell of a house.
fn full_house_in(context: &Context<'_>, house: HouseId) -> Option<Single> {
    let cell = (context.house(house) & context.open()).first()?;
    // All other digits stand in cells that it sees.
    let digit = context.candidates(cell).only()?;
    Some(Single { cell, digit, house: Some(house) })
}

/// Digits with one place in a house.
pub fn hidden_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    sink.spend(context.puzzle().houses().len() as u64)?;
    for house in context.with_lone() {
        let mut singles =
            context.lone(house).iter().filter_map(|digit| hidden_single_in(context, house, digit));
        singles.try_for_each(|single| sink.push_single(single))?;
    }
    ControlFlow::Continue(())
}

/// The only place of a digit in a house.
fn hidden_single_in(context: &Context<'_>, house: HouseId, digit: Digit) -> Option<Single> {
    let cell = context.spots_in(house, digit).first()?;
    Some(Single { cell, digit, house: Some(house) })
}

/// Cells with one candidate.
pub fn naked_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    sink.spend(context.open().len() as u64)?;
    let mut singles = context.naked().iter().filter_map(|cell| naked_single_in(context, cell));
    singles.try_for_each(|single| sink.push_single(single))
}

/// The only candidate of a cell.
fn naked_single_in(context: &Context<'_>, cell: Cell) -> Option<Single> {
    let digit = context.candidates(cell).only()?;
    Some(Single { cell, digit, house: None })
}
