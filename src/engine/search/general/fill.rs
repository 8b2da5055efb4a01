//! Every way to fill a few cells under a rule: what tables are made of, and what small remainders are asked.

use crate::puzzle::{Operation, is_met};

/// The most cells that are filled at once.
pub(super) const MAX_CELLS: usize = 12;

/// What the digits of some cells must do together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// Their sum is the target; the cells of the mask count negatively.
    Sum { target: i64, minus: u32 },
    /// Their product is the target.
    Product(u64),
    /// Two cells under any operation.
    Pair(Operation, u64),
    /// Sum or product is the target.
    SumOrProduct(u64),
    /// Nothing but that they differ.
    Any,
}

impl Rule {
    /// Whether these digits do it.
    pub fn is_met(self, digits: &[u8]) -> bool {
        match self {
            Rule::Sum { target, minus } => {
                let signed = digits.iter().enumerate().map(|(at, &digit)| {
                    if minus >> at & 1 == 0 { i64::from(digit) } else { -i64::from(digit) }
                });
                signed.sum::<i64>() == target
            }
            Rule::Product(target) => is_met(Operation::Multiply, target, digits),
            Rule::Pair(operation, target) => is_met(operation, target, digits),
            Rule::SumOrProduct(target) => {
                is_met(Operation::Add, target, digits) || is_met(Operation::Multiply, target, digits)
            }
            Rule::Any => true,
        }
    }
}

/// Cells to be filled: their candidates, and for each the earlier cells from which it must differ.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    pub count: usize,
    pub candidates: [u32; MAX_CELLS],
    pub differs_from: [u16; MAX_CELLS],
}

impl Slots {
    pub const EMPTY: Slots = Slots { count: 0, candidates: [0; MAX_CELLS], differs_from: [0; MAX_CELLS] };

    /// Whether there are at most so many ways, rule and differences aside.
    pub fn has_at_most(&self, ways: u64) -> bool {
        let mut product = 1u64;
        self.candidates[..self.count].iter().all(|candidates| {
            product *= u64::from(candidates.count_ones());
            product <= ways
        })
    }
}

/// Hands every way to fill the slots under the rule to `each`, as one-digit sets, until it says `false` or
/// `allowance` choices have been made; what is left of the allowance is left in it. A way may come twice.
/// Returns whether it came to the end.
pub(super) fn fill(
    slots: &Slots,
    rule: Rule,
    allowance: &mut u32,
    each: &mut dyn FnMut(&[u32]) -> bool,
) -> bool {
    let mut filler = Filler {
        slots,
        allowance,
        chosen: [0; MAX_CELLS],
        low: [0; MAX_CELLS + 1],
        high: [0; MAX_CELLS + 1],
        minus: 0,
        each,
    };
    match rule {
        Rule::Sum { target, minus } => filler.fill_sum(target, minus),
        Rule::Product(target) => filler.fill_product(target),
        Rule::Pair(operation, target) => filler.fill_pair(operation, target),
        Rule::SumOrProduct(target) => {
            filler.fill_sum(i64::try_from(target).unwrap_or(i64::MAX), 0) && filler.fill_product(target)
        }
        Rule::Any => filler.place_any(0),
    }
}

struct Filler<'s> {
    slots: &'s Slots,
    allowance: &'s mut u32,
    /// One-digit sets.
    chosen: [u32; MAX_CELLS],
    /// What the slots from here on give at least and at most.
    low: [i64; MAX_CELLS + 1],
    high: [i64; MAX_CELLS + 1],
    minus: u32,
    each: &'s mut dyn FnMut(&[u32]) -> bool,
}

