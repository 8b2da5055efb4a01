//! The link graph of a position: what chains are made of.
//!
//! A node says that a digit stands in one of some cells: a single candidate, the candidates of a digit where two
//! houses meet (a group), or those of a digit in an almost locked set. A **weak** link joins two nodes of which not
//! both are true, a **strong** one two of which not both are false. Links are kept in a fixed order (within the
//! cell, then house by house, then groups, then almost locked sets), so that of chains of the same length the same
//! one is always found.

use super::context::Context;
use super::{CellSet, MAX_SIZE, Premise};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

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
struct Lists<T> {
    items: Vec<T>,
    /// Where each list starts; one more than there are lists.
    starts: Vec<u32>,
}

impl<T> Lists<T> {
    fn with_capacity(lists: usize, items: usize) -> Lists<T> {
        let mut starts = Vec::with_capacity(lists + 1);
        starts.push(0);
        Lists { items: Vec::with_capacity(items), starts }
    }

    fn end_list(&mut self) {
        self.starts.push(self.items.len() as u32);
    }

    fn of(&self, list: usize) -> &[T] {
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
    weak: Lists<u16>,
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
        let mut builder = Builder::new(context, reach);
        if matches!(reach, Reach::Groups | Reach::LockedSets) {
            builder.add_groups();
        }
        if reach == Reach::LockedSets {
            builder.add_locked_sets(&locked_sets);
        }
        builder.finish(locked_sets)
    }

    /// How many nodes are single candidates: they are the first.
    pub fn candidate_count(&self) -> usize {
        self.candidates
    }

    /// How many nodes there may be; some places stand for none.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    pub fn node(&self, node: u16) -> &Node {
        &self.nodes[usize::from(node)]
    }

    /// The node of a candidate.
    pub fn candidate(&self, cell: Cell, digit: Digit) -> Option<u16> {
        let node = self.index[cell.index() * self.size + digit.index()];
        (node != NONE).then_some(node)
    }

    /// The digits of a cell that are nodes.
    fn digits_of(&self, cell: Cell) -> DigitSet {
        Digit::all(self.size).filter(|&digit| self.candidate(cell, digit).is_some()).collect()
    }

    /// The cell of a node that is a candidate.
    pub fn cell(&self, node: u16) -> Cell {
        self.node(node).cells.first().expect("a node has cells")
    }

    /// The nodes that are false if this one is true.
    pub fn weak(&self, node: u16) -> &[u16] {
        self.weak.of(usize::from(node))
    }

    /// The nodes that are true if this one is false.
    pub fn strong(&self, node: u16) -> &[Strong] {
        self.strong.of(usize::from(node))
    }

    /// The same as [`weak`](Self::weak), as a set of nodes.
    pub fn weak_bits(&self, node: u16) -> &[u64] {
        let from = usize::from(node) * self.words;
        &self.weak_bits[from..from + self.words]
    }

    /// The candidates that are false if this node is true.
    pub fn kills(&self, node: u16) -> &[u64] {
        let from = usize::from(node) * self.words;
        &self.weak_bits[from..from + self.candidate_words]
    }

    /// Whether not both are true.
    pub fn is_weak(&self, one: u16, other: u16) -> bool {
        has(self.weak_bits(one), other)
    }

    /// Words of a set of all nodes.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Words of a set of candidates.
    pub fn candidate_words(&self) -> usize {
        self.candidate_words
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
        for &around in self.weak(first) {
            let is_candidate = usize::from(around) < self.candidates && self.node(around).digit == digit;
            if is_candidate && rest.iter().all(|&other| self.is_weak(other, around)) {
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
pub fn has(set: &[u64], node: u16) -> bool {
    set[usize::from(node) / 64] & (1 << (node % 64)) != 0
}

/// Adds a node to a set.
pub fn insert(set: &mut [u64], node: u16) {
    set[usize::from(node) / 64] |= 1 << (node % 64);
}

/// The nodes of a set, in order.
pub fn members(set: &[u64]) -> impl Iterator<Item = u16> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some((word * 64 + bit) as u16)
        })
    })
}

struct Builder<'a, 'c> {
    context: &'a Context<'c>,
    reach: Reach,
    nodes: Vec<Node>,
    candidates: usize,
    index: Vec<u16>,
    /// Of each digit, the nodes that are no candidates.
    by_digit: [Vec<u16>; MAX_SIZE],
    /// Of nodes that are no candidates, by their place after the candidates: where their digit must go.
    sees: Vec<CellSet>,
    /// Of the same: all cells of the group or the locked set.
    bodies: Vec<CellSet>,
    /// The first node that is no candidate.
    first_set: usize,
    /// Strong links between nodes not both of which are candidates, both ways.
    set_links: Vec<(u16, Strong)>,
}

