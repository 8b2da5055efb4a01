//! A relation between the digits of some cells: a cage, or a combination of totals. It rules out every candidate
//! that no filling supports, as far as the fillings can be gone through.

use super::board::{Board, Halt};
use super::clique;
use super::equation::{Equation, PRIMES, cage_product};
use super::tuples::{Free, Pair, Search, SumOrProduct, Tally};
use crate::puzzle::{Cage, CageId, Cell, DigitSet, Operation, Puzzle};

/// With more open cells than this, only bounds are looked at. It also bounds how deep the search may nest.
const MAX_OPEN: usize = 40;
/// Digits tried in one look at a cage.
const CAGE_LIMIT: u64 = 1_000_000;
/// The same for combinations of totals, which can be wide, and where bounds do most of the work.
const SUM_LIMIT: u64 = 100_000;

/// From so many open cells on, sets of digits are gone through rather than fillings.
const MIN_CLIQUE: usize = 4;

/// What is asked of the digits.
pub(super) enum Law {
    /// A weighted sum has a value.
    Sum(Box<Equation<1>>),
    /// The same of the exponents of every prime.
    Product(Box<Equation<{ PRIMES.len() }>>),
    /// Their sum is odd, or even.
    Parity(bool),
    /// Two cells under an operation.
    Pair(Pair),
    /// Their sum or their product has a value.
    SumOrProduct(u64),
    /// Nothing but what they see.
    Free,
}

/// Cells, and what is asked of their digits; each of them holds one of its candidates.
pub(super) struct Relation {
    cells: Vec<Cell>,
    law: Law,
    /// For each cell the places of those among the others that it sees.
    sees: Vec<Vec<u16>>,
    /// Digits that may be tried in one look.
    limit: u64,
    /// The cage, if its cells all see each other, so that only the set of its digits counts.
    clique: Option<Cage>,
    /// So many fillings were too many to go through.
    too_many: u128,
    setup_work: u64,
}

impl Relation {
    /// `work` is what it took to find the cells.
    pub(super) fn new(puzzle: &Puzzle, cells: Vec<Cell>, law: Law, work: u64) -> Relation {
        // Parities are left to propagation and branching, wide sums to bounds: neither needs to know who sees whom.
        let needs_sight = !matches!(law, Law::Parity(_)) && cells.len() <= 4 * MAX_OPEN;
        let sees = if needs_sight { sight(puzzle, &cells) } else { vec![Vec::new(); cells.len()] };
        Relation { cells, law, sees, limit: SUM_LIMIT, clique: None, too_many: u128::MAX, setup_work: work }
    }

    /// A cage with its target.
    pub(super) fn of_cage(puzzle: &Puzzle, id: CageId) -> Result<Relation, String> {
        let cage = puzzle.cage(id);
        let count = cage.cells.len();
        let law = match cage.operation {
            Operation::Add | Operation::Equal => {
                Law::Sum(Box::new(Equation::sum(vec![1; count], cage.target as i64)))
            }
            Operation::Multiply => {
                let exponents = cage_product(id, cage)?;
                Law::Product(Box::new(Equation::product(vec![1; count], exponents)))
            }
            Operation::Subtract | Operation::Divide => {
                Law::Pair(Pair { operation: cage.operation, target: cage.target })
            }
            Operation::Unknown if count == 2 => {
                Law::Pair(Pair { operation: cage.operation, target: cage.target })
            }
            Operation::Unknown => Law::SumOrProduct(cage.target),
            Operation::Free => Law::Free,
        };
        let mut relation = Relation::new(puzzle, cage.cells.clone(), law, count as u64);
        relation.limit = CAGE_LIMIT;
        let all_differ = relation.sees.iter().all(|seen| seen.len() + 1 == count);
        if all_differ && puzzle.size() <= clique::MAX_SIZE {
            relation.clique = Some(cage.clone());
        }
        Ok(relation)
    }

    /// Its cells, each once.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// What it took to make.
    pub(super) fn setup_work(&self) -> u64 {
        self.setup_work
    }

