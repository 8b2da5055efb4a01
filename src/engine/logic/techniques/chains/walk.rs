//! What follows from one literal along a link graph, each by a shortest chain.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::engine::logic::context::Context;
use crate::engine::logic::links::{Graph, Reason, Strong, has, insert, members, remove};
use crate::puzzle::{Cell, Digit, Puzzle};

/// Stands for no node.
const NONE: u16 = u16::MAX;

/// A node said to be true or false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// The node.
    pub node: u16,
    /// Whether it is said to be true.
    pub on: bool,
}

/// The literals reached from a first one, breadth first; links are followed in a fixed order.
pub struct Walk {
    puzzle: Arc<Puzzle>,
    weak: WeakLists,
    on: Side,
    off: Side,
    queue: Vec<Said>,
    /// How many of them have been followed.
    followed: usize,
}

/// The nodes that are said to be true, or those that are said to be false.
struct Side {
    set: Vec<u64>,
    /// Of each node in the set, the node it follows from; of the first, none.
    parent: Vec<u16>,
    /// The number of links from the first.
    depth: Vec<u16>,
    /// Why it follows, where a strong link leads to it.
    reason: Vec<Reason>,
}

impl Side {
    fn new(graph: &Graph) -> Side {
        let nodes = graph.node_count();
        let unused = Reason::LockedSet(NONE);
        let (set, parent) = (vec![0; graph.words()], vec![NONE; nodes]);
        Side { set, parent, depth: vec![0; nodes], reason: vec![unused; nodes] }
    }

    fn add(&mut self, node: u16, parent: u16, depth: u16) {
        insert(&mut self.set, node);
        self.parent[usize::from(node)] = parent;
        self.depth[usize::from(node)] = depth;
    }
}

impl Walk {
    /// Room for walks along this graph.
    pub fn new(graph: &Graph, context: &Context<'_>) -> Walk {
        Walk {
            puzzle: context.position().puzzle().clone(),
            weak: WeakLists { items: Vec::new(), of_nodes: vec![None; graph.node_count()] },
            on: Side::new(graph),
            off: Side::new(graph),
            queue: Vec::with_capacity(2 * graph.node_count()),
            followed: 0,
        }
    }

    /// Walks from a literal to all that follow from it. Returns how many literals there are.
    pub fn run(&mut self, graph: &Graph, first: Said) -> usize {
        self.start(first);
        self.go_on(graph, usize::MAX)
    }

    /// Begins a walk from a literal.
    pub fn start(&mut self, first: Said) {
        self.on.set.fill(0);
        self.off.set.fill(0);
        self.queue.clear();
        let side = if first.on { &mut self.on } else { &mut self.off };
        side.add(first.node, NONE, 0);
        self.queue.push(first);
        self.followed = 0;
    }

    /// Walks on to all that follow over so many links at most. Returns how many literals there are.
    pub fn go_on(&mut self, graph: &Graph, depth: usize) -> usize {
        while let Some(&said) = self.queue.get(self.followed) {
            if self.depth(said) >= depth {
                break;
            }
            self.followed += 1;
            match said.on {
                true => self.follow_weak(graph, said.node),
                false => self.follow_strong(graph, said.node),
            }
        }
        self.queue.len()
    }

    fn follow_weak(&mut self, graph: &Graph, node: u16) {
        let is_old = |(reached, linked): (&u64, &u64)| linked & !reached == 0;
        // Late in a walk nearly all are old: a look at the whole set saves going through the list.
        if self.off.set.iter().zip(graph.weak_bits(node)).all(is_old) {
            return;
        }
        let depth = self.on.depth[usize::from(node)] + 1;
        let (from, after) = self.weak.of(graph, &self.puzzle, node);
        for &to in &self.weak.items[from as usize..after as usize] {
            if !has(&self.off.set, to) {
                self.off.add(to, node, depth);
                self.queue.push(Said { node: to, on: false });
            }
        }
    }

    fn follow_strong(&mut self, graph: &Graph, node: u16) {
        for &Strong { to, reason } in graph.strong(node) {
            if !has(&self.on.set, to) {
                self.on.add(to, node, self.off.depth[usize::from(node)] + 1);
                self.on.reason[usize::from(to)] = reason;
                self.queue.push(Said { node: to, on: true });
            }
        }
    }

    /// The literals reached, nearest first.
    pub fn reached(&self) -> &[Said] {
        &self.queue
    }

    /// Whether a literal follows.
    pub fn reaches(&self, said: Said) -> bool {
        has(&self.side(said.on).set, said.node)
    }

