//! What chains refute in a net, for all its candidates at once.
//!
//! Candidates that are still open are numbered. A chain goes from one that holds to what it excludes, and from there,
//! over a cell or a house with two candidates left, to the next that holds.

use super::MOST_NESTED;
use super::net::Net;
use crate::engine::logic::Literal;
use crate::puzzle::{Cell, Digit};

const MOST_WORDS: usize = MOST_NESTED.div_ceil(64);

/// A set of numbered candidates.
#[derive(Clone, Copy)]
struct Set<const W: usize>([u64; W]);

impl<const W: usize> Set<W> {
    const EMPTY: Set<W> = Set([0; W]);

    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    fn join(&mut self, other: &Set<W>) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    fn is_within(&self, other: &Set<W>) -> bool {
        self.0.iter().zip(other.0).all(|(word, other)| word & !other == 0)
    }

    /// The first of these that is not among others.
    fn first_beyond(&self, others: &Set<W>) -> Option<usize> {
        let place = (0..W).find(|&place| self.0[place] & !others.0[place] != 0)?;
        Some(place * 64 + (self.0[place] & !others.0[place]).trailing_zeros() as usize)
    }
}

/// The links between open candidates.
struct Graph<const W: usize> {
    candidates: Vec<Literal>,
    /// For each what it excludes.
    excludes: Vec<Set<W>>,
    /// For each what holds next if it holds.
    next: Vec<Set<W>>,
    /// Cells and digits in houses: of each one candidate holds.
    groups: Vec<Set<W>>,
}

impl<const W: usize> Graph<W> {
    fn new(net: &Net<'_>) -> Graph<W> {
        let context = net.field().context;
        let size = context.size();
        let candidates = net.undecided();
        let mut number_of = vec![None; size * size * size];
        for (number, &Literal { cell, digit, .. }) in candidates.iter().enumerate() {
            number_of[cell.index() * size + digit.index()] = Some(number);
        }
        let number_of = |cell: Cell, digit: Digit| number_of[cell.index() * size + digit.index()];
        let none = vec![Set::EMPTY; candidates.len()];
        let mut graph = Graph { candidates, excludes: none.clone(), next: none, groups: Vec::new() };
        for number in 0..graph.candidates.len() {
            let Literal { cell, digit, .. } = graph.candidates[number];
            let peers = context.peers(cell) & net.live(digit);
            peers.into_iter().filter_map(|peer| number_of(peer, digit)).for_each(|other| {
                graph.excludes[number].insert(other);
            });
            let others = net.left(cell).iter().filter(|&other| other != digit);
            others.filter_map(|other| number_of(cell, other)).for_each(|other| {
                graph.excludes[number].insert(other);
            });
        }
        let mut of_group = Vec::new();
        for cell in context.open() {
            of_group.clear();
            of_group.extend(net.left(cell).iter().filter_map(|digit| number_of(cell, digit)));
            graph.add_group(&of_group);
        }
        for house in context.puzzle().house_ids() {
            for digit in Digit::all(size).filter(|&digit| net.places(house, digit).count_ones() > 1) {
                of_group.clear();
                of_group.extend(net.cells_left(house, digit).filter_map(|cell| number_of(cell, digit)));
                graph.add_group(&of_group);
            }
        }
        graph
    }

    /// Takes up candidates of which one holds.
    fn add_group(&mut self, numbers: &[usize]) {
        if numbers.is_empty() {
            return;
        }
        let mut group = Set::EMPTY;
        numbers.iter().for_each(|&number| group.insert(number));
        self.groups.push(group);
        if let &[one, other] = numbers {
            self.link(one, other);
            self.link(other, one);
        }
    }

    /// Links what excludes a candidate with what holds then.
    fn link(&mut self, gone: usize, holds: usize) {
        let mut tried = Set::EMPTY;
        tried.insert(holds);
        while let Some(number) = self.excludes[gone].first_beyond(&tried) {
            tried.insert(number);
            self.next[number].insert(holds);
        }
    }

    /// For each candidate what chains from it exclude.
    fn excluded(&self) -> Vec<Set<W>> {
        let mut reached: Vec<Set<W>> = Vec::with_capacity(self.candidates.len());
        let mut excluded: Vec<Set<W>> = Vec::with_capacity(self.candidates.len());
        for start in 0..self.candidates.len() {
            let mut known = self.next[start];
            known.insert(start);
            let mut gone = self.excludes[start];
            let mut seen = Set::EMPTY;
            seen.insert(start);
            while let Some(number) = known.first_beyond(&seen) {
                // What was reached from an earlier start is all there is.
                if let Some(all) = reached.get(number) {
                    known.join(all);
                    seen.join(all);
                    gone.join(&excluded[number]);
                } else {
                    seen.insert(number);
                    known.join(&self.next[number]);
                    gone.join(&self.excludes[number]);
                }
            }
            reached.push(known);
            excluded.push(gone);
        }
        excluded
    }
}

/// The candidates from which a chain leads to their own opposite or, if `is_multiple`, chains to all candidates of a
/// cell or all places of a digit in a house. Nets of more than [`MOST_NESTED`] candidates have none.
pub fn refuted(net: &Net<'_>, is_multiple: bool) -> Vec<Literal> {
    match net.undecided().len() {
        0..=128 => refuted_in::<2>(net, is_multiple),
        129..=256 => refuted_in::<4>(net, is_multiple),
        257..=MOST_NESTED => refuted_in::<MOST_WORDS>(net, is_multiple),
        _ => Vec::new(),
    }
}

fn refuted_in<const W: usize>(net: &Net<'_>, is_multiple: bool) -> Vec<Literal> {
    let graph = Graph::<W>::new(net);
    let excluded = graph.excluded();
    let is_refuted = |number: usize| {
        excluded[number].contains(number)
            || is_multiple && graph.groups.iter().any(|group| group.is_within(&excluded[number]))
    };
    let refuted = (0..graph.candidates.len()).filter(|&number| is_refuted(number));
    refuted.map(|number| graph.candidates[number]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::net::{Field, Links};
    use super::*;
    use crate::engine::logic::context::{Board, Context};
    use crate::engine::logic::positions;

    /// The same from a chain for each candidate.
    fn refuted_one_by_one(net: &mut Net<'_>, is_multiple: bool) -> Vec<Literal> {
        let mut refuted = net.undecided();
        refuted.retain(|&literal| {
            net.enter(literal, Links::Fixed);
            let end = net.end_of_chain(is_multiple);
            net.forget();
            end.is_some()
        });
        refuted
    }

    /// At once and one by one, within nets from every candidate of hard positions.
    #[test]
    fn all_at_once_is_each_by_itself() {
        let mut found = [0; 2];
        for position in positions::hard().iter().step_by(6) {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let field = Field::new(&context);
            let mut net = Net::new(&field, Links::Dynamic);
            for (cell, digit) in field.starts() {
                if net.assume(Literal::is(cell, digit)).is_some() {
                    continue;
                }
                for is_multiple in [false, true] {
                    let refuted = refuted(&net, is_multiple);
                    assert_eq!(refuted_one_by_one(&mut net, is_multiple), refuted);
                    found[usize::from(is_multiple)] += refuted.len();
                }
            }
        }
        assert!(found[0] > 100 && found[1] > found[0], "{found:?}");
    }
}
