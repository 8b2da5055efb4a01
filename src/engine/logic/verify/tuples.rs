//! Going through the fillings of a few cells: which candidates occur in any?
//!
//! Depth first, cell by cell, ruling out in the later cells what the earlier ones see. Two beginnings that leave
//! the same later candidates and the same rest of the target are one: the second is not gone through again. In a
//! cage whose digits differ that makes at most as many states as sets of digits; in a nine-cell block of a KenKen
//! it is what keeps the number of fillings from mattering.

use std::collections::HashMap;
use std::hash::Hash;

use super::board::{Effort, Halt};
use crate::puzzle::{DigitSet, Operation, is_met};

/// States remembered at most; past that they are gone through again.
const MAX_STATES: usize = 1 << 16;

/// An arithmetic condition, met cell by cell. Digits are indices: 0 for digit 1.
pub(super) trait Tally {
    /// What is left to be met.
    type State: Copy + Eq + Hash;
    /// What the cells still open can do.
    type Reach;
    /// At the beginning.
    fn start(&self) -> Self::State;
    /// What cells at these places can do.
    fn reach(&self, later: &[usize]) -> Self::Reach;
    /// After the cell at a place takes a digit; none if the rest can no longer be met within reach.
    fn take(
        &self,
        state: Self::State,
        place: usize,
        digit: usize,
        reach: &Self::Reach,
    ) -> Option<Self::State>;
    /// When all cells have their digits.
    fn is_met(&self, state: Self::State) -> bool;
}

/// One going-through.
pub(super) struct Search<'s, T: Tally> {
    tally: &'s T,
    sees: &'s [Vec<u16>],
    /// Places in the order in which they are filled: cells with one candidate first.
    order: Vec<usize>,
    /// The reverse of `order`: the depth at which a place is filled.
    depths: Vec<usize>,
    /// By depth, what the cells after it can do.
    reaches: Vec<T::Reach>,
    domains: Vec<u32>,
    supported: Vec<u32>,
    /// Candidates that no filling has been found for yet.
    wanted: u32,
    states: HashMap<(T::State, Box<[u32]>), bool>,
    tried: u64,
    limit: u64,
}

/// Why a going-through ends early.
enum End {
    Halt(Halt),
    TooLong,
}

impl<'s, T: Tally> Search<'s, T> {
    /// Over one domain a cell, none empty, with whom each sees; at most so many digits are tried.
    pub(super) fn new(tally: &'s T, domains: &[u32], sees: &'s [Vec<u16>], limit: u64) -> Search<'s, T> {
        let mut order: Vec<usize> = (0..domains.len()).collect();
        order.sort_by_key(|&place| domains[place].count_ones() > 1);
        let mut depths = vec![0; order.len()];
        order.iter().enumerate().for_each(|(depth, &place)| depths[place] = depth);
        let reaches = (0..order.len()).map(|depth| tally.reach(&order[depth + 1..])).collect();
        Search {
            tally,
            sees,
            order,
            depths,
            reaches,
            domains: domains.to_vec(),
            supported: vec![0; domains.len()],
            wanted: 0,
            states: HashMap::new(),
            tried: 0,
            limit,
        }
    }

    /// The candidates that occur in some filling; a conflict if there is none, nothing if it takes too long.
    pub(super) fn supports(mut self, effort: &mut Effort) -> Result<Option<Vec<u32>>, Halt> {
        let mut state = self.tally.start();
        // Cells with one candidate take it without nesting.
        let mut depth = 0;
        while depth < self.order.len() && self.domains[self.order[depth]].count_ones() == 1 {
            let place = self.order[depth];
            let digit = self.domains[place].trailing_zeros() as usize;
            state = self.tally.take(state, place, digit, &self.reaches[depth]).ok_or(Halt::Conflict)?;
            if !self.rule_out_seen(depth, digit, &mut Vec::new()) {
                return Err(Halt::Conflict);
            }
            self.supported[place] = 1 << digit;
            depth += 1;
        }
        self.wanted = self.order[depth..].iter().map(|&place| self.domains[place].count_ones()).sum();
        let outcome = self.descend(depth, state, effort);
        effort.spend(self.tried % 1024)?;
        match outcome {
            Ok(true) => Ok(Some(self.supported)),
            Ok(false) => Err(Halt::Conflict),
            Err(End::TooLong) => Ok(None),
            Err(End::Halt(halt)) => Err(halt),
        }
    }

    /// Whether there is a filling from here; marks all candidates that such fillings have.
    fn descend(&mut self, depth: usize, state: T::State, effort: &mut Effort) -> Result<bool, End> {
        let Some(&place) = self.order.get(depth) else { return Ok(self.tally.is_met(state)) };
        let is_worth_remembering = depth >= 2 && self.order.len() - depth >= 3;
        let key = is_worth_remembering.then(|| {
            let later = self.order[depth..].iter().map(|&place| self.domains[place]);
            (state, later.collect::<Box<[u32]>>())
        });
        if let Some(&has_filling) = key.as_ref().and_then(|key| self.states.get(key)) {
            return Ok(has_filling);
        }
        let mut has_filling = false;
        let mut ruled_out = Vec::new();
        for digit in DigitSet::from_bits(self.domains[place]) {
            self.count(effort)?;
            let digit = digit.index();
            let Some(next) = self.tally.take(state, place, digit, &self.reaches[depth]) else { continue };
            let is_open = self.rule_out_seen(depth, digit, &mut ruled_out);
            let has_rest = is_open && self.descend(depth + 1, next, effort)?;
            for seen in ruled_out.drain(..) {
                self.domains[seen] |= 1 << digit;
            }
            if has_rest {
                has_filling = true;
                self.mark(place, digit);
                if self.wanted == 0 {
                    // Nothing is left to be found out; what is remembered from here on is never asked for.
                    return Ok(true);
                }
            }
        }
        if let Some(key) = key.filter(|_| self.states.len() < MAX_STATES) {
            self.states.insert(key, has_filling);
        }
        Ok(has_filling)
    }

    fn mark(&mut self, place: usize, digit: usize) {
        if self.supported[place] & (1 << digit) == 0 {
            self.supported[place] |= 1 << digit;
            self.wanted -= 1;
        }
    }

    /// Rules the digit out in the later cells seen from the one at this depth, noting where; false if one is left
    /// without candidate.
    fn rule_out_seen(&mut self, depth: usize, digit: usize, ruled_out: &mut Vec<usize>) -> bool {
        let sees = self.sees;
        for &seen in &sees[self.order[depth]] {
            let seen = usize::from(seen);
            if self.domains[seen] & (1 << digit) == 0 || self.depths[seen] <= depth {
                continue;
            }
            self.domains[seen] &= !(1 << digit);
            ruled_out.push(seen);
            if self.domains[seen] == 0 {
                return false;
            }
        }
        true
    }

    fn count(&mut self, effort: &mut Effort) -> Result<(), End> {
        self.tried += 1;
        if self.tried > self.limit {
            return Err(End::TooLong);
        }
        if self.tried.is_multiple_of(1024) {
            effort.spend(1024).map_err(End::Halt)?;
        }
        Ok(())
    }
}

