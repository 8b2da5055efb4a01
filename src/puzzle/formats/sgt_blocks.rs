//! What Simon Tatham's Solo and Keen have in common: how they write the division of a board into blocks, and
//! rows of numbers.
//!
//! **Blocks** are written as their borders: all edges between cells side by side, row by row, then all edges
//! between cells one above the other, column by column, then one border past the end. A letter is a run of edges
//! without border and the border after it: `_` for none, `a` for one, to `y` for 25. `z` is 25 edges and no border,
//! so a longer run goes on in the next letter. Keen folds runs of a letter: `aaa` is `a3`.
//!
//! His decoders treat runs of 25 and more otherwise than his encoders write them (Solo takes `z` for 26 edges and
//! a border, Keen lets no border follow `y`). Here both directions follow the encoders.

use super::Format;
use crate::puzzle::{Fault, Faults};

/// A part of a descriptor, with the column it starts at (from 1).
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub text: &'a str,
    pub column: usize,
}

impl<'a> Part<'a> {
    /// Cuts at every separator.
    pub fn split(self, separator: char) -> Vec<Part<'a>> {
        let mut column = self.column;
        let mut parts = Vec::new();
        for text in self.text.split(separator) {
            parts.push(Part { text, column });
            column += text.chars().count() + 1;
        }
        parts
    }

    /// A fault at a symbol of it, counted from 0 (what has been read is ASCII, so bytes are symbols).
    pub fn fault(self, index: usize, message: impl Into<String>) -> Faults {
        Faults::one(Fault::new(format!("line 1, column {}", self.column + index), message))
    }

    fn unreadable(self, index: usize, symbol: char, wanted: &str) -> Faults {
        self.fault(index, format!("`{}` is no part of {wanted}", symbol.escape_debug()))
    }
}

/// Whether a text has the look of a descriptor, and of which game: `3x3k:…` and `9j:…` are Solo's, `6:…` Keen's.
pub(super) fn detect(text: &str) -> Option<Format> {
    let (params, _) = text.split_once([':', '#'])?;
    let is_plain = params.len() <= 20 && params.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_plain || !params.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let flags = params.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
    Some(if flags.starts_with(['x', 'j']) { Format::SgtSolo } else { Format::SgtKeen })
}

/// Parameters and description.
pub(super) fn split_head(text: &str) -> Result<(Part<'_>, Part<'_>), Faults> {
    let whole = Part { text, column: 1 };
    match text.find([':', '#']) {
        Some(at) if text[at..].starts_with('#') => {
            Err(whole
                .fault(at, "a random seed is no puzzle: only the game that drew it can tell which it was"))
        }
        Some(at) => {
            let column = text[..at].chars().count() + 2;
            Ok((Part { text: &text[..at], column: 1 }, Part { text: &text[at + 1..], column }))
        }
        None => Err(whole.fault(0, "a descriptor has parameters, a colon and a description")),
    }
}

/// Takes the decimal number at the start of a text, of at most eighteen digits.
pub(super) fn take_number(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let number = if end <= 18 { text[..end].parse().ok()? } else { return None };
    Some((number, &text[end..]))
}

/// The edges of a board in the order they are written: pairs of cell indices.
fn edges(size: usize) -> impl Iterator<Item = (usize, usize)> {
    let inner = size - 1;
    let beside = (0..size * inner).map(move |index| {
        let cell = index / inner * size + index % inner;
        (cell, cell + 1)
    });
    let below = (0..size * inner).map(move |index| {
        let cell = index % inner * size + index / inner;
        (cell, cell + size)
    });
    beside.chain(below)
}

