//! Where chains can be found at all: an upper bound of what the runs of the Explainer say, made of sets.
//!
//! A run stops at its first contradiction and looks at rules one after the other; what it says by then is part of
//! what follows when every rule is applied to the end, and that does not depend on any order. So where these
//! closures have nothing in common no run can have, and only the rest is searched in the Explainer's order.
//! Read [`state`] (links), [`patterns`] (intersections, pairs, X-Wings), [`links`] (all chains on a fixed board).

pub mod links;
mod patterns;
mod state;

use super::super::board::{Board, CHAIN_ORDER, HOUSE_CELLS, Mask, bits, cells};
use super::chase::Mode;
use super::links::{LITERALS, Literal, literal};
use crate::engine::budget::{Budget, Stopped};
use links::Multiple;
pub use state::State;
use state::{Conflict, Queue, Sets};

/// What follows from an assumption.
#[derive(Clone)]
struct Closure {
    live: Sets,
    on: Sets,
    /// Everything follows, since it contradicts itself.
    is_conflict: bool,
}

/// The closures of a mode, kept from step to step.
struct Shelf {
    /// For each literal its closure plus one.
    slots: Vec<u16>,
    closures: Vec<Closure>,
    /// For each closure the step in which it was last known to hold.
    steps: Vec<u32>,
}

impl Shelf {
    fn new() -> Shelf {
        Shelf { slots: Vec::new(), closures: Vec::new(), steps: Vec::new() }
    }

    fn find(&self, start: Literal) -> Option<usize> {
        self.slots.get(usize::from(start)).and_then(|slot| usize::from(*slot).checked_sub(1))
    }

    fn put(&mut self, start: Literal, closure: Closure, step: u32) {
        if self.slots.is_empty() {
            self.slots = vec![0; LITERALS];
        }
        match self.find(start) {
            Some(slot) => {
                self.closures[slot] = closure;
                self.steps[slot] = step;
            }
            None => {
                self.closures.push(closure);
                self.steps.push(step);
                self.slots[usize::from(start)] = self.closures.len() as u16;
            }
        }
    }
}

/// Closures of the board at hand.
pub struct Sieve {
    /// Nishio, then dynamic of level 0 to 5.
    shelves: [Shelf; 7],
    step: u32,
    queue: Queue,
}

/// Where a mode can find steps.
pub struct Marks {
    /// Literals that contradict themselves.
    pub conflicts: Vec<bool>,
    /// Candidates both of whose states may agree on something.
    pub pairs: Vec<bool>,
    /// Cells, and houses (81 + house · 9 + digit), all of whose starts may agree on something.
    pub groups: Vec<bool>,
    /// Whether anything is marked.
    pub any: bool,
    /// What may go, what may hold.
    common: [Sets; 2],
}

impl Marks {
    fn new() -> Marks {
        Marks {
            conflicts: vec![false; LITERALS],
            pairs: vec![false; 729],
            groups: vec![false; 324],
            any: false,
            common: [[0; 9]; 2],
        }
    }

    /// What multiple chains on a fixed board may find.
    pub fn of_fixed(board: &Board) -> Marks {
        let chained = links::find(&State::new(board), Multiple::Yes);
        let any = chained.groups.iter().any(|group| *group);
        Marks { groups: chained.groups, any, ..Marks::new() }
    }

