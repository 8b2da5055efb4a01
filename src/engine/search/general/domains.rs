//! What is possible in each cell, the houses over the cells, and the trail by which all of it is undone.

use super::Halt;
use crate::puzzle::{Cell, Puzzle};

/// One entry of the trail: a cell or, from `cells.len()` on, a relation, and what it was.
#[derive(Clone, Copy)]
struct Change {
    what: u32,
    before: u32,
}

/// The candidates of every cell, and what has still to be looked at because of their changes.
///
/// A set of digits is a `u32` (bit `d - 1` for digit `d`), a set of houses a `u128`: there are at most
/// `4 * 25 + 2`.
pub(super) struct Domains<'p> {
    puzzle: &'p Puzzle,
    pub size: usize,
    /// What is possible in each cell; never empty but right after a conflict.
    pub cells: Vec<u32>,
    /// How many rows or combinations of each relation are left (see [`super::relations`]).
    pub live: Vec<u32>,
    /// How often a cell took part in a conflict: branching goes where it hurts.
    pub weights: Vec<u32>,
    /// `size` cells a house.
    house_cells: Vec<u16>,
    houses_of: Vec<u128>,
    trail: Vec<Change>,
    /// Cells with one candidate whose peers have not been told.
    singles: Vec<u16>,
    /// Houses to be looked through for hidden singles, and for locked sets.
    stale: u128,
    stale_for_sets: u128,
    /// Relations to be looked at, latest first.
    queue: Vec<u16>,
    queued: Vec<bool>,
    /// The relations of cell `c` are `watchers[watch_from[c]..watch_from[c + 1]]`.
    watch_from: Vec<u32>,
    watchers: Vec<u16>,
}

impl<'p> Domains<'p> {
    /// Givens and restrictions alone; nothing has followed from them yet.
    pub fn new(puzzle: &'p Puzzle) -> Domains<'p> {
        let size = puzzle.size();
        let cell_count = puzzle.cell_count();
        let mut domains = Domains {
            puzzle,
            size,
            cells: Vec::with_capacity(cell_count),
            live: Vec::new(),
            weights: vec![1; cell_count],
            house_cells: Vec::with_capacity(puzzle.houses().len() * size),
            houses_of: vec![0; cell_count],
            trail: Vec::with_capacity(8 * cell_count),
            singles: Vec::with_capacity(cell_count),
            stale: (1 << puzzle.houses().len()) - 1,
            stale_for_sets: 0,
            queue: Vec::new(),
            queued: Vec::new(),
            watch_from: vec![0; cell_count + 1],
            watchers: Vec::new(),
        };
        for (number, house) in puzzle.houses().iter().enumerate() {
            for &cell in &house.cells {
                domains.house_cells.push(cell.index() as u16);
                domains.houses_of[cell.index()] |= 1 << number;
            }
        }
        for cell in Cell::all(size) {
            let allowed = puzzle.given(cell).map_or(puzzle.allowed(cell).bits(), |given| 1 << given.index());
            domains.cells.push(allowed);
            if allowed.is_power_of_two() {
                domains.singles.push(cell.index() as u16);
            }
        }
        domains
    }

    /// The candidates of a cell.
    #[inline]
    pub fn of(&self, cell: u16) -> u32 {
        self.cells[cell as usize]
    }

    /// The houses of a cell.
    #[inline]
    pub fn houses_of(&self, cell: u16) -> u128 {
        self.houses_of[cell as usize]
    }

    /// Where the trail stands, for [`undo`](Self::undo).
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes everything back that happened since the mark, and forgets what was to be looked at.
    pub fn undo(&mut self, mark: usize) {
        let cell_count = self.cells.len();
        while self.trail.len() > mark {
            let Some(change) = self.trail.pop() else { break };
            match self.cells.get_mut(change.what as usize) {
                Some(cell) => *cell = change.before,
                None => self.live[change.what as usize - cell_count] = change.before,
            }
        }
        self.singles.clear();
        self.stale = 0;
        self.stale_for_sets = 0;
        for &relation in &self.queue {
            self.queued[relation as usize] = false;
        }
        self.queue.clear();
    }

    /// Leaves a cell only these candidates.
    #[inline]
    pub fn keep(&mut self, cell: u16, digits: u32) -> Result<(), Halt> {
        let before = self.cells[cell as usize];
        let after = before & digits;
        if after == before {
            return Ok(());
        }
        self.trail.push(Change { what: u32::from(cell), before });
        self.cells[cell as usize] = after;
        if after & after.wrapping_sub(1) == 0 {
            if after == 0 {
                self.weights[cell as usize] += 1;
                return Err(Halt::Conflict);
            }
            self.singles.push(cell);
        }
        self.stale |= self.houses_of[cell as usize];
        let watchers = self.watch_from[cell as usize] as usize..self.watch_from[cell as usize + 1] as usize;
        for &relation in &self.watchers[watchers] {
            if !self.queued[relation as usize] {
                self.queued[relation as usize] = true;
                self.queue.push(relation);
            }
        }
        Ok(())
    }

    /// Says how many rows of a relation are left.
    #[inline]
    pub fn keep_live(&mut self, relation: u16, live: u32) {
        let before = self.live[relation as usize];
        if before != live {
            let what = self.cells.len() as u32 + u32::from(relation);
            self.trail.push(Change { what, before });
            self.live[relation as usize] = live;
        }
    }

    /// Remembers that these cells met in a conflict.
    pub fn blame(&mut self, cells: impl IntoIterator<Item = u16>) -> Halt {
        for cell in cells {
            self.weights[cell as usize] += 1;
        }
        Halt::Conflict
    }

    /// Sets which cells wake which relations: one list of cells a relation.
    pub fn watch<'c>(&mut self, relations: impl Iterator<Item = &'c [u16]> + Clone) {
        self.watch_from.fill(0);
        for cell in relations.clone().flatten() {
            self.watch_from[*cell as usize + 1] += 1;
        }
        for cell in 0..self.cells.len() {
            self.watch_from[cell + 1] += self.watch_from[cell];
        }
        let mut next = self.watch_from.clone();
        self.watchers.clear();
        self.watchers.resize(self.watch_from[self.cells.len()] as usize, 0);
        for (relation, cells) in relations.enumerate() {
            if self.queued.len() == relation {
                self.queued.push(false);
            }
            for &cell in cells {
                self.watchers[next[cell as usize] as usize] = relation as u16;
                next[cell as usize] += 1;
            }
        }
    }

