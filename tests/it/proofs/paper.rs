//! The cases for which the form of proofs was made, before there are finders for them.

use sleuth::engine::logic::LinkSet;
use sleuth::puzzle::Regions;

use super::*;

/// r1c1=1 forces r1c5=3 and, apart from that, r5c1=4; then r5c5 has nothing left.
#[test]
fn forcing_net() {
    let mut position = open(boxed(3, 3));
    keep(&mut position, "r1c1", &[1, 2]);
    keep(&mut position, "r1c5", &[1, 3]);
    keep(&mut position, "r5c1", &[1, 4]);
    keep(&mut position, "r5c5", &[3, 4]);
    let start = Literal::is_not(at("r1c1"), digit(1));
    let lemmas = |uses: &[u32]| {
        vec![
            conflict(
                vec![smallvec![start, Literal::is(at("r1c5"), digit(3))]],
                vec![Premise::Cell(at("r1c5"))],
                &[],
            ),
            conflict(
                vec![smallvec![start, Literal::is(at("r5c1"), digit(4))]],
                vec![Premise::Cell(at("r5c1"))],
                &[],
            ),
            conflict(vec![smallvec![start]], vec![Premise::Cell(at("r5c5"))], uses),
        ]
    };
    let verified = check(&position, lemmas(&[0, 1])).expect("proved");
    assert_eq!((verified.nodes, verified.conditional), (3, false));
    assert_eq!(refusal(check(&position, lemmas(&[0]))), "lemma 3 does not prove r1c1<>1");
    assert_eq!(
        refusal(check(&position, lemmas(&[0, 1, 2]))),
        "lemma 3 uses lemma 3, which is not an earlier one"
    );
    assert_eq!(
        refusal(check(&position, lemmas(&[u32::MAX]))),
        "lemma 3 uses lemma 4294967296, which is not an earlier one"
    );
    // A nested chain: the clause of two assumptions is a lemma of its own.
    let nested = vec![
        conflict(
            vec![smallvec![Literal::is(at("r1c5"), digit(1)), Literal::is(at("r5c1"), digit(1))]],
            [at("r1c5"), at("r5c1"), at("r5c5")].map(Premise::Cell).to_vec(),
            &[],
        ),
        conflict(vec![smallvec![start]], Vec::new(), &[0]),
    ];
    assert!(check(&position, nested).is_ok());
}

#[test]
fn singles_and_what_is_no_premise() {
    let mut position = open(boxed(3, 3));
    keep(&mut position, "r1c1", &[4]);
    let four = Literal::is(at("r1c1"), digit(4));
    assert!(check_one(&position, &[four], vec![Premise::Cell(at("r1c1"))]).is_ok());
    assert_eq!(refusal(check_one(&position, &[four], vec![])), "lemma 1 does not prove r1c1=4");
    // A cell without the premise may hold nothing at all.
    keep(&mut position, "r1c1", &[]);
    let five = Literal::is(at("r2c2"), digit(5));
    assert_eq!(refusal(check_one(&position, &[five], vec![])), "lemma 1 does not prove r2c2=5");
    assert!(
        check_one(&position, &[five], vec![Premise::Cell(at("r1c1"))]).is_ok(),
        "from nothing all follows"
    );
}

