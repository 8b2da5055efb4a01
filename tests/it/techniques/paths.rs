//! Whole paths: every step on them, and every step that could have been taken instead, holds.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::generate::classic::{self, Maker, Wish};
use sleuth::engine::generate::{Recipe, generate};
use sleuth::engine::logic::Step;
use sleuth::engine::logic::path::{Facts, PathEnd, deduce, first_step};
use sleuth::engine::logic::registry::TECHNIQUES;
use sleuth::engine::search::{Engine, Verdict};
use sleuth::puzzle::formats::corpus;
use sleuth::puzzle::{BoxShape, Layout, Position, Puzzle, Solution};

use super::random::{Cages, layouts, random};
use super::{UNIQUE, all_steps, check, puzzle};
use crate::support;

/// What each row may spend where all steps are wanted: enough for all but the largest fish.
const ROW_WORK: u64 = 50_000;

/// What many paths gave.
#[derive(Default, Debug)]
struct Tally {
    paths: u32,
    solved: u32,
    steps: BTreeMap<String, Seen>,
}

/// Steps of one technique: how many, and the most nodes and work that the proof of one took.
#[derive(Default, Debug)]
struct Seen {
    steps: u32,
    nodes: u64,
    work: u64,
}

impl Tally {
    /// Walks one path. Checks its steps, and at every `stride`-th position all others too.
    fn walk(&mut self, puzzle: &Arc<Puzzle>, facts: Facts, solution: Option<&Solution>, stride: usize) {
        let mut position = Position::new(puzzle.clone());
        let mut count = 0;
        let end = deduce(&mut position, facts, &mut Budget::unlimited(), &mut |before, step| {
            self.check(before, &step, facts, solution);
            if count % stride == stride - 1 {
                for step in all_steps(before, facts, ROW_WORK).0 {
                    self.check(before, &step, facts, solution);
                }
            }
            count += 1;
        });
        self.paths += 1;
        match end {
            PathEnd::Solved => self.solved += 1,
            PathEnd::Stalled => {}
            PathEnd::Contradiction | PathEnd::Stopped(_) => panic!("{end:?}: {puzzle:?}"),
        }
    }

    fn check(&mut self, position: &Position, step: &Step, facts: Facts, solution: Option<&Solution>) {
        let verified = check(position, step, facts, solution);
        let seen = self.steps.entry(step.technique.to_string()).or_default();
        seen.steps += 1;
        seen.nodes = seen.nodes.max(verified.nodes);
        seen.work = seen.work.max(verified.work);
    }
}

/// A classic puzzle of some level.
pub fn generated(seed: u64) -> (Arc<Puzzle>, Solution) {
    let recipe = Recipe::any(Layout::boxed(BoxShape { rows: 3, columns: 3 }), seed).check();
    let recipe = recipe.expect("nothing is asked");
    let made = generate(&recipe, &mut Budget::unlimited(), &mut |_| {}).generated;
    let made = made.expect("any puzzle will do");
    (Arc::new(made.puzzle), made.solution)
}

/// Minimal puzzles, by number, with the rarer of the rows that paths of the first 100,000 of them have: the first with
/// each (`cargo run --release --example yardsticks` tells them).
pub const CHOSEN: &[u32] = &[
    105, 113, 126, 148, 149, 153, 166, 236, 267, 303, 351, 359, 361, 376, 414, 456, 536, 862, 1079, 1167,
    1505, 1516, 1528, 1598, 1615, 1636, 1654, 2518, 2672, 2951, 4870, 5046, 6019, 7942, 13776, 38269,
];

/// The seed of the chosen ones.
pub const SEED: u64 = 2_026;

/// Rows that no puzzle made here has a step of, in any position looked at. They are met in their fixtures.
const UNSEEN: &[&str] = &[
    "firework-quadruple",
    "siamese-mutant-leviathan",
    "sk-loop",
    "dynamic-forcing-chains-plus",
    "nested-forcing-chains",
    "nested-multiple-forcing-chains",
    "nested-net",
    "nested-dynamic-forcing-chains",
];

/// A minimal puzzle by its number.
pub fn minimal(number: u32) -> (Arc<Puzzle>, Solution) {
    let made = Maker::new().make(&Wish::minimal(), SEED, number, &mut Budget::unlimited());
    let made = made.expect("no budget to run out").expect("any puzzle will do");
    (puzzle(&made.text()), classic::solution(&made.digits))
}

