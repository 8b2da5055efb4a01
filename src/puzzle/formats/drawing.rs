//! A grid as it is drawn: rows of marks parted by blanks, bars between groups of them, rules between rows.
//! Lines and boxed grids, grids of numbers and of pencil marks are all read from it.
//!
//! ```text
//! 5 3 . | . 7 . | . . .      a bar is `|` or its like among the box-drawing characters
//! ------+-------+------      a rule is a line of strokes, corners and crossings
//! ```
//!
//! A dash is a stroke, unless rows can only be read if it is an open cell.

use std::borrow::Cow;

use crate::puzzle::{BoxShape, Digit, Fault, Faults, RegionsDraft};

/// A drawing of 25 × 25 cells of 25 pencil marks, generously ruled, has a third of this.
const MAX_BYTES: usize = 64 << 10;

/// What the marks of a drawing are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// Each symbol is a cell.
    Symbols,
    /// Each mark is a cell: a decimal number, for sizes past 9.
    Numbers,
    /// Each mark is a cell: its candidates.
    Pencil,
}

/// Symbols side by side, with their place in the text (both from 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<'a> {
    pub text: &'a str,
    pub line: usize,
    pub column: usize,
}

impl Mark<'_> {
    /// Its place, as faults give it.
    pub fn place(&self) -> String {
        format!("line {}, column {}", self.line, self.column)
    }

    /// Whether it stands for an open cell.
    pub fn is_blank(&self) -> bool {
        self.text == "-" || self.text.chars().all(super::is_blank) && self.text.len() == 1
    }

    fn is_symbol(&self) -> bool {
        self.is_blank() || self.text.chars().all(|symbol| Digit::from_symbol(symbol).is_some())
    }

    fn is_number(&self, size: usize) -> bool {
        self.is_blank() || self.number().is_some_and(|number| (1..=size).contains(&number))
    }

    /// The number written in decimal digits.
    pub fn number(&self) -> Option<usize> {
        let is_plain = self.text.len() <= 2 && self.text.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain { self.text.parse().ok() } else { None }
    }
}

/// Whether dashes are strokes of a rule or open cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dashes {
    Strokes,
    Cells,
}

/// Rows of groups of marks; groups are what bars part. No row and no group is empty.
#[derive(Clone, Debug)]
pub(super) struct Drawing<'a> {
    rows: Vec<Vec<Vec<Mark<'a>>>>,
    /// How many rows stand above each rule.
    rules: Vec<usize>,
}

/// The text with line feeds alone, and without a byte order mark.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// Finds out what a text draws. Such a drawing may still be faulty, in its shape too.
pub(super) fn classify(text: &str) -> Result<(Reading, Drawing<'_>), Faults> {
    check_is_drawing(text)?;
    let mut misshapen = None;
    for dashes in [Dashes::Strokes, Dashes::Cells] {
        let drawing = Drawing::parse(text, dashes);
        if dashes == Dashes::Strokes && drawing.marks().any(|mark| mark.text.contains('-')) {
            continue;
        }
        match drawing.reading() {
            Some(reading) => return Ok((reading, drawing)),
            None => misshapen = misshapen.or(Some(drawing)),
        }
    }
    Ok((Reading::Symbols, misshapen.expect("dashes that are cells are always tried")))
}

/// The drawing of a text that is known to hold pencil marks.
pub(super) fn pencil(text: &str) -> Result<Drawing<'_>, Faults> {
    check_is_drawing(text)?;
    Ok(Drawing::parse(text, Dashes::Strokes))
}

/// One clear fault where the text is nothing of the kind.
fn check_is_drawing(text: &str) -> Result<(), Faults> {
    if text.len() > MAX_BYTES {
        let message =
            format!("{} bytes are too many for a drawn grid, which has at most {MAX_BYTES}", text.len());
        return Err(Faults::one(Fault::new("puzzle", message)));
    }
    let seen = text.chars().filter(|symbol| !symbol.is_whitespace());
    let (all, cells) = seen.fold((0usize, 0usize), |(all, cells), symbol| {
        let is_known = super::is_blank(symbol) || Digit::from_symbol(symbol).is_some() || is_ruling(symbol);
        (all + 1, cells + usize::from(is_known))
    });
    if all == 0 {
        return Err(Faults::one(Fault::new("puzzle", "there is nothing to read")));
    }
    // A few symbols at fault are each named with their place; this is another kind of text.
    let unreadable = all - cells;
    if unreadable > 2 && unreadable * 8 > all {
        let message = format!(
            "{unreadable} symbols of {all} are neither digit nor open cell; read are {}",
            super::Format::names()
        );
        return Err(Faults::one(Fault::new("puzzle", message)));
    }
    Ok(())
}

