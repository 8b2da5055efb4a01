//! What a net says once more is used within it than last candidates and last places: patterns, chains, other nets.
//!
//! Everything is followed until nothing more can be said, so the end does not depend on the order.

use std::ops::ControlFlow;

use super::net::{Branch, Closure, End, Ground, Links, Net};
use super::{patterns, reach};
use crate::engine::logic::Literal;
use crate::engine::logic::sink::Sink;
use crate::puzzle::Digit;

/// What is used within a net. Each says what those before it say, and more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Power {
    /// Last candidates and last places alone.
    Plain,
    /// Locked candidates, pairs and X-wings.
    Patterns,
    /// Also candidates from which a chain leads to their own opposite.
    Chains,
    /// Also candidates from which chains lead to all candidates of a cell, or all places of a digit in a house: what
    /// chains from all of these have in common.
    Multiple,
    /// Also what plain nets say together.
    Nets,
}

impl Power {
    /// Every power, the least first.
    pub const ALL: [Power; 5] = [Power::Plain, Power::Patterns, Power::Chains, Power::Multiple, Power::Nets];
}

/// The end of a net, if it contradicts itself; a break, if the sink wants no more.
pub type Ended = ControlFlow<(), Option<End>>;

/// Follows a net until nothing more can be said.
pub fn extend(net: &mut Net<'_>, power: Power, sink: &mut Sink<'_>) -> Ended {
    if power == Power::Plain {
        return ControlFlow::Continue(None);
    }
    loop {
        let known = net.nodes.len();
        let end = extend_once(net, power, sink)?;
        if end.is_some() || net.nodes.len() == known {
            return ControlFlow::Continue(end);
        }
    }
}

/// Uses the simplest of what is allowed that says anything.
fn extend_once(net: &mut Net<'_>, power: Power, sink: &mut Sink<'_>) -> Ended {
    let known = net.nodes.len();
    sink.spend(20)?;
    for literal in patterns::taken(net) {
        let end = refute(net, literal, sink)?;
        if end.is_some() {
            return ControlFlow::Continue(end);
        }
    }
    if net.nodes.len() > known {
        return ControlFlow::Continue(None);
    }
    match power {
        Power::Plain | Power::Patterns => ControlFlow::Continue(None),
        Power::Chains | Power::Multiple => refute_by_chains(net, power == Power::Multiple, sink),
        Power::Nets => sweep(net, sink),
    }
}

/// Takes what chains refute.
fn refute_by_chains(net: &mut Net<'_>, is_multiple: bool, sink: &mut Sink<'_>) -> Ended {
    sink.spend(100)?;
    for literal in reach::refuted(net, is_multiple) {
        if !net.is_undecided(literal) {
            continue;
        }
        net.enter(literal, Links::Fixed);
        let Some(end) = net.end_of_chain(is_multiple) else {
            net.forget();
            continue;
        };
        let branch = net.leave();
        let end = show_refuted(net, literal, branch, end);
        if end.is_some() {
            return ControlFlow::Continue(end);
        }
    }
    ControlFlow::Continue(None)
}

/// Takes up the opposite of what contradicts itself.
fn show_refuted(net: &mut Net<'_>, literal: Literal, branch: Branch, end: End) -> Option<End> {
    let aside = net.aside(vec![branch], Ground::Refuted(end));
    net.show(literal.negated(), aside)
}

/// Assumes something within and follows it; what it says stays until it is left.
pub fn enter(net: &mut Net<'_>, literal: Literal, power: Power, sink: &mut Sink<'_>) -> Ended {
    sink.spend(10)?;
    match net.enter(literal, Links::Dynamic) {
        None => extend(net, power, sink),
        end => ControlFlow::Continue(end),
    }
}

/// Assumes something within; if it contradicts itself, its opposite is taken up.
fn refute(net: &mut Net<'_>, literal: Literal, sink: &mut Sink<'_>) -> Ended {
    if !net.is_undecided(literal) {
        return ControlFlow::Continue(None);
    }
    match enter(net, literal, Power::Plain, sink)? {
        None => {
            net.forget();
            ControlFlow::Continue(None)
        }
        Some(end) => {
            let branch = net.leave();
            ControlFlow::Continue(show_refuted(net, literal, branch, end))
        }
    }
}

