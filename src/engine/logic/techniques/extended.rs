//! Extended rectangles: two lines of a chute that hold the same k digits in k crossings, so that they could change
//! places.
//!
//! ```text
//!  abc | abc | abc     both rows hold a, b and c, each box both cells of a crossing
//!  abc | abc | abc+    roof
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::deadly::{Conclude, Deadly, type_1, type_2, type_3, type_4};
use crate::engine::logic::bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::memory::Patterns;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{MAX_SIZE, Swap};
use crate::puzzle::{Cell, DigitSet, HouseId, Operation, Puzzle};

/// Extended rectangle type 1.
pub const EXTENDED_RECTANGLE_1: Technique = Technique {
    slug: "extended-rectangle-1",
    name: Text { en: "Extended rectangle type 1", zh: "拓展矩形 1 型" },
    level: Level::Hard,
    score: 180,
    needs: Needs::UNIQUE,
    on_path: true,
    find: extended_1,
    sentence: Text {
        en: "if {roof} held one of {digits}, as {floor} do, both lines would hold these digits there and could change places, so {target} can go",
        zh: "若 {roof} 与 {floor} 一样填 {digits} 之一，两条线在此含相同的数字，可以整体互换，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} hold {digits} alone; if {roof} held one of them too, the two lines would hold the same digits in these crossings, of which each lies in one box; the cells of each crossing could change places and a second solution would come of it; the puzzle has one solution, so {roof} holds one of {extra}, and {target} can go",
        zh: "{floor} 只含 {digits}；若 {roof} 也填其中之一，两条线在这些位置含相同的数字，而每对格同在一宫；每对格可以互换而得到第二个解；而题目只有一个解，所以 {roof} 填 {extra} 之一，可删去 {target}",
    },
};

/// Extended rectangle type 2.
pub const EXTENDED_RECTANGLE_2: Technique = Technique {
    slug: "extended-rectangle-2",
    name: Text { en: "Extended rectangle type 2", zh: "拓展矩形 2 型" },
    find: extended_2,
    sentence: Text {
        en: "one of {roof} must hold {extra}, or both lines would hold {digits} there and could change places; so {target} can go",
        zh: "{roof} 中必有一格填 {extra}，否则两条线在此都含 {digits}，可以整体互换，因此删去 {target}",
    },
    lesson: Text {
        en: "if {floor} and {roof} held {digits} alone, the two lines would hold the same digits in these crossings, of which each lies in one box; the cells of each crossing could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds {extra}; a cell that sees all of {roof} cannot hold it, so {target} can go",
        zh: "若 {floor} 与 {roof} 只填 {digits}，两条线在这些位置含相同的数字，而每对格同在一宫；每对格可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填 {extra}；同时看到 {roof} 各格的格不能填它，可删去 {target}",
    },
    ..EXTENDED_RECTANGLE_1
};

/// Extended rectangle type 3.
pub const EXTENDED_RECTANGLE_3: Technique = Technique {
    slug: "extended-rectangle-3",
    name: Text { en: "Extended rectangle type 3", zh: "拓展矩形 3 型" },
    find: extended_3,
    sentence: Text {
        en: "one of {roof} must hold one of {extra}, or both lines would hold {digits} there and could change places; with {pattern} in {base} that is a naked subset, so {target} can go",
        zh: "{roof} 中必有一格填 {extra} 之一，否则两条线在此都含 {digits}，可以整体互换；它与{base}的 {pattern} 构成显性数组，因此删去 {target}",
    },
    lesson: Text {
        en: "if {floor} and {roof} held {digits} alone, the two lines would hold the same digits in these crossings, of which each lies in one box; the cells of each crossing could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds one of {extra}; that cell and {pattern}, all in {base}, are as many cells as they have digits, so these digits are used up there, and {target} can go",
        zh: "若 {floor} 与 {roof} 只填 {digits}，两条线在这些位置含相同的数字，而每对格同在一宫；每对格可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填 {extra} 之一；该格与同在{base}的 {pattern} 格数与数字个数相同，这些数字必定用在这几格里，可删去 {target}",
    },
    ..EXTENDED_RECTANGLE_1
};

