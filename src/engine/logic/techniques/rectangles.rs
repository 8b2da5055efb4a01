//! Unique rectangles: four cells that two digits could fill in two ways, which one solution forbids.
//!
//! ```text
//!  ab ab | .     floor
//!  ab ab+| .     roof: must be one of the extras, or the four could change digits
//! ```

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Literal, Mark, Premise, Proof, Role, Swap};
use crate::puzzle::{Cell, DigitSet, Puzzle};

/// Unique rectangle type 1.
pub const UNIQUE_RECTANGLE_1: Technique = Technique {
    slug: "unique-rectangle-1",
    name: Text { en: "Unique rectangle type 1", zh: "唯一矩形 1 型" },
    level: Level::Hard,
    score: 150,
    needs: Needs::UNIQUE,
    on_path: true,
    find: type_1,
    sentence: Text {
        en: "if {roof} held one of {digits}, as {floor} do, these could change places in all four cells and there would be a second solution, so {target} can go",
        zh: "若 {roof} 与 {floor} 一样填 {digits} 之一，四格中这两个数字可以互换而得到第二个解，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} hold {digits} alone; if {roof} held one of them too, the two digits could change places in all four cells, which lie in two rows, two columns and two boxes, and a second solution would come of it; the puzzle has one solution, so {roof} holds one of {extra}, and {target} can go",
        zh: "{floor} 只含 {digits}；若 {roof} 也填其中之一，这两个数字可以在位于两行、两列、两宫的四格中互换，得到第二个解；而题目只有一个解，所以 {roof} 填 {extra} 之一，可删去 {target}",
    },
};

/// Type 1: three corners hold the two digits alone, so the fourth holds neither.
pub fn type_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for corner in context.open() {
        sink.spend(1)?;
        let digits = context.candidates(corner);
        if digits.len() != 2 {
            continue;
        }
        let twins = |house: usize| {
            let mut twins = CellSet::EMPTY;
            for &cell in &context.puzzle().houses()[house].cells {
                if cell != corner && context.position().is_open(cell) && context.candidates(cell) == digits {
                    twins.insert(cell);
                }
            }
            twins
        };
        let size = context.size();
        let in_row = twins(corner.row(size));
        if in_row.is_empty() {
            continue;
        }
        let in_column = twins(size + corner.column(size));
        for beside in in_row {
            for below in in_column {
                let roof = Cell::at(below.row(size), beside.column(size), size);
                find_roof(context, sink, [corner, beside, below], roof)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn find_roof(context: &Context<'_>, sink: &mut Sink<'_>, floor: [Cell; 3], roof: Cell) -> Flow {
    let digits = context.candidates(floor[0]);
    let extra = context.candidates(roof) - digits;
    // Without extras the position is broken, which is not for a rectangle to say.
    if !context.position().is_open(roof) || extra.is_empty() || (context.candidates(roof) & digits).is_empty()
    {
        return ControlFlow::Continue(());
    }
    let [corner, beside, below] = floor;
    if !is_deadly(context.puzzle(), [corner, beside, roof, below], digits) {
        return ControlFlow::Continue(());
    }
    let conclusions = context.eliminations(CellSet::single(roof), digits);
    let marks = vec![
        Mark::digits(Role::Digits, digits),
        Mark::cells(Role::Floor, floor.into_iter().collect()),
        Mark::cell(Role::Roof, roof),
        Mark::digits(Role::Extra, extra),
    ];
    let mut pattern: Vec<(Cell, DigitSet)> =
        [corner, beside, below, roof].map(|cell| (cell, digits)).to_vec();
    pattern.sort_unstable();
    let premises = vec![Premise::Swap(Swap::Digits(pattern))];
    let proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
    sink.push(conclusions, marks, proof)
}

/// Whether two digits that fill these corners (named going round) could change places and leave every house and
/// every cage as it was: each has none of the corners or two neighbours (or all, in a cage that may repeat digits).
/// Nothing given or restricted may be in it.
fn is_deadly(puzzle: &Puzzle, corners: [Cell; 4], digits: DigitSet) -> bool {
    let is_free = |cell: &Cell| puzzle.given(*cell).is_none() && puzzle.allowed(*cell).contains_all(digits);
    let keeps = |cells: &[Cell], may_repeat: bool| {
        let inside = corners.map(|corner| cells.binary_search(&corner).is_ok());
        match inside.iter().filter(|inside| **inside).count() {
            0 => true,
            2 => inside[0] != inside[2],
            4 => may_repeat,
            _ => false,
        }
    };
    corners.iter().all(is_free)
        && puzzle.houses().iter().all(|house| keeps(&house.cells, false))
        && puzzle.cages().iter().all(|cage| keeps(&cage.cells, !cage.distinct))
}
