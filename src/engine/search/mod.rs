//! The silent engines: how many solutions has a puzzle, and which?
//!
//! One trait, [`Search`]; the engines behind it differ in speed alone and are each other's witnesses.
//! Nothing here explains, and nothing here may use [`super::logic`].

pub mod candidates;
pub mod classic;
pub mod dlx;
pub mod general;
#[cfg(test)]
mod witness;

use super::budget::{Budget, Stopped};
use crate::puzzle::{Puzzle, Solution};

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// Solutions found, at most the limit asked for.
    pub solutions: u64,
    /// Nodes of the search tree: each engine says what it counts as one.
    pub nodes: u64,
    /// Why it ended.
    pub end: End,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Every solution was counted.
    Complete,
    /// As many as asked for were found; there may be more.
    Limit,
    /// It was stopped; there may be more.
    Stopped(Stopped),
}

/// How many solutions a puzzle has, as far as a search can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// None.
    None,
    /// Exactly one.
    One,
    /// Several: this many if `complete`, else at least this many.
    Several {
        /// Two or more.
        count: u64,
        /// Whether all were counted.
        complete: bool,
    },
    /// Not known: the work allowed was done, after so many nodes. One solution may have been found.
    GaveUp {
        /// Nodes visited.
        nodes: u64,
    },
}

impl Count {
    /// What the count says of the puzzle.
    pub fn verdict(&self) -> Verdict {
        match (self.solutions, self.end) {
            (0, End::Complete) => Verdict::None,
            (1, End::Complete) => Verdict::One,
            (0 | 1, _) => Verdict::GaveUp { nodes: self.nodes },
            (count, end) => Verdict::Several { count, complete: end == End::Complete },
        }
    }
}

/// A search engine.
pub trait Search: Send + Sync {
    /// Its name, by which callers choose it.
    fn name(&self) -> &'static str;

    /// Counts the solutions up to `limit` (at least 1) within the budget, handing each to `found` as it is
    /// found, in an order that depends on the puzzle alone.
    ///
    /// A puzzle is trusted, as always. With limit 1 the end is `Limit` if there is a solution.
    fn count(
        &self,
        puzzle: &Puzzle,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Solution),
    ) -> Count;
}

/// Units of work after which a search that was brief is not brief: a hundred guesses, some tens of microseconds.
pub const BRIEF_UNITS: u64 = 1_000;

/// The engines a caller may choose from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Engine {
    /// Any houses and cages, by the fastest that fits.
    #[default]
    General,
    /// Plain 9×9 sudoku; anything else goes to the general one.
    Classic,
    /// Exact cover by dancing links.
    Dlx,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Engine; 3] = [Engine::General, Engine::Classic, Engine::Dlx];

    /// Its search.
    pub fn search(self) -> &'static dyn Search {
        match self {
            Engine::General => &Fastest,
            Engine::Classic => &classic::Classic,
            Engine::Dlx => &dlx::Dlx,
        }
    }

    /// Whether it most likely finds in a moment, with [`BRIEF_UNITS`], whether a puzzle has one solution or several.
    pub fn is_brief(self, puzzle: &Puzzle) -> bool {
        self != Engine::Dlx && classic::is_plain(puzzle)
    }

    /// The engine of this name.
    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.search().name() == name)
    }
}

/// The classic engine where it fits, else the general one.
struct Fastest;

impl Search for Fastest {
    fn name(&self) -> &'static str {
        general::General.name()
    }

    fn count(
        &self,
        puzzle: &Puzzle,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Solution),
    ) -> Count {
        classic::Classic.count(puzzle, limit, budget, found)
    }
}