/// Every row fires that fires anywhere, and what they say holds, without any data.
#[test]
fn puzzles_made_here() {
    let mut tally = Tally::default();
    for &number in CHOSEN {
        let (puzzle, solution) = minimal(number);
        tally.walk(&puzzle, UNIQUE, Some(&solution), usize::MAX);
    }
    for seed in 0..20 {
        let (puzzle, solution) = generated(seed);
        tally.walk(&puzzle, UNIQUE, Some(&solution), 8);
    }
    for (number, layout) in layouts().iter().enumerate() {
        for cages in [Cages::None, Cages::Killer, Cages::KenKen, Cages::Unknown] {
            for sparse in [3, 8] {
                let (puzzle, solution) = random(layout, cages, sparse, number as u64);
                tally.walk(&puzzle, Facts::default(), Some(&solution), 8);
            }
        }
    }
    println!("{tally:#?}");
    let is_unseen = |slug: &&str| !tally.steps.contains_key(*slug);
    let unseen: Vec<&str> = TECHNIQUES.iter().map(|row| row.slug).filter(is_unseen).collect();
    assert_eq!(unseen, UNSEEN);
}

/// Finders remember along a path where they found nothing; whoever remembers nothing takes the same steps.
#[test]
fn what_is_remembered_changes_no_step() {
    let hard = [
        "000000020067000004000500010020048306600050080080700000000080000000904051100000900",
        "009000000020390000600002001010007028800000050000900060005000000000401000070008306",
        "502000080610000200000000593005612000046980000000005008000040000020001050007000900",
    ];
    let mut puzzles: Vec<(Arc<Puzzle>, Facts)> = hard.map(|text| (puzzle(text), UNIQUE)).to_vec();
    for (number, layout) in layouts().iter().enumerate() {
        for cages in [Cages::None, Cages::Killer] {
            puzzles.push((random(layout, cages, 4, number as u64).0, Facts::default()));
        }
    }
    for (puzzle, facts) in puzzles {
        let mut position = Position::new(puzzle);
        deduce(&mut position, facts, &mut Budget::unlimited(), &mut |before, step| {
            assert_eq!(first_step(before, facts, &mut Budget::unlimited()), Ok(Some(step)));
        });
    }
}

/// Uniqueness is not claimed where nobody says there is one solution.
#[test]
fn no_uniqueness_without_the_fact() {
    for seed in 0..20 {
        let (puzzle, _) = generated(seed);
        let mut position = Position::new(puzzle);
        deduce(&mut position, Facts::default(), &mut Budget::unlimited(), &mut |_, step| {
            assert!(!step.relies_on_uniqueness());
        });
    }
}

#[test]
fn public_classics() {
    let mut tally = Tally::default();
    let files = [
        ("0_kaggle1m_sample100", 10),
        ("1_kaggle3m_sample", 40),
        ("2_17_clue", 40),
        ("3_magictour_top1465", 20),
        ("8_random_minimal", 60),
    ];
    for (file, count) in files {
        let Some(file) = support::data(&format!("search/{file}.txt")) else { return };
        let text = fs::read_to_string(file).expect("readable");
        for line in text.lines().filter(|line| line.len() >= 81 && !line.starts_with('#')).take(count) {
            let puzzle = puzzle(&line[..81]);
            if let Some(solution) = only_solution(&puzzle) {
                tally.walk(&puzzle, UNIQUE, Some(&solution), 32);
            }
        }
    }
    println!("{tally:#?}");
    assert!(tally.paths > 150, "{tally:?}");
}

/// The solution, if there is exactly one.
pub fn only_solution(puzzle: &Puzzle) -> Option<Solution> {
    let mut solution = None;
    let count = Engine::default().search().count(puzzle, 2, &mut Budget::unlimited(), &mut |found| {
        solution = Some(found.clone());
    });
    solution.filter(|_| count.verdict() == Verdict::One)
}

#[test]
fn public_variants() {
    let mut tally = Tally::default();
    let files = [
        ("kenken_misc", 7),
        ("kenken_sgt", 7),
        ("kenken_unknown_operation", 3),
        ("killer_misc", 20),
        ("killer_renowned", 2),
        ("killer_sgt", 4),
        ("sudoku_sgt", 9),
    ];
    for (file, stride) in files {
        let Some(path) = support::data(&format!("variants/{file}.jsonl")) else { return };
        let text = fs::read_to_string(path).expect("readable");
        for line in text.lines().step_by(stride).take(25) {
            let line = corpus::read_line(line).unwrap_or_else(|faults| panic!("{faults}: {line}"));
            if line.puzzle.size() > sleuth::engine::logic::MAX_SIZE {
                continue;
            }
            if let Some(solution) = line.solution {
                tally.walk(&Arc::new(line.puzzle), UNIQUE, Some(&solution), 32);
            }
        }
    }
    println!("{tally:#?}");
    assert!(tally.paths > 100, "{tally:?}");
}
