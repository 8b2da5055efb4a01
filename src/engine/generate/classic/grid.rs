//! A random full grid of plain 9×9 sudoku, very nearly uniform: every grid almost as likely as any other.
//!
//! 1. The first box, the rest of its band and the rest of its stack are drawn with every filling as likely:
//!    9! × (56 × 6⁶)² in all. What is left are four boxes, which on average can be filled in 2693 ways.
//! 2. Those are filled by a random descent ([`sample`]), which knows with what probability it came where it came.
//! 3. A grid that was likely to come out is thrown away with the probability that makes up for it. As no
//!    probability is above one, grids whose weight is above [`CAP`] keep coming out too rarely: this is all that is
//!    not uniform.
//!
//! Measured on 300,000 descents: 12 % run into a contradiction; the mean weight times the number of beginnings
//! is 6.672e21 ± 0.25 % (there are 6.6709e21 grids). The total variation distance from the uniform distribution
//! is 0.38 without the third step and 0.03 with it; it takes six descents a grid. A higher cap would come
//! nearer, and take as much longer.

use crate::engine::budget::{Budget, Stopped};
use crate::engine::generate::rng::Stream;
use crate::engine::search::classic::solver::{Candidates, Digits};
use crate::engine::search::classic::{Instructions, sample};

/// Weights from which on a grid is always kept. A power of two, so that a number below it is one draw.
pub(super) const CAP: u32 = 1 << 14;

/// Number of beginnings: a first box, and what may stand beside and below it.
#[cfg(test)]
const BEGINNINGS: f64 = 362_880.0 * 2_612_736.0 * 2_612_736.0;

/// Units of work that a descent counts for: about a dozen positions are settled on it.
const UNITS: u64 = 100;

/// A grid: nine rows of nine zero-based digits. It depends on the stream alone.
pub fn grid(instructions: Instructions, stream: &mut Stream, budget: &mut Budget) -> Result<Digits, Stopped> {
    loop {
        budget.spend(UNITS)?;
        let candidates = beginning(stream);
        let descent = sample::descend(instructions, &candidates, &mut |bound| stream.below(bound));
        let Some((digits, weight)) = descent else { continue };
        if weight >= u64::from(CAP) || u64::from(stream.below(CAP)) < weight {
            return Ok(digits);
        }
    }
}

/// The first band and the first stack, each of their fillings as likely.
fn beginning(stream: &mut Stream) -> Candidates {
    let mut first: [u8; 9] = std::array::from_fn(|digit| digit as u8);
    stream.shuffle(&mut first);
    let turned = std::array::from_fn(|at| first[at % 3 * 3 + at / 3]);
    let (beside, below) = (neighbours(&first, stream), neighbours(&turned, stream));
    let mut candidates = [0x1FF; 81];
    for at in 0..9 {
        let (row, column) = (at / 3, at % 3);
        candidates[9 * row + column] = 1 << first[at];
        for (number, (right, down)) in beside.iter().zip(&below).enumerate() {
            let away = 3 * (number + 1);
            candidates[9 * row + column + away] = 1 << right[at];
            candidates[9 * (column + away) + row] = 1 << down[at];
        }
    }
    candidates
}

