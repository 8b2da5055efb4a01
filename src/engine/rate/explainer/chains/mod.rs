//! Chains: from an assumption to what follows from it.
//!
//! Read [`links`] (what follows directly), [`run`] (all that follows, with reasons), [`chase`] (how a run is made),
//! [`single`] and [`multiple`] (what runs prove), [`rules`] (what longer runs use beside links), [`found`] (which
//! step is taken). [`sieve`] says where it is worth to look.

mod chase;
mod found;
mod links;
mod multiple;
mod rules;
mod run;
mod sieve;
mod single;
mod web;

use super::board::Board;
use super::hint::Hint;
use crate::engine::budget::{Budget, Stopped};
pub use chase::Mode;
use found::{Finds, Ledger, Nested};
use run::Run;
use sieve::{Marks, Sieve};

/// What searches for chains keep and use again.
pub struct Chains {
    /// Chains nested in others, of the step at hand.
    nested: Vec<Nested>,
    runs: Vec<Run>,
    ledgers: Vec<Ledger>,
    sieve: Sieve,
}

impl Chains {
    /// Nothing kept yet.
    pub fn new() -> Chains {
        Chains { nested: Vec::new(), runs: Vec::new(), ledgers: Vec::new(), sieve: Sieve::new() }
    }

    fn take_run(&mut self) -> Run {
        self.runs.pop().unwrap_or_else(Run::new)
    }

    fn take_ledger(&mut self) -> Ledger {
        self.ledgers.pop().unwrap_or_else(Ledger::new)
    }

    fn give_ledger(&mut self, mut ledger: Ledger) {
        self.runs.append(&mut ledger.runs);
        self.ledgers.push(ledger);
    }

    /// The easiest forcing chain or cycle.
    pub fn find_single(&mut self, board: &Board, budget: &mut Budget) -> Result<Option<Hint>, Stopped> {
        self.sieve.next_step();
        let mut ledger = self.take_ledger();
        let mut finds = Finds::new(false);
        single::find(self, board, &mut ledger, &mut finds, budget)?;
        self.give_ledger(ledger);
        Ok(finds.easiest())
    }

    /// The easiest step of a mode.
    pub fn find_multiple(
        &mut self,
        board: &Board,
        mode: Mode,
        budget: &mut Budget,
    ) -> Result<Option<Hint>, Stopped> {
        let mut ledger = self.take_ledger();
        let mut finds = Finds::new(false);
        self.nested.clear();
        let marks = match mode.is_dynamic {
            true => self.sieve.marks(board, mode, budget)?,
            false => Marks::of_fixed(board),
        };
        multiple::find(self, &mut board.clone(), (mode, &marks), &mut ledger, &mut finds, budget)?;
        self.give_ledger(ledger);
        Ok(finds.easiest())
    }
}
