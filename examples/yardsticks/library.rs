//! HoDoKu's regression library: positions, each with a technique, its digits and what it must conclude. Its tests
//! read it from here, too.
//!
//! `:code[-variant]:digits:board:removed:eliminations:placements:length`; a digit after `+` has been placed, any
//! other is given; the rest are triples of digit, row and column. Variant `x`: there is none, though it looks like one.

use std::ops::ControlFlow;
use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::logic::context::{Board, Context};
use sleuth::engine::logic::registry::technique;
use sleuth::engine::logic::{Conclusion, Shape, Step, path};
use sleuth::puzzle::{Cell, Digit, DigitSet, Position, PuzzleDraft, RegionsDraft};

/// Their codes, and our rows; a code of theirs may be several of ours.
pub const CODES: &[(&str, &str)] = &[
    ("0000", "full-house"),
    ("0002", "hidden-single"),
    ("0003", "naked-single"),
    ("0100", "pointing"),
    ("0101", "claiming"),
    ("0110", "locked-pair"),
    ("0111", "locked-triple"),
    ("0200", "naked-pair"),
    ("0201", "naked-triple"),
    ("0202", "naked-quadruple"),
    ("0210", "hidden-pair"),
    ("0211", "hidden-triple"),
    ("0212", "hidden-quadruple"),
    ("0300", "x-wing"),
    ("0301", "swordfish"),
    ("0302", "jellyfish"),
    ("0310", "finned-x-wing"),
    ("0311", "finned-swordfish"),
    ("03111", "siamese-swordfish"),
    ("0312", "finned-jellyfish"),
    ("03121", "siamese-jellyfish"),
    ("0320", "sashimi-x-wing"),
    ("0321", "sashimi-swordfish"),
    ("03211", "siamese-swordfish"),
    ("0322", "sashimi-jellyfish"),
    ("03221", "siamese-jellyfish"),
    ("0331", "franken-swordfish"),
    ("0332", "franken-jellyfish"),
    ("0340", "finned-franken-x-wing"),
    ("0341", "finned-franken-swordfish"),
    ("03411", "siamese-franken-swordfish"),
    ("0342", "finned-franken-jellyfish"),
    ("03421", "siamese-franken-jellyfish"),
    ("0362", "finned-mutant-jellyfish"),
    ("0363", "finned-mutant-squirmbag"),
    ("0364", "finned-mutant-whale"),
    ("03621", "siamese-mutant-jellyfish"),
    ("0400", "skyscraper"),
    ("0401", "two-string-kite"),
    ("0402", "empty-rectangle"),
    ("0403", "turbot-fish"),
    ("0404", "dual-two-string-kite"),
    ("0405", "dual-empty-rectangle"),
    ("0500", "simple-colours-trap"),
    ("0501", "simple-colours-wrap"),
    ("0502", "multi-colours-1"),
    ("0503", "multi-colours-2"),
    ("0600", "unique-rectangle-1"),
    ("0601", "unique-rectangle-2"),
    ("0602", "unique-rectangle-3"),
    ("0603", "unique-rectangle-4"),
    ("0604", "unique-rectangle-5"),
    ("0605", "unique-rectangle-6"),
    ("0606", "hidden-rectangle"),
    ("0607", "avoidable-rectangle-1"),
    ("0608", "avoidable-rectangle-2"),
    ("0610", "bug-1"),
    ("0703", "remote-pair"),
    ("0701", "x-chain"),
    ("0702", "xy-chain"),
    ("0706", "continuous-nice-loop"),
    ("0707", "discontinuous-nice-loop"),
    ("0708", "aic"),
    ("0709", "grouped-continuous-nice-loop"),
    ("0709", "als-continuous-nice-loop"),
    ("0710", "grouped-discontinuous-nice-loop"),
    ("0710", "als-discontinuous-nice-loop"),
    ("0711", "grouped-aic"),
    ("0711", "als-aic"),
    ("0800", "xy-wing"),
    ("0801", "xyz-wing"),
    ("0803", "w-wing"),
    ("0901", "als-xz"),
    ("0901", "als-xz-double"),
    ("0902", "als-xy-wing"),
    ("0903", "als-chain"),
    ("0904", "death-blossom"),
    ("1101", "sue-de-coq"),
    ("1201", "template-set"),
    ("1202", "template-delete"),
];

