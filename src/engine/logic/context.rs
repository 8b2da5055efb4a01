//! Facts derived once per position, which all finders read.

use std::any::Any;
use std::cell::{Cell as Slot, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::als::AlsBook;
use super::rectangle::{Rectangle, rectangles};
use super::single_digit::Dead;
use super::{CellSet, Conclusion, MAX_SIZE};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, Position, Puzzle};

/// What does not change along a path: the houses and peers of a puzzle as sets.
pub struct Board {
    houses: Vec<CellSet>,
    peers: Vec<CellSet>,
    /// Of each cell, its houses, with its place among the cells of each.
    seats: Vec<Vec<(HouseId, u8)>>,
    /// Derived when first asked for: easy puzzles never do.
    rectangles: OnceCell<Vec<Rectangle>>,
    /// Of each digit, the places it had when last looked at, and which of them were dead. Along a path most
    /// digits stay as they are from step to step.
    dead: [Slot<(CellSet, Dead)>; MAX_SIZE],
    /// What was found of a digit with these places, by topic.
    memory: RefCell<HashMap<Topic, Memory>>,
}

/// A digit, and two numbers that say what was looked for.
pub type Topic = (Digit, u8, u8);

/// Two choices of sectors of a digit: for a fish, its bases and covers.
pub type Found = ([u8; 7], [u8; 7]);

/// The places that a digit had, and what was found then.
type Memory = (CellSet, Arc<[Found]>);

/// What is more is not kept: it would take more room than looking again takes time.
const MAX_FOUND: usize = 8192;

impl Board {
    /// Derives the sets. The board is at most [`MAX_SIZE`] wide.
    pub fn new(puzzle: &Puzzle) -> Board {
        let mut seats = vec![Vec::new(); puzzle.cell_count()];
        for id in puzzle.house_ids() {
            for (seat, cell) in puzzle.house(id).cells.iter().enumerate() {
                seats[cell.index()].push((id, seat as u8));
            }
        }
        Board {
            houses: puzzle.houses().iter().map(|house| house.cells.iter().copied().collect()).collect(),
            peers: Cell::all(puzzle.size())
                .map(|cell| puzzle.peers(cell).iter().copied().collect())
                .collect(),
            seats,
            rectangles: OnceCell::new(),
            dead: std::array::from_fn(|_| Slot::default()),
            memory: RefCell::default(),
        }
    }
}

/// Two cells of a house that are all the places left for a digit there: one of them holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conjugates {
    /// The house.
    pub house: HouseId,
    /// Its cells, in reading order.
    pub cells: [Cell; 2],
}

/// A position as finders see it.
pub struct Context<'a> {
    position: &'a Position,
    board: &'a Board,
    /// Cells without digit.
    open: CellSet,
    /// Cells where each digit is still a candidate of an open cell, by digit index.
    spots: [CellSet; MAX_SIZE],
    /// The same by house and digit index: bit `i` is the house's cell `i`.
    seats: Vec<[u16; MAX_SIZE]>,
    /// Open cells with two candidates.
    bivalue: OnceCell<CellSet>,
    /// By digit index, the houses with two places for it.
    conjugates: OnceCell<Vec<Vec<Conjugates>>>,
    als: OnceCell<AlsBook>,
    /// What finders have derived and others of them will want, by its type.
    derived: RefCell<Vec<Rc<dyn Any>>>,
}

impl<'a> Context<'a> {
    /// Derives the facts of a position on a board made from its puzzle.
    pub fn new(board: &'a Board, position: &'a Position) -> Context<'a> {
        let mut open = CellSet::EMPTY;
        let mut spots = [CellSet::EMPTY; MAX_SIZE];
        let mut seats = vec![[0; MAX_SIZE]; board.houses.len()];
        for cell in position.open_cells() {
            open.insert(cell);
            for digit in position.candidates(cell) {
                spots[digit.index()].insert(cell);
                for &(house, seat) in &board.seats[cell.index()] {
                    seats[house.index()][digit.index()] |= 1 << seat;
                }
            }
        }
        let (bivalue, conjugates) = (OnceCell::new(), OnceCell::new());
        let derived = RefCell::default();
        Context { position, board, open, spots, seats, bivalue, conjugates, als: OnceCell::new(), derived }
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &Position {
        self.position
    }

    /// The puzzle.
    #[inline]
    pub fn puzzle(&self) -> &Puzzle {
        self.position.puzzle()
    }

    /// Rows, columns and digits.
    #[inline]
    pub fn size(&self) -> usize {
        self.position.size()
    }

    /// The candidates of a cell.
    #[inline]
    pub fn candidates(&self, cell: Cell) -> DigitSet {
        self.position.candidates(cell)
    }

    /// The cells without digit.
    #[inline]
    pub fn open(&self) -> CellSet {
        self.open
    }