/// Seven rows of a 16×16 whose 5s stand in seven columns.
#[test]
fn fish_of_seven() {
    let mut position = open(boxed(4, 4));
    let lines = [0, 2, 3, 5, 8, 11, 14];
    for row in lines {
        for column in (0..16).filter(|column| !lines.contains(column)) {
            position.eliminate(Cell::at(row, column, 16), digit(5));
        }
    }
    let five = digit(5);
    let others = (0..16).filter(|row| !lines.contains(row));
    let claims: Vec<Claim> = others
        .flat_map(|row| lines.map(|column| smallvec![Literal::is_not(Cell::at(row, column, 16), five)]))
        .collect();
    let truths: Vec<_> = lines.map(|row| (Premise::House(HouseId(row as u16), five), 1)).to_vec();
    let links: Vec<_> = lines.map(|column| (LinkSet::House(HouseId(16 + column as u16), five), 1)).to_vec();
    let cover = |claims: &[Claim], truths: &[(Premise, u32)], links: &[(LinkSet, u32)]| {
        vec![Lemma {
            claims: claims.into(),
            argument: Argument::Cover { truths: truths.to_vec(), links: links.to_vec() },
        }]
    };
    assert_eq!(check(&position, cover(&claims, &truths, &links)).map(|verified| verified.nodes), Ok(63));
    assert_eq!(
        refusal(check(&position, cover(&claims, &truths, &links[1..]))),
        "lemma 1: r1c1=5 is in more truths than links"
    );
    assert_eq!(
        refusal(check(&position, cover(&claims, &truths[1..], &links))),
        "lemma 1 does not prove r2c1<>5"
    );
    let base = vec![smallvec![Literal::is_not(Cell::at(0, 0, 16), five)]];
    assert_eq!(refusal(check(&position, cover(&base, &truths, &links))), "lemma 1 does not prove r1c1<>5");
    let placed = vec![smallvec![Literal::is(Cell::at(1, 0, 16), five)]];
    assert_eq!(refusal(check(&position, cover(&placed, &truths, &links))), "lemma 1 does not prove r2c1=5");
    // One of the claims by conflict, which has to go through the ways of the seven rows; for all it is too much.
    let premises: Vec<Premise> = truths.into_iter().map(|(truth, _)| truth).collect();
    let verified =
        check(&position, vec![conflict(claims[..1].to_vec(), premises.clone(), &[])]).expect("proved");
    println!("a fish of seven by conflict: {} nodes, {} units", verified.nodes, verified.work);
    assert_eq!(
        refusal(check(&position, vec![conflict(claims, premises, &[])])),
        "lemma 1 takes more work to check than is allowed"
    );
}

/// 5 in rows 1 and 4: columns 1 and 4, and a fin in r4c5 and r4c6, both seen by r5c4.
#[test]
fn finned_fish() {
    let mut position = open(boxed(3, 3));
    drop(&mut position, "r1c2356789 r4c23789", &[5]);
    let (five, puzzle) = (digit(5), position.puzzle().clone());
    let row = |number| house(&puzzle, HouseKind::Row, number);
    let column = |number| house(&puzzle, HouseKind::Column, number);
    let truths = vec![(Premise::House(row(1), five), 1), (Premise::House(row(4), five), 1)];
    let covers = vec![(LinkSet::House(column(1), five), 1), (LinkSet::House(column(4), five), 1)];
    let target = at("r5c4");
    let claim = |cell| vec![smallvec![Literal::is_not(cell, five)]];
    let with = |links: Vec<(LinkSet, u32)>, cell| {
        let links = [covers.clone(), links].concat();
        vec![Lemma {
            claims: claim(cell).into(),
            argument: Argument::Cover { truths: truths.clone(), links },
        }]
    };
    let clique = |fin: &str| (LinkSet::Clique(vec![(target, five), (at(fin), five)]), 1);
    let in_box = (LinkSet::House(house(&puzzle, HouseKind::Box, 5), five), 1);
    assert!(check(&position, with(vec![in_box.clone()], target)).is_ok());
    assert!(check(&position, with(vec![clique("r4c5"), clique("r4c6")], target)).is_ok());
    assert_eq!(
        refusal(check(&position, with(vec![clique("r4c5")], target))),
        "lemma 1: r4c6=5 is in more truths than links"
    );
    assert_eq!(refusal(check(&position, with(vec![in_box], at("r8c4")))), "lemma 1 does not prove r8c4<>5");
    assert_eq!(
        refusal(check(&position, with(vec![clique("r9c6")], target))),
        "lemma 1: r5c4=5 and r9c6=5 do not conflict"
    );
    let premises: Vec<Premise> = truths.iter().map(|(truth, _)| truth.clone()).collect();
    assert!(check_one(&position, &[Literal::is_not(target, five)], premises.clone()).is_ok());
    let refused = check_one(&position, &[Literal::is_not(at("r8c4"), five)], premises);
    assert_eq!(refusal(refused), "lemma 1 does not prove r8c4<>5");
}

/// A grid that solves any 9×9 with boxes.
fn pattern_digit(row: usize, column: usize) -> u64 {
    ((3 * (row % 3) + row / 3 + column) % 9 + 1) as u64
}

/// A killer cage with the target that the pattern grid gives it.
fn pattern_cage(names: &str) -> CageDraft {
    let cells = cells(names, 9);
    let target = cells.iter().map(|cell| pattern_digit(cell.row(9), cell.column(9))).sum();
    cage(&cells, Operation::Add, target, true)
}

