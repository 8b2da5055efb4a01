//! What follows from an assumption: literals in the order in which they were found, each with its cause.
//!
//! A candidate that holds excludes what it sees and the rest of its cell; the last candidate of a cell, or the
//! last place of a digit in a house, holds. The end of that does not depend on the order, so what nets say is the
//! same in every dress of a board.

use crate::engine::logic::context::Context;
use crate::engine::logic::{CellSet, Literal};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// Which links a net follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// Those of one digit through houses.
    Digit,
    /// Cells and houses that have two candidates left from the start: plain chains.
    Fixed,
    /// All; what has gone stays away.
    Dynamic,
}

/// Why a literal holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is assumed.
    Assumed,
    /// It is the last of its cell.
    Cell,
    /// It is the last place of its digit in the house.
    House(HouseId),
    /// It conflicts with what this node says.
    Seen(u16),
    /// This refutation excludes it.
    Refuted(u16),
}

/// A literal with its cause.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The literal.
    pub literal: Literal,
    /// Its cause.
    pub cause: Cause,
}

/// Where an assumption ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing is left for the cell.
    Cell(Cell),
    /// No place is left for the digit in the house.
    House(HouseId, Digit),
    /// What this node says conflicts with the assumption.
    Assumption(u16),
}

/// An assumption made within a net, and how it ended.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// What was assumed.
    pub assumed: Literal,
    /// How many nodes there were before.
    pub first: usize,
    /// What followed, the assumption first; nodes are counted on from those before.
    pub nodes: Vec<Node>,
    /// How it ended.
    pub end: End,
}

/// What does not change while a position is looked at.
pub struct Field<'a> {
    /// The position.
    pub context: &'a Context<'a>,
    size: usize,
    /// For each cell its houses, and its place in each.
    houses_of: Vec<Vec<(u16, u8)>>,
    peers: Vec<CellSet>,
    candidates: Vec<u16>,
    places: Vec<u16>,
    live: Vec<CellSet>,
}

impl<'a> Field<'a> {
    /// Derives it.
    pub fn new(context: &'a Context<'a>) -> Field<'a> {
        let (puzzle, size) = (context.puzzle(), context.size());
        let mut houses_of = vec![Vec::new(); puzzle.cell_count()];
        let mut places = vec![0; puzzle.houses().len() * size];
        for house in puzzle.house_ids() {
            for (place, cell) in puzzle.house(house).cells.iter().enumerate() {
                houses_of[cell.index()].push((house.index() as u16, place as u8));
            }
            for digit in Digit::all(size) {
                places[house.index() * size + digit.index()] = context.seats_in(house, digit);
            }
        }
        let mut candidates = vec![0; puzzle.cell_count()];
        for cell in context.open() {
            candidates[cell.index()] = context.candidates(cell).bits() as u16;
        }
        Field {
            context,
            size,
            houses_of,
            peers: Cell::all(size).map(|cell| context.peers(cell)).collect(),
            candidates,
            places,
            live: Digit::all(size).map(|digit| context.spots(digit)).collect(),
        }
    }

    /// Every candidate of a cell with a choice, in reading order.
    pub fn starts(&self) -> impl Iterator<Item = (Cell, Digit)> + '_ {
        let open = self.context.open().into_iter();
        open.filter(|cell| self.choices(*cell).len() > 1)
            .flat_map(|cell| self.choices(cell).iter().map(move |digit| (cell, digit)))
    }

    /// The candidates of a cell.
    pub fn choices(&self, cell: Cell) -> DigitSet {
        DigitSet::from_bits(self.candidates[cell.index()].into())
    }

    /// The cells of a house where a digit may stand.
    pub fn spots(&self, house: HouseId, digit: Digit) -> impl Iterator<Item = Cell> + '_ {
        let places = self.places[house.index() * self.size + digit.index()];
        let cells = &self.context.puzzle().house(house).cells;
        cells.iter().enumerate().filter(move |(place, _)| places >> place & 1 != 0).map(|(_, &cell)| cell)
    }

    /// How many they are.
    pub fn spot_count(&self, house: HouseId, digit: Digit) -> u32 {
        self.places[house.index() * self.size + digit.index()].count_ones()
    }

    /// Whether two candidates cannot both hold.
    pub fn conflict(&self, one: Literal, other: Literal) -> bool {
        match one.cell == other.cell {
            true => one.digit != other.digit,
            false => one.digit == other.digit && self.peers[one.cell.index()].contains(other.cell),
        }
    }

    fn number(&self, literal: Literal) -> usize {
        (literal.cell.index() * self.size + literal.digit.index()) * 2 + usize::from(literal.holds)
    }
}

