//! A checked puzzle: houses, cages, givens and restrictions, and what every engine asks of them.

use std::sync::Arc;

use super::layout::{Layout, Regions};
use super::structure::Structure;
use super::{
    Cage, CageDraft, CageId, Cell, Digit, DigitSet, House, HouseId, Operation, PuzzleDraft, RegionsDraft,
};

/// Rules, givens and restrictions. Made by [`super::PuzzleDraft::check`] alone, so whoever holds one
/// may trust it: cells are on the board, houses are whole, givens do not clash, targets can be met.
#[derive(Clone, Debug)]
pub struct Puzzle {
    layout: Layout,
    /// Shared among the clones of a puzzle, and among all plain 9×9 puzzles.
    structure: Arc<Structure>,
    cages: Vec<Cage>,
    givens: Vec<Option<Digit>>,
    restrictions: Vec<DigitSet>,
    /// One entry a cell, or empty if there is no cage.
    cage_of: Vec<Option<CageId>>,
}

/// Two puzzles are equal when their rules, givens and restrictions are.
impl PartialEq for Puzzle {
    fn eq(&self, other: &Puzzle) -> bool {
        self.layout == other.layout
            && self.givens == other.givens
            && self.cages == other.cages
            && self.restrictions == other.restrictions
    }
}

impl Eq for Puzzle {}

/// The reverse of [`PuzzleDraft::check`]: checking the draft gives the same puzzle.
impl From<&Puzzle> for PuzzleDraft {
    fn from(puzzle: &Puzzle) -> PuzzleDraft {
        let layout = &puzzle.layout;
        let regions = match &layout.regions {
            Regions::None => RegionsDraft::None,
            Regions::Boxes(shape) => {
                RegionsDraft::Boxes { rows: shape.rows.into(), columns: shape.columns.into() }
            }
            Regions::Jigsaw(regions) => {
                RegionsDraft::Jigsaw(regions.iter().map(|&region| region.into()).collect())
            }
        };
        let cages = puzzle.cages.iter().map(|cage| CageDraft {
            cells: cage.cells.iter().map(|cell| cell.index()).collect(),
            operation: cage.operation,
            target: (cage.operation != Operation::Free).then_some(cage.target as i64),
            distinct: cage.distinct,
        });
        PuzzleDraft {
            size: layout.size,
            regions,
            falling_diagonal: layout.falling_diagonal,
            rising_diagonal: layout.rising_diagonal,
            windows: layout.windows,
            givens: puzzle.givens.iter().map(|given| given.map_or(0, |digit| digit.value().into())).collect(),
            cages: cages.collect(),
            candidates: if puzzle.is_restricted() { puzzle.restrictions.clone() } else { Vec::new() },
        }
    }
}

impl Puzzle {
    /// For the gate alone, which has checked everything.
    pub(super) fn new(
        layout: Layout,
        mut structure: Arc<Structure>,
        cages: Vec<Cage>,
        givens: Vec<Option<Digit>>,
        restrictions: Vec<DigitSet>,
    ) -> Puzzle {
        let mut cage_of = vec![None; if cages.is_empty() { 0 } else { layout.size * layout.size }];
        for (index, cage) in cages.iter().enumerate() {
            for &cell in &cage.cells {
                cage_of[cell.index()] = Some(CageId(index as u16));
            }
        }
        structure.see_within(cages.iter().filter(|cage| cage.distinct));
        Puzzle { layout, structure, cages, givens, restrictions, cage_of }
    }

    /// The same puzzle with fewer givens: what was checked still holds. Cells without given are passed over.
    pub fn without_givens(&self, cells: &[Cell]) -> Puzzle {
        let mut puzzle = self.clone();
        for cell in cells {
            puzzle.givens[cell.index()] = None;
        }
        puzzle
    }

    /// Leaves a cell these of its digits, whatever it was left before: the gate's checks hold, but that a given or a
    /// house may now want a digit that is not left. For searches that ask what if.
    pub(crate) fn restrict(&mut self, cell: Cell, digits: DigitSet) {
        self.restrictions[cell.index()] = digits & self.digits();
    }

    /// Rows, columns and digits: 2 to 25.
    #[inline]
    pub fn size(&self) -> usize {
        self.layout.size
    }

    /// Size squared.
    #[inline]
    pub fn cell_count(&self) -> usize {
        self.layout.size * self.layout.size
    }

    /// Every digit of the puzzle.
    #[inline]
    pub fn digits(&self) -> DigitSet {
        DigitSet::full(self.layout.size)
    }

    /// What the houses were made from.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All houses: rows, columns, boxes or regions, diagonals, windows.
    #[inline]
    pub fn houses(&self) -> &[House] {
        &self.structure.houses
    }

