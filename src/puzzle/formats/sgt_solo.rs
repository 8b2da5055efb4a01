//! Descriptors of Simon Tatham's Solo: `3x3:…`, `2x3xk:…`, `9j:…`.
//!
//! Parameters are `CxR` (**boxes of C rows and R columns**) or `Nj` (jigsaw), then `x` (both diagonals) and `k`
//! (killer); what says how to generate (symmetry, difficulty) is read past. The description is the givens, then the
//! regions of a jigsaw, then the cages of a killer and the sum of each at its first cell, parted by commas.
//! Solo knows killers up to size 9, whose cages cover the board and have two cells or more.

use super::Format;
use super::sgt_blocks::{
    Part, is_connected, read_blocks, read_numbers, split_head, take_number, write_blocks, write_numbers,
};
use super::unwritable::Unwritable;
use crate::puzzle::{
    CageDraft, Cell, Digit, Fault, Faults, Operation, Puzzle, PuzzleDraft, Regions, RegionsDraft, notation,
};

struct Params {
    /// Height and width of a box; height alone is the size of a jigsaw.
    rows: usize,
    columns: usize,
    is_jigsaw: bool,
    has_diagonals: bool,
    is_killer: bool,
}

/// Reads a descriptor. The draft is still to be checked.
pub fn read_draft(text: &str) -> Result<PuzzleDraft, Faults> {
    let (params, description) = split_head(text)?;
    let params = read_params(params)?;
    let (size, max) = (params.rows * params.columns, usize::from(Digit::MAX));
    if !(2..=max).contains(&size) {
        return Err(Faults::one(Fault::new("size", format!("size {size} is not between 2 and {max}"))));
    }
    let parts = description.split(',');
    let wanted = 1 + usize::from(params.is_jigsaw) + 2 * usize::from(params.is_killer);
    if parts.len() != wanted {
        let message =
            format!("{} parts parted by commas, where the parameters call for {wanted}", parts.len());
        return Err(description.fault(0, message));
    }
    let mut draft = PuzzleDraft::latin(size);
    (draft.falling_diagonal, draft.rising_diagonal) = (params.has_diagonals, params.has_diagonals);
    let givens = read_numbers(parts[0], size)?;
    draft.givens = givens.into_iter().map(|given| u32::try_from(given).unwrap_or(u32::MAX)).collect();
    draft.regions = if params.is_jigsaw {
        RegionsDraft::Jigsaw(read_blocks(parts[1], size, false)?)
    } else {
        RegionsDraft::Boxes { rows: params.rows, columns: params.columns }
    };
    if params.is_killer {
        draft.cages = read_cages(parts[wanted - 2], parts[wanted - 1], size)?;
    }
    Ok(draft)
}

fn read_params(part: Part<'_>) -> Result<Params, Faults> {
    let column = |rest: &str| part.text.len() - rest.len();
    let wrong = |rest: &str| part.fault(column(rest), "no such parameter is known");
    let side = |text| take_number(text).filter(|(side, _)| *side <= 1000);
    let (rows, mut rest) = side(part.text).ok_or_else(|| wrong(part.text))?;
    let mut params = Params {
        rows: rows as usize,
        columns: rows as usize,
        is_jigsaw: false,
        has_diagonals: false,
        is_killer: false,
    };
    if let Some((columns, after)) = rest.strip_prefix('x').and_then(side) {
        (params.columns, rest) = (columns as usize, after);
    } else if rest.starts_with('j') {
        params.columns = 1;
    }
    while let Some(flag) = rest.chars().next() {
        let after = &rest[flag.len_utf8()..];
        rest = match flag {
            'j' => {
                params.is_jigsaw = true;
                after
            }
            'x' => {
                params.has_diagonals = true;
                after
            }
            'k' => {
                params.is_killer = true;
                after
            }
            'a' => after,
            'r' | 'm' => {
                let digits = if flag == 'm' { after.strip_prefix('d').unwrap_or(after) } else { after };
                take_number(digits).ok_or_else(|| wrong(rest))?.1
            }
            'd' => after.strip_prefix(['t', 'b', 'i', 'a', 'e', 'u']).ok_or_else(|| wrong(rest))?,
            _ => return Err(wrong(rest)),
        };
    }
    Ok(params)
}

