//! A link graph, made from a position.

use smallvec::SmallVec;

use super::{Graph, Lists, LockedSet, NONE, Node, NodeKind, Reach, Reason, Strong};
use crate::engine::logic::context::Context;
use crate::engine::logic::crossings::{Crossing, Crossings};
use crate::engine::logic::{CellSet, MAX_SIZE};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// Derives the graph of a position. What it has of one of candidates alone, of the same position, is taken from there.
pub fn build(
    context: &Context<'_>,
    reach: Reach,
    locked_sets: Vec<LockedSet>,
    candidates: Option<&Graph>,
) -> Graph {
    let mut builder = Builder::new(context, reach, candidates);
    if matches!(reach, Reach::Groups | Reach::LockedSets) {
        builder.add_groups();
    }
    if reach == Reach::LockedSets {
        builder.add_locked_sets(&locked_sets);
    }
    builder.finish(locked_sets)
}

/// All candidates of a digit in a crossing.
struct Group {
    /// The first of the two houses.
    first: HouseId,
    cells: CellSet,
    /// Of each of the two, the only other place of the digit there.
    singles: [Option<(Cell, HouseId)>; 2],
    is_linked: bool,
    /// Its node, once it has one.
    node: u16,
}

struct Builder<'a, 'c> {
    context: &'a Context<'c>,
    reach: Reach,
    /// A graph of candidates alone.
    known: Option<&'a Graph>,
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
    fn new(context: &'a Context<'c>, reach: Reach, known: Option<&'a Graph>) -> Builder<'a, 'c> {
        let size = context.size();
        let mut nodes = Vec::with_capacity(384);
        let index = match known {
            Some(known) => {
                nodes.extend_from_slice(&known.nodes);
                known.index.clone()
            }
            None => {
                let mut index = vec![NONE; size * size * size];
                for cell in context.open() {
                    for digit in context.candidates(cell) {
                        index[cell.index() * size + digit.index()] = nodes.len() as u16;
                        nodes.push(Node { cells: CellSet::single(cell), digit, kind: NodeKind::Candidate });
                    }
                }
                index
            }
        };
        let candidates = nodes.len();
        Builder {
            context,
            reach,
            known,
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

    /// Groups: the candidates of a digit in a crossing, if there are several. One without strong links would lead
    /// nowhere, and is no node.
    fn add_groups(&mut self) {
        let (context, crossings) = (self.context, Crossings::of(self.context));
        let mut groups: [Vec<Group>; MAX_SIZE] = Default::default();
        for &Crossing { houses, cells: common, seats: shared } in crossings.wide() {
            let [one, other] = houses;
            for digit in context.puzzle().digits() {
                let inside = context.seats_in(one, digit) & shared[0];
                if inside & inside.wrapping_sub(1) == 0 {
                    continue;
                }
                let cells = common & context.spots(digit);
                let groups = &mut groups[digit.index()];
                if groups.iter().all(|known| known.cells != cells) {
                    let single = |house: HouseId, shared: u16| {
                        let rest = context.seats_in(house, digit) & !shared;
                        let cell = || context.puzzle().house(house).cells[rest.trailing_zeros() as usize];
                        rest.is_power_of_two().then(|| (cell(), house))
                    };
                    let singles = [single(other, shared[1]), single(one, shared[0])];
                    let is_linked = singles.iter().any(Option::is_some);
                    groups.push(Group { first: one, cells, singles, is_linked, node: NONE });
                }
            }
        }
        let pairs = self.pair_groups(&mut groups);
        self.push_groups(&mut groups);
        for (digit, [one, other], house) in pairs {
            let node = |place: usize| groups[digit.index()][place].node;
            self.link(node(one), node(other), Reason::House(house));
        }
    }

    /// Two groups that are all the places of a digit in a house.
    fn pair_groups(&self, groups: &mut [Vec<Group>; MAX_SIZE]) -> Vec<(Digit, [usize; 2], HouseId)> {
        let context = self.context;
        let mut pairs = Vec::new();
        // Houses with the groups inside, house by house.
        let mut inside: Vec<(HouseId, usize)> = Vec::new();
        for digit in context.puzzle().digits() {
            let groups = &mut groups[digit.index()];
            inside.clear();
            // Two groups are four places at least.
            let roomy = context.houses_with_four(digit);
            for (place, group) in groups.iter().enumerate() {
                let Some(first) = group.cells.first() else { continue };
                if context.houses_of(first) & roomy == 0 {
                    continue;
                }
                let houses = context.puzzle().houses_of(first).iter().copied();
                let around = houses
                    .filter(|house| roomy >> house.index() & 1 != 0)
                    .filter(|&house| context.house(house).contains_all(group.cells));
                inside.extend(around.map(|house| (house, place)));
            }
            inside.sort_unstable();
            for of_house in inside.chunk_by(|one, other| one.0 == other.0).filter(|some| some.len() > 1) {
                let house = of_house[0].0;
                let spots = context.spots_in(house, digit);
                for (number, &(_, place)) in of_house.iter().enumerate() {
                    let rest = spots - groups[place].cells;
                    let mut others = of_house[number + 1..].iter();
                    if let Some(&(_, other)) = others.find(|(_, other)| groups[*other].cells == rest) {
                        groups[place].is_linked = true;
                        groups[other].is_linked = true;
                        pairs.push((digit, [place, other], house));
                    }
                }
            }
        }
        pairs
    }

    /// Makes nodes of groups with strong links, by the first of the two houses, then by digit.
    fn push_groups(&mut self, groups: &mut [Vec<Group>; MAX_SIZE]) {
        let mut next = [0; MAX_SIZE];
        for house in self.context.puzzle().house_ids() {
            for digit in self.context.puzzle().digits() {
                let next = &mut next[digit.index()];
                let rest = groups[digit.index()][*next..].iter_mut();
                for group in rest.take_while(|group| group.first == house) {
                    *next += 1;
                    if group.is_linked {
                        group.node = self.push_set((group.cells, digit), NodeKind::Group, group.cells);
                        self.link_singles(group, digit);
                    }
                }
            }
        }
    }

    fn link_singles(&mut self, group: &Group, digit: Digit) {
        for &(cell, house) in group.singles.iter().flatten() {
            let single = self.index[cell.index() * self.context.size() + digit.index()];
            self.link(group.node, single, Reason::House(house));
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

    fn finish(self, locked_sets: Vec<LockedSet>) -> Graph {
        let words = self.nodes.len().div_ceil(64);
        let (candidates, count) = (self.candidates, self.nodes.len());
        let mut strong = Lists::with_capacity(count, candidates * 2 + self.set_links.len());
        // Of each node, its first link of those with sets, and after each link the node's next, as they were made.
        let (mut first, mut after) = (vec![None; count], vec![None; self.set_links.len()]);
        for (place, (from, _)) in self.set_links.iter().enumerate().rev() {
            after[place] = first[usize::from(*from)].replace(place as u32);
        }
        let pairs: SmallVec<[u64; MAX_SIZE]> =
            self.context.puzzle().digits().iter().map(|digit| self.context.houses_with_two(digit)).collect();
        for (node, first) in (0..count as u16).zip(first) {
            match self.known {
                _ if usize::from(node) >= candidates => {}
                Some(known) => known.strong(node).iter().for_each(|link| strong.push(*link)),
                None => self.list_strong_of_candidate(node, &pairs, &mut strong),
            }
            let mut next = first;
            while let Some(place) = next {
                strong.push(self.set_links[place as usize].1);
                next = after[place as usize];
            }
            strong.end_list();
        }
        let mut weak = Weak { bits: vec![0; count * words], words };
        match self.known {
            Some(known) => {
                for (node, row) in (0..candidates as u16).zip(weak.bits.chunks_exact_mut(words.max(1))) {
                    row[..known.words].copy_from_slice(known.weak_bits(node));
                }
            }
            None => self.link_candidates(&mut weak),
        }
        self.link_sets(&mut weak);
        Graph {
            candidates,
            candidate_words: candidates.div_ceil(64),
            words,
            strong,
            weak_bits: weak.bits,
            index: self.index,
            size: self.context.size(),
            nodes: self.nodes,
            locked_sets,
        }
    }

    /// Of each digit the houses with two places are given.
    fn list_strong_of_candidate(&self, node: u16, pairs: &[u64], list: &mut Lists<Strong>) {
        let Node { cells, digit, .. } = self.nodes[usize::from(node)];
        let cell = cells.first().expect("a node has cells");
        let size = self.context.size();
        let only_other = (self.context.candidates(cell) - DigitSet::single(digit)).only();
        if let Some(other) = only_other.filter(|_| self.reach != Reach::Digits) {
            let to = self.index[cell.index() * size + other.index()];
            list.push(Strong { to, reason: Reason::Cell(cell) });
        }
        let pairs = pairs[digit.index()];
        if self.reach == Reach::Pairs || self.context.houses_of(cell) & pairs == 0 {
            return;
        }
        for &(house, seat) in self.context.seats_of(cell) {
            if pairs >> house.index() & 1 == 0 {
                continue;
            }
            let seats = self.context.seats_in(house, digit);
            let other = self.context.puzzle().house(house).cells[(seats & !seat).trailing_zeros() as usize];
            let to = self.index[other.index() * size + digit.index()];
            // The same two cells may be all the places of two houses: the first says it.
            if list.open().iter().all(|link| link.to != to) {
                list.push(Strong { to, reason: Reason::House(house) });
            }
        }
    }

    /// Weak links between candidates: those of a cell, and those of a digit that see each other.
    fn link_candidates(&self, weak: &mut Weak) {
        let size = self.context.size();
        let mut first = 0;
        // By digit index, the cells met before.
        let mut before = [CellSet::EMPTY; MAX_SIZE];
        for cell in self.context.open() {
            let digits = self.context.candidates(cell);
            let peers = self.context.peers(cell);
            let after = first + digits.len() as u16;
            for (node, digit) in (first..after).zip(digits) {
                if self.reach != Reach::Digits {
                    (first..node).for_each(|other| weak.say_both(node, other));
                }
                let before = &mut before[digit.index()];
                for other in peers & *before {
                    weak.say_both(node, self.index[other.index() * size + digit.index()]);
                }
                before.insert(cell);
            }
            first = after;
        }
    }

    /// Weak links of groups and locked sets. Those that share cells are left apart: a chain through both would use a
    /// cell twice.
    fn link_sets(&self, weak: &mut Weak) {
        let size = self.context.size();
        for (digit, sets) in self.by_digit.iter().enumerate() {
            for (place, &set) in sets.iter().enumerate() {
                let at = usize::from(set) - self.first_set;
                let (sees, body) = (self.sees[at], self.bodies[at]);
                for cell in sees {
                    weak.say_both(set, self.index[cell.index() * size + digit]);
                }
                for &other in &sets[place + 1..] {
                    let is_apart = !self.bodies[usize::from(other) - self.first_set].meets(body);
                    if is_apart && sees.contains_all(self.nodes[usize::from(other)].cells) {
                        weak.say_both(set, other);
                    }
                }
            }
        }
    }
}

/// Rows of bits: of each node, those that it is weakly linked to.
struct Weak {
    bits: Vec<u64>,
    words: usize,
}

impl Weak {
    fn say(&mut self, one: u16, other: u16) {
        self.bits[usize::from(one) * self.words + usize::from(other / 64)] |= 1 << (other % 64);
    }

    fn say_both(&mut self, one: u16, other: u16) {
        self.say(one, other);
        self.say(other, one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Against every two groups of a digit in every house.
    #[test]
    fn groups_that_are_all_places_of_a_house_are_linked() {
        let mut count = 0;
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let graph = Graph::new(&context, Reach::Groups, Vec::new());
            let groups: Vec<u16> = (0..graph.node_count() as u16)
                .filter(|&node| graph.node(node).kind == NodeKind::Group && !graph.strong(node).is_empty())
                .collect();
            let is_linked = |one: u16, other: u16| graph.strong(one).iter().any(|link| link.to == other);
            let are_all = |one: &Node, other: &Node| {
                one.digit == other.digit
                    && !one.cells.meets(other.cells)
                    && context
                        .puzzle()
                        .house_ids()
                        .any(|house| context.spots_in(house, one.digit) == one.cells | other.cells)
            };
            for (place, &one) in groups.iter().enumerate() {
                for &other in &groups[place + 1..] {
                    let wanted = are_all(graph.node(one), graph.node(other));
                    assert_eq!([is_linked(one, other), is_linked(other, one)], [wanted; 2]);
                    count += usize::from(wanted);
                }
            }
        }
        assert!(count > 10, "{count}");
    }
}
