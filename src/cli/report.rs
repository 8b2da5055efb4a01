//! Answers as JSON: stable field names, the same from a daemon and in process. One document a command.

pub mod bench;

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Serialize;

use super::source::shortest;
use crate::api::client::{StepList, ToldStep, View as JobView};
use crate::engine::budget::Stopped;
use crate::engine::check::{Checked, WrongEntry};
use crate::engine::generate::{GenerateOutcome, Progress};
use crate::engine::hint::{Advice, Hint};
use crate::engine::logic::explain::Language;
use crate::engine::logic::path::PathEnd;
use crate::engine::logic::record::{StepRecord, cage_name};
use crate::engine::logic::registry::TECHNIQUES;
use crate::engine::logic::trace::Trace;
use crate::engine::logic::{Level, Step, Technique};
use crate::engine::prove::{Finding, Proving};
use crate::engine::rate::{RateOutcome, Rating};
use crate::engine::search::Verdict;
use crate::engine::search::candidates::TrueCandidates;
use crate::engine::solve::SolveOutcome;
use crate::jobs::{JobOutcome, Outlook};
use crate::puzzle::{Cell, Digit, Position, Puzzle, Solution, notation};

/// How many solutions there are, in words and numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VerdictReport {
    /// `none`, `one`, `several`, `gave-up`.
    pub kind: &'static str,
    /// Solutions counted; null where search gave up.
    pub count: Option<u64>,
    /// Whether all were counted.
    pub complete: bool,
}

impl From<Verdict> for VerdictReport {
    fn from(verdict: Verdict) -> VerdictReport {
        let (kind, count, complete) = match verdict {
            Verdict::None => ("none", Some(0), true),
            Verdict::One => ("one", Some(1), true),
            Verdict::Several { count, complete } => ("several", Some(count), complete),
            Verdict::GaveUp { .. } => ("gave-up", None, false),
        };
        VerdictReport { kind, count, complete }
    }
}

/// A step as it is recorded, and its sentence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StepReport {
    /// As in a trace.
    #[serde(flatten)]
    pub record: StepRecord,
    /// The sentence.
    pub explanation: String,
}

impl StepReport {
    /// A step of a puzzle, and how it is explained.
    pub fn new(step: &Step, explanation: String, puzzle: &Puzzle) -> StepReport {
        StepReport { record: StepRecord::from_step(step, puzzle), explanation }
    }
}

/// Answer of `solve`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SolveReport {
    /// How many solutions there are; null with logic alone.
    pub verdict: Option<VerdictReport>,
    /// Up to two, one line each.
    pub solutions: Vec<String>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// Every step.
    pub steps: Vec<StepReport>,
    /// `solved`, `stalled`, `contradiction`, `stopped`; null where no path was walked.
    pub path: Option<&'static str>,
    /// The digits known at the end of the path.
    pub grid: String,
    /// Cells that search filled.
    pub searched_cells: u32,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl SolveReport {
    /// Of an outcome and the steps on the way to it.
    pub fn new(outcome: &SolveOutcome, steps: Vec<StepReport>) -> SolveReport {
        SolveReport {
            verdict: outcome.verdict.map(VerdictReport::from),
            solutions: outcome.solutions.iter().map(Solution::to_string).collect(),
            nodes: outcome.nodes,
            steps,
            path: outcome.path.map(path_word),
            grid: grid_line(&outcome.grid),
            searched_cells: outcome.searched_cells,
            stopped: outcome.stopped.map(stopped_word),
        }
    }
}

/// A rating.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RatingReport {
    /// The scale.
    pub scale: String,
    /// Its version.
    pub version: u32,
    /// `easy`, `medium`, `hard`, `unfair`, `extreme`; null on a scale without levels.
    pub level: Option<&'static str>,
    /// What all steps count together; on the Explainer's scale, the hardest step (ER) in tenths.
    pub score: u32,
    /// The slug of the hardest technique.
    pub hardest: Option<String>,
    /// How often each technique was used, cheapest first.
    pub counts: Vec<CountReport>,
    /// Cells that search had to fill.
    pub searched_cells: u32,
    /// On the Explainer's scale: the hardest step up to the first digit placed (EP), in tenths.
    pub pearl: Option<u32>,
    /// On the Explainer's scale: the first step (ED), in tenths.
    pub diamond: Option<u32>,
}

