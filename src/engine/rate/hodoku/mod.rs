//! HoDoKu's scale, as its version 2.2.0 rates with the settings that it comes with: a level and a score.
//!
//! HoDoKu takes the first technique that finds a step, and of its steps the first found or, of chains, the one that
//! removes most. So what it rates depends on the order in which it looks, and this engine looks in the same order:
//! [`board`] (what it keeps, with its queues of singles), [`method`] (the techniques and what they count), [`step`];
//! then [`simple`], [`patterns`], [`fish`], [`templates`], [`uniqueness`], [`sue`], [`als`], [`chains`] and [`forcing`] (what it
//! looks for). What finds no step at all is a digit from the solution.

mod als;
mod board;
mod chains;
mod fish;
mod forcing;
mod method;
mod patterns;
mod simple;
mod step;
mod sue;
mod templates;
mod uniqueness;

use std::sync::Arc;

use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::Level;
use crate::engine::logic::links::Reach;
use crate::engine::search::{End, Engine, classic};
use crate::puzzle::{Puzzle, Solution};
use board::Board;
pub use method::Method;
pub use step::Step;

/// The most that puzzles of each level but the last count: whatever counts more is of a higher level.
const MOST: [u32; 4] = [800, 1000, 1600, 1800];

/// A rating.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HodokuRating {
    /// The level of the hardest step, raised where the score is too high for it.
    pub level: Level,
    /// What all steps count together.
    pub score: u32,
    /// The last technique used, in the order of the search; none if the board was full.
    pub hardest: Option<Method>,
    /// How often each technique was used, in the order of the search.
    pub counts: Vec<(Method, u32)>,
}

/// Why there is no rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HodokuError {
    /// The scale is defined for plain 9×9 sudoku.
    #[error("HoDoKu's scale is for plain 9×9 sudoku without restrictions")]
    NotPlain,
    /// The work was broken off: there is no rating, not a lower one.
    #[error("the rating was broken off")]
    Stopped(Stopped),
}

impl From<Stopped> for HodokuError {
    fn from(stopped: Stopped) -> HodokuError {
        HodokuError::Stopped(stopped)
    }
}

/// Whether the scale is defined for a puzzle.
pub fn applies_to(puzzle: &Puzzle) -> bool {
    classic::candidates(puzzle).is_some() && !puzzle.is_restricted()
}

/// Rates a puzzle that has exactly one solution.
pub fn rate(puzzle: &Arc<Puzzle>, budget: &mut Budget) -> Result<HodokuRating, HodokuError> {
    rate_with(puzzle, budget, &mut |_, _| {})
}

/// The same, telling each step.
pub fn rate_with(
    puzzle: &Arc<Puzzle>,
    budget: &mut Budget,
    each: &mut dyn FnMut(Method, &Step),
) -> Result<HodokuRating, HodokuError> {
    if !applies_to(puzzle) {
        return Err(HodokuError::NotPlain);
    }
    let mut givens = [0; 81];
    for (value, given) in givens.iter_mut().zip(puzzle.givens()) {
        *value = given.map_or(0, |digit| digit.value());
    }
    let mut solver =
        Solver { puzzle, solution: None, board: Board::new(&givens), at: 0, memory: Memory::default() };
    let mut counts = vec![0; Method::ALL.len()];
    while !solver.board.is_full() {
        budget.spend(10)?;
        let (method, step) = solver.next(budget)?;
        each(method, &step);
        counts[method as usize] += 1;
        solver.apply(&step);
    }
    Ok(reading(&counts))
}

fn reading(counts: &[u32]) -> HodokuRating {
    let used = Method::ALL.iter().copied().zip(counts.iter().copied()).filter(|(_, count)| *count > 0);
    let counts: Vec<(Method, u32)> = used.collect();
    let score = counts.iter().map(|(method, count)| method.score() * count).sum();
    let by_step = counts.iter().map(|(method, _)| method.level()).max().unwrap_or(Level::Easy);
    let by_score = Level::ALL[MOST.iter().filter(|&&most| score > most).count()];
    HodokuRating {
        level: by_step.max(by_score),
        score,
        hardest: counts.last().map(|(method, _)| *method),
        counts,
    }
}

/// What searches keep for others at the same position.
#[derive(Default)]
struct Memory {
    subsets: simple::Cached,
    fish: fish::Cached,
    rectangles: uniqueness::Cached,
}

struct Solver<'p> {
    puzzle: &'p Arc<Puzzle>,
    /// Looked up when nothing else is left.
    solution: Option<Solution>,
    board: Board,
    /// How many steps were taken.
    at: usize,
    memory: Memory,
}

