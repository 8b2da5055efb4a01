//! Every step from a player's position, and conclusions put to the test.

use std::ops::ControlFlow;
use std::sync::Arc;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::hint::{Advice, hint};
use sleuth::engine::list::{ListEvent, ListOptions, Listing, list};
use sleuth::engine::logic::path::{Facts, PathEnd, deduce};
use sleuth::engine::logic::registry::place;
use sleuth::engine::logic::verify::{NodeCap, verify};
use sleuth::engine::logic::{Conclusion, Step};
use sleuth::engine::prove::{Finding, Proving, prove};
use sleuth::engine::rate::{Scale, rate};
use sleuth::engine::search::Verdict;
use sleuth::engine::solve::{SolveOptions, solve};
use sleuth::engine::survey::SurveyOptions;
use sleuth::puzzle::formats;
use sleuth::puzzle::{Cell, Digit, Position, Puzzle, Solution};

const EASY: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const EASY_SOLUTION: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

fn classic(line: &str) -> Arc<Puzzle> {
    Arc::new(formats::read(line).expect("a puzzle"))
}

fn options(row_work: u64, limit: usize) -> ListOptions {
    ListOptions { survey: SurveyOptions::default(), row_work, limit }
}

/// The list, its steps, and what was said to be wrong.
fn listed(position: &Position, options: &ListOptions, budget: &mut Budget) -> (Listing, Vec<Step>, usize) {
    let mut steps = Vec::new();
    let mut wrong = None;
    let listing = list(position, options, budget, &mut |event| {
        match event {
            ListEvent::Survey(survey) => {
                assert!(steps.is_empty() && wrong.is_none(), "the survey comes first, once");
                wrong = Some(survey.wrong().len());
            }
            ListEvent::Step(step) => steps.push(step),
        }
        ControlFlow::Continue(())
    });
    (listing.expect("allowed"), steps, wrong.expect("a survey"))
}

fn parse(text: &str) -> Conclusion {
    Conclusion::parse(text, 9).expect("a conclusion")
}

fn proved(position: &Position, text: &str) -> Proving {
    prove(position, parse(text), SurveyOptions::default(), &mut Budget::unlimited()).expect("allowed")
}

#[test]
fn every_step_is_listed_in_table_order() {
    let position = Position::new(classic(EASY));
    let (listing, steps, wrong) = listed(&position, &options(u64::MAX, 10_000), &mut Budget::unlimited());
    assert_eq!((wrong, listing.steps, listing.stopped), (0, steps.len(), None));
    assert!(listing.complete && listing.rows.iter().all(|row| row.complete));
    let places: Vec<_> = steps.iter().map(|step| place(step.technique.as_str())).collect();
    assert!(places.is_sorted() && !places.contains(&None));
    for (index, step) in steps.iter().enumerate() {
        let same = |other: &&Step| other.technique == step.technique && other.conclusions == step.conclusions;
        assert!(!steps[..index].iter().any(|other| same(&other)), "told twice: {step:?}");
    }
    assert_eq!(counted(&listing), steps.len());
}

/// The steps of all rows.
fn counted(listing: &Listing) -> usize {
    listing.rows.iter().map(|row| row.steps as usize).sum()
}

#[test]
fn what_is_cut_short_says_so() {
    let position = Position::new(classic(EASY));
    let (all, steps, _) = listed(&position, &options(u64::MAX, 10_000), &mut Budget::unlimited());
    let (listing, few, _) = listed(&position, &options(u64::MAX, 3), &mut Budget::unlimited());
    assert_eq!((listing.steps, listing.complete, few.as_slice()), (3, false, &steps[..3]));
    assert_eq!(counted(&listing), 3, "what is not told is not counted");
    let (listing, exact, _) = listed(&position, &options(u64::MAX, steps.len()), &mut Budget::unlimited());
    assert!(listing.complete && exact == steps, "a limit that is just reached cuts nothing short");
    let (listing, _, _) = listed(&position, &options(1, 10_000), &mut Budget::unlimited());
    assert_eq!((listing.complete, listing.stopped), (false, None), "a row's own share is no end of the list");
    assert_eq!(listing.rows.len(), all.rows.len());
    assert!(listing.rows.iter().any(|row| !row.complete));
    let mut budget = Budget::new(u64::MAX, CancelFlag::new());
    let flag = budget.flag().clone();
    let mut seen = 0;
    let listing = list(&position, &options(u64::MAX, 10_000), &mut budget, &mut |event| {
        if matches!(event, ListEvent::Step(_)) {
            seen += 1;
            flag.raise();
        }
        ControlFlow::Continue(())
    });
    let listing = listing.expect("allowed");
    assert_eq!((listing.complete, listing.stopped), (false, Some(Stopped::Cancelled)));
    assert!(seen < steps.len());
}

