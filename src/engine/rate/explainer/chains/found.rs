//! What a search for chains finds: the easiest step, or all of them with one for each effect.

use super::super::board::{Board, Mask};
use super::super::hint::Hint;
use super::super::technique::Technique;
use super::links::{Cause, Literal, cell_of, digit_of, holds, literal};
use super::run::{Run, Walk};

/// A chain that was used inside another.
#[derive(Clone, Copy)]
pub struct Nested {
    /// Stands for all literals of its chains, in order.
    pub fingerprint: u128,
    /// Its length, with what it nests itself.
    pub complexity: u32,
}

/// What the starting points of the chains have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// They are one candidate.
    Candidate,
    /// They are the candidates of a cell.
    Cell,
    /// They are the places of a digit in a house: 0 box, 1 row, 2 column.
    House(u8),
}

/// A step with the nodes in which its chains end.
pub struct Found {
    /// What it does.
    pub hint: Hint,
    complexity: u32,
    key: u8,
    starts: Starts,
    /// A run, by number, and a node of it.
    targets: Vec<(u16, u16)>,
}

impl Found {
    /// Whether the Explainer takes this step rather than one found before.
    fn precedes(&self, other: &Found) -> bool {
        self.hint.difficulty < other.hint.difficulty
            || self.hint.difficulty == other.hint.difficulty
                && (self.complexity, self.key) < (other.complexity, other.key)
    }
}

/// A step about to be offered.
pub struct Offer<'a> {
    /// What it is.
    pub technique: Technique,
    /// The rating of its shortest form.
    pub base: f64,
    /// Decides between steps of one length.
    pub key: u8,
    /// What its chains start from.
    pub starts: Starts,
    /// The ends of its chains.
    pub targets: &'a [(u16, u16)],
    /// How many of these count for its length.
    pub counted: usize,
}

/// What a step does: cells with the digits that they lose, and a cell with the digit that it gets.
pub type Effect = (Vec<(u8, u16)>, Option<(usize, usize)>);

/// Steps found so far.
pub struct Finds {
    /// Whether all are wanted.
    all: bool,
    /// The rating, length and key of a step that there is.
    bound: Option<(f64, u32, u8)>,
    found: Vec<Found>,
    /// For effects on one cell, the step that has it, plus one: removals of one candidate, then placements.
    by_effect: Vec<u32>,
    /// Steps with other effects.
    others: Vec<u32>,
}

/// The runs that a search has made, and what counts lengths.
pub struct Ledger {
    /// By number.
    pub runs: Vec<Run>,
    /// For counting.
    pub walk: Walk,
    prints: Vec<u128>,
}

impl Ledger {
    /// Without runs.
    pub fn new() -> Ledger {
        Ledger { runs: Vec::new(), walk: Walk::new(), prints: Vec::new() }
    }

    /// The length of chains that end in these nodes, with the lengths of distinct nested ones.
    pub fn complexity(&mut self, targets: &[(u16, u16)], nested: &[Nested]) -> u32 {
        let mut sum = 0;
        let mut has_nested = false;
        for &(run, node) in targets {
            let run = &mut self.runs[usize::from(run)];
            sum += run.count(node, &mut self.walk);
            has_nested |= run.has_nested();
        }
        if has_nested {
            sum += self.nested_complexity(targets, nested);
        }
        sum
    }

    fn nested_complexity(&mut self, targets: &[(u16, u16)], nested: &[Nested]) -> u32 {
        let mut sum = 0;
        self.prints.clear();
        for &(run, node) in targets {
            let run = &self.runs[usize::from(run)];
            self.walk.start(node);
            while let Some(node) = self.walk.next(run) {
                let Some(chain) = run.nodes[usize::from(node)].nested else { continue };
                let chain = &nested[chain as usize];
                if !self.prints.contains(&chain.fingerprint) {
                    self.prints.push(chain.fingerprint);
                    sum += chain.complexity;
                }
            }
        }
        sum
    }
}

