//! Lanes on words of 64 bits, which every processor has, and which compilers join in pairs where there are wider ones.

use super::{Lanes, Task, split};

/// For each index two words of lanes of ten bits, the highest of them 0: of the stacks 0 and 1 (lane `3 * stack + band`),
/// and of stack 2 (lane `band`). As the index tells words apart, turning, spreading and picking cost nothing.
///
/// Each way through the bands is a word (lane `band`), each through the stacks two (lane `3 * stack` of the first, lane 0
/// of the second).
#[derive(Clone, Copy)]
pub struct Portable([Pair; 3]);

type Pair = [u64; 2];

/// Bits of a lane.
const WIDTH: usize = 10;

/// From the lanes of one stack to those of the next.
const STACK: usize = 3 * WIDTH;

/// A 1 in each lane of a stack.
const STACK_ONES: u64 = 1 | 1 << WIDTH | 1 << (2 * WIDTH);

/// A 1 in each lane.
const ONES: Pair = [STACK_ONES | STACK_ONES << STACK, STACK_ONES];

/// The highest bit of each lane.
const TOP: Pair = [ONES[0] << 9, ONES[1] << 9];

/// The lanes of band 0.
const FIRST_BAND: Pair = [0x1FF | 0x1FF << STACK, 0x1FF];

#[inline(always)]
fn pair(f: impl Fn(usize) -> u64) -> Pair {
    [f(0), f(1)]
}

impl Portable {
    #[inline(always)]
    fn make(f: impl Fn(usize, usize) -> u64) -> Portable {
        Portable([pair(|half| f(0, half)), pair(|half| f(1, half)), pair(|half| f(2, half))])
    }

    /// The lowest bit of each lane taken away.
    #[inline(always)]
    fn without_lowest(self) -> Portable {
        // The highest bit lends, so that no lane borrows from the next.
        Portable::make(|i, half| self.0[i][half] & ((self.0[i][half] | TOP[half]) - ONES[half]))
    }

    /// All nine digits in the lanes that are 0.
    #[inline(always)]
    fn zeros(self) -> Portable {
        Portable::make(|i, half| {
            let top = (TOP[half] - self.0[i][half]) & TOP[half];
            top - (top >> 9)
        })
    }

    /// Whether some bit is set.
    #[inline(always)]
    fn has_any(self) -> bool {
        let [zero, one, two] = self.0;
        let [first, second] = pair(|half| zero[half] | one[half] | two[half]);
        first | second != 0
    }
}

/// The lines other than `line`, the next one first.
const fn after(line: usize) -> (usize, usize) {
    ((line + 1) % 3, (line + 2) % 3)
}

/// The six ways of a chute whose digits are in the words' lane at `bit`.
#[inline(always)]
fn six(words: [u64; 6], bit: usize) -> u128 {
    (0..6).fold(0, |six, way| six | u128::from(words[way] >> bit & 0x1FF) << (16 * way))
}

/// What goes from way `other` where these digits are left only `way`, or lose it.
#[inline(always)]
fn gone(other: usize, way: usize, digits: u64, is_taken: bool) -> u64 {
    if (other != way) == is_taken { digits } else { 0 }
}