#[test]
fn no_step_from_where_none_can_be_given() {
    let mut wrong = Position::new(classic(EASY));
    wrong.place(Cell::new(2), Digit::from_index(0));
    let full = {
        let mut position = Position::new(classic(EASY));
        let facts = Facts { unique: true };
        let end = deduce(&mut position, facts, &mut Budget::unlimited(), &mut |_, _| {});
        assert_eq!(end, PathEnd::Solved);
        position
    };
    let given = Position::new(classic(EASY_SOLUTION));
    let none = Position::new(classic(&format!("12345678.........9{}", ".".repeat(63))));
    let mut wrong_and_full = Position::new(classic(&EASY_SOLUTION.replacen('5', ".", 1)));
    wrong_and_full.place(Cell::new(0), Digit::from_index(0));
    let all =
        [(wrong, false, 1), (none, false, 0), (wrong_and_full, false, 1), (full, true, 0), (given, true, 0)];
    for (position, complete, count) in all {
        let (listing, steps, wrong) = listed(&position, &options(u64::MAX, 10), &mut Budget::unlimited());
        assert_eq!((steps.len(), listing.complete, listing.rows.len(), wrong), (0, complete, 0, count));
    }
}

/// From one open cell to a solved board: a step, and then nothing more is wanted of anybody.
#[test]
fn the_last_cell_and_what_comes_after_it() {
    let puzzle = classic(&EASY_SOLUTION.replacen('5', ".", 1));
    let mut position = Position::new(puzzle);
    let advice = |position: &Position| {
        let hint = hint(position, &SurveyOptions::default(), &mut Budget::unlimited()).expect("allowed");
        assert_eq!((hint.verdict, hint.stopped), (Verdict::One, None));
        hint.advice
    };
    let Advice::Step(step) = advice(&position) else { panic!("a step") };
    assert_eq!(
        (step.technique.as_str(), step.conclusions.as_slice()),
        ("full-house", &[parse("r1c1=5")][..])
    );
    let (listing, steps, _) = listed(&position, &options(u64::MAX, 10), &mut Budget::unlimited());
    assert!(listing.complete && steps.contains(&step));
    assert!(steps.iter().all(|step| step.conclusions[..] == [parse("r1c1=5")]));
    step.apply(&mut position);
    assert_eq!(advice(&position), Advice::Done);
    assert_eq!(proved(&position, "r1c1=5").finding, Finding::Known);
    for (line, steps) in [(EASY_SOLUTION.replacen('5', ".", 1), 1), (EASY_SOLUTION.to_owned(), 0)] {
        let puzzle = classic(&line);
        let outcome = solve(&puzzle, &SolveOptions::default(), &mut Budget::unlimited(), &mut |_| {});
        let outcome = outcome.expect("allowed");
        assert_eq!((outcome.verdict, outcome.path), (Some(Verdict::One), Some(PathEnd::Solved)));
        assert_eq!((outcome.steps, outcome.searched_cells, outcome.stopped), (steps, 0, None));
        for scale in Scale::ALL {
            let outcome = rate(&puzzle, scale, &mut Budget::unlimited());
            let rating = outcome.rating.expect("there is one solution");
            let counted: u64 = rating.counts.iter().map(|(_, count)| u64::from(*count)).sum();
            assert_eq!((counted, rating.searched_cells, outcome.stopped), (steps, 0, None), "{scale:?}");
            assert_eq!((rating.hardest.is_some(), rating.score > 0), (steps > 0, steps > 0), "{scale:?}");
        }
    }
}

