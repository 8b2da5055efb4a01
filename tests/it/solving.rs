//! Verdict, path, search's share: solving, checking a position, hints.

use std::sync::Arc;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::check::{Checked, WrongEntry, check};
use sleuth::engine::hint::{Advice, Hint, hint};
use sleuth::engine::logic::path::PathEnd;
use sleuth::engine::logic::{Conclusion, Step};
use sleuth::engine::search::{Engine, Verdict};
use sleuth::engine::solve::{Mode, SolveEvent, SolveOptions, SolveOutcome, solve};
use sleuth::engine::survey::SurveyOptions;
use sleuth::puzzle::formats::json;
use sleuth::puzzle::{
    CageDraft, CageId, Cell, Digit, DigitSet, Operation, Position, Puzzle, PuzzleDraft, RegionsDraft,
    Solution,
};

const EASY: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const EASY_SOLUTION: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// Beyond the rows there are: search must fill. There is no row yet for what several cages say together.
const BEYOND: &str = r#"{"size": 6, "boxes": "2x3", "cages": [
    {"cells": "r1c12 r2c2", "sum": 13}, {"cells": "r1c345", "sum": 9}, {"cells": "r12c6", "sum": 9},
    {"cells": "r23c1", "sum": 7}, {"cells": "r23c3", "sum": 5}, {"cells": "r2c45 r3c5", "sum": 11},
    {"cells": "r34c2", "sum": 4}, {"cells": "r34c4", "sum": 6}, {"cells": "r345c6", "sum": 11},
    {"cells": "r45c1", "sum": 7}, {"cells": "r45c3", "sum": 8}, {"cells": "r456c5 r6c6", "sum": 13},
    {"cells": "r56c2 r6c1", "sum": 11}, {"cells": "r56c4 r6c3", "sum": 12}]}"#;

/// That puzzle.
pub fn beyond() -> Arc<Puzzle> {
    Arc::new(json::from_str(BEYOND).and_then(PuzzleDraft::check).expect("a puzzle"))
}

fn classic(line: &str) -> Arc<Puzzle> {
    let draft = PuzzleDraft {
        regions: RegionsDraft::Boxes { rows: 3, columns: 3 },
        givens: line.chars().map(|symbol| symbol.to_digit(10).unwrap_or(0)).collect(),
        ..PuzzleDraft::latin(9)
    };
    Arc::new(draft.check().expect("a puzzle"))
}

/// The easy puzzle, but with its 1s and 2s taken away: at least two solutions, and digits that all share.
fn several() -> Arc<Puzzle> {
    classic(&EASY_SOLUTION.replace(['1', '2'], "."))
}

fn none() -> Arc<Puzzle> {
    classic(&format!("12345678.........9{}", ".".repeat(63)))
}

fn at(row: usize, column: usize) -> Cell {
    Cell::at(row - 1, column - 1, 9)
}

fn digit(value: u8) -> Digit {
    Digit::new(value).expect("a digit")
}

/// A solve, with every event: verdicts, and steps applied in turn.
struct Seen {
    outcome: SolveOutcome,
    verdicts: Vec<Verdict>,
    steps: Vec<Step>,
    verdict_came_first: bool,
}

fn run(puzzle: &Arc<Puzzle>, options: &SolveOptions, budget: &mut Budget) -> Seen {
    let mut verdicts = Vec::new();
    let mut steps = Vec::new();
    let mut verdict_came_first = true;
    let outcome = solve(puzzle, options, budget, &mut |event| match event {
        SolveEvent::Verdict(verdict) => {
            verdict_came_first &= steps.is_empty();
            verdicts.push(verdict);
        }
        SolveEvent::Step(before, step) => {
            let news = step.conclusions.iter().all(|conclusion| conclusion.is_news(before));
            assert!(news && !step.conclusions.is_empty(), "{step:?}");
            steps.push(step);
        }
    });
    Seen { outcome: outcome.expect("allowed"), verdicts, steps, verdict_came_first }
}

fn full(puzzle: &Arc<Puzzle>) -> Seen {
    run(puzzle, &SolveOptions::default(), &mut Budget::unlimited())
}

fn with_mode(mode: Mode) -> SolveOptions {
    SolveOptions { mode, ..SolveOptions::default() }
}

