//! Grids of symbols or numbers, on one line or many, of any size from 2 to 25.
//!
//! * A cell is a symbol: 1–9 then A–P in either case, `.`, `0`, `_` or `*` if it is open, or `-` where that can be
//!   no rule. Sizes past 9 may also be written in decimal numbers parted by blanks.
//! * Blanks count for nothing else, and rows may be boxed by bars and rules.
//! * As many rows as cells in a row, or a single row of a square number of cells.
//! * Boxes are those that bars and rules draw; else the shape nearest to a square, no taller than wide (size 6 has
//!   boxes of 2 rows and 3 columns); sizes that are prime have none. To read another shape, change the draft's
//!   regions before it is checked, or hand them to [`read_over`].

use super::drawing::{self, Drawing, Reading};
use super::unwritable::{Unwritable, unheld_rules};
use super::{Format, pencil};
use crate::puzzle::{Digit, Faults, Puzzle, PuzzleDraft, Regions, RegionsDraft, notation};

/// Reads a grid. The draft is still to be checked.
pub fn read_draft(text: &str) -> Result<PuzzleDraft, Faults> {
    read(text, None)
}

/// Reads what most puzzles are written as, 81 digits, zeros and dots and nothing else; none if it is something else.
/// What is read is the same as in full, which takes thirty times as long.
pub(super) fn read_plain_line(text: &str) -> Option<PuzzleDraft> {
    let symbols: &[u8; 81] = text.as_bytes().try_into().ok()?;
    let is_plain = symbols.iter().all(|symbol| matches!(symbol, b'0'..=b'9' | b'.'));
    let value = |&symbol: &u8| if symbol == b'.' { 0 } else { u32::from(symbol - b'0') };
    let boxes = RegionsDraft::Boxes { rows: 3, columns: 3 };
    is_plain.then(|| PuzzleDraft::of_givens(9, boxes, symbols.iter().map(value).collect()))
}

/// Reads a grid whose board is divided like this, whatever is drawn.
pub fn read_over(text: &str, regions: RegionsDraft) -> Result<PuzzleDraft, Faults> {
    read(text, Some(regions))
}

/// The values of a plain line of 81 symbols, which most texts are: read with a fortieth of the work.
pub(super) fn classic_line(text: &str) -> Option<Vec<u32>> {
    let symbols: &[u8; 81] = text.trim().as_bytes().try_into().ok()?;
    let mut values = vec![0; symbols.len()];
    for (value, &symbol) in values.iter_mut().zip(symbols) {
        match symbol {
            b'1'..=b'9' => *value = u32::from(symbol - b'0'),
            _ if super::is_blank(symbol.into()) => {}
            _ => return None,
        }
    }
    Some(values)
}

fn read(text: &str, regions: Option<RegionsDraft>) -> Result<PuzzleDraft, Faults> {
    if let Some(givens) = classic_line(text) {
        let regions = regions.unwrap_or_else(|| drawing::default_regions(9));
        return Ok(PuzzleDraft::of_givens(9, regions, givens));
    }
    read_drawing(text, regions)
}

fn read_drawing(text: &str, regions: Option<RegionsDraft>) -> Result<PuzzleDraft, Faults> {
    let text = drawing::plain(text);
    let (reading, drawing) = drawing::classify(&text)?;
    let mut faults = Faults::none();
    let (cells, givens) = match reading {
        Reading::Pencil => return pencil::draft_of(&drawing, regions),
        Reading::Numbers => (drawing.clone(), numbers(&drawing)),
        Reading::Symbols => {
            let split = drawing.split();
            drawing::push_unreadable(&split, &mut faults);
            let values = values(&split);
            (split, values)
        }
    };
    let size = cells.check_size().unwrap_or_else(|more| {
        more.list.into_iter().for_each(|fault| faults.push(fault));
        0
    });
    faults.into_result()?;
    let regions = match regions {
        Some(regions) => regions,
        None => cells.regions(size)?,
    };
    Ok(PuzzleDraft::of_givens(size, regions, givens))
}

/// One value a mark, 0 for an open cell.
pub(super) fn values(cells: &Drawing<'_>) -> Vec<u32> {
    let symbol = |text: &str| text.chars().next().and_then(Digit::from_symbol);
    cells.marks().map(|mark| symbol(mark.text).map_or(0, |digit| digit.value().into())).collect()
}

/// One number a mark, 0 for an open cell.
pub(super) fn numbers(cells: &Drawing<'_>) -> Vec<u32> {
    cells.marks().map(|mark| mark.number().map_or(0, |number| number as u32)).collect()
}