/// Two boxes beside a box, of the 56 × 6⁶ that fit there, each as likely. The sets of three digits in their rows are
/// either the rows of the first box moved on (the one box by one row, the other by two: 2 cases), or these with
/// one digit of each row exchanged between the two boxes (27 each).
fn neighbours(first: &[u8; 9], stream: &mut Stream) -> [[u8; 9]; 2] {
    let case = stream.below(56) as usize;
    let (turn, exchange) = (1 + case % 2, case / 2);
    let moved = |by: usize| std::array::from_fn(|at| first[(at + 3 * by) % 9]);
    let mut boxes: [[u8; 9]; 2] = [moved(turn), moved(3 - turn)];
    if exchange < 27 {
        let picks = [exchange % 3, exchange / 3 % 3, exchange / 9];
        // Row r of the one box takes, in place of its picked digit, that of row r of the other.
        for row in 0..3 {
            let (one, other) = (3 * row + picks[(row + turn) % 3], 3 * row + picks[(row + 3 - turn) % 3]);
            let [left, right] = &mut boxes;
            std::mem::swap(&mut left[one], &mut right[other]);
        }
    }
    for box_ in &mut boxes {
        box_.chunks_mut(3).for_each(|row| stream.shuffle(row));
    }
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All 56 ways to arrange the rows of two boxes beside a first one, each as often as the others.
    #[test]
    fn neighbours_are_spread() {
        let mut stream = Stream::new(1, 0);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..56_000 {
            let mut boxes = neighbours(&[0, 1, 2, 3, 4, 5, 6, 7, 8], &mut stream);
            for row in 0..3 {
                let digits: BTreeSet<u8> =
                    (3 * row..3 * row + 3).flat_map(|at| [boxes[0][at], boxes[1][at], at as u8]).collect();
                assert_eq!(digits.len(), 9, "{boxes:?}");
            }
            boxes.iter_mut().for_each(|box_| box_.chunks_mut(3).for_each(<[u8]>::sort_unstable));
            *seen.entry(boxes).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 56);
        assert!(seen.values().all(|count| (850..1_150).contains(count)), "{seen:?}");
    }

    /// The mean weight gives the number of grids there are, so the weights are right; and from the weights follows
    /// how far the grids that are kept are from uniform.
    #[test]
    fn grids_are_nearly_uniform() {
        const GRIDS: f64 = 6_670_903_752_021_072_936_960.0;
        let mut stream = Stream::new(2, 0);
        let draws = 20_000;
        let mut weights = Vec::new();
        for _ in 0..draws {
            let candidates = beginning(&mut stream);
            let descent =
                sample::descend(Instructions::best(), &candidates, &mut |bound| stream.below(bound));
            weights.extend(descent.map(|(_, weight)| weight as f64));
        }
        let mean = |value: &dyn Fn(f64) -> f64| {
            weights.iter().map(|&weight| value(weight)).sum::<f64>() / weights.len() as f64
        };
        let all = mean(&|weight| weight) * weights.len() as f64 / f64::from(draws) * BEGINNINGS;
        assert!((all / GRIDS - 1.0).abs() < 0.04, "{all:e}");
        // Kept with probability min(1, weight / cap); a uniform choice would keep in proportion to the weight.
        let (cap, mean_weight) = (f64::from(CAP), mean(&|weight| weight));
        let kept = mean(&|weight| (weight / cap).min(1.0));
        let distance = mean(&|weight| ((weight / cap).min(1.0) / kept - weight / mean_weight).abs()) / 2.0;
        assert!((0.01..0.05).contains(&distance), "{distance}");
        assert!((0.15..0.25).contains(&kept), "{kept}");
    }

    #[test]
    fn every_kind_of_instructions_draws_the_same() {
        for attempt in 0..30 {
            let all = Instructions::ALL.into_iter().filter(|instructions| instructions.is_available());
            let grids: BTreeSet<Digits> = all
                .map(|instructions| {
                    grid(instructions, &mut Stream::new(3, attempt), &mut Budget::unlimited())
                })
                .collect::<Result<_, _>>()
                .expect("no limit");
            assert_eq!(grids.len(), 1);
            let digits = grids.first().expect("a grid");
            for house in 0..9 {
                let set = |cells: &dyn Fn(usize) -> usize| {
                    (0..9).fold(0u16, |set, at| set | 1 << digits[cells(at)])
                };
                assert_eq!(set(&|at| 9 * house + at), 0x1FF);
                assert_eq!(set(&|at| 9 * at + house), 0x1FF);
                assert_eq!(set(&|at| house / 3 * 27 + house % 3 * 3 + at / 3 * 9 + at % 3), 0x1FF);
            }
        }
    }
}