fn read_cages(blocks: Part<'_>, sums: Part<'_>, size: usize) -> Result<Vec<CageDraft>, Faults> {
    let blocks = read_blocks(blocks, size, false)?;
    let sums = read_numbers(sums, size)?;
    let mut faults = Faults::none();
    let mut cages: Vec<CageDraft> = Vec::new();
    for cell in Cell::all(size) {
        let (block, sum) = (blocks[cell.index()], sums[cell.index()]);
        let name = notation::cell(cell, size);
        match cages.get_mut(block) {
            Some(cage) => {
                cage.cells.push(cell.index());
                if sum != 0 {
                    let message = format!("{name} has a sum, but is not the first cell of its cage");
                    faults.push(Fault::new("cages", message).at([cell]));
                }
            }
            // Blocks are numbered in order of their first cells: this is one.
            None => {
                if sum == 0 {
                    faults.push(Fault::new("cages", format!("the cage of {name} has no sum")).at([cell]));
                }
                let target = i64::try_from(sum).ok();
                let operation = Operation::Add;
                cages.push(CageDraft { cells: vec![cell.index()], operation, target, distinct: true });
            }
        }
    }
    faults.into_result().map(|()| cages)
}

/// Writes a puzzle as Solo itself does.
pub fn write(puzzle: &Puzzle) -> Result<String, Unwritable> {
    Unwritable::unless_empty(Format::SgtSolo, unheld_rules(puzzle))?;
    let (layout, size) = (puzzle.layout(), puzzle.size());
    let is_killer = !puzzle.cages().is_empty();
    let (mut head, mut regions) = (String::new(), String::new());
    match &layout.regions {
        Regions::Boxes(shape) => head = format!("{}x{}", shape.rows, shape.columns),
        Regions::Jigsaw(blocks) => {
            head = format!("{size}j");
            let blocks: Vec<usize> = blocks.iter().map(|&block| block.into()).collect();
            regions = format!(",{}", write_blocks(&blocks, size, false));
        }
        Regions::None => {}
    }
    if layout.falling_diagonal {
        head.push('x');
    }
    if is_killer {
        head.push('k');
    }
    let givens: Vec<u64> =
        puzzle.givens().iter().map(|given| given.map_or(0, |digit| digit.value().into())).collect();
    let mut text = format!("{head}:{}{regions}", write_numbers(&givens));
    if is_killer {
        let mut sums = vec![0; puzzle.cell_count()];
        for cage in puzzle.cages() {
            sums[cage.cells[0].index()] = cage.target;
        }
        text += &format!(",{},{}", write_blocks(&cages_of(puzzle), size, false), write_numbers(&sums));
    }
    Ok(text)
}

/// The cage of each cell of a board that they cover; cells in none have numbers of their own.
pub(super) fn cages_of(puzzle: &Puzzle) -> Vec<usize> {
    let count = puzzle.cages().len();
    let cage = |cell| puzzle.cage_of(cell).map(|id| id.index());
    Cell::all(puzzle.size()).map(|cell| cage(cell).unwrap_or(count + cell.index())).collect()
}