#[test]
fn an_easy_puzzle() {
    let seen = full(&classic(EASY));
    assert_eq!(seen.verdicts, [Verdict::One]);
    assert!(seen.verdict_came_first);
    assert_eq!(seen.outcome.path, Some(PathEnd::Solved));
    assert_eq!(seen.outcome.steps as usize, seen.steps.len());
    let conclusions = seen.steps.iter().flat_map(|step| &step.conclusions);
    let placements = conclusions.filter(|conclusion| matches!(conclusion, Conclusion::Place(..))).count();
    assert_eq!(placements, 51);
    assert_eq!(seen.outcome.solutions, [Solution::parse(EASY_SOLUTION).expect("a grid")]);
    let grid: Option<Vec<Digit>> = seen.outcome.grid.into_iter().collect();
    assert_eq!(grid.as_deref(), Some(seen.outcome.solutions[0].digits()));
    assert_eq!((seen.outcome.searched_cells, seen.outcome.stopped), (0, None));
}

#[test]
fn where_logic_stalls_search_fills() {
    for engine in Engine::ALL {
        let seen =
            run(&beyond(), &SolveOptions { engine, ..SolveOptions::default() }, &mut Budget::unlimited());
        assert_eq!((seen.outcome.verdict, seen.outcome.path), (Some(Verdict::One), Some(PathEnd::Stalled)));
        let open = seen.outcome.grid.iter().filter(|digit| digit.is_none()).count();
        assert!(open > 0 && seen.outcome.searched_cells as usize == open, "{open}");
        assert!(beyond().is_solved_by(&seen.outcome.solutions[0]));
    }
}

#[test]
fn one_engine_alone() {
    let seen = run(&classic(EASY), &with_mode(Mode::LogicOnly), &mut Budget::unlimited());
    assert!(seen.verdicts.is_empty() && seen.outcome.verdict.is_none() && seen.outcome.nodes == 0);
    assert_eq!((seen.outcome.path, seen.outcome.solutions.len()), (Some(PathEnd::Solved), 0));
    let seen = run(&beyond(), &with_mode(Mode::LogicOnly), &mut Budget::unlimited());
    assert_eq!((seen.outcome.path, seen.outcome.searched_cells), (Some(PathEnd::Stalled), 0));
    let seen = run(&classic(EASY), &with_mode(Mode::SearchOnly), &mut Budget::unlimited());
    assert_eq!((seen.verdicts.as_slice(), seen.steps.len()), ([Verdict::One].as_slice(), 0));
    assert_eq!((seen.outcome.path, seen.outcome.steps), (None, 0));
}

#[test]
fn several_solutions_share_what_is_deduced() {
    let seen = full(&several());
    assert!(matches!(seen.outcome.verdict, Some(Verdict::Several { .. })), "{:?}", seen.outcome.verdict);
    assert_eq!((seen.outcome.path, seen.outcome.solutions.len()), (Some(PathEnd::Stalled), 2));
    assert_eq!((seen.outcome.searched_cells, seen.outcome.stopped), (0, None));
    assert!(!seen.steps.iter().any(Step::relies_on_uniqueness));
    for (index, known) in seen.outcome.grid.iter().enumerate() {
        for solution in &seen.outcome.solutions {
            assert!(known.is_none_or(|known| known == solution.digits()[index]));
        }
    }
    // An assertion that search has refuted is not believed.
    let asserted = SolveOptions { assume_unique: true, ..SolveOptions::default() };
    let seen = run(&several(), &asserted, &mut Budget::unlimited());
    assert!(!seen.steps.iter().any(Step::relies_on_uniqueness));
}

#[test]
fn solutions_are_counted_to_the_limit() {
    let empty = classic(&".".repeat(81));
    let count = |limit| {
        let options = SolveOptions { limit, ..with_mode(Mode::SearchOnly) };
        let outcome = run(&empty, &options, &mut Budget::unlimited()).outcome;
        assert_eq!((outcome.solutions.len(), outcome.stopped), (2, None));
        outcome.verdict
    };
    assert_eq!(count(50), Some(Verdict::Several { count: 50, complete: false }));
    assert_eq!(count(0), Some(Verdict::Several { count: 2, complete: false }));
}

#[test]
fn no_solution_no_path() {
    let seen = full(&none());
    assert_eq!((seen.verdicts.as_slice(), seen.steps.len()), ([Verdict::None].as_slice(), 0));
    assert_eq!((seen.outcome.path, seen.outcome.stopped), (None, None));
}

/// Counting takes the half that search may use; logic has the other.
#[test]
fn counting_does_not_starve_logic() {
    let puzzle = classic(&format!("12345678.{}", ".".repeat(72)));
    let options = SolveOptions { limit: u64::MAX, ..SolveOptions::default() };
    let seen = run(&puzzle, &options, &mut Budget::new(2_000_000, CancelFlag::new()));
    assert!(matches!(seen.outcome.verdict, Some(Verdict::Several { complete: false, .. })));
    assert_eq!((seen.outcome.path, seen.outcome.stopped), (Some(PathEnd::Stalled), Some(Stopped::Exhausted)));
    assert_eq!(seen.outcome.grid[8], Some(digit(9)));
}

