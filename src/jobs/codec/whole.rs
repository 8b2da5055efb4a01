//! The whole trace of an attempt that has ended: no entry is missing, and no step says what its position belies. What
//! was changed by hand, or by a disk, is not told as if it had happened.

use std::sync::Arc;

use super::{CodecError, read_entries};
use crate::engine::logic::{Conclusion, Single, Step};
use crate::jobs::trace::{Cursor, TraceEntry, TraceEvent};
use crate::puzzle::{Position, Puzzle};
use crate::store::Chunk;

/// Reads what is stored of a trace: all entries before the last, which ends the job.
pub fn read_trace(
    chunks: &[Chunk],
    last: Cursor,
    puzzle: Option<&Arc<Puzzle>>,
) -> Result<Vec<TraceEntry>, CodecError> {
    let mut entries = Vec::new();
    for chunk in chunks {
        let next = entries.len() as u64 + 1;
        if (chunk.attempt, chunk.first) != (last.attempt, next) {
            let Chunk { attempt, first, .. } = chunk;
            return Err(CodecError(format!(
                "entry {first} of attempt {attempt} follows where entry {next} of attempt {} should",
                last.attempt
            )));
        }
        entries.extend(read_entries(chunk, puzzle)?);
    }
    let (count, wanted) = (entries.len() as u64, last.sequence.saturating_sub(1));
    if count != wanted {
        return Err(CodecError(format!("it has {count} entries before its end instead of {wanted}")));
    }
    if let Some(puzzle) = puzzle {
        walk(&entries, Position::new(puzzle.clone()))?;
    }
    Ok(entries)
}

/// Takes the steps in turn. Singles are proved, as that is a look at a cell or a house; of the other steps, which rest
/// on proofs of any length, it is asked whether they say something new and possible.
fn walk(entries: &[TraceEntry], mut position: Position) -> Result<(), CodecError> {
    for TraceEntry { cursor, event } in entries {
        let TraceEvent::Step(step) = event else { continue };
        if !is_likely(step, &position) {
            let said = step.conclusions.iter().map(|said| said.notation(position.size()));
            let said = said.collect::<Vec<_>>().join(", ");
            let technique = &step.technique;
            return Err(CodecError(format!("entry {}, {technique}, does not give {said}", cursor.sequence)));
        }
        step.apply(&mut position);
    }
    Ok(())
}

fn is_likely(step: &Step, position: &Position) -> bool {
    let is_possible =
        |&said: &Conclusion| said.is_news(position) && position.is_candidate(said.cell(), said.digit());
    step.conclusions.iter().all(is_possible) && step.single().is_none_or(|single| holds(single, position))
}

