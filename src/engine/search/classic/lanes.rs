//! The 27 lanes on which the classic search works: the portable twin, AVX2 and AVX-512, chosen at run time.
//!
//! The only file with `unsafe`, all of it of one kind: calling what is compiled for features that were found on
//! this processor ([`Lanes::call`] looks; every method here is inlined into a function compiled for them), and
//! reinterpreting plain bytes. Nothing here touches memory through a pointer.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Which instructions a search uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Instructions {
    /// Those of any processor.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX-512 with VL, BW, BITALG and VBMI.
    Avx512,
}

impl Instructions {
    /// All, the best last.
    pub const ALL: [Instructions; 3] = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];

    /// The word for them.
    pub const fn word(self) -> &'static str {
        match self {
            Instructions::Portable => "portable",
            Instructions::Avx2 => "avx2",
            Instructions::Avx512 => "avx512",
        }
    }

    /// Whether this processor has them.
    pub fn is_available(self) -> bool {
        match self {
            Instructions::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => {
                Instructions::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vbmi")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Instructions::Avx2 | Instructions::Avx512 => false,
        }
    }

    /// The best that this processor has.
    pub fn best() -> Instructions {
        let mut available = Instructions::ALL.into_iter().filter(|instructions| instructions.is_available());
        available.next_back().unwrap_or(Instructions::Portable)
    }
}

/// Work to be compiled for each kind of lanes. `run` and all that it calls must be `#[inline(always)]`.
pub trait Task<L> {
    /// What comes out.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Lanes of nine bits (a digit set each), one for each (band, stack, index), all three 0 to 2: of one row of every
/// box, the cells; of every box, the rows or the columns.
pub trait Lanes: Copy {
    /// The ways of three chutes, six each: a digit set for each way, of the digits that may still go that way. In
    /// the even way `w` of a band, a digit is in row `w + stack` of each box, in the odd way in row `w − stack`
    /// (modulo 3); in a stack, in column `w ± band`.
    type Ways: Copy;
    /// Does a task with the instructions that these lanes need. Panics where the processor has not got them.
    fn call<T: Task<Self>>(task: T) -> T::Output;
    /// From lane (band, stack, index) at `9 * band + 3 * stack + index`.
    fn new(lanes: &[u16; 27]) -> Self;
    /// The reverse of [`new`](Self::new).
    fn lanes(self) -> [u16; 27];
    /// The cells of 81 characters, register `r` with row `r` of every box; what is not `1` to `9` is any digit.
    #[inline(always)]
    fn read(text: &[u8; 81]) -> [Self; 3] {
        let mut rows = [[0; 27]; 3];
        for (cell, &byte) in text.iter().enumerate() {
            let digit = byte.wrapping_sub(b'1');
            rows[cell / 9 % 3][9 * (cell / 27) + cell % 9] = if digit < 9 { 1 << digit } else { 0x1FF };
        }
        [Self::new(&rows[0]), Self::new(&rows[1]), Self::new(&rows[2])]
    }
    /// The same in every lane.
    fn all(bits: u16) -> Self;
    /// `self & other`.
    fn and(self, other: Self) -> Self;
    /// `self | other`.
    fn or(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    /// Whether all lanes are the same.
    fn same(self, other: Self) -> bool;
    /// Whether all lanes of all three are the same.
    fn same_all(one: [Self; 3], other: [Self; 3]) -> bool;
    /// Whether some lane of the three is 0.
    fn has_empty(three: [Self; 3]) -> bool;
    /// `self` in the lanes where it has at most one bit, 0 in the others.
    fn where_single(self) -> Self;
    /// `self` in the lanes where it has at most three bits, 0 in the others.
    fn where_three(self) -> Self;
    /// `self` in the lanes where it has at least three bits, and `other` in the others.
    fn if_three(self, other: Self) -> Self;
    /// `self & bits` in the lanes where that is not 0, and `self` in the others.
    fn prefer(self, bits: Self) -> Self;
    /// Lane (b, s, i) from (b, s, i + `N`).
    fn turn<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, `N`).
    fn spread<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, i) of operand i.
    fn pick(operands: [Self; 3]) -> Self;
    /// Every way for every digit.
    fn all_ways() -> Self::Ways;
    /// Narrows the ways of the bands by the digits of the rows of boxes; returns the digits that they leave them.
    fn narrow_bands(ways: &mut Self::Ways, rows: Self) -> Self;
    /// Narrows the ways of the stacks by the digits of the columns of boxes; returns the digits they leave them.
    fn narrow_stacks(ways: &mut Self::Ways, columns: Self) -> Self;
    /// The six ways of each band, 16 bits each, even ways lowest.
    fn ways_of_bands(ways: &Self::Ways) -> [u128; 3];
    /// The six ways of each stack, 16 bits each, even ways lowest.
    fn ways_of_stacks(ways: &Self::Ways) -> [u128; 3];
    /// Leaves these digits only this way through a band, or takes it from them.
    fn follow_band(ways: &mut Self::Ways, band: usize, way: usize, digits: u16, is_taken: bool);
    /// Leaves these digits only this way through a stack, or takes it from them.
    fn follow_stack(ways: &mut Self::Ways, stack: usize, way: usize, digits: u16, is_taken: bool);
}