impl<'a, 'c> Builder<'a, 'c> {
    fn new(context: &'a Context<'c>, reach: Reach) -> Builder<'a, 'c> {
        let size = context.size();
        let mut nodes = Vec::with_capacity(256);
        let mut index = vec![NONE; size * size * size];
        for cell in context.open() {
            for digit in context.candidates(cell) {
                index[cell.index() * size + digit.index()] = nodes.len() as u16;
                nodes.push(Node { cells: CellSet::single(cell), digit, kind: NodeKind::Candidate });
            }
        }
        let candidates = nodes.len();
        Builder {
            context,
            reach,
            nodes,
            candidates,
            index,
            by_digit: Default::default(),
            sees: Vec::new(),
            bodies: Vec::new(),
            first_set: candidates.next_multiple_of(64),
            set_links: Vec::new(),
        }
    }

    fn push_set(&mut self, (cells, digit): (CellSet, Digit), kind: NodeKind, body: CellSet) -> u16 {
        if self.nodes.len() < self.first_set {
            // Places up to the next multiple of 64 stand for no node: nothing links to them.
            let filler = Node { cells: CellSet::EMPTY, digit, kind: NodeKind::Group };
            self.nodes.resize(self.first_set, filler);
        }
        let node = self.nodes.len() as u16;
        self.nodes.push(Node { cells, digit, kind });
        self.sees.push(self.context.common_peers(cells) & self.context.spots(digit));
        self.bodies.push(body);
        self.by_digit[digit.index()].push(node);
        node
    }

    fn link(&mut self, one: u16, other: u16, reason: Reason) {
        self.set_links.push((one, Strong { to: other, reason }));
        self.set_links.push((other, Strong { to: one, reason }));
    }

    /// Groups: where a house that is no row and another house meet in two cells or more. Rows meet first.
    fn add_groups(&mut self) {
        let context = self.context;
        let houses: Vec<HouseId> = context.puzzle().house_ids().collect();
        let mut pairs: Vec<(HouseId, HouseId, CellSet)> = Vec::new();
        for (place, &one) in houses.iter().enumerate() {
            for &other in &houses[place + 1..] {
                let common = context.house(one) & context.house(other);
                if common.len() >= 2 {
                    pairs.push((one, other, common));
                }
            }
        }
        for of_house in pairs.chunk_by(|(one, ..), (other, ..)| one == other) {
            for digit in context.puzzle().digits() {
                for &(one, other, common) in of_house {
                    let cells = common & context.spots(digit);
                    let is_known = || {
                        let known = &self.by_digit[digit.index()];
                        known.iter().any(|&node| self.nodes[usize::from(node)].cells == cells)
                    };
                    if cells.len() >= 2 && !is_known() {
                        let node = self.push_set((cells, digit), NodeKind::Group, cells);
                        self.link_single(node, other, cells);
                        self.link_single(node, one, cells);
                    }
                }
            }
        }
        self.link_groups();
    }

    /// A group and the only other place of its digit in the house.
    fn link_single(&mut self, group: u16, house: HouseId, cells: CellSet) {
        let digit = self.nodes[usize::from(group)].digit;
        if let Some(cell) = (self.context.spots_in(house, digit) - cells).only() {
            let single = self.index[cell.index() * self.context.size() + digit.index()];
            self.link(group, single, Reason::House(house));
        }
    }

    /// Two groups that are all the places of a digit in a house.
    fn link_groups(&mut self) {
        for digit in self.context.puzzle().digits() {
            let groups: Vec<(u16, CellSet)> = self.by_digit[digit.index()]
                .iter()
                .map(|&group| (group, self.nodes[usize::from(group)].cells))
                .collect();
            for house in self.context.puzzle().house_ids() {
                let (body, spots) = (self.context.house(house), self.context.spots_in(house, digit));
                let inside: Vec<&(u16, CellSet)> =
                    groups.iter().filter(|(_, cells)| body.contains_all(*cells)).collect();
                for (place, (one, of_one)) in inside.iter().enumerate() {
                    for (other, of_other) in &inside[place + 1..] {
                        if !of_one.meets(*of_other) && *of_one | *of_other == spots {
                            self.link(*one, *other, Reason::House(house));
                        }
                    }
                }
            }
        }
    }

    /// Of each locked set, a node for each of its digits; every two of them are strongly linked.
    fn add_locked_sets(&mut self, sets: &[LockedSet]) {
        for (number, set) in sets.iter().enumerate() {
            let number = number as u16;
            let of_set: Vec<u16> = set
                .digits
                .iter()
                .map(|digit| {
                    let cells = set.cells & self.context.spots(digit);
                    self.push_set((cells, digit), NodeKind::LockedSet(number), set.cells)
                })
                .collect();
            for (place, &one) in of_set.iter().enumerate() {
                for &other in &of_set[place + 1..] {
                    self.link(one, other, Reason::LockedSet(number));
                }
            }
            self.link_exits(number, set, &of_set);
        }
    }

