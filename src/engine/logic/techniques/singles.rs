//! Singles: a cell with one candidate, a digit with one place in a house.

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::{Conclusion, Literal, Mark, Premise, Proof, Role, Shape};

/// Cells with one candidate.
pub fn naked_single(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for cell in context.position().open_cells() {
        sink.spend(1)?;
        let Some(digit) = context.candidates(cell).only() else { continue };
        let marks = vec![
            Mark { role: Role::Pattern, shape: Shape::Cells(vec![cell]) },
            Mark { role: Role::Digits, shape: Shape::Digits(context.candidates(cell)) },
        ];
        let proof = Proof::by_conflict([Literal::is(cell, digit)], vec![Premise::Cell(cell)]);
        sink.push(vec![Conclusion::Place(cell, digit)], marks, proof)?;
    }
    ControlFlow::Continue(())
}
