//! Lanes on AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Instructions, Lanes, Task, split};

/// AVX2: three registers, one a band, of four quads: the boxes of the band and one unused; the fourth lane of a
/// quad is unused too (0 throughout). Of the ways of a band, the even ones are in one quad and the odd ones in another,
/// a register of two a band; of the stacks, the even ones are in one register, a quad a stack, the odd ones in
/// another. To be used only inside a function compiled for AVX2.
#[derive(Clone, Copy)]
pub struct Avx2([__m256i; 3]);

/// The bytes of a shuffle of lanes, which works within halves of eight: for each lane the one of its half that it
/// comes from, or `NONE`.
macro_rules! shuffle {
    ($lanes:literal, |$lane:ident| $from:expr) => {
        const {
            let mut bytes = [0x80; 2 * $lanes];
            let mut $lane = 0;
            while $lane < $lanes {
                let from: usize = $from;
                if from < 8 {
                    bytes[2 * $lane] = 2 * from as u8;
                    bytes[2 * $lane + 1] = 2 * from as u8 + 1;
                }
                $lane += 1;
            }
            bytes
        }
    };
}

/// No lane: 0.
const NONE: usize = 8;

/// Lane `index % 3` of the first or second quad (`quad % 2`) of a half, for a lane that is in use.
const fn in_quad(lane: usize, quad: usize, index: usize) -> usize {
    if lane % 4 < 3 { 4 * (quad % 2) + index % 3 } else { NONE }
}

/// The shuffle by which lane `index` of quad `stack` comes from a lane of the same quad, modulo 3.
macro_rules! quad_mask {
    (|$s:ident, $i:ident| $from:expr) => {
        shuffle!(16, |lane| {
            let ($s, $i) = (lane / 4, lane % 4);
            if $s < 3 { in_quad(lane, $s, $from) } else { NONE }
        })
    };
}

/// All ones in the lanes for which the condition holds, of those in use.
macro_rules! quad_lanes {
    (|$s:ident, $i:ident| $condition:expr) => {
        const {
            let mut bytes = [0; 32];
            let mut lane = 0;
            while lane < 12 {
                let ($s, $i) = (lane / 4, lane % 4);
                if $i < 3 && $condition {
                    bytes[2 * lane] = 0xFF;
                    bytes[2 * lane + 1] = 0xFF;
                }
                lane += 1;
            }
            bytes
        }
    };
}

/// The lanes in use.
const IN_USE: [u8; 32] = quad_lanes!(|_s, _i| true);

/// The lanes of each stack, and of the ways 0, 1 and 2 of every stack.
const OF_STACK: [[u8; 32]; 3] =
    [quad_lanes!(|s, _i| s == 0), quad_lanes!(|s, _i| s == 1), quad_lanes!(|s, _i| s == 2)];
const OF_WAY: [[u8; 32]; 3] =
    [quad_lanes!(|_s, i| i == 0), quad_lanes!(|_s, i| i == 1), quad_lanes!(|_s, i| i == 2)];

#[inline(always)]
const fn wide(bytes: [u8; 32]) -> __m256i {
    // SAFETY: both are 32 plain bytes.
    unsafe { std::mem::transmute::<[u8; 32], __m256i>(bytes) }
}

/// One expression of each of the three registers.
macro_rules! three {
    (|$k:ident| $e:expr) => {{
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            Avx2([
                {
                    const $k: usize = 0;
                    $e
                },
                {
                    const $k: usize = 1;
                    $e
                },
                {
                    const $k: usize = 2;
                    $e
                },
            ])
        }
    }};
}

impl Avx2 {
    /// The lowest bit of each lane taken away.
    #[inline(always)]
    fn without_lowest(self) -> Avx2 {
        three!(|K| _mm256_and_si256(self.0[K], _mm256_add_epi16(self.0[K], _mm256_set1_epi16(-1))))
    }

    /// All ones in the lanes that are 0.
    #[inline(always)]
    fn zeros(self) -> Avx2 {
        three!(|K| _mm256_cmpeq_epi16(self.0[K], _mm256_setzero_si256()))
    }

