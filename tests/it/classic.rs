//! The classic engine: every kind of lanes counts the same nodes as its portable twin, and what the other engines
//! count.

use std::fs;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::search::classic::solver::{Candidates, Digits, Found, Solver};
use sleuth::engine::search::classic::{Instructions, candidates as plain_candidates};
use sleuth::engine::search::{Count, End, Engine, Search, general};
use sleuth::puzzle::{DigitSet, PuzzleDraft, RegionsDraft};

use super::support::data;

const ALL: u16 = 0x1FF;

/// A small generator of numbers, the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 33) * bound as u64) >> 31) as usize
    }
}

/// Every solver that this processor can run, the portable one first.
fn solvers() -> Vec<Solver> {
    let solvers: Vec<Solver> = Instructions::ALL.into_iter().filter_map(Solver::with).collect();
    if solvers.len() < Instructions::ALL.len() {
        println!("skipped: this processor has not got every set of instructions");
    }
    solvers
}

fn read(line: &str) -> Candidates {
    let bytes = line.as_bytes();
    std::array::from_fn(|cell| match bytes[cell] {
        digit @ b'1'..=b'9' => 1 << (digit - b'1'),
        _ => ALL,
    })
}

fn run(solver: &mut Solver, candidates: &Candidates, limit: u64) -> (Found, Vec<Digits>) {
    let mut all = Vec::new();
    let found = solver.search(candidates, limit, &mut Budget::unlimited(), &mut |digits| all.push(*digits));
    assert_eq!(found.solutions, all.len() as u64);
    (found, all)
}

/// Counts with every solver and demands the same of all: solutions, their order, guesses. Returns what they found.
fn check(solvers: &mut [Solver], candidates: &Candidates, limit: u64) -> Found {
    let (first, others) = solvers.split_first_mut().expect("the portable one");
    let expected = run(first, candidates, limit);
    for digits in &expected.1 {
        assert!((0..81).all(|cell| candidates[cell] & 1 << digits[cell] != 0), "{candidates:?}");
        let set =
            |cells: &mut dyn Iterator<Item = usize>| cells.fold(0u16, |set, cell| set | 1 << digits[cell]);
        for house in 0..9 {
            assert_eq!(set(&mut (0..9).map(|at| 9 * house + at)), ALL);
            assert_eq!(set(&mut (0..9).map(|at| 9 * at + house)), ALL);
            assert_eq!(set(&mut (0..9).map(|at| house / 3 * 27 + house % 3 * 3 + at / 3 * 9 + at % 3)), ALL);
        }
    }
    for other in others {
        assert_eq!(run(other, candidates, limit), expected, "{candidates:?}");
        assert_eq!(other.count(candidates, limit, &mut Budget::unlimited()), expected.0);
    }
    expected.0
}

fn boxed() -> PuzzleDraft {
    PuzzleDraft { regions: RegionsDraft::Boxes { rows: 3, columns: 3 }, ..PuzzleDraft::latin(9) }
}

/// What an engine counts. The general engine by itself, not handing on to the classic one.
fn witness(search: &dyn Search, candidates: &Candidates, limit: u64) -> Option<Count> {
    let mut draft = boxed();
    draft.candidates = candidates.iter().map(|&bits| DigitSet::from_bits(bits.into())).collect();
    // A cell without candidates is refused, and then there is nothing to count.
    let puzzle = draft.check().ok()?;
    assert_eq!(plain_candidates(&puzzle).as_ref(), Some(candidates));
    Some(search.count(&puzzle, limit, &mut Budget::unlimited(), &mut |_| {}))
}

/// A full grid: rows of a pattern, with lines, bands and digits in random order.
fn grid(numbers: &mut Numbers) -> [usize; 81] {
    let mut order = |count: usize| {
        let mut list: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            list.swap(last, numbers.below(last + 1));
        }
        list
    };
    let (digits, bands, stacks) = (order(9), order(3), order(3));
    let lines: Vec<Vec<usize>> = (0..6).map(|_| order(3)).collect();
    std::array::from_fn(|cell| {
        let (row, column) = (cell / 9, cell % 9);
        let row = 3 * bands[row / 3] + lines[row / 3][row % 3];
        let column = 3 * stacks[column / 3] + lines[3 + column / 3][column % 3];
        digits[(row % 3 * 3 + row / 3 + column) % 9]
    })
}

