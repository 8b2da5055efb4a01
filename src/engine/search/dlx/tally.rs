//! What has been placed in each cage, and whether the rest can still meet its target.

use crate::puzzle::{Cage, CageId, Cell, Digit, Operation, Puzzle, is_met};

/// What has been placed in one cage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sheet {
    open: u16,
    sum: u64,
    /// Stays at its largest once there; no target is that large.
    product: u64,
}

/// A sheet for every cage, and the digits placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tally {
    sheets: Vec<Sheet>,
    placed: Vec<Option<Digit>>,
}

/// What to give back to the tally when a digit is taken away again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    cell: Cell,
    before: Option<Sheet>,
}

impl Tally {
    /// Nothing placed.
    pub fn new(puzzle: &Puzzle) -> Tally {
        let sheets =
            puzzle.cages().iter().map(|cage| Sheet { open: cage.cells.len() as u16, sum: 0, product: 1 });
        Tally { sheets: sheets.collect(), placed: vec![None; puzzle.cell_count()] }
    }

    /// The digit placed in a cell.
    pub fn placed(&self, cell: Cell) -> Option<Digit> {
        self.placed[cell.index()]
    }

    /// Places a digit.
    pub fn place(&mut self, puzzle: &Puzzle, cell: Cell, digit: Digit) -> Entry {
        self.placed[cell.index()] = Some(digit);
        let before = puzzle.cage_of(cell).map(|cage| {
            let sheet = &mut self.sheets[cage.index()];
            let before = *sheet;
            sheet.open -= 1;
            sheet.sum += u64::from(digit.value());
            sheet.product = sheet.product.saturating_mul(u64::from(digit.value()));
            before
        });
        Entry { cell, before }
    }

    /// Takes it away: everything is as it was before.
    pub fn take_back(&mut self, puzzle: &Puzzle, entry: Entry) {
        self.placed[entry.cell.index()] = None;
        if let (Some(cage), Some(before)) = (puzzle.cage_of(entry.cell), entry.before) {
            self.sheets[cage.index()] = before;
        }
    }

    /// Whether a cage can still meet its target, as far as the smallest and largest candidates of its open
    /// cells tell; exactly, when at most one is open. `candidates` lists those of a cell, smallest first.
    pub fn can_be_met<I: DoubleEndedIterator<Item = Digit>>(
        &self,
        puzzle: &Puzzle,
        id: CageId,
        candidates: impl Fn(Cell) -> I,
    ) -> bool {
        let cage = puzzle.cage(id);
        let sheet = &self.sheets[id.index()];
        if cage.operation == Operation::Free {
            return true;
        }
        if cage.cells.len() <= 2 {
            return self.can_short_be_met(cage, candidates);
        }
        let (mut low, mut high) = (sheet.sum, sheet.sum);
        let (mut low_product, mut high_product) = (sheet.product, sheet.product);
        for &cell in cage.cells.iter().filter(|cell| self.placed(**cell).is_none()) {
            let (Some(first), Some(last)) = (candidates(cell).next(), candidates(cell).next_back()) else {
                return false;
            };
            if sheet.open == 1 {
                return candidates(cell).any(|digit| sheet.is_met_with(cage, digit));
            }
            low += u64::from(first.value());
            high += u64::from(last.value());
            low_product = low_product.saturating_mul(u64::from(first.value()));
            high_product = high_product.saturating_mul(u64::from(last.value()));
        }
        let target = cage.target;
        let by_sum = low <= target && target <= high;
        let by_product =
            low_product <= target && target <= high_product && target.is_multiple_of(sheet.product);
        match cage.operation {
            Operation::Add => by_sum,
            Operation::Multiply => by_product,
            _ => by_sum || by_product,
        }
    }

    /// One or two cells: every way to fill what is open is tried.
    fn can_short_be_met<I: DoubleEndedIterator<Item = Digit>>(
        &self,
        cage: &Cage,
        candidates: impl Fn(Cell) -> I,
    ) -> bool {
        let digits = |cell: Cell| {
            let open = self.placed(cell).is_none().then(|| candidates(cell)).into_iter().flatten();
            self.placed(cell).into_iter().chain(open)
        };
        digits(cage.cells[0]).any(|first| match cage.cells.get(1) {
            None => is_met(cage.operation, cage.target, &[first.value()]),
            Some(&second) => digits(second)
                .any(|second| is_met(cage.operation, cage.target, &[first.value(), second.value()])),
        })
    }
}

impl Sheet {
    /// Whether the last digit of a cage of three cells or more meets its target.
    fn is_met_with(&self, cage: &Cage, digit: Digit) -> bool {
        let value = u64::from(digit.value());
        let by_sum = self.sum + value == cage.target;
        let by_product = self.product.checked_mul(value) == Some(cage.target);
        match cage.operation {
            Operation::Add => by_sum,
            Operation::Multiply => by_product,
            _ => by_sum || by_product,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CageDraft, DigitSet, PuzzleDraft};

    fn puzzle(cells: usize, operation: Operation, target: i64) -> Puzzle {
        let mut draft = PuzzleDraft::latin(4);
        draft.cages = vec![CageDraft {
            cells: (0..cells).collect(),
            operation,
            target: (operation != Operation::Free).then_some(target),
            distinct: true,
        }];
        draft.check().expect("a puzzle")
    }

    /// Whether the cage can be met once these digits stand in its first cells and the rest hold any of `left`.
    fn can(puzzle: &Puzzle, placed: &[usize], left: DigitSet) -> bool {
        let mut tally = Tally::new(puzzle);
        let before = tally.clone();
        let entries: Vec<Entry> = placed
            .iter()
            .enumerate()
            .map(|(at, &digit)| tally.place(puzzle, Cell::new(at), Digit::from_index(digit - 1)))
            .collect();
        let can = tally.can_be_met(puzzle, CageId(0), |_| left.iter().collect::<Vec<_>>().into_iter());
        for entry in entries.into_iter().rev() {
            tally.take_back(puzzle, entry);
        }
        assert_eq!(tally, before);
        can
    }

    #[test]
    fn looks_at_the_rest() {
        let all = DigitSet::full(4);
        let low = DigitSet::full(2);
        assert!(can(&puzzle(3, Operation::Add, 9), &[4], all));
        assert!(!can(&puzzle(3, Operation::Add, 9), &[4], low));
        assert!(!can(&puzzle(3, Operation::Add, 6), &[4, 2], all), "nothing is left for the last");
        assert!(!can(&puzzle(3, Operation::Multiply, 8), &[3], all));
        assert!(can(&puzzle(3, Operation::Multiply, 8), &[1], all));
        assert!(can(&puzzle(2, Operation::Subtract, 2), &[1], all));
        assert!(!can(&puzzle(2, Operation::Subtract, 2), &[1], low));
        assert!(!can(&puzzle(2, Operation::Divide, 2), &[3], all));
        assert!(can(&puzzle(3, Operation::Unknown, 24), &[3], all), "3 × 4 × 2");
        assert!(can(&puzzle(3, Operation::Unknown, 6), &[1, 2], all), "sum and product");
        assert!(!can(&puzzle(3, Operation::Unknown, 24), &[1, 2], all));
        assert!(can(&puzzle(3, Operation::Free, 0), &[1, 2], DigitSet::EMPTY));
        assert!(!can(&puzzle(1, Operation::Equal, 3), &[2], all));
    }
}
