//! A fish as a step: its marks, and its proof by counting.
//!
//! Each target has its proof: the bases are truths, the covers links, and each fin has a link with the target, as
//! often as it is in more bases than covers. Then no place is in more truths than links, and the target is in more
//! links beyond truths than there are links beyond truths. What a proof does without is left out.

use std::ops::ControlFlow;

use smallvec::smallvec;

use super::choices::{Catch, Shape, Visit};
use super::{Fins, Wanted};
use crate::engine::logic::bits::Bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::{Place, SingleDigit};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::{
    Argument, Claim, Lemma, LinkSet, Literal, Mark, Premise, Proof, Role, Shape as MarkShape,
};
use crate::puzzle::DigitSet;

/// Turns the fish of one digit into steps.
pub struct Report<'r, 'c, 's, const W: usize> {
    context: &'r Context<'c>,
    sink: &'r mut Sink<'s>,
    of: &'r SingleDigit<W>,
    wanted: Wanted,
    /// Targets of the steps so far: what says the same is not told again.
    said: Vec<Bits<W>>,
    /// Finned fish waiting for a twin: with the same bases each with other targets.
    twins: Vec<Catch<W>>,
}

impl<const W: usize> Visit<W> for Report<'_, '_, '_, W> {
    fn spend(&mut self, units: u64) -> Flow {
        self.sink.spend(units)
    }

    fn catch(&mut self, catch: &Catch<W>) -> Flow {
        if catch.fins.is_empty() != (self.wanted.fins == Fins::None) {
            return ControlFlow::Continue(());
        }
        let targets = catch.targets(self.of);
        match self.wanted.fins {
            Fins::Siamese => {
                let is_same = |twin: &Catch<W>| twin.bases == catch.bases && twin.targets(self.of) == targets;
                if !self.twins.iter().any(is_same) {
                    self.twins.push(*catch);
                }
                ControlFlow::Continue(())
            }
            _ if self.is_meant(catch) => self.tell(targets, &[*catch]),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<'r, 'c, 's, const W: usize> Report<'r, 'c, 's, W> {
    /// Nothing told yet.
    pub fn new(
        context: &'r Context<'c>,
        sink: &'r mut Sink<'s>,
        of: &'r SingleDigit<W>,
        wanted: Wanted,
    ) -> Report<'r, 'c, 's, W> {
        Report { context, sink, of, wanted, said: Vec::new(), twins: Vec::new() }
    }

    /// Joins the twins.
    pub fn finish(mut self) -> Flow {
        let mut twins = std::mem::take(&mut self.twins);
        twins.sort_by_key(|twin| twin.bases);
        for family in twins.chunk_by(|one, other| one.bases == other.bases) {
            for (index, one) in family.iter().enumerate() {
                for other in &family[index + 1..] {
                    self.sink.spend(1)?;
                    // Of one fish, the targets may be among the other's: then they have two reasons.
                    self.tell(one.targets(self.of).or(other.targets(self.of)), &[*one, *other])?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Finned or sashimi, where that is told apart; of a fish without fins every base has two places.
    fn is_meant(&self, catch: &Catch<W>) -> bool {
        if self.wanted.shape != Shape::Basic {
            return true;
        }
        let places = |&base: &u8| self.spots(base).minus(catch.fins).len();
        let is_sashimi = catch.bases().iter().any(|base| places(base) < 2);
        is_sashimi == (self.wanted.fins == Fins::Sashimi)
    }

    fn spots(&self, sector: u8) -> Bits<W> {
        self.of.sectors[usize::from(sector)].spots
    }

    /// Pushes a step of one fish, or of two with the same bases.
    fn tell(&mut self, targets: Bits<W>, fish: &[Catch<W>]) -> Flow {
        if self.said.contains(&targets) {
            return ControlFlow::Continue(());
        }
        self.said.push(targets);
        let gone = self.context.eliminations(self.of.cells_of(targets), DigitSet::single(self.of.digit));
        let mut proof = Proof::default();
        let mut proved = Bits::EMPTY;
        for catch in fish {
            for target in catch.targets(self.of).minus(proved).iter() {
                self.prove(catch, target, &mut proof);
            }
            proved = proved.or(catch.targets(self.of));
        }
        self.sink.push(gone, self.marks(fish), proof)
    }

    fn marks(&self, fish: &[Catch<W>]) -> Vec<Mark> {
        let cells = |role: Role, spots: Bits<W>| Mark::cells(role, self.of.cells_of(spots));
        let sector = |role: Role, sector: u8| match self.of.sectors[usize::from(sector)].place {
            Place::House(house) => Mark::house(role, house),
            Place::Cage(cage) => Mark::new(role, MarkShape::Cage(cage)),
        };
        let mut marks = vec![Mark::digit(Role::Digits, self.of.digit)];
        marks.extend(fish[0].bases().iter().map(|&base| sector(Role::Base, base)));
        let mut covers: Vec<u8> = fish.iter().flat_map(|catch| catch.covers()).copied().collect();
        covers.sort_unstable();
        covers.dedup();
        marks.extend(covers.into_iter().map(|cover| sector(Role::Cover, cover)));
        for catch in fish {
            marks.push(cells(Role::Pattern, catch.pattern.minus(catch.fins)));
            if !catch.fins.is_empty() {
                marks.push(cells(Role::Fin, catch.fins));
            }
        }
        marks
    }

    /// Adds the proof for one target; targets with the same argument share a lemma.
    fn prove(&self, catch: &Catch<W>, target: usize, proof: &mut Proof) {
        let argument = Count::new(self.of, catch, target).argument(self.of);
        let claim: Claim = smallvec![Literal::is_not(self.of.cells[target], self.of.digit)];
        match proof.lemmas.iter_mut().find(|lemma| lemma.argument == argument) {
            Some(lemma) => lemma.claims.push(claim),
            None => proof.lemmas.push(Lemma { claims: smallvec![claim], argument }),
        }
    }
}

/// Truths and links that make one target false.
struct Count {
    /// Sectors.
    truths: Vec<u8>,
    /// Sectors.
    links: Vec<u8>,
    /// Places that see the target, each linked with it so often.
    fins: Vec<(usize, u32)>,
    target: usize,
}

impl Count {
    /// All of the fish, less what is not needed: a base may be met by the target itself, a cover may hold nothing
    /// that no other holds.
    fn new<const W: usize>(of: &SingleDigit<W>, catch: &Catch<W>, target: usize) -> Count {
        let mut count = Count {
            truths: catch.bases().to_vec(),
            links: catch.covers().to_vec(),
            fins: Vec::new(),
            target,
        };
        let deficits = catch.fins.iter().map(|fin| (fin, (-count.surplus(of, fin)) as u32));
        count.fins = deficits.collect();
        while count.lose_one(of) {}
        count
    }

    /// Links less truths at a place.
    fn surplus<const W: usize>(&self, of: &SingleDigit<W>, spot: usize) -> i64 {
        let among = |sectors: &[u8]| {
            sectors.iter().filter(|&&sector| of.sectors[usize::from(sector)].spots.contains(spot)).count()
                as i64
        };
        let of_fins = |&(fin, times): &(usize, u32)| {
            if fin == spot || self.target == spot { i64::from(times) } else { 0 }
        };
        among(&self.links) - among(&self.truths) + self.fins.iter().map(of_fins).sum::<i64>()
    }

    fn holds<const W: usize>(&self, of: &SingleDigit<W>) -> bool {
        let fins: i64 = self.fins.iter().map(|(_, times)| i64::from(*times)).sum();
        let slack = self.links.len() as i64 - self.truths.len() as i64 + fins;
        self.surplus(of, self.target) > slack && (0..of.cells.len()).all(|spot| self.surplus(of, spot) >= 0)
    }

    /// Leaves out something that is not needed, if there is any.
    fn lose_one<const W: usize>(&mut self, of: &SingleDigit<W>) -> bool {
        for index in 0..self.truths.len() {
            let truth = self.truths.remove(index);
            if self.holds(of) {
                return true;
            }
            self.truths.insert(index, truth);
        }
        for index in 0..self.links.len() {
            let link = self.links.remove(index);
            if self.holds(of) {
                return true;
            }
            self.links.insert(index, link);
        }
        for index in 0..self.fins.len() {
            let (fin, times) = self.fins[index];
            match times {
                1 => drop(self.fins.remove(index)),
                _ => self.fins[index].1 -= 1,
            }
            if self.holds(of) {
                return true;
            }
            match times {
                1 => self.fins.insert(index, (fin, times)),
                _ => self.fins[index].1 = times,
            }
        }
        false
    }

    fn argument<const W: usize>(&self, of: &SingleDigit<W>) -> Argument {
        let place = |sector: &u8| of.sectors[usize::from(*sector)].place;
        let truth = |sector: &u8| match place(sector) {
            Place::House(house) => Some((Premise::House(house, of.digit), 1)),
            // Never a base: a cage need not hold the digit.
            Place::Cage(_) => None,
        };
        let link = |sector: &u8| match place(sector) {
            Place::House(house) => (LinkSet::House(house, of.digit), 1),
            Place::Cage(cage) => (LinkSet::Cage(cage, of.digit), 1),
        };
        let at = |spot: usize| (of.cells[spot], of.digit);
        let fin = |&(fin, times): &(usize, u32)| (LinkSet::Clique(vec![at(self.target), at(fin)]), times);
        Argument::Cover {
            truths: self.truths.iter().filter_map(truth).collect(),
            links: self.links.iter().map(link).chain(self.fins.iter().map(fin)).collect(),
        }
    }
}