/// Plain arrays: the twin with which the others are compared, and what other processors run.
#[derive(Clone, Copy)]
pub struct Portable([u16; 27]);

const fn split(lane: usize) -> (usize, usize, usize) {
    (lane / 9, lane / 3 % 3, lane % 3)
}

const fn join(band: usize, stack: usize, index: usize) -> usize {
    band % 3 * 9 + stack % 3 * 3 + index % 3
}

impl Portable {
    #[inline(always)]
    fn make(f: impl Fn(usize) -> u16) -> Portable {
        Portable(std::array::from_fn(f))
    }
}

impl Lanes for Portable {
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
    fn if_three(self, other: Portable) -> Portable {
        Portable::make(|lane| if self.0[lane].count_ones() >= 3 { self.0[lane] } else { other.0[lane] })
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
    type Ways = [u16; 18];
    #[inline(always)]
    fn all_ways() -> [u16; 18] {
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

/// Of the way at `6 * band + way`, the lane of the row that it takes in the box of this stack.
const fn place_in_band(at: usize, stack: usize) -> usize {
    let (band, way) = (at / 6, at % 6);
    join(band, stack, if way < 3 { way + stack } else { way + 2 * stack })
}

/// Of the way at `6 * stack + way`, the lane of the column that it takes in the box of this band.
const fn place_in_stack(at: usize, band: usize) -> usize {
    let (stack, way) = (at / 6, at % 6);
    join(band, stack, if way < 3 { way + band } else { way + 2 * band })
}

/// The even and the odd way that take this line of box number `box_` of a chute.
const fn ways_through(line: usize, box_: usize) -> (usize, usize) {
    ((line + 2 * box_) % 3, 3 + (line + box_) % 3)
}

/// AVX-512 with VL, BW, BITALG and VBMI: one register, lane for lane, five lanes unused (0 throughout). Ways are one
/// register too, way `w` of chute `c` in lane `6 * c + w`. To be used only inside a function compiled for them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx512(__m512i);

/// The 27 lanes in use.
#[cfg(target_arch = "x86_64")]
const USED: u32 = (1 << 27) - 1;

/// The byte index of a permutation of lanes: of lane `at`, the lane it comes from, 31 (which is 0) where not used.
#[cfg(target_arch = "x86_64")]
macro_rules! byte_index {
    ($lanes:expr, |$at:ident| $from:expr) => {
        const {
            let mut bytes = [62; 64];
            let mut $at = 0;
            while $at < $lanes {
                bytes[2 * $at] = 2 * $from as u8;
                bytes[2 * $at + 1] = 2 * $from as u8 + 1;
                $at += 1;
            }
            bytes
        }
    };
}

/// The lanes of this index.
#[cfg(target_arch = "x86_64")]
const fn lanes_of_index(index: usize) -> u32 {
    (0o111_111_111 << index) & USED
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    #[inline(always)]
    fn permute(self, bytes: [u8; 64]) -> Avx512 {
        // SAFETY: the caller is compiled for the features; both are 64 plain bytes.
        Avx512(unsafe { _mm512_permutexvar_epi8(std::mem::transmute::<[u8; 64], __m512i>(bytes), self.0) })
    }

    /// `self` in the lanes of the mask, 0 in the others.
    #[inline(always)]
    fn masked(self, mask: u32) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_maskz_mov_epi16(mask, self.0) })
    }

