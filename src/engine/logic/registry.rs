//! THE table of techniques. A row's place is its place in the search: cheapest first.

use super::technique::{Level, Needs, Technique, Text};
use super::techniques::{cages, fish, locked, rectangles, singles, subsets, wings};

const NONE: Needs = Needs { cages: false, unique: false };
const CAGES: Needs = Needs { cages: true, unique: false };
const UNIQUE: Needs = Needs { cages: false, unique: true };

const LOCKED: Text = Text {
    en: "all places for {digits} in {base} lie in {cover} too ({pattern}), so {target} can go",
    zh: "{base}中 {digits} 的位置 {pattern} 全在{cover}内，因此删去 {target}",
};
const NAKED: Text = Text {
    en: "{pattern} in {base} hold nothing but {digits}, so {target} can go",
    zh: "{base}中 {pattern} 只含 {digits}，因此删去 {target}",
};
const HIDDEN: Text = Text {
    en: "{digits} have no other places in {base} than {pattern}, so {target} can go",
    zh: "{base}中 {digits} 只能填在 {pattern}，因此删去 {target}",
};
const FISH: Text = Text {
    en: "all places for {digits} in {base} lie in {cover}, so {target} can go",
    zh: "{base}中 {digits} 的位置全在{cover}内，因此删去 {target}",
};

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
    Technique {
        slug: "cage-last-cell",
        name: Text { en: "Last cell of a cage", zh: "笼内剩余" },
        level: Level::Easy,
        score: 6,
        needs: CAGES,
        find: cages::last_cell,
        sentence: Text {
            en: "{pattern} is the last open cell of {cage}, and nothing but {digits} meets its target",
            zh: "{cage}只剩 {pattern} 一格未填，只有 {digits} 能满足其目标",
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
    // Before all that removes candidates: a cage whose target has been looked at is what players start from.
    Technique {
        slug: "cage-combination",
        name: Text { en: "Cage combination", zh: "笼组合" },
        level: Level::Easy,
        score: 20,
        needs: CAGES,
        find: cages::combinations,
        sentence: Text {
            en: "whatever way {cage} meets its target, {target} can go",
            zh: "{cage}的任何填法都不含 {target}，因此可以删去",
        },
    },
    Technique {
        slug: "pointing",
        name: Text { en: "Pointing", zh: "宫区块" },
        level: Level::Medium,
        score: 50,
        needs: NONE,
        find: locked::pointing,
        sentence: LOCKED,
    },
    Technique {
        slug: "claiming",
        name: Text { en: "Claiming", zh: "行列区块" },
        level: Level::Medium,
        score: 50,
        needs: NONE,
        find: locked::claiming,
        sentence: LOCKED,
    },
    Technique {
        slug: "naked-pair",
        name: Text { en: "Naked pair", zh: "显性数对" },
        level: Level::Medium,
        score: 60,
        needs: NONE,
        find: subsets::naked_pair,
        sentence: NAKED,
    },
    Technique {
        slug: "hidden-pair",
        name: Text { en: "Hidden pair", zh: "隐性数对" },
        level: Level::Medium,
        score: 70,
        needs: NONE,
        find: subsets::hidden_pair,
        sentence: HIDDEN,
    },
    Technique {
        slug: "naked-triple",
        name: Text { en: "Naked triple", zh: "显性三数组" },
        level: Level::Medium,
        score: 80,
        needs: NONE,
        find: subsets::naked_triple,
        sentence: NAKED,
    },
    Technique {
        slug: "hidden-triple",
        name: Text { en: "Hidden triple", zh: "隐性三数组" },
        level: Level::Medium,
        score: 100,
        needs: NONE,
        find: subsets::hidden_triple,
        sentence: HIDDEN,
    },
    Technique {
        slug: "naked-quadruple",
        name: Text { en: "Naked quadruple", zh: "显性四数组" },
        level: Level::Hard,
        score: 120,
        needs: NONE,
        find: subsets::naked_quadruple,
        sentence: NAKED,
    },
    Technique {
        slug: "x-wing",
        name: Text { en: "X-wing", zh: "X 翼" },
        level: Level::Hard,
        score: 140,
        needs: NONE,
        find: fish::x_wing,
        sentence: FISH,
    },
    Technique {
        slug: "hidden-quadruple",
        name: Text { en: "Hidden quadruple", zh: "隐性四数组" },
        level: Level::Hard,
        score: 150,
        needs: NONE,
        find: subsets::hidden_quadruple,
        sentence: HIDDEN,
    },
    Technique {
        slug: "unique-rectangle-1",
        name: Text { en: "Unique rectangle type 1", zh: "唯一矩形 1 型" },
        level: Level::Hard,
        score: 150,
        needs: UNIQUE,
        find: rectangles::type_1,
        sentence: Text {
            en: "if {roof} held one of {digits}, as {floor} do, these could change places in all four cells and there would be a second solution, so {target} can go",
            zh: "若 {roof} 与 {floor} 一样填 {digits} 之一，四格中这两个数字可以互换而得到第二个解，因此删去 {target}",
        },
    },
    Technique {
        slug: "swordfish",
        name: Text { en: "Swordfish", zh: "剑鱼" },
        level: Level::Hard,
        score: 160,
        needs: NONE,
        find: fish::swordfish,
        sentence: FISH,
    },
    Technique {
        slug: "xy-wing",
        name: Text { en: "XY-wing", zh: "XY 翼" },
        level: Level::Hard,
        score: 160,
        needs: NONE,
        find: wings::xy_wing,
        sentence: Text {
            en: "whichever of its two digits {pivot} holds, one of {pincer} holds {digits}, so {target} can go",
            zh: "无论 {pivot} 填哪个数，{pincer} 中必有一格填 {digits}，因此删去 {target}",
        },
    },
    Technique {
        slug: "jellyfish",
        name: Text { en: "Jellyfish", zh: "水母" },
        level: Level::Hard,
        score: 180,
        needs: NONE,
        find: fish::jellyfish,
        sentence: FISH,
    },
];

/// The row of this slug.
pub fn technique(slug: &str) -> Option<&'static Technique> {
    TECHNIQUES.iter().find(|row| row.slug == slug)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::Role;

    fn roles(sentence: &str) -> Vec<Role> {
        let words = sentence.split('{').skip(1).map(|slot| slot.split('}').next().expect("a first part"));
        let mut roles: Vec<Role> = words.map(|word| Role::from_word(word).expect("a role")).collect();
        roles.sort_unstable();
        roles
    }

    /// Whoever stops at the first row beyond a level counts on it that no easier row follows.
    #[test]
    fn levels_only_rise() {
        assert!(TECHNIQUES.is_sorted_by_key(|row| row.level));
    }

    #[test]
    fn slugs_are_unique() {
        for (place, row) in TECHNIQUES.iter().enumerate() {
            assert!(row.slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(TECHNIQUES[..place].iter().all(|other| other.slug != row.slug), "{}", row.slug);
            assert!(std::ptr::eq(technique(row.slug).expect("it is there"), row));
        }
    }

    /// A translation says what the original says.
    #[test]
    fn languages_name_the_same_roles() {
        for row in TECHNIQUES {
            assert_eq!(roles(row.sentence.en), roles(row.sentence.zh), "{}", row.slug);
        }
    }
}
