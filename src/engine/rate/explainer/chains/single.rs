//! Single chains: an assumption that leads to its opposite, and cycles that lead back to it.

use super::super::board::{Board, Mask, PEERS, bits, cells};
use super::super::technique::Technique;
use super::Chains;
use super::found::{Finds, Ledger, Offer, Starts};
use super::links::{Cause, LITERALS, Literal, cell_of, digit_of, holds, literal};
use super::sieve::links::{Chained, Multiple};
use super::sieve::{self, State};
use super::web::{Kind, Web};
use crate::engine::budget::{Budget, Stopped};

/// A node of a search, with the node before it.
#[derive(Clone, Copy)]
struct Link {
    literal: Literal,
    cause: Cause,
    before: u32,
    /// How many links lead here.
    depth: u32,
}

/// Where no node stands before.
const NONE: u32 = u32::MAX;

/// The kinds in the order of the search: one digit, cells, both.
const KINDS: [Kind; 3] = [
    Kind { cells: false, houses: true },
    Kind { cells: true, houses: false },
    Kind { cells: true, houses: true },
];

impl Kind {
    /// Decides between steps of one length.
    fn key(self) -> u8 {
        match (self.cells, self.houses) {
            (true, true) => 4,
            (true, false) => 3,
            _ => 2,
        }
    }

    /// The rating of the shortest cycle.
    fn cycle_base(self) -> f64 {
        if self.cells && self.houses { 7.0 } else { 6.5 }
    }

    /// The technique of a forcing chain, and the rating of the shortest.
    fn chain(self) -> (Technique, f64) {
        if self.cells { (Technique::ForcingChain, 7.0) } else { (Technique::ForcingXChain, 6.6) }
    }
}

/// A search under way.
struct Search<'a> {
    board: &'a Board,
    ledger: &'a mut Ledger,
    finds: &'a mut Finds,
    web: Web,
    nodes: Vec<Link>,
    stamps: Vec<u32>,
    stamp: u32,
    /// The run that holds the chains found.
    paths: u16,
    /// Where there may be chains.
    worth: Chained,
}

/// Offers every cycle and forcing chain.
pub fn find(
    chains: &mut Chains,
    board: &Board,
    ledger: &mut Ledger,
    finds: &mut Finds,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    budget.spend(50)?;
    let worth = sieve::links::find(&State::new(board), Multiple::No);
    if !worth.any {
        return Ok(());
    }
    let mut paths = chains.take_run();
    paths.clear();
    let number = ledger.runs.len() as u16;
    ledger.runs.push(paths);
    let mut search = Search {
        board,
        ledger,
        finds,
        web: Web::new(board),
        nodes: Vec::new(),
        stamps: vec![0; LITERALS],
        stamp: 0,
        paths: number,
        worth,
    };
    if search.finds.wants_easiest() {
        budget.spend(100)?;
        search.bound(KINDS[0]);
        search.bound(KINDS[2]);
    }
    for kind in KINDS {
        for cell in 0..81 {
            let candidates = board.candidates[cell];
            if candidates.count() > 1 {
                budget.spend(50)?;
                bits(candidates).for_each(|digit| search.from(literal(cell, digit, true), kind));
            }
        }
    }
    Ok(())
}

