//! A step of HoDoKu's: what it does, in the order in which it does it.

use std::cmp::Ordering;

/// What a step does. Cells and digits are counted from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Digits placed.
    pub placed: Vec<(usize, usize)>,
    /// Candidates removed, in the order in which the finder came across them. Some are named twice, which counts
    /// where steps are compared.
    pub gone: Vec<(usize, usize)>,
}

impl Step {
    /// A digit in a cell.
    pub fn place(cell: usize, digit: usize) -> Step {
        Step { placed: vec![(cell, digit)], gone: Vec::new() }
    }

    /// Candidates removed.
    pub fn eliminate(gone: impl IntoIterator<Item = (usize, usize)>) -> Step {
        Step { placed: Vec::new(), gone: gone.into_iter().collect() }
    }

    /// Which of two steps of a kind is preferred: the one that removes more; of those that remove as many, the one
    /// whose candidates weigh less; of those that remove the same, the shorter one.
    pub fn compare(&self, other: &Step, by_length: Ordering) -> Ordering {
        let by_count = other.gone.len().cmp(&self.gone.len());
        by_count.then_with(|| match self.is_equivalent(other) {
            true => by_length,
            false => self.weight().cmp(&other.weight()),
        })
    }

    /// Whether both remove the same.
    pub fn is_equivalent(&self, other: &Step) -> bool {
        self.gone.len() == other.gone.len() && self.gone.iter().all(|gone| other.gone.contains(gone))
    }

    /// A sum that depends on the order of the candidates.
    fn weight(&self) -> usize {
        self.gone.iter().enumerate().map(|(place, &(cell, digit))| cell * (1 + 80 * place) + digit + 1).sum()
    }
}
