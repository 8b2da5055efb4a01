//! Many puzzles in one call: solved one by one or by several threads, the results in order. Workers take waiting jobs
//! that are searches alone this way ([`crate::engine::solve::solve_brief`]).
//!
//! What one call for many gains per core (AVX-512, Zen 5, counts to 2 on 17-clue and on random minimal puzzles, calls
//! in turns, medians of 41 passes of CPU time): from [`Puzzle`]s 1.34 and 1.45 times the single calls of
//! [`Search::count`] (603 to 449 ns, 636 to 439 ns; 1.18 and 1.21 times where the puzzles are not in the cache and 300 ns
//! are spent on reading them), most of it as no solution is written out, the rest as solver, stack and budget are
//! made once. From text 1.00 and 1.01 times a [`Solver`] that is kept (407 and 405 ns, 425 and 421 ns): that leaves
//! nothing to be made once but the budget (2 %). To interleave two puzzles in one stream of instructions was
//! tried: 7 % on 17-clue puzzles, for a sweep alone keeps the port of lane permutations busy three quarters of
//! the time, and there are not enough registers for two. Two threads take 7 % more CPU time than one.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use super::solver::{Candidates, Digits, Each, Solver, Start};
use super::{Instructions, as_count, as_solution, candidates};
use crate::engine::budget::{Budget, Stopped};
use crate::engine::search::{Count, End, Search, general};
use crate::puzzle::{Puzzle, Solution};

/// Puzzles that a thread takes at once.
const CHUNK: usize = 64;

/// Chunks of each thread whose results are kept until all of them are there: 160 KiB, and so many puzzles that it
/// does not matter that threads are started anew.
const CHUNKS: usize = 64;

/// What is asked of each puzzle of a batch, and who works on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Solutions of each puzzle are counted up to this many (at least 1).
    pub limit: u64,
    /// Units of work that each puzzle may take at most.
    pub units: u64,
    /// Threads; this one alone if less than 2.
    pub threads: usize,
    /// Instructions, which the processor must have.
    pub instructions: Instructions,
}

impl Batch {
    /// Up to so many solutions, on this thread with the best instructions, no bound but the budget.
    pub fn new(limit: u64) -> Batch {
        Batch { limit, units: u64::MAX, threads: 1, instructions: Instructions::best() }
    }

    /// Counts the solutions of lines of 81 characters; what is not `1` to `9` is an open cell.
    ///
    /// `found` is told of each in turn, and however many threads there are the results are those of one count after
    /// another under the budget: once it is used up, the puzzle that was being counted and all that follow are
    /// told as stopped, and once its flag is raised, those that were not done.
    pub fn count_lines(&self, lines: &[[u8; 81]], budget: &mut Budget, found: &mut dyn FnMut(Count)) {
        self.count(lines, 0, budget, &mut |count, _| found(count));
    }

    /// Counts the solutions of puzzles, as [`count_lines`](Self::count_lines). Those that are no plain 9×9 sudoku go
    /// to the general engine.
    pub fn count_puzzles(&self, puzzles: &[&Puzzle], budget: &mut Budget, found: &mut dyn FnMut(Count)) {
        self.count(puzzles, 0, budget, &mut |count, _| found(count));
    }

    /// As [`count_puzzles`](Self::count_puzzles), and tells up to `keep` solutions of each beside its count, in the
    /// order found.
    pub fn solve_puzzles(
        &self,
        puzzles: &[&Puzzle],
        keep: usize,
        budget: &mut Budget,
        found: &mut dyn FnMut(Count, Vec<Solution>),
    ) {
        self.count(puzzles, keep, budget, found);
    }

    fn count<T: Countable>(
        &self,
        items: &[T],
        keep: usize,
        budget: &mut Budget,
        found: &mut dyn FnMut(Count, Vec<Solution>),
    ) {
        let threads = self.threads.clamp(1, items.len().div_ceil(CHUNK).max(1));
        let mut counters: Vec<Counter> =
            (0..threads).map(|_| Counter { batch: *self, keep, solver: self.solver() }).collect();
        for block in items.chunks(threads * CHUNKS * CHUNK) {
            let mut counted = Block::new(block, budget).count(&mut counters).into_iter();
            for item in block {
                let Counted { count, solutions, .. } = counters[0].settle(item, counted.next(), budget);
                found(count, solutions);
            }
        }
    }