/// How often a technique was used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CountReport {
    /// The slug.
    pub technique: String,
    /// Distinct steps.
    pub count: u32,
}

impl From<&Rating> for RatingReport {
    fn from(rating: &Rating) -> RatingReport {
        let counts = rating.counts.iter();
        RatingReport {
            scale: rating.scale.clone(),
            version: rating.version,
            level: rating.level.map(Level::word),
            score: rating.score,
            hardest: rating.hardest.as_ref().map(ToString::to_string),
            counts: counts
                .map(|(slug, count)| CountReport { technique: slug.to_string(), count: *count })
                .collect(),
            searched_cells: rating.searched_cells,
            pearl: rating.pearl,
            diamond: rating.diamond,
        }
    }
}

/// Answer of `rate`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RateReport {
    /// How many solutions there are.
    pub verdict: VerdictReport,
    /// The only solution.
    pub solution: Option<String>,
    /// The rating; null unless there is exactly one solution.
    pub rating: Option<RatingReport>,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl From<&RateOutcome> for RateReport {
    fn from(outcome: &RateOutcome) -> RateReport {
        RateReport {
            verdict: outcome.verdict.into(),
            solution: outcome.solution.as_ref().map(Solution::to_string),
            rating: outcome.rating.as_ref().map(RatingReport::from),
            stopped: outcome.stopped.map(stopped_word),
        }
    }
}

/// Answer of `generate`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GenerateReport {
    /// The puzzle; null if the recipe was not met.
    pub puzzle: Option<String>,
    /// Its solution.
    pub solution: Option<String>,
    /// Its rating.
    pub rating: Option<RatingReport>,
    /// Digits given.
    pub clues: Option<usize>,
    /// The seed: with the same recipe it makes the same puzzle again.
    pub seed: Option<u64>,
    /// The attempt that made it, from 0.
    pub attempt: Option<u32>,
    /// How far the attempts came.
    pub progress: ProgressReport,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

/// How far a generation came.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProgressReport {
    /// Grids tried.
    pub tried: u32,
    /// Those with a fitting number of clues.
    pub kept: u32,
    /// The level that came nearest.
    pub nearest_level: Option<&'static str>,
    /// The number of clues that came nearest.
    pub nearest_clues: Option<u32>,
}

impl From<&Progress> for ProgressReport {
    fn from(progress: &Progress) -> ProgressReport {
        ProgressReport {
            tried: progress.tried,
            kept: progress.kept,
            nearest_level: progress.nearest.map(Level::word),
            nearest_clues: progress.nearest_clues,
        }
    }
}

impl GenerateReport {
    /// Of an outcome under this seed; `text` is how the puzzle is written.
    pub fn new(outcome: &GenerateOutcome, seed: Option<u64>, text: Option<String>) -> GenerateReport {
        let generated = outcome.generated.as_ref();
        GenerateReport {
            puzzle: text,
            solution: generated.map(|made| made.solution.to_string()),
            rating: generated.map(|made| RatingReport::from(&made.rating)),
            clues: generated.map(|made| made.puzzle.givens().iter().flatten().count()),
            seed,
            attempt: generated.map(|made| made.attempt),
            progress: (&outcome.progress).into(),
            stopped: outcome.stopped.map(stopped_word),
        }
    }
}

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

/// Answer of `check`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckReport {
    /// How many solutions the puzzle has.
    pub verdict: VerdictReport,
    /// Up to two.
    pub solutions: Vec<String>,
    /// What is wrong in the player's position.
    pub wrong: Vec<WrongReport>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

