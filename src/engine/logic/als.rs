//! Almost locked sets: n cells that see each other, with n + 1 digits between them. One digit away, they are locked.
//!
//! All those of a position, and their restricted commons, found once and kept with the position's facts. Sets are
//! numbered, small ones first; sets of sets are rows of bits by these numbers:
//!
//! ```text
//!  hits(z, v)     the sets whose places for z all see v, so that z in v takes it from them
//!  links(A, x)    the sets whose places for x all see those in A: of A and such a set only one can hold x
//! ```

mod doomed;

use std::cell::OnceCell;
use std::ops::ControlFlow;

use smallvec::SmallVec;

use super::CellSet;
use super::bits::{Bits, Ones, count as count_bits};
use super::context::Context;
use super::memory::Patterns;
use super::technique::Flow;
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// No more sets than this are kept. On larger boards whole sizes are left out, so that what is kept does not depend
/// on how the board is turned.
const MAX_SETS: usize = 2_000;

/// On boards larger than 9×9, sets have at most so many cells.
const MAX_CELLS: usize = 5;

/// n cells with n + 1 digits.
#[derive(Clone, Copy, Debug)]
pub struct Als {
    /// The cells; they all see each other.
    pub cells: CellSet,
    /// One more than there are cells.
    pub digits: DigitSet,
    /// Where the views of its digits begin.
    views: u32,
}

/// A digit in an almost locked set.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its places in the set.
    pub spots: CellSet,
    /// Its places outside that see all those.
    pub seers: CellSet,
}

/// The almost locked sets of a position.
pub struct AlsBook {
    sets: Vec<Als>,
    /// For each set, the blocks of its digits, smallest digit first.
    views: Vec<u16>,
    /// For each view the set that it is of.
    owners: Vec<u16>,
    blocks: Blocks,
    /// Words in a row of bits.
    words: usize,
    size: usize,
    having: OnceCell<Vec<u64>>,
    hits: OnceCell<Hits>,
    links: OnceCell<Vec<u64>>,
    doomed: OnceCell<Vec<CellSet>>,
}

/// Views that several sets may share: the places of a digit. There are about half as many as views.
struct Blocks {
    of: Vec<Block>,
    /// By digit and first cell, the block made last.
    last: Vec<u16>,
    cells: usize,
    /// Every two blocks of a digit of which all places of the one see all of the other.
    partners: Vec<[u16; 2]>,
    /// How many blocks have partners.
    linked: u16,
}

struct Block {
    view: View,
    digit: Digit,
    /// The block of the same digit and first cell that was made before it.
    before: u16,
    /// Its number among those with partners, from 1 on; of one without partners, 0.
    number: u16,
}

/// The sets that lose a digit if it stands in a cell: rows of bits, the first of them empty.
struct Hits {
    rows: Vec<u64>,
    /// By digit and cell, the row.
    numbers: Vec<u16>,
}

/// Stands for no block.
const NONE: u16 = u16::MAX;

impl Blocks {
    fn new(cells: usize, digits: usize) -> Blocks {
        Blocks {
            of: Vec::with_capacity(1024),
            last: vec![NONE; cells * digits],
            cells,
            partners: Vec::with_capacity(1024),
            linked: 0,
        }
    }

    /// Where what is kept by digit and cell is.
    #[inline]
    fn slot(&self, digit: Digit, cell: Cell) -> usize {
        digit.index() * self.cells + cell.index()
    }

    /// The blocks of a digit whose first place is this cell.
    #[inline]
    fn starting_at(&self, digit: Digit, first: Cell) -> impl Iterator<Item = (u16, &Block)> {
        let mut next = self.last[self.slot(digit, first)];
        std::iter::from_fn(move || {
            let block = self.of.get(usize::from(next))?;
            Some((std::mem::replace(&mut next, block.before), block))
        })
    }

    /// The block of these places, of which there is one at least.
    fn of_spots(&mut self, context: &Context<'_>, digit: Digit, spots: CellSet) -> u16 {
        let first = spots.first().expect("a digit of a set has a place there");
        let mut known = self.starting_at(digit, first);
        if let Some((known, _)) = known.find(|(_, block)| block.view.spots == spots) {
            return known;
        }
        drop(known);
        let block = self.of.len() as u16;
        let seers = context.common_peers(spots) & context.spots(digit);
        let mut partners = std::mem::take(&mut self.partners);
        for cell in seers {
            let others = self.starting_at(digit, cell);
            let others = others.filter(|(_, other)| seers.contains_all(other.view.spots));
            partners.extend(others.map(|(other, _)| [block, other]));
        }
        self.partners = partners;
        let slot = self.slot(digit, first);
        let before = std::mem::replace(&mut self.last[slot], block);
        self.of.push(Block { view: View { spots, seers }, digit, before, number: 0 });
        block
    }