#[test]
fn random_grids() {
    let mut solvers = solvers();
    let mut numbers = Numbers(1);
    let mut seen = [0u32; 3];
    for round in 0..600 {
        let grid = grid(&mut numbers);
        let open = [30, 45, 52, 58, 64][round % 5];
        // Some cells open, or with a few candidates more; every third grid has some digits wrong.
        let mut candidates: Candidates = std::array::from_fn(|cell| 1 << grid[cell]);
        for _ in 0..open {
            let cell = numbers.below(81);
            candidates[cell] =
                if round % 2 == 0 { ALL } else { candidates[cell] | numbers.below(512) as u16 };
        }
        if round % 3 == 0 {
            for _ in 0..1 + round % 4 {
                let cell = numbers.below(81);
                candidates[cell] = 1 << numbers.below(9);
            }
        }
        let limit = [2, 1, 7, 200][round % 4];
        let found = check(&mut solvers, &candidates, limit);
        seen[found.solutions.min(2) as usize] += 1;
        for search in [&general::General as &dyn Search, Engine::Dlx.search()] {
            let count = witness(search, &candidates, limit);
            assert!(count.is_none_or(|count| count.solutions == found.solutions), "{candidates:?}");
        }
    }
    assert!(seen.iter().all(|&seen| seen > 60), "{seen:?}");
}

#[test]
fn hopeless_and_empty_boards() {
    let mut solvers = solvers();
    assert_eq!(check(&mut solvers, &[ALL; 81], 5_000).solutions, 5_000);
    assert_eq!(check(&mut solvers, &[0; 81], 2), Found::default());
    for cell in 0..81 {
        let mut candidates = [ALL; 81];
        candidates[cell] = 0;
        assert_eq!(check(&mut solvers, &candidates, 2), Found::default());
        // The same digit twice in a row.
        candidates[cell] = 1 << 4;
        candidates[cell / 9 * 9 + (cell + 1) % 9] = 1 << 4;
        assert_eq!(check(&mut solvers, &candidates, 2).solutions, 0);
    }
}

#[test]
fn the_budget_is_kept() {
    let mut numbers = Numbers(2);
    for mut solver in solvers() {
        let mut budget = Budget::new(100_000, CancelFlag::new());
        let found = solver.count(&[ALL; 81], u64::MAX, &mut budget);
        assert_eq!(found.stopped, Some(Stopped::Exhausted));
        assert!(found.solutions > 0 && found.guesses < 100_000 && budget.spent() < 100_100);
        let flag = CancelFlag::new();
        flag.raise();
        let found = solver.count(&[ALL; 81], u64::MAX, &mut Budget::new(u64::MAX, flag));
        assert_eq!((found.stopped, found.solutions), (Some(Stopped::Cancelled), 0));
        // Nothing of it is left for the next.
        let grid = grid(&mut numbers);
        assert_eq!(
            run(&mut solver, &grid.map(|digit| 1 << digit), 2).0,
            Found { solutions: 1, ..Found::default() }
        );
    }
}

#[test]
fn engines_hand_on() {
    let mut draft = boxed();
    let count = |draft: &PuzzleDraft, engine: Engine| {
        let puzzle = draft.clone().check().expect("a puzzle");
        engine.search().count(&puzzle, 20, &mut Budget::unlimited(), &mut |solution| {
            assert!(puzzle.is_solved_by(solution));
        })
    };
    let classic = count(&draft, Engine::Classic);
    assert_eq!((classic.solutions, classic.end), (20, End::Limit));
    assert_eq!(count(&draft, Engine::General), classic);
    draft.rising_diagonal = true;
    let diagonal = count(&draft, Engine::Classic);
    assert_eq!(diagonal.solutions, 20);
    assert_eq!(count(&draft, Engine::General), diagonal);
    assert!(plain_candidates(&draft.check().expect("a puzzle")).is_none());
}

/// Every public set: the twins agree to the last guess. Where a set is long, every so manieth puzzle, as the portable
/// one takes its time.
#[test]
fn public_sets() {
    let Some(folder) = data("search") else { return };
    let mut solvers = solvers();
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    assert_eq!(files.len(), 10);
    for file in files {
        let text = fs::read_to_string(&file).expect("text");
        let lines: Vec<&str> =
            text.lines().filter(|line| line.len() >= 81 && !line.starts_with('#')).collect();
        let step = (lines.len() / 400).max(1);
        for line in lines.iter().step_by(step) {
            let candidates = read(line);
            let found = check(&mut solvers, &candidates, 2);
            if found.guesses < 3 {
                let count = witness(&general::General, &candidates, 2);
                assert!(count.is_none_or(|count| count.solutions == found.solutions), "{line}");
            }
        }
    }
}
