//! Lanes on AVX-512 with VL, BW, BITALG and VBMI.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Instructions, Lanes, Task, place_in_band, place_in_stack, ways_through};

/// AVX-512 with VL, BW, BITALG and VBMI: one register, lane for lane, five lanes unused (0 throughout). Ways are one
/// register too, way `w` of chute `c` in lane `6 * c + w`. To be used only inside a function compiled for them.
#[derive(Clone, Copy)]
pub struct Avx512(__m512i);

/// The 27 lanes in use.
const USED: u32 = (1 << 27) - 1;

/// The byte index of a permutation of lanes: of lane `at`, the lane it comes from, 31 (which is 0) where not used.
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
const fn lanes_of_index(index: usize) -> u32 {
    (0o111_111_111 << index) & USED
}

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

impl Lanes for Avx512 {
    type Bands = Avx512;
    type Stacks = Avx512;
    const IN_TURN: bool = false;
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
    fn keep_three(self, only: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let count = _mm512_popcnt_epi16(only.0);
            let mask = _mm512_cmpge_epi16_mask(count, _mm512_set1_epi16(3));
            self.and(Avx512(_mm512_mask_mov_epi16(Avx512::all(0x1FF).0, mask, only.0)))
        }
    }
    #[inline(always)]
    fn has_few(self) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe { _mm512_mask_cmplt_epu16_mask(USED, _mm512_popcnt_epi16(self.0), _mm512_set1_epi16(3)) != 0 }
    }
    #[inline(always)]
    fn has_many(self) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe { _mm512_cmpgt_epu16_mask(_mm512_popcnt_epi16(self.0), _mm512_set1_epi16(3)) != 0 }
    }
    #[inline(always)]
    fn has_several(three: [Avx512; 3]) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let less = _mm512_set1_epi16(-1);
            let first = _mm512_and_si512(three[0].0, _mm512_add_epi16(three[0].0, less));
            let second = _mm512_and_si512(three[1].0, _mm512_add_epi16(three[1].0, less));
            let third = _mm512_and_si512(three[2].0, _mm512_add_epi16(three[2].0, less));
            let any = _mm512_or_si512(_mm512_or_si512(first, second), third);
            _mm512_test_epi64_mask(any, any) != 0
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
    #[inline(always)]
    fn all_bands() -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_maskz_set1_epi16((1 << 18) - 1, 0x1FF) })
    }
    #[inline(always)]
    fn all_stacks() -> Avx512 {
        Avx512::all_bands()
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
