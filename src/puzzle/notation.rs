//! The one notation for cells and conclusions, in logs, database, traces and tests:
//! `r3c6`, `r12c3` (rows 1 and 2 of column 3), `r1c1=4`, `r8c3<>4`. Rows and columns past 9 are `A` to `P`.

use super::{Cell, Digit};

/// The longest conclusion about a cell: `r8c3<>4`.
const CONCLUSION: usize = 7;

/// `r3c6`.
pub fn cell(cell: Cell, size: usize) -> String {
    // written symbol by symbol: traces are full of cells
    let mut text = String::with_capacity(CONCLUSION);
    text.push('r');
    text.push(symbol(cell.row(size)));
    text.push('c');
    text.push(symbol(cell.column(size)));
    text
}

/// A set of cells, folded: `r12c3`, `r1c123 r4c5`; parts in order of their first cell, each cell once.
pub fn cells(cells: &[Cell], size: usize) -> String {
    if let [only] = cells {
        return cell(*only, size);
    }
    let mut left: Vec<Cell> = cells.to_vec();
    left.sort_unstable();
    left.dedup();
    let mut parts: Vec<String> = Vec::new();
    while let Some(&first) = left.first() {
        let in_row: Vec<Cell> =
            left.iter().copied().filter(|cell| cell.row(size) == first.row(size)).collect();
        let in_column: Vec<Cell> =
            left.iter().copied().filter(|cell| cell.column(size) == first.column(size)).collect();
        let taken = if in_row.len() >= in_column.len() { in_row } else { in_column };
        let rows = distinct(&taken, |cell| cell.row(size));
        let columns = distinct(&taken, |cell| cell.column(size));
        parts.push(format!("r{rows}c{columns}"));
        left.retain(|cell| !taken.contains(cell));
    }
    parts.join(" ")
}

/// Reads one cell of a board of this size.
pub fn parse_cell(text: &str, size: usize) -> Option<Cell> {
    match parse_cells(text, size)?.as_slice() {
        [cell] => Some(*cell),
        _ => None,
    }
}

/// Reads a set of cells, folded or not, parts separated by blanks or commas; in the order written.
pub fn parse_cells(text: &str, size: usize) -> Option<Vec<Cell>> {
    let mut cells = Vec::new();
    for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
        let (rows, columns) = part.strip_prefix('r')?.split_once('c')?;
        if rows.is_empty() || columns.is_empty() || rows.len() > size || columns.len() > size {
            return None;
        }
        for row in rows.chars() {
            for column in columns.chars() {
                cells.push(Cell::at(index(row, size)?, index(column, size)?, size));
            }
        }
    }
    (!cells.is_empty()).then_some(cells)
}

/// A grid in one line: the symbols of its digits, `.` for an open cell.
pub fn line(digits: impl IntoIterator<Item = Option<Digit>>) -> String {
    // bytes, since a string takes several times as long for single characters
    let symbols = digits.into_iter().map(|digit| digit.map_or(b'.', |digit| digit.symbol() as u8));
    String::from_utf8(symbols.collect()).expect("all symbols are ASCII")
}

/// `r1c1=4`.
pub fn placement(at: Cell, digit: Digit, size: usize) -> String {
    let mut text = cell(at, size);
    text.push('=');
    text.push(digit.symbol());
    text
}

/// `r8c3<>4`.
pub fn elimination(at: Cell, digit: Digit, size: usize) -> String {
    let mut text = cell(at, size);
    text.push_str("<>");
    text.push(digit.symbol());
    text
}

fn symbol(index: usize) -> char {
    Digit::from_index(index).symbol()
}

/// Digit 12 is `C` and the separator is `c`, so rows and columns past 9 are read only in capitals.
fn index(symbol: char, size: usize) -> Option<usize> {
    let digit = if symbol.is_ascii_lowercase() { None } else { Digit::from_symbol(symbol) }?;
    (digit.index() < size).then(|| digit.index())
}

fn distinct(cells: &[Cell], part: impl Fn(&Cell) -> usize) -> String {
    let mut indices: Vec<usize> = cells.iter().map(part).collect();
    indices.sort_unstable();
    indices.dedup();
    indices.into_iter().map(symbol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(names: &str, size: usize) -> String {
        cells(&parse_cells(names, size).expect("cells"), size)
    }

    #[test]
    fn folds_and_reads_back() {
        assert_eq!(folded("r1c3 r2c3", 9), "r12c3");
        assert_eq!(folded("r2c3,r1c3,r1c4", 9), "r1c34 r2c3");
        assert_eq!(folded("r1c1 r5c5", 9), "r1c1 r5c5");
        assert_eq!(parse_cells("r12c34", 9).map(|cells| cells.len()), Some(4));
    }

    /// Row 12 is `C`, and the separator is `c`: capitals tell them apart.
    #[test]
    fn large_boards() {
        for at in Cell::all(25) {
            assert_eq!(parse_cell(&cell(at, 25), 25), Some(at), "{}", cell(at, 25));
        }
        assert_eq!(parse_cell("rCcC", 16), Some(Cell::at(11, 11, 16)));
    }

    #[test]
    fn refuses() {
        for text in ["", "r0c1", "r1", "c1", "r1c", "rAc1", "x1c1", "r1c1c1", "r1c12"] {
            assert_eq!(parse_cell(text, 9), None, "{text}");
        }
    }
}
