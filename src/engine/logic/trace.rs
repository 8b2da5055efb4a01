//! A saved trace: a puzzle, what was known of it, and the steps of a solving path, one JSON value a line.
//!
//! ```json
//! {"trace": 1, "puzzle": {"size": 9, ...}, "unique": true}
//! {"technique": "naked-single", "conclusions": ["r5c5=5"], "marks": [...], "proof": [...]}
//! {"end": "solved"}
//! ```
//!
//! The last line may be missing. A trace of an older version is read for ever; `tests/fixtures/traces` has some.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Step;
use super::path::{Facts, PathEnd};
use super::record::{RecordError, StepRecord};
use super::verify::{NodeCap, Refusal, verify_under};
use crate::engine::budget::{Budget, Stopped};
use crate::puzzle::formats::json;
use crate::puzzle::{Fault, Faults, Position, Puzzle};

/// The version written, and the newest one read.
pub const VERSION: u32 = 1;

/// A trace, well-formed but not yet proved.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// What was solved.
    pub puzzle: Arc<Puzzle>,
    /// Whether there is exactly one solution, as search said or the caller asserted.
    pub unique: bool,
    /// In order, from the puzzle as it is handed out.
    pub steps: Vec<Step>,
    /// Where the path ended, if that was written.
    pub end: Option<PathEnd>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    trace: u32,
    puzzle: Value,
    unique: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine {
    end: String,
}

/// A line after the header.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    End(EndLine),
    Other(Value),
}

const ENDS: [(&str, PathEnd); 5] = [
    ("solved", PathEnd::Solved),
    ("stalled", PathEnd::Stalled),
    ("contradiction", PathEnd::Contradiction),
    ("cancelled", PathEnd::Stopped(Stopped::Cancelled)),
    ("exhausted", PathEnd::Stopped(Stopped::Exhausted)),
];

/// The first line of a trace, without its line end.
pub fn header_line(puzzle: &Puzzle, unique: bool) -> String {
    line(&Header { trace: VERSION, puzzle: json::to_json(puzzle), unique })
}

/// The line of a step, without its line end.
pub fn step_line(step: &Step, puzzle: &Puzzle) -> String {
    line(&StepRecord::from_step(step, puzzle))
}

/// The last line of a trace, without its line end.
pub fn end_line(end: PathEnd) -> String {
    let known = ENDS.iter().find(|(_, known)| *known == end);
    line(&EndLine { end: known.expect("every end has a word").0.to_owned() })
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings, numbers and lists are always JSON")
}

/// The whole text of a trace.
pub fn write_trace(trace: &Trace) -> String {
    let mut lines = vec![header_line(&trace.puzzle, trace.unique)];
    lines.extend(trace.steps.iter().map(|step| step_line(step, &trace.puzzle)));
    lines.extend(trace.end.map(end_line));
    lines.push(String::new());
    lines.join("\n")
}

/// Reads a trace, or names every fault in it with its line.
pub fn read_trace(text: &str) -> Result<Trace, RecordError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (number, first) = lines.next().ok_or_else(|| RecordError::Json("there is no trace".to_owned()))?;
    let (puzzle, unique) = read_header(number, first)?;
    let mut trace = Trace { puzzle, unique, steps: Vec::new(), end: None };
    let mut faults = Faults::none();
    for (number, line) in lines {
        let place = format!("line {}", number + 1);
        if trace.end.is_some() {
            faults.push(Fault::new(place, "this comes after the end"));
            continue;
        }
        match read_line(line, &mut trace) {
            Ok(()) => {}
            Err(RecordError::Json(message)) => faults.push(Fault::new(place, message)),
            Err(RecordError::Faults(found)) => add_all(&mut faults, &place, found),
        }
    }
    faults.into_result()?;
    Ok(trace)
}

