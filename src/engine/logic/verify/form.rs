//! Whether a lemma speaks of this puzzle alone, so that everything after may index without fear.

use super::{Refusal, foreign_candidate};
use crate::engine::logic::{Argument, Lemma, LinkSet, Premise, Swap};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, HouseId, Puzzle};

/// The largest factor of a house or cage in a sum. With the work that a proof may take, no total can overflow.
const MAX_FACTOR: u32 = 1_000_000;

/// Where in a proof the checker is, and of what puzzle.
pub(super) struct Form<'p> {
    pub(super) puzzle: &'p Puzzle,
    /// Counted from 1.
    pub(super) lemma: usize,
}

impl Form<'_> {
    /// Every name is of this puzzle, every lemma used an earlier one.
    pub(super) fn check(&self, lemma: &Lemma) -> Result<(), Refusal> {
        for literal in lemma.claims.iter().flatten() {
            self.candidate(literal.cell, literal.digit)?;
        }
        match &lemma.argument {
            Argument::Conflict { premises, uses } => {
                for &used in uses {
                    // Lemma `self.lemma` has index `self.lemma - 1`.
                    if used as usize >= self.lemma - 1 {
                        let used = (used as usize).saturating_add(1);
                        return Err(Refusal::NotEarlier { lemma: self.lemma, used });
                    }
                }
                premises.iter().try_for_each(|premise| self.premise(premise))
            }
            Argument::Cover { truths, links } => {
                truths.iter().try_for_each(|(truth, _)| self.premise(truth))?;
                links.iter().try_for_each(|(link, _)| self.link(link))
            }
        }
    }

    /// A refusal of a premise or link of this lemma.
    pub(super) fn no_premise(&self, what: impl Into<String>) -> Refusal {
        Refusal::NoPremise { lemma: self.lemma, what: what.into() }
    }

    fn premise(&self, premise: &Premise) -> Result<(), Refusal> {
        match premise {
            Premise::Cell(cell) => self.cell(*cell),
            Premise::House(house, digit) => {
                self.house(*house)?;
                self.digit(*digit)
            }
            Premise::Cage(cage) => self.cage(*cage),
            Premise::Sum { houses, cages } | Premise::Product { houses, cages } => {
                houses.iter().try_for_each(|&(house, factor)| self.house(house).and(self.factor(factor)))?;
                cages.iter().try_for_each(|&(cage, factor)| self.cage(cage).and(self.factor(factor)))
            }
            Premise::Parity { houses, cages } => {
                houses.iter().try_for_each(|&house| self.house(house))?;
                cages.iter().try_for_each(|&cage| self.cage(cage))
            }
            Premise::Swap(Swap::Digits(cells)) => {
                cells.iter().try_for_each(|&(cell, digits)| self.cell(cell).and(self.digits(digits)))
            }
            Premise::Swap(Swap::Cells { pairs, digits }) => {
                self.digits(*digits)?;
                pairs.iter().try_for_each(|&(one, other)| self.cell(one).and(self.cell(other)))
            }
        }
    }

    fn link(&self, link: &LinkSet) -> Result<(), Refusal> {
        match link {
            LinkSet::Cell(cell) => self.cell(*cell),
            LinkSet::House(house, digit) => self.house(*house).and(self.digit(*digit)),
            LinkSet::Cage(cage, digit) => self.cage(*cage).and(self.digit(*digit)),
            LinkSet::Clique(candidates) => {
                candidates.iter().try_for_each(|&(cell, digit)| self.candidate(cell, digit))
            }
        }
    }

    fn candidate(&self, cell: Cell, digit: Digit) -> Result<(), Refusal> {
        if cell.index() < self.puzzle.cell_count() && digit.index() < self.puzzle.size() {
            return Ok(());
        }
        Err(foreign_candidate(&format!("lemma {}", self.lemma), cell, digit))
    }

    fn cell(&self, cell: Cell) -> Result<(), Refusal> {
        self.within(cell.index(), self.puzzle.cell_count(), "cell")
    }

    fn house(&self, house: HouseId) -> Result<(), Refusal> {
        self.within(house.index(), self.puzzle.houses().len(), "house")
    }

    fn cage(&self, cage: CageId) -> Result<(), Refusal> {
        self.within(cage.index(), self.puzzle.cages().len(), "cage")
    }

    fn digit(&self, digit: Digit) -> Result<(), Refusal> {
        self.within(digit.index(), self.puzzle.size(), "digit")
    }

    fn digits(&self, digits: DigitSet) -> Result<(), Refusal> {
        digits.max().map_or(Ok(()), |largest| self.digit(largest))
    }

    fn within(&self, index: usize, count: usize, what: &str) -> Result<(), Refusal> {
        if index < count {
            return Ok(());
        }
        let what = format!("{what} {}", index + 1);
        Err(Refusal::Foreign { place: format!("lemma {}", self.lemma), what })
    }

    fn factor(&self, factor: i32) -> Result<(), Refusal> {
        if factor.unsigned_abs() <= MAX_FACTOR {
            return Ok(());
        }
        Err(self.no_premise(format!("factor {factor} is larger than {MAX_FACTOR}")))
    }
}
