//! Multi-sector locked sets: the cells where some rows cross some columns, each digit kept there by the rows or by
//! the columns.
//!
//! ```text
//!        c2   c5   c8        the rows keep 1234: each row has room for each of these that it still misses
//!  r1    ab   ac   bd        the columns keep 56789
//!  r4    ..   ..   ..        with no more room than cells, nothing of it may stay empty:
//!  r7    ..   ..   ..        the rows have their 1234 in these columns, the columns their 56789 in these rows
//! ```

use std::ops::ControlFlow;

use super::counting::Counting;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Mark, Role, Shape};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// Multi-sector locked sets.
pub const MULTI_SECTOR_LOCKED_SETS: Technique = Technique {
    slug: "multi-sector-locked-sets",
    name: Text { en: "Multi-sector locked sets", zh: "多扇区锁定数集" },
    level: Level::Extreme,
    score: 660,
    needs: Needs::NONE,
    // Every choice of rows and columns: some 4 ms a position.
    on_path: false,
    find: multi_sector_locked_sets,
    sentence: Text {
        en: "{base} keep {digits} and {cover} keep {extra} where they cross: {count} places for the {count} cells {pattern}, so none stays empty and {target} can go",
        zh: "在相交处，{base}负责 {digits}，{cover}负责 {extra}：共 {count} 处，正好等于 {pattern} 的 {count} 格，没有一处空着，因此删去 {target}",
    },
    lesson: Text {
        en: "the cells {pattern} lie where {base} and {cover} cross; each of {digits} has room there once in every one of {base} that it can still stand in, each of {extra} once in every one of {cover}, which makes {count} places in all; there are {count} cells to fill, so no place stays empty: these houses hold those digits within the pattern, and {target} can go",
        zh: "{pattern} 位于{base}与{cover}的相交处；{digits} 在还能填它的每个{base}中各有一处，{extra} 在每个{cover}中各有一处，总共 {count} 处；要填的格也是 {count} 个，所以没有一处空着：这些区域的相应数字都在图形之内，可删去 {target}",
    },
};

/// The largest board that is gone through: every choice of rows with every choice of columns.
const MAX_SIZE: usize = 9;

/// Rows and columns of a pattern: fewer are subsets or fish, more are their complements.
const LINES: std::ops::RangeInclusive<u32> = 3..=6;

