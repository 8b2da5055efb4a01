//! Steps and marks.

use std::collections::HashSet;

use super::proof::{read_proof, write_proof};
use super::puzzle::write_cells;
use super::reader::Reader;
use super::words::shorten;
use crate::api::proto as pb;
use crate::api::proto::mark::Shape as ShapeMessage;
use crate::engine::logic::explain::{Language, explain, teach};
use crate::engine::logic::registry::place;
use crate::engine::logic::{Conclusion, Link, Mark, Proof, Role, Shape, Slug, Step};
use crate::puzzle::{Cell, Digit, Puzzle};

/// A step for a player: told in short and as a lesson.
pub fn write_told_step(step: &Step, puzzle: &Puzzle, language: Language, with_proof: bool) -> pb::Step {
    let lesson = teach(step, puzzle, language);
    pb::Step { lesson, ..write_step(step, puzzle, explain(step, puzzle, language), with_proof) }
}

/// A step, told in a language, with its proof or without.
pub fn write_step(step: &Step, puzzle: &Puzzle, explanation: String, with_proof: bool) -> pb::Step {
    let size = puzzle.size();
    let notation: Vec<String> = step.conclusions.iter().map(|conclusion| conclusion.notation(size)).collect();
    pb::Step {
        technique: step.technique.to_string(),
        conclusions: step.conclusions.iter().map(write_conclusion).collect(),
        marks: step.marks().iter().map(write_mark).collect(),
        proof: with_proof.then(|| write_proof(&step.proof())),
        explanation,
        notation: notation.join(", "),
        relies_on_uniqueness: step.relies_on_uniqueness(),
        lesson: String::new(),
    }
}

/// Something said of a candidate.
pub fn write_conclusion(conclusion: &Conclusion) -> pb::Conclusion {
    let kind = match conclusion {
        Conclusion::Place(..) => pb::ConclusionKind::Place,
        Conclusion::Eliminate(..) => pb::ConclusionKind::Eliminate,
    };
    pb::Conclusion {
        kind: kind.into(),
        cell: conclusion.cell().index() as u32,
        digit: conclusion.digit().value().into(),
    }
}

/// A cell and a digit.
pub fn write_candidate(cell: Cell, digit: Digit) -> pb::Candidate {
    pb::Candidate { cell: cell.index() as u32, digit: digit.value().into() }
}

/// Something to point at.
pub fn write_mark(mark: &Mark) -> pb::Mark {
    let shape = match &mark.shape {
        Shape::Cells(cells) => ShapeMessage::Cells(pb::CellList { cells: write_cells(cells) }),
        Shape::Candidates { cells, digits } => {
            ShapeMessage::Candidates(pb::CandidateGroup { cells: write_cells(cells), digits: digits.bits() })
        }
        Shape::Digits(digits) => ShapeMessage::Digits(digits.bits()),
        Shape::House(house) => ShapeMessage::House(house.0.into()),
        Shape::Cage(cage) => ShapeMessage::Cage(cage.0.into()),
        Shape::Number(number) => ShapeMessage::Number(*number),
        Shape::Link(link) => ShapeMessage::Link(pb::Link {
            from: write_cells(&link.from),
            from_digit: link.from_digit.value().into(),
            to: write_cells(&link.to),
            to_digit: link.to_digit.value().into(),
            strong: link.strong,
        }),
    };
    pb::Mark { role: mark.role.word().to_owned(), shape: Some(shape) }
}

/// A step that a technique of this version has made.
pub fn read_known_step(reader: &mut Reader<'_>, message: &pb::Step) -> Option<Step> {
    let step = read_step(reader, message);
    if let Some(step) = &step
        && place(step.technique.as_str()).is_none()
    {
        reader.fault("technique", format!("there is no technique `{}`", shorten(step.technique.as_str())));
    }
    step
}

/// A step whose references the puzzle has; whether it holds is for the checker to say. Conclusions are sorted, as
/// they always are.
pub fn read_step(reader: &mut Reader<'_>, message: &pb::Step) -> Option<Step> {
    let technique = read_slug(reader, &message.technique);
    let conclusions = read_conclusions(reader, &message.conclusions);
    let marks = reader.each("marks", &message.marks, read_mark);
    let proof = match &message.proof {
        Some(proof) => reader.within("proof", |reader| read_proof(proof, reader)),
        None => Proof::default(),
    };
    Some(Step::new(technique?, conclusions, marks, proof))
}

/// Slugs of other versions are read as well.
fn read_slug(reader: &mut Reader<'_>, slug: &str) -> Option<Slug> {
    let is_slug = !slug.is_empty()
        && slug.len() <= 64
        && slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_slug {
        reader.fault("technique", format!("`{}` is not a slug like `naked-pair`", shorten(slug)));
        return None;
    }
    Some(Slug::read(slug.to_owned()))
}

