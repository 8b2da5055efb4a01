//! Lanes as plain arrays. Ways are six numbers for each chute.

use super::{Lanes, Task, join, place_in_band, place_in_stack, split, ways_through};

/// Plain arrays: the twin with which the others are compared, and what other processors run.
#[derive(Clone, Copy)]
pub struct Portable([u16; 27]);

impl Portable {
    #[inline(always)]
    fn make(f: impl Fn(usize) -> u16) -> Portable {
        Portable(std::array::from_fn(f))
    }
}

impl Lanes for Portable {
    type Bands = [u16; 18];
    type Stacks = [u16; 18];
    const IN_TURN: bool = true;
    fn call<T: Task<Portable>>(task: T) -> T::Output {
        task.run()
    }
    #[inline(always)]
    fn new(lanes: &[u16; 27]) -> Portable {
        Portable(*lanes)
    }
    #[inline(always)]
    fn lanes(self) -> [u16; 27] {
        self.0
    }
    #[inline(always)]
    fn all(bits: u16) -> Portable {
        Portable([bits; 27])
    }
    #[inline(always)]
    fn and(self, other: Portable) -> Portable {
        Portable::make(|lane| self.0[lane] & other.0[lane])
    }
    #[inline(always)]
    fn or(self, other: Portable) -> Portable {
        Portable::make(|lane| self.0[lane] | other.0[lane])
    }
    #[inline(always)]
    fn and_not(self, other: Portable) -> Portable {
        Portable::make(|lane| self.0[lane] & !other.0[lane])
    }
    #[inline(always)]
    fn same(self, other: Portable) -> bool {
        self.0 == other.0
    }
    #[inline(always)]
    fn same_all(one: [Portable; 3], other: [Portable; 3]) -> bool {
        one[0].same(other[0]) && one[1].same(other[1]) && one[2].same(other[2])
    }
    #[inline(always)]
    fn has_empty(three: [Portable; 3]) -> bool {
        three.iter().any(|lanes| lanes.0.contains(&0))
    }
    #[inline(always)]
    fn where_single(self) -> Portable {
        Portable::make(|lane| if self.0[lane].count_ones() <= 1 { self.0[lane] } else { 0 })
    }
    #[inline(always)]
    fn where_three(self) -> Portable {
        Portable::make(|lane| if self.0[lane].count_ones() <= 3 { self.0[lane] } else { 0 })
    }
    #[inline(always)]
    fn keep_three(self, only: Portable) -> Portable {
        Portable::make(|lane| match only.0[lane].count_ones() {
            3.. => self.0[lane] & only.0[lane],
            _ => self.0[lane],
        })
    }
    #[inline(always)]
    fn has_few(self) -> bool {
        self.0.iter().any(|lane| lane.count_ones() < 3)
    }
    #[inline(always)]
    fn has_many(self) -> bool {
        self.0.iter().any(|lane| lane.count_ones() > 3)
    }
    #[inline(always)]
    fn has_several(three: [Portable; 3]) -> bool {
        three.iter().flat_map(|lanes| &lanes.0).any(|lane| lane.count_ones() > 1)
    }
    #[inline(always)]
    fn prefer(self, bits: Portable) -> Portable {
        Portable::make(|lane| match self.0[lane] & bits.0[lane] {
            0 => self.0[lane],
            preferred => preferred,
        })
    }
    #[inline(always)]
    fn turn<const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            self.0[join(b, s, i + N)]
        })
    }
    #[inline(always)]
    fn spread<const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, _) = split(lane);
            self.0[join(b, s, N)]
        })
    }
    #[inline(always)]
    fn pick(operands: [Portable; 3]) -> Portable {
        Portable::make(|lane| operands[lane % 3].0[lane])
    }
    #[inline(always)]
    fn all_bands() -> [u16; 18] {
        [0x1FF; 18]
    }
    #[inline(always)]
    fn all_stacks() -> [u16; 18] {
        [0x1FF; 18]
    }
    #[inline(always)]
    fn narrow_bands(ways: &mut [u16; 18], rows: Portable) -> Portable {
        for (at, way) in ways.iter_mut().enumerate() {
            let [first, second, third] = [0, 1, 2].map(|box_| rows.0[place_in_band(at, box_)]);
            *way &= first & second & third;
        }
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            let (even, odd) = ways_through(i, s);
            ways[6 * b + even] | ways[6 * b + odd]
        })
    }
    #[inline(always)]
    fn narrow_stacks(ways: &mut [u16; 18], columns: Portable) -> Portable {
        for (at, way) in ways.iter_mut().enumerate() {
            let [first, second, third] = [0, 1, 2].map(|box_| columns.0[place_in_stack(at, box_)]);
            *way &= first & second & third;
        }
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            let (even, odd) = ways_through(i, b);
            ways[6 * s + even] | ways[6 * s + odd]
        })
    }
    #[inline(always)]
    fn ways_of_bands(ways: &[u16; 18]) -> [u128; 3] {
        let six =
            |chute: usize| (0..6).fold(0, |six, way| six | u128::from(ways[6 * chute + way]) << (16 * way));
        [six(0), six(1), six(2)]
    }
    #[inline(always)]
    fn ways_of_stacks(ways: &[u16; 18]) -> [u128; 3] {
        Portable::ways_of_bands(ways)
    }
    #[inline(always)]
    fn follow_band(ways: &mut [u16; 18], band: usize, way: usize, digits: u16, is_taken: bool) {
        for other in 0..6 {
            if (other != way) == is_taken {
                ways[6 * band + other] &= !digits;
            }
        }
    }
    #[inline(always)]
    fn follow_stack(ways: &mut [u16; 18], stack: usize, way: usize, digits: u16, is_taken: bool) {
        Portable::follow_band(ways, stack, way, digits, is_taken);
    }
}
