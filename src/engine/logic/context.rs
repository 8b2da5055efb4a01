//! Facts derived once per position, which all finders read.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::als::AlsBook;
use super::board::MAX_FOUND;
pub use super::board::{Board, Found, Topic};
use super::contradiction::cage_fails;
use super::rectangle::{Rectangle, rectangles};
use super::single_digit::Dead;
use super::{CellSet, Conclusion, MAX_SIZE};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, Position, Puzzle};

/// Two cells of a house that are all the places left for a digit there: one of them holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conjugates {
    /// The house.
    pub house: HouseId,
    /// Its cells, in reading order.
    pub cells: [Cell; 2],
}

/// What is known of a house. Houses side by side in memory share no line of the cache.
#[derive(Clone)]
#[repr(align(64))]
struct HouseFacts {
    /// Where each digit is still a candidate of an open cell, by digit index: bit `i` is the house's cell `i`.
    seats: [u16; MAX_SIZE],
    /// Digits with one such place.
    lone: DigitSet,
    /// Digits that stand in it.
    placed: DigitSet,
    /// How many of its cells are open.
    open: u8,
}

/// A position as finders see it. It follows a path: what a step concludes is [applied](Self::apply), and only what
/// that touches is derived anew.
pub struct Context<'a> {
    position: Position,
    board: &'a Board,
    /// Cells without digit.
    open: CellSet,
    /// Cells where each digit is still a candidate of an open cell, by digit index.
    spots: [CellSet; MAX_SIZE],
    houses: Vec<HouseFacts>,
    /// Houses with one open cell: bit `i` is house `i`.
    almost_full: u64,
    /// Houses where a digit has one place left.
    with_lone: u64,
    /// Open cells with one candidate.
    naked: CellSet,
    /// Whether a rule is broken already, so that nothing can be solved from here.
    is_contradictory: bool,
    lazy: OnceCell<Box<Lazy>>,
}

