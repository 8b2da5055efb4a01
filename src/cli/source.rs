//! Where text comes from: the argument itself, a file, standard input. Never more than a puzzle can need.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::args::{ProgressArguments, PuzzleArguments};
use super::exit::Failure;
use crate::puzzle::formats::{self, Format};
use crate::puzzle::{Position, Puzzle};

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
    let text = text(&arguments.puzzle)?;
    match &arguments.format {
        None => Ok(formats::read(&text)?),
        Some(name) => {
            let format = name.parse().map_err(|error| Failure::invalid(format!("format: {error}")))?;
            Ok(formats::read_as(format, &text)?)
        }
    }
}

/// The puzzle, and what the player has done to it.
pub fn position(arguments: &PuzzleArguments, progress: &ProgressArguments) -> Result<Position, Failure> {
    let puzzle = Arc::new(puzzle(arguments)?);
    match &progress.progress {
        None => Ok(Position::new(puzzle)),
        Some(board) => Ok(formats::read_position(&text(board)?, &puzzle)?),
    }
}

/// The puzzle in the shortest format that holds all of it.
pub fn shortest(puzzle: &Puzzle) -> String {
    formats::write(Format::Line, puzzle).unwrap_or_else(|_| formats::json::to_string(puzzle))
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
