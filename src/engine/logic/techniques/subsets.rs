//! Subsets: k cells with k digits between them, k digits with k places between them.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use super::unions::Unions;
use crate::engine::logic::bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::memory::{Patterns, Unless};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Literal, MAX_SIZE, Mark, Premise, Proof, Role, Shape};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, HouseId, HouseKind};

const NAKED: Text = Text {
    en: "{pattern} in {base} hold nothing but {digits}, so {target} can go",
    zh: "{base}中 {pattern} 只含 {digits}，因此删去 {target}",
};

const NAKED_LESSON: Text = Text {
    en: "{pattern} are as many cells as {digits} are digits, and they hold nothing else; so these digits are used up there, none is left for the other cells of {base}, and {target} can go",
    zh: "{pattern} 的格数与 {digits} 的个数相同，且不含别的数字；这些数字必定用在这几格里，{base}的其他格不能再填，因此删去 {target}",
};

const HIDDEN: Text = Text {
    en: "{digits} have no other places in {base} than {pattern}, so {target} can go",
    zh: "{base}中 {digits} 只能填在 {pattern}，因此删去 {target}",
};

const HIDDEN_LESSON: Text = Text {
    en: "{digits} must all stand in {base} and have no places there but {pattern}, as many cells as digits; so these cells are taken, and {target} can go",
    zh: "{digits} 都要出现在{base}中，而位置只有 {pattern}，格数与数字个数相同；这几格因此被占满，可删去 {target}",
};

const LOCKED: Text = Text {
    en: "{pattern} hold nothing but {digits}, and all lie in {base}, so {target} can go",
    zh: "{pattern} 同在{base}，且只含 {digits}，因此删去 {target}",
};

const LOCKED_LESSON: Text = Text {
    en: "{pattern} are as many cells as {digits} are digits, and they hold nothing else; so these digits are used up there; the cells lie in {base} at once, none of these has the digits elsewhere, and {target} can go",
    zh: "{pattern} 的格数与 {digits} 的个数相同，且不含别的数字；这些数字必定用在这几格里；这几格同时属于{base}，各区的其他格都不能再填，因此删去 {target}",
};

/// Locked pair.
pub const LOCKED_PAIR: Technique = Technique {
    slug: "locked-pair",
    name: Text { en: "Locked pair", zh: "死锁数对" },
    level: Level::Medium,
    score: 50,
    needs: Needs::NONE,
    on_path: true,
    find: locked_pair,
    sentence: LOCKED,
    lesson: LOCKED_LESSON,
};

/// Locked triple.
pub const LOCKED_TRIPLE: Technique = Technique {
    slug: "locked-triple",
    name: Text { en: "Locked triple", zh: "死锁三数组" },
    score: 60,
    find: locked_triple,
    ..LOCKED_PAIR
};

/// Naked pair.
pub const NAKED_PAIR: Technique = Technique {
    slug: "naked-pair",
    name: Text { en: "Naked pair", zh: "显性数对" },
    level: Level::Medium,
    score: 60,
    needs: Needs::NONE,
    on_path: true,
    find: naked_pair,
    sentence: NAKED,
    lesson: NAKED_LESSON,
};

/// Hidden pair.
pub const HIDDEN_PAIR: Technique = Technique {
    slug: "hidden-pair",
    name: Text { en: "Hidden pair", zh: "隐性数对" },
    level: Level::Medium,
    score: 70,
    needs: Needs::NONE,
    on_path: true,
    find: hidden_pair,
    sentence: HIDDEN,
    lesson: HIDDEN_LESSON,
};

/// Naked triple.
pub const NAKED_TRIPLE: Technique = Technique {
    slug: "naked-triple",
    name: Text { en: "Naked triple", zh: "显性三数组" },
    level: Level::Medium,
    score: 80,
    needs: Needs::NONE,
    on_path: true,
    find: naked_triple,
    sentence: NAKED,
    lesson: NAKED_LESSON,
};

/// Hidden triple.
pub const HIDDEN_TRIPLE: Technique = Technique {
    slug: "hidden-triple",
    name: Text { en: "Hidden triple", zh: "隐性三数组" },
    level: Level::Medium,
    score: 100,
    needs: Needs::NONE,
    on_path: true,
    find: hidden_triple,
    sentence: HIDDEN,
    lesson: HIDDEN_LESSON,
};

/// Naked quadruple.
pub const NAKED_QUADRUPLE: Technique = Technique {
    slug: "naked-quadruple",
    name: Text { en: "Naked quadruple", zh: "显性四数组" },
    level: Level::Hard,
    score: 120,
    needs: Needs::NONE,
    on_path: true,
    find: naked_quadruple,
    sentence: NAKED,
    lesson: NAKED_LESSON,
};