/// What changes.
#[derive(Clone, Default)]
struct Masks {
    candidates: Vec<u16>,
    places: Vec<u16>,
    /// For each digit the cells where it is not excluded.
    live: Vec<CellSet>,
    /// For each digit the cells where it holds.
    on: Vec<CellSet>,
}

/// An assumption and what follows.
pub struct Net<'f> {
    field: &'f Field<'f>,
    links: Links,
    masks: Masks,
    /// What was found, in order.
    pub nodes: Vec<Node>,
    next: usize,
    /// For each literal its node.
    at: Vec<u16>,
    /// What was refuted within.
    pub refutations: Vec<Refutation>,
}

impl<'f> Net<'f> {
    /// A net without an assumption.
    pub fn new(field: &'f Field<'f>, links: Links) -> Net<'f> {
        let at = vec![0; field.candidates.len() * field.size * 2];
        let masks = Masks::default();
        Net { field, links, masks, nodes: Vec::new(), next: 0, at, refutations: Vec::new() }
    }

    /// The field.
    pub fn field(&self) -> &'f Field<'f> {
        self.field
    }

    /// Starts again with an assumption and follows it; the end, if it contradicts itself.
    pub fn assume(&mut self, literal: Literal) -> Option<End> {
        self.masks.candidates.clone_from(&self.field.candidates);
        self.masks.places.clone_from(&self.field.places);
        self.masks.live.clone_from(&self.field.live);
        self.masks.on.clear();
        self.masks.on.resize(self.field.size, CellSet::EMPTY);
        self.nodes.clear();
        self.refutations.clear();
        self.next = 0;
        self.add(literal, Cause::Assumed);
        self.spread()
    }

    /// Its node.
    pub fn node_of(&self, literal: Literal) -> usize {
        usize::from(self.at[self.field.number(literal)])
    }

    /// What was found to hold, and to go, by digit.
    pub fn closure(&self) -> Closure {
        let live = self.field.live.iter().zip(&self.masks.live);
        Closure { on: self.masks.on.clone(), off: live.map(|(before, now)| *before - *now).collect() }
    }

    /// Whether it says of a candidate both that it holds and that it goes.
    pub fn is_torn(&self) -> bool {
        self.masks.on.iter().zip(&self.masks.live).any(|(on, live)| !(*on - *live).is_empty())
    }

    /// What is still open: candidates of cells with a choice that neither hold nor are excluded.
    pub fn undecided(&self) -> Vec<Literal> {
        let mut list = Vec::new();
        for cell in self.field.context.open() {
            let left = self.masks.candidates[cell.index()];
            if left.count_ones() > 1 {
                list.extend(DigitSet::from_bits(left.into()).iter().map(|digit| Literal::is(cell, digit)));
            }
        }
        list
    }

    /// Whether a candidate is still undecided.
    pub fn is_undecided(&self, literal: Literal) -> bool {
        let left = self.masks.candidates[literal.cell.index()];
        left >> literal.digit.index() & 1 != 0 && left.count_ones() > 1
    }

    /// Tries an assumption on top of this one; if it contradicts itself, the candidate goes.
    pub fn try_within(&mut self, literal: Literal) -> Tried {
        let saved = self.masks.clone();
        let first = self.nodes.len();
        let before = std::mem::replace(&mut self.next, first);
        self.add(literal, Cause::Assumed);
        let end = self.spread();
        self.masks = saved;
        self.next = before;
        let nodes = self.nodes.split_off(first);
        let Some(end) = end else { return Tried::Stands };
        self.refutations.push(Refutation { assumed: literal, first, nodes, end });
        self.add(literal.negated(), Cause::Refuted(self.refutations.len() as u16 - 1));
        match self.spread() {
            Some(end) => Tried::Ends(end),
            None => Tried::Gone,
        }
    }

    /// Adds a literal, unless it is there.
    fn add(&mut self, literal: Literal, cause: Cause) {
        let digit = literal.digit.index();
        let sets = if literal.holds { &mut self.masks.on } else { &mut self.masks.live };
        if literal.holds == sets[digit].contains(literal.cell) {
            return;
        }
        match literal.holds {
            true => sets[digit].insert(literal.cell),
            false => sets[digit].remove(literal.cell),
        }
        self.at[self.field.number(literal)] = self.nodes.len() as u16;
        self.nodes.push(Node { literal, cause });
    }

    /// Follows links until none is left, or a contradiction is found.
    fn spread(&mut self) -> Option<End> {
        while let Some(&Node { literal, .. }) = self.nodes.get(self.next) {
            let node = self.next as u16;
            self.next += 1;
            let end = if literal.holds { self.exclude(node, literal) } else { self.take_away(literal) };
            if end.is_some() && self.links != Links::Fixed {
                return end;
            }
        }
        None
    }

    /// What goes since a candidate holds.
    fn exclude(&mut self, node: u16, literal: Literal) -> Option<End> {
        let Literal { cell, digit, .. } = literal;
        if self.links != Links::Digit {
            let others = self.masks.candidates[cell.index()] & !(1 << digit.index());
            for other in DigitSet::from_bits(others.into()) {
                self.add(Literal::is_not(cell, other), Cause::Seen(node));
                if self.clashes(Literal::is(cell, other)) {
                    return Some(End::Assumption(node));
                }
            }
        }
        for peer in self.masks.live[digit.index()] & self.field.peers[cell.index()] {
            self.add(Literal::is_not(peer, digit), Cause::Seen(node));
            if self.clashes(Literal::is(peer, digit)) {
                return Some(End::Assumption(node));
            }
        }
        None
    }

    /// Whether a candidate is assumed that was just excluded.
    fn clashes(&self, literal: Literal) -> bool {
        self.links != Links::Fixed
            && self.masks.on[literal.digit.index()].contains(literal.cell)
            && self.nodes[self.node_of(literal)].cause == Cause::Assumed
    }

    /// What holds since a candidate is gone.
    fn take_away(&mut self, literal: Literal) -> Option<End> {
        let Literal { cell, digit, .. } = literal;
        if self.links != Links::Digit {
            let left = self.masks.candidates[cell.index()] & !(1 << digit.index());
            if self.links == Links::Dynamic {
                self.masks.candidates[cell.index()] = left;
            }
            match left {
                0 if self.links == Links::Dynamic => return Some(End::Cell(cell)),
                1.. if left & (left - 1) == 0 => {
                    let last = Digit::from_index(left.trailing_zeros() as usize);
                    if let Some(end) = self.hold(cell, last, Cause::Cell) {
                        return Some(end);
                    }
                }
                _ => {}
            }
        }
        for index in 0..self.field.houses_of[cell.index()].len() {
            let (house, place) = self.field.houses_of[cell.index()][index];
            let slot = usize::from(house) * self.field.size + digit.index();
            let left = self.masks.places[slot] & !(1 << place);
            if self.links != Links::Fixed {
                self.masks.places[slot] = left;
            }
            let id = HouseId(house);
            match left {
                0 if self.links != Links::Fixed => return Some(End::House(id, digit)),
                1.. if left & (left - 1) == 0 => {
                    let last = self.field.context.puzzle().house(id).cells[left.trailing_zeros() as usize];
                    if let Some(end) = self.hold(last, digit, Cause::House(id)) {
                        return Some(end);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A last candidate holds, unless it is on its way out: then its cell or house is empty once it has gone.
    fn hold(&mut self, cell: Cell, digit: Digit, cause: Cause) -> Option<End> {
        let literal = Literal::is(cell, digit);
        if self.masks.live[digit.index()].contains(cell) || self.links == Links::Fixed {
            self.add(literal, cause);
            return None;
        }
        // What is assumed to be false would hold.
        let off = self.nodes[self.node_of(literal.negated())];
        if off.cause != Cause::Assumed {
            return None;
        }
        match cause {
            Cause::House(house) => Some(End::House(house, digit)),
            _ => Some(End::Cell(cell)),
        }
    }
}

/// How an assumption within a net fared.
pub enum Tried {
    /// No contradiction was found.
    Stands,
    /// It contradicts itself, so the candidate went.
    Gone,
    /// It did, and without it the net contradicts itself.
    Ends(End),
}

/// What a net says, as sets by digit.
#[derive(Clone)]
pub struct Closure {
    /// What holds.
    pub on: Vec<CellSet>,
    /// What goes.
    pub off: Vec<CellSet>,
}

impl Closure {
    /// Keeps what both say.
    pub fn meet(&mut self, other: &Closure) {
        for (set, of_other) in self.on.iter_mut().zip(&other.on) {
            *set &= *of_other;
        }
        for (set, of_other) in self.off.iter_mut().zip(&other.off) {
            *set &= *of_other;
        }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.on.iter().chain(&self.off).all(|set| set.is_empty())
    }

    /// What it says.
    pub fn literals(&self) -> Vec<Literal> {
        let mut list = Vec::new();
        for (index, set) in self.on.iter().enumerate() {
            list.extend(set.iter().map(|cell| Literal::is(cell, Digit::from_index(index))));
        }
        for (index, set) in self.off.iter().enumerate() {
            list.extend(set.iter().map(|cell| Literal::is_not(cell, Digit::from_index(index))));
        }
        list
    }
}
