//! Unique loops: six cells or more that two digits could fill in two ways, two cells in every house they touch.
//!
//! ```text
//!  ab .  . | ab .  . | .     every row, column and box has none or two of them
//!  .  .  . | ab .  . | ab
//!  ab .  . | .  .  . | ab
//! ```
//!
//! A pattern grows from a cell of the two digits alone: whichever house holds one cell of it needs a second.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::deadly::{Conclude, Deadly, keeps_cages, type_1, type_2, type_3, type_4};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Swap};
use crate::puzzle::{Cell, DigitSet, HouseId};

/// Unique loop type 1.
pub const UNIQUE_LOOP_1: Technique = Technique {
    slug: "unique-loop-1",
    name: Text { en: "Unique loop type 1", zh: "唯一环 1 型" },
    level: Level::Hard,
    score: 170,
    needs: Needs::UNIQUE,
    on_path: true,
    find: unique_1,
    sentence: Text {
        en: "if {roof} held one of {digits}, as {floor} do, these could change places all along the loop and there would be a second solution, so {target} can go",
        zh: "若 {roof} 与 {floor} 一样填 {digits} 之一，整个环中这两个数字可以互换而得到第二个解，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} hold {digits} alone, and with {roof} they are a loop that has two cells or none in every row, column and box; if {roof} held one of {digits} too, the two could change places all along the loop and a second solution would come of it; the puzzle has one solution, so {roof} holds one of {extra}, and {target} can go",
        zh: "{floor} 只含 {digits}，与 {roof} 构成一个环，每行、每列、每宫各有其中两格或没有；若 {roof} 也填 {digits} 之一，整个环中这两个数字可以互换而得到第二个解；而题目只有一个解，所以 {roof} 填 {extra} 之一，可删去 {target}",
    },
};

/// Unique loop type 2.
pub const UNIQUE_LOOP_2: Technique = Technique {
    slug: "unique-loop-2",
    name: Text { en: "Unique loop type 2", zh: "唯一环 2 型" },
    find: unique_2,
    sentence: Text {
        en: "one of {roof} must hold {extra}, or {digits} could change places all along the loop and there would be a second solution; so {target} can go",
        zh: "{roof} 中必有一格填 {extra}，否则整个环中 {digits} 可以互换而得到第二个解，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} and {roof} are a loop that has two cells or none in every row, column and box; if all held {digits}, these could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds its only other digit, {extra}; a cell that sees all of {roof} therefore cannot hold {extra}, so {target} can go",
        zh: "{floor} 与 {roof} 构成一个环，每行、每列、每宫各有其中两格或没有；若各格都填 {digits}，这两个数字可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填它们唯一的其他数字 {extra}；同时看到 {roof} 各格的格不能填 {extra}，可删去 {target}",
    },
    ..UNIQUE_LOOP_1
};

/// Unique loop type 3.
pub const UNIQUE_LOOP_3: Technique = Technique {
    slug: "unique-loop-3",
    name: Text { en: "Unique loop type 3", zh: "唯一环 3 型" },
    find: unique_3,
    sentence: Text {
        en: "one of {roof} must hold one of {extra}, or {digits} could change places all along the loop; with {pattern} in {base} that is a naked subset, so {target} can go",
        zh: "{roof} 中必有一格填 {extra} 之一，否则整个环中 {digits} 可以互换；它与{base}的 {pattern} 构成显性数组，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} and {roof} are a loop that has two cells or none in every row, column and box; if all held {digits}, these could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds one of {extra}; that cell and {pattern}, all in {base}, are as many cells as they have digits, so these digits are used up there, and {target} can go",
        zh: "{floor} 与 {roof} 构成一个环，每行、每列、每宫各有其中两格或没有；若各格都填 {digits}，这两个数字可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填 {extra} 之一；该格与同在{base}的 {pattern} 格数与数字个数相同，这些数字必定用在这几格里，可删去 {target}",
    },
    ..UNIQUE_LOOP_1
};

/// Unique loop type 4.
pub const UNIQUE_LOOP_4: Technique = Technique {
    slug: "unique-loop-4",
    name: Text { en: "Unique loop type 4", zh: "唯一环 4 型" },
    find: unique_4,
    sentence: Text {
        en: "{locked} has no place in {base} but {roof}; if the cell of these that is left held the other of {digits}, the two could change places all along the loop, so {target} can go",
        zh: "{base}中 {locked} 只能填在 {roof}；若其中一格填 {digits} 中的另一个，整个环中这两个数字可以互换，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} and {roof} are a loop that has two cells or none in every row, column and box, and {floor} hold {digits} alone; {locked} must stand in {base}, where it has no place but {roof}; if the other of {roof} held the other digit, the whole loop would hold {digits}, these could change places, and a second solution would come of it; the puzzle has one solution, so {target} can go",
        zh: "{floor} 与 {roof} 构成一个环，每行、每列、每宫各有其中两格或没有，且 {floor} 只含 {digits}；{locked} 必须出现在{base}中，而位置只有 {roof}；若 {roof} 的另一格填另一个数字，整个环就只填 {digits}，可以互换而得到第二个解；而题目只有一个解，所以可删去 {target}",
    },
    ..UNIQUE_LOOP_1
};