    /// Whether changes put this relation, which is being looked at, into the queue.
    #[inline]
    pub fn allow_wake(&mut self, relation: u16, may: bool) {
        self.queued[relation as usize] = !may;
    }

    /// The next relation to be looked at.
    #[inline]
    pub fn next_relation(&mut self) -> Option<u16> {
        let relation = self.queue.pop()?;
        self.queued[relation as usize] = false;
        Some(relation)
    }

    /// The next house to be looked through for locked sets.
    #[inline]
    pub fn next_for_sets(&mut self) -> Option<usize> {
        let house = self.stale_for_sets.trailing_zeros() as usize;
        self.stale_for_sets &= self.stale_for_sets.wrapping_sub(1);
        (house < 128).then_some(house)
    }

    /// Naked and hidden singles until there are no more. Returns the units of work it took.
    pub fn follow_singles(&mut self) -> Result<u64, Halt> {
        let mut work = 0;
        loop {
            while let Some(cell) = self.singles.pop() {
                work += 1;
                self.tell_peers(cell)?;
            }
            let house = self.stale.trailing_zeros() as usize;
            if house >= 128 {
                return Ok(work);
            }
            self.stale &= self.stale - 1;
            self.stale_for_sets |= 1 << house;
            work += 1;
            self.find_hidden_singles(house)?;
        }
    }

    fn tell_peers(&mut self, cell: u16) -> Result<(), Halt> {
        let digit = self.cells[cell as usize];
        let puzzle = self.puzzle;
        for peer in puzzle.peers(Cell::new(cell as usize)) {
            let peer = peer.index() as u16;
            if self.cells[peer as usize] & digit != 0 {
                self.keep(peer, !digit)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn find_hidden_singles(&mut self, house: usize) -> Result<(), Halt> {
        let range = house * self.size..(house + 1) * self.size;
        let (mut once, mut twice, mut placed) = (0u32, 0u32, 0u32);
        for &cell in &self.house_cells[range.clone()] {
            let digits = self.cells[cell as usize];
            twice |= once & digits;
            once |= digits;
            placed |= if digits & (digits - 1) == 0 { digits } else { 0 };
        }
        let hidden = once & !twice & !placed;
        if once.count_ones() as usize != self.size {
            return Err(self.blame_house(house));
        }
        if hidden == 0 {
            return Ok(());
        }
        for at in range {
            let cell = self.house_cells[at];
            let digits = self.cells[cell as usize] & hidden;
            if digits == 0 {
                continue;
            }
            if digits & (digits - 1) != 0 {
                return Err(self.blame_house(house));
            }
            self.keep(cell, digits)?;
        }
        Ok(())
    }

    fn blame_house(&mut self, house: usize) -> Halt {
        for &cell in &self.house_cells[house * self.size..(house + 1) * self.size] {
            self.weights[cell as usize] += 1;
        }
        Halt::Conflict
    }

    /// A digit whose places in a house all lie in another house too leaves the rest of that other house.
    pub fn find_locked(&mut self, house: usize) -> Result<(), Halt> {
        let range = house * self.size..(house + 1) * self.size;
        let mut count = [0u32; 3];
        let mut placed = 0;
        for &cell in &self.house_cells[range.clone()] {
            let digits = self.cells[cell as usize];
            let more = count[0] & digits;
            count[0] ^= digits;
            count[2] |= count[1] & more;
            count[1] ^= more;
            placed |= if digits & (digits - 1) == 0 { digits } else { 0 };
        }
        // At most three places, on larger boards too: there longer ones are rare, and cost more than they give.
        let few = (count[0] | count[1]) & !count[2] & !placed;
        if few == 0 {
            return Ok(());
        }
        let mut common = [u128::MAX; 25];
        for &cell in &self.house_cells[range] {
            let mut digits = self.cells[cell as usize] & few;
            while digits != 0 {
                common[digits.trailing_zeros() as usize] &= self.houses_of[cell as usize];
                digits &= digits - 1;
            }
        }
        let mut digits = few;
        while digits != 0 {
            let digit = digits & digits.wrapping_neg();
            let others = common[digits.trailing_zeros() as usize] & !(1 << house);
            self.leave_rest(others, digit, |domains, cell| {
                domains.houses_of[cell as usize] & (1 << house) != 0
            })?;
            digits &= digits - 1;
        }
        Ok(())
    }

    /// Takes a digit from the cells of these houses but for those where it is known to be needed.
    #[inline]
    pub fn leave_rest(
        &mut self,
        houses: u128,
        digit: u32,
        is_kept: impl Fn(&Domains<'p>, u16) -> bool,
    ) -> Result<(), Halt> {
        let mut houses = houses;
        while houses != 0 {
            let start = houses.trailing_zeros() as usize * self.size;
            houses &= houses - 1;
            for at in start..start + self.size {
                let cell = self.house_cells[at];
                if self.cells[cell as usize] & digit != 0 && !is_kept(self, cell) {
                    self.keep(cell, !digit)?;
                }
            }
        }
        Ok(())
    }
}
