//! Making puzzles: a full grid, clues removed under a symmetry while one solution is left, rated, accepted.

use std::ops::RangeInclusive;

use super::budget::{Budget, Stopped};
use super::logic::Level;
use super::rate::Rating;
use crate::puzzle::{Fault, Faults, Layout, Puzzle, Solution};

/// A symmetry of the pattern of clues.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Symmetry {
    /// None.
    #[default]
    None,
    /// Half a turn.
    HalfTurn,
    /// A quarter turn.
    QuarterTurn,
    /// Left and right.
    LeftRight,
    /// Top and bottom.
    TopBottom,
    /// About the diagonal from the top left.
    FallingDiagonal,
    /// About the diagonal from the bottom left.
    RisingDiagonal,
}

impl Symmetry {
    /// Every symmetry.
    pub const ALL: [Symmetry; 7] = [
        Symmetry::None,
        Symmetry::HalfTurn,
        Symmetry::QuarterTurn,
        Symmetry::LeftRight,
        Symmetry::TopBottom,
        Symmetry::FallingDiagonal,
        Symmetry::RisingDiagonal,
    ];

    /// Its word: `none`, `half-turn`, …
    pub const fn word(self) -> &'static str {
        match self {
            Symmetry::None => "none",
            Symmetry::HalfTurn => "half-turn",
            Symmetry::QuarterTurn => "quarter-turn",
            Symmetry::LeftRight => "left-right",
            Symmetry::TopBottom => "top-bottom",
            Symmetry::FallingDiagonal => "falling-diagonal",
            Symmetry::RisingDiagonal => "rising-diagonal",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Symmetry> {
        Symmetry::ALL.into_iter().find(|symmetry| symmetry.word() == word)
    }
}

/// What is wanted. Made by [`Recipe::check`]; the same recipe (seed included) gives the same puzzle, always.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// The board: boxes, of size 4, 6 or 9.
    pub layout: Layout,
    /// Of the pattern of clues.
    pub symmetry: Symmetry,
    /// How hard, on Sleuth's own scale.
    pub levels: RangeInclusive<Level>,
    /// How many clues.
    pub clues: RangeInclusive<u32>,
    /// Where randomness comes from.
    pub seed: u64,
    /// How many grids to try: 1 to [`Recipe::MAX_ATTEMPTS`].
    pub attempts: u32,
}

impl Recipe {
    /// The most grids that may be asked to be tried.
    pub const MAX_ATTEMPTS: u32 = 100_000;
    /// How many grids are tried unless said otherwise.
    pub const DEFAULT_ATTEMPTS: u32 = 1_000;

    /// The recipe, or every fault: a size that is not made here, ranges that are empty, a symmetry that the
    /// board does not have (a quarter turn needs square boxes), attempts out of range.
    pub fn check(self) -> Result<Recipe, Faults> {
        Err(Faults::one(Fault::new("recipe", "not made yet")))
    }
}

/// A puzzle made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its only solution.
    pub solution: Solution,
    /// On Sleuth's own scale.
    pub rating: Rating,
    /// The attempt that made it, counted from 0.
    pub attempt: u32,
}

/// How far a generation is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Attempts made.
    pub tried: u32,
    /// Attempts that gave a puzzle with one solution and a fitting number of clues.
    pub kept: u32,
    /// The level of the nearest of them to what is wanted.
    pub nearest: Option<Level>,
}

/// How a generation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenerateOutcome {
    /// The puzzle, if the recipe was met.
    pub generated: Option<Generated>,
    /// How far it came.
    pub progress: Progress,
    /// Why it was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// Makes a puzzle. The lowest attempt that is accepted wins; `each` is told how far it is after every attempt.
pub fn generate(_recipe: &Recipe, _budget: &mut Budget, _each: &mut dyn FnMut(&Progress)) -> GenerateOutcome {
    unimplemented!()
}
