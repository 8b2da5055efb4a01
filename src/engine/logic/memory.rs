//! What finders remember from one position of a board to the next: where they found nothing, and which patterns they
//! found, as long as what they read is unchanged.
//!
//! Along a path most houses and most digits stay as they are from step to step. A house has a number, its *version*,
//! that is new whenever a candidate of one of its cells has changed; so has a digit, for its places. Who read nothing
//! but some houses or some digits would find the same again while their versions are the same.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use super::context::Context;
use super::sink::Sink;
use super::technique::{Flow, Technique};
use super::{CellSet, MAX_SIZE};
use crate::puzzle::{Digit, DigitSet, HouseId};

/// The versions of a position: the same only where the candidates are.
pub struct Versions {
    houses: Vec<u32>,
    digits: [u32; MAX_SIZE],
}

/// The position looked at last.
#[derive(Default)]
struct Seen {
    /// By cell, its candidates, or none once it has its digit.
    candidates: Vec<DigitSet>,
    spots: [CellSet; MAX_SIZE],
    houses: Vec<u32>,
    digits: [u32; MAX_SIZE],
    /// The version given last; 0 is none.
    last: u32,
}

impl Versions {
    /// Those of a position.
    pub fn of(context: &Context<'_>) -> Rc<Versions> {
        context.derived().unwrap_or_else(|| {
            let seen = context.lasting(RefCell::<Seen>::default);
            let versions = seen.borrow_mut().look(context);
            context.keep(versions)
        })
    }

    /// Of two houses together.
    fn of_two(&self, houses: [HouseId; 2]) -> u64 {
        let [one, other] = houses.map(|house| u64::from(self.houses[house.index()]));
        one << 32 | other
    }
}

impl Seen {
    fn look(&mut self, context: &Context<'_>) -> Versions {
        let puzzle = context.puzzle();
        self.last += 1;
        if self.candidates.is_empty() {
            self.candidates = vec![DigitSet::EMPTY; puzzle.cell_count()];
            self.houses = vec![self.last; puzzle.houses().len()];
            self.digits = [self.last; MAX_SIZE];
        }
        let mut changed = CellSet::EMPTY;
        for cell in crate::puzzle::Cell::all(puzzle.size()) {
            let is_open = context.position().is_open(cell);
            let candidates = if is_open { context.candidates(cell) } else { DigitSet::EMPTY };
            if std::mem::replace(&mut self.candidates[cell.index()], candidates) != candidates {
                changed.insert(cell);
            }
        }
        for cell in changed {
            puzzle.houses_of(cell).iter().for_each(|house| self.houses[house.index()] = self.last);
        }
        for digit in puzzle.digits() {
            let spots = context.spots(digit);
            if std::mem::replace(&mut self.spots[digit.index()], spots) != spots {
                self.digits[digit.index()] = self.last;
            }
        }
        Versions { houses: self.houses.clone(), digits: self.digits }
    }
}

/// Where a row found nothing.
#[derive(Default)]
struct Barren {
    /// By digit, the version that it had then.
    digits: [u32; MAX_SIZE],
    /// By places as the row numbers them, the versions of the houses that it read there.
    places: Vec<u64>,
}

