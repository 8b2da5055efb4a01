//! Plain 9×9 sudoku, as fast as the machine allows.
//!
//! [`sweep`] is the search's propagation, written once over [`lanes`]; this file compiles it three times
//! (portable, AVX2, AVX-512) and chooses at run time.

pub mod lanes;
pub mod sweep;

use lanes::{Lanes, Portable};
use sweep::{ALL, Masks, Settled, State};

/// What a count found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Solutions, up to the limit.
    pub solutions: u64,
    /// Guesses made.
    pub guesses: u64,
}

/// A clue: zero-based cell and digit.
pub type Clue = (u8, u8);

/// Which instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// Any processor.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX-512 VL, BW, BITALG.
    Avx512,
}

impl Set {
    /// The best on this processor.
    pub fn best() -> Set {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512bitalg")
                && is_x86_feature_detected!("avx2")
            {
                return Set::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Set::Avx2;
            }
        }
        Set::Portable
    }
}

struct Solver<L: Lanes> {
    masks: Masks<L>,
    stack: Vec<State<L>>,
}

impl<L: Lanes> Solver<L> {
    #[inline(always)]
    fn new() -> Self {
        Solver { masks: Masks::new(), stack: Vec::with_capacity(64) }
    }

    #[inline(always)]
    fn count(&mut self, text: &[u8; 81], limit: u64, found: &mut impl FnMut(&State<L>)) -> Found {
        let candidates = std::array::from_fn(|cell| {
            let digit = text[cell].wrapping_sub(b'1');
            if digit < 9 { 1 << digit } else { ALL }
        });
        let mut state = State::<L>::new(&candidates);
        let mut result = Found::default();
        self.stack.clear();
        loop {
            match state.settle() {
                Settled::Open => {
                    result.guesses += 1;
                    let branch = state.branch();
                    let mut other = state;
                    other.follow(&self.masks, branch, false);
                    self.stack.push(other);
                    state.follow(&self.masks, branch, true);
                    continue;
                }
                Settled::Solved => {
                    found(&state);
                    result.solutions += 1;
                    if result.solutions == limit {
                        return result;
                    }
                }
                Settled::Contradiction => {}
            }
            let Some(next) = self.stack.pop() else { return result };
            state = next;
        }
    }
}

/// Compiles the solver for one instruction set.
macro_rules! engine {
    ($name:ident, $lanes:ty $(, $feature:literal)?) => {
        /// The solver for one instruction set.
        pub struct $name(Solver<$lanes>);

        impl $name {
            $(#[target_feature(enable = $feature)])?
            /// With its tables.
            pub fn new() -> $name {
                $name(Solver::new())
            }

            $(#[target_feature(enable = $feature)])?
            /// Counts.
            pub fn count(&mut self, text: &[u8; 81], limit: u64, found: &mut dyn FnMut(&[u8; 81])) -> Found {
                self.0.count(text, limit, &mut |state| found(&state.digits()))
            }
        }
    };
}

engine!(PortableEngine, Portable);
#[cfg(target_arch = "x86_64")]
engine!(Avx2Engine, lanes::Avx2, "avx2,bmi1,popcnt");
#[cfg(target_arch = "x86_64")]
engine!(Avx512Engine, lanes::Avx512, "bmi1,popcnt,avx512f,avx512vl,avx512bw,avx512bitalg,avx512vbmi");
