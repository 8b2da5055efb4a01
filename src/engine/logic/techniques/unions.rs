//! The search behind subsets and fish alike: k sets that have k elements between them.
//!
//! Naked subsets are cells and their digits, hidden ones digits and their places, fish lines and their crossings.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::engine::logic::bits::count;
use crate::engine::logic::technique::Flow;

/// The largest k that is searched.
pub const MAX_COUNT: usize = 4;

/// Is shown the sets chosen and their union.
pub type Visit<'v, T> = dyn FnMut(&[(T, u32)], u32) -> Flow + 'v;

/// The sets chosen so far.
type Chosen<T> = SmallVec<[(T, u32); MAX_COUNT]>;

/// Sets, each with a tag that says what it is the set of.
pub struct Unions<'a, T> {
    /// What is chosen from: sets of one element at least and no more than are looked for.
    sets: &'a [(T, u32)],
    count: usize,
}

impl<'a, T: Copy> Unions<'a, T> {
    /// Choices of `count` (2 to [`MAX_COUNT`]) of these sets.
    pub fn new(sets: &'a [(T, u32)], count: usize) -> Unions<'a, T> {
        debug_assert!((2..=MAX_COUNT).contains(&count));
        Unions { sets, count }
    }

    /// Visits every choice of `count` sets with a union of exactly `count` elements, in order of the sets. Part of
    /// a choice may be a choice of its own: what the whole says of the rest is still news.
    pub fn each(&self, visit: &mut Visit<'_, T>) -> Flow {
        if self.sets.len() < self.count {
            return ControlFlow::Continue(());
        }
        let mut chosen = Chosen::new();
        self.extend(0, 0, &mut chosen, visit)
    }

    fn extend(&self, from: usize, union: u32, chosen: &mut Chosen<T>, visit: &mut Visit<'_, T>) -> Flow {
        if chosen.len() == self.count {
            if count(union) == self.count {
                visit(chosen, union)?;
            }
            return ControlFlow::Continue(());
        }
        let wanted = self.count - chosen.len();
        for index in from..=self.sets.len() - wanted {
            let grown = union | self.sets[index].1;
            if count(grown) <= self.count {
                chosen.push(self.sets[index]);
                self.extend(index + 1, grown, chosen, visit)?;
                chosen.pop();
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(masks: &[u32], count: usize) -> Vec<Vec<usize>> {
        let sets: Vec<(usize, u32)> = masks.iter().copied().enumerate().collect();
        let mut found = Vec::new();
        let flow = Unions::new(&sets, count).each(&mut |chosen, _| {
            found.push(chosen.iter().map(|(tag, _)| *tag).collect());
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        found
    }

    #[test]
    fn finds_exact_unions_alone() {
        assert_eq!(found(&[0b11, 0b110, 0b11], 2), [[0, 2]]);
        assert_eq!(found(&[0b11, 0b110, 0b101], 3), [[0, 1, 2]]);
        assert_eq!(found(&[0b11, 0b11, 0b110], 3), [[0, 1, 2]], "a pair, and one more");
        assert!(found(&[0b11, 0b11, 0b11], 3).is_empty(), "three in two");
        assert!(found(&[0b11], 2).is_empty());
        assert!(found(&[], 4).is_empty());
        assert_eq!(found(&[0b0011, 0b0110, 0b1100, 0b1001], 4).len(), 1);
    }
}
