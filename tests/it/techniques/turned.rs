//! Steps do not depend on how a board is turned, its lines ordered or its digits named: the steps of a face are
//! the faces of the steps.

use std::collections::BTreeSet;
use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::generate::rng::Stream;
use sleuth::engine::logic::Conclusion;
use sleuth::engine::logic::path::{Facts, deduce};
use sleuth::engine::logic::registry::technique;
use sleuth::engine::logic::verify::{NodeCap, verify};
use sleuth::puzzle::{BoxShape, CageDraft, Cell, Digit, DigitSet, Position, Puzzle};
use sleuth::puzzle::{PuzzleDraft, Regions, RegionsDraft};

use super::paths::generated;
use super::random::{Cages, layouts, random};
use super::{UNIQUE, all_steps, puzzle, steps_of};
use crate::faces::random_face;

/// What each row may spend on a position: rows that need more are not compared there.
const ROW_WORK: u64 = 50_000;

/// Where each cell and each digit goes.
struct Face {
    cells: Vec<Cell>,
    digits: Vec<Digit>,
    /// Whether rows become columns.
    is_transposed: bool,
}

impl Face {
    fn transposed(size: usize) -> Face {
        Face {
            cells: Cell::all(size).map(|cell| Cell::at(cell.column(size), cell.row(size), size)).collect(),
            digits: Digit::all(size).collect(),
            is_transposed: true,
        }
    }

    /// Rows and columns of a 9×9 board in another order that keeps bands and stacks, digits renamed, transposed.
    fn shuffled() -> Face {
        let rows = [5, 3, 4, 7, 8, 6, 1, 0, 2];
        let columns = [1, 2, 0, 8, 7, 6, 3, 5, 4];
        Face {
            cells: Cell::all(9).map(|cell| Cell::at(columns[cell.column(9)], rows[cell.row(9)], 9)).collect(),
            digits: [3, 7, 0, 8, 1, 5, 2, 6, 4].map(Digit::from_index).to_vec(),
            is_transposed: true,
        }
    }

    fn cell(&self, cell: Cell) -> Cell {
        self.cells[cell.index()]
    }

    fn digit(&self, digit: Digit) -> Digit {
        self.digits[digit.index()]
    }

    fn conclusion(&self, conclusion: Conclusion) -> Conclusion {
        let (cell, digit) = (self.cell(conclusion.cell()), self.digit(conclusion.digit()));
        match conclusion {
            Conclusion::Place(..) => Conclusion::Place(cell, digit),
            Conclusion::Eliminate(..) => Conclusion::Eliminate(cell, digit),
        }
    }

    fn puzzle(&self, puzzle: &Puzzle) -> Arc<Puzzle> {
        let size = puzzle.size();
        let layout = puzzle.layout();
        let mut draft = PuzzleDraft::latin(size);
        draft.regions = match &layout.regions {
            Regions::None => RegionsDraft::None,
            Regions::Boxes(BoxShape { rows, columns }) => {
                let (rows, columns) = if self.is_transposed { (columns, rows) } else { (rows, columns) };
                RegionsDraft::Boxes { rows: usize::from(*rows), columns: usize::from(*columns) }
            }
            Regions::Jigsaw(regions) => {
                let mut moved = vec![0; size * size];
                for cell in Cell::all(size) {
                    moved[self.cell(cell).index()] = usize::from(regions[cell.index()]);
                }
                RegionsDraft::Jigsaw(moved)
            }
        };
        draft.falling_diagonal = layout.falling_diagonal;
        draft.rising_diagonal = layout.rising_diagonal;
        draft.windows = layout.windows;
        for cell in Cell::all(size) {
            let given = puzzle.given(cell).map_or(0, |digit| self.digit(digit).value());
            draft.givens[self.cell(cell).index()] = given.into();
        }
        draft.cages = puzzle
            .cages()
            .iter()
            .map(|cage| CageDraft {
                cells: cage.cells.iter().map(|&cell| self.cell(cell).index()).collect(),
                operation: cage.operation,
                target: Some(cage.target as i64),
                distinct: cage.distinct,
            })
            .collect();
        Arc::new(draft.check().expect("a face of a puzzle"))
    }