/// Hidden quadruple.
pub const HIDDEN_QUADRUPLE: Technique = Technique {
    slug: "hidden-quadruple",
    name: Text { en: "Hidden quadruple", zh: "隐性四数组" },
    level: Level::Hard,
    score: 150,
    needs: Needs::NONE,
    on_path: true,
    find: hidden_quadruple,
    sentence: HIDDEN,
    lesson: HIDDEN_LESSON,
};

/// Two cells with two digits where two houses cross.
pub fn locked_pair(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_locked(context, sink, 2)
}

/// Three cells with three digits where two houses cross.
pub fn locked_triple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_locked(context, sink, 3)
}

/// Two cells with two digits.
pub fn naked_pair(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_naked(context, sink, 2)
}

/// Three cells with three digits.
pub fn naked_triple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_naked(context, sink, 3)
}

/// Four cells with four digits.
pub fn naked_quadruple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_naked(context, sink, 4)
}

/// Two digits with two places.
pub fn hidden_pair(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_hidden(context, sink, 2)
}

/// Three digits with three places.
pub fn hidden_triple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_hidden(context, sink, 3)
}

/// Four digits with four places.
pub fn hidden_quadruple(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find_hidden(context, sink, 4)
}

/// Naked subsets of boxes (regions, windows) that lie in another house too, and of which both houses learn.
fn find_locked(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    let is_wanted = |kind: HouseKind| !is_straight(kind);
    each_naked_in_houses(context, sink, count, is_wanted, &mut |sink, _, &Naked { pattern, digits }| {
        let bases = locking_houses(context, pattern, digits);
        if bases.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut marks = vec![Mark::cells(Role::Pattern, pattern), Mark::digits(Role::Digits, digits)];
        marks.extend(bases.into_iter().map(|base| Mark::house(Role::Base, base)));
        push_naked(context, sink, pattern, digits, marks)
    })
}

fn is_straight(kind: HouseKind) -> bool {
    kind.is_line() || kind == HouseKind::Diagonal
}

/// The houses that hold a naked subset, if they make it a locked one: one is no line and loses something, and so
/// does another outside it.
fn locking_houses(context: &Context<'_>, pattern: CellSet, digits: DigitSet) -> Vec<HouseId> {
    let Some(first) = pattern.first() else { return Vec::new() };
    let houses = context.puzzle().houses_of(first).iter().copied();
    let shared: Vec<HouseId> = houses.filter(|&house| context.house(house).contains_all(pattern)).collect();
    let spots = digits.iter().fold(CellSet::EMPTY, |spots, digit| spots | context.spots(digit));
    let gone = context.common_peers(pattern) & spots;
    if gone.is_empty() {
        return Vec::new();
    }
    let is_locked = shared.iter().any(|&house| {
        let inside = context.house(house);
        let mut others = shared.iter().filter(|&&other| other != house);
        !is_straight(context.puzzle().house(house).kind)
            && gone.meets(inside)
            && others.any(|&other| (gone & context.house(other)) - inside != CellSet::EMPTY)
    });
    if is_locked { shared } else { Vec::new() }
}

/// Where cells differ: in a house, and in a cage whose digits differ.
fn find_naked(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    let puzzle = context.puzzle();
    each_naked_in_houses(context, sink, count, |_| true, &mut |sink, house, naked| {
        report_naked(context, sink, naked.pattern, naked.digits, &Mark::house(Role::Base, house))
    })?;
    for (index, cage) in puzzle.cages().iter().enumerate() {
        if cage.distinct && cage.cells.len() > count {
            let base = Mark::new(Role::Base, Shape::Cage(CageId(index as u16)));
            each_naked(context, sink, &cage.cells, count, &mut |sink, pattern, digits| {
                report_naked(context, sink, pattern, digits, &base)
            })?;
        }
    }
    ControlFlow::Continue(())
}

fn report_naked(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    pattern: CellSet,
    digits: DigitSet,
    base: &Mark,
) -> Flow {
    // Most patterns have been used up before.
    let seen = context.common_peers(pattern);
    if !digits.iter().any(|digit| seen.meets(context.spots(digit))) {
        return ControlFlow::Continue(());
    }
    // Locked pairs and triples are rows of their own.
    if pattern.len() <= 3 && !locking_houses(context, pattern, digits).is_empty() {
        return ControlFlow::Continue(());
    }
    let marks = vec![Mark::cells(Role::Pattern, pattern), base.clone(), Mark::digits(Role::Digits, digits)];
    push_naked(context, sink, pattern, digits, marks)
}

/// Is shown the cells of a naked subset and its digits.
type Visit<'v> = dyn FnMut(&mut Sink<'_>, CellSet, DigitSet) -> Flow + 'v;

/// So many cells with as many digits.
struct Naked {
    pattern: CellSet,
    digits: DigitSet,
}

