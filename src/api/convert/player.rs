//! A player's position, and what is wrong in it.

use std::sync::Arc;

use super::puzzle::{push_under, write_cells};
use crate::api::proto as pb;
use crate::engine::check::WrongEntry;
use crate::puzzle::formats::read_position as read_position_text;
use crate::puzzle::{Cell, Digit, DigitSet, Fault, Faults, Position, Puzzle};

/// The position of a player: entries placed, and candidates crossed out where there are pencil marks. Entries may
/// be wrong in any way that can be written on the board.
pub fn read_position(
    message: pb::PlayerPosition,
    puzzle: &Arc<Puzzle>,
    field: &str,
    faults: &mut Faults,
) -> Option<Position> {
    if !message.text.is_empty() {
        return read_text(&message, puzzle, field, faults);
    }
    let before = faults.list.len() + faults.more;
    let entries = read_entries(&message.entries, puzzle, &format!("{field}.entries"), faults);
    let marks = read_marks(&message.candidates, puzzle, &format!("{field}.candidates"), faults);
    if faults.list.len() + faults.more > before {
        return None;
    }
    let mut position = Position::new(puzzle.clone());
    for (cell, digit) in entries {
        position.place(cell, digit);
    }
    for (cell, kept) in marks {
        if position.is_open(cell) {
            for digit in position.candidates(cell) - kept {
                position.eliminate(cell, digit);
            }
        }
    }
    Some(position)
}

fn read_text(
    message: &pb::PlayerPosition,
    puzzle: &Arc<Puzzle>,
    field: &str,
    faults: &mut Faults,
) -> Option<Position> {
    if !message.entries.is_empty() || !message.candidates.is_empty() {
        faults.push(Fault::new(field, "a position is text, or entries and candidates, not both"));
    }
    match read_position_text(&message.text, puzzle) {
        Ok(position) => Some(position),
        Err(found) => {
            push_under(&format!("{field}.text"), found, faults);
            None
        }
    }
}

/// The cells that a player filled; givens repeated are no entries, givens changed are faults.
fn read_entries(values: &[u32], puzzle: &Puzzle, field: &str, faults: &mut Faults) -> Vec<(Cell, Digit)> {
    let mut entries = Vec::new();
    if !has_right_length(values, puzzle, field, faults) {
        return entries;
    }
    for (cell, &value) in Cell::all(puzzle.size()).zip(values).filter(|(_, value)| **value != 0) {
        let field = || format!("{field}[{}]", cell.index());
        let digit = u8::try_from(value).ok().and_then(Digit::new);
        match (digit.filter(|digit| digit.index() < puzzle.size()), puzzle.given(cell)) {
            (None, _) => faults
                .push(Fault::new(field(), format!("{value} is not of 1 to {}", puzzle.size())).at([cell])),
            (Some(digit), Some(given)) if digit != given => {
                faults
                    .push(Fault::new(field(), format!("{digit} was put where {given} is given")).at([cell]));
            }
            (Some(_), Some(_)) => {}
            (Some(digit), None) => entries.push((cell, digit)),
        }
    }
    entries
}

fn read_marks(values: &[u32], puzzle: &Puzzle, field: &str, faults: &mut Faults) -> Vec<(Cell, DigitSet)> {
    let mut marks = Vec::new();
    if !has_right_length(values, puzzle, field, faults) {
        return marks;
    }
    for (cell, &bits) in Cell::all(puzzle.size()).zip(values).filter(|(_, bits)| **bits != 0) {
        let set = DigitSet::from_bits(bits);
        if set.bits() != bits || !puzzle.digits().contains_all(set) {
            let message = format!("{bits:#x} has bits past digit {}", puzzle.size());
            faults.push(Fault::new(format!("{field}[{}]", cell.index()), message).at([cell]));
        }
        marks.push((cell, set));
    }
    marks
}

fn has_right_length(values: &[u32], puzzle: &Puzzle, field: &str, faults: &mut Faults) -> bool {
    let is_right = values.is_empty() || values.len() == puzzle.cell_count();
    if !is_right {
        let message = format!("{} cells for a board of {}", values.len(), puzzle.cell_count());
        faults.push(Fault::new(field, message));
    }
    is_right
}

/// What is wrong.
pub fn write_wrong(wrong: &WrongEntry, puzzle: &Puzzle) -> pb::WrongEntry {
    let entry = |kind: pb::WrongEntryKind, cells: &[Cell], digit: Option<Digit>| pb::WrongEntry {
        kind: kind.into(),
        cells: write_cells(cells),
        digit: super::puzzle::digit_value(digit),
        cage: None,
    };
    match wrong {
        WrongEntry::Clash { cell, digit, with } => {
            let cells: Vec<Cell> = std::iter::once(*cell).chain(with.iter().copied()).collect();
            entry(pb::WrongEntryKind::Clash, &cells, Some(*digit))
        }
        WrongEntry::Cage { cage } => pb::WrongEntry {
            cage: Some(cage.0.into()),
            ..entry(pb::WrongEntryKind::Cage, &puzzle.cage(*cage).cells, None)
        },
        WrongEntry::Restricted { cell, digit } => {
            entry(pb::WrongEntryKind::Restricted, &[*cell], Some(*digit))
        }
        WrongEntry::Digit { cell, digit } => entry(pb::WrongEntryKind::Digit, &[*cell], Some(*digit)),
        WrongEntry::Candidate { cell, digit } => entry(pb::WrongEntryKind::Candidate, &[*cell], Some(*digit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::PuzzleDraft;

    fn puzzle() -> Arc<Puzzle> {
        let mut draft = PuzzleDraft::latin(3);
        draft.givens[0] = 1;
        Arc::new(draft.check().expect("a puzzle"))
    }

    #[test]
    fn entries_and_marks() {
        let mut faults = Faults::none();
        let message = pb::PlayerPosition {
            entries: vec![1, 1, 0, 0, 0, 0, 0, 0, 0],
            candidates: vec![0, 0, 0b100, 0, 0, 0, 0, 0, 0],
            text: String::new(),
        };
        let position = read_position(message, &puzzle(), "position", &mut faults).expect("a position");
        assert!(position.digit(Cell::new(1)).is_some(), "a wrong entry is an entry");
        assert_eq!(position.candidates(Cell::new(2)).bits(), 0b100);
    }

    #[test]
    fn every_fault() {
        let mut faults = Faults::none();
        let message = pb::PlayerPosition {
            entries: vec![2, 7, 0, 0, 0, 0, 0, 0, 0],
            candidates: vec![1 << 31, 0, 0, 0, 0, 0, 0, 0, 0],
            text: String::new(),
        };
        assert!(read_position(message, &puzzle(), "position", &mut faults).is_none());
        let fields: Vec<&str> = faults.list.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["position.entries[0]", "position.entries[1]", "position.candidates[0]"]);
        let message =
            pb::PlayerPosition { entries: vec![0; 8], candidates: vec![0; 10], text: String::new() };
        assert!(read_position(message, &puzzle(), "position", &mut faults).is_none());
        assert_eq!(faults.list.len(), 5);
    }
}