    /// Numbers the blocks that have partners.
    fn number_linked(&mut self) {
        for &block in self.partners.as_flattened() {
            let number = &mut self.of[usize::from(block)].number;
            if *number == 0 {
                self.linked += 1;
                *number = self.linked;
            }
        }
    }
}

impl AlsBook {
    /// Finds them all.
    pub fn new(context: &Context<'_>) -> AlsBook {
        let mut found = Vec::with_capacity(512);
        let houses = context.puzzle().houses().len();
        Patterns::of(context, 0, (houses, |house| 1 << house)).for_each(
            |house, list| Search::new(context, context.house(HouseId(house as u16))).find(list),
            |set: &Found| found.push(*set),
        );
        for cage in context.puzzle().cages().iter().filter(|cage| cage.distinct) {
            Search::new(context, cage.cells.iter().copied().collect()).find(&mut found);
        }
        found.sort_unstable_by_key(|&(count, cells, _)| (count, cells));
        found.dedup();
        if found.len() > MAX_SETS {
            let too_large = found[MAX_SETS].0;
            found.retain(|&(count, ..)| count < too_large);
        }
        let cells = context.size() * context.size();
        let mut book = AlsBook {
            words: found.len().div_ceil(64),
            sets: Vec::with_capacity(found.len()),
            views: Vec::with_capacity(6 * found.len()),
            owners: Vec::with_capacity(6 * found.len()),
            blocks: Blocks::new(cells, context.size()),
            size: context.size(),
            having: OnceCell::new(),
            hits: OnceCell::new(),
            links: OnceCell::new(),
            doomed: OnceCell::new(),
        };
        for (_, cells, digits) in found {
            book.push(context, cells, digits);
        }
        book.blocks.number_linked();
        book
    }

    fn push(&mut self, context: &Context<'_>, cells: CellSet, digits: DigitSet) {
        self.sets.push(Als { cells, digits, views: self.views.len() as u32 });
        for digit in digits {
            let block = self.blocks.of_spots(context, digit, cells & context.spots(digit));
            self.views.push(block);
            self.owners.push(self.sets.len() as u16 - 1);
        }
    }

    /// The sets, small ones first.
    #[inline]
    pub fn sets(&self) -> &[Als] {
        &self.sets
    }

    /// How many views there are.
    pub fn view_count(&self) -> usize {
        self.views.len()
    }

    /// The number of a view; the set has the digit.
    #[inline]
    pub fn view_id(&self, set: usize, digit: Digit) -> usize {
        let Als { digits, views, .. } = self.sets[set];
        let smaller = digits.bits() & ((1 << digit.index()) - 1);
        views as usize + count_bits(smaller)
    }

    /// The set and the digit of a view.
    pub fn owner(&self, view: usize) -> (usize, Digit) {
        let set = usize::from(self.owners[view]);
        let rank = view - self.sets[set].views as usize;
        let digit = self.sets[set].digits.iter().nth(rank).expect("a view for each digit");
        (set, digit)
    }

    /// A digit in a set that has it.
    #[inline]
    pub fn view(&self, set: usize, digit: Digit) -> &View {
        self.block(self.view_id(set, digit))
    }

    /// The blocks of a set, smallest digit first.
    #[inline]
    fn blocks_of(&self, set: &Als) -> &[u16] {
        &self.views[set.views as usize..][..count_bits(set.digits.bits())]
    }

    #[inline]
    fn block_of(&self, view: usize) -> &Block {
        &self.blocks.of[usize::from(self.views[view])]
    }

    #[inline]
    fn block(&self, view: usize) -> &View {
        &self.block_of(view).view
    }

    /// The views of a set, each with its digit.
    fn views_of(&self, set: &Als) -> impl Iterator<Item = (usize, Digit)> + use<> {
        (set.views as usize..).zip(set.digits)
    }

    /// Where a digit stands that sees all its places in both sets.
    pub fn common_seers(&self, one: usize, other: usize, digit: Digit) -> CellSet {
        self.view(one, digit).seers & self.view(other, digit).seers
    }

    /// Words in a row of bits.
    pub fn words(&self) -> usize {
        self.words
    }

