//! SK-loop: eight pairs of cells in a ring, where four boxes cross two rows and two columns.
//!
//! ```text
//!  + r r | r r +      a pair lies in a line and in a box; the next pair shares the box, the one after it the line
//!  c     |     c      + are the corners, where the lines cross; they are not part of it
//!  c     |     c
//!  ------+------
//!  c     |     c
//!  c     |     c
//!  + r r | r r +
//! ```
//!
//! Each digit is kept by as few of the eight lines and boxes as reach all its places. If these are no more in all than
//! there are cells, each of them holds its digit within the ring.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::counting::Counting;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Mark, Proof, Role, Shape};
use crate::puzzle::{Cell, Digit, HouseId};

/// SK-loop.
pub const SK_LOOP: Technique = Technique {
    slug: "sk-loop",
    name: Text { en: "SK-loop", zh: "多米诺环（SK 环）" },
    level: Level::Extreme,
    score: 600,
    needs: Needs::NONE,
    on_path: true,
    find: sk_loop,
    sentence: Text {
        en: "the ring {pattern} has {count} cells, and its digits have room in {base} only as many times, so each of these holds them within the ring and {target} can go",
        zh: "环 {pattern} 共 {count} 格，其数字在{base}中总共也只有这么多处，因此它们全在环内，可删去 {target}",
    },
    lesson: Text {
        en: "the pairs of {pattern} follow each other by line and by box in a ring; every place of a digit there lies in one of {base} that keeps it, and counting these, a house once for each digit that it keeps, gives {count}, the number of cells; every cell needs a digit, so each house holds each digit that it keeps within the ring, and {target} can go",
        zh: "{pattern} 的各对格依次以行列和宫相连成环；环中某数的每个位置都在{base}中负责该数的区域之内，按每个区域负责的数字计数共 {count}，正好等于格数；每格都要填数，所以每个区域负责的数字都在环内，可删去 {target}",
    },
};

/// Lines and boxes of the ring, each with its neighbours: pair `i` lies in house `i` and in house `i + 1`, round.
const RING: usize = 8;

/// Wherever two rows and two columns cross in four boxes.
pub fn sk_loop(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let rings = Rings::of(context);
    sink.spend(1 + rings.0.len() as u64 / 32)?;
    for Ring { houses, pairs } in &rings.0 {
        let pairs = pairs.map(|pair| pair & context.open());
        if pairs.iter().all(CellSet::is_several) {
            find(context, sink, &Ring { houses: *houses, pairs })?;
        }
    }
    ControlFlow::Continue(())
}

/// Every ring of a board.
struct Rings(Vec<Ring>);

impl Rings {
    fn of(context: &Context<'_>) -> Arc<Rings> {
        context.of_board(|| {
            let size = context.size();
            let each_two = || (0..size).flat_map(|one| (one + 1..size).map(move |other| [one, other]));
            let all = each_two().flat_map(|rows| each_two().map(move |columns| (rows, columns)));
            Rings(all.filter_map(|(rows, columns)| ring(context, rows, columns)).collect())
        })
    }
}

struct Ring {
    houses: [HouseId; RING],
    pairs: [CellSet; RING],
}

/// The ring through these corners, if they lie in four boxes and it is wide enough.
fn ring(context: &Context<'_>, rows: [usize; 2], columns: [usize; 2]) -> Option<Ring> {
    let size = context.size();
    let puzzle = context.puzzle();
    let box_at = |row: usize, column: usize| {
        let houses = puzzle.houses_of(Cell::at(row, column, size));
        houses.iter().copied().find(|&house| !puzzle.house(house).kind.is_line())
    };
    let [top, bottom] = rows;
    let [left, right] = columns;
    let row = |row: usize| HouseId(row as u16);
    let column = |column: usize| HouseId((size + column) as u16);
    let houses = [
        row(top),
        box_at(top, right)?,
        column(right),
        box_at(bottom, right)?,
        row(bottom),
        box_at(bottom, left)?,
        column(left),
        box_at(top, left)?,
    ];
    let boxes = [houses[1], houses[3], houses[5], houses[7]];
    if (1..boxes.len()).any(|place| boxes[..place].contains(&boxes[place])) {
        return None;
    }
    let corners: CellSet =
        rows.iter().flat_map(|&row| columns.map(|column| Cell::at(row, column, size))).collect();
    let mut pairs = [CellSet::EMPTY; RING];
    for (place, pair) in pairs.iter_mut().enumerate() {
        let [one, next] = [houses[place], houses[(place + 1) % RING]].map(|house| context.house(house));
        *pair = (one & next) - corners;
        if !pair.is_several() {
            return None;
        }
    }
    Some(Ring { houses, pairs })
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, ring: &Ring) -> Flow {
    let cells = ring.pairs.iter().fold(CellSet::EMPTY, |all, &pair| all | pair);
    let mut wanted = Vec::new();
    let mut links = 0;
    for digit in context.puzzle().digits() {
        let spots = context.spots(digit);
        let held =
            (0..RING).filter(|&pair| ring.pairs[pair].meets(spots)).fold(0u8, |held, pair| held | 1 << pair);
        links += fewest(held);
        wanted.push((digit, held));
    }
    if links as usize > cells.len() {
        return ControlFlow::Continue(());
    }
    sink.spend(RING as u64)?;
    push(context, sink, ring, cells, &wanted)
}

