//! Whether the exchange of a swap keeps all rules, so that a solution filled that way would not be the only one.
//!
//! Soundness. Let S be a solution in which every cell of the pattern holds a digit of the pattern, and S′ what the
//! exchange makes of it. S′ differs from S, keeps givens and restrictions, and no cell outside the pattern changes.
//! A *part* is a set of pattern cells that hold the same digits, with the same repetitions, before and after:
//! a house or cage whose pattern cells are a union of disjoint parts holds the same digits in S′ as in S, and what
//! it asks (different digits, a sum, a product, a difference) does not depend on their order. So S′ is a second
//! solution, and with exactly one solution S does not exist.
//!
//! *Digits*: in a group of different digits in which each pattern digit stands in none or two of the cells, the
//! cells are the edges and the digits the nodes of a graph of cycles. S picks one end of each edge, all different,
//! which is a turn around each cycle; S′ is the other turn. Each cycle is a part.
//!
//! *Cells*: a pair that changes places is a part. So are as many cells as there are digits, if they all see each
//! other and the cells whose contents they get all see each other: both hold all the digits once.

use super::Refusal;
use super::board::{Board, Halt};
use crate::engine::logic::Swap;
use crate::puzzle::{Cell, DigitSet, Operation, Puzzle, notation};

/// Why a swap is no premise.
pub(super) enum Flaw {
    TooLarge,
    Broken(String),
}

impl Flaw {
    pub(super) fn refusal(self, lemma: usize) -> Refusal {
        match self {
            Flaw::TooLarge => Refusal::TooLarge { lemma },
            Flaw::Broken(why) => Refusal::NotDeadly { lemma, why },
        }
    }
}

impl From<Halt> for Flaw {
    fn from(_: Halt) -> Flaw {
        Flaw::TooLarge
    }
}

/// Places in the pattern, ascending.
type Places = Vec<usize>;

/// Finds the parts, and checks that they make up every house and every cage.
pub(super) fn check(board: &mut Board<'_>, swap: &Swap) -> Result<(), Flaw> {
    let puzzle = board.puzzle();
    let pattern = Pattern::new(puzzle, swap)?;
    board.effort.spend((puzzle.cell_count() * puzzle.size()) as u64)?;
    let mut parts: Vec<Places> = pattern.pairs();
    let houses = puzzle.houses().iter().map(|house| (house.to_string(), house.cells.as_slice()));
    for (name, cells) in houses {
        let places = pattern.places_in(cells);
        match swap {
            Swap::Digits(_) => parts.extend(pattern.cycles(&places).map_err(|why| broken(why, &name))?),
            Swap::Cells { digits, .. } => parts.extend(pattern.full_part(&places, digits.len())),
        }
    }
    for cage in puzzle.cages().iter().filter(|cage| cage.distinct) {
        let places = pattern.places_in(&cage.cells);
        match swap {
            Swap::Digits(_) => parts.extend(pattern.cycles(&places).unwrap_or_default()),
            Swap::Cells { digits, .. } => parts.extend(pattern.full_part(&places, digits.len())),
        }
    }
    parts.sort_unstable();
    parts.dedup();
    let houses = puzzle.houses().iter().map(|house| (house.to_string(), house.cells.as_slice()));
    let cages = puzzle.cages().iter().enumerate();
    let cages = cages.filter(|(_, cage)| cage.distinct || cage.operation != Operation::Free);
    let cages = cages.map(|(index, cage)| (format!("cage {}", index + 1), cage.cells.as_slice()));
    for (name, cells) in houses.chain(cages) {
        let mut left = pattern.places_in(cells);
        board.effort.spend(1 + parts.len() as u64 / 4)?;
        let within: Vec<&Places> = parts.iter().filter(|part| is_subset(part, &left)).collect();
        if !is_union(&mut left, &within, board)? {
            return Err(Flaw::Broken(format!("{name} would not keep its digits")));
        }
    }
    Ok(())
}

fn broken(why: String, group: &str) -> Flaw {
    Flaw::Broken(format!("in {group} {why}"))
}

struct Pattern<'p> {
    puzzle: &'p Puzzle,
    cells: Vec<(Cell, DigitSet)>,
    /// The place of each cell, one entry a cell of the board.
    places: Vec<Option<usize>>,
    /// Whether cells change places two by two: 0 and 1, 2 and 3, …
    is_paired: bool,
}

