//! Almost locked sets, in the order in which HoDoKu looks for them. Sets do not overlap.

use std::collections::HashMap;

use super::board::{Board, GEOMETRY, cells, digits};
use super::step::Step;
use crate::engine::budget::{Budget, Stopped};

/// The longest chain that is followed.
const LONGEST: usize = 50;

struct Set {
    cells: u128,
    digits: u16,
    /// By digit: its places in the set, and what sees them all.
    inside: [u128; 9],
    around: [u128; 9],
}

/// Two sets, the earlier first, and the digits that not both can hold: one or two.
#[derive(Clone, Copy)]
struct Tie {
    sets: [usize; 2],
    digits: [usize; 2],
    count: usize,
}

/// The sets of a position and their ties.
pub struct Sets {
    sets: Vec<Set>,
    ties: Vec<Tie>,
    /// Of each set, where its ties start.
    starts: Vec<usize>,
}

impl Sets {
    /// Looks for them, house by house.
    pub fn new(board: &Board, budget: &mut Budget) -> Result<Sets, Stopped> {
        let mut found: Vec<(u128, u16)> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for house in &GEOMETRY.houses {
            let open: Vec<usize> =
                house.iter().map(|&cell| usize::from(cell)).filter(|&cell| board.values[cell] == 0).collect();
            for from in 0..open.len() {
                grow(board, &open[from..], (0, 0), &mut |cells, digits| {
                    if known.insert(cells) {
                        found.push((cells, digits));
                    }
                });
            }
            budget.spend(64)?;
        }
        let sets: Vec<Set> =
            found.into_iter().map(|(cells, digits)| Set::new(board, cells, digits)).collect();
        let (mut ties, mut starts) = (Vec::new(), Vec::with_capacity(sets.len() + 1));
        for (place, one) in sets.iter().enumerate() {
            starts.push(ties.len());
            budget.spend(sets.len() as u64 / 8 + 1)?;
            for (other_place, other) in sets.iter().enumerate().skip(place + 1) {
                if one.cells & other.cells != 0 || one.digits & other.digits == 0 {
                    continue;
                }
                let is_tied = |&digit: &usize| {
                    other.inside[digit] & !one.around[digit] == 0
                        && one.inside[digit] & !other.around[digit] == 0
                };
                let common: Vec<usize> = digits(one.digits & other.digits).filter(is_tied).collect();
                if let Some(&first) = common.first() {
                    let last = common[common.len() - 1];
                    let count = common.len().min(2);
                    ties.push(Tie { sets: [place, other_place], digits: [first, last], count });
                }
            }
        }
        starts.push(ties.len());
        Ok(Sets { sets, ties, starts })
    }

    /// What goes because one of two sets holds each digit that they share, but for those left out.
    fn shared(&self, one: usize, other: usize, but: u16, gone: &mut Vec<(usize, usize)>) {
        let (one, other) = (&self.sets[one], &self.sets[other]);
        for digit in digits(one.digits & other.digits & !but) {
            gone.extend(cells(one.around[digit] & other.around[digit]).map(|cell| (cell, digit)));
        }
    }

    /// XZ-rule.
    pub fn xz(&self) -> Option<Step> {
        self.ties.iter().find_map(|tie| {
            let [one, other] = tie.sets;
            let mut gone = Vec::new();
            self.shared(one, other, 1 << tie.digits[0], &mut gone);
            if tie.count == 2 {
                self.shared(one, other, 1 << tie.digits[1], &mut gone);
                for (set, beside) in [(one, other), (other, one)] {
                    let set = &self.sets[set];
                    for digit in digits(set.digits & !(1 << tie.digits[0] | 1 << tie.digits[1])) {
                        let around = set.around[digit] & !self.sets[beside].cells;
                        gone.extend(cells(around).map(|cell| (cell, digit)));
                    }
                }
            }
            (!gone.is_empty()).then(|| Step::eliminate(gone))
        })
    }

    /// Two sets tied to a third by different digits.
    pub fn xy_wing(&self, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
        for (place, first) in self.ties.iter().enumerate() {
            budget.spend((self.ties.len() - place) as u64 / 8 + 1)?;
            for second in &self.ties[place + 1..] {
                if first.count == 1 && second.count == 1 && first.digits[0] == second.digits[0] {
                    continue;
                }
                let Some((one, other)) = ends(first.sets, second.sets) else { continue };
                let (a, b) = (self.sets[one].cells, self.sets[other].cells);
                if a & b != 0 {
                    continue;
                }
                let used = [first, second].iter().fold(0, |used, tie| used | tie.mask());
                let mut gone = Vec::new();
                self.shared(one, other, used, &mut gone);
                if !gone.is_empty() {
                    return Ok(Some(Step::eliminate(gone)));
                }
            }
        }
        Ok(None)
    }

