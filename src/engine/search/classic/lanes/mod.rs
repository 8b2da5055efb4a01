//! The 27 lanes on which the classic search works, with their instructions, chosen at run time.
//!
//! [`portable`] is what any processor can run; `plain`, in tests alone, the twin with which all are compared. The only
//! `unsafe` of the crate is in `avx2` and `avx512`, one file each because they have not a line in common, and all of it
//! is of one kind: calling what is compiled for features that were found on this processor ([`Lanes::call`] looks; every
//! method is inlined into a function compiled for them), and reinterpreting plain bytes. Nothing touches memory through
//! a pointer.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod plain;
mod portable;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use portable::Portable;

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
    /// The ways of the three bands, six each: a digit set for each way, of the digits that may still go that way. In
    /// the even way `w`, a digit is in row `w + stack` of each box, in the odd way in row `w − stack` (modulo 3).
    type Bands: Copy;
    /// The ways of the three stacks: in column `w + band` of each box, and in column `w − band`.
    type Stacks: Copy;
    /// Whether a sweep deduces one thing after another, each from what was left by those before: a third fewer sweeps,
    /// each as much work, but a chain twice as long. That pays where sweeps are bound by their work (AVX2: 1.3
    /// times as fast), not where by their chain (AVX-512: 0.8 times).
    const IN_TURN: bool;
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
    /// `self & only` in the lanes where `only` has at least three bits, and `self` in the others.
    fn keep_three(self, only: Self) -> Self;
    /// Whether some lane has fewer than three bits.
    fn has_few(self) -> bool;
    /// Whether some lane has more than three bits.
    fn has_many(self) -> bool;
    /// Whether some lane of the three has more than one bit.
    fn has_several(three: [Self; 3]) -> bool;
    /// `self & bits` in the lanes where that is not 0, and `self` in the others.
    fn prefer(self, bits: Self) -> Self;
    /// Lane (b, s, i) from (b, s, i + `N`).
    fn turn<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, `N`).
    fn spread<const N: usize>(self) -> Self;
    /// Lane (b, s, i) from (b, s, i) of operand i.
    fn pick(operands: [Self; 3]) -> Self;
    /// Every way for every digit.
    fn all_bands() -> Self::Bands;
    /// Every way for every digit.
    fn all_stacks() -> Self::Stacks;
    /// Narrows the ways of the bands by the digits of the rows of boxes; returns the digits that they leave them.
    fn narrow_bands(ways: &mut Self::Bands, rows: Self) -> Self;
    /// Narrows the ways of the stacks by the digits of the columns of boxes; returns the digits they leave them.
    fn narrow_stacks(ways: &mut Self::Stacks, columns: Self) -> Self;
    /// The six ways of each band, 16 bits each, even ways lowest.
    fn ways_of_bands(ways: &Self::Bands) -> [u128; 3];
    /// The six ways of each stack, 16 bits each, even ways lowest.
    fn ways_of_stacks(ways: &Self::Stacks) -> [u128; 3];
    /// Leaves these digits only this way through a band, or takes it from them.
    fn follow_band(ways: &mut Self::Bands, band: usize, way: usize, digits: u16, is_taken: bool);
    /// Leaves these digits only this way through a stack, or takes it from them.
    fn follow_stack(ways: &mut Self::Stacks, stack: usize, way: usize, digits: u16, is_taken: bool);
}

const fn split(lane: usize) -> (usize, usize, usize) {
    (lane / 9, lane / 3 % 3, lane % 3)
}

#[cfg(any(target_arch = "x86_64", test))]
const fn join(band: usize, stack: usize, index: usize) -> usize {
    band % 3 * 9 + stack % 3 * 3 + index % 3
}

/// Of the way at `6 * band + way`, the lane of the row that it takes in the box of this stack.
#[cfg(any(target_arch = "x86_64", test))]
const fn place_in_band(at: usize, stack: usize) -> usize {
    let (band, way) = (at / 6, at % 6);
    join(band, stack, if way < 3 { way + stack } else { way + 2 * stack })
}

/// Of the way at `6 * stack + way`, the lane of the column that it takes in the box of this band.
#[cfg(any(target_arch = "x86_64", test))]
const fn place_in_stack(at: usize, band: usize) -> usize {
    let (stack, way) = (at / 6, at % 6);
    join(band, stack, if way < 3 { way + band } else { way + 2 * band })
}

/// The even and the odd way that take this line of box number `box_` of a chute.
#[cfg(any(target_arch = "x86_64", test))]
const fn ways_through(line: usize, box_: usize) -> (usize, usize) {
    ((line + 2 * box_) % 3, 3 + (line + box_) % 3)
}
