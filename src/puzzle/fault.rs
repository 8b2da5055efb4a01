//! What is wrong with a puzzle as it was handed in: every fault, each with its place.

use std::fmt;

use super::Cell;

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where it stands in what was handed in: `size`, `givens`, `cages[3].target`, `line 4`.
    pub field: String,
    /// What is wrong, naming cells, house and cage: `8 is given twice in row 4: r4c3 and r4c6`.
    pub message: String,
    /// The cells concerned, for a board to show.
    pub cells: Vec<Cell>,
}

impl Fault {
    /// A fault that concerns no cell in particular.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault { field: field.into(), message: message.into(), cells: Vec::new() }
    }

    /// The same, concerning these cells.
    pub fn at(mut self, cells: impl IntoIterator<Item = Cell>) -> Fault {
        self.cells = cells.into_iter().collect();
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// Every fault found, at least one. Past [`Faults::LIMIT`] they are counted, not listed, so that
/// no input makes an answer without bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faults {
    /// The first [`Faults::LIMIT`] faults.
    pub list: Vec<Fault>,
    /// How many more there are.
    pub more: usize,
}

impl Faults {
    /// How many faults are listed.
    pub const LIMIT: usize = 1000;

    /// None yet.
    pub const fn none() -> Faults {
        Faults { list: Vec::new(), more: 0 }
    }

    /// One fault alone.
    pub fn one(fault: Fault) -> Faults {
        Faults { list: vec![fault], more: 0 }
    }

    /// Adds one.
    pub fn push(&mut self, fault: Fault) {
        if self.list.len() < Self::LIMIT {
            self.list.push(fault);
        } else {
            self.more += 1;
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// `Err(self)` if there is any.
    pub fn into_result(self) -> Result<(), Faults> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.list.iter().enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "; " })?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
