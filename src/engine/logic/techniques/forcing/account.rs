//! The proof of what a net says: a lemma for each literal that it needs, in order.
//!
//! Each lemma says that a literal holds if the assumptions do. It rests on one premise, the cell or house whose
//! last candidate the literal is, and on the lemmas for what excludes the others.

use smallvec::smallvec;

use super::net::{Aside, Branch, Cause, End, Ground, Net, Node};
use crate::engine::logic::{Argument, Lemma, Literal, Premise};
use crate::puzzle::{Digit, HouseId};

/// Lemmas so far.
#[derive(Default)]
pub struct Account {
    /// In order.
    pub lemmas: Vec<Lemma>,
    /// How many literals were found to hold on the way, over all nets.
    pub held: Vec<Literal>,
}

/// Once there would be more lemmas than this, each further refutation within that holds no other is told in one lemma
/// with all its premises: few enough for whoever checks them, at the price that a premise among them may be spared.
const MOST_LEMMAS: usize = 380;

/// The nodes of a net, and of what is assumed within it, one within the other.
#[derive(Clone)]
struct View<'n> {
    net: &'n Net<'n>,
    within: Vec<Within<'n>>,
}

/// An assumption within, and how many nodes and asides there were before.
#[derive(Clone, Copy)]
struct Within<'n> {
    first: usize,
    first_aside: usize,
    branch: &'n Branch,
}

