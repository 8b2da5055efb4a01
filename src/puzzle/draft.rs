//! A puzzle as it was handed in, and the check that makes it one or names every fault.
//! The single gate: whatever format or message a puzzle comes from, it passes here.

use super::cage::is_met;
use super::layout::{BoxShape, Layout, Regions};
use super::structure::Structure;
use super::{Cage, Cell, Digit, DigitSet, Fault, Faults, Operation, Puzzle, notation};

/// A cage as it was handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CageDraft {
    /// Zero-based cell indices, in any order.
    pub cells: Vec<usize>,
    /// What is done with the digits.
    pub operation: Operation,
    /// None for [`Operation::Free`] alone.
    pub target: Option<i64>,
    /// Whether its digits must differ.
    pub distinct: bool,
}

/// How the board of a draft is divided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegionsDraft {
    /// Not at all.
    None,
    /// Boxes of this height and width.
    Boxes {
        /// Height.
        rows: usize,
        /// Width.
        columns: usize,
    },
    /// The zero-based region of each cell. Region 0 becomes the house `region 1`, as row 0 is `row 1`.
    Jigsaw(Vec<usize>),
}

/// A puzzle as it was handed in: nothing is known about it yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleDraft {
    /// Should be 2 to 25.
    pub size: usize,
    /// How the board is divided.
    pub regions: RegionsDraft,
    /// The diagonal from the top left is a house.
    pub falling_diagonal: bool,
    /// The diagonal from the bottom left is a house.
    pub rising_diagonal: bool,
    /// There are windoku windows.
    pub windows: bool,
    /// One value a cell, 0 for an open cell.
    pub givens: Vec<u32>,
    /// The cages.
    pub cages: Vec<CageDraft>,
    /// What the setter leaves possible in each cell (sukaku); empty if nothing is restricted.
    pub candidates: Vec<DigitSet>,
}

impl PuzzleDraft {
    /// An open board of this size with rows and columns alone.
    pub fn latin(size: usize) -> PuzzleDraft {
        let cell_count = size.min(Digit::MAX as usize).pow(2);
        PuzzleDraft::of_givens(size, RegionsDraft::None, vec![0; cell_count])
    }

