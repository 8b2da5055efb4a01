//! From words back to a step. Every name that the puzzle does not have is a fault with its place.

use super::{
    ArgumentRecord, LemmaRecord, LinkRecord, LinkSetRecord, MarkRecord, PremiseRecord, RecordError,
    ShapeRecord, StepRecord, SwapRecord, TotalsRecord, digits_of,
};
use crate::engine::logic::{
    Argument, Conclusion, Conclusions, Lemma, Link, LinkSet, Literal, Mark, Premise, Proof, Role, Shape,
    Slug, Step, Swap,
};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, Fault, Faults, HouseId, HouseKind, Puzzle, notation};

/// The longest slug that is read.
const MAX_SLUG: usize = 64;

/// The most characters of a faulty name that a message repeats.
const MAX_QUOTE: usize = 40;

pub(super) fn step(record: &StepRecord, puzzle: &Puzzle) -> Result<Step, RecordError> {
    let mut reader = Reader { puzzle, faults: Faults::none() };
    let step = reader.step(record);
    reader.faults.into_result()?;
    Ok(step)
}

/// Reads on after a fault, with stand-ins that the caller never gets to see.
struct Reader<'a> {
    puzzle: &'a Puzzle,
    faults: Faults,
}

/// Houses and cages, each with its factor.
type Totals = (Vec<(HouseId, i32)>, Vec<(CageId, i32)>);

/// What stands in for a cell or a digit that cannot be read.
const STAND_IN: (Cell, Digit) = (Cell::new(0), Digit::from_index(0));

