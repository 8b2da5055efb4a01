//! All chains of a position: of those that say the same, a shortest one.
//!
//! Every chain is a row of nodes, strong links and weak ones in turn, a strong one first and last:
//!
//! ```text
//!  n0 = n1 - n2 = n3 ... - nk = nl        one of n0 and nl is true: what sees both is false
//!  and nl - n0                            a loop: of every weak link too, one end is true
//!  n0 and nl the same, or both seen       a contradiction: it is true, or what sees them is false
//!  by one candidate that starts there
//! ```

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::walk::{Said, Walk};
use crate::engine::logic::CellSet;
use crate::engine::logic::links::{Graph, Reason, insert, members};
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

/// Every chain of a graph, shortest first.
#[derive(Debug)]
pub struct Chains {
    /// What the nodes are numbers of.
    pub graph: Graph,
    /// Sorted by length.
    pub chains: Vec<Chain>,
    /// By kind, what they eliminate, with the number of nodes that it takes.
    known: [HashMap<Box<[u64]>, usize>; 3],
}

/// Which chains are looked for.
#[derive(Clone, Copy)]
pub struct Query<'q> {
    /// What simpler chains say is not said again by longer ones. Which nodes a chain has would be no criterion: of
    /// several shortest ones it may be any.
    pub beyond: &'q [&'q Chains],
    /// Chains between two candidates of one digit alone.
    pub ends_only: bool,
}

/// If more loops of one length than this close in one place, none of them is reported. (Part of them would depend on
/// how the board is held; nobody looks through so many.)
const MOST_LOOPS: usize = 64;

/// Finds them all. The flow breaks when the budget is used up.
pub fn find_all(graph: Graph, query: Query<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Chains> {
    let mut search = Search {
        walk: Walk::new(&graph),
        graph: &graph,
        query,
        doomed: vec![0; graph.candidate_words()],
        known: Default::default(),
        chains: Vec::new(),
        nodes: Vec::new(),
        reasons: Vec::new(),
        gone: vec![0; graph.candidate_words()],
    };
    search.walk_from_true(sink)?;
    // Whatever a chain eliminates would contradict itself if it were true. So there may be nothing left to find.
    if search.doomed.iter().any(|&word| word != 0) {
        search.walk_from_false(sink)?;
    }
    let Search { mut chains, known, .. } = search;
    let known = known
        .map(|of_kind| of_kind.into_iter().map(|(gone, place)| (gone, chains[place].nodes.len())).collect());
    chains.sort_by_key(|chain| chain.nodes.len());
    ControlFlow::Continue(Chains { graph, chains, known })
}

/// The most locked sets in a loop, and the most cells of one: what goes around many, or large ones, takes a proof
/// that is too large as well.
const MOST_SETS: usize = 2;
const MOST_IN_SET: usize = 4;

struct Search<'g> {
    graph: &'g Graph,
    walk: Walk,
    query: Query<'g>,
    /// Candidates that contradict themselves.
    doomed: Vec<u64>,
    /// What has been found to go, and by which chain.
    known: [HashMap<Box<[u64]>, usize>; 3],
    chains: Vec<Chain>,
    /// The chain in hand.
    nodes: Vec<u16>,
    reasons: Vec<Reason>,
    /// What it eliminates.
    gone: Vec<u64>,
}

impl Search<'_> {
    /// Walks from every candidate, said to be true: contradictions, and loops that come back by a strong link.
    fn walk_from_true(&mut self, sink: &mut Sink<'_>) -> Flow {
        let graph = self.graph;
        for start in 0..graph.candidate_count() as u16 {
            let reached = self.walk.run(graph, Said { node: start, on: true });
            sink.spend(reached as u64 / 8 + 1)?;
            let itself = Said { node: start, on: false };
            if self.walk.reaches(itself) {
                insert(&mut self.doomed, start);
                if self.query.ends_only {
                    continue;
                }
                self.walk.path(itself, &mut self.nodes, &mut self.reasons);
                self.nodes.pop();
                self.nodes.remove(0);
                self.gone.fill(0);
                insert(&mut self.gone, start);
                self.keep(Kind::Contradiction, Some(start));
            }
            if self.query.ends_only {
                continue;
            }
            for back in graph.strong(start) {
                let last = Said { node: back.to, on: false };
                if self.walk.reaches(last) && self.walk.depth(last) > 1 {
                    self.keep_loops(last, Some(back.reason));
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Walks from every candidate, said to be false, to those that are true then.
    fn walk_from_false(&mut self, sink: &mut Sink<'_>) -> Flow {
        let graph = self.graph;
        for start in 0..graph.candidate_count() as u16 {
            let reached = self.walk.run(graph, Said { node: start, on: false });
            sink.spend(reached as u64 / 4 + 1)?;
            let itself = Said { node: start, on: true };
            if !self.query.ends_only && self.walk.reaches(itself) {
                self.walk.path(itself, &mut self.nodes, &mut self.reasons);
                self.keep_placement(start);
            }
            for place in 0..reached {
                let end = self.walk.reached()[place];
                let depth = self.walk.depth(end);
                if !end.on || end.node == start || depth < 3 {
                    continue;
                }
                if self.may_be_ends(start, end.node) && self.see_common(start, end.node) {
                    self.keep_ends(start, end, depth);
                }
                if !self.query.ends_only && graph.is_weak(start, end.node) {
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
            && (!self.query.ends_only || graph.node(one).digit == graph.node(other).digit)
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

    fn keep_ends(&mut self, start: u16, end: Said, depth: usize) {
        // Found from the other end too; a look at its length spares building it.
        if self.is_known(Kind::Ends, depth + 1) {
            return;
        }
        self.walk.path(end, &mut self.nodes, &mut self.reasons);
        debug_assert_eq!(self.nodes[0], start);
        self.keep(Kind::Ends, None);
    }

    /// A candidate that is true even if it is false: the others of its cell go.
    fn keep_placement(&mut self, start: u16) {
        self.gone.fill(0);
        let cell = self.graph.cell(start);
        for &other in self.graph.weak(start) {
            if usize::from(other) < self.graph.candidate_count() && self.graph.cell(other) == cell {
                insert(&mut self.gone, other);
            }
        }
        self.keep(Kind::Contradiction, Some(start));
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
        self.keep(Kind::Loop, None);
    }

    /// Whether what goes is known to go by a chain of this kind that is not longer.
    fn is_known(&self, kind: Kind, length: usize) -> bool {
        self.known[kind as usize]
            .get(self.gone.as_slice())
            .is_some_and(|&place| self.chains[place].nodes.len() <= length)
    }

    /// Keeps the chain in hand if it says something, in a shorter way than those before.
    fn keep(&mut self, kind: Kind, start: Option<u16>) {
        if self.gone.iter().all(|&word| word == 0) || self.is_known(kind, self.nodes.len()) {
            return;
        }
        let is_simpler = |beyond: &&Chains| {
            let known = beyond.known[kind as usize].get(self.gone.as_slice());
            known.is_some_and(|&length| length <= self.nodes.len())
        };
        if self.query.beyond.iter().any(is_simpler) || kind == Kind::Loop && self.overlaps() {
            return;
        }
        let chain = Chain {
            kind,
            nodes: self.nodes.clone(),
            reasons: self.reasons.clone(),
            gone: members(&self.gone).collect(),
            start,
        };
        match self.known[kind as usize].get(self.gone.as_slice()) {
            Some(&place) => self.chains[place] = chain,
            None => {
                self.known[kind as usize].insert(Box::from(self.gone.as_slice()), self.chains.len());
                self.chains.push(chain);
            }
        }
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
