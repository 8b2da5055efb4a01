//! Taking clues away: groups of cells in random order, each if what is left has one solution and is no harder
//! than wanted.
//!
//! Holding the level down while clues go, instead of rating what is left at the end, is what makes attempts
//! succeed: a puzzle from which no more can go without becoming harder than medium is mostly just medium.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::Recipe;
use super::classic::TRIES;
use super::classic::carve::{Carver, Cells};
use super::classic::steer::Walk;
use super::rng::Stream;
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::Level;
use crate::engine::rate::is_within;
use crate::engine::search::{Count, End, Engine};
use crate::puzzle::{Cell, Layout, Puzzle, PuzzleDraft, Regions, RegionsDraft, Solution};

/// How many of a hundred cells are clues in an easy puzzle, where the recipe leaves room: a puzzle of singles
/// with no clue to spare is easy in level and tiresome to do.
const EASY_CLUES: RangeInclusive<u32> = 40..=46;

/// Down to this many of a hundred cells being clues, no level is looked at: such puzzles are easy but for one in
/// many, which the rating at the end finds out. A look costs ten times what counting solutions does.
const PLENTY_OF_CLUES: u32 = 40;

/// The full grid as a puzzle, from which clues are taken.
pub fn full_puzzle(layout: &Layout, grid: &Solution) -> Puzzle {
    let regions = match &layout.regions {
        Regions::None => RegionsDraft::None,
        Regions::Boxes(shape) => {
            RegionsDraft::Boxes { rows: usize::from(shape.rows), columns: usize::from(shape.columns) }
        }
        Regions::Jigsaw(regions) => {
            RegionsDraft::Jigsaw(regions.iter().map(|&region| usize::from(region)).collect())
        }
    };
    let draft = PuzzleDraft {
        regions,
        falling_diagonal: layout.falling_diagonal,
        rising_diagonal: layout.rising_diagonal,
        windows: layout.windows,
        givens: grid.digits().iter().map(|digit| u32::from(digit.value())).collect(),
        ..PuzzleDraft::latin(layout.size)
    };
    draft.check().expect("the layout was checked and the grid keeps its houses")
}

/// What is left of a full grid: a puzzle with this solution alone, made to suit the recipe as well as this stream
/// can. A carver is there for plain 9×9 boards, and stands at the full grid: it says the same as search, sooner.
pub fn minimise(
    recipe: &Recipe,
    full: &Puzzle,
    mut carver: Option<Carver<'_>>,
    stream: &mut Stream,
    budget: &mut Budget,
) -> Result<Arc<Puzzle>, Stopped> {
    let cells = full.cell_count() as u32;
    let fewest = fewest_clues(recipe, stream);
    let mut orbits = recipe.symmetry.orbits(full.size());
    stream.shuffle(&mut orbits);
    let mut puzzle = Arc::new(full.clone());
    if let Some(carver) = &mut carver {
        carve(recipe, carver, &orbits, fewest, stream, budget)?;
        puzzle = Arc::new(carved(full, carver.clues()));
    }
    let mut count = puzzle.givens().iter().flatten().count() as u32;
    for orbit in orbits {
        let after = count.saturating_sub(orbit.len() as u32);
        if after < fewest || puzzle.given(orbit[0]).is_none() {
            continue;
        }
        let level =
            if after * 100 >= cells * PLENTY_OF_CLUES { Level::Extreme } else { *recipe.levels.end() };
        let fewer = Arc::new(puzzle.without_givens(&orbit));
        // Search comes first: it is by far the cheaper.
        let has_one = match &mut carver {
            Some(carver) => carver.can_go(set_of(&orbit), budget)?,
            None => has_one_solution(&fewer, budget)?,
        };
        if !has_one {
            continue;
        }
        if is_within(&fewer, level, budget)? {
            (count, puzzle) = (after, fewer);
        } else if let Some(carver) = &mut carver {
            carver.close(set_of(&orbit));
        }
    }
    Ok(puzzle)
}

/// Takes as many clues as no level needs be looked at for, and, where no level matters, goes on towards few clues.
fn carve(
    recipe: &Recipe,
    carver: &mut Carver<'_>,
    orbits: &[Vec<Cell>],
    fewest: u32,
    stream: &mut Stream,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    let groups: Vec<Cells> = orbits.iter().map(|orbit| set_of(orbit)).collect();
    if *recipe.levels.end() != Level::Extreme {
        return carver.carve(&groups, fewest.max((81 * PLENTY_OF_CLUES).div_ceil(100)), budget);
    }
    carver.carve(&groups, fewest, budget)?;
    if carver.count() > *recipe.clues.end() {
        Walk { carver, groups: &groups, stream }.steer(&recipe.clues, TRIES, budget)?;
    }
    Ok(())
}

fn set_of(cells: &[Cell]) -> Cells {
    cells.iter().fold(0, |set, cell| set | 1 << cell.index())
}

/// The full grid without what is no clue.
fn carved(full: &Puzzle, clues: Cells) -> Puzzle {
    let open: Vec<Cell> = Cell::all(9).filter(|cell| clues >> cell.index() & 1 == 0).collect();
    full.without_givens(&open)
}

/// Where to stop. An easy puzzle keeps more clues than it needs, a number drawn for each attempt.
fn fewest_clues(recipe: &Recipe, stream: &mut Stream) -> u32 {
    let (from, to) = (*recipe.clues.start(), *recipe.clues.end());
    if *recipe.levels.end() != Level::Easy {
        return from;
    }
    let cells = (recipe.layout.size * recipe.layout.size) as u32;
    let (low, high) = (cells * EASY_CLUES.start() / 100, cells * EASY_CLUES.end() / 100);
    let drawn = low + stream.below(high - low + 1);
    drawn.clamp(from, to)
}

fn has_one_solution(puzzle: &Puzzle, budget: &mut Budget) -> Result<bool, Stopped> {
    match Engine::General.search().count(puzzle, 2, budget, &mut |_| {}) {
        Count { end: End::Stopped(stopped), .. } => Err(stopped),
        Count { solutions, end: End::Complete | End::Limit, .. } => Ok(solutions == 1),
    }
}
