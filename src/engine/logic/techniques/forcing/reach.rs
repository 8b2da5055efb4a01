//! What chains refute in a net, for all its candidates at once.
//!
//! Candidates that are still open are numbered. A chain goes from one that holds to what it excludes, and from there,
//! over a cell or a house with two candidates left, to the next that holds.

use super::MOST_NESTED;
use super::net::Net;
use crate::engine::logic::Literal;
use crate::engine::logic::bits::{Bits, unions_of_reached};
use crate::puzzle::{Cell, Digit};

const MOST_WORDS: usize = MOST_NESTED.div_ceil(64);

/// The links between open candidates.
struct Graph<const W: usize> {
    candidates: Vec<Literal>,
    /// For each what it excludes.
    excludes: Vec<Bits<W>>,
    /// For each what holds next if it holds.
    next: Vec<Bits<W>>,
    /// Cells and digits in houses: of each one candidate holds.
    groups: Vec<Bits<W>>,
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
        let none = vec![Bits::EMPTY; candidates.len()];
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
        self.groups.push(numbers.iter().fold(Bits::EMPTY, |group, &number| group.or(Bits::single(number))));
        if let &[one, other] = numbers {
            self.link(one, other);
            self.link(other, one);
        }
    }

    /// Links what excludes a candidate with what holds then.
    fn link(&mut self, gone: usize, holds: usize) {
        for number in self.excludes[gone].minus(Bits::single(holds)).iter() {
            self.next[number].insert(holds);
        }
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
    // what chains from each exclude
    let excluded = unions_of_reached(&graph.next, &graph.excludes);
    let is_refuted = |number: usize| {
        excluded[number].contains(number)
            || is_multiple && graph.groups.iter().any(|group| group.is_within(excluded[number]))
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