    /// A board of this size, so divided, with these values in its cells and nothing more.
    pub(super) fn of_givens(size: usize, regions: RegionsDraft, givens: Vec<u32>) -> PuzzleDraft {
        PuzzleDraft {
            size,
            regions,
            falling_diagonal: false,
            rising_diagonal: false,
            windows: false,
            givens,
            cages: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// The puzzle, or every fault.
    pub fn check(self) -> Result<Puzzle, Faults> {
        let mut faults = Faults::none();
        let layout = self.check_layout(&mut faults);
        let Some(layout) = layout else { return Err(faults) };
        let structure = Structure::of(&layout);
        let givens = self.check_givens(&structure, &mut faults);
        let candidates = self.check_candidates(&givens, &mut faults);
        let cages = self.check_cages(&givens, &mut faults);
        faults.into_result()?;
        Ok(Puzzle::new(layout, structure, cages, givens, candidates))
    }

    fn check_layout(&self, faults: &mut Faults) -> Option<Layout> {
        let max = Digit::MAX as usize;
        if self.size < 2 || self.size > max {
            faults.push(Fault::new("size", format!("size {} is not between 2 and {max}", self.size)));
            return None;
        }
        let regions = match &self.regions {
            RegionsDraft::None => Some(Regions::None),
            RegionsDraft::Boxes { rows, columns } => self.check_boxes(*rows, *columns, faults),
            RegionsDraft::Jigsaw(region) => self.check_jigsaw(region, faults),
        };
        let layout = Layout {
            size: self.size,
            regions: regions.unwrap_or(Regions::None),
            falling_diagonal: self.falling_diagonal,
            rising_diagonal: self.rising_diagonal,
            windows: self.windows,
        };
        if self.windows && (layout.window_shape().is_none() || self.size < 4) {
            faults.push(Fault::new(
                "windows",
                format!("a board of size {} has no room for windows", self.size),
            ));
        }
        if self.givens.len() != self.size * self.size {
            let message = format!("{} cells for a board of {}", self.givens.len(), self.size * self.size);
            faults.push(Fault::new("givens", message));
        }
        faults.is_empty().then_some(layout)
    }

    fn check_boxes(&self, rows: usize, columns: usize, faults: &mut Faults) -> Option<Regions> {
        if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(self.size) {
            let message = format!(
                "boxes of {rows} rows and {columns} columns do not fit a board of size {}",
                self.size
            );
            faults.push(Fault::new("boxes", message));
            return None;
        }
        Some(Regions::Boxes(BoxShape { rows: rows as u8, columns: columns as u8 }))
    }

    fn check_jigsaw(&self, region: &[usize], faults: &mut Faults) -> Option<Regions> {
        let size = self.size;
        if region.len() != size * size {
            faults.push(Fault::new(
                "regions",
                format!("{} cells for a board of {}", region.len(), size * size),
            ));
            return None;
        }
        let mut count = vec![0usize; size];
        for cell in Cell::all(size) {
            match count.get_mut(region[cell.index()]) {
                Some(count) => *count += 1,
                None => {
                    // whoever counts from 1 has seen to that already
                    let (name, number) = (notation::cell(cell, size), region[cell.index()]);
                    let message = format!("{name} is in region {number}, of 0 to {}", size - 1);
                    faults.push(Fault::new("regions", message).at([cell]));
                }
            }
        }
        for (number, &count) in count.iter().enumerate().filter(|(_, count)| **count != size) {
            faults.push(self.wrong_region(number, count, region));
        }
        faults.is_empty().then(|| Regions::Jigsaw(region.iter().map(|&number| number as u8).collect()))
    }

    /// A region of so many cells. It is named by one of them: some who hand in puzzles count regions from 0, others from 1.
    fn wrong_region(&self, number: usize, count: usize, region: &[usize]) -> Fault {
        let size = self.size;
        let cells: Vec<Cell> = Cell::all(size).filter(|cell| region[cell.index()] == number).collect();
        let message = match cells.first() {
            Some(&first) => {
                format!("the region of {} has {count} cells instead of {size}", notation::cell(first, size))
            }
            None => {
                let there = (0..size).filter(|number| region.contains(number)).count();
                format!("a region has no cell: there are {there} instead of {size}")
            }
        };
        Fault::new("regions", message).at(cells)
    }

    fn check_givens(&self, structure: &Structure, faults: &mut Faults) -> Vec<Option<Digit>> {
        let size = self.size;
        let mut givens = vec![None; size * size];
        let mut placed = vec![DigitSet::EMPTY; structure.houses.len()];
        let mut has_repeats = false;
        for (index, &value) in self.givens.iter().enumerate().filter(|(_, value)| **value != 0) {
            let digit = u8::try_from(value).ok().and_then(Digit::new).filter(|digit| digit.index() < size);
            let Some(digit) = digit else {
                let cell = Cell::new(index);
                let name = notation::cell(cell, size);
                faults.push(Fault::new("givens", format!("{name} holds {value}, of 1 to {size}")).at([cell]));
                continue;
            };
            givens[index] = Some(digit);
            for house in structure.houses_of[index].as_slice() {
                let placed = &mut placed[house.index()];
                has_repeats |= placed.contains(digit);
                placed.insert(digit);
            }
        }
        for house in structure.houses.iter().filter(|_| has_repeats) {
            push_repeats(&house.cells, &givens, || house.to_string(), size, faults);
        }
        givens
    }

    fn check_candidates(&self, givens: &[Option<Digit>], faults: &mut Faults) -> Vec<DigitSet> {
        let size = self.size;
        let full = vec![DigitSet::full(size); size * size];
        if self.candidates.is_empty() {
            return full;
        }
        if self.candidates.len() != size * size {
            let message = format!("{} cells for a board of {}", self.candidates.len(), size * size);
            faults.push(Fault::new("candidates", message));
            return full;
        }
        for cell in Cell::all(size) {
            let set = self.candidates[cell.index()];
            let name = notation::cell(cell, size);
            let message = match givens[cell.index()] {
                Some(digit) if !set.contains(digit) => {
                    format!("{name} is given {digit}, which its candidates exclude")
                }
                _ if set.is_empty() => format!("{name} is left no candidate"),
                _ if !DigitSet::full(size).contains_all(set) => {
                    format!("{name} has candidates past {size}: {set}")
                }
                _ => continue,
            };
            faults.push(Fault::new("candidates", message).at([cell]));
        }
        self.candidates.clone()
    }

    fn check_cages(&self, givens: &[Option<Digit>], faults: &mut Faults) -> Vec<Cage> {
        if self.cages.is_empty() {
            return Vec::new();
        }
        let size = self.size;
        let mut owner: Vec<Option<usize>> = vec![None; size * size];
        let mut cages = Vec::new();
        for (number, draft) in self.cages.iter().enumerate() {
            let before = faults.list.len() + faults.more;
            let cells = self.check_cage_cells(number, draft, &mut owner, faults);
            check_target(number, draft, size, faults);
            if draft.distinct {
                push_repeats(&cells, givens, || format!("cage {}", number + 1), size, faults);
            }
            if faults.list.len() + faults.more == before {
                let target = draft.target.map_or(0, |target| target as u64);
                cages.push(Cage { cells, operation: draft.operation, target, distinct: draft.distinct });
            }
        }
        if self.cages.iter().any(|cage| !cage.distinct) {
            let open: Vec<Cell> = Cell::all(size).filter(|cell| owner[cell.index()].is_none()).collect();
            if !open.is_empty() {
                let message = format!(
                    "cages that may repeat digits must cover the board; {} is in none",
                    notation::cells(&open, size)
                );
                faults.push(Fault::new("cages", message).at(open));
            }
        }
        cages
    }

    /// The cells that are on the board and in no other cage, in reading order.
    fn check_cage_cells(
        &self,
        number: usize,
        draft: &CageDraft,
        owner: &mut [Option<usize>],
        faults: &mut Faults,
    ) -> Vec<Cell> {
        let field = format!("cages[{number}].cells");
        let name = format!("cage {}", number + 1);
        if draft.cells.is_empty() {
            faults.push(Fault::new(&field, format!("{name} covers no cell")));
        }
        let mut cells = Vec::new();
        for &index in &draft.cells {
            if index >= self.size * self.size {
                faults.push(Fault::new(&field, format!("{name} names cell {index}, past the board")));
                continue;
            }
            let cell = Cell::new(index);
            match owner[index].replace(number) {
                None => cells.push(cell),
                Some(other) => {
                    let twice = if other == number {
                        format!("{} is in {name} twice", notation::cell(cell, self.size))
                    } else {
                        format!("{} is in cage {} and in {name}", notation::cell(cell, self.size), other + 1)
                    };
                    faults.push(Fault::new(&field, twice).at([cell]));
                }
            }
        }
        cells.sort_unstable();
        let wanted = match draft.operation {
            Operation::Subtract | Operation::Divide => Some(2),
            Operation::Equal => Some(1),
            _ => None,
        };
        if let Some(wanted) = wanted.filter(|wanted| *wanted != draft.cells.len()) {
            let symbol = draft.operation.symbol();
            let message = format!("{name} has {} cells; `{symbol}` takes {wanted}", draft.cells.len());
            faults.push(Fault::new(&field, message).at(cells.iter().copied()));
        }
        if draft.distinct && draft.cells.len() > self.size {
            let message =
                format!("{name} has {} cells that must differ, of {} digits", draft.cells.len(), self.size);
            faults.push(Fault::new(&field, message));
        }
        cells
    }
}

/// Names every cell of a group that holds a digit which another one holds.
fn push_repeats(
    cells: &[Cell],
    givens: &[Option<Digit>],
    name: impl Fn() -> String,
    size: usize,
    faults: &mut Faults,
) {
    let (mut seen, mut repeated) = (DigitSet::EMPTY, DigitSet::EMPTY);
    for digit in cells.iter().filter_map(|cell| givens[cell.index()]) {
        if seen.contains(digit) {
            repeated.insert(digit);
        }
        seen.insert(digit);
    }
    for digit in repeated {
        push_repeat(digit, cells, givens, &name(), size, faults);
    }
}

/// Names every cell that holds `digit` among `cells`, which are several.
fn push_repeat(
    digit: Digit,
    cells: &[Cell],
    givens: &[Option<Digit>],
    group: &str,
    size: usize,
    faults: &mut Faults,
) {
    let holders: Vec<Cell> =
        cells.iter().copied().filter(|cell| givens[cell.index()] == Some(digit)).collect();
    let names: Vec<String> = holders.iter().map(|&cell| notation::cell(cell, size)).collect();
    let (last, first) = names.split_last().expect("two holders or more");
    let times = if holders.len() == 2 { "twice".to_owned() } else { format!("{} times", holders.len()) };
    let message = format!("{digit} is given {times} in {group}: {} and {last}", first.join(", "));
    faults.push(Fault::new("givens", message).at(holders));
}

fn check_target(number: usize, draft: &CageDraft, size: usize, faults: &mut Faults) {
    let field = format!("cages[{number}].target");
    let name = format!("cage {}", number + 1);
    let message = match (draft.operation, draft.target) {
        (Operation::Free, None) => return,
        (Operation::Free, Some(target)) => format!("{name} has target {target} but no operation"),
        (_, None) => format!("{name} has no target"),
        (_, Some(target)) if target < 0 => format!("target {target} of {name} is negative"),
        (operation, Some(target)) => {
            if can_be_met(operation, target as u64, draft.cells.len(), size, draft.distinct) {
                return;
            }
            let count = draft.cells.len();
            let cells = if count == 1 { "cell".to_owned() } else { format!("{count} cells") };
            let differ = if draft.distinct && count > 1 { ", all different," } else { "" };
            format!(
                "target {target} of {name} cannot be met: no digits of 1 to {size} in {cells}{differ} give it by `{}`",
                operation.symbol()
            )
        }
    };
    faults.push(Fault::new(field, message).at(on_board(&draft.cells, size)));
}

fn on_board(cells: &[usize], size: usize) -> Vec<Cell> {
    cells.iter().filter(|&&index| index < size * size).map(|&index| Cell::new(index)).collect()
}

/// Whether some digits, in as many cells, give the target; where they stand on the board is not looked at.
fn can_be_met(operation: Operation, target: u64, cells: usize, size: usize, distinct: bool) -> bool {
    let (n, k) = (size as u64, cells as u64);
    match operation {
        Operation::Free => true,
        Operation::Equal => (1..=n).contains(&target),
        // Every sum between the least and the greatest can be had: raise one digit by one at a time.
        Operation::Add if distinct => {
            k <= n && target >= k * (k + 1) / 2 && target <= k * (2 * n + 1 - k.min(n)) / 2
        }
        Operation::Add => target >= k && target <= k * n,
        Operation::Multiply => is_product(target, cells, size as u8, distinct),
        Operation::Subtract | Operation::Divide => {
            let pairs = (1..=size as u8).flat_map(|a| (1..=size as u8).map(move |b| [a, b]));
            pairs.filter(|[a, b]| !distinct || a != b).any(|pair| is_met(operation, target, &pair))
        }
        Operation::Unknown => [Operation::Add, Operation::Multiply, Operation::Subtract, Operation::Divide]
            .into_iter()
            .filter(|operation| cells == 2 || matches!(operation, Operation::Add | Operation::Multiply))
            .any(|operation| can_be_met(operation, target, cells, size, distinct)),
    }
}

/// Whether the target is a product of so many digits up to `largest`, all different if `distinct`.
/// Digits are tried from the largest down, each as often as it divides; few numbers have many such divisors.
fn is_product(target: u64, cells: usize, largest: u8, distinct: bool) -> bool {
    if target == 0 || largest == 0 {
        return false;
    }
    if largest == 1 {
        return target == 1 && (!distinct || cells <= 1);
    }
    if cells == 0 {
        return target == 1;
    }
    let digit = u64::from(largest);
    // Too large for what is left: digits from here down cannot reach it.
    let mut reach = 1u64;
    for _ in 0..cells {
        reach = reach.saturating_mul(digit);
    }
    if reach < target {
        return false;
    }
    if target.is_multiple_of(digit) {
        let next = if distinct { largest - 1 } else { largest };
        if is_product(target / digit, cells - 1, next, distinct) {
            return true;
        }
    }
    is_product(target, cells, largest - 1, distinct)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(draft: PuzzleDraft) -> Vec<String> {
        draft.check().expect_err("faults").list.into_iter().map(|fault| fault.message).collect()
    }

    fn cage(cells: &[usize], operation: Operation, target: i64, distinct: bool) -> CageDraft {
        CageDraft { cells: cells.to_vec(), operation, target: Some(target), distinct }
    }

    fn classic(grid: &str) -> PuzzleDraft {
        let givens = grid.chars().map(|c| c.to_digit(10).unwrap_or(0)).collect();
        PuzzleDraft { regions: RegionsDraft::Boxes { rows: 3, columns: 3 }, givens, ..PuzzleDraft::latin(9) }
    }

    /// The demonstration board of the fish article breaks the rules three times.
    #[test]
    fn fish_article_board() {
        let board = "..3.2.6..9..3.5..1..18.64....81.89...45.....3..6.7.2....2.4.1..8..9.7..6..1.9.8..";
        assert_eq!(
            messages(classic(board)),
            [
                "8 is given twice in row 4: r4c3 and r4c6",
                "1 is given twice in column 3: r3c3 and r9c3",
                "9 is given twice in box 8: r8c4 and r9c5",
            ]
        );
    }

    #[test]
    fn every_fault_of_a_cage_list() {
        let mut draft = PuzzleDraft::latin(4);
        draft.cages = vec![
            cage(&[], Operation::Add, 3, true),
            cage(&[0, 1], Operation::Add, -5, true),
            cage(&[1, 2, 3], Operation::Subtract, 1, true),
            cage(&[4, 5], Operation::Add, 99, true),
            cage(&[6, 16], Operation::Multiply, 5, true),
        ];
        assert_eq!(
            messages(draft),
            [
                "cage 1 covers no cell",
                "target 3 of cage 1 cannot be met: no digits of 1 to 4 in 0 cells give it by `+`",
                "target -5 of cage 2 is negative",
                "r1c2 is in cage 2 and in cage 3",
                "cage 3 has 3 cells; `-` takes 2",
                "target 99 of cage 4 cannot be met: no digits of 1 to 4 in 2 cells, all different, give it by `+`",
                "cage 5 names cell 16, past the board",
                "target 5 of cage 5 cannot be met: no digits of 1 to 4 in 2 cells, all different, give it by `*`",
            ]
        );
    }

    #[test]
    fn regions_are_named_alike_by_whoever_counts_from_0_or_from_1() {
        let jigsaw = |regions: [usize; 16]| PuzzleDraft {
            regions: RegionsDraft::Jigsaw(regions.to_vec()),
            ..PuzzleDraft::latin(4)
        };
        assert_eq!(
            messages(jigsaw([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3])),
            ["the region of r3c1 has 5 cells instead of 4", "the region of r4c2 has 3 cells instead of 4"]
        );
        assert_eq!(
            messages(jigsaw([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 4])),
            [
                "r4c4 is in region 4, of 0 to 3",
                "the region of r3c1 has 7 cells instead of 4",
                "a region has no cell: there are 3 instead of 4",
            ]
        );
        let mut draft = jigsaw([0, 0, 0, 1, 0, 2, 2, 1, 3, 2, 2, 1, 3, 3, 3, 1]);
        let houses = draft.clone().check().expect("a puzzle").houses().to_vec();
        let first = (houses[8].to_string(), notation::cells(&houses[8].cells, 4));
        assert_eq!(first, ("region 1".to_owned(), "r1c123 r2c1".to_owned()), "region 0");
        (draft.givens[1], draft.givens[4]) = (4, 4);
        assert_eq!(messages(draft), ["4 is given twice in region 1: r1c2 and r2c1"]);
    }

    #[test]
    fn kenken_must_cover() {
        let mut draft = PuzzleDraft::latin(2);
        draft.cages = vec![cage(&[0, 1], Operation::Add, 3, false)];
        assert_eq!(messages(draft), ["cages that may repeat digits must cover the board; r2c12 is in none"]);
    }

    #[test]
    fn sizes() {
        assert_eq!(messages(PuzzleDraft::latin(26)), ["size 26 is not between 2 and 25"]);
        assert_eq!(messages(PuzzleDraft::latin(1)), ["size 1 is not between 2 and 25"]);
        assert!(PuzzleDraft::latin(usize::MAX).check().is_err());
        assert!(PuzzleDraft::latin(25).check().is_ok());
    }

    /// The quick test of a target agrees with trying every filling.
    #[test]
    fn targets_against_every_filling() {
        for (size, cells) in [(4u8, 3usize), (5, 2), (6, 3), (3, 1)] {
            for distinct in [false, true] {
                let mut fillings: Vec<Vec<u8>> = vec![vec![]];
                for _ in 0..cells {
                    fillings = fillings
                        .iter()
                        .flat_map(|filling| {
                            (1..=size).map(move |digit| [filling.clone(), vec![digit]].concat())
                        })
                        .filter(|filling| {
                            !distinct
                                || filling.iter().all(|d| filling.iter().filter(|e| *e == d).count() == 1)
                        })
                        .collect();
                }
                for operation in [
                    Operation::Add,
                    Operation::Multiply,
                    Operation::Subtract,
                    Operation::Divide,
                    Operation::Unknown,
                ] {
                    for target in 0..=u64::from(size).pow(cells as u32) + 1 {
                        let met = fillings.iter().any(|filling| is_met(operation, target, filling));
                        let quick = can_be_met(operation, target, cells, size as usize, distinct);
                        assert!(quick || !met, "{operation:?} {target} in {cells} cells of 1 to {size}");
                        let exact = cells == 2 || matches!(operation, Operation::Add | Operation::Multiply);
                        assert!(
                            !exact || quick == met,
                            "{operation:?} {target} in {cells} cells of 1 to {size}"
                        );
                    }
                }
            }
        }
    }
}
