//! The whole board at once: every sweep deduces from all 81 cells in parallel, without a branch.
//!
//! The board is three registers, one for each row of a box: lane (band, stack, column) of register `r` holds the
//! candidates of that cell, so a digit's nine cells of a box are one lane group of three in each register.
//! Beside them stand, for each digit, the **ways** it has left in each band of boxes: a way says which row the
//! digit takes in each of the three boxes, and there are six, the three even permutations `row = way + stack` and
//! the three odd ones `row = way − stack` (modulo 3); for the three stacks likewise with columns.
//!
//! One sweep finds naked singles, hidden singles of boxes, three digits that fill a row or column of a box
//! (either way round), and narrows ways by cells and cells by ways, which gives locked candidates and the hidden
//! singles of lines. It costs about a hundred vector instructions and no mispredicted branch, which is why it
//! beats visiting only what changed, by far. Where lanes are bound by the number of instructions, the parts of a
//! sweep take turns ([`Lanes::IN_TURN`]). Of those, permutations of lanes and comparisons are the dear
//! ones (one port of the processor does them all), so what concerns rows of boxes is packed into one register first.
//!
//! Boxes and ways as the unit of deduction are tdoku's idea (Tom Dillon, 2019); the board in three registers,
//! the even and odd ways and the sweep are ours.

use super::lanes::Lanes;

/// All nine digits.
const ALL: u16 = 0x1FF;

/// A position of the search.
#[derive(Clone, Copy)]
pub struct State<L: Lanes> {
    /// Candidates; register `r` has row `r` of every box.
    cells: [L; 3],
    /// Ways of the bands.
    bands: L::Bands,
    /// Ways of the stacks.
    stacks: L::Stacks,
}

/// How a settled position stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// Some cell or box has no candidate for what it needs.
    Contradiction,
    /// Every cell has one candidate.
    Solved,
    /// A guess is needed.
    Open,
}

impl<L: Lanes> State<L> {
    /// From the candidates of each cell, in reading order.
    #[inline(always)]
    pub fn new(candidates: &[u16; 81]) -> State<L> {
        let mut rows = [[0; 27]; 3];
        for line in 0..9 {
            let to = 9 * (line / 3);
            rows[line % 3][to..to + 9].copy_from_slice(&candidates[9 * line..9 * line + 9]);
        }
        State::of([L::new(&rows[0]), L::new(&rows[1]), L::new(&rows[2])])
    }

    /// From 81 characters; what is not `1` to `9` is an open cell.
    #[inline(always)]
    pub fn read(text: &[u8; 81]) -> State<L> {
        State::of(L::read(text))
    }

    #[inline(always)]
    fn of(cells: [L; 3]) -> State<L> {
        State { cells, bands: L::all_bands(), stacks: L::all_stacks() }
    }

    /// Sweeps until nothing moves.
    ///
    /// What is left does not depend on the order of deducing, so that all instructions visit the same nodes, but for
    /// one thing: a box that cannot be filled, as three of its cells have but two digits or two digits but one
    /// cell, may be left with other candidates. Such a box stays one whatever goes, and is told at the end.
    #[inline(always)]
    pub fn settle(&mut self) -> Settled {
        let all = L::all(ALL);
        loop {
            let x = self.cells;
            // Naked singles go from all other cells of the box.
            let naked = [x[0].where_single(), x[1].where_single(), x[2].where_single()];
            let beside = others(naked[0].or(naked[1]).or(naked[2]));
            let gone = [
                beside.or(naked[1]).or(naked[2]),
                beside.or(naked[2]).or(naked[0]),
                beside.or(naked[0]).or(naked[1]),
            ];
            let y = if L::IN_TURN { without(x, gone) } else { x };
            // Digits of each row of a box (packed: lane i is row i), and of them those in no other. Three digits fill a
            // row: three candidates in all, or three at home nowhere else.
            let rows = rows_of(y);
            let only_row = rows.and_not(others(rows));
            let in_rows = L::narrow_bands(&mut self.bands, rows)
                .keep_three(only_row)
                .and_not(others(rows.where_three()));
            let z = if L::IN_TURN { within_rows(y, in_rows) } else { x };
            // The same with columns.
            let columns = z[0].or(z[1]).or(z[2]);
            let other_columns = others(columns);
            if L::has_empty(z) | !columns.or(other_columns).same(all) {
                return Settled::Contradiction;
            }
            let only_column = columns.and_not(other_columns);
            let in_columns = L::narrow_stacks(&mut self.stacks, columns)
                .keep_three(only_column)
                .and_not(others(columns.where_three()));
            // Hidden singles of the box: in one column alone, and there in one row.
            let in_two_rows = z[0].and(z[1]).or(z[2].and(z[0].or(z[1])));
            let hidden = only_column.and_not(in_two_rows);
            let preferred = [z[0].prefer(hidden), z[1].prefer(hidden), z[2].prefer(hidden)];
            let left = if L::IN_TURN { z } else { within_rows(without(preferred, gone), in_rows) };
            let left = [left[0].and(in_columns), left[1].and(in_columns), left[2].and(in_columns)];
            let next = if L::IN_TURN {
                [preferred[0].and(left[0]), preferred[1].and(left[1]), preferred[2].and(left[2])]
            } else {
                left
            };
            self.cells = next;
            if L::same_all(next, x) {
                if L::same_all(naked, x) {
                    return Settled::Solved;
                }
                let singles = [x[0].and(hidden), x[1].and(hidden), x[2].and(hidden)];
                let is_over = rows.has_few()
                    | columns.has_few()
                    | only_row.has_many()
                    | only_column.has_many()
                    | L::has_several(singles);
                return if is_over { Settled::Contradiction } else { Settled::Open };
            }
        }
    }

