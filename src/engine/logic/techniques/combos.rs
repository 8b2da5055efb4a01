//! The ways in which a cage can still be filled: which candidates have a place in any of them.
//!
//! Bounded on any cage. Where the cells differ, what matters of the digits used so far is their set, and there
//! are at most 2^16 sets. Where they may repeat, ways are tried one by one if there are few enough; of larger
//! cages only the least and the greatest result are looked at. Which of these is done depends on the cage and on
//! how many candidates its cells have, so it is the same for every face of a puzzle.

use std::ops::ControlFlow;

use crate::engine::logic::technique::Flow;
use crate::puzzle::{Cage, Digit, DigitSet, Operation, is_met};

/// Ways of a cage that may repeat digits are tried one by one up to this many.
const MAX_WAYS: u64 = 100_000;

/// What can still stand in a cage.
#[derive(Debug, PartialEq, Eq)]
pub struct Ways {
    /// Of each cell, the candidates that stand there in some way of filling the cage.
    pub supported: Vec<DigitSet>,
    /// The sets of digits that fill the cage, if its cells differ and it has a target; in order.
    pub combinations: Vec<DigitSet>,
}

/// The ways to fill a cage, or none if `spend`, which is told of the work, says stop.
pub fn ways(question: &Question<'_>, spend: &mut dyn FnMut(u64) -> Flow) -> ControlFlow<(), Ways> {
    let Question { cage, candidates, .. } = *question;
    if cage.distinct {
        return ways_of_sets(cage, candidates, spend);
    }
    let count = candidates.iter().try_fold(1u64, |count, set| count.checked_mul(set.len() as u64));
    let supported = match count {
        Some(count) if count <= MAX_WAYS => Trial { question, spend }.supported()?,
        _ => within_bounds(cage, candidates, spend)?,
    };
    ControlFlow::Continue(Ways { supported, combinations: Vec::new() })
}

/// A cage, and what its cells can hold.
pub struct Question<'a> {
    /// The cage; it asks for something.
    pub cage: &'a Cage,
    /// Of each of its cells, in its order.
    pub candidates: &'a [DigitSet],
    /// Whether two of its cells, by their places in it, see each other.
    pub sees: &'a dyn Fn(usize, usize) -> bool,
}

/// Layer `i` holds the sets of digits that the first `i` cells can hold (of a sum, those that leave the rest of it
/// to the other cells). Going back from the sets that meet the target shows which of them lead there, and by which
/// digits.
fn ways_of_sets(
    cage: &Cage,
    candidates: &[DigitSet],
    spend: &mut dyn FnMut(u64) -> Flow,
) -> ControlFlow<(), Ways> {
    let mut layers: Vec<Vec<u32>> = vec![vec![0]];
    for (cell, &of_cell) in candidates.iter().enumerate() {
        let rest = Bounds::of_differing_sum(&candidates[cell + 1..]);
        let leaves_rest = |used: u32| {
            let left = cage.target.checked_sub(sum(DigitSet::from_bits(used)));
            cage.operation != Operation::Add || left.is_some_and(|left| rest.contains(left))
        };
        let mut next: Vec<u32> = Vec::new();
        for &used in layers.last().expect("the first layer is there from the start") {
            let more = (of_cell - DigitSet::from_bits(used)).iter().map(|digit| used | 1 << digit.index());
            next.extend(more.filter(|&used| leaves_rest(used)));
        }
        spend(next.len() as u64 / 8)?;
        next.sort_unstable();
        next.dedup();
        layers.push(next);
    }
    let mut good = layers.pop().expect("a layer for each cell");
    good.retain(|&used| {
        let digits: Vec<u8> = DigitSet::from_bits(used).iter().map(|digit| digit.value()).collect();
        is_met(cage.operation, cage.target, &digits)
    });
    let combinations = good.iter().map(|&used| DigitSet::from_bits(used)).collect();
    let mut supported = vec![DigitSet::EMPTY; candidates.len()];
    for (cell, &of_cell) in candidates.iter().enumerate().rev() {
        let mut before = layers.pop().expect("a layer before each cell");
        before.retain(|&used| {
            let mut leads = DigitSet::EMPTY;
            for digit in of_cell - DigitSet::from_bits(used) {
                if good.binary_search(&(used | 1 << digit.index())).is_ok() {
                    leads.insert(digit);
                }
            }
            supported[cell] |= leads;
            !leads.is_empty()
        });
        good = before;
    }
    ControlFlow::Continue(Ways { supported, combinations })
}

fn sum(digits: DigitSet) -> u64 {
    digits.iter().map(|digit| u64::from(digit.value())).sum()
}

/// Ways tried one by one, until every candidate has been seen in one or in none.
struct Trial<'a> {
    question: &'a Question<'a>,
    spend: &'a mut dyn FnMut(u64) -> Flow,
}

