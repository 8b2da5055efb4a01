//! Proofs hold nothing that can be left out, and nothing false can be added to a step.

use std::collections::{BTreeMap, BTreeSet};

use sleuth::engine::budget::Budget;
use sleuth::engine::generate::rng::Stream;
use sleuth::engine::logic::path::{Facts, deduce};
use sleuth::engine::logic::registry::TECHNIQUES;
use sleuth::engine::logic::verify::{NodeCap, verify};
use sleuth::engine::logic::{Argument, Conclusion, Proof, Step};
use sleuth::engine::search::{Count, Engine};
use sleuth::puzzle::{Cell, Position, PuzzleDraft, Solution};
use smallvec::smallvec;

use super::fixtures::fixtures_of;
use super::paths::generated;
use super::{UNIQUE, notation, steps_of};

/// Longer proofs tell in one lemma what is refuted within, of which a premise may be spared.
const MOST_LEMMAS: usize = 300;

/// More steps of a row in one position are as good as these.
const MOST_STEPS: usize = 12;

/// A proof with one thing left out: a premise, the use of a lemma, a truth or a link (once, if it counts more).
fn shortened(proof: &Proof) -> Vec<Proof> {
    let mut shorter = Vec::new();
    for (number, lemma) in proof.lemmas.iter().enumerate() {
        let mut leave_out = |argument: Argument| {
            let mut proof = proof.clone();
            proof.lemmas[number].argument = argument;
            shorter.push(proof);
        };
        match &lemma.argument {
            Argument::Conflict { premises, uses } => {
                for place in 0..premises.len() {
                    let mut premises = premises.clone();
                    premises.remove(place);
                    leave_out(Argument::Conflict { premises, uses: uses.clone() });
                }
                for place in 0..uses.len() {
                    let mut uses = uses.clone();
                    uses.remove(place);
                    leave_out(Argument::Conflict { premises: premises.clone(), uses });
                }
            }
            Argument::Cover { truths, links } => {
                for place in 0..truths.len() {
                    leave_out(Argument::Cover { truths: less(truths, place), links: links.clone() });
                }
                for place in 0..links.len() {
                    leave_out(Argument::Cover { truths: truths.clone(), links: less(links, place) });
                }
            }
        }
    }
    shorter
}

/// One of these counted once less, or not at all.
fn less<T: Clone>(counted: &[(T, u32)], place: usize) -> Vec<(T, u32)> {
    let mut counted = counted.to_vec();
    match counted[place].1 {
        1 => drop(counted.remove(place)),
        _ => counted[place].1 -= 1,
    }
    counted
}

/// The lemmas that nothing rests on.
fn idle_lemmas(step: &Step) -> usize {
    let lemmas = &step.proof().lemmas;
    let is_used = |number: usize| {
        lemmas.iter().any(|lemma| match &lemma.argument {
            Argument::Conflict { uses, .. } => uses.contains(&(number as u32)),
            Argument::Cover { .. } => false,
        })
    };
    let concludes = |number: usize| {
        let said = |conclusion: &Conclusion| lemmas[number].claims.contains(&smallvec![(*conclusion).into()]);
        step.conclusions.iter().any(said)
    };
    (0..lemmas.len()).filter(|&number| !is_used(number) && !concludes(number)).count()
}

/// Counts, by technique, the steps whose proof stands with something left out.
#[derive(Default)]
struct Spare {
    steps: BTreeMap<String, (u32, String)>,
    /// Techniques of which a step was tried.
    seen: BTreeSet<String>,
    tried: u32,
}

impl Spare {
    fn check(&mut self, position: &Position, step: &Step, facts: Facts) {
        if step.proof().lemmas.len() > MOST_LEMMAS {
            return;
        }
        self.seen.insert(step.technique.to_string());
        let mut told = Vec::new();
        if idle_lemmas(step) > 0 {
            told.push("a lemma".to_owned());
        }
        for (number, proof) in shortened(&step.proof()).into_iter().enumerate() {
            self.tried += 1;
            let mut shorter = step.clone();
            *shorter.proof_mut() = proof;
            if verify(position, &shorter, facts, NodeCap::default()).is_ok() {
                told.push(format!("part {number}"));
            }
        }
        if !told.is_empty() {
            let said = notation(&step.conclusions, position.size());
            let entry = self.steps.entry(step.technique.to_string()).or_default();
            entry.0 += 1;
            entry.1 = format!("{said}: {} of {:?}", told.join(", "), step.proof());
        }
    }

