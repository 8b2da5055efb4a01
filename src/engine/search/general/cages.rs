//! Cages as relations: each is kept in the tightest way that its size allows.

use super::domains::Domains;
use super::fill::{MAX_CELLS, Rule};
use super::limits::Limits;
use super::relations::{Kept, Relations};
use super::{Halt, combinations, rows};
use crate::engine::budget::Budget;
use crate::puzzle::{Cage, Operation, Puzzle};

/// Takes all cages in. Cages of one cell become candidates, the others relations that are not built yet.
pub(super) fn take_in(
    puzzle: &Puzzle,
    domains: &mut Domains<'_>,
    relations: &mut Relations,
) -> Result<(), Halt> {
    for cage in puzzle.cages() {
        let cells = cage.cells.iter().map(|cell| cell.index() as u16);
        if let [cell] = cage.cells[..] {
            let keep = (1..=puzzle.size() as u8).filter(|&digit| cage.is_met_by(&[digit]));
            domains.keep(cell.index() as u16, keep.fold(0, |set, digit| set | 1 << (digit - 1)))?;
        } else if let Some(rule) = rule_of(cage, puzzle.size()) {
            relations.push(cells, rule, cage.distinct, false);
        }
    }
    domains.live.resize(relations.list.len(), 0);
    domains.watch(relations.all_cells());
    Ok(())
}

/// What a cage of two cells or more asks besides that its digits differ; nothing if it asks nothing more.
fn rule_of(cage: &Cage, size: usize) -> Option<Rule> {
    let is_pair = cage.cells.len() == 2;
    Some(match cage.operation {
        Operation::Add => Rule::Sum { target: i64::try_from(cage.target).unwrap_or(i64::MAX), minus: 0 },
        Operation::Multiply => Rule::Product(cage.target),
        Operation::Unknown if !is_pair => Rule::SumOrProduct(cage.target),
        Operation::Subtract | Operation::Divide | Operation::Unknown | Operation::Equal => {
            Rule::Pair(cage.operation, cage.target)
        }
        // As many cells as digits, or nearly: then it is a house, or nearly.
        Operation::Free if cage.distinct && cage.cells.len() + 1 >= size => Rule::Any,
        Operation::Free => return None,
    })
}

/// Builds the table of a relation from what is possible now, which must be what is possible at the root.
pub(super) fn build(
    id: u16,
    domains: &mut Domains<'_>,
    relations: &mut Relations,
    limits: &Limits,
    budget: &mut Budget,
) -> Result<(), Halt> {
    let relation = relations.list[id as usize];
    let first = relation.first_cell as usize;
    let cells = &relations.cells[first..first + relation.count as usize];
    let mut allowance = limits.allowance;
    let mut kept = None;
    if cells.len() <= MAX_CELLS && relation.rule != Rule::Any && (!relation.distinct || cells.len() <= 6) {
        // Pairs are known as rows alone; there are never more than 625.
        let most = match relation.rule {
            Rule::Pair(..) => u32::MAX,
            _ if relation.is_fact => limits.fact_rows,
            _ if relation.distinct => limits.distinct_rows,
            _ => limits.rows,
        };
        let (start, sets) = (relations.rows.len() as u32, relations.sets.len() as u32);
        let room = (&mut relations.rows, &mut relations.sets);
        let count = rows::build(domains, cells, relation.rule, relation.distinct, room, most, &mut allowance);
        let words = rows::words(cells.len(), domains.size) as u8;
        kept = count.map(|count| (Kept::Rows { start, words, sets: Some(sets) }, count));
        budget.spend(u64::from(limits.allowance - allowance) / 16)?;
    }
    if kept.is_none() && relation.distinct {
        let start = relations.sets.len() as u32;
        allowance = limits.allowance;
        let count = combinations::build(
            domains,
            cells,
            relation.rule,
            &mut relations.sets,
            limits.combinations,
            &mut allowance,
        );
        kept = count.map(|count| (Kept::Combinations { start }, count));
        budget.spend(u64::from(limits.allowance - allowance) / 16)?;
    }
    let (kept, count) = kept.unwrap_or((Kept::Bounds, 0));
    relations.list[id as usize].kept = kept;
    domains.live[id as usize] = count;
    Ok(())
}
