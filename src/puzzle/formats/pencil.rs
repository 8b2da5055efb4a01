//! Grids of pencil marks.

use crate::puzzle::{Digit, DigitSet};

/// The digits of one cell's group: symbols side by side, each once; a blank symbol alone is every digit.
/// What is wrong is said without the place.
pub(super) fn digits_of(group: &str, size: usize) -> Result<DigitSet, String> {
    let mut symbols = group.chars();
    if let (Some(symbol), None) = (symbols.next(), symbols.next())
        && super::is_blank(symbol)
    {
        return Ok(DigitSet::full(size));
    }
    let mut digits = DigitSet::EMPTY;
    for symbol in group.chars() {
        let digit = Digit::from_symbol(symbol).filter(|digit| digit.index() < size);
        let Some(digit) = digit else {
            return Err(format!("`{}` is no digit of 1 to {size}", symbol.escape_debug()));
        };
        if digits.contains(digit) {
            return Err(format!("{digit} is written twice"));
        }
        digits.insert(digit);
    }
    Ok(digits)
}
