//! Which candidates chains of almost locked sets can eliminate, before any is looked for.
//!
//! ```text
//!  set lacks d  ->  holds its other digits  ->  sets of which these are restricted commons lack them
//! ```
//!
//! What follows is the same for all sets that lack the same places of a digit (a block), so it is found once for each
//! block that has partners, as a row of bits.

use super::AlsBook;
use crate::engine::logic::CellSet;
use crate::engine::logic::bits::{Bits, unions_of_reached};
use crate::engine::logic::context::Context;

/// By digit, the candidates that make some set which they take the digit from lack another one too. Where there are too
/// many blocks, all candidates.
pub fn find(book: &AlsBook, context: &Context<'_>) -> Vec<CellSet> {
    let blocks = book.blocks.of.len();
    let linked: Vec<usize> = (0..blocks).filter(|&block| !book.partners.of(block).is_empty()).collect();
    match linked.len() {
        0 => vec![CellSet::EMPTY; book.size],
        1..=128 => Spread::<2>::new(book, &linked).find(),
        129..=192 => Spread::<3>::new(book, &linked).find(),
        193..=256 => Spread::<4>::new(book, &linked).find(),
        257..=384 => Spread::<6>::new(book, &linked).find(),
        385..=512 => Spread::<8>::new(book, &linked).find(),
        _ => context.puzzle().digits().iter().map(|digit| context.spots(digit)).collect(),
    }
}

/// The blocks with partners, numbered.
struct Spread<'b, const W: usize> {
    book: &'b AlsBook,
    /// By number, the block.
    linked: &'b [usize],
    /// By block, its number; of a block without partners, none.
    numbers: Vec<Option<u16>>,
    /// By number, the blocks that come to be lacked if the block is held.
    taken: Vec<Bits<W>>,
}

impl<'b, const W: usize> Spread<'b, W> {
    fn new(book: &'b AlsBook, linked: &'b [usize]) -> Spread<'b, W> {
        let mut numbers = vec![None; book.blocks.of.len()];
        for (number, &block) in linked.iter().enumerate() {
            numbers[block] = Some(number as u16);
        }
        let number = |block: u16| usize::from(numbers[usize::from(block)].expect("links go both ways"));
        let partners = linked.iter().map(|&block| {
            let mut partners = Bits::EMPTY;
            book.partners.of(block).iter().for_each(|&partner| partners.insert(number(partner)));
            partners
        });
        let partners: Vec<Bits<W>> = partners.collect();
        // Who lacks a block holds the others of a set; whose partners are lacked then.
        let mut next = vec![Bits::EMPTY; linked.len()];
        let (mut of_set, mut after) = (Vec::new(), Vec::new());
        for set in &book.sets {
            of_set.clear();
            let blocks = book.views_of(set).map(|(view, _)| usize::from(book.views[view]));
            of_set.extend(blocks.filter_map(|block| numbers[block]).map(usize::from));
            if of_set.len() < 2 {
                continue;
            }
            each_with_others(&of_set, &partners, &mut after, |lacked, taken| {
                next[lacked] = next[lacked].or(taken);
            });
        }
        let itself: Vec<Bits<W>> = (0..linked.len()).map(Bits::single).collect();
        let reached = unions_of_reached(&next, &itself);
        let taken = partners.iter().map(|partners| {
            partners.iter().fold(Bits::EMPTY, |taken: Bits<W>, partner| taken.or(reached[partner]))
        });
        Spread { book, linked, taken: taken.collect(), numbers }
    }

    fn find(&self) -> Vec<CellSet> {
        let (book, cells) = (self.book, self.book.size * self.book.size);
        // By block: what comes to be lacked in turn if some set lacks it, and what else such a set would be short of.
        let mut taken = vec![Bits::EMPTY; book.blocks.of.len()];
        let mut others = taken.clone();
        let (mut of_set, mut after) = (Vec::new(), Vec::new());
        for set in &book.sets {
            let blocks = || book.views_of(set).map(|(view, _)| usize::from(book.views[view]));
            of_set.clear();
            of_set.extend(blocks().filter_map(|block| self.numbers[block]).map(usize::from));
            if of_set.is_empty() {
                continue;
            }
            let mut all = Bits::EMPTY;
            of_set.iter().for_each(|&number| all.insert(number));
            let of_all = each_with_others(&of_set, &self.taken, &mut after, |number, taken_by| {
                let (block, mut held) = (self.linked[number], all);
                held.remove(number);
                taken[block] = taken[block].or(taken_by);
                others[block] = others[block].or(held);
            });
            for block in blocks().filter(|&block| self.numbers[block].is_none()) {
                taken[block] = taken[block].or(of_all);
                others[block] = others[block].or(all);
            }
        }
        // By digit and cell, the blocks that come to be lacked if the digit stands there.
        let mut lacked = vec![Bits::<W>::EMPTY; book.size * cells];
        let blocks = || book.blocks.of.iter().zip(&book.blocks.digits);
        for ((block, digit), &taken) in blocks().zip(&taken) {
            if taken.is_empty() {
                continue;
            }
            for cell in block.seers {
                let lacked = &mut lacked[digit.index() * cells + cell.index()];
                *lacked = lacked.or(taken);
            }
        }
        let mut doomed = vec![CellSet::EMPTY; book.size];
        for ((block, digit), &others) in blocks().zip(&others) {
            if others.is_empty() {
                continue;
            }
            for cell in block.seers {
                if lacked[digit.index() * cells + cell.index()].meets(others) {
                    doomed[digit.index()].insert(cell);
                }
            }
        }
        doomed
    }
}

/// Shows each of these numbers with what is said of all the others, put together, and returns the same of all.
fn each_with_others<const W: usize>(
    numbers: &[usize],
    of: &[Bits<W>],
    after: &mut Vec<Bits<W>>,
    mut each: impl FnMut(usize, Bits<W>),
) -> Bits<W> {
    after.clear();
    after.resize(numbers.len() + 1, Bits::EMPTY);
    for (place, &number) in numbers.iter().enumerate().rev() {
        after[place] = after[place + 1].or(of[number]);
    }
    let mut before = Bits::EMPTY;
    for (place, &number) in numbers.iter().enumerate() {
        each(number, before.or(after[place + 1]));
        before = before.or(of[number]);
    }
    before
}
