//! What follows from an assumption: literals in the order in which they were found, each with its cause.
//!
//! A candidate that holds excludes what it sees and the rest of its cell; the last candidate of a cell, or the
//! last place of a digit in a house, holds. The end of that does not depend on the order, so what nets say is the
//! same in every dress of a board.

use super::kept::State;
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
    /// What was assumed within shows it.
    Shown(u16),
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

/// An assumption made within a net, and what followed.
#[derive(Clone, Debug)]
pub struct Branch {
    /// What followed, the assumption first.
    pub nodes: Vec<Node>,
    /// What was shown within it in turn.
    pub asides: Vec<Aside>,
}

/// What assumptions within a net show. Nodes and asides of the branches are counted on from those before, each branch
/// for itself.
#[derive(Clone, Debug)]
pub struct Aside {
    /// How many nodes there were before.
    pub first: usize,
    /// How many asides there were before.
    pub first_aside: usize,
    /// One for each assumption.
    pub branches: Vec<Branch>,
    /// Why they show it.
    pub ground: Ground,
}

/// Why assumptions within a net show something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// There is one, and it contradicts itself.
    Refuted(End),
    /// There are two, one the opposite of the other, and both say it.
    Either,
    /// They are the candidates of a cell, and all say it.
    Cell(Cell),
    /// They are the places of a digit in a house, and all say it.
    House(HouseId, Digit),
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

    /// Where each digit may stand.
    pub fn live(&self) -> &[CellSet] {
        &self.live
    }

    /// How many literals there are.
    pub fn literal_count(&self) -> usize {
        self.candidates.len() * self.size * 2
    }

    /// The number of a literal.
    pub fn number(&self, literal: Literal) -> usize {
        (literal.cell.index() * self.size + literal.digit.index()) * 2 + usize::from(literal.holds)
    }
}

/// What changes.
#[derive(Default)]
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
    /// What was shown within.
    pub asides: Vec<Aside>,
    /// What to go back to from each assumption within.
    saved: Vec<Saved>,
    /// Room to save in.
    spare: Vec<Masks>,
}

/// A net before an assumption within.
struct Saved {
    masks: Masks,
    links: Links,
    first: usize,
    first_aside: usize,
    next: usize,
}

impl<'f> Net<'f> {
    /// A net without an assumption.
    pub fn new(field: &'f Field<'f>, links: Links) -> Net<'f> {
        let at = vec![0; field.literal_count()];
        Net {
            field,
            links,
            masks: Masks::default(),
            nodes: Vec::new(),
            next: 0,
            at,
            asides: Vec::new(),
            saved: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The field.
    pub fn field(&self) -> &'f Field<'f> {
        self.field
    }

    /// Starts again with an assumption and follows it; the end, if it contradicts itself.
    pub fn assume(&mut self, literal: Literal) -> Option<End> {
        self.clear();
        self.add(literal, Cause::Assumed);
        self.spread()
    }

    /// Starts again with nothing assumed.
    pub fn clear(&mut self) {
        self.masks.candidates.clone_from(&self.field.candidates);
        self.masks.places.clone_from(&self.field.places);
        self.masks.live.clone_from(&self.field.live);
        self.masks.on.clear();
        self.masks.on.resize(self.field.size, CellSet::EMPTY);
        self.nodes.clear();
        self.asides.clear();
        self.spare.extend(self.saved.drain(..).map(|saved| saved.masks));
        self.next = 0;
    }

    /// Its node.
    pub fn node_of(&self, literal: Literal) -> usize {
        usize::from(self.at[self.field.number(literal)])
    }

    /// The candidates of a cell that are left.
    pub fn left(&self, cell: Cell) -> DigitSet {
        DigitSet::from_bits(self.masks.candidates[cell.index()].into())
    }

    /// The places of a digit in a house that are left: bit `i` is the house's cell `i`.
    pub fn places(&self, house: HouseId, digit: Digit) -> u16 {
        self.masks.places[house.index() * self.field.size + digit.index()]
    }

    /// Their cells.
    pub fn cells_left(&self, house: HouseId, digit: Digit) -> impl Iterator<Item = Cell> + '_ {
        let places = self.places(house, digit);
        let cells = &self.field.context.puzzle().house(house).cells;
        cells.iter().enumerate().filter(move |(place, _)| places >> place & 1 != 0).map(|(_, &cell)| cell)
    }

    /// Where a digit is not excluded.
    pub fn live(&self, digit: Digit) -> CellSet {
        self.masks.live[digit.index()]
    }

    /// Where a digit holds.
    pub fn holds(&self, digit: Digit) -> CellSet {
        self.masks.on[digit.index()]
    }

    /// What follows from the last assumption within, beside what was known before.
    pub fn closure_within(&self) -> Closure {
        let before = &self.saved.last().expect("something is assumed within").masks;
        let on = self.masks.on.iter().zip(&before.on).map(|(now, before)| *now - *before);
        let live = before.live.iter().zip(&self.masks.live);
        Closure { on: on.collect(), off: live.map(|(before, now)| *before - *now).collect() }
    }

    /// Where a chain ends that was [entered](Self::enter) with [`Links::Fixed`]: it says that its start goes or, if
    /// `is_multiple`, all candidates of a cell or all places of a digit in a house.
    pub fn end_of_chain(&self, is_multiple: bool) -> Option<End> {
        let first = self.saved.last()?.first;
        let start = self.nodes[first].literal;
        if !self.masks.live[start.digit.index()].contains(start.cell)
            && let Cause::Seen(by) = self.nodes[self.node_of(start.negated())].cause
        {
            return Some(End::Assumption(by));
        }
        let gone = self.nodes[first..].iter().map(|node| node.literal).filter(|literal| !literal.holds);
        gone.filter(|_| is_multiple).find_map(|literal| self.emptied(literal))
    }

