//! The chains of a position: of those that say the same, a shortest one.
//!
//! Every chain is a row of nodes, strong links and weak ones in turn, a strong one first and last:
//!
//! ```text
//!  n0 = n1 - n2 = n3 ... - nk = nl        one of n0 and nl is true: what sees both is false
//!  and nl - n0                            a loop: of every weak link too, one end is true
//!  n0 and nl the same, or both seen       a contradiction: it is true, or what sees them is false
//!  by one candidate that starts there
//! ```

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::walk::{Said, Walk};
use crate::engine::logic::CellSet;
use crate::engine::logic::context::Context;
use crate::engine::logic::links::{Graph, Prospects, Reason, has, insert, members};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;

/// What a chain shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// It is closed.
    Loop,
    /// Its ends differ.
    Ends,
    /// It starts from a candidate and contradicts it.
    Contradiction,
}

/// A chain and what goes.
#[derive(Clone, Debug)]
pub struct Chain {
    /// What it shows.
    pub kind: Kind,
    /// Its nodes, an even number.
    pub nodes: Vec<u16>,
    /// Why its strong links hold: half as many.
    pub reasons: Vec<Reason>,
    /// The candidates that go.
    pub gone: Vec<u16>,
    /// What it starts from, of a contradiction.
    pub start: Option<u16>,
}

/// The chains of one kind.
#[derive(Debug, Default)]
pub struct Found {
    /// Shortest first.
    pub chains: Vec<Chain>,
    /// What they eliminate, with the number of nodes that it takes.
    known: HashMap<Box<[u64]>, usize>,
}

/// The chains of a graph, each kind looked for when first asked for.
#[derive(Debug)]
pub struct Chains {
    /// What the nodes are numbers of.
    pub graph: Graph,
    /// Only chains between two candidates of one digit are wanted.
    ends_only: bool,
    /// Where there is anything to look for, if that is known.
    prospects: Option<Prospects>,
    found: [OnceCell<Found>; 3],
}

/// The fewest links of a chain with two ends; one of fewer is a strong link, and says nothing.
const MIN_LINKS: usize = 3;

/// If more loops of one length than this close in one place, none of them is reported. (Part of them would depend on
/// how the board is held; nobody looks through so many.)
const MOST_LOOPS: usize = 64;

/// The most locked sets in a loop, and the most cells of one: what goes around many, or large ones, takes a proof
/// that is too large as well.
const MOST_SETS: usize = 2;
const MOST_IN_SET: usize = 4;

impl Chains {
    /// Those of a graph. The flow breaks when the budget is used up.
    pub fn of(graph: Graph, ends_only: bool, sink: &mut Sink<'_>) -> ControlFlow<(), Chains> {
        sink.spend(graph.node_count() as u64 / 8 + 1)?;
        let prospects = Prospects::of(&graph);
        ControlFlow::Continue(Chains { graph, ends_only, prospects, found: Default::default() })
    }

    /// Whether it is known that there is none. A locked set of a loop takes more from around it than links say.
    pub fn are_none(&self) -> bool {
        !self.graph.has_locked_sets() && self.prospects.as_ref().is_some_and(Prospects::is_empty)
    }

    /// Those of one kind. What simpler chains say is not said again by longer ones. Which nodes a chain has would be no
    /// criterion: of several shortest ones it may be any.
    pub fn get(
        &self,
        kind: Kind,
        beyond: &[&Found],
        context: &Context<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), &Found> {
        let slot = &self.found[kind as usize];
        if slot.get().is_none() {
            let found =
                if self.are_none() { Found::default() } else { self.find(kind, beyond, context, sink)? };
            // Nobody else looks meanwhile.
            let _ = slot.set(found);
        }
        ControlFlow::Continue(slot.get().expect("it has just been found"))
    }

