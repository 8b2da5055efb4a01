//! Reading and writing whole puzzles, one file a format. Nothing here decides what a puzzle is: every reader
//! ends in a draft, which passes the one gate, [`PuzzleDraft::check`].
//!
//! Read [`json`], which holds everything, then [`grid`] and [`pencil`] (both stand on `drawing`), then
//! [`sgt_solo`] and [`sgt_keen`] (both stand on `sgt_blocks`). [`corpus`] reads the public test data.

pub mod corpus;
mod drawing;
pub mod grid;
pub mod json;
pub mod pencil;
mod position;
mod sgt_blocks;
pub mod sgt_keen;
pub mod sgt_solo;
mod strict;
mod unwritable;

use std::fmt;
use std::str::FromStr;

pub use position::read_position;
pub use unwritable::Unwritable;

use super::{Fault, Faults, Puzzle, PuzzleDraft};

/// The longest text that is looked at.
pub const MAX_BYTES: usize = 1 << 20;

/// A way of writing puzzles down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// One line of symbols.
    Line,
    /// A grid of symbols or numbers on many lines, boxed or not.
    Grid,
    /// A grid of pencil marks.
    Pencil,
    /// Sleuth's own JSON.
    Json,
    /// Simon Tatham's Solo.
    SgtSolo,
    /// Simon Tatham's Keen.
    SgtKeen,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] =
        [Format::Line, Format::Grid, Format::Pencil, Format::Json, Format::SgtSolo, Format::SgtKeen];

    /// Its name, as commands and messages write it.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Line => "line",
            Format::Grid => "grid",
            Format::Pencil => "pencil",
            Format::Json => "json",
            Format::SgtSolo => "sgt-solo",
            Format::SgtKeen => "sgt-keen",
        }
    }

    /// All names, for messages.
    fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reverse of [`Format::name`].
impl FromStr for Format {
    type Err = String;
    fn from_str(name: &str) -> Result<Format, String> {
        let format = Format::ALL.into_iter().find(|format| format.name() == name);
        format.ok_or_else(|| format!("there is no format of this name; there are {}", Format::names()))
    }
}

/// Which format a text is in. What is no other is a grid, if it is anything.
pub fn detect(text: &str) -> Result<Format, Faults> {
    check_length(text)?;
    if grid::classic_line(text).is_some() {
        return Ok(Format::Line);
    }
    let plain = drawing::plain(text);
    if plain.trim_start().starts_with('{') {
        return Ok(Format::Json);
    }
    if let Some(format) = sgt_blocks::detect(plain.trim()) {
        return Ok(format);
    }
    let format = match drawing::classify(&plain)?.0 {
        drawing::Reading::Pencil => Format::Pencil,
        _ if plain.trim().contains('\n') => Format::Grid,
        _ => Format::Line,
    };
    Ok(format)
}

/// Reads a puzzle in whatever format it is.
pub fn read(text: &str) -> Result<Puzzle, Faults> {
    read_draft(text)?.check()
}

/// Reads a puzzle in a known format.
pub fn read_as(format: Format, text: &str) -> Result<Puzzle, Faults> {
    read_draft_as(format, text)?.check()
}

/// Reads a draft in whatever format it is, to be changed or checked.
pub fn read_draft(text: &str) -> Result<PuzzleDraft, Faults> {
    match grid::read_plain_line(text) {
        Some(draft) => Ok(draft),
        None => read_draft_as(detect(text)?, text),
    }
}

/// Reads a draft in a known format.
pub fn read_draft_as(format: Format, text: &str) -> Result<PuzzleDraft, Faults> {
    check_length(text)?;
    match format {
        Format::Line | Format::Grid => grid::read_draft(text),
        Format::Pencil => pencil::read_draft(text),
        Format::Json => json::from_str(&drawing::plain(text)),
        Format::SgtSolo => sgt_solo::read_draft(drawing::plain(text).trim()),
        Format::SgtKeen => sgt_keen::read_draft(drawing::plain(text).trim()),
    }
}

/// Writes a puzzle, or says which of its rules the format cannot hold.
pub fn write(format: Format, puzzle: &Puzzle) -> Result<String, Unwritable> {
    match format {
        Format::Line => grid::write_line(puzzle),
        Format::Grid => grid::write_grid(puzzle),
        Format::Pencil => pencil::write(puzzle),
        Format::Json => Ok(json::to_string(puzzle)),
        Format::SgtSolo => sgt_solo::write(puzzle),
        Format::SgtKeen => sgt_keen::write(puzzle),
    }
}

