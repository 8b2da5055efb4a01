//! Templates: all ways to put one digit into every house. What is in all of them is so, what is in none is not.
//!
//! ```text
//!  x . . | . . .      two ways to place the digit in these houses:
//!  . . . | x . .      both have r2c4, neither has r3c5
//!  . x . | . - x
//! ```
//!
//! [`Context::dead`] has looked at the ways; what one digit takes in all of its own is lost to the others. The reason
//! is told house by house.

use std::ops::ControlFlow;

use smallvec::smallvec;

use crate::engine::logic::bits::Bits;
use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::{Dead, Outcome, Place, SingleDigit, Templates};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Finder, Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{
    Argument, CellSet, Conclusion, Conclusions, Lemma, Literal, Mark, Premise, Proof, Role,
};
use crate::puzzle::{Cell, Digit, DigitSet};

/// Places tried to see whether a proof can do without a house; where that is not enough, the house stays.
const MAX_TRIES: u32 = 2_000;
/// The most branches that the proof of a step may take: far more than any needs, whichever way the board is held, and
/// the checker can follow them still.
const MAX_NODES: u32 = 8_000;
/// The most conclusions of one step. Where there are more, each is a step of its own.
const MAX_CONCLUSIONS: usize = 20;

const fn row(slug: &'static str, name: Text, score: u32, find: Finder, texts: [Text; 2]) -> Technique {
    let [sentence, lesson] = texts;
    Technique {
        slug,
        name,
        level: Level::Extreme,
        score,
        needs: Needs::NONE,
        on_path: true,
        find,
        sentence,
        lesson,
    }
}

/// Template set.
pub const TEMPLATE_SET: Technique = row(
    "template-set",
    Text { en: "Template set", zh: "模板确定" },
    1498,
    template_set,
    [
        Text {
            en: "every way to put {digits} into all houses has {target}",
            zh: "把 {digits} 放进所有区域的每一种方式都有 {target}",
        },
        Text {
            en: "list all ways to place {digits} once in every row, column and other house, among {pattern}: {target} is in each of them, so it is true",
            zh: "列出在 {pattern} 中把 {digits} 放进每一行、列及其他区域的所有方式：{target} 在每一种里都出现，所以成立",
        },
    ],
);

/// Template delete.
pub const TEMPLATE_DELETE: Technique = row(
    "template-delete",
    Text { en: "Template delete", zh: "模板删减" },
    1499,
    template_delete,
    [
        Text {
            en: "no way to put {digits} into all houses has {target}, so it can go",
            zh: "把 {digits} 放进所有区域的任何方式都没有 {target}，因此删去",
        },
        Text {
            en: "list all ways to place {digits} once in every row, column and other house, among {pattern}: {target} is in none of them, so it can go",
            zh: "列出在 {pattern} 中把 {digits} 放进每一行、列及其他区域的所有方式：{target} 在哪一种里都不出现，因此删去",
        },
    ],
);

/// What is in every template of a digit.
pub fn template_set(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_digit(context, sink, true)
}

/// What is in no template of a digit.
pub fn template_delete(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_digit(context, sink, false)
}

/// What is in every template of a digit, digit by digit; and what is in none.
struct Survey {
    /// By digit: the places without those that other digits are found to take.
    spots: Vec<CellSet>,
    /// By digit: the dead among these.
    dead: Vec<CellSet>,
    /// What is in every template of its digit, in the order in which it was found: each rests on earlier ones.
    forced: Vec<(Cell, Digit)>,
}