    fn solver(&self) -> Solver {
        Solver::with(self.instructions).expect("the caller names instructions that the processor has")
    }
}

/// What was found of a puzzle, and the units of work it took.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Counted {
    count: Count,
    units: u64,
    solutions: Vec<Solution>,
}

/// One thread's work on a batch.
struct Counter {
    batch: Batch,
    /// Solutions of each puzzle that are told, at most.
    keep: usize,
    solver: Solver,
}

impl Counter {
    /// What is told of a puzzle: what was counted, if the budget still has the units that it took, and if not, what
    /// comes of what is left.
    fn settle<T: Countable>(&mut self, item: &T, counted: Option<Counted>, budget: &mut Budget) -> Counted {
        if let Some(counted) = counted
            && (counted.units <= budget.left() || counted.count.end == End::Stopped(Stopped::Cancelled))
        {
            // what it says shows at the next
            let _ = budget.spend(counted.units);
            return counted;
        }
        if budget.flag().is_raised() {
            let count = Count { solutions: 0, nodes: 0, end: End::Stopped(Stopped::Cancelled) };
            return Counted { count, units: 0, solutions: Vec::new() };
        }
        let mut counted = Vec::with_capacity(1);
        T::count(std::slice::from_ref(item), self, budget, &mut counted);
        counted.swap_remove(0)
    }

    fn count_each<'s>(
        &mut self,
        starts: &mut dyn Iterator<Item = Start<'s>>,
        budget: &mut Budget,
        counted: &mut Vec<Counted>,
    ) {
        let Batch { limit, units, .. } = self.batch;
        let found = &mut |found, units, solutions: &[Digits]| {
            let solutions = solutions.iter().map(as_solution).collect();
            counted.push(Counted { count: as_count(found, limit), units, solutions });
        };
        self.solver.count_each(Each { starts, limit, units, keep: self.keep, budget, found });
    }

    fn count_in_general(&self, puzzle: &Puzzle, budget: &mut Budget) -> Counted {
        let before = budget.spent();
        let mut solutions = Vec::new();
        let count = budget.within(self.batch.units, |budget| {
            general::General.count(puzzle, self.batch.limit, budget, &mut |solution| {
                if solutions.len() < self.keep {
                    solutions.push(solution.clone());
                }
            })
        });
        Counted { count, units: budget.spent() - before, solutions }
    }
}

/// Puzzles whose results are kept together, and how far the threads have come with them.
struct Block<'b, T> {
    items: &'b [T],
    budget: &'b Budget,
    /// The next chunk to be taken.
    next: AtomicUsize,
    /// Units of work of the chunks that are done. Once they are more than the budget has left, it ends within what
    /// is taken already.
    spent: AtomicU64,
}

impl<'b, T: Countable> Block<'b, T> {
    fn new(items: &'b [T], budget: &'b Budget) -> Block<'b, T> {
        Block { items, budget, next: AtomicUsize::new(0), spent: AtomicU64::new(0) }
    }

    /// What was found, in order; of those at the end that nobody took, nothing.
    fn count(&self, counters: &mut [Counter]) -> Vec<Counted> {
        let [own, others @ ..] = counters else { return Vec::new() };
        let mut chunks = thread::scope(|scope| {
            let others: Vec<_> =
                others.iter_mut().map(|counter| scope.spawn(|| self.take_chunks(counter))).collect();
            let mut chunks = self.take_chunks(own);
            for other in others {
                chunks.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            chunks
        });
        chunks.sort_unstable_by_key(|&(number, _)| number);
        chunks.into_iter().flat_map(|(_, counted)| counted).collect()
    }

    /// Takes one chunk after another, with the budget that is left for all of them.
    fn take_chunks(&self, counter: &mut Counter) -> Vec<(usize, Vec<Counted>)> {
        let mut budget = self.budget.share(u64::MAX);
        let mut chunks = Vec::new();
        loop {
            if self.spent.load(Ordering::Relaxed) > self.budget.left() || self.budget.flag().is_raised() {
                return chunks;
            }
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(items) = self.items.chunks(CHUNK).nth(number) else { return chunks };
            let before = budget.spent();
            let mut counted = Vec::with_capacity(items.len());
            T::count(items, counter, &mut budget, &mut counted);
            self.spent.fetch_add(budget.spent() - before, Ordering::Relaxed);
            chunks.push((number, counted));
        }
    }
}

