//! Kraken fish: a fish whose fins, or one of whose covers, the target takes away by chains.
//!
//! ```text
//!  type 1   x - fins that it sees; x - … - the other fins       so without x's own cover the bases are one too many
//!  type 2   x - … - all that one cover and the fins hold        the same, with x anywhere
//! ```

use std::ops::ControlFlow;

use super::super::chains::step::without_spare;
use super::super::forcing::account::Account;
use super::super::forcing::net::{Field, Links, Net};
use super::super::forcing::way_marks;
use super::choices::{Catch, Search, Shape, Visit};
use crate::engine::logic::bits::Bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::{Place, SingleDigit};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Conclusion, Literal, Mark, Premise, Proof, Role, Shape as MarkShape};
use crate::puzzle::{DigitSet, HouseId};

/// The largest fish looked for: with chains on top, more is beyond people.
const MAX_SIZE: usize = 4;
/// The most fins taken by chains; those that the target sees are not counted.
const MAX_CHAINED_FINS: usize = 2;

/// Kraken fish, type 1.
pub const KRAKEN_FISH_1: Technique = Technique {
    slug: "kraken-fish-1",
    name: Text { en: "Kraken fish type 1", zh: "海怪鱼 1 型" },
    level: Level::Extreme,
    score: 500,
    needs: Needs::NONE,
    on_path: false,
    find: |context, sink| find(context, sink, Kind::Fins),
    sentence: Text {
        en: "but for the fins in {fin}, all places for {digits} in {base} lie in {cover}; {target} would rule out every fin too, by chains that place {count} in all, so it can go",
        zh: "除 {fin} 处的鳍以外，{base}中 {digits} 的位置全在{cover}内；{target} 又经强制链（共 {count} 次填数）排除每个鳍，因此删去",
    },
    lesson: Text {
        en: "if no fin ({fin}) is {digits}, all places for {digits} in {base} lie in {cover}, as many houses, which then have no {digits} elsewhere; from {target}, chains lead on to where no fin is {digits} (placements in all: {count}), so it rules itself out and can go",
        zh: "若鳍 {fin} 都不是 {digits}，则{base}中 {digits} 的位置全在同样多的{cover}内，后者的其他位置没有 {digits}；而从 {target} 出发，沿强制链（共 {count} 次填数）推出每个鳍都不是 {digits}，自相矛盾，因此删去",
    },
};

/// Kraken fish, type 2.
pub const KRAKEN_FISH_2: Technique = Technique {
    slug: "kraken-fish-2",
    name: Text { en: "Kraken fish type 2", zh: "海怪鱼 2 型" },
    find: |context, sink| find(context, sink, Kind::Cover),
    sentence: Text {
        en: "{target} would take {off} away, by chains that place {count} in all; {base} would then have to place their {digits} in {cover}, one house too few, so it can go",
        zh: "{target} 会经强制链（共 {count} 次填数）删去 {off}；这样{base}的 {digits} 只能全在{cover}内，少了一个单元，因此删去",
    },
    lesson: Text {
        en: "{base} with {cover} and one house more make a fish in {digits}; all that this house and the fins add to {cover} is {off}; from {target}, chains lead on to where all of it is gone (placements in all: {count}), and then {base} need more {digits} than {cover} can take, so it can go",
        zh: "{base}与{cover}再加一个单元就 {digits} 构成一条鱼；该单元和鳍在{cover}之外占有的只是 {off}；从 {target} 出发，沿强制链（共 {count} 次填数）这些候选数全被删去，{base}所需的 {digits} 便多于{cover}所能容纳的，因此删去",
    },
    ..KRAKEN_FISH_1
};

/// What the chains take away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Fins of a fish with a cover through the target.
    Fins,
    /// Fins, and what one cover holds of the bases.
    Cover,
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, kind: Kind) -> Flow {
    let puzzle = context.puzzle();
    let places = puzzle.digits().iter().map(|digit| context.spots(digit).len()).max().unwrap_or(0);
    // Places and sectors must both fit.
    match places.max(puzzle.houses().len() + puzzle.cages().len()) {
        0..=64 => find_wide::<1>(context, sink, kind),
        _ => find_wide::<4>(context, sink, kind),
    }
}

