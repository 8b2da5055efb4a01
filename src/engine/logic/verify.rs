//! The checker: re-derives a step from its proof alone. It knows no technique and no finder.
//!
//! Read `board.rs` (what is known, and undoing it), `constraint.rs` (premises made to work), `relation.rs`,
//! `equation.rs`, `tuples.rs` and `clique.rs` (cages and sums), `deadly.rs` (swaps), `conflict.rs` and `cover.rs` (the two
//! arguments). Whatever it accepts is true in every solution of the position, or, where a swap is among the
//! premises, in the only solution; whatever it is handed, it ends within its [`NodeCap`].

mod board;
mod clique;
mod conflict;
mod constraint;
mod cover;
mod deadly;
mod equation;
mod form;
mod relation;
mod tuples;

use super::path::Facts;
use super::record::literal_notation;
use super::{Argument, Conclusion, Literal, Proof, Step};
use crate::engine::budget::{Budget, CancelFlag, Stopped};
use crate::puzzle::{Cell, Digit, Position};
use board::{Board, Effort};

/// How large a proof may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeCap {
    /// Claims and branches that may be tried, over all lemmas of a step.
    pub nodes: u64,
    /// Units of work: about one look at a premise, or one digit tried in a cell of a cage.
    pub work: u64,
}

impl Default for NodeCap {
    /// Far more than any proof meant for people needs, and still less than a second.
    fn default() -> NodeCap {
        NodeCap { nodes: 20_000, work: 20_000_000 }
    }
}

/// What was found out about a proved step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Whether it holds only because there is exactly one solution.
    pub conditional: bool,
    /// Claims and branches tried.
    pub nodes: u64,
    /// Units of work done.
    pub work: u64,
}

/// Why a step is not accepted. Lemmas are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no conclusion.
    #[error("the step concludes nothing")]
    Nothing,
    /// A name that the puzzle does not have.
    #[error("{place}: {what} is not of this puzzle")]
    Foreign {
        /// `the conclusions`, `lemma 2`.
        place: String,
        /// `cell 700`, `house 99`.
        what: String,
    },
    /// The position says the opposite.
    #[error("{conclusion} contradicts the position")]
    Contradicts {
        /// In notation.
        conclusion: String,
    },
    /// A conclusion that no lemma claims by itself.
    #[error("no lemma claims {conclusion}")]
    Unclaimed {
        /// In notation.
        conclusion: String,
    },
    /// A lemma that uses itself or a later one.
    #[error("lemma {lemma} uses lemma {used}, which is not an earlier one")]
    NotEarlier {
        /// The lemma.
        lemma: usize,
        /// What it uses.
        used: usize,
    },
    /// A premise or link that cannot be one.
    #[error("lemma {lemma}: {what}")]
    NoPremise {
        /// The lemma.
        lemma: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A pattern that can be exchanged in no other way, or not without breaking something.
    #[error("lemma {lemma}: the pattern is not deadly: {why}")]
    NotDeadly {
        /// The lemma.
        lemma: usize,
        /// What the exchange would break.
        why: String,
    },
    /// A swap among the premises, where several solutions may exist.
    #[error("lemma {lemma} rests on a swap, and the puzzle is not known to have exactly one solution")]
    NotUnique {
        /// The lemma.
        lemma: usize,
    },
    /// The premises do not prove a claim.
    #[error("lemma {lemma} does not prove {claim}")]
    Unproved {
        /// The lemma.
        lemma: usize,
        /// The claim, in notation.
        claim: String,
    },
    /// The cap was reached.
    #[error("lemma {lemma} takes more work to check than is allowed")]
    TooLarge {
        /// The lemma.
        lemma: usize,
    },
}

/// Checks a step in the position in which it was found. Conclusions that are no news there are as good as any;
/// those that contradict the position are not.
pub fn verify(position: &Position, step: &Step, facts: Facts, cap: NodeCap) -> Result<Verified, Refusal> {
    check_step(position, step, facts, Effort::new(cap, CancelFlag::new())).0
}

