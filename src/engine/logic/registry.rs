//! THE table of techniques. A row's place is its place in the search: cheapest first.

use super::technique::{Level, Needs, Technique, Text};
use super::techniques::singles;

const NONE: Needs = Needs { cages: false, unique: false };

/// Every technique, in search order.
pub static TECHNIQUES: &[Technique] = &[Technique {
    slug: "naked-single",
    name: Text { en: "Naked single", zh: "唯一余数" },
    level: Level::Easy,
    score: 4,
    needs: NONE,
    find: singles::naked_single,
    sentence: Text { en: "{pattern} can hold nothing but {digits}", zh: "{pattern} 只能填 {digits}" },
}];

/// The row of this slug.
pub fn technique(slug: &str) -> Option<&'static Technique> {
    TECHNIQUES.iter().find(|row| row.slug == slug)
}
