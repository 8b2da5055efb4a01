//! The faces of a puzzle: the same puzzle with its cells moved and its digits relabelled, so that a solution, a
//! deduction and a rating of one are those of the other, moved and relabelled.
//!
//! Only what keeps the puzzle's own rules counts. Moves are filtered by that rule alone: rows, columns, boxes,
//! diagonals and windows must fall on rows, columns, boxes, diagonals and windows. Jigsaw regions and cages move
//! with their cells, regions in one piece (so a jigsaw is only turned and mirrored). Digits may be relabelled
//! where no cage has a target.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::layout::{Layout, Regions};
use super::{Cell, Digit, DigitSet, HouseKind, Operation, Puzzle, PuzzleDraft, RegionsDraft, Solution};

/// Where each cell goes, by index.
type Move = Vec<u16>;

/// What may be done to a puzzle: moves of cells, and whether digits may be relabelled.
#[derive(Clone, Debug)]
pub struct Symmetries {
    size: usize,
    moves: Vec<Move>,
    relabels: bool,
}

impl Symmetries {
    /// All that keeps the rules of this puzzle. Cages keep their rules, not their shapes: they may fall apart.
    pub fn of(puzzle: &Puzzle) -> Symmetries {
        Symmetries::new(puzzle, candidates_of(puzzle.layout()))
    }

    /// Turns and mirrors alone, which leave every cage in its shape.
    pub fn in_shape(puzzle: &Puzzle) -> Symmetries {
        Symmetries::new(puzzle, turns(puzzle.size()))
    }

    fn new(puzzle: &Puzzle, mut moves: Vec<Move>) -> Symmetries {
        let fixed = puzzle.houses().iter().filter(|house| house.kind != HouseKind::Region);
        let fixed: HashSet<Vec<u16>> = fixed.map(|house| indices(&house.cells)).collect();
        moves.retain(|cells| fixed.iter().all(|house| fixed.contains(&image(house, cells))));
        let relabels = puzzle.cages().iter().all(|cage| cage.operation == Operation::Free);
        Symmetries { size: puzzle.size(), moves, relabels }
    }

    /// Whether digits may be relabelled.
    pub fn relabels(&self) -> bool {
        self.relabels
    }

    /// Whether nothing but the puzzle's own face is left.
    pub fn is_trivial(&self) -> bool {
        self.moves.is_empty() && !self.relabels
    }
}

/// A way from a puzzle to another face of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Face {
    /// Where each cell goes.
    cells: Vec<u16>,
    /// What each digit becomes.
    digits: Vec<Digit>,
}

impl Face {
    /// The puzzle's own face.
    pub fn identity(size: usize) -> Face {
        Face { cells: (0..(size * size) as u16).collect(), digits: Digit::all(size).collect() }
    }

    /// A face drawn by a seed, the same on every machine.
    pub fn from_seed(seed: u64, symmetries: &Symmetries) -> Face {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        // The high half of the product; what it favours is too little to be seen.
        Face::random(symmetries, &mut |bound| {
            ((u64::from(generator.next_u32()) * u64::from(bound)) >> 32) as u32
        })
    }

    /// A face drawn at random; `below` gives a number below its argument, each as likely.
    ///
    /// It is a walk of several steps for each move there is, every second of them left out at random: long enough
    /// that no face is much likelier than another.
    pub fn random(symmetries: &Symmetries, below: &mut dyn FnMut(u32) -> u32) -> Face {
        let mut face = Face::identity(symmetries.size);
        for _ in 0..8 * symmetries.moves.len() {
            let chosen = &symmetries.moves[below(symmetries.moves.len() as u32) as usize];
            if below(2) == 0 {
                face.cells.iter_mut().for_each(|cell| *cell = chosen[usize::from(*cell)]);
            }
        }
        if symmetries.relabels {
            for last in (1..face.digits.len()).rev() {
                face.digits.swap(last, below(last as u32 + 1) as usize);
            }
        }
        face
    }

    /// Where a cell goes.
    pub fn cell(&self, cell: Cell) -> Cell {
        Cell::new(self.cells[cell.index()].into())
    }

    /// What a digit becomes.
    pub fn digit(&self, digit: Digit) -> Digit {
        self.digits[digit.index()]
    }

    /// What digits become.
    pub fn digits(&self, digits: DigitSet) -> DigitSet {
        let mut image = DigitSet::EMPTY;
        digits.iter().for_each(|digit| image.insert(self.digit(digit)));
        image
    }

    /// The way back.
    pub fn inverse(&self) -> Face {
        let mut inverse = self.clone();
        for (from, &to) in self.cells.iter().enumerate() {
            inverse.cells[usize::from(to)] = from as u16;
        }
        for (from, &to) in self.digits.iter().enumerate() {
            inverse.digits[to.index()] = Digit::from_index(from);
        }
        inverse
    }

