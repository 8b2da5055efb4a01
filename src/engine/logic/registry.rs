//! THE table of techniques. A row's place is its place in the search: cheapest first.

use super::technique::{Level, Needs, Technique, Text};
use super::techniques::{locked, singles};

const NONE: Needs = Needs { cages: false, unique: false };

/// Every technique, in search order.
pub static TECHNIQUES: &[Technique] = &[
    Technique {
        slug: "full-house",
        name: Text { en: "Full house", zh: "同区剩余" },
        level: Level::Easy,
        score: 4,
        needs: NONE,
        find: singles::full_house,
        sentence: Text {
            en: "{pattern} is the last open cell of {base}, and {digits} is all that is missing there",
            zh: "{base}只剩 {pattern} 一格未填，所缺的数字是 {digits}",
        },
    },
    // Before the naked single: a person sees where a digit can go sooner than what a cell can hold.
    Technique {
        slug: "hidden-single",
        name: Text { en: "Hidden single", zh: "排除法" },
        level: Level::Easy,
        score: 8,
        needs: NONE,
        find: singles::hidden_single,
        sentence: Text {
            en: "{digits} has no other place in {base} than {pattern}",
            zh: "{base}中 {digits} 只能填在 {pattern}",
        },
    },
    Technique {
        slug: "naked-single",
        name: Text { en: "Naked single", zh: "唯一余数" },
        level: Level::Easy,
        score: 14,
        needs: NONE,
        find: singles::naked_single,
        sentence: Text { en: "{pattern} can hold nothing but {digits}", zh: "{pattern} 只能填 {digits}" },
    },
    Technique {
        slug: "pointing",
        name: Text { en: "Pointing", zh: "宫区块" },
        level: Level::Medium,
        score: 50,
        needs: NONE,
        find: locked::pointing,
        sentence: Text {
            en: "all places for {digits} in {base} lie in {cover} too ({pattern}), so {target} can go",
            zh: "{base}中 {digits} 的位置 {pattern} 全在{cover}内，因此删去 {target}",
        },
    },
    Technique {
        slug: "claiming",
        name: Text { en: "Claiming", zh: "行列区块" },
        level: Level::Medium,
        score: 50,
        needs: NONE,
        find: locked::claiming,
        sentence: Text {
            en: "all places for {digits} in {base} lie in {cover} too ({pattern}), so {target} can go",
            zh: "{base}中 {digits} 的位置 {pattern} 全在{cover}内，因此删去 {target}",
        },
    },
];

/// The row of this slug.
pub fn technique(slug: &str) -> Option<&'static Technique> {
    TECHNIQUES.iter().find(|row| row.slug == slug)
}
