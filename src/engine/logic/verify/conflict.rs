//! The argument by conflict: assume that a claim fails, propagate over the premises, branch where that stalls.
//!
//! Soundness. Let S be any solution that keeps the position (the only one, where a swap is a premise). Every
//! change made by propagation holds in S if all assumptions do: a premise is true in S, and two conflicting
//! candidates are not both true in S. A branching tries every way in which one premise can be met, and S meets it
//! in one of them. So if all branches end in a conflict, S does not fulfil the negated claim.

use super::board::{Board, Halt};
use super::constraint::{Constraint, Way};
use super::form::Form;
use super::{Refusal, claim_notation, deadly};
use crate::engine::logic::path::Facts;
use crate::engine::logic::{Claim, Lemma, Literal, Premise};

/// What taking up a constraint counts, besides its cells: it bounds the memory that a proof can ask for.
const ENLISTING: u64 = 64;

/// How deep branchings may nest: the stack must hold them.
const MAX_DEPTH: usize = 400;

/// What a lemma rests on: premises, the places of earlier lemmas, and all earlier lemmas.
type Grounds<'p> = (&'p [Premise], &'p [u32], &'p [Lemma]);

/// Checks every claim of the lemma.
pub(super) fn check<'p>(
    board: &mut Board<'p>,
    form: &Form<'_>,
    lemma: &'p Lemma,
    (premises, uses, earlier): Grounds<'p>,
    facts: Facts,
) -> Result<(), Refusal> {
    let too_large = Refusal::TooLarge { lemma: form.lemma };
    let mut prover = Prover { board, constraints: Vec::new(), weight: 0 };
    for premise in premises {
        if let Premise::Swap(swap) = premise {
            if !facts.unique {
                return Err(Refusal::NotUnique { lemma: form.lemma });
            }
            deadly::check(prover.board, swap).map_err(|flaw| flaw.refusal(form.lemma))?;
        }
        prover.add_premise(premise, form)?;
    }
    for claim in uses.iter().flat_map(|&used| &earlier[used as usize].claims) {
        prover.add(Constraint::clause(claim)).map_err(|_| too_large.clone())?;
    }
    let outcome = prover.prove_all(&lemma.claims);
    prover.board.undo(0);
    prover.board.dismiss();
    match outcome {
        Ok(None) => Ok(()),
        Ok(Some(claim)) => {
            let claim = claim_notation(claim, form.puzzle.size());
            Err(Refusal::Unproved { lemma: form.lemma, claim })
        }
        Err(_) => Err(too_large),
    }
}

struct Prover<'b, 'p> {
    board: &'b mut Board<'p>,
    constraints: Vec<Constraint<'p>>,
    /// Cells of all constraints: what it takes to look at each once.
    weight: u64,
}

impl<'p> Prover<'_, 'p> {
    fn add_premise(&mut self, premise: &'p Premise, form: &Form<'_>) -> Result<(), Refusal> {
        let too_large = Refusal::TooLarge { lemma: form.lemma };
        for constraint in Constraint::of_premise(premise, self.board, form)? {
            self.add(constraint).map_err(|_| too_large.clone())?;
        }
        Ok(())
    }

    fn add(&mut self, constraint: Constraint<'p>) -> Result<(), Halt> {
        let id = self.constraints.len() as u32;
        let puzzle = self.board.puzzle();
        let cells = constraint.cells(puzzle);
        self.weight += cells.len() as u64;
        self.board.effort.spend(ENLISTING + cells.len() as u64)?;
        for &cell in cells.iter() {
            self.board.watch(cell, id);
        }
        self.board.enlist(constraint.is_slow());
        drop(cells);
        self.constraints.push(constraint);
        Ok(())
    }

    /// The first claim that does not follow, if any.
    fn prove_all<'c>(&mut self, claims: &'c [Claim]) -> Result<Option<&'c [Literal]>, Halt> {
        // What follows from the premises alone serves every claim.
        match self.propagate() {
            Err(Halt::Conflict) => return Ok(None),
            other => other?,
        }
        for claim in claims {
            self.board.effort.visit()?;
            let mark = self.board.mark();
            let negated: Vec<Literal> = claim.iter().map(|literal| literal.negated()).collect();
            let is_proved = self.is_refuted(negated, 0)?;
            self.board.undo(mark);
            if !is_proved {
                return Ok(Some(claim));
            }
        }
        Ok(None)
    }

    /// Whether these literals together lead to a conflict on every branch. Changes are left to be undone.
    fn is_refuted(&mut self, literals: Vec<Literal>, depth: usize) -> Result<bool, Halt> {
        if depth > MAX_DEPTH {
            return Err(Halt::TooLarge);
        }
        match self.assume(literals).and_then(|()| self.propagate()) {
            Err(Halt::Conflict) => return Ok(true),
            other => other?,
        }
        self.board.effort.spend(self.weight / 8)?;
        let Some(ways) = self.narrowest() else { return Ok(false) };
        for way in ways {
            self.board.effort.visit()?;
            let mark = self.board.mark();
            let is_refuted = self.is_refuted(vec![way], depth + 1)?;
            self.board.undo(mark);
            if !is_refuted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn assume(&mut self, literals: Vec<Literal>) -> Result<(), Halt> {
        for literal in literals {
            let bit = 1 << literal.digit.index();
            match literal.holds {
                true => self.board.affirm(literal.cell, bit)?,
                false => self.board.rule_out(literal.cell, bit)?,
            }
        }
        Ok(())
    }

    fn propagate(&mut self) -> Result<(), Halt> {
        while let Some(id) = self.board.next() {
            let outcome = self.constraints[id as usize].propagate(self.board);
            self.board.done(id);
            outcome?;
        }
        Ok(())
    }

    /// The ways in which the constraint with the fewest of them can still be met; none if all are met already.
    fn narrowest(&mut self) -> Option<Vec<Literal>> {
        let mut best: Option<(usize, u32)> = None;
        for (index, constraint) in self.constraints.iter().enumerate() {
            let Way::Open(count) = constraint.ways(self.board) else { continue };
            if best.is_none_or(|(_, fewest)| count < fewest) {
                best = Some((index, count));
            }
            if count <= 2 {
                break;
            }
        }
        best.map(|(index, _)| self.constraints[index].alternatives(self.board))
    }
}
