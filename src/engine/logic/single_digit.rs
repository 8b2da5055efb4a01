//! One digit alone on the board: its places by number, what sees what, the houses that still want it, and which of
//! its places are dead: in none of the ways (*templates*) to put the digit into every house.
//!
//! Fish, and every other deduction from one digit, can only ever remove dead places, so this says at once where
//! none is to be found, and for the rest which candidates to aim at.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::bits::Bits;
use super::context::Context;
use super::memory::Unless;
use super::sink::Sink;
use super::technique::Flow;
use super::{CellSet, MAX_SIZE};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, HouseId, HouseKind};

/// Places tried for one digit, after which the rest is left undecided. Boards of 9×9 need some hundreds at most.
const MAX_TRIES: u32 = 20_000;

/// Places of a digit that no template has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dead {
    /// In none.
    pub proved: CellSet,
    /// Not found in any so far, when the search was broken off.
    pub undecided: CellSet,
}

impl Dead {
    /// All that may be dead.
    pub fn possible(&self) -> CellSet {
        self.proved | self.undecided
    }
}

impl Dead {
    /// Those among these places of a digit, and no others.
    pub fn among(context: &Context<'_>, digit: Digit, spots: CellSet) -> Dead {
        match spots.len() {
            0 => Dead::default(),
            1..=64 => SingleDigit::<1>::new(context, digit, spots).dead(),
            _ => SingleDigit::<4>::new(context, digit, spots).dead(),
        }
    }

    /// Those of a digit in a position, by templates of earlier positions as far as they go.
    pub fn of(context: &Context<'_>, digit: Digit) -> Dead {
        let spots = context.spots(digit);
        let known = context.lasting(|| KnownTemplates(Default::default()));
        let mut known = known.0[digit.index()].borrow_mut();
        let wanting = context.houses_wanting(digit);
        // What fills every house that wants the digit is a template of this position too.
        known.retain_mut(|template| {
            *template &= spots;
            wanting & !template.iter().fold(0, |filled, cell| filled | context.houses_of(cell)) == 0
        });
        let unseen = known.iter().fold(spots, |unseen, template| unseen - *template);
        if unseen.is_empty() {
            return Dead::default();
        }
        match spots.len() {
            1..=64 => SingleDigit::<1>::of(context, digit).dead_among(unseen, &mut known),
            _ => SingleDigit::<4>::of(context, digit).dead_among(unseen, &mut known),
        }
    }
}

/// By digit index, templates found in earlier positions of a board.
struct KnownTemplates([RefCell<Vec<CellSet>>; MAX_SIZE]);

/// Runs a search that looks at each digit alone, for the digits of which something may be found: those with dead
/// places, unless the search is known to find nothing of them.
pub fn on_promising(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    search: impl FnOnce(&mut Sink<'_>, DigitSet) -> Flow,
) -> Flow {
    let has_dead = |&digit: &Digit| !context.dead(digit).possible().is_empty();
    let digits = context.puzzle().digits().iter().filter(has_dead).collect();
    Unless::barren(context, sink).of_digits(digits, sink, search)
}

/// What a sector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A house.
    House(HouseId),
    /// A cage whose digits differ.
    Cage(CageId),
}

/// What kinds of sectors fish tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A row.
    Row,
    /// A column.
    Column,
    /// Any other house.
    Other,
    /// A cage: it may hold the digit, and need not.
    Cage,
}

/// Cells that hold the digit at most once.
#[derive(Clone, Copy, Debug)]
pub struct Sector<const W: usize> {
    /// Which.
    pub place: Place,
    /// Of what kind.
    pub kind: Kind,
    /// The digit's places there.
    pub spots: Bits<W>,
}

/// The places of one digit, numbered in reading order.
pub struct SingleDigit<const W: usize> {
    /// The digit.
    pub digit: Digit,
    /// Its places.
    pub cells: Vec<Cell>,
    /// Of each place, those that it sees.
    pub sees: Vec<Bits<W>>,
    /// Of each place, the houses: bit `i` is sector `i`.
    houses_of: Vec<u64>,
    /// Houses that want the digit: rows, columns, others; then cages that no house contains.
    pub sectors: Vec<Sector<W>>,
    /// How many of the sectors are houses.
    pub house_count: usize,
}