    #[inline(always)]
    fn sixes(self) -> [u128; 3] {
        // SAFETY: both are 64 plain bytes.
        let bytes = unsafe { std::mem::transmute::<__m512i, [u8; 64]>(self.0) };
        let six = |from: usize| {
            let bytes: [u8; 16] = bytes[from..from + 16].try_into().expect("sixteen bytes");
            u128::from_le_bytes(bytes) & ((1 << 96) - 1)
        };
        [six(0), six(12), six(24)]
    }

    #[inline(always)]
    fn follow(ways: &mut Avx512, chute: usize, way: usize, digits: u16, is_taken: bool) {
        let (whole, own) = (0x3F << (6 * chute), 1 << (6 * chute + way));
        let gone = if is_taken { whole & !own } else { own };
        // SAFETY: the caller is compiled for the features.
        *ways = unsafe { ways.and_not(Avx512(_mm512_maskz_set1_epi16(gone, digits as i16))) };
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx512 {
    fn call<T: Task<Avx512>>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,popcnt,avx512f,avx512vl,avx512bw,avx512bitalg,avx512vbmi")]
        fn compiled<T: Task<Avx512>>(task: T) -> T::Output {
            task.run()
        }
        assert!(Instructions::Avx512.is_available(), "the processor has not got {:?}", Instructions::Avx512);
        // SAFETY: they were just found.
        unsafe { compiled(task) }
    }
    #[inline(always)]
    fn new(lanes: &[u16; 27]) -> Avx512 {
        let mut all = [0u16; 32];
        all[..27].copy_from_slice(lanes);
        // SAFETY: both are 64 plain bytes.
        Avx512(unsafe { std::mem::transmute::<[u16; 32], __m512i>(all) })
    }
    #[inline(always)]
    fn lanes(self) -> [u16; 27] {
        // SAFETY: both are 64 plain bytes.
        let all = unsafe { std::mem::transmute::<__m512i, [u16; 32]>(self.0) };
        all[..27].try_into().expect("27 lanes")
    }
    #[inline(always)]
    fn read(text: &[u8; 81]) -> [Avx512; 3] {
        let first: [u8; 64] = text[..64].try_into().expect("64 bytes");
        let last: [u8; 64] = text[17..].try_into().expect("64 bytes");
        // Byte 64 and on of the text is byte 47 and on of the second register.
        macro_rules! row {
            ($row:expr) => {{
                let index = const {
                    let mut bytes = [0u8; 64];
                    let mut lane = 0;
                    while lane < 27 {
                        let cell = 27 * (lane / 9) + 9 * $row + lane % 9;
                        bytes[lane] = if cell < 64 { cell as u8 } else { 64 + cell as u8 - 17 };
                        lane += 1;
                    }
                    bytes
                };
                // SAFETY: the caller is compiled for the features; all are 64 plain bytes.
                unsafe {
                    let first = std::mem::transmute::<[u8; 64], __m512i>(first);
                    let last = std::mem::transmute::<[u8; 64], __m512i>(last);
                    let index = std::mem::transmute::<[u8; 64], __m512i>(index);
                    let bytes = _mm512_castsi512_si256(_mm512_permutex2var_epi8(first, index, last));
                    let digits = _mm512_cvtepu8_epi16(_mm256_sub_epi8(bytes, _mm256_set1_epi8(b'1' as i8)));
                    let is_digit = _mm512_cmplt_epu16_mask(digits, _mm512_set1_epi16(9));
                    let all = _mm512_maskz_set1_epi16(USED, 0x1FF);
                    Avx512(_mm512_mask_sllv_epi16(all, is_digit & USED, _mm512_set1_epi16(1), digits))
                }
            }};
        }
        [row!(0), row!(1), row!(2)]
    }
    #[inline(always)]
    fn all(bits: u16) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_maskz_set1_epi16(USED, bits as i16) })
    }
    #[inline(always)]
    fn and(self, other: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_and_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_or_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }
    #[inline(always)]
    fn same(self, other: Avx512) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe { _mm512_cmpneq_epi64_mask(self.0, other.0) == 0 }
    }
    #[inline(always)]
    fn same_all(one: [Avx512; 3], other: [Avx512; 3]) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let first = _mm512_xor_si512(one[0].0, other[0].0);
            let second = _mm512_or_si512(_mm512_xor_si512(one[1].0, other[1].0), first);
            let third = _mm512_or_si512(_mm512_xor_si512(one[2].0, other[2].0), second);
            _mm512_test_epi64_mask(third, third) == 0
        }
    }
    #[inline(always)]
    fn has_empty(three: [Avx512; 3]) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let least = _mm512_min_epu16(_mm512_min_epu16(three[0].0, three[1].0), three[2].0);
            _mm512_mask_testn_epi16_mask(USED, least, least) != 0
        }
    }
    #[inline(always)]
    fn where_single(self) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        let mask =
            unsafe { _mm512_testn_epi16_mask(self.0, _mm512_add_epi16(self.0, _mm512_set1_epi16(-1))) };
        self.masked(mask)
    }
    #[inline(always)]
    fn where_three(self) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        let mask = unsafe { _mm512_cmple_epi16_mask(_mm512_popcnt_epi16(self.0), _mm512_set1_epi16(3)) };
        self.masked(mask)
    }
    #[inline(always)]
    fn if_three(self, other: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mask = _mm512_cmpge_epi16_mask(_mm512_popcnt_epi16(self.0), _mm512_set1_epi16(3));
            Avx512(_mm512_mask_mov_epi16(other.0, mask, self.0))
        }
    }
    #[inline(always)]
    fn prefer(self, bits: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mask = _mm512_test_epi16_mask(self.0, bits.0);
            Avx512(_mm512_mask_mov_epi16(self.0, mask, _mm512_and_si512(self.0, bits.0)))
        }
    }
    #[inline(always)]
    fn turn<const N: usize>(self) -> Avx512 {
        self.permute(byte_index!(27, |at| at / 3 * 3 + (at + N) % 3))
    }
    #[inline(always)]
    fn spread<const N: usize>(self) -> Avx512 {
        self.permute(byte_index!(27, |at| at / 3 * 3 + N))
    }
    #[inline(always)]
    fn pick(operands: [Avx512; 3]) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let one = _mm512_mask_mov_epi16(operands[0].0, const { lanes_of_index(1) }, operands[1].0);
            Avx512(_mm512_mask_mov_epi16(one, const { lanes_of_index(2) }, operands[2].0))
        }
    }
    type Ways = Avx512;
    #[inline(always)]
    fn all_ways() -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_maskz_set1_epi16((1 << 18) - 1, 0x1FF) })
    }
    #[inline(always)]
    fn narrow_bands(ways: &mut Avx512, rows: Avx512) -> Avx512 {
        let first = rows.permute(byte_index!(18, |at| place_in_band(at, 0)));
        let second = rows.permute(byte_index!(18, |at| place_in_band(at, 1)));
        let third = rows.permute(byte_index!(18, |at| place_in_band(at, 2)));
        *ways = ways.and(first).and(second.and(third));
        let even = ways.permute(byte_index!(27, |at| at / 9 * 6 + ways_through(at % 3, at / 3 % 3).0));
        let odd = ways.permute(byte_index!(27, |at| at / 9 * 6 + ways_through(at % 3, at / 3 % 3).1));
        even.or(odd)
    }
    #[inline(always)]
    fn narrow_stacks(ways: &mut Avx512, columns: Avx512) -> Avx512 {
        let first = columns.permute(byte_index!(18, |at| place_in_stack(at, 0)));
        let second = columns.permute(byte_index!(18, |at| place_in_stack(at, 1)));
        let third = columns.permute(byte_index!(18, |at| place_in_stack(at, 2)));
        *ways = ways.and(first).and(second.and(third));
        let even = ways.permute(byte_index!(27, |at| at / 3 % 3 * 6 + ways_through(at % 3, at / 9).0));
        let odd = ways.permute(byte_index!(27, |at| at / 3 % 3 * 6 + ways_through(at % 3, at / 9).1));
        even.or(odd)
    }
    #[inline(always)]
    fn ways_of_bands(ways: &Avx512) -> [u128; 3] {
        ways.sixes()
    }
    #[inline(always)]
    fn ways_of_stacks(ways: &Avx512) -> [u128; 3] {
        ways.sixes()
    }
    #[inline(always)]
    fn follow_band(ways: &mut Avx512, band: usize, way: usize, digits: u16, is_taken: bool) {
        Avx512::follow(ways, band, way, digits, is_taken);
    }
    #[inline(always)]
    fn follow_stack(ways: &mut Avx512, stack: usize, way: usize, digits: u16, is_taken: bool) {
        Avx512::follow(ways, stack, way, digits, is_taken);
    }
}