/// What a step says, sorted: at least one, each once.
fn read_conclusions(reader: &mut Reader<'_>, messages: &[pb::Conclusion]) -> Vec<Conclusion> {
    if messages.is_empty() {
        reader.fault("conclusions", "a step needs a conclusion");
    }
    let mut said = HashSet::with_capacity(messages.len());
    let mut conclusions = reader.each("conclusions", messages, |reader, message| {
        let conclusion = read_conclusion(reader, message)?;
        if !said.insert(conclusion) {
            let name = conclusion.notation(reader.puzzle().size());
            reader.fault("", format!("the step says {name} twice"));
        }
        Some(conclusion)
    });
    conclusions.sort_unstable();
    conclusions
}

/// The reverse of [`write_conclusion`].
pub fn read_conclusion(reader: &mut Reader<'_>, message: &pb::Conclusion) -> Option<Conclusion> {
    let cell = reader.cell("cell", message.cell);
    let digit = reader.digit("digit", message.digit);
    match pb::ConclusionKind::try_from(message.kind) {
        Ok(pb::ConclusionKind::Place) => Some(Conclusion::Place(cell?, digit?)),
        Ok(pb::ConclusionKind::Eliminate) => Some(Conclusion::Eliminate(cell?, digit?)),
        Ok(pb::ConclusionKind::Unspecified) | Err(_) => {
            reader.fault("kind", "a conclusion places or eliminates");
            None
        }
    }
}

fn read_mark(reader: &mut Reader<'_>, message: &pb::Mark) -> Option<Mark> {
    let role = Role::from_word(&message.role);
    if role.is_none() {
        reader.fault("role", format!("there is no role `{}`", shorten(&message.role)));
    }
    let shape = match message.shape.as_ref() {
        Some(ShapeMessage::Cells(list)) => reader
            .within("cells", |reader| reader.cells("cells", &list.cells))
            .map(|cells| Shape::Cells(cells.into())),
        Some(ShapeMessage::Candidates(group)) => reader.within("candidates", |reader| {
            let cells = reader.cells("cells", &group.cells);
            let digits = reader.digits("digits", group.digits);
            Some(Shape::Candidates { cells: cells?.into(), digits: digits? })
        }),
        Some(ShapeMessage::Digits(digits)) => reader.digits("digits", *digits).map(Shape::Digits),
        Some(ShapeMessage::House(house)) => reader.house("house", *house).map(Shape::House),
        Some(ShapeMessage::Cage(cage)) => reader.cage("cage", *cage).map(Shape::Cage),
        Some(ShapeMessage::Number(number)) => Some(Shape::Number(*number)),
        Some(ShapeMessage::Link(link)) => reader.within("link", |reader| read_link(reader, link)),
        None => {
            reader.fault("shape", "a mark needs something to point at");
            None
        }
    };
    Some(Mark { role: role?, shape: shape? })
}

