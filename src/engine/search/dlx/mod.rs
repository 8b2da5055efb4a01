//! The plain engine: exact cover by dancing links, with cages pruning it.
//!
//! An option is a candidate, one for each digit that a cell may hold. It covers its cell, its digit in every
//! house of the cell (all of which must be covered exactly once, as a house has as many cells as there are digits),
//! and its digit in the cell's cage, if that cage's digits differ (at most once). What else a cage asks is
//! kept in a [`tally`], which prunes. [`cover`] and tally are rolled back exactly: when a search ends, however
//! it ends, every link and sheet is as it was, which debug builds check.
//!
//! A node is one option chosen, failures included.

mod cover;
mod tally;

use self::cover::{Cover, Node};
use self::tally::{Entry, Tally};
use super::{Count, End, Search};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::{Cell, Digit, DigitSet, Puzzle, Solution};

/// The engine of dancing links.
pub struct Dlx;

impl Search for Dlx {
    fn name(&self) -> &'static str {
        "dlx"
    }

    fn count(
        &self,
        puzzle: &Puzzle,
        limit: u64,
        budget: &mut Budget,
        found: &mut dyn FnMut(&Solution),
    ) -> Count {
        let board = match Board::new(puzzle, budget) {
            Ok(board) => board,
            Err(stopped) => return Count { solutions: 0, nodes: 0, end: End::Stopped(stopped) },
        };
        let mut count = Count { solutions: 0, nodes: 0, end: End::Complete };
        let mut run = Run { board, budget, stack: Vec::new(), nodes: 0 };
        #[cfg(debug_assertions)]
        let before = run.board.clone();
        count.end = run.search(&mut |solution| {
            found(solution);
            count.solutions += 1;
            count.solutions < limit
        });
        count.nodes = run.nodes;
        run.unwind();
        #[cfg(debug_assertions)]
        assert!(run.board == before, "links and cages are not as they were");
        count
    }
}

/// The puzzle as an exact cover.
#[derive(Clone, PartialEq, Eq)]
struct Board<'p> {
    puzzle: &'p Puzzle,
    cover: Cover,
    tally: Tally,
    /// The candidate that each option is.
    candidates: Vec<(Cell, Digit)>,
}

impl<'p> Board<'p> {
    fn new(puzzle: &'p Puzzle, budget: &mut Budget) -> Result<Board<'p>, Stopped> {
        let possible = possible(puzzle, budget)?;
        let size = puzzle.size();
        let (cells, houses) = (puzzle.cell_count(), puzzle.houses().len());
        let primary = cells + houses * size;
        let mut cover = Cover::new(primary, puzzle.cages().len() * size);
        let mut candidates = Vec::new();
        for cell in Cell::all(size) {
            budget.spend(1 + size as u64 / 4)?;
            for digit in possible[cell.index()] {
                let in_houses = puzzle.houses_of(cell).iter().map(|house| cells + house.index() * size);
                let in_cage = puzzle.cage_of(cell).filter(|&cage| puzzle.cage(cage).distinct);
                let in_cage = in_cage.map(|cage| primary + cage.index() * size);
                let digits = in_houses.chain(in_cage).map(|first| first + digit.index());
                cover.push([cell.index()].into_iter().chain(digits));
                candidates.push((cell, digit));
            }
        }
        Ok(Board { puzzle, cover, tally: Tally::new(puzzle), candidates })
    }

    /// Chooses the option of a node whose item is covered. Returns what is needed to take it back, and whether
    /// its cage can still be met.
    fn take(&mut self, node: Node) -> (Entry, bool, u64) {
        let (cell, digit) = self.candidates[self.cover.option(node)];
        let mut work = self.cover.take(node);
        let entry = self.tally.place(self.puzzle, cell, digit);
        let can_go_on = self.puzzle.cage_of(cell).is_none_or(|cage| {
            work += self.puzzle.cage(cage).cells.len() as u64;
            self.tally.can_be_met(self.puzzle, cage, |cell| {
                self.cover.options(cell.index()).map(|option| self.candidates[option].1)
            })
        });
        (entry, can_go_on, work)
    }

    fn take_back(&mut self, node: Node, entry: Entry) {
        self.tally.take_back(self.puzzle, entry);
        self.cover.give_back(node);
    }

    fn solution(&self) -> Solution {
        let digits = Cell::all(self.puzzle.size()).filter_map(|cell| self.tally.placed(cell));
        Solution::new(digits.collect::<Vec<Digit>>())
    }
}

/// The candidates of each cell: those that its given and restriction leave, and of these, unless its cage is very
/// large, those with which the cage can be met at all.
fn possible(puzzle: &Puzzle, budget: &mut Budget) -> Result<Vec<DigitSet>, Stopped> {
    let left = |cell| puzzle.given(cell).map_or(puzzle.allowed(cell), DigitSet::single);
    let mut possible: Vec<DigitSet> = Cell::all(puzzle.size()).map(left).collect();
    let mut tally = Tally::new(puzzle);
    for id in puzzle.cage_ids().filter(|&id| puzzle.cage(id).cells.len() <= puzzle.size()) {
        for &cell in &puzzle.cage(id).cells {
            budget.spend(1 + (puzzle.size() * puzzle.cage(id).cells.len()) as u64 / 16)?;
            for digit in possible[cell.index()] {
                let entry = tally.place(puzzle, cell, digit);
                if !tally.can_be_met(puzzle, id, |cell| possible[cell.index()].iter()) {
                    possible[cell.index()].remove(digit);
                }
                tally.take_back(puzzle, entry);
            }
        }
    }
    Ok(possible)
}

/// An option chosen.
struct Choice {
    node: Node,
    entry: Entry,
}

struct Run<'r> {
    board: Board<'r>,
    budget: &'r mut Budget,
    /// What is chosen; the item of each choice is covered. Never longer than there are cells.
    stack: Vec<Choice>,
    nodes: u64,
}

