//! All fillings of a small position, the plain way; and random small puzzles.

use super::*;

/// A small random generator: the same numbers every time.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Below `count`.
    pub fn roll(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.roll(count) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.roll(list.len())]
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.roll(last + 1));
        }
    }
}

pub type Grid = Vec<Digit>;

/// Every solution that keeps the position; none if there are more than `limit`.
pub fn solutions(position: &Position, limit: usize) -> Option<Vec<Grid>> {
    let mut found = Vec::new();
    let mut grid = vec![None; position.puzzle().cell_count()];
    fill(position, &mut grid, &mut found, limit, &mut None).then_some(found)
}

/// Some solution, digits tried in random order.
pub fn random_solution(position: &Position, dice: &mut Dice) -> Grid {
    let mut found = Vec::new();
    let mut grid = vec![None; position.puzzle().cell_count()];
    fill(position, &mut grid, &mut found, 0, &mut Some(dice));
    found.pop().expect("a solution")
}

/// False once there are more than `limit`.
fn fill(
    position: &Position,
    grid: &mut Vec<Option<Digit>>,
    found: &mut Vec<Grid>,
    limit: usize,
    dice: &mut Option<&mut Dice>,
) -> bool {
    let puzzle = position.puzzle();
    let open = Cell::all(puzzle.size()).filter(|cell| grid[cell.index()].is_none());
    let choices = |cell: Cell, grid: &[Option<Digit>]| {
        let mut set = position.candidates(cell);
        for peer in puzzle.peers(cell) {
            if let Some(digit) = grid[peer.index()] {
                set.remove(digit);
            }
        }
        set
    };
    let Some(cell) = open.min_by_key(|&cell| choices(cell, grid).len()) else {
        let digits: Grid = grid.iter().map(|digit| digit.expect("full")).collect();
        if puzzle.is_solved_by(&sleuth::puzzle::Solution::new(digits.clone())) {
            found.push(digits);
        }
        return found.len() <= limit;
    };
    let mut order: Vec<Digit> = choices(cell, grid).iter().collect();
    if let Some(dice) = dice {
        dice.shuffle(&mut order);
    }
    for digit in order {
        grid[cell.index()] = Some(digit);
        let goes_on = !cages_can_be_met(puzzle, grid, cell) || fill(position, grid, found, limit, dice);
        grid[cell.index()] = None;
        if !goes_on {
            return false;
        }
    }
    true
}

/// A full cage meets its target.
fn cages_can_be_met(puzzle: &Puzzle, grid: &[Option<Digit>], cell: Cell) -> bool {
    let Some(id) = puzzle.cage_of(cell) else { return true };
    let cage = puzzle.cage(id);
    let digits: Option<Vec<u8>> =
        cage.cells.iter().map(|cell| grid[cell.index()].map(|digit| digit.value())).collect();
    digits.is_none_or(|digits| cage.is_met_by(&digits))
}

/// A random small puzzle of any kind, and a solution of it. Not all of them have only one.
pub fn random_puzzle(dice: &mut Dice) -> (Arc<Puzzle>, Grid) {
    let mut draft = match dice.roll(6) {
        0 => boxed(2, 3),
        1 | 2 => boxed(2, 2),
        3 => PuzzleDraft::latin(3 + dice.roll(3)),
        _ => PuzzleDraft::latin(4),
    };
    if draft.size == 4 && dice.one_in(3) {
        draft.falling_diagonal = true;
        draft.rising_diagonal = dice.one_in(2);
    }
    let size = draft.size;
    let grid = random_solution(&open(draft.clone()), dice);
    if !dice.one_in(3) {
        let is_kenken = dice.one_in(2);
        draft.cages = random_cages(size, &grid, is_kenken, dice);
    }
    let percent = [0, 20, 40, 60][dice.roll(4)];
    for (given, digit) in draft.givens.iter_mut().zip(&grid) {
        if dice.roll(100) < percent {
            *given = u32::from(digit.value());
        }
    }
    if dice.one_in(4) {
        draft.candidates = grid.iter().map(|&digit| random_superset(digit, size, dice)).collect();
    }
    (Arc::new(draft.check().expect("a puzzle made from its solution")), grid)
}

fn random_superset(digit: Digit, size: usize, dice: &mut Dice) -> DigitSet {
    let mut set: DigitSet = Digit::all(size).filter(|_| !dice.one_in(4)).collect();
    set.insert(digit);
    set
}

/// Connected cages over the board; in killers some cells are left out.
fn random_cages(size: usize, grid: &Grid, is_kenken: bool, dice: &mut Dice) -> Vec<CageDraft> {
    let mut owner = vec![false; size * size];
    let mut cages = Vec::new();
    for start in 0..size * size {
        if owner[start] || (!is_kenken && dice.one_in(5)) {
            continue;
        }
        let mut members = vec![Cell::new(start)];
        owner[start] = true;
        let wanted = 1 + dice.roll(4);
        while members.len() < wanted {
            let from = dice.pick(&members).index();
            let mut beside = Vec::new();
            if !from.is_multiple_of(size) {
                beside.push(from - 1);
            }
            if from % size + 1 < size {
                beside.push(from + 1);
            }
            if from + size < size * size {
                beside.push(from + size);
            }
            let next = *dice.pick(&beside);
            let repeats = members.iter().any(|member| grid[member.index()] == grid[next]);
            if owner[next] || (!is_kenken && repeats) {
                break;
            }
            owner[next] = true;
            members.push(Cell::new(next));
        }
        cages.push(random_cage(&members, grid, is_kenken, dice));
    }
    cages
}

fn random_cage(members: &[Cell], grid: &Grid, is_kenken: bool, dice: &mut Dice) -> CageDraft {
    let values: Vec<u64> = members.iter().map(|cell| u64::from(grid[cell.index()].value())).collect();
    let sum = values.iter().sum();
    let product = values.iter().product();
    let (large, small) =
        (values.iter().copied().max().unwrap_or(1), values.iter().copied().min().unwrap_or(1));
    let (operation, target) = match (is_kenken, members.len(), dice.roll(5)) {
        (false, _, 0) => (Operation::Free, 0),
        (false, _, _) => (Operation::Add, sum),
        (true, 1, _) => (Operation::Equal, sum),
        (true, 2, 0) => (Operation::Subtract, large - small),
        (true, 2, 1) if large % small == 0 => (Operation::Divide, large / small),
        (true, _, 2) => (Operation::Unknown, if dice.one_in(2) { sum } else { product }),
        (true, _, 3) => (Operation::Multiply, product),
        (true, _, _) => (Operation::Add, sum),
    };
    cage(members, operation, target, !is_kenken)
}

/// The puzzle, some digits of the solution placed and some other candidates gone.
pub fn random_position(puzzle: &Arc<Puzzle>, grid: &Grid, dice: &mut Dice) -> Position {
    let mut position = Position::new(puzzle.clone());
    let (places, gone) = (dice.roll(4), dice.roll(8));
    for cell in Cell::all(puzzle.size()) {
        if dice.roll(10) < places {
            position.place(cell, grid[cell.index()]);
        }
    }
    for cell in Cell::all(puzzle.size()) {
        for digit in Digit::all(puzzle.size()) {
            if digit != grid[cell.index()] && position.is_open(cell) && dice.roll(12) < gone {
                position.eliminate(cell, digit);
            }
        }
    }
    position
}
