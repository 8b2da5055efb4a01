//! What finders remember from one position of a board to the next: where they found nothing, and which patterns they
//! found, as long as what they read is unchanged.
//!
//! Along a path most houses and most digits stay as they are from step to step. Each position is looked at once, and
//! compared with the one looked at before: a house has changed if a candidate of one of its cells has, a digit if one
//! of its places has. Who read nothing but some houses or some digits would find the same again while none of these
//! has changed.

use std::any::Any;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use smallvec::SmallVec;

use super::bits::Bits;
use super::context::Context;
use super::sink::Sink;
use super::technique::{Flow, Technique};
use super::{CellSet, MAX_SIZE};
use crate::puzzle::DigitSet;

/// What has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Bit `i` is house `i`.
    pub houses: u64,
    /// The digits.
    pub digits: DigitSet,
}

impl Changes {
    const NONE: Changes = Changes { houses: 0, digits: DigitSet::EMPTY };
    const ALL: Changes = Changes { houses: u64::MAX, digits: DigitSet::full(MAX_SIZE) };
}

/// The position looked at last, and what had changed at each look since the one before.
#[derive(Default)]
pub(super) struct Looks {
    spots: [CellSet; MAX_SIZE],
    changes: Vec<Changes>,
}

impl Looks {
    /// Looks at a position. Looks are numbered from 1 on.
    pub fn look(&mut self, context: &Context<'_>) -> u32 {
        let (mut changes, mut cells) = (Changes::NONE, CellSet::EMPTY);
        for digit in context.puzzle().digits() {
            let spots = context.spots(digit);
            let before = std::mem::replace(&mut self.spots[digit.index()], spots);
            if before != spots {
                changes.digits.insert(digit);
                cells |= (before - spots) | (spots - before);
            }
        }
        changes.houses = cells.iter().fold(0, |houses, cell| houses | context.houses_of(cell));
        self.changes.push(changes);
        self.changes.len() as u32
    }

    /// What has changed from one look to another: everything if there was no first one, or if it was later.
    pub fn between(&self, one: u32, other: u32) -> Changes {
        if one == 0 || one > other {
            return Changes::ALL;
        }
        let each = self.changes[one as usize..other as usize].iter();
        each.fold(Changes::NONE, |all, one| Changes {
            houses: all.houses | one.houses,
            digits: all.digits | one.digits,
        })
    }
}

/// Places, by number, where something is to be looked for (again), as of some look.
#[derive(Default)]
struct Pending {
    look: u32,
    places: SmallVec<[u64; 2]>,
}

impl Pending {
    /// Adds what has changed since. There are so many places, and of each it is said which houses are read there.
    fn renew(&mut self, context: &Context<'_>, count: usize, houses: impl Fn(usize) -> u64) {
        let changed = context.changed_since(&mut self.look).houses;
        self.places.resize(count.div_ceil(64), 0);
        if changed == 0 {
            return;
        }
        for place in (0..count).filter(|&place| houses(place) & changed != 0) {
            self.places[place / 64] |= 1 << (place % 64);
        }
    }
}

/// The numbers of the bits set in a word of places.
fn places_of(word: usize, bits: u64) -> impl Iterator<Item = usize> {
    Bits::<1>::from_word(bits).iter().map(move |bit| word * 64 + bit)
}

/// Where a row may find something, as far as is known.
#[derive(Default)]
pub(super) struct Fertile {
    look: u32,
    digits: DigitSet,
    pending: Pending,
}

/// What a row remembers of where it found nothing.
pub struct Unless<'c> {
    context: &'c Context<'c>,
    fertile: Rc<RefCell<Fertile>>,
}