    /// The puzzle as this face shows it; cages and regions keep their numbers. Panics if the face was drawn for a
    /// puzzle of other rules.
    pub fn apply(&self, puzzle: &Puzzle) -> Puzzle {
        let mut draft = PuzzleDraft::from(puzzle);
        for cell in Cell::all(puzzle.size()) {
            let to = self.cell(cell).index();
            draft.givens[to] = puzzle.given(cell).map_or(0, |digit| self.digit(digit).value().into());
            if let Some(set) = draft.candidates.get_mut(to) {
                *set = self.digits(puzzle.allowed(cell));
            }
            if let (Regions::Jigsaw(from), RegionsDraft::Jigsaw(regions)) =
                (&puzzle.layout().regions, &mut draft.regions)
            {
                regions[to] = from[cell.index()].into();
            }
        }
        for index in draft.cages.iter_mut().flat_map(|cage| &mut cage.cells) {
            *index = self.cells[*index].into();
        }
        draft.check().expect("a face of a checked puzzle keeps its rules")
    }

    /// The solution of the puzzle as this face shows it.
    pub fn apply_solution(&self, solution: &Solution) -> Solution {
        let mut digits = solution.digits().to_vec();
        for (from, &digit) in solution.digits().iter().enumerate() {
            digits[usize::from(self.cells[from])] = self.digit(digit);
        }
        Solution::new(digits)
    }
}

fn indices(cells: &[Cell]) -> Vec<u16> {
    cells.iter().map(|cell| cell.index() as u16).collect()
}

/// Where a house goes, in reading order.
fn image(house: &[u16], cells: &[u16]) -> Vec<u16> {
    let mut image: Vec<u16> = house.iter().map(|&cell| cells[usize::from(cell)]).collect();
    image.sort_unstable();
    image
}

/// Moves that generate all others, if they keep the rules: lines exchanged within a band, bands exchanged, and
/// where diagonals tie rows to columns, both at once.
fn candidates_of(layout: &Layout) -> Vec<Move> {
    let size = layout.size;
    let (tall, wide) = match layout.regions {
        Regions::Jigsaw(_) => return turns(size),
        Regions::Boxes(shape) => (shape.rows.into(), shape.columns.into()),
        Regions::None => (size, size),
    };
    let (rows, columns) = (exchanges(size, tall), exchanges(size, wide));
    let still: Vec<usize> = (0..size).collect();
    let mut moves = turns(size);
    moves.extend(rows.iter().map(|rows| lines_moved(rows, &still)));
    moves.extend(columns.iter().map(|columns| lines_moved(&still, columns)));
    if layout.falling_diagonal || layout.rising_diagonal {
        let mirrored = |line: usize| size - 1 - line;
        for lines in &rows {
            let twice: Vec<usize> = (0..size).map(|line| mirrored(lines[mirrored(lines[line])])).collect();
            moves.extend([lines_moved(lines, lines), lines_moved(&twice, &twice)]);
        }
    }
    moves
}

/// Both mirrors, the half turn, and the mirror in the falling diagonal; they generate the other turns.
fn turns(size: usize) -> Vec<Move> {
    let still: Vec<usize> = (0..size).collect();
    let back: Vec<usize> = (0..size).rev().collect();
    let transposed = Cell::all(size).map(|cell| (cell.column(size) * size + cell.row(size)) as u16).collect();
    vec![lines_moved(&back, &still), lines_moved(&still, &back), lines_moved(&back, &back), transposed]
}

/// Two lines of a band exchanged, or two whole bands, for every pair.
fn exchanges(size: usize, height: usize) -> Vec<Vec<usize>> {
    let mut exchanges = Vec::new();
    for (one, other) in (0..size).flat_map(|one| (one + 1..size).map(move |other| (one, other))) {
        if one / height == other / height {
            let mut lines: Vec<usize> = (0..size).collect();
            lines.swap(one, other);
            exchanges.push(lines);
        }
    }
    let bands = size / height;
    for (one, other) in (0..bands).flat_map(|one| (one + 1..bands).map(move |other| (one, other))) {
        let mut lines: Vec<usize> = (0..size).collect();
        for line in 0..height {
            lines.swap(one * height + line, other * height + line);
        }
        exchanges.push(lines);
    }
    exchanges
}