/// How many houses of the ring it takes at least to reach these pairs: of a run of pairs, every second house.
fn fewest(pairs: u8) -> u32 {
    if pairs == u8::MAX {
        return RING as u32 / 2;
    }
    // Turned so that a run does not go over the end.
    let turned = pairs.rotate_right((pairs.trailing_ones()) % 8);
    let mut left = u32::from(turned);
    let mut count = 0;
    while left != 0 {
        left >>= left.trailing_zeros();
        let run = left.trailing_ones();
        count += run.div_ceil(2);
        left >>= run;
    }
    count
}

/// The choices of so few houses that reach these pairs; bit `i` is house `i`.
fn choices(pairs: u8) -> Vec<u8> {
    let fewest = fewest(pairs);
    // House `i` reaches pair `i` and the pair before it.
    let reaches = |houses: u8| houses | houses.rotate_right(1);
    (0..=u8::MAX).filter(|&houses| houses.count_ones() == fewest && pairs & !reaches(houses) == 0).collect()
}

/// Each digit may be kept in several ways; every way excludes something.
fn push(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    ring: &Ring,
    cells: CellSet,
    wanted: &[(Digit, u8)],
) -> Flow {
    let choices: Vec<Vec<u8>> = wanted.iter().map(|(_, pairs)| choices(*pairs)).collect();
    let ways = choices.iter().map(Vec::len).max().unwrap_or(0);
    let mut conclusions: Vec<Conclusion> = Vec::new();
    let mut proof = Proof::default();
    let mut kept = 0u8;
    for way in 0..ways {
        let mut counting = Counting::new(context);
        counting.count_cells(cells);
        let mut among = Vec::new();
        for ((digit, _), choices) in wanted.iter().zip(&choices) {
            let houses = choices[way % choices.len()];
            kept |= houses;
            for house in (0..RING).filter(|house| houses & (1 << house) != 0) {
                let spots = context.spots_in(ring.houses[house], *digit);
                counting.link(*digit, spots & cells);
                among.extend(spots.iter().map(|cell| (cell, *digit)));
            }
        }
        among.sort_unstable();
        among.dedup();
        let mut excluded = counting.excluded(among);
        excluded.retain(|conclusion| !conclusions.contains(conclusion));
        proof.lemmas.extend(counting.prove(&excluded).lemmas);
        conclusions.extend(excluded);
    }
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    let mut marks =
        vec![Mark::cells(Role::Pattern, cells), Mark::new(Role::Count, Shape::Number(cells.len() as i64))];
    let kept = (0..RING).filter(|house| kept & (1 << house) != 0).map(|house| ring.houses[house]);
    let mut kept: Vec<HouseId> = kept.collect();
    kept.sort_unstable();
    marks.extend(kept.into_iter().map(|house| Mark::house(Role::Base, house)));
    sink.push(conclusions, marks, proof)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewest_houses() {
        for pairs in 0..=u8::MAX {
            let reaches = |houses: u8| houses | houses.rotate_right(1);
            let reaching = (0..=u8::MAX).filter(|&houses| pairs & !reaches(houses) == 0);
            let least = reaching.map(u8::count_ones).min();
            assert_eq!(Some(fewest(pairs)), least, "{pairs:08b}");
            assert!(!choices(pairs).is_empty());
        }
    }
}
