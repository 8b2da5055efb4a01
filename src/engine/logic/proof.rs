//! Proofs: the constraints, and the short lemmas over them, from which a step follows.
//!
//! A proof is an ordered list of lemmas. A lemma claims clauses (at least one of these literals holds) and says
//! by what argument. Every conclusion of a step must be a claim of one literal in some lemma: `r1c1=4` is the
//! clause {r1c1 is 4}, `r8c3<>4` the clause {r8c3 is not 4}.
//!
//! Two arguments are known. **Conflict**: assume that every literal of the claim fails; then unit propagation
//! over the named premises and earlier lemmas, under the rule that two conflicting candidates are not both true,
//! and where it stalls a branching over these same premises, ends in a conflict on every branch. **Cover**: count
//! the truths (each holds exactly one true candidate) against the links (each holds at most one).
//!
//! A forcing net states what its assumption forces as clauses {not p, q} in order, each resting on earlier ones;
//! a nested chain proves a clause {not p, not q} in a lemma of its own; a fish is one cover.

use smallvec::{SmallVec, smallvec};

use crate::puzzle::{CageId, Cell, Digit, DigitSet, HouseId};

/// A candidate, said to be true or false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The cell.
    pub cell: Cell,
    /// The digit.
    pub digit: Digit,
    /// Whether the cell is said to hold the digit, or not to.
    pub holds: bool,
}

impl Literal {
    /// The cell holds the digit.
    pub const fn is(cell: Cell, digit: Digit) -> Literal {
        Literal { cell, digit, holds: true }
    }

    /// The cell does not hold the digit.
    pub const fn is_not(cell: Cell, digit: Digit) -> Literal {
        Literal { cell, digit, holds: false }
    }

    /// The opposite.
    pub const fn negated(self) -> Literal {
        Literal { holds: !self.holds, ..self }
    }
}

/// A clause: at least one of these literals holds.
pub type Claim = SmallVec<[Literal; 4]>;

/// Premises of a lemma. One fits without an allocation: singles and many an elimination rest on one.
pub type Premises = SmallVec<[Premise; 1]>;

/// A constraint of the puzzle that a lemma rests on. What is true of a premise is true in every solution
/// (of a swap: in the only solution).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Premise {
    /// The cell holds one of its candidates.
    Cell(Cell),
    /// The digit lies somewhere in the house.
    House(HouseId, Digit),
    /// The cage meets its target; where its digits must differ, they do. Its cells hold one of their candidates.
    Cage(CageId),
    /// An integer combination of totals: the digits of a house add up to size·(size+1)/2, those of a cage under
    /// `Add` or `Equal` to its target. Cells named as often with plus as with minus drop out; of the others, each
    /// holds one of its candidates, here and in the next two. Factors are at most a million.
    Sum {
        /// Houses, each with its factor.
        houses: Vec<(HouseId, i32)>,
        /// Cages, each with its factor.
        cages: Vec<(CageId, i32)>,
    },
    /// The product twin: the digits of a house multiply to size!, those of a cage under `Multiply` or `Equal` to
    /// its target. Factors are exponents.
    Product {
        /// Houses, each with its exponent.
        houses: Vec<(HouseId, i32)>,
        /// Cages, each with its exponent.
        cages: Vec<(CageId, i32)>,
    },
    /// The same modulo two: houses and cages whose digits have a sum of known parity (`Add`, `Equal`, `Subtract`;
    /// `Divide` by an odd target: even, since it is small·(target + 1)), each counted once.
    Parity {
        /// Houses.
        houses: Vec<HouseId>,
        /// Cages.
        cages: Vec<CageId>,
    },
    /// The pattern is deadly, so with exactly one solution some cell of it holds a digit beyond it.
    Swap(Swap),
}

/// An exchange that would turn one solution into another, if the cells held the digits of the pattern alone.
/// It must keep every house and every cage, change something, and touch no given and no restriction; whether it
/// does is for the checker to find out. What it gives is a clause: some cell of the pattern holds a digit that
/// is not the pattern's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Swap {
    /// Every cell changes to the other of its two digits: rectangles, loops, graves. Within each house, every
    /// digit of the pattern must stand in none or two of the pattern's cells. A cage must keep its digits too: as
    /// a house does, if its digits differ, or because its pattern cells are cycles of houses put together.
    Digits(Vec<(Cell, DigitSet)>),
    /// The contents of cells change places pair by pair, all of them digits of one set: extended rectangles.
    /// Each house must either keep its cells among themselves, or hold as many pattern cells as there are digits,
    /// and get their contents from cells that all see each other. Cages likewise, or by several such groups. One
    /// pair at least must see each other, or nothing need change.
    Cells {
        /// Cells that change places.
        pairs: Vec<(Cell, Cell)>,
        /// The digits of the pattern.
        digits: DigitSet,
    },
}

