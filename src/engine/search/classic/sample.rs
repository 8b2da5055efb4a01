//! A random descent: where the search would guess, a way is drawn, and a contradiction ends it.
//!
//! Each way of the digit is as likely, so a descent reaches a solution with probability one over the product of
//! the numbers of ways it drew from, its **weight**. That product is what a caller needs to make solutions equally
//! likely, and its mean, with 0 for a contradiction, is the number of solutions there are.

#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Avx512};
use super::lanes::{Instructions, Lanes, Portable, Task};
use super::solver::{Candidates, Digits};
use super::sweep::{Branch, Settled, State};

/// Descends from these candidates with numbers drawn by `below`, which gives each number below its argument with
/// the same probability. Gives the solution and its weight, the same with all instructions; none if it ran into
/// a contradiction. Panics where the processor has not got the instructions.
pub fn descend(
    instructions: Instructions,
    candidates: &Candidates,
    below: &mut dyn FnMut(u32) -> u32,
) -> Option<(Digits, u64)> {
    let descent = Descent { candidates, below };
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => Avx2::call(descent),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => Avx512::call(descent),
        _ => Portable::call(descent),
    }
}

struct Descent<'d> {
    candidates: &'d Candidates,
    below: &'d mut dyn FnMut(u32) -> u32,
}

impl<L: Lanes> Task<L> for Descent<'_> {
    type Output = Option<(Digits, u64)>;

    #[inline(always)]
    fn run(self) -> Option<(Digits, u64)> {
        let mut state: State<L> = State::new(self.candidates);
        let mut weight = 1u64;
        loop {
            match state.settle() {
                Settled::Contradiction => return None,
                Settled::Solved => return Some((state.digits(), weight)),
                Settled::Open => {}
            }
            let branch = state.branch();
            let mut ways = state.ways(branch);
            let count = ways.count_ones();
            weight = weight.saturating_mul(count.into());
            for _ in 0..(self.below)(count) {
                ways &= ways - 1;
            }
            state.follow(Branch { way: ways.trailing_zeros() as usize, ..branch }, true);
        }
    }
}
