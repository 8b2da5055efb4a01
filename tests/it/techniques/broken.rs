//! Positions that no solution agrees with: a player's pencil marks may say anything.

use sleuth::puzzle::Cell;

use super::random::{Cages, layouts, random};
use super::*;

/// A cell without candidates, a digit without a place in its house, and both, a little further on the path each time.
#[test]
fn nothing_is_deduced_from_a_contradiction() {
    let mut broken = 0;
    for (seed, layout) in layouts().iter().enumerate() {
        for cages in [Cages::None, Cages::Killer, Cages::KenKen] {
            let (puzzle, _) = random(layout, cages, 3, seed as u64);
            let mut position = Position::new(puzzle);
            for _ in 0..3 {
                for position in broken_ones(&position) {
                    broken += 1;
                    let (steps, cut_short) = all_steps(&position, UNIQUE, 2_000);
                    assert!(steps.is_empty() && cut_short.is_empty(), "{steps:?}");
                    let first = path::first_step(&position, UNIQUE, &mut Budget::unlimited());
                    assert_eq!(first.expect("no budget to run out"), None);
                }
                if !advance(&mut position, 6) {
                    break;
                }
            }
        }
    }
    assert!(broken > 100, "{broken}");
}

/// Goes on by so many steps, if there are.
fn advance(position: &mut Position, steps: usize) -> bool {
    (0..steps).all(|_| {
        let step = path::first_step(position, Facts::default(), &mut Budget::unlimited());
        let step = step.expect("no budget to run out");
        step.iter().for_each(|step| step.apply(position));
        step.is_some()
    })
}

fn broken_ones(position: &Position) -> Vec<Position> {
    let cells: Vec<Cell> = position.open_cells().collect();
    let Some(&middle) = cells.get(cells.len() / 2) else { return Vec::new() };
    let mut no_digit = position.clone();
    for digit in position.candidates(middle).iter() {
        no_digit.eliminate(middle, digit);
    }
    let mut no_place = position.clone();
    let row = |cell: Cell| cell.index() / position.size();
    let Some(digit) = position.candidates(cells[0]).iter().next() else { return Vec::new() };
    for &cell in cells.iter().filter(|&&cell| row(cell) == row(cells[0])) {
        no_place.eliminate(cell, digit);
    }
    let mut both = no_place.clone();
    for digit in both.candidates(middle).iter() {
        both.eliminate(middle, digit);
    }
    vec![no_digit, no_place, both]
}
