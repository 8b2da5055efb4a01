//! The messages of singles in plain 9×9 boxes, each made once. A technique, a cell, a digit and a house say all of a
//! single, so there are few, and most steps of most paths are among them: with every step streamed a fifth of the
//! daemon's time went into saying them again.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use bytes::Bytes;

use super::job::View;
use super::wire::encode_step;
use crate::engine::logic::explain::{Language, explain};
use crate::engine::logic::techniques::singles;
use crate::engine::logic::{Single, Step};
use crate::puzzle::Puzzle;

/// What the bytes depend on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// Its place among the rows of singles.
    technique: usize,
    single: Single,
    language: Language,
    with_proof: bool,
}

/// 5,103 in a language, with their proofs or without: 5 MiB if all are ever told.
static TOLD: LazyLock<RwLock<HashMap<Key, Bytes>>> = LazyLock::new(RwLock::default);

/// The bytes of the message of a step.
pub fn tell_step(step: &Step, puzzle: &Puzzle, view: View) -> Bytes {
    let Some(key) = key(step, puzzle, view) else { return encode(step, puzzle, view) };
    // nothing in here panics half-way
    if let Some(told) = TOLD.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return told.clone();
    }
    let told = encode(step, puzzle, view);
    TOLD.write().unwrap_or_else(PoisonError::into_inner).insert(key, told.clone());
    told
}

fn key(step: &Step, puzzle: &Puzzle, view: View) -> Option<Key> {
    let single = step.single().filter(|_| puzzle.layout().is_plain())?;
    let technique = singles::ROWS.iter().position(|row| row.slug == step.technique.as_str())?;
    Some(Key { technique, single, language: view.language, with_proof: !view.omits_proofs })
}

fn encode(step: &Step, puzzle: &Puzzle, view: View) -> Bytes {
    encode_step(step, puzzle, &explain(step, puzzle, view.language), !view.omits_proofs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::Slug;
    use crate::puzzle::{Cell, Digit, HouseId, PuzzleDraft, formats};

    fn views() -> impl Iterator<Item = View> {
        Language::ALL.into_iter().flat_map(|language| {
            [true, false].map(|omits_proofs| View { language, omits_proofs, ..View::default() })
        })
    }

    /// Said once or again, in whichever puzzle, it is what it would be without being kept.
    #[test]
    fn singles_are_told_as_ever() {
        let plain = formats::read(&format!("1{}", ".".repeat(80))).expect("a puzzle");
        let mut diagonal = PuzzleDraft::latin(9);
        diagonal.rising_diagonal = true;
        let diagonal = diagonal.check().expect("a puzzle");
        assert!(plain.layout().is_plain() && !diagonal.layout().is_plain());
        let mut told = Vec::new();
        for row in singles::ROWS {
            for (cell, digit) in (0..81).zip((0..9).cycle()) {
                let (cell, digit) = (Cell::new(cell), Digit::from_index(digit));
                for house in [None, Some(HouseId(0)), Some(HouseId(9)), Some(HouseId(18))] {
                    let step = Step::of_single(Slug::of(row.slug), Single { cell, digit, house });
                    for view in views() {
                        for puzzle in [&plain, &diagonal, &plain] {
                            assert_eq!(tell_step(&step, puzzle, view), encode(&step, puzzle, view));
                        }
                        told.push(tell_step(&step, &plain, view));
                    }
                }
            }
        }
        let count = told.len();
        told.sort();
        told.dedup();
        assert_eq!(told.len(), count, "each is told in its own way");
    }
}