impl Filler<'_> {
    fn fill_sum(&mut self, target: i64, minus: u32) -> bool {
        self.minus = minus;
        let count = self.slots.count;
        (self.low[count], self.high[count]) = (0, 0);
        for at in (0..count).rev() {
            let (mut low, mut high) = ends(self.slots.candidates[at]);
            if minus >> at & 1 == 1 {
                (low, high) = (-high, -low);
            }
            self.low[at] = self.low[at + 1] + low;
            self.high[at] = self.high[at + 1] + high;
        }
        self.place_sum(0, target)
    }

    fn place_sum(&mut self, at: usize, left: i64) -> bool {
        if at == self.slots.count {
            return left != 0 || (self.each)(&self.chosen[..at]);
        }
        let (low, high) = (left - self.high[at + 1], left - self.low[at + 1]);
        let is_minus = self.minus >> at & 1 == 1;
        let mut digits = self.open(at) & if is_minus { between(-high, -low) } else { between(low, high) };
        while digits != 0 {
            let value = i64::from(digits.trailing_zeros()) + 1;
            self.chosen[at] = digits & digits.wrapping_neg();
            digits &= digits - 1;
            if !self.may_choose() {
                return false;
            }
            if !self.place_sum(at + 1, if is_minus { left + value } else { left - value }) {
                return false;
            }
        }
        true
    }

    fn fill_product(&mut self, target: u64) -> bool {
        let count = self.slots.count;
        (self.low[count], self.high[count]) = (1, 1);
        for at in (0..count).rev() {
            let (low, high) = ends(self.slots.candidates[at]);
            self.low[at] = self.low[at + 1].saturating_mul(low);
            self.high[at] = self.high[at + 1].saturating_mul(high);
        }
        i64::try_from(target).map_or(true, |target| self.place_product(0, target))
    }

    fn place_product(&mut self, at: usize, left: i64) -> bool {
        if at == self.slots.count {
            return left != 1 || (self.each)(&self.chosen[..at]);
        }
        let mut digits = self.open(at);
        while digits != 0 {
            let value = i64::from(digits.trailing_zeros()) + 1;
            self.chosen[at] = digits & digits.wrapping_neg();
            digits &= digits - 1;
            if !self.may_choose() {
                return false;
            }
            if value > left {
                break;
            }
            let rest = left / value;
            if rest * value != left || rest < self.low[at + 1] || rest > self.high[at + 1] {
                continue;
            }
            if !self.place_product(at + 1, rest) {
                return false;
            }
        }
        true
    }

    fn fill_pair(&mut self, operation: Operation, target: u64) -> bool {
        let mut first = self.slots.candidates[0];
        while first != 0 {
            let value = first.trailing_zeros() as u8 + 1;
            self.chosen[0] = first & first.wrapping_neg();
            first &= first - 1;
            let mut second = self.open(1) & partners(operation, target, value);
            while second != 0 {
                self.chosen[1] = second & second.wrapping_neg();
                second &= second - 1;
                if !(self.each)(&self.chosen[..2]) {
                    return false;
                }
            }
        }
        true
    }

    fn place_any(&mut self, at: usize) -> bool {
        if at == self.slots.count {
            return (self.each)(&self.chosen[..at]);
        }
        let mut digits = self.open(at);
        while digits != 0 {
            self.chosen[at] = digits & digits.wrapping_neg();
            digits &= digits - 1;
            if !self.may_choose() {
                return false;
            }
            if !self.place_any(at + 1) {
                return false;
            }
        }
        true
    }

    #[inline]
    fn may_choose(&mut self) -> bool {
        let may = *self.allowance > 0;
        *self.allowance = self.allowance.saturating_sub(1);
        may
    }

    /// The candidates of a slot that no earlier one forbids.
    #[inline]
    fn open(&self, at: usize) -> u32 {
        let mut taken = 0;
        let mut others = self.slots.differs_from[at];
        while others != 0 {
            taken |= self.chosen[others.trailing_zeros() as usize];
            others &= others - 1;
        }
        self.slots.candidates[at] & !taken
    }
}

