//! Sue de Coq: where a line crosses another house, two or three cells whose many digits are shared out between some
//! cells of the line and some of the other house.
//!
//! ```text
//!  line   I I . | L . L | . . .      I: 2 or 3 cells with 2 digits more than cells, or further ones
//!  box    . B . |                    L: takes digits of I in the line, B takes others in the box
//!         . . B |                    L and B may bring digits of their own, even the same ones
//! ```
//!
//! There are as many cells as digits (one that both L and B bring counts twice), so every digit stands among them.

use std::ops::ControlFlow;

use super::counting::Counting;
use crate::engine::logic::bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::crossings::Crossings;
use crate::engine::logic::memory::Unless;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Mark, Proof, Role};
use crate::puzzle::{Cell, DigitSet, HouseId};

/// Sue de Coq.
pub const SUE_DE_COQ: Technique = Technique {
    slug: "sue-de-coq",
    name: Text { en: "Sue de Coq", zh: "融合待定数组" },
    level: Level::Unfair,
    score: 250,
    needs: Needs::NONE,
    on_path: true,
    find: sue_de_coq,
    sentence: Text {
        en: "where {base} cross, {pivot} share their digits out between {set}: {digits} are as many as these cells have room for, so all stand there and {target} can go",
        zh: "在{base}相交处，{pivot} 的数字分给 {set}：{digits} 的个数正好等于格数，因此全在其中，可删去 {target}",
    },
    lesson: Text {
        en: "{pivot} lie where {base} cross, and {set} are cells of the one and of the other; no digit of {pivot} is in both parts, so each of {digits} has room once, and only a digit that both parts bring of their own has room in each; this makes as many places as there are cells, so none stays empty, and {target}, which see all places for their digit, can go",
        zh: "{pivot} 位于{base}的相交处，{set} 是两个区域各自的格；{pivot} 的数字不会同时在两部分中，所以 {digits} 各只有一处，只有两部分自带的共同数字才各有一处；处数正好等于格数，没有一处空着，因此看到某数所有位置的 {target} 可以删去",
    },
};

/// Cells of the intersection, at most.
const MAX_SHARED: usize = 3;

/// Cells of a part, at most, on boards larger than 9×9.
const MAX_PART: usize = 4;

/// Some cells and their digits.
#[derive(Clone, Copy)]
struct Part {
    /// The cells by their places in the list chosen from.
    places: u16,
    count: u8,
    digits: DigitSet,
}

/// Choices from a list of cells.
#[derive(Default)]
struct Parts {
    cells: Vec<Cell>,
    all: Vec<Part>,
}

/// A part chosen, with its cells.
struct Chosen {
    cells: CellSet,
    digits: DigitSet,
}

/// Wherever two houses cross in two cells or more.
pub fn sue_de_coq(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let unless = Unless::barren(context, sink);
    let mut room = Room::default();
    let crossings = Crossings::of(context);
    let houses = |place: usize| match crossings.0[place].cells.is_several() {
        true => crossings.0[place].house_bits(),
        false => 0,
    };
    let places = (crossings.0.len(), houses);
    unless.in_places(places, sink, |sink, place| {
        let houses = crossings.0[place].houses;
        Crossing { context, houses }.find(&mut room, sink)
    })
}

/// Two cells with four digits, three with five, or more.
fn is_rich(part: &Part) -> bool {
    part.count >= 2 && bits::count(part.digits.bits()) >= usize::from(part.count) + 2
}

impl Parts {
    /// Lists all choices of so many of these cells at most.
    fn list(&mut self, context: &Context<'_>, cells: CellSet, max: usize) {
        self.cells.clear();
        self.cells.extend(cells.iter());
        self.all.clear();
        self.all.push(Part { places: 0, count: 0, digits: DigitSet::EMPTY });
        for (place, &cell) in self.cells.iter().enumerate() {
            let candidates = context.candidates(cell);
            let known = self.all.len();
            if self.cells.len() <= max {
                self.all.extend_from_within(..);
                for part in &mut self.all[known..] {
                    part.places |= 1 << place;
                    part.count += 1;
                    part.digits |= candidates;
                }
                continue;
            }
            for before in 0..known {
                let Part { places, count, digits } = self.all[before];
                if usize::from(count) < max {
                    let places = places | 1 << place;
                    self.all.push(Part { places, count: count + 1, digits: digits | candidates });
                }
            }
        }
    }

