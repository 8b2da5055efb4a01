//! Grids of pencil marks: each cell a group of digits, groups parted by blanks, bars and rules as in
//! [`grid`].
//!
//! Read as a puzzle, a group is what the setter leaves possible in its cell (sukaku), and a blank symbol, like all
//! digits, leaves everything. **A group of one digit is a given.** A puzzle with an open cell that is left one
//! candidate, or with a given that is restricted as well, is therefore not written in this format.

use super::drawing::{self, Drawing};
use super::unwritable::{Unwritable, unheld_rules};
use super::{Format, grid};
use crate::puzzle::{Cell, Digit, DigitSet, Fault, Faults, Puzzle, PuzzleDraft, RegionsDraft, notation};

/// Reads a grid of pencil marks. The draft is still to be checked.
pub fn read_draft(text: &str) -> Result<PuzzleDraft, Faults> {
    draft_of(&drawing::pencil(&drawing::plain(text))?, None)
}

pub(super) fn draft_of(drawing: &Drawing<'_>, regions: Option<RegionsDraft>) -> Result<PuzzleDraft, Faults> {
    let (size, groups) = groups_of(drawing)?;
    let regions = match regions {
        Some(regions) => regions,
        None => drawing.regions(size)?,
    };
    let mut draft = PuzzleDraft { regions, ..PuzzleDraft::latin(size) };
    let full = DigitSet::full(size);
    draft.givens = groups.iter().map(|group| group.only().map_or(0, |digit| digit.value().into())).collect();
    let candidates = groups.iter().map(|&group| if group.only().is_some() { full } else { group });
    draft.candidates = candidates.collect();
    if draft.candidates.iter().all(|&set| set == full) {
        draft.candidates.clear();
    }
    Ok(draft)
}

/// The size and the digits of every cell, or every fault.
pub(super) fn groups_of(drawing: &Drawing<'_>) -> Result<(usize, Vec<DigitSet>), Faults> {
    let size = drawing.check_size()?;
    let max = usize::from(Digit::MAX);
    if size > max {
        return Err(Faults::one(Fault::new("size", format!("size {size} is not between 2 and {max}"))));
    }
    let mut faults = Faults::none();
    let mut groups = Vec::new();
    for mark in drawing.marks() {
        match digits_of(mark.text, size) {
            Ok(group) => groups.push(group),
            Err(message) => faults.push(Fault::new(mark.place(), message)),
        }
    }
    faults.into_result().map(|()| (size, groups))
}

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

/// Writes a puzzle as a grid of pencil marks, which can hold givens, restrictions and boxes.
pub fn write(puzzle: &Puzzle) -> Result<String, Unwritable> {
    let mut rules = unheld_rules(puzzle);
    let mut groups = Vec::new();
    for cell in Cell::all(puzzle.size()) {
        let (given, allowed) = (puzzle.given(cell), puzzle.allowed(cell));
        let name = notation::cell(cell, puzzle.size());
        match given {
            Some(digit) if allowed == puzzle.digits() => groups.push(digit.to_string()),
            Some(_) => rules.push(format!("the restriction of the given at {name}")),
            None if allowed.only().is_some() => {
                rules.push(format!("the single candidate of {name}, not given"))
            }
            None => groups.push(allowed.to_string()),
        }
    }
    Unwritable::unless_empty(Format::Pencil, rules)?;
    Ok(grid::draw(puzzle, &groups))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: &str = "\
        .---------.--------.\n\
        | 1    23 | 4 1234 |\n\
        | 34    . | 2    1 |\n\
        :---------+--------:\n\
        | 24  234 | 1   34 |\n\
        | 342   1 | 3   24 |\n\
        '---------'--------'\n";

    fn read(text: &str) -> Puzzle {
        read_draft(text).and_then(PuzzleDraft::check).unwrap_or_else(|faults| panic!("{text}\n{faults}"))
    }

    #[test]
    fn one_digit_is_a_given() {
        let puzzle = read(MARKS);
        assert_eq!(notation::line(puzzle.givens().iter().copied()), "1.4...21..1..13.");
        assert_eq!(puzzle.allowed(Cell::new(1)).to_string(), "23");
        assert_eq!(puzzle.allowed(Cell::new(12)).to_string(), "234");
        assert_eq!(puzzle.allowed(Cell::new(0)), DigitSet::full(4));
        let written = write(&puzzle).expect("pencil marks");
        assert_eq!(read(&written), puzzle);
        assert_eq!(super::super::detect(&written), Ok(Format::Pencil));
        assert_eq!(super::super::read(MARKS), Ok(puzzle));
    }

    #[test]
    fn what_it_cannot_hold() {
        let mut draft = PuzzleDraft::latin(3);
        draft.candidates = vec![DigitSet::full(3); 9];
        draft.candidates[2] = DigitSet::from_bits(1);
        draft.candidates[4] = DigitSet::from_bits(3);
        draft.givens[4] = 2;
        let error = write(&draft.check().expect("a puzzle")).expect_err("unwritable");
        assert_eq!(
            error.rules,
            ["the single candidate of r1c3, not given", "the restriction of the given at r2c2"]
        );
    }

    #[test]
    fn refuses() {
        for (text, first) in [
            ("12 13\n11 2", "line 1, column 4: `3` is no digit of 1 to 2"),
            ("12 12\n11 2", "line 2, column 1: 1 is written twice"),
            ("12 12\n12", "line 2: 1 cells, where most rows have 2"),
            ("12 12 12", "puzzle: 3 cells make no square board"),
        ] {
            let faults = read_draft(text).expect_err(text);
            assert_eq!(faults.list[0].to_string(), first, "{text}");
        }
    }
}