/// One cell is not of the two digits alone.
pub fn unique_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof == 1, type_1)
}

/// Several cells have one extra.
pub fn unique_2(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof >= 2, type_2)
}

/// Two cells of a house have extras.
pub fn unique_3(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof == 2, type_3)
}

/// Two cells of a house take a digit.
pub fn unique_4(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof == 2, type_4)
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, is_roof: fn(usize) -> bool, conclude: Conclude) -> Flow {
    let all = AllLoops::of(context, sink)?;
    all.0
        .iter()
        .filter(|found| is_roof(found.roof.len()))
        .try_for_each(|found| conclude(context, sink, found))
}

/// The loops of a position, for all rows.
struct AllLoops(Vec<Deadly>);

impl AllLoops {
    fn of(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Rc<AllLoops>> {
        match context.derived() {
            Some(known) => ControlFlow::Continue(known),
            None => ControlFlow::Continue(context.keep(AllLoops(find_all(context, sink)?))),
        }
    }
}

fn find_all(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Vec<Deadly>> {
    let bivalue = context.bivalue();
    if bivalue.len() < 3 {
        return ControlFlow::Continue(Vec::new());
    }
    let mut search = Search {
        context,
        digits: DigitSet::EMPTY,
        places: CellSet::EMPTY,
        counts: vec![0; context.puzzle().houses().len()],
        cells: Vec::new(),
        found: Vec::new(),
    };
    for start in bivalue {
        search.digits = context.candidates(start);
        let both = search.digits.iter().map(|digit| context.spots(digit));
        search.places = both.fold(context.open(), |places, spots| places & spots);
        // Each pattern is grown from the first of its cells that hold the two digits alone.
        for cell in search.places & bivalue {
            if cell < start {
                search.places.remove(cell);
            }
        }
        if search.places.len() >= 6 {
            search.add(sink, start, Roofs::default())?;
        }
    }
    ControlFlow::Continue(search.found)
}

/// How many cells have extras, and which.
#[derive(Clone, Copy, Default)]
struct Roofs {
    count: usize,
    extras: DigitSet,
}

struct Search<'c> {
    context: &'c Context<'c>,
    digits: DigitSet,
    /// Cells that may hold both digits.
    places: CellSet,
    /// Cells of the pattern in each house: two at most.
    counts: Vec<u8>,
    cells: Vec<Cell>,
    found: Vec<Deadly>,
}

impl Search<'_> {
    /// Adds a cell, and what it makes necessary.
    fn add(&mut self, sink: &mut Sink<'_>, cell: Cell, roofs: Roofs) -> Flow {
        let houses = self.context.puzzle().houses_of(cell);
        for house in houses {
            self.counts[house.index()] += 1;
        }
        self.cells.push(cell);
        let flow = self.complete(sink, roofs);
        self.cells.pop();
        for house in houses {
            self.counts[house.index()] -= 1;
        }
        flow
    }

    fn complete(&mut self, sink: &mut Sink<'_>, roofs: Roofs) -> Flow {
        sink.spend(1)?;
        let Some(wanting) = self.counts.iter().position(|&count| count == 1) else {
            self.close(roofs);
            return ControlFlow::Continue(());
        };
        let places = self.places & self.context.house(HouseId(wanting as u16));
        for cell in places {
            let is_full = |house: &HouseId| self.counts[house.index()] == 2;
            if self.cells.contains(&cell) || self.context.puzzle().houses_of(cell).iter().any(is_full) {
                continue;
            }
            let extra = self.context.candidates(cell) - self.digits;
            let grown =
                Roofs { count: roofs.count + usize::from(!extra.is_empty()), extras: roofs.extras | extra };
            if grown.count <= 2 || grown.extras.len() == 1 {
                self.add(sink, cell, grown)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn close(&mut self, roofs: Roofs) {
        if self.cells.len() < 6 || roofs.count == 0 || !self.is_two_coloured() {
            return;
        }
        let mut pattern: Vec<(Cell, DigitSet)> = self.cells.iter().map(|&cell| (cell, self.digits)).collect();
        pattern.sort_unstable();
        if keeps_cages(self.context.puzzle(), &pattern) {
            self.found.push(Deadly::new(self.context, Swap::Digits(pattern)));
        }
    }

    /// Whether the two digits can be dealt out so that cells of one house differ: else nobody would fear that.
    fn is_two_coloured(&self) -> bool {
        let all: CellSet = self.cells.iter().copied().collect();
        let mut sides = [CellSet::single(self.cells[0]), CellSet::EMPTY];
        let mut queue = vec![(self.cells[0], 0)];
        while let Some((cell, side)) = queue.pop() {
            for &house in self.context.puzzle().houses_of(cell) {
                for other in (self.context.house(house) & all) - CellSet::single(cell) {
                    if sides[side].contains(other) {
                        return false;
                    }
                    if !sides[1 - side].contains(other) {
                        sides[1 - side].insert(other);
                        queue.push((other, 1 - side));
                    }
                }
            }
        }
        true
    }
}
