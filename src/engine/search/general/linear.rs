//! Linear facts: a house sums to a constant, so what cages leave of it, or stick out of it, sums to one too.
//!
//! A fact starts as a union of houses (each cell counted once, the total known) and takes equations off it, those
//! of jigsaw regions and of sum cages, as long as that leaves fewer cells. Innies then count positively,
//! outies negatively: `r3c4 + r3c5 - r4c9 = 7`.

use super::Halt;
use super::domains::Domains;
use super::fill::{MAX_CELLS, Rule};
use super::relations::Relations;
use crate::engine::budget::Budget;
use crate::puzzle::{HouseKind, Operation, Puzzle};

/// Adds the facts of at most so many open cells to the relations; they are not built yet.
pub(super) fn add_facts(
    puzzle: &Puzzle,
    most_cells: usize,
    domains: &Domains<'_>,
    relations: &mut Relations,
    budget: &mut Budget,
) -> Result<(), Halt> {
    let equations = Equations::of(puzzle);
    if equations.list.is_empty() {
        return Ok(());
    }
    for union in unions(puzzle) {
        budget.spend(1 + puzzle.cell_count() as u64 / 8)?;
        let Some(fact) = derive(puzzle, &union, &equations, domains, most_cells) else { continue };
        let rule = Rule::Sum { target: fact.target, minus: fact.minus };
        let is_known =
            |id: u16| relations.list[id as usize].rule == rule && relations.cells_of(id) == fact.cells;
        if (0..relations.list.len() as u16).any(is_known) {
            continue;
        }
        // Innies of one house differ.
        let distinct = union.len() == 1 && fact.minus == 0;
        relations.push(fact.cells, rule, distinct, true);
    }
    Ok(())
}

/// Houses without a cell in common, by their indices.
type Union = Vec<u16>;

/// Single houses, runs of neighbouring lines (all lines included), and pairs to quadruples of neighbouring boxes
/// or regions.
fn unions(puzzle: &Puzzle) -> Vec<Union> {
    let size = puzzle.size() as u16;
    let mut unions: Vec<Union> = (0..puzzle.houses().len() as u16).map(|house| vec![house]).collect();
    for lines in [0, size] {
        for first in 0..size {
            for end in first + 2..=size {
                unions.push((lines + first..lines + end).collect());
            }
        }
    }
    let areas: Vec<u16> = (0..puzzle.houses().len() as u16).filter(|&house| is_area(puzzle, house)).collect();
    let touch = |one: u16, other: u16| {
        let cells = |house: u16| puzzle.houses()[house as usize].cells.iter();
        cells(one).any(|a| {
            cells(other).any(|b| {
                let (a, b) = (a.index() as u16, b.index() as u16);
                a.abs_diff(b) == size || (a.abs_diff(b) == 1 && a / size == b / size)
            })
        })
    };
    for (at, &one) in areas.iter().enumerate() {
        for &other in areas[at + 1..].iter().filter(|&&other| touch(one, other)) {
            unions.push(vec![one, other]);
        }
    }
    unions
}

fn is_area(puzzle: &Puzzle, house: u16) -> bool {
    matches!(puzzle.houses()[house as usize].kind, HouseKind::Box | HouseKind::Region)
}

/// Sums of cells that are known.
struct Equations {
    /// Cells and sum.
    list: Vec<(Vec<u16>, i64)>,
}

impl Equations {
    /// Jigsaw regions, as they cross lines, and sum cages.
    fn of(puzzle: &Puzzle) -> Equations {
        let mut list = Vec::new();
        let has_sums =
            puzzle.cages().iter().any(|cage| cage.operation == Operation::Add && cage.cells.len() > 1);
        for house in puzzle.houses().iter().filter(|house| house.kind == HouseKind::Region) {
            list.push((house.cells.iter().map(|cell| cell.index() as u16).collect(), house_sum(puzzle)));
        }
        if !has_sums && list.is_empty() {
            return Equations { list };
        }
        for cage in puzzle.cages().iter().filter(|cage| cage.operation == Operation::Add) {
            let cells = cage.cells.iter().map(|cell| cell.index() as u16).collect();
            list.push((cells, i64::try_from(cage.target).unwrap_or(i64::MAX)));
        }
        Equations { list }
    }
}

fn house_sum(puzzle: &Puzzle) -> i64 {
    let size = puzzle.size() as i64;
    size * (size + 1) / 2
}

struct Fact {
    cells: Vec<u16>,
    minus: u32,
    target: i64,
}

/// What is left of a union of houses; nothing if that is no cell, too many, or a house as it was.
fn derive(
    puzzle: &Puzzle,
    union: &[u16],
    equations: &Equations,
    domains: &Domains<'_>,
    most_cells: usize,
) -> Option<Fact> {
    let mut signs = [0i8; 625];
    let mut target = house_sum(puzzle) * union.len() as i64;
    for &house in union {
        for cell in &puzzle.houses()[house as usize].cells {
            signs[cell.index()] = 1;
        }
    }
    let mut is_changed = false;
    for (cells, sum) in &equations.list {
        let count = |sign: i8| cells.iter().filter(|&&cell| signs[cell as usize] == sign).count();
        let (plus, none, minus) = (count(1), count(0), count(-1));
        if plus > none && minus == 0 {
            cells.iter().for_each(|&cell| signs[cell as usize] -= 1);
            target -= sum;
        } else if minus > none && plus == 0 {
            cells.iter().for_each(|&cell| signs[cell as usize] += 1);
            target += sum;
        } else {
            continue;
        }
        is_changed = true;
    }
    let mut fact = Fact { cells: Vec::new(), minus: 0, target };
    for (cell, &sign) in signs[..puzzle.cell_count()].iter().enumerate().filter(|(_, sign)| **sign != 0) {
        let digits = domains.cells[cell];
        if digits & (digits - 1) == 0 {
            fact.target -= i64::from(sign) * (i64::from(digits.trailing_zeros()) + 1);
            continue;
        }
        if fact.cells.len() == most_cells.min(MAX_CELLS) {
            return None;
        }
        fact.minus |= u32::from(sign < 0) << fact.cells.len();
        fact.cells.push(cell as u16);
    }
    (is_changed && !fact.cells.is_empty()).then_some(fact)
}