    fn cells_of(&self, part: &Part) -> CellSet {
        let places = (0..self.cells.len()).filter(|place| part.places & (1 << place) != 0);
        places.map(|place| self.cells[place]).collect()
    }
}

/// Room for the choices of one crossing after the other.
#[derive(Default)]
struct Room {
    inside: Parts,
    of_line: Parts,
    of_other: Parts,
    takers: [Vec<Taker>; 2],
}

/// A part that takes digits of some cells of the intersection.
struct Taker {
    part: Part,
    /// How many it takes.
    takes: usize,
    /// Those of which it takes them, and how many these are.
    shared: DigitSet,
    share: usize,
}

struct Crossing<'a> {
    context: &'a Context<'a>,
    houses: [HouseId; 2],
}

impl Crossing<'_> {
    /// Everything where two houses cross, which is all that is read.
    fn find(&self, room: &mut Room, sink: &mut Sink<'_>) -> Flow {
        sink.spend(1)?;
        let context = self.context;
        let [line, other] = self.houses.map(|house| context.house(house));
        let crossing = line & other;
        let shared = crossing & context.open();
        if !shared.is_several() {
            return ControlFlow::Continue(());
        }
        let Room { inside, of_line, of_other, takers } = room;
        inside.list(context, shared, MAX_SHARED);
        if inside.all.iter().any(is_rich) {
            let max = if context.size() <= 9 { context.size() } else { MAX_PART };
            of_line.list(context, (line - crossing) & context.open(), max);
            of_other.list(context, (other - crossing) & context.open(), max);
            for part in inside.all.iter().filter(|part| is_rich(part)) {
                self.find_of(sink, (inside, part), [of_line, of_other], takers)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The parts that share out the digits of some cells of the intersection.
    fn find_of(
        &self,
        sink: &mut Sink<'_>,
        (choices, inside): (&Parts, &Part),
        outside: [&Parts; 2],
        takers: &mut [Vec<Taker>; 2],
    ) -> Flow {
        // So many digits must be taken by the two parts together, each taking one at least: its cells less the
        // digits that it brings.
        let all = bits::count(inside.digits.bits());
        let surplus = all - usize::from(inside.count);
        let taken_by = |part: &Part| {
            let brought = bits::count((part.digits - inside.digits).bits());
            let takes = usize::from(part.count).checked_sub(brought)?;
            let shared = part.digits & inside.digits;
            let is_taker = (1..surplus).contains(&takes) && !shared.is_empty() && shared != inside.digits;
            is_taker.then(|| Taker { part: *part, takes, shared, share: bits::count(shared.bits()) })
        };
        sink.spend((outside[0].all.len() + outside[1].all.len()) as u64 / 8)?;
        for (takers, outside) in takers.iter_mut().zip(outside) {
            takers.clear();
            takers.extend(outside.all.iter().filter_map(taken_by));
            if takers.is_empty() {
                return ControlFlow::Continue(());
            }
        }
        let [of_line, of_other] = takers;
        let least = of_other.iter().map(|other| other.share).min().unwrap_or(0);
        for one in of_line.iter().filter(|one| one.share + least <= all) {
            sink.spend(1 + of_other.len() as u64 / 8)?;
            for other in &*of_other {
                if (one.shared & other.shared).is_empty() && one.takes + other.takes == surplus {
                    let chosen = |parts: &Parts, part: &Part| Chosen {
                        cells: parts.cells_of(part),
                        digits: part.digits,
                    };
                    let parts = [chosen(outside[0], &one.part), chosen(outside[1], &other.part)];
                    self.push(sink, &chosen(choices, inside), [&parts[0], &parts[1]])?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn push(&self, sink: &mut Sink<'_>, inside: &Chosen, parts: [&Chosen; 2]) -> Flow {
        let pattern = inside.cells | parts[0].cells | parts[1].cells;
        let twice = parts[0].digits & parts[1].digits;
        let mut conclusions = Vec::new();
        for (side, house) in self.houses.into_iter().enumerate() {
            let (here, there) = (parts[side].digits, parts[1 - side].digits);
            let gone = ((inside.digits | here) - there) | twice;
            conclusions.extend(self.context.eliminations(self.context.house(house) - pattern, gone));
        }
        if conclusions.is_empty() {
            return ControlFlow::Continue(());
        }
        conclusions.sort_unstable();
        conclusions.dedup();
        let marks = vec![
            Mark::house(Role::Base, self.houses[0]),
            Mark::house(Role::Base, self.houses[1]),
            Mark::cells(Role::Pivot, inside.cells),
            Mark::cells(Role::Set, parts[0].cells),
            Mark::cells(Role::Set, parts[1].cells),
            Mark::digits(Role::Digits, inside.digits | parts[0].digits | parts[1].digits),
        ];
        let proof = self.prove(inside, parts, &conclusions);
        sink.push(conclusions, marks, proof)
    }

    fn prove(&self, inside: &Chosen, parts: [&Chosen; 2], conclusions: &[Conclusion]) -> Proof {
        let mut counting = Counting::new(self.context);
        counting.count_cells(inside.cells | parts[0].cells | parts[1].cells);
        let holders = parts.map(|part| part.digits);
        for digit in inside.digits | holders[0] | holders[1] {
            let spots = |cells: CellSet| cells & self.context.spots(digit);
            match holders.map(|digits| digits.contains(digit)) {
                [true, true] => {
                    counting.link(digit, spots(parts[0].cells));
                    counting.link(digit, spots(parts[1].cells));
                }
                [false, false] => counting.link(digit, spots(inside.cells)),
                [true, false] => counting.link(digit, spots(inside.cells | parts[0].cells)),
                [false, true] => counting.link(digit, spots(inside.cells | parts[1].cells)),
            }
        }
        counting.prove(conclusions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;
    use crate::engine::logic::sink::Wanted;

    /// Against every two parts, whatever they take.
    #[test]
    fn finds_what_any_two_parts_share_out() {
        let mut count = 0;
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let [found, wanted] = [sue_de_coq, of_any_parts].map(|find| {
                let (mut budget, mut said) = (Budget::unlimited(), Vec::new());
                let mut each = |conclusions: &[Conclusion]| {
                    said.push(conclusions.to_vec());
                    ControlFlow::Continue(())
                };
                let sink = &mut Sink::new(position, &SUE_DE_COQ, &mut budget, Wanted::Conclusions(&mut each));
                assert!(find(&context, sink).is_continue());
                said
            });
            assert_eq!(found, wanted);
            count += found.len();
        }
        assert!(count > 5, "{count}");
    }

    fn of_any_parts(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
        for crossing in Crossings::of(context).wide() {
            let here = Crossing { context, houses: crossing.houses };
            let [line, other] = crossing.houses.map(|house| context.house(house));
            let [mut inside, mut ones, mut others] = [Parts::default(), Parts::default(), Parts::default()];
            inside.list(context, crossing.cells & context.open(), MAX_SHARED);
            ones.list(context, (line - crossing.cells) & context.open(), context.size());
            others.list(context, (other - crossing.cells) & context.open(), context.size());
            for shared in inside.all.iter().filter(|part| is_rich(part)) {
                let surplus = shared.digits.len() - usize::from(shared.count);
                let takes = |part: &Part| {
                    let brought = (part.digits - shared.digits).len();
                    usize::from(part.count).saturating_sub(brought)
                };
                for one in ones.all.iter().filter(|one| takes(one) > 0) {
                    for other in others.all.iter().filter(|other| takes(other) > 0) {
                        let taken = [one, other].map(|part| part.digits & shared.digits);
                        let is_each = taken.iter().all(|taken| !taken.is_empty());
                        let is_apart = (taken[0] & taken[1]).is_empty();
                        if is_each && is_apart && takes(one) + takes(other) == surplus {
                            let [shared, one, other] =
                                [(&inside, shared), (&ones, one), (&others, other)].map(|(parts, part)| {
                                    Chosen { cells: parts.cells_of(part), digits: part.digits }
                                });
                            here.push(sink, &shared, [&one, &other])?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}
