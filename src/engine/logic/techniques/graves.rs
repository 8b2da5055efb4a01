//! Bivalue universal graves: all open cells with two digits each, every digit in two cells of a house or none. They
//! could be filled in two ways, so some digit beyond that is true.
//!
//! ```text
//!  ab | bc | ac+     roof: what it holds beyond the grave saves the puzzle
//! ```

use std::ops::ControlFlow;

use super::deadly::{Conclude, Deadly, keeps_cages, type_1, type_2, type_3, type_4};
use crate::engine::logic::Swap;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::puzzle::{Cell, Digit, DigitSet};

/// Bivalue universal grave type 1.
pub const GRAVE_1: Technique = Technique {
    slug: "bug-1",
    name: Text { en: "Bivalue universal grave + 1", zh: "全双值格致死解法 1 型" },
    level: Level::Hard,
    score: 130,
    needs: Needs::UNIQUE,
    on_path: true,
    find: grave_1,
    sentence: Text {
        en: "without {extra} in {roof} every open cell would have two candidates and every digit two places, and all could change; so {target} can go",
        zh: "若 {roof} 不填 {extra}，所有未填格都只有两个候选数，每个数字在各区都恰有两个位置，可以全部互换，因此删去 {target}",
    },
    lesson: Text {
        en: "but for {extra} in {roof} every open cell has two candidates and every digit two places in each house where it is missing; were the puzzle filled from these, every open cell could change to its other digit and a second solution would come of it; the puzzle has one solution, so {roof} holds one of {extra}, and {target} can go",
        zh: "除 {roof} 的 {extra} 外，每个未填格恰有两个候选数，每个数字在缺它的各区恰有两个位置；若只用这些候选数填满，每格都可换成另一个数而得到第二个解；而题目只有一个解，所以 {roof} 填 {extra} 之一，可删去 {target}",
    },
};

/// Bivalue universal grave type 2.
pub const GRAVE_2: Technique = Technique {
    slug: "bug-2",
    name: Text { en: "Bivalue universal grave type 2", zh: "全双值格致死解法 2 型" },
    score: 150,
    find: grave_2,
    sentence: Text {
        en: "one of {roof} must hold {extra}, or every open cell could change to its other digit; so {target} can go",
        zh: "{roof} 中必有一格填 {extra}，否则每个未填格都可换成另一个数，因此删去 {target}",
    },
    lesson: Text {
        en: "but for {extra} in {roof} every open cell has two candidates and every digit two places in each house where it is missing; were the puzzle filled from these, every open cell could change to its other digit and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds {extra}; a cell that sees all of {roof} cannot hold it, so {target} can go",
        zh: "除 {roof} 的 {extra} 外，每个未填格恰有两个候选数，每个数字在缺它的各区恰有两个位置；若只用这些候选数填满，每格都可换成另一个数而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填 {extra}；同时看到 {roof} 各格的格不能填它，可删去 {target}",
    },
    ..GRAVE_1
};

/// Bivalue universal grave type 3.
pub const GRAVE_3: Technique = Technique {
    slug: "bug-3",
    name: Text { en: "Bivalue universal grave type 3", zh: "全双值格致死解法 3 型" },
    score: 160,
    find: grave_3,
    sentence: Text {
        en: "one of {roof} must hold one of {extra}, or every open cell could change to its other digit; with {pattern} in {base} that is a naked subset, so {target} can go",
        zh: "{roof} 中必有一格填 {extra} 之一，否则每个未填格都可换成另一个数；它与{base}的 {pattern} 构成显性数组，因此删去 {target}",
    },
    lesson: Text {
        en: "but for {extra} in {roof} every open cell has two candidates and every digit two places in each house where it is missing; were the puzzle filled from these, every open cell could change to its other digit and a second solution would come of it; the puzzle has one solution, so at least one of {roof} holds one of {extra}; that cell and {pattern}, all in {base}, are as many cells as they have digits, so these digits are used up there, and {target} can go",
        zh: "除 {roof} 的 {extra} 外，每个未填格恰有两个候选数，每个数字在缺它的各区恰有两个位置；若只用这些候选数填满，每格都可换成另一个数而得到第二个解；而题目只有一个解，所以 {roof} 中至少一格填 {extra} 之一；该格与同在{base}的 {pattern} 格数与数字个数相同，这些数字必定用在这几格里，可删去 {target}",
    },
    ..GRAVE_1
};