impl Run<'_> {
    /// Finds all solutions, as long as `found` wants more. Leaves on the stack what was chosen last.
    fn search(&mut self, found: &mut dyn FnMut(&Solution) -> bool) -> End {
        loop {
            let has_moved = match self.go_deeper(found) {
                Ok(has_moved) => has_moved,
                Err(end) => return end,
            };
            if has_moved {
                continue;
            }
            match self.go_on() {
                Ok(true) => {}
                Ok(false) => return End::Complete,
                Err(stopped) => return End::Stopped(stopped),
            }
        }
    }

    /// Chooses the first option that can be of the shortest item. Returns whether there was one.
    fn go_deeper(&mut self, found: &mut dyn FnMut(&Solution) -> bool) -> Result<bool, End> {
        let (item, seen) = self.board.cover.shortest();
        self.budget.spend(1 + seen / 16).map_err(End::Stopped)?;
        let Some(item) = item else {
            let solution = self.board.solution();
            debug_assert!(self.board.puzzle.is_solved_by(&solution), "found {solution}");
            return if found(&solution) { Ok(false) } else { Err(End::Limit) };
        };
        self.board.cover.cover(item);
        self.choose_from(self.board.cover.below(item)).map_err(End::Stopped)
    }

    /// Takes the last choice back and makes the next, or takes back the one before. Returns whether there was one.
    fn go_on(&mut self) -> Result<bool, Stopped> {
        while let Some(choice) = self.stack.pop() {
            self.board.take_back(choice.node, choice.entry);
            if self.choose_from(self.board.cover.below(choice.node))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Chooses the first option that can be from this node on, whose item is covered; uncovers it if there is none.
    fn choose_from(&mut self, first: Node) -> Result<bool, Stopped> {
        let item = self.board.cover.item(first);
        let mut node = first;
        while node != item {
            self.nodes += 1;
            let (entry, can_go_on, work) = self.board.take(node);
            let is_stopped = self.budget.spend(1 + work / 16);
            if can_go_on && is_stopped.is_ok() {
                self.stack.push(Choice { node, entry });
                return Ok(true);
            }
            self.board.take_back(node, entry);
            if let Err(stopped) = is_stopped {
                self.board.cover.uncover(item);
                return Err(stopped);
            }
            node = self.board.cover.below(node);
        }
        self.board.cover.uncover(item);
        Ok(false)
    }

    /// Takes every choice back.
    fn unwind(&mut self) {
        while let Some(choice) = self.stack.pop() {
            let item = self.board.cover.item(choice.node);
            self.board.take_back(choice.node, choice.entry);
            self.board.cover.uncover(item);
        }
    }
}