impl<'c> Unless<'c> {
    /// That of the row that reports to this sink.
    pub fn barren(context: &'c Context<'c>, sink: &Sink<'_>) -> Unless<'c> {
        Unless { context, fertile: context.fertile_of(sink.technique()) }
    }

    /// Runs a search in each of so many places, unless it is known to find nothing there. Of each place it is said
    /// which houses the search reads, and it must read nothing else.
    #[inline]
    pub fn in_places(
        &self,
        (count, houses): (usize, impl Fn(usize) -> u64),
        sink: &mut Sink<'_>,
        mut search: impl FnMut(&mut Sink<'_>, usize) -> Flow,
    ) -> Flow {
        let pending = &mut self.fertile.borrow_mut().pending;
        pending.renew(self.context, count, houses);
        for (word, places) in pending.places.iter_mut().enumerate() {
            for place in places_of(word, *places) {
                let before = sink.reported();
                search(sink, place)?;
                if sink.reported() == before {
                    *places &= !(1 << (place % 64));
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs a search that reads nothing but the places of each digit by itself, for the digits of which it is not known
    /// to find nothing.
    pub fn of_digits(
        &self,
        digits: DigitSet,
        sink: &mut Sink<'_>,
        search: impl FnOnce(&mut Sink<'_>, DigitSet) -> Flow,
    ) -> Flow {
        let digits = {
            let mut fertile = self.fertile.borrow_mut();
            let changed = self.context.changed_since(&mut fertile.look).digits;
            fertile.digits |= changed;
            digits & fertile.digits
        };
        let before = sink.reported();
        search(sink, digits)?;
        if sink.reported() == before {
            self.fertile.borrow_mut().digits -= digits;
        }
        ControlFlow::Continue(())
    }
}

/// The rows that have looked at positions of a board.
pub(super) type AllFertile = RefCell<Vec<(&'static Technique, Rc<RefCell<Fertile>>)>>;

/// Patterns of a kind, found in some places by searches that read nothing but some houses each.
pub struct Patterns<P>(Rc<RefCell<Known<P>>>);

/// By place, the patterns found.
struct Known<P> {
    pending: Pending,
    lists: Vec<Vec<P>>,
    /// The places with patterns.
    filled: SmallVec<[u64; 2]>,
}

/// By kinds, as those who look for patterns of one type number them.
type AllKnown<P> = RefCell<Vec<Rc<RefCell<Known<P>>>>>;

impl<P: Any> Patterns<P> {
    /// Those of this type and kind. There are so many places, and of each it is said which houses are read there.
    pub fn of(
        context: &Context<'_>,
        kind: usize,
        (count, houses): (usize, impl Fn(usize) -> u64),
    ) -> Patterns<P> {
        let all = context.lasting(AllKnown::<P>::default);
        let mut all = all.borrow_mut();
        if all.len() <= kind {
            let none = || Known { pending: Pending::default(), lists: Vec::new(), filled: SmallVec::new() };
            all.resize_with(kind + 1, || Rc::new(RefCell::new(none())));
        }
        let known = all[kind].clone();
        {
            let mut known = known.borrow_mut();
            known.pending.renew(context, count, houses);
            known.lists.resize_with(count, Vec::new);
            known.filled.resize(count.div_ceil(64), 0);
        }
        Patterns(known)
    }

    /// Visits the patterns of all wanted places, place by place, in the order in which they are found.
    #[inline]
    pub fn each(
        &self,
        is_wanted: impl Fn(usize) -> bool,
        sink: &mut Sink<'_>,
        mut find: impl FnMut(&mut Sink<'_>, usize, &mut Vec<P>) -> Flow,
        mut visit: impl FnMut(&mut Sink<'_>, usize, &P) -> Flow,
    ) -> Flow {
        let mut known = self.0.borrow_mut();
        for word in 0..known.filled.len() {
            let open = known.pending.places[word] | known.filled[word];
            for place in places_of(word, open).filter(|&place| is_wanted(place)) {
                let patterns = known.at(place, |list| find(sink, place, list))?;
                patterns.iter().try_for_each(|pattern| visit(sink, place, pattern))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits those of one place.
    #[inline]
    pub fn each_at(
        &self,
        place: usize,
        sink: &mut Sink<'_>,
        find: impl FnOnce(&mut Sink<'_>, &mut Vec<P>) -> Flow,
        mut visit: impl FnMut(&mut Sink<'_>, &P) -> Flow,
    ) -> Flow {
        let mut known = self.0.borrow_mut();
        let patterns = known.at(place, |list| find(sink, list))?;
        patterns.iter().try_for_each(|pattern| visit(sink, pattern))
    }

    /// Visits those of every place without a sink.
    pub fn for_each(&self, mut find: impl FnMut(usize, &mut Vec<P>), mut visit: impl FnMut(&P)) {
        let mut known = self.0.borrow_mut();
        for place in 0..known.lists.len() {
            let patterns = known.at(place, |list| {
                find(place, list);
                ControlFlow::Continue(())
            });
            if let ControlFlow::Continue(patterns) = patterns {
                patterns.iter().for_each(&mut visit);
            }
        }
    }
}

impl<P> Known<P> {
    /// The patterns of a place, looked for again if need be.
    #[inline]
    fn at(&mut self, place: usize, find: impl FnOnce(&mut Vec<P>) -> Flow) -> ControlFlow<(), &[P]> {
        let (word, bit) = (place / 64, 1 << (place % 64));
        let list = &mut self.lists[place];
        if self.pending.places[word] & bit != 0 {
            list.clear();
            self.filled[word] &= !bit;
            find(list)?;
            self.pending.places[word] &= !bit;
            self.filled[word] |= if list.is_empty() { 0 } else { bit };
        }
        ControlFlow::Continue(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// What changed between any two looks, against comparing the positions.
    #[test]
    fn changes_from_look_to_look() {
        for path in positions::hard().chunk_by(|one, other| one.puzzle() == other.puzzle()) {
            let board = Board::new(path[0].puzzle());
            // Back to where it began at the end.
            let contexts: Vec<Context<'_>> =
                path.iter().chain(&path[..1]).map(|position| Context::new(&board, position)).collect();
            for (now, context) in contexts.iter().enumerate() {
                assert_eq!(context.changed_since(&mut 0), Changes::ALL);
                for (before, earlier) in contexts[..now].iter().enumerate() {
                    let mut look = before as u32 + 1;
                    let changes = context.changed_since(&mut look);
                    assert_eq!(look, now as u32 + 1);
                    for digit in context.puzzle().digits() {
                        let has_changed = context.spots(digit) != earlier.spots(digit);
                        assert!(changes.digits.contains(digit) || !has_changed);
                        assert!(changes.digits.contains(digit) == has_changed || now > before + 1);
                        for house in context.puzzle().house_ids() {
                            let has_changed =
                                context.seats_in(house, digit) != earlier.seats_in(house, digit);
                            assert!(changes.houses >> house.index() & 1 != 0 || !has_changed);
                        }
                    }
                    // Whoever looks back finds everything changed.
                    assert_eq!(earlier.changed_since(&mut look), Changes::ALL);
                }
            }
        }
    }
}
