//! What is known of each cell while a lemma is checked, undone by a trail, and whom to tell of a change.

use super::NodeCap;
use crate::engine::budget::CancelFlag;
use crate::puzzle::{Cell, Position, Puzzle};

/// Why propagation ends early. A conflict is what a lemma wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// The assumption is refuted.
    Conflict,
    /// The cap is reached, or the flag is raised.
    TooLarge,
}

/// Nodes and work, against their caps.
pub(super) struct Effort {
    nodes: u64,
    work: u64,
    cap: NodeCap,
    flag: CancelFlag,
}

impl Effort {
    /// None spent yet.
    pub(super) fn new(cap: NodeCap, flag: CancelFlag) -> Effort {
        Effort { nodes: 0, work: 0, cap, flag }
    }

    /// Counts work, and looks at the flag.
    pub(super) fn spend(&mut self, units: u64) -> Result<(), Halt> {
        self.work = self.work.saturating_add(units);
        if self.work > self.cap.work || self.flag.is_raised() { Err(Halt::TooLarge) } else { Ok(()) }
    }

    /// Counts a claim or a branch.
    pub(super) fn visit(&mut self) -> Result<(), Halt> {
        self.nodes += 1;
        if self.nodes > self.cap.nodes { Err(Halt::TooLarge) } else { Ok(()) }
    }

    /// Nodes and work so far.
    pub(super) fn spent(&self) -> (u64, u64) {
        (self.nodes, self.work)
    }
}

/// A constraint to be told of changes in a cell, and the watch on the same cell before it, plus one. Lists in one
/// vector: most lemmas are so small that a vector a cell would be most of their cost.
struct Watch {
    id: u32,
    before: u32,
}

/// A cell before a change.
struct Before {
    cell: Cell,
    domain: u32,
    is_known: bool,
}

/// The candidates that are not known to be false (bit `d - 1` for digit `d`), and the cells whose digit is known.
///
/// A cell with one candidate left is *not* known to hold it: only a premise says that a cell holds anything. So
/// an empty cell is no conflict by itself either.
pub(super) struct Board<'p> {
    puzzle: &'p Puzzle,
    domains: Vec<u32>,
    known: Vec<bool>,
    trail: Vec<Before>,
    /// By cell, the newest of the watches on it, plus one; 0 for none.
    watched: Vec<u32>,
    watches: Vec<Watch>,
    queue: Queue,
    pub(super) effort: Effort,
}

/// Constraints that have something to look at: quick ones first.
#[derive(Default)]
struct Queue {
    quick: Vec<u32>,
    slow: Vec<u32>,
    is_slow: Vec<bool>,
    is_waiting: Vec<bool>,
}

impl Queue {
    fn push(&mut self, id: u32) {
        if !std::mem::replace(&mut self.is_waiting[id as usize], true) {
            if self.is_slow[id as usize] { self.slow.push(id) } else { self.quick.push(id) }
        }
    }
}

impl<'p> Board<'p> {
    /// As the position has it: placed digits are known.
    pub(super) fn new(position: &'p Position, effort: Effort) -> Board<'p> {
        let puzzle = position.puzzle();
        let mut board = Board {
            puzzle,
            domains: Vec::with_capacity(puzzle.cell_count()),
            known: Vec::with_capacity(puzzle.cell_count()),
            trail: Vec::new(),
            watched: vec![0; puzzle.cell_count()],
            watches: Vec::new(),
            queue: Queue::default(),
            effort,
        };
        for cell in Cell::all(puzzle.size()) {
            let placed = position.digit(cell);
            board.known.push(placed.is_some());
            board.domains.push(match placed {
                Some(digit) => 1 << digit.index(),
                None => position.candidates(cell).bits(),
            });
        }
        board
    }

    /// The puzzle.
    pub(super) fn puzzle(&self) -> &'p Puzzle {
        self.puzzle
    }

    /// The candidates of a cell that are not known to be false.
    pub(super) fn domain(&self, cell: Cell) -> u32 {
        self.domains[cell.index()]
    }

    /// Whether the cell is known to hold the one candidate it has.
    pub(super) fn is_known(&self, cell: Cell) -> bool {
        self.known[cell.index()]
    }

    /// These candidates of the cell are false.
    pub(super) fn rule_out(&mut self, cell: Cell, bits: u32) -> Result<(), Halt> {
        let old = self.domains[cell.index()];
        if old & bits == 0 {
            return Ok(());
        }
        if self.known[cell.index()] {
            return Err(Halt::Conflict);
        }
        self.change(cell, old & !bits, false);
        Ok(())
    }

    /// This candidate of the cell is true, so the candidates that conflict with it are false.
    pub(super) fn affirm(&mut self, cell: Cell, bit: u32) -> Result<(), Halt> {
        if self.domains[cell.index()] & bit == 0 {
            return Err(Halt::Conflict);
        }
        if self.known[cell.index()] {
            return Ok(());
        }
        self.change(cell, bit, true);
        let peers = self.puzzle.peers(cell);
        self.effort.spend(1 + peers.len() as u64 / 8)?;
        for &peer in peers {
            self.rule_out(peer, bit)?;
        }
        Ok(())
    }

    fn change(&mut self, cell: Cell, domain: u32, is_known: bool) {
        let index = cell.index();
        self.trail.push(Before { cell, domain: self.domains[index], is_known: self.known[index] });
        self.domains[index] = domain;
        self.known[index] = is_known;
        let mut at = self.watched[index];
        while at != 0 {
            let watch = &self.watches[at as usize - 1];
            self.queue.push(watch.id);
            at = watch.before;
        }
    }

    /// Where the trail stands, for [`undo`](Self::undo).
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back every change since the mark, and forgets who was to be told.
    pub(super) fn undo(&mut self, mark: usize) {
        self.forget_queue();
        for before in self.trail.drain(mark..).rev() {
            self.domains[before.cell.index()] = before.domain;
            self.known[before.cell.index()] = before.is_known;
        }
    }

    fn forget_queue(&mut self) {
        let queue = &mut self.queue;
        for id in queue.quick.drain(..).chain(queue.slow.drain(..)) {
            queue.is_waiting[id as usize] = false;
        }
    }

    /// Has a constraint told of changes in a cell.
    pub(super) fn watch(&mut self, cell: Cell, id: u32) {
        let before = self.watched[cell.index()];
        self.watches.push(Watch { id, before });
        self.watched[cell.index()] = self.watches.len() as u32;
    }

    /// Makes room for one more constraint, which has everything to look at.
    pub(super) fn enlist(&mut self, is_slow: bool) {
        self.queue.is_slow.push(is_slow);
        self.queue.is_waiting.push(false);
        self.queue.push(self.queue.is_slow.len() as u32 - 1);
    }

    /// Forgets all constraints.
    pub(super) fn dismiss(&mut self) {
        self.watched.fill(0);
        self.watches.clear();
        self.queue = Queue::default();
    }

    /// The next constraint that has something to look at. It is not told of its own changes until
    /// [`done`](Self::done): each leaves nothing more to find for itself.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.queue.quick.pop().or_else(|| self.queue.slow.pop())
    }

    /// The constraint has looked.
    pub(super) fn done(&mut self, id: u32) {
        self.queue.is_waiting[id as usize] = false;
    }
}
