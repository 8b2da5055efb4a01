//! The scales there are.

use std::sync::Arc;

use super::explainer::{self, ExplainerError, ExplainerRating, Technique};
use super::hodoku::{self, HodokuError, HodokuRating};
use super::{Rating, own};
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::Slug;
use crate::puzzle::Puzzle;

/// A scale on which puzzles are rated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Scale {
    /// Sleuth's own: level and score, the same for every face of a puzzle.
    #[default]
    Sleuth,
    /// HoDoKu's 2.2.0: level and score, for plain 9×9 sudoku.
    Hodoku,
    /// Sudoku Explainer's 1.2.1: ER, EP and ED, for plain 9×9 sudoku.
    Explainer,
}

impl Scale {
    /// Every scale.
    pub const ALL: [Scale; 3] = [Scale::Sleuth, Scale::Hodoku, Scale::Explainer];

    /// Its name: `sleuth`, `hodoku`, `explainer`.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Sleuth => "sleuth",
            Scale::Hodoku => "hodoku",
            Scale::Explainer => "explainer",
        }
    }

    /// Its version: ratings of different versions are not compared. HoDoKu's and the Explainer's are those of
    /// the programs.
    pub const fn version(self) -> u32 {
        match self {
            Scale::Sleuth => own::VERSION,
            Scale::Hodoku => 220,
            Scale::Explainer => 121,
        }
    }

    /// The reverse of [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Scale> {
        Scale::ALL.into_iter().find(|scale| scale.name() == name)
    }

    /// Rates a puzzle that has exactly one solution; none if the scale is not for it.
    pub fn rate(self, puzzle: &Arc<Puzzle>, budget: &mut Budget) -> Result<Option<Rating>, Stopped> {
        match self {
            Scale::Sleuth => own::rate(puzzle, budget).map(Some),
            Scale::Hodoku => match hodoku::rate(puzzle, budget) {
                Ok(rating) => Ok(Some(self.read_hodoku(&rating))),
                Err(HodokuError::NotPlain) => Ok(None),
                Err(HodokuError::Stopped(stopped)) => Err(stopped),
            },
            Scale::Explainer => match explainer::rate(puzzle, budget) {
                Ok(rating) => Ok(Some(self.read_explainer(&rating))),
                Err(ExplainerError::NotPlain) => Ok(None),
                Err(ExplainerError::Stopped(stopped)) => Err(stopped),
            },
        }
    }

    fn read_hodoku(self, rating: &HodokuRating) -> Rating {
        let searched = rating.counts.iter().find(|(method, _)| *method == hodoku::Method::BruteForce);
        Rating {
            scale: self.name().to_owned(),
            version: self.version(),
            level: Some(rating.level),
            score: rating.score,
            hardest: rating.hardest.map(|method| Slug::of(method.slug())),
            counts: rating.counts.iter().map(|(method, count)| (Slug::of(method.slug()), *count)).collect(),
            searched_cells: searched.map_or(0, |(_, count)| *count),
            pearl: None,
            diamond: None,
        }
    }

    fn read_explainer(self, rating: &ExplainerRating) -> Rating {
        Rating {
            scale: self.name().to_owned(),
            version: self.version(),
            level: None,
            score: rating.er.into(),
            hardest: rating.hardest.map(slug_of),
            counts: rating.counts.iter().map(|(technique, count)| (slug_of(*technique), *count)).collect(),
            searched_cells: 0,
            pearl: Some(rating.ep.into()),
            diamond: Some(rating.ed.into()),
        }
    }
}

/// `Dynamic Forcing Chains (+)` is `dynamic-forcing-chains-plus`.
fn slug_of(technique: Technique) -> Slug {
    let words = technique.name().to_lowercase().replace('+', " plus ");
    let words: Vec<&str> = words.split(|symbol: char| !symbol.is_alphanumeric()).collect();
    Slug::read(words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert!(Scale::ALL.iter().all(|scale| Scale::from_name(scale.name()) == Some(*scale)));
        assert_eq!(Scale::from_name("Sleuth"), None);
    }

    #[test]
    fn slugs_differ() {
        let mut slugs: Vec<String> =
            Technique::ALL.iter().map(|technique| slug_of(*technique).to_string()).collect();
        assert_eq!(slugs[0], "hidden-single");
        assert!(slugs.contains(&"dynamic-forcing-chains-plus".to_owned()), "{slugs:?}");
        slugs.sort();
        slugs.dedup();
        assert_eq!(slugs.len(), Technique::ALL.len());
    }
}
