//! Two strong links of one digit and a weak one between them: skyscraper, two-string kite, turbot fish.
//!
//! ```text
//!  pincer x----x near       a strong link: a house with two places for the digit
//!              :            a weak link: the near ends see each other
//!         near x----x pincer
//! ```
//!
//! One of the near ends is false, so the digit lies in one of the pincers.

use std::ops::ControlFlow;

use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::on_promising;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Literal, Mark, Premise, Premises, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, HouseKind};

const PINCERS: Text = Text {
    en: "{base} have two places for {digits} each, and {pattern} see each other, so one of {pincer} is {digits} and {target} can go",
    zh: "{base}中 {digits} 各只有两个位置，而 {pattern} 相互看到，故 {pincer} 中必有一格填 {digits}，因此删去 {target}",
};

const PINCERS_LESSON: Text = Text {
    en: "in each of {base}, {digits} has two places left; {pattern}, one from each, see each other, so they are not both {digits}, and one of the other two, {pincer}, is; a cell that sees both of these cannot be {digits}, so {target} can go",
    zh: "{base}中 {digits} 各剩两个位置；各取其一的 {pattern} 相互看到，不能同时成立，所以另外两格 {pincer} 中至少有一格填 {digits}；同时看到这两格的格不能填 {digits}，因此删去 {target}",
};

const fn row(slug: &'static str, name: Text, score: u32, find: super::super::technique::Finder) -> Technique {
    Technique {
        slug,
        name,
        level: Level::Hard,
        score,
        needs: Needs::NONE,
        on_path: true,
        find,
        sentence: PINCERS,
        lesson: PINCERS_LESSON,
    }
}

/// Skyscraper.
pub const SKYSCRAPER: Technique = row("skyscraper", Text { en: "Skyscraper", zh: "摩天楼" }, 130, skyscraper);

/// Two-string kite.
pub const TWO_STRING_KITE: Technique =
    row("two-string-kite", Text { en: "Two-string kite", zh: "双线风筝" }, 132, two_string_kite);

/// Turbot fish.
pub const TURBOT_FISH: Technique =
    row("turbot-fish", Text { en: "Turbot fish", zh: "多宝鱼" }, 134, turbot_fish);

/// Dual two-string kite. Its two halves are steps of their own, so paths need not look for it.
pub const DUAL_TWO_STRING_KITE: Technique = Technique {
    on_path: false,
    ..row(
        "dual-two-string-kite",
        Text { en: "Dual two-string kite", zh: "双重双线风筝" },
        136,
        dual_two_string_kite,
    )
};

/// A house with two places for a digit.
#[derive(Clone, Copy)]
struct Strong {
    house: HouseId,
    kind: HouseKind,
    cells: [Cell; 2],
}

/// Two strong links, each with its near end first.
#[derive(Clone, Copy)]
struct Pair {
    digit: Digit,
    links: [Strong; 2],
}

/// Two parallel lines, their near ends in a line across.
pub fn skyscraper(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_promising(context, sink, &mut |sink, pair| {
        let [one, other] = pair.links;
        let is_parallel = one.kind.is_line() && one.kind == other.kind;
        if is_parallel && share_line(context, pair.near()) && !share_line(context, pair.far()) {
            pair.push(context, sink)?;
        }
        ControlFlow::Continue(())
    })
}

/// A row and a column, their near ends together in a house that is no line, or in a cage.
pub fn two_string_kite(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_promising(context, sink, &mut |sink, pair| {
        if pair.is_kite(context) {
            pair.push(context, sink)?;
        }
        ControlFlow::Continue(())
    })
}

/// Any two houses; a skyscraper and a kite are turbot fish too.
pub fn turbot_fish(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_promising(context, sink, &mut |sink, pair| pair.push(context, sink))
}

