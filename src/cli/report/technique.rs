//! The table of techniques, for `techniques`.

use serde::Serialize;

use crate::engine::logic::Technique;
use crate::engine::logic::explain::Language;
use crate::engine::logic::registry::TECHNIQUES;

/// A row of the table of techniques.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TechniqueReport {
    /// Its short name.
    pub slug: &'static str,
    /// Its name.
    pub name: &'static str,
    /// `easy`, `medium`, `hard`, `unfair`, `extreme`.
    pub level: &'static str,
    /// What one distinct step counts.
    pub score: u32,
    /// Whether it works on cages.
    pub needs_cages: bool,
    /// Whether it relies on there being exactly one solution.
    pub needs_unique: bool,
}

impl TechniqueReport {
    /// Every technique, cheapest first.
    pub fn all(language: Language) -> Vec<TechniqueReport> {
        let report = |row: &'static Technique| TechniqueReport {
            slug: row.slug,
            name: language.of(&row.name),
            level: row.level.word(),
            score: row.score,
            needs_cages: row.needs.cages,
            needs_unique: row.needs.unique,
        };
        TECHNIQUES.iter().map(report).collect()
    }
}