/// By row.
type AllBarren = RefCell<Vec<(&'static Technique, Rc<RefCell<Barren>>)>>;

/// What a row remembers of where it found nothing.
pub struct Unless {
    versions: Rc<Versions>,
    barren: Rc<RefCell<Barren>>,
}

impl Unless {
    /// That of the row that reports to this sink.
    pub fn barren(context: &Context<'_>, sink: &Sink<'_>) -> Unless {
        let all = context.lasting(AllBarren::default);
        let mut all = all.borrow_mut();
        let known = all.iter().position(|(row, _)| std::ptr::eq(*row, sink.technique()));
        let place = known.unwrap_or_else(|| {
            all.push((sink.technique(), Rc::default()));
            all.len() - 1
        });
        Unless { versions: Versions::of(context), barren: all[place].1.clone() }
    }

    /// Runs a search that reads nothing but two houses, which may be the same, unless it is known to find nothing. Its
    /// place tells it from the others of the row.
    #[inline]
    pub fn in_houses(
        &self,
        (place, houses): (usize, [HouseId; 2]),
        sink: &mut Sink<'_>,
        search: impl FnOnce(&mut Sink<'_>) -> Flow,
    ) -> Flow {
        let version = self.versions.of_two(houses);
        if self.barren.borrow().places.get(place) == Some(&version) {
            return Flow::Continue(());
        }
        let before = sink.reported();
        search(sink)?;
        if sink.reported() == before {
            let places = &mut self.barren.borrow_mut().places;
            places.resize(places.len().max(place + 1), 0);
            places[place] = version;
        }
        Flow::Continue(())
    }

    /// Runs a search that reads nothing but the places of each digit by itself, for the digits of which it is not known
    /// to find nothing.
    pub fn of_digits(
        &self,
        digits: DigitSet,
        sink: &mut Sink<'_>,
        search: impl FnOnce(&mut Sink<'_>, DigitSet) -> Flow,
    ) -> Flow {
        let version = |digit: Digit| self.versions.digits[digit.index()];
        let is_new = |digit: &Digit| self.barren.borrow().digits[digit.index()] != version(*digit);
        let digits: DigitSet = digits.iter().filter(is_new).collect();
        let before = sink.reported();
        search(sink, digits)?;
        if sink.reported() == before {
            let mut barren = self.barren.borrow_mut();
            digits.iter().for_each(|digit| barren.digits[digit.index()] = version(digit));
        }
        Flow::Continue(())
    }
}

/// Patterns found in two houses, by places as who looks for them numbers them.
pub struct Patterns<P> {
    versions: Rc<Versions>,
    known: Rc<RefCell<Known<P>>>,
}

/// By place, the versions of the houses, and the patterns.
type Known<P> = Vec<(u64, Vec<P>)>;

impl<P: Any> Patterns<P> {
    /// Those of this type.
    pub fn of(context: &Context<'_>) -> Patterns<P> {
        let known = context.lasting(|| Rc::new(RefCell::new(Known::<P>::new())));
        Patterns { versions: Versions::of(context), known: (*known).clone() }
    }

    /// The same without a sink, for a search that reads nothing but one house.
    pub fn list(&self, house: HouseId, find: impl FnOnce(&mut Vec<P>), list: &mut Vec<P>)
    where
        P: Clone,
    {
        let version = self.versions.of_two([house; 2]);
        let mut known = self.known.borrow_mut();
        if known.len() <= house.index() {
            known.resize_with(house.index() + 1, || (0, Vec::new()));
        }
        let (of, patterns) = &mut known[house.index()];
        if *of != version {
            patterns.clear();
            find(patterns);
            *of = version;
        }
        list.extend_from_slice(patterns);
    }

    /// Visits the patterns of a place, in the order in which a search that reads nothing but two houses finds them.
    #[inline]
    pub fn each(
        &self,
        (place, houses): (usize, [HouseId; 2]),
        sink: &mut Sink<'_>,
        find: impl FnOnce(&mut Sink<'_>, &mut Vec<P>) -> Flow,
        mut visit: impl FnMut(&mut Sink<'_>, &P) -> Flow,
    ) -> Flow {
        let version = self.versions.of_two(houses);
        let mut known = self.known.borrow_mut();
        if known.len() <= place {
            known.resize_with(place + 1, || (0, Vec::new()));
        }
        let (of, patterns) = &mut known[place];
        if *of != version {
            *of = 0;
            patterns.clear();
            find(sink, patterns)?;
            *of = version;
        }
        patterns.iter().try_for_each(|pattern| visit(sink, pattern))
    }
}
