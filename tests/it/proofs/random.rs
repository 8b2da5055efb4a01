//! Random premises and claims on small boards: nothing false is accepted, and with all premises all that is true is.

use super::brute::{Dice, Grid, random_position, random_puzzle, solutions};
use super::*;
use sleuth::engine::logic::LinkSet;

fn holds(claim: &[Literal], grid: &Grid) -> bool {
    claim.iter().any(|literal| (grid[literal.cell.index()] == literal.digit) == literal.holds)
}

fn random_cell(size: usize, dice: &mut Dice) -> Cell {
    Cell::new(dice.roll(size * size))
}

fn random_literal(size: usize, dice: &mut Dice) -> Literal {
    let literal = Literal::is(random_cell(size, dice), Digit::from_index(dice.roll(size)));
    if dice.one_in(3) { literal } else { literal.negated() }
}

fn random_house(puzzle: &Puzzle, dice: &mut Dice) -> HouseId {
    HouseId(dice.roll(puzzle.houses().len()) as u16)
}

fn random_factors<T: Copy>(ids: &[T], dice: &mut Dice) -> Vec<(T, i32)> {
    let count = dice.roll(ids.len().min(4) + 1);
    (0..count).map(|_| (*dice.pick(ids), dice.roll(5) as i32 - 2)).collect()
}

/// Of any kind but swaps.
fn random_premise(puzzle: &Puzzle, dice: &mut Dice) -> Premise {
    let size = puzzle.size();
    let cages: Vec<CageId> = puzzle.cage_ids().collect();
    let houses: Vec<HouseId> = puzzle.house_ids().collect();
    let of = |operations: &[Operation]| -> Vec<CageId> {
        cages.iter().copied().filter(|&id| operations.contains(&puzzle.cage(id).operation)).collect()
    };
    match dice.roll(8) {
        0..3 => Premise::Cell(random_cell(size, dice)),
        3 => Premise::House(random_house(puzzle, dice), Digit::from_index(dice.roll(size))),
        4 if !cages.is_empty() => Premise::Cage(*dice.pick(&cages)),
        5 => Premise::Sum {
            houses: random_factors(&houses, dice),
            cages: random_factors(&of(&[Operation::Add, Operation::Equal]), dice),
        },
        6 => Premise::Product {
            houses: random_factors(&houses, dice),
            cages: random_factors(&of(&[Operation::Multiply, Operation::Equal]), dice),
        },
        7 => {
            let known = of(&[Operation::Add, Operation::Equal, Operation::Subtract]);
            Premise::Parity {
                houses: random_factors(&houses, dice).into_iter().map(|(id, _)| id).collect(),
                cages: random_factors(&known, dice).into_iter().map(|(id, _)| id).collect(),
            }
        }
        _ => Premise::House(random_house(puzzle, dice), Digit::from_index(dice.roll(size))),
    }
}

/// A puzzle, a position of it and all its solutions, at least one.
fn random_case(dice: &mut Dice) -> Option<(Arc<Puzzle>, Position, Vec<Grid>)> {
    let (puzzle, grid) = random_puzzle(dice);
    let position = random_position(&puzzle, &grid, dice);
    let grids = solutions(&position, 400)?;
    assert!(grids.contains(&grid));
    Some((puzzle, position, grids))
}

/// Few premises, chains of lemmas: whatever is accepted holds in every solution.
#[test]
fn nothing_false_is_accepted() {
    let mut dice = Dice::new(1);
    let (mut accepted, mut tried, mut by_premise) = (0, 0, [0u32; 7]);
    while tried < 20_000 {
        let Some((puzzle, position, grids)) = random_case(&mut dice) else { continue };
        for _ in 0..20 {
            tried += 1;
            let mut lemmas = Vec::new();
            for number in 0..1 + dice.roll(3) {
                let claim = |dice: &mut Dice| -> Claim {
                    (0..1 + dice.roll(2)).map(|_| random_literal(puzzle.size(), dice)).collect()
                };
                let claims = (0..1 + dice.roll(2)).map(|_| claim(&mut dice)).collect();
                let premises = (0..dice.roll(5)).map(|_| random_premise(&puzzle, &mut dice)).collect();
                let uses: Vec<u32> = (0..number as u32).collect();
                lemmas.push(conflict(claims, premises, &uses));
            }
            if check_clauses(&position, lemmas.clone()).is_err() {
                continue;
            }
            accepted += 1;
            for lemma in &lemmas {
                if let Argument::Conflict { premises, .. } = &lemma.argument {
                    premises.iter().for_each(|premise| by_premise[kind(premise)] += 1);
                }
                for (claim, grid) in
                    lemma.claims.iter().flat_map(|claim| grids.iter().map(move |grid| (claim, grid)))
                {
                    assert!(holds(claim, grid), "{lemmas:?} is false in {grid:?} of {puzzle:?}");
                }
            }
        }
    }
    println!("{accepted} of {tried} accepted; premises in them: {by_premise:?}");
    assert!(accepted > 1_000 && by_premise[..6].iter().all(|&count| count > 100));
}

