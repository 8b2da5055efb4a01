//! Chains, nice loops and forcing chains, as HoDoKu finds them: from every literal one table of all that follows,
//! each by the first of its shortest ways; of all steps the one that removes most.

use std::collections::HashMap;
use std::sync::Arc;

use super::board::{Board, GEOMETRY, cells, digits};
use super::method::Method;
use super::step::Step;
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::context::{self, Context};
use crate::engine::logic::links::{Graph, Reach, Reason};
use crate::engine::logic::techniques::chains::walk::{Said, Walk};
use crate::puzzle::{Cell, Digit, Position, Puzzle};

/// Chains of one digit or of pairs have at most so many nodes.
const LONGEST_SIMPLE: usize = 21;

/// The board as the link graph wants it.
fn position(puzzle: &Arc<Puzzle>, board: &Board) -> Position {
    let mut position = Position::new(puzzle.clone());
    for cell in 0..81 {
        let at = Cell::new(cell);
        if board.values[cell] != 0 {
            if position.is_open(at) {
                position.place(at, Digit::from_index(usize::from(board.values[cell]) - 1));
            }
            continue;
        }
        for digit in position.candidates(at) {
            if !board.may_hold(cell, digit.index()) {
                position.eliminate(at, digit);
            }
        }
    }
    position
}

/// What chains are searched in: the graph of a position, and what is read off it.
pub struct Tables {
    graph: Graph,
    walk: Walk,
    /// Of each candidate, its cell and digit from 0.
    places: Vec<(usize, usize)>,
}

impl Tables {
    /// The tables of a position.
    pub fn new(puzzle: &Arc<Puzzle>, board: &Board, reach: Reach) -> Tables {
        let position = position(puzzle, board);
        let houses = context::Board::new(puzzle);
        let context = Context::new(&houses, &position);
        let graph = Graph::new(&context, reach, Vec::new());
        let places = (0..graph.candidate_count() as u16)
            .map(|node| (graph.cell(node).index(), graph.node(node).digit.index()))
            .collect();
        Tables { walk: Walk::new(&graph, &context), graph, places }
    }

    /// The nodes that are candidates.
    pub fn candidates(&self) -> std::ops::Range<u16> {
        0..self.graph.candidate_count() as u16
    }

    /// The cell and digit of a candidate.
    pub fn place(&self, node: u16) -> (usize, usize) {
        self.places[usize::from(node)]
    }

    /// Every literal of a candidate that follows from one: cell, digit, whether true.
    pub fn each_from(&mut self, node: u16, on: bool, each: &mut dyn FnMut(usize, usize, bool)) {
        self.walk.run(&self.graph, Said { node, on });
        for said in self.walk.reached() {
            if self.is_candidate(said.node) {
                let (cell, digit) = self.places[usize::from(said.node)];
                each(cell, digit, said.on);
            }
        }
    }

    fn is_candidate(&self, node: u16) -> bool {
        usize::from(node) < self.places.len()
    }

    fn cell(&self, node: u16) -> usize {
        self.places[usize::from(node)].0
    }
}

/// Steps, of those that remove the same the shortest.
#[derive(Default)]
struct Found {
    steps: Vec<(Step, usize)>,
    known: HashMap<Vec<(usize, usize)>, usize>,
}

impl Found {
    /// Notes a step unless one as short is known. Later ones stand after earlier ones, also where these are longer.
    fn note(&mut self, step: Step, length: usize) {
        let mut key = step.gone.clone();
        key.sort_unstable();
        key.dedup();
        if self.known.get(&key).is_some_and(|&place| self.steps[place].1 <= length) {
            return;
        }
        self.known.insert(key, self.steps.len());
        self.steps.push((step, length));
    }

    fn best(self) -> Option<Step> {
        let best = self
            .steps
            .into_iter()
            .min_by(|(one, of_one), (other, of_other)| one.compare(other, of_one.cmp(of_other)));
        best.map(|(step, _)| step)
    }
}