impl Survey {
    /// What a digit takes is lost to the others, whose templates get fewer by that; until nothing is found.
    fn new(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Survey> {
        let digits = context.puzzle().digits();
        let spots: Vec<CellSet> = digits.iter().map(|digit| context.spots(digit)).collect();
        let dead = digits.iter().map(|digit| context.dead(digit).proved).collect();
        let mut survey = Survey { spots, dead, forced: Vec::new() };
        let mut waiting = digits;
        while let Some(digit) = waiting.min() {
            waiting -= DigitSet::single(digit);
            let spots = survey.spots[digit.index()];
            if spots != context.spots(digit) {
                sink.spend(50)?;
                survey.dead[digit.index()] = Dead::among(context, digit, spots).proved;
            }
            for cell in survey.forced_by(context, digit) {
                survey.forced.push((cell, digit));
                for other in context.candidates(cell) - DigitSet::single(digit) {
                    survey.spots[other.index()].remove(cell);
                    waiting |= DigitSet::single(other);
                }
            }
        }
        ControlFlow::Continue(survey)
    }

    /// The only places of some house that are not dead, those known before left out.
    fn forced_by(&self, context: &Context<'_>, digit: Digit) -> CellSet {
        let alive = self.spots[digit.index()] - self.dead[digit.index()];
        let houses = context.puzzle().house_ids().map(|house| alive & context.house(house));
        let forced: CellSet = houses.filter_map(|places| places.only()).collect();
        let known = |cell: &Cell| !self.forced.contains(&(*cell, digit));
        forced.iter().filter(known).collect()
    }
}

fn each_digit(context: &Context<'_>, sink: &mut Sink<'_>, is_set: bool) -> Flow {
    let survey = Survey::new(context, sink)?;
    for digit in context.puzzle().digits() {
        let said: CellSet = match is_set {
            true => {
                survey.forced.iter().filter(|(_, forced)| *forced == digit).map(|(cell, _)| *cell).collect()
            }
            false => {
                let alive = survey.spots[digit.index()] - survey.dead[digit.index()];
                context.spots(digit) - alive
            }
        };
        let literals: Vec<Literal> = said.iter().map(|cell| Literal { cell, digit, holds: is_set }).collect();
        let is_told = literals.len() <= MAX_CONCLUSIONS && tell(context, sink, &survey, &literals)?;
        if !is_told {
            for literal in &literals {
                if !tell(context, sink, &survey, std::slice::from_ref(literal))? {
                    sink.leave_out();
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Tells these in one step, if that is not too much to prove.
fn tell(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    survey: &Survey,
    literals: &[Literal],
) -> ControlFlow<(), bool> {
    let Some(first) = literals.first() else { return ControlFlow::Continue(true) };
    let digit = first.digit;
    let mut reasons = Reasons { context, survey, proof: Proof::default(), lemmas: Vec::new(), nodes: 0 };
    for &literal in literals {
        reasons.prove(sink, literal)?;
        if reasons.nodes > MAX_NODES {
            return ControlFlow::Continue(false);
        }
    }
    let conclusions = literals.iter().map(|literal| match literal.holds {
        true => Conclusion::Place(literal.cell, digit),
        false => Conclusion::Eliminate(literal.cell, digit),
    });
    let marks = vec![Mark::digit(Role::Digits, digit), Mark::cells(Role::Pattern, context.spots(digit))];
    sink.push(conclusions.collect::<Conclusions>(), marks, reasons.proof)?;
    ControlFlow::Continue(true)
}

/// Collects the proof of one step.
struct Reasons<'r, 'c> {
    context: &'r Context<'c>,
    survey: &'r Survey,
    proof: Proof,
    /// Which lemma says so, of what is forced.
    lemmas: Vec<((Cell, Digit), u32)>,
    /// Branches that the checker has to take, about.
    nodes: u32,
}

impl Reasons<'_, '_> {
    /// Adds a lemma, and those that it uses before it; its number.
    fn prove(&mut self, sink: &mut Sink<'_>, literal: Literal) -> ControlFlow<(), u32> {
        let candidate = (literal.cell, literal.digit);
        if let Some((_, lemma)) = self.lemmas.iter().find(|(known, _)| *known == candidate) {
            return ControlFlow::Continue(*lemma);
        }
        let grounds = match self.context.spots(literal.digit).len() {
            0..=64 => grounds::<1>(self.context, sink, self.survey, literal)?,
            _ => grounds::<4>(self.context, sink, self.survey, literal)?,
        };
        self.nodes += 1 + grounds.branches;
        let mut uses = Vec::new();
        for (cell, digit) in grounds.taken {
            uses.push(self.prove(sink, Literal::is(cell, digit))?);
        }
        let lemma = self.proof.lemmas.len() as u32;
        let argument = Argument::Conflict { premises: grounds.premises.into(), uses };
        self.proof.lemmas.push(Lemma { claims: smallvec![smallvec![literal]], argument });
        self.lemmas.push((candidate, lemma));
        ControlFlow::Continue(lemma)
    }
}

/// Why a literal holds, nothing of it to spare.
struct Grounds {
    /// Houses that want the digit.
    premises: Vec<Premise>,
    /// What other digits take of its places.
    taken: Vec<(Cell, Digit)>,
    /// How many branches it takes to see it.
    branches: u32,
}

fn grounds<const W: usize>(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    survey: &Survey,
    literal: Literal,
) -> ControlFlow<(), Grounds> {
    let digit = literal.digit;
    let of = SingleDigit::<W>::new(context, digit, context.spots(digit));
    let spot = of.spots_of(CellSet::single(literal.cell));
    let mut refute = |taken: &[(Cell, Digit)], houses: u64| {
        let gone = of.spots_of(taken.iter().map(|(cell, _)| *cell).collect());
        let mut templates = Templates { of: &of, houses, tries: MAX_TRIES, branches: 0 };
        let outcome = match (literal.holds, spot.first()) {
            (false, Some(spot)) if !gone.contains(spot) => templates.with(spot, of.all().minus(gone)),
            (false, _) => Outcome::None,
            (true, _) => templates.among(of.all().minus(gone).minus(spot)),
        };
        sink.spend(1 + u64::from(MAX_TRIES - templates.tries))?;
        ControlFlow::Continue((outcome == Outcome::None, templates.branches))
    };
    // What is forced rests on what was found before it alone.
    let before =
        survey.forced.iter().take_while(|forced| !literal.holds || **forced != (literal.cell, digit));
    let of_others = before.filter(|(cell, other)| *other != digit && context.spots(digit).contains(*cell));
    let mut taken: Vec<(Cell, Digit)> = of_others.copied().collect();
    let mut houses = (1 << of.house_count) - 1;
    for index in (0..taken.len()).rev() {
        let spared = taken.remove(index);
        if !refute(&taken, houses)?.0 {
            taken.insert(index, spared);
        }
    }
    for index in 0..of.house_count {
        let fewer = houses & !(1 << index);
        if refute(&taken, fewer)?.0 {
            houses = fewer;
        }
    }
    let (_, branches) = refute(&taken, houses)?;
    let premises = Bits::<1>::from_word(houses).iter().filter_map(|index| match of.sectors[index].place {
        Place::House(house) => Some(Premise::House(house, digit)),
        Place::Cage(_) => None,
    });
    ControlFlow::Continue(Grounds { premises: premises.collect(), taken, branches })
}
