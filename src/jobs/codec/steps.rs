//! Entries of a trace: a line of JSON each, but for singles, which share one with those around them: they are most of
//! all steps, and a few numbers say all there is to say. A chunk is lines, a whole trace is the same lines, compressed
//! if they are long.

use std::cell::RefCell;
use std::io::Read;
use std::sync::Arc;

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use serde::{Deserialize, Serialize};

use super::{CodecError, VerdictText};
use crate::engine::logic::record::StepRecord;
use crate::engine::logic::{Single, Slug, Step};
use crate::jobs::trace::{Cursor, TraceEntry, TraceEvent};
use crate::puzzle::{Cell, Digit, HouseId, Puzzle};
use crate::store::Chunk;

/// Lines as they are, and the same compressed.
const PLAIN: u32 = 3;
const DEFLATED: u32 = 4;

/// The same, each step on a line of its own.
const PLAIN_STEPS: u32 = 1;
const DEFLATED_STEPS: u32 = 2;

/// Lines shorter than this, in bytes, are left as they are: compressing takes longer than to store them.
const SHORT: usize = 1 << 10;

/// A trace of the hardest board is far below this; a body that unfolds to more is not one of ours.
const LARGEST: u64 = 1 << 30;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EntryText {
    Started,
    Verdict(VerdictText),
    Step(StepRecord),
    Singles(SinglesText),
}

/// Singles that follow one another.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SinglesText {
    /// The slugs of their techniques, each once.
    techniques: Vec<String>,
    /// Of each the place of its technique there, its cell, its digit, and the house that it is hidden in, if it is.
    steps: Vec<(usize, usize, u8, Option<u16>)>,
}

impl SinglesText {
    fn push(&mut self, slug: &Slug, single: Single) {
        let slug = slug.as_str();
        let place = self.techniques.iter().position(|known| known == slug).unwrap_or_else(|| {
            self.techniques.push(slug.to_owned());
            self.techniques.len() - 1
        });
        let house = single.house.map(|house| house.0);
        self.steps.push((place, single.cell.index(), single.digit.value(), house));
    }

    /// The steps; none if there are names that the puzzle does not have, or a cell that is not in its house.
    fn read(&self, puzzle: &Puzzle) -> Option<Vec<Step>> {
        let step = |&(place, cell, digit, house): &(usize, usize, u8, Option<u16>)| {
            let slug = Slug::read(self.techniques.get(place)?.clone());
            let digit = Digit::new(digit).filter(|digit| digit.index() < puzzle.size())?;
            let cell = (cell < puzzle.cell_count()).then(|| Cell::new(cell))?;
            let house = house.map(HouseId);
            let is_there = house.is_none_or(|house| {
                puzzle.houses().get(house.index()).is_some_and(|house| house.cells.contains(&cell))
            });
            is_there.then(|| Step::of_single(slug, Single { cell, digit, house }))
        };
        self.steps.iter().map(step).collect()
    }
}

/// Writes entries, none of them the last of its trace, that follow one another in one attempt.
pub fn write_entries(entries: &[TraceEntry], puzzle: Option<&Puzzle>, compress: bool) -> Option<Chunk> {
    let first = entries.first()?.cursor;
    let mut lines = Lines::default();
    for entry in entries {
        match (&entry.event, puzzle) {
            (TraceEvent::Started { .. }, _) => lines.push(&EntryText::Started),
            (TraceEvent::Verdict(verdict), _) => lines.push(&EntryText::Verdict((*verdict).into())),
            (TraceEvent::Step(step), Some(puzzle)) => match step.single() {
                Some(single) => lines.singles.push(&step.technique, single),
                None => lines.push(&EntryText::Step(StepRecord::from_step(step, puzzle))),
            },
            // steps come from a solve, which has a puzzle; the others are no entries or the last
            _ => {}
        }
    }
    let lines = lines.finish();
    let is_deflated = compress && lines.len() >= SHORT;
    let (format, body) = if is_deflated { (DEFLATED, deflate(&lines)) } else { (PLAIN, lines) };
    Some(Chunk { attempt: first.attempt, first: first.sequence, count: entries.len() as u64, format, body })
}

/// Lines in the making.
#[derive(Default)]
struct Lines {
    text: Vec<u8>,
    /// The singles since the last line.
    singles: SinglesText,
}

impl Lines {
    fn push(&mut self, text: &EntryText) {
        self.push_singles();
        self.write(text);
    }

    fn push_singles(&mut self) {
        if !self.singles.steps.is_empty() {
            let singles = std::mem::take(&mut self.singles);
            self.write(&EntryText::Singles(singles));
        }
    }

    fn write(&mut self, text: &EntryText) {
        serde_json::to_writer(&mut self.text, text).expect("plain structs are JSON, and a vector takes all");
        self.text.push(b'\n');
    }

    fn finish(mut self) -> Vec<u8> {
        self.push_singles();
        self.text
    }
}

/// Fast rather than small: 60 steps come down to a fifth either way. What is needed to compress, 300 KB, is kept by
/// each thread: to make it anew took longer than to compress a trace.
fn deflate(lines: &[u8]) -> Vec<u8> {
    thread_local! {
        static COMPRESS: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
    }
    COMPRESS.with_borrow_mut(|compress| {
        compress.reset();
        let mut body = Vec::with_capacity(lines.len() / 4 + 64);
        loop {
            let rest = &lines[compress.total_in() as usize..];
            let status = compress.compress_vec(rest, &mut body, FlushCompress::Finish);
            if status.expect("whatever is compressed is well-formed") == Status::StreamEnd {
                return body;
            }
            body.reserve(body.capacity());
        }
    })
}