/// The digits whose places have been numbered, by digit index.
struct Numbered<const W: usize>([OnceCell<Rc<SingleDigit<W>>>; MAX_SIZE]);

impl<const W: usize> SingleDigit<W> {
    /// The places of a digit: at most 64·W. Numbered once in a position.
    pub fn of(context: &Context<'_>, digit: Digit) -> Rc<SingleDigit<W>> {
        let all = context.derived().unwrap_or_else(|| context.keep(Numbered(Default::default())));
        let of_digit = all.0[digit.index()]
            .get_or_init(|| Rc::new(SingleDigit::new(context, digit, context.spots(digit))));
        of_digit.clone()
    }

    /// Numbers these places of a digit: at most 64·W.
    pub fn new(context: &Context<'_>, digit: Digit, spots: CellSet) -> SingleDigit<W> {
        let puzzle = context.puzzle();
        let cells: Vec<Cell> = spots.iter().collect();
        let mut number = [0u8; 256];
        for (index, cell) in cells.iter().enumerate() {
            number[cell.index()] = index as u8;
        }
        let numbers = |cells: CellSet| {
            let mut bits = Bits::EMPTY;
            for cell in cells & spots {
                bits.insert(usize::from(number[cell.index()]));
            }
            bits
        };
        let mut sectors = Vec::with_capacity(puzzle.houses().len());
        for house in puzzle.house_ids() {
            let kind = match puzzle.house(house).kind {
                HouseKind::Row => Kind::Row,
                HouseKind::Column => Kind::Column,
                _ => Kind::Other,
            };
            let sector = Sector { place: Place::House(house), kind, spots: numbers(context.house(house)) };
            if !sector.spots.is_empty() {
                sectors.push(sector);
            }
        }
        let house_count = sectors.len();
        for (index, cage) in puzzle.cages().iter().enumerate().filter(|(_, cage)| cage.distinct) {
            let spots: Bits<W> = numbers(cage.cells.iter().copied().collect());
            let adds =
                spots.len() > 1 && !sectors[..house_count].iter().any(|house| spots.is_within(house.spots));
            if adds {
                sectors.push(Sector { place: Place::Cage(CageId(index as u16)), kind: Kind::Cage, spots });
            }
        }
        let mut places = SingleDigit {
            digit,
            sees: vec![Bits::EMPTY; cells.len()],
            houses_of: vec![0; cells.len()],
            cells,
            sectors,
            house_count,
        };
        places.look_around();
        places
    }

    /// Which sectors each place is in, and what it sees there.
    fn look_around(&mut self) {
        for (index, sector) in self.sectors.iter().enumerate() {
            for spot in sector.spots.iter() {
                self.sees[spot] = self.sees[spot].or(sector.spots);
                if index < self.house_count {
                    self.houses_of[spot] |= 1 << index;
                }
            }
        }
        self.sees.iter_mut().enumerate().for_each(|(spot, sees)| sees.remove(spot));
    }

    /// Places as cells.
    pub fn cells_of(&self, spots: Bits<W>) -> CellSet {
        spots.iter().map(|spot| self.cells[spot]).collect()
    }

    /// Cells as places.
    pub fn spots_of(&self, cells: CellSet) -> Bits<W> {
        let mut spots = Bits::EMPTY;
        for (spot, cell) in self.cells.iter().enumerate() {
            if cells.contains(*cell) {
                spots.insert(spot);
            }
        }
        spots
    }

    /// Every place.
    pub fn all(&self) -> Bits<W> {
        Bits::below(self.cells.len())
    }

    /// The dead places.
    pub fn dead(&self) -> Dead {
        self.dead_among(self.cells_of(self.all()), &mut Vec::new())
    }

