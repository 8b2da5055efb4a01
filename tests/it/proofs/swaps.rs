//! Deadly patterns: accepted where an exchange keeps every rule, refused by name where it does not.

use sleuth::engine::logic::Swap;

use super::brute::{Dice, Grid, random_puzzle, solutions};
use super::*;

fn rectangle(names: &str, values: &[u8]) -> Swap {
    Swap::Digits(cells(names, 9).into_iter().map(|cell| (cell, digits(values))).collect())
}

/// r1c14 and r2c1 hold 1 and 2 alone, r2c4 more.
fn rectangle_board(draft: PuzzleDraft) -> Position {
    let mut position = open(draft);
    keep(&mut position, "r1c1 r1c4 r2c1", &[1, 2]);
    keep(&mut position, "r2c4", &[1, 2, 3, 4]);
    position
}

fn roof() -> [Literal; 2] {
    [Literal::is_not(at("r2c4"), digit(1)), Literal::is_not(at("r2c4"), digit(2))]
}

fn why(draft: PuzzleDraft, swap: Swap) -> String {
    refusal(check_one(&rectangle_board(draft), &roof(), vec![Premise::Swap(swap)]))
}

#[test]
fn rectangles() {
    let swap = rectangle("r12c14", &[1, 2]);
    let position = rectangle_board(boxed(3, 3));
    let verified = check_one(&position, &roof(), vec![Premise::Swap(swap.clone())]).expect("proved");
    assert!(verified.conditional);
    let lemma =
        conflict(roof().map(|literal| smallvec![literal]).to_vec(), vec![Premise::Swap(swap.clone())], &[]);
    let outcome = verify(&position, &step(vec![lemma]), Facts { unique: false }, NodeCap::default());
    assert_eq!(
        refusal(outcome),
        "lemma 1 rests on a swap, and the puzzle is not known to have exactly one solution"
    );

    let mut given = boxed(3, 3);
    given.givens[0] = 1;
    assert_eq!(why(given, swap.clone()), "lemma 1: the pattern is not deadly: r1c1 is given 1");

    let mut restricted = boxed(3, 3);
    restricted.candidates = vec![DigitSet::full(9); 81];
    restricted.candidates[at("r2c4").index()] = digits(&[1, 3, 4]);
    assert_eq!(
        why(restricted, swap.clone()),
        "lemma 1: the pattern is not deadly: r2c4 may hold 134 alone, and not all of 12"
    );

    let mut killer = boxed(3, 3);
    killer.cages = vec![cage(&cells("r1c12", 9), Operation::Add, 10, true)];
    assert_eq!(
        why(killer, swap.clone()),
        "lemma 1: the pattern is not deadly: cage 1 would not keep its digits"
    );
    let mut diagonal = boxed(3, 3);
    diagonal.falling_diagonal = true;
    assert_eq!(
        why(diagonal, swap.clone()),
        "lemma 1: the pattern is not deadly: in diagonal 1 digit 1 of the pattern stands in r1c1, not in two cells"
    );
    let mut kept = boxed(3, 3);
    kept.cages = vec![cage(&cells("r12c1", 9), Operation::Add, 3, true)];
    assert!(check_one(&rectangle_board(kept), &roof(), vec![Premise::Swap(swap.clone())]).is_ok());

    // Over four boxes, and with a corner missing.
    assert_eq!(
        why(boxed(3, 3), rectangle("r14c14", &[1, 2])),
        "lemma 1: the pattern is not deadly: in box 1 digit 1 of the pattern stands in r1c1, not in two cells"
    );
    assert_eq!(
        why(boxed(3, 3), rectangle("r1c14 r2c1", &[1, 2])),
        "lemma 1: the pattern is not deadly: in row 2 digit 1 of the pattern stands in r2c1, not in two cells"
    );
    assert_eq!(
        why(boxed(3, 3), rectangle("r12c14", &[1, 2, 3])),
        "lemma 1: the pattern is not deadly: r1c1 has 3 digits instead of two"
    );
    assert_eq!(
        why(boxed(3, 3), rectangle("r12c14 r1c1", &[1, 2])),
        "lemma 1: the pattern is not deadly: r1c1 is named twice"
    );
    assert_eq!(
        why(boxed(3, 3), Swap::Digits(Vec::new())),
        "lemma 1: the pattern is not deadly: nothing need change"
    );
}