/// One line.
pub struct Case {
    /// The line itself.
    pub line: String,
    /// Their code.
    pub code: String,
    /// Whether nothing may be found.
    pub is_near_miss: bool,
    /// Where it is to be found.
    pub position: Position,
    /// What is concluded, in order.
    pub expected: Vec<Conclusion>,
    /// Digits of the pattern, or those concluded.
    pub digits: DigitSet,
}

impl Case {
    /// Reads a line; none if it is a comment.
    pub fn read(line: &str) -> Option<Case> {
        let parts: Vec<&str> = line.split(':').collect();
        let [before, code, digits, board, removed, eliminations, placements, ..] = parts[..] else {
            return None;
        };
        if !before.is_empty() {
            return None;
        }
        let (code, variant) = code.split_once('-').unwrap_or((code, ""));
        let gone = triples(eliminations).map(|(cell, digit)| Conclusion::Eliminate(cell, digit));
        let placed = triples(placements).map(|(cell, digit)| Conclusion::Place(cell, digit));
        let mut expected: Vec<Conclusion> = gone.chain(placed).collect();
        expected.sort_unstable();
        Some(Case {
            line: line.to_owned(),
            code: code.to_owned(),
            is_near_miss: variant == "x",
            position: position(board, removed),
            expected,
            digits: digits.chars().filter_map(Digit::from_symbol).collect(),
        })
    }

    /// Every step of the rows that are meant; none if there is no such row.
    pub fn steps(&self) -> Option<Vec<Step>> {
        let rows: Vec<_> = CODES
            .iter()
            .filter(|(code, _)| *code == self.code)
            .map(|(_, slug)| technique(slug).expect("a row"))
            .collect();
        let board = Board::new(self.position.puzzle());
        let context = Context::new(&board, &self.position);
        let mut steps = Vec::new();
        for row in &rows {
            path::run(row, &context, &mut Budget::unlimited(), &mut |step| {
                steps.push(step);
                ControlFlow::Continue(())
            })
            .expect("no budget to run out");
        }
        (!rows.is_empty()).then_some(steps)
    }

    /// Whether what was found is what is expected.
    pub fn is_met_by(&self, steps: &[Step]) -> bool {
        match self.is_near_miss {
            true => steps.is_empty(),
            false => {
                steps.iter().any(|step| step.conclusions[..] == self.expected[..] && self.has_digits(step))
            }
        }
    }

    /// Whether the digits of the pattern are among those that a step shows: named, or candidates of cells it names.
    fn has_digits(&self, step: &Step) -> bool {
        let shown = step.marks().iter().fold(DigitSet::EMPTY, |shown, mark| match &mark.shape {
            Shape::Digits(digits) | Shape::Candidates { digits, .. } => shown | *digits,
            Shape::Cells(cells) => {
                cells.iter().fold(shown, |shown, &cell| shown | self.position.candidates(cell))
            }
            Shape::Link(link) => shown | DigitSet::single(link.from_digit) | DigitSet::single(link.to_digit),
            Shape::House(_) | Shape::Cage(_) | Shape::Number(_) => shown,
        });
        (self.digits - shown).is_empty()
    }
}

fn position(board: &str, removed: &str) -> Position {
    let mut draft = PuzzleDraft::latin(9);
    draft.regions = RegionsDraft::Boxes { rows: 3, columns: 3 };
    let mut placed = Vec::new();
    let mut symbols = board.chars();
    for index in 0..81 {
        let symbol = symbols.next().expect("81 cells");
        if symbol == '+' {
            let digit = symbols.next().and_then(Digit::from_symbol).expect("a digit after the sign");
            placed.push((Cell::new(index), digit));
        } else {
            draft.givens[index] = symbol.to_digit(10).unwrap_or(0);
        }
    }
    let mut position = Position::new(Arc::new(draft.check().expect("a puzzle")));
    for (cell, digit) in placed {
        position.place(cell, digit);
    }
    for (cell, digit) in triples(removed) {
        position.eliminate(cell, digit);
    }
    position
}

/// Digit, row, column.
fn triples(text: &str) -> impl Iterator<Item = (Cell, Digit)> {
    text.split_whitespace().map(|triple| {
        let values: Vec<usize> = triple.bytes().map(|byte| usize::from(byte - b'1')).collect();
        (Cell::at(values[1], values[2], 9), Digit::from_index(values[0]))
    })
}
