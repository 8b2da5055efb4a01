//! All chains on a board that stays as it is, at once: which candidates lead to which.
//!
//! A candidate that holds leads to another that holds if it sees the partner of the other's strong link. The
//! closure of that relation, kept as a row of predecessors for each candidate, answers what single and multiple
//! forcing chains can find.

use super::super::super::board::{CANDIDATES, HOUSE_CELLS, Mask, PEERS, bits, cells};
use super::super::links::{LITERALS, Literal, literal};
use super::state::{Sets, State};

/// A set of candidates by their numbers in the graph.
type Row<const W: usize> = [u64; W];

// Counted loops: the iterators that would say the same were not inlined and took two thirds of all time.

#[inline]
fn has<const W: usize>(row: &Row<W>, number: usize) -> bool {
    row[number / 64] >> (number % 64) & 1 != 0
}

#[inline]
fn insert<const W: usize>(row: &mut Row<W>, number: usize) {
    row[number / 64] |= 1 << (number % 64);
}

#[inline]
#[allow(clippy::needless_range_loop)]
fn unite<const W: usize>(row: &mut Row<W>, other: &Row<W>) {
    for word in 0..W {
        row[word] |= other[word];
    }
}

#[inline]
#[allow(clippy::needless_range_loop)]
fn meets<const W: usize>(row: &Row<W>, other: &Row<W>) -> bool {
    let mut both = 0;
    for word in 0..W {
        both |= row[word] & other[word];
    }
    both != 0
}

#[inline]
#[allow(clippy::needless_range_loop)]
fn contains<const W: usize>(row: &Row<W>, other: &Row<W>) -> bool {
    let mut missing = 0;
    for word in 0..W {
        missing |= other[word] & !row[word];
    }
    missing == 0
}

/// What chains on a fixed board may find.
pub struct Chained {
    /// Candidates that chains may remove, by contradiction.
    pub off: Sets,
    /// Candidates that chains may prove.
    pub on: Sets,
    /// Literals from which single chains may start: a candidate that holds leads to its opposite, or one that
    /// does not leads to its opposite, or a candidate lies on a cycle.
    pub starts: Vec<bool>,
    /// Whether there is any single chain.
    pub any: bool,
    /// Whether a cycle may pass a candidate.
    pub cycles: Sets,
    /// Cells and houses (81 + house · 9 + digit) all of whose candidates may agree on something.
    pub groups: Vec<bool>,
    /// What they may agree on: what goes, what holds.
    pub common: [Sets; 2],
}

/// Whether multiple chains are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Multiple {
    /// Single chains alone.
    No,
    /// Only if there is no single chain.
    Otherwise,
    /// As well.
    Yes,
}

/// What chains may find on a state.
pub fn find(state: &State, multiple: Multiple) -> Chained {
    let count: u32 = state.live.iter().map(|set| set.count_ones()).sum();
    match count {
        ..=192 => Graph::<3>::new(state).chained(state, multiple),
        193..=256 => Graph::<4>::new(state).chained(state, multiple),
        257..=384 => Graph::<6>::new(state).chained(state, multiple),
        _ => Graph::<12>::new(state).chained(state, multiple),
    }
}

/// The candidates of a state, numbered by cell, and their links.
struct Graph<const W: usize> {
    /// Cell and digit of each.
    list: Vec<(u8, u8)>,
    numbers: Vec<u16>,
    /// What each sees.
    weak: Vec<Row<W>>,
    /// The partners of each in strong links.
    strong: Vec<Row<W>>,
    /// Whether each has a partner.
    has_strong: Vec<bool>,
    /// What leads to each.
    before: Vec<Row<W>>,
}

impl<const W: usize> Graph<W> {
    fn new(state: &State) -> Graph<W> {
        let mut graph = Graph {
            list: Vec::with_capacity(64 * W),
            numbers: vec![0; CANDIDATES],
            weak: Vec::new(),
            strong: Vec::new(),
            has_strong: Vec::new(),
            before: Vec::new(),
        };
        for cell in 0..81 {
            for digit in bits(state.candidates[cell]) {
                graph.numbers[cell * 9 + digit] = graph.list.len() as u16;
                graph.list.push((cell as u8, digit as u8));
            }
        }
        let count = graph.list.len();
        graph.weak = vec![[0; W]; count];
        graph.strong = vec![[0; W]; count];
        graph.has_strong = vec![false; count];
        graph.before = vec![[0; W]; count];
        graph.link(state);
        graph.close();
        graph
    }

    fn number(&self, cell: usize, digit: usize) -> usize {
        usize::from(self.numbers[cell * 9 + digit])
    }

    fn link(&mut self, state: &State) {
        for number in 0..self.list.len() {
            let (cell, digit) = self.list[number];
            let (cell, digit) = (usize::from(cell), usize::from(digit));
            let mut row = [0; W];
            for other in bits(state.candidates[cell] & !(1 << digit)) {
                insert(&mut row, self.number(cell, other));
            }
            for other in cells(state.live[digit] & PEERS[cell]) {
                insert(&mut row, self.number(other, digit));
            }
            self.weak[number] = row;
        }
        for cell in (0..81).filter(|&cell| state.candidates[cell].count() == 2) {
            let mut pair = bits(state.candidates[cell]);
            if let (Some(one), Some(other)) = (pair.next(), pair.next()) {
                self.join(self.number(cell, one), self.number(cell, other));
            }
        }
        for (cells, by_digit) in HOUSE_CELLS.iter().zip(&state.places) {
            for (digit, &places) in by_digit.iter().enumerate() {
                if places.count() == 2 {
                    let mut pair = bits(places).map(|place| usize::from(cells[place]));
                    if let (Some(one), Some(other)) = (pair.next(), pair.next()) {
                        self.join(self.number(one, digit), self.number(other, digit));
                    }
                }
            }
        }
    }