/// X-chain, XY-chain, turbot fish.
pub fn simple(
    puzzle: &Arc<Puzzle>,
    board: &Board,
    method: Method,
    budget: &mut Budget,
) -> Result<Option<Step>, Stopped> {
    let reach = if method == Method::XyChain { Reach::Pairs } else { Reach::Digits };
    let mut tables = Tables::new(puzzle, board, reach);
    let longest = if method == Method::TurbotFish { 4 } else { LONGEST_SIMPLE };
    let mut found = Found::default();
    for start in tables.candidates() {
        if tables.graph.strong(start).is_empty() {
            continue;
        }
        let reached = tables.walk.run(&tables.graph, Said { node: start, on: false });
        budget.spend(reached as u64 / 4 + 1)?;
        let (cell, digit) = tables.places[usize::from(start)];
        for place in 0..reached {
            let end = tables.walk.reached()[place];
            let count = tables.walk.depth(end) + 1;
            let (other, of_end) = tables.places[usize::from(end.node)];
            if !end.on || count < 4 || count > longest || of_end != digit || other == cell {
                continue;
            }
            let gone = board.spots[digit] & GEOMETRY.peers[cell] & GEOMETRY.peers[other];
            if gone != 0 {
                let step = Step::eliminate(cells(gone).map(|cell| (cell, digit)));
                found.note(step, count);
            }
        }
    }
    Ok(found.best())
}

/// Remote pairs: chains of four cells and more with the same two digits.
pub fn remote_pair(board: &Board, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    let mut found = Found::default();
    for start in 0..81 {
        let held = board.candidates[start];
        if held.count_ones() != 2 {
            continue;
        }
        let same =
            (0..81).filter(|&cell| board.candidates[cell] == held).fold(0u128, |set, cell| set | 1 << cell);
        if same.count_ones() >= 4 {
            let mut path = vec![start];
            extend_remote(board, same, held, &mut path, &mut found, budget)?;
        }
    }
    Ok(found.best())
}

fn extend_remote(
    board: &Board,
    same: u128,
    held: u16,
    path: &mut Vec<usize>,
    found: &mut Found,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    budget.spend(1)?;
    let last = path[path.len() - 1];
    for cell in cells(same & GEOMETRY.peers[last]) {
        if path.contains(&cell) {
            continue;
        }
        path.push(cell);
        if path.len() >= 4 && path.len().is_multiple_of(2) {
            let mut seen = 0;
            for (place, &one) in path.iter().enumerate() {
                for &other in path.iter().skip(place + 3).step_by(2) {
                    seen |= GEOMETRY.peers[one] & GEOMETRY.peers[other];
                }
            }
            let gone: Vec<(usize, usize)> = digits(held)
                .flat_map(|digit| cells(seen & board.spots[digit]).map(move |cell| (cell, digit)))
                .collect();
            if !gone.is_empty() {
                found.note(Step::eliminate(gone), 2 * path.len());
            }
        }
        if path.len() < 10 {
            extend_remote(board, same, held, path, found, budget)?;
        }
        path.pop();
    }
    Ok(())
}

/// Nice loops and AIC.
pub fn nice_loop(tables: &mut Tables, board: &Board, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    let mut search = Loops { tables, board, found: Found::default(), nodes: Vec::new(), reasons: Vec::new() };
    for on in [true, false] {
        search.close(on, budget)?;
    }
    search.join(budget)?;
    Ok(search.found.best())
}

struct Loops<'t> {
    tables: &'t mut Tables,
    board: &'t Board,
    found: Found,
    nodes: Vec<u16>,
    reasons: Vec<Reason>,
}

