//! Reading JSON: every fault of the structure with its path.

use serde_json::{Map, Value};

use super::VERSION;
use crate::puzzle::formats::{check_length, is_blank, pencil, strict};
use crate::puzzle::{
    CageDraft, Cell, Digit, DigitSet, Fault, Faults, Operation, PuzzleDraft, RegionsDraft, notation,
};

const FIELDS: [&str; 9] =
    ["version", "size", "boxes", "regions", "diagonals", "windows", "givens", "candidates", "cages"];
const CAGE_FIELDS: [&str; 5] = ["cells", "sum", "operation", "target", "distinct"];

/// Reads a text. The draft is still to be checked.
pub fn from_str(text: &str) -> Result<PuzzleDraft, Faults> {
    check_length(text)?;
    let value = strict::parse(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        // The place is said already; what is quoted from the text may be long.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Faults::one(Fault::new(place, format!("this is no JSON: {}", shortened(message))))
    })?;
    from_json(&value)
}

/// Reads a value: every fault of its structure, or a draft still to be checked.
pub fn from_json(value: &Value) -> Result<PuzzleDraft, Faults> {
    let Some(object) = value.as_object() else {
        return Err(Faults::one(Fault::new("puzzle", "a puzzle is an object")));
    };
    let mut faults = Faults::none();
    refuse_unknown(object, "", &FIELDS, &mut faults);
    if let Some(version) = field(object, "version").filter(|version| version.as_u64() != Some(VERSION)) {
        faults.push(Fault::new("version", format!("{} is not {VERSION}", shown(version))));
    }
    let Some(size) = read_size(object, &mut faults) else { return Err(faults) };
    let mut draft = PuzzleDraft::latin(size);
    draft.regions = read_regions(object, size, &mut faults);
    (draft.falling_diagonal, draft.rising_diagonal) = read_diagonals(object, &mut faults);
    draft.windows = read_bool(object, "", "windows", &mut faults).unwrap_or(false);
    if let Some(symbols) = read_symbols(object, "givens", size, &mut faults) {
        draft.givens = symbols.into_iter().map(|digit| digit.map_or(0, |d| u32::from(d.value()))).collect();
    }
    draft.candidates = read_candidates(object, size, &mut faults);
    draft.cages = read_cages(object, size, &mut faults);
    faults.into_result().map(|()| draft)
}

fn read_size(object: &Map<String, Value>, faults: &mut Faults) -> Option<usize> {
    let max = usize::from(Digit::MAX);
    let Some(value) = field(object, "size") else {
        faults.push(Fault::new("size", format!("the size is missing: a number from 2 to {max}")));
        return None;
    };
    let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
    if let Some(size) = size.filter(|size| (2..=max).contains(size)) {
        return Some(size);
    }
    faults.push(Fault::new("size", format!("size {} is not between 2 and {max}", shown(value))));
    None
}

fn read_regions(object: &Map<String, Value>, size: usize, faults: &mut Faults) -> RegionsDraft {
    let regions = match field(object, "boxes") {
        None => None,
        Some(value) => {
            let shape = read_shape(value);
            if shape.is_none() {
                let message = format!("{} is no box shape; rows × columns are written \"2x3\"", shown(value));
                faults.push(Fault::new("boxes", message));
            }
            shape.map(|(rows, columns)| RegionsDraft::Boxes { rows, columns })
        }
    };
    if field(object, "boxes").is_some() && field(object, "regions").is_some() {
        faults.push(Fault::new("regions", "a puzzle has boxes or regions, not both"));
    }
    let Some(symbols) = read_symbols(object, "regions", size, faults) else {
        return regions.unwrap_or(RegionsDraft::None);
    };
    for cell in Cell::all(size) {
        let name = notation::cell(cell, size);
        let message = match symbols[cell.index()] {
            None => format!("{name} is in no region"),
            Some(symbol) if symbol.index() >= size => {
                format!("{name} is in region {symbol}, of 1 to {}", Digit::from_index(size - 1))
            }
            Some(_) => continue,
        };
        faults.push(Fault::new("regions", message).at([cell]));
    }
    RegionsDraft::Jigsaw(symbols.into_iter().map(|digit| digit.map_or(0, Digit::index)).collect())
}

