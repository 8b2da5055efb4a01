//! Every engine, on the puzzles that must be right.

use std::time::{Duration, Instant};

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::search::{Count, End, Engine, Verdict};
use sleuth::puzzle::formats::corpus::{self, SolutionCount};
use sleuth::puzzle::{CageDraft, Digit, Operation, Puzzle, PuzzleDraft, RegionsDraft, Solution, notation};

use crate::support::data;

fn count(engine: Engine, puzzle: &Puzzle, limit: u64) -> (Count, Vec<Solution>) {
    let mut solutions = Vec::new();
    let mut budget = Budget::unlimited();
    let count =
        engine.search().count(puzzle, limit, &mut budget, &mut |solution| solutions.push(solution.clone()));
    assert_eq!(count.solutions, solutions.len() as u64);
    assert!(solutions.iter().all(|solution| puzzle.is_solved_by(solution)), "{engine:?}");
    (count, solutions)
}

/// A cage as `r1c1 r2c1 6*`.
fn cage(text: &str, size: usize) -> CageDraft {
    let (cells, clue) = text.rsplit_once(' ').expect("cells and a clue");
    let (target, symbol) = clue.split_at(clue.len() - 1);
    let cells = notation::parse_cells(cells, size).expect("cells");
    CageDraft {
        cells: cells.iter().map(|cell| cell.index()).collect(),
        operation: Operation::from_symbol(symbol).expect("an operation"),
        target: Some(target.parse().expect("a target")),
        distinct: false,
    }
}

fn kenken(size: usize, cages: &[&str]) -> Puzzle {
    let mut draft = PuzzleDraft::latin(size);
    draft.cages = cages.iter().map(|text| cage(text, size)).collect();
    draft.check().expect("a puzzle")
}

/// The puzzle of the KenKen article, which counts 38 nodes to its solution.
#[test]
fn the_kenken_of_the_article() {
    let puzzle = kenken(
        4,
        &[
            "r3c2 r3c3 r4c2 9*",
            "r4c3 r4c4 2-",
            "r1c1 r2c1 6*",
            "r1c3 r1c4 r2c3 4*",
            "r1c2 r2c2 2-",
            "r3c1 r4c1 4/",
            "r2c4 r3c4 1-",
        ],
    );
    for engine in Engine::ALL {
        let (found, solutions) = count(engine, &puzzle, 2);
        assert_eq!((found.solutions, found.end), (1, End::Complete), "{engine:?}");
        assert_eq!(solutions[0].to_string(), "3241241341321324");
        let (first, _) = count(engine, &puzzle, 1);
        assert_eq!(first.end, End::Limit);
        assert!(first.nodes <= 38, "{engine:?} takes {} nodes", first.nodes);
    }
}

fn classic(givens: &str) -> Puzzle {
    boxed(3, 3, givens)
}

/// Boxes of this shape; `.` is an open cell.
fn boxed(rows: usize, columns: usize, givens: &str) -> Puzzle {
    let size = rows * columns;
    let mut draft = PuzzleDraft::latin(size);
    draft.regions = RegionsDraft::Boxes { rows, columns };
    for (cell, symbol) in givens.chars().enumerate() {
        draft.givens[cell] = Digit::from_symbol(symbol).map_or(0, |digit| u32::from(digit.value()));
    }
    draft.check().expect("a puzzle")
}

#[test]
fn a_classic_with_one_solution() {
    let puzzle = classic("530070000600195000098000060800060003400803001700020006060000280000419005000080079");
    for engine in Engine::ALL {
        let (found, solutions) = count(engine, &puzzle, 2);
        assert_eq!(found.verdict(), Verdict::One, "{engine:?}");
        assert_eq!(
            solutions[0].to_string(),
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
        );
    }
}

#[test]
fn engines_are_named() {
    for engine in Engine::ALL {
        assert_eq!(Engine::from_name(engine.search().name()), Some(engine));
    }
    assert_eq!(Engine::from_name("none"), None);
}