    /// Where to guess: in the band or stack with the fewest ways left in all, but more than one a digit; there a
    /// digit with the fewest ways, and its first way.
    #[inline(always)]
    pub fn branch(&self) -> Branch {
        let (bands, stacks) = (L::ways_of_bands(&self.bands), L::ways_of_stacks(&self.stacks));
        let mut best = (u32::MAX, 0, 0);
        macro_rules! consider {
            ($chute:expr, $six:expr) => {
                let count = $six.count_ones();
                best = if count > 9 && count < best.0 { (count, $chute, $six) } else { best };
            };
        }
        consider!(0, bands[0]);
        consider!(1, bands[1]);
        consider!(2, bands[2]);
        consider!(3, stacks[0]);
        consider!(4, stacks[1]);
        consider!(5, stacks[2]);
        let (_, chute, six) = best;
        // How often each digit occurs among the six ways, bit-sliced.
        let (mut one, mut two, mut three, mut four) = (0u64, 0u64, 0u64, 0u64);
        let (low, high) = (six as u64, (six >> 64) as u64);
        for way in [low, low >> 16, low >> 32, low >> 48, high, high >> 16] {
            four |= three & way;
            three |= two & way;
            two |= one & way;
            one |= way;
        }
        let (two, three, four) = (two & 0xFFFF, three & 0xFFFF, four & 0xFFFF);
        let digits = if two & !three != 0 {
            two & !three
        } else if three & !four != 0 {
            three & !four
        } else {
            four
        };
        let digit = digits & digits.wrapping_neg();
        let everywhere = digit * 0x0001_0001_0001_0001;
        let way = if low & everywhere != 0 {
            (low & everywhere).trailing_zeros() / 16
        } else {
            4 + (high & everywhere).trailing_zeros() / 16
        };
        Branch { chute, way: way as usize, digit: digit as u16 }
    }

    /// Leaves the branch's digit that way alone (`is_taken`), or takes that way from it.
    #[inline(always)]
    pub fn follow(&mut self, branch: Branch, is_taken: bool) {
        let Branch { chute, way, digit } = branch;
        if chute < 3 {
            L::follow_band(&mut self.bands, chute, way, digit, is_taken);
        } else {
            L::follow_stack(&mut self.stacks, chute - 3, way, digit, is_taken);
        }
    }

    /// The ways that the digit of a branch has left in its chute, a bit each.
    #[inline(always)]
    pub fn ways(&self, branch: Branch) -> u8 {
        let Branch { chute, digit, .. } = branch;
        let six = if chute < 3 {
            L::ways_of_bands(&self.bands)[chute]
        } else {
            L::ways_of_stacks(&self.stacks)[chute - 3]
        };
        (0..6).fold(0, |ways, way| ways | u8::from((six >> (16 * way)) as u16 & digit != 0) << way)
    }

    /// The digits of a solved position, zero-based, in reading order.
    #[inline(always)]
    pub fn digits(&self) -> [u8; 81] {
        let rows = [self.cells[0].lanes(), self.cells[1].lanes(), self.cells[2].lanes()];
        let mut indices = [[0; 27]; 3];
        for row in 0..3 {
            for lane in 0..27 {
                // of a single bit, its place; of many lanes at once
                indices[row][lane] = rows[row][lane].wrapping_sub(1).count_ones() as u8;
            }
        }
        let mut digits = [0; 81];
        for line in 0..9 {
            let from = 9 * (line / 3);
            digits[9 * line..9 * line + 9].copy_from_slice(&indices[line % 3][from..from + 9]);
        }
        digits
    }
}

/// In each lane, the digits of the two others of its group.
#[inline(always)]
fn others<L: Lanes>(lanes: L) -> L {
    lanes.turn::<1>().or(lanes.turn::<2>())
}

/// Cells without what is gone from them.
#[inline(always)]
fn without<L: Lanes>(cells: [L; 3], gone: [L; 3]) -> [L; 3] {
    [cells[0].and_not(gone[0]), cells[1].and_not(gone[1]), cells[2].and_not(gone[2])]
}

/// Cells with what their row of the box may hold; in lane i of `rows`, row i.
#[inline(always)]
fn within_rows<L: Lanes>(cells: [L; 3], rows: L) -> [L; 3] {
    [cells[0].and(rows.spread::<0>()), cells[1].and(rows.spread::<1>()), cells[2].and(rows.spread::<2>())]
}

/// In lane i, the digits of row i of each box: cells are picked so that three of the same row stand in different
/// registers, each one place further on than the last.
#[inline(always)]
fn rows_of<L: Lanes>(cells: [L; 3]) -> L {
    let [zero, one, two] = cells;
    L::pick([zero, one, two])
        .or(L::pick([two, zero, one]).turn::<1>())
        .or(L::pick([one, two, zero]).turn::<2>())
}

/// A digit, and one of the ways it has left.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// Bands 0 to 2, stacks 3 to 5.
    pub chute: usize,
    /// Even 0 to 2, odd 3 to 5.
    pub way: usize,
    /// One bit.
    pub digit: u16,
}
