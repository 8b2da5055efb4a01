//! Descriptors of Simon Tatham's Keen: `4:__a_3a__b3__a_,m6s2m4s1d4m9s2`.
//!
//! The parameter is the size (Keen's own are 3 to 9); what says how to generate (difficulty, multiplication only)
//! is read past. The description is the cages by their borders, a comma, and the clue of each in order of their
//! first cells: `a`, `s`, `m`, `d` for `+`, `-`, `*`, `/`, and the target. A cage of one cell holds its target,
//! whether its letter is `a` or `m`; it is written with `a`.

use super::Format;
use super::sgt_blocks::{Part, is_connected, read_blocks, split_head, take_number, write_blocks};
use super::sgt_solo::cages_of;
use super::unwritable::Unwritable;
use crate::puzzle::{Cage, CageDraft, Digit, Fault, Faults, Operation, Puzzle, PuzzleDraft, Regions};

const LETTERS: [(char, Operation); 4] =
    [('a', Operation::Add), ('s', Operation::Subtract), ('m', Operation::Multiply), ('d', Operation::Divide)];

/// Reads a descriptor. The draft is still to be checked.
pub fn read_draft(text: &str) -> Result<PuzzleDraft, Faults> {
    let (params, description) = split_head(text)?;
    let size = read_size(params)?;
    let [blocks, clues] = description.split(',')[..] else {
        return Err(description.fault(0, "a description is cages, a comma and their clues"));
    };
    let blocks = read_blocks(blocks, size, true)?;
    let count = blocks.iter().max().map_or(0, |last| last + 1);
    let clues = read_clues(clues, count)?;
    let cages = clues.into_iter().enumerate().map(|(number, (operation, target))| {
        let cells: Vec<usize> = (0..size * size).filter(|&cell| blocks[cell] == number).collect();
        let is_given = cells.len() == 1 && matches!(operation, Operation::Add | Operation::Multiply);
        let operation = if is_given { Operation::Equal } else { operation };
        CageDraft { cells, operation, target: i64::try_from(target).ok(), distinct: false }
    });
    Ok(PuzzleDraft { cages: cages.collect(), ..PuzzleDraft::latin(size) })
}

fn read_size(part: Part<'_>) -> Result<usize, Faults> {
    let max = u64::from(Digit::MAX);
    let (size, rest) = take_number(part.text).ok_or_else(|| part.fault(0, "the size is missing"))?;
    if !(2..=max).contains(&size) {
        return Err(Faults::one(Fault::new("size", format!("size {size} is not between 2 and {max}"))));
    }
    let column = part.text.len() - rest.len();
    let rest = match rest.strip_prefix('d') {
        Some(level) => level
            .strip_prefix(['e', 'n', 'h', 'x', 'u'])
            .ok_or_else(|| part.fault(column, "no such difficulty is known"))?,
        None => rest,
    };
    match rest {
        "" | "m" => Ok(size as usize),
        _ => Err(part.fault(column, "no such parameter is known")),
    }
}

fn read_clues(part: Part<'_>, count: usize) -> Result<Vec<(Operation, u64)>, Faults> {
    let mut clues = Vec::new();
    let mut rest = part.text;
    while let Some(symbol) = rest.chars().next() {
        let index = part.text.len() - rest.len();
        let letter = LETTERS.iter().find(|(letter, _)| *letter == symbol);
        let (_, operation) = letter
            .ok_or_else(|| part.fault(index, format!("`{}` is none of a, s, m, d", symbol.escape_debug())))?;
        let (target, after) = take_number(&rest[1..])
            .ok_or_else(|| part.fault(index + 1, "a number of at most eighteen digits is missing"))?;
        clues.push((*operation, target));
        if clues.len() > count {
            return Err(part.fault(index, format!("more clues than the {count} cages")));
        }
        rest = after;
    }
    if clues.len() != count {
        return Err(part.fault(0, format!("{} clues for {count} cages", clues.len())));
    }
    Ok(clues)
}

/// Writes a puzzle as Keen itself does.
pub fn write(puzzle: &Puzzle) -> Result<String, Unwritable> {
    Unwritable::unless_empty(Format::SgtKeen, unheld_rules(puzzle))?;
    let mut cages: Vec<&Cage> = puzzle.cages().iter().collect();
    cages.sort_by_key(|cage| cage.cells[0]);
    let clues: String = cages.into_iter().map(|cage| format!("{}{}", letter_of(cage), cage.target)).collect();
    let size = puzzle.size();
    Ok(format!("{size}:{},{clues}", write_blocks(&cages_of(puzzle), size, true)))
}

fn letter_of(cage: &Cage) -> char {
    let letter = LETTERS.iter().find(|(_, operation)| *operation == cage.operation && cage.cells.len() > 1);
    letter.map_or('a', |(letter, _)| *letter)
}

fn unheld_rules(puzzle: &Puzzle) -> Vec<String> {
    let (layout, cages) = (puzzle.layout(), puzzle.cages());
    let unheld = [Operation::Unknown, Operation::Free];
    let rules = [
        (!(3..=9).contains(&layout.size), "a board of another size than 3 to 9"),
        (cages.is_empty(), "a board without cages"),
        (layout.regions != Regions::None, "boxes or regions"),
        (layout.falling_diagonal || layout.rising_diagonal, "diagonals"),
        (layout.windows, "windows"),
        (puzzle.givens().iter().any(Option::is_some), "givens"),
        (puzzle.is_restricted(), "restricted candidates"),
        (cages.iter().any(|cage| cage.distinct), "cages whose digits must differ"),
        (cages.iter().any(|cage| unheld.contains(&cage.operation)), "cages without a known operation"),
        (!is_connected(&cages_of(puzzle), layout.size), "cages in several pieces"),
    ];
    rules.into_iter().filter(|(is_there, _)| *is_there).map(|(_, rule)| rule.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_puzzle() {
        let text = "4:__a_3a__b3__a_,m6s2m4s1d4m9s2";
        let puzzle = read_draft(text).and_then(PuzzleDraft::check).expect("a puzzle");
        assert_eq!(puzzle.cages().len(), 7);
        assert_eq!((puzzle.cages()[4].operation, puzzle.cages()[4].target), (Operation::Divide, 4));
        assert_eq!(write(&puzzle).as_deref(), Ok(text));
        assert_eq!(read_draft("4dxm:__a_3a__b3__a_,m6s2m4s1d4m9s2"), read_draft(text));
    }

    #[test]
    fn a_cage_of_one_cell_is_a_given() {
        // r1c1 alone, everything else one cage.
        let text = "3:_ee,a1m216";
        let puzzle = read_draft(text).and_then(PuzzleDraft::check).expect("a puzzle");
        assert_eq!((puzzle.cages()[0].operation, puzzle.cages()[0].target), (Operation::Equal, 1));
        assert_eq!(write(&puzzle).as_deref(), Ok(text));
        assert_eq!(read_draft("3:_ee,m1m216"), read_draft(text));
        assert!(read_draft("3:_ee,s1m216").and_then(PuzzleDraft::check).is_err());
    }

    #[test]
    fn refuses() {
        for text in [
            "",
            ":",
            "4:",
            "4#123",
            "x:_,a1",
            "4z:__a_3a__b3__a_,m6s2m4s1d4m9s2",
            "99:__a_3a__b3__a_,m6s2m4s1d4m9s2",
            "4:__a_3a__b3__a_",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9s2a1",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9s",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9q2",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9s2,",
            "4:__a_3a__b3__a_,m6s2m4s1d4m9s99999999999999999999",
        ] {
            assert!(read_draft(text).is_err(), "{text}");
        }
    }
}
