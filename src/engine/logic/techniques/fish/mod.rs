//! Fish: k houses keep a digit to k others, so those have it there and nowhere else.
//!
//! ```text
//!       c2      c7
//!        -       -      the cover: columns 2 and 7
//!  r3 .  x  . .  x .    the base: row 3
//!        -       -
//!  r8 .  x  . f  x .    and row 8, with a fin f
//! ```
//!
//! Read [`choices`] (which bases, covers and fins), [`catch`] (a fish as a step), [`rows`] (the table's rows), [`kraken`]
//! (fish with chains).

mod catch;
pub mod choices;
pub mod kraken;
mod rows;

pub use rows::*;

use std::ops::ControlFlow;

use self::catch::Report;
use self::choices::{Catch, Chosen, Search, Shape, Visit};
use crate::engine::logic::CellSet;
use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::SingleDigit;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::puzzle::Digit;

/// What a row looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// How many bases.
    pub size: usize,
    /// Which sectors.
    pub shape: Shape,
    /// What about fins.
    pub fins: Fins,
}

/// What fins a fish is to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fins {
    /// None.
    None,
    /// Some; without them every base of a basic fish still has two places.
    Finned,
    /// Some; without them a base of a basic fish has one place or none.
    Sashimi,
    /// Two finned fish with the same bases, whose targets differ.
    Siamese,
}

/// Every fish of a kind. Only dead places can be targets, and most digits have none.
pub fn find(context: &Context<'_>, sink: &mut Sink<'_>, wanted: Wanted) -> Flow {
    for digit in context.puzzle().digits() {
        sink.spend(1)?;
        let dead = context.dead(digit).possible();
        if dead.is_empty() {
            continue;
        }
        // Places and sectors must both fit.
        let puzzle = context.puzzle();
        let width = context.spots(digit).len().max(puzzle.houses().len() + puzzle.cages().len());
        match width {
            0..=64 => find_digit::<1>(context, sink, wanted, (digit, dead))?,
            _ => find_digit::<4>(context, sink, wanted, (digit, dead))?,
        }
    }
    ControlFlow::Continue(())
}

fn find_digit<const W: usize>(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    wanted: Wanted,
    (digit, dead): (Digit, CellSet),
) -> Flow {
    let of = &*SingleDigit::<W>::of(context, digit);
    let mut report = Report::new(context, sink, of, wanted);
    let topic = (digit, wanted.size as u8, wanted.shape as u8);
    if let Some(known) = context.recall(topic) {
        for &(bases, covers) in known.iter() {
            report.spend(1)?;
            report.catch(&Catch::of(of, wanted.size, bases, covers))?;
        }
        return report.finish();
    }
    let targets = of.spots_of(dead);
    let mut collect = Collect { pairs: Vec::new(), report: &mut report };
    for search in Search::all(of, wanted.size, wanted.shape) {
        search.each(targets, &mut collect)?;
    }
    let pairs = collect.pairs;
    context.remember(topic, pairs);
    report.finish()
}

/// Keeps the fish that it passes on: rows of one size and shape differ in their fins alone, and ask one after another.
struct Collect<'r, V> {
    pairs: Vec<(Chosen, Chosen)>,
    report: &'r mut V,
}

impl<const W: usize, V: Visit<W>> Visit<W> for Collect<'_, V> {
    fn spend(&mut self, units: u64) -> Flow {
        self.report.spend(units)
    }

    fn catch(&mut self, catch: &Catch<W>) -> Flow {
        self.pairs.push((catch.bases, catch.covers));
        self.report.catch(catch)
    }
}
