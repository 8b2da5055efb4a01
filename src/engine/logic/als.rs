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

use smallvec::SmallVec;

use super::CellSet;
use super::bits::{Ones, count as count_bits};
use super::context::Context;
use super::links::Lists;
use super::memory::Patterns;
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
    /// For each block the blocks of its digit all of whose places see all of its own.
    partners: Lists<u16>,
    /// Words in a row of bits.
    words: usize,
    size: usize,
    hits: OnceCell<Vec<u64>>,
    links: OnceCell<Vec<u64>>,
    doomed: OnceCell<Vec<CellSet>>,
}

/// Views that several sets may share: the places of a digit. There are about half as many as views.
struct Blocks {
    of: Vec<View>,
    /// Of each, its digit.
    digits: Vec<Digit>,
    /// By digit and first cell, the block made last; of each block, the one made before it.
    last: Vec<u16>,
    before: Vec<u16>,
    cells: usize,
}

/// Stands for no block.
const NONE: u16 = u16::MAX;

impl Blocks {
    fn new(cells: usize, digits: usize) -> Blocks {
        Blocks {
            of: Vec::with_capacity(1024),
            digits: Vec::with_capacity(1024),
            last: vec![NONE; cells * digits],
            before: Vec::with_capacity(1024),
            cells,
        }
    }

    fn slot(&self, digit: Digit, first: Cell) -> usize {
        digit.index() * self.cells + first.index()
    }

    /// The blocks of a digit whose first place is this cell.
    fn starting_at(&self, digit: Digit, first: Cell) -> impl Iterator<Item = u16> + '_ {
        let some = |block: u16| (block != NONE).then_some(block);
        let last = some(self.last[self.slot(digit, first)]);
        std::iter::successors(last, move |&block| some(self.before[usize::from(block)]))
    }

    /// The block of these places, of which there is one at least.
    fn of_spots(&mut self, context: &Context<'_>, digit: Digit, spots: CellSet) -> u16 {
        let first = spots.first().expect("a digit of a set has a place there");
        let mut known = self.starting_at(digit, first);
        if let Some(known) = known.find(|&block| self.of[usize::from(block)].spots == spots) {
            return known;
        }
        drop(known);
        let (block, slot) = (self.of.len() as u16, self.slot(digit, first));
        let seers = context.common_peers(spots) & context.spots(digit);
        self.of.push(View { spots, seers });
        self.digits.push(digit);
        self.before.push(std::mem::replace(&mut self.last[slot], block));
        block
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
            partners: Lists::with_capacity(0, 0),
            size: context.size(),
            hits: OnceCell::new(),
            links: OnceCell::new(),
            doomed: OnceCell::new(),
        };
        for (_, cells, digits) in found {
            book.push(context, cells, digits);
        }
        book.find_partners();
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

    fn find_partners(&mut self) {
        let blocks = &self.blocks;
        let mut partners = Lists::with_capacity(blocks.of.len(), blocks.of.len());
        for (block, &digit) in blocks.of.iter().zip(&blocks.digits) {
            for first in block.seers {
                for other in blocks.starting_at(digit, first) {
                    if block.seers.contains_all(blocks.of[usize::from(other)].spots) {
                        partners.push(other);
                    }
                }
            }
            partners.end_list();
        }
        self.partners = partners;
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

    #[inline]
    fn block(&self, view: usize) -> &View {
        &self.blocks.of[usize::from(self.views[view])]
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

    /// The sets that lose a digit if it stands in a cell outside them.
    pub fn hits(&self, digit: Digit, cell: Cell) -> &[u64] {
        let hits = self.hits.get_or_init(|| self.find_hits());
        let row = digit.index() * self.size * self.size + cell.index();
        &hits[row * self.words..][..self.words]
    }

    fn find_hits(&self) -> Vec<u64> {
        let cells = self.size * self.size;
        let mut hits = vec![0; self.size * cells * self.words];
        for (number, set) in self.sets.iter().enumerate() {
            for (view, digit) in self.views_of(set) {
                for cell in self.block(view).seers {
                    let row = digit.index() * cells + cell.index();
                    hits[row * self.words + number / 64] |= 1 << (number % 64);
                }
            }
        }
        hits
    }

    /// The sets that have a view's digit as a restricted common with the view's set.
    pub fn links(&self, view: usize) -> &[u64] {
        let links = self.links.get_or_init(|| self.find_links());
        &links[usize::from(self.views[view]) * self.words..][..self.words]
    }

    /// Those of each block.
    fn find_links(&self) -> Vec<u64> {
        let words = self.words;
        let mut owners = vec![0u64; self.blocks.of.len() * words];
        for (&block, &set) in self.views.iter().zip(&self.owners) {
            owners[usize::from(block) * words + usize::from(set / 64)] |= 1 << (set % 64);
        }
        let mut links = vec![0u64; self.blocks.of.len() * words];
        for (block, row) in links.chunks_exact_mut(words.max(1)).enumerate() {
            for &partner in self.partners.of(block) {
                let sets = &owners[usize::from(partner) * words..][..words];
                row.iter_mut().zip(sets).for_each(|(row, sets)| *row |= sets);
            }
        }
        links
    }

    /// The sets after this one and among these that have one restricted common with it, or several; and those commons.
    pub fn linked_after(
        &self,
        one: usize,
        among: &[u64],
        are_several: bool,
    ) -> impl Iterator<Item = (usize, DigitSet)> + '_ {
        let views = self.views_of(&self.sets[one]);
        let has_partners = |view: usize| !self.partners.of(usize::from(self.views[view])).is_empty();
        let rows: SmallVec<[(&[u64], Digit); 10]> = views
            .filter(|&(view, _)| has_partners(view))
            .map(|(view, digit)| (self.links(view), digit))
            .collect();
        let mut linked: SmallVec<[u64; 32]> = SmallVec::from_elem(0, self.words);
        if rows.len() > usize::from(are_several) {
            for word in one / 64..self.words {
                let (mut once, mut twice) = (0, 0);
                for (links, _) in &rows {
                    twice |= once & links[word];
                    once |= links[word];
                }
                linked[word] = among[word] & if are_several { twice } else { once & !twice };
            }
            linked[one / 64] &= u64::MAX << (one % 64);
        }
        (one / 64..self.words).flat_map(move |word| ones_of(linked[word], word)).map(move |other| {
            let commons = rows.iter().filter(|(links, _)| links[other / 64] & 1 << (other % 64) != 0);
            (other, commons.map(|(_, digit)| *digit).collect())
        })
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
                let places = ones_of(chosen.into(), 0);
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

/// The same of one word.
fn ones_of(mut left: u64, word: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(word * 64 + bit)
    })
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
                assert_eq!(book.linked_after(one, &all, false).collect::<Vec<_>>(), single);
                assert_eq!(book.linked_after(one, &all, true).collect::<Vec<_>>(), several);
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
