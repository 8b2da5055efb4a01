//! Singles: the last open cell of a house, a digit with one place in a house, a cell with one candidate.

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::{Conclusion, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, HouseId};

/// Houses with one open cell.
pub fn full_house(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for house in context.puzzle().house_ids() {
        sink.spend(1)?;
        let Some(cell) = (context.house(house) & context.open()).only() else { continue };
        if let Some(digit) = missing_digit(context, house) {
            push_single_in(house, cell, digit, sink)?;
        }
    }
    ControlFlow::Continue(())
}

/// The digit that does not stand in a house yet, if there is exactly one such.
fn missing_digit(context: &Context<'_>, house: HouseId) -> Option<Digit> {
    let mut missing = context.puzzle().digits();
    for &cell in &context.puzzle().house(house).cells {
        if let Some(digit) = context.position().digit(cell) {
            missing.remove(digit);
        }
    }
    missing.only()
}

/// Digits with one place in a house.
pub fn hidden_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for house in context.puzzle().house_ids() {
        sink.spend(1)?;
        for digit in context.puzzle().digits() {
            let seats = context.seats_in(house, digit);
            if seats.count_ones() == 1 {
                let cell = context.puzzle().house(house).cells[seats.trailing_zeros() as usize];
                push_single_in(house, cell, digit, sink)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn push_single_in(house: HouseId, cell: Cell, digit: Digit, sink: &mut Sink<'_>) -> Flow {
    let marks = vec![
        Mark::digit(Role::Digits, digit),
        Mark::house(Role::Base, house),
        Mark::cell(Role::Pattern, cell),
    ];
    let proof = Proof::by_conflict([Literal::is(cell, digit)], vec![Premise::House(house, digit)]);
    sink.push(vec![Conclusion::Place(cell, digit)], marks, proof)
}

/// Cells with one candidate.
pub fn naked_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for cell in context.open() {
        sink.spend(1)?;
        let Some(digit) = context.candidates(cell).only() else { continue };
        let marks = vec![Mark::cell(Role::Pattern, cell), Mark::digit(Role::Digits, digit)];
        let proof = Proof::by_conflict([Literal::is(cell, digit)], vec![Premise::Cell(cell)]);
        sink.push(vec![Conclusion::Place(cell, digit)], marks, proof)?;
    }
    ControlFlow::Continue(())
}
