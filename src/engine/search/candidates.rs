//! True candidates: the digits of each cell that some solution has there, and how many solutions have them.

use super::classic::solver::{Candidates, Solver};
use super::{Count, End, Engine, Search, classic};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{Cell, Digit, DigitSet, Puzzle, Solution};

/// The most solutions of a candidate that callers may have counted.
pub const MAX_CAP: u64 = 1_000;

/// What is known of the candidates of a puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrueCandidates {
    /// For each cell in reading order and each digit in turn, the number of solutions that have it there, up to the
    /// cap. Where the search was broken off, at least so many.
    counts: Vec<u64>,
    /// For each cell the digits of which it is not known whether any solution has them; empty sets unless the search
    /// was broken off.
    pub undecided: Vec<DigitSet>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// Why the search was broken off, if it was.
    pub stopped: Option<Stopped>,
}

impl TrueCandidates {
    /// From counts for each cell and each digit in turn.
    pub fn new(
        counts: Vec<u64>,
        undecided: Vec<DigitSet>,
        nodes: u64,
        stopped: Option<Stopped>,
    ) -> TrueCandidates {
        TrueCandidates { counts, undecided, nodes, stopped }
    }

    /// How many solutions have this digit here, up to the cap.
    pub fn count(&self, cell: Cell, digit: Digit) -> u64 {
        self.counts[cell.index() * self.size() + digit.index()]
    }

    /// The digits that some solution has here.
    pub fn digits(&self, cell: Cell) -> DigitSet {
        let digits = Digit::all(self.size()).filter(|&digit| self.count(cell, digit) > 0);
        digits.fold(DigitSet::EMPTY, |set, digit| set | DigitSet::single(digit))
    }

    /// All counts: for each cell in reading order, each digit in turn.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    fn size(&self) -> usize {
        self.counts.len() / self.undecided.len()
    }
}

/// Finds out which candidates are true, and counts the solutions of each up to `cap` (at least 1). Any puzzle; plain
/// 9×9 ones at speed, unless another engine is asked for that is none of theirs.
///
/// Where `cap` solutions do not exhaust the puzzle, each cell in turn is asked for a solution with a digit that has
/// not been seen there: what there is not is settled for all those digits at once.
pub fn true_candidates(puzzle: &Puzzle, cap: u64, engine: Engine, budget: &mut Budget) -> TrueCandidates {
    let mut survey = Survey {
        prober: Prober::new(puzzle, engine),
        domains: Cell::all(puzzle.size())
            .map(|cell| puzzle.given(cell).map_or(puzzle.allowed(cell), DigitSet::single))
            .collect(),
        size: puzzle.size(),
        counts: vec![0; puzzle.cell_count() * puzzle.size()],
        nodes: 0,
    };
    let mut open = survey.domains.clone();
    let stopped = survey.run(cap, &mut open, budget).err();
    TrueCandidates::new(survey.counts, open, survey.nodes, stopped)
}

struct Survey<'p> {
    prober: Prober<'p>,
    domains: Vec<DigitSet>,
    size: usize,
    counts: Vec<u64>,
    nodes: u64,
}

impl Survey<'_> {
    /// Fills the counts; what is decided goes from `open`.
    fn run(&mut self, cap: u64, open: &mut [DigitSet], budget: &mut Budget) -> Result<(), Stopped> {
        if self.search((cap, cap), budget)?.end == End::Complete {
            open.fill(DigitSet::EMPTY);
            return Ok(());
        }
        for cell in Cell::all(self.size) {
            self.see_all(cell, cap, budget)?;
            self.prober.restrict(cell, self.domains[cell.index()]);
            open[cell.index()] = DigitSet::EMPTY;
        }
        if cap > 1 { self.count_each(cap, budget) } else { Ok(()) }
    }

    /// Finds a solution with each digit that some solution has here; leaves the cell restricted.
    fn see_all(&mut self, cell: Cell, cap: u64, budget: &mut Budget) -> Result<(), Stopped> {
        loop {
            let unseen = self.unseen(cell);
            if unseen.is_empty() {
                return Ok(());
            }
            self.prober.restrict(cell, unseen);
            if self.search((1, cap), budget)?.solutions == 0 {
                return Ok(());
            }
        }
    }

    /// Counts the solutions of each candidate that is known to be true and may have more.
    fn count_each(&mut self, cap: u64, budget: &mut Budget) -> Result<(), Stopped> {
        for cell in Cell::all(self.size) {
            for digit in self.domains[cell.index()] {
                let at = cell.index() * self.size + digit.index();
                if self.counts[at] == 0 || self.counts[at] >= cap {
                    continue;
                }
                self.prober.restrict(cell, DigitSet::single(digit));
                let count = self.prober.count(cap, budget, &mut |_| {});
                self.nodes += count.nodes;
                self.counts[at] = self.counts[at].max(count.solutions);
                if let End::Stopped(stopped) = count.end {
                    return Err(stopped);
                }
            }
            self.prober.restrict(cell, self.domains[cell.index()]);
        }
        Ok(())
    }

    /// Searches for solutions none of which has been counted yet, and counts them.
    fn search(&mut self, (limit, cap): (u64, u64), budget: &mut Budget) -> Result<Count, Stopped> {
        let (counts, size) = (&mut self.counts, self.size);
        let count = self.prober.count(limit, budget, &mut |solution| {
            for (cell, digit) in solution.digits().iter().enumerate() {
                let count = &mut counts[cell * size + digit.index()];
                *count = (*count + 1).min(cap);
            }
        });
        self.nodes += count.nodes;
        match count.end {
            End::Stopped(stopped) => Err(stopped),
            End::Complete | End::Limit => Ok(count),
        }
    }

    /// The digits that no solution has had here.
    fn unseen(&self, cell: Cell) -> DigitSet {
        let mut unseen = self.domains[cell.index()];
        for digit in self.domains[cell.index()] {
            if self.counts[cell.index() * self.size + digit.index()] > 0 {
                unseen.remove(digit);
            }
        }
        unseen
    }
}