    fn position(&self, position: &Position) -> Position {
        let mut turned = Position::new(self.puzzle(position.puzzle()));
        for cell in Cell::all(position.size()) {
            match position.digit(cell) {
                Some(digit) => turned.place(self.cell(cell), self.digit(digit)),
                None => {
                    let kept: DigitSet =
                        position.candidates(cell).iter().map(|digit| self.digit(digit)).collect();
                    for digit in position.puzzle().digits() - kept {
                        turned.eliminate(self.cell(cell), digit);
                    }
                }
            }
        }
        turned
    }
}

/// What rows conclude in a position.
type Said = BTreeSet<(String, Vec<Conclusion>)>;

/// What each row concludes in a position, and the rows that did not come to their end.
fn said(position: &Position, facts: Facts, face: Option<&Face>) -> (Said, Vec<&'static str>) {
    let (steps, cut) = all_steps(position, facts, ROW_WORK);
    let said = steps.into_iter().map(|step| {
        let mut conclusions = step.conclusions.into_vec();
        if let Some(face) = face {
            conclusions = conclusions.into_iter().map(|said| face.conclusion(said)).collect();
            conclusions.sort_unstable();
        }
        (step.technique.to_string(), conclusions)
    });
    (said.collect(), cut)
}

/// Compares all steps at every third position of a path.
fn compare(puzzle: &Arc<Puzzle>, facts: Facts, face: &Face) -> usize {
    let mut position = Position::new(puzzle.clone());
    let (mut count, mut compared) = (0, 0);
    deduce(&mut position, facts, &mut Budget::unlimited(), &mut |before, _| {
        count += 1;
        if count % 3 == 0 {
            let (mut turned, cut) = said(before, facts, Some(face));
            let (mut found, cut_too) = said(&face.position(before), facts, None);
            for steps in [&mut turned, &mut found] {
                steps.retain(|(row, _)| !cut.contains(&row.as_str()) && !cut_too.contains(&row.as_str()));
            }
            let differing: Vec<_> = turned.symmetric_difference(&found).collect();
            assert!(differing.is_empty(), "{differing:?} of {:?}", before.puzzle());
            compared += turned.len();
        }
    });
    compared
}

#[test]
fn faces_of_classics() {
    let boards = [
        "..6.8.2...8..1...6.5......1.......9..7.4..8....3.2..1.9...6...74...7..5..35.9.4..",
        "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........",
        "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
    ];
    for board in boards {
        for face in [Face::transposed(9), Face::shuffled()] {
            compare(&puzzle(board), UNIQUE, &face);
        }
    }
    for seed in 0..6 {
        let (puzzle, _) = generated(seed);
        assert!(compare(&puzzle, UNIQUE, &Face::shuffled()) > 20);
    }
}

#[test]
fn transposed_variants() {
    for (number, layout) in layouts().iter().enumerate() {
        for cages in [Cages::None, Cages::Killer, Cages::KenKen, Cages::Unknown] {
            let (puzzle, _) = random(layout, cages, 5, 100 + number as u64);
            compare(&puzzle, UNIQUE, &Face::transposed(layout.size));
        }
    }
}

/// Template proofs differ in size from face to face; what is told does not.
#[test]
fn templates_of_a_puzzle_that_takes_long_proofs() {
    let board = "001000900400300080603000040000000005306900800000205601060000050004530000009100068";
    let puzzle = puzzle(board);
    for row in ["template-set", "template-delete"] {
        let told = |position: &Position| {
            let steps = steps_of(technique(row).expect("a row"), position);
            for step in &steps {
                verify(position, step, UNIQUE, NodeCap::default()).expect("a proof that can be followed");
            }
            let conclusions: usize = steps.iter().map(|step| step.conclusions.len()).sum();
            (steps.len(), conclusions)
        };
        let wanted = told(&Position::new(puzzle.clone()));
        assert!(wanted.0 > 1, "{wanted:?}");
        let stream = &mut Stream::new(17, 0);
        for _ in 0..8 {
            let face = Arc::new(random_face(&puzzle, stream));
            assert_eq!(told(&Position::new(face.clone())), wanted, "{row}: {face:?}");
        }
    }
}
