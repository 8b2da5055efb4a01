//! What nets said in earlier positions of a path, and nets of less power in this one: where to go on from.
//!
//! A path only takes candidates away, and with fewer of them a net says at least as much. So what was said stays so,
//! and where nothing is gone that a net did not say would go, it says nothing new.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::net::{Closure, Field, Net};
use super::within::{Power, enter, extend};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::{CellSet, Literal};

/// What is known once something is assumed, by digit.
#[derive(Clone)]
pub struct State {
    /// Where it is not excluded.
    pub live: Vec<CellSet>,
    /// Where it holds.
    pub on: Vec<CellSet>,
}

/// How a start fared.
#[derive(Clone)]
enum Fate {
    /// It contradicts itself.
    Refuted,
    /// It does not, as far as was seen.
    Stands(State),
}

/// What was kept of a board.
#[derive(Default)]
pub struct Kept {
    fates: RefCell<Fates>,
}

#[derive(Default)]
struct Fates {
    /// The candidates of the last position.
    live: Vec<CellSet>,
    /// By power, then by start.
    of: [Vec<Option<Fate>>; 5],
}

impl Kept {
    /// Turns to a position; if it is not a later one of the same path, all is forgotten.
    pub fn turn_to(&self, field: &Field<'_>) {
        let mut fates = self.fates.borrow_mut();
        let is_later = fates.live.iter().zip(field.live()).all(|(before, now)| (*now - *before).is_empty());
        if !is_later {
            *fates = Fates::default();
        }
        fates.live = field.live().to_vec();
    }

    fn fate(&self, power: Power, start: usize) -> Option<Fate> {
        self.fates.borrow().of[power as usize].get(start).cloned().flatten()
    }

    fn put(&self, power: Power, (start, count): (usize, usize), fate: Fate) {
        let of_power = &mut self.fates.borrow_mut().of[power as usize];
        of_power.resize(count, None);
        of_power[start] = Some(fate);
    }

    /// What follows from a start where nothing else is assumed; none if it contradicts itself.
    pub fn follow(
        &self,
        net: &mut Net<'_>,
        start: Literal,
        power: Power,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), Option<Closure>> {
        let number = net.field().number(start);
        let known = match self.fate(power, number) {
            Some(Fate::Refuted) => return ControlFlow::Continue(None),
            Some(Fate::Stands(state)) if state.holds(net.field()) => {
                return ControlFlow::Continue(Some(state.closure(net.field())));
            }
            Some(Fate::Stands(state)) => Some(state),
            None => None,
        };
        let below = Power::ALL.into_iter().rev().filter(|&below| below < power);
        let lower = below.filter_map(|below| self.fate(below, number)).find_map(|fate| match fate {
            Fate::Stands(state) => Some(state),
            Fate::Refuted => None,
        });
        let end = match known.into_iter().chain(lower).reduce(State::join) {
            None => enter(net, start, power, sink)?,
            Some(state) => {
                sink.spend(5)?;
                match net.enter_knowing(start, &state) {
                    None => extend(net, power, sink)?,
                    end => end,
                }
            }
        };
        let place = (number, net.field().literal_count());
        let closure = match end {
            Some(_) => {
                self.put(power, place, Fate::Refuted);
                None
            }
            None => {
                let state = net.state();
                let closure = state.closure(net.field());
                self.put(power, place, Fate::Stands(state));
                Some(closure)
            }
        };
        net.forget();
        ControlFlow::Continue(closure)
    }
}

impl State {
    /// Whether all that is gone since is excluded here, but for what is placed now and holds here.
    fn holds(&self, field: &Field<'_>) -> bool {
        let of_digits = self.live.iter().zip(&self.on).zip(field.live());
        of_digits.into_iter().all(|((live, on), now)| (*live - *now - *on).is_empty())
    }

    /// What it says beyond the position.
    fn closure(&self, field: &Field<'_>) -> Closure {
        let on = self.on.iter().zip(field.live()).map(|(on, now)| *on & *now);
        let off = self.live.iter().zip(field.live()).map(|(live, now)| *now - *live);
        Closure { on: on.collect(), off: off.collect() }
    }

    /// What two say together.
    fn join(mut self, other: State) -> State {
        self.live.iter_mut().zip(&other.live).for_each(|(live, other)| *live &= *other);
        self.on.iter_mut().zip(&other.on).for_each(|(on, other)| *on |= *other);
        self
    }
}
