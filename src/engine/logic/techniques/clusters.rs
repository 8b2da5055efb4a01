//! Clusters: candidates joined by links of which exactly one end is true, so that two colours take turns and one of
//! them is true throughout.
//!
//! ```text
//!  ● ═ ○ ═ ●     each ═ a house with two places for a digit, or a cell with two candidates
//!      ║
//!      ●
//! ```

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

use smallvec::smallvec;

use crate::engine::logic::context::Context;
use crate::engine::logic::{
    Argument, CellSet, Claim, Conclusion, Lemma, Literal, MAX_SIZE, Mark, Premise, Role, Shape,
};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// A candidate.
pub type Node = (Cell, Digit);

/// What joins two candidates.
#[derive(Clone, Copy)]
enum Joint {
    /// The cell has no third candidate.
    Cell(Cell),
    /// The digit has no third place in the house.
    House(HouseId, Digit),
}

impl Joint {
    fn premise(self) -> Premise {
        match self {
            Joint::Cell(cell) => Premise::Cell(cell),
            Joint::House(house, digit) => Premise::House(house, digit),
        }
    }
}

/// Candidates joined to one, and by what.
type Links = Vec<(Node, Joint)>;

/// A connected group of candidates, of at least two.
pub struct Cluster {
    nodes: Vec<Node>,
    /// Of each node, whether it is of the second colour.
    sides: Vec<bool>,
    /// Those joined to the first node, and by what; then those joined to the second, and so on.
    links: Vec<(usize, Joint)>,
    /// Where the links of each node end.
    ends: Vec<usize>,
    /// The cells of each colour.
    cells: [CellSet; 2],
    /// The cells that one of each colour at least sees.
    seen: [CellSet; 2],
}

/// Most clusters have no more candidates.
const FEW: usize = 12;

/// The clusters of each digit, by its index, found when first asked for.
pub struct DigitClusters([OnceCell<Vec<Cluster>>; MAX_SIZE]);

impl DigitClusters {
    /// Those of a position.
    pub fn of(context: &Context<'_>) -> Rc<DigitClusters> {
        context.derived().unwrap_or_else(|| context.keep(DigitClusters(Default::default())))
    }

    /// Those of a digit.
    pub fn of_digit(&self, context: &Context<'_>, digit: Digit) -> &[Cluster] {
        self.0[digit.index()].get_or_init(|| Cluster::of_digit(context, digit))
    }
}

/// The clusters of all digits together.
pub struct Clusters(pub Vec<Cluster>);

impl Clusters {
    /// Those of a position, found when first asked for.
    pub fn of(context: &Context<'_>) -> Rc<Clusters> {
        context.derived().unwrap_or_else(|| context.keep(Clusters(Cluster::of_all(context))))
    }
}

/// Whether two candidates cannot both be true.
pub fn conflict(context: &Context<'_>, one: Node, other: Node) -> bool {
    match one.0 == other.0 {
        true => one.1 != other.1,
        false => one.1 == other.1 && context.peers(one.0).contains(other.0),
    }
}

impl Cluster {
    /// The clusters of one digit.
    fn of_digit(context: &Context<'_>, digit: Digit) -> Vec<Cluster> {
        let ends = context.conjugates(digit).iter().flat_map(|link| link.cells);
        Cluster::all(context, ends.map(|cell| (cell, digit)), &|node, links| {
            links_in_houses(context, node, links)
        })
    }

    /// The clusters of all digits, joined by cells with two candidates too.
    fn of_all(context: &Context<'_>) -> Vec<Cluster> {
        let of_houses = context.puzzle().digits().iter().flat_map(|digit| {
            let ends = context.conjugates(digit).iter().flat_map(|link| link.cells);
            ends.map(move |cell| (cell, digit))
        });
        let of_cells = context
            .bivalue()
            .iter()
            .flat_map(|cell| context.candidates(cell).iter().map(move |digit| (cell, digit)));
        Cluster::all(context, of_houses.chain(of_cells), &|(cell, digit), links| {
            links_in_houses(context, (cell, digit), links);
            if context.bivalue().contains(cell) {
                let other = (context.candidates(cell) - DigitSet::single(digit)).iter();
                links.extend(other.map(|digit| ((cell, digit), Joint::Cell(cell))));
            }
        })
    }

    /// Grows a cluster from each of these that is in none yet.
    fn all(
        context: &Context<'_>,
        starts: impl Iterator<Item = Node>,
        links_of: &dyn Fn(Node, &mut Links),
    ) -> Vec<Cluster> {
        const NONE: u16 = u16::MAX;
        let size = context.size();
        // By cell and digit, the place in its cluster.
        let mut places = vec![NONE; context.puzzle().cell_count() * size];
        let at = |(cell, digit): Node| cell.index() * size + digit.index();
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut found = Vec::new();
        for start in starts {
            if places[at(start)] != NONE {
                continue;
            }
            places[at(start)] = 0;
            let mut cluster = Cluster::at(start);
            let mut next = 0;
            while next < cluster.nodes.len() {
                links_of(cluster.nodes[next], &mut found);
                for (node, joint) in found.drain(..) {
                    let place = &mut places[at(node)];
                    if *place == NONE {
                        *place = cluster.nodes.len() as u16;
                        cluster.nodes.push(node);
                        cluster.sides.push(!cluster.sides[next]);
                    }
                    cluster.links.push((usize::from(*place), joint));
                }
                cluster.ends.push(cluster.links.len());
                next += 1;
            }
            cluster.look_around(context);
            clusters.push(cluster);
        }
        clusters
    }