/// No two givens clash, yet 9 has no place in row 1.
#[test]
fn a_contradiction() {
    let puzzle = classic("12345678..................9");
    for engine in Engine::ALL {
        assert_eq!(count(engine, &puzzle, 2).0.verdict(), Verdict::None, "{engine:?}");
    }
}

#[test]
fn boards_without_a_clue() {
    for (rows, columns) in [(3, 3), (4, 4), (5, 5)] {
        let puzzle = boxed(rows, columns, "");
        for engine in Engine::ALL {
            let mut budget = Budget::new(3_000_000, CancelFlag::new());
            let found = engine.search().count(&puzzle, 2, &mut budget, &mut |solution| {
                assert!(puzzle.is_solved_by(solution));
            });
            match found.verdict() {
                Verdict::Several { count: 2, complete: false } => {}
                Verdict::GaveUp { .. } if engine == Engine::Dlx && rows > 3 => {}
                verdict => panic!("{engine:?} says {verdict:?} of an empty {rows}×{columns} board"),
            }
        }
    }
}

/// A 9×9 board with three rows given has hundreds of millions of solutions.
#[test]
fn many_solutions_end_with_the_budget_or_the_limit() {
    let puzzle = classic("123456789456789123789123456");
    for engine in Engine::ALL {
        let mut budget = Budget::new(500_000, CancelFlag::new());
        let found = engine.search().count(&puzzle, u64::MAX, &mut budget, &mut |_| {});
        assert_eq!(found.end, End::Stopped(Stopped::Exhausted), "{engine:?}");
        assert!(
            matches!(found.verdict(), Verdict::Several { count, complete: false } if count > 100),
            "{found:?}"
        );
        assert!(budget.spent() < 501_000, "{engine:?} overdrew: {}", budget.spent());
        let (found, _) = count(engine, &puzzle, 1_000);
        assert_eq!((found.solutions, found.end), (1_000, End::Limit), "{engine:?}");
    }
}

/// There are 576 Latin squares of size 4, 288 with boxes, and 161,280 Latin squares of size 5.
#[test]
fn counts_that_are_known() {
    for engine in Engine::ALL {
        let latin = |size| PuzzleDraft::latin(size).check().expect("a puzzle");
        assert_eq!(
            count(engine, &latin(4), u64::MAX).0.verdict(),
            Verdict::Several { count: 576, complete: true }
        );
        assert_eq!(count(engine, &boxed(2, 2, ""), 288).0.end, End::Limit);
        assert_eq!(
            count(engine, &boxed(2, 2, ""), 289).0.verdict(),
            Verdict::Several { count: 288, complete: true }
        );
        assert_eq!(count(engine, &latin(5), u64::MAX).0.solutions, 161_280, "{engine:?}");
    }
}

/// A product over a whole region, cages wider than any table, and targets near the end of what fits.
#[test]
fn large_cages() {
    let nine = "r123c123 362880*";
    let rest = "r456789c123456789 r123c456789 ";
    let puzzle = |target: &str| {
        let mut draft = PuzzleDraft::latin(9);
        draft.cages = vec![cage(nine, 9), cage(&format!("{rest}{target}"), 9)];
        draft.check()
    };
    let possible = puzzle("360+").expect("45 a row less 45");
    let impossible = puzzle("361+").expect("72 digits may give 361");
    let mut budget = Budget::new(3_000_000, CancelFlag::new());
    let found = Engine::General.search().count(&possible, 2, &mut budget, &mut |solution| {
        assert!(possible.is_solved_by(solution));
    });
    assert_eq!(found.solutions, 2);
    for engine in Engine::ALL {
        let mut budget = Budget::new(200_000, CancelFlag::new());
        let found = engine.search().count(&impossible, 2, &mut budget, &mut |_| {});
        assert!(matches!(found.verdict(), Verdict::GaveUp { .. } | Verdict::None), "{engine:?}: {found:?}");
    }
}

