//! Going through the fillings of a few cells: which candidates occur in any?
//!
//! For each candidate that no filling found so far has, one is looked for, depth first, ruling out in the later
//! cells what the earlier ones see. Fillings are mostly many and soon found, and a candidate without any is mostly
//! soon given up for want of arithmetic. Where it is not, dead ends are remembered: two beginnings that leave the
//! same later candidates and the same rest of the target fail alike.

use std::collections::HashSet;

use super::board::{Effort, Halt};
use crate::puzzle::{DigitSet, Operation, is_met};

/// Dead ends remembered at most; past that they are gone through again.
const MAX_DEAD_ENDS: usize = 1 << 16;

/// An arithmetic condition, met cell by cell. Digits are indices: 0 for digit 1.
pub(super) trait Tally {
    /// What is left to be met.
    type State: Copy;
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
    /// The state in numbers, the same numbers for equal states alone.
    fn note(&self, state: Self::State, numbers: &mut Vec<u64>);
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
    dead_ends: HashSet<Box<[u64]>>,
    /// For looking up.
    key: Vec<u64>,
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
        let mut search = Search {
            tally,
            sees,
            depths: vec![0; order.len()],
            reaches: Vec::with_capacity(order.len()),
            order,
            domains: domains.to_vec(),
            supported: vec![0; domains.len()],
            dead_ends: HashSet::new(),
            key: Vec::new(),
            tried: 0,
            limit,
        };
        search.settle_order();
        search
    }

    /// To be called when the order has changed.
    fn settle_order(&mut self) {
        self.reaches.clear();
        for (depth, &place) in self.order.iter().enumerate() {
            self.depths[place] = depth;
            self.reaches.push(self.tally.reach(&self.order[depth + 1..]));
        }
        self.dead_ends.clear();
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
        if depth == self.order.len() {
            return if self.tally.is_met(state) { Ok(Some(self.supported)) } else { Err(Halt::Conflict) };
        }
        let outcome = self.support_all(depth, state, effort);
        effort.spend(self.tried % 1024)?;
        match outcome {
            Ok(()) if self.order[depth..].iter().any(|&place| self.supported[place] == 0) => {
                Err(Halt::Conflict)
            }
            Ok(()) => Ok(Some(self.supported)),
            Err(End::TooLong) => Ok(None),
            Err(End::Halt(halt)) => Err(halt),
        }
    }

    /// Looks for a filling of every candidate from this depth on.
    fn support_all(&mut self, depth: usize, state: T::State, effort: &mut Effort) -> Result<(), End> {
        let open = self.order[depth..].to_vec();
        for (index, &place) in open.iter().enumerate() {
            let domain = self.domains[place];
            if domain & !self.supported[place] == 0 {
                continue;
            }
            // The cell asked for comes first, all others in their order.
            self.order[depth] = place;
            let others = open.iter().filter(|other| **other != place);
            self.order[depth + 1..].iter_mut().zip(others).for_each(|(slot, &other)| *slot = other);
            if index > 0 {
                self.settle_order();
            }
            for digit in DigitSet::from_bits(domain) {
                let bit = 1 << digit.index();
                if self.supported[place] & bit == 0 {
                    self.domains[place] = bit;
                    self.descend(depth, state, effort)?;
                }
            }
            self.domains[place] = domain;
            if self.supported[place] == 0 {
                // There is no filling at all.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether there is a filling from here; marks the candidates of the first one found.
    fn descend(&mut self, depth: usize, state: T::State, effort: &mut Effort) -> Result<bool, End> {
        let Some(&place) = self.order.get(depth) else { return Ok(self.tally.is_met(state)) };
        if self.is_dead_end(depth, state) {
            return Ok(false);
        }
        let mut ruled_out = Vec::new();
        // Candidates without a filling first, so that one filling serves many.
        let (domain, supported) = (self.domains[place], self.supported[place]);
        let digits = DigitSet::from_bits(domain & !supported).iter();
        for digit in digits.chain(DigitSet::from_bits(domain & supported)) {
            self.count(effort)?;
            let digit = digit.index();
            let Some(next) = self.tally.take(state, place, digit, &self.reaches[depth]) else { continue };
            let is_open = self.rule_out_seen(depth, digit, &mut ruled_out);
            let has_rest = is_open && self.descend(depth + 1, next, effort)?;
            for seen in ruled_out.drain(..) {
                self.domains[seen] |= 1 << digit;
            }
            if has_rest {
                self.supported[place] |= 1 << digit;
                return Ok(true);
            }
        }
        if self.is_worth_remembering(depth) && self.dead_ends.len() < MAX_DEAD_ENDS {
            self.write_key(depth, state);
            self.dead_ends.insert(self.key.as_slice().into());
        }
        Ok(false)
    }

    /// The last cells are gone through faster than looked up.
    fn is_worth_remembering(&self, depth: usize) -> bool {
        self.order.len() - depth >= 3
    }

    fn is_dead_end(&mut self, depth: usize, state: T::State) -> bool {
        if self.dead_ends.is_empty() || !self.is_worth_remembering(depth) {
            return false;
        }
        self.write_key(depth, state);
        self.dead_ends.contains(self.key.as_slice())
    }

    fn write_key(&mut self, depth: usize, state: T::State) {
        self.key.clear();
        self.tally.note(state, &mut self.key);
        for two in self.order[depth..].chunks(2) {
            let domain = |place: usize| u64::from(self.domains[place]);
            self.key.push(domain(two[0]) | two.get(1).map_or(0, |&place| domain(place) << 32));
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

    fn note(&self, taken: (u8, u8), numbers: &mut Vec<u64>) {
        numbers.push(u64::from(taken.0) << 8 | u64::from(taken.1));
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

    fn note(&self, rests: Rests, numbers: &mut Vec<u64>) {
        // A rest is at most the target of a puzzle, and no target is that large.
        numbers.extend([rests.0.unwrap_or(u64::MAX), rests.1.unwrap_or(u64::MAX)]);
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
    fn note(&self, _state: (), _numbers: &mut Vec<u64>) {}
}