/// Two cells under `−`, `÷` or an operation that is not told. The state is the digits taken so far.
pub(super) struct Pair {
    pub(super) operation: Operation,
    pub(super) target: u64,
}

impl Tally for Pair {
    type State = (u8, u8);
    type Reach = ();

    fn start(&self) -> (u8, u8) {
        (0, 0)
    }

    fn reach(&self, _later: &[usize]) {}

    fn take(&self, taken: (u8, u8), _place: usize, digit: usize, _reach: &()) -> Option<(u8, u8)> {
        Some((taken.1, digit as u8 + 1))
    }

    fn is_met(&self, taken: (u8, u8)) -> bool {
        is_met(self.operation, self.target, &[taken.0, taken.1])
    }
}

/// A cage of one cell or of more than two whose operation is not told: `+` or `×`.
pub(super) struct SumOrProduct {
    target: u64,
    /// By place, the least and the greatest digit.
    ranges: Vec<(u64, u64)>,
}

impl SumOrProduct {
    /// Over these domains of a puzzle of this size.
    pub(super) fn new(target: u64, domains: &[u32], size: usize) -> SumOrProduct {
        let range = |&domain: &u32| {
            let digits = DigitSet::from_bits(domain);
            let value = |digit: Option<crate::puzzle::Digit>, default: u64| {
                digit.map_or(default, |digit| u64::from(digit.value()))
            };
            (value(digits.min(), 1), value(digits.max(), size as u64))
        };
        SumOrProduct { target, ranges: domains.iter().map(range).collect() }
    }
}

/// What is left of the sum and of the product, while either can still be met.
type Rests = (Option<u64>, Option<u64>);

impl Tally for SumOrProduct {
    type State = Rests;
    /// The least and greatest sum, the greatest product.
    type Reach = (u64, u64, u64);

    fn start(&self) -> Rests {
        (Some(self.target), Some(self.target))
    }

    fn reach(&self, later: &[usize]) -> (u64, u64, u64) {
        later.iter().fold((0, 0, 1), |(least, greatest, product), &place| {
            let (min, max) = self.ranges[place];
            (least + min, greatest + max, product.saturating_mul(max))
        })
    }

    fn take(&self, rests: Rests, _place: usize, digit: usize, reach: &(u64, u64, u64)) -> Option<Rests> {
        let digit = digit as u64 + 1;
        let (least, greatest, product) = *reach;
        let sum = rests.0.and_then(|rest| rest.checked_sub(digit));
        let sum = sum.filter(|rest| (least..=greatest).contains(rest));
        let rest = rests.1.filter(|rest| rest.is_multiple_of(digit)).map(|rest| rest / digit);
        let rest = rest.filter(|&rest| rest <= product);
        (sum.is_some() || rest.is_some()).then_some((sum, rest))
    }

    fn is_met(&self, rests: Rests) -> bool {
        rests.0 == Some(0) || rests.1 == Some(1)
    }
}

/// No arithmetic: digits need only differ where cells see each other.
pub(super) struct Free;

impl Tally for Free {
    type State = ();
    type Reach = ();
    fn start(&self) {}
    fn reach(&self, _later: &[usize]) {}
    fn take(&self, _state: (), _place: usize, _digit: usize, _reach: &()) -> Option<()> {
        Some(())
    }
    fn is_met(&self, _state: ()) -> bool {
        true
    }
}
