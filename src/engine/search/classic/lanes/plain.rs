//! Lanes as plain arrays, one number a lane and one a way: the twin of all other lanes, whose every operation is
//! compared with it here.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};
use super::{Instructions, Lanes, Portable, Task, join, place_in_band, place_in_stack, split, ways_through};

/// Plain arrays.
#[derive(Clone, Copy)]
pub struct Plain([u16; 27]);

impl Plain {
    #[inline(always)]
    fn make(f: impl Fn(usize) -> u16) -> Plain {
        Plain(std::array::from_fn(f))
    }
}

impl Lanes for Plain {
    type Bands = [u16; 18];
    type Stacks = [u16; 18];
    const IN_TURN: bool = true;
    fn call<T: Task<Plain>>(task: T) -> T::Output {
        task.run()
    }
    #[inline(always)]
    fn new(lanes: &[u16; 27]) -> Plain {
        Plain(*lanes)
    }
    #[inline(always)]
    fn lanes(self) -> [u16; 27] {
        self.0
    }
    #[inline(always)]
    fn all(bits: u16) -> Plain {
        Plain([bits; 27])
    }
    #[inline(always)]
    fn and(self, other: Plain) -> Plain {
        Plain::make(|lane| self.0[lane] & other.0[lane])
    }
    #[inline(always)]
    fn or(self, other: Plain) -> Plain {
        Plain::make(|lane| self.0[lane] | other.0[lane])
    }
    #[inline(always)]
    fn and_not(self, other: Plain) -> Plain {
        Plain::make(|lane| self.0[lane] & !other.0[lane])
    }
    #[inline(always)]
    fn same(self, other: Plain) -> bool {
        self.0 == other.0
    }
    #[inline(always)]
    fn same_all(one: [Plain; 3], other: [Plain; 3]) -> bool {
        one[0].same(other[0]) && one[1].same(other[1]) && one[2].same(other[2])
    }
    #[inline(always)]
    fn has_empty(three: [Plain; 3]) -> bool {
        three.iter().any(|lanes| lanes.0.contains(&0))
    }
    #[inline(always)]
    fn where_single(self) -> Plain {
        Plain::make(|lane| if self.0[lane].count_ones() <= 1 { self.0[lane] } else { 0 })
    }
    #[inline(always)]
    fn where_three(self) -> Plain {
        Plain::make(|lane| if self.0[lane].count_ones() <= 3 { self.0[lane] } else { 0 })
    }
    #[inline(always)]
    fn keep_three(self, only: Plain) -> Plain {
        Plain::make(|lane| match only.0[lane].count_ones() {
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
    fn has_several(three: [Plain; 3]) -> bool {
        three.iter().flat_map(|lanes| &lanes.0).any(|lane| lane.count_ones() > 1)
    }
    #[inline(always)]
    fn prefer(self, bits: Plain) -> Plain {
        Plain::make(|lane| match self.0[lane] & bits.0[lane] {
            0 => self.0[lane],
            preferred => preferred,
        })
    }
    #[inline(always)]
    fn turn<const N: usize>(self) -> Plain {
        Plain::make(|lane| {
            let (b, s, i) = split(lane);
            self.0[join(b, s, i + N)]
        })
    }
    #[inline(always)]
    fn spread<const N: usize>(self) -> Plain {
        Plain::make(|lane| {
            let (b, s, _) = split(lane);
            self.0[join(b, s, N)]
        })
    }
    #[inline(always)]
    fn pick(operands: [Plain; 3]) -> Plain {
        Plain::make(|lane| operands[lane % 3].0[lane])
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
    fn narrow_bands(ways: &mut [u16; 18], rows: Plain) -> Plain {
        for (at, way) in ways.iter_mut().enumerate() {
            let [first, second, third] = [0, 1, 2].map(|box_| rows.0[place_in_band(at, box_)]);
            *way &= first & second & third;
        }
        Plain::make(|lane| {
            let (b, s, i) = split(lane);
            let (even, odd) = ways_through(i, s);
            ways[6 * b + even] | ways[6 * b + odd]
        })
    }
    #[inline(always)]
    fn narrow_stacks(ways: &mut [u16; 18], columns: Plain) -> Plain {
        for (at, way) in ways.iter_mut().enumerate() {
            let [first, second, third] = [0, 1, 2].map(|box_| columns.0[place_in_stack(at, box_)]);
            *way &= first & second & third;
        }
        Plain::make(|lane| {
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
        Plain::ways_of_bands(ways)
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
        Plain::follow_band(ways, stack, way, digits, is_taken);
    }
}

/// A small generator of numbers, the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Lanes with about as many bits as cells have in a search: none, few or many.
    fn lanes(&mut self) -> [u16; 27] {
        let density = self.next() % 4;
        std::array::from_fn(|_| {
            let bits = (0..density).fold(self.next(), |bits, _| bits & self.next());
            match self.next() % 16 {
                0 => 0,
                1 => 1 << (bits % 9),
                _ => (bits & 0x1FF) as u16,
            }
        })
    }
}

/// Every operation on many lanes, compared with plain arrays.
struct Compare;

impl<L: Lanes> Task<L> for Compare {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut numbers = Numbers(7);
        for _ in 0..2_000 {
            let arrays = [numbers.lanes(), numbers.lanes(), numbers.lanes()];
            compare(arrays.map(|lanes| L::new(&lanes)), arrays.map(Plain));
        }
        let (mut bands, mut plain_bands) = (L::all_bands(), Plain::all_bands());
        let (mut stacks, mut plain_stacks) = (L::all_stacks(), Plain::all_stacks());
        for turn in 0..5_000 {
            if turn % 50 == 0 {
                (bands, plain_bands) = (L::all_bands(), Plain::all_bands());
                (stacks, plain_stacks) = (L::all_stacks(), Plain::all_stacks());
            }
            let mut branch = || {
                let (chute, way) = (numbers.next() as usize % 3, numbers.next() as usize % 6);
                (chute, way, 1 << (numbers.next() % 9), numbers.next().is_multiple_of(8))
            };
            let (band, way, digits, is_taken) = branch();
            L::follow_band(&mut bands, band, way, digits, is_taken);
            Plain::follow_band(&mut plain_bands, band, way, digits, is_taken);
            let (stack, way, digits, is_taken) = branch();
            L::follow_stack(&mut stacks, stack, way, digits, is_taken);
            Plain::follow_stack(&mut plain_stacks, stack, way, digits, is_taken);
            // Mostly full, so that ways are left.
            let lanes =
                numbers.lanes().map(|bits| 0x1FF & !(bits & numbers.next() as u16 & numbers.next() as u16));
            let left = L::narrow_bands(&mut bands, L::new(&lanes));
            assert_eq!(left.lanes(), Plain::narrow_bands(&mut plain_bands, Plain(lanes)).0);
            let left = L::narrow_stacks(&mut stacks, L::new(&lanes));
            assert_eq!(left.lanes(), Plain::narrow_stacks(&mut plain_stacks, Plain(lanes)).0);
            assert_eq!(L::ways_of_bands(&bands), Plain::ways_of_bands(&plain_bands));
            assert_eq!(L::ways_of_stacks(&stacks), Plain::ways_of_stacks(&plain_stacks));
        }
    }
}

#[inline(always)]
fn compare<L: Lanes>(lanes: [L; 3], plain: [Plain; 3]) {
    let ([x, y, z], [a, b, _]) = (lanes, plain);
    let same = |one: L, other: Plain| assert_eq!(one.lanes(), other.0, "{:?}", plain.map(|lanes| lanes.0));
    same(x, a);
    same(L::all(0x155), Plain::all(0x155));
    same(x.and(y), a.and(b));
    same(x.or(y), a.or(b));
    same(x.and_not(y), a.and_not(b));
    same(x.where_single(), a.where_single());
    same(x.where_three(), a.where_three());
    same(x.keep_three(y), a.keep_three(b));
    same(x.prefer(y), a.prefer(b));
    same(x.turn::<1>(), a.turn::<1>());
    same(x.turn::<2>(), a.turn::<2>());
    same(x.spread::<0>(), a.spread::<0>());
    same(x.spread::<1>(), a.spread::<1>());
    same(x.spread::<2>(), a.spread::<2>());
    same(L::pick(lanes), Plain::pick(plain));
    assert_eq!((x.same(y), x.same(x)), (a.same(b), true));
    assert_eq!(
        (L::same_all(lanes, [x, y, y]), L::same_all(lanes, lanes)),
        (Plain::same_all(plain, [a, b, b]), true)
    );
    let full = [x.or(L::all(1)), y.or(L::all(8)), z.or(L::all(0x100))];
    assert_eq!((L::has_empty(lanes), L::has_empty(full)), (Plain::has_empty(plain), false));
    assert_eq!((x.has_few(), x.or(L::all(0x111)).has_few()), (a.has_few(), false));
    assert_eq!((x.has_many(), x.where_three().has_many()), (a.has_many(), false));
    let single = [x.where_single(), y.where_single(), L::all(0)];
    assert_eq!((L::has_several(lanes), L::has_several(single)), (Plain::has_several(plain), false));
}

#[test]
fn lanes_do_what_plain_arrays_do() {
    Plain::call(Compare);
    Portable::call(Compare);
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx2.is_available() {
        Avx2::call(Compare);
    }
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx512.is_available() {
        Avx512::call(Compare);
    }
}

/// Boards read from text are those of their candidates.
#[test]
fn text_is_read_as_candidates() {
    let text: [u8; 81] =
        *b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let expected = Plain::read(&text).map(|lanes| lanes.0);
    assert_eq!(Portable::read(&text).map(Portable::lanes), expected);
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx512.is_available() {
        assert_eq!(Avx512::call(Read(text)), expected);
    }
    #[cfg(target_arch = "x86_64")]
    if Instructions::Avx2.is_available() {
        assert_eq!(Avx2::call(Read(text)), expected);
    }
}

struct Read([u8; 81]);

impl<L: Lanes> Task<L> for Read {
    type Output = [[u16; 27]; 3];

    #[inline(always)]
    fn run(self) -> [[u16; 27]; 3] {
        L::read(&self.0).map(L::lanes)
    }
}
