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
use crate::engine::logic::crossings::Crossings;
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
    let patterns = Patterns::of(context);
    let crossings = Crossings::of(context);
    for (place, crossing) in crossings.0.iter().enumerate() {
        let place = count * crossings.0.len() + place;
        patterns.each(
            (place, crossing.houses),
            sink,
            |sink, found| find_in(context, sink, crossing.houses, count, found),
            |sink, bent: &Bent| push(context, sink, bent),
        )?;
    }
    ControlFlow::Continue(())
}

/// Cells with as many digits, of which all but one can stand there once only.
struct Bent {
    cells: CellSet,
    digit: Digit,
}

fn find_in(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    houses: [HouseId; 2],
    count: usize,
    found: &mut Vec<Bent>,
) -> Flow {
    let [inside, outside] = houses.map(|house| context.house(house));
    let is_small = |&cell: &Cell| context.candidates(cell).len() <= count;
    let small: CellSet = ((inside | outside) & context.open()).iter().filter(is_small).collect();
    let hinge = inside & outside & small;
    if hinge.is_empty() {
        return ControlFlow::Continue(());
    }
    sink.spend(1)?;
    let [ones, others] = [(inside - outside) & small, (outside - inside) & small];
    if ones.is_empty() || others.is_empty() {
        return ControlFlow::Continue(());
    }
    let cells: Vec<Cell> = hinge.iter().chain(ones).chain(others).collect();
    let member = |&cell: &Cell| {
        let peers = context.peers(cell);
        let seen = cells.iter().enumerate().filter(|(_, other)| peers.contains(**other));
        Member {
            cell,
            digits: context.candidates(cell),
            sees: seen.fold(0, |all, (place, _)| all | 1 << place),
        }
    };
    let members = cells.iter().map(member).collect();
    let after_hinge = hinge.len();
    let parts = [after_hinge, after_hinge + ones.len()];
    let mut search = Search { members, count, parts, chosen: Vec::with_capacity(count), found };
    search.extend(sink, 0, 0, [DigitSet::EMPTY; 2])
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

/// A cell that may be chosen.
struct Member {
    cell: Cell,
    digits: DigitSet,
    /// Which of the others it sees, by their places.
    sees: u32,
}

struct Search<'f> {
    /// Cells where the houses cross, then those of one, then those of the other.
    members: Vec<Member>,
    count: usize,
    /// Where the second and the third of these parts begin.
    parts: [usize; 2],
    chosen: Vec<usize>,
    found: &'f mut Vec<Bent>,
}

impl Search<'_> {
    /// Chooses from a place on; those chosen are bits by their places too. `free` are the digits that two cells may hold
    /// which do not see each other.
    fn extend(&mut self, sink: &mut Sink<'_>, from: usize, held: u32, [digits, free]: [DigitSet; 2]) -> Flow {
        if self.chosen.len() == self.count {
            if let Some(digit) = free.only().filter(|_| digits.len() == self.count && self.is_minimal()) {
                let cells = self.chosen.iter().map(|&place| self.members[place].cell).collect();
                self.found.push(Bent { cells, digit });
            }
            return ControlFlow::Continue(());
        }
        let wanted = self.count - self.chosen.len();
        // The first cell is one where the houses cross, the last is outside the first house.
        let from = if wanted == 1 { from.max(self.parts[1]) } else { from };
        let to = (self.members.len() + 1).saturating_sub(wanted);
        let to = if self.chosen.is_empty() { to.min(self.parts[0]) } else { to };
        for place in from..to {
            let Member { digits: of_cell, sees, .. } = self.members[place];
            let grown = digits | of_cell;
            if grown.len() > self.count {
                continue;
            }
            // What it may hold as one does that it does not see.
            let mut freed = free;
            let mut apart = held & !sees;
            while apart != 0 {
                freed |= self.members[apart.trailing_zeros() as usize].digits & of_cell;
                apart &= apart - 1;
            }
            if freed.len() > 1 {
                continue;
            }
            sink.spend(1)?;
            self.chosen.push(place);
            self.extend(sink, place + 1, held | 1 << place, [grown, freed])?;
            self.chosen.pop();
        }
        ControlFlow::Continue(())
    }

    /// Whether no part of the cells has as few digits as cells: that would be a smaller subset, and say as much.
    fn is_minimal(&self) -> bool {
        (1..(1usize << self.count) - 1).all(|part| {
            let cells = (0..self.count).filter(|place| part & (1 << place) != 0);
            let digits =
                cells.fold(DigitSet::EMPTY, |digits, place| digits | self.members[self.chosen[place]].digits);
            digits.len() > part.count_ones() as usize
        })
    }
}
