//! THE table of techniques. A row's place is its place in the search: cheapest first.

use super::technique::Technique;
use super::techniques::als::blossom::DEATH_BLOSSOM;
use super::techniques::als::chains::ALS_CHAIN;
use super::techniques::chains::{nice, simple};
use super::techniques::{
    als, avoidable, bent, cages, colours, direct, empty_rectangle, exclusion, exocet, extended, fireworks,
    fish, forcing, graves, locked, loops, medusa, multi_sector, rectangles, remote, singles, sk_loop,
    subsets, sue_de_coq, templates, turbot, wings,
};

/// Every technique, in search order.
pub static TECHNIQUES: &[Technique] = &[
    singles::FULL_HOUSE,
    cages::CAGE_LAST_CELL,
    // Before the naked single: a person sees where a digit can go sooner than what a cell can hold.
    singles::HIDDEN_SINGLE,
    singles::NAKED_SINGLE,
    // Before all that removes candidates: a cage whose target has been looked at is what players start from.
    cages::CAGE_COMBINATION,
    direct::DIRECT_POINTING,
    direct::DIRECT_CLAIMING,
    subsets::LOCKED_PAIR,
    locked::POINTING,
    locked::CLAIMING,
    direct::DIRECT_HIDDEN_PAIR,
    subsets::LOCKED_TRIPLE,
    subsets::NAKED_PAIR,
    subsets::HIDDEN_PAIR,
    subsets::NAKED_TRIPLE,
    direct::DIRECT_HIDDEN_TRIPLE,
    subsets::HIDDEN_TRIPLE,
    subsets::NAKED_QUADRUPLE,
    graves::GRAVE_1,
    remote::REMOTE_PAIR,
    // Before the turbot fish, which say whatever it says: it is the fish that everybody knows.
    fish::X_WING,
    turbot::SKYSCRAPER,
    turbot::TWO_STRING_KITE,
    turbot::TURBOT_FISH,
    turbot::DUAL_TWO_STRING_KITE,
    empty_rectangle::EMPTY_RECTANGLE,
    empty_rectangle::DUAL_EMPTY_RECTANGLE,
    subsets::HIDDEN_QUADRUPLE,
    wings::W_WING,
    rectangles::UNIQUE_RECTANGLE_1,
    rectangles::UNIQUE_RECTANGLE_2,
    rectangles::UNIQUE_RECTANGLE_3,
    rectangles::UNIQUE_RECTANGLE_4,
    rectangles::UNIQUE_RECTANGLE_5,
    rectangles::UNIQUE_RECTANGLE_6,
    rectangles::HIDDEN_RECTANGLE,
    avoidable::AVOIDABLE_RECTANGLE_1,
    avoidable::AVOIDABLE_RECTANGLE_2,
    graves::GRAVE_2,
    graves::GRAVE_4,
    colours::SIMPLE_COLOURS_WRAP,
    colours::SIMPLE_COLOURS_TRAP,
    fish::FINNED_X_WING,
    fish::SASHIMI_X_WING,
    fish::SIAMESE_X_WING,
    fish::SWORDFISH,
    wings::XY_WING,
    graves::GRAVE_3,
    loops::UNIQUE_LOOP_1,
    loops::UNIQUE_LOOP_2,
    loops::UNIQUE_LOOP_3,
    loops::UNIQUE_LOOP_4,
    fish::JELLYFISH,
    wings::XYZ_WING,
    extended::EXTENDED_RECTANGLE_1,
    extended::EXTENDED_RECTANGLE_2,
    extended::EXTENDED_RECTANGLE_3,
    extended::EXTENDED_RECTANGLE_4,
    colours::MULTI_COLOURS_1,
    colours::MULTI_COLOURS_2,
    bent::WXYZ_WING,
    sue_de_coq::SUE_DE_COQ,
    simple::X_CHAIN,
    simple::XY_CHAIN,
    medusa::MEDUSA_WRAP,
    fish::FINNED_SWORDFISH,
    fish::SASHIMI_SWORDFISH,
    fish::SIAMESE_SWORDFISH,
    fish::FINNED_JELLYFISH,
    fish::SASHIMI_JELLYFISH,
    fish::SIAMESE_JELLYFISH,
    medusa::MEDUSA_TRAP,
    // Open chains first: they say whatever a loop says, and so what is found does not depend on the face.
    nice::AIC,
    nice::DISCONTINUOUS_NICE_LOOP,
    nice::CONTINUOUS_NICE_LOOP,
    exclusion::ALIGNED_PAIR,
    nice::GROUPED_AIC,
    nice::GROUPED_DISCONTINUOUS_NICE_LOOP,
    nice::GROUPED_CONTINUOUS_NICE_LOOP,
    als::ALS_XZ,
    als::ALS_XZ_DOUBLE,
    bent::VWXYZ_WING,
    fish::FRANKEN_X_WING,
    als::ALS_XY_WING,
    ALS_CHAIN,
    fireworks::FIREWORK_TRIPLE,
    fish::FRANKEN_SWORDFISH,
    DEATH_BLOSSOM,
    bent::UVWXYZ_WING,
    fireworks::FIREWORK_QUADRUPLE,
    fish::FRANKEN_JELLYFISH,
    fish::FINNED_FRANKEN_X_WING,
    fish::SIAMESE_FRANKEN_X_WING,
    nice::ALS_AIC,
    nice::ALS_DISCONTINUOUS_NICE_LOOP,
    nice::ALS_CONTINUOUS_NICE_LOOP,
    exclusion::ALIGNED_TRIPLET,
    fish::FINNED_FRANKEN_SWORDFISH,
    fish::SIAMESE_FRANKEN_SWORDFISH,
    bent::TUVWXYZ_WING,
    fish::FINNED_FRANKEN_JELLYFISH,
    fish::SIAMESE_FRANKEN_JELLYFISH,
    fish::SQUIRMBAG,
    fish::WHALE,
    fish::LEVIATHAN,
    fish::FINNED_SQUIRMBAG,
    fish::SASHIMI_SQUIRMBAG,
    fish::SIAMESE_SQUIRMBAG,
    fish::FINNED_WHALE,
    fish::SASHIMI_WHALE,
    fish::SIAMESE_WHALE,
    fish::FINNED_LEVIATHAN,
    fish::SASHIMI_LEVIATHAN,
    fish::SIAMESE_LEVIATHAN,
    fish::MUTANT_X_WING,
    fish::MUTANT_SWORDFISH,
    fish::MUTANT_JELLYFISH,
    fish::FINNED_MUTANT_X_WING,
    fish::SIAMESE_MUTANT_X_WING,
    fish::FINNED_MUTANT_SWORDFISH,
    fish::SIAMESE_MUTANT_SWORDFISH,
    fish::FINNED_MUTANT_JELLYFISH,
    fish::SIAMESE_MUTANT_JELLYFISH,
    fish::FRANKEN_SQUIRMBAG,
    fish::FINNED_FRANKEN_SQUIRMBAG,
    fish::SIAMESE_FRANKEN_SQUIRMBAG,
    fish::FRANKEN_WHALE,
    fish::FINNED_FRANKEN_WHALE,
    fish::SIAMESE_FRANKEN_WHALE,
    fish::FRANKEN_LEVIATHAN,
    fish::FINNED_FRANKEN_LEVIATHAN,
    fish::SIAMESE_FRANKEN_LEVIATHAN,
    fish::MUTANT_SQUIRMBAG,
    fish::FINNED_MUTANT_SQUIRMBAG,
    fish::SIAMESE_MUTANT_SQUIRMBAG,
    fish::MUTANT_WHALE,
    fish::FINNED_MUTANT_WHALE,
    fish::SIAMESE_MUTANT_WHALE,
    fish::MUTANT_LEVIATHAN,
    fish::FINNED_MUTANT_LEVIATHAN,
    fish::SIAMESE_MUTANT_LEVIATHAN,
    fish::kraken::KRAKEN_FISH_1,
    fish::kraken::KRAKEN_FISH_2,
    forcing::NISHIO,
    forcing::CELL_FORCING_CHAIN,
    forcing::HOUSE_FORCING_CHAIN,
    sk_loop::SK_LOOP,
    exocet::JUNIOR_EXOCET,
    exocet::SENIOR_EXOCET,
    multi_sector::MULTI_SECTOR_LOCKED_SETS,
    forcing::CONTRADICTION_NET,
    forcing::CELL_FORCING_NET,
    forcing::HOUSE_FORCING_NET,
    forcing::DOUBLE_FORCING_NET,
    forcing::nested::DYNAMIC_FORCING_CHAINS_PLUS,
    forcing::nested::NESTED_FORCING_CHAINS,
    forcing::nested::NESTED_MULTIPLE_CHAINS,
    forcing::NESTED_NET,
    forcing::nested::NESTED_DYNAMIC_CHAINS,
    templates::TEMPLATE_SET,
    templates::TEMPLATE_DELETE,
];

/// The place in the table of the row of this slug.
pub fn place(slug: &str) -> Option<usize> {
    TECHNIQUES.iter().position(|row| row.slug == slug)
}

/// The row of this slug.
pub fn technique(slug: &str) -> Option<&'static Technique> {
    TECHNIQUES.iter().find(|row| row.slug == slug)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::Role;
    use crate::engine::logic::explain::CONCLUSION;

    /// The slots of a text, sorted.
    fn slots(text: &str) -> Vec<&str> {
        let mut slots: Vec<&str> =
            text.split('{').skip(1).map(|slot| slot.split('}').next().expect("a first part")).collect();
        assert!(slots.iter().all(|&slot| slot == CONCLUSION || Role::from_word(slot).is_some()), "{text}");
        slots.sort_unstable();
        slots
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
    fn languages_have_the_same_slots() {
        for row in TECHNIQUES {
            assert_eq!(slots(row.sentence.en), slots(row.sentence.zh), "{}", row.slug);
            assert_eq!(slots(row.lesson.en), slots(row.lesson.zh), "{}", row.slug);
        }
    }
}
