//! For tests: a solver too plain to be wrong, and random small puzzles of every kind to compare it with.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::{Count, End, Engine};
use crate::engine::budget::Budget;
use crate::puzzle::{
    BoxShape, CageDraft, Cell, Digit, DigitSet, Operation, Puzzle, PuzzleDraft, RegionsDraft, Solution,
    is_met,
};

/// All solutions, or the first `limit`; nothing if that takes too long. Cells are filled in reading order; a digit is
/// tried if no earlier peer holds it and no cage that it completes is missed.
pub(super) fn solve_plainly(puzzle: &Puzzle, limit: usize) -> Option<Vec<Solution>> {
    let mut digits = Vec::new();
    let mut solutions = Vec::new();
    let mut steps = 300_000;
    fill(puzzle, &mut digits, limit, &mut steps, &mut solutions).then_some(solutions)
}

fn fill(
    puzzle: &Puzzle,
    digits: &mut Vec<Digit>,
    limit: usize,
    steps: &mut u32,
    solutions: &mut Vec<Solution>,
) -> bool {
    if digits.len() == puzzle.cell_count() {
        solutions.push(Solution::new(digits.clone()));
        return true;
    }
    let cell = Cell::new(digits.len());
    for digit in puzzle.given(cell).map_or(puzzle.allowed(cell), DigitSet::single) {
        if solutions.len() == limit {
            return true;
        }
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        let is_taken = puzzle
            .peers(cell)
            .iter()
            .any(|peer| digits.get(peer.index()).is_some_and(|&other| other == digit));
        if is_taken {
            continue;
        }
        digits.push(digit);
        let is_missed = puzzle.cage_of(cell).is_some_and(|cage| {
            let cage = puzzle.cage(cage);
            let placed: Vec<u8> =
                cage.cells.iter().filter_map(|cell| digits.get(cell.index())).map(|d| d.value()).collect();
            placed.len() == cage.cells.len() && !cage.is_met_by(&placed)
        });
        if !is_missed && !fill(puzzle, digits, limit, steps, solutions) {
            return false;
        }
        digits.pop();
    }
    true
}

/// Randomness for a random puzzle.
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(ChaCha8Rng::seed_from_u64(seed))
    }

    /// 0 to `sides - 1`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0.next_u32() as usize % sides
    }

    /// One time in so many.
    pub fn is_one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }
}

/// A small puzzle of any kind: with one solution, several or none. None if the dice fell on something that is
/// no puzzle.
pub(super) fn random_puzzle(dice: &mut Dice) -> Option<Puzzle> {
    let size = 2 + dice.roll(5);
    let mut draft = PuzzleDraft::latin(size);
    draft.regions = random_regions(size, dice);
    draft.falling_diagonal = dice.is_one_in(4);
    draft.rising_diagonal = dice.is_one_in(4);
    draft.windows = size >= 4 && BoxShape::of_size(size).is_some() && dice.is_one_in(4);
    let board = draft.clone().check().ok()?;
    let grid = random_grid(&board, dice)?;
    if !dice.is_one_in(5) {
        draft.cages = random_cages(size, &grid, dice);
    }
    for (cell, &digit) in grid.iter().enumerate() {
        if dice.is_one_in(if draft.cages.is_empty() { 3 } else { 8 }) {
            draft.givens[cell] = u32::from(digit);
        }
    }
    if dice.is_one_in(4) {
        draft.candidates = random_candidates(size, &grid, dice);
    }
    draft.check().ok()
}

/// Boxes, a jigsaw (of boxes with some cells exchanged) or nothing.
fn random_regions(size: usize, dice: &mut Dice) -> RegionsDraft {
    let Some(shape) = BoxShape::of_size(size).filter(|_| !dice.is_one_in(3)) else {
        return RegionsDraft::None;
    };
    let (rows, columns) = (shape.rows as usize, shape.columns as usize);
    if dice.is_one_in(2) {
        return RegionsDraft::Boxes { rows, columns };
    }
    let number = |cell: usize| cell / size / rows * (size / columns) + cell % size / columns;
    let mut regions: Vec<usize> = (0..size * size).map(number).collect();
    for _ in 0..dice.roll(4) {
        let (one, other) = (dice.roll(size * size), dice.roll(size * size));
        regions.swap(one, other);
    }
    RegionsDraft::Jigsaw(regions)
}

/// A grid of the board, if one is found soon: the first after a row of random givens.
fn random_grid(board: &Puzzle, dice: &mut Dice) -> Option<Vec<u8>> {
    let size = board.size();
    let mut digits: Vec<u8> = (1..=size as u8).collect();
    (1..size).rev().for_each(|at| digits.swap(at, dice.roll(at + 1)));
    let solutions = solve_plainly(board, 1 + dice.roll(20))?;
    let solution = solutions.last()?;
    Some(solution.digits().iter().map(|digit| digits[digit.index()]).collect())
}

