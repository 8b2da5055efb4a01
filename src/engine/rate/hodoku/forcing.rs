//! Forcing chains and nets: what follows from each candidate, said to be true or false, put together.
//!
//! A chain follows from single links. A net places singles for some rounds first, and then goes from literal to
//! literal by what follows of each.

use super::board::{Board, GEOMETRY, cells, digits};
use super::chains::Tables;
use super::step::Step;
use crate::engine::budget::{Budget, Stopped};

/// Rounds of singles that follow from one literal.
const LOOK_AHEAD: usize = 4;

/// What is true and what is false, by digit.
#[derive(Clone, Copy, Default)]
struct Said {
    on: [u128; 9],
    off: [u128; 9],
}

impl Said {
    fn and(&mut self, other: &Said) {
        for digit in 0..9 {
            self.on[digit] &= other.on[digit];
            self.off[digit] &= other.off[digit];
        }
    }
}

/// What follows from each candidate: from its being true, from its being false.
pub struct Consequences {
    of: Vec<((usize, usize), [Said; 2])>,
    /// By cell and digit, the place in the list.
    index: Vec<usize>,
}

impl Consequences {
    fn new(of: Vec<((usize, usize), [Said; 2])>) -> Consequences {
        let mut index = vec![usize::MAX; 729];
        for (place, ((cell, digit), _)) in of.iter().enumerate() {
            index[cell * 9 + digit] = place;
        }
        Consequences { of, index }
    }

    fn of(&self, cell: usize, digit: usize, on: bool) -> &Said {
        &self.of[self.index[cell * 9 + digit]].1[usize::from(!on)]
    }

    /// By single links.
    pub fn of_chains(tables: &mut Tables, budget: &mut Budget) -> Result<Consequences, Stopped> {
        let mut of = Vec::new();
        for node in tables.candidates() {
            let mut both = [Said::default(); 2];
            for (place, said) in both.iter_mut().enumerate() {
                budget.spend(64)?;
                tables.each_from(node, place == 0, &mut |cell, digit, on| {
                    let set = if on { &mut said.on } else { &mut said.off };
                    set[digit] |= 1 << cell;
                });
            }
            of.push((tables.place(node), both));
        }
        Ok(Consequences::new(of))
    }

    /// By singles first, and then by each other; groups link as in chains.
    pub fn of_nets(tables: &mut Tables, board: &Board, budget: &mut Budget) -> Result<Consequences, Stopped> {
        let mut direct = Vec::new();
        for node in tables.candidates() {
            budget.spend(400)?;
            let (cell, digit) = tables.place(node);
            direct.push((
                (cell, digit),
                [simulate(board, cell, digit, true), simulate(board, cell, digit, false)],
            ));
        }
        let direct = Consequences::new(direct);
        let by_groups = Consequences::of_chains(tables, budget)?;
        let mut of = Vec::with_capacity(direct.of.len());
        for &((cell, digit), _) in &direct.of {
            budget.spend(400)?;
            let both = [true, false].map(|on| close(&direct, &by_groups, (cell, digit, on)));
            of.push(((cell, digit), both));
        }
        Ok(Consequences::new(of))
    }

    /// The step that HoDoKu takes: a placement if there is one, in the first cell; else the first elimination.
    pub fn best(&self, board: &Board, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
        let mut found = Findings { placed: None, gone: None };
        for &((cell, digit), ref both) in &self.of {
            budget.spend(64)?;
            if contradicts(board, &both[0]) {
                found.eliminate(cell, digit);
            }
            if contradicts(board, &both[1]) {
                found.place(cell, digit);
            }
            let mut common = both[0];
            common.and(&both[1]);
            for set in common.on.iter_mut().chain(&mut common.off) {
                *set &= !(1 << cell);
            }
            found.take(&common);
        }
        for cell in cells(board.open()) {
            let ways = digits(board.candidates[cell]).map(|digit| (cell, digit));
            self.verity(ways, &mut found);
        }
        for house in &GEOMETRY.houses {
            budget.spend(16)?;
            for digit in 0..9 {
                let ways = house.iter().map(|&cell| (usize::from(cell), digit));
                self.verity(ways.filter(|&(cell, digit)| board.may_hold(cell, digit)), &mut found);
            }
        }
        Ok(found.step())
    }

    /// What follows from every one of these.
    fn verity(&self, ways: impl Iterator<Item = (usize, usize)>, found: &mut Findings) {
        let mut common: Option<Said> = None;
        for (cell, digit) in ways {
            let said = self.of(cell, digit, true);
            match &mut common {
                None => common = Some(*said),
                Some(common) => common.and(said),
            }
        }
        if let Some(common) = common {
            found.take(&common);
        }
    }
}

struct Findings {
    placed: Option<(usize, usize)>,
    gone: Option<(usize, usize)>,
}

