//! Entries of a trace: a line of JSON each. A chunk is lines, a whole trace is the same lines compressed.

use std::cell::RefCell;
use std::io::Read;
use std::sync::Arc;

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use serde::{Deserialize, Serialize};

use super::{CodecError, VerdictText};
use crate::engine::logic::record::StepRecord;
use crate::jobs::trace::{Cursor, TraceEntry, TraceEvent};
use crate::puzzle::Puzzle;
use crate::store::Chunk;

/// Lines as they are.
const PLAIN: u32 = 1;

/// Lines compressed.
const DEFLATED: u32 = 2;

/// A trace of the hardest board is far below this; a body that unfolds to more is not one of ours.
const LARGEST: u64 = 1 << 30;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EntryText {
    Started,
    Verdict(VerdictText),
    Step(StepRecord),
}

/// Writes entries, none of them the last of its trace, that follow one another in one attempt.
pub fn write_entries(entries: &[TraceEntry], puzzle: Option<&Puzzle>, compress: bool) -> Option<Chunk> {
    let first = entries.first()?.cursor;
    let mut lines = Vec::new();
    for entry in entries {
        let text = match (&entry.event, puzzle) {
            (TraceEvent::Started { .. }, _) => EntryText::Started,
            (TraceEvent::Verdict(verdict), _) => EntryText::Verdict((*verdict).into()),
            (TraceEvent::Step(step), Some(puzzle)) => EntryText::Step(StepRecord::from_step(step, puzzle)),
            // steps come from a solve, which has a puzzle; the others are no entries or the last
            _ => continue,
        };
        serde_json::to_writer(&mut lines, &text).expect("plain structs are JSON, and a vector takes all");
        lines.push(b'\n');
    }
    let (format, body) = if compress { (DEFLATED, deflate(&lines)) } else { (PLAIN, lines) };
    Some(Chunk { attempt: first.attempt, first: first.sequence, count: entries.len() as u64, format, body })
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
        PLAIN => chunk.body.clone(),
        DEFLATED => {
            let mut lines = Vec::new();
            let mut decoder = DeflateDecoder::new(chunk.body.as_slice()).take(LARGEST);
            decoder.read_to_end(&mut lines).map_err(CodecError::new)?;
            lines
        }
        format => return Err(CodecError(format!("trace format {format} is not known here"))),
    };
    let mut entries = Vec::new();
    for (line, sequence) in lines.split_inclusive(|&byte| byte == b'\n').zip(chunk.first..) {
        let event = match serde_json::from_slice(line).map_err(CodecError::new)? {
            EntryText::Started => TraceEvent::Started { attempt: chunk.attempt },
            EntryText::Verdict(verdict) => TraceEvent::Verdict(verdict.into()),
            EntryText::Step(record) => {
                let puzzle = puzzle.ok_or_else(|| CodecError("a step without a puzzle".into()))?;
                TraceEvent::Step(Arc::new(record.to_step(puzzle).map_err(CodecError::new)?))
            }
        };
        entries.push(TraceEntry { cursor: Cursor { attempt: chunk.attempt, sequence }, event });
    }
    Ok(entries)
}