/// Writes a puzzle in one line, which can hold givens and boxes nearest to a square.
pub fn write_line(puzzle: &Puzzle) -> Result<String, Unwritable> {
    let mut rules = unheld_rules(puzzle);
    if let Regions::Boxes(shape) = puzzle.layout().regions {
        let default = drawing::default_regions(puzzle.size());
        if default != (RegionsDraft::Boxes { rows: shape.rows.into(), columns: shape.columns.into() }) {
            rules.push(format!("boxes of {} rows and {} columns", shape.rows, shape.columns));
        }
    }
    if puzzle.is_restricted() {
        rules.push("restricted candidates".to_owned());
    }
    Unwritable::unless_empty(Format::Line, rules)?;
    Ok(notation::line(puzzle.givens().iter().copied()))
}

/// Writes a puzzle as a boxed grid, which can hold givens and boxes.
pub fn write_grid(puzzle: &Puzzle) -> Result<String, Unwritable> {
    let mut rules = unheld_rules(puzzle);
    if puzzle.is_restricted() {
        rules.push("restricted candidates".to_owned());
    }
    Unwritable::unless_empty(Format::Grid, rules)?;
    let symbol = |given: &Option<Digit>| given.map_or('.', Digit::symbol).to_string();
    Ok(draw(puzzle, &puzzle.givens().iter().map(symbol).collect::<Vec<_>>()))
}

