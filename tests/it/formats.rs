//! Every puzzle of the public corpora, through every format that can hold it.

use std::fs;

use sleuth::puzzle::formats::corpus::{self, CorpusPuzzle};
use sleuth::puzzle::formats::{self, Format, json};
use sleuth::puzzle::symmetry::{Face, Symmetries};
use sleuth::puzzle::{
    BoxShape, CageDraft, Digit, DigitSet, Operation, Puzzle, PuzzleDraft, RegionsDraft, Solution,
};

use crate::support;

const FILES: [&str; 7] = [
    "kenken_misc",
    "kenken_sgt",
    "kenken_unknown_operation",
    "killer_misc",
    "killer_renowned",
    "killer_sgt",
    "sudoku_sgt",
];

/// The puzzles of one file; none if the data is absent.
fn puzzles_of(file: &str) -> Vec<CorpusPuzzle> {
    let Some(path) = support::data(&format!("variants/{file}.jsonl")) else { return Vec::new() };
    let text = fs::read_to_string(&path).expect("readable");
    let read = |line| corpus::read_line(line).unwrap_or_else(|faults| panic!("{file}: {faults}\n{line}"));
    text.lines().map(read).collect()
}

#[test]
fn corpus_is_read_and_written_as_json() {
    let mut with_solution = 0;
    for file in FILES {
        for line in puzzles_of(file) {
            let written = json::to_string(&line.puzzle);
            let read = json::from_str(&written).and_then(PuzzleDraft::check);
            assert_eq!(read.as_ref(), Ok(&line.puzzle), "{}", line.id);
            with_solution += usize::from(line.solution.is_some());
        }
    }
    assert!(with_solution == 0 || with_solution > 4700, "{with_solution} have a solution");
}

fn round_trip(format: Format, puzzle: &Puzzle, id: &str) -> String {
    let text = formats::write(format, puzzle).unwrap_or_else(|error| panic!("{id}: {error}"));
    let read = formats::read_as(format, &text);
    assert_eq!(read.as_ref(), Ok(puzzle), "{format} of {id}: {text}");
    assert_eq!(formats::read(&text).as_ref(), Ok(puzzle), "{id} is told to be {format}: {text}");
    text
}

/// The descriptor says the same as the fields of its line, and is written again letter for letter.
#[test]
fn descriptors_agree_with_the_corpus() {
    let mut count = 0;
    for (file, format) in
        [("kenken_sgt", Format::SgtKeen), ("killer_sgt", Format::SgtSolo), ("sudoku_sgt", Format::SgtSolo)]
    {
        for line in puzzles_of(file) {
            let descriptor = line.descriptor.expect("a descriptor");
            assert_eq!(formats::detect(&descriptor), Ok(format), "{}", line.id);
            assert_eq!(round_trip(format, &line.puzzle, &line.id), descriptor);
            count += 1;
        }
    }
    assert!(count == 0 || count == 4131, "{count} descriptors");
}

/// Every puzzle in every format that can hold it; which ones can is told by its rules.
#[test]
fn corpus_in_every_format() {
    for file in FILES {
        for line in puzzles_of(file) {
            let puzzle = &line.puzzle;
            let is_drawable = matches!(puzzle.kind(), "classic" | "latin");
            for format in [Format::Line, Format::Grid, Format::Pencil] {
                match formats::write(format, puzzle) {
                    Ok(_) => assert!(is_drawable && round_trip(format, puzzle, &line.id).len() > 1),
                    Err(error) => assert!(!is_drawable && !error.rules.is_empty(), "{}: {error}", line.id),
                }
            }
        }
    }
}

/// A face of a puzzle has the face of its solution, and leads back.
#[test]
fn faces_of_the_corpus() {
    for file in FILES {
        for (number, line) in puzzles_of(file).into_iter().enumerate().step_by(7) {
            for symmetries in [Symmetries::of(&line.puzzle), Symmetries::in_shape(&line.puzzle)] {
                let face = Face::from_seed(number as u64, &symmetries);
                let moved = face.apply(&line.puzzle);
                assert_eq!(face.inverse().apply(&moved), line.puzzle, "{}", line.id);
                if let Some(solution) = &line.solution {
                    assert!(moved.is_solved_by(&face.apply_solution(solution)), "{}", line.id);
                }
            }
        }
    }
}

/// A small stream of numbers of its own, so that the puzzles below are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A filled board of boxes `rows` tall (or of none, where that is 1), shuffled.
fn filled(size: usize, rows: usize, dice: &mut Dice) -> (PuzzleDraft, Vec<u8>) {
    let columns = size / rows;
    let mut draft = PuzzleDraft::latin(size);
    if rows > 1 {
        draft.regions = RegionsDraft::Boxes { rows, columns };
    }
    let digit = |cell: usize| {
        let (row, column) = (cell / size, cell % size);
        Digit::from_index((row % rows * columns + row / rows + column) % size)
    };
    let solution = Solution::new((0..size * size).map(digit).collect::<Vec<Digit>>());
    let puzzle = draft.clone().check().expect("an open board");
    let face = Face::from_seed(dice.below(1000) as u64, &Symmetries::of(&puzzle));
    (draft, face.apply_solution(&solution).digits().iter().map(|digit| digit.value()).collect())
}

