//! Steps that finders make: all are proved, and what becomes of them when they are spoilt is proved only if true.

use std::time::{Duration, Instant};

use sleuth::engine::budget::Budget;
use sleuth::engine::logic::path::deduce;
use sleuth::engine::logic::record::StepRecord;
use sleuth::puzzle::formats::corpus;

use super::brute::Dice;
use super::*;
use crate::support;

/// So many puzzles of a file of the corpora that have one solution and are not too large for logic, evenly spread.
fn sample(file: &str, count: usize) -> Vec<corpus::CorpusPuzzle> {
    let Some(path) = support::data(file) else { return Vec::new() };
    let text = std::fs::read_to_string(path).expect("readable");
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let every = (lines.len() / count).max(1);
    let puzzles = lines.iter().step_by(every).map(|line| corpus::read_line(line).expect("a puzzle"));
    puzzles.filter(|puzzle| puzzle.solution.is_some() && puzzle.puzzle.size() <= 16).take(count).collect()
}

/// Every step of the path is proved, agrees with the solution, and comes through its record unchanged.
#[test]
fn steps_of_the_corpora() {
    let (mut solving, mut checking, mut steps, mut nodes) = (Duration::ZERO, Duration::ZERO, 0u64, 0u64);
    let mut slowest = (Duration::ZERO, String::new());
    for file in ["variants/bench_sudoku.jsonl", "variants/bench_killer.jsonl", "variants/bench_kenken.jsonl"]
    {
        for entry in sample(file, 25) {
            let solution = entry.solution.expect("sampled for it");
            let mut position = Position::new(Arc::new(entry.puzzle));
            let start = Instant::now();
            let mut path = Vec::new();
            deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |before, step| {
                path.push((before.clone(), step));
            });
            solving += start.elapsed();
            for (before, step) in path {
                let start = Instant::now();
                let verified = verify(&before, &step, UNIQUE, NodeCap::default());
                checking += start.elapsed();
                let name = || format!("{} {} {:?}", entry.id, step.technique, step.conclusions);
                if start.elapsed() > slowest.0 {
                    slowest = (start.elapsed(), name());
                }
                nodes += verified.unwrap_or_else(|refusal| panic!("{}: {refusal}", name())).nodes;
                steps += 1;
                for conclusion in &step.conclusions {
                    let digit = solution.digits()[conclusion.cell().index()];
                    let is_true = match conclusion {
                        Conclusion::Place(_, placed) => digit == *placed,
                        Conclusion::Eliminate(_, gone) => digit != *gone,
                    };
                    assert!(is_true, "{}", name());
                }
                let record = StepRecord::from_step(&step, before.puzzle());
                assert_eq!(record.to_step(before.puzzle()).as_ref(), Ok(&step), "{}", name());
            }
        }
    }
    println!("{steps} steps, {nodes} nodes: solving {solving:?}, checking {checking:?}, slowest {slowest:?}");
}

/// Spoilt proofs: claims and premises changed at random. What is still accepted must agree with the solution.
#[test]
fn spoilt_steps() {
    let mut dice = Dice::new(7);
    let (mut accepted, mut refused) = (0, 0);
    for file in ["variants/bench_sudoku.jsonl", "variants/bench_killer.jsonl", "variants/bench_kenken.jsonl"]
    {
        for entry in sample(file, 8) {
            let solution = entry.solution.expect("sampled for it");
            let mut position = Position::new(Arc::new(entry.puzzle));
            deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |before, step| {
                for _ in 0..4 {
                    let mut spoilt = step.clone();
                    spoil(&mut spoilt, before.puzzle(), &mut dice);
                    if verify(before, &spoilt, UNIQUE, NodeCap::default()).is_err() {
                        refused += 1;
                        continue;
                    }
                    accepted += 1;
                    for literal in spoilt.conclusions.iter().map(|&conclusion| Literal::from(conclusion)) {
                        let is_so = solution.digits()[literal.cell.index()] == literal.digit;
                        assert_eq!(is_so, literal.holds, "{spoilt:?} of {}", entry.id);
                    }
                }
            });
        }
    }
    println!("{accepted} spoilt steps accepted, {refused} refused");
}

/// Changes one thing. Names may be of no puzzle at all.
fn spoil(step: &mut Step, puzzle: &Puzzle, dice: &mut Dice) {
    let cell = Cell::new(if dice.one_in(20) { 624 } else { dice.roll(puzzle.cell_count()) });
    let digit = Digit::from_index(if dice.one_in(20) { 24 } else { dice.roll(puzzle.size()) });
    let number = dice.roll(step.proof().lemmas.len());
    match dice.roll(5) {
        0 | 1 => {
            let index = dice.roll(step.conclusions.len());
            let literal = Literal::from(step.conclusions[index]);
            let conclusion = match dice.roll(3) {
                0 => Conclusion::Place(literal.cell, digit),
                1 => Conclusion::Eliminate(cell, literal.digit),
                _ => Conclusion::Eliminate(literal.cell, digit),
            };
            step.conclusions[index] = conclusion;
            step.proof_mut().lemmas[number].claims.push(smallvec![Literal::from(conclusion)]);
        }
        2 => step.proof_mut().lemmas[number].claims.truncate(1),
        _ => {
            if let Argument::Conflict { premises, uses } = &mut step.proof_mut().lemmas[number].argument {
                let index = dice.roll(premises.len().max(1));
                match dice.roll(4) {
                    0 if !premises.is_empty() => drop(premises.remove(index)),
                    1 => uses.push(dice.roll(3) as u32),
                    2 => premises.push(Premise::House(HouseId(dice.roll(40) as u16), digit)),
                    _ => premises.push(Premise::Cage(CageId(dice.roll(40) as u16))),
                }
            }
        }
    }
}

/// `drop` of the parent module is another.
fn drop<T>(value: T) {
    std::mem::drop(value);
}
