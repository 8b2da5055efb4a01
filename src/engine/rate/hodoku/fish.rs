//! Fish, in the order in which HoDoKu looks for them: digit by digit, bases first rows and then columns.

use std::ops::ControlFlow;

use super::board::{Board, GEOMETRY, cells};
use super::method::Method;
use super::step::Step;
use super::templates;
use crate::engine::budget::{Budget, Stopped};

/// More fins than this make no fish.
const MOST_FINS: u32 = 5;

/// More fins in two bases than this neither.
const MOST_ENDO_FINS: u32 = 2;

/// Which fish are looked for.
#[derive(Clone, Copy)]
struct Kind {
    size: usize,
    finned: bool,
    sashimi: bool,
    /// Boxes may be bases and covers.
    franken: bool,
}

/// Finned fish come across in a search for sashimi ones, and the other way about: the next search takes them first.
#[derive(Default)]
pub struct Cached {
    steps: Vec<(usize, bool, Step)>,
    at: usize,
    /// What fish may remove at all.
    doomed: Option<[u128; 9]>,
}

/// The first fish of a method.
pub fn find(
    board: &Board,
    method: Method,
    cached: &mut Cached,
    at: usize,
    budget: &mut Budget,
) -> Result<Option<Step>, Stopped> {
    let (size, finned, sashimi, franken) = match method {
        Method::XWing => (2, false, false, false),
        Method::Swordfish => (3, false, false, false),
        Method::Jellyfish => (4, false, false, false),
        Method::FinnedXWing => (2, true, false, false),
        Method::SashimiXWing => (2, true, true, false),
        Method::FinnedSwordfish => (3, true, false, false),
        Method::SashimiSwordfish => (3, true, true, false),
        Method::FinnedJellyfish => (4, true, false, false),
        Method::SashimiJellyfish => (4, true, true, false),
        Method::FrankenXWing => (2, false, false, true),
        Method::FrankenSwordfish => (3, false, false, true),
        Method::FinnedFrankenXWing => (2, true, false, true),
        _ => (3, true, false, true),
    };
    let kind = Kind { size, finned, sashimi, franken };
    if cached.at != at {
        cached.steps.clear();
        cached.at = at;
        cached.doomed = None;
    } else if finned && !franken {
        let known = cached.steps.iter().position(|&(of, is, _)| of == size && is == sashimi);
        if let Some(place) = known {
            let (_, _, step) = cached.steps.swap_remove(place);
            cached.steps.clear();
            return Ok(Some(step));
        }
    }
    let doomed = *cached.doomed.get_or_insert_with(|| templates::doomed(board));
    for digit in (0..9).filter(|&digit| doomed[digit] != 0) {
        for lines in [true, false] {
            let mut search = Search::new(board, digit, kind, lines);
            budget.spend(4)?;
            let flow = search.extend_base(0, 0, 0, budget)?;
            for step in search.aside {
                cached.steps.push((size, !sashimi, step));
            }
            if flow.is_break() {
                return Ok(search.found);
            }
        }
    }
    Ok(None)
}

struct Search {
    digit: usize,
    kind: Kind,
    /// Houses that may be bases, with the candidates in them.
    bases: Vec<(usize, u128)>,
    covers: Vec<(usize, u128)>,
    /// The most places in a cover.
    widest: u32,
    chosen: Vec<(usize, u128)>,
    found: Option<Step>,
    aside: Vec<Step>,
}

type Flow = Result<ControlFlow<()>, Stopped>;

const GO_ON: Flow = Ok(ControlFlow::Continue(()));

impl Search {
    fn new(board: &Board, digit: usize, kind: Kind, lines: bool) -> Search {
        let (mut bases, mut covers) = (Vec::new(), Vec::new());
        for house in 0..if kind.franken { 27 } else { 18 } {
            let cells = GEOMETRY.houses[house].iter().fold(0, |set, &cell| set | 1u128 << cell);
            let spots = board.spots[digit] & cells;
            if spots == 0 {
                continue;
            }
            let is_base = house >= 18 || (house < 9) == lines;
            let is_cover = house >= 18 || (house < 9) != lines;
            if is_base && (kind.finned || spots.count_ones() as usize <= kind.size) {
                bases.push((house, spots));
            }
            if is_cover {
                covers.push((house, spots));
            }
        }
        let widest = covers.iter().map(|(_, spots)| spots.count_ones()).max().unwrap_or(0);
        Search { digit, kind, bases, covers, widest, chosen: Vec::new(), found: None, aside: Vec::new() }
    }

