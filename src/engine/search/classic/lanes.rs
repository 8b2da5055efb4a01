//! The 27 lanes on which the classic search works: the portable twin, AVX2 and AVX-512, chosen at run time.
//!
//! The only file with `unsafe`, all of it of one kind: calling an intrinsic of a feature that the caller has
//! found on this processor (every method is inlined into a function of [`super`] compiled for it), and
//! reinterpreting plain bytes. Nothing here touches memory through a pointer.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Lanes of nine bits (a digit set each), one for each (band, stack, index), all three 0 to 2. Of the boxes
/// (band, stack) it is one row, with the column as index; or the ways of a band, with the way as index.
pub trait Lanes: Copy {
    /// From lane (band, stack, index) at `9 * band + 3 * stack + index`.
    fn new(lanes: &[u16; 27]) -> Self;
    /// The reverse.
    fn lanes(self) -> [u16; 27];
    /// The same in every lane.
    fn all(bits: u16) -> Self;
    /// `self & other`.
    fn and(self, other: Self) -> Self;
    /// `self | other`.
    fn or(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    /// Takes `bits` from the lanes of the mask (bit `9 * band + 3 * stack + index`).
    fn without(self, mask: u32, bits: u16) -> Self;
    /// Whether all lanes are the same.
    fn same(self, other: Self) -> bool;
    /// Whether some lane is 0.
    fn has_empty(self) -> bool;
    /// `self` in the lanes where it has `count` bits, 0 in the others.
    fn where_count(self, count: u16) -> Self;
    /// `self` in the lanes where `which` has three bits, and `other` in the others.
    fn if_three(self, which: Self, other: Self) -> Self;
    /// `self` in the lanes where it is not 0, and `other` in the others.
    fn or_else(self, other: Self) -> Self;
    /// Lane (b, s, i) from (b, s, i + `N`).
    fn turn_index<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s + `N`, i).
    fn turn_stack<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b + `N`, s, i).
    fn turn_band<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, i + `N`·b).
    fn skew_by_band<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, `R` + `N`·s), whatever i.
    fn spread_by_stack<const R: usize, const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, i) of the operand number (i + `N`·s) modulo 3.
    fn pick_by_stack<const N: usize>(operands: [Self; 3]) -> Self;
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
    fn without(self, mask: u32, bits: u16) -> Portable {
        Portable::make(|lane| if mask & (1 << lane) != 0 { self.0[lane] & !bits } else { self.0[lane] })
    }
    #[inline(always)]
    fn same(self, other: Portable) -> bool {
        self.0 == other.0
    }
    #[inline(always)]
    fn has_empty(self) -> bool {
        self.0.contains(&0)
    }
    #[inline(always)]
    fn where_count(self, count: u16) -> Portable {
        Portable::make(|lane| if self.0[lane].count_ones() as u16 == count { self.0[lane] } else { 0 })
    }
    #[inline(always)]
    fn if_three(self, which: Portable, other: Portable) -> Portable {
        Portable::make(|lane| if which.0[lane].count_ones() == 3 { self.0[lane] } else { other.0[lane] })
    }
    #[inline(always)]
    fn or_else(self, other: Portable) -> Portable {
        Portable::make(|lane| if self.0[lane] != 0 { self.0[lane] } else { other.0[lane] })
    }
    #[inline(always)]
    fn turn_index<const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            self.0[join(b, s, i + N)]
        })
    }
    #[inline(always)]
    fn turn_stack<const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            self.0[join(b, s + N, i)]
        })
    }
    #[inline(always)]
    fn turn_band<const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            self.0[join(b + N, s, i)]
        })
    }
    #[inline(always)]
    fn skew_by_band<const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, i) = split(lane);
            self.0[join(b, s, i + N * b)]
        })
    }
    #[inline(always)]
    fn spread_by_stack<const R: usize, const N: usize>(self) -> Portable {
        Portable::make(|lane| {
            let (b, s, _) = split(lane);
            self.0[join(b, s, R + N * s)]
        })
    }
    #[inline(always)]
    fn pick_by_stack<const N: usize>(operands: [Portable; 3]) -> Portable {
        Portable::make(|lane| {
            let (_, s, i) = split(lane);
            operands[(i + N * s) % 3].0[lane]
        })
    }
}

/// AVX-512 with VL, BW, BITALG and VBMI: one register, lane for lane, five lanes unused (0 throughout).
/// To be used only inside a function compiled for them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx512(__m512i);

/// The 27 lanes in use.
#[cfg(target_arch = "x86_64")]
const USED: u32 = (1 << 27) - 1;

