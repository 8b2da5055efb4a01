//! Jobs and traces as text, for the database: JSON with a version, puzzles and steps in the project's one
//! notation. What was written by an earlier version stays readable.

mod outcome;
mod spec;
mod steps;
mod whole;

pub use outcome::{read_outcome, write_outcome};
pub use spec::{read_spec, write_spec};
pub use steps::{read_entries, write_entries};
pub use whole::read_trace;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::search::Verdict;
use crate::puzzle::{Puzzle, formats};
use crate::store::Body;

/// A body that this version cannot read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct CodecError(String);

impl CodecError {
    fn new(reason: impl ToString) -> CodecError {
        CodecError(reason.to_string())
    }
}

fn write_body(value: &impl Serialize) -> Body {
    // maps with other keys than texts are all that JSON cannot hold, and there are none
    Body { version: Body::VERSION, text: serde_json::to_string(value).expect("plain structs are JSON") }
}

fn read_body<T: DeserializeOwned>(body: &Body) -> Result<T, CodecError> {
    if body.version != Body::VERSION {
        return Err(CodecError(format!("version {} is not known here", body.version)));
    }
    serde_json::from_str(&body.text).map_err(CodecError::new)
}

fn read_puzzle(value: &Value) -> Result<Puzzle, CodecError> {
    let draft = formats::json::from_json(value).map_err(CodecError::new)?;
    draft.check().map_err(CodecError::new)
}

/// A word that a table must know.
fn read_word<T>(word: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, CodecError> {
    read(word).ok_or_else(|| CodecError(format!("{word} is not known here")))
}

/// A verdict: `none`, `one`, or what it knows beyond that.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VerdictText {
    None,
    One,
    Several { count: u64, complete: bool },
    GaveUp { nodes: u64 },
}

impl From<Verdict> for VerdictText {
    fn from(verdict: Verdict) -> VerdictText {
        match verdict {
            Verdict::None => VerdictText::None,
            Verdict::One => VerdictText::One,
            Verdict::Several { count, complete } => VerdictText::Several { count, complete },
            Verdict::GaveUp { nodes } => VerdictText::GaveUp { nodes },
        }
    }
}

impl From<VerdictText> for Verdict {
    fn from(text: VerdictText) -> Verdict {
        match text {
            VerdictText::None => Verdict::None,
            VerdictText::One => Verdict::One,
            VerdictText::Several { count, complete } => Verdict::Several { count, complete },
            VerdictText::GaveUp { nodes } => Verdict::GaveUp { nodes },
        }
    }
}