impl Swap {
    /// The cells of the pattern, each with the pattern's digits in it.
    pub fn pattern(&self) -> Vec<(Cell, DigitSet)> {
        match self {
            Swap::Digits(cells) => cells.clone(),
            Swap::Cells { pairs, digits } => {
                pairs.iter().flat_map(|&(one, other)| [(one, *digits), (other, *digits)]).collect()
            }
        }
    }
}

/// Candidates of which at most one is true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LinkSet {
    /// Those of one cell.
    Cell(Cell),
    /// Those of a digit in a house.
    House(HouseId, Digit),
    /// Those of a digit in a cage whose digits differ.
    Cage(CageId, Digit),
    /// These, every two of which conflict.
    Clique(Vec<(Cell, Digit)>),
}

/// Why a lemma holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// Assume that the claim fails: the premises and earlier lemmas (by their place in the proof) conflict.
    Conflict {
        /// What it rests on.
        premises: Premises,
        /// Earlier lemmas it uses; all their claims.
        uses: Vec<u32>,
    },
    /// Counting. Truths hold exactly one true candidate, links at most one, each as often as its multiplicity
    /// says. Let a candidate's surplus be its links less its truths. Where no live candidate has a negative
    /// surplus, the surpluses of the true candidates add up to at most (links − truths), so a candidate with a
    /// greater surplus is false. Claims are single literals of that kind.
    Cover {
        /// `Cell` and `House` premises, with multiplicity.
        truths: Vec<(Premise, u32)>,
        /// With multiplicity.
        links: Vec<(LinkSet, u32)>,
    },
}

/// Clauses, and why they hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lemma {
    /// Each is proved on its own by the one argument.
    pub claims: SmallVec<[Claim; 1]>,
    /// Why.
    pub argument: Argument,
}

/// Lemmas in order; each may use earlier ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Proof {
    /// In order.
    pub lemmas: SmallVec<[Lemma; 1]>,
}

impl Proof {
    /// One lemma: each claim is one literal, and follows from the premises by conflict.
    pub fn by_conflict(literals: impl IntoIterator<Item = Literal>, premises: impl Into<Premises>) -> Proof {
        let claims = literals.into_iter().map(|literal| smallvec![literal]).collect();
        let argument = Argument::Conflict { premises: premises.into(), uses: Vec::new() };
        Proof { lemmas: smallvec![Lemma { claims, argument }] }
    }

    /// One literal, which follows from one premise.
    pub fn by_premise(literal: Literal, premise: Premise) -> Proof {
        let argument = Argument::Conflict { premises: smallvec![premise], uses: Vec::new() };
        Proof { lemmas: smallvec![Lemma { claims: smallvec![smallvec![literal]], argument }] }
    }

    /// How many premises, truths and links all lemmas name together: a measure of its length.
    pub fn premise_count(&self) -> usize {
        let counts = self.lemmas.iter().map(|lemma| match &lemma.argument {
            Argument::Conflict { premises, uses } => premises.len() + uses.len(),
            Argument::Cover { truths, links } => truths.len() + links.len(),
        });
        counts.sum()
    }

    /// Whether any lemma rests on a swap.
    pub fn relies_on_uniqueness(&self) -> bool {
        self.lemmas.iter().any(|lemma| match &lemma.argument {
            Argument::Conflict { premises, .. } => {
                premises.iter().any(|premise| matches!(premise, Premise::Swap(_)))
            }
            Argument::Cover { .. } => false,
        })
    }
}

impl From<super::Conclusion> for Literal {
    fn from(conclusion: super::Conclusion) -> Literal {
        match conclusion {
            super::Conclusion::Place(cell, digit) => Literal::is(cell, digit),
            super::Conclusion::Eliminate(cell, digit) => Literal::is_not(cell, digit),
        }
    }
}
