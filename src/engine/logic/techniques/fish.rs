//! Fish: k rows keep a digit to k columns (or the other way about), so those columns have it there.
//!
//! ```text
//!       c2      c7
//!        -       -      the cover: columns 2 and 7
//!  r3 .  x  . .  x .    the base: row 3
//!        -       -
//!  r8 .  x  . .  x .    and row 8
//! ```

use std::ops::ControlFlow;

use super::unions::Unions;
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Argument, CellSet, Lemma, LinkSet, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Digit, DigitSet, HouseId, HouseKind};

const FISH: Text = Text {
    en: "all places for {digits} in {base} lie in {cover}, so {target} can go",
    zh: "{base}中 {digits} 的位置全在{cover}内，因此删去 {target}",
};

const FISH_LESSON: Text = Text {
    en: "each of {base} needs a {digits}, and all its places there lie in {cover}, which are as many houses; each of these takes exactly one of them, so {cover} have no {digits} elsewhere and {target} can go",
    zh: "{base}各需要一个 {digits}，而其位置全在同样多的{cover}内；每个覆盖区恰好取得其中一个，所以{cover}的其他位置没有 {digits}，可删去 {target}",
};

/// X-wing.
pub const X_WING: Technique = Technique {
    slug: "x-wing",
    name: Text { en: "X-wing", zh: "X 翼" },
    level: Level::Hard,
    score: 140,
    needs: Needs::NONE,
    on_path: true,
    find: x_wing,
    sentence: FISH,
    lesson: FISH_LESSON,
};

/// Swordfish.
pub const SWORDFISH: Technique = Technique {
    slug: "swordfish",
    name: Text { en: "Swordfish", zh: "剑鱼" },
    level: Level::Hard,
    score: 160,
    needs: Needs::NONE,
    on_path: true,
    find: swordfish,
    sentence: FISH,
    lesson: FISH_LESSON,
};

/// Jellyfish.
pub const JELLYFISH: Technique = Technique {
    slug: "jellyfish",
    name: Text { en: "Jellyfish", zh: "水母" },
    level: Level::Hard,
    score: 180,
    needs: Needs::NONE,
    on_path: true,
    find: jellyfish,
    sentence: FISH,
    lesson: FISH_LESSON,
};

/// Two lines.
pub fn x_wing(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 2)
}

/// Three lines.
pub fn swordfish(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 3)
}

/// Four lines.
pub fn jellyfish(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(context, sink, 4)
}

fn find(context: &Context<'_>, sink: &mut Sink<'_>, count: usize) -> Flow {
    let size = context.size() as u16;
    for digit in context.puzzle().digits() {
        // Row `r` is house `r`, column `c` is house `size + c`; cell `i` of one lies in the other's `i`.
        for (bases, covers) in [(0, size), (size, 0)] {
            debug_assert_eq!(context.puzzle().house(HouseId(size)).kind, HouseKind::Column);
            sink.spend(u64::from(size))?;
            let mut sets: Vec<(HouseId, u32)> = Vec::with_capacity(context.size());
            for base in (bases..bases + size).map(HouseId) {
                let seats = context.seats_in(base, digit);
                if (2..=count).contains(&(seats.count_ones() as usize)) {
                    sets.push((base, u32::from(seats)));
                }
            }
            Unions::new(&sets, count).each(&mut |chosen, union| {
                sink.spend(1)?;
                let fish = Fish {
                    digit,
                    bases: chosen.iter().map(|(base, _)| *base).collect(),
                    covers: (0..size)
                        .filter(|seat| union & (1 << seat) != 0)
                        .map(|seat| HouseId(covers + seat))
                        .collect(),
                };
                fish.push(context, sink)
            })?;
        }
    }
    ControlFlow::Continue(())
}

struct Fish {
    digit: Digit,
    bases: Vec<HouseId>,
    covers: Vec<HouseId>,
}

impl Fish {
    fn push(&self, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
        let spots = |houses: &[HouseId]| {
            houses.iter().fold(CellSet::EMPTY, |spots, &house| spots | context.spots_in(house, self.digit))
        };
        let pattern = spots(&self.bases);
        let gone = spots(&self.covers) - pattern;
        if gone.is_empty() {
            return ControlFlow::Continue(());
        }
        let conclusions = context.eliminations(gone, DigitSet::single(self.digit));
        let mut marks = vec![Mark::digit(Role::Digits, self.digit), Mark::cells(Role::Pattern, pattern)];
        marks.extend(self.bases.iter().map(|&base| Mark::house(Role::Base, base)));
        marks.extend(self.covers.iter().map(|&cover| Mark::house(Role::Cover, cover)));
        let claims = conclusions.iter().map(|&conclusion| vec![Literal::from(conclusion)]).collect();
        let proof = Proof { lemmas: vec![Lemma { claims, argument: self.argument() }] };
        sink.push(conclusions, marks, proof)
    }

    fn argument(&self) -> Argument {
        Argument::Cover {
            truths: self.bases.iter().map(|&base| (Premise::House(base, self.digit), 1)).collect(),
            links: self.covers.iter().map(|&cover| (LinkSet::House(cover, self.digit), 1)).collect(),
        }
    }
}
