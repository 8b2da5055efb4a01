//! Lines of the public corpora: one JSON object a puzzle, with flat arrays of numbers, a solution and notes on
//! where it comes from. For measuring and tests; the notes are not read. `box` is width before height.

use serde_json::Value;

use super::strict;
use crate::puzzle::{
    CageDraft, Digit, Fault, Faults, Operation, Puzzle, PuzzleDraft, RegionsDraft, Solution,
};

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorpusPuzzle {
    /// As written.
    pub id: String,
    /// `kenken`, `killer` or `sudoku`.
    pub kind: String,
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its solution, where there is only one and it is known.
    pub solution: Option<Solution>,
    /// How many solutions it has, where that is known.
    pub solution_count: SolutionCount,
    /// The descriptor it was made from, if it was.
    pub descriptor: Option<String>,
}

/// How many solutions a line says its puzzle has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolutionCount {
    /// It does not say.
    Unknown,
    /// So many.
    Exactly(u64),
    /// Two or more.
    Several,
}

/// Reads one line.
pub fn read_line(line: &str) -> Result<CorpusPuzzle, Faults> {
    let value = strict::parse(line).map_err(|error| fault("line", format!("this is no JSON: {error}")))?;
    let kind = text(&value, "type")?;
    let size = whole(&value, "size").and_then(|size| usize::try_from(size).ok());
    let size = size.ok_or_else(|| fault("size", "the size is missing"))?;
    let mut draft = PuzzleDraft::latin(size);
    draft.regions = read_regions(&value, size)?;
    let diagonal = value.get("diagonal").and_then(Value::as_bool).unwrap_or(false);
    (draft.falling_diagonal, draft.rising_diagonal) = (diagonal, diagonal);
    if let Some(givens) = numbers(&value, "givens")? {
        draft.givens = givens.into_iter().map(|given| u32::try_from(given).unwrap_or(u32::MAX)).collect();
    }
    // Killer cages repeat no digit and KenKen cages may, unless the line says otherwise.
    let distinct = value.get("cage_distinct").and_then(Value::as_bool).unwrap_or(kind == "killer");
    draft.cages = read_cages(&value, distinct)?;
    let puzzle = draft.check()?;
    let solution = numbers(&value, "solution")?.map(|digits| read_solution(&digits, &puzzle)).transpose()?;
    let descriptor = value.pointer("/source/sgt_id").and_then(Value::as_str).map(str::to_owned);
    let solution_count = read_count(&value);
    let solution = solution.filter(|_| !matches!(solution_count, SolutionCount::Several));
    Ok(CorpusPuzzle { id: text(&value, "id")?, kind, puzzle, solution, solution_count, descriptor })
}

fn read_regions(value: &Value, size: usize) -> Result<RegionsDraft, Faults> {
    let regions: Option<Vec<usize>> = numbers(value, "regions")?.map(|regions| {
        regions.into_iter().map(|number| usize::try_from(number).unwrap_or(usize::MAX)).collect()
    });
    let Some(shape) = numbers(value, "box")? else {
        return Ok(regions.map_or(RegionsDraft::None, RegionsDraft::Jigsaw));
    };
    let [columns, rows] = shape[..] else { return Err(fault("box", "a box has a width and a height")) };
    let side = |side: u64| usize::try_from(side).ok().filter(|&side| side > 0 && side <= size);
    let (Some(rows), Some(columns)) = (side(rows), side(columns)) else {
        return Err(fault("box", "a side of the box is not between 1 and the size"));
    };
    let in_box = |cell: usize| cell / size / rows * (size / columns) + cell % size / columns;
    if regions.is_some_and(|regions| regions.iter().enumerate().any(|(cell, &number)| number != in_box(cell)))
    {
        return Err(fault("regions", "the regions are not the boxes"));
    }
    Ok(RegionsDraft::Boxes { rows, columns })
}

