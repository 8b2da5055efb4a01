//! What the classic engine must do on every machine and with any instructions, to the last guess: a change that
//! moves it says so.

use std::fmt;

use super::PuzzleSet;
use crate::engine::budget::Budget;
use crate::engine::search::classic::{Instructions, Solver};

/// Guesses over the built-in sets, counting up to 2, and a hash of what each puzzle took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Guesses of all puzzles.
    pub nodes: u64,
    /// FNV-1a, by bytes, of solutions and guesses of each puzzle in turn.
    pub hash: u64,
}

impl Signature {
    /// That of these instructions, if the processor has them.
    pub fn of(instructions: Instructions) -> Option<Signature> {
        let mut solver = Solver::with(instructions)?;
        let mut signature = Signature { nodes: 0, hash: 0xcbf2_9ce4_8422_2325 };
        for line in PuzzleSet::built_in().iter().flat_map(|set| &set.lines) {
            let found = solver.count_text(line, 2, &mut Budget::unlimited());
            signature.nodes += found.guesses;
            signature.add(found.solutions);
            signature.add(found.guesses);
        }
        Some(signature)
    }

    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}, {} nodes", self.hash, self.nodes)
    }
}