/// Cages fill rows 1 to 3 but for r2c2, and reach out to r4c5: r2c2 is one less than r4c5.
#[test]
fn innie_and_outie_of_three_rows() {
    let mut draft = boxed(3, 3);
    let names = ["r123c1", "r13c2", "r123c3", "r123c4", "r1234c5", "r123c6", "r123c7", "r123c8", "r123c9"];
    draft.cages = names.map(pattern_cage).to_vec();
    let mut position = open(draft);
    let puzzle = position.puzzle().clone();
    assert_eq!((pattern_digit(1, 1), pattern_digit(3, 4)), (5, 6));
    let rows: Vec<_> = (1..=3).map(|number| (house(&puzzle, HouseKind::Row, number), 1)).collect();
    let sum = Premise::Sum { houses: rows.clone(), cages: all_cages(&puzzle, -1) };
    let (innie, outie) = (at("r2c2"), at("r4c5"));
    let ends = [Literal::is_not(innie, digit(9)), Literal::is_not(outie, digit(1))];
    assert!(check_one(&position, &ends, vec![sum.clone()]).is_ok());
    let eight = Literal::is_not(innie, digit(8));
    assert_eq!(refusal(check_one(&position, &[eight], vec![sum.clone()])), "lemma 1 does not prove r2c2<>8");
    drop(&mut position, "r4c5", &[9, 4]);
    let gone = [eight, Literal::is_not(innie, digit(3))];
    assert!(check_one(&position, &gone, vec![sum.clone()]).is_ok());
    // One cage too few, and all is open.
    let short = Premise::Sum { houses: rows, cages: all_cages(&puzzle, -1)[1..].to_vec() };
    assert!(check_one(&position, &gone, vec![short]).is_err());
    let large = Premise::Sum { houses: vec![(HouseId(0), i32::MIN)], cages: Vec::new() };
    assert_eq!(
        refusal(check_one(&position, &gone, vec![large])),
        "lemma 1: factor -2147483648 is larger than 1000000"
    );
    let foreign = Premise::Sum { houses: Vec::new(), cages: vec![(CageId(9), 1)] };
    assert_eq!(refusal(check_one(&position, &gone, vec![foreign])), "lemma 1: cage 10 is not of this puzzle");
}

/// Nine cells in a block whose product is 8640 = 2⁶·3³·5 in a Latin square of nine.
#[test]
fn nine_cell_product() {
    let block = cells("r123c123", 9);
    let rest: Vec<Cell> = Cell::all(9).filter(|cell| !block.contains(cell)).collect();
    let mut draft = PuzzleDraft::latin(9);
    let value = |cell: &Cell| ((cell.row(9) + cell.column(9)) % 9 + 1) as u64;
    let product = block.iter().map(value).product();
    assert_eq!(product, 8640);
    draft.cages = vec![cage(&block, Operation::Multiply, product, false)];
    draft.cages.extend(rest.iter().map(|cell| cage(&[*cell], Operation::Unknown, value(cell), false)));
    let mut position = open(draft);
    let premises = || vec![Premise::Cage(CageId(0))];
    let sevens: Vec<Literal> = block.iter().map(|&cell| Literal::is_not(cell, digit(7))).collect();
    assert!(check_one(&position, &sevens, premises()).is_ok());
    let five = Literal::is_not(at("r1c1"), digit(5));
    assert_eq!(refusal(check_one(&position, &[five], premises())), "lemma 1 does not prove r1c1<>5");
    // 5 divides the product once, so it stands in one cell alone.
    let pair = |one: &str, other: &str| -> Claim {
        smallvec![Literal::is_not(at(one), digit(5)), Literal::is_not(at(other), digit(5))]
    };
    let twice = vec![pair("r1c1", "r2c2"), pair("r2c3", "r3c1")];
    let last: Claim = smallvec![Literal::is_not(at("r1c1"), digit(7))];
    let lemmas = vec![conflict(twice, premises(), &[]), conflict(vec![last], premises(), &[])];
    let start = std::time::Instant::now();
    let verified = check(&position, lemmas).expect("proved");
    println!("two lemmas over a nine-cell product: {} units, {:?}", verified.work, start.elapsed());
    // 9·9·9 needs 3⁶: with two nines, two cells at least are left with no way to be filled.
    keep(&mut position, "r1c1 r2c2", &[1, 8, 9]);
    let nines: Claim = smallvec![
        Literal::is_not(at("r1c1"), digit(9)),
        Literal::is_not(at("r2c2"), digit(9)),
        Literal::is_not(at("r3c3"), digit(9)),
    ];
    let one: Claim = smallvec![Literal::is_not(at("r3c3"), digit(7))];
    assert!(check(&position, vec![conflict(vec![nines, one], premises(), &[])]).is_ok());
    // The same as an equation of products of its lines.
    let lines: Vec<_> = (0..3).map(|row| (HouseId(row), 1)).collect();
    let rest: Vec<_> = (1..=72).map(|id| (CageId(id), -1)).collect();
    let known = Premise::Product { houses: lines, cages: rest };
    assert_eq!(refusal(check_one(&position, &sevens, vec![known])), "lemma 1: cage 2 has no known product");
}

