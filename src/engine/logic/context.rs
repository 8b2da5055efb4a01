//! Facts derived once per position, which all finders read.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::als::AlsBook;
use super::bits::Bits;
use super::board::MAX_FOUND;
pub use super::board::{Board, Found, Topic};
use super::contradiction::cage_fails;
use super::links::Lists;
use super::memory::{Changes, Fertile};
use super::rectangle::{Rectangle, Rectangles};
use super::single_digit::Dead;
use super::tally::Tally;
use super::technique::Technique;
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

/// What is known of a digit.
#[derive(Clone, Copy, Default)]
struct DigitFacts {
    /// Cells where it is still a candidate of an open cell.
    spots: CellSet,
    /// How many such cells each house has.
    counts: Tally,
    /// The houses that have one: bit `i` is house `i`.
    lone: u64,
    /// The houses where it stands.
    placed: u64,
}

/// A position as finders see it. It follows a path: what a step concludes is [applied](Self::apply), and only what
/// that touches is derived anew.
pub struct Context<'a> {
    position: Position,
    board: &'a Board,
    /// Cells without digit.
    open: CellSet,
    /// By digit index.
    digits: [DigitFacts; MAX_SIZE],
    /// How many open cells each house has.
    open_in: Tally,
    /// By house, where each digit is still a candidate of an open cell, by digit index: bit `i` is the house's cell
    /// `i`. Derived when first asked for, which paths of singles never do, and kept up to date from then on.
    seats: OnceCell<Vec<[u16; MAX_SIZE]>>,
    /// Open cells with one candidate.
    naked: CellSet,
    /// Whether a rule is broken already, so that nothing can be solved from here.
    is_contradictory: bool,
    lazy: OnceCell<Box<Lazy>>,
}

/// What is derived when first asked for, and forgotten with the next step.
#[derive(Default)]
struct Lazy {
    /// The number of the look at this position.
    look: OnceCell<u32>,
    /// Open cells with two candidates.
    bivalue: OnceCell<CellSet>,
    /// By digit index, the houses with two places for it.
    conjugates: OnceCell<Lists<Conjugates>>,
    als: OnceCell<AlsBook>,
    /// What finders have derived and others of them will want, by its type.
    derived: RefCell<Vec<Rc<dyn Any>>>,
}

