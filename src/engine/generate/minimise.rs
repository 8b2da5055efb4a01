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
use crate::puzzle::{Digit, Layout, Puzzle, PuzzleDraft, Regions, RegionsDraft, Solution};

/// How many of a hundred cells are clues in an easy puzzle, where the recipe leaves room: a puzzle of singles
/// with no clue to spare is easy in level and tiresome to do.
const EASY_CLUES: RangeInclusive<u32> = 40..=46;

/// A puzzle with this solution alone, made to suit the recipe as well as this stream can.
pub fn minimise(
    recipe: &Recipe,
    grid: &Solution,
    stream: &mut Stream,
    budget: &mut Budget,
) -> Result<Arc<Puzzle>, Stopped> {
    let fewest = fewest_clues(recipe, stream);
    let mut orbits = recipe.symmetry.orbits(recipe.layout.size);
    stream.shuffle(&mut orbits);
    let mut clues: Vec<Option<Digit>> = grid.digits().iter().copied().map(Some).collect();
    let mut count = clues.len() as u32;
    let mut puzzle = Arc::new(puzzle(&recipe.layout, &clues));
    for orbit in orbits {
        let after = count - orbit.len() as u32;
        if after < fewest {
            continue;
        }
        let mut fewer = clues.clone();
        for cell in orbit {
            fewer[cell.index()] = None;
        }
        let candidate = Arc::new(self::puzzle(&recipe.layout, &fewer));
        if suits(&candidate, *recipe.levels.end(), budget)? {
            (clues, count, puzzle) = (fewer, after, candidate);
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

/// The puzzle with these clues, taken from a full grid of this board.
fn puzzle(layout: &Layout, clues: &[Option<Digit>]) -> Puzzle {
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
        givens: clues.iter().map(|clue| clue.map_or(0, |digit| u32::from(digit.value()))).collect(),
        ..PuzzleDraft::latin(layout.size)
    };
    draft.check().expect("the layout was checked and the clues stand in a full grid")
}
