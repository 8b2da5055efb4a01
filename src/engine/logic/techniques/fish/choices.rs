//! The search behind every fish: k bases whose places lie in k covers, but for those that see the target.
//!
//! Let a target x be true. Whatever it sees is false, and one cover that holds x has its digit. If the other k − 1
//! covers hold all that is left of k bases (each place as often as it is in bases), there are too few of them: x is
//! false. So the search chooses k − 1 covers, k bases that fit, and last a cover through x. What is in more bases than
//! covers sees x and is a *fin*; a fin in two bases is an *endo-fin*.

use std::ops::ControlFlow;

use crate::engine::logic::bits::Bits;
use crate::engine::logic::single_digit::{Kind, SingleDigit};
use crate::engine::logic::technique::Flow;

/// The largest fish.
pub const MAX_SIZE: usize = 7;
/// The most houses of a board.
const MAX_BASES: usize = 64;
/// The most fins: what people can still see.
const MAX_FINS: usize = 5;
/// The most endo-fins.
const MAX_ENDO_FINS: usize = 2;
/// From this size on, one cover alone goes through the target, no base does, and every other cover holds something
/// that the target does not see: otherwise a smaller fish has the same target, and the rest has nothing to do with it.
const LEAN_SIZE: usize = 5;
/// The most ways to choose covers for one target. Where there are more, fish of that size are not looked for: on a
/// 9×9 board that is mutant fish of seven houses, for digits placed not even twice.
const MAX_CHOICES: u64 = 45_000;

/// Which sectors may be bases and covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Lines of one direction, covered by lines of the other.
    Basic,
    /// The same, and others (boxes) on either side.
    Franken,
    /// Everything else.
    Mutant,
}

/// Sectors by their place in the list of the digit.
pub type Chosen = [u8; MAX_SIZE];

/// A fish.
#[derive(Clone, Copy, Debug)]
pub struct Catch<const W: usize> {
    /// How many bases and covers.
    pub size: usize,
    /// Houses that hold the digit exactly once.
    pub bases: Chosen,
    /// Sectors that hold it at most once.
    pub covers: Chosen,
    /// Places in bases.
    pub pattern: Bits<W>,
    /// Places in more bases than covers.
    pub fins: Bits<W>,
    /// Places in more covers than bases: without fins they are false.
    pub surplus: Bits<W>,
}

impl<const W: usize> Catch<W> {
    /// The fish of these bases and covers.
    pub fn of(of: &SingleDigit<W>, size: usize, bases: Chosen, covers: Chosen) -> Catch<W> {
        let (held, layers) = (Layers::of(of, &bases[..size]), Layers::of(of, &covers[..size]));
        let (fins, surplus) = (held.beyond(&layers), layers.beyond(&held));
        Catch { size, bases, covers, pattern: held.0[0], fins, surplus }
    }

    /// The bases.
    pub fn bases(&self) -> &[u8] {
        &self.bases[..self.size]
    }

    /// The covers.
    pub fn covers(&self) -> &[u8] {
        &self.covers[..self.size]
    }

    /// What goes, fins or not: places in more covers than bases that see every fin.
    pub fn targets(&self, of: &SingleDigit<W>) -> Bits<W> {
        self.fins.iter().fold(self.surplus, |targets, fin| targets.and(of.sees[fin]))
    }

    /// Places in more bases than covers, once this cover is left out.
    pub fn fins_without(&self, of: &SingleDigit<W>, cover: u8) -> Bits<W> {
        let mut covers = Layers::default();
        for &other in self.covers().iter().filter(|&&other| other != cover) {
            covers.add(of.sectors[usize::from(other)].spots);
        }
        Layers::of(of, self.bases()).beyond(&covers)
    }
}

/// What is looked for on one digit.
pub struct Search<'s, const W: usize> {
    of: &'s SingleDigit<W>,
    size: usize,
    shape: Shape,
    /// Sectors that may be bases.
    bases: Vec<u8>,
    /// Sectors that may be covers.
    covers: Vec<u8>,
    /// The most places that a base and a cover share.
    width: usize,
}

/// Is shown a fish; told the work first.
pub trait Visit<const W: usize> {
    /// Counts work.
    fn spend(&mut self, units: u64) -> Flow;
    /// A fish that makes the target false.
    fn catch(&mut self, catch: &Catch<W>) -> Flow;
}

/// One target, and what follows for the sectors if it is true.
struct Aim<const W: usize> {
    /// Places that must lie in as many covers as bases, the one through the target not counted: the target itself,
    /// and those that it leaves alone.
    must: Bits<W>,
    /// Bases with what must be covered of them: something.
    bases: Vec<(u8, Bits<W>)>,
    /// Covers beside the one through the target.
    covers: Vec<u8>,
    /// Of each place, the covers that hold it: bit `i` is cover `i`.
    holders: Vec<Bits<W>>,
    /// Of each cover, what those after it hold.
    later: Vec<Bits<W>>,
    /// Covers of which one completes the fish: those through the target, or any.
    through: Vec<u8>,
    /// Whether the last cover may be any: then all of them are shown, otherwise the first has this part.
    is_free: bool,
}

