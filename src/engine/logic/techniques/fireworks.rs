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
use crate::engine::logic::crossings::seats_within;
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
    /// Of each line, its cells beyond the inner house: bit `i` is its cell `i`.
    beyond: [u16; 2],
}

impl Crossing {
    /// The digits that each line keeps to the inner house and to its wing.
    fn kept(&self, context: &Context<'_>, wings: [Cell; 2]) -> DigitSet {
        let is_kept = |&digit: &Digit| {
            self.lines.iter().zip(wings).zip(self.beyond).all(|((&line, wing), beyond)| {
                let seats = context.seats_in(line, digit);
                let of_wing = context.seats_of(wing).iter().find(|(house, _)| *house == line);
                seats != 0 && seats & beyond & !of_wing.map_or(0, |(_, seat)| *seat) == 0
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
    let all = context.of_board(|| AllCrossings::new(context));
    all.0.iter().filter(|crossing| context.open().contains(crossing.pivot)).copied().collect()
}

/// Those at all cells.
struct AllCrossings(Vec<Crossing>);

impl AllCrossings {
    fn new(context: &Context<'_>) -> AllCrossings {
        let cells = Cell::all(context.size());
        AllCrossings(cells.flat_map(|pivot| crossings_at(context, pivot)).collect())
    }
}

fn crossings_at(context: &Context<'_>, pivot: Cell) -> Vec<Crossing> {
    let puzzle = context.puzzle();
    let houses = puzzle.houses_of(pivot);
    let is_line = |house: &&HouseId| puzzle.house(**house).kind.is_line();
    let lines: Vec<HouseId> = houses.iter().filter(is_line).copied().collect();
    let [row, column] = lines[..] else { return Vec::new() };
    let inners = houses.iter().filter(|house| !is_line(house));
    let crossing = |&inner: &HouseId| {
        let lines = [row, column];
        Crossing { pivot, lines, inner, beyond: lines.map(|line| !seats_within(context, line, inner)) }
    };
    inners.map(crossing).collect()
}

/// The open cells of each line beyond the inner house that hold a digit which the line keeps there.
fn wings(context: &Context<'_>, crossing: &Crossing) -> [CellSet; 2] {
    let wings_of = |line: HouseId, beyond: u16| {
        let seats = context.puzzle().digits().iter().map(|digit| context.seats_in(line, digit) & beyond);
        let cells = &context.puzzle().house(line).cells;
        let wings =
            seats.filter(|seats| seats.is_power_of_two()).map(|seat| cells[seat.trailing_zeros() as usize]);
        wings.collect()
    };
    let ([one, other], [beyond_one, beyond_other]) = (crossing.lines, crossing.beyond);
    [wings_of(one, beyond_one), wings_of(other, beyond_other)]
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
