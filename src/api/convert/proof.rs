//! Proofs: each variant of the engine's has its message.

use super::reader::Reader;
use crate::api::proto as pb;
use crate::api::proto::cover_link::Set;
use crate::api::proto::lemma::Argument as ArgumentMessage;
use crate::api::proto::premise::Constraint;
use crate::api::proto::swap::Exchange;
use crate::engine::logic::{Argument, Claim, Lemma, LinkSet, Literal, Premise, Proof, Swap};
use crate::puzzle::{CageId, Cell, Digit, HouseId};

/// A proof.
pub fn write_proof(proof: &Proof) -> pb::Proof {
    pb::Proof { lemmas: proof.lemmas.iter().map(write_lemma).collect() }
}

fn write_lemma(lemma: &Lemma) -> pb::Lemma {
    let argument = Some(write_argument(&lemma.argument));
    pb::Lemma { claims: lemma.claims.iter().map(write_clause).collect(), argument }
}

/// Why a lemma holds.
pub fn write_argument(argument: &Argument) -> ArgumentMessage {
    match argument {
        Argument::Conflict { premises, uses } => ArgumentMessage::Conflict(pb::Conflict {
            premises: premises.iter().map(write_premise).collect(),
            uses: uses.clone(),
        }),
        Argument::Cover { truths, links } => ArgumentMessage::Cover(pb::Cover {
            truths: truths
                .iter()
                .map(|(premise, multiplicity)| pb::Truth {
                    premise: Some(write_premise(premise)),
                    multiplicity: *multiplicity,
                })
                .collect(),
            links: links.iter().map(|(set, multiplicity)| write_link_set(set, *multiplicity)).collect(),
        }),
    }
}

fn write_clause(claim: &Claim) -> pb::Clause {
    let literal = |literal: &Literal| pb::Literal {
        cell: index(literal.cell),
        digit: value(literal.digit),
        holds: literal.holds,
    };
    pb::Clause { literals: claim.iter().map(literal).collect() }
}

/// A constraint that a lemma rests on.
pub fn write_premise(premise: &Premise) -> pb::Premise {
    let constraint = match premise {
        Premise::Cell(cell) => Constraint::Cell(index(*cell)),
        Premise::House(house, digit) => Constraint::House(in_house(*house, *digit)),
        Premise::Cage(cage) => Constraint::Cage(cage.0.into()),
        Premise::Sum { houses, cages } => Constraint::Sum(write_combination(houses, cages)),
        Premise::Product { houses, cages } => Constraint::Product(write_combination(houses, cages)),
        Premise::Parity { houses, cages } => Constraint::Parity(pb::Parity {
            houses: houses.iter().map(|house| house.0.into()).collect(),
            cages: cages.iter().map(|cage| cage.0.into()).collect(),
        }),
        Premise::Swap(swap) => Constraint::Swap(write_swap(swap)),
    };
    pb::Premise { constraint: Some(constraint) }
}

fn write_combination(houses: &[(HouseId, i32)], cages: &[(CageId, i32)]) -> pb::Combination {
    pb::Combination {
        houses: houses
            .iter()
            .map(|(house, factor)| pb::HouseFactor { house: house.0.into(), factor: *factor })
            .collect(),
        cages: cages
            .iter()
            .map(|(cage, factor)| pb::CageFactor { cage: cage.0.into(), factor: *factor })
            .collect(),
    }
}

fn write_swap(swap: &Swap) -> pb::Swap {
    let exchange = match swap {
        Swap::Digits(cells) => Exchange::Digits(pb::DigitSwap {
            cells: cells
                .iter()
                .map(|(cell, digits)| pb::CellDigits { cell: index(*cell), digits: digits.bits() })
                .collect(),
        }),
        Swap::Cells { pairs, digits } => Exchange::Cells(pb::CellSwap {
            pairs: pairs
                .iter()
                .map(|(one, other)| pb::CellPair { one: index(*one), other: index(*other) })
                .collect(),
            digits: digits.bits(),
        }),
    };
    pb::Swap { exchange: Some(exchange) }
}

fn write_link_set(set: &LinkSet, multiplicity: u32) -> pb::CoverLink {
    let set = match set {
        LinkSet::Cell(cell) => Set::Cell(index(*cell)),
        LinkSet::House(house, digit) => Set::House(in_house(*house, *digit)),
        LinkSet::Cage(cage, digit) => {
            Set::Cage(pb::DigitInCage { cage: cage.0.into(), digit: value(*digit) })
        }
        LinkSet::Clique(candidates) => Set::Clique(pb::Clique {
            candidates: candidates
                .iter()
                .map(|(cell, digit)| pb::Candidate { cell: index(*cell), digit: value(*digit) })
                .collect(),
        }),
    };
    pb::CoverLink { set: Some(set), multiplicity }
}

fn in_house(house: HouseId, digit: Digit) -> pb::DigitInHouse {
    pb::DigitInHouse { house: house.0.into(), digit: value(digit) }
}

fn index(cell: Cell) -> u32 {
    cell.index() as u32
}

fn value(digit: Digit) -> u32 {
    digit.value().into()
}

/// A proof whose references the puzzle has.
pub fn read_proof(message: &pb::Proof, reader: &mut Reader<'_>) -> Proof {
    Proof { lemmas: reader.each("lemmas", &message.lemmas, read_lemma).into() }
}

