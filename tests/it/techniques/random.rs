//! Puzzles made on the spot, so that tests need no data: a full grid with cages cut at random and a few digits
//! given. It may have several solutions; what a step says without uniqueness holds in all, so also in the grid.

use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::generate::fill::fill;
use sleuth::engine::generate::rng::Stream;
use sleuth::puzzle::{BoxShape, CageDraft, Cell, Layout, Operation, Puzzle, PuzzleDraft, Regions};
use sleuth::puzzle::{RegionsDraft, Solution};

/// What the cages are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cages {
    /// There are none.
    None,
    /// Sums of different digits.
    Killer,
    /// Every operation, digits may repeat.
    KenKen,
    /// The same, the operation not told.
    Unknown,
}

/// Boards that differ in every way a layout can.
pub fn layouts() -> Vec<Layout> {
    let square = Layout::boxed(BoxShape { rows: 3, columns: 3 });
    vec![
        square.clone(),
        Layout::boxed(BoxShape { rows: 2, columns: 3 }),
        Layout::latin(6),
        Layout { windows: true, ..square.clone() },
        Layout { falling_diagonal: true, rising_diagonal: true, ..square },
        Layout { falling_diagonal: true, ..Layout::latin(5) },
        Layout { regions: Regions::Jigsaw(stairs(7)), ..Layout::latin(7) },
    ]
}

/// Regions that wind: seven cells each, cut from a path through all rows.
fn stairs(size: usize) -> Vec<u8> {
    let mut regions = vec![0; size * size];
    for step in 0..size * size {
        let (pair, within) = (step / (2 * size), step % (2 * size));
        let height = if 2 * pair + 1 < size { 2 } else { 1 };
        let (row, column) = (2 * pair + within % height, within / height);
        regions[row * size + column] = (step / size) as u8;
    }
    regions
}

/// A puzzle and its grid. One cell in `sparse` is given.
pub fn random(layout: &Layout, cages: Cages, sparse: u32, seed: u64) -> (Arc<Puzzle>, Solution) {
    let mut stream = Stream::new(seed, 0);
    let solution = fill(layout, &mut stream, &mut Budget::unlimited()).expect("no budget to run out");
    let mut draft = PuzzleDraft::latin(layout.size);
    draft.regions = match &layout.regions {
        Regions::None => RegionsDraft::None,
        Regions::Boxes(shape) => {
            RegionsDraft::Boxes { rows: shape.rows.into(), columns: shape.columns.into() }
        }
        Regions::Jigsaw(regions) => {
            RegionsDraft::Jigsaw(regions.iter().map(|&region| region.into()).collect())
        }
    };
    draft.falling_diagonal = layout.falling_diagonal;
    draft.rising_diagonal = layout.rising_diagonal;
    draft.windows = layout.windows;
    for (given, digit) in draft.givens.iter_mut().zip(solution.digits()) {
        if stream.below(sparse) == 0 {
            *given = digit.value().into();
        }
    }
    draft.cages = cut(&solution, layout.size, cages, &mut stream);
    (Arc::new(draft.check().expect("a grid's own puzzle")), solution)
}

/// Cuts cages of one to five cells along a random walk from every cell that is left.
fn cut(solution: &Solution, size: usize, cages: Cages, stream: &mut Stream) -> Vec<CageDraft> {
    let mut is_left = vec![cages != Cages::None; size * size];
    let mut drafts = Vec::new();
    for start in 0..size * size {
        if !is_left[start] {
            continue;
        }
        let wanted = 1 + stream.below(5) as usize;
        let mut cells = vec![start];
        is_left[start] = false;
        while cells.len() < wanted {
            let last = Cell::new(cells[cells.len() - 1]);
            let mut next = neighbours(last, size);
            let fits = |&cell: &usize| {
                let repeats = cells.iter().any(|&other| solution.digits()[other] == solution.digits()[cell]);
                is_left[cell] && !(repeats && cages == Cages::Killer)
            };
            next.retain(fits);
            if next.is_empty() {
                break;
            }
            let cell = next[stream.below(next.len() as u32) as usize];
            is_left[cell] = false;
            cells.push(cell);
        }
        drafts.push(cage(cells, solution, cages, stream));
    }
    drafts
}

fn neighbours(cell: Cell, size: usize) -> Vec<usize> {
    let (row, column, index) = (cell.row(size), cell.column(size), cell.index());
    let mut cells = Vec::new();
    if row > 0 {
        cells.push(index - size);
    }
    if row + 1 < size {
        cells.push(index + size);
    }
    if column > 0 {
        cells.push(index - 1);
    }
    if column + 1 < size {
        cells.push(index + 1);
    }
    cells
}

fn cage(cells: Vec<usize>, solution: &Solution, cages: Cages, stream: &mut Stream) -> CageDraft {
    let values: Vec<i64> = cells.iter().map(|&cell| solution.digits()[cell].value().into()).collect();
    let sum: i64 = values.iter().sum();
    let product: i64 = values.iter().product();
    let mut ways = vec![(Operation::Add, sum)];
    if cages != Cages::Killer {
        ways.push((Operation::Multiply, product));
        if let [one, other] = values[..] {
            ways.push((Operation::Subtract, (one - other).abs()));
            if one.max(other) % one.min(other) == 0 {
                ways.push((Operation::Divide, one.max(other) / one.min(other)));
            }
        }
        if values.len() == 1 {
            ways = vec![(Operation::Equal, sum)];
        }
    }
    let (operation, target) = ways[stream.below(ways.len() as u32) as usize];
    let operation = if cages == Cages::Unknown { Operation::Unknown } else { operation };
    CageDraft { cells, operation, target: Some(target), distinct: cages == Cages::Killer }
}