/// Bivalue universal grave type 4.
pub const GRAVE_4: Technique = Technique {
    slug: "bug-4",
    name: Text { en: "Bivalue universal grave type 4", zh: "全双值格致死解法 4 型" },
    score: 150,
    find: grave_4,
    sentence: Text {
        en: "{locked} has no place in {base} but {roof}, and the other of these must hold one of {extra}, or every open cell could change to its other digit; so {target} can go",
        zh: "{base}中 {locked} 只能填在 {roof}，而其中另一格必须填 {extra} 之一，否则每个未填格都可换成另一个数，因此删去 {target}",
    },
    lesson: Text {
        en: "but for {extra} in {roof} every open cell has two candidates and every digit two places in each house where it is missing, so that every open cell could change to its other digit: a second solution; the puzzle has one, so one of {roof} holds one of {extra}; {locked} must stand in {base}, where it has no place but {roof}, so it takes the other, and {target} can go",
        zh: "除 {roof} 的 {extra} 外，每个未填格恰有两个候选数，每个数字在缺它的各区恰有两个位置，每格都可换成另一个数而得到第二个解；而题目只有一个解，所以 {roof} 中有一格填 {extra} 之一；{locked} 必须出现在{base}中，位置只有 {roof}，于是占去另一格，可删去 {target}",
    },
    ..GRAVE_1
};

/// One cell has extras.
pub fn grave_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof == 1, type_1)
}

/// Several cells have one extra.
pub fn grave_2(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof >= 2, type_2)
}

/// The cells with extras share a house.
pub fn grave_3(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof >= 2, type_3)
}

/// Two cells of a house take a digit.
pub fn grave_4(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, |roof| roof == 2, type_4)
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, is_roof: fn(usize) -> bool, conclude: Conclude) -> Flow {
    let roof = context.open() - context.bivalue();
    // Of many cells with extras something is said only if a cell sees them all.
    let is_wide = roof.len() > 2 && !context.common_peers(roof).meets(context.open());
    if !is_roof(roof.len()) || is_wide {
        return ControlFlow::Continue(());
    }
    sink.spend(1)?;
    let mut grave = Grave {
        context,
        places: vec![[DigitSet::EMPTY; 2]; context.puzzle().houses().len()],
        pattern: Vec::new(),
        roof: roof.iter().collect(),
        conclude,
    };
    for cell in context.bivalue() {
        if !grave.add(cell, context.candidates(cell)) {
            return ControlFlow::Continue(());
        }
    }
    grave.extend(sink, 0)
}

struct Grave<'c> {
    context: &'c Context<'c>,
    /// By house: the digits that stand in one cell of the grave at least, and in two.
    places: Vec<[DigitSet; 2]>,
    pattern: Vec<(Cell, DigitSet)>,
    roof: Vec<Cell>,
    conclude: Conclude,
}

impl Grave<'_> {
    /// Adds a cell with two digits, if they stand in one other cell of each of its houses at most.
    fn add(&mut self, cell: Cell, digits: DigitSet) -> bool {
        let houses = self.context.puzzle().houses_of(cell);
        if houses.iter().any(|house| !(self.places[house.index()][1] & digits).is_empty()) {
            return false;
        }
        for house in houses {
            let [once, twice] = self.places[house.index()];
            self.places[house.index()] = [once | digits, twice | (once & digits)];
        }
        self.pattern.push((cell, digits));
        true
    }

    /// Takes two digits of every roof cell from the `from`-th on.
    fn extend(&mut self, sink: &mut Sink<'_>, from: usize) -> Flow {
        sink.spend(1)?;
        let Some(&cell) = self.roof.get(from) else { return self.close(sink) };
        let candidates: Vec<Digit> = self.context.candidates(cell).iter().collect();
        for (index, &one) in candidates.iter().enumerate() {
            for &other in &candidates[index + 1..] {
                let digits = DigitSet::single(one) | DigitSet::single(other);
                let houses = self.context.puzzle().houses_of(cell);
                let before: Vec<[DigitSet; 2]> =
                    houses.iter().map(|house| self.places[house.index()]).collect();
                if self.add(cell, digits) {
                    self.extend(sink, from + 1)?;
                    self.pattern.pop();
                    for (house, before) in houses.iter().zip(before) {
                        self.places[house.index()] = before;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn close(&self, sink: &mut Sink<'_>) -> Flow {
        let is_grave = self.places.iter().all(|[once, twice]| once == twice);
        let mut pattern = self.pattern.clone();
        pattern.sort_unstable();
        if !is_grave || !keeps_cages(self.context.puzzle(), &pattern) {
            return ControlFlow::Continue(());
        }
        (self.conclude)(self.context, sink, &Deadly::new(self.context, Swap::Digits(pattern)))
    }
}
