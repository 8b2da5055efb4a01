//! Bent subsets: k cells of two houses that cross, with k digits of which all but one can stand in one cell only.
//! If that one stood in none of the cells, k cells would have k − 1 digits; so one of them holds it.
//!
//! ```text
//!  wxyz wz . | xz .     the row has w and x once, the box y: z is bound to stand in one of them
//!  yz   .  . |
//! ```
//!
//! With three cells these are XY- and XYZ-wings.

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Literal, Mark, Premise, Premises, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet};

/// WXYZ-wing.
pub const WXYZ_WING: Technique = Technique {
    slug: "wxyz-wing",
    name: Text { en: "WXYZ-wing", zh: "WXYZ 翼" },
    level: Level::Hard,
    score: 240,
    needs: Needs::NONE,
    on_path: true,
    find: wxyz_wing,
    sentence: Text {
        en: "{pattern} have as many digits as cells, and all but {digits} can stand there once only; so one of them holds {digits}, and {target} can go",
        zh: "{pattern} 的数字个数与格数相同，除 {digits} 外每个数字只能出现一次；所以其中必有一格填 {digits}，因此删去 {target}",
    },
    lesson: Text {
        en: "{pattern} are as many cells as they have digits; for each digit but {digits}, all cells that may hold it see each other, so it stands there once at most; without {digits} there would be more cells than digits, so one of the cells holds {digits}; a cell that sees all that may cannot hold it, so {target} can go",
        zh: "{pattern} 的格数与其数字个数相同；除 {digits} 外，可填同一数字的各格都互相看到，所以每个数字至多出现一次；若没有 {digits}，格数就多于数字个数，所以其中必有一格填 {digits}；看到所有这些格的格不能填它，因此删去 {target}",
    },
};

/// VWXYZ-wing.
pub const VWXYZ_WING: Technique = Technique {
    slug: "vwxyz-wing",
    name: Text { en: "VWXYZ-wing", zh: "VWXYZ 翼" },
    level: Level::Unfair,
    score: 300,
    on_path: false,
    find: vwxyz_wing,
    ..WXYZ_WING
};

/// UVWXYZ-wing.
pub const UVWXYZ_WING: Technique = Technique {
    slug: "uvwxyz-wing",
    name: Text { en: "UVWXYZ-wing", zh: "UVWXYZ 翼" },
    score: 360,
    find: uvwxyz_wing,
    ..VWXYZ_WING
};

/// TUVWXYZ-wing.
pub const TUVWXYZ_WING: Technique = Technique {
    slug: "tuvwxyz-wing",
    name: Text { en: "TUVWXYZ-wing", zh: "TUVWXYZ 翼" },
    score: 420,
    find: tuvwxyz_wing,
    ..VWXYZ_WING
};

/// Four cells.
pub fn wxyz_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 4)
}

/// Five cells.
pub fn vwxyz_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 5)
}

/// Six cells.
pub fn uvwxyz_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 6)
}

/// Seven cells.
pub fn tuvwxyz_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 7)
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    let is_small = |&cell: &Cell| context.candidates(cell).len() <= count;
    let small: CellSet = context.open().iter().filter(is_small).collect();
    for one in context.puzzle().house_ids() {
        for other in context.puzzle().house_ids().filter(|&other| one < other) {
            let [inside, outside] = [context.house(one), context.house(other)];
            let hinge = inside & outside & small;
            if hinge.is_empty() {
                continue;
            }
            sink.spend(1)?;
            let [ones, others] = [(inside - outside) & small, (outside - inside) & small];
            if ones.is_empty() || others.is_empty() {
                continue;
            }
            let cells: Vec<Cell> = hinge.iter().chain(ones).chain(others).collect();
            let mut search = Search {
                context,
                cells: &cells,
                count,
                parts: [hinge, ones, others],
                chosen: Vec::with_capacity(count),
            };
            search.extend(sink, 0, DigitSet::EMPTY, DigitSet::EMPTY)?;
        }
    }
    ControlFlow::Continue(())
}

struct Search<'c> {
    context: &'c Context<'c>,
    /// Cells where the houses cross, then those of one, then those of the other.
    cells: &'c [Cell],
    count: usize,
    parts: [CellSet; 3],
    chosen: Vec<Cell>,
}

impl Search<'_> {
    /// `free` are the digits that two cells may hold which do not see each other.
    fn extend(&mut self, sink: &mut Sink<'_>, from: usize, digits: DigitSet, free: DigitSet) -> Flow {
        if self.chosen.len() == self.count {
            return match free.only().filter(|_| digits.len() == self.count) {
                Some(digit) => self.close(sink, digit),
                None => ControlFlow::Continue(()),
            };
        }
        let wanted = self.count - self.chosen.len();
        for index in from..(self.cells.len() + 1).saturating_sub(wanted) {
            let cell = self.cells[index];
            let grown = digits | self.context.candidates(cell);
            // The first cell is one where the houses cross, the last is outside the first house.
            let is_bent = (!self.chosen.is_empty() || self.parts[0].contains(cell))
                && (wanted > 1 || self.parts[2].contains(cell));
            if grown.len() > self.count || !is_bent {
                continue;
            }
            let freed = free | self.freed_by(cell);
            if freed.len() > 1 {
                continue;
            }
            sink.spend(1)?;
            self.chosen.push(cell);
            self.extend(sink, index + 1, grown, freed)?;
            self.chosen.pop();
        }
        ControlFlow::Continue(())
    }

    /// The digits that a cell may hold as one that it does not see.
    fn freed_by(&self, cell: Cell) -> DigitSet {
        let peers = self.context.peers(cell);
        let apart = self.chosen.iter().filter(|&&other| !peers.contains(other));
        let digits = apart.fold(DigitSet::EMPTY, |digits, &other| digits | self.context.candidates(other));
        digits & self.context.candidates(cell)
    }

    fn close(&self, sink: &mut Sink<'_>, digit: Digit) -> Flow {
        let chosen: CellSet = self.chosen.iter().copied().collect();
        let gone = self.context.common_peers(chosen & self.context.spots(digit)) & self.context.spots(digit);
        if gone.is_empty() || !self.is_minimal() {
            return ControlFlow::Continue(());
        }
        let conclusions = self.context.eliminations(gone - chosen, DigitSet::single(digit));
        let marks = vec![Mark::cells(Role::Pattern, chosen), Mark::digit(Role::Digits, digit)];
        let premises = chosen.iter().map(Premise::Cell).collect::<Premises>();
        let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
        sink.push(conclusions, marks, proof)
    }

    /// Whether no part of the cells has as few digits as cells: that would be a smaller subset, and say as much.
    fn is_minimal(&self) -> bool {
        (1..(1usize << self.count) - 1).all(|part| {
            let cells = (0..self.count).filter(|place| part & (1 << place) != 0);
            let digits = cells
                .fold(DigitSet::EMPTY, |digits, place| digits | self.context.candidates(self.chosen[place]));
            digits.len() > part.count_ones() as usize
        })
    }
}