    /// The open cells where a digit may still stand.
    #[inline]
    pub fn spots(&self, digit: Digit) -> CellSet {
        self.spots[digit.index()]
    }

    /// The open cells of a house where a digit may still stand.
    #[inline]
    pub fn spots_in(&self, house: HouseId, digit: Digit) -> CellSet {
        self.spots[digit.index()] & self.board.houses[house.index()]
    }

    /// The same as places in the house: bit `i` is its cell `i`.
    #[inline]
    pub fn seats_in(&self, house: HouseId, digit: Digit) -> u16 {
        self.seats[house.index()][digit.index()]
    }

    /// The open cells with two candidates.
    #[inline]
    pub fn bivalue(&self) -> CellSet {
        *self.bivalue.get_or_init(|| {
            let is_bivalue = |&cell: &Cell| self.candidates(cell).len() == 2;
            self.open.iter().filter(is_bivalue).collect()
        })
    }

    /// The houses with two places for a digit, in order of houses. Two houses may share the two cells.
    #[inline]
    pub fn conjugates(&self, digit: Digit) -> &[Conjugates] {
        let all = self
            .conjugates
            .get_or_init(|| self.puzzle().digits().iter().map(|digit| self.pairs(digit)).collect());
        &all[digit.index()]
    }

    fn pairs(&self, digit: Digit) -> Vec<Conjugates> {
        let houses = self.puzzle().house_ids().filter(|&house| self.seats_in(house, digit).count_ones() == 2);
        houses
            .map(|house| {
                let (seats, cells) = (self.seats_in(house, digit), &self.puzzle().house(house).cells);
                let (first, last) = (seats.trailing_zeros(), seats.ilog2());
                Conjugates { house, cells: [cells[first as usize], cells[last as usize]] }
            })
            .collect()
    }

    /// Rectangles of cells that are not given, which two digits could fill in two ways.
    #[inline]
    pub fn rectangles(&self) -> &[Rectangle] {
        self.board.rectangles.get_or_init(|| rectangles(self.puzzle()))
    }

    /// The places of a digit that no way to put it into every house has.
    pub fn dead(&self, digit: Digit) -> Dead {
        let slot = &self.board.dead[digit.index()];
        let spots = self.spots(digit);
        let (known, dead) = slot.get();
        if known == spots {
            return dead;
        }
        let dead = Dead::among(self.puzzle(), digit, spots);
        slot.set((spots, dead));
        dead
    }

    /// What was remembered of a topic, if the digit has the same places still.
    pub fn recall(&self, topic: Topic) -> Option<Arc<[Found]>> {
        let memory = self.board.memory.borrow();
        memory.get(&topic).filter(|(spots, _)| *spots == self.spots(topic.0)).map(|(_, found)| found.clone())
    }

    /// Keeps all that was found of a topic, for other rows and for later positions of the same board.
    pub fn remember(&self, topic: Topic, found: Vec<Found>) {
        if found.len() <= MAX_FOUND {
            self.board.memory.borrow_mut().insert(topic, (self.spots(topic.0), found.into()));
        }
    }

    /// The cells of a house.
    #[inline]
    pub fn house(&self, house: HouseId) -> CellSet {
        self.board.houses[house.index()]
    }

    /// The cells that a cell sees.
    #[inline]
    pub fn peers(&self, cell: Cell) -> CellSet {
        self.board.peers[cell.index()]
    }

    /// The cells that every one of these sees; none if there are none.
    #[inline]
    pub fn common_peers(&self, cells: CellSet) -> CellSet {
        let mut cells = cells.iter();
        let Some(first) = cells.next() else { return CellSet::EMPTY };
        cells.fold(self.peers(first), |common, cell| common & self.peers(cell))
    }

    /// The almost locked sets, found when first asked for.
    #[inline]
    pub fn als(&self) -> &AlsBook {
        self.als.get_or_init(|| AlsBook::new(self))
    }

    /// What was derived of this type.
    pub fn derived<T: 'static>(&self) -> Option<Rc<T>> {
        self.derived.borrow().iter().find_map(|derived| derived.clone().downcast().ok())
    }

    /// Keeps what several finders need, for [`derived`](Self::derived).
    pub fn keep<T: 'static>(&self, derived: T) -> Rc<T> {
        let kept = Rc::new(derived);
        self.derived.borrow_mut().push(kept.clone());
        kept
    }

    /// What goes if none of these digits may stand in these cells.
    pub fn eliminations(&self, cells: CellSet, digits: DigitSet) -> Vec<Conclusion> {
        let mut eliminations = Vec::new();
        for cell in cells & self.open {
            for digit in self.candidates(cell) & digits {
                eliminations.push(Conclusion::Eliminate(cell, digit));
            }
        }
        eliminations
    }
}
