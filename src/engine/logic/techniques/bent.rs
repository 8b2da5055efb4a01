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
use std::sync::Arc;

use crate::engine::logic::bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::crossings::{Crossing, Crossings};
use crate::engine::logic::memory::Patterns;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Literal, Mark, Premise, Premises, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

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
    let bends = Bends::of(context);
    let small = Small::of(context, count);
    let houses = |place: usize| bends.0[place].houses.iter().fold(0, |all, house| all | 1 << house.index());
    Patterns::of(context, count, (bends.0.len(), houses)).each(
        |_| true,
        sink,
        |sink, place, found| bends.0[place].find(&small, sink, count, found),
        |sink, _, bent: &Bent| push(context, sink, bent),
    )
}

/// The open cells with few digits, and these digits by cell.
struct Small {
    cells: CellSet,
    digits: [DigitSet; 256],
}

impl Small {
    fn of(context: &Context<'_>, most: usize) -> Small {
        let mut small = Small { cells: CellSet::EMPTY, digits: [DigitSet::EMPTY; 256] };
        for cell in context.open() {
            let candidates = context.candidates(cell);
            if count(candidates) <= most {
                small.cells.insert(cell);
                small.digits[cell.index()] = candidates;
            }
        }
        small
    }
}

/// Cells with as many digits, of which all but one can stand there once only.
struct Bent {
    cells: CellSet,
    digit: Digit,
}

/// Every two houses that cross.
struct Bends(Vec<Bend>);

impl Bends {
    /// Those of a board.
    fn of(context: &Context<'_>) -> Arc<Bends> {
        context.of_board(|| Bends(Crossings::of(context).0.iter().map(|of| Bend::new(context, of)).collect()))
    }
}

/// Two houses that cross, in every position of a board. Sets of their cells are bits, by the places in the list.
struct Bend {
    houses: [HouseId; 2],
    /// Where they cross, those of one, and those of the other.
    sets: [CellSet; 3],
    /// Cells where they cross, then those of one, then those of the other: at most twice 16 but one.
    cells: Vec<Cell>,
    /// Where they cross, and those of the other.
    parts: [u32; 2],
    /// Of each cell, those that it sees.
    sees: Vec<u32>,
}

impl Bend {
    fn new(context: &Context<'_>, crossing: &Crossing) -> Bend {
        let [inside, outside] = crossing.houses.map(|house| context.house(house));
        let (ones, others) = (inside - outside, outside - inside);
        let cells: Vec<Cell> = crossing.cells.iter().chain(ones).chain(others).collect();
        let bits = |wanted: CellSet| {
            let places = cells.iter().enumerate().filter(|(_, cell)| wanted.contains(**cell));
            places.fold(0u32, |bits, (place, _)| bits | 1 << place)
        };
        Bend {
            houses: crossing.houses,
            sets: [crossing.cells, ones, others],
            parts: [bits(crossing.cells), bits(others)],
            sees: cells.iter().map(|&cell| bits(context.peers(cell))).collect(),
            cells,
        }
    }

    /// All that is read is in the two houses.
    fn find(&self, small: &Small, sink: &mut Sink<'_>, count: usize, found: &mut Vec<Bent>) -> Flow {
        sink.spend(1)?;
        if self.sets.iter().any(|cells| !cells.meets(small.cells)) {
            return ControlFlow::Continue(());
        }
        let mut digits = [DigitSet::EMPTY; MAX_CELLS];
        let mut open = 0;
        for (place, &cell) in self.cells.iter().enumerate() {
            digits[place] = small.digits[cell.index()];
            open |= u32::from(!digits[place].is_empty()) << place;
        }
        let mut search = Search { bend: self, digits, count, chosen: [0; MAX_COUNT], found };
        search.extend(sink, 0, open, 0, [DigitSet::EMPTY; 2])
    }
}

fn push(context: &Context<'_>, sink: &mut Sink<'_>, bent: &Bent) -> Flow {
    let Bent { cells, digit } = *bent;
    let gone = context.common_peers(cells & context.spots(digit)) & context.spots(digit);
    if gone.is_empty() {
        return ControlFlow::Continue(());
    }
    let conclusions = context.eliminations(gone - cells, DigitSet::single(digit));
    let marks = vec![Mark::cells(Role::Pattern, cells), Mark::digit(Role::Digits, digit)];
    let premises = cells.iter().map(Premise::Cell).collect::<Premises>();
    let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
    sink.push(conclusions, marks, proof)
}

fn count(digits: DigitSet) -> usize {
    bits::count(digits.bits())
}

/// Whether at least so many bits are set, of which there is one at least.
fn are_as_many(bits: u32, wanted: usize) -> bool {
    (1..wanted).fold(bits, |left, _| left & left.wrapping_sub(1)) != 0
}

fn is_several(digits: DigitSet) -> bool {
    digits.bits() & digits.bits().wrapping_sub(1) != 0
}

/// The most cells of two houses, and the most that are chosen.
const MAX_CELLS: usize = 32;
const MAX_COUNT: usize = 7;

struct Search<'b, 'f> {
    bend: &'b Bend,
    /// The digits of those that may be chosen.
    digits: [DigitSet; MAX_CELLS],
    count: usize,
    /// The places of those that are.
    chosen: [u8; MAX_COUNT],
    found: &'f mut Vec<Bent>,
}