/// What a length adds to a rating.
pub fn length_difficulty(complexity: u32) -> f64 {
    let mut added = 0.0;
    let (mut ceiling, mut is_odd) = (4, false);
    while complexity > ceiling + 2 {
        added += 0.1;
        ceiling = if is_odd { ceiling * 4 / 3 } else { ceiling * 3 / 2 };
        is_odd = !is_odd;
    }
    added
}

impl Finds {
    /// Nothing yet.
    pub fn new(all: bool) -> Finds {
        let effects = if all { 2 * super::super::board::CANDIDATES } else { 0 };
        Finds { all, bound: None, found: Vec::new(), by_effect: vec![0; effects], others: Vec::new() }
    }

    /// Whether only the easiest step is wanted.
    pub fn wants_easiest(&self) -> bool {
        !self.all
    }

    /// Whether a step of at least this length could still be taken.
    pub fn may_take(&self, base: f64, complexity: u32, key: u8) -> bool {
        let rank = (base + length_difficulty(complexity), complexity, key);
        self.bound.is_none_or(|bound| rank <= bound)
    }

    /// The greatest length that a step may have and still be taken.
    pub fn longest(&self, base: f64, key: u8) -> u32 {
        if self.bound.is_none() {
            return u32::MAX;
        }
        let mut length = 0;
        while self.may_take(base, length + 1, key) {
            length += 1;
        }
        length
    }

    /// Says that there is a step of this length, yet to be offered: none that is harder need be.
    pub fn bound(&mut self, base: f64, complexity: u32, key: u8) {
        if !self.all && self.may_take(base, complexity, key) {
            self.bound = Some((base + length_difficulty(complexity), complexity, key));
        }
    }

    /// Takes the step that says the literal in which all chains end, unless it changes nothing.
    pub fn offer_literal(
        &mut self,
        board: &Board,
        target: Literal,
        offer: &Offer<'_>,
        ledger: &mut Ledger,
        nested: &[Nested],
    ) {
        let (cell, digit) = (cell_of(target), digit_of(target));
        let mask = if holds(target) { board.candidates[cell] & !(1 << digit) } else { 1 << digit };
        if mask != 0 {
            let placement = holds(target).then_some((cell, digit));
            self.offer(board, (vec![(cell as u8, mask)], placement), offer, ledger, nested);
        }
    }

    /// Takes a step with its removals and placement.
    pub fn offer(
        &mut self,
        board: &Board,
        (removals, placement): Effect,
        offer: &Offer<'_>,
        ledger: &mut Ledger,
        nested: &[Nested],
    ) {
        let complexity = ledger.complexity(&offer.targets[..offer.counted], nested);
        let difficulty = offer.base + length_difficulty(complexity);
        let found = Found {
            hint: Hint { technique: offer.technique, difficulty, removals, placement },
            complexity,
            key: offer.key,
            starts: offer.starts,
            targets: offer.targets.to_vec(),
        };
        if self.all {
            self.keep(board, found);
        } else if self.found.first().is_none_or(|best| found.precedes(best)) {
            self.bound = Some((difficulty, complexity, offer.key));
            self.found.clear();
            self.found.push(found);
        }
    }

    /// Keeps a step unless a better one has the same effect.
    fn keep(&mut self, board: &Board, found: Found) {
        let slot = match found.hint.removals[..] {
            [(cell, mask)] if mask.count() == 1 => {
                Some(usize::from(cell) * 9 + mask.trailing_zeros() as usize)
            }
            [(cell, mask)] => {
                let left = board.candidates[usize::from(cell)] & !mask;
                let is_all_but_one = left.count() == 1;
                is_all_but_one.then_some(729 + usize::from(cell) * 9 + left.trailing_zeros() as usize)
            }
            _ => None,
        };
        let known = match slot {
            Some(slot) => self.by_effect[slot].checked_sub(1),
            None => {
                let same = |index: &&u32| self.found[**index as usize].hint.removals == found.hint.removals;
                self.others.iter().find(same).copied()
            }
        };
        let place = self.found.len() as u32;
        if let Some(known) = known
            && !found.precedes(&self.found[known as usize])
        {
            return;
        }
        match (slot, known) {
            (Some(slot), _) => self.by_effect[slot] = place + 1,
            (None, Some(known)) => {
                let entry =
                    self.others.iter_mut().find(|index| **index == known).expect("it was found there");
                *entry = place;
            }
            (None, None) => self.others.push(place),
        }
        self.found.push(found);
    }