fn kind(premise: &Premise) -> usize {
    match premise {
        Premise::Cell(_) => 0,
        Premise::House(..) => 1,
        Premise::Cage(_) => 2,
        Premise::Sum { .. } => 3,
        Premise::Product { .. } => 4,
        Premise::Parity { .. } => 5,
        Premise::Swap(_) => 6,
    }
}

/// All cells, houses and cages as premises: a claim is accepted exactly if it holds in every solution.
#[test]
fn everything_true_is_accepted() {
    let mut dice = Dice::new(2);
    let (mut accepted, mut refused) = (0, 0);
    while accepted + refused < 4_000 {
        let Some((puzzle, position, grids)) = random_case(&mut dice) else { continue };
        let mut premises: Vec<Premise> = Cell::all(puzzle.size()).map(Premise::Cell).collect();
        premises.extend(puzzle.cage_ids().map(Premise::Cage));
        for house in puzzle.house_ids() {
            premises.extend(puzzle.digits().iter().map(|digit| Premise::House(house, digit)));
        }
        dice.shuffle(&mut premises);
        for _ in 0..5 {
            let claim: Claim =
                (0..1 + dice.roll(2)).map(|_| random_literal(puzzle.size(), &mut dice)).collect();
            let is_true = grids.iter().all(|grid| holds(&claim, grid));
            let outcome =
                check_clauses(&position, vec![conflict(vec![claim.clone()], premises.clone(), &[])]);
            assert_eq!(outcome.is_ok(), is_true, "{claim:?} {outcome:?} of {puzzle:?}");
            if is_true { accepted += 1 } else { refused += 1 }
        }
    }
    println!("{accepted} true, {refused} false");
    assert!(accepted > 500 && refused > 500);
}

/// Every filling of some cells from their candidates, cells that see each other holding different digits.
fn fillings(position: &Position, cells: &[Cell], each: &mut dyn FnMut(&[Digit])) {
    fn go(position: &Position, cells: &[Cell], taken: &mut Vec<Digit>, each: &mut dyn FnMut(&[Digit])) {
        let Some(&cell) = cells.get(taken.len()) else { return each(taken) };
        for digit in position.candidates(cell) {
            let clashes = cells.iter().zip(taken.iter());
            if clashes
                .into_iter()
                .any(|(&other, &taken)| taken == digit && position.puzzle().sees(cell, other))
            {
                continue;
            }
            taken.push(digit);
            go(position, cells, taken, each);
            taken.pop();
        }
    }
    go(position, cells, &mut Vec::new(), each);
}