/// What is derived when first asked for, and forgotten with the next step.
#[derive(Default)]
struct Lazy {
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
    pub fn new(board: &'a Board, position: &Position) -> Context<'a> {
        let none =
            HouseFacts { seats: [0; MAX_SIZE], lone: DigitSet::EMPTY, placed: DigitSet::EMPTY, open: 0 };
        let mut context = Context {
            position: position.clone(),
            board,
            open: CellSet::EMPTY,
            spots: [CellSet::EMPTY; MAX_SIZE],
            houses: vec![none; board.sets.houses.len()],
            almost_full: 0,
            with_lone: 0,
            naked: CellSet::EMPTY,
            is_contradictory: false,
            lazy: OnceCell::new(),
        };
        for cell in Cell::all(position.size()) {
            context.look_at(cell);
        }
        for house in position.puzzle().house_ids() {
            context.look_through(house);
        }
        let cages = position.puzzle().cages();
        context.is_contradictory |= cages.iter().any(|cage| cage_fails(position, cage));
        context
    }

    /// Takes down what one cell holds.
    fn look_at(&mut self, cell: Cell) {
        let board = self.board;
        let seats = board.sets.seats(cell);
        if let Some(digit) = self.position.digit(cell) {
            for &(house, _) in seats {
                self.stand(house, digit);
            }
            return;
        }
        let candidates = self.position.candidates(cell);
        self.open.insert(cell);
        self.is_contradictory |= candidates.is_empty();
        if candidates.only().is_some() {
            self.naked.insert(cell);
        }
        for digit in candidates {
            self.spots[digit.index()].insert(cell);
            for &(house, seat) in seats {
                self.houses[house.index()].seats[digit.index()] |= seat;
            }
        }
        for &(house, _) in seats {
            self.houses[house.index()].open += 1;
        }
    }

    /// Takes down what follows from the cells of a house.
    fn look_through(&mut self, house: HouseId) {
        let digits = self.puzzle().digits();
        let facts = &mut self.houses[house.index()];
        for digit in digits - facts.placed {
            let seats = facts.seats[digit.index()];
            self.is_contradictory |= seats == 0;
            if seats.is_power_of_two() {
                facts.lone.insert(digit);
            }
        }
        self.with_lone |= u64::from(!facts.lone.is_empty()) << house.index();
        self.almost_full |= u64::from(facts.open == 1) << house.index();
    }

    /// Does to the position what a step concludes; what is no news is passed over.
    pub fn apply(&mut self, conclusion: Conclusion) {
        if !conclusion.is_news(&self.position) {
            return;
        }
        match conclusion {
            Conclusion::Place(cell, digit) => self.place(cell, digit),
            Conclusion::Eliminate(cell, digit) => self.eliminate(cell, digit),
        }
        self.lazy.take();
    }

    fn place(&mut self, cell: Cell, digit: Digit) {
        let board = self.board;
        let sets = &board.sets;
        let candidates = self.position.candidates(cell);
        for &(house, seat) in sets.seats(cell) {
            self.stand(house, digit);
            let open = &mut self.houses[house.index()].open;
            *open -= 1;
            let is_last = u64::from(*open == 1);
            self.almost_full = self.almost_full & !(1 << house.index()) | is_last << house.index();
            for candidate in candidates {
                self.leave(house, seat, candidate);
            }
        }
        for candidate in candidates {
            self.spots[candidate.index()].remove(cell);
        }
        self.open.remove(cell);
        self.naked.remove(cell);
        self.position.set(cell, digit);
        for peer in self.spots[digit.index()] & sets.peers[cell.index()] {
            self.eliminate(peer, digit);
        }
        if let Some(cage) = self.puzzle().cage_of(cell) {
            self.is_contradictory |= cage_fails(&self.position, self.puzzle().cage(cage));
        }
    }

    /// The house holds the digit.
    fn stand(&mut self, house: HouseId, digit: Digit) {
        let placed = &mut self.houses[house.index()].placed;
        self.is_contradictory |= placed.contains(digit);
        placed.insert(digit);
    }

    fn eliminate(&mut self, cell: Cell, digit: Digit) {
        self.position.eliminate(cell, digit);
        self.spots[digit.index()].remove(cell);
        let board = self.board;
        for &(house, seat) in board.sets.seats(cell) {
            self.leave(house, seat, digit);
        }
        let candidates = self.position.candidates(cell);
        if candidates.is_empty() {
            self.naked.remove(cell);
            self.is_contradictory = true;
        } else if candidates.only().is_some() {
            self.naked.insert(cell);
        }
    }

    /// The seat of a house is no longer a place for the digit.
    #[inline]
    fn leave(&mut self, house: HouseId, seat: u16, digit: Digit) {
        let seats = &mut self.houses[house.index()].seats[digit.index()];
        *seats &= !seat;
        if *seats & seats.wrapping_sub(1) == 0 {
            self.note_last(house, digit);
        }
    }

    /// The digit has one place left in the house, or none.
    fn note_last(&mut self, house: HouseId, digit: Digit) {
        let facts = &mut self.houses[house.index()];
        if facts.seats[digit.index()] != 0 {
            facts.lone.insert(digit);
            self.with_lone |= 1 << house.index();
        } else {
            facts.lone.remove(digit);
            self.with_lone &= !(u64::from(facts.lone.is_empty()) << house.index());
            self.is_contradictory |= !facts.placed.contains(digit);
        }
    }

    fn lazy(&self) -> &Lazy {
        self.lazy.get_or_init(Box::default)
    }

    /// Hands the position back.
    pub fn into_position(self) -> Position {
        self.position
    }

    /// Whether every cell has its digit.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a cell or a house is left without candidate, two digits clash, or a full cage misses its target.
    #[inline]
    pub fn is_contradictory(&self) -> bool {
        self.is_contradictory
    }

    /// The open cells with one candidate.
    #[inline]
    pub fn naked(&self) -> CellSet {
        self.naked
    }

    /// The digits with one place in a house, and not placed there.
    #[inline]
    pub fn lone(&self, house: HouseId) -> DigitSet {
        self.houses[house.index()].lone
    }

    /// The digits that stand in a house.
    #[inline]
    pub fn placed(&self, house: HouseId) -> DigitSet {
        self.houses[house.index()].placed
    }

    /// The houses with one open cell, in order.
    pub fn almost_full(&self) -> impl Iterator<Item = HouseId> + use<> {
        houses_of(self.almost_full)
    }

    /// The houses where a digit has [one place](Self::lone), in order.
    pub fn with_lone(&self) -> impl Iterator<Item = HouseId> + use<> {
        houses_of(self.with_lone)
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
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
        self.spots[digit.index()] & self.board.sets.houses[house.index()]
    }

    /// The same as places in the house: bit `i` is its cell `i`.
    #[inline]
    pub fn seats_in(&self, house: HouseId, digit: Digit) -> u16 {
        self.houses[house.index()].seats[digit.index()]
    }

    /// The open cells with two candidates.
    #[inline]
    pub fn bivalue(&self) -> CellSet {
        *self.lazy().bivalue.get_or_init(|| {
            let is_bivalue = |&cell: &Cell| self.candidates(cell).len() == 2;
            self.open.iter().filter(is_bivalue).collect()
        })
    }

    /// The houses with two places for a digit, in order of houses. Two houses may share the two cells.
    #[inline]
    pub fn conjugates(&self, digit: Digit) -> &[Conjugates] {
        let all = self
            .lazy()
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
        let dead = Dead::among(self, digit, spots);
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
        self.board.sets.houses[house.index()]
    }

    /// The cells that a cell sees.
    #[inline]
    pub fn peers(&self, cell: Cell) -> CellSet {
        self.board.sets.peers[cell.index()]
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
        self.lazy().als.get_or_init(|| AlsBook::new(self))
    }

    /// What was derived of this type.
    pub fn derived<T: 'static>(&self) -> Option<Rc<T>> {
        self.lazy().derived.borrow().iter().find_map(|derived| derived.clone().downcast().ok())
    }

    /// Keeps what several finders need, for [`derived`](Self::derived).
    pub fn keep<T: 'static>(&self, derived: T) -> Rc<T> {
        let kept = Rc::new(derived);
        self.lazy().derived.borrow_mut().push(kept.clone());
        kept
    }

    /// What holds in every position of the board, or is kept from one to the next; made when first asked for.
    pub fn lasting<T: 'static>(&self, make: impl FnOnce() -> T) -> Rc<T> {
        let find = || self.board.lasting.borrow().iter().find_map(|kept| kept.clone().downcast().ok());
        find().unwrap_or_else(|| {
            let made = Rc::new(make());
            self.board.lasting.borrow_mut().push(made.clone());
            made
        })
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

/// The houses whose bits are set.
fn houses_of(mut bits: u64) -> impl Iterator<Item = HouseId> {
    std::iter::from_fn(move || {
        let house = (bits != 0).then(|| HouseId(bits.trailing_zeros() as u16));
        bits &= bits.wrapping_sub(1);
        house
    })
}
