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

use smallvec::SmallVec;

use super::{Graph, Reason, Strong, insert, members};
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
        with_closure(graph, |_| true, &mut |closure| closure.prospects())
    }

    /// The same along strong links within cells alone.
    pub fn of_pairs(graph: &Graph) -> Option<Prospects> {
        let is_of_cell = |link: &Strong| matches!(link.reason, Reason::Cell(_));
        with_closure(graph, is_of_cell, &mut |closure| closure.prospects())
    }

    /// Whether nothing contradicts itself.
    pub fn is_empty(&self) -> bool {
        self.doomed.iter().all(|&word| word == 0)
    }
}

/// What follows from each candidate of a graph if it is true: by candidate, those that come to be true, itself among
/// them, and those that come to be false.
#[derive(Debug)]
pub struct Consequences {
    words: usize,
    on: Vec<u64>,
    off: Vec<u64>,
}

impl Consequences {
    /// Those of a graph of candidates alone; none of a graph with more linked nodes than rows of bits are for.
    pub fn of(graph: &Graph) -> Option<Consequences> {
        with_closure(graph, |_| true, &mut |closure| closure.consequences())
    }

    /// Whether some literal follows from each of these candidates.
    pub fn agree(&self, mut candidates: impl Iterator<Item = u16>) -> bool {
        let row = |of: &[u64], candidate: u16| -> SmallVec<[u64; 12]> {
            SmallVec::from_slice(&of[usize::from(candidate) * self.words..][..self.words])
        };
        let Some(first) = candidates.next() else { return false };
        let (mut on, mut off) = (row(&self.on, first), row(&self.off, first));
        for candidate in candidates {
            for (all, of) in [(&mut on, &self.on), (&mut off, &self.off)] {
                let of_candidate = &of[usize::from(candidate) * self.words..];
                all.iter_mut().zip(of_candidate).for_each(|(all, row)| *all &= row);
            }
        }
        on.iter().chain(&off).any(|&word| word != 0)
    }
}

/// Shows the closure along the strong links that are wanted; nothing where more nodes are linked than rows of bits are
/// for.
fn with_closure<T>(
    graph: &Graph,
    is_wanted: impl Fn(&Strong) -> bool + Copy,
    show: &mut dyn FnMut(&dyn Closed) -> T,
) -> Option<T> {
    let is_linked = |&node: &u16| graph.strong(node).iter().any(is_wanted);
    let linked: Vec<u16> = (0..graph.node_count() as u16).filter(is_linked).collect();
    match linked.len() {
        0..=64 => Some(show(&Closure::<1>::new(graph, &linked, is_wanted))),
        65..=128 => Some(show(&Closure::<2>::new(graph, &linked, is_wanted))),
        129..=192 => Some(show(&Closure::<3>::new(graph, &linked, is_wanted))),
        193..=256 => Some(show(&Closure::<4>::new(graph, &linked, is_wanted))),
        257..=512 => Some(show(&Closure::<8>::new(graph, &linked, is_wanted))),
        _ => None,
    }
}

/// What is asked of a closure, however wide its rows are.
trait Closed {
    fn prospects(&self) -> Prospects;
    fn consequences(&self) -> Consequences;
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
    fn new(graph: &'g Graph, linked: &'g [u16], is_wanted: impl Fn(&Strong) -> bool) -> Closure<'g, W> {
        let mut weak = vec![Bits::<W>::EMPTY; graph.node_count()];
        let mut numbers = vec![0; graph.node_count()];
        for (number, &node) in linked.iter().enumerate() {
            numbers[usize::from(node)] = number;
            members(graph.weak_bits(node)).for_each(|other| weak[usize::from(other)].insert(number));
        }
        // Strong links go both ways: what they lead to is linked.
        let (mut on, mut next) = (vec![Bits::EMPTY; linked.len()], vec![Bits::EMPTY; linked.len()]);
        for (number, &node) in linked.iter().enumerate() {
            for link in graph.strong(node).iter().filter(|link| is_wanted(link)) {
                on[number].insert(numbers[usize::from(link.to)]);
                next[number] = next[number].or(weak[usize::from(link.to)]);
            }
        }
        Closure { graph, linked, weak, on: unions_of_reached(&next, &on) }
    }
}

impl<const W: usize> Closed for Closure<'_, W> {
    fn consequences(&self) -> Consequences {
        let (count, words) = (self.graph.candidate_count(), self.graph.candidate_words());
        let (mut on, mut off) = (vec![0; count * words], vec![0; count * words]);
        let rows = on.chunks_exact_mut(words.max(1)).zip(off.chunks_exact_mut(words.max(1)));
        for (node, (on, off)) in rows.enumerate() {
            insert(on, node as u16);
            let reached = self.weak[node].iter().fold(Bits::EMPTY, |all: Bits<W>, off| all.or(self.on[off]));
            reached.iter().for_each(|number| insert(on, self.linked[number]));
            for true_node in members(on) {
                let kills = self.graph.kills(true_node);
                off.iter_mut().zip(kills).for_each(|(off, kills)| *off |= kills);
            }
        }
        Consequences { words, on, off }
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