/// Cages of twelve cells all over a board of 25: set-up stays bounded, and the flag is looked at during it.
#[test]
fn the_largest_board_full_of_cages() {
    let mut draft = PuzzleDraft::latin(25);
    for start in (0..624).step_by(12) {
        draft.cages.push(CageDraft {
            cells: (start..start + 12).collect(),
            operation: Operation::Multiply,
            target: Some(2i64.pow(20) * 3i64.pow(10)),
            distinct: false,
        });
    }
    draft.cages.push(CageDraft {
        cells: vec![624],
        operation: Operation::Equal,
        target: Some(1),
        distinct: false,
    });
    let puzzle = draft.check().expect("a puzzle");
    for engine in Engine::ALL {
        let mut budget = Budget::new(300_000, CancelFlag::new());
        let found = engine.search().count(&puzzle, 2, &mut budget, &mut |_| {});
        assert!(budget.spent() < 310_000, "{engine:?} overdrew: {}", budget.spent());
        assert!(found.solutions < 2 || found.end == End::Limit);
        let flag = CancelFlag::new();
        flag.raise();
        let found = engine.search().count(&puzzle, 2, &mut Budget::new(u64::MAX, flag), &mut |_| {});
        assert_eq!((found.end, found.nodes), (End::Stopped(Stopped::Cancelled), 0), "{engine:?}");
    }
}

/// The bound is generous because test machines are busy; what it takes is a fraction of a millisecond.
#[test]
fn a_raised_flag_is_obeyed_at_every_size() {
    for (rows, columns) in [(3, 3), (4, 4), (5, 5)] {
        let puzzle = boxed(rows, columns, "");
        for engine in Engine::ALL {
            let flag = CancelFlag::new();
            let mut budget = Budget::new(u64::MAX, flag.clone());
            let (end, raised) = std::thread::scope(|scope| {
                let (started, wait) = std::sync::mpsc::channel();
                let raiser = scope.spawn(move || {
                    wait.recv().expect("the search starts");
                    std::thread::sleep(Duration::from_millis(5));
                    flag.raise();
                    Instant::now()
                });
                started.send(()).expect("somebody waits");
                let found = engine.search().count(&puzzle, u64::MAX, &mut budget, &mut |_| {});
                assert_eq!(found.end, End::Stopped(Stopped::Cancelled), "{engine:?}");
                (Instant::now(), raiser.join().expect("it raises the flag"))
            });
            let late = end.saturating_duration_since(raised);
            assert!(late < Duration::from_millis(500), "{engine:?} stopped after {late:?}");
        }
    }
}

/// A fixed sample of the public corpora; the example `variants` runs the whole.
#[test]
fn a_sample_of_the_corpora() {
    for (name, step) in [
        ("kenken_misc", 7),
        ("kenken_sgt", 20),
        ("kenken_unknown_operation", 2),
        ("killer_misc", 8),
        ("killer_sgt", 10),
        ("sudoku_sgt", 12),
    ] {
        let Some(file) = data(&format!("variants/{name}.jsonl")) else { return };
        let text = std::fs::read_to_string(file).expect("readable");
        for line in text.lines().step_by(step) {
            check_line(line);
        }
    }
}

fn check_line(line: &str) {
    let entry = corpus::read_line(line).expect("a line of a corpus");
    let known = match entry.solution_count {
        SolutionCount::Exactly(known) => known,
        other => panic!("{} has {other:?} solutions", entry.id),
    };
    for engine in Engine::ALL {
        // Where the plain engine is no match, the general one has the published solution for a witness.
        if engine == Engine::Dlx
            && (entry.puzzle.size() > 9 || entry.kind != "sudoku")
            && entry.puzzle.size() > 5
        {
            continue;
        }
        let (found, solutions) = count(engine, &entry.puzzle, known + 1);
        assert_eq!((found.solutions, found.end), (known, End::Complete), "{engine:?} on {}", entry.id);
        if let Some(published) = &entry.solution {
            assert!(solutions.contains(published), "{engine:?} on {}", entry.id);
        }
    }
}
