//! Reads what refers to a puzzle (cells, digits, houses, cages), naming every reference that it does not have.

use crate::puzzle::{CageId, Cell, Digit, DigitSet, Fault, Faults, HouseId, Puzzle};

/// Where the reader is in a message, and what was found amiss. A path is written out only where it is needed.
pub struct Reader<'a> {
    puzzle: &'a Puzzle,
    path: Vec<(&'static str, Option<usize>)>,
    faults: &'a mut Faults,
}

impl<'a> Reader<'a> {
    /// At the top of a message.
    pub fn new(puzzle: &'a Puzzle, faults: &'a mut Faults) -> Reader<'a> {
        Reader { puzzle, path: Vec::new(), faults }
    }

    /// The puzzle.
    pub fn puzzle(&self) -> &'a Puzzle {
        self.puzzle
    }

    /// Reads a field.
    pub fn within<T>(&mut self, field: &'static str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push((field, None));
        let value = read(self);
        self.path.pop();
        value
    }

    /// Reads a repeated field; what cannot be read is left out, its faults having been named.
    pub fn each<M, T>(
        &mut self,
        field: &'static str,
        messages: &[M],
        mut read: impl FnMut(&mut Self, &M) -> Option<T>,
    ) -> Vec<T> {
        let mut values = Vec::with_capacity(messages.len());
        for (index, message) in messages.iter().enumerate() {
            self.path.push((field, Some(index)));
            values.extend(read(self, message));
            self.path.pop();
        }
        values
    }

    /// Names a fault of the field at which the reader is, or of one below it.
    pub fn fault(&mut self, field: &str, message: impl Into<String>) {
        let mut place = String::new();
        for (name, index) in &self.path {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(name);
            if let Some(index) = index {
                place.push_str(&format!("[{index}]"));
            }
        }
        if !place.is_empty() && !field.is_empty() {
            place.push('.');
        }
        place.push_str(field);
        self.faults.push(Fault::new(place, message));
    }

    /// A cell on the board.
    pub fn cell(&mut self, field: &str, index: u32) -> Option<Cell> {
        if (index as usize) < self.puzzle.cell_count() {
            return Some(Cell::new(index as usize));
        }
        self.fault(field, format!("cell {index} is past the board of {}", self.puzzle.cell_count()));
        None
    }

    /// Cells on the board, in the order sent; at most as many as there are.
    pub fn cells(&mut self, field: &'static str, indices: &[u32]) -> Option<Vec<Cell>> {
        if indices.len() > self.puzzle.cell_count() {
            let message = format!("{} cells for a board of {}", indices.len(), self.puzzle.cell_count());
            self.fault(field, message);
            return None;
        }
        let cells: Vec<Cell> = self.each(field, indices, |reader, &index| reader.cell("", index));
        (cells.len() == indices.len()).then_some(cells)
    }

    /// A digit of the puzzle.
    pub fn digit(&mut self, field: &str, value: u32) -> Option<Digit> {
        let digit = u8::try_from(value).ok().and_then(Digit::new);
        let digit = digit.filter(|digit| digit.index() < self.puzzle.size());
        if digit.is_none() {
            self.fault(field, format!("digit {value} is not of 1 to {}", self.puzzle.size()));
        }
        digit
    }

    /// A set of digits of the puzzle.
    pub fn digits(&mut self, field: &str, bits: u32) -> Option<DigitSet> {
        let set = DigitSet::from_bits(bits);
        if set.bits() == bits && self.puzzle.digits().contains_all(set) {
            return Some(set);
        }
        self.fault(field, format!("{bits:#x} has bits past digit {}", self.puzzle.size()));
        None
    }

    /// A house of the puzzle.
    pub fn house(&mut self, field: &str, index: u32) -> Option<HouseId> {
        let count = self.puzzle.houses().len();
        if (index as usize) < count {
            return Some(HouseId(index as u16));
        }
        self.fault(field, format!("there is no house {index}; the puzzle has {count}"));
        None
    }

    /// A cage of the puzzle.
    pub fn cage(&mut self, field: &str, index: u32) -> Option<CageId> {
        let count = self.puzzle.cages().len();
        if (index as usize) < count {
            return Some(CageId(index as u16));
        }
        self.fault(field, format!("there is no cage {index}; the puzzle has {count}"));
        None
    }
}
