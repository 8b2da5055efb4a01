//! The checker: proofs on paper that it accepts, their broken twins that it refuses, and random ones, which it may
//! accept only where going through all solutions says the same.

mod brute;
mod nonsense;
mod paper;
mod random;
mod steps;
mod swaps;
mod traces;

use std::sync::Arc;

use smallvec::smallvec;

use sleuth::engine::logic::path::Facts;
use sleuth::engine::logic::verify::{NodeCap, Refusal, Verified, verify};
use sleuth::engine::logic::{Argument, Claim, Conclusion, Lemma, Literal, Premise, Proof, Slug, Step};
use sleuth::puzzle::{
    CageDraft, CageId, Cell, Digit, DigitSet, HouseId, HouseKind, Operation, Position, Puzzle, PuzzleDraft,
    RegionsDraft, notation,
};

const UNIQUE: Facts = Facts { unique: true };

fn digit(value: u8) -> Digit {
    Digit::new(value).expect("a digit")
}

fn digits(values: &[u8]) -> DigitSet {
    values.iter().map(|&value| digit(value)).collect()
}

fn cells(names: &str, size: usize) -> Vec<Cell> {
    notation::parse_cells(names, size).expect("cells")
}

/// A cell of a 9×9 board.
fn at(name: &str) -> Cell {
    notation::parse_cell(name, 9).expect("a cell")
}

fn cage(cells: &[Cell], operation: Operation, target: u64, distinct: bool) -> CageDraft {
    let target = (operation != Operation::Free).then_some(target as i64);
    CageDraft { cells: cells.iter().map(|cell| cell.index()).collect(), operation, target, distinct }
}

/// An empty board with square-ish boxes.
fn boxed(rows: usize, columns: usize) -> PuzzleDraft {
    PuzzleDraft { regions: RegionsDraft::Boxes { rows, columns }, ..PuzzleDraft::latin(rows * columns) }
}

fn open(draft: PuzzleDraft) -> Position {
    Position::new(Arc::new(draft.check().expect("a puzzle")))
}

/// Leaves these cells these digits alone.
fn keep(position: &mut Position, names: &str, kept: &[u8]) {
    let size = position.size();
    for cell in cells(names, size) {
        for digit in Digit::all(size).filter(|digit| !digits(kept).contains(*digit)) {
            position.eliminate(cell, digit);
        }
    }
}

/// Takes these digits from these cells.
fn drop(position: &mut Position, names: &str, dropped: &[u8]) {
    for cell in cells(names, position.size()) {
        for &value in dropped {
            position.eliminate(cell, digit(value));
        }
    }
}

fn house(puzzle: &Puzzle, kind: HouseKind, number: u8) -> HouseId {
    let index = puzzle.houses().iter().position(|house| house.kind == kind && house.number == number);
    HouseId(index.expect("a house") as u16)
}

fn conflict(claims: Vec<Claim>, premises: Vec<Premise>, uses: &[u32]) -> Lemma {
    let argument = Argument::Conflict { premises: premises.into(), uses: uses.to_vec() };
    Lemma { claims: claims.into(), argument }
}

/// A step that concludes all single literals of its last lemma.
fn step(lemmas: Vec<Lemma>) -> Step {
    let last = lemmas.last().expect("a lemma");
    let conclusions = last
        .claims
        .iter()
        .filter(|claim| claim.len() == 1)
        .map(|claim| match claim[0] {
            Literal { cell, digit, holds: true } => Conclusion::Place(cell, digit),
            Literal { cell, digit, .. } => Conclusion::Eliminate(cell, digit),
        })
        .collect::<Vec<Conclusion>>();
    Step::new(Slug::of("paper"), conclusions, Vec::new(), Proof { lemmas: lemmas.into() })
}

fn check(position: &Position, lemmas: Vec<Lemma>) -> Result<Verified, Refusal> {
    verify(position, &step(lemmas), UNIQUE, NodeCap::default())
}

/// One lemma by conflict, of single literals.
fn check_one(position: &Position, literals: &[Literal], premises: Vec<Premise>) -> Result<Verified, Refusal> {
    let claims = literals.iter().map(|&literal| smallvec![literal]).collect();
    check(position, vec![conflict(claims, premises, &[])])
}

/// Lemmas of any clauses. A step must conclude something, so a last lemma is added, whose failing does not count.
fn check_clauses(position: &Position, mut lemmas: Vec<Lemma>) -> Result<(), Refusal> {
    let placed = position.digit(Cell::new(0));
    let other = Digit::all(position.size()).find(|&digit| Some(digit) != placed).expect("two digits");
    lemmas.push(conflict(vec![smallvec![Literal::is_not(Cell::new(0), other)]], Vec::new(), &[]));
    let last = lemmas.len();
    match verify(position, &step(lemmas), UNIQUE, NodeCap::default()) {
        Err(Refusal::Unproved { lemma, .. }) if lemma == last => Ok(()),
        other => other.map(|_| ()),
    }
}

fn refusal(outcome: Result<Verified, Refusal>) -> String {
    outcome.expect_err("a refusal").to_string()
}

fn all_cages(puzzle: &Puzzle, factor: i32) -> Vec<(CageId, i32)> {
    puzzle.cage_ids().map(|id| (id, factor)).collect()
}
