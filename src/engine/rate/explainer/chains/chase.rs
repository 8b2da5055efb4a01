//! Following an assumption to its end, or to a contradiction.

use super::super::board::{Board, HOUSE_CELLS, HOUSES_OF, bits};
use super::found::Nested;
use super::links::{Cause, Literal, cell_of, digit_of, each_off, each_on, holds, literal};
use super::run::Run;
use super::{Chains, rules};
use crate::engine::budget::{Budget, Stopped};

/// What a search for chains may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Chains from all candidates of a cell or places of a house.
    pub is_multiple: bool,
    /// What is removed stays removed.
    pub is_dynamic: bool,
    /// Only chains of one digit.
    pub is_nishio: bool,
    /// 1 adds intersections, pairs and X-Wings; 2 and more nested chains.
    pub level: u8,
}

impl Mode {
    /// Nishio.
    pub const NISHIO: Mode = Mode { is_multiple: false, is_dynamic: true, is_nishio: true, level: 0 };
    /// Multiple forcing chains.
    pub const MULTIPLE: Mode = Mode { is_multiple: true, is_dynamic: false, is_nishio: false, level: 0 };

    /// Dynamic forcing chains of a level.
    pub const fn dynamic(level: u8) -> Mode {
        Mode { is_multiple: true, is_dynamic: true, is_nishio: false, level }
    }
}

/// A candidate that another rule removes, once others have gone.
pub struct Removal {
    /// The candidate, as a literal that does not hold.
    pub literal: Literal,
    /// Those that had to go first, as nodes of the run: a range of the list beside.
    pub parents: std::ops::Range<u32>,
    /// The nested chain, if it is one.
    pub nested: Option<u32>,
}

/// Candidates that other rules remove.
#[derive(Default)]
pub struct Removals {
    /// In order.
    pub list: Vec<Removal>,
    /// Their parents.
    pub parents: Vec<u16>,
}

/// Fills `run` with all that follows from `start`. The board is as before in the end.
pub fn chase(
    chains: &mut Chains,
    board: &mut Board,
    start: Literal,
    mode: Mode,
    run: &mut Run,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    run.clear();
    run.add(start, Cause::Start, &[], None);
    budget.spend(20)?;
    if !mode.is_dynamic {
        spread_fixed(board, mode, run);
        return Ok(());
    }
    let source = board.clone();
    let end = follow(chains, board, &source, mode, run, budget);
    board.clone_from(&source);
    end
}

/// The next node of a list that was not looked at yet.
struct Cursor {
    on: usize,
    off: usize,
}

fn spread_fixed(board: &Board, mode: Mode, run: &mut Run) {
    let mut cursor = Cursor { on: 0, off: 0 };
    loop {
        if let Some(&node) = run.on.get(cursor.on) {
            cursor.on += 1;
            if take_on(board, mode, run, node) {
                return;
            }
        } else if let Some(&node) = run.off.get(cursor.off) {
            cursor.off += 1;
            if take_off(board, board, mode, run, node) {
                return;
            }
        } else {
            return;
        }
    }
}

fn follow(
    chains: &mut Chains,
    board: &mut Board,
    source: &Board,
    mode: Mode,
    run: &mut Run,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    let mut cursor = Cursor { on: 0, off: 0 };
    loop {
        if let Some(&node) = run.on.get(cursor.on) {
            cursor.on += 1;
            if take_on(board, mode, run, node) {
                return Ok(());
            }
        } else if let Some(&node) = run.off.get(cursor.off) {
            cursor.off += 1;
            let is_over = take_off(board, source, mode, run, node);
            let literal = run.nodes[usize::from(node)].literal;
            board.remove(cell_of(literal), digit_of(literal));
            if is_over {
                return Ok(());
            }
        } else if mode.level == 0 {
            return Ok(());
        } else {
            let removals = rules::removals(chains, board, source, run, mode.level, budget)?;
            let mut is_new = false;
            for removal in &removals.list {
                if !run.says(removal.literal) {
                    let parents =
                        &removals.parents[removal.parents.start as usize..removal.parents.end as usize];
                    run.add(removal.literal, Cause::Rule, parents, removal.nested);
                    is_new = true;
                }
            }
            if !is_new {
                return Ok(());
            }
        }
    }
}

/// What goes since a node holds; true at a contradiction.
fn take_on(board: &Board, mode: Mode, run: &mut Run, node: u16) -> bool {
    let from = run.nodes[usize::from(node)].literal;
    each_off(board, from, !mode.is_nishio, &mut |off, cause| {
        if let Some(on) = run.node_of(off | 1) {
            let off = run.add_loose(off, cause, &[node], None);
            run.conflict = Some([on, off]);
            return true;
        }
        if !run.says(off) {
            run.add(off, cause, &[node], None);
        }
        false
    })
}

/// What holds since a node does not; true at a contradiction. Candidates that went before are reasons as well.
fn take_off(board: &Board, source: &Board, mode: Mode, run: &mut Run, node: u16) -> bool {
    let from = run.nodes[usize::from(node)].literal;
    each_on(board, from, !mode.is_nishio, &mut |on, cause| {
        let opposite = run.node_of(on ^ 1);
        if opposite.is_none() && run.says(on) {
            return false;
        }
        let mut parents = [node; 10];
        let mut count = 1;
        each_missing(board, source, on, cause, &mut |gone| {
            parents[count] = run.node_of(gone).expect("what went from the board is said in the run");
            count += 1;
        });
        if let Some(off) = opposite {
            let on = run.add_loose(on, cause, &parents[..count], None);
            run.conflict = Some([on, off]);
            return true;
        }
        run.add(on, cause, &parents[..count], None);
        false
    })
}

/// The candidates of the cell or house that went since the source.
fn each_missing(board: &Board, source: &Board, on: Literal, cause: Cause, each: &mut impl FnMut(Literal)) {
    debug_assert!(holds(on));
    let (cell, digit) = (cell_of(on), digit_of(on));
    match cause {
        Cause::Cell => {
            let gone = source.candidates[cell] & !board.candidates[cell];
            bits(gone).for_each(|other| each(literal(cell, other, false)));
        }
        Cause::House(kind) => {
            let house = usize::from(HOUSES_OF[cell][usize::from(kind)]);
            let gone = source.places[house][digit] & !board.places[house][digit];
            bits(gone).for_each(|place| {
                each(literal(usize::from(HOUSE_CELLS[house][place]), digit, false));
            });
        }
        Cause::Start | Cause::Rule => {}
    }
}

/// Puts a nested chain into the store.
pub fn store(nested: &mut Vec<Nested>, chain: Nested) -> u32 {
    nested.push(chain);
    nested.len() as u32 - 1
}
