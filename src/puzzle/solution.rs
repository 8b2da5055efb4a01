//! A full grid.

use std::fmt;

use super::{Digit, notation};

/// One digit a cell, in reading order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Solution(Box<[Digit]>);

impl Solution {
    /// Whether it solves a puzzle is for [`super::Puzzle::is_solved_by`] to say.
    pub fn new(digits: impl Into<Box<[Digit]>>) -> Solution {
        Solution(digits.into())
    }

    /// One digit a cell, in reading order.
    pub fn digits(&self) -> &[Digit] {
        &self.0
    }

    /// The symbols in one line.
    pub fn to_line(&self) -> String {
        notation::line(self.0.iter().copied().map(Some))
    }

    /// Reads the symbols of a grid; nothing but digits may stand in it.
    pub fn parse(text: &str) -> Option<Solution> {
        let digits: Option<Vec<Digit>> = text.chars().map(Digit::from_symbol).collect();
        digits.filter(|digits| !digits.is_empty()).map(Solution::new)
    }
}

/// The symbols in one line.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // in one piece: a formatter takes many times as long for single characters
        f.write_str(&self.to_line())
    }
}