impl CheckReport {
    /// Of a check.
    pub fn new(checked: &Checked, puzzle: &Puzzle) -> CheckReport {
        CheckReport {
            verdict: checked.verdict.into(),
            solutions: checked.solutions.iter().map(Solution::to_string).collect(),
            wrong: checked.wrong.iter().map(|entry| WrongReport::new(entry, puzzle)).collect(),
            nodes: checked.nodes,
            stopped: checked.stopped.map(stopped_word),
        }
    }
}

/// Answer of `candidates`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CandidatesReport {
    /// In reading order.
    pub cells: Vec<CellReport>,
    /// Nodes that search visited.
    pub nodes: u64,
    /// `cancelled`, `exhausted`; null where nothing was broken off.
    pub stopped: Option<&'static str>,
}

/// The true candidates of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CellReport {
    /// Its name.
    pub cell: String,
    /// Digits that some solution has here, with how many have them, up to the cap.
    pub counts: BTreeMap<String, u64>,
    /// Digits of which that is not known.
    pub undecided: Vec<String>,
}

impl CandidatesReport {
    /// Of true candidates.
    pub fn new(found: &TrueCandidates, puzzle: &Puzzle) -> CandidatesReport {
        let cell = |cell: Cell| CellReport {
            cell: notation::cell(cell, puzzle.size()),
            counts: found
                .digits(cell)
                .iter()
                .map(|digit| (digit.to_string(), found.count(cell, digit)))
                .collect(),
            undecided: found.undecided[cell.index()].iter().map(|digit| digit.to_string()).collect(),
        };
        CandidatesReport {
            cells: Cell::all(puzzle.size()).map(cell).collect(),
            nodes: found.nodes,
            stopped: found.stopped.map(stopped_word),
        }
    }
}

/// Answer of `verify`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VerifyReport {
    /// Whether every step is proved.
    pub proved: bool,
    /// Steps proved, from the first.
    pub steps_proved: usize,
    /// Steps in the trace.
    pub steps: usize,
    /// Why the next step is not, and which it is, from 1.
    pub reason: Option<String>,
    /// Whether a step holds only if there is exactly one solution.
    pub relies_on_uniqueness: bool,
}

impl VerifyReport {
    /// Of a trace whose first `proved` steps are proved, and why the next is not, if there is one.
    pub fn new(trace: &Trace, proved: usize, mut reason: Option<String>) -> VerifyReport {
        if reason.is_none() && trace.end == Some(PathEnd::Solved) && !is_full_after(trace) {
            reason = Some("the trace says that all is solved, and its steps leave cells open".to_owned());
        }
        VerifyReport {
            proved: reason.is_none(),
            steps_proved: proved,
            steps: trace.steps.len(),
            reason,
            relies_on_uniqueness: trace.steps.iter().take(proved).any(Step::relies_on_uniqueness),
        }
    }
}

fn is_full_after(trace: &Trace) -> bool {
    let mut position = Position::new(trace.puzzle.clone());
    trace.steps.iter().for_each(|step| step.apply(&mut position));
    position.is_full()
}

/// A job of the daemon.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JobReport {
    /// `jobs/42`.
    pub name: String,
    /// `solve`, `rate`, `generate`.
    pub kind: &'static str,
    /// `scheduled`, `queued`, `running`, `succeeded`, `failed`, `cancelled`.
    pub state: &'static str,
    /// How often it was begun.
    pub attempt: u32,
    /// When it was stored, as in `2026-01-31T12:00:00Z`.
    pub create_time: Option<String>,
    /// When its last attempt began.
    pub start_time: Option<String>,
    /// When it ended.
    pub end_time: Option<String>,
    /// When it may begin at the earliest.
    pub schedule_time: Option<String>,
    /// Where it stands while it waits: an estimate.
    pub outlook: Option<OutlookReport>,
    /// Why it failed or was cancelled.
    pub reason: Option<String>,
    /// Its puzzle in the archive.
    pub puzzle: Option<String>,
    /// Answer of the command of its kind, without steps; null unless it succeeded, and in lists.
    pub result: Option<ResultReport>,
}

