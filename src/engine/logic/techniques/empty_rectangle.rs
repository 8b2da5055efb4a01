//! Empty rectangle: a box keeps a digit to one row and one column, and a strong link turns one into the other.
//!
//! ```text
//!       c                         box   column c
//!  r    x x . | . a .    a--b     the strong link, a in row r
//!       x . . |   |
//!       . . . |   |
//!      -------+---|--
//!       target    b               b sees the target, which lies in column c
//! ```

use std::ops::ControlFlow;

use super::super::technique::Finder;
use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::on_promising;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Conclusion, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, HouseKind};

const RECTANGLE: Text = Text {
    en: "{digits} in {base} lies in one of {cover}; if not in the one that {target} is in, it is not in {pivot}, so it is in {pincer}: either way {target} can go",
    zh: "{base}中 {digits} 必在{cover}之一内；若不在 {target} 所在的那一条，则 {pivot} 不成立，于是 {pincer} 成立：无论如何都可删去 {target}",
};

const RECTANGLE_LESSON: Text = Text {
    en: "all places for {digits} in {base} lie in {cover}; if {target} were true, {base} would need its {digits} in the other of these two, where it takes {digits} from {pivot}, and so {pincer}, the only other place of a house, would have to be {digits} as well, but it sees {target}: so {target} can go",
    zh: "{base}中 {digits} 的位置全在{cover}内；若 {target} 成立，{base}的 {digits} 只能在其中另一条内，从而 {pivot} 不是 {digits}，所在区域仅剩的另一位置 {pincer} 也得是 {digits}，而它看到 {target}：所以可删去 {target}",
};

const fn row(slug: &'static str, name: Text, score: u32, find: Finder) -> Technique {
    Technique {
        slug,
        name,
        level: Level::Hard,
        score,
        needs: Needs::NONE,
        on_path: true,
        find,
        sentence: RECTANGLE,
        lesson: RECTANGLE_LESSON,
    }
}

/// Empty rectangle.
pub const EMPTY_RECTANGLE: Technique =
    row("empty-rectangle", Text { en: "Empty rectangle", zh: "空矩形" }, 137, empty_rectangle);

/// Dual empty rectangle. Its two halves are steps of their own, so paths need not look for it.
pub const DUAL_EMPTY_RECTANGLE: Technique = Technique {
    on_path: false,
    ..row(
        "dual-empty-rectangle",
        Text { en: "Dual empty rectangle", zh: "双重空矩形" },
        138,
        dual_empty_rectangle,
    )
};

/// A house that is no line, with all places of a digit in one row and one column: `lines` has first the one that
/// the strong link takes hold of, then the one that loses the target.
struct Rectangle {
    digit: Digit,
    base: HouseId,
    lines: [HouseId; 2],
    /// A house with two places for the digit, and these: the second sees the target.
    link: HouseId,
    ends: [Cell; 2],
    targets: CellSet,
}

/// One strong link.
pub fn empty_rectangle(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    on_promising(context, sink, |sink, digits| {
        each_rectangle(context, sink, digits, &mut |sink, rectangle| push_all(context, sink, &[&rectangle]))
    })
}

/// Two that share the box and say different things.
pub fn dual_empty_rectangle(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let mut found: Vec<Rectangle> = Vec::new();
    each_rectangle(context, sink, context.puzzle().digits(), &mut |_, rectangle| {
        found.push(rectangle);
        ControlFlow::Continue(())
    })?;
    for (index, one) in found.iter().enumerate() {
        for other in &found[index + 1..] {
            sink.spend(1)?;
            if one.digit == other.digit && one.base == other.base && one.targets != other.targets {
                push_all(context, sink, &[one, other])?;
            }
        }
    }
    ControlFlow::Continue(())
}

type Visit<'v> = dyn FnMut(&mut Sink<'_>, Rectangle) -> Flow + 'v;

fn each_rectangle(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    digits: DigitSet,
    visit: &mut Visit<'_>,
) -> Flow {
    for base in context.puzzle().house_ids() {
        if context.puzzle().house(base).kind.is_line() {
            continue;
        }
        for digit in digits {
            sink.spend(1)?;
            if context.seats_in(base, digit).count_ones() >= 2 {
                find_lines(context, sink, (base, digit), visit)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Every row and column that hold the base's places between them, each with one that the other has not.
fn find_lines(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    (base, digit): (HouseId, Digit),
    visit: &mut Visit<'_>,
) -> Flow {
    let spots = context.spots_in(base, digit);
    let lines = |kind: HouseKind| {
        let puzzle = context.puzzle();
        puzzle.house_ids().filter(move |&house| {
            puzzle.house(house).kind == kind
                && context.seats_in(house, digit) != 0
                && context.house(house).meets(spots)
        })
    };
    for row in lines(HouseKind::Row) {
        let below = spots - context.house(row);
        if below.is_empty() {
            return ControlFlow::Continue(());
        }
        for column in lines(HouseKind::Column) {
            if !context.house(column).contains_all(below) || context.house(column).contains_all(spots) {
                continue;
            }
            for lines in [[row, column], [column, row]] {
                find_links(context, sink, (base, digit, lines), visit)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Strong links from the first line, outside the base, to a cell that sees something in the second.
fn find_links(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    (base, digit, lines): (HouseId, Digit, [HouseId; 2]),
    visit: &mut Visit<'_>,
) -> Flow {
    let outside = |line: HouseId| context.spots_in(line, digit) - context.house(base);
    let exposed = outside(lines[1]);
    if exposed.is_empty() {
        return ControlFlow::Continue(());
    }
    for near in outside(lines[0]) {
        for &link in context.puzzle().houses_of(near) {
            if link == lines[0] || context.seats_in(link, digit).count_ones() != 2 {
                continue;
            }
            let rest = context.spots_in(link, digit) - CellSet::single(near);
            let Some(far) = rest.only() else { continue };
            if context.house(base).contains(far) || context.house(lines[0]).contains(far) {
                continue;
            }
            let targets = (exposed & context.peers(far)) - CellSet::single(near);
            if !targets.is_empty() {
                visit(sink, Rectangle { digit, base, lines, link, ends: [near, far], targets })?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// What they say together: each proves its own targets.
fn push_all(context: &Context<'_>, sink: &mut Sink<'_>, rectangles: &[&Rectangle]) -> Flow {
    let (digit, base) = (rectangles[0].digit, rectangles[0].base);
    let mut conclusions: Vec<Conclusion> = Vec::new();
    let mut marks = vec![
        Mark::digit(Role::Digits, digit),
        Mark::house(Role::Base, base),
        Mark::cells(Role::Pattern, context.spots_in(base, digit)),
    ];
    let mut lines: Vec<HouseId> = rectangles.iter().flat_map(|rectangle| rectangle.lines).collect();
    lines.sort_unstable();
    lines.dedup();
    marks.extend(lines.into_iter().map(|line| Mark::house(Role::Cover, line)));
    let mut proof = Proof::default();
    for rectangle in rectangles {
        let gone = context.eliminations(rectangle.targets, DigitSet::single(digit));
        let [near, far] = rectangle.ends;
        marks.extend([Mark::cell(Role::Pivot, near), Mark::cell(Role::Pincer, far)]);
        let premises = [base, rectangle.link].map(|house| Premise::House(house, digit)).to_vec();
        let lemma = Proof::by_conflict(gone.iter().copied().map(Literal::from), premises);
        proof.lemmas.extend(lemma.lemmas);
        conclusions.extend(gone);
    }
    sink.push(conclusions, marks, proof)
}
