//! The trace of a job: a log that a run appends to and that any number of watchers read at their own speed.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::job::Job;
use crate::engine::generate::Progress;
use crate::engine::logic::Step;
use crate::engine::search::Verdict;

/// A place in the trace of a job: right after the entry it comes with. Opaque to clients.
///
/// The order is that of time: a later attempt is after every earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cursor {
    /// The attempt, from 1.
    pub attempt: u32,
    /// Entries of the attempt up to here; they are numbered from 1 without gap.
    pub sequence: u64,
}

/// A text that is no cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is not a cursor that was given out here")]
pub struct CursorError;

/// As clients see it: hexadecimal, its form is no promise.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // digit by digit: each event of a stream has one
        let number = u128::from(self.attempt) << 64 | u128::from(self.sequence);
        let digits: [u8; 24] =
            std::array::from_fn(|place| b"0123456789abcdef"[(number >> (4 * (23 - place))) as usize & 15]);
        f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Cursor, CursorError> {
        let is_plain = text.len() == 24 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_plain {
            return Err(CursorError);
        }
        let attempt = u32::from_str_radix(&text[..8], 16).map_err(|_| CursorError)?;
        let sequence = u64::from_str_radix(&text[8..], 16).map_err(|_| CursorError)?;
        Ok(Cursor { attempt, sequence })
    }
}

/// Something that happened to a job.
#[derive(Clone, PartialEq, Debug)]
pub enum TraceEvent {
    /// A worker began. Always the first entry of an attempt.
    Started {
        /// The attempt.
        attempt: u32,
    },
    /// A run died and another follows: what was seen of earlier attempts is void. It is no entry of the log but
    /// told to those who hold a cursor of an earlier attempt; its sequence is 0.
    Restarted {
        /// The new attempt.
        attempt: u32,
    },
    /// Search has decided.
    Verdict(Verdict),
    /// Logic has made a step.
    Step(Arc<Step>),
    /// A generation has come further. It is no entry of the log either, and only the last is told: it comes with
    /// the cursor of the entry before.
    Progress(Progress),
    /// The job has ended. Always the last entry.
    Finished(Arc<Job>),
}

/// Something that happened, and the place right after it.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceEntry {
    /// To watch on from here.
    pub cursor: Cursor,
    /// What happened.
    pub event: TraceEvent,
}

impl TraceEntry {
    /// Its number in its attempt; none if it is not an entry of the log.
    pub fn sequence(&self) -> Option<u64> {
        let is_entry = !matches!(self.event, TraceEvent::Restarted { .. } | TraceEvent::Progress(_));
        is_entry.then_some(self.cursor.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip_and_others_are_refused() {
        let cursor = Cursor { attempt: 3, sequence: 1 << 40 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in
            ["", "0", "é00000000000000000000000", "00000001000000000000000G", "+0000001000000000000000a"]
        {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
        }
    }
}
