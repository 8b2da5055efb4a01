//! Weighted sums with a known value: of digits, or of the exponents of primes in them, which makes products sums.

use super::board::{Board, Halt};
use super::relation::{Law, Relation};
use super::tuples::Tally;
use crate::puzzle::{Cage, CageId, Cell, Digit, DigitSet, HouseId, Operation, Puzzle};

/// The primes up to the largest digit.
pub(super) const PRIMES: [u64; 9] = [2, 3, 5, 7, 11, 13, 17, 19, 23];

/// The sum over all cells of weight times value of the digit is the target, in each of `D` dimensions.
///
/// No total overflows: factors are at most a million (`form.rs`), and a message of a gigabyte names fewer than
/// 10⁸ houses, so weights stay below 10¹⁴, and 625 cells of digit 25 below 2·10¹⁸.
pub(super) struct Equation<const D: usize> {
    weights: Vec<i64>,
    target: [i64; D],
    /// By digit index.
    values: [[i64; D]; Digit::MAX as usize],
}

impl Equation<1> {
    /// Digits themselves.
    pub(super) fn sum(weights: Vec<i64>, target: i64) -> Equation<1> {
        let values = std::array::from_fn(|index| [index as i64 + 1]);
        Equation { weights, target: [target], values }
    }
}

impl Equation<{ PRIMES.len() }> {
    /// Exponents of primes.
    pub(super) fn product(weights: Vec<i64>, target: [i64; PRIMES.len()]) -> Equation<{ PRIMES.len() }> {
        let values = std::array::from_fn(|index| exponents(index as u64 + 1).0);
        Equation { weights, target, values }
    }
}

/// The exponent of each prime in a number, and what is left beside them.
fn exponents(mut number: u64) -> ([i64; PRIMES.len()], u64) {
    let mut exponents = [0; PRIMES.len()];
    for (exponent, prime) in exponents.iter_mut().zip(PRIMES) {
        while number != 0 && number.is_multiple_of(prime) {
            number /= prime;
            *exponent += 1;
        }
    }
    (exponents, number)
}

/// The least and the greatest that a cell, or cells from a place on, can add.
#[derive(Clone, Copy)]
pub(super) struct Range<const D: usize> {
    least: [i64; D],
    greatest: [i64; D],
}

impl<const D: usize> Range<D> {
    const NOTHING: Range<D> = Range { least: [0; D], greatest: [0; D] };

    fn add(&mut self, other: &Range<D>) {
        for k in 0..D {
            self.least[k] += other.least[k];
            self.greatest[k] += other.greatest[k];
        }
    }

    fn subtract(&mut self, other: &Range<D>) {
        for k in 0..D {
            self.least[k] -= other.least[k];
            self.greatest[k] -= other.greatest[k];
        }
    }

    fn contains(&self, value: &[i64; D]) -> bool {
        (0..D).all(|k| self.least[k] <= value[k] && value[k] <= self.greatest[k])
    }
}

impl<const D: usize> Equation<D> {
    /// What the cell at a place adds with this digit, taken from what is left.
    fn left_after(&self, left: &[i64; D], place: usize, digit: usize) -> [i64; D] {
        std::array::from_fn(|k| left[k] - self.weights[place] * self.values[digit][k])
    }

    fn range(&self, place: usize, domain: u32) -> Range<D> {
        let mut range = Range { least: [i64::MAX; D], greatest: [i64::MIN; D] };
        for digit in DigitSet::from_bits(domain) {
            for k in 0..D {
                let value = self.weights[place] * self.values[digit.index()][k];
                range.least[k] = range.least[k].min(value);
                range.greatest[k] = range.greatest[k].max(value);
            }
        }
        range
    }

