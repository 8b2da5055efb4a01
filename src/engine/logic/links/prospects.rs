//! What chains can show at all, before any is looked for.
//!
//! Whatever a chain eliminates contradicts itself along the links: if it were true, it would be false. Which candidates
//! do so is a matter of what reaches what, without regard to lengths and orders, and takes a small part of the time of a
//! search. Most positions have none.
//!
//! ```text
//!  off w  ->  on v  ->  off w'       v strongly linked with w, and weakly with w'
//! ```
//!
//! Only nodes with strong links lead on once they are false. Of each of these, the nodes that come to be true are a row
//! of bits; nodes that lead to each other (a component) share one.

use super::{Graph, insert, members};
use crate::engine::logic::bits::{Bits, unions_of_reached};

/// What a search may find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prospects {
    /// Candidates that contradict themselves if they are true.
    pub doomed: Vec<u64>,
    /// Candidates with a chain to another one, such that both see a doomed one. The chain may be a single link.
    pub ends: Vec<u64>,
    /// Candidates that are true even if they are false.
    pub forced: Vec<u64>,
}

impl Prospects {
    /// Those of a graph; none of a graph with more linked nodes than rows of bits are for.
    pub fn of(graph: &Graph) -> Option<Prospects> {
        let linked: Vec<u16> =
            (0..graph.node_count() as u16).filter(|&node| !graph.strong(node).is_empty()).collect();
        match linked.len() {
            0..=64 => Some(Closure::<1>::new(graph, &linked).prospects()),
            65..=128 => Some(Closure::<2>::new(graph, &linked).prospects()),
            129..=256 => Some(Closure::<4>::new(graph, &linked).prospects()),
            257..=512 => Some(Closure::<8>::new(graph, &linked).prospects()),
            _ => None,
        }
    }

    /// Whether nothing contradicts itself.
    pub fn is_empty(&self) -> bool {
        self.doomed.iter().all(|&word| word == 0)
    }
}

/// What follows from each node that has strong links, if it is false. Rows of bits are by the numbers of these nodes.
struct Closure<'g, const W: usize> {
    graph: &'g Graph,
    linked: &'g [u16],
    /// By node, the linked ones that are weakly linked to it.
    weak: Vec<Bits<W>>,
    /// By number, the linked nodes that come to be true.
    on: Vec<Bits<W>>,
}

impl<'g, const W: usize> Closure<'g, W> {
    fn new(graph: &'g Graph, linked: &'g [u16]) -> Closure<'g, W> {
        let mut weak = vec![Bits::<W>::EMPTY; graph.node_count()];
        let mut numbers = vec![0; graph.node_count()];
        for (number, &node) in linked.iter().enumerate() {
            numbers[usize::from(node)] = number;
            members(graph.weak_bits(node)).for_each(|other| weak[usize::from(other)].insert(number));
        }
        // Strong links go both ways: what they lead to is linked.
        let (mut on, mut next) = (vec![Bits::EMPTY; linked.len()], vec![Bits::EMPTY; linked.len()]);
        for (number, &node) in linked.iter().enumerate() {
            for link in graph.strong(node) {
                on[number].insert(numbers[usize::from(link.to)]);
                next[number] = next[number].or(weak[usize::from(link.to)]);
            }
        }
        Closure { graph, linked, weak, on: unions_of_reached(&next, &on) }
    }

    fn prospects(&self) -> Prospects {
        let (count, words) = (self.graph.candidate_count(), self.graph.candidate_words());
        let none = || vec![0; words];
        let mut found = Prospects { doomed: none(), ends: none(), forced: none() };
        // Candidates are the first nodes.
        let candidates = Bits::below(self.linked.partition_point(|&node| usize::from(node) < count));
        for (node, &weak) in self.weak[..count].iter().enumerate() {
            if !weak.iter().any(|off| self.on[off].meets(weak)) {
                continue;
            }
            insert(&mut found.doomed, node as u16);
            let seen = weak.and(candidates);
            for start in seen.iter() {
                let mut ends = self.on[start].and(seen);
                ends.remove(start);
                if !ends.is_empty() {
                    insert(&mut found.ends, self.linked[start]);
                }
            }
        }
        for number in candidates.iter().filter(|&number| self.on[number].contains(number)) {
            insert(&mut found.forced, self.linked[number]);
        }
        found
    }
}
