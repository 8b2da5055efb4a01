//! A step: what was concluded, what a person is shown of it, and the proof.

use std::borrow::Cow;
use std::fmt;

use smallvec::{SmallVec, smallvec};

use super::evidence::{Evidence, Full, Single};
use super::{Mark, Proof};
use crate::puzzle::{Cell, Digit, Position, notation};

/// The short name of a technique, as in `naked-pair`. A trace may name one that this version does not know.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slug(Cow<'static, str>);

impl Slug {
    /// One of the table's.
    pub const fn of(slug: &'static str) -> Slug {
        Slug(Cow::Borrowed(slug))
    }

    /// One read from a trace.
    pub fn read(slug: String) -> Slug {
        Slug(Cow::Owned(slug))
    }

    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something a step says about one candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Conclusion {
    /// The cell holds the digit.
    Place(Cell, Digit),
    /// The cell does not hold the digit.
    Eliminate(Cell, Digit),
}

impl Conclusion {
    /// The cell spoken of.
    pub fn cell(self) -> Cell {
        match self {
            Conclusion::Place(cell, _) | Conclusion::Eliminate(cell, _) => cell,
        }
    }

    /// The digit spoken of.
    pub fn digit(self) -> Digit {
        match self {
            Conclusion::Place(_, digit) | Conclusion::Eliminate(_, digit) => digit,
        }
    }

    /// `r1c1=4` or `r8c3<>4`.
    pub fn notation(self, size: usize) -> String {
        match self {
            Conclusion::Place(cell, digit) => notation::placement(cell, digit, size),
            Conclusion::Eliminate(cell, digit) => notation::elimination(cell, digit, size),
        }
    }

    /// The reverse of [`notation`](Self::notation), for one cell.
    pub fn parse(text: &str, size: usize) -> Option<Conclusion> {
        let digit = |text: &str| {
            let mut symbols = text.chars();
            let digit = Digit::from_symbol(symbols.next()?)?;
            (symbols.next().is_none() && digit.index() < size).then_some(digit)
        };
        if let Some((cell, symbol)) = text.split_once("<>") {
            return Some(Conclusion::Eliminate(notation::parse_cell(cell, size)?, digit(symbol)?));
        }
        let (cell, symbol) = text.split_once('=')?;
        Some(Conclusion::Place(notation::parse_cell(cell, size)?, digit(symbol)?))
    }

    /// Does to a position what it says.
    pub fn apply(self, position: &mut Position) {
        match self {
            Conclusion::Place(cell, digit) => position.place(cell, digit),
            Conclusion::Eliminate(cell, digit) => {
                position.eliminate(cell, digit);
            }
        }
    }

    /// Whether a position does not say so yet.
    pub fn is_news(self, position: &Position) -> bool {
        match self {
            Conclusion::Place(cell, _) => position.is_open(cell),
            Conclusion::Eliminate(cell, digit) => {
                position.is_open(cell) && position.is_candidate(cell, digit)
            }
        }
    }
}

/// Conclusions of a step: a few fit without an allocation, and most steps have few.
pub type Conclusions = SmallVec<[Conclusion; 4]>;

/// One deduction. Text, page, API and tests all read this one value.
#[derive(Clone, Debug)]
pub struct Step {
    /// The technique, by its slug.
    pub technique: Slug,
    /// What it says: sorted, each once, all of it news in the position in which the step was found.
    pub conclusions: Conclusions,
    evidence: Evidence,
}

/// Two steps are equal when they say, show and prove the same.
impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        self.technique == other.technique
            && self.conclusions == other.conclusions
            && self.marks() == other.marks()
            && self.proof() == other.proof()
    }
}

impl Eq for Step {}

impl Step {
    /// A step with its marks and its proof.
    pub fn new(technique: Slug, conclusions: impl Into<Conclusions>, marks: Vec<Mark>, proof: Proof) -> Step {
        let evidence = Evidence::Full(Box::new(Full { marks, proof }));
        Step { technique, conclusions: conclusions.into(), evidence }
    }

    /// A step that is a single.
    pub fn of_single(technique: Slug, single: Single) -> Step {
        let conclusions = smallvec![Conclusion::Place(single.cell, single.digit)];
        Step { technique, conclusions, evidence: Evidence::Single(single) }
    }

    /// The single that it is, if it was made as one.
    pub fn single(&self) -> Option<Single> {
        match self.evidence {
            Evidence::Full(_) => None,
            Evidence::Single(single) => Some(single),
        }
    }

    /// What a person is shown, in the order in which a sentence would name it.
    pub fn marks(&self) -> Cow<'_, [Mark]> {
        match &self.evidence {
            Evidence::Full(full) => Cow::Borrowed(&full.marks),
            Evidence::Single(single) => Cow::Owned(single.marks()),
        }
    }

    /// Why it is so, for a machine.
    pub fn proof(&self) -> Cow<'_, Proof> {
        match &self.evidence {
            Evidence::Full(full) => Cow::Borrowed(&full.proof),
            Evidence::Single(single) => Cow::Owned(single.proof()),
        }
    }

    /// The proof, to be changed.
    pub fn proof_mut(&mut self) -> &mut Proof {
        if let Evidence::Single(single) = self.evidence {
            self.evidence = Evidence::Full(Box::new(single.in_full()));
        }
        match &mut self.evidence {
            Evidence::Full(full) => &mut full.proof,
            Evidence::Single(_) => unreachable!("it is in full now"),
        }
    }

    /// Whether the step holds only because the puzzle has exactly one solution.
    pub fn relies_on_uniqueness(&self) -> bool {
        match &self.evidence {
            Evidence::Full(full) => full.proof.relies_on_uniqueness(),
            Evidence::Single(_) => false,
        }
    }

    /// Does to a position what the step says.
    pub fn apply(&self, position: &mut Position) {
        for conclusion in &self.conclusions {
            conclusion.apply(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_is_read_back() {
        for text in ["r1c1=4", "r9c9<>9", "rGc2=G", "r3cA<>A"] {
            let size = if text.contains(['G', 'A']) { 16 } else { 9 };
            assert_eq!(Conclusion::parse(text, size).map(|read| read.notation(size)).as_deref(), Some(text));
        }
        for text in ["", "r1c1", "r1c1=", "r1c1=0", "r1c1=A", "r1c10=1", "r0c1=1", "r1c1=12", "r1c1<4", "=4"]
        {
            assert_eq!(Conclusion::parse(text, 9), None, "{text}");
        }
    }
}
