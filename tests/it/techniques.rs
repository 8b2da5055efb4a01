//! Every technique is found where it is and not where it is not; its steps hold, in every dress.

mod broken;
mod cases;
mod fixtures;
mod followed;
mod golden;
mod lean;
mod nested;
pub mod paths;
mod random;
mod singles;
mod turned;

use std::ops::ControlFlow;
use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::logic::context::{Board, Context};
use sleuth::engine::logic::explain::{CONCLUSION, Language, explain, teach};
use sleuth::engine::logic::path::{self, Facts, PathEnd, deduce};
use sleuth::engine::logic::registry::technique;
use sleuth::engine::logic::verify::{NodeCap, Verified, verify};
use sleuth::engine::logic::{Conclusion, Proof, Role, Slug, Step, Technique};
use sleuth::puzzle::formats::json;
use sleuth::puzzle::{Digit, Position, Puzzle, PuzzleDraft, RegionsDraft, Solution};

const UNIQUE: Facts = Facts { unique: true };

/// A puzzle from JSON, or a classic one from its 81 symbols.
fn puzzle(text: &str) -> Arc<Puzzle> {
    let draft = if text.starts_with('{') {
        json::from_str(text)
    } else {
        let mut draft = PuzzleDraft::latin(9);
        draft.regions = RegionsDraft::Boxes { rows: 3, columns: 3 };
        let value = |symbol| Digit::from_symbol(symbol).map_or(0, |digit| u32::from(digit.value()));
        draft.givens = text.chars().map(value).collect();
        Ok(draft)
    };
    Arc::new(draft.and_then(PuzzleDraft::check).unwrap_or_else(|faults| panic!("{faults}: {text}")))
}

/// Every step of one row in a position.
fn steps_of(row: &'static Technique, position: &Position) -> Vec<Step> {
    let board = Board::new(position.puzzle());
    let context = Context::new(&board, position);
    let mut steps = Vec::new();
    path::run(row, &context, &mut Budget::unlimited(), &mut |step| {
        steps.push(step);
        ControlFlow::Continue(())
    })
    .expect("no budget to run out");
    steps
}

/// Every step of every row in a position, as far as so much work a row goes; and the rows that it cut short.
fn all_steps(position: &Position, facts: Facts, row_work: u64) -> (Vec<Step>, Vec<&'static str>) {
    let mut steps = Vec::new();
    let ends = path::all_steps(position, facts, row_work, &mut Budget::unlimited(), &mut |step| {
        steps.push(step);
        ControlFlow::Continue(())
    });
    let ends = ends.expect("no budget to run out");
    (steps, ends.iter().filter(|end| !end.complete).map(|end| end.technique.slug).collect())
}

fn notation(conclusions: &[Conclusion], size: usize) -> String {
    conclusions.iter().map(|conclusion| conclusion.notation(size)).collect::<Vec<_>>().join(" ")
}

/// What must be so of every step: it is proved, cheaply; it agrees with the solution; it can be told. Returns what
/// the proof took.
fn check(position: &Position, step: &Step, facts: Facts, solution: Option<&Solution>) -> Verified {
    let size = position.size();
    let name = || format!("{}: {}", step.technique, notation(&step.conclusions, size));
    let cap = NodeCap { nodes: 500, ..NodeCap::default() };
    let verified = verify(position, step, facts, cap);
    let verified = verified.unwrap_or_else(|refusal| panic!("{}: {refusal}\n{step:?}", name()));
    assert_eq!(verified.conditional, step.relies_on_uniqueness(), "{}", name());
    for conclusion in &step.conclusions {
        assert!(conclusion.is_news(position), "{}", name());
        if let Some(solution) = solution {
            let digit = solution.digits()[conclusion.cell().index()];
            let is_placed = matches!(conclusion, Conclusion::Place(..));
            assert_eq!(digit == conclusion.digit(), is_placed, "{} against the solution", name());
        }
    }
    check_words(position.puzzle(), step);
    verified
}

/// Every slot of the sentence names a role of the step, and none is left.
fn check_words(puzzle: &Puzzle, step: &Step) {
    let row = technique(step.technique.as_str()).expect("a row");
    for language in Language::ALL {
        for form in [&row.sentence, &row.lesson] {
            for slot in language.of(form).split('{').skip(1) {
                let word = slot.split('}').next().expect("a first part");
                if word == CONCLUSION {
                    continue;
                }
                let role = Role::from_word(word).unwrap_or_else(|| panic!("{}: {word} is no role", row.slug));
                assert!(
                    step.marks().iter().any(|mark| mark.role == role),
                    "{}: no mark is a {word}",
                    row.slug
                );
            }
        }
        for text in [explain(step, puzzle, language), teach(step, puzzle, language)] {
            assert!(!text.contains(['{', '}']) && !text.contains("  "), "{text}");
        }
    }
}

