//! HoDoKu's scale: its own ratings, what it refuses, and how it stops.

use std::fs;
use std::sync::Arc;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::logic::Level;
use sleuth::engine::rate::hodoku::{HodokuError, HodokuRating, Method, rate, rate_with};
use sleuth::engine::rate::{Scale, check};
use sleuth::engine::search::Engine;
use sleuth::puzzle::PuzzleDraft;

use super::classic;
use crate::support;

fn rated(line: &str) -> HodokuRating {
    rate(&Arc::new(classic(line)), &mut Budget::unlimited()).expect("a rating")
}

/// Every third of the ratings handed out: all levels, and nearly all scores. (Of all 305, 5 scores differ: where
/// several steps of a chain or net weigh the same, another one is taken.)
#[test]
fn its_own_ratings() {
    let Some(path) = support::data("logic/hodoku_ratings.csv") else { return };
    let text = fs::read_to_string(path).expect("it can be read");
    let (mut count, mut same_score) = (0, 0);
    for line in text.lines().skip(1).step_by(3) {
        let fields: Vec<&str> = line.split(',').collect();
        let rating = rated(fields[0]);
        assert_eq!(Some(rating.level), Level::from_word(&fields[1].to_lowercase()), "{}", fields[0]);
        count += 1;
        same_score += usize::from(rating.score.to_string() == fields[2]);
    }
    assert!(count > 100 && same_score * 100 >= count * 95, "{same_score} of {count}");
}

#[test]
fn singles_alone() {
    let rating = rated("530070000600195000098000060800060003400803001700020006060000280000419005000080079");
    assert_eq!((rating.level, rating.hardest), (Level::Easy, Some(Method::NakedSingle)));
    assert!(rating.counts.iter().all(|(method, _)| *method <= Method::HiddenSingle), "{rating:?}");
    let steps: u32 = rating.counts.iter().map(|(_, count)| count).sum();
    assert_eq!(steps, 51);
    assert_eq!(rating.score, rating.counts.iter().map(|(method, count)| method.score() * count).sum::<u32>());
}

/// What it does on the way is so in the solution, digits that it takes from there apart.
#[test]
fn its_steps_hold() {
    for line in [
        "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
        "000000012000035000000600070700000300000400800100000000000120000080000040050000600",
        "000260701680070090190004500820100040004602900050003028009300074040050036703018000",
    ] {
        let puzzle = Arc::new(classic(line));
        let mut solution = None;
        Engine::default().search().count(&puzzle, 1, &mut Budget::unlimited(), &mut |found| {
            solution = Some(found.clone());
        });
        let solution = solution.expect("there is one");
        let digit = |cell: usize| solution.digits()[cell].index();
        let rating = rate_with(&puzzle, &mut Budget::unlimited(), &mut |method, step| {
            for &(cell, placed) in &step.placed {
                assert_eq!(digit(cell), placed, "{method:?}");
            }
            for &(cell, gone) in &step.gone {
                assert_ne!(digit(cell), gone, "{method:?}");
            }
        });
        assert!(rating.is_ok(), "{rating:?}");
    }
}

#[test]
fn nothing_but_plain_sudoku() {
    let small = Arc::new(PuzzleDraft::latin(4).check().expect("a puzzle"));
    assert_eq!(rate(&small, &mut Budget::unlimited()), Err(HodokuError::NotPlain));
    assert!(check(&small, Scale::Hodoku).is_err());
}

/// A limit and a flag end it, and soon: no stretch of work is long.
#[test]
fn it_stops() {
    let hard = Arc::new(classic(
        "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
    ));
    let mut budget = Budget::new(20_000, CancelFlag::new());
    assert_eq!(rate(&hard, &mut budget), Err(HodokuError::Stopped(Stopped::Exhausted)));
    assert!(budget.spent() < 21_000, "{}", budget.spent());
    let flag = CancelFlag::new();
    flag.raise();
    let cancelled = rate(&hard, &mut Budget::new(u64::MAX, flag));
    assert_eq!(cancelled, Err(HodokuError::Stopped(Stopped::Cancelled)));
}