/// Placed by the solver is not given: the same holds for an avoidable rectangle.
#[test]
fn avoidable_rectangle() {
    let mut position = open(boxed(3, 3));
    position.place(at("r1c1"), digit(1));
    position.place(at("r1c4"), digit(2));
    position.place(at("r2c1"), digit(2));
    let swap = Premise::Swap(rectangle("r12c14", &[1, 2]));
    assert!(check_one(&position, &[Literal::is_not(at("r2c4"), digit(1))], vec![swap]).is_ok());
}

/// In a cage that may repeat digits, all four corners or two neighbours keep its sum; two opposite ones do not,
/// for they hold the same digit.
#[test]
fn rectangles_in_cages_that_may_repeat() {
    let latin = |parts: [&str; 2]| {
        let mut draft = PuzzleDraft::latin(4);
        let grid = [[1, 2, 3, 4], [2, 1, 4, 3], [3, 4, 1, 2], [4, 3, 2, 1]];
        let first = cells(parts[0], 4);
        let second = cells(parts[1], 4);
        let rest = Cell::all(4).filter(|cell| !first.contains(cell) && !second.contains(cell)).collect();
        draft.cages = [first, second, rest]
            .iter()
            .filter(|members| !members.is_empty())
            .map(|members: &Vec<Cell>| {
                let sum = members.iter().map(|cell| grid[cell.row(4)][cell.column(4)]).sum();
                cage(members, Operation::Add, sum, false)
            })
            .collect();
        open(draft)
    };
    let pattern = cells("r12c12", 4).into_iter().map(|cell| (cell, digits(&[1, 2]))).collect();
    let swap = Premise::Swap(Swap::Digits(pattern));
    let mut verdicts = Vec::new();
    for parts in [["r12c12", "r3c12"], ["r1c12", "r2c12"], ["r1c1 r3c1", "r1c2"], ["r1c1 r2c2", "r1c2 r2c1"]]
    {
        let mut position = latin(parts);
        keep(&mut position, "r1c12 r2c1", &[1, 2]);
        let roof = Literal::is_not(cells("r2c2", 4)[0], digit(1));
        verdicts.push(check_one(&position, &[roof], vec![swap.clone()]).is_ok());
    }
    assert_eq!(verdicts, [true, true, false, false]);
}

/// Two rows of a band change places in three columns, where they hold the same three digits.
#[test]
fn extended_rectangle() {
    let pairs = |names: [&str; 3]| {
        names
            .map(|name| {
                let pair = cells(name, 9);
                (pair[0], pair[1])
            })
            .to_vec()
    };
    let swap =
        |names, values: &[u8]| Premise::Swap(Swap::Cells { pairs: pairs(names), digits: digits(values) });
    let mut position = open(boxed(3, 3));
    keep(&mut position, "r12c14 r1c7", &[1, 2, 3]);
    let names = ["r12c1", "r12c4", "r12c7"];
    let roof = Literal::is_not(at("r2c7"), digit(3));
    assert!(check_one(&position, &[roof], vec![swap(names, &[1, 2, 3])]).is_ok());
    // With a fourth digit the rows need not hold the same.
    assert_eq!(
        refusal(check_one(&position, &[roof], vec![swap(names, &[1, 2, 3, 4])])),
        "lemma 1: the pattern is not deadly: row 1 would not keep its digits"
    );
    // Rows of two bands: boxes break.
    assert_eq!(
        refusal(check_one(&position, &[roof], vec![swap(["r14c1", "r14c4", "r14c7"], &[1, 2, 3])])),
        "lemma 1: the pattern is not deadly: box 1 would not keep its digits"
    );
    // Cells that do not see each other may hold the same: nothing need change.
    let apart = Swap::Cells { pairs: vec![(at("r1c1"), at("r5c5"))], digits: digits(&[1]) };
    assert_eq!(
        refusal(check_one(&position, &[roof], vec![Premise::Swap(apart)])),
        "lemma 1: the pattern is not deadly: nothing need change"
    );
}

