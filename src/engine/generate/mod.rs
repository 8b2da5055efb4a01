//! Making puzzles: a full grid, clues removed under a symmetry while one solution is left, rated, accepted.
//!
//! Read [`recipe`] (what is wanted) and [`symmetry`], then [`rng`] (a stream for each attempt), [`fill`] (a full
//! grid), [`minimise`] (the removing). Plain 9×9 boards have a [`classic`] core of their own for both. Nothing here depends on time or on how many threads there are.

pub mod classic;
pub mod fill;
pub mod minimise;
pub mod recipe;
pub mod rng;
pub mod symmetry;

use std::ops::RangeInclusive;
use std::sync::Arc;

pub use recipe::Recipe;
pub use symmetry::Symmetry;

use super::budget::{Budget, Stopped};
use super::logic::Level;
use super::rate::{Rating, Scale, rate};
use crate::puzzle::{Puzzle, Solution};

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
    /// The number of clues that came nearest to what is wanted, of all attempts.
    pub nearest_clues: Option<u32>,
}

/// How a generation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenerateOutcome {
    /// The puzzle, if the recipe was met.
    pub generated: Option<Generated>,
    /// How far it came.
    pub progress: Progress,
    /// Why it was broken off, if it was. Without it and without a puzzle, all attempts were made in vain.
    pub stopped: Option<Stopped>,
}

/// Makes a puzzle. The lowest attempt that is accepted wins; `each` is told how far it is after every attempt.
/// A recipe that does not pass [`Recipe::check`] makes nothing, without an attempt.
pub fn generate(recipe: &Recipe, budget: &mut Budget, each: &mut dyn FnMut(&Progress)) -> GenerateOutcome {
    let mut outcome = GenerateOutcome { generated: None, progress: Progress::default(), stopped: None };
    if recipe.clone().check().is_err() {
        return outcome;
    }
    for attempt in 0..recipe.attempts {
        match make(recipe, attempt, budget) {
            Ok(made) => {
                let is_accepted = outcome.progress.take(recipe, &made);
                each(&outcome.progress);
                if is_accepted {
                    outcome.generated = Some(made);
                    break;
                }
            }
            Err(stopped) => {
                outcome.stopped = Some(stopped);
                break;
            }
        }
    }
    outcome
}

/// How many orders of removing are tried on one grid, until one gives what is wanted.
const ORDERS: u32 = 3;

/// One attempt: it depends on the recipe and its own number alone. Gives what is wanted, or what came nearest.
fn make(recipe: &Recipe, attempt: u32, budget: &mut Budget) -> Result<Generated, Stopped> {
    let mut stream = rng::Stream::new(recipe.seed, attempt);
    let mut maker = recipe.layout.is_plain().then(classic::Maker::new);
    let digits = maker.as_ref().map(|maker| maker.grid(&mut stream, budget)).transpose()?;
    let solution = match &digits {
        Some(digits) => classic::solution(digits),
        None => fill::fill(&recipe.layout, &mut stream, budget)?,
    };
    let full = minimise::full_puzzle(&recipe.layout, &solution);
    let mut nearest: Option<Generated> = None;
    for _ in 0..ORDERS {
        let carver = maker.as_mut().zip(digits).map(|(maker, digits)| maker.carver(digits));
        let puzzle = minimise::minimise(recipe, &full, carver, &mut stream, budget)?;
        let rated = rate(&puzzle, Scale::Sleuth, budget);
        if let Some(stopped) = rated.stopped {
            return Err(stopped);
        }
        let rating = rated.rating.expect("one solution was kept, and the board is small");
        let puzzle = Arc::unwrap_or_clone(puzzle);
        let made = Generated { puzzle, solution: solution.clone(), rating, attempt };
        if nearest.as_ref().is_none_or(|nearest| made.distance(recipe) < nearest.distance(recipe)) {
            nearest = Some(made);
        }
        if nearest.as_ref().is_some_and(|nearest| nearest.distance(recipe) == (0, 0)) {
            break;
        }
    }
    Ok(nearest.expect("at least one order was tried"))
}

impl Generated {
    /// Its level on Sleuth's own scale.
    pub fn level(&self) -> Level {
        self.rating.level.expect("Sleuth's own scale has levels")
    }

    fn clues(&self) -> u32 {
        self.puzzle.givens().iter().flatten().count() as u32
    }

    /// How far it is from what is wanted, in clues and, which counts less, in levels.
    fn distance(&self, recipe: &Recipe) -> (u32, u32) {
        (distance(self.clues(), &recipe.clues), level_distance(self.level(), recipe))
    }
}

impl Progress {
    /// Counts an attempt; whether it is what is wanted.
    fn take(&mut self, recipe: &Recipe, made: &Generated) -> bool {
        let (clues, level) = (made.clues(), made.level());
        let (off_clues, off_levels) = made.distance(recipe);
        self.tried += 1;
        if self.nearest_clues.is_none_or(|nearest| off_clues < distance(nearest, &recipe.clues)) {
            self.nearest_clues = Some(clues);
        }
        if off_clues > 0 {
            return false;
        }
        self.kept += 1;
        if self.nearest.is_none_or(|nearest| off_levels < level_distance(nearest, recipe)) {
            self.nearest = Some(level);
        }
        off_levels == 0
    }
}

fn level_distance(level: Level, recipe: &Recipe) -> u32 {
    distance(level as u32, &(*recipe.levels.start() as u32..=*recipe.levels.end() as u32))
}

/// How far a value is from a range; 0 within.
fn distance(value: u32, range: &RangeInclusive<u32>) -> u32 {
    range.start().saturating_sub(value).max(value.saturating_sub(*range.end()))
}
