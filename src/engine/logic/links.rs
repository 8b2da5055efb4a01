//! The link graph of a position: what chains are made of.
//!
//! A node says that a digit stands in one of some cells: a single candidate, the candidates of a digit where two
//! houses meet (a group), or those of a digit in an almost locked set. A **weak** link joins two nodes of which not
//! both are true, a **strong** one two of which not both are false. Links are kept in a fixed order (within the
//! cell, then house by house, then groups, then almost locked sets), so that of chains of the same length the same
//! one is always found.

mod build;
mod prospects;

use super::bits::Ones;
use super::context::Context;
use super::{CellSet, Premise};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};
pub use prospects::{Consequences, Prospects};

/// Stands for no node.
const NONE: u16 = u16::MAX;

/// What a graph has besides single candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Nothing, and no links but between cells.
    Digits,
    /// Nothing, and no strong links but within cells.
    Pairs,
    /// Nothing.
    Cells,
    /// Groups.
    Groups,
    /// Groups and almost locked sets.
    LockedSets,
}

/// A digit in some cells: true if it stands in one of them.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its cells, all of one house.
    pub cells: CellSet,
    /// Its digit.
    pub digit: Digit,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A candidate.
    Candidate,
    /// All candidates of a digit where two houses meet.
    Group,
    /// All candidates of a digit in this almost locked set.
    LockedSet(u16),
}

/// Why one of two nodes must be true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The cell has no other candidate.
    Cell(Cell),
    /// The digit has no other place in the house.
    House(HouseId),
    /// The almost locked set would have fewer digits than cells.
    LockedSet(u16),
    /// The almost locked set and this cell would have fewer digits than cells together.
    LockedSetAnd(u16, Cell),
}

/// Cells of one house that have one digit more than they are.
#[derive(Clone, Copy, Debug)]
pub struct LockedSet {
    /// At least two.
    pub cells: CellSet,
    /// What they may hold.
    pub digits: DigitSet,
}

/// A strong link out of a node.
#[derive(Clone, Copy, Debug)]
pub struct Strong {
    /// Where it leads.
    pub to: u16,
    /// Why it holds.
    pub reason: Reason,
}

/// Lists of lists, one after another.
#[derive(Debug)]
pub struct Lists<T> {
    items: Vec<T>,
    /// Where each list starts; one more than there are lists.
    starts: Vec<u32>,
}

impl<T> Lists<T> {
    /// Room for so many lists, and for so many items in all of them.
    pub fn with_capacity(lists: usize, items: usize) -> Lists<T> {
        let mut starts = Vec::with_capacity(lists + 1);
        starts.push(0);
        Lists { items: Vec::with_capacity(items), starts }
    }

    /// Adds an item to the last list.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// The last list, as far as it goes.
    #[inline]
    pub fn open(&self) -> &[T] {
        &self.items[self.starts[self.starts.len() - 1] as usize..]
    }

    /// Ends the last list; what is pushed from now on belongs to the next one.
    #[inline]
    pub fn end_list(&mut self) {
        self.starts.push(self.items.len() as u32);
    }

