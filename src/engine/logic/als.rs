//! Almost locked sets: n cells that see each other, with n + 1 digits between them. One digit away, they are locked.
//!
//! All those of a position, and their restricted commons, found once and kept with the position's facts. Sets are
//! numbered, small ones first; sets of sets are rows of bits by these numbers:
//!
//! ```text
//!  hits(z, v)     the sets whose places for z all see v, so that z in v takes it from them
//!  links(A, x)    the sets whose places for x all see those in A: of A and such a set only one can hold x
//! ```

use std::cell::OnceCell;

use super::context::Context;
use super::{CellSet, MAX_SIZE};
use crate::puzzle::{Cell, Digit, DigitSet};

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
    /// For each set, one view a digit, smallest digit first.
    views: Vec<View>,
    /// For each view the set that it is of.
    owners: Vec<u16>,
    /// Words in a row of bits.
    words: usize,
    size: usize,
    hits: OnceCell<Vec<u64>>,
    links: OnceCell<Vec<u64>>,
}

impl AlsBook {
    /// Finds them all.
    pub fn new(context: &Context<'_>) -> AlsBook {
        let mut found = Vec::new();
        for cells in groups(context) {
            Search::new(context, cells).extend(0, CellSet::EMPTY, 0, 0, &mut found);
        }
        found.sort_unstable_by_key(|(cells, _)| (cells.len(), *cells));
        found.dedup();
        if found.len() > MAX_SETS {
            let too_large = found[MAX_SETS].0.len();
            found.retain(|(cells, _)| cells.len() < too_large);
        }
        let mut book = AlsBook {
            words: found.len().div_ceil(64),
            sets: Vec::with_capacity(found.len()),
            views: Vec::with_capacity(4 * found.len()),
            owners: Vec::with_capacity(4 * found.len()),
            size: context.size(),
            hits: OnceCell::new(),
            links: OnceCell::new(),
        };
        for (cells, digits) in found {
            book.push(context, cells, digits);
        }
        book
    }

    fn push(&mut self, context: &Context<'_>, cells: CellSet, digits: DigitSet) {
        self.sets.push(Als { cells, digits, views: self.views.len() as u32 });
        for digit in digits {
            let spots = cells & context.spots(digit);
            let seers = context.common_peers(spots) & context.spots(digit);
            self.views.push(View { spots, seers });
            self.owners.push(self.sets.len() as u16 - 1);
        }
    }

    /// The sets, small ones first.
    pub fn sets(&self) -> &[Als] {
        &self.sets
    }

    /// How many views there are.
    pub fn view_count(&self) -> usize {
        self.views.len()
    }

    /// The number of a view; the set has the digit.
    pub fn view_id(&self, set: usize, digit: Digit) -> usize {
        let Als { digits, views, .. } = self.sets[set];
        let smaller = digits.bits() & ((1 << digit.index()) - 1);
        views as usize + smaller.count_ones() as usize
    }

    /// The set and the digit of a view.
    pub fn owner(&self, view: usize) -> (usize, Digit) {
        let set = usize::from(self.owners[view]);
        let rank = view - self.sets[set].views as usize;
        let digit = self.sets[set].digits.iter().nth(rank).expect("a view for each digit");
        (set, digit)
    }

    /// A digit in a set that has it.
    pub fn view(&self, set: usize, digit: Digit) -> &View {
        &self.views[self.view_id(set, digit)]
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
            for (rank, digit) in set.digits.iter().enumerate() {
                for cell in self.views[set.views as usize + rank].seers {
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
        &links[view * self.words..][..self.words]
    }

    fn find_links(&self) -> Vec<u64> {
        let words = self.words;
        // By digit and cell, the sets with a place for the digit there; by digit, those with the digit at all.
        let cells = self.size * self.size;
        let mut members = vec![0u64; self.size * cells * words];
        let mut has = vec![0u64; self.size * words];
        let mut spots = [CellSet::EMPTY; MAX_SIZE];
        for (number, set) in self.sets.iter().enumerate() {
            let (word, bit) = (number / 64, 1 << (number % 64));
            for (rank, digit) in set.digits.iter().enumerate() {
                has[digit.index() * words + word] |= bit;
                let view = &self.views[set.views as usize + rank];
                spots[digit.index()] |= view.spots;
                for cell in view.spots {
                    members[(digit.index() * cells + cell.index()) * words + word] |= bit;
                }
            }
        }
        let mut links = vec![0u64; self.views.len() * words];
        for set in &self.sets {
            for (rank, digit) in set.digits.iter().enumerate() {
                let view = set.views as usize + rank;
                let row = &mut links[view * words..][..words];
                row.copy_from_slice(&has[digit.index() * words..][..words]);
                // A set with a place that does not see all of this view's is out; so is the set itself.
                for cell in spots[digit.index()] - self.views[view].seers {
                    let out = &members[(digit.index() * cells + cell.index()) * words..][..words];
                    row.iter_mut().zip(out).for_each(|(row, out)| *row &= !out);
                }
            }
        }
        links
    }
}

/// Cells that see each other: houses, and cages whose digits differ.
fn groups(context: &Context<'_>) -> Vec<CellSet> {
    let puzzle = context.puzzle();
    let mut groups: Vec<CellSet> = puzzle.house_ids().map(|house| context.house(house)).collect();
    let cages = puzzle.cages().iter().filter(|cage| cage.distinct);
    groups.extend(cages.map(|cage| cage.cells.iter().copied().collect::<CellSet>()));
    groups
}

/// The subsets of a group.
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

    fn extend(
        &self,
        from: usize,
        chosen: CellSet,
        count: usize,
        union: u32,
        found: &mut Vec<(CellSet, DigitSet)>,
    ) {
        for index in from..self.cells.len() {
            let (cell, candidates) = self.cells[index];
            let grown = union | candidates;
            let digits = grown.count_ones() as usize;
            // No more cells can be added than are left, and each makes room for one digit.
            let most = (count + self.cells.len() - index).min(self.max_cells);
            if digits > most + 1 {
                continue;
            }
            let mut cells = chosen;
            cells.insert(cell);
            if digits == count + 2 {
                found.push((cells, DigitSet::from_bits(grown)));
            }
            if count + 1 < most {
                self.extend(index + 1, cells, count + 1, grown, found);
            }
        }
    }
}

/// The numbers of the bits set in a row.
pub fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(word * 64 + bit)
        })
    })
}