    /// One candidate.
    fn at(start: Node) -> Cluster {
        let (mut nodes, mut sides) = (Vec::with_capacity(FEW), Vec::with_capacity(FEW));
        nodes.push(start);
        sides.push(false);
        Cluster {
            nodes,
            sides,
            links: Vec::with_capacity(2 * FEW),
            ends: Vec::with_capacity(FEW),
            cells: [CellSet::EMPTY; 2],
            seen: [CellSet::EMPTY; 2],
        }
    }

    /// Notes where each colour stands, and what it sees.
    fn look_around(&mut self, context: &Context<'_>) {
        for (&(cell, _), &side) in self.nodes.iter().zip(&self.sides) {
            self.cells[usize::from(side)].insert(cell);
            self.seen[usize::from(side)] |= context.peers(cell);
        }
    }

    /// The candidates.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Those joined to a node, and by what.
    fn links_of(&self, node: usize) -> &[(usize, Joint)] {
        let from = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.links[from..self.ends[node]]
    }

    /// The places of the candidates of a colour.
    pub fn side(&self, side: bool) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.nodes.len()).filter(move |&node| self.sides[node] == side)
    }

    /// The cells of a colour; of one digit, that says it all.
    pub fn cells(&self, side: bool) -> CellSet {
        self.cells[usize::from(side)]
    }

    /// The cells that one of a colour at least sees.
    pub fn seen(&self, side: bool) -> CellSet {
        self.seen[usize::from(side)]
    }

    /// A mark for each digit of a colour.
    pub fn marks(&self, side: bool, role: Role) -> Vec<Mark> {
        let digits: DigitSet = self.side(side).map(|node| self.nodes[node].1).collect();
        let of_digit = |digit: Digit| {
            let cells: CellSet = self
                .side(side)
                .filter(|&node| self.nodes[node].1 == digit)
                .map(|node| self.nodes[node].0)
                .collect();
            Shape::Candidates { cells: cells.iter().collect(), digits: DigitSet::single(digit) }
        };
        digits.iter().map(|digit| Mark::new(role, of_digit(digit))).collect()
    }

    /// What says that of these candidates of one colour and those of the other one at least is true: the links of a
    /// shortest way between them.
    pub fn strong_way(&self, from: &[usize], to: &[usize]) -> Vec<Premise> {
        // One end false, so the next is true by the first link; so the next is false, which needs no link to be known.
        self.way(from, to).into_iter().step_by(2).collect()
    }

    /// What says that if one candidate is true, another of the same colour is.
    pub fn same_way(&self, from: usize, to: usize) -> Vec<Premise> {
        self.way(&[from], &[to]).into_iter().skip(1).step_by(2).collect()
    }

    /// The links of a shortest way from one of these to one of those.
    fn way(&self, from: &[usize], to: &[usize]) -> Vec<Premise> {
        let mut before: Vec<Option<(usize, Joint)>> = vec![None; self.nodes.len()];
        let mut queue: VecDeque<usize> = from.iter().copied().collect();
        let mut end = None;
        while let Some(node) = queue.pop_front() {
            if to.contains(&node) {
                end = Some(node);
                break;
            }
            for &(next, joint) in self.links_of(node) {
                if !from.contains(&next) && before[next].is_none() {
                    before[next] = Some((node, joint));
                    queue.push_back(next);
                }
            }
        }
        let mut way = Vec::new();
        while let Some((node, joint)) = end.and_then(|node| before[node]) {
            way.push(joint.premise());
            end = Some(node);
        }
        way.reverse();
        way
    }

    /// Lemmas that a whole colour is false, once the first says it of one candidate: if one is false, what is joined
    /// to it is true, and what is joined to that is false.
    pub fn refute(
        &self,
        context: &Context<'_>,
        start: usize,
        first: Vec<Premise>,
    ) -> (Vec<Conclusion>, Vec<Lemma>) {
        let is_not =
            |node: usize| -> Claim { smallvec![Literal::is_not(self.nodes[node].0, self.nodes[node].1)] };
        let mut lemmas = vec![Lemma {
            claims: smallvec![is_not(start)],
            argument: Argument::Conflict { premises: first.into(), uses: Vec::new() },
        }];
        // Each with the lemma that says so.
        let mut refuted = vec![(start, 0u32)];
        let mut next = 0;
        while next < refuted.len() {
            let (node, lemma) = refuted[next];
            for (middle, joint) in self.links_of(node) {
                let before = refuted.len();
                // Everything of the colour that the true one conflicts with.
                for other in self.side(self.sides[start]) {
                    let is_known = refuted.iter().any(|(known, _)| *known == other);
                    if !is_known && conflict(context, self.nodes[*middle], self.nodes[other]) {
                        refuted.push((other, lemmas.len() as u32));
                    }
                }
                if refuted.len() > before {
                    let claims = refuted[before..].iter().map(|(node, _)| is_not(*node)).collect();
                    let argument =
                        Argument::Conflict { premises: smallvec![joint.premise()], uses: vec![lemma] };
                    lemmas.push(Lemma { claims, argument });
                }
            }
            next += 1;
        }
        let gone = refuted.iter().map(|&(node, _)| self.nodes[node]);
        let gone = gone.map(|(cell, digit)| Conclusion::Eliminate(cell, digit));
        (gone.collect(), lemmas)
    }
}

fn links_in_houses(context: &Context<'_>, (cell, digit): Node, links: &mut Links) {
    for &(house, seat) in context.seats_of(cell) {
        let seats = context.seats_in(house, digit);
        if (seats & seats.wrapping_sub(1)).is_power_of_two() {
            let other = (seats & !seat).trailing_zeros() as usize;
            let end = context.puzzle().house(house).cells[other];
            links.push(((end, digit), Joint::House(house, digit)));
        }
    }
}