/// Reads entries back.
pub fn read_entries(chunk: &Chunk, puzzle: Option<&Arc<Puzzle>>) -> Result<Vec<TraceEntry>, CodecError> {
    let lines = match chunk.format {
        PLAIN | PLAIN_STEPS => chunk.body.clone(),
        DEFLATED | DEFLATED_STEPS => {
            let mut lines = Vec::new();
            let mut decoder = DeflateDecoder::new(chunk.body.as_slice()).take(LARGEST);
            decoder.read_to_end(&mut lines).map_err(CodecError::new)?;
            lines
        }
        format => return Err(CodecError(format!("trace format {format} is not known here"))),
    };
    let subject = || puzzle.ok_or_else(|| CodecError("a step without a puzzle".into()));
    let mut events = Vec::new();
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        match serde_json::from_slice(line).map_err(CodecError::new)? {
            EntryText::Started => events.push(TraceEvent::Started { attempt: chunk.attempt }),
            EntryText::Verdict(verdict) => events.push(TraceEvent::Verdict(verdict.into())),
            EntryText::Step(record) => {
                let step = record.to_step(subject()?).map_err(CodecError::new)?;
                events.push(TraceEvent::Step(Arc::new(step)));
            }
            EntryText::Singles(singles) => {
                let steps = singles.read(subject()?);
                let steps =
                    steps.ok_or_else(|| CodecError("a single that the puzzle does not have".into()))?;
                events.extend(steps.into_iter().map(|step| TraceEvent::Step(Arc::new(step))));
            }
        }
    }
    if events.len() as u64 != chunk.count {
        return Err(CodecError(format!("{} entries instead of {}", events.len(), chunk.count)));
    }
    let entry = |(event, sequence)| TraceEntry { cursor: Cursor { attempt: chunk.attempt, sequence }, event };
    Ok(events.into_iter().zip(chunk.first..).map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::solve::{SolveEvent, SolveOptions, solve};
    use crate::puzzle::formats;

    /// One that singles solve, and one that needs more.
    const PUZZLES: [&str; 2] = [
        "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
        "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    ];

    fn trace(text: &str) -> (Arc<Puzzle>, Vec<TraceEntry>) {
        let puzzle = Arc::new(formats::read(text).expect("a puzzle"));
        let mut events = vec![TraceEvent::Started { attempt: 3 }];
        solve(&puzzle, &SolveOptions::default(), &mut Budget::unlimited(), &mut |event| {
            events.push(match event {
                SolveEvent::Verdict(verdict) => TraceEvent::Verdict(verdict),
                SolveEvent::Step(_, step) => TraceEvent::Step(Arc::new(step)),
            });
        })
        .expect("it is solved");
        let entry = |(event, sequence)| TraceEntry { cursor: Cursor { attempt: 3, sequence }, event };
        (puzzle, events.into_iter().zip(1..).map(entry).collect())
    }

    #[test]
    fn entries_round_trip_from_any_place_on() {
        for text in PUZZLES {
            let (puzzle, entries) = trace(text);
            for (from, compress) in [(0, true), (0, false), (5, false), (entries.len() - 1, true)] {
                let chunk = write_entries(&entries[from..], Some(&puzzle), compress).expect("entries");
                assert_eq!((chunk.first, chunk.count), (from as u64 + 1, (entries.len() - from) as u64));
                assert_eq!(read_entries(&chunk, Some(&puzzle)), Ok(entries[from..].to_vec()), "{text}");
            }
        }
    }

    /// Each step on a line of its own, as it was written before.
    #[test]
    fn older_entries_are_read() {
        let (puzzle, entries) = trace(PUZZLES[0]);
        let mut lines = Lines::default();
        for entry in &entries {
            lines.write(&match &entry.event {
                TraceEvent::Started { .. } => EntryText::Started,
                TraceEvent::Verdict(verdict) => EntryText::Verdict((*verdict).into()),
                TraceEvent::Step(step) => EntryText::Step(StepRecord::from_step(step, &puzzle)),
                other => panic!("{other:?} is no entry"),
            });
        }
        let lines = lines.finish();
        for (format, body) in [(DEFLATED_STEPS, deflate(&lines)), (PLAIN_STEPS, lines.clone())] {
            let chunk = Chunk { attempt: 3, first: 1, count: entries.len() as u64, format, body };
            assert_eq!(read_entries(&chunk, Some(&puzzle)), Ok(entries.clone()));
        }
    }

    #[test]
    fn singles_that_the_puzzle_does_not_have_are_refused() {
        let (puzzle, _) = trace(PUZZLES[0]);
        let read = |step: &str| {
            let body = format!(r#"{{"singles":{{"techniques":["naked-single"],"steps":[{step}]}}}}"#);
            let chunk = Chunk { attempt: 1, first: 1, count: 1, format: PLAIN, body: body.into_bytes() };
            read_entries(&chunk, Some(&puzzle))
        };
        assert_eq!(read("[0,80,9,26]").map(|entries| entries.len()), Ok(1));
        for step in [
            "[1,80,9,26]",
            "[0,81,9,26]",
            "[0,80,10,26]",
            "[0,80,0,26]",
            "[0,80,9,27]",
            "[0,80,9,25]",
            "[0,80,9,26],[0,79,8,26]",
        ] {
            assert!(read(step).is_err(), "{step}");
        }
    }
}