    /// Takes what all closures say, if they say anything; a contradictory one says everything.
    fn meet<'a>(&mut self, base: &State, closures: impl Iterator<Item = &'a Closure>) -> bool {
        let (mut off, mut on) = (base.live, base.live);
        let mut count = 0;
        for closure in closures.filter(|closure| !closure.is_conflict) {
            count += 1;
            let mut any = 0;
            for digit in 0..9 {
                off[digit] &= !closure.live[digit];
                on[digit] &= closure.on[digit];
                any |= off[digit] | on[digit];
            }
            if any == 0 {
                return false;
            }
        }
        // All contradict themselves: there is nothing to be known.
        if count == 0 {
            return true;
        }
        let mut found = false;
        for digit in 0..9 {
            for cell in cells(on[digit]) {
                if base.candidates[cell].count() == 1 {
                    on[digit] &= !(1 << cell);
                }
            }
            self.common[0][digit] |= off[digit];
            self.common[1][digit] |= on[digit];
            found |= off[digit] | on[digit] != 0;
        }
        found
    }

    /// Marks what the closures of a mode have in common.
    fn mark<'a>(&mut self, base: &State, is_nishio: bool, closure: &impl Fn(Literal) -> &'a Closure) {
        let starts = |cell: usize, digit: usize| [literal(cell, digit, true), literal(cell, digit, false)];
        for cell in (0..81).filter(|&cell| base.candidates[cell].count() > 1) {
            for digit in bits(base.candidates[cell]) {
                for (holds, start) in starts(cell, digit).into_iter().enumerate() {
                    if closure(start).is_conflict {
                        self.conflicts[usize::from(start)] = true;
                        self.common[holds][digit] |= 1 << cell;
                        self.any = true;
                    }
                }
                if !is_nishio && base.candidates[cell].count() > 2 {
                    let both = starts(cell, digit).into_iter().map(closure);
                    let found = self.meet(base, both);
                    self.pairs[cell * 9 + digit] = found;
                    self.any |= found;
                }
            }
            if !is_nishio {
                let all = bits(base.candidates[cell]).map(|digit| closure(literal(cell, digit, true)));
                let found = self.meet(base, all);
                self.groups[cell] = found;
                self.any |= found;
            }
        }
        if !is_nishio {
            self.mark_houses(base, closure);
        }
    }

    fn mark_houses<'a>(&mut self, base: &State, closure: &impl Fn(Literal) -> &'a Closure) {
        for house in CHAIN_ORDER.into_iter().flat_map(|first| first..first + 9) {
            for digit in 0..9 {
                let places = base.places[house][digit];
                let is_open =
                    |place: usize| base.candidates[usize::from(HOUSE_CELLS[house][place])].count() > 1;
                if places.count() > 1 && bits(places).all(is_open) {
                    let all = bits(places)
                        .map(|place| closure(literal(usize::from(HOUSE_CELLS[house][place]), digit, true)));
                    let found = self.meet(base, all);
                    self.groups[81 + house * 9 + digit] = found;
                    self.any |= found;
                }
            }
        }
    }
}

impl Sieve {
    /// Nothing known yet.
    pub fn new() -> Sieve {
        Sieve { shelves: std::array::from_fn(|_| Shelf::new()), step: 0, queue: Queue::new() }
    }

    /// Another board begins, or the same after a step.
    pub fn next_step(&mut self) {
        self.step += 1;
    }

    /// Where a dynamic mode can find steps on the board at hand.
    pub fn marks(&mut self, board: &Board, mode: Mode, budget: &mut Budget) -> Result<Marks, Stopped> {
        let base = State::new(board);
        let number = shelf_of(mode);
        for start in starts(&base) {
            self.refresh(board, &base, number, mode, start, budget)?;
        }
        let mut marks = Marks::new();
        let shelf = &self.shelves[number];
        let closure = |start: Literal| &shelf.closures[shelf.find(start).expect("all starts were closed")];
        marks.mark(&base, mode.is_nishio, &closure);
        Ok(marks)
    }

    /// Makes the closure of a literal hold for the board at hand.
    fn refresh(
        &mut self,
        board: &Board,
        base: &State,
        number: usize,
        mode: Mode,
        start: Literal,
        budget: &mut Budget,
    ) -> Result<(), Stopped> {
        let slot = self.shelves[number].find(start);
        if let Some(slot) = slot
            && still_holds(&mut self.shelves[number].closures[slot], board, base)
        {
            self.shelves[number].steps[slot] = self.step;
            return Ok(());
        }
        // What a lower level or an earlier board says is where to go on from.
        let known = slot.map(|slot| &self.shelves[number].closures[slot]);
        let known = known.filter(|closure| !closure.is_conflict);
        let lower = (number > 1).then(|| &self.shelves[number - 1]);
        let lower = lower.and_then(|shelf| {
            let slot = shelf.find(start)?;
            (shelf.steps[slot] == self.step).then(|| &shelf.closures[slot])
        });
        if lower.is_some_and(|closure| closure.is_conflict) {
            let conflict = Closure { live: base.live, on: [0; 9], is_conflict: true };
            self.shelves[number].put(start, conflict, self.step);
            return Ok(());
        }
        let mut state = base.clone();
        for closure in known.into_iter().chain(lower) {
            state.restrict(&closure.live);
            for digit in 0..9 {
                state.on[digit] |= closure.on[digit] & base.live[digit];
            }
        }
        let has_seed = known.is_some() || lower.is_some();
        let closure = close_from(board, state, has_seed, start, mode, &mut self.queue, budget)?;
        self.shelves[number].put(start, closure, self.step);
        Ok(())
    }
}

/// The shelf of a mode.
fn shelf_of(mode: Mode) -> usize {
    if mode.is_nishio { 0 } else { 1 + usize::from(mode.level) }
}