impl Findings {
    fn place(&mut self, cell: usize, digit: usize) {
        if self.placed.is_none_or(|(first, _)| cell < first) {
            self.placed = Some((cell, digit));
        }
    }

    fn eliminate(&mut self, cell: usize, digit: usize) {
        if self.gone.is_none_or(|first| (cell, digit) < first) {
            self.gone = Some((cell, digit));
        }
    }

    fn take(&mut self, common: &Said) {
        for digit in 0..9 {
            if common.on[digit] != 0 {
                self.place(common.on[digit].trailing_zeros() as usize, digit);
            }
            if common.off[digit] != 0 {
                self.eliminate(common.off[digit].trailing_zeros() as usize, digit);
            }
        }
    }

    fn step(self) -> Option<Step> {
        self.placed
            .map(|(cell, digit)| Step::place(cell, digit))
            .or_else(|| self.gone.map(|gone| Step::eliminate([gone])))
    }
}

/// Whether not all of this can be so.
fn contradicts(board: &Board, said: &Said) -> bool {
    let mut once = 0u128;
    let (mut lost, mut any) = (!0u128, 0u128);
    for digit in 0..9 {
        if said.on[digit] & (said.off[digit] | once) != 0 {
            return true;
        }
        once |= said.on[digit];
        lost &= said.off[digit] | !board.spots[digit];
        any |= board.spots[digit];
    }
    if lost & any & !once != 0 {
        return true;
    }
    GEOMETRY.houses.iter().any(|house| {
        let house = house.iter().fold(0u128, |set, &cell| set | 1 << cell);
        (0..9).any(|digit| {
            let spots = board.spots[digit] & house;
            (said.on[digit] & house).count_ones() > 1 || (spots != 0 && spots & !said.off[digit] == 0)
        })
    })
}

/// What singles make of a literal.
fn simulate(board: &Board, cell: usize, digit: usize, on: bool) -> Said {
    let mut state = board.clone();
    let mut said = Said::default();
    if on {
        place(board, &mut state, (cell, digit), &mut said);
    } else {
        state.eliminate(cell, digit);
        said.off[digit] |= 1 << cell;
        if state.candidates[cell].count_ones() == 1 {
            let only = state.candidates[cell].trailing_zeros() as usize;
            place(board, &mut state, (cell, only), &mut said);
        }
    }
    for _ in 0..LOOK_AHEAD {
        let singles = singles(&state);
        if singles.is_empty() {
            break;
        }
        for single in singles {
            place(board, &mut state, single, &mut said);
        }
    }
    said
}

/// All singles in the queues.
fn singles(state: &Board) -> Vec<(usize, usize)> {
    let is_open = |&&(cell, _): &&(u8, u8)| state.values[usize::from(cell)] == 0;
    let wide = |&(cell, digit): &(u8, u8)| (usize::from(cell), usize::from(digit));
    let mut singles: Vec<(usize, usize)> = state.naked.iter().filter(is_open).map(wide).collect();
    let mut found = 0u128;
    for (cell, digit) in state.hidden.iter().filter(is_open).map(wide) {
        let is_alone = |&house: &u8| state.free[usize::from(house)][digit] == 1;
        if found & 1 << cell == 0 && GEOMETRY.houses_of[cell].iter().any(is_alone) {
            found |= 1 << cell;
            singles.push((cell, digit));
        }
    }
    singles
}

fn place(board: &Board, state: &mut Board, (cell, digit): (usize, usize), said: &mut Said) {
    for other in digits(state.candidates[cell]).filter(|&other| other != digit) {
        said.off[other] |= 1 << cell;
    }
    said.on[digit] |= 1 << cell;
    said.off[digit] |= board.spots[digit] & GEOMETRY.peers[cell];
    state.place(cell, digit);
}

/// All that follows from what follows.
fn close(direct: &Consequences, by_groups: &Consequences, first: (usize, usize, bool)) -> Said {
    let mut said = Said::default();
    let mut done = Said::default();
    let set = |said: &mut Said, (cell, digit, on): (usize, usize, bool)| {
        let sets = if on { &mut said.on } else { &mut said.off };
        sets[digit] |= 1 << cell;
    };
    set(&mut said, first);
    loop {
        let mut grown = said;
        for digit in 0..9 {
            for on in [true, false] {
                let (have, had) = match on {
                    true => (said.on[digit], done.on[digit]),
                    false => (said.off[digit], done.off[digit]),
                };
                for cell in cells(have & !had) {
                    for table in [direct, by_groups] {
                        let more = table.of(cell, digit, on);
                        for other in 0..9 {
                            grown.on[other] |= more.on[other];
                            grown.off[other] |= more.off[other];
                        }
                    }
                }
            }
        }
        done = said;
        if grown.on == said.on && grown.off == said.off {
            return said;
        }
        said = grown;
    }
}
