//! How many solutions has a puzzle, and what is wrong in a player's position? Nothing is explained here.

use super::budget::{Budget, Stopped};
use super::search::{End, Engine, Verdict};
use crate::puzzle::{CageId, Cell, Digit, Position, Puzzle, Solution};

/// Something in a position that cannot stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WrongEntry {
    /// The digit stands in cells that this one sees.
    Clash {
        /// Where the player put it; of two such cells, each is named.
        cell: Cell,
        /// The digit in both.
        digit: Digit,
        /// The cells seen that hold it, in reading order.
        with: Vec<Cell>,
    },
    /// The cage is full and misses its target.
    Cage {
        /// The cage.
        cage: CageId,
    },
    /// The digit is one that the setter ruled out in this cell.
    Restricted {
        /// The cell.
        cell: Cell,
        /// The digit in it.
        digit: Digit,
    },
    /// The digit is not the one of the only solution.
    Digit {
        /// The cell.
        cell: Cell,
        /// The digit in it.
        digit: Digit,
    },
    /// The digit of the only solution was crossed out.
    Candidate {
        /// The open cell.
        cell: Cell,
        /// What belongs there.
        digit: Digit,
    },
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// How many solutions the puzzle has, whatever the position. Several are counted up to two.
    pub verdict: Verdict,
    /// Nodes that search visited.
    pub nodes: u64,
    /// The solution, or two of several.
    pub solutions: Vec<Solution>,
    /// What is wrong in the position. Broken rules come first, each in reading order.
    pub wrong: Vec<WrongEntry>,
    /// Why search was broken off, if it was.
    pub stopped: Option<Stopped>,
}

impl Checked {
    /// The solution, if there is exactly one.
    pub fn only_solution(&self) -> Option<&Solution> {
        self.solutions.first().filter(|_| self.verdict == Verdict::One)
    }
}

/// Counts the solutions of a puzzle up to two, and compares a player's position, if there is one, with the rules
/// and with the only solution. With several solutions or none, entries are wrong by breaking a rule alone.
pub fn check(puzzle: &Puzzle, position: Option<&Position>, engine: Engine, budget: &mut Budget) -> Checked {
    let mut solutions = Vec::new();
    let count = engine.search().count(puzzle, 2, budget, &mut |solution| solutions.push(solution.clone()));
    let stopped = match count.end {
        End::Stopped(stopped) => Some(stopped),
        End::Complete | End::Limit => None,
    };
    let mut checked =
        Checked { verdict: count.verdict(), nodes: count.nodes, solutions, wrong: Vec::new(), stopped };
    if let Some(position) = position {
        checked.wrong = broken_rules(position);
        if let Some(solution) = checked.only_solution() {
            let differences = differences(position, solution, &checked.wrong);
            checked.wrong.extend(differences);
        }
    }
    checked
}

/// Entries that break a rule, whatever the solution. Of a clash with a given, the given is not named.
pub fn broken_rules(position: &Position) -> Vec<WrongEntry> {
    let puzzle = position.puzzle();
    let mut wrong = Vec::new();
    for cell in Cell::all(position.size()) {
        let Some(digit) = position.digit(cell) else { continue };
        if puzzle.given(cell) == Some(digit) {
            continue;
        }
        let holds_it = |peer: &&Cell| position.digit(**peer) == Some(digit);
        let with: Vec<Cell> = puzzle.peers(cell).iter().filter(holds_it).copied().collect();
        if !with.is_empty() {
            wrong.push(WrongEntry::Clash { cell, digit, with });
        }
        if !puzzle.allowed(cell).contains(digit) {
            wrong.push(WrongEntry::Restricted { cell, digit });
        }
    }
    for cage in puzzle.cage_ids() {
        let cells = &puzzle.cage(cage).cells;
        let digits: Option<Vec<u8>> =
            cells.iter().map(|&cell| position.digit(cell).map(Digit::value)).collect();
        if digits.is_some_and(|digits| !puzzle.cage(cage).is_met_by(&digits)) {
            wrong.push(WrongEntry::Cage { cage });
        }
    }
    wrong
}

/// Digits that are not the solution's, and digits of the solution that were crossed out. A cell that is named
/// already is not named again, nor one whose candidate went because a cell that it sees holds the digit: there
/// the digit in the other cell is what is wrong.
fn differences(position: &Position, solution: &Solution, named: &[WrongEntry]) -> Vec<WrongEntry> {
    let puzzle = position.puzzle();
    let mut wrong = Vec::new();
    for cell in Cell::all(position.size()) {
        let right = solution.digits()[cell.index()];
        let is_named = named.iter().any(|entry| match entry {
            WrongEntry::Clash { cell: named, .. } | WrongEntry::Restricted { cell: named, .. } => {
                *named == cell
            }
            WrongEntry::Cage { .. } | WrongEntry::Digit { .. } | WrongEntry::Candidate { .. } => false,
        });
        match position.digit(cell) {
            Some(digit) if digit != right && !is_named => wrong.push(WrongEntry::Digit { cell, digit }),
            Some(_) => {}
            None => {
                let is_seen = puzzle.peers(cell).iter().any(|&peer| position.digit(peer) == Some(right));
                if !position.is_candidate(cell, right) && !is_seen {
                    wrong.push(WrongEntry::Candidate { cell, digit: right });
                }
            }
        }
    }
    wrong
}
