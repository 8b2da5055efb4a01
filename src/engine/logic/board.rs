//! What stays along a path: houses and peers as sets, and what finders remember.

use std::any::Any;
use std::cell::{Cell as Slot, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::memory::{AllFertile, Looks};
use super::rectangle::Rectangle;
use super::single_digit::Dead;
use super::{CellSet, MAX_SIZE};
use crate::puzzle::{Cell, Digit, HouseId, Puzzle};

/// More houses than any board that logic takes on has.
const MAX_HOUSES: usize = 64;

/// Houses and peers as sets.
pub(super) struct Sets {
    pub houses: Vec<CellSet>,
    pub peers: Vec<CellSet>,
    seats: Vec<Seats>,
    /// By cell, its houses: bit `i` is house `i`.
    houses_of: Vec<u64>,
    /// What finders have derived from houses and cages alone, by its type.
    shared: RwLock<Vec<Arc<dyn Any + Send + Sync>>>,
}

/// The houses of a cell, with its place in each: bit `i` for the house's cell `i`.
#[derive(Clone, Copy)]
struct Seats {
    count: u8,
    of: [(HouseId, u16); MOST_HOUSES_OF_CELL],
}

/// A row, a column, a box or region, both diagonals, a window.
const MOST_HOUSES_OF_CELL: usize = 6;

/// Those of plain 9×9 puzzles, which most are: derived once.
static PLAIN: OnceLock<Arc<Sets>> = OnceLock::new();

impl Sets {
    fn of(puzzle: &Puzzle) -> Arc<Sets> {
        let is_plain = puzzle.layout().is_plain() && puzzle.cages().is_empty();
        match is_plain {
            true => PLAIN.get_or_init(|| Arc::new(Sets::derive(puzzle))).clone(),
            false => Arc::new(Sets::derive(puzzle)),
        }
    }

    fn derive(puzzle: &Puzzle) -> Sets {
        assert!(puzzle.houses().len() <= MAX_HOUSES, "more houses than a board of such a size can have");
        let mut seats =
            vec![Seats { count: 0, of: [(HouseId(0), 0); MOST_HOUSES_OF_CELL] }; puzzle.cell_count()];
        for house in puzzle.house_ids() {
            for (seat, cell) in puzzle.house(house).cells.iter().enumerate() {
                let seats = &mut seats[cell.index()];
                seats.of[usize::from(seats.count)] = (house, 1 << seat);
                seats.count += 1;
            }
        }
        let houses =
            |cell| puzzle.houses_of(cell).iter().fold(0, |houses, house| houses | 1 << house.index());
        let set = |cells: &[Cell]| cells.iter().copied().collect::<CellSet>();
        Sets {
            houses: puzzle.houses().iter().map(|house| set(&house.cells)).collect(),
            peers: Cell::all(puzzle.size()).map(|cell| set(puzzle.peers(cell))).collect(),
            seats,
            houses_of: Cell::all(puzzle.size()).map(houses).collect(),
            shared: RwLock::default(),
        }
    }

    /// The houses of a cell: bit `i` is house `i`.
    #[inline]
    pub fn houses_of(&self, cell: Cell) -> u64 {
        self.houses_of[cell.index()]
    }

    /// All houses.
    #[inline]
    pub fn all_houses(&self) -> u64 {
        u64::MAX >> (MAX_HOUSES - self.houses.len())
    }

    /// What holds wherever houses and cages are these; made when first asked for.
    pub fn share<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let find = || {
            let shared = self.shared.read().unwrap_or_else(PoisonError::into_inner);
            shared.iter().find_map(|shared| shared.clone().downcast().ok())
        };
        find().unwrap_or_else(|| {
            // Another thread may make the same meanwhile, which is no harm.
            let made = Arc::new(make());
            self.shared.write().unwrap_or_else(PoisonError::into_inner).push(made.clone());
            made
        })
    }

    /// The houses of a cell, with its place among the cells of each.
    #[inline]
    pub fn seats(&self, cell: Cell) -> &[(HouseId, u16)] {
        let seats = &self.seats[cell.index()];
        &seats.of[..seats.count.into()]
    }
}

/// What does not change along a path, and what is remembered along it.
pub struct Board {
    pub(super) sets: Arc<Sets>,
    /// Derived when first asked for: easy puzzles never do.
    pub(super) rectangles: OnceCell<Vec<(Rectangle, CellSet)>>,
    /// Of each digit, the places it had when last looked at, and which of them were dead. Along a path most
    /// digits stay as they are from step to step.
    pub(super) dead: [Slot<(CellSet, Dead)>; MAX_SIZE],
    /// What was found of a digit with these places, by topic.
    pub(super) memory: RefCell<HashMap<Topic, Memory>>,
    /// What has changed from one position to the next.
    pub(super) looks: RefCell<Looks>,
    /// Where rows may find something.
    pub(super) fertile: AllFertile,
    /// What finders keep from one position to the next, by its type.
    pub(super) lasting: RefCell<Vec<Rc<dyn Any>>>,
}

/// A digit, and two numbers that say what was looked for.
pub type Topic = (Digit, u8, u8);

/// Two choices of sectors of a digit: for a fish, its bases and covers.
pub type Found = ([u8; 7], [u8; 7]);

/// The places that a digit had, and what was found then.
type Memory = (CellSet, Arc<[Found]>);

/// What is more is not kept: it would take more room than looking again takes time.
pub(super) const MAX_FOUND: usize = 8192;

impl Board {
    /// Derives the sets. The board is at most [`MAX_SIZE`] wide.
    pub fn new(puzzle: &Puzzle) -> Board {
        Board {
            sets: Sets::of(puzzle),
            rectangles: OnceCell::new(),
            dead: std::array::from_fn(|_| Slot::default()),
            memory: RefCell::default(),
            looks: RefCell::default(),
            fertile: RefCell::default(),
            lasting: RefCell::default(),
        }
    }
}
