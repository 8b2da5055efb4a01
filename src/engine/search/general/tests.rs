//! The general engine with tables of every size, against the plain solver: what is a matter of speed on large
//! boards is tried here on small ones.

use super::limits::Limits;
use super::{General, Question};
use crate::engine::search::witness::{compare, solved_puzzles};

const LIMIT: u64 = 100;

fn agrees_within(limits: Limits, seeds: std::ops::Range<u64>) {
    let puzzles = solved_puzzles(seeds, LIMIT as usize);
    for (puzzle, expected) in &puzzles {
        compare(puzzle, expected, LIMIT, |budget, found| {
            General::count_within(limits, Question { puzzle, limit: LIMIT, budget, found })
        });
    }
    assert!(puzzles.len() > 200, "{} puzzles", puzzles.len());
}

#[test]
fn cages_as_bounds() {
    agrees_within(Limits { distinct_rows: 0, rows: 0, combinations: 0, ..Limits::USUAL }, 0..500);
}

#[test]
fn cages_as_combinations() {
    agrees_within(Limits { distinct_rows: 0, rows: 0, ..Limits::USUAL }, 500..1_000);
}

#[test]
fn facts_one_after_the_other() {
    agrees_within(Limits { facts: [(0, 1), (1, 3), (3, 12)], ..Limits::USUAL }, 1_500..2_000);
    agrees_within(Limits { fact_rows: 0, facts: [(1, 2), (2, 8), (2, 12)], ..Limits::USUAL }, 2_000..2_500);
}

#[test]
fn tables_given_up_half_way() {
    agrees_within(
        Limits { distinct_rows: 8, rows: 30, fact_rows: 5, combinations: 3, allowance: 100, ..Limits::USUAL },
        1_000..1_500,
    );
}
