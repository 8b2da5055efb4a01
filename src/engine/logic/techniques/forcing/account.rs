//! The proof of what a net says: a lemma for each literal that it needs, in order.
//!
//! Each lemma says that a literal holds if the assumptions do. It rests on one premise, the cell or house whose
//! last candidate the literal is, and on the lemmas for what excludes the others.

use smallvec::smallvec;

use super::net::{Cause, End, Net, Node, Refutation};
use crate::engine::logic::{Argument, Lemma, Literal, Premise};
use crate::puzzle::{Cell, Digit, HouseId};

/// Lemmas so far.
#[derive(Default)]
pub struct Account {
    /// In order.
    pub lemmas: Vec<Lemma>,
    /// How many literals were found to hold on the way, over all nets.
    pub held: Vec<Literal>,
}

/// Once there would be more lemmas than this, each further refutation within is told in one lemma with all its
/// premises: few enough for whoever checks them, at the price that a premise among them may be spared.
const MOST_LEMMAS: usize = 380;

/// The nodes of a net, or of a net and what is assumed within it.
struct View<'n> {
    net: &'n Net<'n>,
    /// What is assumed within.
    inner: Option<&'n Refutation>,
}

impl View<'_> {
    fn node(&self, index: usize) -> Node {
        match self.inner {
            Some(refutation) if index >= refutation.first => refutation.nodes[index - refutation.first],
            _ => self.net.nodes[index],
        }
    }

    /// The node that excludes a candidate, before some node.
    fn off(&self, cell: Cell, digit: Digit, before: usize) -> usize {
        let literal = Literal::is_not(cell, digit);
        if let Some(refutation) = self.inner {
            let place = refutation.nodes.iter().position(|node| node.literal == literal);
            if let Some(place) = place
                && refutation.first + place < before
            {
                return refutation.first + place;
            }
        }
        self.net.node_of(literal)
    }

    /// The negated assumptions: what every claim begins with.
    fn assumptions(&self) -> Vec<Literal> {
        let mut list = vec![self.net.nodes[0].literal.negated()];
        list.extend(self.inner.map(|refutation| refutation.assumed.negated()));
        list
    }

    /// What a premise rests on: nodes that between them, or with the assumptions, exclude all its candidates but the
    /// one that is left. None can be spared.
    fn supports(&self, premise: &Premise, left: Option<Literal>, before: usize) -> Vec<usize> {
        let field = self.net.field();
        let mut excluded: Vec<Literal> = match *premise {
            Premise::Cell(cell) => field.choices(cell).iter().map(|digit| Literal::is(cell, digit)).collect(),
            Premise::House(house, digit) => {
                field.spots(house, digit).map(|cell| Literal::is(cell, digit)).collect()
            }
            _ => Vec::new(),
        };
        excluded.retain(|&literal| Some(literal) != left);
        let mut supports: Vec<usize> = Vec::new();
        for literal in &excluded {
            let off = self.off(literal.cell, literal.digit, before);
            match self.node(off).cause {
                Cause::Seen(by) => supports.push(by.into()),
                _ => supports.push(off),
            }
        }
        supports.sort_unstable();
        supports.dedup();
        supports.retain(|&support| self.node(support).cause != Cause::Assumed);
        excluded.retain(|&literal| {
            !self.assumptions().iter().any(|&denied| self.excludes(denied.negated(), literal))
        });
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

    /// The same with the assumption that excluded a candidate.
    fn within(&self, number: u16) -> View<'_> {
        View { net: self.net, inner: Some(&self.net.refutations[usize::from(number)]) }
    }

    /// How many nodes there are.
    fn len(&self) -> usize {
        match self.inner {
            Some(refutation) => refutation.first + refutation.nodes.len(),
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
                for support in self.supports(&premise, Some(node.literal), index) {
                    needed[support] = true;
                }
            }
            Cause::Refuted(number) => {
                let refutation = &self.net.refutations[usize::from(number)];
                let of_end = self.within(number).mark(refutation.end);
                for (outer, inner) in needed.iter_mut().zip(&of_end).take(refutation.first) {
                    *outer |= inner;
                }
            }
        }
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
        let first = self.inner.map_or(0, |refutation| refutation.first);
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
        let nodes = self.supports(&premise, None, self.len());
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

impl Account {
    /// Proves that the net's assumption is false.
    pub fn refute(net: &Net<'_>, end: End) -> Account {
        let view = View { net, inner: None };
        let needed = view.mark(end);
        let mut account = Account::default();
        let lemmas = account.tell(&view, &needed, 0);
        account.conclude(&view, end, &lemmas);
        account
    }

    /// Proves that a literal follows from the net's assumption. The lemma to use for it, if it takes one: what the
    /// assumption itself excludes needs none.
    pub fn derive(&mut self, net: &Net<'_>, literal: Literal) -> Option<u32> {
        let view = View { net, inner: None };
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
                    let supports = view.supports(&premise, Some(node.literal), index);
                    let uses = self.uses(view, &supports, lemmas);
                    let mut claim = view.assumptions();
                    claim.push(node.literal);
                    self.held.push(node.literal);
                    lemmas[index] = Some(self.push(claim, vec![premise], uses));
                }
                Cause::Refuted(number) => {
                    let refutation = &view.net.refutations[usize::from(number)];
                    let within = view.within(number);
                    let inner = within.mark(refutation.end);
                    let steps = inner[refutation.first..].iter().filter(|is_needed| **is_needed).count();
                    if self.lemmas.len() + steps > MOST_LEMMAS {
                        lemmas[index] = Some(self.tell_briefly(&within, &inner, refutation, lemmas));
                        continue;
                    }
                    let mut of_inner = lemmas[..refutation.first].to_vec();
                    of_inner.resize(inner.len(), None);
                    self.tell_on(&within, &inner, refutation.first, &mut of_inner);
                    lemmas[index] = Some(self.conclude(&within, refutation.end, &of_inner));
                }
            }
        }
    }

    /// One lemma for a refutation within: all premises of its nodes, and the lemmas of the net itself.
    fn tell_briefly(
        &mut self,
        view: &View<'_>,
        needed: &[bool],
        refutation: &Refutation,
        lemmas: &[Option<u32>],
    ) -> u32 {
        let (mut premises, _) = view.of_end(refutation.end);
        for index in (refutation.first..needed.len()).filter(|&index| needed[index]) {
            let node = view.node(index);
            if matches!(node.cause, Cause::Cell | Cause::House(_)) {
                self.held.push(node.literal);
                let premise = premise_of(node);
                if !premises.contains(&premise) {
                    premises.push(premise);
                }
            }
        }
        let outer = (0..refutation.first).filter(|&index| needed[index]);
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