/// AVX2: three registers, one a band, of four quads: the boxes of the band and one unused; the fourth lane of a
/// quad is unused too (0 throughout). Ways are even ones and odd ones: of a band, in each of its quads; of a stack,
/// in its quads of all bands. To be used only inside a function compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2([__m256i; 3]);

/// The byte mask by which lane `index` of quad `stack` comes from a lane of the same quad, modulo 3.
#[cfg(target_arch = "x86_64")]
macro_rules! quad_mask {
    (|$s:ident, $i:ident| $from:expr) => {
        const {
            let mut bytes = [0x80; 32];
            let mut lane = 0;
            while lane < 12 {
                let ($s, $i) = (lane / 4, lane % 4);
                if $i < 3 {
                    // Byte shuffles work within halves of two quads.
                    let from = 4 * ($s % 2) + $from % 3;
                    bytes[2 * lane] = 2 * from as u8;
                    bytes[2 * lane + 1] = 2 * from as u8 + 1;
                }
                lane += 1;
            }
            bytes
        }
    };
}

/// All ones in the lanes for which the condition holds, of those in use.
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
const IN_USE: [u8; 32] = quad_lanes!(|_s, _i| true);

/// The lanes of a way of a band, and of a stack.
#[cfg(target_arch = "x86_64")]
const OF_BAND: [[u8; 32]; 3] =
    [quad_lanes!(|_s, i| i == 0), quad_lanes!(|_s, i| i == 1), quad_lanes!(|_s, i| i == 2)];