/// Extended rectangle type 4.
pub const EXTENDED_RECTANGLE_4: Technique = Technique {
    slug: "extended-rectangle-4",
    name: Text { en: "Extended rectangle type 4", zh: "拓展矩形 4 型" },
    find: extended_4,
    sentence: Text {
        en: "{locked} has no place in {base} but {roof}; if the other held one of {digits} too, both lines would hold these there and could change places, so {target} can go",
        zh: "{base}中 {locked} 只能填在 {roof}；若另一格也填 {digits} 之一，两条线在此含相同的数字，可以整体互换，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} hold {digits} alone; {locked} must stand in {base}, where it has no place but {roof}; if the other of {roof} held one of {digits} too, the two lines would hold the same digits in these crossings, of which each lies in one box, and the cells of each crossing could change places: a second solution; the puzzle has one, so the other of {roof} holds one of {extra}, and {target} can go",
        zh: "{floor} 只含 {digits}；{locked} 必须出现在{base}中，而位置只有 {roof}；若 {roof} 的另一格也填 {digits} 之一，两条线在这些位置含相同的数字，而每对格同在一宫，可以互换而得到第二个解；而题目只有一个解，所以 {roof} 的另一格填 {extra} 之一，可删去 {target}",
    },
    ..EXTENDED_RECTANGLE_1
};

/// The numbers of crossings that are looked for. Two are a unique rectangle, and six leave a pattern of three.
const COUNTS: std::ops::RangeInclusive<usize> = 3..=4;

/// One cell has extras.
pub fn extended_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 1, type_1)
}

/// Two cells have one extra.
pub fn extended_2(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 2, type_2)
}

/// Two cells of a house have extras.
pub fn extended_3(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 2, type_3)
}

/// Two cells of a house take a digit.
pub fn extended_4(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 2, type_4)
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, roof: usize, conclude: Conclude) -> Flow {
    let all = LinePairs::of(context);
    let houses = |place: usize| all.0[place].lines.iter().fold(0, |all, line| all | 1 << line.index());
    Patterns::of(context, roof, (all.0.len(), houses)).each(
        |_| true,
        sink,
        |sink, place, found| find_in(context, sink, &all.0[place], roof, found),
        |sink, _, Extended(swap)| conclude(context, sink, &Deadly::new(context, swap.clone())),
    )
}

/// Two lines that could change places in some crossings.
struct Extended(Swap);

/// Two lines of one direction, and the pairs of their cells that could change places and disturb these lines alone.
struct LinePair {
    lines: [HouseId; 2],
    crossings: Vec<(Cell, Cell)>,
}

/// Every two lines with as many such pairs as a pattern has, in every position of a board.
struct LinePairs(Vec<LinePair>);

impl LinePairs {
    fn of(context: &Context<'_>) -> Arc<LinePairs> {
        context.of_board(|| {
            let size = context.size();
            let mut all = Vec::new();
            for lines in [0..size, size..2 * size] {
                for one in lines.clone() {
                    for other in one + 1..lines.end {
                        let lines = [one, other].map(|line| HouseId(line as u16));
                        let crossings = crossings(context.puzzle(), lines);
                        if crossings.len() >= *COUNTS.start() {
                            all.push(LinePair { lines, crossings });
                        }
                    }
                }
            }
            LinePairs(all)
        })
    }
}

