//! Steps written straight to their bytes. They are most of what a stream sends, and to build a message first, measure
//! it level by level and encode it then takes several times as long. What is seldom in a proof takes the way through
//! the message all the same; `step` has the test that both ways give the same bytes.

use bytes::Bytes;
use prost::Message;

use super::proof::{write_argument, write_premise};
use super::step::{write_conclusion, write_mark};
use crate::engine::logic::{Argument, Lemma, Literal, Mark, Premise, Shape, Step};
use crate::puzzle::{Cell, Puzzle};

/// The bytes of the message of a step, told in a language, with its proof or without.
pub fn encode_step(step: &Step, puzzle: &Puzzle, explanation: &str, with_proof: bool) -> Bytes {
    let mut wire = Wire(Vec::with_capacity(512));
    wire.text(1, step.technique.as_str());
    for conclusion in &step.conclusions {
        let message = write_conclusion(conclusion);
        wire.message(2, |wire| {
            wire.number(1, message.kind as u64);
            wire.number(2, message.cell.into());
            wire.number(3, message.digit.into());
        });
    }
    step.marks().iter().for_each(|mark| wire.message(3, |wire| wire.mark(mark)));
    if with_proof {
        let proof = step.proof();
        wire.message(4, |wire| {
            proof.lemmas.iter().for_each(|lemma| wire.message(1, |wire| wire.lemma(lemma)));
        });
    }
    wire.text(5, explanation);
    wire.bytes(6, |wire| {
        for (place, conclusion) in step.conclusions.iter().enumerate() {
            wire.0.extend_from_slice(if place == 0 { b"" } else { b", " });
            wire.0.extend_from_slice(conclusion.notation(puzzle.size()).as_bytes());
        }
    });
    wire.number(7, step.relies_on_uniqueness().into());
    wire.0.into()
}

/// A message in the making.
struct Wire(Vec<u8>);

impl Wire {
    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field that is left out if it is 0.
    fn number(&mut self, tag: u32, value: u64) {
        if value != 0 {
            self.choice(tag, value);
        }
    }

    /// A field whose presence says something.
    fn choice(&mut self, tag: u32, value: u64) {
        self.varint(u64::from(tag) << 3);
        self.varint(value);
    }

    fn text(&mut self, tag: u32, text: &str) {
        if !text.is_empty() {
            self.bytes(tag, |wire| wire.0.extend_from_slice(text.as_bytes()));
        }
    }

    /// Numbers of one field, left out if there are none.
    fn numbers(&mut self, tag: u32, cells: &[Cell]) {
        if !cells.is_empty() {
            self.bytes(tag, |wire| {
                cells.iter().for_each(|cell| wire.varint(cell.index() as u64));
            });
        }
    }

    fn message(&mut self, tag: u32, write: impl FnOnce(&mut Wire)) {
        self.bytes(tag, write);
    }

    /// A field with its length before it, which is known once it is written: most are short, and a byte holds it.
    fn bytes(&mut self, tag: u32, write: impl FnOnce(&mut Wire)) {
        self.varint(u64::from(tag) << 3 | 2);
        let start = self.0.len() + 1;
        self.0.push(0);
        write(self);
        let length = self.0.len() - start;
        if length < 0x80 {
            self.0[start - 1] = length as u8;
            return;
        }
        let mut prefix = Wire(Vec::with_capacity(4));
        prefix.varint(length as u64);
        self.0.splice(start - 1..start, prefix.0);
    }

    /// The rest of a message that is written in the usual way.
    fn append(&mut self, message: &impl Message) {
        message.encode(&mut self.0).expect("a vector takes all");
    }

    fn mark(&mut self, mark: &Mark) {
        let role = mark.role.word();
        match &mark.shape {
            Shape::Cells(cells) => {
                self.text(1, role);
                self.message(2, |wire| wire.numbers(1, cells));
            }
            Shape::Candidates { cells, digits } => {
                self.text(1, role);
                self.message(3, |wire| {
                    wire.numbers(1, cells);
                    wire.number(2, digits.bits().into());
                });
            }
            Shape::Digits(digits) => {
                self.text(1, role);
                self.choice(4, digits.bits().into());
            }
            Shape::House(house) => {
                self.text(1, role);
                self.choice(5, house.0.into());
            }
            Shape::Cage(_) | Shape::Number(_) | Shape::Link(_) => self.append(&write_mark(mark)),
        }
    }

    fn lemma(&mut self, lemma: &Lemma) {
        for claim in &lemma.claims {
            self.message(1, |wire| {
                claim.iter().for_each(|literal| wire.message(1, |wire| wire.literal(literal)));
            });
        }
        match &lemma.argument {
            Argument::Conflict { premises, uses } => self.message(2, |wire| {
                premises.iter().for_each(|premise| wire.message(1, |wire| wire.premise(premise)));
                if !uses.is_empty() {
                    wire.bytes(2, |wire| {
                        uses.iter().for_each(|&lemma| wire.varint(lemma.into()));
                    });
                }
            }),
            argument @ Argument::Cover { .. } => {
                let argument = Some(write_argument(argument));
                self.append(&crate::api::proto::Lemma { claims: Vec::new(), argument });
            }
        }
    }

    fn literal(&mut self, literal: &Literal) {
        self.number(1, literal.cell.index() as u64);
        self.number(2, literal.digit.value().into());
        self.number(3, literal.holds.into());
    }

    fn premise(&mut self, premise: &Premise) {
        match premise {
            Premise::Cell(cell) => self.choice(1, cell.index() as u64),
            Premise::House(house, digit) => self.message(2, |wire| {
                wire.number(1, house.0.into());
                wire.number(2, digit.value().into());
            }),
            Premise::Cage(cage) => self.choice(3, cage.0.into()),
            _ => self.append(&write_premise(premise)),
        }
    }
}