    /// The first of the chains with two ends that [`get`](Self::get) would list.
    pub fn first(
        &self,
        beyond: &[&Found],
        context: &Context<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), Option<Chain>> {
        let slot = &self.found[Kind::Ends as usize];
        if let Some(found) = slot.get() {
            return ControlFlow::Continue(found.chains.first().cloned());
        }
        let first = match self.are_none() {
            true => None,
            false => {
                let mut search = self.search(Kind::Ends, beyond, context);
                let prospects = search.prospects(&self.prospects, sink)?;
                search.find_first_ends(&prospects, sink)?;
                search.chains.into_iter().next()
            }
        };
        if first.is_none() {
            // Nobody else looks meanwhile.
            let _ = slot.set(Found::default());
        }
        ControlFlow::Continue(first)
    }

    fn find(
        &self,
        kind: Kind,
        beyond: &[&Found],
        context: &Context<'_>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), Found> {
        let mut search = self.search(kind, beyond, context);
        let prospects = search.prospects(&self.prospects, sink)?;
        search.find(&prospects, sink)?;
        let Search { mut chains, known, .. } = search;
        let known = known.into_iter().map(|(gone, place)| (gone, chains[place].nodes.len())).collect();
        chains.sort_by_key(|chain| chain.nodes.len());
        ControlFlow::Continue(Found { chains, known })
    }

    fn search<'g>(&'g self, kind: Kind, beyond: &'g [&'g Found], context: &Context<'_>) -> Search<'g> {
        Search {
            walk: Walk::new(&self.graph, context),
            graph: &self.graph,
            kind,
            beyond,
            ends_only: self.ends_only,
            known: HashMap::default(),
            chains: Vec::new(),
            nodes: Vec::new(),
            reasons: Vec::new(),
            gone: vec![0; self.graph.candidate_words()],
        }
    }
}

struct Search<'g> {
    graph: &'g Graph,
    walk: Walk,
    kind: Kind,
    /// What is not said again.
    beyond: &'g [&'g Found],
    ends_only: bool,
    /// What has been found to go, and by which chain.
    known: HashMap<Box<[u64]>, usize>,
    chains: Vec<Chain>,
    /// The chain in hand.
    nodes: Vec<u16>,
    reasons: Vec<Reason>,
    /// What it eliminates.
    gone: Vec<u64>,
}

