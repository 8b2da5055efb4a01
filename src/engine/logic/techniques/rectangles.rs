//! Unique rectangles: four cells that two digits could fill in two ways, which one solution forbids.
//!
//! ```text
//!  ab ab | .     floor
//!  ab ab+| .     roof: must be one of the extras, or the four could change digits
//! ```

use std::ops::ControlFlow;
use std::rc::Rc;

use smallvec::SmallVec;

use super::deadly::{Deadly, is_locked, type_1, type_2, type_3, type_4};
use crate::engine::logic::context::Context;
use crate::engine::logic::rectangle::Rectangle;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellSet, Mark, Premise, Role, Swap};
use crate::puzzle::{Cell, DigitSet, HouseId};

/// Unique rectangle type 1.
pub const UNIQUE_RECTANGLE_1: Technique = Technique {
    slug: "unique-rectangle-1",
    name: Text { en: "Unique rectangle type 1", zh: "唯一矩形 1 型" },
    level: Level::Hard,
    score: 150,
    needs: Needs::UNIQUE,
    on_path: true,
    find: unique_1,
    sentence: Text {
        en: "if {roof} held one of {digits}, as {floor} do, these could change places in all four cells and there would be a second solution, so {target} can go",
        zh: "若 {roof} 与 {floor} 一样填 {digits} 之一，四格中这两个数字可以互换而得到第二个解，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} hold {digits} alone; if {roof} held one of them too, the two digits could change places in all four cells, which lie in two rows, two columns and two boxes, and a second solution would come of it; the puzzle has one solution, so {roof} holds one of {extra}, and {target} can go",
        zh: "{floor} 只含 {digits}；若 {roof} 也填其中之一，这两个数字可以在位于两行、两列、两宫的四格中互换，得到第二个解；而题目只有一个解，所以 {roof} 填 {extra} 之一，可删去 {target}",
    },
};

const ONE_EXTRA: Text = Text {
    en: "one of {roof} must hold {extra}, or {digits} could change places in the four cells and there would be a second solution; so {target} can go",
    zh: "{roof} 中必有一格填 {extra}，否则四格中 {digits} 可以互换而得到第二个解，因此删去 {target}",
};

const ONE_EXTRA_LESSON: Text = Text {
    en: "{floor} and {roof} are a rectangle in two rows, two columns and two boxes; if all four held {digits}, these could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds its only other digit, {extra}; a cell that sees all of {roof} therefore cannot hold {extra}, so {target} can go",
    zh: "{floor} 与 {roof} 构成位于两行、两列、两宫的矩形；若四格都填 {digits}，这两个数字可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填它们唯一的其他数字 {extra}；同时看到 {roof} 各格的格不能填 {extra}，可删去 {target}",
};

/// Unique rectangle type 2.
pub const UNIQUE_RECTANGLE_2: Technique = Technique {
    slug: "unique-rectangle-2",
    name: Text { en: "Unique rectangle type 2", zh: "唯一矩形 2 型" },
    find: unique_2,
    sentence: ONE_EXTRA,
    lesson: ONE_EXTRA_LESSON,
    ..UNIQUE_RECTANGLE_1
};

/// Unique rectangle type 3.
pub const UNIQUE_RECTANGLE_3: Technique = Technique {
    slug: "unique-rectangle-3",
    name: Text { en: "Unique rectangle type 3", zh: "唯一矩形 3 型" },
    find: unique_3,
    sentence: Text {
        en: "one of {roof} must hold one of {extra}, or {digits} could change places in the four cells; with {pattern} in {base} that is a naked subset, so {target} can go",
        zh: "{roof} 中必有一格填 {extra} 之一，否则四格中 {digits} 可以互换；它与{base}的 {pattern} 构成显性数组，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} and {roof} are a rectangle in two rows, two columns and two boxes; if all four held {digits}, these could change places and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds one of {extra}; that cell and {pattern}, all in {base}, are as many cells as they have digits, so these digits are used up there, and {target} can go",
        zh: "{floor} 与 {roof} 构成位于两行、两列、两宫的矩形；若四格都填 {digits}，这两个数字可以互换而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填 {extra} 之一；该格与同在{base}的 {pattern} 格数与数字个数相同，这些数字必定用在这几格里，可删去 {target}",
    },
    ..UNIQUE_RECTANGLE_1
};