    /// How many links lead to a literal that follows.
    pub fn depth(&self, said: Said) -> usize {
        usize::from(self.side(said.on).depth[usize::from(said.node)])
    }

    /// The nodes from the first to this literal, which follows; after each strong link in turn, why it holds.
    pub fn path(&self, last: Said, nodes: &mut Vec<u16>, reasons: &mut Vec<Reason>) {
        nodes.clear();
        reasons.clear();
        let mut said = last;
        loop {
            nodes.push(said.node);
            let side = self.side(said.on);
            let parent = side.parent[usize::from(said.node)];
            if parent == NONE {
                break;
            }
            if said.on {
                reasons.push(side.reason[usize::from(said.node)]);
            }
            said = Said { node: parent, on: !said.on };
        }
        nodes.reverse();
        reasons.reverse();
    }

    /// Every shortest way to a literal, up to so many: which of them a walk finds first depends on how the board is
    /// held. Returns whether these are all.
    pub fn each_path(
        &self,
        graph: &Graph,
        last: Said,
        most: usize,
        each: &mut dyn FnMut(&[u16], &[Reason]),
    ) -> bool {
        let mut ways = Ways { walk: self, graph, nodes: vec![last.node], reasons: Vec::new(), left: most };
        ways.extend(last, each)
    }

    fn side(&self, on: bool) -> &Side {
        if on { &self.on } else { &self.off }
    }
}

/// The weak links of the nodes that walks have come through, in the order in which they are followed.
struct WeakLists {
    items: Vec<u16>,
    /// Of each node, where its links begin among all, and where they end.
    of_nodes: Vec<Option<(u32, u32)>>,
}

impl WeakLists {
    fn of(&mut self, graph: &Graph, puzzle: &Puzzle, node: u16) -> (u32, u32) {
        *self.of_nodes[usize::from(node)].get_or_insert_with(|| {
            let from = self.items.len();
            list_weak(graph, puzzle, node, &mut self.items);
            (from as u32, self.items.len() as u32)
        })
    }
}

/// Lists the weak links of a node: within the cell, then house by house, then what a cage adds, groups and locked sets.
fn list_weak(graph: &Graph, puzzle: &Puzzle, node: u16, list: &mut Vec<u16>) {
    let mut left: SmallVec<[u64; 8]> = SmallVec::from_slice(graph.weak_bits(node));
    if usize::from(node) < graph.candidate_count() {
        let (cell, digit) = (graph.cell(node), graph.node(node).digit);
        let mut take = |cell: Cell, digit: Digit| {
            if let Some(to) = graph.candidate(cell, digit).filter(|&to| has(&left, to)) {
                remove(&mut left, to);
                list.push(to);
            }
        };
        puzzle.digits().iter().for_each(|digit| take(cell, digit));
        for &house in puzzle.houses_of(cell) {
            puzzle.house(house).cells.iter().for_each(|&cell| take(cell, digit));
        }
    }
    list.extend(members(&left));
}

/// Shortest ways, from their ends backwards.
struct Ways<'w> {
    walk: &'w Walk,
    graph: &'w Graph,
    nodes: Vec<u16>,
    reasons: Vec<Reason>,
    left: usize,
}

impl Ways<'_> {
    fn extend(&mut self, said: Said, each: &mut dyn FnMut(&[u16], &[Reason])) -> bool {
        let depth = self.walk.depth(said);
        if depth == 0 {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            each(&self.nodes, &self.reasons);
            return true;
        }
        let graph = self.graph;
        let is_before = |walk: &Walk, node: u16| {
            let before = Said { node, on: !said.on };
            walk.reaches(before) && walk.depth(before) + 1 == depth
        };
        if said.on {
            for link in graph.strong(said.node) {
                if is_before(self.walk, link.to) {
                    self.reasons.push(link.reason);
                    let go_on = self.step(link.to, false, each);
                    self.reasons.pop();
                    if !go_on {
                        return false;
                    }
                }
            }
        } else {
            let mut linked = Vec::new();
            list_weak(graph, &self.walk.puzzle, said.node, &mut linked);
            for node in linked {
                if is_before(self.walk, node) && !self.step(node, true, each) {
                    return false;
                }
            }
        }
        true
    }

    fn step(&mut self, node: u16, on: bool, each: &mut dyn FnMut(&[u16], &[Reason])) -> bool {
        self.nodes.push(node);
        let go_on = self.extend(Said { node, on }, each);
        self.nodes.pop();
        go_on
    }
}