    #[inline(always)]
    fn shuffle(self, mask: [u8; 32]) -> Avx2 {
        three!(|K| _mm256_shuffle_epi8(self.0[K], wide(mask)))
    }

    /// Lane (b, s, i) from (b, s, i + b·`N`).
    #[inline(always)]
    fn skew_by_band<const N: usize>(self) -> Avx2 {
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let second = _mm256_shuffle_epi8(self.0[1], wide(quad_mask!(|_s, i| i + N)));
            let third = _mm256_shuffle_epi8(self.0[2], wide(quad_mask!(|_s, i| i + 2 * N)));
            Avx2([self.0[0], second, third])
        }
    }
}

/// The digits of the even and the odd ways of a band, from the rows of its boxes.
#[inline(always)]
fn through_band(rows: __m256i) -> __m128i {
    // SAFETY: the caller is compiled for the feature.
    unsafe {
        // Even and odd ways by box 0 and, in the upper half, by box 2; then by box 1.
        let outer = shuffle!(16, |lane| {
            let stack = lane / 8 * 2;
            in_quad(lane, 0, lane % 4 + stack * (1 + lane / 4 % 2))
        });
        let middle =
            shuffle!(16, |lane| if lane < 8 { in_quad(lane, 1, lane % 4 + 1 + lane / 4) } else { NONE });
        let outer = _mm256_shuffle_epi8(rows, wide(outer));
        let middle = _mm256_castsi256_si128(_mm256_shuffle_epi8(rows, wide(middle)));
        let first = _mm_and_si128(_mm256_castsi256_si128(outer), middle);
        _mm_and_si128(first, _mm256_extracti128_si256::<1>(outer))
    }
}

/// The digits that the ways of a band leave the rows of its boxes.
#[inline(always)]
fn rows_of_band(ways: __m128i) -> __m256i {
    // SAFETY: the caller is compiled for the feature.
    unsafe {
        let both = _mm256_broadcastsi128_si256(ways);
        let even =
            shuffle!(16, |lane| if lane < 12 { in_quad(lane, 0, lane % 4 + 2 * (lane / 4)) } else { NONE });
        let odd = shuffle!(16, |lane| if lane < 12 { in_quad(lane, 1, lane % 4 + lane / 4) } else { NONE });
        _mm256_or_si256(_mm256_shuffle_epi8(both, wide(even)), _mm256_shuffle_epi8(both, wide(odd)))
    }
}

/// The six ways of a chute as one number, from the quads of even and of odd ones.
#[inline(always)]
fn six(even: u64, odd: u64) -> u128 {
    u128::from(even) | u128::from(odd) << 48
}

