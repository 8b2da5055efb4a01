//! Which candidates chains of almost locked sets can eliminate, before any is looked for.
//!
//! ```text
//!  set lacks d  ->  holds its other digits  ->  sets of which these are restricted commons lack them
//! ```
//!
//! What follows is the same for all sets that lack the same places of a digit (a block), so it is found once for each
//! block, as rows of bits by the numbers of those that have partners.

use super::AlsBook;
use crate::engine::logic::CellSet;
use crate::engine::logic::bits::{Bits, unions_of_reached};
use crate::engine::logic::context::Context;

/// By digit, the candidates that make some set which they take the digit from lack another one too. Where there are too
/// many blocks, all candidates.
pub fn find(book: &AlsBook, context: &Context<'_>) -> Vec<CellSet> {
    match book.blocks.linked {
        0 => vec![CellSet::EMPTY; book.size],
        1..=128 => find_among::<2>(book),
        129..=192 => find_among::<3>(book),
        193..=256 => find_among::<4>(book),
        257..=384 => find_among::<6>(book),
        385..=512 => find_among::<8>(book),
        _ => context.puzzle().digits().iter().map(|digit| context.spots(digit)).collect(),
    }
}

fn find_among<const W: usize>(book: &AlsBook) -> Vec<CellSet> {
    let others = others_of::<W>(book);
    let taken = taken_by(book, &others);
    // By digit and cell: what is held by the sets that lose the digit to the cell.
    let mut held = vec![Bits::<W>::EMPTY; book.blocks.last.len()];
    let mut hitting = vec![CellSet::EMPTY; book.size];
    for (block, &others) in book.blocks.of.iter().zip(&others) {
        if others.is_empty() {
            continue;
        }
        hitting[block.digit.index()] |= block.view.seers;
        for cell in block.view.seers {
            let held = &mut held[book.blocks.slot(block.digit, cell)];
            *held = held.or(others);
        }
    }
    // A set that loses another of its blocks to what these hold comes to lack two.
    let cells = book.blocks.cells;
    let is_doomed = |digit: usize, cell: usize| {
        let held = held[digit * cells + cell];
        held.iter().any(|number| taken[number].meets(held))
    };
    for (digit, hitting) in hitting.iter_mut().enumerate() {
        *hitting = hitting.iter().filter(|cell| is_doomed(digit, cell.index())).collect();
    }
    hitting
}

/// Of each block, the blocks with partners that sets which have it have besides: they are held if it is lacked.
fn others_of<const W: usize>(book: &AlsBook) -> Vec<Bits<W>> {
    let mut others = vec![Bits::<W>::EMPTY; book.blocks.of.len()];
    let number = |block: u16| usize::from(book.blocks.of[usize::from(block)].number);
    for set in &book.sets {
        let blocks = book.blocks_of(set);
        let mut linked = Bits::EMPTY;
        for number in blocks.iter().filter_map(|&block| number(block).checked_sub(1)) {
            linked.insert(number);
        }
        if linked.is_empty() {
            continue;
        }
        for &block in blocks {
            let others = &mut others[usize::from(block)];
            *others = others.or(linked);
        }
    }
    for (block, others) in book.blocks.of.iter().zip(&mut others) {
        if let Some(number) = usize::from(block.number).checked_sub(1) {
            others.remove(number);
        }
    }
    others
}

/// Of each block with partners, those that come to be lacked if it is held: its partners, and what is taken by all that
/// is held besides them.
fn taken_by<const W: usize>(book: &AlsBook, others: &[Bits<W>]) -> Vec<Bits<W>> {
    let linked = usize::from(book.blocks.linked);
    let (mut partners, mut next) = (vec![Bits::EMPTY; linked], vec![Bits::EMPTY; linked]);
    for &[one, other] in &book.blocks.partners {
        for (block, partner) in [(one, other), (other, one)] {
            let [number, of_partner] =
                [block, partner].map(|block| usize::from(book.blocks.of[usize::from(block)].number) - 1);
            partners[number].insert(of_partner);
            next[number] = next[number].or(others[usize::from(partner)]);
        }
    }
    unions_of_reached(&next, &partners)
}
