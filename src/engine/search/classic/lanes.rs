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
        let available = Instructions::ALL.into_iter().filter(|instructions| instructions.is_available());
        available.last().unwrap_or(Instructions::Portable)
    }
}

/// Work to be compiled for each kind of lanes. `run` and all that it calls must be `#[inline(always)]`.
pub trait Task<L> {
    /// What comes out.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Lanes of nine bits (a digit set each), one for each (band, stack, index), all three 0 to 2. Of the boxes
/// (band, stack) it is one row, with the column as index; or the ways of a band, with the way as index.
pub trait Lanes: Copy {
    /// Does a task with the instructions that these lanes need. Panics where the processor has not got them.
    fn call<T: Task<Self>>(task: T) -> T::Output;
    /// From lane (band, stack, index) at `9 * band + 3 * stack + index`.
    fn new(lanes: &[u16; 27]) -> Self;
    /// In memory, for [`ways`](Self::ways) and [`lane`](Self::lane).
    type Stored: Copy;
    /// To memory.
    fn store(self) -> Self::Stored;
    /// One lane, at `9 * band + 3 * stack + index`.
    fn lane(stored: &Self::Stored, lane: usize) -> u16;
    /// The three lanes of a group, from its first on, 16 bits each, the first lowest.
    fn three_lanes(stored: &Self::Stored, lane: usize) -> u64;
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
    /// Whether some lane is 0.
    fn has_empty(self) -> bool;
    /// `self` in the lanes where it has at most one bit, 0 in the others.
    fn where_single(self) -> Self;
    /// `self` in the lanes where it has at most three bits, 0 in the others.
    fn where_three(self) -> Self;
    /// `self` in the lanes where it has at least three bits, and `other` in the others.
    fn if_three(self, other: Self) -> Self;
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
    fn call<T: Task<Portable>>(task: T) -> T::Output {
        task.run()
    }
    #[inline(always)]
    fn new(lanes: &[u16; 27]) -> Portable {
        Portable(*lanes)
    }
    type Stored = [u16; 27];
    #[inline(always)]
    fn store(self) -> [u16; 27] {
        self.0
    }
    #[inline(always)]
    fn lane(stored: &[u16; 27], lane: usize) -> u16 {
        stored[lane]
    }
    #[inline(always)]
    fn three_lanes(stored: &[u16; 27], lane: usize) -> u64 {
        u64::from(stored[lane]) | u64::from(stored[lane + 1]) << 16 | u64::from(stored[lane + 2]) << 32
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
    fn has_empty(self) -> bool {
        self.0.contains(&0)
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
    type Stored = [u8; 64];
    #[inline(always)]
    fn store(self) -> [u8; 64] {
        // SAFETY: both are 64 plain bytes.
        unsafe { std::mem::transmute::<__m512i, [u8; 64]>(self.0) }
    }
    #[inline(always)]
    fn lane(stored: &[u8; 64], lane: usize) -> u16 {
        u16::from_le_bytes([stored[2 * lane], stored[2 * lane + 1]])
    }
    #[inline(always)]
    fn three_lanes(stored: &[u8; 64], lane: usize) -> u64 {
        let bytes: [u8; 8] = stored[2 * lane..2 * lane + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes) & 0xFFFF_FFFF_FFFF
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
    fn has_empty(self) -> bool {
        // SAFETY: the caller is compiled for the features.
        unsafe { _mm512_mask_testn_epi16_mask(USED, self.0, self.0) != 0 }
    }
    #[inline(always)]
    fn where_single(self) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let less = _mm512_add_epi16(self.0, _mm512_set1_epi16(-1));
            let mask = _mm512_testn_epi16_mask(self.0, less);
            Avx512(_mm512_maskz_mov_epi16(mask, self.0))
        }
    }
    #[inline(always)]
    fn where_three(self) -> Avx512 {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mask = _mm512_cmple_epi16_mask(_mm512_popcnt_epi16(self.0), _mm512_set1_epi16(3));
            Avx512(_mm512_maskz_mov_epi16(mask, self.0))
        }
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

/// AVX2: three registers, one a band, of four quads: the boxes of the band and one unused; the fourth lane of a
/// quad is unused too (0 throughout). To be used only inside a function compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2([__m256i; 3]);

/// Where lane `9 * band + 3 * stack + index` stands.
#[cfg(target_arch = "x86_64")]
const fn place_in_quads(lane: usize) -> (usize, usize) {
    let (band, stack, index) = split(lane);
    (band, 4 * stack + index)
}

/// The byte mask by which lane `index` of quad `stack` comes from lane `from` of the same quad.
#[cfg(target_arch = "x86_64")]
macro_rules! quad_mask {
    (|$s:ident, $i:ident| $from:expr) => {{
        const fn mask<const N: usize, const R: usize>() -> [u8; 32] {
            let mut bytes = [0x80; 32];
            let mut lane = 0;
            while lane < 12 {
                let ($s, $i) = (lane / 4, lane % 4);
                let _ = ($s, $i, N, R);
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
        mask::<N, R>()
    }};
}

#[cfg(target_arch = "x86_64")]
const fn turn_mask<const N: usize, const R: usize>() -> [u8; 32] {
    quad_mask!(|s, i| i + N)
}
#[cfg(target_arch = "x86_64")]
const fn spread_mask<const N: usize, const R: usize>() -> [u8; 32] {
    quad_mask!(|s, i| R + N * s)
}

/// All ones in the lanes for which `(index + n·stack) mod 3` is `which`; with `n` 3, in every lane in use.
#[cfg(target_arch = "x86_64")]
const fn quad_lanes(n: usize, which: usize) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut lane = 0;
    while lane < 12 {
        let (s, i) = (lane / 4, lane % 4);
        if i < 3 && (n == 3 || (i + n * s) % 3 == which) {
            bytes[2 * lane] = 0xFF;
            bytes[2 * lane + 1] = 0xFF;
        }
        lane += 1;
    }
    bytes
}

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
    /// The bit that each lane has lowest taken away.
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

    #[inline(always)]
    fn turn_register<const N: usize>(register: __m256i) -> __m256i {
        match N % 3 {
            0 => register,
            // SAFETY: the caller is compiled for the feature.
            1 => unsafe { _mm256_shuffle_epi8(register, const { wide(turn_mask::<1, 0>()) }) },
            // SAFETY: the caller is compiled for the feature.
            _ => unsafe { _mm256_shuffle_epi8(register, const { wide(turn_mask::<2, 0>()) }) },
        }
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
            let (register, at) = place_in_quads(lane);
            quads[register][at] = bits;
        }
        // SAFETY: all are 32 plain bytes.
        three!(|K| std::mem::transmute::<[u16; 16], __m256i>(quads[K]))
    }
    type Stored = [[u8; 32]; 3];
    #[inline(always)]
    fn store(self) -> [[u8; 32]; 3] {
        // SAFETY: both are 96 plain bytes.
        unsafe { std::mem::transmute::<[__m256i; 3], [[u8; 32]; 3]>(self.0) }
    }
    #[inline(always)]
    fn lane(stored: &[[u8; 32]; 3], lane: usize) -> u16 {
        let (register, at) = place_in_quads(lane);
        u16::from_le_bytes([stored[register][2 * at], stored[register][2 * at + 1]])
    }
    #[inline(always)]
    fn three_lanes(stored: &[[u8; 32]; 3], lane: usize) -> u64 {
        let (register, at) = place_in_quads(lane);
        let bytes: [u8; 8] = stored[register][2 * at..2 * at + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes)
    }
    #[inline(always)]
    fn all(bits: u16) -> Avx2 {
        three!(|K| {
            let _ = K;
            _mm256_and_si256(_mm256_set1_epi16(bits as i16), const { wide(quad_lanes(3, 0)) })
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
    fn has_empty(self) -> bool {
        let empty = self.zeros();
        // SAFETY: the caller is compiled for the feature.
        unsafe {
            let any = _mm256_or_si256(_mm256_or_si256(empty.0[0], empty.0[1]), empty.0[2]);
            _mm256_testz_si256(any, const { wide(quad_lanes(3, 0)) }) == 0
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
    fn or_else(self, other: Avx2) -> Avx2 {
        self.or(other.and(self.zeros()))
    }
    #[inline(always)]
    fn turn_index<const N: usize>(self) -> Avx2 {
        self.shuffle(const { turn_mask::<N, 0>() })
    }
    #[inline(always)]
    fn turn_stack<const N: usize>(self) -> Avx2 {
        match N % 3 {
            0 => self,
            1 => three!(|K| _mm256_permute4x64_epi64::<0b11_00_10_01>(self.0[K])),
            _ => three!(|K| _mm256_permute4x64_epi64::<0b11_01_00_10>(self.0[K])),
        }
    }
    #[inline(always)]
    fn turn_band<const N: usize>(self) -> Avx2 {
        Avx2([self.0[N % 3], self.0[(1 + N) % 3], self.0[(2 + N) % 3]])
    }
    #[inline(always)]
    fn skew_by_band<const N: usize>(self) -> Avx2 {
        if N % 3 == 1 {
            Avx2([self.0[0], Avx2::turn_register::<1>(self.0[1]), Avx2::turn_register::<2>(self.0[2])])
        } else {
            Avx2([self.0[0], Avx2::turn_register::<2>(self.0[1]), Avx2::turn_register::<1>(self.0[2])])
        }
    }
    #[inline(always)]
    fn spread_by_stack<const R: usize, const N: usize>(self) -> Avx2 {
        self.shuffle(const { spread_mask::<N, R>() })
    }
    #[inline(always)]
    fn pick_by_stack<const N: usize>(operands: [Avx2; 3]) -> Avx2 {
        let masks = const { [wide(quad_lanes(N, 0)), wide(quad_lanes(N, 1)), wide(quad_lanes(N, 2))] };
        three!(|K| {
            let zero = _mm256_and_si256(operands[0].0[K], masks[0]);
            let one = _mm256_and_si256(operands[1].0[K], masks[1]);
            let two = _mm256_and_si256(operands[2].0[K], masks[2]);
            _mm256_or_si256(_mm256_or_si256(zero, one), two)
        })
    }
}