    /// The cell or house of an excluded candidate, if nothing is left for it.
    fn emptied(&self, literal: Literal) -> Option<End> {
        let Literal { cell, digit, .. } = literal;
        if self.left(cell).iter().all(|digit| !self.live(digit).contains(cell)) {
            return Some(End::Cell(cell));
        }
        let houses = self.field.houses_of[cell.index()].iter().map(|&(house, _)| HouseId(house));
        houses
            .filter(|&house| self.cells_left(house, digit).all(|place| !self.live(digit).contains(place)))
            .map(|house| End::House(house, digit))
            .next()
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

    /// Assumes something of which it is known already what follows, or a part of that, and follows the rest. What is
    /// known is taken up without its reasons, so this is for searches alone.
    pub fn enter_knowing(&mut self, literal: Literal, known: &State) -> Option<End> {
        self.save(Links::Dynamic);
        let first = self.nodes.len() as u16;
        self.add(literal, Cause::Assumed);
        for digit in Digit::all(self.field.size) {
            let index = digit.index();
            for cell in self.masks.live[index] - known.live[index] {
                self.add(Literal::is_not(cell, digit), Cause::Seen(first));
                self.masks.candidates[cell.index()] &= !(1 << index);
                for &(house, place) in &self.field.houses_of[cell.index()] {
                    self.masks.places[usize::from(house) * self.field.size + index] &= !(1 << place);
                }
            }
            for cell in known.on[index] & self.field.live[index] {
                self.add(Literal::is(cell, digit), Cause::Seen(first));
            }
        }
        self.next = self.nodes.len();
        self.find_last().or_else(|| self.spread())
    }

    /// Finds last candidates and last places that were not said to hold yet.
    fn find_last(&mut self) -> Option<End> {
        let field = self.field;
        for cell in field.context.open() {
            match self.left(cell).only() {
                Some(digit) => self.add(Literal::is(cell, digit), Cause::Cell),
                None if self.left(cell).is_empty() => return Some(End::Cell(cell)),
                None => {}
            }
        }
        for house in field.context.puzzle().house_ids() {
            for digit in Digit::all(field.size).filter(|&digit| field.spot_count(house, digit) > 0) {
                let places = self.places(house, digit);
                if places == 0 {
                    return Some(End::House(house, digit));
                }
                if places.is_power_of_two() {
                    let cell = field.context.puzzle().house(house).cells[places.trailing_zeros() as usize];
                    self.add(Literal::is(cell, digit), Cause::House(house));
                }
            }
        }
        None
    }

    /// What is known now.
    pub fn state(&self) -> State {
        State { live: self.masks.live.clone(), on: self.masks.on.clone() }
    }

    /// Assumes something on top of what is known, until [`leave`](Self::leave) or [`forget`](Self::forget), and follows
    /// these links from it; the end, if it contradicts itself.
    pub fn enter(&mut self, literal: Literal, links: Links) -> Option<End> {
        self.save(links);
        self.add(literal, Cause::Assumed);
        self.spread()
    }

    fn save(&mut self, links: Links) {
        let mut masks = self.spare.pop().unwrap_or_default();
        masks.candidates.clone_from(&self.masks.candidates);
        masks.places.clone_from(&self.masks.places);
        masks.live.clone_from(&self.masks.live);
        masks.on.clone_from(&self.masks.on);
        let (first, first_aside) = (self.nodes.len(), self.asides.len());
        self.saved.push(Saved { masks, links: self.links, first, first_aside, next: self.next });
        self.links = links;
        self.next = first;
    }

    /// Gives up the last assumption within, and hands out what followed from it.
    pub fn leave(&mut self) -> Branch {
        let (first, first_aside) = self.go_back();
        Branch { nodes: self.nodes.split_off(first), asides: self.asides.split_off(first_aside) }
    }

    /// Gives up the last assumption within, and what followed from it.
    pub fn forget(&mut self) {
        let (first, first_aside) = self.go_back();
        self.nodes.truncate(first);
        self.asides.truncate(first_aside);
    }

    fn go_back(&mut self) -> (usize, usize) {
        let Saved { masks, links, first, first_aside, next } =
            self.saved.pop().expect("something is assumed within");
        self.spare.push(std::mem::replace(&mut self.masks, masks));
        (self.links, self.next) = (links, next);
        (first, first_aside)
    }

    /// What branches left at this point show, as an aside.
    pub fn aside(&self, branches: Vec<Branch>, ground: Ground) -> Aside {
        Aside { first: self.nodes.len(), first_aside: self.asides.len(), branches, ground }
    }

    /// Takes up what an aside shows, and follows it.
    pub fn show(&mut self, literal: Literal, aside: Aside) -> Option<End> {
        self.asides.push(aside);
        self.add(literal, Cause::Shown(self.asides.len() as u16 - 1));
        self.spread()
    }

    /// Assumes a candidate on top of what is known; if that contradicts itself, it goes.
    pub fn try_within(&mut self, literal: Literal) -> Tried {
        let Some(end) = self.enter(literal, self.links) else {
            self.forget();
            return Tried::Stands;
        };
        let branch = self.leave();
        match self.show(literal.negated(), self.aside(vec![branch], Ground::Refuted(end))) {
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