/// The byte index of a permutation of lanes; unused lanes stay.
#[cfg(target_arch = "x86_64")]
macro_rules! byte_index {
    (|$b:ident, $s:ident, $i:ident| $from:expr) => {{
        const fn index<const N: usize, const R: usize>() -> [u8; 64] {
            let mut bytes = [0; 64];
            let mut lane = 0;
            while lane < 32 {
                let ($b, $s, $i) = (lane / 9, lane / 3 % 3, lane % 3);
                let _ = ($b, $s, $i, N, R);
                let from = if lane < 27 { $from } else { lane };
                bytes[2 * lane] = 2 * from as u8;
                bytes[2 * lane + 1] = 2 * from as u8 + 1;
                lane += 1;
            }
            bytes
        }
        index::<N, R>()
    }};
}

#[cfg(target_arch = "x86_64")]
const fn turn_index_bytes<const N: usize, const R: usize>() -> [u8; 64] {
    byte_index!(|b, s, i| join(b, s, i + N))
}
#[cfg(target_arch = "x86_64")]
const fn turn_stack_bytes<const N: usize, const R: usize>() -> [u8; 64] {
    byte_index!(|b, s, i| join(b, s + N, i))
}
#[cfg(target_arch = "x86_64")]
const fn turn_band_bytes<const N: usize, const R: usize>() -> [u8; 64] {
    byte_index!(|b, s, i| join(b + N, s, i))
}
#[cfg(target_arch = "x86_64")]
const fn skew_by_band_bytes<const N: usize, const R: usize>() -> [u8; 64] {
    byte_index!(|b, s, i| join(b, s, i + N * b))
}
#[cfg(target_arch = "x86_64")]
const fn spread_by_stack_bytes<const N: usize, const R: usize>() -> [u8; 64] {
    byte_index!(|b, s, i| join(b, s, R + N * s))
}

/// The lanes for which `(index + n·stack) mod 3` is `which`.
#[cfg(target_arch = "x86_64")]
const fn picked(n: usize, which: usize) -> u32 {
    let mut mask = 0;
    let mut lane = 0;
    while lane < 27 {
        let (_, s, i) = split(lane);
        if (i + n * s) % 3 == which {
            mask |= 1 << lane;
        }
        lane += 1;
    }
    mask
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    #[inline(always)]
    fn permute(self, bytes: [u8; 64]) -> Avx512 {
        // SAFETY: the caller is compiled for the features; both are 64 plain bytes.
        Avx512(unsafe { _mm512_permutexvar_epi8(std::mem::transmute::<[u8; 64], __m512i>(bytes), self.0) })
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx512 {
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
        std::array::from_fn(|lane| all[lane])
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
    fn without(self, mask: u32, bits: u16) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        Avx512(unsafe { _mm512_andnot_si512(_mm512_maskz_set1_epi16(mask, bits as i16), self.0) })
    }
    #[inline(always)]
    fn same(self, other: Avx512) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe { _mm512_cmpneq_epi64_mask(self.0, other.0) == 0 }
    }
    #[inline(always)]
    fn has_empty(self) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe { _mm512_mask_testn_epi16_mask(USED, self.0, self.0) != 0 }
    }
    #[inline(always)]
    fn where_count(self, count: u16) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mask = _mm512_cmpeq_epi16_mask(_mm512_popcnt_epi16(self.0), _mm512_set1_epi16(count as i16));
            Avx512(_mm512_maskz_mov_epi16(mask, self.0))
        }
    }
    #[inline(always)]
    fn if_three(self, which: Avx512, other: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mask = _mm512_cmpeq_epi16_mask(_mm512_popcnt_epi16(which.0), _mm512_set1_epi16(3));
            Avx512(_mm512_mask_mov_epi16(other.0, mask, self.0))
        }
    }
    #[inline(always)]
    fn or_else(self, other: Avx512) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mask = _mm512_test_epi16_mask(self.0, self.0);
            Avx512(_mm512_mask_mov_epi16(other.0, mask, self.0))
        }
    }
    #[inline(always)]
    fn turn_index<const N: usize>(self) -> Avx512 {
        self.permute(const { turn_index_bytes::<N, 0>() })
    }
    #[inline(always)]
    fn turn_stack<const N: usize>(self) -> Avx512 {
        self.permute(const { turn_stack_bytes::<N, 0>() })
    }
    #[inline(always)]
    fn turn_band<const N: usize>(self) -> Avx512 {
        self.permute(const { turn_band_bytes::<N, 0>() })
    }
    #[inline(always)]
    fn skew_by_band<const N: usize>(self) -> Avx512 {
        self.permute(const { skew_by_band_bytes::<N, 0>() })
    }
    #[inline(always)]
    fn spread_by_stack<const R: usize, const N: usize>(self) -> Avx512 {
        self.permute(const { spread_by_stack_bytes::<N, R>() })
    }
    #[inline(always)]
    fn pick_by_stack<const N: usize>(operands: [Avx512; 3]) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let one = _mm512_mask_mov_epi16(operands[0].0, const { picked(N, 1) }, operands[1].0);
            Avx512(_mm512_mask_mov_epi16(one, const { picked(N, 2) }, operands[2].0))
        }
    }
}