/// Unique rectangle type 4.
pub const UNIQUE_RECTANGLE_4: Technique = Technique {
    slug: "unique-rectangle-4",
    name: Text { en: "Unique rectangle type 4", zh: "唯一矩形 4 型" },
    find: unique_4,
    sentence: Text {
        en: "{locked} has no place in {base} but {roof}; if the cell of these that is left held the other of {digits}, the two could change places in the four cells, so {target} can go",
        zh: "{base}中 {locked} 只能填在 {roof}；若其中一格填 {digits} 中的另一个，四格中这两个数字可以互换，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} and {roof} are a rectangle in two rows, two columns and two boxes, and {floor} hold {digits} alone; {locked} must stand in {base}, where it has no place but {roof}; if the other of {roof} held the other digit, all four would hold {digits}, these could change places, and a second solution would come of it; the puzzle has one solution, so {target} can go",
        zh: "{floor} 与 {roof} 构成位于两行、两列、两宫的矩形，且 {floor} 只含 {digits}；{locked} 必须出现在{base}中，而位置只有 {roof}；若 {roof} 的另一格填另一个数字，四格就都填 {digits}，可以互换而得到第二个解；而题目只有一个解，所以可删去 {target}",
    },
    ..UNIQUE_RECTANGLE_1
};

/// Unique rectangle type 5.
pub const UNIQUE_RECTANGLE_5: Technique = Technique {
    slug: "unique-rectangle-5",
    name: Text { en: "Unique rectangle type 5", zh: "唯一矩形 5 型" },
    find: unique_5,
    sentence: ONE_EXTRA,
    lesson: ONE_EXTRA_LESSON,
    ..UNIQUE_RECTANGLE_1
};

/// Unique rectangle type 6.
pub const UNIQUE_RECTANGLE_6: Technique = Technique {
    slug: "unique-rectangle-6",
    name: Text { en: "Unique rectangle type 6", zh: "唯一矩形 6 型" },
    find: unique_6,
    sentence: Text {
        en: "in {base} {locked} has no place outside the rectangle, so in one of {roof} it would be in both, and {digits} could change places in the four cells; so {target} can go",
        zh: "{base}中 {locked} 只能填在矩形内；它若填在 {roof} 之一，另一格也必填它，四格中 {digits} 可以互换，因此删去 {target}",
    },
    lesson: Text {
        en: "{floor} and {roof} are a rectangle in two rows, two columns and two boxes, the roof in opposite corners; {locked} must stand in each of {base}, and has no place there outside the rectangle; if one of {roof} held {locked}, so would the opposite one, {floor} would hold the other digit, and {digits} could change places: a second solution; the puzzle has one, so {target} can go",
        zh: "{floor} 与 {roof} 构成位于两行、两列、两宫的矩形，两个屋顶格位于对角；{base}都需要 {locked}，而位置只在矩形内；若 {roof} 之一填 {locked}，对角的一格也填它，{floor} 填另一个数字，{digits} 可以互换而得到第二个解；而题目只有一个解，所以可删去 {target}",
    },
    ..UNIQUE_RECTANGLE_1
};