fn lines_moved(rows: &[usize], columns: &[usize]) -> Move {
    let size = rows.len();
    Cell::all(size).map(|cell| (rows[cell.row(size)] * size + columns[cell.column(size)]) as u16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::formats;

    fn read(text: &str) -> Puzzle {
        formats::read(text).unwrap_or_else(|faults| panic!("{text}\n{faults}"))
    }

    /// Every arrangement of the cells that the moves lead to.
    fn arrangements(symmetries: &Symmetries) -> usize {
        let start = Face::identity(symmetries.size).cells;
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(cells) = open.pop() {
            for chosen in &symmetries.moves {
                let next: Vec<u16> = cells.iter().map(|&cell| chosen[usize::from(cell)]).collect();
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen.len()
    }

    /// How many arrangements there are, counted by hand: 4×4 has 2!·2!·2! orders of rows, as many of columns, and
    /// the transposition; 6×6 has 2!³·3! of rows, 3!²·2! of columns, and no transposition.
    #[test]
    fn as_many_as_there_are() {
        assert_eq!(arrangements(&Symmetries::of(&read(&".".repeat(16)))), 8 * 8 * 2);
        assert_eq!(arrangements(&Symmetries::of(&read(&".".repeat(36)))), 48 * 72);
        assert_eq!(arrangements(&Symmetries::of(&read(&".".repeat(9)))), 6 * 6 * 2);
        let jigsaw = read(r#"{"size": 4, "regions": ["1112","1322","3324","3444"]}"#);
        assert_eq!(arrangements(&Symmetries::of(&jigsaw)), 8);
        assert_eq!(arrangements(&Symmetries::in_shape(&read(&".".repeat(81)))), 8);
        assert_eq!(arrangements(&Symmetries::in_shape(&read(&".".repeat(36)))), 4);
        let falling = read(
            r#"{"size": 5, "regions": ["11111","22222","33333","44444","55555"],
            "diagonals": ["falling"]}"#,
        );
        assert_eq!(arrangements(&Symmetries::of(&falling)), 4);
        // Orders of three lines and their mirrors kept by both diagonals, on both sides, with turns.
        let both = read(r#"{"size": 4, "diagonals": ["falling", "rising"]}"#);
        assert_eq!(arrangements(&Symmetries::of(&both)), 8 * 2 * 2);
    }

    /// The only moves of a windoku are within and of its windows.
    #[test]
    fn windows_stay() {
        let windoku = read(r#"{"size": 9, "boxes": "3x3", "windows": true}"#);
        // Lines 2–3 and 7–8 exchanged, all mirrored: 8 orders of rows, 8 of columns, and the transposition.
        assert_eq!(arrangements(&Symmetries::of(&windoku)), 8 * 8 * 2);
    }

    #[test]
    fn there_and_back() {
        let classic = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let (puzzle, solution) = (read(classic), Solution::parse(solution).expect("a solution"));
        let symmetries = Symmetries::of(&puzzle);
        assert!(symmetries.relabels());
        for seed in 0..20 {
            let face = Face::from_seed(seed, &symmetries);
            let moved = face.apply(&puzzle);
            assert_ne!(moved, puzzle);
            assert!(moved.is_solved_by(&face.apply_solution(&solution)));
            assert_eq!(face.inverse().apply(&moved), puzzle);
            assert_eq!(face, Face::from_seed(seed, &symmetries));
        }
        assert_eq!(Face::identity(9).apply(&puzzle), puzzle);
    }

    #[test]
    fn rules_move_with_their_cells() {
        let text = r#"{"size": 4, "regions": ["1112","1322","3324","3444"], "diagonals": ["rising"],
            "candidates": ["12 . . .", ". 34 . .", ". . . .", ". . . 1"],
            "cages": [{"cells": "r1c12", "sum": 5}, {"cells": "r3c3"}]}"#;
        let puzzle = read(text);
        let symmetries = Symmetries::of(&puzzle);
        assert!(!symmetries.relabels() && !symmetries.is_trivial());
        let transposed = Face { cells: turns(4)[3].clone(), ..Face::identity(4) };
        let moved = transposed.apply(&puzzle);
        assert_eq!(moved.cages()[0].cells, [Cell::new(0), Cell::new(4)]);
        assert_eq!(moved.allowed(Cell::new(0)).to_string(), "12");
        assert_eq!(
            moved.layout().regions,
            Regions::Jigsaw(vec![0, 0, 2, 2, 0, 2, 2, 3, 0, 1, 1, 3, 1, 1, 3, 3])
        );
    }

    /// Each of the 32 cells that a 4×4 face can put first, with its digit, comes about as often as the others.
    #[test]
    fn no_face_is_much_likelier() {
        let puzzle = read("1...............");
        let symmetries = Symmetries::of(&puzzle);
        let mut seen = [[0u32; 4]; 16];
        for seed in 0..6400 {
            let face = Face::from_seed(seed, &symmetries);
            seen[face.cell(Cell::new(0)).index()][face.digit(Digit::from_index(0)).index()] += 1;
        }
        assert!(seen.iter().flatten().all(|count| (60..145).contains(count)), "{seen:?}");
    }
}
