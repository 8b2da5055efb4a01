//! Faces of a puzzle, written here apart from the project's own, so that tests do not lean on what they test.

use sleuth::engine::generate::rng::Stream;
use sleuth::puzzle::{
    BoxShape, CageDraft, Cell, Digit, DigitSet, Puzzle, PuzzleDraft, Regions, RegionsDraft,
};

/// The draft that a puzzle was made from, or one as good.
pub fn draft_of(puzzle: &Puzzle) -> PuzzleDraft {
    let layout = puzzle.layout();
    PuzzleDraft {
        size: puzzle.size(),
        regions: match &layout.regions {
            Regions::None => RegionsDraft::None,
            Regions::Boxes(BoxShape { rows, columns }) => {
                RegionsDraft::Boxes { rows: usize::from(*rows), columns: usize::from(*columns) }
            }
            Regions::Jigsaw(regions) => {
                RegionsDraft::Jigsaw(regions.iter().map(|&region| usize::from(region)).collect())
            }
        },
        falling_diagonal: layout.falling_diagonal,
        rising_diagonal: layout.rising_diagonal,
        windows: layout.windows,
        givens: puzzle
            .givens()
            .iter()
            .map(|given| given.map_or(0, |digit| u32::from(digit.value())))
            .collect(),
        cages: puzzle
            .cages()
            .iter()
            .map(|cage| CageDraft {
                cells: cage.cells.iter().map(|cell| cell.index()).collect(),
                operation: cage.operation,
                target: draft_target(cage),
                distinct: cage.distinct,
            })
            .collect(),
        candidates: Cell::all(puzzle.size()).map(|cell| puzzle.allowed(cell)).collect(),
    }
}

fn draft_target(cage: &sleuth::puzzle::Cage) -> Option<i64> {
    let has_target = cage.operation != sleuth::puzzle::Operation::Free;
    has_target.then(|| i64::try_from(cage.target).expect("targets of drafts are i64"))
}

/// A random face: transposed or not, lines moved as far as the rules allow, digits renamed if nothing counts them,
/// regions and cages listed in another order.
pub fn random_face(puzzle: &Puzzle, stream: &mut Stream) -> Puzzle {
    let size = puzzle.size();
    let mut draft = draft_of(puzzle);
    let is_fixed = draft.falling_diagonal || draft.rising_diagonal || draft.windows;
    if stream.below(2) == 1 {
        draft = moved(&draft, |row, column| (column, row));
        if let RegionsDraft::Boxes { rows, columns } = draft.regions {
            draft.regions = RegionsDraft::Boxes { rows: columns, columns: rows };
        }
    }
    let (rows, columns) = if is_fixed {
        let turned: Vec<usize> = (0..size).rev().collect();
        let lines = if stream.below(2) == 1 { turned } else { (0..size).collect() };
        (lines.clone(), lines)
    } else {
        let (tall, wide) = match draft.regions {
            RegionsDraft::Boxes { rows, columns } => (rows, columns),
            RegionsDraft::None | RegionsDraft::Jigsaw(_) => (1, 1),
        };
        (random_lines(size, tall, stream), random_lines(size, wide, stream))
    };
    draft = moved(&draft, |row, column| (rows[row], columns[column]));
    if draft.cages.is_empty() {
        rename(&mut draft, stream);
    }
    stream.shuffle(&mut draft.cages);
    if let RegionsDraft::Jigsaw(regions) = &mut draft.regions {
        let mut names: Vec<usize> = (0..size).collect();
        stream.shuffle(&mut names);
        for region in regions {
            *region = names[*region];
        }
    }
    draft.check().expect("a face of a puzzle is a puzzle")
}

/// Where each line goes: bands in random order, lines within bands in random order.
fn random_lines(size: usize, thickness: usize, stream: &mut Stream) -> Vec<usize> {
    let mut bands: Vec<usize> = (0..size / thickness).collect();
    stream.shuffle(&mut bands);
    let mut lines = Vec::new();
    for band in bands {
        let mut within: Vec<usize> = (0..thickness).map(|line| band * thickness + line).collect();
        stream.shuffle(&mut within);
        lines.extend(within);
    }
    lines
}

fn moved(draft: &PuzzleDraft, to: impl Fn(usize, usize) -> (usize, usize)) -> PuzzleDraft {
    let size = draft.size;
    let image = |index: usize| {
        let (row, column) = to(index / size, index % size);
        row * size + column
    };
    let mut after = draft.clone();
    for index in 0..size * size {
        after.givens[image(index)] = draft.givens[index];
        after.candidates[image(index)] = draft.candidates[index];
    }
    if let (RegionsDraft::Jigsaw(before), RegionsDraft::Jigsaw(after)) = (&draft.regions, &mut after.regions)
    {
        for index in 0..size * size {
            after[image(index)] = before[index];
        }
    }
    for cage in &mut after.cages {
        for cell in &mut cage.cells {
            *cell = image(*cell);
        }
    }
    after
}

fn rename(draft: &mut PuzzleDraft, stream: &mut Stream) {
    let mut names: Vec<Digit> = Digit::all(draft.size).collect();
    stream.shuffle(&mut names);
    for given in draft.givens.iter_mut().filter(|given| **given > 0) {
        *given = u32::from(names[*given as usize - 1].value());
    }
    for set in &mut draft.candidates {
        *set = set.iter().map(|digit| names[digit.index()]).collect::<DigitSet>();
    }
}