impl Trial<'_> {
    fn supported(&mut self) -> ControlFlow<(), Vec<DigitSet>> {
        let candidates = self.question.candidates;
        let mut supported = vec![DigitSet::EMPTY; candidates.len()];
        for cell in 0..candidates.len() {
            for digit in candidates[cell] {
                if supported[cell].contains(digit) {
                    continue;
                }
                // What is open to a cell: all its candidates, and the digit alone once it has one.
                let mut left = candidates.to_vec();
                left[cell] = DigitSet::single(digit);
                if self.fill(0, &mut left)? {
                    for (supported, held) in supported.iter_mut().zip(&left) {
                        *supported |= *held;
                    }
                }
            }
        }
        ControlFlow::Continue(supported)
    }

    /// Fills the cells from this one on; leaves one digit a cell if the target can be met, else all as it was.
    fn fill(&mut self, cell: usize, left: &mut [DigitSet]) -> ControlFlow<(), bool> {
        (self.spend)(1)?;
        let cage = self.question.cage;
        if cell == left.len() {
            let digits: Vec<u8> =
                left.iter().filter_map(|digits| digits.only()).map(|digit| digit.value()).collect();
            return ControlFlow::Continue(is_met(cage.operation, cage.target, &digits));
        }
        let open = left[cell];
        for digit in open {
            left[cell] = DigitSet::single(digit);
            let clashes =
                (0..cell).any(|other| left[other] == left[cell] && (self.question.sees)(cell, other));
            if !clashes && is_within(cage, left) && self.fill(cell + 1, left)? {
                return ControlFlow::Continue(true);
            }
        }
        left[cell] = open;
        ControlFlow::Continue(false)
    }
}

/// Whether the least and the greatest result leave room for the target.
fn is_within(cage: &Cage, candidates: &[DigitSet]) -> bool {
    let can_add = || Bounds::of_sum(candidates).contains(cage.target);
    let can_multiply = || Bounds::of_product(candidates).contains(cage.target) && divides(cage, candidates);
    match cage.operation {
        Operation::Add => can_add(),
        Operation::Multiply => can_multiply(),
        Operation::Unknown if candidates.len() > 2 => can_add() || can_multiply(),
        _ => true,
    }
}

/// Whether the digits that are known have a product that divides the target.
fn divides(cage: &Cage, candidates: &[DigitSet]) -> bool {
    let known = candidates.iter().filter_map(|digits| digits.only());
    let product = known.fold(1u64, |product, digit| product.saturating_mul(u64::from(digit.value())));
    cage.target.is_multiple_of(product)
}

/// Candidates that leave the target between the least and the greatest result.
fn within_bounds(
    cage: &Cage,
    candidates: &[DigitSet],
    spend: &mut dyn FnMut(u64) -> Flow,
) -> ControlFlow<(), Vec<DigitSet>> {
    let mut supported = candidates.to_vec();
    let mut left = candidates.to_vec();
    for cell in 0..candidates.len() {
        spend(candidates.len() as u64)?;
        for digit in candidates[cell] {
            left[cell] = DigitSet::single(digit);
            if !is_within(cage, &left) {
                supported[cell].remove(digit);
            }
        }
        left[cell] = candidates[cell];
    }
    ControlFlow::Continue(supported)
}

/// The least and the greatest result.
struct Bounds {
    least: u64,
    greatest: u64,
}

impl Bounds {
    fn of_sum(candidates: &[DigitSet]) -> Bounds {
        Bounds::of(candidates, 0, u64::saturating_add)
    }

    /// The same where no two cells hold the same digit.
    fn of_differing_sum(candidates: &[DigitSet]) -> Bounds {
        let all = candidates.iter().fold(DigitSet::EMPTY, |all, &of_cell| all | of_cell);
        let skipped = all.len().saturating_sub(candidates.len());
        let bounds = Bounds::of_sum(candidates);
        Bounds {
            least: bounds.least.max(sum(all.iter().take(candidates.len()).collect())),
            greatest: bounds.greatest.min(sum(all.iter().skip(skipped).collect())),
        }
    }

    fn of_product(candidates: &[DigitSet]) -> Bounds {
        Bounds::of(candidates, 1, u64::saturating_mul)
    }

    fn of(candidates: &[DigitSet], start: u64, join: fn(u64, u64) -> u64) -> Bounds {
        let value = |digit: Option<Digit>| digit.map_or(0, |digit| u64::from(digit.value()));
        let mut bounds = Bounds { least: start, greatest: start };
        for &set in candidates {
            bounds.least = join(bounds.least, value(set.min()));
            bounds.greatest = join(bounds.greatest, value(set.max()));
        }
        bounds
    }

