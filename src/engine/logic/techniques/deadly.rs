//! What follows from a pattern that could be filled in two ways: rectangles, loops, extended rectangles and graves
//! alike. With exactly one solution some cell of its roof holds a digit beyond the pattern.
//!
//! Type 1: there is one roof cell. Type 2: all roof cells have the same one extra digit. Type 3: roof cells share a
//! house, where their extras make a subset with other cells. Type 4: two roof cells share a house that has no other
//! place for a digit of the pattern.

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::{CellSet, Conclusion, Literal, Mark, Premise, Proof, Role, Swap};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, Operation, Puzzle};

/// A cell of a pattern that may hold a digit beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Roof {
    /// The cell.
    pub cell: Cell,
    /// Its candidates that are the pattern's.
    pub inside: DigitSet,
    /// Its other candidates.
    pub extra: DigitSet,
}

/// A deadly pattern. Its finder has made sure of it: the exchange keeps every house and every cage, and touches
/// no given and no restriction.
#[derive(Clone, Debug)]
pub struct Deadly {
    /// The exchange.
    pub swap: Swap,
    /// The digits of the pattern.
    pub digits: DigitSet,
    /// Cells that hold digits of the pattern alone.
    pub floor: CellSet,
    /// The others: at least one.
    pub roof: Vec<Roof>,
}

/// Reports what one type concludes from a pattern.
pub type Conclude = fn(&Context<'_>, &mut Sink<'_>, &Deadly) -> Flow;

impl Deadly {
    /// The pattern of an exchange, as the position has it.
    pub fn new(context: &Context<'_>, swap: Swap) -> Deadly {
        let mut deadly =
            Deadly { digits: DigitSet::EMPTY, floor: CellSet::EMPTY, roof: Vec::new(), swap: swap.clone() };
        for (cell, inside) in swap.pattern() {
            deadly.digits |= inside;
            let candidates = context.candidates(cell);
            match candidates - inside {
                DigitSet::EMPTY => deadly.floor.insert(cell),
                extra => deadly.roof.push(Roof { cell, inside: candidates & inside, extra }),
            }
        }
        deadly.roof.sort_unstable_by_key(|roof| roof.cell);
        deadly
    }

    /// The roof cells.
    pub fn roof_cells(&self) -> CellSet {
        self.roof.iter().map(|roof| roof.cell).collect()
    }

    /// The digits beyond the pattern.
    pub fn extras(&self) -> DigitSet {
        self.roof.iter().fold(DigitSet::EMPTY, |extras, roof| extras | roof.extra)
    }

    /// Reports a step that rests on the pattern and on other premises.
    pub fn push(
        &self,
        sink: &mut Sink<'_>,
        conclusions: Vec<Conclusion>,
        more_marks: Vec<Mark>,
        more_premises: Vec<Premise>,
    ) -> Flow {
        if conclusions.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut marks = vec![
            Mark::digits(Role::Digits, self.digits),
            Mark::cells(Role::Floor, self.floor),
            Mark::cells(Role::Roof, self.roof_cells()),
            Mark::digits(Role::Extra, self.extras()),
        ];
        marks.extend(more_marks);
        let mut premises = vec![Premise::Swap(self.swap.clone())];
        premises.extend(more_premises);
        let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
        sink.push(conclusions, marks, proof)
    }
}

/// Type 1: the only roof cell holds none of its digits of the pattern.
pub fn type_1(context: &Context<'_>, sink: &mut Sink<'_>, deadly: &Deadly) -> Flow {
    let [roof] = deadly.roof[..] else { return ControlFlow::Continue(()) };
    let conclusions = context.eliminations(CellSet::single(roof.cell), roof.inside);
    deadly.push(sink, conclusions, Vec::new(), Vec::new())
}

/// Type 2: one roof cell holds the extra digit, so no cell does that sees them all.
pub fn type_2(context: &Context<'_>, sink: &mut Sink<'_>, deadly: &Deadly) -> Flow {
    let Some(extra) = deadly.extras().only() else { return ControlFlow::Continue(()) };
    if deadly.roof.len() < 2 {
        return ControlFlow::Continue(());
    }
    let gone = context.common_peers(deadly.roof_cells()) & context.spots(extra);
    let conclusions = context.eliminations(gone, DigitSet::single(extra));
    deadly.push(sink, conclusions, Vec::new(), Vec::new())
}

/// Type 3: one roof cell holds an extra, and with k − 1 other cells of the house that makes k cells for k digits.
pub fn type_3(context: &Context<'_>, sink: &mut Sink<'_>, deadly: &Deadly) -> Flow {
    let extras = deadly.extras();
    if deadly.roof.len() < 2 {
        return ControlFlow::Continue(());
    }
    for house in shared_houses(context, deadly) {
        let roof = deadly.roof_cells();
        let mut others: Vec<Cell> = (context.house(house) & context.open()).iter().collect();
        others.retain(|&cell| !roof.contains(cell));
        let mut subsets = Subsets { others: &others, chosen: CellSet::EMPTY, count: 0 };
        subsets.extend(context, sink, 0, extras, &mut |sink, chosen, digits| {
            let conclusions = context.eliminations(context.common_peers(roof | chosen), digits);
            let marks = vec![Mark::cells(Role::Pattern, chosen), Mark::house(Role::Base, house)];
            deadly.push(sink, conclusions, marks, subset_premises(context, house, chosen, digits))
        })?;
    }
    ControlFlow::Continue(())
}