/// What a batch may consist of.
trait Countable: Sized + Sync {
    /// Counts each of some.
    fn count(items: &[Self], counter: &mut Counter, budget: &mut Budget, counted: &mut Vec<Counted>);
}

impl Countable for [u8; 81] {
    fn count(lines: &[Self], counter: &mut Counter, budget: &mut Budget, counted: &mut Vec<Counted>) {
        counter.count_each(&mut lines.iter().map(Start::Text), budget, counted);
    }
}

impl Countable for &Puzzle {
    fn count(puzzles: &[Self], counter: &mut Counter, budget: &mut Budget, counted: &mut Vec<Counted>) {
        let plain: Vec<Option<Candidates>> = puzzles.iter().map(|puzzle| candidates(puzzle)).collect();
        let mut at = 0;
        while at < puzzles.len() {
            let starts =
                plain[at..].iter().map_while(|candidates| candidates.as_ref().map(Start::Candidates));
            let count = starts.clone().count();
            counter.count_each(&mut starts.take(count), budget, counted);
            at += count;
            if let Some(puzzle) = puzzles.get(at) {
                counted.push(counter.count_in_general(puzzle, budget));
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::CancelFlag;
    use crate::engine::search::Engine;
    use crate::engine::search::witness::{Dice, random_puzzle};

    type Line = [u8; 81];

    const SOLUTION: &Line =
        b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    /// Boards with one solution, several and none, the empty and the full one among them.
    fn lines(count: usize) -> Vec<Line> {
        let mut dice = Dice::new(7);
        let mut lines = vec![[b'.'; 81], *SOLUTION, [b'1'; 81]];
        lines.resize_with(count, || {
            let mut line = *SOLUTION;
            let clues = 18 + dice.roll(24);
            let mut open = 81 - clues;
            while open > 0 {
                let cell = dice.roll(81);
                open -= usize::from(line[cell] != b'.');
                line[cell] = b'.';
            }
            if dice.is_one_in(4) {
                line[dice.roll(81)] = b'1' + dice.roll(9) as u8;
            }
            line
        });
        lines
    }

    fn batches(limit: u64, units: u64) -> Vec<Batch> {
        let available = Instructions::ALL.into_iter().filter(|instructions| instructions.is_available());
        let batch =
            |instructions| [1, 3].map(|threads| Batch { units, threads, instructions, ..Batch::new(limit) });
        available.flat_map(batch).collect()
    }

    /// One call after another.
    fn singly(lines: &[Line], limit: u64, units: u64, budget: &mut Budget) -> Vec<Count> {
        let mut solver = Solver::new();
        let count =
            |line| as_count(budget.within(units, |budget| solver.count_text(line, limit, budget)), limit);
        lines.iter().map(count).collect()
    }

    fn told(batch: &Batch, lines: &[Line], budget: &mut Budget) -> Vec<Count> {
        let mut counts = Vec::new();
        batch.count_lines(lines, budget, &mut |count| counts.push(count));
        counts
    }

    #[test]
    fn a_batch_is_one_call_after_another() {
        let lines = lines(4_500);
        for limit in [1, 2, 30] {
            let mut single = Budget::unlimited();
            let expected = singly(&lines, limit, u64::MAX, &mut single);
            for solutions in [0, 1, limit] {
                let count = expected.iter().filter(|count| count.solutions == solutions).count();
                assert!(count > 100, "{count} with {solutions}");
            }
            for batch in batches(limit, u64::MAX) {
                let mut budget = Budget::unlimited();
                assert!(told(&batch, &lines, &mut budget) == expected, "{batch:?}");
                assert_eq!(budget.spent(), single.spent(), "{batch:?}");
            }
        }
        assert_eq!(told(&Batch::new(2), &[], &mut Budget::unlimited()), []);
    }

    /// Where the budget ends, for each and for all, does not depend on who works.
    #[test]
    fn budgets_end_where_they_end_one_by_one() {
        let lines = lines(400);
        for (all, units) in [(0, 100), (7, 100), (333, 1_000), (4_000, 24), (4_001, u64::MAX), (20_000, 96)] {
            let mut single = Budget::new(all, CancelFlag::new());
            let expected = singly(&lines, 30, units, &mut single);
            assert_eq!(expected.last().map(|count| count.end), Some(End::Stopped(Stopped::Exhausted)));
            for batch in batches(30, units) {
                let mut budget = Budget::new(all, CancelFlag::new());
                assert!(told(&batch, &lines, &mut budget) == expected, "{all} {batch:?}");
            }
        }
    }

    #[test]
    fn a_raised_flag_stops_what_is_not_done() {
        let lines = lines(13_000);
        let expected = singly(&lines, 2, u64::MAX, &mut Budget::unlimited());
        let cancelled = End::Stopped(Stopped::Cancelled);
        for batch in batches(2, u64::MAX) {
            let mut budget = Budget::unlimited();
            let flag = budget.flag().clone();
            let mut counts = Vec::new();
            batch.count_lines(&lines, &mut budget, &mut |count| {
                counts.push(count);
                if counts.len() == 100 {
                    flag.raise();
                }
            });
            assert_eq!(counts.len(), lines.len());
            assert!(counts[..100] == expected[..100]);
            let is_fair = |(count, expected): (&Count, &Count)| count == expected || count.end == cancelled;
            assert!(counts.iter().zip(&expected).all(is_fair));
            assert_eq!(counts.last().map(|count| count.end), Some(cancelled));
            assert!(told(&batch, &lines, &mut budget).iter().all(|count| count.end == cancelled));
        }
    }

    #[test]
    fn puzzles_of_other_kinds_go_to_the_general_engine() {
        let plain = lines(300).into_iter().filter_map(|line| {
            crate::puzzle::formats::read_as(crate::puzzle::formats::Format::Line, str::from_utf8(&line).ok()?)
                .ok()
        });
        let mut puzzles: Vec<Puzzle> =
            plain.chain((0..60).filter_map(|seed| random_puzzle(&mut Dice::new(seed)))).collect();
        let mut dice = Dice::new(3);
        (1..puzzles.len()).for_each(|at| puzzles.swap(at, dice.roll(at + 1)));
        let puzzles: Vec<&Puzzle> = puzzles.iter().collect();
        for (all, units) in [(u64::MAX, u64::MAX), (50_000, 2_000)] {
            let mut single = Budget::new(all, CancelFlag::new());
            let solve = |puzzle: &&Puzzle| {
                let mut solutions = Vec::new();
                let count = single.within(units, |budget| {
                    let found = &mut |solution: &Solution| solutions.push(solution.clone());
                    Engine::Classic.search().count(puzzle, 20, budget, found)
                });
                solutions.truncate(3);
                (count, solutions)
            };
            let expected: Vec<(Count, Vec<Solution>)> = puzzles.iter().map(solve).collect();
            assert!(expected.iter().any(|(_, solutions)| solutions.len() == 3));
            for batch in batches(20, units) {
                let mut counts = Vec::new();
                let mut budget = Budget::new(all, CancelFlag::new());
                batch.count_puzzles(&puzzles, &mut budget, &mut |count| counts.push(count));
                assert!(counts.iter().eq(expected.iter().map(|(count, _)| count)), "{batch:?}");
                let mut solved = Vec::new();
                let mut budget = Budget::new(all, CancelFlag::new());
                batch.solve_puzzles(&puzzles, 3, &mut budget, &mut |count, solutions| {
                    solved.push((count, solutions));
                });
                assert!(solved == expected, "{batch:?}");
            }
        }
    }
}
