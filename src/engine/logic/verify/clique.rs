//! Going through the fillings of cells that all see each other, where the order of the digits does not matter.
//!
//! Cell by cell, what is left to be done depends on the set of digits taken alone, and the number of digits in it
//! says which cell is next. So the states are numbers below 2^size, and a larger one never comes before a smaller.
//! Fifteen different cells of sixteen digits take 65,536 states, where the fillings are beyond counting.

use super::board::{Effort, Halt};
use crate::puzzle::DigitSet;

/// The largest board that this is for: two bits a state.
pub(super) const MAX_SIZE: usize = 16;

/// A set of states, one bit each.
struct States(Vec<u64>);

impl States {
    fn none(size: usize) -> States {
        States(vec![0; (1usize << size).div_ceil(64)])
    }

    fn contains(&self, state: u32) -> bool {
        self.0[state as usize / 64] & (1 << (state % 64)) != 0
    }

    fn insert(&mut self, state: u32) {
        self.0[state as usize / 64] |= 1 << (state % 64);
    }

    /// Takes the least state from a word that is at or after this one, as far as it is there.
    fn next_from(&self, state: u32) -> Option<u32> {
        let mut word = state as usize / 64;
        let mut bits = self.0.get(word)? & (u64::MAX << (state % 64));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word as u32 * 64 + bits.trailing_zeros())
    }
}

/// The candidates that occur in some filling of these domains with different digits that `is_met` likes; a
/// conflict if there is none. Domains are of a board up to [`MAX_SIZE`], none empty.
pub(super) fn supports(
    domains: &[u32],
    size: usize,
    is_met: &dyn Fn(DigitSet) -> bool,
    effort: &mut Effort,
) -> Result<Vec<u32>, Halt> {
    let mut reached = States::none(size);
    reached.insert(0);
    let mut trail = Vec::new();
    let mut from = 0;
    while let Some(state) = reached.next_from(from) {
        trail.push(state);
        if let Some(domain) = domains.get(state.count_ones() as usize) {
            for digit in DigitSet::from_bits(domain & !state) {
                reached.insert(state | 1 << digit.index());
            }
        }
        from = state + 1;
    }
    effort.spend(1 + trail.len() as u64)?;
    let mut supported = vec![0; domains.len()];
    let mut good = States::none(size);
    for &state in trail.iter().rev() {
        let place = state.count_ones() as usize;
        let Some(domain) = domains.get(place) else {
            if is_met(DigitSet::from_bits(state)) {
                good.insert(state);
            }
            continue;
        };
        for digit in DigitSet::from_bits(domain & !state) {
            let bit = 1 << digit.index();
            if good.contains(state | bit) {
                good.insert(state);
                supported[place] |= bit;
            }
        }
    }
    effort.spend(trail.len() as u64)?;
    if good.contains(0) { Ok(supported) } else { Err(Halt::Conflict) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::CancelFlag;
    use crate::engine::logic::verify::NodeCap;

    fn fillings(domains: &[u32], taken: &mut Vec<u32>, each: &mut dyn FnMut(&[u32])) {
        let Some(&domain) = domains.get(taken.len()) else { return each(taken) };
        for digit in (0..16).filter(|digit| domain & (1 << digit) != 0) {
            if !taken.contains(&digit) {
                taken.push(digit);
                fillings(domains, taken, each);
                taken.pop();
            }
        }
    }

    /// Every digit that some filling has and no other, on boards whose states fill less or more than a word.
    #[test]
    fn against_all_fillings() {
        let mut seed = 1u64;
        let (mut met, mut failed) = (0, 0);
        for round in 0..600 {
            let (size, cells) = [(4, 4), (6, 5), (7, 4), (9, 5)][round % 4];
            let domains: Vec<u32> = (0..cells)
                .map(|_| {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let bits = (seed >> 33) as u32 & (seed >> 17) as u32 & ((1 << size) - 1);
                    bits | 1 << ((seed >> 50) as u32 % size as u32)
                })
                .collect();
            let target = (seed >> 40) as u32 % 12 + 12;
            let mut wanted = vec![0; cells];
            fillings(&domains, &mut Vec::new(), &mut |digits| {
                if digits.iter().map(|digit| digit + 1).sum::<u32>() == target {
                    wanted.iter_mut().zip(digits).for_each(|(set, digit)| *set |= 1 << digit);
                }
            });
            let is_met =
                |digits: DigitSet| digits.iter().map(|digit| u32::from(digit.value())).sum::<u32>() == target;
            let mut effort = Effort::new(NodeCap::default(), CancelFlag::new());
            match supports(&domains, size, &is_met, &mut effort) {
                Ok(supported) => {
                    met += 1;
                    assert_eq!(supported, wanted, "{domains:?}");
                }
                Err(halt) => {
                    failed += 1;
                    assert_eq!((halt, wanted), (Halt::Conflict, vec![0; cells]), "{domains:?}");
                }
            }
        }
        assert!(met > 100 && failed > 100, "{met} {failed}");
    }
}