/// The same as [`each_naked`] for the houses of some kinds, where what was found before need not be looked for again.
fn each_naked_in_houses(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    count: usize,
    is_wanted: impl Fn(HouseKind) -> bool,
    visit: &mut dyn FnMut(&mut Sink<'_>, HouseId, &Naked) -> Flow,
) -> Flow {
    let houses = context.puzzle().houses();
    Patterns::of(context, count, (houses.len(), |house| 1 << house)).each(
        |house| is_wanted(houses[house].kind),
        sink,
        |sink, house, found| {
            each_naked(context, sink, &houses[house].cells, count, &mut |_, pattern, digits| {
                found.push(Naked { pattern, digits });
                ControlFlow::Continue(())
            })
        },
        |sink, house, naked| visit(sink, HouseId(house as u16), naked),
    )
}

/// Visits so many cells with as many digits. A cell may have one candidate: what the others say is still news.
fn each_naked(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    cells: &[Cell],
    count: usize,
    visit: &mut Visit<'_>,
) -> Flow {
    sink.spend(1)?;
    let mut sets: SmallVec<[(Cell, u32); MAX_SIZE]> = SmallVec::new();
    for &cell in cells {
        let candidates = context.candidates(cell);
        if context.open().contains(cell) && (1..=count).contains(&bits::count(candidates.bits())) {
            sets.push((cell, candidates.bits()));
        }
    }
    Unions::new(&sets, count).each(&mut |chosen, union| {
        sink.spend(1)?;
        visit(sink, chosen.iter().map(|(cell, _)| *cell).collect(), DigitSet::from_bits(union))
    })
}

fn push_naked(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    pattern: CellSet,
    digits: DigitSet,
    marks: Vec<Mark>,
) -> Flow {
    let conclusions = context.eliminations(context.common_peers(pattern), digits);
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    push(sink, conclusions, marks, pattern.iter().map(Premise::Cell).collect())
}

fn find_hidden(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    each_hidden(context, sink, 1, count, &mut |sink, house, digits, seats| {
        push_hidden(context, sink, house, digits, seats)
    })
}

/// Is shown a house, the digits of a hidden subset, and their places in the house: bit `i` is its cell `i`.
pub type VisitHidden<'v> = dyn FnMut(&mut Sink<'_>, HouseId, DigitSet, u32) -> Flow + 'v;

/// Visits so many digits of a house with as many places, each with so many at least, in every house where the row is not
/// known to conclude nothing; it must read nothing but the house.
pub fn each_hidden(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    least: usize,
    count: usize,
    visit: &mut VisitHidden<'_>,
) -> Flow {
    let houses = context.puzzle().houses().len();
    let patterns = Patterns::of(context, count, (houses, |house| 1 << house));
    Unless::barren(context, sink).in_places((houses, |house| 1 << house), sink, |sink, place| {
        let house = HouseId(place as u16);
        patterns.each_at(
            place,
            sink,
            |sink, found| find_hidden_in(context, sink, house, count, found),
            |sink, hidden: &Hidden| match hidden.least < least {
                true => ControlFlow::Continue(()),
                false => visit(sink, house, hidden.digits, hidden.seats),
            },
        )
    })
}

/// So many digits of a house with as many places.
struct Hidden {
    digits: DigitSet,
    seats: u32,
    /// How many places each of them has at least.
    least: usize,
}

fn find_hidden_in(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    house: HouseId,
    count: usize,
    found: &mut Vec<Hidden>,
) -> Flow {
    sink.spend(1)?;
    let mut sets: SmallVec<[(Digit, u32); MAX_SIZE]> = SmallVec::new();
    for digit in context.puzzle().digits() {
        let seats = context.seats_in(house, digit);
        if (1..=count).contains(&bits::count(seats.into())) {
            sets.push((digit, u32::from(seats)));
        }
    }
    Unions::new(&sets, count).each(&mut |chosen, union| {
        sink.spend(1)?;
        let digits = chosen.iter().map(|(digit, _)| *digit).collect();
        let least = chosen.iter().map(|(_, seats)| bits::count(*seats)).min().unwrap_or(0);
        found.push(Hidden { digits, seats: union, least });
        ControlFlow::Continue(())
    })
}

fn push_hidden(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    house: HouseId,
    digits: DigitSet,
    seats: u32,
) -> Flow {
    let cells = &context.puzzle().house(house).cells;
    let pattern: CellSet =
        (0..cells.len()).filter(|seat| seats & (1 << seat) != 0).map(|seat| cells[seat]).collect();
    let conclusions = context.eliminations(pattern, context.puzzle().digits() - digits);
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    let marks = vec![
        Mark::digits(Role::Digits, digits),
        Mark::house(Role::Base, house),
        Mark::cells(Role::Pattern, pattern),
    ];
    push(sink, conclusions, marks, digits.iter().map(|digit| Premise::House(house, digit)).collect())
}

fn push(sink: &mut Sink<'_>, conclusions: Vec<Conclusion>, marks: Vec<Mark>, premises: Vec<Premise>) -> Flow {
    let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
    sink.push(conclusions, marks, proof)
}