/// One premise alone: exactly what no filling of its cells has is ruled out.
#[test]
fn one_premise_alone() {
    let mut dice = Dice::new(3);
    let (mut counts, mut ruled_out) = ([0u32; 7], [0u32; 7]);
    while counts[2..6].iter().any(|&count| count < 300) {
        let (puzzle, grid) = random_puzzle(&mut dice);
        let position = random_position(&puzzle, &grid, &mut dice);
        let premise = random_premise(&puzzle, &mut dice);
        let Some((cells, law)) = law_of(&puzzle, &premise) else { continue };
        if cells.len() > 6 || cells.is_empty() {
            continue;
        }
        let mut supported = vec![DigitSet::EMPTY; cells.len()];
        fillings(&position, &cells, &mut |digits| {
            if law(digits) {
                supported.iter_mut().zip(digits).for_each(|(set, &digit)| set.insert(digit));
            }
        });
        counts[kind(&premise)] += 1;
        for (&cell, supported) in cells.iter().zip(supported) {
            for digit in position.candidates(cell) {
                let claim = vec![smallvec![Literal::is_not(cell, digit)]];
                let outcome = check_clauses(&position, vec![conflict(claim, vec![premise.clone()], &[])]);
                assert_eq!(
                    outcome.is_ok(),
                    !supported.contains(digit),
                    "{premise:?} {cell:?} {digit} {puzzle:?}"
                );
                ruled_out[kind(&premise)] += u32::from(outcome.is_ok());
            }
        }
    }
    println!("premises by kind {counts:?}, candidates ruled out {ruled_out:?}");
    assert!(ruled_out[2..6].iter().all(|&count| count > 20));
}

type Law = Box<dyn Fn(&[Digit]) -> bool>;

/// The cells that a cage or combination speaks of, and what it says of their digits, computed with fractions and
/// plain sums.
fn law_of(puzzle: &Puzzle, premise: &Premise) -> Option<(Vec<Cell>, Law)> {
    let size = puzzle.size();
    let mut weights = vec![0i32; size * size];
    let mut weigh =
        |cells: &[Cell], factor: i32| cells.iter().for_each(|cell| weights[cell.index()] += factor);
    let total: i64 = (size * (size + 1) / 2) as i64;
    let factorial: f64 = (1..=size).map(|digit| digit as f64).product();
    match premise {
        Premise::Cage(id) => {
            let cage = puzzle.cage(*id).clone();
            let law = move |digits: &[Digit]| {
                cage.is_met_by(&digits.iter().map(|digit| digit.value()).collect::<Vec<u8>>())
            };
            Some((puzzle.cage(*id).cells.clone(), Box::new(law)))
        }
        Premise::Sum { houses, cages } => {
            let mut target = 0;
            for &(id, factor) in houses {
                weigh(&puzzle.house(id).cells, factor);
                target += total * i64::from(factor);
            }
            for &(id, factor) in cages {
                weigh(&puzzle.cage(id).cells, factor);
                target += puzzle.cage(id).target as i64 * i64::from(factor);
            }
            let (cells, weights) = weighted(&weights);
            let law = move |digits: &[Digit]| {
                let sum: i64 =
                    digits.iter().zip(&weights).map(|(d, &w)| i64::from(d.value()) * i64::from(w)).sum();
                sum == target
            };
            Some((cells, Box::new(law)))
        }
        Premise::Product { houses, cages } => {
            let mut target = 1f64;
            for &(id, factor) in houses {
                weigh(&puzzle.house(id).cells, factor);
                target *= factorial.powi(factor);
            }
            for &(id, factor) in cages {
                weigh(&puzzle.cage(id).cells, factor);
                target *= (puzzle.cage(id).target as f64).powi(factor);
            }
            let (cells, weights) = weighted(&weights);
            let law = move |digits: &[Digit]| {
                let product: f64 =
                    digits.iter().zip(&weights).map(|(d, &w)| f64::from(d.value()).powi(w)).product();
                (product / target - 1.0).abs() < 1e-9
            };
            Some((cells, Box::new(law)))
        }
        Premise::Parity { houses, cages } => {
            let mut is_odd = false;
            for &id in houses {
                weigh(&puzzle.house(id).cells, 1);
                is_odd ^= total % 2 == 1;
            }
            for &id in cages {
                weigh(&puzzle.cage(id).cells, 1);
                is_odd ^= puzzle.cage(id).target % 2 == 1;
            }
            weights.iter_mut().for_each(|weight| *weight %= 2);
            let (cells, _) = weighted(&weights);
            let law = move |digits: &[Digit]| {
                digits.iter().map(|digit| u32::from(digit.value())).sum::<u32>() % 2 == u32::from(is_odd)
            };
            Some((cells, Box::new(law)))
        }
        Premise::Cell(_) | Premise::House(..) | Premise::Swap(_) => None,
    }
}

fn weighted(weights: &[i32]) -> (Vec<Cell>, Vec<i32>) {
    weights.iter().enumerate().filter(|(_, weight)| **weight != 0).map(|(i, &w)| (Cell::new(i), w)).unzip()
}

