//! Fireworks: digits that two crossing lines keep to a box, but for one cell of each line.
//!
//! ```text
//!  x b b | . p .     the row keeps abc to the box and p, the column keeps them to the box and q;
//!  b . . |           the box has room for each of them once, so if it is not in x,
//!  b . . |           it is in p or in q: x, p and q hold abc
//!  ------+
//!  .                 of four digits, two may have another such box opposite,
//!  q       y         with the same p and q
//! ```

use std::ops::ControlFlow;

use super::counting::Counting;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Mark, Role};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// Firework triple.
pub const FIREWORK_TRIPLE: Technique = Technique {
    slug: "firework-triple",
    name: Text { en: "Firework triple", zh: "烟花三数组" },
    level: Level::Unfair,
    score: 350,
    needs: Needs::NONE,
    on_path: true,
    find: firework_triple,
    sentence: Text {
        en: "beyond {cover}, {base} have {digits} in {pincer} alone, so {pattern} hold just these and {target} can go",
        zh: "在{cover}之外，{base}中 {digits} 只能填在 {pincer}，因此 {pattern} 恰好填这些数字，可删去 {target}",
    },
    lesson: Text {
        en: "{base} need {digits} each, and beyond {cover} have room for them in {pincer} alone; {cover} takes each of them only once, so one that is not in {pivot}, where the lines cross, is in one of {pincer}; three digits thus fill the three cells {pattern}, and stand nowhere in {cover} off the two lines, so {target} can go",
        zh: "{base}都需要 {digits}，而在{cover}之外只能填在 {pincer}；{cover}中每个数字只有一个，所以不在交叉格 {pivot} 的数字必在 {pincer} 之一；三个数字因此占满 {pattern} 三格，且不会在{cover}中这两条线以外的位置，可删去 {target}",
    },
};

/// Firework quadruple.
pub const FIREWORK_QUADRUPLE: Technique = Technique {
    slug: "firework-quadruple",
    name: Text { en: "Firework quadruple", zh: "烟花四数组" },
    level: Level::Unfair,
    score: 370,
    needs: Needs::NONE,
    on_path: true,
    find: firework_quadruple,
    sentence: Text {
        en: "beyond {cover}, two of {digits} have room in {base} in {pincer} alone, either time, so {pattern} hold just these and {target} can go",
        zh: "在{cover}之外，{digits} 各有两个在{base}中只能填在 {pincer}，因此 {pattern} 恰好填这些数字，可删去 {target}",
    },
    lesson: Text {
        en: "two of {digits} are kept by the row and the column through one of {pivot} to its box and to {pincer}, the other two by those through the other; a box takes each digit only once, so one that is not in its cell of {pivot} is in one of {pincer}; four digits of {base} thus fill the four cells {pattern}, and stand nowhere in {cover} off the lines, so {target} can go",
        zh: "{digits} 中两个被经过 {pivot} 之一的行与列限制在其宫和 {pincer}，另外两个被经过另一格的行与列同样限制；一宫中每个数字只有一个，所以不在 {pivot} 的数字必在 {pincer} 之一；{base}的四个数字因此占满 {pattern} 四格，且不会在{cover}中这些线以外的位置，可删去 {target}",
    },
};

/// Where two lines cross inside a third house.
#[derive(Clone, Copy)]
struct Crossing {
    pivot: Cell,
    lines: [HouseId; 2],
    inner: HouseId,
}

impl Crossing {
    /// The digits that each line keeps to the inner house and to its wing.
    fn kept(&self, context: &Context<'_>, wings: [Cell; 2]) -> DigitSet {
        let is_kept = |&digit: &Digit| {
            self.lines.iter().zip(wings).all(|(&line, wing)| {
                let spots = context.spots_in(line, digit);
                !spots.is_empty() && (spots - context.house(self.inner) - CellSet::single(wing)).is_empty()
            })
        };
        context.puzzle().digits().iter().filter(is_kept).collect()
    }

    fn count(&self, counting: &mut Counting<'_>, context: &Context<'_>, digits: DigitSet) {
        for digit in digits {
            self.lines.iter().for_each(|&line| counting.count_house(line, digit));
            let [one, other] = self.lines.map(|line| context.house(line));
            counting.link(digit, context.spots_in(self.inner, digit) & (one | other));
        }
    }
}