    /// The dead places among those that none of the known templates has; new ones are added to these.
    fn dead_among(&self, unseen: CellSet, known: &mut Vec<CellSet>) -> Dead {
        let (mut unseen, mut proved) = (self.spots_of(unseen), Bits::EMPTY);
        let mut search =
            Templates { of: self, houses: (1 << self.house_count) - 1, tries: MAX_TRIES, branches: 0 };
        while let Some(spot) = unseen.first() {
            match search.with(spot, self.all()) {
                Outcome::Found(template) => {
                    unseen = unseen.minus(template);
                    known.push(self.cells_of(template));
                }
                Outcome::None => {
                    proved.insert(spot);
                    unseen = unseen.minus(Bits::single(spot));
                }
                Outcome::GaveUp => break,
            }
        }
        Dead { proved: self.cells_of(proved), undecided: self.cells_of(unseen) }
    }
}

/// How the search for a template ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome<const W: usize> {
    /// With these places.
    Found(Bits<W>),
    /// There is none.
    None,
    /// Too many tries.
    GaveUp,
}

/// Looks for a way to put a digit into some houses.
pub struct Templates<'s, const W: usize> {
    /// The digit.
    pub of: &'s SingleDigit<W>,
    /// The houses: bit `i` is sector `i`.
    pub houses: u64,
    /// Places that may still be tried.
    pub tries: u32,
    /// Places tried so far where a house had a choice.
    pub branches: u32,
}

impl<const W: usize> Templates<'_, W> {
    /// A template that has this place, and the rest among these.
    pub fn with(&mut self, spot: usize, alive: Bits<W>) -> Outcome<W> {
        let left = self.houses & !self.of.houses_of[spot];
        self.extend(self.after(alive, spot), Bits::single(spot), left)
    }

    /// A template among these places.
    pub fn among(&mut self, alive: Bits<W>) -> Outcome<W> {
        self.extend(alive, Bits::EMPTY, self.houses)
    }

    fn after(&self, alive: Bits<W>, spot: usize) -> Bits<W> {
        alive.minus(self.of.sees[spot]).minus(Bits::single(spot))
    }

    /// Extends the chosen places to the houses that are left, the one with the fewest ways first.
    fn extend(&mut self, alive: Bits<W>, chosen: Bits<W>, houses: u64) -> Outcome<W> {
        let mut fewest: Option<(usize, Bits<W>)> = None;
        for index in Bits::<1>::from_word(houses).iter() {
            let ways = alive.and(self.of.sectors[index].spots);
            let others = ways.without_first();
            // One or none ends it; of two, no more need be counted, and none that is to come is fewer but one or none.
            if others.is_empty() {
                fewest = Some((1, ways));
                break;
            }
            if fewest.is_some_and(|(least, _)| least == 2) {
                continue;
            }
            let count = if others.without_first().is_empty() { 2 } else { ways.len() };
            if fewest.is_none_or(|(least, _)| count < least) {
                fewest = Some((count, ways));
            }
        }
        let Some((count, ways)) = fewest else { return Outcome::Found(chosen) };
        let has_choice = count > 1;
        for spot in ways.iter() {
            if self.tries == 0 {
                return Outcome::GaveUp;
            }
            self.tries -= 1;
            self.branches += u32::from(has_choice);
            let chosen = chosen.or(Bits::single(spot));
            let left = houses & !self.of.houses_of[spot];
            let outcome = self.extend(self.after(alive, spot), chosen, left);
            if outcome != Outcome::None {
                return outcome;
            }
        }
        Outcome::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Along paths, templates of earlier positions against none.
    #[test]
    fn known_templates_change_nothing() {
        let mut count = 0;
        for path in positions::hard().chunk_by(|one, other| one.puzzle() == other.puzzle()) {
            let board = Board::new(path[0].puzzle());
            // Back to where it began at the end.
            for position in path.iter().chain(&path[..1]) {
                let context = Context::new(&board, position);
                for digit in context.puzzle().digits() {
                    let plain = Dead::among(&context, digit, context.spots(digit));
                    assert_eq!(Dead::of(&context, digit), plain);
                    count += usize::from(!plain.proved.is_empty());
                }
            }
        }
        assert!(count > 5, "{count}");
    }
}