/// Every choice of rows and columns.
pub fn multi_sector_locked_sets(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    if context.size() > MAX_SIZE {
        return ControlFlow::Continue(());
    }
    let tables = Tables::new(context);
    let all = 1usize << context.size();
    for rows in (0..all).filter(|rows| LINES.contains(&rows.count_ones())) {
        sink.spend(64)?;
        let counts = tables.cells_by_columns(rows);
        for columns in (0..all).filter(|columns| LINES.contains(&columns.count_ones())) {
            let cells = u32::from(counts[columns]);
            if cells >= MIN_CELLS && tables.room(rows, columns, cells) == cells {
                find(context, sink, &tables, rows, columns)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Cells of a pattern, at least.
const MIN_CELLS: u32 = 9;

/// For each choice of columns, by digit: the rows that have the digit there; and the other way about.
struct Tables {
    size: usize,
    rows_with: Vec<Vec<u16>>,
    columns_with: Vec<Vec<u16>>,
    /// By column, the rows in which it is open.
    open: Vec<u16>,
}

impl Tables {
    fn new(context: &Context<'_>) -> Tables {
        let size = context.size();
        let with = |lines: usize| -> Vec<Vec<u16>> {
            let by_digit = |digit: Digit| {
                // Of line `i` across, bit `j` is the crossing with line `j`.
                let seats = |line: usize| context.seats_in(HouseId((lines + line) as u16), digit);
                let mut table = vec![0u16; 1 << size];
                for chosen in 1..table.len() {
                    let line = chosen.trailing_zeros() as usize;
                    table[chosen] = table[chosen & (chosen - 1)] | seats(line);
                }
                table
            };
            Digit::all(size).map(by_digit).collect()
        };
        let open = (0..size).map(|column| {
            let is_open = |row: &usize| context.open().contains(Cell::at(*row, column, size));
            (0..size).filter(is_open).fold(0, |rows, row| rows | 1 << row)
        });
        Tables { size, rows_with: with(size), columns_with: with(0), open: open.collect() }
    }

    /// How many open cells each choice of columns has in these rows.
    fn cells_by_columns(&self, rows: usize) -> Vec<u8> {
        let mut counts = vec![0u8; 1 << self.size];
        for columns in 1..counts.len() {
            let column = columns.trailing_zeros() as usize;
            let of_column = (usize::from(self.open[column]) & rows).count_ones() as u8;
            counts[columns] = counts[columns & (columns - 1)] + of_column;
        }
        counts
    }

    /// In how many of the rows and in how many of the columns a digit stands where they cross.
    fn lines_with(&self, digit: usize, rows: usize, columns: usize) -> (u32, u32) {
        let in_rows = usize::from(self.rows_with[digit][columns]) & rows;
        let in_columns = usize::from(self.columns_with[digit][rows]) & columns;
        (in_rows.count_ones(), in_columns.count_ones())
    }

    /// How often all digits have room there; beyond `most` it is not counted on.
    fn room(&self, rows: usize, columns: usize, most: u32) -> u32 {
        let mut room = 0;
        for digit in 0..self.size {
            let (in_rows, in_columns) = self.lines_with(digit, rows, columns);
            room += in_rows.min(in_columns);
            if room > most {
                break;
            }
        }
        room
    }

    /// Whether a smaller choice is locked too: then this one says no more.
    fn has_smaller(&self, context: &Context<'_>, rows: usize, columns: usize) -> bool {
        let is_locked = |rows: usize, columns: usize| {
            let cells = crossing(context, rows, columns).len() as u32;
            cells > 0 && self.room(rows, columns, cells) == cells
        };
        let lines = 0..self.size;
        lines.clone().any(|row| rows & (1 << row) != 0 && is_locked(rows & !(1 << row), columns))
            || lines
                .clone()
                .any(|column| columns & (1 << column) != 0 && is_locked(rows, columns & !(1 << column)))
    }
}

/// The open cells where rows and columns cross.
fn crossing(context: &Context<'_>, rows: usize, columns: usize) -> CellSet {
    let lines = |first: usize, chosen: usize| {
        houses(first, chosen).fold(CellSet::EMPTY, |cells, house| cells | context.house(house))
    };
    lines(0, rows) & lines(context.size(), columns) & context.open()
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, tables: &Tables, rows: usize, columns: usize) -> Flow {
    sink.spend(8)?;
    if tables.has_smaller(context, rows, columns) {
        return ControlFlow::Continue(());
    }
    let choice = Choice { rows, columns, cells: crossing(context, rows, columns) };
    let lines = |digit: Digit| tables.lines_with(digit.index(), rows, columns);
    let digits = |is_kept: &dyn Fn((u32, u32)) -> bool| -> DigitSet {
        let stands = |digit: &Digit| lines(*digit).0 > 0 && is_kept(lines(*digit));
        context.puzzle().digits().iter().filter(stands).collect()
    };
    let by_rows = digits(&|(in_rows, in_columns)| in_rows < in_columns);
    let by_columns = digits(&|(in_rows, in_columns)| in_rows > in_columns);
    let either = digits(&|(in_rows, in_columns)| in_rows == in_columns);
    choice.push(context, sink, by_rows | either, by_columns)?;
    if either.is_empty() {
        return ControlFlow::Continue(());
    }
    choice.push(context, sink, by_rows, by_columns | either)
}

/// Rows and columns, as bits, and the open cells where they cross.
struct Choice {
    rows: usize,
    columns: usize,
    cells: CellSet,
}

impl Choice {
    /// Reports what follows if the rows keep some digits and the columns the others.
    fn push(
        &self,
        context: &Context<'_>,
        sink: &mut Sink<'_>,
        by_rows: DigitSet,
        by_columns: DigitSet,
    ) -> Flow {
        if by_rows.is_empty() || by_columns.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut counting = Counting::new(context);
        counting.count_cells(self.cells);
        let mut among = Vec::new();
        for (first, chosen, digits) in [(0, self.rows, by_rows), (context.size(), self.columns, by_columns)] {
            for house in houses(first, chosen) {
                for digit in digits {
                    let spots = context.spots_in(house, digit);
                    if spots.meets(self.cells) {
                        counting.link(digit, spots & self.cells);
                        among.extend(spots.iter().map(|cell| (cell, digit)));
                    }
                }
            }
        }
        let conclusions = counting.excluded(among);
        if conclusions.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut marks: Vec<Mark> = houses(0, self.rows).map(|house| Mark::house(Role::Base, house)).collect();
        marks.extend(houses(context.size(), self.columns).map(|house| Mark::house(Role::Cover, house)));
        marks.push(Mark::digits(Role::Digits, by_rows));
        marks.push(Mark::digits(Role::Extra, by_columns));
        marks.push(Mark::new(Role::Count, Shape::Number(self.cells.len() as i64)));
        marks.push(Mark::cells(Role::Pattern, self.cells));
        let proof = counting.prove(&conclusions);
        sink.push(conclusions, marks, proof)
    }
}

/// The chosen ones of rows (from house 0 on) or of columns.
fn houses(first: usize, chosen: usize) -> impl Iterator<Item = HouseId> {
    (0..usize::BITS as usize)
        .filter(move |line| chosen & (1 << line) != 0)
        .map(move |line| HouseId((first + line) as u16))
}
