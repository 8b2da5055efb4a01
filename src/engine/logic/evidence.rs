//! What a step rests on: marks for people and a proof for machines, in full or in short.

use smallvec::smallvec;

use super::{Literal, Mark, Premise, Proof, Role, Shape};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// Marks and proof. Most steps are singles, of which four small numbers say everything: in full they would take a
/// third of the time of an easy path.
#[derive(Clone, Debug)]
pub(super) enum Evidence {
    /// As they are.
    Full(Box<Full>),
    /// Those of a single.
    Single(Single),
}

/// Marks and proof as they are.
#[derive(Clone, Debug)]
pub(super) struct Full {
    pub marks: Vec<Mark>,
    pub proof: Proof,
}

/// A digit that one premise alone puts into a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Single {
    /// The cell.
    pub cell: Cell,
    /// The digit.
    pub digit: Digit,
    /// The house where the digit has no other place; none if the cell has no other candidate.
    pub house: Option<HouseId>,
}

impl Single {
    pub(super) fn in_full(self) -> Full {
        Full { marks: self.marks(), proof: self.proof() }
    }

    pub(super) fn marks(self) -> Vec<Mark> {
        let digits = Mark::digit(Role::Digits, self.digit);
        let pattern = Mark::cell(Role::Pattern, self.cell);
        let candidates =
            Shape::Candidates { cells: smallvec![self.cell], digits: DigitSet::single(self.digit) };
        let target = Mark::new(Role::Target, candidates);
        match self.house {
            Some(house) => vec![digits, Mark::house(Role::Base, house), pattern, target],
            None => vec![pattern, digits, target],
        }
    }

    pub(super) fn proof(self) -> Proof {
        let premise = match self.house {
            Some(house) => Premise::House(house, self.digit),
            None => Premise::Cell(self.cell),
        };
        Proof::by_premise(Literal::is(self.cell, self.digit), premise)
    }
}