/// Two kites that turn on the same near ends, of one digit or of two.
pub fn dual_two_string_kite(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let mut kites: Vec<Pair> = Vec::new();
    each_pair(context, sink, context.puzzle().digits(), &mut |_, pair| {
        if pair.is_kite(context) && !pair.targets(context).is_empty() {
            kites.push(pair);
        }
        ControlFlow::Continue(())
    })?;
    for (index, one) in kites.iter().enumerate() {
        for other in &kites[index + 1..] {
            sink.spend(1)?;
            let targets = [one.targets(context), other.targets(context)];
            if one.near() == other.near() && (one.digit, targets[0]) != (other.digit, targets[1]) {
                push_all(context, sink, &[*one, *other])?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Every pair of the digits of which something may be found.
fn each_promising(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    visit: &mut dyn FnMut(&mut Sink<'_>, Pair) -> Flow,
) -> Flow {
    on_promising(context, sink, |sink, digits| each_pair(context, sink, digits, visit))
}

/// Every two strong links of four different cells whose near ends see each other.
fn each_pair(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    digits: DigitSet,
    visit: &mut dyn FnMut(&mut Sink<'_>, Pair) -> Flow,
) -> Flow {
    let mut links = Vec::new();
    for digit in digits {
        list_strong(context, digit, &mut links);
        sink.spend(1 + (links.len() * links.len()) as u64 / 8)?;
        for (index, one) in links.iter().enumerate() {
            for other in &links[index + 1..] {
                if one.cells.iter().any(|cell| other.cells.contains(cell)) {
                    continue;
                }
                for near in one.cells {
                    for across in other.cells {
                        if context.peers(near).contains(across) {
                            visit(
                                sink,
                                Pair { digit, links: [one.with_near(near), other.with_near(across)] },
                            )?;
                        }
                    }
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// The strong links of a digit.
fn list_strong(context: &Context<'_>, digit: Digit, links: &mut Vec<Strong>) {
    links.clear();
    for house in context.puzzle().house_ids() {
        if context.seats_in(house, digit).count_ones() != 2 {
            continue;
        }
        let mut spots = context.spots_in(house, digit).iter();
        if let (Some(one), Some(other)) = (spots.next(), spots.next()) {
            links.push(Strong { house, kind: context.puzzle().house(house).kind, cells: [one, other] });
        }
    }
}

/// Whether two cells lie in one row or one column.
fn share_line(context: &Context<'_>, cells: CellSet) -> bool {
    share_house(context, cells, |kind| kind.is_line())
}

fn share_house(context: &Context<'_>, cells: CellSet, is_meant: fn(HouseKind) -> bool) -> bool {
    let Some(first) = cells.first() else { return false };
    let puzzle = context.puzzle();
    puzzle
        .houses_of(first)
        .iter()
        .any(|&house| is_meant(puzzle.house(house).kind) && context.house(house).contains_all(cells))
}

impl Strong {
    fn with_near(self, near: Cell) -> Strong {
        let [one, other] = self.cells;
        if one == near { self } else { Strong { cells: [other, one], ..self } }
    }
}

impl Pair {
    fn near(&self) -> CellSet {
        self.links.iter().map(|link| link.cells[0]).collect()
    }

    fn far(&self) -> CellSet {
        self.links.iter().map(|link| link.cells[1]).collect()
    }

    fn targets(&self, context: &Context<'_>) -> CellSet {
        context.common_peers(self.far()) & context.spots(self.digit)
    }

    /// The houses that prove a target.
    fn bases(&self, context: &Context<'_>, target: Cell) -> Vec<HouseId> {
        let is_seen = |link: &&Strong| link.cells.iter().all(|&cell| context.peers(target).contains(cell));
        match self.links.iter().find(is_seen) {
            Some(link) => vec![link.house],
            None => self.links.iter().map(|link| link.house).collect(),
        }
    }

    fn is_kite(&self, context: &Context<'_>) -> bool {
        let [one, other] = self.links;
        one.kind.is_line()
            && other.kind.is_line()
            && one.kind != other.kind
            && !share_line(context, self.near())
    }

    fn push(&self, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
        if self.targets(context).is_empty() {
            return ControlFlow::Continue(());
        }
        push_all(context, sink, &[*self])
    }
}

/// What the pairs say together: each proves its own targets.
fn push_all(context: &Context<'_>, sink: &mut Sink<'_>, pairs: &[Pair]) -> Flow {
    let digits: DigitSet = pairs.iter().map(|pair| pair.digit).collect();
    let mut conclusions: Vec<Conclusion> = Vec::new();
    let mut marks = vec![Mark::digits(Role::Digits, digits)];
    let mut proof = Proof::default();
    for pair in pairs {
        let digit = pair.digit;
        let gone = context.eliminations(pair.targets(context), DigitSet::single(digit));
        marks.extend(pair.links.iter().map(|link| Mark::house(Role::Base, link.house)));
        marks.extend([Mark::cells(Role::Pattern, pair.near()), Mark::cells(Role::Pincer, pair.far())]);
        // A house of which a target sees both places proves it alone.
        let bases = |gone: &Conclusion| pair.bases(context, gone.cell());
        for of_bases in gone.chunk_by(|one, other| bases(one) == bases(other)) {
            let premises = bases(&of_bases[0])
                .into_iter()
                .map(|house| Premise::House(house, digit))
                .collect::<Premises>();
            let lemma = Proof::by_conflict(of_bases.iter().copied().map(Literal::from), premises);
            proof.lemmas.extend(lemma.lemmas);
        }
        conclusions.extend(gone);
    }
    sink.push(conclusions, marks, proof)
}
