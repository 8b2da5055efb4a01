//! Sudoku Explainer's scale, as its version 1.2.1 rates: ER, the hardest step; EP, the hardest up to the first
//! digit placed; ED, the first.
//!
//! The Explainer takes the first step of the first technique that finds one, of chains the easiest, and of equals
//! the one found first. So what it rates depends on the order in which it looks, and this engine looks in the
//! same order: [`board`] (what it looks at), [`direct`], [`indirect`], [`loops`], [`bug`], [`aligned`] (what it looks
//! for before chains), [`chains`].

mod aligned;
mod board;
mod bug;
mod chains;
mod direct;
mod hint;
mod indirect;
mod loops;
mod technique;

use crate::engine::budget::{Budget, Stopped};
use crate::engine::search::classic;
use crate::puzzle::Puzzle;
use board::Board;
use chains::{Chains, Mode};
use hint::Hint;
pub use technique::Technique;

/// The rating of a puzzle that the Explainer cannot solve.
pub const BEYOND: u16 = 200;

/// A rating. Ratings are tenths: 89 is 8.9.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplainerRating {
    /// The hardest step; [`BEYOND`] if the Explainer finds no next step.
    pub er: u16,
    /// The hardest step up to the first digit placed.
    pub ep: u16,
    /// The first step.
    pub ed: u16,
    /// The technique of the hardest step, the first such; none if there was no step.
    pub hardest: Option<Technique>,
    /// How often each technique was used, in the order of its search.
    pub counts: Vec<(Technique, u32)>,
}

/// Why there is no rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExplainerError {
    /// The scale is defined for plain 9×9 sudoku.
    #[error("the Explainer's scale is for plain 9×9 sudoku without restrictions")]
    NotPlain,
    /// The work was broken off: there is no rating, not a lower one.
    #[error("the rating was broken off")]
    Stopped(Stopped),
}

impl From<Stopped> for ExplainerError {
    fn from(stopped: Stopped) -> ExplainerError {
        ExplainerError::Stopped(stopped)
    }
}

/// Whether the scale is defined for a puzzle.
pub fn applies_to(puzzle: &Puzzle) -> bool {
    classic::candidates(puzzle).is_some() && !puzzle.is_restricted()
}

/// Rates a puzzle that has exactly one solution.
pub fn rate(puzzle: &Puzzle, budget: &mut Budget) -> Result<ExplainerRating, ExplainerError> {
    if !applies_to(puzzle) {
        return Err(ExplainerError::NotPlain);
    }
    let mut board = Board::new(puzzle);
    let mut chains = Chains::new();
    let mut reading = Reading::default();
    while !board.is_full() {
        budget.spend(20)?;
        match next_hint(&board, &mut chains, budget)? {
            Some(hint) => {
                reading.note(&hint);
                hint.apply(&mut board);
            }
            None => {
                reading.hardest = 20.0;
                break;
            }
        }
    }
    Ok(reading.rating())
}

/// The step that the Explainer takes.
fn next_hint(board: &Board, chains: &mut Chains, budget: &mut Budget) -> Result<Option<Hint>, Stopped> {
    if let Some(hint) = direct::find(board).or_else(|| plain(board)) {
        return Ok(Some(hint));
    }
    budget.spend(100)?;
    let mut hint = aligned::find_pair(board, budget)?;
    if hint.is_none() {
        hint = chains.find_single(board, budget)?;
    }
    if hint.is_none() {
        hint = aligned::find_triplet(board, budget)?;
    }
    let modes = [Mode::NISHIO, Mode::MULTIPLE].into_iter().chain((0..=5).map(Mode::dynamic));
    for mode in modes {
        if hint.is_some() {
            break;
        }
        hint = chains.find_multiple(board, mode, budget)?;
    }
    Ok(hint)
}

/// Steps that remove candidates without chains.
fn plain(board: &Board) -> Option<Hint> {
    indirect::find_locking(board)
        .or_else(|| indirect::find_naked(board, 2))
        .or_else(|| indirect::find_fish(board, 2))
        .or_else(|| indirect::find_hidden(board, 2))
        .or_else(|| indirect::find_naked(board, 3))
        .or_else(|| indirect::find_fish(board, 3))
        .or_else(|| indirect::find_hidden(board, 3))
        .or_else(|| indirect::find_wing(board, false))
        .or_else(|| indirect::find_wing(board, true))
        .or_else(|| loops::find(board))
        .or_else(|| indirect::find_naked(board, 4))
        .or_else(|| indirect::find_fish(board, 4))
        .or_else(|| indirect::find_hidden(board, 4))
        .or_else(|| bug::find(board))
}

/// A rating while it is being read.
#[derive(Default)]
struct Reading {
    hardest: f64,
    pearl: f64,
    diamond: f64,
    technique: Option<Technique>,
    counts: std::collections::BTreeMap<Technique, u32>,
}

impl Reading {
    fn note(&mut self, hint: &Hint) {
        if hint.difficulty > self.hardest {
            self.hardest = hint.difficulty;
            self.technique = Some(hint.technique);
        }
        *self.counts.entry(hint.technique).or_default() += 1;
        if self.pearl == 0.0 {
            if self.diamond == 0.0 {
                self.diamond = self.hardest;
            }
            if hint.placement.is_some() {
                self.pearl = self.hardest;
            }
        }
    }

    fn rating(self) -> ExplainerRating {
        let tenths = |difficulty: f64| ((difficulty + 0.05) * 10.0) as u16;
        ExplainerRating {
            er: tenths(self.hardest),
            ep: tenths(self.pearl),
            ed: tenths(self.diamond),
            hardest: self.technique,
            counts: self.counts.into_iter().collect(),
        }
    }
}