fn read_header(number: usize, line: &str) -> Result<(Arc<Puzzle>, bool), RecordError> {
    let place = format!("line {}", number + 1);
    let no_trace = |message: String| RecordError::Json(format!("{place}: {message}"));
    let header: Value =
        serde_json::from_str(line).map_err(|error| no_trace(format!("this is no JSON: {error}")))?;
    match header.get("trace").and_then(Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) => {
            return Err(no_trace(format!(
                "version {version} is not known; the newest that is read is {VERSION}"
            )));
        }
        None => return Err(no_trace("this is not the first line of a trace".to_owned())),
    }
    let header: Header =
        serde_json::from_value(header).map_err(|error| no_trace(format!("this is no header: {error}")))?;
    let puzzle = json::from_json(&header.puzzle).and_then(|draft| draft.check()).map_err(|found| {
        let mut faults = Faults::none();
        add_all(&mut faults, &format!("{place}: puzzle"), found);
        faults
    })?;
    Ok((Arc::new(puzzle), header.unique))
}

fn read_line(line: &str, trace: &mut Trace) -> Result<(), RecordError> {
    let bad = |error: serde_json::Error| RecordError::Json(format!("this is no step: {error}"));
    match serde_json::from_str(line).map_err(bad)? {
        Line::End(EndLine { end }) => {
            let known = ENDS.iter().find(|(word, _)| *word == end);
            let (_, end) = known.ok_or_else(|| RecordError::Json("this is no end of a path".to_owned()))?;
            trace.end = Some(*end);
        }
        Line::Other(value) => {
            let record: StepRecord = serde_json::from_value(value).map_err(bad)?;
            trace.steps.push(record.to_step(&trace.puzzle)?);
        }
    }
    Ok(())
}

fn add_all(faults: &mut Faults, place: &str, found: Faults) {
    faults.more += found.more;
    for fault in found.list {
        faults.push(Fault { field: format!("{place}: {}", fault.field), ..fault });
    }
}

/// What the checker makes of a trace.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// Steps in the trace.
    pub steps: usize,
    /// Steps that are proved.
    pub verified: usize,
    /// Of these, how many hold only because there is exactly one solution.
    pub conditional: usize,
    /// The steps that are not proved, counted from 0, and why.
    pub failures: Vec<(usize, Refusal)>,
    /// What the proved steps make of the puzzle.
    pub position: Position,
    /// The trace says that it ends with all solved, and it does not.
    pub falls_short: bool,
}

impl TraceReport {
    /// Whether all that the trace says is so.
    pub fn is_good(&self) -> bool {
        self.failures.is_empty() && !self.falls_short
    }
}