/// Hidden rectangle.
pub const HIDDEN_RECTANGLE: Technique = Technique {
    slug: "hidden-rectangle",
    name: Text { en: "Hidden rectangle", zh: "隐性唯一矩形" },
    find: hidden,
    sentence: Text {
        en: "in {base} {locked} has no place outside the rectangle; if {pivot} held the other of {digits}, all four cells would hold these two, which could change places, so {target} can go",
        zh: "{base}中 {locked} 只能填在矩形内；若 {pivot} 填 {digits} 中的另一个，四格就都填这两个数字，可以互换，因此删去 {target}",
    },
    lesson: Text {
        en: "{pattern} are a rectangle in two rows, two columns and two boxes; {locked} must stand in {base}, and has no place there outside the rectangle; if {pivot} held the other of {digits}, its neighbours in the rectangle would both hold {locked}, the corner opposite would hold what {pivot} does, and the two digits could change places: a second solution; the puzzle has one, so {target} can go",
        zh: "{pattern} 构成位于两行、两列、两宫的矩形；{base}需要 {locked}，而位置只在矩形内；若 {pivot} 填 {digits} 中的另一个，矩形中与它相邻的两格都填 {locked}，对角的一格与 {pivot} 相同，这两个数字可以互换而得到第二个解；而题目只有一个解，所以可删去 {target}",
    },
    ..UNIQUE_RECTANGLE_1
};

/// One corner is not of the two digits alone.
pub fn unique_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each(context, sink, |roof| roof.len() == 1, &mut |sink, found| {
        type_1(context, sink, &found.deadly(context))
    })
}

/// Two corners of a line have one extra.
pub fn unique_2(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each(context, sink, is_side, &mut |sink, found| type_2(context, sink, &found.deadly(context)))
}

/// Two corners of a line have extras.
pub fn unique_3(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each(context, sink, is_side, &mut |sink, found| type_3(context, sink, &found.deadly(context)))
}

/// Two corners of a line take a digit.
pub fn unique_4(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each(context, sink, is_side, &mut |sink, found| type_4(context, sink, &found.deadly(context)))
}

/// Two opposite corners or three have one extra.
pub fn unique_5(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let is_shape = |roof: &[usize]| roof.len() == 3 || is_diagonal(roof);
    each(context, sink, is_shape, &mut |sink, found| type_2(context, sink, &found.deadly(context)))
}

/// Two opposite corners with extras, and a digit confined to the rectangle in both rows or in both columns.
pub fn unique_6(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each(context, sink, is_diagonal, &mut |sink, found| find_type_6(context, sink, found))
}

fn find_type_6(context: &Context<'_>, sink: &mut Sink<'_>, found: &Found) -> Flow {
    let corners: CellSet = found.corners.into_iter().collect();
    for digit in found.digits {
        // Opposite corners are in both rows and both columns.
        let lines = [0, 2].map(|corner| lines_of(context, found.corners[corner]));
        let locked =
            |place: usize| lines.iter().all(|lines| is_locked(context, lines[place], digit, corners));
        let Some(place) = [0, 1].into_iter().find(|&place| locked(place)) else { continue };
        let deadly = found.deadly(context);
        let conclusions = context.eliminations(deadly.roof_cells(), DigitSet::single(digit));
        let bases = lines.map(|lines| lines[place]);
        let mut marks = vec![Mark::digit(Role::Locked, digit)];
        marks.extend(bases.map(|base| Mark::house(Role::Base, base)));
        let premises = bases.map(|base| Premise::House(base, digit)).to_vec();
        deadly.push(sink, conclusions, marks, premises)?;
    }
    ControlFlow::Continue(())
}

/// A digit confined to the rectangle in the row and the column of a corner, the opposite one being of the two alone.
pub fn hidden(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let is_shape = |roof: &[usize]| roof.len() == 3 || is_diagonal(roof);
    each(context, sink, is_shape, &mut |sink, found| {
        for corner in (0..4).filter(|corner| !found.roof.contains(corner)) {
            find_hidden(context, sink, found, found.corners[(corner + 2) % 4])?;
        }
        ControlFlow::Continue(())
    })
}

fn find_hidden(context: &Context<'_>, sink: &mut Sink<'_>, found: &Found, pivot: Cell) -> Flow {
    let corners: CellSet = found.corners.into_iter().collect();
    for digit in found.digits {
        let lines = lines_of(context, pivot);
        if !lines.iter().all(|&line| is_locked(context, line, digit, corners)) {
            continue;
        }
        let conclusions =
            context.eliminations(CellSet::single(pivot), found.digits - DigitSet::single(digit));
        let mut marks = vec![
            Mark::cells(Role::Pattern, corners),
            Mark::cell(Role::Pivot, pivot),
            Mark::digit(Role::Locked, digit),
        ];
        marks.extend(lines.map(|line| Mark::house(Role::Base, line)));
        let premises = lines.map(|line| Premise::House(line, digit)).to_vec();
        found.deadly(context).push(sink, conclusions, marks, premises)?;
    }
    ControlFlow::Continue(())
}

