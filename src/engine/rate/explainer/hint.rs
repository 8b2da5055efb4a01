//! A step of the Explainer: what it says and how hard it is.

use super::board::Board;
use super::technique::Technique;

/// A step.
#[derive(Clone, Debug)]
pub struct Hint {
    /// What was found.
    pub technique: Technique,
    /// Its rating. The Explainer adds tenths as floating numbers and compares their sums, and so must we.
    pub difficulty: f64,
    /// Cells with the digits that they lose.
    pub removals: Vec<(u8, u16)>,
    /// A cell with the digit that it gets.
    pub placement: Option<(usize, usize)>,
}

impl Hint {
    /// A step that fills a cell.
    pub fn place(technique: Technique, difficulty: f64, cell: usize, digit: usize) -> Hint {
        Hint { technique, difficulty, removals: Vec::new(), placement: Some((cell, digit)) }
    }

    /// A step that removes candidates, if there are any to remove.
    pub fn remove(technique: Technique, difficulty: f64, removals: Vec<(u8, u16)>) -> Option<Hint> {
        (!removals.is_empty()).then_some(Hint { technique, difficulty, removals, placement: None })
    }

    /// Changes the board by it.
    pub fn apply(&self, board: &mut Board) {
        for &(cell, mask) in &self.removals {
            for digit in super::board::bits(mask) {
                board.remove(usize::from(cell), digit);
            }
        }
        if let Some((cell, digit)) = self.placement {
            board.place(cell, digit);
        }
    }
}
