//! Plain 9×9 sudoku made at speed, with no rating.
//!
//! Read [`grid`] (a random full grid), [`carve`] (taking clues), then [`steer`] (towards numbers of clues that
//! carving seldom gives). What comes out depends on the wish, the seed and the attempt alone: any thread may make
//! any attempt, with any instructions.
//!
//! Measured on one thread with AVX-512 (AVX2: half): 42,000 minimal puzzles without symmetry a second, of 24.4
//! clues on average. Minimal puzzles of one number of clues without symmetry, milliseconds each, failed attempts
//! included (18: none in three seconds; 30 and 31: of 16 puzzles and of one; 17 was not tried):
//!
//! | 18 | 19 | 20 | 21 | 22 | 23 | 25 | 26 | 27 | 28 | 29 | 30 | 31 |
//! |---|---|---|---|---|---|---|---|---|---|---|---|---|
//! | - | 180 | 10 | 1.4 | 0.4 | 0.16 | 0.3 | 1 | 3 | 9 | 33 | 190 | 3000 |
//!
//! Puzzles that need not be minimal may have any number of clues from these up to 81, at carving speed.

pub mod carve;
pub mod grid;
pub mod steer;

use std::ops::RangeInclusive;

use self::carve::{Carver, Cells};
use self::steer::Walk;
use super::Symmetry;
use super::rng::Stream;
use crate::engine::budget::{Budget, Stopped};
use crate::engine::search::classic::Instructions;
use crate::engine::search::classic::solver::{Digits, Solver};
use crate::puzzle::{Digit, Solution};

/// Exchanges of clues that an attempt tries. Measured: of attempts at 20 clues 88 % succeed, at 19 13 %, at 29 43 %.
/// With twenty times as many, 30 clues took 70 ms and 31 took 215, but 19 took four times as long.
pub(super) const TRIES: u32 = 1_000;

/// What is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Of the pattern of clues.
    pub symmetry: Symmetry,
    /// How many clues.
    pub clues: RangeInclusive<u32>,
    /// Whether every clue must be needed. Otherwise clues go until their number is the lowest wanted, or none can.
    pub is_minimal: bool,
}

impl Wish {
    /// Minimal puzzles of any number of clues, without symmetry.
    pub fn minimal() -> Wish {
        Wish { symmetry: Symmetry::None, clues: 0..=81, is_minimal: true }
    }
}

/// A puzzle made: a grid, and which of its cells are clues.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The only solution, zero-based digits.
    pub digits: Digits,
    /// The cells that are clues.
    pub clues: Cells,
}

impl Made {
    /// The number of clues.
    pub fn count(&self) -> u32 {
        self.clues.count_ones()
    }

    /// As 81 characters, `.` for an open cell.
    pub fn text(&self) -> String {
        let symbol =
            |cell: usize| if self.clues >> cell & 1 == 1 { (b'1' + self.digits[cell]) as char } else { '.' };
        (0..81).map(symbol).collect()
    }
}

/// Makes one puzzle after another; to be kept by a thread.
pub struct Maker {
    instructions: Instructions,
    solver: Solver,
}

impl Default for Maker {
    fn default() -> Maker {
        Maker::new()
    }
}

impl Maker {
    /// With the best instructions of this processor.
    pub fn new() -> Maker {
        Maker { instructions: Instructions::best(), solver: Solver::new() }
    }

    /// With these instructions, if the processor has them.
    pub fn with(instructions: Instructions) -> Option<Maker> {
        Some(Maker { instructions, solver: Solver::with(instructions)? })
    }

    /// The puzzle of an attempt; none if the attempt did not meet the wish.
    pub fn make(
        &mut self,
        wish: &Wish,
        seed: u64,
        attempt: u32,
        budget: &mut Budget,
    ) -> Result<Option<Made>, Stopped> {
        let mut stream = Stream::new(seed, attempt);
        let digits = self.grid(&mut stream, budget)?;
        let mut groups = groups(wish.symmetry);
        stream.shuffle(&mut groups);
        let mut carver = Carver::new(&mut self.solver, digits);
        let fewest = if wish.is_minimal { 0 } else { *wish.clues.start() };
        carver.carve(&groups, fewest, budget)?;
        let mut walk = Walk { carver: &mut carver, groups: &groups, stream: &mut stream };
        if !walk.steer(&wish.clues, TRIES, budget)? {
            return Ok(None);
        }
        // Without symmetry every group is one clue, and none was left that could go.
        if wish.is_minimal && wish.symmetry != Symmetry::None && !carver.is_minimal(budget)? {
            return Ok(None);
        }
        Ok(Some(Made { digits, clues: carver.clues() }))
    }

    /// A random full grid.
    pub fn grid(&self, stream: &mut Stream, budget: &mut Budget) -> Result<Digits, Stopped> {
        grid::grid(self.instructions, stream, budget)
    }

