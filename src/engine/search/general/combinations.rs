//! A relation kept as combinations: the sets of digits that cells which all differ may hold together.

use super::Halt;
use super::domains::Domains;
use super::fill::{Rule, between};
use super::relations::lock_needed;

/// Writes the combinations of `count` digits behind `sets`. Returns how many there are, or nothing (and writes
/// nothing) if there are more than `most` or the allowance ends.
pub(super) fn build(
    domains: &Domains<'_>,
    cells: &[u16],
    rule: Rule,
    sets: &mut Vec<u32>,
    most: u32,
    allowance: &mut u32,
) -> Option<u32> {
    let digits = cells.iter().fold(0, |union, &cell| union | domains.of(cell));
    let before = sets.len();
    let mut chooser = Chooser { rule, sets, most: before + most as usize, allowance };
    let is_whole = match rule {
        Rule::Sum { target, .. } => chooser.choose(digits, 0, cells.len(), target),
        Rule::Product(target) => {
            i64::try_from(target).map_or(true, |target| chooser.choose(digits, 0, cells.len(), target))
        }
        _ => chooser.choose(digits, 0, cells.len(), 0),
    };
    if !is_whole {
        sets.truncate(before);
        return None;
    }
    Some((sets.len() - before) as u32)
}

struct Chooser<'s> {
    rule: Rule,
    sets: &'s mut Vec<u32>,
    most: usize,
    allowance: &'s mut u32,
}

impl Chooser<'_> {
    /// Adds `count` of the digits of `open` to `chosen` in every way; they are to give `left`. At most 25 deep.
    fn choose(&mut self, open: u32, chosen: u32, count: usize, left: i64) -> bool {
        if count == 0 {
            return self.finish(chosen, left);
        }
        let mut open = open & self.reach(open, count, left);
        while open.count_ones() as usize >= count {
            if *self.allowance == 0 {
                return false;
            }
            *self.allowance -= 1;
            let value = i64::from(open.trailing_zeros()) + 1;
            let digit = open & open.wrapping_neg();
            open &= open - 1;
            let left = match self.rule {
                Rule::Sum { .. } => left - value,
                Rule::Product(_) if left % value != 0 => continue,
                Rule::Product(_) => left / value,
                _ => left,
            };
            if !self.choose(open, chosen | digit, count - 1, left) {
                return false;
            }
        }
        true
    }

    /// The digits that may be the smallest of `count` that give `left`.
    fn reach(&self, open: u32, count: usize, left: i64) -> u32 {
        let Rule::Sum { .. } = self.rule else { return u32::MAX };
        if count == 1 {
            return between(left, left);
        }
        // The smallest is at most the mean, and the largest `count` digits reach the sum at all.
        let mut largest = open;
        let mut most = 0;
        for _ in 0..count {
            if largest == 0 {
                return 0;
            }
            most += 32 - i64::from(largest.leading_zeros());
            largest &= !(1 << (31 - largest.leading_zeros()));
        }
        if most < left { 0 } else { u32::MAX }
    }

    fn finish(&mut self, chosen: u32, left: i64) -> bool {
        let is_met = match self.rule {
            Rule::Sum { .. } => left == 0,
            Rule::Product(_) => left == 1,
            rule => {
                let mut digits = [0u8; 25];
                let mut count = 0;
                for digit in (1..=25u8).filter(|digit| chosen >> (digit - 1) & 1 == 1) {
                    digits[count] = digit;
                    count += 1;
                }
                rule.is_met(&digits[..count])
            }
        };
        if is_met {
            self.sets.push(chosen);
        }
        self.sets.len() <= self.most
    }
}

/// Draws what follows. `sets` are those left, all of them.
pub(super) fn propagate(
    domains: &mut Domains<'_>,
    id: u16,
    cells: &[u16],
    sets: &mut [u32],
) -> Result<u64, Halt> {
    let (mut union, mut twice, mut placed) = (0u32, 0u32, 0u32);
    for &cell in cells {
        let digits = domains.of(cell);
        twice |= union & digits;
        union |= digits;
        placed |= if digits & (digits - 1) == 0 { digits } else { 0 };
    }
    let before = sets.len();
    let (mut at, mut live) = (0, before);
    let (mut allowed, mut needed) = (0, !0u32);
    while at < live {
        let set = sets[at];
        let is_possible =
            placed & !set == 0 && set & !union == 0 && cells.iter().all(|&cell| domains.of(cell) & set != 0);
        if is_possible {
            allowed |= set;
            needed &= set;
            at += 1;
        } else {
            live -= 1;
            sets.swap(at, live);
        }
    }
    if live == 0 {
        return Err(Halt::Conflict);
    }
    domains.keep_live(id, live as u32);
    let hidden = needed & union & !twice & !placed;
    for &cell in cells {
        let digits = domains.of(cell);
        let hidden = digits & hidden;
        let keep = if hidden != 0 { hidden } else { allowed };
        if hidden & hidden.wrapping_sub(1) != 0 {
            return Err(Halt::Conflict);
        }
        domains.keep(cell, keep)?;
    }
    lock_needed(domains, cells, needed & !placed & !hidden)?;
    Ok(2 + before as u64 / 4)
}
