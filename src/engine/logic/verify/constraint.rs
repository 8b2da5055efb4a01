//! Premises and earlier claims made to work: what follows from each for the board.

use std::borrow::Cow;

use super::Refusal;
use super::board::{Board, Halt};
use super::equation;
use super::form::Form;
use super::relation::Relation;
use crate::engine::logic::{Literal, Premise, Swap};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, Puzzle};

/// Something that is true in every solution.
pub(super) enum Constraint<'p> {
    /// The cell holds one of its candidates.
    Cell(Cell),
    /// The digit of this index lies somewhere in the house.
    House(HouseId, usize),
    /// One of these literals holds.
    Clause(Cow<'p, [Literal]>),
    /// The digits of these cells stand in a relation. That each of them holds a digit is said by `Cell`s beside it.
    Relation(Box<Relation>),
}

/// How a constraint stands.
pub(super) enum Way {
    /// Met, or nothing can be branched over.
    Settled,
    /// So many ways are left.
    Open(u32),
}

impl<'p> Constraint<'p> {
    /// A claim of an earlier lemma.
    pub(super) fn clause(claim: &'p [Literal]) -> Constraint<'p> {
        Constraint::Clause(Cow::Borrowed(claim))
    }

    /// What a premise says. Swaps have been found deadly before.
    pub(super) fn of_premise(
        premise: &'p Premise,
        board: &mut Board<'p>,
        form: &Form<'_>,
    ) -> Result<Vec<Constraint<'p>>, Refusal> {
        let puzzle = board.puzzle();
        let relation = match premise {
            Premise::Cell(cell) => return Ok(vec![Constraint::Cell(*cell)]),
            Premise::House(house, digit) => return Ok(vec![Constraint::House(*house, digit.index())]),
            Premise::Swap(swap) => return Ok(vec![beyond(swap, board)]),
            Premise::Cage(cage) => Relation::of_cage(puzzle, *cage),
            Premise::Sum { houses, cages } => equation::sum(puzzle, houses, cages),
            Premise::Product { houses, cages } => equation::product(puzzle, houses, cages),
            Premise::Parity { houses, cages } => equation::parity(puzzle, houses, cages),
        };
        let relation = relation.map_err(|what| form.no_premise(what))?;
        let cells = relation.cells().len() as u64;
        board
            .effort
            .spend(relation.setup_work() + cells * cells)
            .map_err(|_| Refusal::TooLarge { lemma: form.lemma })?;
        let mut constraints: Vec<Constraint<'p>> =
            relation.cells().iter().map(|&cell| Constraint::Cell(cell)).collect();
        constraints.push(Constraint::Relation(Box::new(relation)));
        Ok(constraints)
    }

    /// The cells whose changes it wants to be told of.
    pub(super) fn cells<'a>(&'a self, puzzle: &'a Puzzle) -> Cow<'a, [Cell]> {
        match self {
            Constraint::Cell(cell) => Cow::Owned(vec![*cell]),
            Constraint::House(house, _) => Cow::Borrowed(&puzzle.house(*house).cells),
            Constraint::Clause(literals) => {
                let mut cells: Vec<Cell> = literals.iter().map(|literal| literal.cell).collect();
                cells.sort_unstable();
                cells.dedup();
                Cow::Owned(cells)
            }
            Constraint::Relation(relation) => Cow::Borrowed(relation.cells()),
        }
    }

    /// Whether it should wait for the others.
    pub(super) fn is_slow(&self) -> bool {
        matches!(self, Constraint::Relation(_))
    }

    /// Draws what follows. Afterwards it has nothing more to find until another constraint changes something.
    pub(super) fn propagate(&mut self, board: &mut Board<'_>) -> Result<(), Halt> {
        match self {
            Constraint::Cell(cell) => {
                board.effort.spend(1)?;
                let domain = board.domain(*cell);
                match domain.count_ones() {
                    0 => Err(Halt::Conflict),
                    1 => board.affirm(*cell, domain),
                    _ => Ok(()),
                }
            }
            Constraint::House(house, digit) => propagate_house(board, *house, 1 << *digit),
            Constraint::Clause(literals) => propagate_clause(board, literals),
            Constraint::Relation(relation) => relation.propagate(board),
        }
    }

