//! Whole paths as they are meant to be, five puzzles a level: `tests/fixtures/paths/<level>-<number>.txt`.
//!
//! The first line is the puzzle; then each step with its technique, its conclusions and the cells it shows; then how
//! it ended. With `UPDATE_GOLDEN=1` the files are written, puzzles that are not there made; the difference is to be read
//! like code.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sleuth::engine::budget::Budget;
use sleuth::engine::generate::{Recipe, generate};
use sleuth::engine::logic::path::deduce;
use sleuth::engine::logic::{CellSet, Level, Role, Shape, Step};
use sleuth::puzzle::formats::{self, Format};
use sleuth::puzzle::{BoxShape, Cell, Layout, Position, notation};

use super::{UNIQUE, notation as conclusions};

/// Puzzles of each level.
const PUZZLES: u64 = 5;

fn file(level: Level, number: u64) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/paths");
    folder.join(format!("{level}-{number}.txt"))
}

/// A puzzle of a level in 81 characters.
fn made(level: Level, number: u64) -> String {
    let layout = Layout::boxed(BoxShape { rows: 3, columns: 3 });
    let recipe = Recipe { levels: level..=level, ..Recipe::any(layout, 40 + number) };
    let recipe = recipe.check().expect("a recipe");
    let made = generate(&recipe, &mut Budget::unlimited(), &mut |_| {}).generated;
    formats::write(Format::Line, &made.expect("a puzzle of this level").puzzle).expect("a plain puzzle")
}

/// The cells that a step shows beside those it speaks of.
fn shown(step: &Step) -> String {
    let marks = step.marks();
    let marks = marks.iter().filter(|mark| mark.role != Role::Target);
    let cells: CellSet = marks
        .flat_map(|mark| match &mark.shape {
            Shape::Cells(cells) | Shape::Candidates { cells, .. } => cells.to_vec(),
            Shape::Link(link) => [&link.from[..], &link.to[..]].concat(),
            Shape::Digits(_) | Shape::House(_) | Shape::Cage(_) | Shape::Number(_) => Vec::new(),
        })
        .collect();
    notation::cells(&cells.iter().collect::<Vec<Cell>>(), 9)
}

/// The file of a puzzle.
fn told(puzzle: &str) -> String {
    let mut text = format!("{puzzle}\n");
    let mut position = Position::new(super::puzzle(puzzle));
    let end = deduce(&mut position, UNIQUE, &mut Budget::unlimited(), &mut |_, step| {
        let said = conclusions(&step.conclusions, 9);
        writeln!(text, "{}: {said} ({})", step.technique, shown(&step)).expect("a string takes all");
    });
    writeln!(text, "{end:?}").expect("a string takes all");
    text
}

#[test]
fn paths_are_as_they_were() {
    let is_update = env::var_os("UPDATE_GOLDEN").is_some();
    for level in Level::ALL {
        for number in 0..PUZZLES {
            let file = file(level, number);
            if is_update {
                let known = fs::read_to_string(&file).ok();
                let puzzle = known.as_deref().and_then(|text| text.lines().next()).map(str::to_owned);
                let puzzle = puzzle.unwrap_or_else(|| made(level, number));
                fs::write(&file, told(&puzzle)).expect("written");
            }
            let text =
                fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let now = told(text.lines().next().expect("the puzzle"));
            for (line, (was, is)) in text.lines().zip(now.lines()).enumerate() {
                assert_eq!(was, is, "{}, line {}", file.display(), line + 1);
            }
            assert_eq!(text.len(), now.len(), "{}", file.display());
        }
    }
}