/// For each candidate the first fish, small ones first: others would say the same of it.
fn find_wide<const W: usize>(context: &Context<'_>, sink: &mut Sink<'_>, kind: Kind) -> Flow {
    let digits: Vec<SingleDigit<W>> = context
        .puzzle()
        .digits()
        .iter()
        .map(|digit| SingleDigit::new(context, digit, context.spots(digit)))
        .collect();
    let mut searches: Vec<(&SingleDigit<W>, Search<'_, W>)> = Vec::new();
    for size in 2..=MAX_SIZE {
        for shape in [Shape::Basic, Shape::Franken] {
            for of in &digits {
                searches.extend(Search::all(of, size, shape).into_iter().map(|search| (of, search)));
            }
        }
    }
    let field = Field::new(context);
    let mut net = Net::new(&field, Links::Fixed);
    for (cell, digit) in field.starts() {
        sink.spend(10)?;
        net.assume(Literal::is(cell, digit));
        // What contradicts itself is for chains to say.
        if net.is_torn() {
            continue;
        }
        let closure = net.closure();
        for (of, search) in &searches {
            let target = (of.digit == digit).then(|| of.cells.binary_search(&cell).ok()).flatten();
            if kind == Kind::Fins && target.is_none() {
                continue;
            }
            let falsified = of.spots_of(closure.off[of.digit.index()]);
            let seen = target.map_or(Bits::EMPTY, |target| of.sees[target]);
            if falsified.is_within(seen) {
                continue;
            }
            let mut hunt = Hunt { sink, of, kind, target, falsified, seen, found: None };
            let flow = match (kind, target) {
                (Kind::Fins, Some(target)) => search.each_for(target, falsified, &mut hunt),
                _ => search.each_without(falsified, &mut hunt),
            };
            match hunt.found {
                Some(found) => {
                    push(context, sink, &net, of, &found)?;
                    break;
                }
                None => flow?,
            }
        }
    }
    ControlFlow::Continue(())
}

/// A fish that makes the assumption of a net false.
struct Found<const W: usize> {
    catch: Catch<W>,
    /// The cover of which all is taken, if it does not see the target.
    spent: Option<u8>,
    /// What the bases have beyond the other covers: false with the target.
    beyond: Bits<W>,
}

/// Takes the first fish that will do.
struct Hunt<'h, 's, const W: usize> {
    sink: &'h mut Sink<'s>,
    of: &'h SingleDigit<W>,
    kind: Kind,
    /// The place of the target, if it is of the digit.
    target: Option<usize>,
    /// Places that the target takes away.
    falsified: Bits<W>,
    /// Those that it sees.
    seen: Bits<W>,
    found: Option<Found<W>>,
}

impl<const W: usize> Visit<W> for Hunt<'_, '_, W> {
    fn spend(&mut self, units: u64) -> Flow {
        self.sink.spend(units)
    }

    fn catch(&mut self, catch: &Catch<W>) -> Flow {
        let chained = catch.fins.minus(self.seen).len();
        if chained <= MAX_CHAINED_FINS {
            self.found = match self.kind {
                Kind::Fins => self.with_cover(catch, chained),
                Kind::Cover => self.without_cover(catch),
            };
        }
        if self.found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<const W: usize> Hunt<'_, '_, W> {
    /// The target is in the covers alone, and takes away the fins, some of them by chains.
    fn with_cover(&self, catch: &Catch<W>, chained: usize) -> Option<Found<W>> {
        let is_in_surplus = self.target.is_some_and(|target| catch.surplus.contains(target));
        (is_in_surplus && chained > 0).then_some(Found { catch: *catch, spent: None, beyond: catch.fins })
    }

    /// The target takes away all that one cover adds, and the cover is not its own.
    fn without_cover(&self, catch: &Catch<W>) -> Option<Found<W>> {
        let spots = |cover: u8| self.of.sectors[usize::from(cover)].spots;
        let is_own = |cover: u8| self.target.is_some_and(|target| spots(cover).contains(target));
        let others = catch.covers().iter().copied().filter(|&cover| !is_own(cover));
        others
            .map(|cover| Found {
                catch: *catch,
                spent: Some(cover),
                beyond: catch.fins_without(self.of, cover),
            })
            .find(|found| found.beyond.is_within(self.falsified) && !found.beyond.is_within(self.seen))
    }
}

/// Reports that a candidate is false: what the bases have beyond the covers goes lemma by lemma, and what is left of
/// them is too little.
fn push<const W: usize>(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    net: &Net<'_>,
    of: &SingleDigit<W>,
    found: &Found<W>,
) -> Flow {
    let Literal { cell, digit, .. } = net.nodes[0].literal;
    let conclusions = vec![Conclusion::Eliminate(cell, digit)];
    let mut account = Account::default();
    let gone = found.beyond.iter().map(|spot| Literal::is_not(of.cells[spot], of.digit));
    let uses: Vec<Option<u32>> = gone.map(|literal| account.derive(net, literal)).collect();
    let houses = |sectors: &[u8]| -> Vec<HouseId> {
        let places = sectors.iter().map(|&sector| of.sectors[usize::from(sector)].place);
        places.filter_map(|place| if let Place::House(house) = place { Some(house) } else { None }).collect()
    };
    // Cages are never bases: they need not hold the digit.
    let bases = houses(found.catch.bases());
    let premises = bases.iter().map(|&base| Premise::House(base, of.digit)).collect();
    account.agree(Literal::is_not(cell, digit), premises, uses);
    let mut marks = vec![Mark::digit(Role::Digits, of.digit)];
    marks.extend(bases.into_iter().map(|base| Mark::house(Role::Base, base)));
    for &cover in found.catch.covers().iter().filter(|&&cover| Some(cover) != found.spent) {
        marks.push(match of.sectors[usize::from(cover)].place {
            Place::House(house) => Mark::house(Role::Cover, house),
            Place::Cage(cage) => Mark::new(Role::Cover, MarkShape::Cage(cage)),
        });
    }
    let rest = found.catch.pattern.minus(found.beyond);
    marks.push(Mark::cells(Role::Pattern, of.cells_of(rest)));
    let beyond = of.cells_of(found.beyond);
    marks.push(match found.spent {
        None => Mark::cells(Role::Fin, beyond),
        Some(_) => Mark::new(
            Role::Off,
            MarkShape::Candidates { cells: beyond.iter().collect(), digits: DigitSet::single(of.digit) },
        ),
    });
    way_marks(&account, &mut marks);
    let proof = without_spare(Proof { lemmas: account.lemmas.into() }, &conclusions, context);
    sink.push(conclusions, marks, proof)
}