/// Reads the block of each cell; blocks are numbered from 0 in order of their first cells.
pub(super) fn read_blocks(part: Part<'_>, size: usize, is_folded: bool) -> Result<Vec<usize>, Faults> {
    let mut has_border = Vec::new();
    let count = 2 * size * (size - 1);
    let mut rest = part.text;
    while let Some(letter) = rest.chars().next() {
        let index = part.text.len() - rest.len();
        let (run, ends) = match letter {
            '_' => (0, true),
            'z' => (25, false),
            'a'..='y' => (letter as usize - 'a' as usize + 1, true),
            other => return Err(part.unreadable(index, other, "a division into blocks")),
        };
        rest = &rest[1..];
        let mut times = 1;
        if is_folded && rest.starts_with(|next: char| next.is_ascii_digit()) {
            let folded = take_number(rest).filter(|(times, _)| *times > 0);
            let (number, after) =
                folded.ok_or_else(|| part.fault(index + 1, "a letter is not repeated so often"))?;
            (times, rest) = (number, after);
        }
        for _ in 0..times {
            has_border.extend(std::iter::repeat_n(false, run));
            if ends {
                has_border.push(true);
            }
            if has_border.len() > count + 1 {
                return Err(part.fault(index, format!("more borders than a board of size {size} has")));
            }
        }
    }
    if has_border.len() != count + 1 || !has_border[count] {
        let message = format!("{} edges instead of the {count} of a board of size {size}", has_border.len());
        return Err(part.fault(0, message));
    }
    let joined = edges(size).zip(has_border).filter(|(_, has_border)| !has_border).map(|(edge, _)| edge);
    Ok(components(size, joined))
}

/// Writes blocks by their borders. Blocks in several pieces cannot be written: see [`is_connected`].
pub(super) fn write_blocks(blocks: &[usize], size: usize, is_folded: bool) -> String {
    let mut letters = String::new();
    let mut run = 0u8;
    let borders = edges(size).map(|(one, other)| blocks[one] != blocks[other]).chain([true]);
    for has_border in borders {
        if !has_border {
            // A run of 26 and more is begun with a `z`.
            if run == 25 {
                letters.push('z');
                run = 0;
            }
            run += 1;
            continue;
        }
        letters.push(if run == 0 { '_' } else { (b'a' + run - 1) as char });
        run = 0;
    }
    if is_folded { fold(&letters) } else { letters }
}

/// `aaa` becomes `a3`, `aa` stays.
fn fold(letters: &str) -> String {
    let mut folded = String::new();
    for run in letters.as_bytes().chunk_by(|one, other| one == other) {
        let letter = run[0] as char;
        folded.push(letter);
        match run.len() {
            1 => {}
            2 => folded.push(letter),
            times => folded.push_str(&times.to_string()),
        }
    }
    folded
}

/// Whether every block is in one piece.
pub(super) fn is_connected(blocks: &[usize], size: usize) -> bool {
    let joined = edges(size).filter(|&(one, other)| blocks[one] == blocks[other]);
    let pieces = components(size, joined);
    edges_of_all(blocks).all(|(one, other)| pieces[one] == pieces[other])
}

/// Pairs each cell with the first of its block.
fn edges_of_all(blocks: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut first = vec![None; blocks.iter().max().map_or(0, |last| last + 1)];
    blocks.iter().enumerate().map(move |(cell, &block)| (*first[block].get_or_insert(cell), cell))
}

/// Numbers the pieces that the edges join, in order of their first cells.
fn components(size: usize, joined: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); size * size];
    for (one, other) in joined {
        neighbours[one].push(other);
        neighbours[other].push(one);
    }
    let mut piece = vec![None; size * size];
    let mut count = 0;
    for first in 0..size * size {
        if piece[first].is_some() {
            continue;
        }
        let mut open = vec![first];
        while let Some(cell) = open.pop() {
            if piece[cell].replace(count).is_none() {
                open.extend(neighbours[cell].iter().filter(|&&next| piece[next].is_none()));
            }
        }
        count += 1;
    }
    piece.into_iter().flatten().collect()
}

/// Reads one number a cell, 0 where there is none: letters are runs of cells without number (`a` one, `z` 26),
/// `_` parts two numbers.
pub(super) fn read_numbers(part: Part<'_>, size: usize) -> Result<Vec<u64>, Faults> {
    let mut numbers = Vec::new();
    let mut rest = part.text;
    while let Some(symbol) = rest.chars().next() {
        let index = part.text.len() - rest.len();
        match symbol {
            '_' => rest = &rest[1..],
            'a'..='z' => {
                numbers.extend(std::iter::repeat_n(0, symbol as usize - 'a' as usize + 1));
                rest = &rest[1..];
            }
            '1'..='9' => {
                let number = take_number(rest).ok_or_else(|| part.fault(index, "this number is too long"))?;
                numbers.push(number.0);
                rest = number.1;
            }
            other => return Err(part.unreadable(index, other, "a row of numbers")),
        }
        if numbers.len() > size * size {
            return Err(part.fault(index, format!("more cells than the {} of the board", size * size)));
        }
    }
    if numbers.len() != size * size {
        return Err(part.fault(0, format!("{} cells instead of {}", numbers.len(), size * size)));
    }
    Ok(numbers)
}

