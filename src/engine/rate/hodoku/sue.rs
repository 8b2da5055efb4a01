//! Sue de Coq, in the order in which HoDoKu looks for it: lines, boxes, the cells where they meet.

use super::board::{Board, GEOMETRY, digits};
use super::step::Step;
use crate::engine::budget::{Budget, Stopped};

/// Two or three cells of an intersection, and what is around them.
struct Core<'b> {
    board: &'b Board,
    cells: u128,
    held: u16,
    line: u128,
    block: u128,
}

/// The first one.
pub fn find(board: &Board, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    let set_of = |house: usize| GEOMETRY.houses[house].iter().fold(0u128, |set, &cell| set | 1 << cell);
    let open = board.open();
    for line in 0..18 {
        for block in 18..27 {
            budget.spend(1)?;
            let (line, block) = (set_of(line) & open, set_of(block) & open);
            let common: Vec<usize> = super::board::cells(line & block).collect();
            if common.len() < 2 {
                continue;
            }
            for chosen in choices(&common) {
                let (cells, held) = union(board, &chosen);
                if held.count_ones() as usize >= chosen.len() + 2 {
                    let core = Core { board, cells, held, line, block };
                    if let Some(step) = core.search(budget)? {
                        return Ok(Some(step));
                    }
                }
            }
        }
    }
    Ok(None)
}

/// Pairs, each followed by the triples that it begins.
fn choices(common: &[usize]) -> Vec<Vec<usize>> {
    let mut choices = Vec::new();
    for one in 0..common.len() {
        for two in one + 1..common.len() {
            choices.push(vec![common[one], common[two]]);
            choices.extend(common[two + 1..].iter().map(|&three| vec![common[one], common[two], three]));
        }
    }
    choices
}

fn union(board: &Board, chosen: &[usize]) -> (u128, u16) {
    chosen.iter().fold((0, 0), |(set, held), &cell| (set | 1 << cell, held | board.candidates[cell]))
}

impl Core<'_> {
    fn search(&self, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
        let spare = self.held.count_ones() as usize - self.cells.count_ones() as usize;
        let rest: Vec<usize> = super::board::cells(self.line & !self.cells).collect();
        let mut found = None;
        each_subset(self.board, &rest, !0, (0, 0), budget, &mut |line, held, budget| {
            let extra = held & !self.held;
            let (size, extras) = (line.count_ones() as usize, extra.count_ones() as usize);
            if held & self.held == 0 || size <= extras || size - extras >= spare {
                return Ok(false);
            }
            let wanted = spare - (size - extras);
            let rest: Vec<usize> = super::board::cells(self.block & !self.cells & !line).collect();
            // The box must not use the digits of the line, except those that the core has not.
            let allowed = !(held & !extra);
            each_subset(self.board, &rest, allowed, (0, 0), budget, &mut |block, of_block, _| {
                let extras = (of_block & !self.held).count_ones() as usize;
                if of_block & self.held == 0 || block.count_ones() as usize != extras + wanted {
                    return Ok(false);
                }
                found = self.step((line, held), (block, of_block));
                Ok(found.is_some())
            })
        })?;
        Ok(found)
    }

    fn step(&self, (line, of_line): (u128, u16), (block, of_block): (u128, u16)) -> Option<Step> {
        let both = of_line & of_block;
        let mut gone = Vec::new();
        let mut clear = |cells: u128, mask: u16| {
            for cell in super::board::cells(cells) {
                gone.extend(digits(self.board.candidates[cell] & mask).map(|digit| (cell, digit)));
            }
        };
        clear(self.block & !block & !self.cells, (self.held | of_block) & !of_line | both);
        clear(self.line & !line & !self.cells, (self.held | of_line) & !of_block | both);
        (!gone.is_empty()).then(|| Step::eliminate(gone))
    }
}

type Judge<'j> = dyn FnMut(u128, u16, &mut Budget) -> Result<bool, Stopped> + 'j;

/// Every choice of cells with digits from these, a choice before those that it begins; ends once one is taken.
fn each_subset(
    board: &Board,
    rest: &[usize],
    allowed: u16,
    (set, held): (u128, u16),
    budget: &mut Budget,
    judge: &mut Judge<'_>,
) -> Result<bool, Stopped> {
    for (place, &cell) in rest.iter().enumerate() {
        budget.spend(1)?;
        let (set, held) = (set | 1 << cell, held | board.candidates[cell]);
        if held & !allowed == 0 && judge(set, held, budget)? {
            return Ok(true);
        }
        if each_subset(board, &rest[place + 1..], allowed, (set, held), budget, judge)? {
            return Ok(true);
        }
    }
    Ok(false)
}