/// In a row of four, a cage of difference 2 leaves an even sum, so the other two are both odd or both even.
#[test]
fn parity_of_a_row() {
    let names = |text: &str| cells(text, 4);
    let mut draft = PuzzleDraft::latin(4);
    draft.cages = vec![
        cage(&names("r1c12"), Operation::Subtract, 2, false),
        cage(&names("r1c34"), Operation::Multiply, 3, false),
        cage(&names("r2c12"), Operation::Divide, 3, false),
        cage(&names("r2c34"), Operation::Divide, 2, false),
        cage(&names("r34c1234"), Operation::Add, 20, false),
    ];
    let mut position = open(draft);
    keep(&mut position, "r1c3", &[1, 3]);
    let even = |name: &str| {
        let cell = names(name)[0];
        [Literal::is_not(cell, digit(2)), Literal::is_not(cell, digit(4))]
    };
    let parity = |row, cages: &[u16]| Premise::Parity {
        houses: vec![HouseId(row)],
        cages: cages.iter().map(|&id| CageId(id)).collect(),
    };
    assert!(check_one(&position, &even("r1c4"), vec![parity(0, &[0])]).is_ok());
    assert!(check_one(&position, &even("r1c4"), vec![parity(0, &[])]).is_err());
    assert_eq!(
        refusal(check_one(&position, &even("r1c4"), vec![parity(0, &[1])])),
        "lemma 1: the sum of cage 2 has no known parity"
    );
    // Divided by 3: the sum is even whatever the digits are; divided by 2 it may be either.
    keep(&mut position, "r2c3", &[1, 3]);
    assert!(check_one(&position, &even("r2c4"), vec![parity(1, &[2])]).is_ok());
    assert_eq!(
        refusal(check_one(&position, &even("r2c4"), vec![parity(1, &[3])])),
        "lemma 1: the sum of cage 4 has no known parity"
    );
}

/// A 16×16 jigsaw with diagonals and cages of all sizes up to sixteen different digits.
#[test]
fn large_jigsaw_killer_with_diagonals() {
    let mut draft = PuzzleDraft::latin(16);
    // Columns shifted from band to band: regions that are no boxes.
    let region = |cell: Cell| (cell.row(16) / 4) * 4 + (cell.column(16) + cell.row(16) / 4) % 16 / 4;
    draft.regions = RegionsDraft::Jigsaw(Cell::all(16).map(region).collect());
    draft.falling_diagonal = true;
    draft.rising_diagonal = true;
    let region_cells: Vec<Cell> = Cell::all(16).filter(|&cell| region(cell) == 5).collect();
    draft.cages = vec![
        cage(&region_cells[..15], Operation::Add, 136 - 7, true),
        cage(&cells("r1c123456789ABCDEFG", 16), Operation::Add, 136, true),
        cage(&cells("r2c1234", 16), Operation::Add, 10, true),
    ];
    let position = open(draft);
    let puzzle = position.puzzle().clone();
    assert!(matches!(puzzle.layout().regions, Regions::Jigsaw(_)));
    let last = region_cells[15];
    let region = house(&puzzle, HouseKind::Region, 6);
    let innie = Premise::Sum { houses: vec![(region, 1)], cages: vec![(CageId(0), -1)] };
    assert!(check_one(&position, &[Literal::is(last, digit(7))], vec![innie]).is_ok());
    // By the cage alone: without the digit 7 among its fifteen, all fifteen others stand there.
    let sees = puzzle.house(region).cells[0];
    assert!(puzzle.sees(sees, last));
    let start = std::time::Instant::now();
    let verified = check_one(
        &position,
        &[Literal::is_not(sees, digit(7))],
        vec![Premise::Cage(CageId(0)), Premise::Cage(CageId(1))],
    )
    .expect("proved");
    println!("fifteen different cells: {} units, {:?}", verified.work, start.elapsed());
    let gone: Vec<Literal> = cells("r2c5GF", 16)
        .into_iter()
        .flat_map(|cell| (1..=4).map(move |value| Literal::is_not(cell, digit(value))))
        .collect();
    assert!(check_one(&position, &gone, vec![Premise::Cage(CageId(2))]).is_ok());
    let five = Literal::is_not(cells("r2c5", 16)[0], digit(5));
    assert_eq!(
        refusal(check_one(&position, &[five], vec![Premise::Cage(CageId(2))])),
        "lemma 1 does not prove r2c5<>5"
    );
}