fn unheld_rules(puzzle: &Puzzle) -> Vec<String> {
    let (layout, size) = (puzzle.layout(), puzzle.size());
    let cages = puzzle.cages();
    let is_in_pieces = match &layout.regions {
        Regions::Jigsaw(blocks) => {
            !is_connected(&blocks.iter().map(|&block| block.into()).collect::<Vec<usize>>(), size)
        }
        _ => false,
    };
    let covered: usize = cages.iter().map(|cage| cage.cells.len()).sum();
    let rules = [
        (layout.regions == Regions::None, "a board without boxes or regions"),
        (is_in_pieces, "jigsaw regions in several pieces"),
        (layout.falling_diagonal != layout.rising_diagonal, "one diagonal without the other"),
        (layout.windows, "windows"),
        (puzzle.is_restricted(), "restricted candidates"),
        (!cages.is_empty() && size > 9, "cages on a board past size 9"),
        (!cages.is_empty() && covered < size * size, "cells in no cage beside cells in one"),
        (cages.iter().any(|cage| !cage.distinct), "cages that may repeat digits"),
        (cages.iter().any(|cage| cage.operation != Operation::Add), "cages without a sum"),
        (cages.iter().any(|cage| cage.cells.len() == 1), "cages of one cell"),
        (!is_connected(&cages_of(puzzle), size), "cages in several pieces"),
    ];
    rules.into_iter().filter(|(is_there, _)| *is_there).map(|(_, rule)| rule.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Puzzle {
        read_draft(text).and_then(PuzzleDraft::check).unwrap_or_else(|faults| panic!("{text}: {faults}"))
    }

    #[test]
    fn boxes_of_c_rows_and_r_columns() {
        let puzzle = read("2x3:zj");
        assert_eq!(puzzle.layout().regions, Regions::Boxes(crate::puzzle::BoxShape { rows: 2, columns: 3 }));
        assert_eq!(write(&puzzle).as_deref(), Ok("2x3:zj"));
    }

    #[test]
    fn jigsaw_with_diagonals() {
        let text = "9j:8k1e2e4a6e8b5c6_2b1_8a3c4a2d5b1a7b2i8c9a,deaea_dbdbdbd_aeaedbbabbabbcbdbdbcbbabbabb_";
        assert_eq!(write(&read(text)).as_deref(), Ok(text));
        let with_rest = text.replace("9j:", "3x3jr4da:");
        assert_eq!(read(&with_rest), read(text));
        let diagonal = text.replace("9j:", "9jx:");
        let draft = read_draft(&diagonal).expect("a draft");
        assert!(draft.falling_diagonal && draft.rising_diagonal);
    }

    #[test]
    fn sums_stand_at_first_cells() {
        let text = "2x2k:p,_a__aa_aaaa___aa,5_5a6a7b5b7a5b";
        assert_eq!(write(&read(text)).as_deref(), Ok(text));
        let faults = read_draft("2x2k:p,_a__aa_aaaa___aa,a5_6a7b5b7a5b5").expect_err("faults");
        let messages: Vec<&str> = faults.list.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(messages[0], "the cage of r1c1 has no sum");
        assert!(messages.contains(&"r4c4 has a sum, but is not the first cell of its cage"), "{messages:?}");
    }

    #[test]
    fn what_it_cannot_hold() {
        let mut draft = PuzzleDraft::latin(4);
        draft.falling_diagonal = true;
        let cage = |cells: &[usize], target| CageDraft {
            cells: cells.to_vec(),
            operation: Operation::Add,
            target: Some(target),
            distinct: true,
        };
        draft.cages = vec![cage(&[0], 1), cage(&[1, 14], 5)];
        let error = write(&draft.check().expect("a puzzle")).expect_err("unwritable");
        assert_eq!(
            error.to_string(),
            "the format sgt-solo cannot hold a board without boxes or regions, one diagonal without the other, \
             cells in no cage beside cells in one, cages of one cell, cages in several pieces"
        );
    }

    #[test]
    fn refuses() {
        for text in [
            "",
            "3x3",
            "3x3:",
            "3x3#1",
            "3x3k:zzzc",
            "3x3:zzzc,a",
            "0x0:a",
            "9999x9999:a",
            "99999999999999999999x3:a",
            "6x6:a",
            "3x3q:zzzc",
            "3x3dq:zzzc",
            "3x3r:zzzc",
            "9j:zzzc",
            "2x2:!",
            "é:a",
            "3x3é:zzzc",
            "1x1:a",
        ] {
            assert!(read_draft(text).is_err(), "{text}");
        }
        assert!(read_draft("3x3ar2m4md8du:zzzc").is_ok());
    }
}
