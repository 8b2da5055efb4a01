//! Answers read back into values, for the client: the reverse of what the services write. A daemon of another
//! version may say what is not known here; that is an error of its own, never a panic.

use std::sync::Arc;
use std::time::SystemTime;

use prost::Message;

use super::job::{read_kind, read_state};
use super::puzzle::read_parts;
use super::reader::Reader;
use super::step::read_step;
use super::words::read_level;
use crate::api::proto as pb;
use crate::api::proto::hint_response::Advice as AdviceMessage;
use crate::api::proto::job_event::Event as EventMessage;
use crate::api::proto::job_result::Kind;
use crate::api::proto::list_steps_response::Event as ListEventMessage;
use crate::api::proto::prove_response::Finding as FindingMessage;
use crate::engine::budget::Stopped;
use crate::engine::check::{Checked, WrongEntry};
use crate::engine::generate::{GenerateOutcome, Generated, Progress};
use crate::engine::hint::{Advice, Hint};
use crate::engine::logic::path::PathEnd;
use crate::engine::logic::{Slug, Step};
use crate::engine::prove::{Finding, Proving};
use crate::engine::rate::{RateOutcome, Rating};
use crate::engine::search::Verdict;
use crate::engine::search::candidates::TrueCandidates;
use crate::engine::solve::SolveOutcome;
use crate::jobs::{JobKind, JobOutcome, JobState, Outlook};
use crate::puzzle::{CageId, Cell, Digit, DigitSet, Faults, Puzzle, Solution};

/// An answer that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the daemon's answer cannot be understood: {0}")]
pub struct Garbled(pub String);

/// `Err` unless there is a value.
fn need<T>(value: Option<T>, what: &str) -> Result<T, Garbled> {
    value.ok_or_else(|| Garbled(format!("its {what} is missing or not known here")))
}

/// A job as a client sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobView {
    /// Its name: `jobs/42`.
    pub name: String,
    /// Its kind.
    pub kind: JobKind,
    /// Where it stands.
    pub state: JobState,
    /// How often it was begun.
    pub attempt: u32,
    /// When it was stored.
    pub create_time: Option<SystemTime>,
    /// When its last attempt began.
    pub start_time: Option<SystemTime>,
    /// When it ended.
    pub end_time: Option<SystemTime>,
    /// When it may begin at the earliest.
    pub schedule_time: Option<SystemTime>,
    /// Where it stands while it waits.
    pub outlook: Option<Outlook>,
    /// Why it failed or was cancelled.
    pub reason: Option<String>,
    /// What came of it, where that was told.
    pub outcome: Option<JobOutcome>,
    /// The name of its puzzle in the archive.
    pub puzzle: Option<String>,
    /// What it solves or rates, where that was told.
    pub subject: Option<Arc<Puzzle>>,
    /// The seed of a generation.
    pub seed: Option<u64>,
}

/// Something that happened to a job, as a client sees it.
#[derive(Clone, PartialEq, Debug)]
pub enum JobNews {
    /// It is stored, under this name.
    Accepted {
        /// Its name.
        name: String,
        /// Whether it was there already.
        existed: bool,
    },
    /// It has not begun yet.
    Waiting(Outlook),
    /// A worker began. What was told before is void: a lost submit that is repeated begins anew.
    Started {
        /// The attempt, from 1.
        attempt: u32,
    },
    /// What was told before is void.
    Restarted {
        /// The attempt, from 2.
        attempt: u32,
    },
    /// Search has decided.
    Verdict(Verdict),
    /// Logic has made a step.
    Step {
        /// The step.
        step: Box<Step>,
        /// In words.
        explanation: String,
    },
    /// A generation has come further.
    Progress(Progress),
    /// It has ended. The last news.
    Finished(Box<JobView>),
}