/// Cages that cover the board, each in one piece, with targets that the filled board meets.
fn caged(digits: &[u8], size: usize, distinct: bool, dice: &mut Dice) -> Vec<CageDraft> {
    let mut is_free = vec![true; digits.len()];
    let mut cages = Vec::new();
    for first in 0..digits.len() {
        if !is_free[first] {
            continue;
        }
        let mut cells = vec![first];
        is_free[first] = false;
        for _ in 0..dice.below(5) {
            let cell = cells[dice.below(cells.len())];
            let next = match dice.below(4) {
                0 if cell % size + 1 < size => cell + 1,
                1 if cell % size > 0 => cell - 1,
                2 if cell >= size => cell - size,
                _ => cell + size,
            };
            let repeats = |next: usize| cells.iter().any(|&cell| digits[cell] == digits[next]);
            if next < digits.len() && is_free[next] && !(distinct && repeats(next)) {
                is_free[next] = false;
                cells.push(next);
            }
        }
        cages.push(cage_of(cells, digits, distinct, dice));
    }
    cages
}

fn cage_of(cells: Vec<usize>, digits: &[u8], distinct: bool, dice: &mut Dice) -> CageDraft {
    let values: Vec<i64> = cells.iter().map(|&cell| digits[cell].into()).collect();
    let (sum, product): (i64, i64) = (values.iter().sum(), values.iter().product());
    let (operation, target) = match values[..] {
        _ if distinct => (Operation::Add, sum),
        [value] => (Operation::Equal, value),
        [one, other] if one % other == 0 => (Operation::Divide, one / other),
        [one, other] if dice.below(2) == 0 => (Operation::Subtract, (one - other).abs()),
        _ if dice.below(2) == 0 => (Operation::Add, sum),
        _ => (Operation::Multiply, product),
    };
    CageDraft { cells, operation, target: Some(target), distinct }
}

/// Some of the digits as givens, the candidates of other cells restricted.
fn hide(draft: &mut PuzzleDraft, digits: &[u8], restricts: bool, dice: &mut Dice) {
    draft.givens = digits.iter().map(|&digit| if dice.below(3) == 0 { digit.into() } else { 0 }).collect();
    if restricts {
        let size = draft.size;
        let set = |(&digit, &given): (&u8, &u32)| {
            if given != 0 {
                return DigitSet::full(size);
            }
            // Two candidates or more: the digit, and its neighbour.
            let bits = dice.below(1 << size) as u32 | 1 << (digit - 1) | 1 << (usize::from(digit) % size);
            DigitSet::from_bits(bits)
        };
        draft.candidates = digits.iter().zip(&draft.givens).map(set).collect();
    }
}

/// Puzzles of every size and kind: what a format writes it reads back, and the formats made for a kind write it.
#[test]
fn random_puzzles_in_every_format() {
    let mut dice = Dice(2);
    for size in 2..=25usize {
        for rows in (1..size).filter(|rows| size % rows == 0 && (*rows == 1 || size / rows > 1)) {
            let (open, digits) = filled(size, rows, &mut dice);
            let mut drafts: Vec<(&str, Vec<Format>, PuzzleDraft)> = Vec::new();
            let is_drawn = rows > 1 || BoxShape::of_size(size).is_none();
            let is_default = BoxShape::of_size(size).is_none_or(|shape| usize::from(shape.rows) == rows);
            for restricts in [false, true] {
                let mut draft = open.clone();
                hide(&mut draft, &digits, restricts, &mut dice);
                let mut formats = vec![Format::Json];
                formats.extend((is_drawn).then_some(Format::Pencil));
                formats.extend((is_drawn && !restricts).then_some(Format::Grid));
                formats.extend((is_drawn && is_default && !restricts).then_some(Format::Line));
                formats.extend((rows > 1 && !restricts).then_some(Format::SgtSolo));
                drafts.push(("plain", formats, draft));
            }
            let mut killer = open.clone();
            killer.cages = caged(&digits, size, true, &mut dice);
            drafts.push(("killer", vec![Format::Json], killer));
            if rows == 1 {
                let mut kenken = open.clone();
                kenken.cages = caged(&digits, size, false, &mut dice);
                let keen = (3..=9).contains(&size).then_some(Format::SgtKeen);
                drafts.push(("kenken", [Format::Json].into_iter().chain(keen).collect(), kenken));
            }
            let mut odd = open.clone();
            (odd.falling_diagonal, odd.rising_diagonal) = (true, dice.below(2) == 0);
            odd.windows = rows > 1;
            odd.givens[dice.below(size * size)] = 1;
            drafts.push(("odd", vec![Format::Json], odd));
            let mut jigsaw = open.clone();
            jigsaw.regions =
                RegionsDraft::Jigsaw(digits.iter().map(|&digit| usize::from(digit) - 1).collect());
            drafts.push(("jigsaw in pieces", vec![Format::Json], jigsaw));
            for (kind, formats, draft) in drafts {
                let id = format!("{kind} of {size} with boxes of {rows} rows");
                let puzzle = draft.check().unwrap_or_else(|faults| panic!("{id}: {faults}"));
                for format in Format::ALL {
                    if formats::write(format, &puzzle).is_ok() {
                        round_trip(format, &puzzle, &id);
                    } else {
                        assert!(!formats.contains(&format), "{id} is not written as {format}");
                    }
                }
            }
        }
    }
}
