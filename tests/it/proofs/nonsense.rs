//! Proofs of random numbers, as anybody may send them.

use sleuth::engine::logic::{LinkSet, Swap};

use super::brute::{Dice, random_position, random_puzzle};
use super::*;

/// Any numbers where cells, houses, cages, factors and lemmas should be: refused, or true, and never a panic.
#[test]
fn nonsense() {
    let mut dice = Dice::new(9);
    let (mut accepted, mut refused) = (0, 0);
    let small = NodeCap { nodes: 100, work: 20_000 };
    for _ in 0..4_000 {
        let (puzzle, grid) = random_puzzle(&mut dice);
        let position = random_position(&puzzle, &grid, &mut dice);
        let lemmas: Vec<Lemma> = (0..1 + dice.roll(3)).map(|_| nonsense_lemma(&mut dice)).collect();
        let mut step = step(lemmas);
        if step.conclusions.is_empty() {
            step.conclusions.push(Conclusion::Eliminate(any_cell(&mut dice), any_digit(&mut dice)));
        }
        match verify(&position, &step, Facts { unique: false }, small) {
            Ok(_) => {
                accepted += 1;
                for literal in step.conclusions.iter().map(|&conclusion| Literal::from(conclusion)) {
                    assert_eq!(grid[literal.cell.index()] == literal.digit, literal.holds, "{step:?}");
                }
            }
            Err(refusal) => {
                refused += 1;
                assert!(!refusal.to_string().is_empty());
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(refused > 1_000);
}

/// Below the first number, or now and then below the second.
fn mostly(usual: usize, rare: usize, dice: &mut Dice) -> usize {
    let below = if dice.one_in(30) { rare } else { usual };
    dice.roll(below)
}

/// Mostly of a small board.
fn any_cell(dice: &mut Dice) -> Cell {
    Cell::new(mostly(9, 625, dice))
}

fn any_digit(dice: &mut Dice) -> Digit {
    Digit::from_index(mostly(3, 25, dice))
}

fn any_digits(dice: &mut Dice) -> DigitSet {
    DigitSet::from_bits(mostly(8, 1 << 25, dice) as u32)
}

fn any_id(dice: &mut Dice) -> u16 {
    mostly(6, 65_536, dice) as u16
}

fn any_factor(dice: &mut Dice) -> i32 {
    match dice.roll(12) {
        0 => i32::MAX,
        1 => i32::MIN,
        2 => 1_000_000,
        other => other as i32 - 7,
    }
}

fn any_literal(dice: &mut Dice) -> Literal {
    let literal = Literal::is(any_cell(dice), any_digit(dice));
    if dice.one_in(2) { literal } else { literal.negated() }
}

fn any_premise(dice: &mut Dice) -> Premise {
    let houses =
        |dice: &mut Dice| -> Vec<HouseId> { (0..dice.roll(4)).map(|_| HouseId(any_id(dice))).collect() };
    let cages =
        |dice: &mut Dice| -> Vec<CageId> { (0..dice.roll(3)).map(|_| CageId(any_id(dice))).collect() };
    match dice.roll(8) {
        0 => Premise::Cell(any_cell(dice)),
        1 => Premise::House(HouseId(any_id(dice)), any_digit(dice)),
        2 => Premise::Cage(CageId(any_id(dice))),
        3 | 4 => {
            let houses = houses(dice).into_iter().map(|id| (id, any_factor(dice))).collect();
            let cages = cages(dice).into_iter().map(|id| (id, any_factor(dice))).collect();
            if dice.one_in(2) { Premise::Sum { houses, cages } } else { Premise::Product { houses, cages } }
        }
        5 => Premise::Parity { houses: houses(dice), cages: cages(dice) },
        6 => {
            let cells = (0..dice.roll(5)).map(|_| (any_cell(dice), any_digits(dice))).collect();
            Premise::Swap(Swap::Digits(cells))
        }
        _ => {
            let pairs = (0..dice.roll(4)).map(|_| (any_cell(dice), any_cell(dice))).collect();
            Premise::Swap(Swap::Cells { pairs, digits: any_digits(dice) })
        }
    }
}

fn nonsense_lemma(dice: &mut Dice) -> Lemma {
    let claims = (0..dice.roll(3)).map(|_| (0..dice.roll(3)).map(|_| any_literal(dice)).collect()).collect();
    let argument = if dice.one_in(3) {
        let times = |dice: &mut Dice| if dice.one_in(3) { u32::MAX } else { dice.roll(3) as u32 };
        let truths = (0..dice.roll(4)).map(|_| (any_premise(dice), times(dice))).collect();
        let link = |dice: &mut Dice| match dice.roll(4) {
            0 => LinkSet::Cell(any_cell(dice)),
            1 => LinkSet::House(HouseId(any_id(dice)), any_digit(dice)),
            2 => LinkSet::Cage(CageId(any_id(dice)), any_digit(dice)),
            _ => LinkSet::Clique((0..dice.roll(4)).map(|_| (any_cell(dice), any_digit(dice))).collect()),
        };
        let links = (0..dice.roll(4)).map(|_| (link(dice), times(dice))).collect();
        Argument::Cover { truths, links }
    } else {
        let premises = (0..dice.roll(5)).map(|_| any_premise(dice)).collect();
        let uses =
            (0..dice.roll(3)).map(|_| if dice.one_in(9) { u32::MAX } else { dice.roll(3) as u32 }).collect();
        Argument::Conflict { premises, uses }
    };
    Lemma { claims, argument }
}