/// News; none for a heartbeat. `puzzle` is what the job is about; a job about none has no steps.
pub fn read_news(event: pb::JobEvent, puzzle: Option<&Puzzle>) -> Result<Option<JobNews>, Garbled> {
    let name = event.job;
    let news = match need(event.event, "event")? {
        EventMessage::Accepted(accepted) => JobNews::Accepted { name, existed: accepted.existed },
        EventMessage::Started(started) => JobNews::Started { attempt: started.attempt },
        EventMessage::Restarted(restarted) => JobNews::Restarted { attempt: restarted.attempt },
        EventMessage::Verdict(verdict) => JobNews::Verdict(read_verdict(&verdict)?),
        EventMessage::Step(bytes) => {
            let step = pb::Step::decode(bytes).map_err(|error| Garbled(error.to_string()))?;
            let read = read_step_of(&step, need(puzzle, "puzzle")?)?;
            JobNews::Step { explanation: step.explanation, step: Box::new(read) }
        }
        EventMessage::Progress(progress) => JobNews::Progress(read_progress(&progress)?),
        EventMessage::Finished(finished) => {
            JobNews::Finished(Box::new(read_job(need(finished.job, "job")?)?))
        }
        EventMessage::Waiting(waiting) => JobNews::Waiting(read_outlook(need(waiting.outlook, "outlook")?)),
        EventMessage::Heartbeat(_) => return Ok(None),
    };
    Ok(Some(news))
}

/// A step of this puzzle.
pub fn read_step_of(message: &pb::Step, puzzle: &Puzzle) -> Result<Step, Garbled> {
    let mut faults = Faults::none();
    let step = read_step(&mut Reader::new(puzzle, &mut faults), message);
    if faults.is_empty() { need(step, "step") } else { Err(Garbled(faults.to_string())) }
}

fn read_outlook(message: pb::JobOutlook) -> Outlook {
    let wait = message.expected_wait.and_then(|wait| wait.try_into().ok());
    Outlook { place: Some(message.place).filter(|place| *place > 0), wait: wait.unwrap_or_default() }
}

/// A job.
pub fn read_job(message: pb::Job) -> Result<JobView, Garbled> {
    let time = |time: Option<prost_types::Timestamp>| time.and_then(|time| time.try_into().ok());
    let mut seed = None;
    let mut subject = None;
    match message.spec.and_then(|spec| spec.kind) {
        Some(pb::job_spec::Kind::Solve(spec)) => subject = read_subject(spec.puzzle)?,
        Some(pb::job_spec::Kind::Rate(spec)) => subject = read_subject(spec.puzzle)?,
        Some(pb::job_spec::Kind::Generate(spec)) => seed = spec.seed,
        None => {}
    }
    let (mut outcome, mut puzzle) = (None, None);
    if let Some(result) = message.result {
        if let Some(Kind::Generate(result)) = &result.kind {
            seed = Some(result.seed);
        }
        outcome = Some(read_outcome(need(result.kind, "result")?)?);
        puzzle = Some(result.puzzle).filter(|name| !name.is_empty());
    }
    Ok(JobView {
        name: message.name,
        kind: need(read_kind(message.kind), "kind")?,
        state: need(read_state(message.state), "state")?,
        attempt: message.attempt,
        create_time: time(message.create_time),
        start_time: time(message.start_time),
        end_time: time(message.end_time),
        schedule_time: time(message.schedule_time),
        outlook: message.outlook.map(read_outlook),
        reason: Some(message.reason).filter(|reason| !reason.is_empty()),
        outcome,
        puzzle,
        subject,
        seed,
    })
}

fn read_subject(input: Option<pb::PuzzleInput>) -> Result<Option<Arc<Puzzle>>, Garbled> {
    match input.and_then(|input| input.source) {
        Some(pb::puzzle_input::Source::Puzzle(puzzle)) => read_puzzle(puzzle).map(Arc::new).map(Some),
        Some(pb::puzzle_input::Source::Text(_)) | None => Ok(None),
    }
}

/// A puzzle that the daemon has checked.
pub fn read_puzzle(message: pb::Puzzle) -> Result<Puzzle, Garbled> {
    read_parts(message).map_err(|faults| Garbled(faults.to_string()))
}

