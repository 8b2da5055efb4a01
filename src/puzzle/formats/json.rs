//! Sleuth's own JSON, which holds every puzzle there is:
//!
//! ```json
//! {
//!   "version": 1,
//!   "size": 9,
//!   "boxes": "3x3",
//!   "diagonals": ["falling", "rising"],
//!   "windows": true,
//!   "givens": "53..7....6..195...(nine rows of nine)",
//!   "candidates": ["123 . 45 . . . . . .", "(nine rows of nine groups)"],
//!   "cages": [
//!     {"cells": "r1c12 r2c1", "sum": 10},
//!     {"cells": "r3c45", "operation": "*", "target": 12},
//!     {"cells": "r5c5 r6c6"}
//!   ]
//! }
//! ```
//!
//! * `size` must be there, all else may be left out (or null). Unknown fields are refused, for a rule that is
//!   not understood would be a rule dropped; so is a field written twice.
//! * `boxes` is rows × columns: `"2x3"` is two rows tall and three columns wide. Instead of it, `regions` holds
//!   jigsaw regions as rows of symbols (`["1122", "1122", "3344", "3344"]`). With neither there are no boxes.
//! * `diagonals` holds `falling` (from the top left), `rising` (from the bottom left) or both.
//! * `givens` is a string of symbols (`.`, `0`, `_` or `*` for an open cell; blanks do not count), or its rows.
//! * `candidates` restricts cells, as in sukaku: rows of groups parted by blanks, `.` for any digit.
//! * A cage with `sum` is a killer cage: its digits differ. One with `operation` (`+ - * / = ?`) and `target`
//!   is a KenKen cage: its digits may repeat where houses allow. One with neither only says that its digits
//!   differ. `distinct` says otherwise where needed.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::strict;
use crate::puzzle::{
    Cage, CageDraft, Cell, Digit, DigitSet, Fault, Faults, Operation, Puzzle, PuzzleDraft, Regions,
    RegionsDraft, notation,
};

/// The version written, and the only one read.
pub const VERSION: u64 = 1;

const FIELDS: [&str; 9] =
    ["version", "size", "boxes", "regions", "diagonals", "windows", "givens", "candidates", "cages"];
const CAGE_FIELDS: [&str; 5] = ["cells", "sum", "operation", "target", "distinct"];

