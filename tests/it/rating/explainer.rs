//! The Explainer's scale: the published ratings, what it refuses, and how it stops.

use std::fs;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::rate::explainer::{ExplainerError, ExplainerRating, Technique, rate};
use sleuth::puzzle::PuzzleDraft;

use super::classic;
use crate::support;

fn rated(line: &str) -> ExplainerRating {
    rate(&classic(line), &mut Budget::unlimited()).expect("a rating")
}

fn tenths(text: &str) -> u16 {
    text.replace('.', "").parse().expect("a rating")
}

/// Every row that takes no nested chains; those take long in a debug build, and a few stand for them.
#[test]
fn published_ratings() {
    let Some(path) = support::data("logic/se_ratings.csv") else { return };
    let text = fs::read_to_string(path).expect("it can be read");
    let mut nested = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let expected = [1, 2, 3].map(|field| tenths(fields[field]));
        if expected[0] >= 98 {
            nested += 1;
            if nested > 8 {
                continue;
            }
        }
        let rating = rated(fields[0]);
        assert_eq!([rating.er, rating.ep, rating.ed], expected, "{}", fields[0]);
    }
}

#[test]
fn hardest_and_counts() {
    let rating = rated("000000012000035000000600070700000300000400800100000000000120000080000040050000600");
    assert!(rating.er >= rating.ep && rating.ep >= rating.ed, "{rating:?}");
    let steps: u32 = rating.counts.iter().map(|(_, count)| count).sum();
    assert!(steps > 60, "{rating:?}");
    assert!(rating.counts.is_sorted_by_key(|(technique, _)| *technique));
    assert!(rating.counts.iter().any(|(technique, _)| Some(*technique) == rating.hardest));
    assert_eq!(rating.counts[0].0, Technique::HiddenSingle);
}

#[test]
fn nothing_but_plain_sudoku() {
    let small = PuzzleDraft::latin(4).check().expect("a puzzle");
    assert_eq!(rate(&small, &mut Budget::unlimited()), Err(ExplainerError::NotPlain));
}

/// A limit and a flag end it, and soon: no stretch of work is long.
#[test]
fn it_stops() {
    let hard = classic("100007090030020008009600500005300900010080002600004000300000010040000007007000300");
    let mut budget = Budget::new(100_000, CancelFlag::new());
    assert_eq!(rate(&hard, &mut budget), Err(ExplainerError::Stopped(Stopped::Exhausted)));
    assert!(budget.spent() < 101_000, "{}", budget.spent());
    let flag = CancelFlag::new();
    flag.raise();
    let cancelled = rate(&hard, &mut Budget::new(u64::MAX, flag));
    assert_eq!(cancelled, Err(ExplainerError::Stopped(Stopped::Cancelled)));
}
