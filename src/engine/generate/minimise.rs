//! Taking clues away: groups of cells in random order, each if what is left has one solution and is no harder
//! than wanted.
//!
//! Holding the level down while clues go, instead of rating what is left at the end, is what makes attempts
//! succeed: a puzzle from which no more can go without becoming harder than medium is mostly just medium.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::Recipe;
use super::rng::Stream;
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::Level;
use crate::engine::rate::is_within;
use crate::engine::search::{Count, End, Engine};
use crate::puzzle::{Layout, Puzzle, PuzzleDraft, Regions, RegionsDraft, Solution};

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
/// can.
pub fn minimise(
    recipe: &Recipe,
    full: &Puzzle,
    stream: &mut Stream,
    budget: &mut Budget,
) -> Result<Arc<Puzzle>, Stopped> {
    let cells = full.cell_count() as u32;
    let fewest = fewest_clues(recipe, stream);
    let mut orbits = recipe.symmetry.orbits(full.size());
    stream.shuffle(&mut orbits);
    let mut count = cells;
    let mut puzzle = Arc::new(full.clone());
    for orbit in orbits {
        let after = count - orbit.len() as u32;
        if after < fewest {
            continue;
        }
        let fewer = Arc::new(puzzle.without_givens(&orbit));
        let level =
            if after * 100 >= cells * PLENTY_OF_CLUES { Level::Extreme } else { *recipe.levels.end() };
        if suits(&fewer, level, budget)? {
            (count, puzzle) = (after, fewer);
        }
    }
    Ok(puzzle)
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

/// Whether a puzzle has one solution and is no harder than this. Search comes first: it is by far the cheaper.
fn suits(puzzle: &Arc<Puzzle>, level: Level, budget: &mut Budget) -> Result<bool, Stopped> {
    Ok(has_one_solution(puzzle, budget)? && is_within(puzzle, level, budget)?)
}

fn has_one_solution(puzzle: &Puzzle, budget: &mut Budget) -> Result<bool, Stopped> {
    match Engine::General.search().count(puzzle, 2, budget, &mut |_| {}) {
        Count { end: End::Stopped(stopped), .. } => Err(stopped),
        Count { solutions, end: End::Complete | End::Limit, .. } => Ok(solutions == 1),
    }
}