/// Killer cages that leave some cells out, or KenKen cages that leave none; one in ten asks for another target
/// than the grid gives.
fn random_cages(size: usize, grid: &[u8], dice: &mut Dice) -> Vec<CageDraft> {
    let distinct = dice.is_one_in(2);
    let is_wide = dice.is_one_in(4);
    let has_all_operations = !distinct || dice.is_one_in(2);
    let mut is_taken = vec![false; size * size];
    let mut cages = Vec::new();
    for start in 0..size * size {
        if is_taken[start] || (distinct && dice.is_one_in(4)) {
            continue;
        }
        let wanted = 1 + dice.roll(if is_wide { 2 * size } else { 4 });
        let mut cells = vec![start];
        is_taken[start] = true;
        for _ in 0..3 * wanted {
            let from = cells[dice.roll(cells.len())];
            let next = if dice.is_one_in(2) { from + 1 } else { from + size };
            let is_off = next >= size * size || (next == from + 1 && next % size == 0);
            if is_off || is_taken[next] {
                continue;
            }
            let is_repeat = distinct && cells.iter().any(|&cell| grid[cell] == grid[next]);
            if cells.len() < wanted && !is_repeat {
                is_taken[next] = true;
                cells.push(next);
            }
        }
        cages.push(random_clue(cells, grid, distinct, has_all_operations, dice));
    }
    cages
}

fn random_clue(cells: Vec<usize>, grid: &[u8], distinct: bool, has_all: bool, dice: &mut Dice) -> CageDraft {
    let digits: Vec<u8> = cells.iter().map(|&cell| grid[cell]).collect();
    let operation = if has_all { Operation::ALL[dice.roll(7)] } else { Operation::Add };
    let mut fitting: Vec<u64> = match operation {
        Operation::Add | Operation::Equal => vec![digits.iter().map(|&digit| u64::from(digit)).sum()],
        _ => (0..=1_300).filter(|&target| is_met(operation, target, &digits)).collect(),
    };
    if fitting.is_empty() || operation == Operation::Free {
        return CageDraft { cells, operation: Operation::Free, target: None, distinct };
    }
    let mut target = fitting.swap_remove(dice.roll(fitting.len())) as i64;
    if dice.is_one_in(40) {
        target += 1;
    }
    CageDraft { cells, operation, target: Some(target), distinct }
}

fn random_candidates(size: usize, grid: &[u8], dice: &mut Dice) -> Vec<DigitSet> {
    grid.iter()
        .map(|&digit| {
            let mut set = Digit::new(digit).map_or(DigitSet::EMPTY, DigitSet::single);
            Digit::all(size).filter(|_| !dice.is_one_in(3)).for_each(|digit| set.insert(digit));
            set
        })
        .collect()
}

/// That an engine finds what the plain solver finds: all solutions, or as many as asked for.
pub(super) fn compare(
    puzzle: &Puzzle,
    expected: &[Solution],
    limit: u64,
    count: impl FnOnce(&mut Budget, &mut dyn FnMut(&Solution)) -> Count,
) {
    let mut solutions = Vec::new();
    let outcome = count(&mut Budget::unlimited(), &mut |solution| solutions.push(solution.clone()));
    assert_eq!(outcome.solutions, solutions.len() as u64);
    assert!(solutions.iter().all(|solution| puzzle.is_solved_by(solution)), "{puzzle:?}");
    solutions.sort();
    if (expected.len() as u64) < limit {
        assert_eq!(outcome.end, End::Complete, "{puzzle:?}");
        assert_eq!(solutions, expected, "{puzzle:?}");
    } else {
        assert_eq!((outcome.end, outcome.solutions), (End::Limit, limit), "{puzzle:?}");
        solutions.dedup();
        assert_eq!(solutions.len() as u64, limit, "found twice: {puzzle:?}");
    }
}

/// A puzzle and its solutions.
pub(super) type Solved = (Puzzle, Vec<Solution>);

/// Random puzzles with their solutions, sorted: all of them, or `limit`.
pub(super) fn solved_puzzles(seeds: std::ops::Range<u64>, limit: usize) -> Vec<Solved> {
    let solved = |seed| {
        let puzzle = random_puzzle(&mut Dice::new(seed))?;
        let mut solutions = solve_plainly(&puzzle, limit)?;
        solutions.sort();
        Some((puzzle, solutions))
    };
    seeds.filter_map(solved).collect()
}

const LIMIT: usize = 200;

#[test]
fn every_engine_agrees_with_the_plain_solver() {
    let puzzles = solved_puzzles(0..2_000, LIMIT);
    for (puzzle, expected) in &puzzles {
        for engine in Engine::ALL {
            compare(puzzle, expected, LIMIT as u64, |budget, found| {
                engine.search().count(puzzle, LIMIT as u64, budget, found)
            });
        }
    }
    check_variety(&puzzles);
}

/// The net holds only if it has seen all that there is.
fn check_variety(puzzles: &[Solved]) {
    let count = |is_kind: &dyn Fn(&Solved) -> bool| puzzles.iter().filter(|solved| is_kind(solved)).count();
    assert!(puzzles.len() > 900, "{} puzzles", puzzles.len());
    assert!(count(&|(_, solutions)| solutions.is_empty()) > 20, "without solution");
    assert!(count(&|(_, solutions)| solutions.len() == 1) > 100, "with one");
    assert!(count(&|(_, solutions)| solutions.len() > 1 && solutions.len() < LIMIT) > 100, "with several");
    assert!(count(&|(puzzle, _)| puzzle.is_restricted()) > 100, "restricted");
    assert!(count(&|(puzzle, _)| puzzle.layout().windows) > 20, "with windows");
    for operation in Operation::ALL {
        for distinct in [false, true] {
            let has = |(puzzle, _): &Solved| {
                puzzle.cages().iter().any(|cage| cage.operation == operation && cage.distinct == distinct)
            };
            assert!(count(&has) > 20, "{operation:?}, distinct: {distinct}");
        }
    }
}