impl Solver<'_> {
    /// The step that HoDoKu takes.
    fn next(&mut self, budget: &mut Budget) -> Result<(Method, Step), Stopped> {
        let mut sets = None;
        let mut groups = None;
        for &method in Method::ALL {
            let step = match method {
                Method::AlsXz | Method::AlsXyWing | Method::AlsChain => {
                    if sets.is_none() {
                        sets = Some(als::Sets::new(&self.board, budget)?);
                    }
                    let sets = sets.as_ref().expect("just made");
                    match method {
                        Method::AlsXz => sets.xz(),
                        Method::AlsXyWing => sets.xy_wing(budget)?,
                        _ => sets.chain(budget)?,
                    }
                }
                Method::GroupedNiceLoop | Method::ForcingChain | Method::ForcingNet => {
                    let tables = groups
                        .get_or_insert_with(|| chains::Tables::new(self.puzzle, &self.board, Reach::Groups));
                    self.grouped(method, tables, budget)?
                }
                _ => self.find(method, budget)?,
            };
            if let Some(step) = step {
                return Ok((method, step));
            }
        }
        self.guess(budget)
    }

    /// The digit of the middle one of the open cells, from the solution.
    fn guess(&mut self, budget: &mut Budget) -> Result<(Method, Step), Stopped> {
        if self.solution.is_none() {
            let mut first = None;
            let search = Engine::default().search();
            let count = search.count(self.puzzle, 1, budget, &mut |solution| first = Some(solution.clone()));
            if let End::Stopped(stopped) = count.end {
                return Err(stopped);
            }
            self.solution = first;
        }
        let open: Vec<usize> = board::cells(self.board.open()).collect();
        let cell = open[open.len() / 2];
        let solution = self.solution.as_ref().expect("the caller knows that there is one");
        let digit = solution.digits()[cell].index();
        Ok((Method::BruteForce, Step::place(cell, digit)))
    }

    fn grouped(
        &self,
        method: Method,
        tables: &mut chains::Tables,
        budget: &mut Budget,
    ) -> Result<Option<Step>, Stopped> {
        match method {
            Method::GroupedNiceLoop => chains::nice_loop(tables, &self.board, budget),
            Method::ForcingChain => {
                forcing::Consequences::of_chains(tables, budget)?.best(&self.board, budget)
            }
            _ => forcing::Consequences::of_nets(tables, &self.board, budget)?.best(&self.board, budget),
        }
    }

    fn find(&mut self, method: Method, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
        let (board, at) = (&mut self.board, self.at);
        Ok(match method {
            Method::FullHouse => simple::full_house(board),
            Method::NakedSingle => simple::naked_single(board),
            Method::HiddenSingle => simple::hidden_single(board),
            Method::Pointing | Method::Claiming => simple::locked_candidates(board, method),
            Method::LockedPair
            | Method::LockedTriple
            | Method::NakedPair
            | Method::NakedTriple
            | Method::NakedQuadruple => simple::naked_subset(board, method, &mut self.memory.subsets, at),
            Method::HiddenPair => simple::hidden_subset(board, 2),
            Method::HiddenTriple => simple::hidden_subset(board, 3),
            Method::HiddenQuadruple => simple::hidden_subset(board, 4),
            Method::XWing
            | Method::Swordfish
            | Method::Jellyfish
            | Method::FinnedXWing
            | Method::SashimiXWing
            | Method::FinnedSwordfish
            | Method::SashimiSwordfish
            | Method::FinnedJellyfish
            | Method::SashimiJellyfish
            | Method::FrankenXWing
            | Method::FrankenSwordfish
            | Method::FinnedFrankenXWing
            | Method::FinnedFrankenSwordfish => {
                return fish::find(board, method, &mut self.memory.fish, at, budget);
            }
            Method::RemotePair => return chains::remote_pair(board, budget),
            Method::Grave => patterns::grave(board),
            Method::Skyscraper => patterns::skyscraper(board),
            Method::TwoStringKite => patterns::two_string_kite(board),
            Method::EmptyRectangle => patterns::empty_rectangle(board),
            Method::WWing => patterns::w_wing(board),
            Method::XyWing => patterns::wing(board, false),
            Method::XyzWing => patterns::wing(board, true),
            Method::Uniqueness1
            | Method::Uniqueness2
            | Method::Uniqueness3
            | Method::Uniqueness4
            | Method::Uniqueness5
            | Method::Uniqueness6
            | Method::HiddenRectangle
            | Method::Avoidable1
            | Method::Avoidable2 => uniqueness::find(board, method, &mut self.memory.rectangles, at),
            Method::SueDeCoq => return sue::find(board, budget),
            Method::SimpleColours => patterns::simple_colours(board),
            Method::MultiColours => patterns::multi_colours(board),
            Method::TurbotFish | Method::XChain | Method::XyChain => {
                return chains::simple(self.puzzle, board, method, budget);
            }
            Method::NiceLoop => {
                let mut tables = chains::Tables::new(self.puzzle, board, Reach::Cells);
                return chains::nice_loop(&mut tables, board, budget);
            }
            _ => None,
        })
    }

    fn apply(&mut self, step: &Step) {
        for &(cell, digit) in &step.placed {
            self.board.place(cell, digit);
        }
        for &(cell, digit) in &step.gone {
            self.board.eliminate(cell, digit);
        }
        self.at += 1;
    }
}
