//! Saved traces, old versions' included, are proved for ever.
//!
//! A file that is there is never written again: it is what some version saved. With `UPDATE_GOLDEN=1` the traces of
//! `cases` that are not there are written, under the present version's name.

use std::path::{Path, PathBuf};
use std::{env, fs};

use sleuth::engine::budget::Budget;
use sleuth::engine::logic::path::{PathEnd, deduce};
use sleuth::engine::logic::trace::{Trace, VERSION, read_trace, verify_trace, write_trace};
use sleuth::engine::logic::{LinkSet, Role, Shape};

use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traces")
}

#[test]
fn saved_traces_are_proved() {
    if env::var_os("UPDATE_GOLDEN").is_some() {
        write_missing();
    }
    let mut seen = 0;
    for entry in fs::read_dir(folder()).expect("saved traces") {
        let path = entry.expect("an entry").path();
        let name = path.display();
        let text = fs::read_to_string(&path).expect("readable");
        let trace = read_trace(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let report = verify_trace(&trace, NodeCap::default(), &mut Budget::unlimited()).expect("unlimited");
        assert!(report.is_good(), "{name}: {:?}", report.failures);
        assert_eq!(report.verified, trace.steps.len());
        assert!(report.steps > 0, "{name} is empty");
        // The present version says the same of it, in the same words.
        assert_eq!(read_trace(&write_trace(&trace)), Ok(trace), "{name}");
        seen += 1;
    }
    assert!(seen >= 5, "{seen} traces");
}

fn write_missing() {
    fs::create_dir_all(folder()).expect("a folder");
    for (name, trace) in cases() {
        let path = folder().join(format!("v{VERSION}-{name}.jsonl"));
        if !path.exists() {
            fs::write(path, write_trace(&trace)).expect("written");
        }
    }
}

fn classic(givens: &str) -> PuzzleDraft {
    let mut draft = boxed(3, 3);
    draft.givens = givens.chars().map(|symbol| symbol.to_digit(10).unwrap_or(0)).collect();
    draft
}

fn cases() -> Vec<(&'static str, Trace)> {
    let rectangle = "....5.139........8.61......8.2.947..9......2..3.7...........987..96.......4..8.63";
    let swordfish = "6...2.48...7..1..381.....6..94..6.......1.......3..5.9..894....2.....1...7...2...";
    let intersections = "......8..8......1......59.6.6.87...........47..1.3.5....52.......8.4..6..13.67.2.";
    vec![
        ("classic-rectangle", solved(classic(rectangle), true, &[])),
        ("classic-swordfish", solved(classic(swordfish), true, &[])),
        ("classic-intersections", covered(solved(classic(intersections), true, &[]))),
        ("kenken", solved(kenken(), true, &[])),
        ("kenken-equations", solved(kenken(), true, &kenken_premises())),
        ("killer-innies", solved(killer(), false, &killer_premises())),
    ]
}

/// First what the premises rule out, one step for each list of them; then the path.
fn solved(draft: PuzzleDraft, unique: bool, premises: &[Vec<Premise>]) -> Trace {
    let mut position = open(draft);
    let puzzle = position.puzzle().clone();
    let mut steps = Vec::new();
    for premises in premises {
        let is_proved = |literal: &Literal| check_one(&position, &[*literal], premises.clone()).is_ok();
        let gone: Vec<Literal> = position
            .open_cells()
            .flat_map(|cell| position.candidates(cell).iter().map(move |digit| Literal::is_not(cell, digit)))
            .filter(is_proved)
            .collect();
        assert!(!gone.is_empty(), "{premises:?}");
        let claims = gone.into_iter().map(|literal| smallvec![literal]).collect();
        let step = step(vec![conflict(claims, premises.clone(), &[])]);
        step.apply(&mut position);
        steps.push(step);
    }
    let end =
        deduce(&mut position, Facts { unique }, &mut Budget::unlimited(), &mut |_, step| steps.push(step));
    Trace { puzzle, unique, steps, end: Some(end) }
}

/// The same path, its fish and locked candidates proved by counting.
fn covered(mut trace: Trace) -> Trace {
    let mut count = 0;
    for step in &mut trace.steps {
        let houses = |role| -> Vec<HouseId> {
            let marks = step.marks();
            let marks = marks.iter().filter(|mark| mark.role == role);
            marks.filter_map(|mark| if let Shape::House(id) = mark.shape { Some(id) } else { None }).collect()
        };
        let (bases, covers) = (houses(Role::Base), houses(Role::Cover));
        let is_finned = step.marks().iter().any(|mark| mark.role == Role::Fin);
        let is_placement = matches!(step.conclusions[0], Conclusion::Place(..));
        if covers.is_empty() || covers.len() != bases.len() || is_finned || is_placement {
            continue;
        }
        let digit = step.conclusions[0].digit();
        let argument = Argument::Cover {
            truths: bases.into_iter().map(|id| (Premise::House(id, digit), 1)).collect(),
            links: covers.into_iter().map(|id| (LinkSet::House(id, digit), 1)).collect(),
        };
        let claims = step.conclusions.iter().map(|&conclusion| smallvec![conclusion.into()]).collect();
        *step.proof_mut() = Proof { lemmas: smallvec![Lemma { claims, argument }] };
        count += 1;
    }
    assert!(count >= 5, "{count}");
    trace
}

/// The puzzle of the KenKen article.
fn kenken() -> PuzzleDraft {
    let mut draft = PuzzleDraft::latin(4);
    draft.cages = [
        ("r3c23 r4c2", Operation::Multiply, 9),
        ("r4c34", Operation::Subtract, 2),
        ("r12c1", Operation::Multiply, 6),
        ("r1c34 r2c3", Operation::Multiply, 4),
        ("r12c2", Operation::Subtract, 2),
        ("r34c1", Operation::Divide, 4),
        ("r23c4", Operation::Subtract, 1),
    ]
    .map(|(names, operation, target)| cage(&cells(names, 4), operation, target, false))
    .to_vec();
    draft
}

fn kenken_premises() -> Vec<Vec<Premise>> {
    let column = |number: u16| HouseId(4 + number - 1);
    let product = Premise::Product { houses: vec![(column(1), 1)], cages: vec![(CageId(2), -1)] };
    let parity = Premise::Parity { houses: vec![column(4)], cages: vec![CageId(6)] };
    let last = Premise::Cell(Cell::at(0, 3, 4));
    vec![vec![product], vec![Premise::Cage(CageId(3))], vec![Premise::Cage(CageId(1)), last, parity]]
}

/// Cages fill rows 1 to 3 but for r2c2, and reach out to r4c5.
fn killer() -> PuzzleDraft {
    let mut draft = boxed(3, 3);
    draft.cages = [
        ("r123c1", 12),
        ("r13c2", 10),
        ("r123c3", 18),
        ("r123c4", 12),
        ("r1234c5", 21),
        ("r123c6", 18),
        ("r123c7", 12),
        ("r123c8", 15),
        ("r123c9", 18),
    ]
    .map(|(names, target)| cage(&cells(names, 9), Operation::Add, target, true))
    .to_vec();
    draft
}

fn killer_premises() -> Vec<Vec<Premise>> {
    let rows: Vec<_> = (0..3).map(|row| (HouseId(row), 1)).collect();
    let cages: Vec<_> = (0..9).map(|id| (CageId(id), -1)).collect();
    vec![vec![Premise::Sum { houses: rows, cages }], vec![Premise::Cage(CageId(1))]]
}

/// A word changed anywhere in a trace: it is refused, or what is still proved is still true.
#[test]
fn spoilt_traces() {
    let mut dice = brute::Dice::new(8);
    let (mut unread, mut unproved, mut good) = (0, 0, 0);
    for (name, trace) in cases() {
        let text = write_trace(&trace);
        let whole = verify_trace(&trace, NodeCap::default(), &mut Budget::unlimited()).expect("unlimited");
        for _ in 0..100 {
            let spoilt = spoil(&text, &mut dice);
            let Ok(trace) = read_trace(&spoilt) else {
                unread += 1;
                continue;
            };
            let report =
                verify_trace(&trace, NodeCap::default(), &mut Budget::unlimited()).expect("unlimited");
            let changed_puzzle = trace.puzzle != *whole.position.puzzle();
            if whole.position.is_full() && !changed_puzzle && trace.unique {
                for cell in Cell::all(trace.puzzle.size()) {
                    let digit = whole.position.digit(cell).expect("full");
                    assert!(report.position.is_candidate(cell, digit), "{name}: {spoilt}");
                }
            }
            if report.is_good() { good += 1 } else { unproved += 1 }
        }
    }
    println!("{unread} not read, {unproved} not proved, {good} still good");
    assert!(unread > 80 && unproved > 20);
}

/// One byte of digits, letters and signs for another.
fn spoil(text: &str, dice: &mut brute::Dice) -> String {
    const SIGNS: &[u8] = b"0123456789rc=<>-,[]{}\" ";
    let mut bytes = text.as_bytes().to_vec();
    let at = loop {
        let at = dice.roll(bytes.len());
        if SIGNS.contains(&bytes[at]) {
            break at;
        }
    };
    bytes[at] = *dice.pick(if bytes[at].is_ascii_digit() { &SIGNS[..10] } else { SIGNS });
    String::from_utf8(bytes).expect("ASCII for ASCII")
}

#[test]
fn cases_end_as_they_should() {
    let ends: Vec<_> = cases().into_iter().map(|(name, trace)| (name, trace.end.expect("an end"))).collect();
    assert_eq!(
        ends,
        [
            ("classic-rectangle", PathEnd::Solved),
            ("classic-swordfish", PathEnd::Solved),
            ("classic-intersections", PathEnd::Solved),
            ("kenken", PathEnd::Solved),
            ("kenken-equations", PathEnd::Solved),
            ("killer-innies", PathEnd::Stalled),
        ]
    );
}