    fn extend_base(&mut self, from: usize, union: u128, endo: u128, budget: &mut Budget) -> Flow {
        for place in from..self.bases.len() {
            let (house, spots) = self.bases[place];
            let twice = union & spots;
            if twice != 0
                && !(self.kind.finned
                    && self.kind.franken
                    && endo.count_ones() + twice.count_ones() <= MOST_ENDO_FINS)
            {
                continue;
            }
            self.chosen.push((house, spots));
            let (union, endo) = (union | spots, endo | twice);
            let flow = if self.chosen.len() == self.kind.size {
                budget.spend(2)?;
                self.search_covers(union, endo, budget)?
            } else {
                self.extend_base(place + 1, union, endo, budget)?
            };
            self.chosen.pop();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        GO_ON
    }

    fn search_covers(&mut self, base: u128, endo: u128, budget: &mut Budget) -> Flow {
        let is_free = |(house, spots): &&(usize, u128)| {
            spots & base != 0 && self.chosen.iter().all(|(chosen, _)| chosen != house)
        };
        let covers: Vec<(usize, u128)> = self.covers.iter().filter(is_free).copied().collect();
        budget.spend(covers.len() as u64 * 2)?;
        Ok(self.extend_cover(&covers, (base, endo), (0, 0), self.kind.size))
    }

    /// `held` are the candidates of the covers, and those in two of them.
    fn extend_cover(
        &mut self,
        covers: &[(usize, u128)],
        (base, endo): (u128, u128),
        held: (u128, u128),
        left: usize,
    ) -> ControlFlow<()> {
        if left == 0 {
            return self.judge((base, endo), held);
        }
        let most = if self.kind.finned { MOST_FINS } else { 0 };
        for place in 0..covers.len().saturating_sub(left - 1) {
            let spots = covers[place].1;
            // What the covers still to come cannot cover is fins, and those are few.
            let open = (base & !(held.0 | spots)).count_ones();
            if open > most && (left == 1 || open > most + (left as u32 - 1) * self.widest) {
                continue;
            }
            let held = (held.0 | spots, held.1 | held.0 & spots);
            self.extend_cover(&covers[place + 1..], (base, endo), held, left - 1)?;
        }
        ControlFlow::Continue(())
    }

    fn judge(&mut self, (base, endo): (u128, u128), (cover, twice): (u128, u128)) -> ControlFlow<()> {
        let fins = base & !cover | endo;
        if fins == 0 {
            // With fins wanted, HoDoKu does not report a fish without.
            if self.kind.finned {
                return ControlFlow::Continue(());
            }
            return self.push(cover & !base, twice, fins);
        }
        if !self.kind.finned || fins.count_ones() > MOST_FINS {
            return ControlFlow::Continue(());
        }
        let seen = cells(fins).fold(!0, |seen, cell| seen & GEOMETRY.peers[cell]);
        self.push(cover & !base & seen, twice & seen, fins)
    }

    fn push(&mut self, gone: u128, cannibalistic: u128, fins: u128) -> ControlFlow<()> {
        if gone | cannibalistic == 0 {
            return ControlFlow::Continue(());
        }
        let digit = self.digit;
        let step = Step::eliminate(cells(gone).chain(cells(cannibalistic)).map(|cell| (cell, digit)));
        if self.kind.finned && !self.kind.franken {
            let is_sashimi = self.chosen.iter().any(|(_, spots)| (spots & !fins).count_ones() <= 1);
            if is_sashimi != self.kind.sashimi {
                self.aside.push(step);
                return ControlFlow::Continue(());
            }
        }
        self.found = Some(step);
        ControlFlow::Break(())
    }
}