/// `"2x3"`.
fn read_shape(value: &Value) -> Option<(usize, usize)> {
    let (rows, columns) = value.as_str()?.split_once(['x', '×'])?;
    let side = |text: &str| {
        let is_plain = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain { text.parse().ok() } else { None }
    };
    Some((side(rows)?, side(columns)?))
}

fn read_diagonals(object: &Map<String, Value>, faults: &mut Faults) -> (bool, bool) {
    let (mut falling, mut rising) = (false, false);
    let Some(value) = field(object, "diagonals") else { return (falling, rising) };
    let Some(list) = value.as_array() else {
        faults.push(Fault::new("diagonals", "diagonals are a list of \"falling\" and \"rising\""));
        return (falling, rising);
    };
    for (index, word) in list.iter().enumerate() {
        match word.as_str() {
            Some("falling") => falling = true,
            Some("rising") => rising = true,
            _ => {
                let message = format!("{} is neither \"falling\" nor \"rising\"", shown(word));
                faults.push(Fault::new(format!("diagonals[{index}]"), message));
            }
        }
    }
    (falling, rising)
}

/// A digit or nothing for each cell, from one string or its rows. None if it is absent or at fault.
fn read_symbols(
    object: &Map<String, Value>,
    name: &str,
    size: usize,
    faults: &mut Faults,
) -> Option<Vec<Option<Digit>>> {
    let value = field(object, name)?;
    let before = faults.clone();
    let mut symbols = Vec::new();
    match value {
        Value::String(text) => push_symbols(text, size * size, name, &mut symbols, faults),
        Value::Array(rows) => {
            for (index, row) in each_row(rows, name, size, faults) {
                let path = format!("{name}[{index}]");
                match row.as_str() {
                    Some(text) => push_symbols(text, size, &path, &mut symbols, faults),
                    None => faults.push(Fault::new(path, "a row is a string of symbols")),
                }
            }
        }
        _ => faults.push(Fault::new(name, "this is a string of symbols, or a list of its rows")),
    }
    (*faults == before).then_some(symbols)
}

fn push_symbols(
    text: &str,
    wanted: usize,
    path: &str,
    symbols: &mut Vec<Option<Digit>>,
    faults: &mut Faults,
) {
    let count = text.chars().filter(|symbol| !symbol.is_whitespace()).count();
    if count != wanted {
        faults.push(Fault::new(path, format!("{count} cells instead of {wanted}")));
        return;
    }
    for (index, symbol) in text.chars().filter(|symbol| !symbol.is_whitespace()).enumerate() {
        let digit = Digit::from_symbol(symbol);
        if digit.is_none() && !is_blank(symbol) {
            let message = format!("`{}` at place {} is no digit", symbol.escape_debug(), index + 1);
            faults.push(Fault::new(path, message));
        }
        symbols.push(digit);
    }
}

fn read_candidates(object: &Map<String, Value>, size: usize, faults: &mut Faults) -> Vec<DigitSet> {
    let Some(value) = field(object, "candidates") else { return Vec::new() };
    let Some(rows) = value.as_array() else {
        faults.push(Fault::new("candidates", "candidates are a list of rows"));
        return Vec::new();
    };
    let mut candidates = Vec::new();
    for (index, row) in each_row(rows, "candidates", size, faults) {
        let path = format!("candidates[{index}]");
        let Some(text) = row.as_str() else {
            faults.push(Fault::new(path, "a row is a string of groups parted by blanks"));
            continue;
        };
        let count = text.split_whitespace().count();
        if count != size {
            faults.push(Fault::new(path, format!("{count} cells instead of {size}")));
            continue;
        }
        for (column, group) in text.split_whitespace().enumerate() {
            match pencil::digits_of(group, size) {
                Ok(digits) => candidates.push(digits),
                Err(message) => {
                    let name = notation::cell(Cell::at(index, column, size), size);
                    faults.push(Fault::new(&path, format!("{name}: {message}")));
                }
            }
        }
    }
    candidates
}