impl Lanes for Avx2 {
    type Bands = [__m128i; 3];
    type Stacks = [__m256i; 2];
    const IN_TURN: bool = true;
    fn call<T: Task<Avx2>>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,popcnt")]
        fn compiled<T: Task<Avx2>>(task: T) -> T::Output {
            task.run()
        }
        assert!(Instructions::Avx2.is_available(), "the processor has not got {:?}", Instructions::Avx2);
        // SAFETY: they were just found.
        unsafe { compiled(task) }
    }
    #[inline(always)]
    fn new(lanes: &[u16; 27]) -> Avx2 {
        let mut quads = [[0u16; 16]; 3];
        for (lane, &bits) in lanes.iter().enumerate() {
            let (band, stack, index) = split(lane);
            quads[band][4 * stack + index] = bits;
        }
        // SAFETY: all are 32 plain bytes.
        three!(|K| std::mem::transmute::<[u16; 16], __m256i>(quads[K]))
    }
    #[inline(always)]
    fn lanes(self) -> [u16; 27] {
        // SAFETY: both are 96 plain bytes.
        let quads = unsafe { std::mem::transmute::<[__m256i; 3], [[u16; 16]; 3]>(self.0) };
        let mut lanes = [0; 27];
        for (lane, bits) in lanes.iter_mut().enumerate() {
            let (band, stack, index) = split(lane);
            *bits = quads[band][4 * stack + index];
        }
        lanes
    }
    #[inline(always)]
    fn all(bits: u16) -> Avx2 {
        three!(|K| {
            let _ = K;
            _mm256_and_si256(_mm256_set1_epi16(bits as i16), wide(IN_USE))
        })
    }
    #[inline(always)]
    fn and(self, other: Avx2) -> Avx2 {
        three!(|K| _mm256_and_si256(self.0[K], other.0[K]))
    }
    #[inline(always)]
    fn or(self, other: Avx2) -> Avx2 {
        three!(|K| _mm256_or_si256(self.0[K], other.0[K]))
    }
    #[inline(always)]
    fn and_not(self, other: Avx2) -> Avx2 {
        three!(|K| _mm256_andnot_si256(other.0[K], self.0[K]))
    }
    #[inline(always)]
    fn same(self, other: Avx2) -> bool {
        let differ = three!(|K| _mm256_xor_si256(self.0[K], other.0[K]));
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let any = _mm256_or_si256(_mm256_or_si256(differ.0[0], differ.0[1]), differ.0[2]);
            _mm256_testz_si256(any, any) != 0
        }
    }
    #[inline(always)]
    fn same_all(one: [Avx2; 3], other: [Avx2; 3]) -> bool {
        let differ = three!(|K| {
            let first = _mm256_xor_si256(one[0].0[K], other[0].0[K]);
            let second = _mm256_xor_si256(one[1].0[K], other[1].0[K]);
            let third = _mm256_xor_si256(one[2].0[K], other[2].0[K]);
            _mm256_or_si256(_mm256_or_si256(first, second), third)
        });
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let any = _mm256_or_si256(_mm256_or_si256(differ.0[0], differ.0[1]), differ.0[2]);
            _mm256_testz_si256(any, any) != 0
        }
    }
    #[inline(always)]
    fn has_empty(three: [Avx2; 3]) -> bool {
        let least =
            three!(|K| _mm256_min_epu16(_mm256_min_epu16(three[0].0[K], three[1].0[K]), three[2].0[K]));
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let least = _mm256_min_epu16(_mm256_min_epu16(least.0[0], least.0[1]), least.0[2]);
            _mm256_testz_si256(_mm256_cmpeq_epi16(least, _mm256_setzero_si256()), wide(IN_USE)) == 0
        }
    }
    #[inline(always)]
    fn where_single(self) -> Avx2 {
        self.and(self.without_lowest().zeros())
    }
    #[inline(always)]
    fn where_three(self) -> Avx2 {
        self.and(self.without_lowest().without_lowest().without_lowest().zeros())
    }
    #[inline(always)]
    fn keep_three(self, only: Avx2) -> Avx2 {
        let is_fewer = only.without_lowest().without_lowest().zeros();
        self.and(only.or(is_fewer))
    }
    #[inline(always)]
    fn has_few(self) -> bool {
        let rest = self.without_lowest().without_lowest();
        Avx2::has_empty([rest; 3])
    }
    #[inline(always)]
    fn has_many(self) -> bool {
        !self.without_lowest().without_lowest().without_lowest().same(Avx2::all(0))
    }
    #[inline(always)]
    fn has_several(three: [Avx2; 3]) -> bool {
        let [first, second, third] = three;
        !first.without_lowest().or(second.without_lowest()).or(third.without_lowest()).same(Avx2::all(0))
    }
    #[inline(always)]
    fn prefer(self, bits: Avx2) -> Avx2 {
        let preferred = self.and(bits);
        let is_none = preferred.zeros();
        three!(|K| _mm256_blendv_epi8(preferred.0[K], self.0[K], is_none.0[K]))
    }
    #[inline(always)]
    fn turn<const N: usize>(self) -> Avx2 {
        self.shuffle(quad_mask!(|_s, i| i + N))
    }
    #[inline(always)]
    fn spread<const N: usize>(self) -> Avx2 {
        self.shuffle(quad_mask!(|_s, _i| N))
    }
    #[inline(always)]
    fn pick(operands: [Avx2; 3]) -> Avx2 {
        three!(|K| {
            let one = _mm256_blend_epi16::<0b0010_0010>(operands[0].0[K], operands[1].0[K]);
            _mm256_blend_epi16::<0b0100_0100>(one, operands[2].0[K])
        })
    }
    #[inline(always)]
    fn all_bands() -> [__m128i; 3] {
        // SAFETY: the caller is compiled for the feature.
        [unsafe { _mm256_castsi256_si128(Avx2::all(0x1FF).0[0]) }; 3]
    }
    #[inline(always)]
    fn all_stacks() -> [__m256i; 2] {
        [Avx2::all(0x1FF).0[0]; 2]
    }
    #[inline(always)]
    fn narrow_bands(ways: &mut [__m128i; 3], rows: Avx2) -> Avx2 {
        three!(|K| {
            ways[K] = _mm_and_si128(ways[K], through_band(rows.0[K]));
            rows_of_band(ways[K])
        })
    }
    #[inline(always)]
    fn narrow_stacks(ways: &mut [__m256i; 2], columns: Avx2) -> Avx2 {
        let [even, odd] = [columns.skew_by_band::<1>(), columns.skew_by_band::<2>()];
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let even = _mm256_and_si256(_mm256_and_si256(even.0[0], even.0[1]), even.0[2]);
            let odd = _mm256_and_si256(_mm256_and_si256(odd.0[0], odd.0[1]), odd.0[2]);
            *ways = [_mm256_and_si256(ways[0], even), _mm256_and_si256(ways[1], odd)];
        }
        Avx2([ways[0]; 3]).skew_by_band::<2>().or(Avx2([ways[1]; 3]).skew_by_band::<1>())
    }
    #[inline(always)]
    fn ways_of_bands(ways: &[__m128i; 3]) -> [u128; 3] {
        // SAFETY: both are 48 plain bytes.
        let [first, second, third] = unsafe { std::mem::transmute::<[__m128i; 3], [[u64; 2]; 3]>(*ways) };
        [six(first[0], first[1]), six(second[0], second[1]), six(third[0], third[1])]
    }
    #[inline(always)]
    fn ways_of_stacks(ways: &[__m256i; 2]) -> [u128; 3] {
        // SAFETY: both are 64 plain bytes.
        let [even, odd] = unsafe { std::mem::transmute::<[__m256i; 2], [[u64; 4]; 2]>(*ways) };
        [six(even[0], odd[0]), six(even[1], odd[1]), six(even[2], odd[2])]
    }
    #[inline(always)]
    fn follow_band(ways: &mut [__m128i; 3], band: usize, way: usize, digits: u16, is_taken: bool) {
        let mut lanes = [if is_taken { digits } else { 0 }; 8];
        lanes[4 * (way / 3) + way % 3] = if is_taken { 0 } else { digits };
        // SAFETY: both are 16 plain bytes; the caller is compiled for the feature.
        unsafe {
            let gone = std::mem::transmute::<[u16; 8], __m128i>(lanes);
            ways[band] = _mm_andnot_si128(gone, ways[band]);
        }
    }
    #[inline(always)]
    fn follow_stack(ways: &mut [__m256i; 2], stack: usize, way: usize, digits: u16, is_taken: bool) {
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let digits = _mm256_and_si256(_mm256_set1_epi16(digits as i16), wide(OF_STACK[stack]));
            let own = _mm256_and_si256(digits, wide(OF_WAY[way % 3]));
            let none = _mm256_setzero_si256();
            let (same, other) =
                if is_taken { (_mm256_andnot_si256(own, digits), digits) } else { (own, none) };
            let [even, odd] = if way < 3 { [same, other] } else { [other, same] };
            *ways = [_mm256_andnot_si256(even, ways[0]), _mm256_andnot_si256(odd, ways[1])];
        }
    }
}