/// What a step says must be said, be of the puzzle, and not contradict the position.
#[test]
fn conclusions() {
    let mut position = open(boxed(2, 2));
    let cell = |index| Cell::new(index);
    position.place(cell(0), digit(1));
    let mut given = step(vec![conflict(vec![smallvec![Literal::is_not(cell(1), digit(1))]], vec![], &[])]);
    let check = |step: &Step| verify(&position, step, UNIQUE, NodeCap::default());
    assert!(check(&given).is_ok(), "no news, but true");
    for (conclusion, message) in [
        (Conclusion::Eliminate(cell(0), digit(1)), "r1c1<>1 contradicts the position"),
        (Conclusion::Place(cell(0), digit(2)), "r1c1=2 contradicts the position"),
        (Conclusion::Place(cell(1), digit(1)), "r1c2=1 contradicts the position"),
        (Conclusion::Place(cell(1), digit(2)), "no lemma claims r1c2=2"),
        (
            Conclusion::Place(cell(624), digit(25)),
            "the conclusions: digit P in cell 625 is not of this puzzle",
        ),
        (Conclusion::Place(cell(1), digit(5)), "the conclusions: digit 5 in cell 2 is not of this puzzle"),
    ] {
        given.conclusions = smallvec![conclusion];
        assert_eq!(refusal(check(&given)), message);
    }
    given.conclusions.clear();
    assert_eq!(refusal(check(&given)), "the step concludes nothing");
}

/// Pigeons and holes, stated by conflict: branching without end, which the cap ends.
#[test]
fn too_large() {
    let mut position = open(PuzzleDraft::latin(16));
    let five = digit(5);
    for row in 0..10 {
        for column in 9..16 {
            position.eliminate(Cell::at(row, column, 16), five);
        }
    }
    let premises = (0..10).map(|row| Premise::House(HouseId(row), five)).collect();
    let claim = Literal::is_not(Cell::at(15, 15, 16), digit(1));
    let outcome = check_one(&position, &[claim], premises);
    assert_eq!(refusal(outcome), "lemma 1 takes more work to check than is allowed");
}

/// Large proofs from outside: as many claims as conclusions, and branching among thousands of premises.
#[test]
fn large_proofs_end_soon() {
    let position = open(PuzzleDraft::latin(16));
    let cap = NodeCap::default();
    let literals =
        Cell::all(16).flat_map(|cell| Digit::all(16).map(move |digit| Literal::is_not(cell, digit)));
    let claims: Vec<Claim> = literals.map(|literal| smallvec![literal]).cycle().take(200_000).collect();
    let outcome = verify(&position, &step(vec![conflict(claims, Vec::new(), &[])]), UNIQUE, cap);
    assert_eq!(refusal(outcome), "lemma 1 does not prove r1c1<>1");
    let houses = position.puzzle().house_ids();
    let premises: Vec<Premise> =
        houses.flat_map(|house| Digit::all(16).map(move |digit| Premise::House(house, digit))).collect();
    let premises = premises.iter().cycle().take(100_000).cloned().collect();
    let claim = Literal::is_not(Cell::new(0), digit(1));
    let outcome = check_one(&position, &[claim], premises);
    assert!(outcome.is_err(), "{outcome:?}");
}
