//! A random full grid: cells in the order of fewest candidates, ties and digits at random, taking back what fails.
//! A search engine's first solution would favour some grids strongly.

use super::rng::Stream;
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{Cell, Digit, DigitSet, House, Layout, Solution};

/// A full grid of this layout, which must have one.
pub fn fill(layout: &Layout, stream: &mut Stream, budget: &mut Budget) -> Result<Solution, Stopped> {
    let mut board = Board::new(layout);
    let is_filled = board.descend(stream, budget)?;
    assert!(is_filled, "a boxed board has a full grid");
    let digits: Vec<Digit> = board.digits.iter().map(|digit| digit.expect("the grid is full")).collect();
    Ok(Solution::new(digits))
}

struct Board {
    size: usize,
    houses: Vec<House>,
    /// The houses of each cell, by index.
    houses_of: Vec<Vec<usize>>,
    /// The digits still missing in each house.
    missing: Vec<DigitSet>,
    digits: Vec<Option<Digit>>,
}

impl Board {
    fn new(layout: &Layout) -> Board {
        let houses = layout.houses();
        let mut houses_of = vec![Vec::new(); layout.size * layout.size];
        for (index, house) in houses.iter().enumerate() {
            for cell in &house.cells {
                houses_of[cell.index()].push(index);
            }
        }
        Board {
            size: layout.size,
            missing: vec![DigitSet::full(layout.size); houses.len()],
            digits: vec![None; layout.size * layout.size],
            houses,
            houses_of,
        }
    }

    /// Fills the rest; whether it could be done. One level a cell, so no deeper than the board has cells.
    fn descend(&mut self, stream: &mut Stream, budget: &mut Budget) -> Result<bool, Stopped> {
        budget.spend(self.houses.len() as u64)?;
        let Some(cell) = self.choose(stream) else { return Ok(true) };
        let mut digits: Vec<Digit> = self.candidates(cell).iter().collect();
        stream.shuffle(&mut digits);
        for digit in digits {
            self.put(cell, digit);
            if self.descend(stream, budget)? {
                return Ok(true);
            }
            self.take(cell, digit);
        }
        Ok(false)
    }

    /// An open cell with the fewest candidates, each such cell equally likely; none if the grid is full.
    fn choose(&self, stream: &mut Stream) -> Option<Cell> {
        let mut fewest = usize::MAX;
        let mut ties: Vec<Cell> = Vec::new();
        for cell in Cell::all(self.size).filter(|cell| self.digits[cell.index()].is_none()) {
            let count = self.candidates(cell).len();
            if count < fewest {
                fewest = count;
                ties.clear();
            }
            if count == fewest {
                ties.push(cell);
            }
        }
        if ties.is_empty() { None } else { Some(ties[stream.below(ties.len() as u32) as usize]) }
    }

    fn candidates(&self, cell: Cell) -> DigitSet {
        let houses = self.houses_of[cell.index()].iter();
        houses.fold(DigitSet::full(self.size), |left, &house| left & self.missing[house])
    }

    fn put(&mut self, cell: Cell, digit: Digit) {
        self.digits[cell.index()] = Some(digit);
        for &house in &self.houses_of[cell.index()] {
            self.missing[house].remove(digit);
        }
    }

    fn take(&mut self, cell: Cell, digit: Digit) {
        self.digits[cell.index()] = None;
        for &house in &self.houses_of[cell.index()] {
            self.missing[house].insert(digit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::BoxShape;

    #[test]
    fn grids_keep_every_house() {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
            let layout = Layout::boxed(BoxShape { rows, columns });
            for attempt in 0..50 {
                let mut budget = Budget::unlimited();
                let grid = fill(&layout, &mut Stream::new(3, attempt), &mut budget).expect("no limit");
                for house in layout.houses() {
                    let digits: DigitSet =
                        house.cells.iter().map(|cell| grid.digits()[cell.index()]).collect();
                    assert_eq!(digits, DigitSet::full(layout.size), "{house} of {grid}");
                }
                assert!(budget.spent() < 100_000, "{}", budget.spent());
            }
        }
    }

    /// All 288 grids of size 4 come up, none far more often than the others.
    #[test]
    fn grids_are_spread() {
        let layout = Layout::boxed(BoxShape { rows: 2, columns: 2 });
        let mut seen = std::collections::BTreeMap::new();
        for attempt in 0..28_800 {
            let grid =
                fill(&layout, &mut Stream::new(4, attempt), &mut Budget::unlimited()).expect("no limit");
            *seen.entry(grid).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 288);
        assert!(seen.values().all(|count| (40..=200).contains(count)), "{:?}", seen.values().max());
    }
}