/// The two boards of the source articles that are puzzles: the first was said to need rectangles and chains.
#[test]
fn article_boards() {
    for (text, placements) in [
        ("000260701680070090190004500820100040004602900050003028009300074040050036703018000", 45),
        ("530070000600195000098000060800060003400803001700020006060000280000419005000080079", 51),
    ] {
        let mut position = Position::new(puzzle(text));
        let mut steps = 0;
        let end = deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |before, step| {
            steps += 1;
            assert!(matches!(step.conclusions[..], [Conclusion::Place(..)]), "singles alone");
            check(before, &step, UNIQUE, None);
        });
        assert_eq!((end, steps), (PathEnd::Solved, placements));
    }
}
/// The largest cages that logic meets: what is found there is found and proved without trying every way.
#[test]
fn large_cages() {
    for (text, expected) in [
        (r#"{"size": 16, "cages": [{"cells": "r12c123456", "sum": 78}]}"#, "r1c1<>D"),
        (r#"{"size": 16, "cages": [{"cells": "r34c123456", "sum": 80}]}"#, "r4c6<>F"),
        (r#"{"size": 16, "cages": [{"cells": "r12c12345678", "sum": 136}]}"#, ""),
    ] {
        let position = Position::new(puzzle(text));
        let steps = steps_of(technique("cage-combination").expect("a row"), &position);
        let said = steps.iter().map(|step| notation(&step.conclusions, 16)).collect::<String>();
        assert!(said.contains(expected) && said.is_empty() == expected.is_empty(), "{text}: {said}");
        for step in steps {
            check(&position, &step, Facts::default(), None);
        }
    }
}

#[test]
fn sentences() {
    let open = puzzle(&".".repeat(81));
    let told = |slug: &str, removed: &str| {
        let mut position = Position::new(open.clone());
        fixtures::conclusions(removed, 9).into_iter().for_each(|gone| gone.apply(&mut position));
        let steps = steps_of(technique(slug).expect("a row"), &position);
        Language::ALL.map(|language| explain(&steps[0], &open, language))
    };
    assert_eq!(
        told("x-wing", "r27c1245679<>5"),
        [
            "all places for 5 in rows 2 and 7 lie in columns 3 and 8, so 5 in r1345689c3 r1345689c8 can go",
            "第2、7行中 5 的位置全在第3、8列内，因此删去 r1345689c3 r1345689c8 的 5",
        ]
    );
    assert_eq!(
        told("hidden-pair", "r1c1245689<>12"),
        [
            "1 and 2 have no other places in row 1 than r1c37, so 3, 4, 5, 6, 7, 8 and 9 in r1c37 can go",
            "第1行中 1、2 只能填在 r1c37，因此删去 r1c37 的 3、4、5、6、7、8、9",
        ]
    );
    assert_eq!(
        told("xy-chain", "r1c1<>3456789 r1c5<>1456789 r5c5<>2456789"),
        [
            "from cell to cell of two candidates, 1 in r1c1 = 2 in r1c1 - 2 in r1c5 = 3 in r1c5 - 3 in r5c5 = 1 in r5c5, one of 1 in r1c1 and 1 in r5c5 is true, so 1 in r5c1 can go",
            "在双候选数格之间，r1c1 的 1 = r1c1 的 2 - r1c5 的 2 = r1c5 的 3 - r5c5 的 3 = r5c5 的 1，r1c1 的 1、r5c5 的 1 中必有一个为真，因此删去 r5c1 的 1",
        ]
    );
}

/// A trace may name a technique that this version does not have.
#[test]
fn unknown_technique() {
    let puzzle = puzzle(&".".repeat(81));
    let conclusions = fixtures::conclusions("r1c1=4 r8c3<>4", 9);
    let step = Step::new(Slug::of("moon-wing"), conclusions, Vec::new(), Proof::default());
    assert_eq!(explain(&step, &puzzle, Language::English), "moon-wing: r1c1=4, r8c3<>4");
    assert_eq!(Language::from_tag("zh-Hans-CN"), Some(Language::Chinese));
    assert_eq!(Language::from_tag("fr"), None);
}