    /// One house.
    #[inline]
    pub fn house(&self, id: HouseId) -> &House {
        &self.structure.houses[id.index()]
    }

    /// The identities of all houses, in order.
    #[inline]
    pub fn house_ids(&self) -> impl DoubleEndedIterator<Item = HouseId> + Clone + use<> {
        (0..self.structure.houses.len() as u16).map(HouseId)
    }

    /// All cages. No cell is in two.
    #[inline]
    pub fn cages(&self) -> &[Cage] {
        &self.cages
    }

    /// One cage.
    #[inline]
    pub fn cage(&self, id: CageId) -> &Cage {
        &self.cages[id.index()]
    }

    /// The identities of all cages, in order.
    pub fn cage_ids(&self) -> impl DoubleEndedIterator<Item = CageId> + Clone + use<> {
        (0..self.cages.len() as u16).map(CageId)
    }

    /// The digits given, one entry a cell.
    #[inline]
    pub fn givens(&self) -> &[Option<Digit>] {
        &self.givens
    }

    /// The digit given in a cell.
    #[inline]
    pub fn given(&self, cell: Cell) -> Option<Digit> {
        self.givens[cell.index()]
    }

    /// What the setter leaves possible in a cell, before any rule is applied (all digits, unless it is a sukaku).
    #[inline]
    pub fn allowed(&self, cell: Cell) -> DigitSet {
        self.restrictions[cell.index()]
    }

    /// What the givens in its houses leave of what is [allowed](Self::allowed), by cell; a given is left alone.
    pub(super) fn candidates_by_houses(&self) -> Vec<DigitSet> {
        let houses_of = &self.structure.houses_of;
        let mut placed = vec![DigitSet::EMPTY; self.structure.houses.len()];
        for (given, houses) in self.givens.iter().zip(houses_of) {
            if let Some(digit) = *given {
                houses.as_slice().iter().for_each(|house| placed[house.index()].insert(digit));
            }
        }
        let cells = self.givens.iter().zip(&self.restrictions).zip(houses_of);
        let candidates = cells.map(|((given, &allowed), houses)| match *given {
            Some(digit) => DigitSet::single(digit),
            None => houses.as_slice().iter().fold(allowed, |left, house| left - placed[house.index()]),
        });
        candidates.collect()
    }

    /// Whether any cell is restricted.
    pub fn is_restricted(&self) -> bool {
        self.restrictions.iter().any(|&allowed| allowed != self.digits())
    }

    /// The houses of a cell.
    #[inline]
    pub fn houses_of(&self, cell: Cell) -> &[HouseId] {
        self.structure.houses_of[cell.index()].as_slice()
    }

    /// The cage of a cell.
    #[inline]
    pub fn cage_of(&self, cell: Cell) -> Option<CageId> {
        self.cage_of.get(cell.index()).copied().flatten()
    }

    /// The cells that share a house or a cage of different digits with this one, in reading order.
    #[inline]
    pub fn peers(&self, cell: Cell) -> &[Cell] {
        &self.structure.peers[cell.index()]
    }

    /// Whether two cells see each other, so that they cannot hold the same digit.
    pub fn sees(&self, one: Cell, other: Cell) -> bool {
        self.structure.peers[one.index()].binary_search(&other).is_ok()
    }

    /// A word for the kind, for logs and lists alone: no engine asks.
    pub fn kind(&self) -> &'static str {
        if self.cages.iter().any(|cage| !cage.distinct) {
            return "kenken";
        }
        if !self.cages.is_empty() {
            return "killer";
        }
        match self.layout.regions {
            Regions::None => "latin",
            Regions::Jigsaw(_) => "jigsaw",
            Regions::Boxes(_) if self.layout.windows => "windoku",
            Regions::Boxes(_) if self.layout.falling_diagonal || self.layout.rising_diagonal => "diagonal",
            Regions::Boxes(_) => "classic",
        }
    }

    /// Whether a full grid keeps every given, restriction, house and cage.
    pub fn is_solved_by(&self, solution: &super::Solution) -> bool {
        let digits = solution.digits();
        let keeps_cells = digits.len() == self.cell_count()
            && Cell::all(self.size()).all(|cell| {
                let digit = digits[cell.index()];
                self.allowed(cell).contains(digit) && self.given(cell).is_none_or(|given| given == digit)
            });
        keeps_cells
            && Cell::all(self.size())
                .all(|cell| self.peers(cell).iter().all(|peer| digits[peer.index()] != digits[cell.index()]))
            && self.cages.iter().all(|cage| {
                let values: Vec<u8> = cage.cells.iter().map(|cell| digits[cell.index()].value()).collect();
                cage.is_met_by(&values)
            })
    }
}