impl Reader<'_> {
    fn fault(&mut self, field: &str, message: String) {
        self.faults.push(Fault::new(field, message));
    }

    fn step(&mut self, record: &StepRecord) -> Step {
        let slug = &record.technique;
        let is_slug = !slug.is_empty()
            && slug.len() <= MAX_SLUG
            && slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_slug {
            self.fault("technique", format!("`{}` is no slug", quote(slug)));
        }
        let conclusions = record.conclusions.iter().enumerate();
        let conclusions: Conclusions = conclusions
            .map(|(index, text)| {
                let literal = self.literal(&format!("conclusions[{index}]"), text);
                match literal.holds {
                    true => Conclusion::Place(literal.cell, literal.digit),
                    false => Conclusion::Eliminate(literal.cell, literal.digit),
                }
            })
            .collect();
        let marks = record.marks.iter().enumerate();
        let marks = marks.map(|(index, mark)| self.mark(&format!("marks[{index}]"), mark)).collect();
        let lemmas = record.proof.iter().enumerate();
        let lemmas = lemmas.map(|(index, lemma)| self.lemma(index, lemma)).collect();
        Step::new(Slug::read(slug.clone()), conclusions, marks, Proof { lemmas })
    }

    fn literal(&mut self, field: &str, text: &str) -> Literal {
        let size = self.puzzle.size();
        let read = |separator: &str| {
            let (cell, digit) = text.split_once(separator)?;
            Some((notation::parse_cell(cell, size)?, digits_of(digit, size)?.only()?))
        };
        if let Some((cell, digit)) = read("<>") {
            return Literal::is_not(cell, digit);
        }
        if let Some((cell, digit)) = read("=") {
            return Literal::is(cell, digit);
        }
        self.fault(field, format!("`{}` is no conclusion on a board of size {size}", quote(text)));
        Literal::is(STAND_IN.0, STAND_IN.1)
    }

    fn cell(&mut self, field: &str, text: &str) -> Cell {
        let size = self.puzzle.size();
        notation::parse_cell(text, size).unwrap_or_else(|| {
            self.fault(field, format!("`{}` is no cell of a board of size {size}", quote(text)));
            STAND_IN.0
        })
    }

    /// In reading order, each once; none at all is written as an empty text.
    fn cells(&mut self, field: &str, text: &str) -> Vec<Cell> {
        if text.is_empty() {
            return Vec::new();
        }
        let size = self.puzzle.size();
        let mut cells = notation::parse_cells(text, size).unwrap_or_else(|| {
            self.fault(field, format!("`{}` names no cells of a board of size {size}", quote(text)));
            Vec::new()
        });
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    fn digits(&mut self, field: &str, text: &str) -> DigitSet {
        let size = self.puzzle.size();
        digits_of(text, size).unwrap_or_else(|| {
            self.fault(field, format!("`{}` is no set of digits 1 to {size}", quote(text)));
            DigitSet::EMPTY
        })
    }

    fn digit(&mut self, field: &str, text: &str) -> Digit {
        let size = self.puzzle.size();
        digits_of(text, size).and_then(DigitSet::only).unwrap_or_else(|| {
            self.fault(field, format!("`{}` is no digit of 1 to {size}", quote(text)));
            STAND_IN.1
        })
    }

    fn house(&mut self, field: &str, text: &str) -> HouseId {
        let found = text.split_once(' ').and_then(|(kind, number)| {
            let kind = HouseKind::ALL.into_iter().find(|known| known.word() == kind)?;
            let number: u8 = number.parse().ok()?;
            let houses = self.puzzle.houses();
            houses.iter().position(|house| house.kind == kind && house.number == number)
        });
        match found {
            Some(index) => HouseId(index as u16),
            None => {
                self.fault(field, format!("the puzzle has no house `{}`", quote(text)));
                HouseId(0)
            }
        }
    }

    fn cage(&mut self, field: &str, text: &str) -> CageId {
        let number = text.strip_prefix("cage ").and_then(|number| number.parse::<usize>().ok());
        match number.filter(|number| (1..=self.puzzle.cages().len()).contains(number)) {
            Some(number) => CageId((number - 1) as u16),
            None => {
                self.fault(field, format!("the puzzle has no cage `{}`", quote(text)));
                CageId(0)
            }
        }
    }

    fn mark(&mut self, field: &str, record: &MarkRecord) -> Mark {
        let role = Role::from_word(&record.role).unwrap_or_else(|| {
            self.fault(&format!("{field}.role"), format!("`{}` is no role", quote(&record.role)));
            Role::Pattern
        });
        let shape = match &record.shape {
            ShapeRecord::Cells(cells) => Shape::Cells(self.cells(field, cells).into()),
            ShapeRecord::Candidates(cells, digits) => Shape::Candidates {
                cells: self.cells(field, cells).into(),
                digits: self.digits(field, digits),
            },
            ShapeRecord::Digits(digits) => Shape::Digits(self.digits(field, digits)),
            ShapeRecord::House(house) => Shape::House(self.house(field, house)),
            ShapeRecord::Cage(cage) => Shape::Cage(self.cage(field, cage)),
            ShapeRecord::Number(number) => Shape::Number(*number),
            ShapeRecord::Link(link) => Shape::Link(self.link(field, link)),
        };
        Mark { role, shape }
    }

    fn link(&mut self, field: &str, record: &LinkRecord) -> Link {
        Link {
            from: self.cells(field, &record.from.0).into(),
            from_digit: self.digit(field, &record.from.1),
            to: self.cells(field, &record.to.0).into(),
            to_digit: self.digit(field, &record.to.1),
            strong: record.strong,
        }
    }

    fn lemma(&mut self, number: usize, record: &LemmaRecord) -> Lemma {
        let mut claims = smallvec::SmallVec::new();
        for (index, claim) in record.claims.iter().enumerate() {
            let literals = claim.iter().enumerate();
            claims.push(
                literals
                    .map(|(place, text)| {
                        self.literal(&format!("proof[{number}].claims[{index}][{place}]"), text)
                    })
                    .collect(),
            );
        }
        Lemma { claims, argument: self.argument(number, &record.argument) }
    }

    fn argument(&mut self, number: usize, record: &ArgumentRecord) -> Argument {
        match record {
            ArgumentRecord::Conflict { premises, uses } => {
                let premises = premises
                    .iter()
                    .enumerate()
                    .map(|(index, premise)| {
                        self.premise(&format!("proof[{number}].premises[{index}]"), premise)
                    })
                    .collect();
                for (index, used) in uses.iter().enumerate().filter(|(_, used)| **used as usize >= number) {
                    let message = format!("lemma {used} is not an earlier one");
                    self.fault(&format!("proof[{number}].uses[{index}]"), message);
                }
                Argument::Conflict { premises, uses: uses.clone() }
            }
            ArgumentRecord::Cover { truths, links } => {
                let mut read = (Vec::new(), Vec::new());
                for (index, (truth, times)) in truths.iter().enumerate() {
                    read.0.push((self.premise(&format!("proof[{number}].truths[{index}]"), truth), *times));
                }
                for (index, (link, times)) in links.iter().enumerate() {
                    read.1.push((self.link_set(&format!("proof[{number}].links[{index}]"), link), *times));
                }
                Argument::Cover { truths: read.0, links: read.1 }
            }
        }
    }

    fn premise(&mut self, field: &str, record: &PremiseRecord) -> Premise {
        match record {
            PremiseRecord::Cell(cell) => Premise::Cell(self.cell(field, cell)),
            PremiseRecord::House(house, digit) => {
                Premise::House(self.house(field, house), self.digit(field, digit))
            }
            PremiseRecord::Cage(cage) => Premise::Cage(self.cage(field, cage)),
            PremiseRecord::Sum(totals) => {
                let (houses, cages) = self.totals(field, totals);
                Premise::Sum { houses, cages }
            }
            PremiseRecord::Product(totals) => {
                let (houses, cages) = self.totals(field, totals);
                Premise::Product { houses, cages }
            }
            PremiseRecord::Parity { houses, cages } => Premise::Parity {
                houses: houses.iter().map(|house| self.house(field, house)).collect(),
                cages: cages.iter().map(|cage| self.cage(field, cage)).collect(),
            },
            PremiseRecord::Swap(swap) => Premise::Swap(self.swap(field, swap)),
        }
    }

    fn totals(&mut self, field: &str, record: &TotalsRecord) -> Totals {
        let houses = record.houses.iter().map(|(house, factor)| (self.house(field, house), *factor));
        let houses = houses.collect();
        let cages = record.cages.iter().map(|(cage, factor)| (self.cage(field, cage), *factor));
        (houses, cages.collect())
    }

    fn swap(&mut self, field: &str, record: &SwapRecord) -> Swap {
        match record {
            SwapRecord::Digits(cells) => Swap::Digits(
                cells
                    .iter()
                    .map(|(cell, digits)| (self.cell(field, cell), self.digits(field, digits)))
                    .collect(),
            ),
            SwapRecord::Cells(pairs, digits) => Swap::Cells {
                pairs: pairs
                    .iter()
                    .map(|(one, other)| (self.cell(field, one), self.cell(field, other)))
                    .collect(),
                digits: self.digits(field, digits),
            },
        }
    }

    fn link_set(&mut self, field: &str, record: &LinkSetRecord) -> LinkSet {
        match record {
            LinkSetRecord::Cell(cell) => LinkSet::Cell(self.cell(field, cell)),
            LinkSetRecord::House(house, digit) => {
                LinkSet::House(self.house(field, house), self.digit(field, digit))
            }
            LinkSetRecord::Cage(cage, digit) => {
                LinkSet::Cage(self.cage(field, cage), self.digit(field, digit))
            }
            LinkSetRecord::Clique(candidates) => LinkSet::Clique(
                candidates
                    .iter()
                    .map(|text| {
                        let literal = self.literal(field, text);
                        if !literal.holds {
                            self.fault(field, format!("`{}` is no candidate", quote(text)));
                        }
                        (literal.cell, literal.digit)
                    })
                    .collect(),
            ),
        }
    }
}

/// The start of a text, for a message.
fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
