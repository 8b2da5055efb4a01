//! Steps as JSON, for traces, the database and messages, in the one notation: `r1c1=4`, `row 4`, `cage 3`.
//! Reading (`read.rs`) names every fault; what is read is a well-formed step, not yet a proved one.

mod read;

use serde::{Deserialize, Serialize};

use super::{Argument, Lemma, Link, LinkSet, Literal, Mark, Premise, Shape, Step, Swap};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, Faults, HouseId, Puzzle, notation};

/// A step in words. Cells are folded (`r12c3`), digits of a set stand side by side (`137`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// The slug; it may be one that this version does not know.
    pub technique: String,
    /// `r1c1=4`, `r8c3<>4`.
    pub conclusions: Vec<String>,
    /// What a person is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<MarkRecord>,
    /// Lemmas, in order.
    pub proof: Vec<LemmaRecord>,
}

/// A mark: `{"role": "pattern", "cells": "r12c3"}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MarkRecord {
    /// The word of its role.
    pub role: String,
    /// What is pointed at.
    #[serde(flatten)]
    pub shape: ShapeRecord,
}

/// What a mark points at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeRecord {
    /// Cells.
    Cells(String),
    /// Cells, and digits in them.
    Candidates(String, String),
    /// Digits.
    Digits(String),
    /// The name of a house.
    House(String),
    /// The name of a cage.
    Cage(String),
    /// A number.
    Number(i64),
    /// A link of a chain.
    Link(LinkRecord),
}

/// A link of a chain: each end is cells and a digit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkRecord {
    /// The first node.
    pub from: (String, String),
    /// The second node.
    pub to: (String, String),
    /// Whether it is strong.
    pub strong: bool,
}

/// A lemma: `{"claims": [["r1c1=4"]], "conflict": {"premises": [{"cell": "r1c1"}]}}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LemmaRecord {
    /// Clauses, each a list of literals.
    pub claims: Vec<Vec<String>>,
    /// Why they hold.
    #[serde(flatten)]
    pub argument: ArgumentRecord,
}

/// Why a lemma holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentRecord {
    /// By conflict.
    Conflict {
        /// What it rests on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        premises: Vec<PremiseRecord>,
        /// Earlier lemmas, the first of the proof being 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        uses: Vec<u32>,
    },
    /// By counting.
    Cover {
        /// With multiplicity.
        truths: Vec<(PremiseRecord, u32)>,
        /// With multiplicity.
        links: Vec<(LinkSetRecord, u32)>,
    },
}

/// A premise: `{"house": ["row 4", "7"]}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PremiseRecord {
    /// A cell.
    Cell(String),
    /// A house and a digit.
    House(String, String),
    /// A cage.
    Cage(String),
    /// A combination of sums.
    Sum(TotalsRecord),
    /// A combination of products.
    Product(TotalsRecord),
    /// A combination of parities.
    Parity {
        /// Houses.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        houses: Vec<String>,
        /// Cages.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cages: Vec<String>,
    },
    /// A deadly pattern.
    Swap(SwapRecord),
}

/// Houses and cages, each with its factor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TotalsRecord {
    /// Houses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub houses: Vec<(String, i32)>,
    /// Cages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cages: Vec<(String, i32)>,
}

/// A deadly pattern.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SwapRecord {
    /// Cells, each with its two digits.
    Digits(Vec<(String, String)>),
    /// Cells that change places, and the digits of all.
    Cells(Vec<(String, String)>, String),
}

/// Candidates of which at most one is true.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkSetRecord {
    /// A cell.
    Cell(String),
    /// A house and a digit.
    House(String, String),
    /// A cage and a digit.
    Cage(String, String),
    /// `r1c1=4`, …
    Clique(Vec<String>),
}

/// Why a record is no step of a puzzle, or a text no trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The text is no JSON of this form.
    #[error("{0}")]
    Json(String),
    /// Names that this puzzle does not have, every one of them.
    #[error(transparent)]
    Faults(#[from] Faults),
}