fn read_outcome(kind: Kind) -> Result<JobOutcome, Garbled> {
    Ok(match kind {
        Kind::Solve(result) => JobOutcome::Solve(SolveOutcome {
            verdict: result.verdict.as_ref().map(read_verdict).transpose()?,
            nodes: result.nodes,
            solutions: result.solutions.iter().map(read_solution).collect::<Result<_, _>>()?,
            steps: result.steps,
            path: read_path_end(result.path_end, result.stop_reason)?,
            grid: read_grid(&need(result.grid, "grid")?)?,
            searched_cells: result.searched_cells,
            stopped: read_stopped(result.stop_reason)?,
        }),
        Kind::Rate(result) => JobOutcome::Rate(RateOutcome {
            verdict: read_verdict(&need(result.verdict, "verdict")?)?,
            solution: result.solution.as_ref().map(read_solution).transpose()?,
            rating: result.rating.map(read_rating).transpose()?,
            stopped: read_stopped(result.stop_reason)?,
        }),
        Kind::Generate(result) => JobOutcome::Generate(GenerateOutcome {
            generated: result.generated.map(read_generated).transpose()?,
            progress: read_progress(&result.progress.unwrap_or_default())?,
            stopped: read_stopped(result.stop_reason)?,
        }),
    })
}

fn read_generated(message: pb::Generated) -> Result<Generated, Garbled> {
    Ok(Generated {
        puzzle: read_puzzle(need(message.puzzle, "puzzle")?)?,
        solution: read_solution(&need(message.solution, "solution")?)?,
        rating: read_rating(need(message.rating, "rating")?)?,
        attempt: message.attempt,
    })
}

fn read_progress(message: &pb::GenerateProgress) -> Result<Progress, Garbled> {
    let nearest = match message.nearest {
        0 => None,
        level => Some(need(read_level(level), "level")?),
    };
    Ok(Progress { tried: message.tried, kept: message.kept, nearest, nearest_clues: message.nearest_clues })
}

/// A rating.
pub fn read_rating(message: pb::Rating) -> Result<Rating, Garbled> {
    Ok(Rating {
        scale: message.scale,
        version: message.version,
        level: match message.level {
            0 => None,
            level => Some(need(read_level(level), "level")?),
        },
        score: message.score,
        hardest: Some(message.hardest).filter(|slug| !slug.is_empty()).map(Slug::read),
        counts: message.counts.into_iter().map(|count| (Slug::read(count.technique), count.count)).collect(),
        searched_cells: message.searched_cells,
        pearl: message.pearl,
        diamond: message.diamond,
    })
}

/// A verdict.
pub fn read_verdict(message: &pb::Verdict) -> Result<Verdict, Garbled> {
    match pb::VerdictKind::try_from(message.kind) {
        Ok(pb::VerdictKind::None) => Ok(Verdict::None),
        Ok(pb::VerdictKind::One) => Ok(Verdict::One),
        Ok(pb::VerdictKind::Several) => {
            Ok(Verdict::Several { count: message.count, complete: message.complete })
        }
        Ok(pb::VerdictKind::GaveUp) => Ok(Verdict::GaveUp { nodes: message.nodes }),
        Ok(pb::VerdictKind::Unspecified) | Err(_) => need(None, "verdict"),
    }
}

fn read_stopped(message: i32) -> Result<Option<Stopped>, Garbled> {
    match pb::StopReason::try_from(message) {
        Ok(pb::StopReason::Unspecified) => Ok(None),
        Ok(pb::StopReason::Cancelled) => Ok(Some(Stopped::Cancelled)),
        Ok(pb::StopReason::WorkLimit) => Ok(Some(Stopped::Exhausted)),
        Err(_) => need(None, "stop reason"),
    }
}

fn read_path_end(message: i32, stop_reason: i32) -> Result<Option<PathEnd>, Garbled> {
    Ok(match pb::PathEnd::try_from(message) {
        Ok(pb::PathEnd::Unspecified) => None,
        Ok(pb::PathEnd::Solved) => Some(PathEnd::Solved),
        Ok(pb::PathEnd::Stalled) => Some(PathEnd::Stalled),
        Ok(pb::PathEnd::Contradiction) => Some(PathEnd::Contradiction),
        Ok(pb::PathEnd::Stopped) => Some(PathEnd::Stopped(need(read_stopped(stop_reason)?, "stop reason")?)),
        Err(_) => return need(None, "path end"),
    })
}

fn read_grid(message: &pb::Grid) -> Result<Vec<Option<Digit>>, Garbled> {
    let read = |&value: &u32| match value {
        0 => Ok(None),
        value => need(u8::try_from(value).ok().and_then(Digit::new), "digit").map(Some),
    };
    message.digits.iter().map(read).collect()
}