impl<'a> Context<'a> {
    /// Derives the facts of a position on a board made from its puzzle.
    pub fn new(board: &'a Board, position: &Position) -> Context<'a> {
        let mut context = Context {
            position: position.clone(),
            board,
            open: CellSet::EMPTY,
            digits: [DigitFacts::default(); MAX_SIZE],
            open_in: Tally::default(),
            seats: OnceCell::new(),
            naked: CellSet::EMPTY,
            is_contradictory: false,
            lazy: OnceCell::new(),
        };
        for cell in Cell::all(position.size()) {
            context.look_at(cell);
        }
        let all = board.sets.all_houses();
        for facts in &mut context.digits[..position.size()] {
            facts.lone = facts.counts.one();
            context.is_contradictory |= facts.counts.any() | facts.placed != all;
        }
        let cages = position.puzzle().cages();
        context.is_contradictory |= cages.iter().any(|cage| cage_fails(position, cage));
        context
    }

    /// Takes down what one cell holds.
    fn look_at(&mut self, cell: Cell) {
        let houses = self.board.sets.houses_of(cell);
        if let Some(digit) = self.position.digit(cell) {
            let placed = &mut self.digits[digit.index()].placed;
            self.is_contradictory |= *placed & houses != 0;
            *placed |= houses;
            return;
        }
        let candidates = self.position.candidates(cell);
        self.open.insert(cell);
        self.open_in.add(houses);
        self.is_contradictory |= candidates.is_empty();
        if candidates.only().is_some() {
            self.naked.insert(cell);
        }
        for digit in candidates {
            let facts = &mut self.digits[digit.index()];
            facts.spots.insert(cell);
            facts.counts.add(houses);
        }
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
        let houses = sets.houses_of(cell);
        let candidates = self.position.candidates(cell);
        self.open.remove(cell);
        self.naked.remove(cell);
        self.open_in.subtract(houses);
        self.position.set(cell, digit);
        for other in candidates - DigitSet::single(digit) {
            self.leave(cell, other, houses);
        }
        if self.seats.get().is_some() {
            self.unseat(cell, candidates);
        }
        self.settle(cell, digit, houses);
        if let Some(cage) = self.puzzle().cage_of(cell) {
            self.is_contradictory |= cage_fails(&self.position, self.puzzle().cage(cage));
        }
    }

    /// The digit stands in the cell, in these houses, and goes from all cells that it sees.
    #[inline]
    fn settle(&mut self, cell: Cell, digit: Digit, houses: u64) {
        let board = self.board;
        let facts = &mut self.digits[digit.index()];
        self.is_contradictory |= facts.placed & houses != 0;
        facts.placed |= houses;
        facts.spots.remove(cell);
        let peers = facts.spots & board.sets.peers[cell.index()];
        facts.spots -= peers;
        // In the houses of the cell no other cell can hold the digit now: none is left there to count one by one.
        facts.counts.clear(houses);
        let mut touched = 0;
        for peer in peers {
            let counted = board.sets.houses_of(peer) & !houses;
            facts.counts.subtract(counted);
            touched |= counted;
            self.position.eliminate(peer, digit);
            let candidates = self.position.candidates(peer);
            self.is_contradictory |= candidates.is_empty();
            self.naked.put(peer, candidates.only().is_some());
        }
        facts.lone = facts.counts.one();
        self.is_contradictory |= touched & !(facts.counts.any() | facts.placed) != 0;
        if self.seats.get().is_some() {
            peers.iter().for_each(|peer| self.unseat(peer, DigitSet::single(digit)));
        }
    }

    /// The open cell no longer has the candidate.
    fn eliminate(&mut self, cell: Cell, digit: Digit) {
        self.position.eliminate(cell, digit);
        self.leave(cell, digit, self.board.sets.houses_of(cell));
        if self.seats.get().is_some() {
            self.unseat(cell, DigitSet::single(digit));
        }
        let candidates = self.position.candidates(cell);
        self.is_contradictory |= candidates.is_empty();
        self.naked.put(cell, candidates.only().is_some());
    }

    /// The cell is no longer a place for the digit, in any of its houses.
    #[inline]
    fn leave(&mut self, cell: Cell, digit: Digit, houses: u64) {
        let facts = &mut self.digits[digit.index()];
        facts.spots.remove(cell);
        facts.counts.subtract(houses);
        facts.lone = facts.counts.one();
        self.is_contradictory |= houses & !(facts.counts.any() | facts.placed) != 0;
    }

    /// Takes the cell out of the seats of these digits.
    fn unseat(&mut self, cell: Cell, digits: DigitSet) {
        let Some(seats) = self.seats.get_mut() else { return };
        for &(house, seat) in self.board.sets.seats(cell) {
            for digit in digits {
                seats[house.index()][digit.index()] &= !seat;
            }
        }
    }

    /// The seats of all digits in all houses.
    fn look_for_seats(&self) -> Vec<[u16; MAX_SIZE]> {
        let mut seats = vec![[0; MAX_SIZE]; self.puzzle().houses().len()];
        for cell in self.open {
            for digit in self.candidates(cell) {
                for &(house, seat) in self.board.sets.seats(cell) {
                    seats[house.index()][digit.index()] |= seat;
                }
            }
        }
        seats
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
        self.digits_where(house, |facts| facts.lone)
    }

    /// The digits that stand in a house.
    #[inline]
    pub fn placed(&self, house: HouseId) -> DigitSet {
        self.digits_where(house, |facts| facts.placed)
    }

    /// The digits among whose houses this one is.
    #[inline]
    fn digits_where(&self, house: HouseId, houses: impl Fn(&DigitFacts) -> u64) -> DigitSet {
        let digits = self.digits[..self.size()].iter().enumerate();
        let bits = digits.map(|(digit, facts)| (houses(facts) >> house.index() & 1) << digit);
        DigitSet::from_bits(bits.fold(0, |all, bit| all | bit) as u32)
    }

    /// The houses with one open cell, in order.
    pub fn almost_full(&self) -> impl Iterator<Item = HouseId> + use<> {
        houses_of(self.open_in.one())
    }

    /// The houses where a digit has [one place](Self::lone), in order.
    pub fn with_lone(&self) -> impl Iterator<Item = HouseId> + use<> {
        houses_of(self.digits[..self.size()].iter().fold(0, |houses, facts| houses | facts.lone))
    }

    /// The houses that have places for a digit: bit `i` is house `i`.
    #[inline]
    pub fn houses_wanting(&self, digit: Digit) -> u64 {
        self.digits[digit.index()].counts.any()
    }

    /// The houses all of whose places for a digit, one at least, are among these: bit `i` is house `i`.
    #[inline]
    pub fn houses_within(&self, digit: Digit, spots: CellSet) -> u64 {
        let facts = &self.digits[digit.index()];
        let (mut once, mut twice, mut thrice) = (0, 0, 0);
        for cell in spots {
            let houses = self.houses_of(cell);
            thrice |= twice & houses;
            twice |= once & houses;
            once |= houses;
        }
        // Most often there are one or two in each.
        if thrice == 0 {
            return once & !twice & facts.lone | twice & facts.counts.two();
        }
        let mut inside = Tally::default();
        spots.iter().for_each(|cell| inside.add(self.houses_of(cell)));
        inside.any() & !inside.differing(&facts.counts)
    }

    /// The houses that have two places for a digit: bit `i` is house `i`.
    #[inline]
    pub fn houses_with_two(&self, digit: Digit) -> u64 {
        self.digits[digit.index()].counts.two()
    }

    /// The houses that have four places or more for a digit: bit `i` is house `i`.
    #[inline]
    pub fn houses_with_four(&self, digit: Digit) -> u64 {
        self.digits[digit.index()].counts.four()
    }

    /// The houses that have two places or more for a digit, in order.
    #[inline]
    pub fn with_several(&self, digit: Digit) -> impl Iterator<Item = HouseId> + use<> {
        houses_of(self.digits[digit.index()].counts.several())
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
        self.digits[digit.index()].spots
    }

    /// The open cells of a house where a digit may still stand.
    #[inline]
    pub fn spots_in(&self, house: HouseId, digit: Digit) -> CellSet {
        self.digits[digit.index()].spots & self.board.sets.houses[house.index()]
    }

    /// The same as places in the house: bit `i` is its cell `i`.
    #[inline]
    pub fn seats_in(&self, house: HouseId, digit: Digit) -> u16 {
        self.seats.get_or_init(|| self.look_for_seats())[house.index()][digit.index()]
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
        self.lazy().conjugates.get_or_init(|| self.pairs()).of(digit.index())
    }

    fn pairs(&self) -> Lists<Conjugates> {
        let mut pairs = Lists::with_capacity(self.size(), 64);
        for digit in self.puzzle().digits() {
            for house in houses_of(self.houses_with_two(digit)) {
                let seats = self.seats_in(house, digit);
                let cells = &self.puzzle().house(house).cells;
                let ends = [seats.trailing_zeros(), seats.ilog2()];
                pairs.push(Conjugates { house, cells: ends.map(|seat| cells[seat as usize]) });
            }
            pairs.end_list();
        }
        pairs
    }

    /// Rectangles of cells that are not given, which two digits could fill in two ways; each with its cells.
    #[inline]
    pub fn rectangles(&self) -> &[(Rectangle, CellSet)] {
        self.board.rectangles.get_or_init(|| {
            let all = self.of_board(|| Rectangles::of(self.puzzle()));
            let is_free =
                |corners: &&Rectangle| corners.iter().all(|&cell| self.puzzle().given(cell).is_none());
            let with_cells = |&corners: &Rectangle| (corners, corners.into_iter().collect());
            all.0.iter().filter(is_free).map(with_cells).collect()
        })
    }

    /// The places of a digit that no way to put it into every house has.
    pub fn dead(&self, digit: Digit) -> Dead {
        let slot = &self.board.dead[digit.index()];
        let spots = self.spots(digit);
        let (known, dead) = slot.get();
        if known == spots {
            return dead;
        }
        let dead = Dead::of(self, digit);
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

    /// What has changed since a look, which is this one then.
    #[inline]
    pub fn changed_since(&self, look: &mut u32) -> Changes {
        let now = *self.lazy().look.get_or_init(|| self.board.looks.borrow_mut().look(self));
        self.board.looks.borrow().between(std::mem::replace(look, now), now)
    }

    /// Where a row may find something, as far as is known from earlier positions of the board.
    pub(super) fn fertile_of(&self, row: &'static Technique) -> Rc<RefCell<Fertile>> {
        let mut all = self.board.fertile.borrow_mut();
        let known = all.iter().position(|(known, _)| std::ptr::eq(*known, row));
        let place = known.unwrap_or_else(|| {
            all.push((row, Rc::default()));
            all.len() - 1
        });
        all[place].1.clone()
    }

    /// The houses of a cell: bit `i` is house `i`.
    #[inline]
    pub fn houses_of(&self, cell: Cell) -> u64 {
        self.board.sets.houses_of(cell)
    }

    /// The houses of a cell, with its place in each: bit `i` for the house's cell `i`.
    #[inline]
    pub fn seats_of(&self, cell: Cell) -> &[(HouseId, u16)] {
        self.board.sets.seats(cell)
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
        find_kept(&self.lazy().derived)
    }

    /// Keeps what several finders need, for [`derived`](Self::derived).
    pub fn keep<T: 'static>(&self, derived: T) -> Rc<T> {
        let kept = Rc::new(derived);
        self.lazy().derived.borrow_mut().push(kept.clone());
        kept
    }

    /// What holds in every position of the board, or is kept from one to the next; made when first asked for.
    pub fn lasting<T: 'static>(&self, make: impl FnOnce() -> T) -> Rc<T> {
        find_kept(&self.board.lasting).unwrap_or_else(|| {
            let made = Rc::new(make());
            self.board.lasting.borrow_mut().push(made.clone());
            made
        })
    }

    /// What holds wherever houses and cages are these; made when first asked for, of plain boards once for all.
    pub fn of_board<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        (*self.lasting(|| self.board.sets.share(make))).clone()
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

/// The one of this type.
fn find_kept<T: 'static>(kept: &RefCell<Vec<Rc<dyn Any>>>) -> Option<Rc<T>> {
    let kept = kept.borrow();
    let found = kept.iter().find(|kept| (***kept).is::<T>())?;
    found.clone().downcast().ok()
}

/// The houses whose bits are set.
fn houses_of(bits: u64) -> impl Iterator<Item = HouseId> {
    Bits::<1>::from_word(bits).iter().map(|house| HouseId(house as u16))
}