/// Reads a text. The draft is still to be checked.
pub fn from_str(text: &str) -> Result<PuzzleDraft, Faults> {
    super::check_length(text)?;
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
    for cell in Cell::all(size).filter(|cell| symbols[cell.index()].is_none()) {
        let message = format!("{} is in no region", notation::cell(cell, size));
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
        if digit.is_none() && !super::is_blank(symbol) {
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
            match super::pencil::digits_of(group, size) {
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

/// The value of a puzzle. Reading it back gives the same puzzle.
pub fn to_json(puzzle: &Puzzle) -> Value {
    fields_of(puzzle).into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
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
        fields.push(("givens", json!(super::grid::line_of(puzzle.givens()))));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let draft = from_str(text).and_then(PuzzleDraft::check);
        draft.expect_err(text).list.iter().map(ToString::to_string).collect()
    }

    /// Reading what was written gives the puzzle back, as a value and as a text.
    fn round_trip(text: &str) -> Puzzle {
        let puzzle = from_str(text).and_then(PuzzleDraft::check).expect(text);
        let again = from_json(&to_json(&puzzle)).and_then(PuzzleDraft::check);
        assert_eq!(again.as_ref(), Ok(&puzzle), "{text}");
        let written = to_string(&puzzle);
        assert_eq!(from_str(&written).and_then(PuzzleDraft::check).as_ref(), Ok(&puzzle), "{written}");
        puzzle
    }

    #[test]
    fn every_rule_and_back() {
        let jigsaw = r#"{"size": 4, "regions": ["1112","1322","3324","3444"], "diagonals": ["rising"],
            "givens": ["1...", "....", "..2.", "...."]}"#;
        assert_eq!(round_trip(jigsaw).kind(), "jigsaw");
        let windoku = r#"{"size": 9, "boxes": "3x3", "windows": true, "diagonals": ["falling", "rising"]}"#;
        assert_eq!(round_trip(windoku).houses().len(), 27 + 6);
        let sukaku = r#"{"size": 4, "boxes": "2x2", "givens": "1....... ........",
            "candidates": ["12 34 . 4", ". . . .", "1234 . 3 .", ". . . ."]}"#;
        assert!(round_trip(sukaku).is_restricted());
        let killer = r#"{"version": 1, "size": 6, "boxes": "2x3", "cages": [{"cells": "r1c12 r2c1", "sum": 6},
            {"cells": "r6c6,r5c6"}, {"cells": "r3c34", "operation": "*", "target": 12, "distinct": true}]}"#;
        let killer = round_trip(killer);
        assert!(killer.cages().iter().all(|cage| cage.distinct));
        assert_eq!(killer.cages()[1].operation, Operation::Free);
        let kenken = r#"{"size": 2, "cages": [{"cells": "r1c1", "operation": "=", "target": 1},
            {"cells": "r1c2", "distinct": false}, {"cells": "r2c12", "operation": "?", "target": 2}]}"#;
        assert_eq!(round_trip(kenken).kind(), "kenken");
        let largest = r#"{"size": 25, "boxes": "5x5", "cages": [{"cells": "rPcOP", "sum": 49}]}"#;
        round_trip(largest);
    }

    #[test]
    fn what_is_written() {
        let text =
            r#"{"size": 2, "givens": "1...", "cages": [{"cells": "r1c12", "sum": 3}, {"cells": "r2c1"}]}"#;
        assert_eq!(
            to_string(&round_trip(text)),
            concat!(
                "{\n  \"version\": 1,\n  \"size\": 2,\n  \"givens\": \"1...\",\n  \"cages\": [\n",
                "    {\"cells\":\"r1c12\",\"sum\":3},\n    {\"cells\":\"r2c1\"}\n  ]\n}\n"
            )
        );
    }

    #[test]
    fn every_fault_has_its_path() {
        let text = r#"{"size": 4, "version": 2, "boxes": "4", "regions": ["11", 5, "1122", "11.?"],
            "diagonals": ["up"], "windows": 1, "givens": "12", "candidates": ["1 2 3 5", "11 . . .", ".", 0],
            "arrows": [], "cages": [7, {"cells": "r1c1 r5c1", "sum": 1.5, "colour": 3},
            {"cells": [], "target": 3}, {"cells": "r1c1", "operation": "^", "target": 3, "sum": -2}]}"#;
        let paths: Vec<String> =
            from_str(text).expect_err("faults").list.iter().map(|fault| fault.field.clone()).collect();
        assert_eq!(
            paths,
            [
                "arrows",
                "version",
                "boxes",
                "regions",
                "regions[0]",
                "regions[1]",
                "regions[3]",
                "diagonals[0]",
                "windows",
                "givens",
                "candidates[0]",
                "candidates[1]",
                "candidates[2]",
                "candidates[3]",
                "cages[0]",
                "cages[1].colour",
                "cages[1].cells",
                "cages[1].sum",
                "cages[2].cells",
                "cages[2].operation",
                "cages[3].operation",
                "cages[3].sum"
            ]
        );
    }

    #[test]
    fn one_fault() {
        for (text, fault) in [
            ("[]", "puzzle: a puzzle is an object"),
            ("{}", "size: the size is missing: a number from 2 to 25"),
            (r#"{"size": 26}"#, "size: size 26 is not between 2 and 25"),
            (r#"{"size": -9}"#, "size: size -9 is not between 2 and 25"),
            (r#"{"size": 1e99}"#, "size: size 1e+99 is not between 2 and 25"),
            (r#"{"size": "9"}"#, "size: size \"9\" is not between 2 and 25"),
            (
                "{\"size\": 9,\n \"size\": 9}",
                "line 2, column 11: this is no JSON: field `size` is written twice",
            ),
            (
                r#"{"size": 9, "boxes": "2x3"}"#,
                "boxes: boxes of 2 rows and 3 columns do not fit a board of size 9",
            ),
            (
                r#"{"size": 9, "cages": [{"cells": "r1c1", "sum": -1}]}"#,
                "cages[0].target: target -1 of cage 1 is negative",
            ),
            (r#"{"size": 4, "regions": ["1112","1322","3324","344."]}"#, "regions: r4c4 is in no region"),
        ] {
            assert_eq!(messages(text), [fault], "{text}");
        }
    }

    #[test]
    fn hostile() {
        let deep = "[".repeat(100_000);
        assert_eq!(messages(&deep).len(), 1);
        let wide = format!(
            r#"{{"size": 25, "cages": [{}]}}"#,
            vec![r#"{"cells":"r123456789c123456789"}"#; 9000].join(",")
        );
        let faults = from_str(&wide).and_then(PuzzleDraft::check).expect_err("faults");
        assert!(faults.list.len() <= Faults::LIMIT);
        let cells = format!(
            r#"{{"size": 25, "cages": [{{"cells": "{}"}}]}}"#,
            "r123456789c123456789 ".repeat(40_000)
        );
        assert_eq!(messages(&cells)[0], "cages[0].cells: more cells than the 625 of the board");
        // Numbers with as many divisors as there are, in cages that just cannot reach them.
        for cells in 11..=16 {
            let cage = format!(
                r#"{{"cells":"{}","operation":"*","target":897612484786617600}}"#,
                "r1c1 ".repeat(cells)
            );
            let many = format!(r#"{{"size": 25, "cages": [{}]}}"#, vec![cage; 625].join(","));
            let faults = from_str(&many).and_then(PuzzleDraft::check).expect_err("faults");
            assert_eq!(faults.list.len(), Faults::LIMIT);
        }
        let keys: Vec<String> = (0..50_000).map(|key| format!("\"{key}\":0")).collect();
        let faults = from_str(&format!("{{{}}}", keys.join(","))).expect_err("faults");
        assert_eq!((faults.list.len(), faults.more), (1000, 49_001));
    }
}