impl<'s, const W: usize> Search<'s, W> {
    /// The searches that find all fish of a size and shape: one for each direction of the bases.
    pub fn all(of: &'s SingleDigit<W>, size: usize, shape: Shape) -> Vec<Search<'s, W>> {
        debug_assert!((2..=MAX_SIZE).contains(&size));
        let directions: &[[Kind; 2]] = match shape {
            Shape::Mutant => &[[Kind::Row, Kind::Column]],
            _ => &[[Kind::Row, Kind::Column], [Kind::Column, Kind::Row]],
        };
        let is_mutant = shape == Shape::Mutant;
        let has_others = shape != Shape::Basic;
        let mut searches = Vec::new();
        for &[along, across] in directions {
            let list = |line: Kind, other_line: Kind, cages: bool| -> Vec<u8> {
                let fits = |kind: Kind| match kind {
                    Kind::Other => has_others,
                    Kind::Cage => has_others && cages,
                    _ => kind == line || (is_mutant && kind == other_line),
                };
                (0..of.sectors.len())
                    .filter(|&index| fits(of.sectors[index].kind))
                    .map(|index| index as u8)
                    .collect()
            };
            let (bases, covers) = (list(along, across, false), list(across, along, true));
            if bases.len() < size || covers.len() < size {
                continue;
            }
            let spots = |sector: u8| of.sectors[usize::from(sector)].spots;
            let shared = |base: u8| {
                let of_base = covers.iter().filter(|&&cover| cover != base);
                of_base.map(|&cover| spots(base).and(spots(cover)).len()).max().unwrap_or(0)
            };
            let width =
                if has_others { bases.iter().map(|&base| shared(base)).max().unwrap_or(0) } else { 1 };
            searches.push(Search { of, size, shape, bases, covers, width });
        }
        searches
    }

    /// Every fish that makes one of these places false, each shown once.
    pub fn each(&self, targets: Bits<W>, visit: &mut impl Visit<W>) -> Flow {
        for target in targets.iter() {
            // A fish with several targets has been shown at the first of them.
            let earlier = targets.and(Bits::below(target));
            self.each_for(target, self.of.sees[target], &mut First { search: self, earlier, visit })?;
        }
        ControlFlow::Continue(())
    }

    /// Every fish that makes a place false, where it is known to make these others false (those that it sees, and
    /// perhaps more by other means). Those among them that no cover takes up are the fins.
    pub fn each_for(&self, target: usize, falsified: Bits<W>, visit: &mut impl Visit<W>) -> Flow {
        let aim = self.aim(Some(target), falsified);
        let choices = count_choices(aim.covers.len(), self.size - 1);
        if aim.through.is_empty() || aim.bases.len() < self.size || choices > MAX_CHOICES {
            return ControlFlow::Continue(());
        }
        self.choose_covers(&aim, (0, 0), &aim.bases, &mut [0; MAX_SIZE], visit)
    }

    /// Every fish that one of its covers cannot complete once these places are known to be false: its bases must then
    /// place the digit in the others, one too few. Larger fish than people see are not looked for.
    pub fn each_without(&self, falsified: Bits<W>, visit: &mut impl Visit<W>) -> Flow {
        debug_assert!(self.size < LEAN_SIZE);
        let mut aim = self.aim(None, falsified);
        if aim.bases.len() < self.size {
            return ControlFlow::Continue(());
        }
        aim.through.clone_from(&self.covers);
        aim.is_free = true;
        self.choose_covers(&aim, (0, 0), &aim.bases, &mut [0; MAX_SIZE], visit)
    }

    fn must(&self, falsified: Bits<W>) -> Bits<W> {
        self.of.all().minus(falsified)
    }

    fn spots(&self, sector: u8) -> Bits<W> {
        self.of.sectors[usize::from(sector)].spots
    }

    fn aim(&self, target: Option<usize>, falsified: Bits<W>) -> Aim<W> {
        let must = self.must(falsified);
        let holds_target = |sector: u8| target.is_some_and(|target| self.spots(sector).contains(target));
        let is_lean = |sector: u8| self.size < LEAN_SIZE || !holds_target(sector);
        let bases = self.bases.iter().copied().filter(|&base| is_lean(base));
        let bases = bases.map(|base| (base, self.spots(base).and(must)));
        let covers = self.covers.iter().copied();
        let covers: Vec<u8> = covers.filter(|&cover| is_lean(cover) && self.is_of_use(cover, must)).collect();
        let mut holders = vec![Bits::EMPTY; self.of.cells.len()];
        for (index, &cover) in covers.iter().enumerate() {
            self.spots(cover).iter().for_each(|spot| holders[spot].insert(index));
        }
        let mut later = vec![Bits::EMPTY; covers.len()];
        for index in (1..covers.len()).rev() {
            later[index - 1] = later[index].or(self.spots(covers[index]));
        }
        let through = self.covers.iter().copied().filter(|&cover| holds_target(cover));
        Aim {
            must,
            bases: bases.filter(|(_, rest)| !rest.is_empty()).collect(),
            covers,
            holders,
            later,
            through: through.collect(),
            is_free: false,
        }
    }

    /// Whether a cover may be chosen beside the one through the target.
    fn is_of_use(&self, cover: u8, must: Bits<W>) -> bool {
        self.size < LEAN_SIZE || self.spots(cover).meets(must)
    }

    /// Whether a fish with this target among others is found when it is aimed at.
    fn finds(&self, catch: &Catch<W>, target: usize) -> bool {
        let must = self.must(self.of.sees[target]);
        let through = |&&sector: &&u8| self.spots(sector).contains(target);
        let is_lean = self.size < LEAN_SIZE
            || (catch.covers().iter().filter(through).count() == 1
                && !catch.bases().iter().any(|base| through(&base)));
        is_lean
            && catch.bases().iter().all(|&base| self.spots(base).meets(must))
            && catch.covers().iter().all(|cover| through(&cover) || self.is_of_use(*cover, must))
    }

    /// `open` are the bases that the covers chosen and those still to come may hold, each with what is left of it.
    fn choose_covers(
        &self,
        aim: &Aim<W>,
        (count, from): (usize, usize),
        open: &[(u8, Bits<W>)],
        chosen: &mut Chosen,
        visit: &mut impl Visit<W>,
    ) -> Flow {
        let left = self.size - 1 - count;
        if left == 0 {
            return self.fit_bases(aim, open, &chosen[..count], visit);
        }
        visit.spend(open.len() as u64)?;
        let mut next = [(0, Bits::EMPTY); MAX_BASES];
        for index in self.useful_covers(aim, left, open).minus(Bits::below(from)).iter() {
            let (cover, later) = (self.spots(aim.covers[index]), aim.later[index]);
            let mut kept = 0;
            for &(base, rest) in open {
                let rest = rest.minus(cover);
                if rest.is_within(later) && rest.len() <= (left - 1) * self.width {
                    next[kept] = (base, rest);
                    kept += 1;
                }
            }
            if kept >= self.size {
                chosen[count] = aim.covers[index];
                self.choose_covers(aim, (count + 1, index + 1), &next[..kept], chosen, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The covers that may come next. The last must complete as many bases as are wanting.
    fn useful_covers(&self, aim: &Aim<W>, left: usize, open: &[(u8, Bits<W>)]) -> Bits<W> {
        let all = Bits::below(aim.covers.len());
        if left > 1 {
            return all;
        }
        let mut complete = 0;
        // Covers that complete a base, two bases or more, three or more …
        let mut completing = Layers::default();
        for (_, rest) in open {
            match rest.is_empty() {
                true => complete += 1,
                false => completing.add(rest.iter().fold(all, |both, spot| both.and(aim.holders[spot]))),
            }
        }
        match self.size.saturating_sub(complete) {
            0 => all,
            wanting => completing.0[wanting - 1],
        }
    }

    /// Covers are chosen; now for bases that they hold.
    fn fit_bases(
        &self,
        aim: &Aim<W>,
        complete: &[(u8, Bits<W>)],
        covers: &[u8],
        visit: &mut impl Visit<W>,
    ) -> Flow {
        let (mut fitting, mut count) = ([0; MAX_BASES], 0);
        for &(base, _) in complete.iter().filter(|(base, _)| !covers.contains(base)) {
            fitting[count] = base;
            count += 1;
        }
        if count < self.size {
            return ControlFlow::Continue(());
        }
        let mut layers = Layers::default();
        covers.iter().for_each(|&cover| layers.add(self.spots(cover)));
        let fitting = &fitting[..count];
        let mut fit = Fit { search: self, aim, covers, layers, fitting, bases: [0; MAX_SIZE] };
        fit.choose(0, 0, Layers::default(), visit)
    }

    /// Whether a fish is of the shape looked for: each shape leaves out those before it.
    fn is_of_shape(&self, bases: &[u8], covers: &[u8]) -> bool {
        let has = |chosen: &[u8], kind: Kind| {
            chosen.iter().any(|&sector| self.of.sectors[usize::from(sector)].kind == kind)
        };
        let keeps = |one: Kind, other: Kind| {
            has(bases, one) && has(covers, other) && !has(bases, other) && !has(covers, one)
        };
        let has_others = has(bases, Kind::Other) || has(covers, Kind::Other) || has(covers, Kind::Cage);
        let is_directed = keeps(Kind::Row, Kind::Column) || keeps(Kind::Column, Kind::Row);
        match self.shape {
            Shape::Basic => is_directed && !has_others,
            Shape::Franken => is_directed && has_others,
            Shape::Mutant => !is_directed,
        }
    }
}

/// In how many ways so many can be chosen from a number of things.
fn count_choices(things: usize, chosen: usize) -> u64 {
    (0..chosen as u64).fold(1, |ways, taken| ways * (things as u64).saturating_sub(taken) / (taken + 1))
}

/// How often each place is in some sectors: layer `i` has those in more than `i` of them.
#[derive(Clone, Copy)]
struct Layers<const W: usize>([Bits<W>; MAX_SIZE]);

impl<const W: usize> Default for Layers<W> {
    fn default() -> Layers<W> {
        Layers([Bits::EMPTY; MAX_SIZE])
    }
}

impl<const W: usize> Layers<W> {
    fn of(of: &SingleDigit<W>, sectors: &[u8]) -> Layers<W> {
        let mut layers = Layers::default();
        sectors.iter().for_each(|&sector| layers.add(of.sectors[usize::from(sector)].spots));
        layers
    }

    fn add(&mut self, spots: Bits<W>) {
        let mut carried = spots;
        for layer in &mut self.0 {
            let both = layer.and(carried);
            *layer = layer.or(carried);
            carried = both;
            if carried.is_empty() {
                break;
            }
        }
    }

    /// Places that are here more often than there.
    fn beyond(&self, other: &Layers<W>) -> Bits<W> {
        self.0.iter().zip(&other.0).fold(Bits::EMPTY, |more, (one, other)| more.or(one.minus(*other)))
    }
}

/// Bases chosen to fit some covers.
struct Fit<'f, 's, const W: usize> {
    search: &'f Search<'s, W>,
    aim: &'f Aim<W>,
    /// All but the one through the target.
    covers: &'f [u8],
    layers: Layers<W>,
    fitting: &'f [u8],
    bases: Chosen,
}

impl<const W: usize> Fit<'_, '_, W> {
    fn choose(&mut self, count: usize, from: usize, held: Layers<W>, visit: &mut impl Visit<W>) -> Flow {
        let size = self.search.size;
        if count == size {
            return self.close(&held, visit);
        }
        visit.spend(1)?;
        for index in from..=self.fitting.len() - (size - count) {
            let base = self.fitting[index];
            let mut grown = held;
            grown.add(self.search.spots(base));
            if !grown.beyond(&self.layers).meets(self.aim.must) {
                self.bases[count] = base;
                self.choose(count + 1, index + 1, grown, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds the cover through the target. Of several, the first has this part.
    fn close(&self, held: &Layers<W>, visit: &mut impl Visit<W>) -> Flow {
        let bases = &self.bases[..self.search.size];
        for &cover in &self.aim.through {
            let is_taken = self.covers.contains(&cover);
            if is_taken && !self.aim.is_free {
                break;
            }
            if !is_taken && !bases.contains(&cover) {
                self.show(cover, held, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn show(&self, through: u8, held: &Layers<W>, visit: &mut impl Visit<W>) -> Flow {
        let (search, size, pattern) = (self.search, self.search.size, held.0[0]);
        let mut layers = self.layers;
        layers.add(search.spots(through));
        let mut covers = [0; MAX_SIZE];
        covers[..size - 1].copy_from_slice(self.covers);
        covers[size - 1] = through;
        covers[..size].sort_unstable();
        let fins = held.beyond(&layers);
        let is_meant = fins.len() <= MAX_FINS
            && fins.and(held.0[1]).len() <= MAX_ENDO_FINS
            && covers[..size].iter().all(|&cover| search.spots(cover).meets(pattern))
            && search.is_of_shape(&self.bases[..size], &covers[..size]);
        if !is_meant {
            return ControlFlow::Continue(());
        }
        let surplus = layers.beyond(held);
        visit.catch(&Catch { size, bases: self.bases, covers, pattern, fins, surplus })
    }
}

/// Passes a fish on if no earlier target has it.
struct First<'v, 's, const W: usize, V> {
    search: &'v Search<'s, W>,
    earlier: Bits<W>,
    visit: &'v mut V,
}

impl<const W: usize, V: Visit<W>> Visit<W> for First<'_, '_, W, V> {
    fn spend(&mut self, units: u64) -> Flow {
        self.visit.spend(units)
    }

    fn catch(&mut self, catch: &Catch<W>) -> Flow {
        let earlier = catch.targets(self.search.of).and(self.earlier);
        match earlier.iter().any(|target| self.search.finds(catch, target)) {
            true => ControlFlow::Continue(()),
            false => self.visit.catch(catch),
        }
    }
}