/// Every literal from which a dynamic search may start.
fn starts(base: &State) -> impl Iterator<Item = Literal> + use<> {
    let candidates = base.candidates;
    (0..81).filter(move |&cell| candidates[cell].count() > 1).flat_map(move |cell| {
        bits(candidates[cell])
            .flat_map(move |digit| [literal(cell, digit, true), literal(cell, digit, false)])
    })
}

/// Whether a closure of an earlier board is one of this board: all that has gone since goes in it as well.
fn still_holds(closure: &mut Closure, board: &Board, base: &State) -> bool {
    let mut lost = 0;
    for digit in 0..9 {
        for cell in cells(closure.live[digit] & !base.live[digit]) {
            let is_placed = usize::from(board.digits[cell]) == digit + 1;
            if !(is_placed && closure.on[digit] >> cell & 1 != 0) {
                lost |= 1;
            }
        }
    }
    if lost != 0 || closure.is_conflict {
        return false;
    }
    for digit in 0..9 {
        closure.live[digit] &= base.live[digit];
        closure.on[digit] &= base.live[digit];
    }
    true
}

/// Closes a state under an assumption.
fn close_from(
    board: &Board,
    mut state: State,
    has_seed: bool,
    start: Literal,
    mode: Mode,
    queue: &mut Queue,
    budget: &mut Budget,
) -> Result<Closure, Stopped> {
    queue.clear();
    let mut end = state.set(start, queue);
    if end.is_ok() && has_seed {
        end = state.find_singles(queue);
    }
    if end.is_ok() {
        end = close(board, &mut state, mode, queue, budget)?;
    }
    Ok(Closure { live: state.live, on: state.on, is_conflict: end.is_err() })
}

/// Applies links and rules to the end.
fn close(
    board: &Board,
    state: &mut State,
    mode: Mode,
    queue: &mut Queue,
    budget: &mut Budget,
) -> Result<Result<(), Conflict>, Stopped> {
    loop {
        budget.spend(10)?;
        if let Err(conflict) = state.spread(queue, !mode.is_nishio) {
            return Ok(Err(conflict));
        }
        if mode.level == 0 {
            return Ok(Ok(()));
        }
        let found = patterns::apply(state, board, queue);
        if found.is_err() {
            return Ok(found);
        }
        if queue.is_empty() {
            let found = nest(board, state, mode.level, queue, budget)?;
            if found.is_err() || queue.is_empty() {
                return Ok(found);
            }
        }
    }
}

/// What nested chains remove.
fn nest(
    board: &Board,
    state: &mut State,
    level: u8,
    queue: &mut Queue,
    budget: &mut Budget,
) -> Result<Result<(), Conflict>, Stopped> {
    if matches!(level, 2 | 3) {
        budget.spend(50)?;
        let multiple = if level == 3 { Multiple::Otherwise } else { Multiple::No };
        let chained = links::find(state, multiple);
        let found = if chained.any { [chained.off, chained.on] } else { chained.common };
        return Ok(take(state, &found, queue));
    }
    let mut found = Ok(());
    if level >= 4 {
        let marks = sweep(board, state, Mode::dynamic(0), budget)?;
        found = take(state, &marks.common, queue);
    }
    if level >= 5 && found.is_ok() && queue.is_empty() {
        let marks = sweep(board, state, Mode::dynamic(level - 3), budget)?;
        found = take(state, &marks.common, queue);
    }
    Ok(found)
}

/// Takes what was found on a state: candidates that go, candidates that hold.
fn take(state: &mut State, found: &[Sets; 2], queue: &mut Queue) -> Result<(), Conflict> {
    let [off, on] = found;
    for (digit, (&off, &on)) in off.iter().zip(on).enumerate() {
        for cell in cells(off) {
            state.set_off(cell, digit, queue)?;
        }
        for cell in cells(on) {
            for other in bits(state.candidates[cell] & !(1 << digit)) {
                state.set_off(cell, other, queue)?;
            }
        }
    }
    Ok(())
}

/// Where a dynamic mode can find steps on a state, from every start anew.
pub fn sweep(board: &Board, base: &State, mode: Mode, budget: &mut Budget) -> Result<Marks, Stopped> {
    let mut queue = Queue::new();
    let mut closures: Vec<Closure> = Vec::with_capacity(512);
    let mut slots = [0u16; LITERALS];
    for start in starts(base) {
        slots[usize::from(start)] = closures.len() as u16;
        closures.push(close_from(board, base.clone(), false, start, mode, &mut queue, budget)?);
    }
    let mut marks = Marks::new();
    marks.mark(base, false, &|start: Literal| &closures[usize::from(slots[usize::from(start)])]);
    Ok(marks)
}
