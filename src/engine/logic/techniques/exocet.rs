//! Exocets: two cells of a box and a line (the base) and two cells elsewhere (the targets) that must hold the same two
//! digits.
//!
//! ```text
//!  b b c | . d . | . . e     b base; three cross-lines: c beside it, d and e through the other boxes of the band
//!  . . c | . T . | . . e     T targets: off the base line; what is below the band are the S cells
//!  . . c | . d . | . . T
//!  ------+-------+------
//!  . . S | . S . | . . S     a digit in the base is in no other cell of its box and its line, so the cross-lines
//!  . . S | . S . | . . S     need three lines for it among the S cells and the targets; if two lines cover its S
//!        ...                 cells, one of the targets holds it
//! ```
//!
//! Two digits in the base, two targets: these hold no others. In a junior exocet both targets stand in the band; in a
//! senior one only one does, the other may stand anywhere on a cross-line. Only these rules are used; what is said of
//! mirror nodes and cover lines elsewhere needs longer proofs.

use std::ops::ControlFlow;

use smallvec::smallvec;

use crate::engine::logic::bits::{self, Bits};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{
    Argument, CellSet, Claim, Conclusion, Lemma, Literal, Mark, Premise, Proof, Role,
};
use crate::puzzle::{BoxShape, Cell, Digit, DigitSet, HouseId, Regions};

const EXOCET: Text = Text {
    en: "whichever two of {digits} the base {pivot} holds, {cover} have no room for them but in the targets {pincer}; so base and targets hold the same two digits and {target} can go",
    zh: "无论基格 {pivot} 填 {digits} 中哪两个，{cover}都只能在目标格 {pincer} 中放下它们；所以基格与目标格填的是同样两个数，可删去 {target}",
};

const EXOCET_LESSON: Text = Text {
    en: "a digit that stands in the base {pivot} stands nowhere else in its box and its line; each of {cover} still needs it, and their other cells have no three places for it in different lines, so one of the targets {pincer} holds it; this is so for each of {digits}, and the base holds two of them, so the targets hold just the two that the base holds, and {target} can go",
    zh: "基格 {pivot} 中的数字不会再出现在它们所在的宫与行列；{cover}仍各需要它，而其余的格中没有位于不同行列的三个位置，所以目标格 {pincer} 之一填该数；{digits} 中每个数都是如此，而基格恰填其中两个，所以目标格恰填基格的那两个数，可删去 {target}",
};

/// Junior exocet.
pub const JUNIOR_EXOCET: Technique = Technique {
    slug: "junior-exocet",
    name: Text { en: "Junior exocet", zh: "初级飞鱼导弹" },
    level: Level::Extreme,
    score: 620,
    needs: Needs::NONE,
    on_path: true,
    find: junior_exocet,
    sentence: EXOCET,
    lesson: EXOCET_LESSON,
};

/// Senior exocet.
pub const SENIOR_EXOCET: Technique = Technique {
    slug: "senior-exocet",
    name: Text { en: "Senior exocet", zh: "高级飞鱼导弹" },
    level: Level::Extreme,
    score: 640,
    needs: Needs::NONE,
    on_path: true,
    find: senior_exocet,
    sentence: EXOCET,
    lesson: EXOCET_LESSON,
};

/// The board on which exocets are looked for.
const SIZE: usize = 9;
const SHAPE: BoxShape = BoxShape { rows: 3, columns: 3 };

/// Both targets in the band of the base.
pub fn junior_exocet(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_base(context, sink, true)
}

/// One target in the band of the base.
pub fn senior_exocet(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_base(context, sink, false)
}