/// However little work is allowed, what is said is true, and what is not known is said not to be.
#[test]
fn little_work_gives_true_answers() {
    let puzzle = classic(EASY);
    let solution = Solution::parse(EASY_SOLUTION).expect("a grid");
    let mut is_decided = false;
    for limit in (2..24).map(|power| 1 << power) {
        let outcome =
            run(&puzzle, &SolveOptions::default(), &mut Budget::new(limit, CancelFlag::new())).outcome;
        is_decided = match outcome.verdict {
            Some(Verdict::One) => {
                assert_eq!(outcome.solutions, std::slice::from_ref(&solution), "limit {limit}");
                true
            }
            Some(Verdict::GaveUp { .. }) => {
                assert_eq!(outcome.stopped, Some(Stopped::Exhausted), "limit {limit}");
                false
            }
            other => panic!("{other:?} with limit {limit}"),
        };
        let known = outcome.grid.iter().zip(solution.digits());
        assert!(known.into_iter().all(|(known, digit)| known.is_none_or(|known| known == *digit)));
    }
    assert!(is_decided, "the last limit is enough");
}

#[test]
fn a_raised_flag_stops_both() {
    let flag = CancelFlag::new();
    flag.raise();
    let seen = run(&classic(EASY), &SolveOptions::default(), &mut Budget::new(u64::MAX, flag));
    assert_eq!((seen.outcome.stopped, seen.outcome.path), (Some(Stopped::Cancelled), None));
    // Raised at the first step, it lets no second one pass.
    let flag = CancelFlag::new();
    let mut steps = 0;
    let mut budget = Budget::new(u64::MAX, flag.clone());
    let outcome = solve(&classic(EASY), &SolveOptions::default(), &mut budget, &mut |event| {
        if let SolveEvent::Step(..) = event {
            steps += 1;
            flag.raise();
        }
    });
    let outcome = outcome.expect("allowed");
    assert_eq!((steps, outcome.path), (1, Some(PathEnd::Stopped(Stopped::Cancelled))));
    assert_eq!((outcome.verdict, outcome.searched_cells), (Some(Verdict::One), 0));
}

#[test]
fn boards_past_the_limit_of_logic() {
    let mut draft = PuzzleDraft::latin(20);
    draft.givens = (0..400).map(|index| (index % 20 + index / 20) % 20 + 1).collect();
    draft.givens[7] = 0;
    let puzzle = Arc::new(draft.check().expect("a puzzle"));
    for mode in [Mode::Full, Mode::LogicOnly] {
        let refused = solve(&puzzle, &with_mode(mode), &mut Budget::unlimited(), &mut |_| panic!("no event"));
        let message = refused.expect_err("refused").to_string();
        assert!(message.contains("16") && message.contains("20"), "{message}");
    }
    let outcome = run(&puzzle, &with_mode(Mode::SearchOnly), &mut Budget::unlimited()).outcome;
    assert_eq!(outcome.verdict, Some(Verdict::One));
    let position = Position::new(puzzle);
    assert!(hint(&position, &SurveyOptions::default(), &mut Budget::unlimited()).is_err());
}

fn checked(puzzle: &Puzzle, position: Option<&Position>) -> Checked {
    check(puzzle, position, Engine::General, &mut Budget::unlimited())
}

fn hinted(position: &Position) -> Hint {
    hint(position, &SurveyOptions::default(), &mut Budget::unlimited()).expect("allowed")
}

#[test]
fn a_puzzle_is_checked() {
    let found = checked(&classic(EASY), None);
    assert_eq!((found.verdict, found.stopped), (Verdict::One, None));
    assert_eq!(found.only_solution().map(Solution::to_string).as_deref(), Some(EASY_SOLUTION));
    let found = checked(&several(), None);
    assert_eq!((found.solutions.len(), found.only_solution()), (2, None));
    assert!(found.solutions[0] != found.solutions[1]);
    assert_eq!(checked(&none(), None).verdict, Verdict::None);
    let gave_up = check(&beyond(), None, Engine::General, &mut Budget::new(10, CancelFlag::new()));
    assert!(matches!(gave_up.verdict, Verdict::GaveUp { .. }), "{:?}", gave_up.verdict);
    assert_eq!(gave_up.stopped, Some(Stopped::Exhausted));
}