/// The row and the column of a cell.
fn lines_of(context: &Context<'_>, cell: Cell) -> [HouseId; 2] {
    let size = context.size();
    [cell.row(size), size + cell.column(size)].map(|house| HouseId(house as u16))
}

fn is_side(roof: &[usize]) -> bool {
    roof.len() == 2 && !is_diagonal(roof)
}

fn is_diagonal(roof: &[usize]) -> bool {
    roof.len() == 2 && roof[1] - roof[0] == 2
}

/// A rectangle of open cells, and two digits of which one corner is made.
struct Found {
    corners: Rectangle,
    digits: DigitSet,
    /// The places of the corners that may hold more, ascending.
    roof: SmallVec<[usize; 4]>,
}

impl Found {
    fn deadly(&self, context: &Context<'_>) -> Deadly {
        let mut pattern = self.corners.map(|corner| (corner, self.digits)).to_vec();
        pattern.sort_unstable();
        Deadly::new(context, Swap::Digits(pattern))
    }
}

/// Visits every rectangle of open cells with a roof of some shape.
fn each(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    is_shape: fn(&[usize]) -> bool,
    visit: &mut dyn FnMut(&mut Sink<'_>, &Found) -> Flow,
) -> Flow {
    let all = AllFound::of(context);
    sink.spend(1 + all.0.len() as u64)?;
    all.0.iter().filter(|found| is_shape(&found.roof)).try_for_each(|found| visit(sink, found))
}

/// Every rectangle of open cells with a roof, for all rows of a position.
struct AllFound(Vec<Found>);

impl AllFound {
    fn of(context: &Context<'_>) -> Rc<AllFound> {
        context.derived().unwrap_or_else(|| context.keep(AllFound(find_all(context))))
    }
}

/// A corner may lack one of the two digits, unless a digit placed is why: then no person would see a rectangle.
fn find_all(context: &Context<'_>) -> Vec<Found> {
    let bivalue = context.bivalue();
    let mut found = Vec::new();
    if bivalue.is_empty() {
        return found;
    }
    for &(corners, cells) in context.rectangles() {
        if !cells.meets(bivalue) || !context.open().contains_all(cells) {
            continue;
        }
        let mut tried = [DigitSet::EMPTY; 4];
        for (place, corner) in corners.into_iter().enumerate() {
            if !bivalue.contains(corner) {
                continue;
            }
            let digits = context.candidates(corner);
            if tried.contains(&digits) {
                continue;
            }
            tried[place] = digits;
            if corners.iter().any(|&corner| (context.candidates(corner) & digits).is_empty()) {
                continue;
            }
            let is_roof = |&place: &usize| !digits.contains_all(context.candidates(corners[place]));
            if (0..4).filter(is_roof).count() == 4
                || !corners.iter().all(|&corner| fits(context, corner, digits))
            {
                continue;
            }
            found.push(Found { corners, digits, roof: (0..4).filter(is_roof).collect() });
        }
    }
    found
}

/// Whether none of the digits is missing because it stands in a cell seen or because the setter says so.
fn fits(context: &Context<'_>, cell: Cell, digits: DigitSet) -> bool {
    let missing = digits - context.candidates(cell);
    let puzzle = context.puzzle();
    let is_seen = |digit| match puzzle.cage_of(cell) {
        None => puzzle.houses_of(cell).iter().any(|&house| context.placed(house).contains(digit)),
        Some(_) => puzzle.peers(cell).iter().any(|&peer| context.position().digit(peer) == Some(digit)),
    };
    puzzle.allowed(cell).contains_all(digits) && !missing.iter().any(is_seen)
}