/// Draws one text a cell, with bars and rules between boxes.
pub(super) fn draw(puzzle: &Puzzle, cells: &[String]) -> String {
    let size = puzzle.size();
    let (rows, columns) = match puzzle.layout().regions {
        Regions::Boxes(shape) => (shape.rows.into(), shape.columns.into()),
        _ => (size, size),
    };
    let width = |column: usize| cells.iter().skip(column).step_by(size).map(String::len).max().unwrap_or(1);
    let widths: Vec<usize> = (0..size).map(width).collect();
    let rule: Vec<String> =
        widths.chunks(columns).map(|part| "-".repeat(part.iter().sum::<usize>() + part.len() - 1)).collect();
    let mut lines = Vec::new();
    for (row, cells) in cells.chunks(size).enumerate() {
        if row > 0 && row % rows == 0 {
            lines.push(rule.join("-+-"));
        }
        let padded: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        let groups: Vec<String> = padded.chunks(columns).map(|group| group.join(" ")).collect();
        lines.push(groups.join(" | ").trim_end().to_owned());
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIKIPEDIA: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn read(text: &str) -> Puzzle {
        read_draft(text).and_then(PuzzleDraft::check).unwrap_or_else(|faults| panic!("{text}\n{faults}"))
    }

    /// What is read quickly is what is read slowly.
    #[test]
    fn classic_lines() {
        let zeros = WIKIPEDIA.replace('.', "0");
        let mixed = format!(" {}\n", WIKIPEDIA.replacen('.', "_", 9).replacen('.', "*", 9));
        let full = "123456789".repeat(9);
        for text in [WIKIPEDIA, &zeros, &mixed, &full] {
            assert!(classic_line(text).is_some(), "{text}");
            for regions in [None, Some(RegionsDraft::None)] {
                assert_eq!(super::read(text, regions.clone()), read_drawing(text, regions), "{text}");
            }
        }
        for text in [&WIKIPEDIA[1..], &WIKIPEDIA.replace('.', "-"), &rows("\n"), &zeros.replacen('0', "é", 1)]
        {
            assert_eq!(classic_line(text), None, "{text}");
        }
    }

    fn faults(text: &str) -> Vec<String> {
        let faults = read_draft(text).and_then(PuzzleDraft::check).expect_err(text);
        faults.list.iter().map(ToString::to_string).collect()
    }

    fn rows(separator: &str) -> String {
        let rows: Vec<String> =
            WIKIPEDIA.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
        rows.join(separator)
    }

    #[test]
    fn one_puzzle_in_many_spellings() {
        let puzzle = read(WIKIPEDIA);
        let boxed = write_grid(&puzzle).expect("a grid");
        let framed = format!(
            ".-------.-------.-------.\n{}\n'-------'-------'-------'",
            boxed
                .lines()
                .map(|l| if l.contains('+') { format!(":{l}:") } else { format!("| {l} |") })
                .collect::<Vec<_>>()
                .join("\n")
        );
        let spaced = boxed.replace("------+-------+------", "- - - + - - - + - - -");
        let unicode = boxed.replace('|', "│").replace('-', "─").replace('+', "┼");
        let dashes = boxed.replace('.', "-");
        let dashes_ruled = dashes.replace('+', "-");
        for text in [
            WIKIPEDIA.replace('.', "0"),
            WIKIPEDIA.replace('.', "_"),
            WIKIPEDIA.replace('.', "*"),
            WIKIPEDIA.replace('.', "-"),
            format!("\u{feff}  {WIKIPEDIA}\r\n\r\n"),
            rows("\n"),
            rows("\r\n"),
            rows("\r"),
            rows("\n\n"),
            rows(" "),
            rows("|"),
            rows("\n").replace('.', ".\t"),
            rows("\n").replace('.', "-"),
            rows("\n").replace('.', "\u{a0}.\u{a0}"),
            boxed.clone(),
            boxed.replace('\n', "\r\n"),
            framed,
            spaced,
            unicode,
            dashes,
            dashes_ruled,
            rows("\n").chars().map(|c| if c == '\n' { "|\n|".to_owned() } else { format!("{c}|") }).collect(),
        ] {
            assert_eq!(read(&text), puzzle, "{text}");
        }
    }

    #[test]
    fn a_plain_line_reads_the_same_by_itself_and_in_full() {
        let lines = [
            WIKIPEDIA.to_owned(),
            WIKIPEDIA.replace('.', "0"),
            WIKIPEDIA.replacen('.', "0", 9),
            ".".repeat(81),
            "0".repeat(81),
            "1".repeat(81),
            "123456789".repeat(9),
        ];
        for line in lines {
            assert_eq!(read_plain_line(&line), read_draft(&line).ok(), "{line}");
        }
        let others =
            [&WIKIPEDIA[1..], &WIKIPEDIA.replace('.', "_"), &WIKIPEDIA.replace('5', "A"), &"é".repeat(40)];
        for other in others {
            assert_eq!(read_plain_line(other), None, "{other}");
        }
    }

    #[test]
    fn other_sizes() {
        let regions = |text: &str| read_draft(text).expect(text).regions;
        let boxes = |rows, columns| RegionsDraft::Boxes { rows, columns };
        assert_eq!(regions(&".".repeat(36)), boxes(2, 3));
        assert_eq!(regions(&".".repeat(49)), RegionsDraft::None);
        assert_eq!(regions(&".".repeat(4)), RegionsDraft::None);
        assert_eq!(regions(&"-".repeat(625)), boxes(5, 5));
        assert_eq!(regions(&"......\n".repeat(6)), boxes(2, 3));
        assert_eq!(regions(&"..|..|..\n".repeat(6)), boxes(3, 2));
        assert_eq!(regions("......\n......\n......\n------\n......\n......\n......"), boxes(3, 2));
        let numbers = format!("1 10 . 3 . . . . . .\n{}", "0 0 0 0 0 0 0 0 0 0\n".repeat(9));
        let large = read(&numbers);
        assert_eq!((large.size(), large.givens()[1].map(Digit::value)), (10, Some(10)));
    }

    #[test]
    fn regions_can_be_handed_in() {
        let draft = read_over(&".".repeat(36), RegionsDraft::Boxes { rows: 3, columns: 2 }).expect("a draft");
        let puzzle = draft.check().expect("a puzzle");
        let error = write_line(&puzzle).expect_err("unwritable");
        assert_eq!(error.to_string(), "the format line cannot hold boxes of 3 rows and 2 columns");
        assert_eq!(read(&write_grid(&puzzle).expect("a grid")), puzzle);
    }

    #[test]
    fn says_where_it_is_wrong() {
        assert_eq!(faults(""), ["puzzle: there is nothing to read"]);
        assert_eq!(
            faults(" \r\n\t\u{feff}".trim_end_matches('\u{feff}')),
            ["puzzle: there is nothing to read"]
        );
        assert_eq!(faults(&WIKIPEDIA[1..]), ["puzzle: 80 cells make no square board"]);
        assert_eq!(
            faults(&WIKIPEDIA.replacen('7', "x", 1)),
            ["line 1, column 5: `x` is neither a digit nor an open cell"]
        );
        assert_eq!(
            faults(&rows("\n").replacen("6..195...", "6..1?5..", 1)),
            [
                "line 2, column 5: `?` is neither a digit nor an open cell",
                "line 2: 8 cells, where most rows have 9",
            ]
        );
        assert_eq!(faults(&".........\n".repeat(8)), ["puzzle: 8 rows of 9 cells make no square board"]);
        assert_eq!(faults(&".".repeat(26 * 26)), ["size: size 26 is not between 2 and 25"]);
        assert_eq!(faults("5"), ["size: size 1 is not between 2 and 25"]);
        assert_eq!(faults("55..").len(), 2);
        assert!(faults(&format!("{WIKIPEDIA}\n{WIKIPEDIA}"))[0].contains("2 rows of 81 cells"));
        assert!(faults("..|.|.\n....\n....\n....")[0].contains("not all of one shape"));
        assert!(faults("hello, who goes there?")[0].contains("neither digit nor open cell"));
    }
}