/// A puzzle whose cells are restricted one after another.
enum Prober<'p> {
    /// A plain one, with a solver that is kept.
    Plain { solver: Solver, candidates: Candidates },
    /// Any other, or by another engine.
    Any { search: &'p dyn Search, puzzle: Puzzle },
}

impl Prober<'_> {
    fn new(puzzle: &Puzzle, engine: Engine) -> Prober<'static> {
        match (engine, classic::candidates(puzzle)) {
            (Engine::General | Engine::Classic, Some(candidates)) => {
                Prober::Plain { solver: Solver::new(), candidates }
            }
            _ => Prober::Any { search: engine.search(), puzzle: puzzle.clone() },
        }
    }

    fn restrict(&mut self, cell: Cell, digits: DigitSet) {
        match self {
            Prober::Plain { candidates, .. } => candidates[cell.index()] = digits.bits() as u16,
            Prober::Any { puzzle, .. } => puzzle.restrict(cell, digits),
        }
    }

    fn count(&mut self, limit: u64, budget: &mut Budget, found: &mut dyn FnMut(&Solution)) -> Count {
        match self {
            Prober::Plain { solver, candidates } => classic::count(solver, candidates, limit, budget, found),
            Prober::Any { search, puzzle } => search.count(puzzle, limit, budget, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::witness::solved_puzzles;
    use super::*;
    use crate::engine::budget::CancelFlag;
    use crate::puzzle::{PuzzleDraft, RegionsDraft};

    /// Puzzles of every kind, against all solutions of a plain solver.
    #[test]
    fn what_all_solutions_have() {
        let mut seen = 0;
        for (puzzle, solutions) in solved_puzzles(0..800, 200) {
            if solutions.len() == 200 {
                continue;
            }
            seen += 1;
            for cap in [1, 3, 1_000] {
                for engine in Engine::ALL {
                    let found = true_candidates(&puzzle, cap, engine, &mut Budget::unlimited());
                    assert_eq!(found.stopped, None);
                    for cell in Cell::all(puzzle.size()) {
                        assert!(found.undecided[cell.index()].is_empty());
                        for digit in Digit::all(puzzle.size()) {
                            let with = solutions.iter().filter(|one| one.digits()[cell.index()] == digit);
                            let expected = (with.count() as u64).min(cap);
                            let count = found.count(cell, digit);
                            assert_eq!(count, expected, "{cap} {engine:?} {cell:?} {puzzle:?}");
                            assert_eq!(found.digits(cell).contains(digit), expected > 0);
                        }
                    }
                }
            }
        }
        assert!(seen > 300, "{seen}");
    }

    fn classic(givens: &str) -> Puzzle {
        let draft = PuzzleDraft {
            regions: RegionsDraft::Boxes { rows: 3, columns: 3 },
            givens: givens.chars().map(|symbol| symbol.to_digit(10).unwrap_or(0)).collect(),
            ..PuzzleDraft::latin(9)
        };
        draft.check().expect("a puzzle")
    }

    const OPEN: &str = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4....";

    /// The fast way for plain boards against exact cover, with more solutions than the cap.
    #[test]
    fn plain_boards() {
        for givens in
            [OPEN, "1................................................................................"]
        {
            let puzzle = classic(givens);
            for cap in [1, 2, 5] {
                let [fast, plain] = [Engine::General, Engine::Dlx]
                    .map(|engine| true_candidates(&puzzle, cap, engine, &mut Budget::unlimited()));
                assert_eq!(fast.counts().len(), 729);
                for (one, other) in fast.counts().iter().zip(plain.counts()) {
                    assert_eq!(one, other);
                }
            }
        }
    }

    #[test]
    fn broken_off() {
        let puzzle = classic(&".".repeat(81));
        let found = true_candidates(&puzzle, 1, Engine::General, &mut Budget::new(300, CancelFlag::new()));
        assert_eq!(found.stopped, Some(Stopped::Exhausted));
        assert!(found.undecided.iter().any(|set| !set.is_empty()));
        let flag = CancelFlag::new();
        flag.raise();
        let found = true_candidates(&puzzle, 1, Engine::Dlx, &mut Budget::new(u64::MAX, flag));
        assert_eq!(found.stopped, Some(Stopped::Cancelled));
        assert!(found.undecided.iter().all(|set| set.len() == 9));
    }
}