/// The digits that meet the target together with `value`, whatever the size of the board.
fn partners(operation: Operation, target: u64, value: u8) -> u32 {
    let value = u64::from(value);
    let set = |digit: Option<u64>| {
        digit.filter(|digit| (1..=25).contains(digit)).map_or(0, |digit| 1 << (digit - 1))
    };
    match operation {
        Operation::Add => set(target.checked_sub(value)),
        Operation::Subtract => set(value.checked_add(target)) | set(value.checked_sub(target)),
        Operation::Multiply => set(target.is_multiple_of(value).then_some(target / value)),
        Operation::Divide if target == 0 => 0,
        Operation::Divide => {
            set(value.checked_mul(target)) | set(value.is_multiple_of(target).then_some(value / target))
        }
        Operation::Equal => 0,
        Operation::Unknown => [Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide]
            .into_iter()
            .fold(0, |all, operation| all | partners(operation, target, value as u8)),
        Operation::Free => u32::MAX,
    }
}

/// The smallest and the largest digit of a set that is not empty.
#[inline]
pub(super) fn ends(candidates: u32) -> (i64, i64) {
    (i64::from(candidates.trailing_zeros()) + 1, 32 - i64::from(candidates.leading_zeros()))
}

/// The digits from `low` to `high`.
#[inline]
pub(super) fn between(low: i64, high: i64) -> u32 {
    let (low, high) = (low.max(1), high.min(25));
    if low > high { 0 } else { ((1u32 << high) - 1) & !((1u32 << (low - 1)) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(candidates: &[u32], differ: bool, rule: Rule) -> usize {
        let mut slots = Slots { count: candidates.len(), ..Slots::EMPTY };
        slots.candidates[..candidates.len()].copy_from_slice(candidates);
        if differ {
            (0..candidates.len()).for_each(|at| slots.differs_from[at] = (1 << at) - 1);
        }
        let mut count = 0;
        assert!(fill(&slots, rule, &mut u32::MAX.clone(), &mut |chosen| {
            let digits: Vec<u8> = chosen.iter().map(|set| set.trailing_zeros() as u8 + 1).collect();
            assert!(rule.is_met(&digits), "{digits:?} under {rule:?}");
            count += 1;
            true
        }));
        count
    }

    #[test]
    fn counts_ways() {
        let full = 0x1ff;
        assert_eq!(count(&[full; 3], true, Rule::Sum { target: 6, minus: 0 }), 6);
        assert_eq!(count(&[full; 3], false, Rule::Sum { target: 6, minus: 0 }), 10);
        assert_eq!(count(&[full; 2], true, Rule::Sum { target: 8, minus: 0b10 }), 1);
        assert_eq!(count(&[full; 2], false, Rule::Sum { target: -8, minus: 0b10 }), 1);
        assert_eq!(count(&[full; 3], false, Rule::Product(6)), 9);
        assert_eq!(count(&[full; 2], true, Rule::Pair(Operation::Divide, 2)), 8);
        assert_eq!(count(&[full; 2], true, Rule::Pair(Operation::Unknown, 2)), 20);
        assert_eq!(count(&[full; 3], false, Rule::SumOrProduct(6)), 10 + 9);
        assert_eq!(count(&[0x7; 3], true, Rule::Any), 6);
    }

    #[test]
    fn stops_when_the_allowance_is_spent() {
        let slots = Slots { count: 12, candidates: [0x1ff_ffff; MAX_CELLS], ..Slots::EMPTY };
        let mut allowance = 1000;
        assert!(!fill(&slots, Rule::Product(1 << 40), &mut allowance, &mut |_| true));
        assert_eq!(allowance, 0);
    }

    #[test]
    fn partners_meet_the_target() {
        for operation in Operation::ALL {
            for target in [0, 1, 2, 3, 8, 12, 25, 50, 625, u64::MAX] {
                for value in 1..=25 {
                    let met = (1..=25).filter(|&other| is_met(operation, target, &[value, other]));
                    let met = met.fold(0, |set, other: u8| set | 1 << (other - 1));
                    assert_eq!(
                        partners(operation, target, value) & 0x1ff_ffff,
                        met,
                        "{value} {operation:?} {target}"
                    );
                }
            }
        }
    }

    #[test]
    fn digits_between() {
        assert_eq!(between(2, 3), 0b110);
        assert_eq!(between(-4, 1), 1);
        assert_eq!(between(25, 90), 1 << 24);
        assert_eq!(between(26, 90), 0);
        assert_eq!(between(3, 2), 0);
    }
}
