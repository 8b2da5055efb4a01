//! The first step is what the rows of the table say one by one, for the same work; singles are found without them.

use std::ops::ControlFlow;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::generate::rng::Stream;
use sleuth::engine::logic::context::{Board, Context};
use sleuth::engine::logic::path::{self, first_step};
use sleuth::engine::logic::registry::TECHNIQUES;
use sleuth::engine::logic::techniques::singles;
use sleuth::engine::logic::{Level, Step};
use sleuth::puzzle::{Cell, Position};

use super::UNIQUE;
use super::random::{Cages, layouts, random};

/// The first step of the first easy row that fires, row by row through finder and sink.
fn first_by_rows(position: &Position, budget: &mut Budget) -> Result<Option<Step>, Stopped> {
    let has_cages = !position.puzzle().cages().is_empty();
    let board = Board::new(position.puzzle());
    let context = Context::new(&board, position);
    let mut first = None;
    let easy = TECHNIQUES.iter().filter(|row| row.level == Level::Easy && (has_cages || !row.needs.cages));
    for row in easy {
        path::run(row, &context, budget, &mut |step| {
            first = Some(step);
            ControlFlow::Break(())
        })?;
        if first.is_some() {
            break;
        }
    }
    Ok(first)
}

#[test]
fn the_first_single_is_that_of_the_rows() {
    let (mut found, mut none) = (0, 0);
    for layout in layouts() {
        for cages in [Cages::None, Cages::Killer, Cages::KenKen] {
            for seed in 0..6 {
                let sparse = [3, 8][seed as usize % 2];
                let (puzzle, solution) = random(&layout, cages, sparse, seed);
                let mut stream = Stream::new(seed, 2);
                let mut position = Position::new(puzzle);
                while !position.is_full() {
                    let mut by_rows = Budget::unlimited();
                    let expected = first_by_rows(&position, &mut by_rows).expect("no end to the budget");
                    // Where no easy row fires, harder ones are not waited for.
                    let mut budget = Budget::new(by_rows.spent(), CancelFlag::new());
                    let step = first_step(&position, UNIQUE, &mut budget);
                    match &expected {
                        Some(_) => {
                            assert_eq!((step, budget.spent()), (Ok(expected.clone()), by_rows.spent()))
                        }
                        None => assert!(!matches!(step, Ok(Some(ref step)) if is_easy(step)), "{step:?}"),
                    }
                    for units in [0, by_rows.spent() / 2, by_rows.spent().saturating_sub(1)] {
                        let step = first_step(&position, UNIQUE, &mut Budget::new(units, CancelFlag::new()));
                        let by_rows = first_by_rows(&position, &mut Budget::new(units, CancelFlag::new()));
                        assert_eq!(step, by_rows, "{units} units");
                    }
                    match expected {
                        Some(_) => found += 1,
                        None => none += 1,
                    }
                    let open: Vec<Cell> = position.open_cells().collect();
                    let cell = open[stream.below(open.len() as u32) as usize];
                    position.place(cell, solution.digits()[cell.index()]);
                }
            }
        }
    }
    assert!(found > 1_000 && none > 20, "{found} with a single, {none} without");
}

fn is_easy(step: &Step) -> bool {
    TECHNIQUES.iter().any(|row| row.level == Level::Easy && row.slug == step.technique.as_str())
}

/// What is found before the table is walked is what stands first there.
#[test]
fn singles_stand_first() {
    let rows = TECHNIQUES.iter().filter(|row| row.on_path && !row.needs.cages);
    let first: Vec<&str> = rows.take(singles::ROWS.len()).map(|row| row.slug).collect();
    assert_eq!(first, singles::ROWS.map(|row| row.slug));
}