    /// Chains of four sets and more, in the order of the sets. Of all, the one that removes most.
    pub fn chain(&self, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
        let mut search = ChainSearch {
            sets: self,
            used: vec![false; self.sets.len()],
            path: Vec::new(),
            steps: Vec::new(),
            known: HashMap::new(),
        };
        for start in 0..self.sets.len() {
            search.used[start] = true;
            search.extend((start, start), None, budget)?;
            search.used[start] = false;
        }
        let ChainSearch { steps, .. } = search;
        let best = steps
            .into_iter()
            .min_by(|(one, of_one), (other, of_other)| one.compare(other, of_one.cmp(of_other)));
        Ok(best.map(|(step, _)| step))
    }
}

impl Tie {
    fn mask(&self) -> u16 {
        1 << self.digits[0] | 1 << self.digits[1]
    }
}

impl Set {
    fn new(board: &Board, set: u128, held: u16) -> Set {
        let (mut inside, mut around) = ([0; 9], [0; 9]);
        for digit in digits(held) {
            inside[digit] = board.spots[digit] & set;
            let seen = cells(inside[digit]).fold(!0, |seen, cell| seen & GEOMETRY.peers[cell]);
            around[digit] = seen & board.spots[digit] & !set;
        }
        Set { cells: set, digits: held, inside, around }
    }
}

fn grow(board: &Board, open: &[usize], (chosen, held): (u128, u16), each: &mut dyn FnMut(u128, u16)) {
    // Not all nine cells of a house: the recursion ends one earlier.
    if chosen.count_ones() >= 8 {
        return;
    }
    for (place, &cell) in open.iter().enumerate() {
        let (chosen, held) = (chosen | 1 << cell, held | board.candidates[cell]);
        if held.count_ones() == chosen.count_ones() + 1 {
            each(chosen, held);
        }
        grow(board, &open[place + 1..], (chosen, held), each);
    }
}

/// The sets at the two ends of two ties that meet in a third.
fn ends(first: [usize; 2], second: [usize; 2]) -> Option<(usize, usize)> {
    let [a, b] = first;
    let [c, d] = second;
    let mut found = None;
    for (shared, one, with, other) in [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)] {
        if shared == with && one != other {
            found = Some((one, other));
        }
    }
    found
}

struct ChainSearch<'s> {
    sets: &'s Sets,
    used: Vec<bool>,
    /// Ties, and which of their digits count.
    path: Vec<(Tie, u8)>,
    /// With the number of sets and of their cells.
    steps: Vec<(Step, (usize, usize))>,
    known: HashMap<Vec<(usize, usize)>, usize>,
}

impl ChainSearch<'_> {
    fn extend(
        &mut self,
        (start, at): (usize, usize),
        last: Option<(Tie, u8)>,
        budget: &mut Budget,
    ) -> Result<(), Stopped> {
        for place in self.sets.starts[at]..self.sets.starts[at + 1] {
            if self.path.len() >= LONGEST {
                return Ok(());
            }
            budget.spend(1)?;
            let tie = self.sets.ties[place];
            let next = tie.sets[1];
            let ways: &[u8] = match last {
                None if tie.count == 2 => &[1, 2],
                None => &[1],
                Some(last) => &[active(last, tie)],
            };
            for &way in ways {
                if way == 0 || self.used[next] {
                    continue;
                }
                self.path.push((tie, way));
                self.used[next] = true;
                if self.path.len() >= 3 {
                    self.note(start, next);
                }
                self.extend((start, next), Some((tie, way)), budget)?;
                self.used[next] = false;
                self.path.pop();
            }
        }
        Ok(())
    }

    fn note(&mut self, start: usize, end: usize) {
        let counted = |&(tie, way): &(Tie, u8)| match way {
            1 => 1 << tie.digits[0],
            2 => 1 << tie.digits[1],
            _ => tie.mask(),
        };
        let but = counted(&self.path[0]) | counted(&self.path[self.path.len() - 1]);
        let mut gone = Vec::new();
        self.sets.shared(start, end, but, &mut gone);
        if gone.is_empty() {
            return;
        }
        let size = |set: usize| self.sets.sets[set].cells.count_ones() as usize;
        let body = size(start) + self.path.iter().map(|(tie, _)| size(tie.sets[1])).sum::<usize>();
        let measure = (self.path.len() + 1, body);
        let step = Step::eliminate(gone);
        match self.known.get(&step.gone) {
            Some(&place) if self.steps[place].1.1 <= body => {}
            Some(&place) => self.steps[place] = (step, measure),
            None => {
                self.known.insert(step.gone.clone(), self.steps.len());
                self.steps.push((step, measure));
            }
        }
    }
}

/// Which digits of a tie count after another: 1 the first, 2 the second, 3 both, 0 none.
fn active((last, way): (Tie, u8), tie: Tie) -> u8 {
    let [first, second] = tie.digits;
    // After a tie of two digits that both count, HoDoKu compares with the first alone.
    let before = if way == 2 { last.digits[1] } else { last.digits[0] };
    match (tie.count, before == first) {
        (1, true) => 0,
        (1, false) => 1,
        (_, _) if before == second => 1,
        (_, true) => 2,
        (_, false) => 3,
    }
}
