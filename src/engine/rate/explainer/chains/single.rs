//! Single chains: an assumption that leads to its opposite, and cycles that lead back to it.

use super::super::board::{Board, PEERS, bits, cells};
use super::super::technique::Technique;
use super::Chains;
use super::found::{Finds, Ledger, Offer, Starts};
use super::links::{Cause, LITERALS, Literal, cell_of, digit_of, each_off, each_on, holds, literal};
use super::run::Run;
use crate::engine::budget::{Budget, Stopped};

/// A node of a search, with the node before it.
#[derive(Clone, Copy)]
struct Link {
    literal: Literal,
    cause: Cause,
    before: u32,
}

/// Where no node stands before.
const NONE: u32 = u32::MAX;

/// Which links a search uses.
#[derive(Clone, Copy)]
struct Kind {
    /// Links within cells.
    cells: bool,
    /// Links within houses, from what does not hold to what does.
    houses: bool,
}

impl Kind {
    /// Decides between steps of one length.
    fn key(self) -> u8 {
        match (self.cells, self.houses) {
            (true, true) => 4,
            (true, false) => 3,
            _ => 2,
        }
    }
}

/// A search under way.
struct Search<'a> {
    board: &'a Board,
    ledger: &'a mut Ledger,
    finds: &'a mut Finds,
    nodes: Vec<Link>,
    stamps: Vec<u32>,
    stamp: u32,
    /// The run that holds the chains found.
    paths: u16,
}

/// Offers every cycle and forcing chain: of one digit, of cells, of both.
pub fn find(
    chains: &mut Chains,
    board: &Board,
    ledger: &mut Ledger,
    finds: &mut Finds,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    let mut paths = chains.take_run();
    paths.clear();
    let number = ledger.runs.len() as u16;
    ledger.runs.push(paths);
    let mut search = Search {
        board,
        ledger,
        finds,
        nodes: Vec::new(),
        stamps: vec![0; LITERALS],
        stamp: 0,
        paths: number,
    };
    for kind in [(false, true), (true, false), (true, true)] {
        let kind = Kind { cells: kind.0, houses: kind.1 };
        for cell in 0..81 {
            let candidates = board.candidates[cell];
            if candidates.count_ones() > 1 {
                budget.spend(50)?;
                for digit in bits(candidates) {
                    search.from(literal(cell, digit, true), kind);
                }
            }
        }
    }
    Ok(())
}

impl Search<'_> {
    /// The paths found so far.
    fn paths(&mut self) -> &mut Run {
        &mut self.ledger.runs[usize::from(self.paths)]
    }

    fn from(&mut self, start: Literal, kind: Kind) {
        if !kind.houses && self.board.candidates[cell_of(start)].count_ones() > 2 {
            return;
        }
        let cycles = self.cycles(start, kind);
        for end in cycles {
            self.offer_cycle(&end, kind);
        }
        if kind.houses {
            for start in [start, start ^ 1] {
                if let Some(path) = self.chain(start, kind) {
                    self.offer_chain(&path, kind);
                }
            }
        }
    }

    fn restart(&mut self, start: Literal) {
        self.stamp += 1;
        self.nodes.clear();
        self.nodes.push(Link { literal: start, cause: Cause::Start, before: NONE });
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
        let mut closers = [0; 4];
        let mut count = 0;
        each_on(self.board, start ^ 1, kind.cells, &mut |other, _| {
            if kind.houses || digit_of(other) != digit_of(start) {
                closers[count] = other ^ 1;
                count += 1;
            }
            false
        });
        let closers = &closers[..count];
        let mut found = Vec::new();
        if count == 0 {
            return found;
        }
        self.restart(start);
        let mut next = 0;
        while next < self.nodes.len() {
            let from = self.nodes[next];
            let before = next as u32;
            next += 1;
            let (nodes, stamps, stamp) = (&mut self.nodes, &mut self.stamps, self.stamp);
            if holds(from.literal) {
                each_off(self.board, from.literal, kind.cells, &mut |off, cause| {
                    let is_new = stamps[usize::from(off)] != stamp;
                    if (is_new || closers.contains(&off)) && !is_before(nodes, before, off) {
                        stamps[usize::from(off)] = stamp;
                        nodes.push(Link { literal: off, cause, before });
                    }
                    false
                });
                continue;
            }
            let mut closed = None;
            let length = depth(nodes, before);
            let mut visit = |on: Literal, cause: Cause| {
                if on == start && length >= 3 {
                    closed = Some(Link { literal: on, cause, before });
                }
                if stamps[usize::from(on)] != stamp {
                    stamps[usize::from(on)] = stamp;
                    nodes.push(Link { literal: on, cause, before });
                }
                false
            };
            if kind.houses {
                each_on(self.board, from.literal, kind.cells, &mut visit);
            } else {
                each_on(self.board, from.literal, true, &mut |on, cause| {
                    cause == Cause::Cell && visit(on, cause)
                });
            }
            if let Some(end) = closed {
                found.push(self.path(end));
            }
        }
        found
    }

    /// The way from a literal to its opposite.
    fn chain(&mut self, start: Literal, kind: Kind) -> Option<Vec<Link>> {
        self.restart(start);
        let mut next = 0;
        while next < self.nodes.len() {
            let from = self.nodes[next];
            let before = next as u32;
            next += 1;
            let (nodes, stamps, stamp) = (&mut self.nodes, &mut self.stamps, self.stamp);
            let mut end = None;
            let mut visit = |literal: Literal, cause: Cause| {
                if literal == start ^ 1 {
                    end = Some(Link { literal, cause, before });
                    return true;
                }
                if stamps[usize::from(literal)] != stamp {
                    stamps[usize::from(literal)] = stamp;
                    nodes.push(Link { literal, cause, before });
                }
                false
            };
            if holds(from.literal) {
                each_off(self.board, from.literal, kind.cells, &mut visit);
            } else {
                each_on(self.board, from.literal, kind.cells, &mut visit);
            }
            if let Some(end) = end {
                return Some(self.path(end));
            }
        }
        None
    }

    /// Writes a path into the run of paths, its end first; returns the node of the end.
    fn write(&mut self, path: impl Iterator<Item = (Literal, Cause)>) -> u16 {
        let steps: Vec<(Literal, Cause)> = path.collect();
        let run = self.paths();
        let mut before: Option<u16> = None;
        for &(literal, cause) in steps.iter().rev() {
            let parents: &[u16] = before.as_slice();
            before = Some(run.add_loose(literal, cause, parents, None));
        }
        before.expect("paths have a start")
    }

    fn offer_chain(&mut self, path: &[Link], kind: Kind) {
        let end = self.write(path.iter().map(|link| (link.literal, link.cause)));
        let (technique, base) =
            if kind.cells { (Technique::ForcingChain, 7.0) } else { (Technique::ForcingXChain, 6.6) };
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
        let base = if kind.cells && kind.houses { 7.0 } else { 6.5 };
        let targets = [(self.paths, forward), (self.paths, back)];
        let offer = Offer {
            technique: Technique::BidirectionalCycle,
            base,
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

/// How many links lead to a node.
fn depth(nodes: &[Link], node: u32) -> u32 {
    let mut depth = 0;
    let mut at = nodes[node as usize].before;
    while let Some(link) = nodes.get(at as usize) {
        depth += 1;
        at = link.before;
    }
    depth
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