    /// Rules out what bounds exclude, then what no filling supports.
    pub(super) fn propagate(&mut self, board: &mut Board<'_>) -> Result<(), Halt> {
        board.effort.spend(1 + self.cells.len() as u64)?;
        match &self.law {
            Law::Sum(equation) => equation.tighten(&self.cells, board)?,
            Law::Product(equation) => equation.tighten(&self.cells, board)?,
            Law::Parity(is_odd) => return tighten_parity(&self.cells, *is_odd, board),
            Law::Pair(_) | Law::SumOrProduct(_) | Law::Free => {}
        }
        let domains: Vec<u32> = self.cells.iter().map(|&cell| board.domain(cell)).collect();
        let mut fillings = 1u128;
        let mut open = 0;
        for domain in &domains {
            fillings = fillings.saturating_mul(u128::from(domain.count_ones()));
            open += usize::from(domain.count_ones() > 1);
        }
        if fillings == 0 {
            return Err(Halt::Conflict);
        }
        if open > MAX_OPEN || fillings > self.too_many / 16 {
            return Ok(());
        }
        let size = board.puzzle().size();
        if let Some(cage) = self.clique.as_ref().filter(|_| open >= MIN_CLIQUE) {
            let is_met = |digits: DigitSet| {
                let digits: Vec<u8> = digits.iter().map(|digit| digit.value()).collect();
                cage.is_met_by(&digits)
            };
            let supported = clique::supports(&domains, size, &is_met, &mut board.effort)?;
            return self.rule_out_others(&supported, board);
        }
        let supported = match &self.law {
            Law::Sum(equation) => self.supports(&equation.tally(&domains), &domains, board),
            Law::Product(equation) => self.supports(&equation.tally(&domains), &domains, board),
            Law::Pair(pair) => self.supports(pair, &domains, board),
            Law::SumOrProduct(target) => {
                self.supports(&SumOrProduct::new(*target, &domains, size), &domains, board)
            }
            Law::Free => self.supports(&Free, &domains, board),
            Law::Parity(_) => return Ok(()),
        }?;
        let Some(supported) = supported else {
            self.too_many = fillings;
            return Ok(());
        };
        self.rule_out_others(&supported, board)
    }

    fn rule_out_others(&self, supported: &[u32], board: &mut Board<'_>) -> Result<(), Halt> {
        for (&cell, supported) in self.cells.iter().zip(supported) {
            board.rule_out(cell, !supported)?;
        }
        Ok(())
    }

    /// The candidates that some filling has; none if going through them takes too long.
    fn supports<T: Tally>(
        &self,
        tally: &T,
        domains: &[u32],
        board: &mut Board<'_>,
    ) -> Result<Option<Vec<u32>>, Halt> {
        Search::new(tally, domains, &self.sees, self.limit).supports(&mut board.effort)
    }
}

fn sight(puzzle: &Puzzle, cells: &[Cell]) -> Vec<Vec<u16>> {
    let seen = |&cell: &Cell| {
        let others = cells.iter().enumerate().filter(|(_, other)| puzzle.sees(cell, **other));
        others.map(|(place, _)| place as u16).collect()
    };
    cells.iter().map(seen).collect()
}

/// Where all cells but one have a parity, so has the last.
fn tighten_parity(cells: &[Cell], is_odd: bool, board: &mut Board<'_>) -> Result<(), Halt> {
    /// Digits 1, 3, 5, … are bits 0, 2, 4, …
    const ODD: u32 = 0x5555_5555;
    let mut left = is_odd;
    let mut open = None;
    for &cell in cells {
        let domain = board.domain(cell);
        if domain == 0 {
            return Err(Halt::Conflict);
        }
        if domain & ODD == domain {
            left = !left;
        } else if domain & ODD != 0 && open.replace(cell).is_some() {
            return Ok(());
        }
    }
    match open {
        Some(cell) => board.rule_out(cell, if left { !ODD } else { ODD }),
        None if left => Err(Halt::Conflict),
        None => Ok(()),
    }
}