fn each_base(context: &Context<'_>, sink: &mut Sink<'_>, is_junior: bool) -> Flow {
    if context.puzzle().layout().regions != Regions::Boxes(SHAPE) || context.size() != SIZE {
        return ControlFlow::Continue(());
    }
    let rooms = Rooms::of(context);
    for is_transposed in [false, true] {
        for line in 0..SIZE {
            for beside in 0..SIZE {
                sink.spend(1)?;
                let band = Band { context, rooms: &rooms, is_transposed, line, beside };
                if let Some(base) = band.base() {
                    band.each_pair_of_lines(sink, base, is_junior)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// What lines have room for: bit `i` is cell `i` of the line.
struct Rooms {
    /// By line and digit index, where the line has room for the digit or holds it.
    of: [[u16; SIZE]; 2 * SIZE],
    /// By line, its open cells.
    open: [u16; 2 * SIZE],
}

impl Rooms {
    fn of(context: &Context<'_>) -> Rooms {
        let mut rooms = Rooms { of: [[0; SIZE]; 2 * SIZE], open: [0; 2 * SIZE] };
        for line in 0..2 * SIZE {
            for (place, &cell) in context.puzzle().house(HouseId(line as u16)).cells.iter().enumerate() {
                rooms.open[line] |= u16::from(context.open().contains(cell)) << place;
                for digit in context.candidates(cell) {
                    rooms.of[line][digit.index()] |= 1 << place;
                }
            }
        }
        rooms
    }
}

/// A base line, and the cross-line that passes beside the base in its box.
struct Band<'a> {
    context: &'a Context<'a>,
    rooms: &'a Rooms,
    /// Whether lines are columns and cross-lines rows.
    is_transposed: bool,
    line: usize,
    beside: usize,
}

#[derive(Clone, Copy)]
struct Base {
    cells: [Cell; 2],
    digits: DigitSet,
}

impl Band<'_> {
    fn cell(&self, line: usize, across: usize) -> Cell {
        match self.is_transposed {
            false => Cell::at(line, across, SIZE),
            true => Cell::at(across, line, SIZE),
        }
    }

    fn cross_house(&self, across: usize) -> HouseId {
        HouseId(if self.is_transposed { across } else { SIZE + across } as u16)
    }

    /// The two cells beside the cross-line, if they are open and hold three or four digits.
    fn base(&self) -> Option<Base> {
        let stack = self.beside / 3 * 3;
        let others = (stack..stack + 3).filter(|&across| across != self.beside);
        let mut cells = others.map(|across| self.cell(self.line, across));
        let (one, other) = cells.next().zip(cells.next())?;
        let digits = self.context.candidates(one) | self.context.candidates(other);
        let is_open = [one, other].iter().all(|&cell| self.context.open().contains(cell));
        (is_open && (3..=4).contains(&digits.len())).then_some(Base { cells: [one, other], digits })
    }

    fn each_pair_of_lines(&self, sink: &mut Sink<'_>, base: Base, is_junior: bool) -> Flow {
        let stack = self.beside / 3;
        let [second, third] = [(stack + 1) % 3 * 3, (stack + 2) % 3 * 3];
        for one in second..second + 3 {
            for other in third..third + 3 {
                sink.spend(4)?;
                if let Some(cross) = Cross::new(self, base, [self.beside, one, other]) {
                    cross.each_pair_of_targets(sink, is_junior)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Three cross-lines, and where they have room for the digits of a base that holds these.
struct Cross<'a> {
    band: &'a Band<'a>,
    base: Base,
    lines: [usize; 3],
    /// By digit index and cross-line, the lines.
    rooms: [[u16; 3]; SIZE],
}

impl<'a> Cross<'a> {
    /// None if two targets, which take a line each from the rooms of a digit, would leave some digit room enough.
    fn new(band: &'a Band<'a>, base: Base, lines: [usize; 3]) -> Option<Cross<'a>> {
        let in_band: u16 = 0b111 << (band.line / 3 * 3);
        // The cross-line beside the base keeps out of its box.
        let barred = [in_band, 1 << band.line, 1 << band.line];
        let of_lines = lines.map(|across| &band.rooms.of[band.cross_house(across).index()]);
        let mut rooms = [[0; 3]; SIZE];
        for digit in base.digits.iter().map(Digit::index) {
            let of_digit = std::array::from_fn(|place| of_lines[place][digit] & !barred[place]);
            if !is_short(of_digit, 2) {
                return None;
            }
            rooms[digit] = of_digit;
        }
        Some(Cross { band, base, lines, rooms })
    }

    /// Targets: a cell of the band off the base line on the second or third cross-line; and one like it on the other,
    /// or any cell of the cross-lines that has room.
    fn each_pair_of_targets(&self, sink: &mut Sink<'_>, is_junior: bool) -> Flow {
        let band: u16 = 0b111 << (self.band.line / 3 * 3);
        let room = |place: usize| {
            self.base.digits.iter().fold(0, |room, digit| room | self.rooms[digit.index()][place])
        };
        let spots = |place: usize, within: u16| {
            let open = self.band.rooms.open[self.band.cross_house(self.lines[place]).index()];
            let lines = Bits::<1>::from_word((room(place) & open & within).into());
            lines.iter().map(move |line| (place, line))
        };
        if is_junior {
            for one in spots(1, band).filter(|&one| self.may_be_target(one)) {
                for other in spots(2, band) {
                    self.check(sink, [one, other])?;
                }
            }
            return ControlFlow::Continue(());
        }
        for place in [1, 2] {
            for one in spots(place, band).filter(|&one| self.may_be_target(one)) {
                for other in (0..3).flat_map(|place| spots(place, !0)) {
                    let is_in_band = other.0 > 0 && band & (1 << other.1) != 0;
                    if other.0 != one.0 && !is_in_band {
                        self.check(sink, [one, other])?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether no digit has room enough without this target and any other.
    fn may_be_target(&self, (place, line): (usize, usize)) -> bool {
        self.base.digits.iter().all(|digit| {
            let mut rooms = self.rooms[digit.index()];
            rooms[place] &= !(1 << line);
            is_short(rooms, 1)
        })
    }

    /// Whether each digit of the base needs a target; then reports what follows.
    fn check(&self, sink: &mut Sink<'_>, targets: [(usize, usize); 2]) -> Flow {
        for digit in self.base.digits {
            let mut rooms = self.rooms[digit.index()];
            for (place, line) in targets {
                rooms[place] &= !(1 << line);
            }
            if !is_short(rooms, 0) {
                return ControlFlow::Continue(());
            }
        }
        sink.spend(1)?;
        self.push(sink, targets)
    }

    fn push(&self, sink: &mut Sink<'_>, targets: [(usize, usize); 2]) -> Flow {
        let context = self.band.context;
        let cells = targets.map(|(place, line)| self.band.cell(line, self.lines[place]));
        let left = self.left(cells);
        let mut conclusions = Vec::new();
        for (cell, left) in self.base.cells.into_iter().chain(cells).zip(left) {
            conclusions.extend(context.eliminations(CellSet::single(cell), context.candidates(cell) - left));
        }
        // Targets that no digit can fill would end the puzzle; whatever is wrong then is not for this to say.
        if conclusions.is_empty() || left.iter().any(|left| left.is_empty()) {
            return ControlFlow::Continue(());
        }
        let mut marks = vec![
            Mark::digits(Role::Digits, self.base.digits),
            Mark::cells(Role::Pivot, self.base.cells.into_iter().collect()),
            Mark::cells(Role::Pincer, cells.into_iter().collect()),
        ];
        marks.extend(self.lines.map(|across| Mark::house(Role::Cover, self.band.cross_house(across))));
        let proof = self.prove(cells, targets, &conclusions);
        sink.push(conclusions, marks, proof)
    }

    /// What the base cells and the targets can hold if the targets hold the two digits of the base.
    fn left(&self, targets: [Cell; 2]) -> [DigitSet; 4] {
        let context = self.band.context;
        let mut left = [DigitSet::EMPTY; 4];
        let is_possible = |&digit: &Digit| !is_short(self.rooms[digit.index()], 0);
        let of_base = self.base.cells.map(|cell| context.candidates(cell));
        for one in of_base[0].iter().filter(is_possible) {
            for other in of_base[1].iter().filter(is_possible).filter(|&other| other != one) {
                for [first, second] in [[one, other], [other, one]] {
                    let holds = [first, second]
                        .iter()
                        .zip(targets)
                        .all(|(digit, target)| context.candidates(target).contains(*digit));
                    if holds {
                        for (left, digit) in left.iter_mut().zip([one, other, first, second]) {
                            left.insert(digit);
                        }
                    }
                }
            }
        }
        left
    }

    /// For each digit a lemma: in the base it is in a target too, or, if the cross-lines have no room even so, it is
    /// not in the base. From these all else follows.
    fn prove(&self, cells: [Cell; 2], targets: [(usize, usize); 2], conclusions: &[Conclusion]) -> Proof {
        let context = self.band.context;
        let mut lemmas = Vec::new();
        for digit in self.base.digits {
            let mut rooms = self.rooms[digit.index()];
            let mut escapes: Vec<Literal> = Vec::new();
            if too_few(rooms).is_none() {
                let holders = cells.into_iter().filter(|&cell| context.candidates(cell).contains(digit));
                escapes.extend(holders.map(|cell| Literal::is(cell, digit)));
                for (place, line) in targets {
                    rooms[place] &= !(1 << line);
                }
            }
            let crowded = too_few(rooms).unwrap_or(0b111);
            let premises = (0..3).filter(|place| crowded & (1 << place) != 0);
            let premises =
                premises.map(|place| Premise::House(self.band.cross_house(self.lines[place]), digit));
            let holders =
                self.base.cells.into_iter().filter(|&cell| context.candidates(cell).contains(digit));
            let claims = holders.map(|cell| -> Claim {
                std::iter::once(Literal::is_not(cell, digit)).chain(escapes.iter().copied()).collect()
            });
            lemmas.push(Lemma {
                claims: claims.collect(),
                argument: Argument::Conflict { premises: premises.collect(), uses: Vec::new() },
            });
        }
        let uses = (0..lemmas.len() as u32).collect();
        let premises = self.base.cells.map(Premise::Cell).into_iter().collect();
        let claims = conclusions.iter().map(|&conclusion| smallvec![Literal::from(conclusion)]).collect();
        lemmas.push(Lemma { claims, argument: Argument::Conflict { premises, uses } });
        Proof { lemmas: lemmas.into() }
    }
}

/// Which of three cross-lines have fewer lines between them than they are: the fewest of them, as bits.
fn too_few(rooms: [u16; 3]) -> Option<u8> {
    const CHOICES: [u8; 7] = [0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111];
    CHOICES.into_iter().find(|choice| {
        let room =
            (0..3).filter(|place| choice & (1 << place) != 0).fold(0, |room, place| room | rooms[place]);
        bits::count(room.into()) < choice.count_ones() as usize
    })
}

/// Whether there are such if so many lines went at most.
#[inline]
fn is_short([one, two, three]: [u16; 3], gone: usize) -> bool {
    let has = |lines: u16, least: usize| bits::count(lines.into()) >= least + gone;
    !(has(one, 1)
        && has(two, 1)
        && has(three, 1)
        && has(one | two, 2)
        && has(one | three, 2)
        && has(two | three, 2)
        && has(one | two | three, 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Cross-lines that are given up have no two targets, against trying every two cells of them.
    #[test]
    fn what_is_given_up_has_no_targets() {
        let (mut given_up, mut tried) = (0, 0);
        for position in positions::hard().iter().step_by(3) {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let rooms = Rooms::of(&context);
            for number in 0..2 * SIZE * SIZE {
                let (line, beside) = (number / SIZE % SIZE, number % SIZE);
                let band = Band {
                    context: &context,
                    rooms: &rooms,
                    is_transposed: number >= SIZE * SIZE,
                    line,
                    beside,
                };
                let Some(base) = band.base() else { continue };
                let stack = beside / 3;
                let [second, third] = [(stack + 1) % 3 * 3, (stack + 2) % 3 * 3];
                for lines in (0..9).map(|pair| [beside, second + pair / 3, third + pair % 3]) {
                    let has_targets = has_targets(&band, base, lines);
                    match Cross::new(&band, base, lines) {
                        None => assert!(!has_targets, "{:?} {lines:?}", base.cells),
                        Some(cross) => {
                            tried += usize::from(has_targets);
                            for one in all_cells().filter(|&one| !cross.may_be_target(one)) {
                                assert!(!all_cells().any(|other| are_targets(&cross, [one, other])));
                            }
                        }
                    }
                    given_up += usize::from(Cross::new(&band, base, lines).is_none());
                }
            }
        }
        assert!(given_up > 200 && tried > 10, "{given_up} {tried}");
    }

    /// Every cell of three cross-lines: the line, and its place there.
    fn all_cells() -> impl Iterator<Item = (usize, usize)> {
        (0..3 * SIZE).map(|number| (number / SIZE, number % SIZE))
    }

    /// Whether these two leave each digit of the base too little room.
    fn are_targets(cross: &Cross<'_>, targets: [(usize, usize); 2]) -> bool {
        cross.base.digits.iter().all(|digit| {
            let mut rooms = cross.rooms[digit.index()];
            for (place, line) in targets {
                rooms[place] &= !(1 << line);
            }
            too_few(rooms).is_some()
        })
    }

    /// Whether some two cells of the cross-lines leave each digit of the base too little room there.
    fn has_targets(band: &Band<'_>, base: Base, lines: [usize; 3]) -> bool {
        let has_room = |digit: Digit, place: usize, line: usize| {
            let is_barred = if place == 0 { line / 3 == band.line / 3 } else { line == band.line };
            !is_barred && band.context.candidates(band.cell(line, lines[place])).contains(digit)
        };
        all_cells().any(|one| {
            all_cells().filter(|&other| one < other).any(|other| {
                base.digits.iter().all(|digit| {
                    let mut rooms = [0; 3];
                    for (place, line) in all_cells().filter(|&cell| cell != one && cell != other) {
                        rooms[place] |= u16::from(has_room(digit, place, line)) << line;
                    }
                    too_few(rooms).is_some()
                })
            })
        })
    }

    #[test]
    fn short_is_what_has_too_few() {
        // Three lines of some six are all there is to tell apart.
        for all in 0..1u32 << 18 {
            let rooms = [0, 6, 12].map(|from| (all >> from & 0b11_1111) as u16);
            assert_eq!(is_short(rooms, 0), too_few(rooms).is_some(), "{rooms:?}");
        }
    }
}