impl<'p> Pattern<'p> {
    /// The pattern of a swap: cells that differ, open to all the pattern's digits, not given.
    fn new(puzzle: &'p Puzzle, swap: &Swap) -> Result<Pattern<'p>, Flaw> {
        let size = puzzle.size();
        let cells = swap.pattern();
        let mut places = vec![None; puzzle.cell_count()];
        let fail = |why: String| Err(Flaw::Broken(why));
        for (place, &(cell, digits)) in cells.iter().enumerate() {
            let name = notation::cell(cell, size);
            if places[cell.index()].replace(place).is_some() {
                return fail(format!("{name} is named twice"));
            }
            if let Some(given) = puzzle.given(cell) {
                return fail(format!("{name} is given {given}"));
            }
            if !puzzle.allowed(cell).contains_all(digits) {
                let allowed = puzzle.allowed(cell);
                return fail(format!("{name} may hold {allowed} alone, and not all of {digits}"));
            }
            if matches!(swap, Swap::Digits(_)) && digits.len() != 2 {
                return fail(format!("{name} has {} digits instead of two", digits.len()));
            }
        }
        let changes = match swap {
            Swap::Digits(cells) => !cells.is_empty(),
            // Cells that see each other hold different digits.
            Swap::Cells { pairs, .. } => pairs.iter().any(|&(one, other)| puzzle.sees(one, other)),
        };
        if !changes {
            return fail("nothing need change".to_owned());
        }
        Ok(Pattern { puzzle, cells, places, is_paired: matches!(swap, Swap::Cells { .. }) })
    }

    fn places_in(&self, cells: &[Cell]) -> Places {
        let mut places: Places = cells.iter().filter_map(|cell| self.places[cell.index()]).collect();
        places.sort_unstable();
        places
    }

    fn pairs(&self) -> Vec<Places> {
        if !self.is_paired {
            return Vec::new();
        }
        (0..self.cells.len()).step_by(2).map(|place| vec![place, place + 1]).collect()
    }

    /// The cycles of cells of one house, in which every digit of the pattern must stand in no or two cells.
    fn cycles(&self, places: &Places) -> Result<Vec<Places>, String> {
        for digit in self.puzzle.digits() {
            let holders: Vec<Cell> = places
                .iter()
                .filter(|&&place| self.cells[place].1.contains(digit))
                .map(|&place| self.cells[place].0)
                .collect();
            if !matches!(holders.len(), 0 | 2) {
                let names = notation::cells(&holders, self.puzzle.size());
                return Err(format!("digit {digit} of the pattern stands in {names}, not in two cells"));
            }
        }
        let mut cycles = Vec::new();
        let mut left = places.clone();
        while let Some(first) = left.pop() {
            let mut digits = self.cells[first].1;
            let mut cycle = vec![first];
            while let Some(at) = left.iter().position(|&place| !(self.cells[place].1 & digits).is_empty()) {
                let place = left.remove(at);
                digits |= self.cells[place].1;
                cycle.push(place);
            }
            cycle.sort_unstable();
            cycles.push(cycle);
        }
        Ok(cycles)
    }

    /// The cells of one house or cage of different digits, if they hold all digits of the pattern once, before
    /// and after.
    fn full_part(&self, places: &Places, digits: usize) -> Option<Places> {
        let get = |place: usize| self.cells[place ^ 1].0;
        let all_differ = places.iter().enumerate().all(|(index, &place)| {
            places[..index].iter().all(|&other| self.puzzle.sees(get(place), get(other)))
        });
        (places.len() == digits && all_differ).then(|| places.clone())
    }
}

fn is_subset(part: &Places, of: &Places) -> bool {
    part.iter().all(|place| of.binary_search(place).is_ok())
}

/// Whether the places left are a union of disjoint parts. It nests no deeper than there are parts in the union.
fn is_union(left: &mut Places, parts: &[&Places], board: &mut Board<'_>) -> Result<bool, Halt> {
    let Some(&first) = left.first() else { return Ok(true) };
    for part in parts.iter().filter(|part| part.contains(&first)) {
        board.effort.spend(part.len() as u64 + parts.len() as u64)?;
        if !is_subset(part, left) {
            continue;
        }
        let mut rest: Places = left.iter().copied().filter(|place| !part.contains(place)).collect();
        if is_union(&mut rest, parts, board)? {
            return Ok(true);
        }
    }
    Ok(false)
}
