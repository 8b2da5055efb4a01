//! Subsets: k cells with k digits between them, k digits with k places between them.

use std::ops::ControlFlow;

use super::unions::Unions;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::{CellSet, Conclusion, Literal, Mark, Premise, Proof, Role, Shape};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, HouseId};

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

/// Where cells differ: in a house, and in a cage whose digits differ.
fn find_naked(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    let puzzle = context.puzzle();
    for id in puzzle.house_ids() {
        find_naked_in(context, sink, &puzzle.house(id).cells, Mark::house(Role::Base, id), count)?;
    }
    for (index, cage) in puzzle.cages().iter().enumerate() {
        if cage.distinct && cage.cells.len() > count {
            let base = Mark::new(Role::Base, Shape::Cage(CageId(index as u16)));
            find_naked_in(context, sink, &cage.cells, base, count)?;
        }
    }
    ControlFlow::Continue(())
}

fn find_naked_in(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    cells: &[Cell],
    base: Mark,
    count: usize,
) -> Flow {
    sink.spend(1)?;
    let mut sets: Vec<(Cell, u32)> = Vec::with_capacity(cells.len());
    for &cell in cells {
        let candidates = context.candidates(cell);
        if context.position().is_open(cell) && (2..=count).contains(&candidates.len()) {
            sets.push((cell, candidates.bits()));
        }
    }
    Unions::new(&sets, count).each(&mut |chosen, union| {
        sink.spend(1)?;
        let pattern: CellSet = chosen.iter().map(|(cell, _)| *cell).collect();
        let digits = DigitSet::from_bits(union);
        let conclusions = context.eliminations(context.common_peers(pattern), digits);
        if conclusions.is_empty() {
            return ControlFlow::Continue(());
        }
        let marks =
            vec![Mark::cells(Role::Pattern, pattern), base.clone(), Mark::digits(Role::Digits, digits)];
        push(sink, conclusions, marks, pattern.iter().map(Premise::Cell).collect())
    })
}

fn find_hidden(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    for house in context.puzzle().house_ids() {
        sink.spend(1)?;
        let mut sets: Vec<(Digit, u32)> = Vec::with_capacity(context.size());
        for digit in context.puzzle().digits() {
            let seats = context.seats_in(house, digit);
            if (2..=count).contains(&(seats.count_ones() as usize)) {
                sets.push((digit, u32::from(seats)));
            }
        }
        Unions::new(&sets, count).each(&mut |chosen, union| {
            sink.spend(1)?;
            let digits: DigitSet = chosen.iter().map(|(digit, _)| *digit).collect();
            push_hidden(context, sink, house, digits, union)
        })?;
    }
    ControlFlow::Continue(())
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