    /// Rules out digits with which the rest cannot reach the target, until none is left.
    pub(super) fn tighten(&self, cells: &[Cell], board: &mut Board<'_>) -> Result<(), Halt> {
        loop {
            let mut ranges = Vec::with_capacity(cells.len());
            let mut total = Range::NOTHING;
            let mut looks = 1;
            for (place, &cell) in cells.iter().enumerate() {
                let domain = board.domain(cell);
                if domain == 0 {
                    return Err(Halt::Conflict);
                }
                looks += u64::from(domain.count_ones());
                ranges.push(self.range(place, domain));
                total.add(&ranges[place]);
            }
            board.effort.spend(looks / 4 + 1)?;
            if !total.contains(&self.target) {
                return Err(Halt::Conflict);
            }
            let mut has_changed = false;
            for (place, &cell) in cells.iter().enumerate() {
                let mut others = total;
                others.subtract(&ranges[place]);
                let mut excluded = 0;
                for digit in DigitSet::from_bits(board.domain(cell)) {
                    if !others.contains(&self.left_after(&self.target, place, digit.index())) {
                        excluded |= 1 << digit.index();
                    }
                }
                has_changed |= excluded != 0;
                board.rule_out(cell, excluded)?;
            }
            if !has_changed {
                return Ok(());
            }
        }
    }

    /// For going through the fillings of these domains.
    pub(super) fn tally(&self, domains: &[u32]) -> EquationTally<'_, D> {
        let ranges = domains.iter().enumerate().map(|(place, &domain)| self.range(place, domain)).collect();
        EquationTally { equation: self, ranges }
    }
}

/// An equation while fillings are gone through: what is left of the target, and what the open cells can add.
pub(super) struct EquationTally<'e, const D: usize> {
    equation: &'e Equation<D>,
    ranges: Vec<Range<D>>,
}

impl<const D: usize> Tally for EquationTally<'_, D> {
    type State = [i64; D];
    type Reach = Range<D>;

    fn start(&self) -> [i64; D] {
        self.equation.target
    }

    fn reach(&self, later: &[usize]) -> Range<D> {
        let mut reach = Range::NOTHING;
        later.iter().for_each(|&place| reach.add(&self.ranges[place]));
        reach
    }

    fn take(&self, left: [i64; D], place: usize, digit: usize, reach: &Range<D>) -> Option<[i64; D]> {
        Some(self.equation.left_after(&left, place, digit)).filter(|left| reach.contains(left))
    }

    fn is_met(&self, left: [i64; D]) -> bool {
        left == [0; D]
    }

    fn note(&self, left: [i64; D], numbers: &mut Vec<u64>) {
        numbers.extend(left.map(|left| left as u64));
    }
}

/// Weights of cells, added up over houses and cages.
struct Weights<'p> {
    puzzle: &'p Puzzle,
    by_cell: Vec<i64>,
    work: u64,
}

impl<'p> Weights<'p> {
    fn new(puzzle: &'p Puzzle) -> Weights<'p> {
        let count = puzzle.cell_count();
        Weights { puzzle, by_cell: vec![0; count], work: count as u64 }
    }

    fn add(&mut self, cells: &[Cell], factor: i32) {
        self.work += cells.len() as u64;
        for cell in cells {
            self.by_cell[cell.index()] += i64::from(factor);
        }
    }

    fn houses<'a>(&mut self, houses: &'a [(HouseId, i32)]) -> impl Iterator<Item = i64> + use<'a> {
        for &(house, factor) in houses {
            let cells = &self.puzzle.house(house).cells;
            self.add(cells, factor);
        }
        houses.iter().map(|&(_, factor)| i64::from(factor))
    }

    /// The cells that have not dropped out, each with its weight.
    fn left(&self) -> (Vec<Cell>, Vec<i64>) {
        let left = Cell::all(self.puzzle.size()).zip(&self.by_cell);
        left.filter(|(_, weight)| **weight != 0).map(|(cell, &weight)| (cell, weight)).unzip()
    }
}

