//! Every technique is found where it is and not where it is not, and its steps hold.

use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::logic::path::{Facts, PathEnd, deduce};
use sleuth::puzzle::{Digit, Position, Puzzle, PuzzleDraft, RegionsDraft};

fn classic(text: &str) -> Arc<Puzzle> {
    let mut draft = PuzzleDraft::latin(9);
    draft.regions = RegionsDraft::Boxes { rows: 3, columns: 3 };
    draft.givens = text
        .chars()
        .map(|symbol| Digit::from_symbol(symbol).map_or(0, |digit| u32::from(digit.value())))
        .collect();
    Arc::new(draft.check().expect("a puzzle"))
}

/// The two boards of the source articles that are puzzles: the first was said to need rectangles and chains.
#[test]
fn article_boards() {
    for (text, placements) in [
        ("000260701680070090190004500820100040004602900050003028009300074040050036703018000", 45),
        ("530070000600195000098000060800060003400803001700020006060000280000419005000080079", 51),
    ] {
        let mut position = Position::new(classic(text));
        let mut steps = Vec::new();
        let end = deduce(&mut position, Facts { unique: true }, &mut Budget::unlimited(), &mut |_, step| {
            steps.push(step)
        });
        assert_eq!(end, PathEnd::Solved);
        assert_eq!(steps.len(), placements, "singles alone");
    }
}