impl<'a> Drawing<'a> {
    fn parse(text: &'a str, dashes: Dashes) -> Drawing<'a> {
        let lines = || text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
        // How many dashes make a row of open cells rather than a rule: as many as the other rows have cells.
        let cells = |line: &str| line.chars().filter(|&c| !c.is_whitespace() && !is_bar(c)).count();
        let width = lines().find(|(_, line)| !is_rule(line)).map(|(_, line)| cells(line));
        let is_rule_here = |line: &str| match dashes {
            Dashes::Strokes => is_rule(line),
            Dashes::Cells => {
                let is_ruled =
                    line.chars().any(|c| matches!(c, '+' | '=') || is_box_drawing(c) && !is_bar(c));
                is_rule(line) && (is_ruled || width.is_some_and(|width| width != cells(line)))
            }
        };
        let mut drawing = Drawing { rows: Vec::new(), rules: Vec::new() };
        for (index, line) in lines() {
            if is_rule_here(line) {
                drawing.rules.push(drawing.rows.len());
                continue;
            }
            let row = groups(line, index + 1);
            if !row.is_empty() {
                drawing.rows.push(row);
            }
        }
        drawing
    }

    /// Every mark, in reading order.
    pub fn marks(&self) -> impl Iterator<Item = Mark<'a>> + '_ {
        self.rows.iter().flatten().flatten().copied()
    }

    /// The same with each symbol a mark of its own.
    pub fn split(&self) -> Drawing<'a> {
        let split_group = |group: &Vec<Mark<'a>>| group.iter().copied().flat_map(symbols).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(split_group).collect()).collect();
        Drawing { rows, rules: self.rules.clone() }
    }

    /// How its marks are to be read, if they have the shape of a board.
    fn reading(&self) -> Option<Reading> {
        let has_long = self.marks().any(|mark| mark.text.chars().nth(1).is_some());
        let size = self.size().filter(|&size| has_long && size > 1);
        if let Some(size) = size {
            if size > 9 && self.marks().all(|mark| mark.is_number(size)) {
                return Some(Reading::Numbers);
            }
            let is_group = |mark: Mark| mark.is_blank() || super::pencil::digits_of(mark.text, size).is_ok();
            if self.marks().all(is_group) {
                return Some(Reading::Pencil);
            }
        }
        match self.split().size() {
            Some(_) => Some(Reading::Symbols),
            // A single row is more likely a line with a cell too few than pencil marks with a fault.
            None => size.filter(|_| self.rows.len() > 1).map(|_| Reading::Pencil),
        }
    }

    /// The size of the board: so many rows of so many marks, or the root of the marks of a single row.
    pub fn size(&self) -> Option<usize> {
        let size = match &self.rows[..] {
            [] => return None,
            [row] => row.iter().map(Vec::len).sum::<usize>().isqrt(),
            rows => rows.len(),
        };
        let fits = match self.rows.len() {
            1 => size * size == self.marks().count(),
            _ => self.rows.iter().all(|row| row.iter().map(Vec::len).sum::<usize>() == size),
        };
        fits.then_some(size)
    }

    /// The size, or what is wrong with the shape.
    pub fn check_size(&self) -> Result<usize, Faults> {
        if let Some(size) = self.size() {
            return Ok(size);
        }
        let widths: Vec<usize> = self.rows.iter().map(|row| row.iter().map(Vec::len).sum()).collect();
        let message = match widths[..] {
            [] => "there are no cells".to_owned(),
            [count] => format!("{count} cells make no square board"),
            _ => return Err(self.uneven(&widths)),
        };
        Err(Faults::one(Fault::new("puzzle", message)))
    }

    /// Names the rows whose length is not that of most.
    fn uneven(&self, widths: &[usize]) -> Faults {
        let times = |width: usize| widths.iter().filter(|&&other| other == width).count();
        let most = |&width: &usize| (times(width), width);
        let usual = widths.iter().copied().max_by_key(most).unwrap_or_default();
        let mut faults = Faults::none();
        for (row, &width) in self.rows.iter().zip(widths).filter(|(_, width)| **width != usual) {
            let line = row.first().and_then(|group| group.first()).map_or(0, |mark| mark.line);
            let message = format!("{width} cells, where most rows have {usual}");
            faults.push(Fault::new(format!("line {line}"), message));
        }
        if widths.len() != usual {
            let message = format!("{} rows of {usual} cells make no square board", widths.len());
            faults.push(Fault::new("puzzle", message));
        }
        faults
    }