/// Those of two lines with so many roof cells; all that is read is in these lines.
fn find_in(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    pair: &LinePair,
    roof: usize,
    found: &mut Vec<Extended>,
) -> Flow {
    sink.spend(1)?;
    let open = context.open();
    let are_open = |&(one, other): &(Cell, Cell)| open.contains(one) && open.contains(other);
    let crossings: SmallVec<[(Cell, Cell); MAX_SIZE]> =
        pair.crossings.iter().copied().filter(are_open).collect();
    // All crossings but those of the roof hold digits of the pattern alone.
    let mut floors = [0; *COUNTS.end() + 1];
    for &(one, other) in &crossings {
        let digits = bits::count((context.candidates(one) | context.candidates(other)).bits());
        floors.iter_mut().skip(digits).for_each(|floors| *floors += 1);
    }
    for count in COUNTS.filter(|&count| floors[count] + roof >= count && crossings.len() >= count) {
        let mut search = Search { context, crossings: &crossings, count, roof, chosen: Vec::new(), found };
        search.extend(sink, 0, DigitSet::EMPTY, 0)?;
    }
    ControlFlow::Continue(())
}

/// The pairs of cells of two lines that could change places and disturb these lines alone.
fn crossings(puzzle: &Puzzle, lines: [HouseId; 2]) -> Vec<(Cell, Cell)> {
    let cells = lines.map(|line| &puzzle.house(line).cells);
    let pairs = cells[0].iter().copied().zip(cells[1].iter().copied());
    let shares_others = |one: Cell, other: Cell| {
        let mut houses = puzzle.houses_of(one).iter().filter(|house| !lines.contains(house));
        houses.all(|house| puzzle.houses_of(other).contains(house))
    };
    pairs
        .filter(|&(one, other)| {
            // A cage that says something keeps both cells or has neither.
            let mut cages =
                puzzle.cages().iter().filter(|cage| cage.distinct || cage.operation != Operation::Free);
            shares_others(one, other)
                && shares_others(other, one)
                && cages.all(|cage| {
                    cage.cells.binary_search(&one).is_ok() == cage.cells.binary_search(&other).is_ok()
                })
        })
        .collect()
}

struct Search<'c, 'f> {
    context: &'c Context<'c>,
    crossings: &'c [(Cell, Cell)],
    /// So many crossings and digits.
    count: usize,
    /// So many cells have extras.
    roof: usize,
    chosen: Vec<(Cell, Cell)>,
    found: &'f mut Vec<Extended>,
}

impl Search<'_, '_> {
    /// Chooses crossings; each cell is of the floor, and its digits are the pattern's, or of the roof.
    fn extend(&mut self, sink: &mut Sink<'_>, from: usize, digits: DigitSet, roof: usize) -> Flow {
        if self.chosen.len() == self.count {
            self.close(digits, roof);
            return ControlFlow::Continue(());
        }
        let wanted = self.count - self.chosen.len();
        for index in from..=self.crossings.len().saturating_sub(wanted) {
            let (one, other) = self.crossings[index];
            let sets = [one, other].map(|cell| self.context.candidates(cell));
            let ways = [(sets[0] | sets[1], 0), (sets[0], 1), (sets[1], 1), (DigitSet::EMPTY, 2)];
            for (held, roofs) in ways {
                let grown = digits | held;
                if bits::count(grown.bits()) > self.count || roof + roofs > self.roof {
                    continue;
                }
                sink.spend(1)?;
                self.chosen.push((one, other));
                self.extend(sink, index + 1, grown, roof + roofs)?;
                self.chosen.pop();
            }
        }
        ControlFlow::Continue(())
    }

    fn close(&mut self, digits: DigitSet, roof: usize) {
        let cells = self.chosen.iter().flat_map(|&(one, other)| [one, other]);
        let fits = |cell: Cell| {
            let candidates = self.context.candidates(cell);
            !(candidates & digits).is_empty() && self.context.puzzle().allowed(cell).contains_all(digits)
        };
        let is_of_roof = |cell: &Cell| !digits.contains_all(self.context.candidates(*cell));
        if roof == self.roof
            && digits.len() == self.count
            && cells.clone().filter(is_of_roof).count() == roof
            && cells.clone().all(fits)
        {
            self.found.push(Extended(Swap::Cells { pairs: self.chosen.clone(), digits }));
        }
    }
}