/// Every candidate of the start is put to the test, both ways: what is so is proved, and by steps that hold.
#[test]
fn every_conclusion_is_decided() {
    let position = Position::new(classic(EASY));
    let solution = Solution::parse(EASY_SOLUTION).expect("a grid");
    let (mut long, mut spelled_out) = (0, 0);
    for cell in position.open_cells().step_by(5) {
        for digit in position.candidates(cell) {
            for conclusion in [Conclusion::Place(cell, digit), Conclusion::Eliminate(cell, digit)] {
                let text = conclusion.notation(9);
                let holds = solution.digits()[cell.index()] == digit;
                let is_right = holds == matches!(conclusion, Conclusion::Place(..));
                let steps = match proved(&position, &text).finding {
                    Finding::Proved(steps) if is_right => steps,
                    Finding::Wrong(steps) if !is_right => steps,
                    other => panic!("{text}: {other:?}"),
                };
                check_proof(&position, &steps, cell, digit, holds);
                long = long.max(steps.len());
                let said = &steps.last().expect("steps").conclusions;
                spelled_out += usize::from(!holds && matches!(said[0], Conclusion::Place(..)));
            }
        }
    }
    assert!(long > 3, "some take several steps");
    assert!(spelled_out > 3, "some candidates go with a placement");
}

/// The steps hold in turn, the last one says it in so many words, and none can be left out.
fn check_proof(position: &Position, steps: &[Step], cell: Cell, digit: Digit, holds: bool) {
    let says_so = |position: &Position| match position.digit(cell) {
        Some(held) => (held == digit) == holds,
        None => !holds && !position.is_candidate(cell, digit),
    };
    let follow = |steps: &[Step]| {
        let mut walked = position.clone();
        for step in steps {
            verify(&walked, step, Facts { unique: true }, NodeCap::default()).ok()?;
            step.apply(&mut walked);
        }
        Some(says_so(&walked))
    };
    assert_eq!(follow(steps), Some(true), "{steps:?}");
    let (last, first) = steps.split_last().expect("steps");
    let said = if holds { Conclusion::Place(cell, digit) } else { Conclusion::Eliminate(cell, digit) };
    assert!(last.conclusions.contains(&said), "the last step says it: {last:?}");
    let mut before = position.clone();
    first.iter().for_each(|step| step.apply(&mut before));
    assert!(last.conclusions.iter().all(|said| said.is_news(&before)) && last.conclusions.is_sorted());
    for left_out in 0..steps.len() {
        let mut fewer = steps.to_vec();
        fewer.remove(left_out);
        assert_ne!(follow(&fewer), Some(true), "step {left_out} of {} is not needed", steps.len());
    }
}

#[test]
fn what_the_position_says_itself() {
    let mut position = Position::new(classic(EASY));
    assert_eq!(proved(&position, "r1c1=5").finding, Finding::Known);
    assert_eq!(proved(&position, "r1c1<>4").finding, Finding::Known);
    assert_eq!(proved(&position, "r1c1=4").finding, Finding::Wrong(vec![]));
    assert_eq!(proved(&position, "r1c3<>5").finding, Finding::Known, "5 stands in the row");
    assert_eq!(proved(&position, "r1c3=5").finding, Finding::Wrong(vec![]));
    position.place(Cell::new(2), Digit::from_index(0));
    assert!(matches!(proved(&position, "r1c4=6").finding, Finding::Correct(wrong) if wrong.len() == 1));
}

/// With several solutions what all share is proved, and what only some have cannot be decided.
#[test]
fn several_solutions_leave_things_open() {
    let mut line = EASY_SOLUTION.replace(['1', '2'], ".");
    // 3 can stand nowhere else
    line.replace_range(1..2, ".");
    let position = Position::new(classic(&line));
    let proving = proved(&position, "r1c2=3");
    assert!(matches!(proving.verdict, Verdict::Several { .. }));
    assert!(matches!(proving.finding, Finding::Proved(steps) if !steps[0].relies_on_uniqueness()));
    assert_eq!(proved(&position, "r1c8=1").finding, Finding::Undecided);
    assert_eq!(proved(&position, "r1c8<>1").finding, Finding::Undecided);
    assert!(matches!(proved(&position, "r1c2<>3").finding, Finding::Wrong(steps) if !steps.is_empty()));
}

#[test]
fn little_work_is_owned_up_to() {
    let position = Position::new(classic(EASY));
    let conclusion = parse("r5c5=5");
    for limit in [1, 100, 2_000] {
        let mut budget = Budget::new(limit, CancelFlag::new());
        let proving = prove(&position, conclusion, SurveyOptions::default(), &mut budget).expect("allowed");
        let is_known = matches!(proving.finding, Finding::Proved(_));
        assert!(is_known || proving.stopped == Some(Stopped::Exhausted), "{limit}: {proving:?}");
    }
}