/// The same under a budget too, whose flag is looked at all the while.
pub fn verify_under(
    position: &Position,
    step: &Step,
    facts: Facts,
    cap: NodeCap,
    budget: &mut Budget,
) -> Result<Result<Verified, Refusal>, Stopped> {
    let (outcome, work) = check_step(position, step, facts, Effort::new(cap, budget.flag().clone()));
    // A raised flag breaks the check off as if it were too large, and is told from it here.
    budget.spend(work)?;
    Ok(outcome)
}

/// What was found, and the work that it took.
fn check_step(
    position: &Position,
    step: &Step,
    facts: Facts,
    effort: Effort,
) -> (Result<Verified, Refusal>, u64) {
    let proof = step.proof();
    if let Err(refusal) = check_conclusions(position, &step.conclusions, &proof) {
        return (Err(refusal), 1);
    }
    let mut board = Board::new(position, effort);
    let outcome = check_lemmas(&mut board, &proof, facts);
    let (nodes, work) = board.effort.spent();
    let conditional = proof.relies_on_uniqueness();
    (outcome.map(|()| Verified { conditional, nodes, work }), work)
}

fn check_conclusions(position: &Position, conclusions: &[Conclusion], proof: &Proof) -> Result<(), Refusal> {
    if conclusions.is_empty() {
        return Err(Refusal::Nothing);
    }
    // Sorted, for a proof from outside may have as many claims as conclusions, and both many.
    let claims = proof.lemmas.iter().flat_map(|lemma| &lemma.claims);
    let mut said: Vec<Literal> =
        claims.filter_map(|claim| if let [literal] = claim[..] { Some(literal) } else { None }).collect();
    said.sort_unstable();
    for &conclusion in conclusions {
        check_conclusion(position, conclusion)?;
        if said.binary_search(&conclusion.into()).is_err() {
            let conclusion = conclusion.notation(position.size());
            return Err(Refusal::Unclaimed { conclusion });
        }
    }
    Ok(())
}

fn check_lemmas<'p>(board: &mut Board<'p>, proof: &'p Proof, facts: Facts) -> Result<(), Refusal> {
    for number in 0..proof.lemmas.len() {
        let lemma = &proof.lemmas[number];
        let form = form::Form { puzzle: board.puzzle(), lemma: number + 1 };
        form.check(lemma)?;
        match &lemma.argument {
            Argument::Conflict { premises, uses } => {
                let earlier = &proof.lemmas[..number];
                conflict::check(board, &form, lemma, (premises, uses, earlier), facts)?;
            }
            Argument::Cover { truths, links } => cover::check(board, &form, &lemma.claims, truths, links)?,
        }
    }
    Ok(())
}

fn check_conclusion(position: &Position, conclusion: Conclusion) -> Result<(), Refusal> {
    let (cell, digit) = (conclusion.cell(), conclusion.digit());
    if cell.index() >= position.puzzle().cell_count() || digit.index() >= position.size() {
        return Err(foreign_candidate("the conclusions", cell, digit));
    }
    let contradicts = match conclusion {
        Conclusion::Place(..) => match position.digit(cell) {
            Some(placed) => placed != digit,
            None => !position.is_candidate(cell, digit),
        },
        Conclusion::Eliminate(..) => position.digit(cell) == Some(digit),
    };
    match contradicts {
        true => Err(Refusal::Contradicts { conclusion: conclusion.notation(position.size()) }),
        false => Ok(()),
    }
}

fn foreign_candidate(place: &str, cell: Cell, digit: Digit) -> Refusal {
    let what = format!("digit {digit} in cell {}", cell.index() + 1);
    Refusal::Foreign { place: place.to_owned(), what }
}

/// `r1c1=4 or r8c3<>4`; a long claim is broken off.
fn claim_notation(claim: &[Literal], size: usize) -> String {
    if claim.is_empty() {
        return "a contradiction".to_owned();
    }
    let shown: Vec<String> = claim.iter().take(6).map(|&literal| literal_notation(literal, size)).collect();
    let more = if claim.len() > shown.len() { " or …" } else { "" };
    format!("{}{more}", shown.join(" or "))
}