#[cfg(target_arch = "x86_64")]
const OF_STACK: [[u8; 32]; 3] =
    [quad_lanes!(|s, _i| s == 0), quad_lanes!(|s, _i| s == 1), quad_lanes!(|s, _i| s == 2)];

#[cfg(target_arch = "x86_64")]
#[inline(always)]
const fn wide(bytes: [u8; 32]) -> __m256i {
    // SAFETY: both are 32 plain bytes.
    unsafe { std::mem::transmute::<[u8; 32], __m256i>(bytes) }
}

/// One expression of each of the three registers.
#[cfg(target_arch = "x86_64")]
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

#[cfg(target_arch = "x86_64")]
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

    /// `self` and what stands in the two other quads in use.
    #[inline(always)]
    fn and_other_stacks(self) -> Avx2 {
        three!(|K| {
            let second = _mm256_permute4x64_epi64::<0b11_00_10_01>(self.0[K]);
            let third = _mm256_permute4x64_epi64::<0b11_01_00_10>(self.0[K]);
            _mm256_and_si256(_mm256_and_si256(self.0[K], second), third)
        })
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

    /// Lane (b, s, i) from (b, s, i + s·`N`).
    #[inline(always)]
    fn skew_by_stack<const N: usize>(self) -> Avx2 {
        self.shuffle(quad_mask!(|s, i| i + s * N))
    }

    /// Takes the digits from the other ways of the chute, or from this one.
    #[inline(always)]
    fn follow(ways: &mut [Avx2; 2], whole: Avx2, own: Avx2, way: usize, digits: u16, is_taken: bool) {
        let digits = Avx2::all(digits);
        let (same, other) = if is_taken { (whole.and_not(own), whole) } else { (own, Avx2::all(0)) };
        let [same, other] = [same.and(digits), other.and(digits)];
        let [even, odd] = if way < 3 { [same, other] } else { [other, same] };
        *ways = [ways[0].and_not(even), ways[1].and_not(odd)];
    }

    /// The three lanes of a quad, the first lowest.
    #[inline(always)]
    fn quad(self, band: usize, stack: usize) -> u128 {
        // SAFETY: both are 32 plain bytes.
        let quads = unsafe { std::mem::transmute::<__m256i, [u64; 4]>(self.0[band]) };
        u128::from(quads[stack])
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx2 {
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
    fn if_three(self, other: Avx2) -> Avx2 {
        let fewer = self.without_lowest().without_lowest().zeros();
        self.and_not(fewer).or(other.and(fewer))
    }
    #[inline(always)]
    fn prefer(self, bits: Avx2) -> Avx2 {
        let preferred = self.and(bits);
        preferred.or(self.and(preferred.zeros()))
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
    type Ways = [Avx2; 2];
    #[inline(always)]
    fn all_ways() -> [Avx2; 2] {
        [Avx2::all(0x1FF), Avx2::all(0x1FF)]
    }
    #[inline(always)]
    fn narrow_bands(ways: &mut [Avx2; 2], rows: Avx2) -> Avx2 {
        let [even, odd] = [rows.skew_by_stack::<1>(), rows.skew_by_stack::<2>()];
        *ways = [ways[0].and(even.and_other_stacks()), ways[1].and(odd.and_other_stacks())];
        ways[0].skew_by_stack::<2>().or(ways[1].skew_by_stack::<1>())
    }
    #[inline(always)]
    fn narrow_stacks(ways: &mut [Avx2; 2], columns: Avx2) -> Avx2 {
        let [even, odd] = [columns.skew_by_band::<1>(), columns.skew_by_band::<2>()];
        // SAFETY: the caller is compiled for the feature.
        let [even, odd] = unsafe {
            [
                _mm256_and_si256(_mm256_and_si256(even.0[0], even.0[1]), even.0[2]),
                _mm256_and_si256(_mm256_and_si256(odd.0[0], odd.0[1]), odd.0[2]),
            ]
        };
        *ways = [ways[0].and(Avx2([even; 3])), ways[1].and(Avx2([odd; 3]))];
        ways[0].skew_by_band::<2>().or(ways[1].skew_by_band::<1>())
    }
    #[inline(always)]
    fn ways_of_bands(ways: &[Avx2; 2]) -> [u128; 3] {
        let six = |band: usize| ways[0].quad(band, 0) | ways[1].quad(band, 0) << 48;
        [six(0), six(1), six(2)]
    }
    #[inline(always)]
    fn ways_of_stacks(ways: &[Avx2; 2]) -> [u128; 3] {
        let six = |stack: usize| ways[0].quad(0, stack) | ways[1].quad(0, stack) << 48;
        [six(0), six(1), six(2)]
    }
    #[inline(always)]
    fn follow_band(ways: &mut [Avx2; 2], band: usize, way: usize, digits: u16, is_taken: bool) {
        let of_way = Avx2([wide(OF_BAND[way % 3]); 3]);
        let mut whole = Avx2::all(0);
        whole.0[band] = wide(IN_USE);
        Avx2::follow(ways, whole, whole.and(of_way), way, digits, is_taken);
    }
    #[inline(always)]
    fn follow_stack(ways: &mut [Avx2; 2], stack: usize, way: usize, digits: u16, is_taken: bool) {
        let whole = Avx2([wide(OF_STACK[stack]); 3]);
        let of_way = Avx2([wide(OF_BAND[way % 3]); 3]);
        Avx2::follow(ways, whole, whole.and(of_way), way, digits, is_taken);
    }
}
