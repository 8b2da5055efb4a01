//! Locked candidates: a digit that one house keeps inside another goes from the rest of that other.
//!
//! ```text
//!  A   . . .        the digit lies in A∩B: wherever it is, B has it there
//!  A∩B x x . | . - . | . . -   B
//!  A   . . .
//! ```

use std::cell::RefCell;

use crate::engine::logic::context::Context;
use crate::engine::logic::crossings::Covers;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Literal, MAX_SIZE, Mark, Premise, Proof, Role};
use crate::puzzle::{Digit, DigitSet, HouseId, HouseKind};

const LOCKED: Text = Text {
    en: "all places for {digits} in {base} lie in {cover} too ({pattern}), so {target} can go",
    zh: "{base}中 {digits} 的位置 {pattern} 全在{cover}内，因此删去 {target}",
};

const LOCKED_LESSON: Text = Text {
    en: "{digits} must stand somewhere in {base}, and all places left for it there ({pattern}) lie in {cover} too; so {cover} gets its {digits} from these cells, and {target} can go",
    zh: "{digits} 必须出现在{base}中，而那里剩下的位置 {pattern} 都同时在{cover}内；所以{cover}的 {digits} 出自这些格，可删去 {target}",
};

/// Pointing.
pub const POINTING: Technique = Technique {
    slug: "pointing",
    name: Text { en: "Pointing", zh: "宫区块" },
    level: Level::Medium,
    score: 50,
    needs: Needs::NONE,
    on_path: true,
    find: pointing,
    sentence: LOCKED,
    lesson: LOCKED_LESSON,
};

/// Claiming.
pub const CLAIMING: Technique = Technique {
    slug: "claiming",
    name: Text { en: "Claiming", zh: "行列区块" },
    level: Level::Medium,
    score: 50,
    needs: Needs::NONE,
    on_path: true,
    find: claiming,
    sentence: LOCKED,
    lesson: LOCKED_LESSON,
};

/// From a box (a region, a window) into another house.
pub fn pointing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, false)
}

/// From a line (a row, a column, a diagonal) into another house.
pub fn claiming(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, true)
}

/// A digit two or more of whose places are all that a house has left, and lie in another one that has more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confined {
    /// The one whose places these are.
    pub base: HouseId,
    /// The digit.
    pub digit: Digit,
    /// The other one.
    pub cover: HouseId,
}

/// All of a position, by base, digit and cover.
struct AllConfined(Vec<Confined>);

/// The same of each digit, as of some look.
#[derive(Default)]
struct ByDigit {
    look: u32,
    of: [Vec<Confined>; MAX_SIZE],
}

/// The confined digits of lines, or those of other houses.
pub fn each_confined(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    from_lines: bool,
    visit: &mut dyn FnMut(&mut Sink<'_>, Confined) -> Flow,
) -> Flow {
    sink.spend(context.puzzle().houses().len() as u64)?;
    let all = context.derived().unwrap_or_else(|| context.keep(AllConfined(list_all(context))));
    let is_wanted = |confined: &&Confined| {
        let kind = context.puzzle().house(confined.base).kind;
        (kind.is_line() || kind == HouseKind::Diagonal) == from_lines
    };
    all.0.iter().filter(is_wanted).try_for_each(|confined| visit(sink, *confined))
}

fn list_all(context: &Context<'_>) -> Vec<Confined> {
    let known = context.lasting(RefCell::<ByDigit>::default);
    let ByDigit { look, of } = &mut *known.borrow_mut();
    let covers = Covers::of(context);
    for digit in context.changed_since(look).digits & context.puzzle().digits() {
        let list = &mut of[digit.index()];
        list.clear();
        list_of(context, &covers, digit, list);
    }
    let mut all: Vec<Confined> = of.iter().flatten().copied().collect();
    all.sort_by_key(|confined| (confined.base, confined.digit));
    all
}

fn list_of(context: &Context<'_>, covers: &Covers, digit: Digit, list: &mut Vec<Confined>) {
    for base in context.with_several(digit) {
        let seats = context.seats_in(base, digit);
        for cover in covers.holding(base, seats) {
            if context.seats_in(cover.house, digit) & cover.outside != 0 {
                list.push(Confined { base, digit, cover: cover.house });
            }
        }
    }
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, from_lines: bool) -> Flow {
    each_confined(context, sink, from_lines, &mut |sink, confined| push(context, sink, confined))
}

fn push(context: &Context<'_>, sink: &mut Sink<'_>, Confined { base, digit, cover }: Confined) -> Flow {
    let spots = context.spots_in(base, digit);
    let gone = context.spots_in(cover, digit) - spots;
    let conclusions = context.eliminations(gone, DigitSet::single(digit));
    let marks = vec![
        Mark::digit(Role::Digits, digit),
        Mark::house(Role::Base, base),
        Mark::cells(Role::Pattern, spots),
        Mark::house(Role::Cover, cover),
    ];
    let literals = conclusions.iter().copied().map(Literal::from);
    let proof = Proof::by_conflict(literals, vec![Premise::House(base, digit)]);
    sink.push(conclusions, marks, proof)
}
