//! What is wanted of a puzzle, and the check that names every fault of it.

use std::ops::RangeInclusive;

use super::Symmetry;
use crate::engine::logic::Level;
use crate::puzzle::{BoxShape, Fault, Faults, Layout, Regions};

/// What is wanted. Made by [`Recipe::check`]; the same recipe (seed included) gives the same puzzle, always.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// The board: boxes, of size 4, 6 or 9.
    pub layout: Layout,
    /// Of the pattern of clues. Every symmetry suits every board.
    pub symmetry: Symmetry,
    /// How hard, on Sleuth's own scale.
    pub levels: RangeInclusive<Level>,
    /// How many clues.
    pub clues: RangeInclusive<u32>,
    /// Where randomness comes from.
    pub seed: u64,
    /// How many grids to try: 1 to [`Recipe::MAX_ATTEMPTS`].
    pub attempts: u32,
}

/// Boards that puzzles are made for, each with the fewest clues that a puzzle with one solution can have.
const BOARDS: [(BoxShape, u32); 4] = [
    (BoxShape { rows: 2, columns: 2 }, 4),
    (BoxShape { rows: 2, columns: 3 }, 8),
    (BoxShape { rows: 3, columns: 2 }, 8),
    (BoxShape { rows: 3, columns: 3 }, 17),
];

impl Recipe {
    /// The most grids that may be asked to be tried.
    pub const MAX_ATTEMPTS: u32 = 100_000;
    /// How many grids are tried unless said otherwise.
    pub const DEFAULT_ATTEMPTS: u32 = 1_000;

    /// Any puzzle on this board, without symmetry.
    pub fn any(layout: Layout, seed: u64) -> Recipe {
        let cells = layout.size.saturating_mul(layout.size);
        Recipe {
            clues: 0..=u32::try_from(cells).unwrap_or(u32::MAX),
            layout,
            symmetry: Symmetry::None,
            levels: Level::Easy..=Level::Extreme,
            seed,
            attempts: Recipe::DEFAULT_ATTEMPTS,
        }
    }

    /// The recipe, or every fault: a board that is not made here, ranges that are empty or hold nothing possible,
    /// attempts out of range.
    pub fn check(self) -> Result<Recipe, Faults> {
        let mut faults = Faults::none();
        self.check_board(&mut faults);
        self.check_levels(&mut faults);
        self.check_clues(&mut faults);
        if !(1..=Self::MAX_ATTEMPTS).contains(&self.attempts) {
            let message = format!("{} attempts are not between 1 and {}", self.attempts, Self::MAX_ATTEMPTS);
            faults.push(Fault::new("attempts", message));
        }
        faults.into_result()?;
        Ok(self)
    }

    /// The fewest clues on this board, if it is one that puzzles are made for.
    fn fewest_clues(&self) -> Option<u32> {
        let (shape, fewest) =
            BOARDS.into_iter().find(|(shape, _)| self.layout.regions == Regions::Boxes(*shape))?;
        (shape.area() == self.layout.size).then_some(fewest)
    }

    fn check_board(&self, faults: &mut Faults) {
        if self.fewest_clues().is_none() {
            let board = match &self.layout.regions {
                Regions::Boxes(shape) => {
                    format!("boxes of {} rows and {} columns", shape.rows, shape.columns)
                }
                Regions::Jigsaw(_) => "jigsaw regions".to_owned(),
                Regions::None => "no boxes".to_owned(),
            };
            let message = format!(
                "puzzles are made with boxes of 2x2, 2x3, 3x2 and 3x3 (rows x columns), not on size {} with {board}",
                self.layout.size
            );
            faults.push(Fault::new("board", message));
        }
        let extras = [
            ("falling_diagonal", self.layout.falling_diagonal, "a diagonal"),
            ("rising_diagonal", self.layout.rising_diagonal, "a diagonal"),
            ("windows", self.layout.windows, "windows"),
        ];
        for (field, is_set, name) in extras {
            if is_set {
                faults.push(Fault::new(field, format!("puzzles with {name} are not made here")));
            }
        }
    }

    fn check_levels(&self, faults: &mut Faults) {
        let (from, to) = (self.levels.start(), self.levels.end());
        if from > to {
            faults.push(Fault::new("levels", format!("no level is at least {from} and at most {to}")));
        }
    }

    fn check_clues(&self, faults: &mut Faults) {
        let (from, to) = (*self.clues.start(), *self.clues.end());
        if from > to {
            faults.push(Fault::new("clues", format!("no number is at least {from} and at most {to}")));
            return;
        }
        let Some(fewest) = self.fewest_clues() else { return };
        let size = self.layout.size;
        let cells = (size * size) as u32;
        if from > cells {
            faults.push(Fault::new(
                "clues",
                format!("{from} clues are more than the board has cells: {cells}"),
            ));
        } else if to < fewest {
            let message =
                format!("no puzzle on this board has fewer than {fewest} clues, and at most {to} are asked");
            faults.push(Fault::new("clues", message));
        } else {
            let is_possible = self.symmetry.possible_counts(size);
            if !(from..=to.min(cells)).any(|count| is_possible[count as usize]) {
                let message =
                    format!("no pattern of symmetry {} has {from} to {to} clues", self.symmetry.word());
                faults.push(Fault::new("clues", message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classic() -> Recipe {
        Recipe::any(Layout::boxed(BoxShape { rows: 3, columns: 3 }), 1)
    }

    fn fields(recipe: Recipe) -> Vec<String> {
        recipe.check().expect_err("faults").list.into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn boards_that_are_made() {
        for (shape, _) in BOARDS {
            for symmetry in Symmetry::ALL {
                let recipe = Recipe { symmetry, ..Recipe::any(Layout::boxed(shape), 1) };
                assert_eq!(recipe.clone().check(), Ok(recipe));
            }
        }
        for layout in [
            Layout::latin(9),
            Layout::boxed(BoxShape { rows: 2, columns: 4 }),
            Layout { size: 6, ..classic().layout },
            Layout { size: usize::MAX, ..classic().layout },
            Layout { regions: Regions::Jigsaw(vec![0; 81]), ..Layout::latin(9) },
        ] {
            assert_eq!(fields(Recipe::any(layout, 1)), ["board"]);
        }
    }

    #[test]
    fn every_fault_at_once() {
        let recipe = Recipe {
            layout: Layout { windows: true, rising_diagonal: true, ..Layout::latin(16) },
            levels: RangeInclusive::new(Level::Hard, Level::Easy),
            clues: RangeInclusive::new(30, 20),
            attempts: 0,
            ..classic()
        };
        assert_eq!(fields(recipe), ["board", "rising_diagonal", "windows", "levels", "clues", "attempts"]);
    }

    #[test]
    fn numbers_of_clues() {
        let with = |clues, symmetry| fields(Recipe { clues, symmetry, ..classic() });
        assert_eq!(with(0..=16, Symmetry::None), ["clues"]);
        assert_eq!(with(82..=90, Symmetry::None), ["clues"]);
        assert_eq!(with(22..=23, Symmetry::QuarterTurn), ["clues"]);
        assert!(Recipe { clues: 17..=u32::MAX, ..classic() }.check().is_ok());
        assert!(Recipe { clues: 25..=25, symmetry: Symmetry::QuarterTurn, ..classic() }.check().is_ok());
    }
}