impl Lanes for Portable {
    type Bands = [u64; 6];
    type Stacks = [Pair; 6];
    const IN_TURN: bool = true;
    fn call<T: Task<Portable>>(task: T) -> T::Output {
        task.run()
    }
    #[inline(always)]
    fn new(lanes: &[u16; 27]) -> Portable {
        let stack = |index: usize, stack: usize| {
            let lane = |band: usize| u64::from(lanes[9 * band + 3 * stack + index]) << (WIDTH * band);
            lane(0) | lane(1) | lane(2)
        };
        Portable([0, 1, 2].map(|index| [stack(index, 0) | stack(index, 1) << STACK, stack(index, 2)]))
    }
    #[inline(always)]
    fn lanes(self) -> [u16; 27] {
        std::array::from_fn(|lane| {
            let (band, stack, index) = split(lane);
            (self.0[index][stack / 2] >> (STACK * (stack % 2) + WIDTH * band) & 0x1FF) as u16
        })
    }
    #[inline(always)]
    fn all(bits: u16) -> Portable {
        Portable([pair(|half| u64::from(bits) * ONES[half]); 3])
    }
    #[inline(always)]
    fn and(self, other: Portable) -> Portable {
        Portable::make(|i, half| self.0[i][half] & other.0[i][half])
    }
    #[inline(always)]
    fn or(self, other: Portable) -> Portable {
        Portable::make(|i, half| self.0[i][half] | other.0[i][half])
    }
    #[inline(always)]
    fn and_not(self, other: Portable) -> Portable {
        Portable::make(|i, half| self.0[i][half] & !other.0[i][half])
    }
    #[inline(always)]
    fn same(self, other: Portable) -> bool {
        !Portable::make(|i, half| self.0[i][half] ^ other.0[i][half]).has_any()
    }
    #[inline(always)]
    fn same_all(one: [Portable; 3], other: [Portable; 3]) -> bool {
        let differ = |row: usize, i: usize, half: usize| one[row].0[i][half] ^ other[row].0[i][half];
        !Portable::make(|i, half| differ(0, i, half) | differ(1, i, half) | differ(2, i, half)).has_any()
    }
    #[inline(always)]
    fn has_empty(three: [Portable; 3]) -> bool {
        let top = |row: usize, i: usize, half: usize| TOP[half] - three[row].0[i][half];
        Portable::make(|i, half| (top(0, i, half) | top(1, i, half) | top(2, i, half)) & TOP[half]).has_any()
    }
    #[inline(always)]
    fn where_single(self) -> Portable {
        self.and(self.without_lowest().zeros())
    }
    #[inline(always)]
    fn where_three(self) -> Portable {
        self.and(self.without_lowest().without_lowest().without_lowest().zeros())
    }
    #[inline(always)]
    fn keep_three(self, only: Portable) -> Portable {
        let is_fewer = only.without_lowest().without_lowest().zeros();
        self.and(only.or(is_fewer))
    }
    #[inline(always)]
    fn has_few(self) -> bool {
        let rest = self.without_lowest().without_lowest();
        Portable::has_empty([rest; 3])
    }
    #[inline(always)]
    fn has_many(self) -> bool {
        self.without_lowest().without_lowest().without_lowest().has_any()
    }
    #[inline(always)]
    fn has_several(three: [Portable; 3]) -> bool {
        let [first, second, third] = three;
        first.without_lowest().or(second.without_lowest()).or(third.without_lowest()).has_any()
    }
    #[inline(always)]
    fn prefer(self, bits: Portable) -> Portable {
        let preferred = self.and(bits);
        preferred.or(self.and(preferred.zeros()))
    }
    #[inline(always)]
    fn turn<const N: usize>(self) -> Portable {
        Portable([self.0[N % 3], self.0[(1 + N) % 3], self.0[(2 + N) % 3]])
    }
    #[inline(always)]
    fn spread<const N: usize>(self) -> Portable {
        Portable([self.0[N]; 3])
    }
    #[inline(always)]
    fn pick(operands: [Portable; 3]) -> Portable {
        Portable([operands[0].0[0], operands[1].0[1], operands[2].0[2]])
    }
    #[inline(always)]
    fn all_bands() -> [u64; 6] {
        [0x1FF * STACK_ONES; 6]
    }
    #[inline(always)]
    fn all_stacks() -> [Pair; 6] {
        [FIRST_BAND; 6]
    }
    #[inline(always)]
    fn narrow_bands(ways: &mut [u64; 6], rows: Portable) -> Portable {
        for way in 0..3 {
            let (next, last) = after(way);
            // What is shifted down leaves the lanes of one stack alone.
            ways[way] &= rows.0[way][0] & rows.0[next][0] >> STACK & rows.0[last][1];
            ways[3 + way] &= rows.0[way][0] & rows.0[last][0] >> STACK & rows.0[next][1];
        }
        Portable([0, 1, 2].map(|row| {
            let (next, last) = after(row);
            let [first, second, third] =
                [ways[row] | ways[3 + row], ways[last] | ways[3 + next], ways[next] | ways[3 + last]];
            [first | second << STACK, third]
        }))
    }
    #[inline(always)]
    fn narrow_stacks(ways: &mut [Pair; 6], columns: Portable) -> Portable {
        for way in 0..3 {
            let (next, last) = after(way);
            let through = |second: usize, third: usize| {
                let [first, second, third] = [columns.0[way], columns.0[second], columns.0[third]];
                pair(|half| first[half] & second[half] >> WIDTH & third[half] >> (2 * WIDTH))
            };
            let [even, odd] = [through(next, last), through(last, next)];
            // The ways have the first band's lanes alone.
            ways[way] = pair(|half| ways[way][half] & even[half]);
            ways[3 + way] = pair(|half| ways[3 + way][half] & odd[half]);
        }
        Portable([0, 1, 2].map(|column| {
            let (next, last) = after(column);
            pair(|half| {
                let first = ways[column][half] | ways[3 + column][half];
                let second = ways[last][half] | ways[3 + next][half];
                let third = ways[next][half] | ways[3 + last][half];
                first | second << WIDTH | third << (2 * WIDTH)
            })
        }))
    }
    #[inline(always)]
    fn ways_of_bands(ways: &[u64; 6]) -> [u128; 3] {
        [six(*ways, 0), six(*ways, WIDTH), six(*ways, 2 * WIDTH)]
    }
    #[inline(always)]
    fn ways_of_stacks(ways: &[Pair; 6]) -> [u128; 3] {
        let [firsts, seconds] = [ways.map(|way| way[0]), ways.map(|way| way[1])];
        [six(firsts, 0), six(firsts, STACK), six(seconds, 0)]
    }
    #[inline(always)]
    fn follow_band(ways: &mut [u64; 6], band: usize, way: usize, digits: u16, is_taken: bool) {
        let digits = u64::from(digits) << (WIDTH * band);
        for (other, left) in ways.iter_mut().enumerate() {
            *left &= !gone(other, way, digits, is_taken);
        }
    }
    #[inline(always)]
    fn follow_stack(ways: &mut [Pair; 6], stack: usize, way: usize, digits: u16, is_taken: bool) {
        let digits = u64::from(digits) << (STACK * (stack % 2));
        for (other, left) in ways.iter_mut().enumerate() {
            left[stack / 2] &= !gone(other, way, digits, is_taken);
        }
    }
}