impl StepRecord {
    /// A step of this puzzle, in words.
    pub fn from_step(step: &Step, puzzle: &Puzzle) -> StepRecord {
        let words = Words { puzzle };
        StepRecord {
            technique: step.technique.as_str().to_owned(),
            conclusions: step
                .conclusions
                .iter()
                .map(|conclusion| conclusion.notation(puzzle.size()))
                .collect(),
            marks: step.marks().iter().map(|mark| words.mark(mark)).collect(),
            proof: step.proof().lemmas.iter().map(|lemma| words.lemma(lemma)).collect(),
        }
    }

    /// The step, or every name in it that this puzzle does not have.
    pub fn to_step(&self, puzzle: &Puzzle) -> Result<Step, RecordError> {
        read::step(self, puzzle)
    }
}

/// `r1c1=4` or `r8c3<>4`.
pub fn literal_notation(literal: Literal, size: usize) -> String {
    match literal.holds {
        true => notation::placement(literal.cell, literal.digit, size),
        false => notation::elimination(literal.cell, literal.digit, size),
    }
}

/// `row 4`; a house that the puzzle does not have is named by its place.
pub fn house_name(id: HouseId, puzzle: &Puzzle) -> String {
    puzzle.houses().get(id.index()).map_or_else(|| format!("house {}", id.index() + 1), ToString::to_string)
}

/// `cage 3`.
pub fn cage_name(id: CageId) -> String {
    format!("cage {}", id.index() + 1)
}

/// Puts the parts of a step into words.
struct Words<'a> {
    puzzle: &'a Puzzle,
}

impl Words<'_> {
    fn cell(&self, cell: Cell) -> String {
        notation::cell(cell, self.puzzle.size())
    }

    fn cells(&self, cells: &[Cell]) -> String {
        notation::cells(cells, self.puzzle.size())
    }

    fn mark(&self, mark: &Mark) -> MarkRecord {
        let shape = match &mark.shape {
            Shape::Cells(cells) => ShapeRecord::Cells(self.cells(cells)),
            Shape::Candidates { cells, digits } => {
                ShapeRecord::Candidates(self.cells(cells), digits.to_string())
            }
            Shape::Digits(digits) => ShapeRecord::Digits(digits.to_string()),
            Shape::House(house) => ShapeRecord::House(house_name(*house, self.puzzle)),
            Shape::Cage(cage) => ShapeRecord::Cage(cage_name(*cage)),
            Shape::Number(number) => ShapeRecord::Number(*number),
            Shape::Link(link) => ShapeRecord::Link(self.link(link)),
        };
        MarkRecord { role: mark.role.word().to_owned(), shape }
    }

    fn link(&self, link: &Link) -> LinkRecord {
        LinkRecord {
            from: (self.cells(&link.from), link.from_digit.to_string()),
            to: (self.cells(&link.to), link.to_digit.to_string()),
            strong: link.strong,
        }
    }

    fn lemma(&self, lemma: &Lemma) -> LemmaRecord {
        let size = self.puzzle.size();
        let claims = lemma.claims.iter();
        let claims =
            claims.map(|claim| claim.iter().map(|&literal| literal_notation(literal, size)).collect());
        let argument = match &lemma.argument {
            Argument::Conflict { premises, uses } => ArgumentRecord::Conflict {
                premises: premises.iter().map(|premise| self.premise(premise)).collect(),
                uses: uses.clone(),
            },
            Argument::Cover { truths, links } => ArgumentRecord::Cover {
                truths: truths.iter().map(|(truth, times)| (self.premise(truth), *times)).collect(),
                links: links.iter().map(|(link, times)| (self.link_set(link), *times)).collect(),
            },
        };
        LemmaRecord { claims: claims.collect(), argument }
    }

    fn premise(&self, premise: &Premise) -> PremiseRecord {
        match premise {
            Premise::Cell(cell) => PremiseRecord::Cell(self.cell(*cell)),
            Premise::House(house, digit) => {
                PremiseRecord::House(house_name(*house, self.puzzle), digit.to_string())
            }
            Premise::Cage(cage) => PremiseRecord::Cage(cage_name(*cage)),
            Premise::Sum { houses, cages } => PremiseRecord::Sum(self.totals(houses, cages)),
            Premise::Product { houses, cages } => PremiseRecord::Product(self.totals(houses, cages)),
            Premise::Parity { houses, cages } => PremiseRecord::Parity {
                houses: houses.iter().map(|&house| house_name(house, self.puzzle)).collect(),
                cages: cages.iter().map(|&cage| cage_name(cage)).collect(),
            },
            Premise::Swap(swap) => PremiseRecord::Swap(self.swap(swap)),
        }
    }

    fn totals(&self, houses: &[(HouseId, i32)], cages: &[(CageId, i32)]) -> TotalsRecord {
        TotalsRecord {
            houses: houses.iter().map(|&(house, factor)| (house_name(house, self.puzzle), factor)).collect(),
            cages: cages.iter().map(|&(cage, factor)| (cage_name(cage), factor)).collect(),
        }
    }

    fn swap(&self, swap: &Swap) -> SwapRecord {
        match swap {
            Swap::Digits(cells) => SwapRecord::Digits(
                cells.iter().map(|&(cell, digits)| (self.cell(cell), digits.to_string())).collect(),
            ),
            Swap::Cells { pairs, digits } => SwapRecord::Cells(
                pairs.iter().map(|&(one, other)| (self.cell(one), self.cell(other))).collect(),
                digits.to_string(),
            ),
        }
    }

    fn link_set(&self, link: &LinkSet) -> LinkSetRecord {
        match link {
            LinkSet::Cell(cell) => LinkSetRecord::Cell(self.cell(*cell)),
            LinkSet::House(house, digit) => {
                LinkSetRecord::House(house_name(*house, self.puzzle), digit.to_string())
            }
            LinkSet::Cage(cage, digit) => LinkSetRecord::Cage(cage_name(*cage), digit.to_string()),
            LinkSet::Clique(candidates) => LinkSetRecord::Clique(
                candidates
                    .iter()
                    .map(|&(cell, digit)| notation::placement(cell, digit, self.puzzle.size()))
                    .collect(),
            ),
        }
    }
}

