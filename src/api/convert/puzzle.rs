//! Puzzles, grids, ratings and faults.

use std::str::FromStr;

use super::words::{read_operation, write_house_kind, write_level, write_operation};
use crate::api::proto as pb;
use crate::engine::rate::Rating;
use crate::puzzle::{
    CageDraft, Cell, Digit, DigitSet, Fault, Faults, Operation, Puzzle, PuzzleDraft, Regions, RegionsDraft,
    Solution,
    formats::{self, Format},
    notation,
};

/// The puzzle that was handed in, or none and its faults.
pub fn read_input(input: Option<pb::PuzzleInput>, field: &str, faults: &mut Faults) -> Option<Puzzle> {
    let Some(pb::PuzzleInput { source: Some(source), format }) = input else {
        faults.push(Fault::new(field, "a puzzle is needed, as `text` or as `puzzle`"));
        return None;
    };
    let (read, field) = match source {
        pb::puzzle_input::Source::Text(text) => {
            let format = read_format(&format, &format!("{field}.format"), faults)?;
            let read = format.map_or_else(|| formats::read(&text), |format| formats::read_as(format, &text));
            (read, format!("{field}.text"))
        }
        pb::puzzle_input::Source::Puzzle(puzzle) => {
            if !format.is_empty() {
                faults.push(Fault::new(format!("{field}.format"), "a puzzle in parts has no format"));
            }
            (read_parts(puzzle), format!("{field}.puzzle"))
        }
    };
    match read {
        Ok(puzzle) => Some(puzzle),
        Err(found) => {
            push_under(&field, found, faults);
            None
        }
    }
}

/// The format of a name, none if it is to be detected; or a fault.
fn read_format(name: &str, field: &str, faults: &mut Faults) -> Option<Option<Format>> {
    if name.is_empty() {
        return Some(None);
    }
    match Format::from_str(name) {
        Ok(format) => Some(Some(format)),
        Err(message) => {
            faults.push(Fault::new(field, message));
            None
        }
    }
}

/// Adds faults under the field in which they were found.
pub fn push_under(field: &str, found: Faults, faults: &mut Faults) {
    for fault in found.list {
        let field =
            if fault.field.is_empty() { field.to_owned() } else { format!("{field}.{}", fault.field) };
        faults.push(Fault { field, ..fault });
    }
    faults.more += found.more;
}

/// A puzzle in parts, or every fault.
pub fn read_parts(message: pb::Puzzle) -> Result<Puzzle, Faults> {
    let mut faults = Faults::none();
    let size = message.size as usize;
    let regions = match message.regions {
        None => RegionsDraft::None,
        Some(pb::puzzle::Regions::Boxes(shape)) => {
            RegionsDraft::Boxes { rows: shape.rows as usize, columns: shape.columns as usize }
        }
        Some(pb::puzzle::Regions::Jigsaw(jigsaw)) => {
            RegionsDraft::Jigsaw(jigsaw.regions.into_iter().map(|region| region as usize).collect())
        }
    };
    let mut draft = PuzzleDraft {
        regions,
        falling_diagonal: message.falling_diagonal,
        rising_diagonal: message.rising_diagonal,
        windows: message.windows,
        ..PuzzleDraft::latin(size)
    };
    if !message.givens.is_empty() {
        draft.givens = message.givens;
    }
    for (index, bits) in message.candidates.into_iter().enumerate() {
        if bits >> Digit::MAX != 0 {
            let field = format!("candidates[{index}]");
            faults.push(Fault::new(field, format!("{bits:#x} has bits past digit {}", Digit::MAX)));
        }
        draft.candidates.push(DigitSet::from_bits(bits));
    }
    for (index, cage) in message.cages.into_iter().enumerate() {
        draft.cages.push(read_cage(index, cage, &mut faults));
    }
    match (draft.check(), faults.is_empty()) {
        (Ok(puzzle), true) => Ok(puzzle),
        (Ok(_), false) => Err(faults),
        (Err(found), _) => {
            found.list.into_iter().for_each(|fault| faults.push(fault));
            faults.more += found.more;
            Err(faults)
        }
    }
}

/// A cage of unknown operation is read as one without target, which is what the check complains least about: the
/// fault that matters is named here.
fn read_cage(index: usize, cage: pb::Cage, faults: &mut Faults) -> CageDraft {
    let operation = read_operation(cage.operation);
    if operation.is_none() {
        let message = format!("cage {} has no operation", index + 1);
        faults.push(Fault::new(format!("cages[{index}].operation"), message));
    }
    CageDraft {
        cells: cage.cells.into_iter().map(|cell| cell as usize).collect(),
        operation: operation.unwrap_or(Operation::Free),
        target: cage.target.filter(|_| operation.is_some()),
        distinct: cage.distinct,
    }
}

/// A puzzle in parts, with its houses, which lists leave out.
pub fn write_puzzle(puzzle: &Puzzle, with_houses: bool) -> pb::Puzzle {
    let layout = puzzle.layout();
    let regions = match &layout.regions {
        Regions::None => None,
        Regions::Boxes(shape) => Some(pb::puzzle::Regions::Boxes(pb::BoxShape {
            rows: shape.rows.into(),
            columns: shape.columns.into(),
        })),
        Regions::Jigsaw(regions) => Some(pb::puzzle::Regions::Jigsaw(pb::Jigsaw {
            regions: regions.iter().copied().map(u32::from).collect(),
        })),
    };
    let candidates = if puzzle.is_restricted() {
        Cell::all(puzzle.size()).map(|cell| puzzle.allowed(cell).bits()).collect()
    } else {
        Vec::new()
    };
    pb::Puzzle {
        size: puzzle.size() as u32,
        regions,
        falling_diagonal: layout.falling_diagonal,
        rising_diagonal: layout.rising_diagonal,
        windows: layout.windows,
        givens: puzzle.givens().iter().copied().map(digit_value).collect(),
        cages: puzzle.cages().iter().map(write_cage).collect(),
        candidates,
        houses: if with_houses { puzzle.houses().iter().map(write_house).collect() } else { Vec::new() },
        kind: puzzle.kind().to_owned(),
        text: write_text(puzzle),
    }
}