/// The premise of a combination of sums.
pub(super) fn sum(
    puzzle: &Puzzle,
    houses: &[(HouseId, i32)],
    cages: &[(CageId, i32)],
) -> Result<Relation, String> {
    let mut weights = Weights::new(puzzle);
    let size = puzzle.size() as i64;
    let mut target: i64 = weights.houses(houses).map(|factor| factor * (size * (size + 1) / 2)).sum();
    for &(id, factor) in cages {
        let cage = puzzle.cage(id);
        if !matches!(cage.operation, Operation::Add | Operation::Equal) {
            return Err(format!("cage {} has no known sum", id.index() + 1));
        }
        weights.add(&cage.cells, factor);
        target += i64::from(factor) * cage.target as i64;
    }
    let (cells, factors) = weights.left();
    Ok(Relation::new(puzzle, cells, Law::Sum(Box::new(Equation::sum(factors, target))), weights.work))
}

/// The premise of a combination of products.
pub(super) fn product(
    puzzle: &Puzzle,
    houses: &[(HouseId, i32)],
    cages: &[(CageId, i32)],
) -> Result<Relation, String> {
    let mut weights = Weights::new(puzzle);
    let mut target = [0; PRIMES.len()];
    let mut of_house = [0; PRIMES.len()];
    for digit in 1..=puzzle.size() as u64 {
        add_times(&mut of_house, &exponents(digit).0, 1);
    }
    for factor in weights.houses(houses) {
        add_times(&mut target, &of_house, factor);
    }
    for &(id, factor) in cages {
        let cage = puzzle.cage(id);
        if !matches!(cage.operation, Operation::Multiply | Operation::Equal) {
            return Err(format!("cage {} has no known product", id.index() + 1));
        }
        weights.add(&cage.cells, factor);
        add_times(&mut target, &cage_product(id, cage)?, i64::from(factor));
    }
    let (cells, factors) = weights.left();
    let law = Law::Product(Box::new(Equation::product(factors, target)));
    Ok(Relation::new(puzzle, cells, law, weights.work))
}

/// The exponents of a cage's target.
pub(super) fn cage_product(id: CageId, cage: &Cage) -> Result<[i64; PRIMES.len()], String> {
    match exponents(cage.target) {
        (exponents, 1) => Ok(exponents),
        _ => Err(format!("the target of cage {} is no product of digits", id.index() + 1)),
    }
}

fn add_times(sum: &mut [i64; PRIMES.len()], exponents: &[i64; PRIMES.len()], factor: i64) {
    for (sum, exponent) in sum.iter_mut().zip(exponents) {
        *sum += exponent * factor;
    }
}

/// The premise of a combination of parities. What is named twice drops out.
pub(super) fn parity(puzzle: &Puzzle, houses: &[HouseId], cages: &[CageId]) -> Result<Relation, String> {
    let mut weights = Weights::new(puzzle);
    let size = puzzle.size();
    let mut is_odd = false;
    for &house in houses {
        weights.add(&puzzle.house(house).cells, 1);
        is_odd ^= size * (size + 1) / 2 % 2 == 1;
    }
    for &id in cages {
        let cage = puzzle.cage(id);
        // The sum of two cells under `÷` is small·(target + 1).
        is_odd ^= match cage.operation {
            Operation::Add | Operation::Equal | Operation::Subtract => cage.target % 2 == 1,
            Operation::Divide if cage.target % 2 == 1 => false,
            _ => return Err(format!("the sum of cage {} has no known parity", id.index() + 1)),
        };
        weights.add(&cage.cells, 1);
    }
    weights.by_cell.iter_mut().for_each(|weight| *weight %= 2);
    let (cells, _) = weights.left();
    Ok(Relation::new(puzzle, cells, Law::Parity(is_odd), weights.work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_numbers() {
        assert_eq!(exponents(360), ([3, 2, 1, 0, 0, 0, 0, 0, 0], 1));
        assert_eq!(exponents(29), ([0; 9], 29));
        assert_eq!(exponents(0), ([0; 9], 0));
        assert_eq!(exponents(u64::MAX - 58).1, u64::MAX - 58, "a prime");
    }
}