/// All open cells are bivalue but one: its third digit is the solution. The pattern is made from two grids that
/// differ around cycles longer than a pair.
#[test]
fn grave_with_one_more() {
    let board = open(boxed(2, 2));
    let grids = solutions(&board, 1000).expect("288 of them");
    assert_eq!(grids.len(), 288);
    let first = &grids[0];
    let has_long_cycle = |other: &&Grid| {
        (0..4).any(|row| {
            let cells: Vec<usize> =
                (row * 4..row * 4 + 4).filter(|&cell| first[cell] != other[cell]).collect();
            cells.len() >= 3
                && cells.iter().all(|&cell| {
                    let back = cells.iter().find(|&&at| first[at] == other[cell]).expect("a turn");
                    other[*back] != first[cell]
                })
        })
    };
    let mut tried = 0;
    for other in grids.iter().filter(has_long_cycle) {
        let mut position = board.clone();
        let mut pattern = Vec::new();
        for cell in Cell::all(4) {
            let (one, two) = (first[cell.index()], other[cell.index()]);
            if one == two {
                position.place(cell, one);
            } else {
                pattern.push((cell, [one, two].into_iter().collect::<DigitSet>()));
            }
        }
        // One cell keeps a third candidate, if it has one.
        let Some(&(roof, pair)) =
            pattern.iter().find(|(cell, pair)| position.candidates(*cell).len() > pair.len())
        else {
            continue;
        };
        let extra = (position.candidates(roof) - pair).min().expect("a third");
        for &(cell, pair) in &pattern {
            for digit in position.candidates(cell) - pair {
                if (cell, digit) != (roof, extra) {
                    position.eliminate(cell, digit);
                }
            }
        }
        let swap = Premise::Swap(Swap::Digits(pattern.clone()));
        assert!(check_one(&position, &[Literal::is(roof, extra)], vec![swap]).is_ok());
        let short = Premise::Swap(Swap::Digits(pattern[1..].to_vec()));
        assert!(check_one(&position, &[Literal::is(roof, extra)], vec![short]).is_err());
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// What the exchange makes of a grid.
fn exchanged(swap: &Swap, grid: &Grid) -> Grid {
    let mut after = grid.clone();
    match swap {
        Swap::Digits(pattern) => {
            for &(cell, pair) in pattern {
                let other = pair - DigitSet::single(grid[cell.index()]);
                after[cell.index()] = other.only().expect("two digits");
            }
        }
        Swap::Cells { pairs, .. } => {
            for &(one, other) in pairs {
                after.swap(one.index(), other.index());
            }
        }
    }
    after
}

/// A pattern that fits a grid: digits of the grid and another grid, or lines that change places; often spoilt.
fn random_swap(puzzle: &Puzzle, grid: &Grid, grids: &[Grid], dice: &mut Dice) -> Swap {
    let size = puzzle.size();
    if dice.one_in(2) {
        let other = dice.pick(grids).clone();
        let mut pattern: Vec<(Cell, DigitSet)> = Cell::all(size)
            .filter(|cell| grid[cell.index()] != other[cell.index()])
            .map(|cell| (cell, [grid[cell.index()], other[cell.index()]].into_iter().collect()))
            .collect();
        if dice.one_in(2) && !pattern.is_empty() {
            // Only what two digits, or some cells, have to do with.
            let &(_, pair) = dice.pick(&pattern);
            pattern.retain(|(_, other)| *other == pair);
        }
        if dice.one_in(4) && !pattern.is_empty() {
            pattern.remove(dice.roll(pattern.len()));
        }
        if dice.one_in(6) {
            let cell = Cell::new(dice.roll(size * size));
            if pattern.iter().all(|(other, _)| *other != cell) {
                let pair = [grid[cell.index()], *dice.pick(grid)].into_iter().collect();
                pattern.push((cell, pair));
            }
        }
        return Swap::Digits(pattern);
    }
    let (one, other) = (dice.roll(size), dice.roll(size));
    let turned = dice.one_in(2);
    let at = |line: usize, place: usize| match turned {
        false => Cell::at(line, place, size),
        true => Cell::at(place, line, size),
    };
    // From a column on, until both lines hold the same digits there; or any columns.
    let mut pairs: Vec<(Cell, Cell)> = Vec::new();
    let mut place = dice.roll(size);
    let is_spoilt = dice.one_in(4);
    while one != other && !pairs.contains(&(at(one, place), at(other, place))) {
        pairs.push((at(one, place), at(other, place)));
        let wanted = grid[at(other, place).index()];
        place =
            (0..size).find(|&place| grid[at(one, place).index()] == wanted).expect("a line holds all digits");
        if is_spoilt && dice.one_in(2) {
            place = dice.roll(size);
        }
    }
    let both = pairs.iter().flat_map(|&(one, other)| [grid[one.index()], grid[other.index()]]);
    Swap::Cells { digits: both.collect(), pairs }
}

/// Whatever pattern is accepted: a solution filled by it turns into another solution.
#[test]
fn accepted_patterns_have_two_fillings() {
    let mut dice = Dice::new(5);
    let (mut accepted, mut in_cages) = ([0u32; 2], 0u32);
    for _ in 0..6000 {
        let (puzzle, grid) = random_puzzle(&mut dice);
        let position = Position::new(puzzle.clone());
        let Some(grids) = solutions(&position, 300) else { continue };
        let swap = random_swap(&puzzle, &grid, &grids, &mut dice);
        let beyond: Claim = swap
            .pattern()
            .into_iter()
            .flat_map(|(cell, inside)| {
                (puzzle.digits() - inside).iter().map(move |digit| Literal::is(cell, digit))
            })
            .collect();
        let lemma = conflict(vec![beyond], vec![Premise::Swap(swap.clone())], &[]);
        let is_deadly = check_clauses(&position, vec![lemma]).is_ok();
        let fits = swap.pattern().iter().all(|(cell, inside)| inside.contains(grid[cell.index()]));
        if !is_deadly || !fits {
            continue;
        }
        let after = exchanged(&swap, &grid);
        assert_ne!(after, grid);
        assert!(
            puzzle.is_solved_by(&sleuth::puzzle::Solution::new(after)),
            "{swap:?} breaks {:?} of {grid:?}",
            puzzle.cages()
        );
        accepted[usize::from(matches!(swap, Swap::Cells { .. }))] += 1;
        in_cages += u32::from(!puzzle.cages().is_empty());
    }
    println!("{accepted:?} patterns accepted, {in_cages} of them with cages");
    assert!(accepted[0] > 100 && accepted[1] > 20 && in_cages > 20, "{accepted:?} {in_cages}");
}

/// Where no cage is near, any two solutions differ by a pattern that is found deadly, unless a given is in it.
#[test]
fn differences_of_solutions_are_deadly() {
    let mut dice = Dice::new(6);
    let mut tried = 0;
    for _ in 0..2000 {
        let (puzzle, grid) = random_puzzle(&mut dice);
        let Some(grids) = solutions(&Position::new(puzzle.clone()), 300) else { continue };
        let other = dice.pick(&grids).clone();
        if !puzzle.cages().is_empty() || other == grid {
            continue;
        }
        let pattern: Vec<(Cell, DigitSet)> = Cell::all(puzzle.size())
            .filter(|cell| grid[cell.index()] != other[cell.index()])
            .map(|cell| (cell, [grid[cell.index()], other[cell.index()]].into_iter().collect()))
            .collect();
        let mut position = Position::new(puzzle.clone());
        for &(cell, pair) in &pattern[1..] {
            for digit in position.candidates(cell) - pair {
                position.eliminate(cell, digit);
            }
        }
        let (roof, _) = pattern[0];
        let claim = Literal::is_not(roof, grid[roof.index()]);
        assert!(check_one(&position, &[claim], vec![Premise::Swap(Swap::Digits(pattern))]).is_ok());
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
}
