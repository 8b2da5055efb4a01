//! The search over sweeps: settle, guess, take back, on an explicit stack; compiled once for each kind of lanes.

#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Avx512};
use super::lanes::{Instructions, Lanes, Portable, Task};
use super::sweep::{Settled, State};
use crate::engine::budget::{Budget, Stopped};

/// Units of work that settling a position counts for: it looks at each of the 27 houses several times, but all at
/// once.
const UNITS: u64 = 8;

/// What a count found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Solutions, up to the limit.
    pub solutions: u64,
    /// Guesses made: positions in which one of two branches had to be tried first.
    pub guesses: u64,
    /// Why it was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// Candidates of the 81 cells, in reading order: bit `d - 1` for digit `d`.
pub type Candidates = [u16; 81];

/// The digits of the 81 cells, zero-based, in reading order.
pub type Digits = [u8; 81];

/// A search with its stack, to be used for one puzzle after another.
pub struct Solver(Core);

enum Core {
    Portable(Search<Portable>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Search<Avx2>),
    #[cfg(target_arch = "x86_64")]
    Avx512(Search<Avx512>),
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// With the best instructions of this processor.
    pub fn new() -> Solver {
        Solver::with(Instructions::best()).expect("the best are available")
    }

    /// With these instructions, if the processor has them.
    pub fn with(instructions: Instructions) -> Option<Solver> {
        if !instructions.is_available() {
            return None;
        }
        let core = match instructions {
            Instructions::Portable => Core::Portable(Search::default()),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => Core::Avx2(Search::default()),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => Core::Avx512(Search::default()),
            #[cfg(not(target_arch = "x86_64"))]
            Instructions::Avx2 | Instructions::Avx512 => return None,
        };
        Some(Solver(core))
    }

    /// Counts solutions up to `limit` (at least 1) within the budget.
    pub fn count(&mut self, candidates: &Candidates, limit: u64, budget: &mut Budget) -> Found {
        self.run(Start::Candidates(candidates), limit, budget, None)
    }

    /// Counts the solutions of 81 characters; what is not `1` to `9` is an open cell.
    pub fn count_text(&mut self, text: &[u8; 81], limit: u64, budget: &mut Budget) -> Found {
        self.run(Start::Text(text), limit, budget, None)
    }

    /// Counts solutions and hands each to `found`, in an order that depends on the candidates alone.
    pub fn search(
        &mut self,
        candidates: &Candidates,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Digits),
    ) -> Found {
        self.run(Start::Candidates(candidates), limit, budget, Some(found))
    }

    /// Counts the solutions of one start after another; the instructions are chosen once for all.
    pub(super) fn count_each<'c>(&'c mut self, each: Each<'c, '_>) {
        match &mut self.0 {
            Core::Portable(search) => Portable::call(CountEach { search, each }),
            #[cfg(target_arch = "x86_64")]
            Core::Avx2(search) => Avx2::call(CountEach { search, each }),
            #[cfg(target_arch = "x86_64")]
            Core::Avx512(search) => Avx512::call(CountEach { search, each }),
        }
    }

    fn run<'c>(
        &'c mut self,
        start: Start<'c>,
        limit: u64,
        budget: &'c mut Budget,
        found: Option<Hand<'c>>,
    ) -> Found {
        match &mut self.0 {
            Core::Portable(search) => Portable::call(Count { search, start, limit, budget, found }),
            #[cfg(target_arch = "x86_64")]
            Core::Avx2(search) => Avx2::call(Count { search, start, limit, budget, found }),
            #[cfg(target_arch = "x86_64")]
            Core::Avx512(search) => Avx512::call(Count { search, start, limit, budget, found }),
        }
    }
}