impl Search<'_> {
    fn from(&mut self, start: Literal, kind: Kind) {
        if !kind.houses && self.board.candidates[cell_of(start)].count() > 2 {
            return;
        }
        if self.worth.cycles[digit_of(start)] >> cell_of(start) & 1 != 0 {
            for end in self.cycles(start, kind) {
                self.offer_cycle(&end, kind);
            }
        }
        if kind.houses {
            for start in [start, start ^ 1] {
                if self.worth.starts[usize::from(start)]
                    && let Some(path) = self.chain(start, kind)
                {
                    self.offer_chain(&path, kind);
                }
            }
        }
    }

    /// Finds how long the shortest forcing chain is, so that no longer cycle is looked for: where there is a
    /// cycle there is a forcing chain.
    fn bound(&mut self, kind: Kind) {
        for start in 0..LITERALS as Literal {
            if self.worth.starts[usize::from(start)]
                && let Some(path) = self.chain(start, kind)
                && self.board.candidates[cell_of(start)].count() > 1
            {
                self.finds.bound(kind.chain().1, path.len() as u32, kind.key());
            }
        }
    }

    fn restart(&mut self, start: Literal) {
        self.stamp += 1;
        self.nodes.clear();
        self.nodes.push(Link { literal: start, cause: Cause::Start, before: NONE, depth: 0 });
        self.stamps[usize::from(start)] = self.stamp;
    }

    /// The way to a node, its end first.
    fn path(&self, end: Link) -> Vec<Link> {
        let mut path = vec![end];
        while let Some(before) = self.nodes.get(path[path.len() - 1].before as usize) {
            path.push(*before);
        }
        path
    }

    /// The ways from a candidate that holds back to itself. Of what does not hold every occurrence is followed
    /// that can close a cycle, since each closes another.
    fn cycles(&mut self, start: Literal, kind: Kind) -> Vec<Vec<Link>> {
        let mut found = Vec::new();
        let mut closers = [0; 4];
        let mut count = 0;
        for (closer, (other, _)) in closers.iter_mut().zip(self.web.from(start ^ 1, kind)) {
            *closer = other ^ 1;
            count += 1;
        }
        let closers = &closers[..count];
        if count == 0 {
            return found;
        }
        let deepest = self.finds.longest(kind.cycle_base(), kind.key());
        self.restart(start);
        let mut next = 0;
        while next < self.nodes.len() {
            let from = self.nodes[next];
            let (before, depth) = (next as u32, from.depth + 1);
            next += 1;
            if depth > deepest {
                break;
            }
            let mut closed = None;
            for &(literal, cause) in self.web.from(from.literal, kind) {
                let link = Link { literal, cause, before, depth };
                let stamp = &mut self.stamps[usize::from(literal)];
                if *stamp != self.stamp {
                    *stamp = self.stamp;
                    self.nodes.push(link);
                } else if holds(literal) {
                    if literal == start && depth > 3 {
                        closed = Some(link);
                    }
                } else if closers.contains(&literal) && !is_before(&self.nodes, before, literal) {
                    self.nodes.push(link);
                }
            }
            if let Some(end) = closed {
                found.push(self.path(end));
            }
        }
        found
    }

    /// The way from a literal to its opposite.
    fn chain(&mut self, start: Literal, kind: Kind) -> Option<Vec<Link>> {
        let longest = self.finds.longest(kind.chain().1, kind.key());
        self.restart(start);
        let mut next = 0;
        while next < self.nodes.len() {
            let from = self.nodes[next];
            let (before, depth) = (next as u32, from.depth + 1);
            next += 1;
            if depth >= longest {
                return None;
            }
            for &(literal, cause) in self.web.from(from.literal, kind) {
                let link = Link { literal, cause, before, depth };
                if literal == start ^ 1 {
                    return Some(self.path(link));
                }
                let stamp = &mut self.stamps[usize::from(literal)];
                if *stamp != self.stamp {
                    *stamp = self.stamp;
                    self.nodes.push(link);
                }
            }
        }
        None
    }

    /// Writes a path into the run of paths, its end first; returns the node of the end.
    fn write(&mut self, path: impl DoubleEndedIterator<Item = (Literal, Cause)>) -> u16 {
        let run = &mut self.ledger.runs[usize::from(self.paths)];
        let mut before: Option<u16> = None;
        for (literal, cause) in path.rev() {
            let parents: &[u16] = before.as_slice();
            before = Some(run.add_loose(literal, cause, parents, None));
        }
        before.expect("paths have a start")
    }

    fn offer_chain(&mut self, path: &[Link], kind: Kind) {
        let end = self.write(path.iter().map(|link| (link.literal, link.cause)));
        let (technique, base) = kind.chain();
        let targets = [(self.paths, end)];
        let offer = Offer {
            technique,
            base,
            key: kind.key(),
            starts: Starts::Candidate,
            targets: &targets,
            counted: 1,
        };
        self.finds.offer_literal(self.board, path[0].literal, &offer, self.ledger, &[]);
    }

    fn offer_cycle(&mut self, path: &[Link], kind: Kind) {
        let removals = cycle_removals(self.board, path);
        if removals.is_empty() {
            return;
        }
        let forward = self.write(path.iter().map(|link| (link.literal, link.cause)));
        // Backwards: each literal turned round, with the reason that it had.
        let back = self.write(path.iter().rev().map(|link| (link.literal ^ 1, link.cause)));
        let targets = [(self.paths, forward), (self.paths, back)];
        let offer = Offer {
            technique: Technique::BidirectionalCycle,
            base: kind.cycle_base(),
            key: kind.key(),
            starts: Starts::Candidate,
            targets: &targets,
            counted: 1,
        };
        self.finds.offer(self.board, (removals, None), &offer, self.ledger, &[]);
    }
}

/// Whether a literal stands on the way to a node.
fn is_before(nodes: &[Link], node: u32, literal: Literal) -> bool {
    let mut at = nodes[node as usize].before;
    while let Some(link) = nodes.get(at as usize) {
        if link.literal == literal {
            return true;
        }
        at = link.before;
    }
    false
}

/// What sees, outside the cycle, one node that holds and one that does not, of the same digit.
fn cycle_removals(board: &Board, path: &[Link]) -> Vec<(u8, u16)> {
    let steps = &path[..path.len() - 1];
    let within = steps.iter().fold(0u128, |within, link| within | 1 << cell_of(link.literal));
    let mut seen = [[0u128; 9]; 2];
    for link in steps {
        seen[usize::from(holds(link.literal))][digit_of(link.literal)] |= PEERS[cell_of(link.literal)];
    }
    let by_digit = board.by_digit();
    let mut masks = [0u16; 81];
    let mut any = 0u128;
    for digit in 0..9 {
        let gone = seen[0][digit] & seen[1][digit] & by_digit[digit] & !within;
        any |= gone;
        cells(gone).for_each(|cell| masks[cell] |= 1 << digit);
    }
    cells(any).map(|cell| (cell as u8, masks[cell])).collect()
}