#[test]
fn wrong_entries_against_the_solution() {
    let puzzle = classic(EASY);
    let mut position = Position::new(puzzle.clone());
    assert_eq!(checked(&puzzle, Some(&position)).wrong, []);
    position.place(at(1, 3), digit(4)); // right
    position.place(at(1, 4), digit(2)); // wrong: 6 belongs there
    position.eliminate(at(9, 1), digit(3)); // 3 belongs there
    position.eliminate(at(9, 2), digit(1)); // no harm: 4 belongs there
    let wrong = checked(&puzzle, Some(&position)).wrong;
    assert_eq!(
        wrong,
        [
            WrongEntry::Digit { cell: at(1, 4), digit: digit(2) },
            WrongEntry::Candidate { cell: at(9, 1), digit: digit(3) },
        ]
    );
    let hint = hinted(&position);
    assert_eq!((hint.verdict, hint.advice), (Verdict::One, Advice::Correct(wrong)));
}

/// A clash is named once for each of the player's cells, a given that is clashed with is not.
#[test]
fn wrong_entries_against_the_rules() {
    let puzzle = classic(EASY);
    let mut position = Position::new(puzzle.clone());
    position.place(at(1, 3), digit(5)); // r1c1 is given 5
    position.place(at(9, 3), digit(1));
    position.place(at(9, 4), digit(1));
    let clash = |cell, value, with| WrongEntry::Clash { cell, digit: digit(value), with };
    assert_eq!(
        checked(&puzzle, Some(&position)).wrong,
        [
            clash(at(1, 3), 5, vec![at(1, 1)]),
            clash(at(9, 3), 1, vec![at(9, 4)]),
            clash(at(9, 4), 1, vec![at(2, 4), at(8, 5), at(9, 3)]),
        ]
    );
}

/// With several solutions an entry is wrong by breaking a rule alone, and a step may still be given.
#[test]
fn hints_where_there_is_not_one_solution() {
    let mut position = Position::new(several());
    let hint = hinted(&position);
    assert!(matches!(hint.verdict, Verdict::Several { .. }));
    assert!(matches!(hint.advice, Advice::Step(_) | Advice::Nothing), "{:?}", hint.advice);
    let cell = position.open_cells().next().expect("open");
    let seen = several().peers(cell).iter().find_map(|&peer| position.digit(peer)).expect("a digit seen");
    position.place(cell, seen);
    assert!(matches!(hinted(&position).advice, Advice::Correct(wrong) if !wrong.is_empty()));
    let hint = hinted(&Position::new(none()));
    assert_eq!((hint.verdict, hint.advice), (Verdict::None, Advice::Nothing));
}

/// Hint by hint, a player gets to the end.
#[test]
fn hints_lead_to_the_end() {
    for (puzzle, is_beyond) in [(classic(EASY), false), (beyond(), true)] {
        let size = puzzle.size();
        let solution = checked(&puzzle, None).solutions[0].clone();
        let mut position = Position::new(puzzle);
        let mut filled = 0;
        for _ in 0..400 {
            match hinted(&position).advice {
                Advice::Step(step) => step.apply(&mut position),
                Advice::Fill { cell, digit } => {
                    filled += 1;
                    position.place(cell, digit);
                }
                Advice::Done => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(position.is_full());
        assert!(Cell::all(size).all(|cell| position.digit(cell) == Some(solution.digits()[cell.index()])));
        assert_eq!(filled > 0, is_beyond);
    }
}

/// A cage that is full and misses its target, and a digit that the setter ruled out.
#[test]
fn wrong_entries_of_cages_and_restrictions() {
    let mut draft = PuzzleDraft::latin(4);
    draft.cages =
        vec![CageDraft { cells: vec![0, 1], operation: Operation::Add, target: Some(3), distinct: true }];
    draft.candidates = vec![DigitSet::full(4); 16];
    draft.candidates[15].remove(digit(4));
    let puzzle = Arc::new(draft.check().expect("a puzzle"));
    let mut position = Position::new(puzzle.clone());
    position.place(Cell::new(0), digit(1));
    position.place(Cell::new(1), digit(3));
    position.place(Cell::new(15), digit(4));
    let found = checked(&puzzle, Some(&position));
    assert!(matches!(found.verdict, Verdict::Several { .. }));
    assert_eq!(
        found.wrong,
        [
            WrongEntry::Restricted { cell: Cell::new(15), digit: digit(4) },
            WrongEntry::Cage { cage: CageId(0) },
        ]
    );
}