fn read_lemma(reader: &mut Reader<'_>, message: &pb::Lemma) -> Option<Lemma> {
    let claims = reader.each("claims", &message.claims, |reader, clause| {
        Some(reader.each("literals", &clause.literals, read_literal).into())
    });
    let argument = match &message.argument {
        Some(ArgumentMessage::Conflict(conflict)) => reader.within("conflict", |reader| {
            let premises = reader.each("premises", &conflict.premises, read_premise);
            Argument::Conflict { premises: premises.into(), uses: conflict.uses.clone() }
        }),
        Some(ArgumentMessage::Cover(cover)) => reader.within("cover", |reader| Argument::Cover {
            truths: reader.each("truths", &cover.truths, read_truth),
            links: reader.each("links", &cover.links, read_link_set),
        }),
        None => {
            reader.fault("argument", "a lemma needs an argument");
            return None;
        }
    };
    Some(Lemma { claims: claims.into(), argument })
}

fn read_literal(reader: &mut Reader<'_>, message: &pb::Literal) -> Option<Literal> {
    let cell = reader.cell("cell", message.cell);
    let digit = reader.digit("digit", message.digit);
    Some(Literal { cell: cell?, digit: digit?, holds: message.holds })
}

fn read_truth(reader: &mut Reader<'_>, message: &pb::Truth) -> Option<(Premise, u32)> {
    let Some(premise) = &message.premise else {
        reader.fault("premise", "a truth needs a premise");
        return None;
    };
    let premise = reader.within("premise", |reader| read_premise(reader, premise))?;
    Some((premise, message.multiplicity))
}

fn read_premise(reader: &mut Reader<'_>, message: &pb::Premise) -> Option<Premise> {
    match message.constraint.as_ref() {
        Some(Constraint::Cell(cell)) => reader.cell("cell", *cell).map(Premise::Cell),
        Some(Constraint::House(house)) => reader
            .within("house", |reader| read_in_house(reader, house))
            .map(|(house, digit)| Premise::House(house, digit)),
        Some(Constraint::Cage(cage)) => reader.cage("cage", *cage).map(Premise::Cage),
        Some(Constraint::Sum(combination)) => reader.within("sum", |reader| {
            let (houses, cages) = read_combination(reader, combination);
            Some(Premise::Sum { houses, cages })
        }),
        Some(Constraint::Product(combination)) => reader.within("product", |reader| {
            let (houses, cages) = read_combination(reader, combination);
            Some(Premise::Product { houses, cages })
        }),
        Some(Constraint::Parity(parity)) => reader.within("parity", |reader| {
            let houses = reader.each("houses", &parity.houses, |reader, &house| reader.house("", house));
            let cages = reader.each("cages", &parity.cages, |reader, &cage| reader.cage("", cage));
            Some(Premise::Parity { houses, cages })
        }),
        Some(Constraint::Swap(swap)) => {
            reader.within("swap", |reader| read_swap(reader, swap)).map(Premise::Swap)
        }
        None => {
            reader.fault("constraint", "a premise needs a constraint");
            None
        }
    }
}

fn read_in_house(reader: &mut Reader<'_>, message: &pb::DigitInHouse) -> Option<(HouseId, Digit)> {
    let house = reader.house("house", message.house);
    let digit = reader.digit("digit", message.digit);
    Some((house?, digit?))
}

type Factors<T> = Vec<(T, i32)>;

fn read_combination(
    reader: &mut Reader<'_>,
    message: &pb::Combination,
) -> (Factors<HouseId>, Factors<CageId>) {
    let houses = reader.each("houses", &message.houses, |reader, factor| {
        Some((reader.house("house", factor.house)?, factor.factor))
    });
    let cages = reader.each("cages", &message.cages, |reader, factor| {
        Some((reader.cage("cage", factor.cage)?, factor.factor))
    });
    (houses, cages)
}

fn read_swap(reader: &mut Reader<'_>, message: &pb::Swap) -> Option<Swap> {
    match message.exchange.as_ref() {
        Some(Exchange::Digits(swap)) => reader.within("digits", |reader| {
            let cells = reader.each("cells", &swap.cells, |reader, entry| {
                let cell = reader.cell("cell", entry.cell);
                let digits = reader.digits("digits", entry.digits);
                Some((cell?, digits?))
            });
            Some(Swap::Digits(cells))
        }),
        Some(Exchange::Cells(swap)) => reader.within("cells", |reader| {
            let pairs = reader.each("pairs", &swap.pairs, |reader, pair| {
                let one = reader.cell("one", pair.one);
                let other = reader.cell("other", pair.other);
                Some((one?, other?))
            });
            let digits = reader.digits("digits", swap.digits)?;
            Some(Swap::Cells { pairs, digits })
        }),
        None => {
            reader.fault("exchange", "a swap needs an exchange");
            None
        }
    }
}

fn read_link_set(reader: &mut Reader<'_>, message: &pb::CoverLink) -> Option<(LinkSet, u32)> {
    let set = match message.set.as_ref() {
        Some(Set::Cell(cell)) => LinkSet::Cell(reader.cell("cell", *cell)?),
        Some(Set::House(house)) => {
            let (house, digit) = reader.within("house", |reader| read_in_house(reader, house))?;
            LinkSet::House(house, digit)
        }
        Some(Set::Cage(link)) => reader.within("cage", |reader| {
            let cage = reader.cage("cage", link.cage);
            let digit = reader.digit("digit", link.digit);
            Some(LinkSet::Cage(cage?, digit?))
        })?,
        Some(Set::Clique(clique)) => reader.within("clique", |reader| {
            LinkSet::Clique(reader.each("candidates", &clique.candidates, |reader, candidate| {
                let cell = reader.cell("cell", candidate.cell);
                let digit = reader.digit("digit", candidate.digit);
                Some((cell?, digit?))
            }))
        }),
        None => {
            reader.fault("set", "a link needs a set of candidates");
            return None;
        }
    };
    Some((set, message.multiplicity))
}