/// The reverse of [`read_numbers`].
pub(super) fn write_numbers(numbers: &[u64]) -> String {
    let mut text = String::new();
    let mut run = 0;
    for &number in numbers {
        if number == 0 {
            run += 1;
            continue;
        }
        if run == 0 && !text.is_empty() {
            text.push('_');
        }
        push_run(&mut text, run);
        run = 0;
        text.push_str(&number.to_string());
    }
    push_run(&mut text, run);
    text
}

fn push_run(text: &mut String, run: usize) {
    text.push_str(&"z".repeat(run / 26));
    if !run.is_multiple_of(26) {
        text.push((b'a' + (run % 26) as u8 - 1) as char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part<'_> {
        Part { text, column: 1 }
    }

    #[test]
    fn borders_of_the_seed_puzzle() {
        let blocks = read_blocks(part("__a_3a__b3__a_"), 4, true).expect("blocks");
        assert_eq!(blocks, [0, 1, 2, 2, 0, 1, 2, 3, 4, 5, 5, 3, 4, 5, 6, 6]);
        assert_eq!(write_blocks(&blocks, 4, true), "__a_3a__b3__a_");
        assert_eq!(write_blocks(&blocks, 4, false), "__a___a__bbb__a_");
    }

    /// Runs of 24 to 78 edges without border, about every multiple of 25, come back as they went.
    #[test]
    fn long_runs() {
        let size = 25;
        for height in 1..size {
            // A block of whole rows above, and each cell of the rest alone.
            let blocks: Vec<usize> = (0..size * size)
                .map(|cell| if cell < height * size { 0 } else { cell - height * size + 1 })
                .collect();
            for is_folded in [false, true] {
                let text = write_blocks(&blocks, size, is_folded);
                assert_eq!(read_blocks(part(&text), size, is_folded), Ok(blocks.clone()), "{text}");
            }
        }
        assert_eq!(write_blocks(&vec![0; 625], size, true), "z47y");
        let one = |run: usize| {
            let blocks: Vec<usize> = (0..36).map(|cell| usize::from(cell > 5 + run)).collect();
            write_blocks(&blocks, 6, false)
        };
        assert!(one(25).starts_with('y') && one(26).starts_with("za"), "{} {}", one(25), one(26));
    }

    #[test]
    fn pieces() {
        assert!(is_connected(&[0, 0, 1, 1], 2));
        assert!(!is_connected(&[0, 1, 1, 0], 2));
        assert!(!is_connected(&[7, 1, 1, 7], 2));
    }

    #[test]
    fn numbers_and_back() {
        for (text, numbers) in [
            ("d", vec![0, 0, 0, 0]),
            ("4_3_2_1", vec![4, 3, 2, 1]),
            ("a12b", vec![0, 12, 0, 0]),
            ("1b2", vec![1, 0, 0, 2]),
        ] {
            assert_eq!(read_numbers(part(text), 2), Ok(numbers.clone()), "{text}");
            assert_eq!(write_numbers(&numbers), text);
        }
        let empty = vec![0; 81];
        assert_eq!(write_numbers(&empty), "zzzc");
        assert_eq!(write_numbers(&[0; 26]), "z");
    }

    #[test]
    fn refuses() {
        for text in ["", "_", "____!", "______", "a0____", "_99999999999999999999", "_99999999999", "zz", "é"]
        {
            assert!(read_blocks(part(text), 2, true).is_err(), "{text}");
        }
        assert!(read_blocks(part("_5"), 2, true).is_ok());
        assert!(read_blocks(part("_5"), 2, false).is_err());
        for text in ["", "c", "e", "a0b", "9999999999999999999c", "é", "a-1b"] {
            assert!(read_numbers(part(text), 2).is_err(), "{text}");
        }
    }
}