/// Who is handed a solution.
type Hand<'c> = &'c mut (dyn FnMut(&Digits) + 'c);

/// Where a search begins.
#[derive(Clone, Copy)]
pub(super) enum Start<'s> {
    Candidates(&'s Candidates),
    Text(&'s [u8; 81]),
}

/// Counts one after another.
pub(super) struct Each<'c, 's> {
    pub starts: &'c mut (dyn Iterator<Item = Start<'s>> + 'c),
    /// Solutions of each, at most.
    pub limit: u64,
    /// Units of work for each, at most.
    pub units: u64,
    /// Solutions of each that are handed over, at most.
    pub keep: usize,
    /// For all.
    pub budget: &'c mut Budget,
    /// Is told of each what was found, the units it took, and the solutions that were kept.
    pub found: &'c mut (dyn FnMut(Found, u64, &[Digits]) + 'c),
}

/// Positions still to be tried. A guess leaves one here, and fixes one of nine digits in one of six chutes: so there
/// are never more than 54.
struct Search<L: Lanes> {
    waiting: Vec<State<L>>,
}

impl<L: Lanes> Default for Search<L> {
    fn default() -> Search<L> {
        Search { waiting: Vec::new() }
    }
}

impl<L: Lanes> Search<L> {
    #[inline(always)]
    fn count(
        &mut self,
        start: Start<'_>,
        limit: u64,
        budget: &mut Budget,
        mut found: Option<Hand<'_>>,
    ) -> Found {
        let waiting = &mut self.waiting;
        waiting.clear();
        let mut state: State<L> = match start {
            Start::Candidates(candidates) => State::new(candidates),
            Start::Text(text) => State::read(text),
        };
        let mut result = Found::default();
        loop {
            if let Err(stopped) = budget.spend(UNITS) {
                result.stopped = Some(stopped);
                return result;
            }
            match state.settle() {
                Settled::Open => {
                    result.guesses += 1;
                    let branch = state.branch();
                    let mut other = state;
                    other.follow(branch, false);
                    waiting.push(other);
                    state.follow(branch, true);
                    continue;
                }
                Settled::Solved => {
                    if let Some(found) = &mut found {
                        found(&state.digits());
                    }
                    result.solutions += 1;
                    if result.solutions == limit {
                        return result;
                    }
                }
                Settled::Contradiction => {}
            }
            let Some(next) = waiting.pop() else { return result };
            state = next;
        }
    }
}

/// One count.
struct Count<'c, L: Lanes> {
    search: &'c mut Search<L>,
    start: Start<'c>,
    limit: u64,
    budget: &'c mut Budget,
    found: Option<Hand<'c>>,
}

impl<L: Lanes> Task<L> for Count<'_, L> {
    type Output = Found;

    #[inline(always)]
    fn run(self) -> Found {
        self.search.count(self.start, self.limit, self.budget, self.found)
    }
}

/// Many counts.
struct CountEach<'c, 's, L: Lanes> {
    search: &'c mut Search<L>,
    each: Each<'c, 's>,
}

impl<L: Lanes> Task<L> for CountEach<'_, '_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Each { starts, limit, units, keep, budget, found } = self.each;
        let mut kept = Vec::with_capacity(keep.min(2));
        for start in starts {
            kept.clear();
            let before = budget.spent();
            let hand: &mut dyn FnMut(&Digits) = &mut |digits| {
                if kept.len() < keep {
                    kept.push(*digits);
                }
            };
            let hand = (keep > 0).then_some(hand);
            // no closure: one that is not inlined is compiled without the instructions that were chosen
            let whole = budget.narrow(units);
            let result = self.search.count(start, limit, budget, hand);
            budget.widen(whole);
            found(result, budget.spent() - before, &kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// While the stack grows its old and its new half stand beside each other: room for 32 and for 64 positions.
    const fn most_bytes<L: Lanes>() -> usize {
        size_of::<State<L>>() * (64 + 32)
    }

    const _: () = assert!(most_bytes::<Portable>() < 48 << 10);
    #[cfg(target_arch = "x86_64")]
    const _: () = assert!(most_bytes::<Avx2>() < 48 << 10 && most_bytes::<Avx512>() < 48 << 10);

    fn deepest<L: Lanes>(candidates: &Candidates) -> usize {
        let (mut search, mut budget) = (Search::<L>::default(), Budget::unlimited());
        let start = Start::Candidates(candidates);
        L::call(Count { search: &mut search, start, limit: 20_000, budget: &mut budget, found: None });
        search.waiting.capacity()
    }

    /// A thread's search keeps under 64 KiB: the stack, which is all that it has on the heap, and one position.
    #[test]
    fn the_stack_stays_small() {
        let mut one_row = [0x1FF; 81];
        (0..9).for_each(|cell| one_row[cell] = 1 << cell);
        for candidates in [[0x1FF; 81], one_row] {
            assert!(deepest::<Portable>(&candidates) <= 64);
            #[cfg(target_arch = "x86_64")]
            if Instructions::Avx2.is_available() {
                assert!(deepest::<Avx2>(&candidates) <= 64);
            }
            #[cfg(target_arch = "x86_64")]
            if Instructions::Avx512.is_available() {
                assert!(deepest::<Avx512>(&candidates) <= 64);
            }
        }
    }
}
