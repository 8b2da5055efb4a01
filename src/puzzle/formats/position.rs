//! A player's position over a known puzzle, read from what a player has on paper or screen.

use std::sync::Arc;

use super::drawing::{self, Reading};
use super::{grid, pencil};
use crate::puzzle::{Cell, Digit, DigitSet, Fault, Faults, Position, Puzzle, notation};

/// Reads a position from a grid of values (0 or blank where the cell is open; givens may be left out) or from
/// pencil marks. **A group of one digit is a digit placed**; the candidates of the other cells are those of
/// their group that no placed digit sees, and a blank symbol leaves all of these.
///
/// A position may be wrong, and is read nevertheless: that is for hints to say. What contradicts the puzzle's
/// givens, though, belongs to another puzzle, and is refused.
pub fn read_position(text: &str, puzzle: &Arc<Puzzle>) -> Result<Position, Faults> {
    super::check_length(text)?;
    let text = drawing::plain(text);
    let (reading, drawing) = drawing::classify(&text)?;
    let size = puzzle.size();
    let mut faults = Faults::none();
    let groups = match reading {
        Reading::Pencil => pencil::groups_of(&drawing)?.1,
        _ => {
            let is_split = reading == Reading::Symbols;
            let cells = if is_split { drawing.split() } else { drawing };
            if is_split {
                drawing::push_unreadable(&cells, &mut faults);
                faults.clone().into_result()?;
            }
            cells.check_size()?;
            let values = if is_split { grid::values(&cells) } else { grid::numbers(&cells) };
            check_count(values.len(), size)?;
            let cells = Cell::all(size).zip(values);
            cells.map(|(cell, value)| group_of(cell, value, size, &mut faults)).collect()
        }
    };
    check_count(groups.len(), size)?;
    check_givens(&groups, puzzle, &mut faults);
    faults.into_result()?;
    Ok(position_of(&groups, puzzle))
}

fn check_count(count: usize, size: usize) -> Result<(), Faults> {
    if count == size * size {
        return Ok(());
    }
    let message = format!("{count} cells for a board of {}", size * size);
    Err(Faults::one(Fault::new("position", message)))
}

fn group_of(cell: Cell, value: u32, size: usize, faults: &mut Faults) -> DigitSet {
    let digit = u8::try_from(value).ok().and_then(Digit::new).filter(|digit| digit.index() < size);
    if value != 0 && digit.is_none() {
        let message = format!("{} holds {value}, of 1 to {size}", notation::cell(cell, size));
        faults.push(Fault::new("position", message).at([cell]));
    }
    digit.map_or(DigitSet::full(size), DigitSet::single)
}

fn check_givens(groups: &[DigitSet], puzzle: &Puzzle, faults: &mut Faults) {
    for cell in Cell::all(puzzle.size()) {
        let group = groups[cell.index()];
        if let Some(given) = puzzle.given(cell).filter(|&given| !group.contains(given)) {
            let name = notation::cell(cell, puzzle.size());
            let message = format!("{name} holds {group}, where the puzzle gives {given}");
            faults.push(Fault::new("position", message).at([cell]));
        }
    }
}

fn position_of(groups: &[DigitSet], puzzle: &Arc<Puzzle>) -> Position {
    let mut position = Position::new(Arc::clone(puzzle));
    let open: Vec<Cell> = position.open_cells().collect();
    for &cell in &open {
        if let Some(digit) = groups[cell.index()].only() {
            position.place(cell, digit);
        }
    }
    for cell in open {
        for digit in position.candidates(cell) - groups[cell.index()] {
            position.eliminate(cell, digit);
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::formats;

    fn puzzle() -> Arc<Puzzle> {
        Arc::new(formats::read("1...\n..2.\n.3..\n....").expect("a puzzle"))
    }

    fn position(text: &str) -> Position {
        read_position(text, &puzzle()).unwrap_or_else(|faults| panic!("{text}\n{faults}"))
    }

    #[test]
    fn values_with_and_without_givens() {
        for text in ["12........4.....", "1 2 . .\n. . 2 .\n. 3 4 .\n. . . ."] {
            let position = position(text);
            let digits: Vec<Option<u8>> =
                Cell::all(4).map(|cell| position.digit(cell).map(Digit::value)).collect();
            assert_eq!(digits[..4], [Some(1), Some(2), None, None], "{text}");
            assert_eq!((digits[6], digits[9], digits[10]), (Some(2), Some(3), Some(4)));
            assert_eq!(position.candidates(Cell::new(2)).to_string(), "3");
        }
    }

    #[test]
    fn pencil_marks() {
        let position =
            position("1 24 34 34 | 34 4 2 13\n124 3 14 124 | 24 124 134 . ".replace(" | ", "\n").as_str());
        assert_eq!(position.digit(Cell::new(5)).map(Digit::value), Some(4));
        assert_eq!(position.candidates(Cell::new(1)).to_string(), "2", "4 is seen by the 4 placed below");
        assert_eq!(position.candidates(Cell::new(15)).to_string(), "1234");
        assert!(position.is_open(Cell::new(1)));
    }

    /// Whatever the player did wrong is for hints to say.
    #[test]
    fn wrong_entries_are_read() {
        let position = position("11..............");
        assert_eq!(position.digit(Cell::new(1)).map(Digit::value), Some(1));
    }

    #[test]
    fn refuses() {
        for (text, first) in [
            ("2...............", "position: r1c1 holds 2, where the puzzle gives 1"),
            ("15..............", "position: r1c2 holds 5, of 1 to 4"),
            ("1........", "position: 9 cells for a board of 16"),
            ("1...............x", "line 1, column 17: `x` is neither a digit nor an open cell"),
            ("", "puzzle: there is nothing to read"),
        ] {
            let faults = read_position(text, &puzzle()).expect_err(text);
            assert_eq!(faults.list[0].to_string(), first, "{text}");
        }
    }
}
