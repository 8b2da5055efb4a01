//! Where text comes from: the argument itself, a file, standard input. Never more than a puzzle can need.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::args::{ProgressArguments, PuzzleArguments};
use super::exit::Failure;
use crate::puzzle::formats::{grid, json};
use crate::puzzle::{BoxShape, Cell, Digit, Fault, Faults, Position, Puzzle, PuzzleDraft, RegionsDraft};

/// The most bytes a puzzle is read from.
pub const MAX_PUZZLE: u64 = 1 << 20;

/// The most bytes a trace is read from.
pub const MAX_TRACE: u64 = 256 << 20;

/// The text that an argument stands for: that of a file for `@FILE`, of standard input for `-`, else its own.
pub fn text(argument: &str) -> Result<String, Failure> {
    if argument == "-" {
        return read(&mut std::io::stdin().lock(), "standard input", MAX_PUZZLE);
    }
    match argument.strip_prefix('@') {
        Some(path) => file(Path::new(path), MAX_PUZZLE),
        None if argument.len() as u64 > MAX_PUZZLE => Err(too_long("the puzzle", MAX_PUZZLE)),
        None => Ok(argument.to_owned()),
    }
}

/// The puzzle that the arguments name, checked.
pub fn puzzle(arguments: &PuzzleArguments) -> Result<Puzzle, Failure> {
    Ok(draft(&text(&arguments.puzzle)?)?.check()?)
}

/// The puzzle in one line.
pub fn line_of(puzzle: &Puzzle) -> String {
    if puzzle.kind() == "classic" { grid::line_of(puzzle.givens()) } else { json::to_string(puzzle) }
}

fn draft(text: &str) -> Result<PuzzleDraft, Faults> {
    if text.trim_start().starts_with('{') {
        return json::from_str(text);
    }
    let cells: Vec<char> = text.chars().filter(|symbol| !symbol.is_whitespace()).collect();
    let size = (2..=25usize).find(|size| size * size == cells.len());
    let Some(size) = size else {
        return Err(Faults::one(Fault::new("text", format!("{} cells are no square", cells.len()))));
    };
    let mut draft = PuzzleDraft::latin(size);
    if let Some(shape) = BoxShape::of_size(size) {
        draft.regions =
            RegionsDraft::Boxes { rows: usize::from(shape.rows), columns: usize::from(shape.columns) };
    }
    draft.givens = cells
        .iter()
        .map(|&symbol| Digit::from_symbol(symbol).map_or(0, |digit| digit.value().into()))
        .collect();
    Ok(draft)
}

/// The puzzle, and what the player has done to it.
pub fn position(
    puzzle_arguments: &PuzzleArguments,
    progress: &ProgressArguments,
) -> Result<Position, Failure> {
    let puzzle = Arc::new(puzzle(puzzle_arguments)?);
    let mut position = Position::new(puzzle.clone());
    let Some(board) = &progress.progress else { return Ok(position) };
    let board = draft(&text(board)?)?;
    if board.size != puzzle.size() {
        let message = format!("the board has size {}, the puzzle {}", board.size, puzzle.size());
        return Err(Failure::invalid(message));
    }
    for cell in Cell::all(puzzle.size()) {
        let digit = u8::try_from(board.givens[cell.index()]).ok().and_then(Digit::new);
        if let (Some(digit), None) = (digit, puzzle.given(cell)) {
            position.place(cell, digit);
        }
    }
    Ok(position)
}

/// The text of a trace: a file, or standard input for `-`.
pub fn trace(path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        return read(&mut std::io::stdin().lock(), "standard input", MAX_TRACE);
    }
    file(path, MAX_TRACE)
}

fn file(path: &Path, limit: u64) -> Result<String, Failure> {
    let name = path.display().to_string();
    let mut file =
        File::open(path).map_err(|error| Failure::invalid(format!("cannot open {name}: {error}")))?;
    read(&mut file, &name, limit)
}

fn read(from: &mut dyn Read, name: &str, limit: u64) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::invalid(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > limit {
        return Err(too_long(name, limit));
    }
    String::from_utf8(bytes).map_err(|_| Failure::invalid(format!("{name} is not UTF-8 text")))
}

fn too_long(name: &str, limit: u64) -> Failure {
    Failure::invalid(format!("{name} is longer than {limit} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_itself_or_a_file() {
        assert_eq!(text("53..7"), Ok("53..7".to_owned()));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("puzzle.txt");
        std::fs::write(&path, "1234").expect("written");
        assert_eq!(text(&format!("@{}", path.display())), Ok("1234".to_owned()));
        assert!(matches!(text("@/no/such/file"), Err(Failure::Invalid(_))));
    }

    #[test]
    fn nothing_endless_is_read() {
        let failure = read(&mut std::io::repeat(b'1'), "the stream", 100).expect_err("too long");
        assert_eq!(failure, Failure::invalid("the stream is longer than 100 bytes"));
        assert!(read(&mut [0xffu8].as_slice(), "it", 100).is_err());
        assert!(text(&"1".repeat(1 << 20)).is_ok());
        assert!(text(&"1".repeat((1 << 20) + 1)).is_err());
    }
}