    /// How the board is divided: into the boxes that are drawn, else the boxes nearest to a square, else not at
    /// all (where the size is prime). Bars and rules that part single rows and columns draw no box.
    pub fn regions(&self, size: usize) -> Result<RegionsDraft, Faults> {
        if size > usize::from(Digit::MAX) {
            return Ok(RegionsDraft::None);
        }
        if self.rows.len() == 1 {
            return Ok(default_regions(size));
        }
        let width = even_part(self.rows.iter().flatten().map(Vec::len), size);
        let mut ends: Vec<usize> = self.rules.clone();
        ends.extend([0, size]);
        ends.sort_unstable();
        ends.dedup();
        let height = even_part(ends.windows(2).map(|pair| pair[1] - pair[0]), size);
        let (Ok(width), Ok(height)) = (width, height) else {
            let message =
                "the boxes that are drawn are not all of one shape; such regions are read from json alone";
            return Err(Faults::one(Fault::new("boxes", message)));
        };
        Ok(match (height, width) {
            (Some(rows), Some(columns)) => RegionsDraft::Boxes { rows, columns },
            (Some(rows), None) => RegionsDraft::Boxes { rows, columns: size / rows },
            (None, Some(columns)) => RegionsDraft::Boxes { rows: size / columns, columns },
            (None, None) => default_regions(size),
        })
    }
}

/// The boxes nearest to a square, none where the size is prime.
pub(super) fn default_regions(size: usize) -> RegionsDraft {
    match BoxShape::of_size(size) {
        Some(shape) => RegionsDraft::Boxes { rows: shape.rows.into(), columns: shape.columns.into() },
        None => RegionsDraft::None,
    }
}

/// The one length of all parts, if they are a division of the size; none if they are single cells or the whole.
fn even_part(parts: impl Iterator<Item = usize>, size: usize) -> Result<Option<usize>, ()> {
    let mut lengths: Vec<usize> = parts.collect();
    lengths.sort_unstable();
    lengths.dedup();
    match lengths[..] {
        [part] if part == 1 || part == size => Ok(None),
        [part] if size.is_multiple_of(part) => Ok(Some(part)),
        _ => Err(()),
    }
}

fn groups(line: &str, number: usize) -> Vec<Vec<Mark<'_>>> {
    let mut row: Vec<Vec<Mark>> = vec![Vec::new()];
    // A mark under way: the byte it starts at and its column.
    let mut start: Option<(usize, usize)> = None;
    for (index, (at, symbol)) in line.char_indices().chain([(line.len(), '|')]).enumerate() {
        let (is_bar, is_gap) = (is_bar(symbol), symbol.is_whitespace());
        if !is_bar && !is_gap {
            start = start.or(Some((at, index + 1)));
            continue;
        }
        if let (Some((from, column)), Some(group)) = (start.take(), row.last_mut()) {
            group.push(Mark { text: &line[from..at], line: number, column });
        }
        if is_bar {
            row.push(Vec::new());
        }
    }
    row.retain(|group| !group.is_empty());
    row
}

fn symbols(mark: Mark<'_>) -> impl Iterator<Item = Mark<'_>> {
    mark.text.char_indices().enumerate().map(move |(index, (at, symbol))| Mark {
        text: &mark.text[at..at + symbol.len_utf8()],
        line: mark.line,
        column: mark.column + index,
    })
}

/// A faulty symbol, with its place; several in a row are several faults.
pub(super) fn push_unreadable(drawing: &Drawing<'_>, faults: &mut Faults) {
    for mark in drawing.marks().filter(|mark| !mark.is_symbol()) {
        let message = format!("`{}` is neither a digit nor an open cell", mark.text.escape_debug());
        faults.push(Fault::new(mark.place(), message));
    }
}

fn is_box_drawing(symbol: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&symbol)
}

fn is_bar(symbol: char) -> bool {
    matches!(symbol, '|' | '│' | '┃' | '║' | '╎' | '╏' | '┆' | '┇' | '┊' | '┋')
}

fn is_stroke(symbol: char) -> bool {
    matches!(symbol, '-' | '=') || is_box_drawing(symbol) && !is_bar(symbol)
}

/// What bars and rules are made of.
fn is_ruling(symbol: char) -> bool {
    is_stroke(symbol) || is_bar(symbol) || symbol == '+'
}

/// Whether a line is strokes, corners and crossings alone. Dots and stars, which may be cells, are corners only
/// beside two strokes or more.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let is_corner = |symbol: char| matches!(symbol, '.' | '*' | ':' | '\'' | '`');
    if !line.chars().all(|c| c.is_whitespace() || is_ruling(c) || is_corner(c)) {
        return false;
    }
    let symbols: Vec<char> = line.chars().collect();
    let has_two = symbols.windows(2).any(|pair| is_stroke(pair[0]) && is_stroke(pair[1]));
    has_two || symbols.iter().any(|&c| is_stroke(c)) && !symbols.iter().any(|&c| is_corner(c))
}
