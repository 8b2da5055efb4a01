//! Every engine, on the puzzles that must be right.

use sleuth::engine::budget::Budget;
use sleuth::engine::search::{Count, End, Engine};
use sleuth::puzzle::{CageDraft, Operation, Puzzle, PuzzleDraft, Solution, notation};

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
