//! HoDoKu's public regression library as a yardstick: what it expects in a position is among all that we find.

use std::collections::BTreeMap;
use std::fs;

use sleuth::engine::logic::registry::technique;
use sleuth::engine::logic::{Conclusion, Step};
use sleuth::puzzle::{Cell, Digit, Position};

use super::{notation, puzzle, steps_of};
use crate::support;

/// Their codes, and our rows; a code of theirs may be several of ours.
const CODES: &[(&str, &str)] = &[
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

#[test]
fn what_the_library_expects_is_found() {
    let Some(file) = support::data("logic/technique_cases.txt") else { return };
    let text = fs::read_to_string(file).expect("readable");
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut missed = Vec::new();
    for line in text.lines().filter(|line| line.starts_with(':')) {
        let parts: Vec<&str> = line.split(':').collect();
        let (code, variant) = parts[1].split_once('-').unwrap_or((parts[1], ""));
        let slugs: Vec<&str> =
            CODES.iter().filter(|(known, _)| *known == code).map(|(_, slug)| *slug).collect();
        if slugs.is_empty() {
            continue;
        }
        *seen.entry(code).or_default() += 1;
        let position = position(parts[3], parts[4]);
        let expected = conclusions(&parts[5..7]);
        let steps = |slug: &str| steps_of(technique(slug).expect("a row"), &position);
        let found: Vec<Step> = slugs.into_iter().flat_map(steps).collect();
        // Variant `x`: there is none here, though it looks like one.
        let is_met = match variant {
            "x" => found.is_empty(),
            _ => found.iter().any(|step| step.conclusions == expected),
        };
        if !is_met {
            let found: Vec<String> = found.iter().map(|step| notation(&step.conclusions, 9)).collect();
            missed.push(format!("{line}\n  expected {}\n  found {found:?}", notation(&expected, 9)));
        }
    }
    println!("cases by code: {seen:?}");
    assert!(CODES.iter().all(|(code, _)| seen.contains_key(code)), "{seen:?}");
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

/// A digit after `+` has been placed, any other is given.
fn position(board: &str, removed: &str) -> Position {
    let mut givens = String::new();
    let mut placed = Vec::new();
    let mut is_placed = false;
    for symbol in board.chars() {
        if symbol == '+' {
            is_placed = true;
            continue;
        }
        if is_placed {
            placed.push((Cell::new(givens.len()), Digit::from_symbol(symbol).expect("a digit")));
        }
        givens.push(if is_placed { '.' } else { symbol });
        is_placed = false;
    }
    let mut position = Position::new(puzzle(&givens));
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

fn conclusions(fields: &[&str]) -> Vec<Conclusion> {
    let gone = triples(fields[0]).map(|(cell, digit)| Conclusion::Eliminate(cell, digit));
    let placed = triples(fields[1]).map(|(cell, digit)| Conclusion::Place(cell, digit));
    let mut conclusions: Vec<Conclusion> = gone.chain(placed).collect();
    conclusions.sort_unstable();
    conclusions
}
