//! What follows from one assumption, in the order in which the Explainer finds it, each with its reasons.

use super::links::{Cause, LITERALS, Literal};

/// A literal with its reasons.
#[derive(Clone, Copy)]
pub struct Node {
    /// What is said.
    pub literal: Literal,
    /// Why.
    pub cause: Cause,
    /// The nested chain that says so, if one does.
    pub nested: Option<u32>,
    first_parent: u32,
    parent_count: u16,
}

/// All that follows from an assumption.
pub struct Run {
    /// Every node, and one more if the last contradicts an earlier one.
    pub nodes: Vec<Node>,
    parents: Vec<u16>,
    /// The nodes that say that a candidate holds, in order.
    pub on: Vec<u16>,
    /// The nodes that say that a candidate does not.
    pub off: Vec<u16>,
    /// For each literal its node plus one.
    at: Box<[u16; LITERALS]>,
    /// The two nodes that contradict each other: holds, does not.
    pub conflict: Option<[u16; 2]>,
    /// For each node how many literals it rests on with itself; 0 if not yet counted.
    counts: Vec<u16>,
    has_nested: bool,
}

impl Run {
    /// An empty one.
    pub fn new() -> Run {
        Run {
            nodes: Vec::new(),
            parents: Vec::new(),
            on: Vec::new(),
            off: Vec::new(),
            at: Box::new([0; LITERALS]),
            conflict: None,
            counts: Vec::new(),
            has_nested: false,
        }
    }

    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        for &node in self.on.iter().chain(&self.off) {
            self.at[usize::from(self.nodes[usize::from(node)].literal)] = 0;
        }
        self.nodes.clear();
        self.parents.clear();
        self.on.clear();
        self.off.clear();
        self.counts.clear();
        self.conflict = None;
        self.has_nested = false;
    }

    /// The node that says a literal.
    pub fn node_of(&self, literal: Literal) -> Option<u16> {
        self.at[usize::from(literal)].checked_sub(1)
    }

    /// Whether a literal is said.
    pub fn says(&self, literal: Literal) -> bool {
        self.at[usize::from(literal)] != 0
    }

    /// Adds a node that stands in no list.
    pub fn add_loose(&mut self, literal: Literal, cause: Cause, parents: &[u16], nested: Option<u32>) -> u16 {
        let node = self.nodes.len() as u16;
        let first_parent = self.parents.len() as u32;
        self.parents.extend_from_slice(parents);
        self.has_nested |= nested.is_some();
        self.nodes.push(Node { literal, cause, nested, first_parent, parent_count: parents.len() as u16 });
        node
    }

    /// Adds a node to its list.
    pub fn add(&mut self, literal: Literal, cause: Cause, parents: &[u16], nested: Option<u32>) -> u16 {
        let node = self.add_loose(literal, cause, parents, nested);
        self.at[usize::from(literal)] = node + 1;
        if super::links::holds(literal) {
            self.on.push(node)
        } else {
            self.off.push(node)
        }
        node
    }

    /// The nodes on which a node rests directly.
    pub fn parents(&self, node: u16) -> &[u16] {
        let Node { first_parent, parent_count, .. } = self.nodes[usize::from(node)];
        &self.parents[first_parent as usize..][..usize::from(parent_count)]
    }

    /// Whether any node comes from a nested chain.
    pub fn has_nested(&self) -> bool {
        self.has_nested
    }

    /// How many literals a node rests on, itself included.
    pub fn count(&mut self, node: u16, walk: &mut Walk) -> u32 {
        if self.counts.len() < self.nodes.len() {
            self.counts.resize(self.nodes.len(), 0);
        }
        let known = self.counts[usize::from(node)];
        if known != 0 {
            return u32::from(known);
        }
        walk.start(node);
        let mut count = 0;
        while walk.next(self).is_some() {
            count += 1;
        }
        self.counts[usize::from(node)] = count;
        u32::from(count)
    }
}

/// A walk over a node and all it rests on, breadth first, each literal once.
pub struct Walk {
    stamps: Box<[u32; LITERALS]>,
    stamp: u32,
    queue: Vec<u16>,
    next: usize,
}

impl Walk {
    /// A walk that has not started.
    pub fn new() -> Walk {
        Walk { stamps: Box::new([0; LITERALS]), stamp: 0, queue: Vec::new(), next: 0 }
    }

    /// Starts at a node.
    pub fn start(&mut self, node: u16) {
        self.stamp += 1;
        self.queue.clear();
        self.queue.push(node);
        self.next = 0;
    }

    /// The next node.
    pub fn next(&mut self, run: &Run) -> Option<u16> {
        while let Some(&node) = self.queue.get(self.next) {
            self.next += 1;
            let stamp = &mut self.stamps[usize::from(run.nodes[usize::from(node)].literal)];
            if *stamp != self.stamp {
                *stamp = self.stamp;
                self.queue.extend_from_slice(run.parents(node));
                return Some(node);
            }
        }
        None
    }
}