/// A link that a candidate is in.
fn random_link(puzzle: &Puzzle, (cell, digit): (Cell, Digit), dice: &mut Dice) -> LinkSet {
    match (dice.roll(6), puzzle.cage_of(cell)) {
        (0, _) => LinkSet::Cell(cell),
        (1 | 2, Some(id)) => LinkSet::Cage(id, digit),
        (3, _) => {
            let one = *dice.pick(puzzle.peers(cell));
            let mut clique = vec![(cell, digit), (one, digit)];
            let other = *dice.pick(puzzle.peers(one));
            if puzzle.sees(cell, other) {
                clique.push((other, digit));
            }
            LinkSet::Clique(clique)
        }
        _ => LinkSet::House(*dice.pick(puzzle.houses_of(cell)), digit),
    }
}

/// Random truths, covered by random links: whatever is accepted holds in every solution.
#[test]
fn covers() {
    let mut dice = Dice::new(4);
    let (mut covered, mut accepted, mut refused) = (0, 0, 0);
    for _ in 0..3_000 {
        let Some((puzzle, position, grids)) = random_case(&mut dice) else { continue };
        let size = puzzle.size();
        let chosen = Digit::from_index(dice.roll(size));
        let candidates = |cells: &[Cell], wanted: Option<Digit>| -> Vec<(Cell, Digit)> {
            let of_cell = |&cell: &Cell| position.candidates(cell).iter().map(move |digit| (cell, digit));
            let all = cells.iter().flat_map(of_cell);
            all.filter(|(_, digit)| wanted.is_none_or(|wanted| wanted == *digit)).collect()
        };
        for _ in 0..4 {
            let (mut truths, mut open) = (Vec::new(), Vec::new());
            for _ in 0..1 + dice.roll(3) {
                let digit = if dice.one_in(4) { Digit::from_index(dice.roll(size)) } else { chosen };
                let (truth, members) = if dice.one_in(3) {
                    let cell = random_cell(size, &mut dice);
                    (Premise::Cell(cell), candidates(&[cell], None))
                } else {
                    let house = random_house(&puzzle, &mut dice);
                    (Premise::House(house, digit), candidates(&puzzle.house(house).cells, Some(digit)))
                };
                let times = 1 + u32::from(dice.one_in(4));
                (0..times).for_each(|_| open.extend(&members));
                truths.push((truth, times));
            }
            let mut links: Vec<(LinkSet, u32)> = Vec::new();
            while let Some(&candidate) = open.first() {
                let link = random_link(&puzzle, candidate, &mut dice);
                let members = match &link {
                    LinkSet::Cell(cell) => candidates(&[*cell], None),
                    LinkSet::House(house, digit) => candidates(&puzzle.house(*house).cells, Some(*digit)),
                    LinkSet::Cage(id, digit) => candidates(&puzzle.cage(*id).cells, Some(*digit)),
                    LinkSet::Clique(clique) => clique.clone(),
                };
                for member in members {
                    if let Some(at) = open.iter().position(|candidate| *candidate == member) {
                        open.swap_remove(at);
                    }
                }
                links.push((link, 1));
            }
            if dice.one_in(10) {
                links.remove(dice.roll(links.len()));
            }
            let mut is_covered = false;
            for (cell, digit) in candidates(&Cell::all(size).collect::<Vec<_>>(), None) {
                let literal = Literal::is_not(cell, digit);
                let argument = Argument::Cover { truths: truths.clone(), links: links.clone() };
                let lemma = Lemma { claims: smallvec![smallvec![literal]], argument };
                match check_clauses(&position, vec![lemma.clone()]) {
                    Err(Refusal::Unproved { .. }) => is_covered = true,
                    Err(_) => refused += 1,
                    Ok(()) => {
                        accepted += 1;
                        assert!(grids.iter().all(|grid| holds(&[literal], grid)), "{lemma:?} of {puzzle:?}");
                    }
                }
            }
            covered += u32::from(is_covered);
        }
    }
    println!("{covered} covers, {accepted} live candidates ruled out, {refused} refused");
    assert!(covered > 500 && accepted > 200 && refused > 200);
}