impl Loops<'_> {
    /// Loops: ways that come back to the cell that they start from.
    fn close(&mut self, on: bool, budget: &mut Budget) -> Result<(), Stopped> {
        for start in self.tables.candidates() {
            let first = Said { node: start, on };
            let reached = self.tables.walk.run(&self.tables.graph, first);
            budget.spend(reached as u64 / 4 + 1)?;
            let cell = self.tables.cell(start);
            for place in 1..reached {
                let end = self.tables.walk.reached()[place];
                if self.tables.is_candidate(end.node)
                    && self.tables.cell(end.node) == cell
                    && self.tables.walk.depth(end) > 1
                {
                    self.judge_loop(first, end);
                }
            }
        }
        Ok(())
    }

    fn judge_loop(&mut self, first: Said, end: Said) {
        self.tables.walk.path(end, &mut self.nodes, &mut self.reasons);
        let cell = self.tables.cell(first.node);
        if self.first_cell(1) == cell || !self.is_plain(false) {
            return;
        }
        let starts_strong = !first.on;
        let (start_digit, end_digit) = (self.digit(0), self.digit(self.nodes.len() - 1));
        let is_same = start_digit == end_digit;
        let step = match (starts_strong, end.on, is_same) {
            (false, false, true) => Step::eliminate([(cell, start_digit)]),
            (true, true, true) => {
                let others = digits(self.board.candidates[cell]).filter(|&digit| digit != start_digit);
                Step::eliminate(others.map(|digit| (cell, digit)))
            }
            (false, true, false) => Step::eliminate([(cell, start_digit)]),
            (true, false, false) => Step::eliminate([(cell, end_digit)]),
            (false, false, false) if self.board.candidates[cell].count_ones() != 2 => return,
            _ => self.continuous(starts_strong, end.on),
        };
        if !step.gone.is_empty() {
            self.found.note(step, self.nodes.len());
        }
    }

    /// What a closed loop removes.
    fn continuous(&self, starts_strong: bool, ends_strong: bool) -> Step {
        let count = self.nodes.len();
        let graph = &self.tables.graph;
        let body: u128 = self.nodes[..count - 1].iter().fold(0, |body, &node| {
            graph.node(node).cells.iter().fold(body, |body, cell| body | 1 << cell.index())
        });
        // A node is true where a strong link leads to it.
        let strong = |place: usize| (place % 2 == 1) == starts_strong;
        let mut gone = Vec::new();
        for place in 0..count {
            let inside = if place == 0 {
                (starts_strong && ends_strong)
                    .then(|| (self.first_cell(0), self.digit(0), self.digit(count - 1)))
            } else if strong(place)
                && place + 2 < count
                && self.first_cell(place - 1) != self.first_cell(place)
            {
                let turns = self.first_cell(place) == self.first_cell(place + 1)
                    && self.first_cell(place + 1) != self.first_cell(place + 2);
                turns.then(|| (self.first_cell(place), self.digit(place), self.digit(place + 2)))
            } else {
                None
            };
            if let Some((cell, one, other)) = inside {
                let others =
                    digits(self.board.candidates[cell]).filter(|&digit| digit != one && digit != other);
                gone.extend(others.map(|digit| (cell, digit)));
            }
            if place > 0 && !strong(place) && self.first_cell(place - 1) != self.first_cell(place) {
                let digit = self.digit(place);
                let seen = self.seen(place - 1) & self.seen(place) & self.board.spots[digit] & !body;
                gone.extend(cells(seen).map(|cell| (cell, digit)));
            }
        }
        Step::eliminate(gone)
    }

    fn seen(&self, place: usize) -> u128 {
        let node = self.tables.graph.node(self.nodes[place]);
        node.cells.iter().fold(!0, |seen, cell| seen & GEOMETRY.peers[cell.index()])
    }

    /// AIC: ways from a candidate that is false to one that is true, with more than one target.
    fn join(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        for start in self.tables.candidates() {
            let reached = self.tables.walk.run(&self.tables.graph, Said { node: start, on: false });
            budget.spend(reached as u64 / 4 + 1)?;
            let (cell, digit) = self.tables.places[usize::from(start)];
            for place in 1..reached {
                let end = self.tables.walk.reached()[place];
                if !end.on || !self.tables.is_candidate(end.node) || self.tables.walk.depth(end) <= 1 {
                    continue;
                }
                let (other, of_end) = self.tables.places[usize::from(end.node)];
                if other == cell {
                    continue;
                }
                let sees = GEOMETRY.peers[cell] & 1 << other != 0;
                let gone: Vec<(usize, usize)> = if of_end == digit {
                    let seen = GEOMETRY.peers[cell] & GEOMETRY.peers[other] & self.board.spots[digit];
                    cells(seen).map(|cell| (cell, digit)).collect()
                } else if sees && self.board.may_hold(other, digit) && self.board.may_hold(cell, of_end) {
                    vec![(cell, of_end), (other, digit)]
                } else {
                    Vec::new()
                };
                if gone.len() < 2 {
                    continue;
                }
                self.tables.walk.path(end, &mut self.nodes, &mut self.reasons);
                if self.is_plain(true) {
                    self.found.note(Step::eliminate(gone), self.nodes.len());
                }
            }
        }
        Ok(())
    }

    fn digit(&self, place: usize) -> usize {
        self.tables.graph.node(self.nodes[place]).digit.index()
    }

    fn first_cell(&self, place: usize) -> usize {
        self.tables.graph.cell(self.nodes[place]).index()
    }

    /// Whether no cell is come back to, but for the next node in it; the last cell may be that of a loop's start.
    fn is_plain(&self, is_aic: bool) -> bool {
        let first = self.first_cell(0);
        let mut seen = 0u128;
        let mut last: Option<usize> = None;
        for place in 0..self.nodes.len() {
            let cell = self.first_cell(place);
            if seen & 1 << cell != 0 {
                return false;
            }
            if let Some(before) = last.filter(|&before| self.first_cell(before) != first || is_aic) {
                let node = self.tables.graph.node(self.nodes[before]);
                seen = node.cells.iter().fold(seen, |seen, cell| seen | 1 << cell.index());
            }
            last = Some(place);
        }
        true
    }
}