/// Takes what plain nets within say: what contradicts itself goes; if nothing does, what all nets from a cell, a house or
/// the two states of a candidate have in common is so.
fn sweep(net: &mut Net<'_>, sink: &mut Sink<'_>) -> Ended {
    let known = net.nodes.len();
    let mut closures = Closures::new(net);
    for start in starts(net, Power::Plain) {
        if !net.is_undecided(start) {
            continue;
        }
        match enter(net, start, Power::Plain, sink)? {
            None => {
                closures.put(start, net.closure_within());
                net.forget();
            }
            Some(end) => {
                let branch = net.leave();
                let end = show_refuted(net, start, branch, end);
                if end.is_some() {
                    return ControlFlow::Continue(end);
                }
            }
        }
    }
    if net.nodes.len() > known {
        return ControlFlow::Continue(None);
    }
    for (starts, ground) in groups(net) {
        sink.spend(2)?;
        for literal in closures.common(&starts) {
            // What was just taken up may have decided the group.
            if !net.is_undecided(literal) || !starts.iter().all(|&start| net.is_undecided(start)) {
                continue;
            }
            let Some(branches) = branches(net, &starts, sink)? else { continue };
            let aside = net.aside(branches, ground);
            let end = net.show(literal, aside);
            if end.is_some() {
                return ControlFlow::Continue(end);
            }
        }
    }
    ControlFlow::Continue(None)
}

/// The branches of some starts, or none if one of them contradicts itself.
fn branches(
    net: &mut Net<'_>,
    starts: &[Literal],
    sink: &mut Sink<'_>,
) -> ControlFlow<(), Option<Vec<Branch>>> {
    let mut branches = Vec::new();
    for &start in starts {
        let end = enter(net, start, Power::Plain, sink)?;
        branches.push(net.leave());
        if end.is_some() {
            return ControlFlow::Continue(None);
        }
    }
    ControlFlow::Continue(Some(branches))
}

/// From where nets of this power may lead somewhere: candidates that hold, and candidates that do not where this is
/// not as much as another candidate that does.
pub fn starts(net: &Net<'_>, power: Power) -> Vec<Literal> {
    let mut starts = net.undecided();
    if power > Power::Plain {
        let candidates = starts.clone();
        starts.extend(candidates.into_iter().map(Literal::negated).filter(|&off| is_start(net, off)));
    }
    starts
}

/// Whether a candidate's absence leaves more than one candidate in its cell and in its houses.
fn is_start(net: &Net<'_>, off: Literal) -> bool {
    let puzzle = net.field().context.puzzle();
    let mut houses = puzzle.houses_of(off.cell).iter();
    net.left(off.cell).len() > 2 && houses.all(|&house| net.places(house, off.digit).count_ones() > 2)
}

/// Candidates of which one holds, and why: the two states of a candidate, the candidates of a cell, the places of a
/// digit in a house.
pub fn groups(net: &Net<'_>) -> Vec<(Vec<Literal>, Ground)> {
    let context = net.field().context;
    let candidates = net.undecided();
    let both = candidates.iter().map(|&on| (vec![on, on.negated()], Ground::Either));
    let mut groups: Vec<(Vec<Literal>, Ground)> = both.filter(|(both, _)| is_start(net, both[1])).collect();
    for of_cell in candidates.chunk_by(|one, other| one.cell == other.cell) {
        groups.push((of_cell.to_vec(), Ground::Cell(of_cell[0].cell)));
    }
    for house in context.puzzle().house_ids() {
        for digit in Digit::all(context.size()) {
            if net.places(house, digit).count_ones() > 1 {
                let places = net.cells_left(house, digit).map(|cell| Literal::is(cell, digit));
                groups.push((places.collect(), Ground::House(house, digit)));
            }
        }
    }
    groups
}

/// What follows from each start.
pub struct Closures {
    size: usize,
    list: Vec<Option<Closure>>,
}

impl Closures {
    /// None yet.
    pub fn new(net: &Net<'_>) -> Closures {
        let size = net.field().context.size();
        Closures { size, list: vec![None; size * size * size * 2] }
    }

    fn place(&self, Literal { cell, digit, holds }: Literal) -> usize {
        (cell.index() * self.size + digit.index()) * 2 + usize::from(holds)
    }

    /// Puts one in.
    pub fn put(&mut self, start: Literal, closure: Closure) {
        let place = self.place(start);
        self.list[place] = Some(closure);
    }

    /// What all these say; nothing if one contradicts itself.
    pub fn common(&self, starts: &[Literal]) -> Vec<Literal> {
        let mut closures = starts.iter().map(|&start| self.list[self.place(start)].as_ref());
        let Some(Some(first)) = closures.next() else { return Vec::new() };
        let mut common = first.clone();
        for closure in closures {
            let Some(closure) = closure else { return Vec::new() };
            common.meet(closure);
            if common.is_empty() {
                return Vec::new();
            }
        }
        common.literals()
    }
}