/// A digit and a set, for reading.
fn digits_of(text: &str, size: usize) -> Option<DigitSet> {
    let mut set = DigitSet::EMPTY;
    for symbol in text.chars() {
        let digit = Digit::from_symbol(symbol).filter(|digit| digit.index() < size)?;
        if set.contains(digit) {
            return None;
        }
        set.insert(digit);
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::engine::logic::{Conclusion, Proof, Role, Slug};
    use crate::puzzle::{CageDraft, Operation, PuzzleDraft, RegionsDraft};

    fn killer() -> Puzzle {
        let cage =
            CageDraft { cells: vec![0, 1], operation: Operation::Add, target: Some(5), distinct: true };
        let draft = PuzzleDraft {
            regions: RegionsDraft::Boxes { rows: 2, columns: 2 },
            cages: vec![cage],
            ..PuzzleDraft::latin(4)
        };
        draft.check().expect("a killer")
    }

    /// A step that has one of everything.
    fn everything() -> Step {
        let at = |row, column| Cell::at(row, column, 4);
        let digit = Digit::from_index(2);
        let two = DigitSet::from_bits(0b101);
        let row = HouseId(0);
        let shapes = vec![
            Shape::Cells(smallvec![at(0, 0), at(1, 0)]),
            Shape::Candidates { cells: smallvec![at(0, 0)], digits: two },
            Shape::Digits(two),
            Shape::House(HouseId(9)),
            Shape::Cage(CageId(0)),
            Shape::Number(-3),
            Shape::Link(Link {
                from: smallvec![at(0, 0)],
                from_digit: digit,
                to: smallvec![at(0, 1), at(0, 2)],
                to_digit: digit,
                strong: true,
            }),
        ];
        let premises = smallvec![
            Premise::Cell(at(0, 0)),
            Premise::House(row, digit),
            Premise::Cage(CageId(0)),
            Premise::Sum { houses: vec![(row, 1)], cages: vec![(CageId(0), -1)] },
            Premise::Product { houses: vec![(row, 2)], cages: Vec::new() },
            Premise::Parity { houses: vec![row], cages: vec![CageId(0)] },
            Premise::Swap(Swap::Digits(vec![(at(0, 0), two), (at(0, 1), two)])),
            Premise::Swap(Swap::Cells { pairs: vec![(at(0, 0), at(1, 0))], digits: two }),
        ];
        let links = vec![
            (LinkSet::Cell(at(3, 3)), 2),
            (LinkSet::House(row, digit), 1),
            (LinkSet::Cage(CageId(0), digit), 1),
            (LinkSet::Clique(vec![(at(0, 0), digit), (at(0, 1), digit)]), 1),
        ];
        let claims = smallvec![smallvec![Literal::is(at(0, 0), digit), Literal::is_not(at(0, 1), digit)]];
        let conflict = Argument::Conflict { premises, uses: Vec::new() };
        let cover = Argument::Cover { truths: vec![(Premise::House(row, digit), 1)], links };
        let marks = shapes.into_iter().map(|shape| Mark { role: Role::Pattern, shape }).collect();
        let lemmas = smallvec![
            Lemma { claims, argument: conflict },
            Lemma { claims: smallvec![smallvec![Literal::is(at(0, 0), digit)]], argument: cover },
        ];
        let conclusions = vec![Conclusion::Place(at(0, 0), digit), Conclusion::Eliminate(at(0, 1), digit)];
        Step::new(Slug::of("everything"), conclusions, marks, Proof { lemmas })
    }

    #[test]
    fn everything_round_trips() {
        let puzzle = killer();
        let record = StepRecord::from_step(&everything(), &puzzle);
        let text = serde_json::to_string(&record).expect("JSON");
        for part in [
            r#""conclusions":["r1c1=3","r1c2<>3"]"#,
            r#"{"role":"pattern","cells":"r12c1"}"#,
            r#"{"role":"pattern","candidates":["r1c1","13"]}"#,
            r#"{"role":"pattern","house":"box 2"}"#,
            r#"{"house":["row 1","3"]}"#,
            r#"{"sum":{"houses":[["row 1",1]],"cages":[["cage 1",-1]]}}"#,
            r#"{"swap":{"digits":[["r1c1","13"],["r1c2","13"]]}}"#,
            r#"{"swap":{"cells":[[["r1c1","r2c1"]],"13"]}}"#,
            r#"{"clique":["r1c1=3","r1c2=3"]}"#,
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let read: StepRecord = serde_json::from_str(&text).expect("a record");
        assert_eq!(read.to_step(&puzzle), Ok(everything()));
    }

    #[test]
    fn every_fault_is_named() {
        let text = r#"{"technique": "Bad slug", "conclusions": ["r1c1=4", "r9c1=4", "r1c1=9", "r1c1", "r12c1=4"],
            "marks": [{"role": "villain", "cells": "r1c9"}, {"role": "pattern", "house": "box 5"}],
            "proof": [{"claims": [["r1c1<>"]], "conflict": {"premises": [{"cage": "cage 2"}, {"cell": "r12c1"},
            {"swap": {"digits": [["r1c1", "11"]]}}, {"sum": {"houses": [["diagonal 1", 1]]}}], "uses": [0]}}]}"#;
        let record: StepRecord = serde_json::from_str(text).expect("the form is right");
        let RecordError::Faults(faults) = record.to_step(&killer()).expect_err("faults") else {
            panic!("faults");
        };
        let list: Vec<String> = faults.list.iter().map(ToString::to_string).collect();
        assert_eq!(
            list,
            [
                "technique: `Bad slug` is no slug",
                "conclusions[1]: `r9c1=4` is no conclusion on a board of size 4",
                "conclusions[2]: `r1c1=9` is no conclusion on a board of size 4",
                "conclusions[3]: `r1c1` is no conclusion on a board of size 4",
                "conclusions[4]: `r12c1=4` is no conclusion on a board of size 4",
                "marks[0].role: `villain` is no role",
                "marks[0]: `r1c9` names no cells of a board of size 4",
                "marks[1]: the puzzle has no house `box 5`",
                "proof[0].claims[0][0]: `r1c1<>` is no conclusion on a board of size 4",
                "proof[0].premises[0]: the puzzle has no cage `cage 2`",
                "proof[0].premises[1]: `r12c1` is no cell of a board of size 4",
                "proof[0].premises[2]: `11` is no set of digits 1 to 4",
                "proof[0].premises[3]: the puzzle has no house `diagonal 1`",
                "proof[0].uses[0]: lemma 0 is not an earlier one",
            ]
        );
    }
}