fn read_cages(value: &Value, distinct: bool) -> Result<Vec<CageDraft>, Faults> {
    let list = match value.get("cages") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(list) => list.as_array().ok_or_else(|| fault("cages", "cages are a list"))?,
    };
    let mut cages = Vec::new();
    for (index, cage) in list.iter().enumerate() {
        let path = format!("cages[{index}]");
        let operation = cage.get("op").and_then(Value::as_str).and_then(Operation::from_symbol);
        let operation = operation.ok_or_else(|| fault(&path, "there is no such operation"))?;
        let cells = numbers(cage, "cells")?.ok_or_else(|| fault(&path, "the cells are missing"))?;
        let cells = cells.into_iter().map(|cell| usize::try_from(cell).unwrap_or(usize::MAX)).collect();
        // A cage without operation has no target, whatever stands there (0 or null).
        let target = cage.get("target").and_then(Value::as_i64).filter(|_| operation != Operation::Free);
        cages.push(CageDraft { cells, operation, target, distinct });
    }
    Ok(cages)
}

fn read_solution(digits: &[u64], puzzle: &Puzzle) -> Result<Solution, Faults> {
    let digit = |&value: &u64| u8::try_from(value).ok().and_then(Digit::new);
    let digits: Option<Vec<Digit>> = digits.iter().map(digit).collect();
    let solution = digits.map(Solution::new).filter(|solution| puzzle.is_solved_by(solution));
    solution.ok_or_else(|| fault("solution", "it does not solve the puzzle"))
}

fn read_count(value: &Value) -> SolutionCount {
    if let Some(count) = whole(value, "solution_count") {
        return SolutionCount::Exactly(count);
    }
    match value.pointer("/verify/solutions") {
        Some(Value::Number(count)) => count.as_u64().map_or(SolutionCount::Unknown, SolutionCount::Exactly),
        Some(Value::String(word)) if word == "2+" => SolutionCount::Several,
        _ => SolutionCount::Unknown,
    }
}

fn fault(field: impl Into<String>, message: impl Into<String>) -> Faults {
    Faults::one(Fault::new(field, message))
}

fn text(value: &Value, name: &str) -> Result<String, Faults> {
    let text = value.get(name).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| fault(name, "this is missing"))
}

fn whole(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}

/// A list of numbers; None if it is absent or null.
fn numbers(value: &Value, name: &str) -> Result<Option<Vec<u64>>, Faults> {
    let list = match value.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(list) => list.as_array(),
    };
    let numbers = list.and_then(|list| list.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>());
    numbers.map(Some).ok_or_else(|| fault(name, "this is no list of whole numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{BoxShape, Layout};

    #[test]
    fn box_is_width_first() {
        let line = r#"{"id":"x","type":"sudoku","size":6,"box":[3,2],"regions":null,"givens":null}"#;
        let read = read_line(line).expect("a puzzle");
        assert_eq!(*read.puzzle.layout(), Layout::boxed(BoxShape { rows: 2, columns: 3 }));
        assert_eq!((read.solution, read.solution_count), (None, SolutionCount::Unknown));
    }

    #[test]
    fn a_cage_without_target_and_one_with_an_unknown_operation() {
        let line = r#"{"id":"x","type":"kenken","size":2,"verify":{"solutions":"2+"},"cages":[
            {"op":"","target":null,"cells":[0,1]},{"op":"?","target":2,"cells":[2,3]}]}"#;
        let read = read_line(line).expect("a puzzle");
        assert_eq!(read.puzzle.cages()[0].operation, Operation::Free);
        assert_eq!(read.puzzle.cages()[1].operation, Operation::Unknown);
        assert!(!read.puzzle.cages()[0].distinct);
        assert_eq!(read.solution_count, SolutionCount::Several);
    }

    #[test]
    fn refuses() {
        for line in [
            "",
            "[]",
            r#"{"id":"x","type":"sudoku"}"#,
            r#"{"id":"x","type":"sudoku","size":6,"box":[0,2]}"#,
            r#"{"id":"x","type":"sudoku","size":4,"box":[2,2],"regions":[0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3]}"#,
            r#"{"id":"x","type":"sudoku","size":99999999999,"givens":null}"#,
            r#"{"id":"x","type":"sudoku","size":2,"solution":[1,1,1,1]}"#,
            r#"{"id":"x","type":"kenken","size":2,"cages":[{"op":"^","target":1,"cells":[0]}]}"#,
        ] {
            assert!(read_line(line).is_err(), "{line}");
        }
    }
}