    /// A puzzle in the making, with all cells clues.
    pub fn carver(&mut self, digits: Digits) -> Carver<'_> {
        Carver::new(&mut self.solver, digits)
    }
}

/// Digits as a solution.
pub fn solution(digits: &Digits) -> Solution {
    Solution::new(digits.map(|digit| Digit::from_index(digit.into())))
}

/// The cells that are clues together or not at all.
pub fn groups(symmetry: Symmetry) -> Vec<Cells> {
    let orbits = symmetry.orbits(9);
    orbits.iter().map(|orbit| orbit.iter().fold(0, |set, cell| set | 1 << cell.index())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::CancelFlag;
    use crate::engine::search::classic::solver::Candidates;

    /// Makes a puzzle and checks it with a solver of its own.
    fn check(maker: &mut Maker, wish: &Wish, seed: u64, attempt: u32) -> Option<Made> {
        let made = maker.make(wish, seed, attempt, &mut Budget::unlimited()).expect("no limit")?;
        let mut solver = Solver::new();
        let mut count = |clues: Cells| {
            let candidates: Candidates =
                std::array::from_fn(
                    |cell| if clues >> cell & 1 == 1 { 1 << made.digits[cell] } else { 0x1FF },
                );
            solver.count(&candidates, 2, &mut Budget::unlimited()).solutions
        };
        assert_eq!(count(made.clues), 1, "{}", made.text());
        assert!(wish.clues.contains(&made.count()), "{wish:?}: {}", made.text());
        for group in groups(wish.symmetry) {
            assert!(made.clues & group == 0 || made.clues & group == group, "{}", made.text());
        }
        let is_minimal =
            (0..81).all(|cell| made.clues >> cell & 1 == 0 || count(made.clues & !(1 << cell)) > 1);
        assert!(is_minimal || !wish.is_minimal, "{}", made.text());
        Some(made)
    }

    #[test]
    fn minimal_puzzles_of_every_symmetry() {
        let mut maker = Maker::new();
        for symmetry in Symmetry::ALL {
            for is_minimal in [false, true] {
                let wish = Wish { symmetry, is_minimal, ..Wish::minimal() };
                let made =
                    (0..3_000).filter_map(|attempt| check(&mut maker, &wish, 1, attempt)).take(3).count();
                assert_eq!(made, 3, "{wish:?}");
            }
        }
    }

    #[test]
    fn numbers_of_clues() {
        let mut maker = Maker::new();
        for (clues, is_minimal) in [
            (21..=21, true),
            (23..=23, true),
            (27..=27, true),
            (20..=22, true),
            (24..=24, false),
            (40..=40, false),
            (60..=62, false),
        ] {
            let wish = Wish { clues, is_minimal, ..Wish::minimal() };
            assert!((0..10).any(|attempt| check(&mut maker, &wish, 2, attempt).is_some()), "{wish:?}");
        }
        let wish = Wish { symmetry: Symmetry::HalfTurn, clues: 22..=22, is_minimal: false };
        assert!((0..10).any(|attempt| check(&mut maker, &wish, 2, attempt).is_some()));
    }

    /// An attempt stands alone, whichever maker makes it, and dropping groups gives what single clues in turn give.
    #[test]
    fn an_attempt_gives_its_puzzle() {
        let wish = Wish { clues: 20..=23, ..Wish::minimal() };
        let all = Instructions::ALL.into_iter().filter_map(Maker::with);
        let lists: Vec<Vec<Option<Made>>> = all
            .map(|mut maker| (0..4).rev().map(|attempt| check(&mut maker, &wish, 9, attempt)).collect())
            .collect();
        assert!(lists.iter().all(|list| *list == lists[0]));
        let made = check(&mut Maker::new(), &Wish::minimal(), 9, 0).expect("any will do");
        let (mut stream, mut maker) = (Stream::new(9, 0), Maker::new());
        let digits = maker.grid(&mut stream, &mut Budget::unlimited()).expect("no limit");
        let mut groups = groups(Symmetry::None);
        stream.shuffle(&mut groups);
        let mut carver = maker.carver(digits);
        for group in groups {
            carver.can_go(group, &mut Budget::unlimited()).expect("no limit");
        }
        assert_eq!((made.digits, made.clues), (digits, carver.clues()));
    }

    #[test]
    fn making_stops() {
        let wish = Wish { clues: 0..=17, ..Wish::minimal() };
        let mut budget = Budget::new(20_000, CancelFlag::new());
        assert_eq!(Maker::new().make(&wish, 1, 0, &mut budget), Err(Stopped::Exhausted));
        assert!(budget.spent() < 21_000);
        budget.flag().raise();
        assert_eq!(Maker::new().make(&Wish::minimal(), 1, 0, &mut budget), Err(Stopped::Cancelled));
    }
}