    /// By block, the sets that have it.
    fn having(&self) -> &[u64] {
        self.having.get_or_init(|| {
            let mut having = vec![0; self.blocks.of.len() * self.words];
            for (&block, &set) in self.views.iter().zip(&self.owners) {
                having[usize::from(block) * self.words + usize::from(set / 64)] |= 1 << (set % 64);
            }
            having
        })
    }

    /// The sets that lose a digit if it stands in a cell outside them.
    pub fn hits(&self, digit: Digit, cell: Cell) -> &[u64] {
        let hits = self.hits.get_or_init(|| self.find_hits());
        let number = hits.numbers[self.blocks.slot(digit, cell)];
        &hits.rows[usize::from(number) * self.words..][..self.words]
    }

    fn find_hits(&self) -> Hits {
        let words = self.words;
        let mut hits = Hits { rows: vec![0; words], numbers: vec![0; self.blocks.last.len()] };
        let mut count = 0;
        for (block, having) in self.blocks.of.iter().zip(self.having().chunks_exact(words.max(1))) {
            for cell in block.view.seers {
                let number = &mut hits.numbers[self.blocks.slot(block.digit, cell)];
                if *number == 0 {
                    count += 1;
                    *number = count;
                    hits.rows.resize(hits.rows.len() + words, 0);
                }
                join(&mut hits.rows[usize::from(*number) * words..][..words], having);
            }
        }
        hits
    }

    /// The sets that have a view's digit as a restricted common with the view's set.
    pub fn links(&self, view: usize) -> &[u64] {
        &self.all_links()[usize::from(self.block_of(view).number) * self.words..][..self.words]
    }

    /// Those of each block with partners, by its number.
    fn all_links(&self) -> &[u64] {
        self.links.get_or_init(|| {
            let words = self.words;
            let mut links = vec![0; usize::from(self.blocks.linked + 1) * words];
            for &[one, other] in &self.blocks.partners {
                for (block, partner) in [(one, other), (other, one)] {
                    let number = usize::from(self.blocks.of[usize::from(block)].number);
                    let having = &self.having()[usize::from(partner) * words..][..words];
                    join(&mut links[number * words..][..words], having);
                }
            }
            links
        })
    }

