//! Grids of symbols.

use crate::puzzle::Digit;

/// The symbols in one line, `.` for an open cell.
pub fn line_of(digits: &[Option<Digit>]) -> String {
    digits.iter().map(|digit| digit.map_or('.', Digit::symbol)).collect()
}
