//! Boards for people: digits or candidates, walls where regions end, colours by roles of marks.

use std::io::IsTerminal;

use crate::engine::logic::{Conclusion, Mark, Role, Shape, Step};
use crate::puzzle::{Cell, Digit, DigitSet, Position, Puzzle, Regions, Solution, notation};

/// A way of writing in a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// As it is.
    Plain,
    /// Givens.
    Bold,
    /// What is not spoken of.
    Dim,
    /// What has been found.
    Green,
    /// What goes away, and what is wrong.
    Red,
    /// What a step is about.
    Yellow,
    /// What else a step points at.
    Cyan,
}

/// Colours in a terminal, nothing elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    /// Whether there are colours.
    pub is_on: bool,
}

impl Paint {
    /// Colours if standard output is a terminal that takes them and `NO_COLOR` is not set.
    pub fn of_stdout() -> Paint {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Paint { is_on: std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb }
    }

    /// The text in this ink.
    pub fn ink(self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Plain => return text.to_owned(),
            Ink::Bold => "1",
            Ink::Dim => "2",
            Ink::Green => "32",
            Ink::Red => "31",
            Ink::Yellow => "33",
            Ink::Cyan => "36",
        };
        if self.is_on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// What stands in a cell: pieces side by side, each in its ink.
type Content = Vec<(Ink, String)>;

/// The board with one digit a cell and a dot for an open one. Givens are bold.
pub fn digits(puzzle: &Puzzle, grid: &[Option<Digit>], paint: Paint) -> String {
    board(puzzle, 1, paint, &|cell| {
        let digit = grid.get(cell.index()).copied().flatten();
        match (puzzle.given(cell), digit) {
            (Some(given), _) => vec![(Ink::Bold, given.to_string())],
            (None, Some(digit)) => vec![(Ink::Green, digit.to_string())],
            (None, None) => vec![(Ink::Dim, ".".to_owned())],
        }
    })
}

/// The board of a solution.
pub fn solution(puzzle: &Puzzle, solution: &Solution, paint: Paint) -> String {
    let grid: Vec<Option<Digit>> = solution.digits().iter().copied().map(Some).collect();
    digits(puzzle, &grid, paint)
}

/// The board with all candidates, and a step upon it: what it places is green, what it removes red, its pattern
/// yellow, whatever else it points at cyan.
pub fn candidates(position: &Position, step: Option<&Step>, paint: Paint) -> String {
    let puzzle = position.puzzle();
    let width = Cell::all(position.size()).map(|cell| position.candidates(cell).len()).max().unwrap_or(1);
    board(puzzle, width.max(1), paint, &|cell| {
        if let Some(digit) = position.digit(cell) {
            let ink = if puzzle.given(cell).is_some() { Ink::Bold } else { Ink::Plain };
            return vec![(ink, digit.to_string())];
        }
        position
            .candidates(cell)
            .iter()
            .map(|digit| {
                (step.map_or(Ink::Plain, |step| candidate_ink(puzzle, step, cell, digit)), digit.to_string())
            })
            .collect()
    })
}

/// The board with a set of digits in each cell. Givens are bold.
pub fn sets(puzzle: &Puzzle, sets: &[DigitSet], paint: Paint) -> String {
    let width = sets.iter().map(|digits| digits.len()).max().unwrap_or(1);
    board(puzzle, width.max(1), paint, &|cell| {
        let ink = if puzzle.given(cell).is_some() { Ink::Bold } else { Ink::Plain };
        sets[cell.index()].iter().map(|digit| (ink, digit.to_string())).collect()
    })
}

fn candidate_ink(puzzle: &Puzzle, step: &Step, cell: Cell, digit: Digit) -> Ink {
    if step.conclusions.contains(&Conclusion::Place(cell, digit)) {
        return Ink::Green;
    }
    if step.conclusions.contains(&Conclusion::Eliminate(cell, digit)) {
        return Ink::Red;
    }
    let marks = step.marks();
    let first = marks.iter().find(|mark| points_at(puzzle, mark, cell, digit));
    match first.map(|mark| mark.role) {
        None => Ink::Dim,
        Some(Role::Pattern) => Ink::Yellow,
        Some(_) => Ink::Cyan,
    }
}

/// Whether a mark points at this very candidate. Houses and bare digits point at too much to be coloured.
fn points_at(puzzle: &Puzzle, mark: &Mark, cell: Cell, digit: Digit) -> bool {
    match &mark.shape {
        Shape::Cells(cells) => cells.contains(&cell),
        Shape::Candidates { cells, digits } => cells.contains(&cell) && digits.contains(digit),
        Shape::Cage(cage) => puzzle.cage_of(cell) == Some(*cage),
        Shape::Link(link) => {
            (link.from_digit == digit && link.from.contains(&cell))
                || (link.to_digit == digit && link.to.contains(&cell))
        }
        Shape::Digits(_) | Shape::House(_) | Shape::Number(_) => false,
    }
}

/// The cages, one a line: `12+ r1c12`. Empty without cages.
pub fn cages(puzzle: &Puzzle) -> String {
    puzzle
        .cages()
        .iter()
        .map(|cage| {
            let symbol = cage.operation.symbol();
            let target = if symbol.is_empty() { String::new() } else { cage.target.to_string() };
            format!("  {target}{symbol} {}\n", notation::cells(&cage.cells, puzzle.size()))
        })
        .collect()
}

/// Draws a board. Cells are `width` wide; a wall stands wherever two neighbours belong to different regions, and
/// lines without any wall take no room.
fn board(puzzle: &Puzzle, width: usize, paint: Paint, content: &dyn Fn(Cell) -> Content) -> String {
    let walls = Walls::of(puzzle);
    let size = puzzle.size();
    let mut text = String::new();
    for row in 0..size {
        if row > 0 && (0..size).any(|column| walls.is_above(row, column)) {
            text.push_str(walls.line_above(row, width).trim_end());
            text.push('\n');
        }
        let mut line = String::new();
        let mut blanks = 0;
        for column in 0..size {
            let pieces = content(Cell::at(row, column, size));
            let used: usize = pieces.iter().map(|(_, piece)| piece.chars().count()).sum();
            line.push_str(&" ".repeat(blanks));
            for run in pieces.chunk_by(|one, next| one.0 == next.0) {
                let text: String = run.iter().map(|(_, piece)| piece.as_str()).collect();
                line.push_str(&paint.ink(run[0].0, &text));
            }
            blanks = width.saturating_sub(used) + 1;
            if column + 1 < size && walls.has_gap(column + 1) {
                line.push_str(&" ".repeat(blanks));
                line.push(if walls.is_left_of(row, column + 1) { '|' } else { ' ' });
                blanks = 1;
            }
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Where regions end.
struct Walls {
    size: usize,
    group: Vec<usize>,
}

impl Walls {
    /// Of boxes or jigsaw regions; of cages where there are neither.
    fn of(puzzle: &Puzzle) -> Walls {
        let size = puzzle.size();
        let group = |cell: Cell| match &puzzle.layout().regions {
            Regions::Boxes(shape) => {
                let (down, across) =
                    (cell.row(size) / shape.rows as usize, cell.column(size) / shape.columns as usize);
                down * size + across
            }
            Regions::Jigsaw(region) => region[cell.index()] as usize,
            Regions::None => puzzle.cage_of(cell).map_or(0, |cage| cage.index() + 1),
        };
        Walls { size, group: Cell::all(size).map(group).collect() }
    }

    fn is_above(&self, row: usize, column: usize) -> bool {
        self.group[row * self.size + column] != self.group[(row - 1) * self.size + column]
    }

    fn is_left_of(&self, row: usize, column: usize) -> bool {
        self.group[row * self.size + column] != self.group[row * self.size + column - 1]
    }

    /// Whether any wall stands to the left of this column.
    fn has_gap(&self, column: usize) -> bool {
        (0..self.size).any(|row| self.is_left_of(row, column))
    }

    /// The line between two rows.
    fn line_above(&self, row: usize, width: usize) -> String {
        let dash = |column: usize| if self.is_above(row, column) { "-" } else { " " };
        let mut line = String::new();
        for column in 0..self.size {
            let is_last = column + 1 == self.size;
            line.push_str(&dash(column).repeat(width + usize::from(!is_last)));
            if !is_last && self.has_gap(column + 1) {
                line.push(self.corner(row, column + 1));
                line.push_str(dash(column + 1));
            }
        }
        line
    }

    /// What stands where the line above `row` meets the line left of `column`.
    fn corner(&self, row: usize, column: usize) -> char {
        let across = (self.is_above(row, column - 1), self.is_above(row, column));
        let down = (self.is_left_of(row - 1, column), self.is_left_of(row, column));
        match (across, down) {
            ((false, false), (false, false)) => ' ',
            ((true, true), (false, false)) => '-',
            ((false, false), (true, true)) => '|',
            _ => '+',
        }
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use std::sync::Arc;

    use super::*;
    use crate::engine::logic::Proof;
    use crate::engine::logic::Slug;
    use crate::puzzle::{CageDraft, DigitSet, Operation, PuzzleDraft, RegionsDraft};

    const PLAIN: Paint = Paint { is_on: false };

    fn four() -> PuzzleDraft {
        let mut draft = PuzzleDraft::latin(4);
        draft.regions = RegionsDraft::Boxes { rows: 2, columns: 2 };
        draft.givens[0] = 1;
        draft
    }

    #[test]
    fn boxes() {
        let puzzle = four().check().expect("a puzzle");
        let text = digits(&puzzle, puzzle.givens(), PLAIN);
        assert_eq!(text, "1 . | . .\n. . | . .\n----+----\n. . | . .\n. . | . .\n");
    }

    #[test]
    fn jigsaw_walls_follow_the_regions() {
        let mut draft = four();
        draft.regions = RegionsDraft::Jigsaw(vec![0, 0, 0, 1, 0, 2, 1, 1, 2, 2, 1, 3, 2, 3, 3, 3]);
        let text = {
            let puzzle = draft.check().expect("a puzzle");
            digits(&puzzle, puzzle.givens(), PLAIN)
        };
        let expected = "\
1   .   . | .
  +---+---+
. | . | .   .
--+   |   +--
.   . | . | .
  +---+---+
. | .   .   .
";
        assert_eq!(text, expected);
    }

    #[test]
    fn cages_are_walls_where_there_are_no_boxes() {
        let mut draft = PuzzleDraft::latin(2);
        let cage = |cells: &[usize], operation, target| CageDraft {
            cells: cells.to_vec(),
            operation,
            target: Some(target),
            distinct: false,
        };
        draft.cages = vec![
            cage(&[0, 1], Operation::Add, 3),
            cage(&[2], Operation::Equal, 2),
            cage(&[3], Operation::Equal, 1),
        ];
        let puzzle = draft.check().expect("a puzzle");
        assert_eq!(digits(&puzzle, puzzle.givens(), PLAIN), ".   .\n--+--\n. | .\n");
        assert_eq!(cages(&puzzle), "  3+ r1c12\n  2= r2c1\n  1= r2c2\n");
    }

    #[test]
    fn a_step_is_coloured_by_what_it_does() {
        let position = Position::new(Arc::new(four().check().expect("a puzzle")));
        let (cell, other) = (Cell::new(1), Cell::new(2));
        let digit = |value| Digit::new(value).expect("a digit");
        let conclusions = vec![Conclusion::Place(cell, digit(2)), Conclusion::Eliminate(other, digit(3))];
        let shape = Shape::Candidates { cells: smallvec![cell], digits: DigitSet::full(4) };
        let marks = vec![Mark { role: Role::Pattern, shape }];
        let step = Step::new(Slug::of("example"), conclusions, marks, Proof::default());
        let text = candidates(&position, Some(&step), Paint { is_on: true });
        assert!(text.starts_with("\x1b[1m1\x1b[0m    \x1b[32m2\x1b[0m\x1b[33m34\x1b[0m"), "{text:?}");
        assert!(text.contains("\x1b[31m3\x1b[0m"), "{text:?}");
        assert!(!candidates(&position, Some(&step), PLAIN).contains('\x1b'));
    }
}
