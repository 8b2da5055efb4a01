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
    /// By block, its number; of a block without partners, none.
    numbers: Vec<Option<u16>>,
    /// By number, the blocks that come to be lacked if the block is held.
    taken: Vec<Bits<W>>,
}

impl<'b, const W: usize> Spread<'b, W> {
    fn new(book: &'b AlsBook, linked: &[usize]) -> Spread<'b, W> {
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
        let mut of_set = Vec::new();
        for set in &book.sets {
            of_set.clear();
            let blocks = book.views_of(set).map(|(view, _)| usize::from(book.views[view]));
            of_set.extend(blocks.filter_map(|block| numbers[block]).map(usize::from));
            for &lacked in &of_set {
                for &held in of_set.iter().filter(|&&held| held != lacked) {
                    next[lacked] = next[lacked].or(partners[held]);
                }
            }
        }
        let itself: Vec<Bits<W>> = (0..linked.len()).map(Bits::single).collect();
        let reached = unions_of_reached(&next, &itself);
        let taken = partners.iter().map(|partners| {
            partners.iter().fold(Bits::EMPTY, |taken: Bits<W>, partner| taken.or(reached[partner]))
        });
        Spread { book, taken: taken.collect(), numbers }
    }

    fn find(&self) -> Vec<CellSet> {
        let (book, cells) = (self.book, self.book.size * self.book.size);
        // By block: what comes to be lacked in turn if some set lacks it, and what else such a set would be short of.
        let mut taken = vec![Bits::EMPTY; book.blocks.of.len()];
        let mut others = taken.clone();
        for set in &book.sets {
            let blocks = || book.views_of(set).map(|(view, _)| usize::from(book.views[view]));
            let mut all = Bits::EMPTY;
            blocks().filter_map(|block| self.numbers[block]).for_each(|number| all.insert(number.into()));
            if all.is_empty() {
                continue;
            }
            let of_all = self.taken_by(all);
            for block in blocks().filter(|&block| !book.blocks.of[block].seers.is_empty()) {
                let mut held = all;
                let taken_by = match self.numbers[block] {
                    None => of_all,
                    Some(number) => {
                        held.remove(number.into());
                        self.taken_by(held)
                    }
                };
                taken[block] = taken[block].or(taken_by);
                others[block] = others[block].or(held);
            }
        }
        // By digit and cell, the blocks that come to be lacked if the digit stands there.
        let mut lacked = vec![Bits::<W>::EMPTY; book.size * cells];
        let blocks = || book.blocks.of.iter().zip(&book.blocks.digits);
        for ((block, digit), &taken) in blocks().zip(&taken) {
            for cell in block.seers {
                let lacked = &mut lacked[digit.index() * cells + cell.index()];
                *lacked = lacked.or(taken);
            }
        }
        let mut doomed = vec![CellSet::EMPTY; book.size];
        for ((block, digit), &others) in blocks().zip(&others) {
            for cell in block.seers {
                if lacked[digit.index() * cells + cell.index()].meets(others) {
                    doomed[digit.index()].insert(cell);
                }
            }
        }
        doomed
    }

    /// What comes to be lacked if these are held.
    fn taken_by(&self, held: Bits<W>) -> Bits<W> {
        held.iter().fold(Bits::EMPTY, |taken, number| taken.or(self.taken[number]))
    }
}