/// Whether the digit has no other place in the house, or the cell no other candidate.
fn holds(Single { cell, digit, house }: Single, position: &Position) -> bool {
    match house {
        None => position.candidates(cell).only() == Some(digit),
        Some(house) => {
            let mut places = position
                .puzzle()
                .house(house)
                .cells
                .iter()
                .filter(|&&place| position.is_candidate(place, digit));
            places.next() == Some(&cell) && places.next().is_none()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::steps::write_entries;
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::logic::path::Facts;
    use crate::engine::logic::verify::{NodeCap, verify};
    use crate::engine::solve::{SolveEvent, SolveOptions, solve};
    use crate::puzzle::{Cell, formats};

    /// One that singles solve; one that needs more; a killer and a jigsaw; one of several solutions.
    const PUZZLES: [&str; 5] = [
        "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
        "000704005020010070000080002090006250600070008053200010400090000030060090200407000",
        r#"{"size": 4, "boxes": "2x2", "givens": "1...............", "cages": [{"cells": "r1c12", "sum": 3},
            {"cells": "r2c12", "sum": 7}, {"cells": "r12c3", "sum": 4}, {"cells": "r3c34", "sum": 7},
            {"cells": "r12c4", "sum": 6}]}"#,
        r#"{"size": 4, "regions": ["1112", "1322", "3324", "3444"], "givens": "1.....3......2.."}"#,
        "530070000600195000098000060800060003400803001700020006060000280000000005000080079",
    ];

    fn trace(text: &str) -> (Arc<Puzzle>, Vec<TraceEntry>) {
        let puzzle = Arc::new(formats::read(text).expect("a puzzle"));
        let mut events = vec![TraceEvent::Started { attempt: 2 }];
        solve(&puzzle, &SolveOptions::default(), &mut Budget::unlimited(), &mut |event| {
            events.push(match event {
                SolveEvent::Verdict(verdict) => TraceEvent::Verdict(verdict),
                SolveEvent::Step(_, step) => TraceEvent::Step(Arc::new(step)),
            });
        })
        .expect("it is solved");
        let entry = |(event, sequence)| TraceEntry { cursor: Cursor { attempt: 2, sequence }, event };
        (puzzle, events.into_iter().zip(1..).map(entry).collect())
    }

    /// What is stored of these entries, and what is read of that.
    fn read_back(
        entries: &[TraceEntry],
        last: Cursor,
        puzzle: &Arc<Puzzle>,
    ) -> Result<Vec<TraceEntry>, String> {
        let middle = entries.len() / 2;
        let chunks = [&entries[..middle], &entries[middle..]];
        let chunks = chunks.map(|entries| write_entries(entries, Some(puzzle), false).expect("entries"));
        read_trace(&chunks, last, Some(puzzle)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        for text in PUZZLES {
            let (puzzle, entries) = trace(text);
            assert!(entries.len() > 10, "{text}");
            let last = Cursor { attempt: 2, sequence: entries.len() as u64 + 1 };
            assert_eq!(read_back(&entries, last, &puzzle), Ok(entries), "{text}");
        }
    }

    #[test]
    fn a_trace_that_is_not_whole_is_refused() {
        let (puzzle, entries) = trace(PUZZLES[0]);
        let count = entries.len() as u64;
        let at = |attempt, sequence| Cursor { attempt, sequence };
        for (last, reason) in [
            (at(2, count + 2), format!("it has {count} entries before its end instead of {}", count + 1)),
            (at(2, count), format!("it has {count} entries before its end instead of {}", count - 1)),
            (at(3, count + 1), "entry 1 of attempt 2 follows where entry 1 of attempt 3 should".to_owned()),
        ] {
            assert_eq!(read_back(&entries, last, &puzzle), Err(reason));
        }
        let mut gap = entries;
        gap.remove(20);
        assert!(read_back(&gap[..20], at(2, 21), &puzzle).is_ok());
        let chunks = [&gap[..20], &gap[20..]];
        let chunks = chunks.map(|entries| write_entries(entries, Some(&puzzle), false).expect("entries"));
        assert_eq!(
            read_trace(&chunks, at(2, count + 1), Some(&puzzle)).map_err(|error| error.to_string()),
            Err("entry 22 of attempt 2 follows where entry 21 of attempt 2 should".to_owned())
        );
    }

    /// Each single is given every other house and every other digit: none that the checker would not accept is told.
    #[test]
    fn a_single_that_does_not_hold_is_refused() {
        let (puzzle, entries) = trace(PUZZLES[0]);
        let last = Cursor { attempt: 2, sequence: entries.len() as u64 + 1 };
        let mut position = Position::new(puzzle.clone());
        let mut refused = 0;
        for (place, entry) in entries.iter().enumerate() {
            let TraceEvent::Step(step) = &entry.event else { continue };
            let single = step.single().expect("a single");
            let houses = puzzle.house_ids().map(Some).chain([None]).map(|house| Single { house, ..single });
            let digits = puzzle.digits().into_iter().map(|digit| Single { digit, ..single });
            for other in houses.chain(digits).filter(|other| *other != single) {
                let step = Step::of_single(step.technique.clone(), other);
                let has_cell = |house| puzzle.house(house).cells.contains(&other.cell);
                let is_there = other.house.is_none_or(has_cell);
                let is_proved = verify(&position, &step, Facts::default(), NodeCap::default()).is_ok();
                let mut changed = entries.clone();
                changed[place].event = TraceEvent::Step(Arc::new(step));
                match read_back(&changed, last, &puzzle) {
                    Ok(read) => assert!(is_there && is_proved && read == changed, "{other:?}"),
                    Err(reason) => {
                        let what =
                            if is_there { format!("entry {}, ", place + 1) } else { "a single".into() };
                        assert!(!(is_there && is_proved) && reason.starts_with(&what), "{other:?}: {reason}");
                        refused += 1;
                    }
                }
            }
            step.apply(&mut position);
        }
        assert!(refused > 1_000);
    }

    /// A step that is no single, made to say what is known already, or what cannot be.
    #[test]
    fn a_step_without_news_is_refused() {
        let (puzzle, entries) = trace(PUZZLES[1]);
        let last = Cursor { attempt: 2, sequence: entries.len() as u64 + 1 };
        let no_single =
            |entry: &TraceEntry| matches!(&entry.event, TraceEvent::Step(step) if step.single().is_none());
        let place = entries.iter().position(no_single).expect("it needs more than singles");
        let TraceEvent::Step(step) = &entries[place].event else { panic!("a step") };
        let (filled, open) = (Cell::new(3), Cell::new(4));
        let given = puzzle.given(filled).expect("a given");
        for said in [
            Conclusion::Place(open, given),
            Conclusion::Eliminate(open, given),
            Conclusion::Place(filled, given),
        ] {
            let mut changed_step = (**step).clone();
            changed_step.conclusions = [said].into_iter().collect();
            let mut changed = entries.clone();
            changed[place].event = TraceEvent::Step(Arc::new(changed_step));
            let reason = read_back(&changed, last, &puzzle).expect_err("no news");
            assert!(reason.ends_with(&format!("does not give {}", said.notation(9))), "{reason}");
        }
    }
}
