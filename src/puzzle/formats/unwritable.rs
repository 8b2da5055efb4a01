//! Why a format cannot hold a puzzle.

use thiserror::Error;

use super::Format;
use crate::puzzle::{BoxShape, Puzzle, Regions};

/// A format that cannot hold every rule of a puzzle writes none of it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the format {format} cannot hold {}", .rules.join(", "))]
pub struct Unwritable {
    /// The format asked for.
    pub format: Format,
    /// Each rule it has no room for, as a noun: `cages`, `jigsaw regions`.
    pub rules: Vec<String>,
}

impl Unwritable {
    pub(super) fn unless_empty(format: Format, rules: Vec<String>) -> Result<(), Unwritable> {
        if rules.is_empty() { Ok(()) } else { Err(Unwritable { format, rules }) }
    }
}

/// The rules that no drawn grid can hold.
pub(super) fn unheld_rules(puzzle: &Puzzle) -> Vec<String> {
    let layout = puzzle.layout();
    let lacks_boxes = layout.regions == Regions::None && BoxShape::of_size(layout.size).is_some();
    let rules = [
        (!puzzle.cages().is_empty(), "cages"),
        (matches!(layout.regions, Regions::Jigsaw(_)), "jigsaw regions"),
        // A grid of such a size is read with boxes.
        (lacks_boxes, "a board without boxes of a size that could have them"),
        (layout.falling_diagonal || layout.rising_diagonal, "diagonals"),
        (layout.windows, "windows"),
    ];
    rules.into_iter().filter(|(is_there, _)| *is_there).map(|(_, rule)| rule.to_owned()).collect()
}