    /// Visits the sets after this one and among these that have one restricted common with it, or several; and those
    /// commons.
    pub fn each_linked_after(
        &self,
        one: usize,
        among: &[u64],
        are_several: bool,
        mut each: impl FnMut(usize, DigitSet) -> Flow,
    ) -> Flow {
        let links = self.all_links();
        let mut rows: SmallVec<[(&[u64], Digit); 10]> = SmallVec::new();
        for (view, digit) in self.views_of(&self.sets[one]) {
            let number = usize::from(self.block_of(view).number);
            if number != 0 {
                rows.push((&links[number * self.words..][..self.words], digit));
            }
        }
        if rows.len() <= usize::from(are_several) {
            return ControlFlow::Continue(());
        }
        for word in one / 64..self.words {
            let (mut once, mut twice) = (0, 0);
            for (links, _) in &rows {
                twice |= once & links[word];
                once |= links[word];
            }
            let mut linked = among[word] & if are_several { twice } else { once & !twice };
            if word == one / 64 {
                linked &= u64::MAX << (one % 64);
            }
            for bit in Bits::<1>::from_word(linked).iter() {
                let commons = rows.iter().filter(|(links, _)| links[word] & 1 << bit != 0);
                each(64 * word + bit, commons.map(|(_, digit)| *digit).collect())?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The candidates that would take digits from sets in such a way that one of them came to lack two, by digit: all
    /// that chains of sets can eliminate is among them.
    pub fn doomed(&self, context: &Context<'_>) -> &[CellSet] {
        self.doomed.get_or_init(|| doomed::find(self, context))
    }
}

/// A set that was found: how many cells it has, these, and its digits.
type Found = (usize, CellSet, DigitSet);

/// The subsets of cells that see each other: of a house, or of a cage whose digits differ.
struct Search {
    cells: Vec<(Cell, u32)>,
    max_cells: usize,
}

impl Search {
    fn new(context: &Context<'_>, cells: CellSet) -> Search {
        let cells = (cells & context.open()).iter().map(|cell| (cell, context.candidates(cell).bits()));
        let max_cells = if context.size() <= 9 { context.size() - 1 } else { MAX_CELLS };
        Search { cells: cells.collect(), max_cells }
    }

    fn find(&self, found: &mut Vec<Found>) {
        self.extend(0, 0, 0, 0, found);
    }

    /// Chooses more cells, from this place on; those chosen are bits by their places.
    fn extend(&self, from: usize, chosen: u32, count: usize, union: u32, found: &mut Vec<Found>) {
        for (index, &(_, candidates)) in self.cells.iter().enumerate().skip(from) {
            let grown = union | candidates;
            let digits = count_bits(grown);
            // No more cells can be added than are left, and each makes room for one digit.
            let most = (count + self.cells.len() - index).min(self.max_cells);
            if digits > most + 1 {
                continue;
            }
            let chosen = chosen | 1 << index;
            if digits == count + 2 {
                let places = Bits::<1>::from_word(chosen.into()).iter();
                let cells = places.map(|place| self.cells[place].0).collect();
                found.push((count + 1, cells, DigitSet::from_bits(grown)));
            }
            if count + 1 < most {
                self.extend(index + 1, chosen, count + 1, grown, found);
            }
        }
    }
}

/// The numbers of the bits set in a row.
pub fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    Ones::of(row)
}

/// Adds the numbers of one row to another.
fn join(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(row, other)| *row |= other);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Links against what they mean, and what is doomed against following who lacks what set by set.
    #[test]
    fn links_and_what_they_lead_to() {
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let book = context.als();
            let is_linked = |one: usize, other: usize, digit: Digit| {
                let [one, other] = [&book.sets[one], &book.sets[other]];
                let spots = |set: &Als| set.cells & context.spots(digit);
                one.digits.contains(digit)
                    && other.digits.contains(digit)
                    && spots(one).iter().all(|cell| context.peers(cell).contains_all(spots(other)))
            };
            let all = vec![u64::MAX; book.words];
            for one in 0..book.sets.len() {
                let mut pairs = Vec::new();
                for other in 0..book.sets.len() {
                    let links = |digit: &Digit| is_linked(one, other, *digit);
                    let common: DigitSet = context.puzzle().digits().iter().filter(links).collect();
                    for digit in book.sets[one].digits {
                        let row = book.links(book.view_id(one, digit));
                        assert_eq!(row[other / 64] & (1 << (other % 64)) != 0, common.contains(digit));
                    }
                    if one < other && !common.is_empty() {
                        pairs.push((other, common));
                    }
                }
                let (single, several): (Vec<_>, Vec<_>) =
                    pairs.into_iter().partition(|(_, common): &(usize, DigitSet)| common.len() == 1);
                let linked_after = |are_several: bool| {
                    let mut linked = Vec::new();
                    let flow = book.each_linked_after(one, &all, are_several, |other, common| {
                        linked.push((other, common));
                        ControlFlow::Continue(())
                    });
                    assert!(flow.is_continue());
                    linked
                };
                assert_eq!(linked_after(false), single);
                assert_eq!(linked_after(true), several);
            }
            for digit in context.puzzle().digits() {
                for cell in context.spots(digit) {
                    let is_doomed = comes_short(book, ones(book.hits(digit, cell)).collect(), digit);
                    assert_eq!(book.doomed(&context)[digit.index()].contains(cell), is_doomed);
                }
            }
        }
    }

    /// Along paths, with the sets of houses that did not change against finding them all.
    #[test]
    fn known_sets_are_those_that_are_there() {
        let sets = |board: &Board, position| -> Vec<(CellSet, DigitSet)> {
            let context = Context::new(board, position);
            context.als().sets().iter().map(|set| (set.cells, set.digits)).collect()
        };
        for path in positions::hard().chunk_by(|one, other| one.puzzle() == other.puzzle()) {
            let board = Board::new(path[0].puzzle());
            // Back to where it began at the end.
            for position in path.iter().chain(&path[..1]) {
                assert_eq!(sets(&board, position), sets(&Board::new(position.puzzle()), position));
            }
        }
    }

    /// Whether one of these sets comes to lack another digit once they lack this one.
    fn comes_short(book: &AlsBook, hit: Vec<usize>, digit: Digit) -> bool {
        let mut queue: Vec<(usize, Digit)> = hit.iter().map(|&set| (set, digit)).collect();
        let mut next = 0;
        while let Some(&(set, lacked)) = queue.get(next) {
            next += 1;
            for held in book.sets[set].digits - DigitSet::single(lacked) {
                for taken in ones(book.links(book.view_id(set, held))) {
                    if !queue.contains(&(taken, held)) {
                        queue.push((taken, held));
                    }
                }
            }
        }
        queue.iter().any(|&(set, lacked)| lacked != digit && hit.contains(&set))
    }
}