    fn join(&mut self, one: usize, other: usize) {
        for (from, to) in [(one, other), (other, one)] {
            insert(&mut self.strong[from], to);
            self.has_strong[from] = true;
            let seen = self.weak[to];
            unite(&mut self.before[from], &seen);
        }
    }

    /// Closes the relation: whatever leads to what leads to a candidate leads to it.
    fn close(&mut self) {
        for middle in 0..self.list.len() {
            if !self.has_strong[middle] {
                continue;
            }
            let through = self.before[middle];
            let (word, bit) = (middle / 64, middle % 64);
            for row in &mut self.before {
                if row[word] >> bit & 1 != 0 {
                    unite(row, &through);
                }
            }
        }
    }

    fn chained(&self, state: &State, multiple: Multiple) -> Chained {
        let mut chained = Chained {
            off: [0; 9],
            on: [0; 9],
            starts: vec![false; LITERALS],
            cycles: [0; 9],
            groups: Vec::new(),
            any: false,
            common: [[0; 9]; 2],
        };
        let mut refuted = [0; W];
        for number in 0..self.list.len() {
            // What leads to a candidate that it sees is refuted.
            for (word, refuted) in refuted.iter_mut().enumerate() {
                *refuted |= self.before[number][word] & self.weak[number][word];
            }
            let (cell, digit) = self.list[number];
            let (cell, digit) = (usize::from(cell), usize::from(digit));
            // What a partner leads to is proved.
            if meets(&self.before[number], &self.strong[number]) {
                chained.on[digit] |= 1 << cell;
                chained.starts[usize::from(literal(cell, digit, false))] = true;
            }
        }
        for (number, &(cell, digit)) in self.list.iter().enumerate() {
            if has(&refuted, number) {
                chained.off[usize::from(digit)] |= 1 << cell;
                chained.starts[usize::from(start(cell, digit))] = true;
            }
        }
        chained.any = chained.off.iter().chain(&chained.on).any(|set| *set != 0);
        if chained.any {
            self.find_cycles(&mut chained);
        }
        if multiple == Multiple::Yes || multiple == Multiple::Otherwise && !chained.any {
            self.find_groups(state, &mut chained);
        }
        chained
    }

    /// The candidates that lead, over another, to one that sees a partner of theirs.
    fn find_cycles(&self, chained: &mut Chained) {
        for (number, &(cell, digit)) in self.list.iter().enumerate() {
            if !self.has_strong[number] {
                continue;
            }
            let mut last = [0; W];
            for partner in ones(&self.strong[number]) {
                unite(&mut last, &self.weak[partner]);
            }
            if ones(&last).any(|other| other != number && has(&self.before[other], number)) {
                chained.cycles[usize::from(digit)] |= 1 << cell;
            }
        }
    }

    /// The cells and houses whose candidates all lead to one thing.
    fn find_groups(&self, state: &State, chained: &mut Chained) {
        chained.groups = vec![false; 81 + 243];
        let mut groups: Vec<(usize, Row<W>)> = Vec::new();
        for cell in (0..81).filter(|&cell| state.candidates[cell].count() > 2) {
            let mut row = [0; W];
            bits(state.candidates[cell]).for_each(|digit| insert(&mut row, self.number(cell, digit)));
            groups.push((cell, row));
        }
        for (house, cells) in HOUSE_CELLS.iter().enumerate() {
            for digit in (0..9).filter(|&digit| state.places[house][digit].count() > 1) {
                let mut row = [0; W];
                for place in bits(state.places[house][digit]) {
                    insert(&mut row, self.number(usize::from(cells[place]), digit));
                }
                groups.push((81 + house * 9 + digit, row));
            }
        }
        for (number, &(cell, digit)) in self.list.iter().enumerate() {
            let mut to_on = self.before[number];
            insert(&mut to_on, number);
            let mut to_off = [0; W];
            for other in ones(&self.weak[number]) {
                if self.has_strong[other] {
                    unite(&mut to_off, &self.before[other]);
                }
                insert(&mut to_off, other);
            }
            for (group, row) in &groups {
                if contains(&to_off, row) {
                    chained.groups[*group] = true;
                    chained.common[0][usize::from(digit)] |= 1 << cell;
                }
                if contains(&to_on, row) && state.candidates[usize::from(cell)].count() > 1 {
                    chained.groups[*group] = true;
                    chained.common[1][usize::from(digit)] |= 1 << cell;
                }
            }
        }
    }
}

fn start(cell: u8, digit: u8) -> Literal {
    literal(usize::from(cell), usize::from(digit), true)
}

/// The numbers in a row.
fn ones<const W: usize>(row: &Row<W>) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(place, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                place * 64 + bit
            })
        })
    })
}