/// All crossings at open cells: a row and a column (or another line) inside a house that is none.
fn crossings(context: &Context<'_>) -> Vec<Crossing> {
    let puzzle = context.puzzle();
    let mut crossings = Vec::new();
    for pivot in context.open() {
        let houses = puzzle.houses_of(pivot);
        let is_line = |house: &&HouseId| puzzle.house(**house).kind.is_line();
        let lines: Vec<HouseId> = houses.iter().filter(is_line).copied().collect();
        for &inner in houses.iter().filter(|house| !is_line(house)) {
            if let [row, column] = lines[..] {
                crossings.push(Crossing { pivot, lines: [row, column], inner });
            }
        }
    }
    crossings
}

/// The open cells of each line beyond the inner house that hold a digit which the line keeps there.
fn wings(context: &Context<'_>, crossing: &Crossing) -> [CellSet; 2] {
    crossing.lines.map(|line| {
        let mut wings = CellSet::EMPTY;
        for digit in context.puzzle().digits() {
            if let Some(wing) = (context.spots_in(line, digit) - context.house(crossing.inner)).only() {
                wings.insert(wing);
            }
        }
        wings
    })
}

/// Three digits in three cells.
pub fn firework_triple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for crossing in crossings(context) {
        let [ones, others] = wings(context, &crossing);
        for one in ones {
            for other in others {
                sink.spend(1)?;
                let kept = crossing.kept(context, [one, other]);
                if kept.len() == 3 {
                    push(context, sink, &[(crossing, kept)], [one, other])?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Four digits in four cells.
pub fn firework_quadruple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let crossings = crossings(context);
    let size = context.size();
    for (place, &crossing) in crossings.iter().enumerate() {
        sink.spend(1 + crossings.len() as u64 / 16)?;
        let [ones, others] = wings(context, &crossing);
        for &opposite in &crossings[place + 1..] {
            let (pivot, corner) = (crossing.pivot, opposite.pivot);
            let one = Cell::at(pivot.row(size), corner.column(size), size);
            let other = Cell::at(corner.row(size), pivot.column(size), size);
            if !ones.contains(one) || !others.contains(other) {
                continue;
            }
            let inner = context.house(crossing.inner) | context.house(opposite.inner);
            if inner.contains(one) || inner.contains(other) || crossing.inner == opposite.inner {
                continue;
            }
            let kept = crossing.kept(context, [one, other]);
            let opposite_kept = opposite.kept(context, [other, one]);
            if kept.len() == 2 && opposite_kept.len() == 2 && (kept & opposite_kept).is_empty() {
                push(context, sink, &[(crossing, kept), (opposite, opposite_kept)], [one, other])?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn push(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    fires: &[(Crossing, DigitSet)],
    wings: [Cell; 2],
) -> Flow {
    let mut counting = Counting::new(context);
    let mut pattern: CellSet = wings.into_iter().collect();
    let mut affected = CellSet::EMPTY;
    for (crossing, digits) in fires {
        crossing.count(&mut counting, context, *digits);
        pattern.insert(crossing.pivot);
        affected |= context.house(crossing.inner);
    }
    affected |= pattern;
    for cell in pattern {
        counting.link_cell(cell);
    }
    debug_assert_eq!(counting.slack(), 0);
    let among = (affected & context.open())
        .iter()
        .flat_map(|cell| context.candidates(cell).iter().map(move |digit| (cell, digit)));
    let conclusions = counting.excluded(among);
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    let digits = fires.iter().fold(DigitSet::EMPTY, |all, (_, digits)| all | *digits);
    let mut marks = vec![Mark::digits(Role::Digits, digits), Mark::cells(Role::Pattern, pattern)];
    for (crossing, _) in fires {
        marks.push(Mark::cell(Role::Pivot, crossing.pivot));
        marks.extend(crossing.lines.iter().map(|&line| Mark::house(Role::Base, line)));
        marks.push(Mark::house(Role::Cover, crossing.inner));
    }
    marks.push(Mark::cells(Role::Pincer, wings.into_iter().collect()));
    let proof = counting.prove(&conclusions);
    sink.push(conclusions, marks, proof)
}