/// One line where that says all, JSON else.
fn write_text(puzzle: &Puzzle) -> String {
    formats::write(Format::Line, puzzle).unwrap_or_else(|_| formats::json::to_string(puzzle))
}

fn write_cage(cage: &crate::puzzle::Cage) -> pb::Cage {
    pb::Cage {
        cells: write_cells(&cage.cells),
        operation: write_operation(cage.operation).into(),
        target: (cage.operation != Operation::Free).then_some(cage.target as i64),
        distinct: cage.distinct,
    }
}

fn write_house(house: &crate::puzzle::House) -> pb::House {
    pb::House {
        kind: write_house_kind(house.kind).into(),
        number: house.number.into(),
        cells: write_cells(&house.cells),
    }
}

/// Their indices.
pub fn write_cells(cells: &[Cell]) -> Vec<u32> {
    cells.iter().map(|cell| cell.index() as u32).collect()
}

/// 0 for none.
pub fn digit_value(digit: Option<Digit>) -> u32 {
    digit.map_or(0, |digit| digit.value().into())
}

/// A grid, full or not.
pub fn write_grid(digits: &[Option<Digit>]) -> pb::Grid {
    pb::Grid {
        digits: digits.iter().copied().map(digit_value).collect(),
        text: notation::line(digits.iter().copied()),
    }
}

/// A full grid.
pub fn write_solution(solution: &Solution) -> pb::Grid {
    pb::Grid {
        digits: solution.digits().iter().map(|digit| digit.value().into()).collect(),
        text: solution.to_line(),
    }
}

/// A rating.
pub fn write_rating(rating: &Rating) -> pb::Rating {
    pb::Rating {
        scale: rating.scale.clone(),
        version: rating.version,
        level: rating.level.map_or(0, |level| write_level(level).into()),
        score: rating.score,
        hardest: rating.hardest.as_ref().map(ToString::to_string).unwrap_or_default(),
        counts: rating
            .counts
            .iter()
            .map(|(slug, count)| pb::TechniqueCount { technique: slug.to_string(), count: *count })
            .collect(),
        searched_cells: rating.searched_cells,
        pearl: rating.pearl,
        diamond: rating.diamond,
    }
}

/// A fault as data.
pub fn write_fault(fault: &Fault) -> pb::Fault {
    pb::Fault { field: fault.field.clone(), message: fault.message.clone(), cells: write_cells(&fault.cells) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{BoxShape, Layout};

    fn parts(size: u32) -> pb::Puzzle {
        pb::Puzzle { size, ..pb::Puzzle::default() }
    }

    #[test]
    fn parts_round_trip() {
        let mut message = parts(4);
        message.regions = Some(pb::puzzle::Regions::Boxes(pb::BoxShape { rows: 2, columns: 2 }));
        message.falling_diagonal = true;
        message.givens = vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        message.candidates = vec![15; 16];
        message.candidates[1] = 0b0110;
        message.cages = vec![pb::Cage { cells: vec![15, 14], operation: 1, target: Some(3), distinct: true }];
        let puzzle = read_parts(message).expect("a puzzle");
        let again = read_parts(write_puzzle(&puzzle, true)).expect("the same");
        assert_eq!(puzzle, again);
        assert_eq!(puzzle.layout().houses(), {
            let mut layout = Layout::boxed(BoxShape { rows: 2, columns: 2 });
            layout.falling_diagonal = true;
            layout.houses()
        });
    }

    #[test]
    fn every_fault_is_named_under_its_field() {
        let mut message = parts(4);
        message.givens = vec![9; 16];
        message.candidates = vec![1 << 30; 16];
        message.cages = vec![
            pb::Cage { cells: vec![], operation: 0, target: None, distinct: true },
            pb::Cage { cells: vec![0, 0], operation: 1, target: Some(-1), distinct: true },
        ];
        let mut faults = Faults::none();
        let source = Some(pb::puzzle_input::Source::Puzzle(message));
        let input = pb::PuzzleInput { source, format: "grid".to_owned() };
        assert!(read_input(Some(input), "puzzle", &mut faults).is_none());
        let text = faults.to_string();
        for part in [
            "puzzle.format",
            "puzzle.puzzle.givens: r1c1 holds 9",
            "puzzle.puzzle.candidates[3]",
            "puzzle.puzzle.cages[0].cells: cage 1 covers no cell",
            "puzzle.puzzle.cages[0].operation",
            "puzzle.puzzle.cages[1].cells: r1c1 is in cage 2 twice",
            "puzzle.puzzle.cages[1].target: target -1 of cage 2 is negative",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }

    #[test]
    fn nothing_is_a_fault() {
        let mut faults = Faults::none();
        assert!(read_input(None, "puzzle", &mut faults).is_none());
        assert_eq!(faults.list[0].field, "puzzle");
    }

    #[test]
    fn sizes_past_all_bounds() {
        for size in [0, 1, 26, u32::MAX] {
            let faults = read_parts(parts(size)).expect_err("no such size");
            assert_eq!(faults.list[0].field, "size");
        }
    }
}
