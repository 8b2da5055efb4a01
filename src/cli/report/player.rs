//! Help for players: answers of `hint`, `steps` and `prove`.

use serde::Serialize;

use super::{StepReport, VerdictReport, stopped_word};
use crate::api::client::{StepList, ToldStep};
use crate::engine::check::WrongEntry;
use crate::engine::hint::{Advice, Hint};
use crate::engine::logic::record::cage_name;
use crate::engine::prove::{Finding, Proving};
use crate::puzzle::{Cell, Puzzle, notation};

/// Something wrong in a player's position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WrongReport {
    /// `clash`, `cage`, `restricted`, `digit`, `candidate`.
    pub kind: &'static str,
    /// What is wrong, in words.
    pub message: String,
    /// The cells concerned, the wrong one first.
    pub cells: Vec<String>,
}

impl WrongReport {
    /// Of an entry.
    pub fn new(entry: &WrongEntry, puzzle: &Puzzle) -> WrongReport {
        let size = puzzle.size();
        let name = |cell: Cell| notation::cell(cell, size);
        let (kind, cells, message): (_, Vec<Cell>, _) = match entry {
            WrongEntry::Clash { cell, digit, with } => {
                let message = format!(
                    "{} clashes with {}",
                    notation::placement(*cell, *digit, size),
                    notation::cells(with, size)
                );
                ("clash", std::iter::once(*cell).chain(with.iter().copied()).collect(), message)
            }
            WrongEntry::Cage { cage } => {
                let cells = puzzle.cage(*cage).cells.clone();
                let message =
                    format!("{} ({}) misses its target", cage_name(*cage), notation::cells(&cells, size));
                ("cage", cells, message)
            }
            WrongEntry::Restricted { cell, digit } => (
                "restricted",
                vec![*cell],
                format!("{} was ruled out by the setter", notation::placement(*cell, *digit, size)),
            ),
            WrongEntry::Digit { cell, digit } => {
                ("digit", vec![*cell], format!("{} is wrong", notation::placement(*cell, *digit, size)))
            }
            WrongEntry::Candidate { cell, digit } => (
                "candidate",
                vec![*cell],
                format!(
                    "{} was crossed out, but {} belongs there",
                    notation::elimination(*cell, *digit, size),
                    digit
                ),
            ),
        };
        WrongReport { kind, message, cells: cells.into_iter().map(name).collect() }
    }
}

/// Answer of `hint`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HintReport {
    /// How many solutions the puzzle has.
    pub verdict: VerdictReport,
    /// `correct`, `step`, `fill`, `done`, `nothing`.
    pub advice: &'static str,
    /// What to take back, with `correct`.
    pub wrong: Vec<WrongReport>,
    /// The next step, with `step`.
    pub step: Option<StepReport>,
    /// What search knows, with `fill`: `r1c1=4`.
    pub fill: Option<String>,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl HintReport {
    /// Of a hint, and how its step is explained, if it is one.
    pub fn new(hint: &Hint, explanation: &str, puzzle: &Puzzle) -> HintReport {
        let mut report = HintReport {
            verdict: hint.verdict.into(),
            advice: "nothing",
            wrong: Vec::new(),
            step: None,
            fill: None,
            stopped: hint.stopped.map(stopped_word),
        };
        match &hint.advice {
            Advice::Correct(entries) => {
                report.advice = "correct";
                report.wrong = entries.iter().map(|entry| WrongReport::new(entry, puzzle)).collect();
            }
            Advice::Step(step) => {
                report.advice = "step";
                report.step = Some(StepReport::new(step, explanation.to_owned(), puzzle));
            }
            Advice::Fill { cell, digit } => {
                report.advice = "fill";
                report.fill = Some(notation::placement(*cell, *digit, puzzle.size()));
            }
            Advice::Done => report.advice = "done",
            Advice::Nothing => {}
        }
        report
    }
}

/// A step as it is recorded, in short and as a lesson.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ToldReport {
    /// As in a trace, with the sentence.
    #[serde(flatten)]
    pub step: StepReport,
    /// Why it is so.
    pub lesson: String,
}

impl ToldReport {
    fn all(told: &[ToldStep], puzzle: &Puzzle) -> Vec<ToldReport> {
        let report = |told: &ToldStep| ToldReport {
            step: StepReport::new(&told.step, told.explanation.clone(), puzzle),
            lesson: told.lesson.clone(),
        };
        told.iter().map(report).collect()
    }
}

/// Answer of `steps`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StepsReport {
    /// How many solutions the puzzle has.
    pub verdict: VerdictReport,
    /// What has to be taken back first.
    pub wrong: Vec<WrongReport>,
    /// In table order.
    pub steps: Vec<ToldReport>,
    /// Whether these are all.
    pub complete: bool,
    /// Techniques that were not looked through to the end.
    pub unfinished: Vec<String>,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl StepsReport {
    /// Of a list.
    pub fn new(list: &StepList, puzzle: &Puzzle) -> StepsReport {
        StepsReport {
            verdict: list.verdict.into(),
            wrong: list.wrong.iter().map(|entry| WrongReport::new(entry, puzzle)).collect(),
            steps: ToldReport::all(&list.steps, puzzle),
            complete: list.complete,
            unfinished: list.unfinished.clone(),
            stopped: list.stopped.map(stopped_word),
        }
    }
}

/// Answer of `prove`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProveReport {
    /// How many solutions the puzzle has.
    pub verdict: VerdictReport,
    /// `correct`, `known`, `proved`, `wrong`, `undecided`.
    pub finding: &'static str,
    /// What to take back, with `correct`.
    pub wrong: Vec<WrongReport>,
    /// The proof; with `wrong`, of the opposite.
    pub steps: Vec<ToldReport>,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl ProveReport {
    /// Of a test, with the steps of its proof.
    pub fn new(proving: &Proving, told: &[ToldStep], puzzle: &Puzzle) -> ProveReport {
        let (finding, wrong) = match &proving.finding {
            Finding::Correct(wrong) => ("correct", wrong.as_slice()),
            Finding::Known => ("known", [].as_slice()),
            Finding::Proved(_) => ("proved", [].as_slice()),
            Finding::Wrong(_) => ("wrong", [].as_slice()),
            Finding::Undecided => ("undecided", [].as_slice()),
        };
        ProveReport {
            verdict: proving.verdict.into(),
            finding,
            wrong: wrong.iter().map(|entry| WrongReport::new(entry, puzzle)).collect(),
            steps: ToldReport::all(told, puzzle),
            stopped: proving.stopped.map(stopped_word),
        }
    }
}
