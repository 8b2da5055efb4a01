//! Dynamic forcing chains (+) and nested forcing chains: what only they find, and what their search may cost.

use std::fs;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::logic::path::{PathEnd, deduce, first_step};

use super::fixtures::fixtures_of;
use super::paths::only_solution;
use super::*;
use crate::support;

/// The rows, each using more within than the one before, that paths look for.
const ROWS: [&str; 4] = [
    "dynamic-forcing-chains-plus",
    "nested-forcing-chains",
    "nested-multiple-forcing-chains",
    "nested-dynamic-forcing-chains",
];

/// Trivalue oddagons: no net within a net contradicts itself on the way.
const LOKI: &str = "57....9..........8.1.........168..4......28.9..2.9416.....2.....6.9.82.4...41.6..";

/// Where a row is found, no row before it has a step.
#[test]
fn where_all_else_sticks() {
    for slug in ROWS {
        for fixture in fixtures_of(slug).into_iter().filter(|fixture| fixture.is_hit()) {
            let step = first_step(&fixture.position, UNIQUE, &mut Budget::unlimited());
            let step = step.expect("no budget to run out").expect("a step");
            assert_eq!(step.technique.as_str(), slug);
            check(&fixture.position, &step, UNIQUE, None);
        }
    }
}

/// Some of the hardest puzzles: every step of their paths is proved and agrees with the solution.
#[test]
fn hardest_puzzles() {
    let mut solved = 0;
    for file in ["5_forum_hardest_1905_11plus", "6_forum_hardest_1106"] {
        let Some(file) = support::data(&format!("search/{file}.txt")) else { return };
        let text = fs::read_to_string(file).expect("readable");
        for line in text.lines().filter(|line| line.len() >= 81).step_by(173).take(2) {
            let puzzle = puzzle(&line[..81]);
            let solution = only_solution(&puzzle).expect("one solution");
            let mut position = Position::new(puzzle);
            let end = deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |before, step| {
                check(before, &step, UNIQUE, Some(&solution));
            });
            solved += usize::from(end == PathEnd::Solved);
        }
    }
    assert_eq!(solved, 4);
}

/// A search ends soon after its units are used up, or its flag is raised.
#[test]
fn searches_stop() {
    let position = Position::new(puzzle(LOKI));
    for slug in ROWS {
        let row = technique(slug).expect("a row");
        for limit in [1_000, 20_000] {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, &position);
            let mut budget = Budget::new(limit, CancelFlag::new());
            let end = path::run(row, &context, &mut budget, &mut |_| ControlFlow::Continue(()));
            assert!(end.is_ok() || end == Err(Stopped::Exhausted) && budget.spent() < limit + 200, "{slug}");
        }
        let flag = CancelFlag::new();
        flag.raise();
        let board = Board::new(position.puzzle());
        let context = Context::new(&board, &position);
        let end =
            path::run(row, &context, &mut Budget::new(u64::MAX, flag), &mut |_| ControlFlow::Continue(()));
        assert_eq!(end, Err(Stopped::Cancelled), "{slug}");
    }
}