/// The rows, if there are as many as there should be.
fn each_row<'a>(
    rows: &'a [Value],
    path: &str,
    size: usize,
    faults: &mut Faults,
) -> impl Iterator<Item = (usize, &'a Value)> + use<'a> {
    let fits = rows.len() == size;
    if !fits {
        faults.push(Fault::new(path, format!("{} rows instead of {size}", rows.len())));
    }
    rows.iter().enumerate().take(if fits { size } else { 0 })
}

fn read_cages(object: &Map<String, Value>, size: usize, faults: &mut Faults) -> Vec<CageDraft> {
    let Some(value) = field(object, "cages") else { return Vec::new() };
    let Some(list) = value.as_array() else {
        faults.push(Fault::new("cages", "cages are a list"));
        return Vec::new();
    };
    // No cell is in two cages: whatever comes past one a cell is at fault, and is not worth reading.
    let most = size * size;
    if list.len() > most {
        faults.push(Fault::new("cages", format!("{} cages on a board of {most} cells", list.len())));
    }
    let cages = list.iter().take(most).enumerate();
    cages.filter_map(|(index, value)| read_cage(value, &format!("cages[{index}]"), size, faults)).collect()
}

fn read_cage(value: &Value, path: &str, size: usize, faults: &mut Faults) -> Option<CageDraft> {
    let Some(object) = value.as_object() else {
        faults.push(Fault::new(path, "a cage is an object"));
        return None;
    };
    refuse_unknown(object, &format!("{path}."), &CAGE_FIELDS, faults);
    let cells = read_cells(object, path, size, faults);
    let distinct = read_bool(object, &format!("{path}."), "distinct", faults);
    let sum = read_whole(object, path, "sum", faults);
    let target = read_whole(object, path, "target", faults);
    let operation = field(object, "operation").map(|value| {
        let operation = value.as_str().and_then(Operation::from_symbol);
        if operation.is_none() {
            let message = format!("{} is none of + - * / = ?", shown(value));
            faults.push(Fault::new(format!("{path}.operation"), message));
        }
        operation.unwrap_or(Operation::Free)
    });
    if field(object, "sum").is_some() && (operation.is_some() || field(object, "target").is_some()) {
        let message = "a cage has a sum, or an operation and a target, not both";
        faults.push(Fault::new(format!("{path}.sum"), message));
    }
    if operation.is_none() && field(object, "target").is_some() {
        faults.push(Fault::new(format!("{path}.operation"), "a target needs an operation"));
    }
    let is_killer = operation.is_none();
    let operation = operation.unwrap_or(if sum.is_some() { Operation::Add } else { Operation::Free });
    Some(CageDraft { cells, operation, target: sum.or(target), distinct: distinct.unwrap_or(is_killer) })
}

fn read_cells(object: &Map<String, Value>, path: &str, size: usize, faults: &mut Faults) -> Vec<usize> {
    let path = format!("{path}.cells");
    let mut cells = Vec::new();
    let Some(text) = field(object, "cells").and_then(Value::as_str) else {
        faults.push(Fault::new(path, "the cells are missing: a string such as \"r1c12 r2c1\""));
        return cells;
    };
    for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
        match notation::parse_cells(part, size) {
            Some(part) => cells.extend(part.into_iter().map(Cell::index)),
            None => {
                let message = format!("`{}` is no cell of a board of size {size}", shortened(part));
                faults.push(Fault::new(&path, message));
            }
        }
        if cells.len() > size * size {
            faults.push(Fault::new(&path, format!("more cells than the {} of the board", size * size)));
            return Vec::new();
        }
    }
    cells
}

fn read_bool(object: &Map<String, Value>, path: &str, name: &str, faults: &mut Faults) -> Option<bool> {
    let value = field(object, name)?;
    if value.as_bool().is_none() {
        let message = format!("{} is neither true nor false", shown(value));
        faults.push(Fault::new(format!("{path}{name}"), message));
    }
    value.as_bool()
}

fn read_whole(object: &Map<String, Value>, path: &str, name: &str, faults: &mut Faults) -> Option<i64> {
    let value = field(object, name)?;
    if value.as_i64().is_none() {
        let message = format!("{} is no whole number that could be met", shown(value));
        faults.push(Fault::new(format!("{path}.{name}"), message));
    }
    value.as_i64()
}

/// A field that is there; null counts as absent.
fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

fn refuse_unknown(object: &Map<String, Value>, path: &str, known: &[&str], faults: &mut Faults) {
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let message = format!("no such field is known; there are {}", known.join(", "));
        faults.push(Fault::new(format!("{path}{}", shortened(key)), message));
    }
}

/// A value as a message quotes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("\"{}\"", shortened(text)),
        other => shortened(&other.to_string()),
    }
}

/// At most forty characters, for messages.
fn shortened(text: &str) -> String {
    let start: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() { format!("{start}…") } else { start }
}
