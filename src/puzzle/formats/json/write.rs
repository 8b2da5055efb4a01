//! Writing JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::VERSION;
use crate::puzzle::{Cage, Cell, Digit, Operation, Puzzle, Regions, notation};

/// The value of a puzzle. Reading it back gives the same puzzle.
pub fn to_json(puzzle: &Puzzle) -> Value {
    fields_of(puzzle).into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
}

/// The text of [`to_json`] in one line, always written alike.
pub fn to_line(puzzle: &Puzzle) -> String {
    plain_line(puzzle).unwrap_or_else(|| any_line(puzzle))
}

/// Most puzzles are givens in boxes and nothing else.
fn plain_line(puzzle: &Puzzle) -> Option<String> {
    let (layout, size) = (puzzle.layout(), puzzle.size());
    let Regions::Boxes(shape) = &layout.regions else { return None };
    let has_houses = layout.falling_diagonal || layout.rising_diagonal || layout.windows;
    let has_givens = puzzle.givens().iter().any(Option::is_some);
    if has_houses || !has_givens || puzzle.is_restricted() || !puzzle.cages().is_empty() {
        return None;
    }
    let (rows, columns, givens) =
        (shape.rows, shape.columns, notation::line(puzzle.givens().iter().copied()));
    Some(format!(r#"{{"boxes":"{rows}x{columns}","givens":"{givens}","size":{size},"version":{VERSION}}}"#))
}

fn any_line(puzzle: &Puzzle) -> String {
    let mut fields = fields_of(puzzle);
    fields.sort_unstable_by_key(|(name, _)| *name);
    let mut text = String::with_capacity(2 * puzzle.givens().len() + 80);
    for (name, value) in fields {
        let mark = if text.is_empty() { '{' } else { ',' };
        write!(text, "{mark}\"{name}\":{value}").expect("a string takes all");
    }
    text.push('}');
    text
}

/// The text of a puzzle: a line for each field and each cage.
pub fn to_string(puzzle: &Puzzle) -> String {
    let mut text = String::from("{");
    for (index, (name, value)) in fields_of(puzzle).iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let value = match value.as_array() {
            Some(list) if *name != "diagonals" => {
                let lines: Vec<String> = list.iter().map(|line| format!("    {line}")).collect();
                format!("[\n{}\n  ]", lines.join(",\n"))
            }
            _ => value.to_string(),
        };
        write!(text, "{comma}\n  \"{name}\": {value}").expect("a string takes all");
    }
    text.push_str("\n}\n");
    text
}

fn fields_of(puzzle: &Puzzle) -> Vec<(&'static str, Value)> {
    let (layout, size) = (puzzle.layout(), puzzle.size());
    let mut fields = vec![("version", json!(VERSION)), ("size", json!(size))];
    match &layout.regions {
        Regions::None => {}
        Regions::Boxes(shape) => fields.push(("boxes", json!(format!("{}x{}", shape.rows, shape.columns)))),
        Regions::Jigsaw(regions) => {
            let symbol = |&region: &u8| Digit::from_index(region.into()).symbol();
            let rows = regions.chunks(size).map(|row| row.iter().map(symbol).collect::<String>());
            fields.push(("regions", rows.collect()));
        }
    }
    let diagonals = [(layout.falling_diagonal, "falling"), (layout.rising_diagonal, "rising")];
    if diagonals.iter().any(|(is_house, _)| *is_house) {
        let words = diagonals.iter().filter(|(is_house, _)| *is_house).map(|(_, word)| *word);
        fields.push(("diagonals", words.collect()));
    }
    if layout.windows {
        fields.push(("windows", json!(true)));
    }
    if puzzle.givens().iter().any(Option::is_some) {
        fields.push(("givens", json!(notation::line(puzzle.givens().iter().copied()))));
    }
    if puzzle.is_restricted() {
        let group = |cell| match puzzle.allowed(cell) {
            all if all == puzzle.digits() => ".".to_owned(),
            some => some.to_string(),
        };
        let groups: Vec<String> = Cell::all(size).map(group).collect();
        fields.push(("candidates", groups.chunks(size).map(|row| row.join(" ")).collect()));
    }
    if !puzzle.cages().is_empty() {
        fields.push(("cages", puzzle.cages().iter().map(|cage| cage_to_json(cage, size)).collect()));
    }
    fields
}

fn cage_to_json(cage: &Cage, size: usize) -> Value {
    let mut value = json!({ "cells": notation::cells(&cage.cells, size) });
    let is_killer = cage.operation == Operation::Free || (cage.operation == Operation::Add && cage.distinct);
    match cage.operation {
        Operation::Free => {}
        Operation::Add if cage.distinct => value["sum"] = json!(cage.target),
        operation => {
            value["operation"] = json!(operation.symbol());
            value["target"] = json!(cage.target);
        }
    }
    if cage.distinct != is_killer {
        value["distinct"] = json!(cage.distinct);
    }
    value
}