/// A full grid.
pub fn read_solution(message: &pb::Grid) -> Result<Solution, Garbled> {
    let digits: Option<Vec<Digit>> = read_grid(message)?.into_iter().collect();
    need(digits, "solution").map(Solution::new)
}

/// A hint about this puzzle, with its explanation if it is a step.
pub fn read_hint(message: pb::HintResponse, puzzle: &Puzzle) -> Result<(Hint, String), Garbled> {
    let mut explanation = String::new();
    let advice = match need(message.advice, "advice")? {
        AdviceMessage::Correct(wrong) => {
            let entries = wrong.entries.iter().map(|entry| read_wrong(entry, puzzle));
            Advice::Correct(entries.collect::<Result<_, _>>()?)
        }
        AdviceMessage::Step(step) => {
            explanation.clone_from(&step.explanation);
            Advice::Step(read_step_of(&step, puzzle)?)
        }
        AdviceMessage::Fill(candidate) => {
            Advice::Fill { cell: read_cell(candidate.cell, puzzle)?, digit: read_digit(candidate.digit)? }
        }
        AdviceMessage::Done(_) => Advice::Done,
        AdviceMessage::Nothing(_) => Advice::Nothing,
    };
    let hint = Hint {
        verdict: read_verdict(&need(message.verdict, "verdict")?)?,
        nodes: message.nodes,
        advice,
        stopped: read_stopped(message.stop_reason)?,
    };
    Ok((hint, explanation))
}

/// A step as it is told to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToldStep {
    /// The step.
    pub step: Step,
    /// In short.
    pub explanation: String,
    /// Why it is so.
    pub lesson: String,
}

fn read_told_step(message: &pb::Step, puzzle: &Puzzle) -> Result<ToldStep, Garbled> {
    Ok(ToldStep {
        step: read_step_of(message, puzzle)?,
        explanation: message.explanation.clone(),
        lesson: message.lesson.clone(),
    })
}

/// Every step from a position, as far as they were listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepList {
    /// How many solutions the puzzle has.
    pub verdict: Verdict,
    /// What has to be taken back first.
    pub wrong: Vec<WrongEntry>,
    /// In table order.
    pub steps: Vec<ToldStep>,
    /// Whether these are all.
    pub complete: bool,
    /// The techniques that were not looked through to the end.
    pub unfinished: Vec<String>,
    /// Why the list was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// A list of steps from the parts of a stream.
pub fn read_step_list(events: Vec<ListEventMessage>, puzzle: &Puzzle) -> Result<StepList, Garbled> {
    let mut survey = None;
    let mut steps = Vec::new();
    let mut end = None;
    for event in events {
        match event {
            ListEventMessage::Survey(message) => survey = Some(message),
            ListEventMessage::Step(message) => steps.push(read_told_step(&message, puzzle)?),
            ListEventMessage::End(message) => end = Some(message),
        }
    }
    let (survey, end) = (need(survey, "survey")?, need(end, "end")?);
    let wrong = survey.wrong_entries.iter().map(|entry| read_wrong(entry, puzzle));
    let unfinished = end.techniques.into_iter().filter(|row| !row.complete).map(|row| row.technique);
    Ok(StepList {
        verdict: read_verdict(&need(survey.verdict, "verdict")?)?,
        wrong: wrong.collect::<Result<_, _>>()?,
        steps,
        complete: end.complete,
        unfinished: unfinished.collect(),
        stopped: read_stopped(end.stop_reason)?,
    })
}

/// What is to be said of a conclusion, its steps told.
pub fn read_proving(
    message: pb::ProveResponse,
    puzzle: &Puzzle,
) -> Result<(Proving, Vec<ToldStep>), Garbled> {
    let mut told = Vec::new();
    let mut steps_of = |proof: pb::ConclusionProof| -> Result<Vec<Step>, Garbled> {
        told = proof.steps.iter().map(|step| read_told_step(step, puzzle)).collect::<Result<_, _>>()?;
        Ok(told.iter().map(|told| told.step.clone()).collect())
    };
    let finding = match need(message.finding, "finding")? {
        FindingMessage::Correct(wrong) => {
            let entries = wrong.entries.iter().map(|entry| read_wrong(entry, puzzle));
            Finding::Correct(entries.collect::<Result<_, _>>()?)
        }
        FindingMessage::Known(_) => Finding::Known,
        FindingMessage::Proved(proof) => Finding::Proved(steps_of(proof)?),
        FindingMessage::Wrong(proof) => Finding::Wrong(steps_of(proof)?),
        FindingMessage::Undecided(_) => Finding::Undecided,
    };
    let proving = Proving {
        verdict: read_verdict(&need(message.verdict, "verdict")?)?,
        nodes: message.nodes,
        finding,
        stopped: read_stopped(message.stop_reason)?,
    };
    Ok((proving, told))
}