    /// In how many ways it can still be met.
    pub(super) fn ways(&self, board: &Board<'_>) -> Way {
        let count = match self {
            Constraint::Cell(cell) if !board.is_known(*cell) => board.domain(*cell).count_ones(),
            Constraint::House(house, digit) => {
                let bit = 1 << *digit;
                let mut count = 0;
                for &cell in &board.puzzle().house(*house).cells {
                    if board.domain(cell) & bit != 0 {
                        if board.is_known(cell) {
                            return Way::Settled;
                        }
                        count += 1;
                    }
                }
                count
            }
            Constraint::Clause(literals) => {
                let mut count = 0;
                for &literal in literals.iter() {
                    match value(board, literal) {
                        Some(true) => return Way::Settled,
                        Some(false) => {}
                        None => count += 1,
                    }
                }
                count
            }
            Constraint::Cell(_) | Constraint::Relation(_) => return Way::Settled,
        };
        Way::Open(count)
    }

    /// These ways: one of them is so.
    pub(super) fn alternatives(&self, board: &Board<'_>) -> Vec<Literal> {
        match self {
            Constraint::Cell(cell) => DigitSet::from_bits(board.domain(*cell))
                .iter()
                .map(|digit| Literal::is(*cell, digit))
                .collect(),
            Constraint::House(house, digit) => {
                let cells = board.puzzle().house(*house).cells.iter();
                let cells = cells.filter(|cell| board.domain(**cell) & (1 << *digit) != 0);
                cells.map(|&cell| Literal::is(cell, Digit::from_index(*digit))).collect()
            }
            Constraint::Clause(literals) => {
                literals.iter().copied().filter(|&literal| value(board, literal).is_none()).collect()
            }
            Constraint::Relation(_) => Vec::new(),
        }
    }
}

/// The clause that a swap gives: some cell of the pattern holds a digit beyond it.
fn beyond(swap: &Swap, board: &Board<'_>) -> Constraint<'static> {
    let mut literals = Vec::new();
    for (cell, digits) in swap.pattern() {
        let extra = DigitSet::from_bits(board.domain(cell)) - digits;
        literals.extend(extra.iter().map(|digit| Literal::is(cell, digit)));
    }
    Constraint::Clause(Cow::Owned(literals))
}

fn propagate_house(board: &mut Board<'_>, house: HouseId, bit: u32) -> Result<(), Halt> {
    let mut only = None;
    let cells = &board.puzzle().house(house).cells;
    board.effort.spend(1 + cells.len() as u64 / 8)?;
    for &cell in cells {
        if board.domain(cell) & bit != 0 && only.replace(cell).is_some() {
            return Ok(());
        }
    }
    match only {
        None => Err(Halt::Conflict),
        Some(cell) => board.affirm(cell, bit),
    }
}

fn propagate_clause(board: &mut Board<'_>, literals: &[Literal]) -> Result<(), Halt> {
    board.effort.spend(1 + literals.len() as u64 / 8)?;
    let mut open = None;
    for &literal in literals {
        match value(board, literal) {
            Some(true) => return Ok(()),
            Some(false) => {}
            None if open.is_some_and(|open| open != literal) => return Ok(()),
            None => open = Some(literal),
        }
    }
    let Some(literal) = open else { return Err(Halt::Conflict) };
    let bit = 1 << literal.digit.index();
    match literal.holds {
        true => board.affirm(literal.cell, bit),
        false => board.rule_out(literal.cell, bit),
    }
}

/// Whether a literal holds, as far as the board knows.
fn value(board: &Board<'_>, literal: Literal) -> Option<bool> {
    let bit = 1 << literal.digit.index();
    let domain = board.domain(literal.cell);
    if domain & bit == 0 {
        Some(!literal.holds)
    } else if board.is_known(literal.cell) {
        Some(literal.holds)
    } else {
        None
    }
}
