//! A context that follows a path says what one derived from nothing says, and what the plain check of the rules says.

use sleuth::engine::generate::rng::Stream;
use sleuth::engine::logic::Conclusion;
use sleuth::engine::logic::context::{Board, Context};
use sleuth::engine::logic::contradiction::has_contradiction;
use sleuth::puzzle::{Cell, Digit, Position, Solution};

use super::random::{Cages, layouts, random};

/// All that is kept up to date, house by house and digit by digit.
fn facts(context: &Context<'_>) -> String {
    let puzzle = context.puzzle();
    let houses = puzzle.house_ids().map(|house| {
        let seats: Vec<u16> = puzzle.digits().iter().map(|digit| context.seats_in(house, digit)).collect();
        (context.lone(house), context.placed(house), seats)
    });
    let spots = puzzle.digits().iter().map(|digit| context.spots(digit));
    let candidates = Cell::all(puzzle.size()).map(|cell| context.candidates(cell));
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {} {}",
        houses.collect::<Vec<_>>(),
        spots.collect::<Vec<_>>(),
        candidates.collect::<Vec<_>>(),
        context.open(),
        context.naked(),
        context.almost_full().collect::<Vec<_>>(),
        context.with_lone().collect::<Vec<_>>(),
        context.is_full(),
        context.is_contradictory(),
    )
}

/// Something to conclude in an open cell: most often what is so.
fn conclude(position: &Position, solution: &Solution, stream: &mut Stream) -> Conclusion {
    let open: Vec<Cell> = position.open_cells().collect();
    let cell = open[stream.below(open.len() as u32) as usize];
    let digit = solution.digits()[cell.index()];
    let others: Vec<Digit> = position.candidates(cell).iter().filter(|&other| other != digit).collect();
    match (others.is_empty(), stream.below(16)) {
        (false, 0) => Conclusion::Place(cell, others[0]),
        (false, 1) => Conclusion::Eliminate(cell, digit),
        (false, 2..10) => Conclusion::Eliminate(cell, others[stream.below(others.len() as u32) as usize]),
        _ => Conclusion::Place(cell, digit),
    }
}

#[test]
fn followed_as_derived() {
    let (mut compared, mut contradictions) = (0, 0);
    for layout in layouts() {
        for cages in [Cages::None, Cages::Killer, Cages::KenKen] {
            for seed in 0..4 {
                let (puzzle, solution) = random(&layout, cages, 3, seed);
                let mut stream = Stream::new(seed, 1);
                let mut position = Position::new(puzzle.clone());
                let board = Board::new(&puzzle);
                let mut context = Context::new(&board, &position);
                while !context.is_full() && !context.is_contradictory() {
                    let conclusion = conclude(&position, &solution, &mut stream);
                    conclusion.apply(&mut position);
                    context.apply(conclusion);
                    assert_eq!(facts(&context), facts(&Context::new(&board, &position)), "{conclusion:?}");
                    assert_eq!(context.is_contradictory(), has_contradiction(&position), "{conclusion:?}");
                    compared += 1;
                }
                contradictions += u32::from(context.is_contradictory());
            }
        }
    }
    assert!(compared > 500 && contradictions > 20, "{compared} positions, {contradictions} contradictions");
}