fn read_link(reader: &mut Reader<'_>, message: &pb::Link) -> Option<Shape> {
    let from = reader.cells("from", &message.from);
    let from_digit = reader.digit("from_digit", message.from_digit);
    let to = reader.cells("to", &message.to);
    let to_digit = reader.digit("to_digit", message.to_digit);
    Some(Shape::Link(Link {
        from: from?.into(),
        from_digit: from_digit?,
        to: to?.into(),
        to_digit: to_digit?,
        strong: message.strong,
    }))
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use smallvec::{SmallVec, smallvec};

    use super::super::wire::encode_step;
    use super::*;
    use crate::engine::logic::{Argument, Lemma, LinkSet, Literal, Premise, Swap};
    use crate::puzzle::{CageDraft, CageId, DigitSet, Faults, HouseId, Operation, PuzzleDraft};

    fn puzzle() -> Puzzle {
        let cage =
            CageDraft { cells: vec![0, 1], operation: Operation::Add, target: Some(5), distinct: true };
        PuzzleDraft { cages: vec![cage], ..PuzzleDraft::latin(4) }.check().expect("a puzzle")
    }

    /// One of everything.
    fn step() -> Step {
        let (cell, other) = (Cell::new(0), Cell::new(15));
        let (one, two) = (Digit::from_index(0), Digit::from_index(1));
        let set: DigitSet = [one, two].into_iter().collect();
        let (house, cage) = (HouseId(7), CageId(0));
        let mark = |shape| Mark { role: Role::Pattern, shape };
        let link = Link {
            from: smallvec![cell],
            from_digit: one,
            to: smallvec![cell, other],
            to_digit: two,
            strong: true,
        };
        let premises = smallvec![
            Premise::Cell(cell),
            Premise::House(house, two),
            Premise::Cage(cage),
            Premise::Sum { houses: vec![(house, -2)], cages: vec![(cage, 1)] },
            Premise::Product { houses: vec![(house, 1)], cages: vec![(cage, -1)] },
            Premise::Parity { houses: vec![house], cages: vec![cage] },
            Premise::Swap(Swap::Digits(vec![(cell, set), (other, set)])),
            Premise::Swap(Swap::Cells { pairs: vec![(cell, other)], digits: set }),
        ];
        let links = vec![
            (LinkSet::Cell(cell), 1),
            (LinkSet::House(house, one), 2),
            (LinkSet::Cage(cage, one), 3),
            (LinkSet::Clique(vec![(cell, one), (other, one)]), 4),
        ];
        let claims: SmallVec<_> = smallvec![smallvec![Literal::is(cell, one), Literal::is_not(other, two)]];
        let lemmas = smallvec![
            Lemma { claims: claims.clone(), argument: Argument::Conflict { premises, uses: vec![] } },
            Lemma { claims, argument: Argument::Cover { truths: vec![(Premise::Cell(cell), 2)], links } },
        ];
        let conclusions = vec![Conclusion::Place(cell, one), Conclusion::Eliminate(other, two)];
        let marks = vec![
            mark(Shape::Cells(smallvec![cell, other])),
            mark(Shape::Candidates { cells: smallvec![other], digits: set }),
            mark(Shape::Digits(set)),
            mark(Shape::House(house)),
            mark(Shape::Cage(cage)),
            mark(Shape::Number(-9)),
            mark(Shape::Link(link)),
        ];
        Step::new(Slug::of("naked-pair"), conclusions, marks, Proof { lemmas })
    }

    /// Long names and proofs too, whose lengths take more than a byte.
    #[test]
    fn a_step_encoded_is_its_message_encoded() {
        let (puzzle, mut step) = (puzzle(), step());
        for explanation in ["", "because", &"because ".repeat(1_000)] {
            for with_proof in [true, false] {
                let message = write_step(&step, &puzzle, explanation.to_owned(), with_proof);
                assert_eq!(encode_step(&step, &puzzle, explanation, with_proof), message.encode_to_vec());
            }
            let lemmas = step.proof().lemmas.clone();
            step.proof_mut().lemmas.extend(lemmas.into_iter().map(|lemma| match lemma.argument {
                Argument::Conflict { premises, .. } => {
                    Lemma { argument: Argument::Conflict { premises, uses: vec![0, 300] }, ..lemma }
                }
                Argument::Cover { .. } => lemma,
            }));
        }
    }

    #[test]
    fn a_step_with_one_of_everything_round_trips() {
        let (puzzle, step) = (puzzle(), step());
        let message = write_step(&step, &puzzle, String::new(), true);
        assert_eq!(message.notation, "r1c1=1, r4c4<>2");
        assert!(message.relies_on_uniqueness);
        let mut faults = Faults::none();
        let again = read_step(&mut Reader::new(&puzzle, &mut faults), &message);
        assert!(faults.is_empty(), "{faults}");
        assert_eq!(again, Some(step));
    }

    /// Steps of other versions are read, but not as steps of this one; what is said twice is refused of all.
    #[test]
    fn unknown_techniques_and_repeated_conclusions_are_named() {
        let puzzle = puzzle();
        let known = write_step(&step(), &puzzle, String::new(), true);
        let unknown = pb::Step { technique: "naked-centuple".to_owned(), ..known.clone() };
        let mut twice = known.clone();
        twice.conclusions.push(twice.conclusions[0]);
        let faults_of = |read: fn(&mut Reader<'_>, &pb::Step) -> Option<Step>| {
            let mut faults = Faults::none();
            let steps = [known.clone(), unknown.clone(), twice.clone()];
            Reader::new(&puzzle, &mut faults).each("steps", &steps, read);
            faults.list.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let repeated = "steps[2].conclusions[2]: the step says r1c1=1 twice";
        assert_eq!(faults_of(read_step), [repeated]);
        let missing = "steps[1].technique: there is no technique `naked-centuple`";
        assert_eq!(faults_of(read_known_step), [missing, repeated]);
    }

    #[test]
    fn references_past_the_puzzle_are_named_with_their_path() {
        let puzzle = puzzle();
        let mut message = write_step(&step(), &puzzle, String::new(), true);
        message.technique = "Naked Pair".to_owned();
        message.conclusions[1].cell = 16;
        message.marks[4].shape = Some(ShapeMessage::Cage(1));
        message.marks[5].role = "boss".to_owned();
        message.marks[6].shape = None;
        if let Some(proof) = &mut message.proof {
            proof.lemmas[0].claims[0].literals[1].digit = 5;
            proof.lemmas[1].argument = None;
        }
        let mut faults = Faults::none();
        let mut reader = Reader::new(&puzzle, &mut faults);
        reader.each("steps", &[message], read_step);
        let fields: Vec<&str> = faults.list.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "steps[0].technique",
                "steps[0].conclusions[1].cell",
                "steps[0].marks[4].cage",
                "steps[0].marks[5].role",
                "steps[0].marks[6].shape",
                "steps[0].proof.lemmas[0].claims[0].literals[1].digit",
                "steps[0].proof.lemmas[1].argument",
            ]
        );
    }
}