/// Replays a trace from its puzzle and checks every step in the position that those before it make. Only what is
/// proved is applied, so a step after one that is not may fail for want of it. The cap is for each step.
pub fn verify_trace(trace: &Trace, cap: NodeCap, budget: &mut Budget) -> Result<TraceReport, Stopped> {
    let mut report = TraceReport {
        steps: trace.steps.len(),
        verified: 0,
        conditional: 0,
        failures: Vec::new(),
        position: Position::new(trace.puzzle.clone()),
        falls_short: false,
    };
    let facts = Facts { unique: trace.unique };
    for (number, step) in trace.steps.iter().enumerate() {
        match verify_under(&report.position, step, facts, cap, budget)? {
            Ok(verified) => {
                report.verified += 1;
                report.conditional += usize::from(verified.conditional);
                step.apply(&mut report.position);
            }
            Err(refusal) => report.failures.push((number, refusal)),
        }
    }
    report.falls_short = trace.end == Some(PathEnd::Solved) && !report.position.is_full();
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::{Conclusion, Literal, Premise, Proof, Slug};
    use crate::puzzle::{Cell, Digit, PuzzleDraft};

    /// A Latin square of two with one digit given, and its three other cells.
    fn trace() -> Trace {
        let mut draft = PuzzleDraft::latin(2);
        draft.givens[0] = 1;
        let puzzle = Arc::new(draft.check().expect("a puzzle"));
        let step = |index: usize, value: usize| {
            let (cell, digit) = (Cell::new(index), Digit::from_index(value - 1));
            let proof = Proof::by_conflict([Literal::is(cell, digit)], [Premise::Cell(cell)]);
            Step::new(Slug::of("naked-single"), vec![Conclusion::Place(cell, digit)], Vec::new(), proof)
        };
        let steps = vec![step(1, 2), step(2, 2), step(3, 1)];
        Trace { puzzle, unique: true, steps, end: Some(PathEnd::Solved) }
    }

    fn report(trace: &Trace) -> TraceReport {
        verify_trace(trace, NodeCap::default(), &mut Budget::unlimited()).expect("no end to the budget")
    }

    #[test]
    fn round_trip() {
        let text = write_trace(&trace());
        assert_eq!(text.lines().count(), 5, "{text}");
        assert_eq!(text.lines().last(), Some(r#"{"end":"solved"}"#));
        assert_eq!(read_trace(&text), Ok(trace()));
        for (_, end) in ENDS {
            let ended = Trace { end: Some(end), ..trace() };
            assert_eq!(read_trace(&write_trace(&ended)), Ok(ended));
        }
        let open = Trace { end: None, steps: Vec::new(), ..trace() };
        assert_eq!(read_trace(&write_trace(&open)), Ok(open));
    }

    #[test]
    fn replay() {
        let good = report(&trace());
        assert_eq!((good.steps, good.verified, good.conditional, good.is_good()), (3, 3, 0, true));
        assert!(good.position.is_full());
        let mut short = trace();
        short.steps.remove(2);
        let short = report(&short);
        assert!(short.falls_short && short.failures.is_empty() && !short.is_good());
        let mut wrong = trace();
        wrong.steps.swap(0, 2);
        let wrong = report(&wrong);
        let failures: Vec<String> = wrong.failures.iter().map(|(at, why)| format!("{at}: {why}")).collect();
        assert_eq!(failures, ["0: lemma 1 does not prove r2c2=1"]);
        assert_eq!(wrong.verified, 2);
    }

    #[test]
    fn faults_have_lines() {
        let text = write_trace(&trace()).replace("r1c2=2", "r1c3=2").replace("naked", "Naked");
        let error = read_trace(&format!("{text}\n{{\"end\": \"solved\"}}")).expect_err("faults");
        let RecordError::Faults(faults) = error else { panic!("{error}") };
        let list: Vec<String> = faults.list.iter().map(ToString::to_string).collect();
        assert_eq!(list.len(), 6, "{list:?}");
        assert_eq!(list[0], "line 2: technique: `Naked-single` is no slug");
        assert_eq!(list[1], "line 2: conclusions[0]: `r1c3=2` is no conclusion on a board of size 2");
        assert_eq!(list[5], "line 7: this comes after the end");
        for (text, message) in [
            ("", "there is no trace"),
            ("{\"trace\": 2}", "line 1: version 2 is not known; the newest that is read is 1"),
            ("{}", "line 1: this is not the first line of a trace"),
            ("\n\n[", "line 3: this is no JSON: EOF while parsing a list at line 1 column 1"),
        ] {
            assert_eq!(read_trace(text).expect_err("no trace").to_string(), message);
        }
        let bad = "{\"trace\": 1, \"unique\": true, \"puzzle\": {\"size\": 2, \"givens\": \"11..\"}}";
        let message = read_trace(bad).expect_err("no puzzle").to_string();
        assert!(message.starts_with("line 1: puzzle: givens: 1 is given twice in row 1"), "{message}");
    }

    #[test]
    fn stops_when_told() {
        let flag = crate::engine::budget::CancelFlag::new();
        flag.raise();
        let stopped = verify_trace(&trace(), NodeCap::default(), &mut Budget::new(u64::MAX, flag));
        assert_eq!(stopped.map(|_| ()), Err(Stopped::Cancelled));
        let little = verify_trace(&trace(), NodeCap::default(), &mut Budget::new(10, Default::default()));
        assert_eq!(little.map(|_| ()), Err(Stopped::Exhausted));
    }
}