fn check_length(text: &str) -> Result<(), Faults> {
    if text.len() <= MAX_BYTES {
        return Ok(());
    }
    let message = format!("{} bytes are too many for a puzzle, which has at most {MAX_BYTES}", text.len());
    Err(Faults::one(Fault::new("puzzle", message)))
}

/// Whether a symbol stands for an open cell wherever it is read: `.`, `0`, `_` or `*`.
const fn is_blank(symbol: char) -> bool {
    matches!(symbol, '.' | '0' | '_' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("sudoku".parse::<Format>().is_err());
    }

    #[test]
    fn detects() {
        for (text, format) in [
            ("1234341221434321", Format::Line),
            ("1234 3412 2143 4321", Format::Line),
            ("1234\n3412\n2143\n4321\n", Format::Grid),
            ("12 12\n12 12", Format::Pencil),
            ("12 12 12 12", Format::Pencil),
            ("\u{feff} {\"size\": 4}", Format::Json),
            ("3x3k:zzzc,", Format::SgtSolo),
            ("9jx:zzzc,", Format::SgtSolo),
            (" 4:__a_3a__b3__a_,m6s2m4s1d4m9s2\r\n", Format::SgtKeen),
            ("6dxm#123", Format::SgtKeen),
        ] {
            assert_eq!(detect(text), Ok(format), "{text}");
        }
    }

    /// Whatever it is, it ends soon, with few faults, in every format.
    #[test]
    fn hostile_texts() {
        let fill = |part: &str| part.repeat(MAX_BYTES / part.len());
        let mut texts: Vec<String> =
            ["x", ".", "1", "-", "|", "+", " ", "\n", "1\n", "1 ", "1|", "é", "{", "[", "\"", "12 "]
                .map(fill)
                .to_vec();
        for head in ["3x3:", "3x3k:zzzc,", "4:", "4:_", "25j:", "5x5:", "{\"size\":", "{\"a\":["] {
            for part in ["_", "a", "z", "1", "9", ",", "é", "{\"a\":", "[", "0,"] {
                texts.push(format!("{head}{}", part.repeat((MAX_BYTES - head.len()) / part.len())));
            }
        }
        texts.push("1".repeat(MAX_BYTES + 1));
        for text in &texts {
            let start: String = text.chars().take(12).collect();
            for format in Format::ALL {
                let faults = read_as(format, text).expect_err("faults");
                assert!(faults.list.len() <= 3, "{format} {start}: {}", faults.list.len());
                assert!(faults.to_string().len() < 500, "{format} {start}: {faults}");
            }
            let faults = read(text).expect_err("faults");
            assert!(faults.list.len() <= 3 && faults.to_string().len() < 500, "{start}: {faults}");
        }
    }
    /// Texts that are almost right are read or refused, and what is read can be written and read again.
    #[test]
    fn mangled_texts() {
        let texts = [
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "1 2 | . .\n. . | 2 .\n----+----\n- 3 | 4 .\n. . | . .\n",
            "12 3 4 1\n34 . 2 1\n24 234 1 34\n342 1 3 24",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9s2",
            "2x2xk:p,_a__aa_aaaa___aa,5_5a6a7b5b7a5b",
            "4j:1h2f,_a__aa_aaaa___aa",
            r#"{"size": 4, "regions": ["1112","1322","3324","3444"], "diagonals": ["rising"], "givens": "1...............",
                "candidates": ["12 . . .", ". 34 . .", ". . . .", ". . . 1"], "cages": [{"cells": "r1c12", "sum": 5}]}"#,
        ];
        let odd: Vec<char> = "0123456789abzxkdmsjr_-|+.,:;\"{}[]/* \n\t\ré│─\u{feff}𝟙".chars().collect();
        let mut state = 1u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let mut read_well = 0;
        for round in 0..14_000 {
            let mut text: Vec<char> = texts[round % texts.len()].chars().collect();
            for _ in 0..=below(3) {
                let at = below(text.len());
                match below(3) {
                    0 => text[at] = odd[below(odd.len())],
                    1 => text.insert(at, odd[below(odd.len())]),
                    _ => drop(text.remove(at)),
                }
            }
            let text: String = text.into_iter().collect();
            for format in Format::ALL {
                let Ok(puzzle) = read_as(format, &text) else { continue };
                read_well += 1;
                for format in Format::ALL {
                    if let Ok(written) = write(format, &puzzle) {
                        assert!(read_as(format, &written).is_ok(), "{format}: {text}\n{written}");
                    }
                }
            }
            drop(read(&text));
        }
        assert!(read_well > 500, "{read_well} were read");
    }
}