impl Search<'_> {
    /// What may be found, by walks from every candidate. Where a chain may start is left open.
    fn try_all(&mut self, sink: &mut Sink<'_>) -> ControlFlow<(), Prospects> {
        let words = self.graph.candidate_words();
        let all = vec![u64::MAX; words];
        let mut prospects = Prospects { doomed: vec![0; words], ends: all.clone(), forced: all };
        for start in self.candidates() {
            self.walk_from(Said { node: start, on: true }, sink)?;
            if self.walk.reaches(Said { node: start, on: false }) {
                insert(&mut prospects.doomed, start);
            }
        }
        ControlFlow::Continue(prospects)
    }

    fn candidates(&self) -> Range<u16> {
        0..self.graph.candidate_count() as u16
    }

    fn walk_from(&mut self, start: Said, sink: &mut Sink<'_>) -> ControlFlow<(), usize> {
        let reached = self.walk.run(self.graph, start);
        sink.spend(reached as u64 / if start.on { 8 } else { 4 } + 1)?;
        ControlFlow::Continue(reached)
    }

    /// Walks on over so many links at most, from a candidate that is said to be false.
    fn walk_on(&mut self, depth: usize, sink: &mut Sink<'_>) -> ControlFlow<(), usize> {
        let before = self.walk.reached().len();
        let reached = self.walk.go_on(self.graph, depth);
        sink.spend((reached - before) as u64 / 4 + 1)?;
        ControlFlow::Continue(reached)
    }

    /// Where there is anything to look for, found out if it is not known.
    fn prospects<'p>(
        &mut self,
        known: &'p Option<Prospects>,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), Cow<'p, Prospects>> {
        ControlFlow::Continue(match known {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(self.try_all(sink)?),
        })
    }

    fn find(&mut self, prospects: &Prospects, sink: &mut Sink<'_>) -> Flow {
        match self.kind {
            Kind::Ends if prospects.is_empty() => ControlFlow::Continue(()),
            Kind::Ends => self.find_ends(prospects, sink),
            Kind::Contradiction => self.find_contradictions(prospects, sink),
            Kind::Loop => self.find_loops(prospects, sink),
        }
    }

    /// Walks from candidates, said to be false, to those that are true then.
    fn find_ends(&mut self, prospects: &Prospects, sink: &mut Sink<'_>) -> Flow {
        for start in self.candidates().filter(|&start| has(&prospects.ends, start)) {
            for place in 0..self.walk_from(Said { node: start, on: false }, sink)? {
                let end = self.walk.reached()[place];
                if self.is_end(start, end) {
                    self.keep_ends(start, end);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The first of the chains that [`find_ends`](Self::find_ends) keeps, shortest first: walks go no further than the
    /// shortest so far.
    fn find_first_ends(&mut self, prospects: &Prospects, sink: &mut Sink<'_>) -> Flow {
        let all = self.candidates();
        let starts = || all.clone().filter(|&start| has(&prospects.ends, start));
        // The links of the shortest, and where the first of them starts.
        let (mut shortest, mut first_start) = (usize::MAX, 0);
        for start in starts() {
            self.walk.start(Said { node: start, on: false });
            let (mut links, mut seen) = (MIN_LINKS, 0);
            while links <= shortest {
                let reached = self.walk_on(links, sink)?;
                if reached == seen {
                    break;
                }
                for place in std::mem::replace(&mut seen, reached)..reached {
                    let end = self.walk.reached()[place];
                    if self.is_end(start, end) && self.keep_ends(start, end) && links < shortest {
                        (shortest, first_start) = (links, start);
                        self.forget_longer();
                    }
                }
                links += 2;
            }
        }
        if self.chains.len() < 2 {
            return ControlFlow::Continue(());
        }
        // Of those that are as short, the one comes first that says what was said first, even if in a longer way.
        for start in starts().take_while(|&start| start < first_start) {
            for place in 0..self.walk_from(Said { node: start, on: false }, sink)? {
                let end = self.walk.reached()[place];
                if self.is_end(start, end)
                    && let Some(&known) = self.known.get(self.gone.as_slice())
                    && !self.is_simpler_elsewhere(self.walk.depth(end) + 1)
                {
                    self.chains.swap(0, known);
                    return ControlFlow::Continue(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Keeps the chain kept last alone, which says what is in hand.
    fn forget_longer(&mut self) {
        let place = self.known[self.gone.as_slice()];
        self.chains.swap(0, place);
        self.chains.truncate(1);
        self.known.clear();
        self.known.insert(Box::from(self.gone.as_slice()), 0);
    }

    /// Whether a literal that a walk has come to makes a chain with its start of which something is seen by both; that
    /// is noted as what goes.
    fn is_end(&mut self, start: u16, end: Said) -> bool {
        end.on
            && end.node != start
            && self.walk.depth(end) >= MIN_LINKS
            && self.may_be_ends(start, end.node)
            && self.see_common(start, end.node)
    }

    /// Candidates that are false if they are true, then those that are true if they are false.
    fn find_contradictions(&mut self, prospects: &Prospects, sink: &mut Sink<'_>) -> Flow {
        for start in self.candidates().filter(|&start| has(&prospects.doomed, start)) {
            self.walk_from(Said { node: start, on: true }, sink)?;
            self.walk.path(Said { node: start, on: false }, &mut self.nodes, &mut self.reasons);
            self.nodes.pop();
            self.nodes.remove(0);
            self.gone.fill(0);
            insert(&mut self.gone, start);
            self.keep(Some(start));
        }
        // Whatever goes contradicts itself.
        if prospects.is_empty() {
            return ControlFlow::Continue(());
        }
        for start in self.candidates().filter(|&start| has(&prospects.forced, start)) {
            self.walk_from(Said { node: start, on: false }, sink)?;
            let itself = Said { node: start, on: true };
            if self.walk.reaches(itself) {
                self.walk.path(itself, &mut self.nodes, &mut self.reasons);
                self.keep_placement(start);
            }
        }
        ControlFlow::Continue(())
    }

    /// Loops that come back by a strong link to a candidate that is true, then by a weak one to one that is false.
    fn find_loops(&mut self, prospects: &Prospects, sink: &mut Sink<'_>) -> Flow {
        let graph = self.graph;
        for start in self.candidates() {
            self.walk_from(Said { node: start, on: true }, sink)?;
            for back in graph.strong(start) {
                let last = Said { node: back.to, on: false };
                if self.walk.reaches(last) && self.walk.depth(last) > 1 {
                    self.keep_loops(last, Some(back.reason));
                }
            }
        }
        if prospects.is_empty() {
            return ControlFlow::Continue(());
        }
        for start in self.candidates() {
            let reached = self.walk_from(Said { node: start, on: false }, sink)?;
            for place in 0..reached {
                let end = self.walk.reached()[place];
                if end.on && end.node != start && self.walk.depth(end) >= 3 && graph.is_weak(start, end.node)
                {
                    self.keep_loops(end, None);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn may_be_ends(&self, one: u16, other: u16) -> bool {
        let graph = self.graph;
        usize::from(other) < graph.candidate_count()
            && graph.cell(one) != graph.cell(other)
            && (!self.ends_only || graph.node(one).digit == graph.node(other).digit)
    }

    /// Whether anything goes if either is true; it is noted as what goes.
    fn see_common(&mut self, one: u16, other: u16) -> bool {
        let mut union = 0;
        let kills = self.graph.kills(one).iter().zip(self.graph.kills(other));
        for ((of_one, of_other), gone) in kills.zip(&mut self.gone) {
            *gone = of_one & of_other;
            union |= *gone;
        }
        union != 0
    }

    /// Keeps the chain to an end; says whether it was worth keeping.
    fn keep_ends(&mut self, start: u16, end: Said) -> bool {
        // Found from the other end too; a look at its length spares building it.
        if self.is_known(self.walk.depth(end) + 1) {
            return false;
        }
        self.walk.path(end, &mut self.nodes, &mut self.reasons);
        debug_assert_eq!(self.nodes[0], start);
        self.keep(None)
    }

    /// A candidate that is true even if it is false: the others of its cell go.
    fn keep_placement(&mut self, start: u16) {
        self.gone.fill(0);
        let cell = self.graph.cell(start);
        for other in members(self.graph.kills(start)) {
            if self.graph.cell(other) == cell {
                insert(&mut self.gone, other);
            }
        }
        self.keep(Some(start));
    }

    /// All shortest loops that close where a walk has come back: by a weak link from a literal that is true, by a
    /// strong one from one that is false.
    fn keep_loops(&mut self, last: Said, back: Option<Reason>) {
        let mut paths: Vec<(Vec<u16>, Vec<Reason>)> = Vec::new();
        let are_all = self.walk.each_path(self.graph, last, MOST_LOOPS, &mut |nodes, reasons| {
            paths.push((nodes.to_vec(), reasons.to_vec()));
        });
        if !are_all {
            return;
        }
        for (mut nodes, mut reasons) in paths {
            nodes.reverse();
            reasons.reverse();
            if let Some(reason) = back {
                nodes.rotate_right(1);
                reasons.insert(0, reason);
            }
            (self.nodes, self.reasons) = (nodes, reasons);
            self.keep_loop();
        }
    }

    /// What a loop eliminates: of each weak link between cells what sees both ends, in cells that are not of the
    /// loop; of one within a cell, the others there; of a locked set, its other digits around it.
    fn keep_loop(&mut self) {
        let graph = self.graph;
        let mut of_sets = self.reasons.iter().filter_map(|reason| match reason {
            Reason::LockedSet(number) | Reason::LockedSetAnd(number, _) => Some(graph.locked_set(*number)),
            Reason::Cell(_) | Reason::House(_) => None,
        });
        if of_sets.clone().count() > MOST_SETS || of_sets.any(|set| set.cells.len() > MOST_IN_SET) {
            return;
        }
        self.gone.fill(0);
        let body = self.nodes.iter().fold(CellSet::EMPTY, |body, &node| body | graph.node(node).cells);
        let count = self.nodes.len();
        for place in (1..count).step_by(2) {
            let (one, other) = (self.nodes[place], self.nodes[(place + 1) % count]);
            let is_within = graph.node(one).digit != graph.node(other).digit;
            let kills = graph.kills(one).iter().zip(graph.kills(other));
            for (word, (of_one, of_other)) in kills.enumerate() {
                let both = of_one & of_other;
                for gone in members(&[both]) {
                    let gone = gone + 64 * word as u16;
                    if is_within || !body.contains(graph.cell(gone)) {
                        insert(&mut self.gone, gone);
                    }
                }
            }
        }
        for (place, &reason) in self.reasons.iter().enumerate() {
            let ends = [self.nodes[2 * place], self.nodes[2 * place + 1]].map(|node| graph.node(node).digit);
            if let Some((cells, digits)) = graph.locked_cells(reason) {
                for digit in digits.iter().filter(|digit| !ends.contains(digit)) {
                    graph.each_around(cells, digit, &mut |gone| insert(&mut self.gone, gone));
                }
            }
        }
        self.keep(None);
    }

    /// Whether what goes is known to go by a chain that is not longer.
    fn is_known(&self, length: usize) -> bool {
        self.known.get(self.gone.as_slice()).is_some_and(|&place| self.chains[place].nodes.len() <= length)
    }

    /// Whether simpler chains of no more nodes say what goes.
    fn is_simpler_elsewhere(&self, length: usize) -> bool {
        let is_simpler = |beyond: &&Found| {
            beyond.known.get(self.gone.as_slice()).is_some_and(|&simpler| simpler <= length)
        };
        self.beyond.iter().any(is_simpler)
    }

    /// Keeps the chain in hand if it says something, in a shorter way than those before; says whether it does.
    fn keep(&mut self, start: Option<u16>) -> bool {
        if self.gone.iter().all(|&word| word == 0) || self.is_known(self.nodes.len()) {
            return false;
        }
        if self.is_simpler_elsewhere(self.nodes.len()) || self.kind == Kind::Loop && self.overlaps() {
            return false;
        }
        let chain = Chain {
            kind: self.kind,
            nodes: self.nodes.clone(),
            reasons: self.reasons.clone(),
            gone: members(&self.gone).collect(),
            start,
        };
        match self.known.get(self.gone.as_slice()) {
            Some(&place) => self.chains[place] = chain,
            None => {
                self.known.insert(Box::from(self.gone.as_slice()), self.chains.len());
                self.chains.push(chain);
            }
        }
        true
    }

    /// Whether two nodes of a loop share a candidate.
    fn overlaps(&self) -> bool {
        let nodes = &self.nodes;
        (1..nodes.len()).any(|place| {
            nodes[..place].iter().any(|&one| {
                let (one, other) = (self.graph.node(one), self.graph.node(nodes[place]));
                one.digit == other.digit && one.cells.meets(other.cells)
            })
        })
    }
}

/// Which strong links what goes rests on: none of them could be left out.
///
/// Usually all. But what goes may see nodes on the way too, and a long chain may cross itself: then some suffice.
pub fn needed_links(graph: &Graph, chain: &Chain) -> Vec<bool> {
    let count = chain.nodes.len();
    let mut needed = vec![true; count / 2];
    if count > 128 {
        return needed;
    }
    let rivals: Vec<u128> = chain.nodes.iter().map(|&node| rivals_in(graph, chain, node)).collect();
    let killed: Vec<u128> = chain.gone.iter().map(|&gone| rivals_in(graph, chain, gone)).collect();
    // What a locked set of a loop eliminates around it sees no node, and needs them all.
    if !killed.iter().all(|&killed| is_refuted(killed, &rivals, &needed)) {
        return needed;
    }
    for link in 0..count / 2 {
        needed[link] = false;
        if !killed.iter().all(|&killed| is_refuted(killed, &rivals, &needed)) {
            needed[link] = true;
        }
    }
    needed
}

/// The places of the chain whose nodes are false if this one is true.
fn rivals_in(graph: &Graph, chain: &Chain, node: u16) -> u128 {
    let places = chain.nodes.iter().enumerate();
    places.filter(|&(_, &other)| graph.is_weak(node, other)).fold(0, |set, (place, _)| set | 1 << place)
}

/// Whether these strong links lead to a contradiction once these places are false.
fn is_refuted(killed: u128, rivals: &[u128], links: &[bool]) -> bool {
    let (mut off, mut on) = (killed, 0u128);
    loop {
        let before = (off, on);
        for link in (0..links.len()).filter(|&link| links[link]) {
            match (off >> (2 * link)) & 0b11 {
                0b01 => (off, on) = (off | rivals[2 * link + 1], on | 0b10 << (2 * link)),
                0b10 => (off, on) = (off | rivals[2 * link], on | 0b01 << (2 * link)),
                0b11 => return true,
                _ => {}
            }
        }
        if on & off != 0 {
            return true;
        }
        if (off, on) == before {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::links::Reach;
    use crate::engine::logic::positions;
    use crate::engine::logic::registry::TECHNIQUES;
    use crate::engine::logic::sink::Wanted;

    /// Against a search that walks from every candidate, whether or not there is anything to find.
    #[test]
    fn prospects_hide_no_chain() {
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let (mut budget, mut each) = (Budget::unlimited(), |_| ControlFlow::Continue(()));
            let sink = &mut Sink::new(position, &TECHNIQUES[0], &mut budget, Wanted::Steps(&mut each));
            for (reach, ends_only) in
                [(Reach::Digits, true), (Reach::Pairs, true), (Reach::Cells, false), (Reach::Groups, false)]
            {
                let graph = || Graph::new(&context, reach, Vec::new());
                let all = Graph::new(&context, Reach::Cells, Vec::new());
                match reach {
                    Reach::Pairs => assert_eq!(Prospects::of_pairs(&all), Prospects::of(&graph())),
                    Reach::Groups => {
                        assert_eq!(format!("{:?}", all.with_groups(&context)), format!("{:?}", graph()));
                    }
                    _ => {}
                }
                let [ControlFlow::Continue(fast), ControlFlow::Continue(for_one)] =
                    [(); 2].map(|()| Chains::of(graph(), ends_only, sink))
                else {
                    panic!("broken off")
                };
                assert!(fast.prospects.is_some());
                let plain = Chains { prospects: None, graph: graph(), ends_only, found: Default::default() };
                let kinds: &[Kind] =
                    if ends_only { &[Kind::Ends] } else { &[Kind::Ends, Kind::Contradiction, Kind::Loop] };
                for &kind in kinds {
                    let found = [&fast, &plain].map(|chains| chains.get(kind, &[], &context, sink));
                    let [ControlFlow::Continue(found), ControlFlow::Continue(wanted)] = found else {
                        panic!("broken off")
                    };
                    assert_eq!(format!("{:?}", found.chains), format!("{:?}", wanted.chains), "{reach:?}");
                    if kind == Kind::Ends {
                        let first = for_one.first(&[], &context, sink);
                        let wanted = ControlFlow::<(), _>::Continue(found.chains.first());
                        assert_eq!(format!("{first:?}"), format!("{wanted:?}"), "{reach:?}");
                    }
                }
            }
        }
    }
}