    fn contains(&self, target: u64) -> bool {
        (self.least..=self.greatest).contains(&target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Cell;

    fn cage(operation: Operation, target: u64, count: usize, distinct: bool) -> Cage {
        Cage { cells: (0..count).map(Cell::new).collect(), operation, target, distinct }
    }

    fn digits(text: &str) -> DigitSet {
        text.chars().filter_map(Digit::from_symbol).collect()
    }

    fn asked(cage: &Cage, candidates: &[&str], sees: &dyn Fn(usize, usize) -> bool) -> Ways {
        let candidates: Vec<DigitSet> = candidates.iter().map(|text| digits(text)).collect();
        let question = Question { cage, candidates: &candidates, sees };
        match ways(&question, &mut |_| ControlFlow::Continue(())) {
            ControlFlow::Continue(ways) => ways,
            ControlFlow::Break(()) => panic!("nobody said stop"),
        }
    }

    fn supported(ways: &Ways) -> Vec<String> {
        ways.supported.iter().map(DigitSet::to_string).collect()
    }

    #[test]
    fn sets_of_a_killer_cage() {
        let ways = asked(&cage(Operation::Add, 4, 2, true), &["123456789", "123456789"], &|_, _| true);
        assert_eq!(supported(&ways), ["13", "13"]);
        assert_eq!(ways.combinations, [digits("13")]);
        let ways = asked(&cage(Operation::Add, 15, 3, true), &["12", "12", "123456789"], &|_, _| true);
        assert_eq!(supported(&ways), ["", "", ""], "1, 2 and 12");
        let ways = asked(&cage(Operation::Add, 8, 3, true), &["14", "1234", "23"], &|_, _| true);
        assert_eq!(supported(&ways), ["14", "14", "3"]);
    }

    #[test]
    fn repeats_where_cells_do_not_see_each_other() {
        let corner = |one: usize, other: usize| one != other && one.max(other) != 2 - one.min(other);
        let ways = asked(&cage(Operation::Multiply, 4, 3, false), &["1234", "1234", "1234"], &corner);
        assert_eq!(supported(&ways), ["12", "14", "12"]);
        let apart = |one: usize, other: usize| one != other;
        let ways = asked(&cage(Operation::Multiply, 4, 2, false), &["1234", "1234"], &apart);
        assert_eq!(supported(&ways), ["14", "14"]);
        let ways = asked(&cage(Operation::Divide, 2, 2, false), &["123456", "123456"], &apart);
        assert_eq!(supported(&ways), ["12346", "12346"]);
        let ways = asked(&cage(Operation::Unknown, 7, 2, false), &["123456", "123456"], &apart);
        assert_eq!(supported(&ways), ["123456", "123456"], "by sum alone");
    }

    /// Too many ways to try: the bounds still say something, and what they keep may be too much, never too little.
    #[test]
    fn large_cages() {
        let all = "123456789ABCDEFG";
        let ways = asked(&cage(Operation::Add, 31, 30, false), &[all; 30], &|_, _| false);
        assert_eq!(supported(&ways), ["12"; 30]);
        let ways = asked(&cage(Operation::Multiply, 7 << 40, 30, false), &[all; 30], &|_, _| false);
        assert_eq!(supported(&ways), ["12478EG"; 30]);
        let ways = asked(&cage(Operation::Add, 136, 16, true), &[all; 16], &|_, _| true);
        assert_eq!(supported(&ways), [all; 16]);
    }

    /// Against trying everything, on cages of three or four cells in a line or in a square.
    #[test]
    fn exact_where_it_says_so() {
        let mut state = 1u32;
        let mut draw = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % bound
        };
        for round in 0..400 {
            let count = 3 + draw(2) as usize;
            let distinct = draw(2) == 0;
            let operation = [Operation::Add, Operation::Multiply, Operation::Unknown][draw(3) as usize];
            let target = u64::from(3 + draw(25));
            let cage = cage(operation, target, count, distinct);
            let candidates: Vec<DigitSet> = (0..count).map(|_| DigitSet::from_bits(draw(63) + 1)).collect();
            let sees = |one: usize, other: usize| one != other && (distinct || one + other != 3);
            let mut wanted = vec![DigitSet::EMPTY; count];
            for way in 0..6usize.pow(count as u32) {
                let way: Vec<Digit> =
                    (0..count).map(|cell| Digit::from_index(way / 6usize.pow(cell as u32) % 6)).collect();
                let values: Vec<u8> = way.iter().map(|digit| digit.value()).collect();
                let differ =
                    (0..count).all(|one| (0..one).all(|other| way[one] != way[other] || !sees(one, other)));
                let fits = (0..count).all(|cell| candidates[cell].contains(way[cell]));
                if differ && fits && cage.is_met_by(&values) {
                    (0..count).for_each(|cell| wanted[cell].insert(way[cell]));
                }
            }
            let question = Question { cage: &cage, candidates: &candidates, sees: &sees };
            let ControlFlow::Continue(ways) = ways(&question, &mut |_| ControlFlow::Continue(())) else {
                panic!("nobody said stop")
            };
            assert_eq!(ways.supported, wanted, "round {round}: {cage:?} {candidates:?}");
        }
    }

    #[test]
    fn stops() {
        let cage = cage(Operation::Add, 20, 5, false);
        let candidates = [digits("123456789"); 5];
        let question = Question { cage: &cage, candidates: &candidates, sees: &|_, _| true };
        assert!(ways(&question, &mut |_| ControlFlow::Break(())).is_break());
    }
}