impl<'n> View<'n> {
    fn new(net: &'n Net<'n>) -> View<'n> {
        View { net, within: Vec::new() }
    }

    fn node(&self, index: usize) -> Node {
        match self.within.iter().rev().find(|within| index >= within.first) {
            Some(within) => within.branch.nodes[index - within.first],
            None => self.net.nodes[index],
        }
    }

    fn aside(&self, number: u16) -> &'n Aside {
        let number = usize::from(number);
        match self.within.iter().rev().find(|within| number >= within.first_aside) {
            Some(within) => &within.branch.asides[number - within.first_aside],
            None => &self.net.asides[number],
        }
    }

    /// The node that says a literal, before some node.
    fn place_of(&self, literal: Literal, before: usize) -> usize {
        let mut before = before;
        for within in self.within.iter().rev() {
            let seen = within.branch.nodes.iter().take(before.saturating_sub(within.first));
            if let Some(place) = seen.map(|node| node.literal).position(|said| said == literal) {
                return within.first + place;
            }
            before = before.min(within.first);
        }
        self.net.node_of(literal)
    }

    /// What is assumed, outermost first.
    fn assumed(&self) -> impl Iterator<Item = Literal> + '_ {
        let outer = self.net.nodes.first().filter(|node| node.cause == Cause::Assumed);
        outer
            .into_iter()
            .chain(self.within.iter().map(|within| &within.branch.nodes[0]))
            .map(|node| node.literal)
    }

    /// The negated assumptions: what every claim begins with.
    fn assumptions(&self) -> Vec<Literal> {
        self.assumed().map(Literal::negated).collect()
    }

    /// The candidates of a premise.
    fn candidates(&self, premise: &Premise) -> Vec<Literal> {
        let field = self.net.field();
        match *premise {
            Premise::Cell(cell) => field.choices(cell).iter().map(|digit| Literal::is(cell, digit)).collect(),
            Premise::House(house, digit) => {
                field.spots(house, digit).map(|cell| Literal::is(cell, digit)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a premise rests on: nodes that between them, or with the assumptions and what else is `given`, exclude all
    /// its candidates but those that are left. None can be spared.
    fn supports(
        &self,
        premise: &Premise,
        left: &[Literal],
        given: Option<Literal>,
        before: usize,
    ) -> Vec<usize> {
        let mut excluded = self.candidates(premise);
        excluded.retain(|literal| !left.contains(literal));
        excluded.retain(|&literal| !self.assumed().chain(given).any(|known| self.excludes(known, literal)));
        let mut supports: Vec<usize> = Vec::new();
        for literal in &excluded {
            let off = self.place_of(literal.negated(), before);
            match self.node(off).cause {
                Cause::Seen(by) => supports.push(by.into()),
                _ => supports.push(off),
            }
        }
        supports.sort_unstable();
        supports.dedup();
        for place in (0..supports.len()).rev() {
            let others = |&other: &usize| other != supports[place];
            let is_spare = excluded.iter().all(|&literal| {
                supports
                    .iter()
                    .copied()
                    .filter(others)
                    .any(|other| self.excludes(self.node(other).literal, literal))
            });
            if is_spare {
                supports.remove(place);
            }
        }
        supports
    }

    /// Whether a candidate cannot hold if this is so.
    fn excludes(&self, known: Literal, candidate: Literal) -> bool {
        match known.holds {
            true => self.net.field().conflict(known, candidate),
            false => known.negated() == candidate,
        }
    }

    /// The same with a branch of an aside.
    fn within(&self, aside: &Aside, branch: &'n Branch) -> View<'n> {
        let mut within = self.within.clone();
        within.push(Within { first: aside.first, first_aside: aside.first_aside, branch });
        View { net: self.net, within }
    }

    /// How many nodes there are.
    fn len(&self) -> usize {
        match self.within.last() {
            Some(within) => within.first + within.branch.nodes.len(),
            None => self.net.nodes.len(),
        }
    }

    /// Marks the nodes on which a node rests.
    fn mark_from(&self, index: usize, needed: &mut [bool]) {
        let node = self.node(index);
        match node.cause {
            Cause::Assumed => {}
            Cause::Seen(by) => needed[usize::from(by)] = true,
            Cause::Cell | Cause::House(_) => {
                let premise = premise_of(node);
                for support in self.supports(&premise, &[node.literal], None, index) {
                    needed[support] = true;
                }
            }
            Cause::Shown(number) => {
                let aside = self.aside(number);
                for branch in &aside.branches {
                    let of_branch = self.within(aside, branch).mark_shown(aside.ground, node.literal);
                    for (outer, inner) in needed.iter_mut().zip(&of_branch).take(aside.first) {
                        *outer |= inner;
                    }
                }
                for support in self.shown_supports(aside, node.literal) {
                    needed[support] = true;
                }
            }
        }
    }

    /// All nodes that a branch needs for what its aside shows.
    fn mark_shown(&self, ground: Ground, shown: Literal) -> Vec<bool> {
        match ground {
            Ground::Refuted(end) => self.mark(end),
            _ => self.needed_for(self.place_of(shown, self.len())),
        }
    }

    /// What the premise of an aside rests on beside its branches.
    fn shown_supports(&self, aside: &Aside, shown: Literal) -> Vec<usize> {
        let Some(premise) = premise_of_ground(aside.ground) else { return Vec::new() };
        let left: Vec<Literal> = aside.branches.iter().map(|branch| branch.nodes[0].literal).collect();
        self.supports(&premise, &left, Some(shown.negated()), aside.first)
    }

    /// All nodes that an end needs.
    fn mark(&self, end: End) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        for index in self.of_end(end).1 {
            needed[index] = true;
        }
        self.mark_back(&mut needed);
        needed
    }

    /// All nodes that a node needs, and itself.
    fn needed_for(&self, index: usize) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        needed[index] = true;
        self.mark_back(&mut needed);
        needed
    }

    /// The first of these nodes that conflicts with the start.
    fn clash(&self, needed: &[bool]) -> Option<usize> {
        let start = self.net.nodes[0].literal;
        let clashes = |&index: &usize| {
            let literal = self.node(index).literal;
            needed[index] && start.holds && literal.holds && self.net.field().conflict(start, literal)
        };
        (1..needed.len()).find(clashes)
    }

    /// Marks what marked nodes need; of nodes before an assumption within, the net itself does that.
    fn mark_back(&self, needed: &mut [bool]) {
        let first = self.within.last().map_or(0, |within| within.first);
        for index in (first..needed.len()).rev() {
            if needed[index] {
                self.mark_from(index, needed);
            }
        }
    }

    /// The premise and the nodes of an end.
    fn of_end(&self, end: End) -> (Vec<Premise>, Vec<usize>) {
        let premise = match end {
            End::Assumption(node) => return (Vec::new(), vec![usize::from(node)]),
            End::Cell(cell) => Premise::Cell(cell),
            End::House(house, digit) => Premise::House(house, digit),
        };
        let nodes = self.supports(&premise, &[], None, self.len());
        (vec![premise], nodes)
    }
}

/// The cell or house whose last candidate a node says.
fn premise_of(node: Node) -> Premise {
    match node.cause {
        Cause::House(house) => Premise::House(house, node.literal.digit),
        _ => Premise::Cell(node.literal.cell),
    }
}

/// The premise that one of the assumptions of an aside holds, if it takes one.
fn premise_of_ground(ground: Ground) -> Option<Premise> {
    match ground {
        Ground::Refuted(_) | Ground::Either => None,
        Ground::Cell(cell) => Some(Premise::Cell(cell)),
        Ground::House(house, digit) => Some(Premise::House(house, digit)),
    }
}

impl Account {
    /// Proves that the net's assumption is false.
    pub fn refute(net: &Net<'_>, end: End) -> Account {
        let view = View::new(net);
        let needed = view.mark(end);
        let mut account = Account::default();
        let lemmas = account.tell(&view, &needed, 0);
        account.conclude(&view, end, &lemmas);
        account
    }

    /// Proves what an aside of a net shows.
    pub fn of_aside(net: &Net<'_>, aside: &Aside, shown: Literal) -> Account {
        let mut account = Account::default();
        account.tell_aside(&View::new(net), aside, shown, &vec![None; net.nodes.len()]);
        account
    }

    /// Proves that a literal follows from the net's assumption. The lemma to use for it, if it takes one: what the
    /// assumption itself excludes needs none.
    pub fn derive(&mut self, net: &Net<'_>, literal: Literal) -> Option<u32> {
        let view = View::new(net);
        let mut index = net.node_of(literal);
        let mut needed = view.needed_for(index);
        // A plain chain that comes upon what conflicts with its start says all that is to be said of it.
        if let Some(clash) = view.clash(&needed) {
            index = clash;
            needed = view.needed_for(index);
        }
        let lemmas = self.tell(&view, &needed, 0);
        self.lemma_of(&view, index, &lemmas)
    }

    /// The lemma that stands for a node: its own, or that of what excludes it.
    fn lemma_of(&self, view: &View<'_>, index: usize, lemmas: &[Option<u32>]) -> Option<u32> {
        match view.node(index).cause {
            Cause::Seen(by) => lemmas[usize::from(by)],
            _ => lemmas[index],
        }
    }

    /// Writes the lemmas of all needed nodes from `first` on; for each node its lemma, if it has one.
    fn tell(&mut self, view: &View<'_>, needed: &[bool], first: usize) -> Vec<Option<u32>> {
        let mut lemmas = vec![None; needed.len()];
        self.tell_on(view, needed, first, &mut lemmas);
        lemmas
    }

    fn tell_on(&mut self, view: &View<'_>, needed: &[bool], first: usize, lemmas: &mut [Option<u32>]) {
        for index in (first..needed.len()).filter(|&index| needed[index]) {
            let node = view.node(index);
            match node.cause {
                Cause::Assumed | Cause::Seen(_) => {}
                Cause::Cell | Cause::House(_) => {
                    let premise = premise_of(node);
                    let supports = view.supports(&premise, &[node.literal], None, index);
                    let uses = self.uses(view, &supports, lemmas);
                    let mut claim = view.assumptions();
                    claim.push(node.literal);
                    self.held.push(node.literal);
                    lemmas[index] = Some(self.push(claim, vec![premise], uses));
                }
                Cause::Shown(number) => {
                    lemmas[index] = Some(self.tell_aside(view, view.aside(number), node.literal, lemmas));
                }
            }
        }
    }

    /// Writes the lemmas of an aside; the one for what it shows.
    fn tell_aside(&mut self, view: &View<'_>, aside: &Aside, shown: Literal, lemmas: &[Option<u32>]) -> u32 {
        let mut uses: Vec<Option<u32>> = Vec::new();
        for branch in &aside.branches {
            let within = view.within(aside, branch);
            let needed = within.mark_shown(aside.ground, shown);
            let steps = needed[aside.first..].iter().filter(|is_needed| **is_needed).count();
            if let Ground::Refuted(end) = aside.ground
                && branch.asides.is_empty()
                && self.lemmas.len() + steps > MOST_LEMMAS
            {
                return self.tell_briefly(&within, &needed, end, lemmas);
            }
            let mut of_branch = lemmas[..aside.first].to_vec();
            of_branch.resize(needed.len(), None);
            self.tell_on(&within, &needed, aside.first, &mut of_branch);
            if let Ground::Refuted(end) = aside.ground {
                return self.conclude(&within, end, &of_branch);
            }
            let place = within.place_of(shown, within.len());
            uses.push(self.lemma_of(&within, place, &of_branch));
        }
        let supports = view.shown_supports(aside, shown);
        let mut uses: Vec<u32> =
            uses.into_iter().flatten().chain(self.uses(view, &supports, lemmas)).collect();
        uses.sort_unstable();
        uses.dedup();
        let mut claim = view.assumptions();
        claim.push(shown);
        self.push(claim, premise_of_ground(aside.ground).into_iter().collect(), uses)
    }

    /// One lemma for a refutation within: all premises of its nodes, and the lemmas of the net itself.
    fn tell_briefly(&mut self, view: &View<'_>, needed: &[bool], end: End, lemmas: &[Option<u32>]) -> u32 {
        let first = view.within.last().map_or(0, |within| within.first);
        let (mut premises, _) = view.of_end(end);
        for index in (first..needed.len()).filter(|&index| needed[index]) {
            let node = view.node(index);
            if matches!(node.cause, Cause::Cell | Cause::House(_)) {
                self.held.push(node.literal);
                let premise = premise_of(node);
                if !premises.contains(&premise) {
                    premises.push(premise);
                }
            }
        }
        let outer = (0..first).filter(|&index| needed[index]);
        let mut uses: Vec<u32> = outer.filter_map(|index| self.lemma_of(view, index, lemmas)).collect();
        uses.sort_unstable();
        uses.dedup();
        self.push(view.assumptions(), premises, uses)
    }

    /// The last lemma of a refutation.
    fn conclude(&mut self, view: &View<'_>, end: End, lemmas: &[Option<u32>]) -> u32 {
        let (premises, nodes) = view.of_end(end);
        let uses = match end {
            End::Assumption(node) => lemmas[usize::from(node)].into_iter().collect(),
            _ => self.uses(view, &nodes, lemmas),
        };
        self.push(view.assumptions(), premises, uses)
    }

    fn uses(&self, view: &View<'_>, nodes: &[usize], lemmas: &[Option<u32>]) -> Vec<u32> {
        let mut uses: Vec<u32> =
            nodes.iter().filter_map(|&index| self.lemma_of(view, index, lemmas)).collect();
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// Adds a lemma of one claim.
    pub fn push(&mut self, claim: Vec<Literal>, premises: Vec<Premise>, uses: Vec<u32>) -> u32 {
        self.lemmas.push(Lemma {
            claims: smallvec![claim.into()],
            argument: Argument::Conflict { premises: premises.into(), uses },
        });
        self.lemmas.len() as u32 - 1
    }

    /// Concludes what follows from every start: one of them holds, by the premise.
    pub fn agree(&mut self, literal: Literal, premises: Vec<Premise>, uses: Vec<Option<u32>>) {
        let mut uses: Vec<u32> = uses.into_iter().flatten().collect();
        uses.sort_unstable();
        uses.dedup();
        self.push(vec![literal], premises, uses);
    }
}

/// The premise that one of the places of a digit holds.
pub fn house_premise(house: HouseId, digit: Digit) -> Premise {
    Premise::House(house, digit)
}