    /// A list.
    #[inline]
    pub fn of(&self, list: usize) -> &[T] {
        &self.items[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// The graph. Candidates come first, by cell and digit; from the next multiple of 64 on, groups, then locked sets.
#[derive(Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    /// How many nodes are candidates.
    candidates: usize,
    /// Words of 64 nodes that hold all candidates.
    candidate_words: usize,
    /// Words of 64 nodes that hold all nodes.
    words: usize,
    strong: Lists<Strong>,
    /// Of each node, those that it is weakly linked to.
    weak_bits: Vec<u64>,
    /// Of each cell and digit, its node.
    index: Vec<u16>,
    size: usize,
    locked_sets: Vec<LockedSet>,
}

impl Graph {
    /// Derives the graph of a position. Locked sets are handed in, for whoever looks for them knows how many to take.
    pub fn new(context: &Context<'_>, reach: Reach, locked_sets: Vec<LockedSet>) -> Graph {
        build::build(context, reach, locked_sets, None)
    }

    /// The graph with groups of a position of which this is the one of [`Cells`](Reach::Cells).
    pub fn with_groups(&self, context: &Context<'_>) -> Graph {
        build::build(context, Reach::Groups, Vec::new(), Some(self))
    }

    /// How many nodes are single candidates: they are the first.
    #[inline]
    pub fn candidate_count(&self) -> usize {
        self.candidates
    }

    /// How many nodes there may be; some places stand for none.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    #[inline]
    pub fn node(&self, node: u16) -> &Node {
        &self.nodes[usize::from(node)]
    }

    /// The node of a candidate.
    #[inline]
    pub fn candidate(&self, cell: Cell, digit: Digit) -> Option<u16> {
        let node = self.index[cell.index() * self.size + digit.index()];
        (node != NONE).then_some(node)
    }

    /// The digits of a cell that are nodes.
    fn digits_of(&self, cell: Cell) -> DigitSet {
        Digit::all(self.size).filter(|&digit| self.candidate(cell, digit).is_some()).collect()
    }

    /// The cell of a node that is a candidate.
    #[inline]
    pub fn cell(&self, node: u16) -> Cell {
        self.node(node).cells.first().expect("a node has cells")
    }

    /// The nodes that are true if this one is false.
    #[inline]
    pub fn strong(&self, node: u16) -> &[Strong] {
        self.strong.of(usize::from(node))
    }

    /// The nodes that are false if this one is true.
    #[inline]
    pub fn weak_bits(&self, node: u16) -> &[u64] {
        let from = usize::from(node) * self.words;
        &self.weak_bits[from..from + self.words]
    }

    /// The candidates that are false if this node is true.
    #[inline]
    pub fn kills(&self, node: u16) -> &[u64] {
        let from = usize::from(node) * self.words;
        &self.weak_bits[from..from + self.candidate_words]
    }

    /// Whether not both are true.
    #[inline]
    pub fn is_weak(&self, one: u16, other: u16) -> bool {
        has(self.weak_bits(one), other)
    }

    /// Words of a set of all nodes.
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Words of a set of candidates.
    #[inline]
    pub fn candidate_words(&self) -> usize {
        self.candidate_words
    }

    /// Whether some nodes are digits of locked sets.
    pub fn has_locked_sets(&self) -> bool {
        !self.locked_sets.is_empty()
    }

    /// The locked set of this number.
    pub fn locked_set(&self, number: u16) -> &LockedSet {
        &self.locked_sets[usize::from(number)]
    }

    /// The cells and digits of the locked set that a strong link rests on.
    pub fn locked_cells(&self, reason: Reason) -> Option<(CellSet, DigitSet)> {
        match reason {
            Reason::LockedSet(number) => {
                let set = self.locked_set(number);
                Some((set.cells, set.digits))
            }
            Reason::LockedSetAnd(number, cell) => {
                let set = self.locked_set(number);
                Some((set.cells | CellSet::single(cell), set.digits | self.digits_of(cell)))
            }
            Reason::Cell(_) | Reason::House(_) => None,
        }
    }

    /// The candidates of a digit that see all those in these cells.
    pub fn each_around(&self, cells: CellSet, digit: Digit, each: &mut dyn FnMut(u16)) {
        let inside: Vec<u16> = cells.iter().filter_map(|cell| self.candidate(cell, digit)).collect();
        let Some((&first, rest)) = inside.split_first() else { return };
        for around in members(self.kills(first)) {
            if self.node(around).digit == digit && rest.iter().all(|&other| self.is_weak(other, around)) {
                each(around);
            }
        }
    }

    /// What a strong link of this digit rests on.
    pub fn push_premises(&self, reason: Reason, digit: Digit, premises: &mut Vec<Premise>) {
        match reason {
            Reason::Cell(cell) => premises.push(Premise::Cell(cell)),
            Reason::House(house) => premises.push(Premise::House(house, digit)),
            Reason::LockedSet(number) => {
                premises.extend(self.locked_set(number).cells.iter().map(Premise::Cell));
            }
            Reason::LockedSetAnd(number, cell) => {
                premises.extend(self.locked_set(number).cells.iter().map(Premise::Cell));
                premises.push(Premise::Cell(cell));
            }
        }
    }
}

/// Whether a set of nodes holds this one.
#[inline]
pub fn has(set: &[u64], node: u16) -> bool {
    set[usize::from(node) / 64] & (1 << (node % 64)) != 0
}

/// Adds a node to a set.
#[inline]
pub fn insert(set: &mut [u64], node: u16) {
    set[usize::from(node) / 64] |= 1 << (node % 64);
}

/// Takes a node from a set.
#[inline]
pub fn remove(set: &mut [u64], node: u16) {
    set[usize::from(node) / 64] &= !(1 << (node % 64));
}

/// The nodes of a set, in order.
#[inline]
pub fn members(set: &[u64]) -> impl Iterator<Item = u16> + '_ {
    Ones::of(set).map(|node| node as u16)
}