/// What a check found in this puzzle, which has no faults.
pub fn read_checked(message: pb::CheckResponse, puzzle: &Puzzle) -> Result<Checked, Garbled> {
    let wrong = message.wrong_entries.iter().map(|entry| read_wrong(entry, puzzle));
    Ok(Checked {
        verdict: read_verdict(&need(message.verdict, "verdict")?)?,
        nodes: message.nodes,
        solutions: message.solutions.iter().map(read_solution).collect::<Result<_, _>>()?,
        wrong: wrong.collect::<Result<_, _>>()?,
        stopped: read_stopped(message.stop_reason)?,
    })
}

/// The true candidates of this puzzle.
pub fn read_true_candidates(
    message: &pb::TrueCandidatesResponse,
    puzzle: &Puzzle,
) -> Result<TrueCandidates, Garbled> {
    let (cells, size) = (puzzle.cell_count(), puzzle.size());
    let is_sized = |len: usize, expected: usize| (len == expected).then_some(());
    need(is_sized(message.candidates.len(), cells), "candidates")?;
    let counts: Vec<u64> = if message.counts.is_empty() {
        let has = |bits: u32| (0..size).map(move |digit| u64::from(bits >> digit & 1));
        message.candidates.iter().flat_map(|&bits| has(bits)).collect()
    } else {
        message.counts.iter().map(|&count| count.into()).collect()
    };
    need(is_sized(counts.len(), cells * size), "counts")?;
    let mut undecided: Vec<DigitSet> =
        message.undecided.iter().map(|&bits| DigitSet::from_bits(bits) & puzzle.digits()).collect();
    undecided.resize(cells, DigitSet::EMPTY);
    Ok(TrueCandidates::new(counts, undecided, message.nodes, read_stopped(message.stop_reason)?))
}

fn read_wrong(message: &pb::WrongEntry, puzzle: &Puzzle) -> Result<WrongEntry, Garbled> {
    let cells: Vec<Cell> =
        message.cells.iter().map(|&cell| read_cell(cell, puzzle)).collect::<Result<_, _>>()?;
    let first = || need(cells.first().copied(), "cell");
    let digit = || read_digit(message.digit);
    Ok(match pb::WrongEntryKind::try_from(message.kind) {
        Ok(pb::WrongEntryKind::Clash) => {
            WrongEntry::Clash { cell: first()?, digit: digit()?, with: cells[1..].to_vec() }
        }
        Ok(pb::WrongEntryKind::Cage) => {
            let cage = message.cage.filter(|cage| (*cage as usize) < puzzle.cages().len());
            WrongEntry::Cage { cage: CageId(need(cage, "cage")? as u16) }
        }
        Ok(pb::WrongEntryKind::Restricted) => WrongEntry::Restricted { cell: first()?, digit: digit()? },
        Ok(pb::WrongEntryKind::Digit) => WrongEntry::Digit { cell: first()?, digit: digit()? },
        Ok(pb::WrongEntryKind::Candidate) => WrongEntry::Candidate { cell: first()?, digit: digit()? },
        Ok(pb::WrongEntryKind::Unspecified) | Err(_) => return need(None, "wrong entry"),
    })
}

fn read_cell(index: u32, puzzle: &Puzzle) -> Result<Cell, Garbled> {
    let index = Some(index as usize).filter(|index| *index < puzzle.cell_count());
    need(index, "cell").map(Cell::new)
}

fn read_digit(value: u32) -> Result<Digit, Garbled> {
    need(u8::try_from(value).ok().and_then(Digit::new), "digit")
}
