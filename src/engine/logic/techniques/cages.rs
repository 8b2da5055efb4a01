//! Cages: what their targets leave possible.

use std::ops::ControlFlow;

use super::combos::{self, Question, Ways};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Conclusion, Literal, Mark, Premise, Proof, Role, Shape};
use crate::puzzle::{Cage, CageId, Cell, Digit, DigitSet, Operation, is_met};

/// Last cell of a cage.
pub const CAGE_LAST_CELL: Technique = Technique {
    slug: "cage-last-cell",
    name: Text { en: "Last cell of a cage", zh: "笼内剩余" },
    level: Level::Easy,
    score: 6,
    needs: Needs::CAGES,
    on_path: true,
    find: last_cell,
    sentence: Text {
        en: "{pattern} is the last open cell of {cage}, and nothing but {digits} meets its target",
        zh: "{cage}只剩 {pattern} 一格未填，只有 {digits} 能满足其目标",
    },
    lesson: Text {
        en: "all cells of {cage} but {pattern} are filled; of all digits only {digits} brings them to its target, so {pattern} holds it",
        zh: "{cage}除 {pattern} 外都已填好；只有 {digits} 能使其达到目标，所以 {pattern} 填它",
    },
};

/// Cage combination.
pub const CAGE_COMBINATION: Technique = Technique {
    slug: "cage-combination",
    name: Text { en: "Cage combination", zh: "笼组合" },
    level: Level::Easy,
    score: 20,
    needs: Needs::CAGES,
    on_path: true,
    find: combinations,
    sentence: Text {
        en: "whatever way {cage} meets its target, {target} can go",
        zh: "{cage}的任何填法都不含 {target}，因此可以删去",
    },
    lesson: Text {
        en: "write down every way to meet the target of {cage} with the candidates left: {target} is in none of them, so it can go",
        zh: "用剩下的候选数列出{cage}达到目标的所有填法：{target} 不在任何一种之中，因此可以删去",
    },
};

/// More combinations than this are not shown.
const MAX_SHOWN: usize = 6;

/// One open cell is left in a cage, and one digit there meets the target.
pub fn last_cell(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for (id, cage) in cages(context) {
        sink.spend(1)?;
        let Some((cell, digit)) = last_digit(context, cage) else { continue };
        let marks = vec![
            Mark::new(Role::Cage, Shape::Cage(id)),
            Mark::cell(Role::Pattern, cell),
            Mark::digit(Role::Digits, digit),
        ];
        let proof = Proof::by_conflict([Literal::is(cell, digit)], vec![Premise::Cage(id)]);
        sink.push(vec![Conclusion::Place(cell, digit)], marks, proof)?;
    }
    ControlFlow::Continue(())
}

/// The cages that ask for something.
fn cages<'a>(context: &'a Context<'_>) -> impl Iterator<Item = (CageId, &'a Cage)> {
    let cages = context.puzzle().cages().iter().enumerate();
    cages
        .map(|(index, cage)| (CageId(index as u16), cage))
        .filter(|(_, cage)| cage.operation != Operation::Free)
}

/// The only open cell of a cage, and the only candidate there that meets the target.
fn last_digit(context: &Context<'_>, cage: &Cage) -> Option<(Cell, Digit)> {
    let mut open = None;
    for &cell in &cage.cells {
        if context.position().is_open(cell) && open.replace(cell).is_some() {
            return None;
        }
    }
    let last = open?;
    let meets = |&digit: &Digit| {
        let value = |&cell: &Cell| context.position().digit(cell).unwrap_or(digit).value();
        let digits: Vec<u8> = cage.cells.iter().map(value).collect();
        is_met(cage.operation, cage.target, &digits)
    };
    let fitting: DigitSet = context.candidates(last).iter().filter(meets).collect();
    Some((last, fitting.only()?))
}

/// Candidates that stand in no way of filling a cage.
pub fn combinations(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for (id, cage) in cages(context) {
        sink.spend(cage.cells.len() as u64)?;
        if cage.cells.iter().all(|&cell| !context.position().is_open(cell)) {
            continue;
        }
        let candidates: Vec<DigitSet> = cage.cells.iter().map(|&cell| context.candidates(cell)).collect();
        let sees = |one: usize, other: usize| context.puzzle().sees(cage.cells[one], cage.cells[other]);
        let question = Question { cage, candidates: &candidates, sees: &sees };
        let ways = combos::ways(&question, &mut |units| sink.spend(units))?;
        push_unsupported(context, sink, id, &ways)?;
    }
    ControlFlow::Continue(())
}

fn push_unsupported(context: &Context<'_>, sink: &mut Sink<'_>, id: CageId, ways: &Ways) -> Flow {
    let mut conclusions = Vec::new();
    for (&cell, &supported) in context.puzzle().cage(id).cells.iter().zip(&ways.supported) {
        if context.position().is_open(cell) {
            let gone = context.candidates(cell) - supported;
            conclusions.extend(gone.iter().map(|digit| Conclusion::Eliminate(cell, digit)));
        }
    }
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    let mut marks = vec![Mark::new(Role::Cage, Shape::Cage(id))];
    if ways.combinations.len() <= MAX_SHOWN {
        marks.extend(ways.combinations.iter().map(|&digits| Mark::digits(Role::Combination, digits)));
    }
    let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), vec![Premise::Cage(id)]);
    sink.push(conclusions, marks, proof)
}