    fn end(self) {
        println!("{} parts left out", self.tried);
        assert!(self.steps.is_empty(), "{:#?}", self.steps);
    }
}

#[test]
fn fixtures_have_nothing_to_spare() {
    let mut spare = Spare::default();
    for row in TECHNIQUES {
        for position in fixtures_of(row.slug).into_iter().map(|fixture| fixture.position) {
            for step in steps_of(row, &position).iter().take(MOST_STEPS) {
                spare.check(&position, step, UNIQUE);
            }
        }
        assert!(spare.seen.contains(row.slug), "no proof of {} was tried", row.slug);
    }
    spare.end();
}

#[test]
fn paths_have_nothing_to_spare() {
    let mut spare = Spare::default();
    for seed in 100..112 {
        let mut position = Position::new(generated(seed).0);
        deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |before, step| {
            spare.check(before, &step, UNIQUE);
        });
    }
    spare.end();
}

/// Asserts that no lemma of a step, made to say that the digit of a solution goes, is proved.
fn check_against(position: &Position, step: &Step, solution: &Solution, cells: &[Cell], facts: Facts) {
    for &cell in cells {
        let gone = Conclusion::Eliminate(cell, solution.digits()[cell.index()]);
        if !gone.is_news(position) {
            continue;
        }
        let mut wrong = step.clone();
        wrong.conclusions.push(gone);
        for lemma in &mut wrong.proof_mut().lemmas {
            lemma.claims.push(smallvec![gone.into()]);
        }
        let refused = verify(position, &wrong, facts, NodeCap::default());
        assert!(refused.is_err(), "{} says {}", step.technique, gone.notation(position.size()));
    }
}

/// The cells of the conclusions, and some others.
fn some_cells(position: &Position, step: &Step, stream: &mut Stream) -> Vec<Cell> {
    let mut cells: Vec<Cell> = step.conclusions.iter().map(|conclusion| conclusion.cell()).take(3).collect();
    let open: Vec<Cell> = position.open_cells().collect();
    cells.extend((0..3).map(|_| open[stream.below(open.len() as u32) as usize]));
    cells
}

#[test]
fn paths_cannot_be_made_to_lie() {
    let mut stream = Stream::new(5, 0);
    for seed in 100..112 {
        let (puzzle, solution) = generated(seed);
        let mut position = Position::new(puzzle);
        deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |before, step| {
            let cells = some_cells(before, &step, &mut stream);
            check_against(before, &step, &solution, &cells, UNIQUE);
        });
    }
}

/// Up to two solutions of what a position leaves.
fn solutions_of(position: &Position) -> (Count, Option<Solution>) {
    let mut draft = PuzzleDraft::from(&**position.puzzle());
    draft.candidates = Cell::all(position.size()).map(|cell| position.candidates(cell)).collect();
    let puzzle = draft.check().expect("a puzzle with fewer candidates");
    let mut first = None;
    let count = Engine::default().search().count(&puzzle, 2, &mut Budget::unlimited(), &mut |solution| {
        first.get_or_insert_with(|| solution.clone());
    });
    (count, first)
}

/// Where there are several solutions, what does not rely on uniqueness holds in each.
#[test]
fn fixtures_cannot_be_made_to_lie() {
    let mut stream = Stream::new(6, 0);
    let mut rows = 0;
    for row in TECHNIQUES {
        let mut tried = 0;
        for position in fixtures_of(row.slug).into_iter().map(|fixture| fixture.position) {
            let (count, Some(solution)) = solutions_of(&position) else { continue };
            for step in steps_of(row, &position).iter().take(MOST_STEPS) {
                if count.solutions > 1 && step.relies_on_uniqueness() {
                    continue;
                }
                let cells = some_cells(&position, step, &mut stream);
                check_against(&position, step, &solution, &cells, UNIQUE);
                tried += 1;
            }
        }
        rows += usize::from(tried > 0);
    }
    println!("{rows} rows tried");
    assert!(rows > 60, "{rows} rows have fixtures with a solution");
}
