//! The argument by counting: truths against links.
//!
//! Soundness. In a solution that keeps the position, each truth has exactly one true candidate and each link at most
//! one. Count, over all true candidates, the links they are in less the truths they are in, as often as the
//! multiplicities say: the sum of their surpluses is at most *slack* = links − truths. If no live candidate has a
//! negative surplus, every single one has at most the slack; one that has more is false. A slack below nothing
//! cannot be at all, so then anything follows.

use std::collections::HashSet;

use super::board::{Board, Halt};
use super::form::Form;
use super::{Refusal, claim_notation};
use crate::engine::logic::{Claim, LinkSet, Premise};
use crate::puzzle::{Cell, Digit, DigitSet, notation};

/// Checks every claim of the lemma.
pub(super) fn check(
    board: &mut Board<'_>,
    form: &Form<'_>,
    claims: &[Claim],
    truths: &[(Premise, u32)],
    links: &[(LinkSet, u32)],
) -> Result<(), Refusal> {
    let size = form.puzzle.size();
    let too_large = |_: Halt| Refusal::TooLarge { lemma: form.lemma };
    let mut tally = Tally { surplus: vec![0; form.puzzle.cell_count() * size], slack: 0, size };
    board.effort.spend(tally.surplus.len() as u64 / 16).map_err(too_large)?;
    for (truth, times) in truths {
        let candidates = match truth {
            Premise::Cell(cell) => live(board, &[*cell], None),
            Premise::House(house, digit) => live(board, &form.puzzle.house(*house).cells, Some(*digit)),
            _ => return Err(form.no_premise("a truth is a cell, or a digit in a house")),
        };
        board.effort.spend(size as u64).map_err(too_large)?;
        tally.add(&candidates, -i64::from(*times));
    }
    for (link, times) in links {
        let candidates = match link {
            LinkSet::Cell(cell) => live(board, &[*cell], None),
            LinkSet::House(house, digit) => live(board, &form.puzzle.house(*house).cells, Some(*digit)),
            LinkSet::Cage(id, digit) => {
                let cage = form.puzzle.cage(*id);
                if !cage.distinct {
                    return Err(form.no_premise(format!("digits of cage {} may repeat", id.index() + 1)));
                }
                live(board, &cage.cells, Some(*digit))
            }
            LinkSet::Clique(candidates) => {
                let pairs = (candidates.len() as u64).saturating_mul(candidates.len() as u64);
                board.effort.spend(pairs).map_err(too_large)?;
                check_clique(form, candidates)?;
                let mut candidates = candidates.clone();
                candidates.retain(|(cell, digit)| board.domain(*cell) & (1 << digit.index()) != 0);
                candidates
            }
        };
        board.effort.spend(size as u64).map_err(too_large)?;
        tally.add(&candidates, i64::from(*times));
    }
    tally.check_negative(board, form)?;
    for claim in claims {
        board.effort.visit().map_err(too_large)?;
        let is_proved = match claim.as_slice() {
            [literal] if !literal.holds => {
                let is_live = board.domain(literal.cell) & (1 << literal.digit.index()) != 0;
                !is_live || tally.surplus[tally.index(literal.cell, literal.digit)] > tally.slack
            }
            _ => false,
        };
        if !is_proved {
            return Err(Refusal::Unproved { lemma: form.lemma, claim: claim_notation(claim, size) });
        }
    }
    Ok(())
}

/// Links less truths. Multiplicities are below 2³², and there are fewer than 2³¹ of them: nothing overflows.
struct Tally {
    /// By cell and digit.
    surplus: Vec<i64>,
    slack: i64,
    size: usize,
}

impl Tally {
    fn index(&self, cell: Cell, digit: Digit) -> usize {
        cell.index() * self.size + digit.index()
    }

    fn add(&mut self, candidates: &[(Cell, Digit)], times: i64) {
        self.slack += times;
        for &(cell, digit) in candidates {
            let index = self.index(cell, digit);
            self.surplus[index] += times;
        }
    }

    fn check_negative(&self, board: &Board<'_>, form: &Form<'_>) -> Result<(), Refusal> {
        for cell in Cell::all(self.size) {
            for digit in DigitSet::from_bits(board.domain(cell)) {
                if self.surplus[self.index(cell, digit)] < 0 {
                    let candidate = notation::placement(cell, digit, self.size);
                    return Err(form.no_premise(format!("{candidate} is in more truths than links")));
                }
            }
        }
        Ok(())
    }
}

/// The live candidates of some cells, of one digit or of all.
fn live(board: &Board<'_>, cells: &[Cell], digit: Option<Digit>) -> Vec<(Cell, Digit)> {
    let mask = digit.map_or(u32::MAX, |digit| 1 << digit.index());
    let of_cell = |&cell: &Cell| {
        DigitSet::from_bits(board.domain(cell) & mask).into_iter().map(move |digit| (cell, digit))
    };
    cells.iter().flat_map(of_cell).collect()
}

fn check_clique(form: &Form<'_>, candidates: &[(Cell, Digit)]) -> Result<(), Refusal> {
    let mut seen = HashSet::new();
    for &(cell, digit) in candidates {
        let conflicts = |&(other, other_digit): &(Cell, Digit)| match cell == other {
            true => digit != other_digit,
            false => digit == other_digit && form.puzzle.sees(cell, other),
        };
        if let Some(&(other, other_digit)) = seen.iter().find(|other| !conflicts(other)) {
            let size = form.puzzle.size();
            let one = notation::placement(other, other_digit, size);
            let two = notation::placement(cell, digit, size);
            return Err(form.no_premise(format!("{one} and {two} do not conflict")));
        }
        seen.insert((cell, digit));
    }
    Ok(())
}