    /// A cell all but one of whose digits go as soon as the locked set has lost one of its own: it holds that one.
    fn link_exits(&mut self, number: u16, set: &LockedSet, of_set: &[u16]) {
        let seen: Vec<CellSet> =
            of_set.iter().map(|&node| self.sees[usize::from(node) - self.first_set]).collect();
        let around = seen.iter().fold(CellSet::EMPTY, |around, &cells| around | cells) - set.cells;
        for cell in around {
            let candidates = self.context.candidates(cell);
            if candidates.len() == 2 {
                continue;
            }
            let of_cell = set.digits.iter().zip(&seen).filter(|(_, cells)| cells.contains(cell));
            let lost: DigitSet = of_cell.map(|(digit, _)| digit).collect();
            if (candidates - lost).len() > 1 {
                continue;
            }
            for (digit, &node) in set.digits.iter().zip(of_set) {
                if let Some(exit) = (candidates - (lost - DigitSet::single(digit))).only() {
                    let to = self.index[cell.index() * self.context.size() + exit.index()];
                    self.link(node, to, Reason::LockedSetAnd(number, cell));
                }
            }
        }
    }

    fn finish(mut self, locked_sets: Vec<LockedSet>) -> Graph {
        let words = self.nodes.len().div_ceil(64);
        let mut graph = Graph {
            candidates: self.candidates,
            candidate_words: self.candidates.div_ceil(64),
            words,
            weak: Lists::with_capacity(self.nodes.len(), self.candidates * 24),
            strong: Lists::with_capacity(self.nodes.len(), self.candidates * 2 + self.set_links.len()),
            weak_bits: vec![0; self.nodes.len() * words],
            index: Vec::new(),
            size: self.context.size(),
            nodes: Vec::new(),
            locked_sets,
        };
        // Stable: of one node the links stay in the order in which they were made.
        self.set_links.sort_by_key(|(from, _)| *from);
        let mut links = self.set_links.iter().peekable();
        for node in 0..self.nodes.len() as u16 {
            let bits = &mut graph.weak_bits[usize::from(node) * words..][..words];
            if usize::from(node) < self.candidates {
                self.list_weak_of_candidate(node, &mut graph.weak.items, bits);
                self.list_strong_of_candidate(node, &mut graph.strong.items);
            } else if usize::from(node) >= self.first_set {
                self.list_weak_of_set(node, &mut graph.weak.items, bits);
            }
            while let Some((_, link)) = links.next_if(|(from, _)| *from == node) {
                graph.strong.items.push(*link);
            }
            graph.weak.end_list();
            graph.strong.end_list();
        }
        graph.nodes = self.nodes;
        graph.index = self.index;
        graph
    }

    fn list_weak_of_candidate(&self, node: u16, list: &mut Vec<u16>, bits: &mut [u64]) {
        let Node { cells, digit, .. } = self.nodes[usize::from(node)];
        let cell = cells.first().expect("a node has cells");
        let mut push = |other: u16| {
            if !has(bits, other) {
                insert(bits, other);
                list.push(other);
            }
        };
        let size = self.context.size();
        for other in self.context.candidates(cell) {
            if other != digit && self.reach != Reach::Digits {
                push(self.index[cell.index() * size + other.index()]);
            }
        }
        for &house in self.context.puzzle().houses_of(cell) {
            for other in self.context.spots_in(house, digit) {
                if other != cell {
                    push(self.index[other.index() * size + digit.index()]);
                }
            }
        }
        // What the cell sees otherwise: through a cage.
        for other in self.context.peers(cell) & self.context.spots(digit) {
            push(self.index[other.index() * size + digit.index()]);
        }
        for &set in &self.by_digit[digit.index()] {
            if self.sees[usize::from(set) - self.first_set].contains(cell) {
                push(set);
            }
        }
    }

    fn list_strong_of_candidate(&self, node: u16, list: &mut Vec<Strong>) {
        let Node { cells, digit, .. } = self.nodes[usize::from(node)];
        let cell = cells.first().expect("a node has cells");
        let size = self.context.size();
        let only_other = (self.context.candidates(cell) - DigitSet::single(digit)).only();
        if let Some(other) = only_other.filter(|_| self.reach != Reach::Digits) {
            let to = self.index[cell.index() * size + other.index()];
            list.push(Strong { to, reason: Reason::Cell(cell) });
        }
        if self.reach == Reach::Pairs {
            return;
        }
        let from = list.len();
        for &house in self.context.puzzle().houses_of(cell) {
            if self.context.seats_in(house, digit).count_ones() != 2 {
                continue;
            }
            let other = (self.context.spots_in(house, digit) - cells).first().expect("the other of two");
            let to = self.index[other.index() * size + digit.index()];
            if list[from..].iter().all(|link| link.to != to) {
                list.push(Strong { to, reason: Reason::House(house) });
            }
        }
    }

    fn list_weak_of_set(&self, node: u16, list: &mut Vec<u16>, bits: &mut [u64]) {
        let digit = self.nodes[usize::from(node)].digit;
        let place = usize::from(node) - self.first_set;
        let (sees, body) = (self.sees[place], self.bodies[place]);
        let size = self.context.size();
        let mut push = |other: u16| {
            insert(bits, other);
            list.push(other);
        };
        for cell in sees {
            push(self.index[cell.index() * size + digit.index()]);
        }
        for &other in &self.by_digit[digit.index()] {
            // Locked sets that share cells are left apart: a chain through both would use a cell twice.
            let is_apart = !self.bodies[usize::from(other) - self.first_set].meets(body);
            if other != node && is_apart && sees.contains_all(self.nodes[usize::from(other)].cells) {
                push(other);
            }
        }
    }
}