impl Search<'_, '_> {
    /// Chooses more, as the `taken`-th, of those that are open to choice: all after those held that have no digit too
    /// many. `free` are the digits that two cells may hold which do not see each other.
    fn extend(
        &mut self,
        sink: &mut Sink<'_>,
        taken: usize,
        open: u32,
        held: u32,
        [digits, free]: [DigitSet; 2],
    ) -> Flow {
        let [hinge, others] = self.bend.parts;
        // The first cell is one where the houses cross, the last is outside the first house.
        if open & others == 0 || !are_as_many(open, self.count - taken) {
            return ControlFlow::Continue(());
        }
        let is_last = taken + 1 == self.count;
        let mut left = match taken {
            0 => open & hinge,
            _ if is_last => open & others,
            _ => open,
        };
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            let after = open & (u32::MAX << place << 1);
            if !is_last && (after & others == 0 || !are_as_many(after, self.count - taken - 1)) {
                break;
            }
            let of_cell = self.digits[place];
            let grown = digits | of_cell;
            // What it may hold as one does that it does not see.
            let mut freed = free;
            let mut apart = held & !self.bend.sees[place];
            while apart != 0 {
                freed |= self.digits[apart.trailing_zeros() as usize] & of_cell;
                apart &= apart - 1;
            }
            if is_several(freed) {
                continue;
            }
            self.chosen[taken] = place as u8;
            if is_last {
                self.close([grown, freed]);
            } else if count(grown) > taken + 1 {
                sink.spend(1)?;
                let fitting = self.fitting(after, grown);
                self.extend(sink, taken + 1, fitting, held | 1 << place, [grown, freed])?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Those of some cells that have no more digits together with these than there may be.
    fn fitting(&self, cells: u32, digits: DigitSet) -> u32 {
        let mut fitting = cells;
        let mut left = cells;
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            if count(digits | self.digits[place as usize]) > self.count {
                fitting &= !(1 << place);
            }
        }
        fitting
    }

    fn close(&mut self, [digits, free]: [DigitSet; 2]) {
        if let Some(digit) = free.only().filter(|_| digits.len() == self.count && self.is_minimal()) {
            let places = self.chosen[..self.count].iter();
            let cells = places.map(|&place| self.bend.cells[usize::from(place)]).collect();
            self.found.push(Bent { cells, digit });
        }
    }

    /// Whether no part of the cells has as few digits as cells: that would be a smaller subset, and say as much.
    fn is_minimal(&self) -> bool {
        (1..(1usize << self.count) - 1).all(|part| {
            let cells = (0..self.count).filter(|place| part & (1 << place) != 0);
            let digits = cells
                .fold(DigitSet::EMPTY, |digits, place| digits | self.digits[usize::from(self.chosen[place])]);
            digits.len() > part.count_ones() as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;
    use crate::engine::logic::sink::Wanted;

    /// Against every choice of four cells.
    #[test]
    fn finds_what_all_choices_have() {
        let mut count = 0;
        for position in positions::hard().iter().step_by(4) {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let (mut budget, mut each) = (Budget::unlimited(), |_| ControlFlow::Continue(()));
            let sink = &mut Sink::new(position, &WXYZ_WING, &mut budget, Wanted::Steps(&mut each));
            let small = Small::of(&context, 4);
            for bend in &Bends::of(&context).0 {
                let mut found = Vec::new();
                assert!(bend.find(&small, sink, 4, &mut found).is_continue());
                let found: Vec<(CellSet, Digit)> =
                    found.iter().map(|bent| (bent.cells, bent.digit)).collect();
                assert_eq!(found, all_of(&context, bend));
                count += found.len();
            }
        }
        assert!(count > 50, "{count}");
    }

    fn all_of(context: &Context<'_>, bend: &Bend) -> Vec<(CellSet, Digit)> {
        let [inside, outside] = bend.houses.map(|house| context.house(house));
        let open: Vec<Cell> =
            bend.cells.iter().copied().filter(|&cell| context.open().contains(cell)).collect();
        let mut all = Vec::new();
        for first in
            (0..open.len()).filter(|&first| inside.contains(open[first]) && outside.contains(open[first]))
        {
            for second in first + 1..open.len() {
                for third in second + 1..open.len() {
                    for fourth in (third + 1..open.len()).filter(|&fourth| !inside.contains(open[fourth])) {
                        let cells = [first, second, third, fourth].map(|place| open[place]);
                        all.extend(
                            free_digit(context, cells).map(|digit| (cells.into_iter().collect(), digit)),
                        );
                    }
                }
            }
        }
        all
    }

    fn free_digit(context: &Context<'_>, cells: [Cell; 4]) -> Option<Digit> {
        let digits_of = |part: usize| {
            let chosen = (0..4).filter(|place| part & 1 << place != 0);
            chosen.fold(DigitSet::EMPTY, |digits, place| digits | context.candidates(cells[place]))
        };
        let mut free = DigitSet::EMPTY;
        for (place, &one) in cells.iter().enumerate() {
            for &other in cells[place + 1..].iter().filter(|&&other| !context.peers(one).contains(other)) {
                free |= context.candidates(one) & context.candidates(other);
            }
        }
        let is_minimal = (1..15usize).all(|part| digits_of(part).len() > part.count_ones() as usize);
        free.only().filter(|_| digits_of(15).len() == 4 && is_minimal)
    }
}