/// Where a waiting job stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct OutlookReport {
    /// 1 for the job that is begun next; null while it waits for its time.
    pub place: Option<u64>,
    /// About how many milliseconds it will wait.
    pub expected_ms: u64,
}

impl From<&Outlook> for OutlookReport {
    fn from(outlook: &Outlook) -> OutlookReport {
        let expected_ms = u64::try_from(outlook.wait.as_millis()).unwrap_or(u64::MAX);
        OutlookReport { place: outlook.place, expected_ms }
    }
}

impl std::fmt::Display for OutlookReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.expected_ms as f64 / 1e3;
        match self.place {
            Some(place) => write!(f, "place {place}, about {seconds:.1} s"),
            None => write!(f, "begins in {seconds:.1} s"),
        }
    }
}

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum ResultReport {
    /// Of a solve.
    Solve(SolveReport),
    /// Of a rating.
    Rate(RateReport),
    /// Of a generation.
    Generate(GenerateReport),
}

impl From<&JobView> for JobReport {
    fn from(job: &JobView) -> JobReport {
        let time = |time: Option<SystemTime>| time.map(|time| prost_types::Timestamp::from(time).to_string());
        JobReport {
            name: job.name.clone(),
            kind: job.kind.word(),
            state: job.state.word(),
            attempt: job.attempt,
            create_time: time(job.create_time),
            start_time: time(job.start_time),
            end_time: time(job.end_time),
            schedule_time: time(job.schedule_time),
            outlook: job.outlook.as_ref().map(OutlookReport::from),
            reason: job.reason.clone(),
            puzzle: job.puzzle.clone(),
            result: job.outcome.as_ref().map(|outcome| match outcome {
                JobOutcome::Solve(outcome) => ResultReport::Solve(SolveReport::new(outcome, Vec::new())),
                JobOutcome::Rate(outcome) => ResultReport::Rate(outcome.into()),
                JobOutcome::Generate(outcome) => {
                    let text = outcome.generated.as_ref().map(|made| shortest(&made.puzzle));
                    ResultReport::Generate(GenerateReport::new(outcome, job.seed, text))
                }
            }),
        }
    }
}

/// A row of the table of techniques.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TechniqueReport {
    /// Its short name.
    pub slug: &'static str,
    /// Its name.
    pub name: &'static str,
    /// `easy`, `medium`, `hard`, `unfair`, `extreme`.
    pub level: &'static str,
    /// What one distinct step counts.
    pub score: u32,
    /// Whether it works on cages.
    pub needs_cages: bool,
    /// Whether it relies on there being exactly one solution.
    pub needs_unique: bool,
}

impl TechniqueReport {
    /// Every technique, cheapest first.
    pub fn all(language: Language) -> Vec<TechniqueReport> {
        let report = |row: &'static Technique| TechniqueReport {
            slug: row.slug,
            name: language.of(&row.name),
            level: row.level.word(),
            score: row.score,
            needs_cages: row.needs.cages,
            needs_unique: row.needs.unique,
        };
        TECHNIQUES.iter().map(report).collect()
    }
}

/// One symbol a cell, `.` for an open one.
pub fn grid_line(grid: &[Option<Digit>]) -> String {
    grid.iter().map(|digit| digit.map_or('.', Digit::symbol)).collect()
}

/// A word for where a path ended.
pub const fn path_word(end: PathEnd) -> &'static str {
    match end {
        PathEnd::Solved => "solved",
        PathEnd::Stalled => "stalled",
        PathEnd::Contradiction => "contradiction",
        PathEnd::Stopped(_) => "stopped",
    }
}

/// A word for why something was broken off.
pub const fn stopped_word(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Cancelled => "cancelled",
        Stopped::Exhausted => "exhausted",
    }
}