/// The subset as seen from its fewer members: its cells, or the digits of the house that it leaves to the others.
/// Of many cells a person, too, sees the digits that are hidden from them.
fn subset_premises(context: &Context<'_>, house: HouseId, chosen: CellSet, digits: DigitSet) -> Vec<Premise> {
    let is_hidden = |digit: &Digit| !digits.contains(*digit) && context.seats_in(house, *digit) != 0;
    let hidden: Vec<Digit> = context.puzzle().digits().iter().filter(is_hidden).collect();
    match hidden.len() < chosen.len() {
        true => hidden.into_iter().map(|digit| Premise::House(house, digit)).collect(),
        false => chosen.iter().map(Premise::Cell).collect(),
    }
}

/// Type 4: one of two roof cells holds the digit that has no other place, so neither holds the pattern's others.
pub fn type_4(context: &Context<'_>, sink: &mut Sink<'_>, deadly: &Deadly) -> Flow {
    let [one, other] = deadly.roof[..] else { return ControlFlow::Continue(()) };
    let roof = deadly.roof_cells();
    for house in shared_houses(context, deadly) {
        for digit in one.inside | other.inside {
            if !is_locked(context, house, digit, roof) {
                continue;
            }
            let mut conclusions = Vec::new();
            for roof in [one, other] {
                let gone = roof.inside - DigitSet::single(digit);
                conclusions.extend(context.eliminations(CellSet::single(roof.cell), gone));
            }
            let marks = vec![Mark::digit(Role::Locked, digit), Mark::house(Role::Base, house)];
            deadly.push(sink, conclusions, marks, vec![Premise::House(house, digit)])?;
        }
    }
    ControlFlow::Continue(())
}

/// Whether a digit has places in a house, all of them in these cells.
pub fn is_locked(context: &Context<'_>, house: HouseId, digit: Digit, cells: CellSet) -> bool {
    let spots = context.spots_in(house, digit);
    !spots.is_empty() && cells.contains_all(spots)
}

/// Whether every cage keeps its digits when the cells of a pattern change to the other of their two: different
/// digits must stand in none or two of its cells, others in pairs of cells that see each other and hold the same.
pub fn keeps_cages(puzzle: &Puzzle, pattern: &[(Cell, DigitSet)]) -> bool {
    puzzle.cages().iter().filter(|cage| cage.distinct || cage.operation != Operation::Free).all(|cage| {
        let inside: Vec<(Cell, DigitSet)> =
            pattern.iter().copied().filter(|(cell, _)| cage.cells.binary_search(cell).is_ok()).collect();
        let count = |digit| inside.iter().filter(|(_, digits)| digits.contains(digit)).count();
        match cage.distinct {
            true => puzzle.digits().iter().all(|digit| matches!(count(digit), 0 | 2)),
            false => is_paired(puzzle, inside),
        }
    })
}

fn is_paired(puzzle: &Puzzle, mut cells: Vec<(Cell, DigitSet)>) -> bool {
    let Some((cell, digits)) = cells.pop() else { return true };
    (0..cells.len()).any(|index| {
        let mut rest = cells.clone();
        let (other, same) = rest.remove(index);
        same == digits && puzzle.sees(cell, other) && is_paired(puzzle, rest)
    })
}

/// The houses that hold the whole roof.
fn shared_houses(context: &Context<'_>, deadly: &Deadly) -> Vec<HouseId> {
    let roof = deadly.roof_cells();
    let houses = context.puzzle().houses_of(deadly.roof[0].cell).iter().copied();
    houses.filter(|&house| context.house(house).contains_all(roof)).collect()
}

/// Is shown the cells chosen and all the digits.
type Visit<'v> = dyn FnMut(&mut Sink<'_>, CellSet, DigitSet) -> Flow + 'v;

/// Choices of cells that hold, with the extras of a roof, one digit more than there are cells.
struct Subsets<'a> {
    others: &'a [Cell],
    chosen: CellSet,
    count: usize,
}

impl Subsets<'_> {
    fn extend(
        &mut self,
        context: &Context<'_>,
        sink: &mut Sink<'_>,
        from: usize,
        digits: DigitSet,
        visit: &mut Visit<'_>,
    ) -> Flow {
        for index in from..self.others.len() {
            let cell = self.others[index];
            let grown = digits | context.candidates(cell);
            // More digits than all other cells and one of the roof could take.
            if grown.len() > self.others.len() + 1 {
                continue;
            }
            sink.spend(1)?;
            self.chosen.insert(cell);
            self.count += 1;
            if grown.len() == self.count + 1 {
                visit(sink, self.chosen, grown)?;
            }
            self.extend(context, sink, index + 1, grown, visit)?;
            self.chosen.remove(cell);
            self.count -= 1;
        }
        ControlFlow::Continue(())
    }
}