    /// The easiest step.
    pub fn easiest(self) -> Option<Hint> {
        self.found.into_iter().next().map(|found| found.hint)
    }

    /// All steps, one for each effect, easiest first.
    pub fn sorted(self) -> Vec<Found> {
        let Finds { found, by_effect, others, .. } = self;
        let mut is_kept = vec![false; found.len()];
        by_effect.iter().filter(|place| **place != 0).for_each(|place| is_kept[*place as usize - 1] = true);
        others.iter().for_each(|place| is_kept[*place as usize] = true);
        let mut kept: Vec<Found> =
            found.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(found, _)| found).collect();
        kept.sort_by(|one, other| {
            one.hint
                .difficulty
                .total_cmp(&other.hint.difficulty)
                .then((one.complexity, one.key).cmp(&(other.complexity, other.key)))
        });
        kept
    }
}

impl Found {
    /// This chain as one to be nested.
    pub fn nest(&self, ledger: &mut Ledger) -> Nested {
        let mut hash = Fingerprint::new();
        for &(run, node) in &self.targets {
            let run = &ledger.runs[usize::from(run)];
            hash.add(0xffff);
            ledger.walk.start(node);
            while let Some(node) = ledger.walk.next(run) {
                hash.add(run.nodes[usize::from(node)].literal);
            }
        }
        Nested { fingerprint: hash.finish(), complexity: self.complexity }
    }

    /// What must have gone from the board, since `source`, for this chain to be found: as `literal`s that do not
    /// hold, in order.
    pub fn missing(&self, source: &Board, board: &Board, ledger: &mut Ledger, missing: &mut Vec<Literal>) {
        let mut seen = [0u128; 9];
        missing.clear();
        let mut note = |cell: usize, digit: usize| {
            if source.has(cell, digit) && !board.has(cell, digit) && seen[digit] >> cell & 1 == 0 {
                seen[digit] |= 1 << cell;
                missing.push(literal(cell, digit, false));
            }
        };
        for &(run, node) in &self.targets {
            let run = &ledger.runs[usize::from(run)];
            ledger.walk.start(node);
            while let Some(node) = ledger.walk.next(run) {
                let node = &run.nodes[usize::from(node)];
                if !holds(node.literal) {
                    continue;
                }
                let cause = match (node.cause, self.starts) {
                    (Cause::Start, Starts::Cell) => Cause::Cell,
                    (Cause::Start, Starts::House(kind)) => Cause::House(kind),
                    (cause, _) => cause,
                };
                let (cell, digit) = (cell_of(node.literal), digit_of(node.literal));
                match cause {
                    Cause::Cell => (0..9).for_each(|digit| note(cell, digit)),
                    Cause::House(kind) => {
                        let house = super::super::board::HOUSES_OF[cell][usize::from(kind)];
                        let cells = super::super::board::HOUSE_CELLS[usize::from(house)];
                        cells.iter().for_each(|&cell| note(usize::from(cell), digit));
                    }
                    Cause::Start | Cause::Rule => {}
                }
            }
        }
    }
}

/// Two multiplicative hashes of a sequence of literals, side by side: a step of a rating sees far fewer than
/// 2^30 chains, so that two of them are not taken for one another.
struct Fingerprint([u64; 2]);

impl Fingerprint {
    fn new() -> Fingerprint {
        Fingerprint([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344])
    }

    fn add(&mut self, value: u16) {
        const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
        for (hash, factor) in self.0.iter_mut().zip(FACTORS) {
            let mixed = (*hash ^ u64::from(value)).wrapping_mul(factor);
            *hash = mixed ^ mixed >> 29;
        }
    }

    fn finish(self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_add_tenths_at_each_threshold() {
        let tenths = |complexity| (length_difficulty(complexity) * 10.0).round() as u32;
        assert_eq!([6, 7, 8, 9, 10, 11, 14, 15, 18, 19].map(tenths), [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
        assert_eq!([66, 67, 98, 99].map(tenths), [8, 9, 9, 10]);
    }
}
