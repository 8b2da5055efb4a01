//! Chains from both states of a candidate, from all candidates of a cell, from all places of a digit in a house.

use super::super::board::{Board, CHAIN_ORDER, HOUSE_CELLS, HOUSES_OF, Mask, bits};
use super::super::technique::Technique;
use super::Chains;
use super::chase::{Mode, chase};
use super::found::{Finds, Ledger, Offer, Starts};
use super::links::{LITERALS, Literal, literal};
use super::sieve::Marks;
use crate::engine::budget::{Budget, Stopped};

/// A search under way.
struct Search<'a> {
    chains: &'a mut Chains,
    board: &'a mut Board,
    mode: Mode,
    ledger: &'a mut Ledger,
    finds: &'a mut Finds,
    budget: &'a mut Budget,
    /// For each literal its run plus one.
    run_of: Vec<u16>,
    marks: &'a Marks,
}

/// Offers every step of a mode, looking where the marks say that there may be one.
pub fn find(
    chains: &mut Chains,
    board: &mut Board,
    (mode, marks): (Mode, &Marks),
    ledger: &mut Ledger,
    finds: &mut Finds,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    if !marks.any {
        return Ok(());
    }
    let mut search = Search { chains, board, mode, ledger, finds, budget, run_of: vec![0; LITERALS], marks };
    for cell in 0..81 {
        search.at(cell)?;
    }
    Ok(())
}

impl Search<'_> {
    /// The technique and the rating of its shortest form.
    fn rank(&self) -> (Technique, f64) {
        match (self.mode.is_nishio, self.mode.is_dynamic, self.mode.level) {
            (true, ..) => (Technique::Nishio, 7.5),
            (false, false, _) => (Technique::MultipleForcingChains, 8.0),
            (false, true, 0) => (Technique::DynamicForcingChains, 8.5),
            (false, true, 1) => (Technique::DynamicForcingChainsPlus, 8.5 + 0.5),
            (false, true, 2) => (Technique::NestedForcingChains, 9.5),
            (false, true, 3) => (Technique::NestedMultipleChains, 9.5 + 0.5),
            (false, true, 4) => (Technique::NestedDynamicChains, 9.5 + 0.5 * 2.0),
            (false, true, _) => (Technique::NestedTwice, 9.5 + 0.5 * 3.0),
        }
    }

    /// Everything that starts at a cell.
    fn at(&mut self, cell: usize) -> Result<(), Stopped> {
        let candidates = self.board.candidates[cell];
        let count = candidates.count();
        if count < 2 || count == 2 && !self.mode.is_dynamic {
            return Ok(());
        }
        for digit in bits(candidates) {
            self.both_states(cell, digit, count >= 3)?;
            self.houses(cell, digit)?;
        }
        if self.marks.groups[cell] && (count == 2 || self.mode.is_multiple) {
            let starts: Vec<Literal> = bits(candidates).map(|digit| literal(cell, digit, true)).collect();
            self.meet(&starts, Starts::Cell, 5)?;
        }
        Ok(())
    }

    /// The run of a literal, made when it is first wanted.
    fn run(&mut self, start: Literal) -> Result<u16, Stopped> {
        if let Some(run) = self.run_of[usize::from(start)].checked_sub(1) {
            return Ok(run);
        }
        let mut run = self.chains.take_run();
        chase(self.chains, self.board, start, self.mode, &mut run, self.budget)?;
        self.ledger.runs.push(run);
        let number = self.ledger.runs.len() as u16 - 1;
        self.run_of[usize::from(start)] = number + 1;
        Ok(number)
    }

    /// Contradictions of one state, and what follows from both.
    fn both_states(&mut self, cell: usize, digit: usize, may_reduce: bool) -> Result<(), Stopped> {
        let is_pair = may_reduce && self.marks.pairs[cell * 9 + digit];
        let starts = [literal(cell, digit, true), literal(cell, digit, false)];
        let mut runs = [0; 2];
        for (start, run) in starts.into_iter().zip(&mut runs) {
            if !is_pair && !self.marks.conflicts[usize::from(start)] {
                continue;
            }
            *run = self.run(start)?;
            let run = *run;
            if let Some([on, off]) = self.ledger.runs[usize::from(run)].conflict {
                self.offer(start ^ 1, &[(run, on), (run, off)], Starts::Candidate, 7);
            }
        }
        if is_pair {
            for list in 0..2 {
                self.common(&runs, list, Starts::Candidate, 1)?;
            }
        }
        Ok(())
    }

    /// Houses in which this cell is the first place of the digit.
    fn houses(&mut self, cell: usize, digit: usize) -> Result<(), Stopped> {
        for (kind, first) in CHAIN_ORDER.into_iter().enumerate() {
            let house = usize::from(HOUSES_OF[cell][kind]);
            debug_assert!((first..first + 9).contains(&house));
            if !self.marks.groups[81 + house * 9 + digit] {
                continue;
            }
            let places = self.board.places[house][digit];
            let count = places.count();
            let is_first = usize::from(HOUSE_CELLS[house][places.trailing_zeros() as usize]) == cell;
            if is_first && (count == 2 || count > 2 && self.mode.is_multiple) {
                let cells = bits(places).map(|place| usize::from(HOUSE_CELLS[house][place]));
                let starts: Vec<Literal> = cells.map(|cell| literal(cell, digit, true)).collect();
                self.meet(&starts, Starts::House(kind as u8), 6)?;
            }
        }
        Ok(())
    }

    /// What follows from every one of some starts.
    fn meet(&mut self, starts: &[Literal], kind: Starts, key: u8) -> Result<(), Stopped> {
        let mut runs = [0; 9];
        for (run, &start) in runs.iter_mut().zip(starts) {
            *run = self.run(start)?;
        }
        // The order of what follows is that of the run that the Explainer makes first: in a house its first
        // place, in a cell its first digit.
        for list in 0..2 {
            self.common(&runs[..starts.len()], list, kind, key)?;
        }
        Ok(())
    }

    /// Offers what all runs say: what holds (list 0), or what does not, in the order of the first.
    fn common(&mut self, runs: &[u16], list: usize, kind: Starts, key: u8) -> Result<(), Stopped> {
        let first = &self.ledger.runs[usize::from(runs[0])];
        let count = if list == 0 { first.on.len() } else { first.off.len() };
        self.budget.spend(count as u64)?;
        for place in 0..count {
            let first = &self.ledger.runs[usize::from(runs[0])];
            let node = if list == 0 { first.on[place] } else { first.off[place] };
            let said = first.nodes[usize::from(node)].literal;
            let mut targets = [(0, 0); 9];
            let mut all = true;
            for (target, &run) in targets.iter_mut().zip(runs) {
                match self.ledger.runs[usize::from(run)].node_of(said) {
                    Some(node) => *target = (run, node),
                    None => {
                        all = false;
                        break;
                    }
                }
            }
            if all {
                self.budget.spend(20)?;
                self.offer(said, &targets[..runs.len()], kind, key);
            }
        }
        Ok(())
    }

    fn offer(&mut self, said: Literal, targets: &[(u16, u16)], starts: Starts, key: u8) {
        let (technique, base) = self.rank();
        let offer = Offer { technique, base, key, starts, targets, counted: targets.len() };
        self.finds.offer_literal(self.board, said, &offer, self.ledger, &self.chains.nested);
    }
}
