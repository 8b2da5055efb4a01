//! Help for players, answered at once: the next step, and a conclusion of their own put to the test.

use std::sync::Arc;

use tonic::{Response, Status};

use super::convert::job::read_language;
use super::convert::player::{read_position, write_wrong};
use super::convert::puzzle::read_input;
use super::convert::reader::Reader;
use super::convert::step::{read_conclusion, write_candidate, write_told_step};
use super::convert::words::{read_engine, write_stopped, write_verdict};
use super::proto as pb;
use super::proto::hint_response::Advice as AdviceMessage;
use super::proto::prove_response::Finding as FindingMessage;
use super::status::Refusal;
use crate::engine::check::WrongEntry;
use crate::engine::hint::{self, Advice, Hint};
use crate::engine::logic::Step;
use crate::engine::logic::explain::Language;
use crate::engine::prove::{self, Finding, Proving};
use crate::engine::survey::SurveyOptions;
use crate::jobs::{Jobs, Priority};
use crate::puzzle::{Fault, Faults, Position, Puzzle};

/// Where a player stands, and how help is wanted: what such calls have in common.
pub struct Player {
    /// Where.
    pub position: Position,
    /// In which language.
    pub language: Language,
    /// How the position is looked at.
    pub options: SurveyOptions,
}

/// The same as fields of a request.
pub struct PlayerFields {
    /// `puzzle`.
    pub puzzle: Option<pb::PuzzleInput>,
    /// `position`.
    pub position: Option<pb::PlayerPosition>,
    /// `language`.
    pub language: String,
    /// `engine`.
    pub engine: String,
    /// `assume_unique`.
    pub assume_unique: bool,
}

impl PlayerFields {
    /// Reads them; none with a fault.
    pub fn read(self, faults: &mut Faults) -> Option<Player> {
        let language = read_language(&self.language, "language", faults);
        let engine = read_engine(&self.engine, "engine", faults);
        let puzzle = read_input(self.puzzle, "puzzle", faults).map(Arc::new)?;
        let position = read_position(self.position.unwrap_or_default(), &puzzle, "position", faults);
        let options = SurveyOptions { engine: engine?, assume_unique: self.assume_unique };
        Some(Player { position: position?, language: language?, options })
    }
}

/// The next thing to tell a player.
pub async fn hint(jobs: &Jobs, message: pb::HintRequest) -> Result<Response<pb::HintResponse>, Status> {
    let mut faults = Faults::none();
    let fields = PlayerFields {
        puzzle: message.puzzle,
        position: message.position,
        language: message.language,
        engine: message.engine,
        assume_unique: message.assume_unique,
    };
    let player = fields.read(&mut faults);
    faults.into_result()?;
    let Some(Player { position, language, options }) = player else { return Err(Refusal::unread().into()) };
    let puzzle = position.puzzle().clone();
    let work = move |budget: &mut _| hint::hint(&position, &options, budget);
    let hint = jobs.compute(Priority::Interactive, None, work).await?.map_err(Refusal::from)?;
    Ok(Response::new(write_hint(&hint, &puzzle, language)))
}

fn write_hint(hint: &Hint, puzzle: &Puzzle, language: Language) -> pb::HintResponse {
    let advice = match &hint.advice {
        Advice::Correct(wrong) => AdviceMessage::Correct(write_wrong_entries(wrong, puzzle)),
        Advice::Step(step) => AdviceMessage::Step(write_told_step(step, puzzle, language, true)),
        Advice::Fill { cell, digit } => AdviceMessage::Fill(write_candidate(*cell, *digit)),
        Advice::Done => AdviceMessage::Done(pb::HintDone {}),
        Advice::Nothing => AdviceMessage::Nothing(pb::HintNothing {}),
    };
    pb::HintResponse {
        verdict: Some(write_verdict(hint.verdict)),
        advice: Some(advice),
        stop_reason: write_stopped(hint.stopped).into(),
        nodes: hint.nodes,
    }
}

/// Entries that are wrong.
pub fn write_wrong_entries(wrong: &[WrongEntry], puzzle: &Puzzle) -> pb::WrongEntries {
    pb::WrongEntries { entries: wrong.iter().map(|wrong| write_wrong(wrong, puzzle)).collect() }
}

/// A player's own conclusion put to the test.
pub async fn prove(jobs: &Jobs, message: pb::ProveRequest) -> Result<Response<pb::ProveResponse>, Status> {
    let mut faults = Faults::none();
    let fields = PlayerFields {
        puzzle: message.puzzle,
        position: message.position,
        language: message.language,
        engine: message.engine,
        assume_unique: message.assume_unique,
    };
    let player = fields.read(&mut faults);
    let conclusion = match (&message.conclusion, &player) {
        (None, _) => {
            faults.push(Fault::new("conclusion", "a placement or an elimination is needed"));
            None
        }
        (Some(conclusion), Some(player)) => Reader::new(player.position.puzzle(), &mut faults)
            .within("conclusion", |reader| read_conclusion(reader, conclusion)),
        (Some(_), None) => None,
    };
    faults.into_result()?;
    let (Some(Player { position, language, options }), Some(conclusion)) = (player, conclusion) else {
        return Err(Refusal::unread().into());
    };
    let puzzle = position.puzzle().clone();
    let work = move |budget: &mut _| prove::prove(&position, conclusion, options, budget);
    let proving = jobs.compute(Priority::Interactive, None, work).await?.map_err(Refusal::from)?;
    Ok(Response::new(write_proving(&proving, &puzzle, language)))
}

fn write_proving(proving: &Proving, puzzle: &Puzzle, language: Language) -> pb::ProveResponse {
    let told = |steps: &[Step]| pb::ConclusionProof {
        steps: steps.iter().map(|step| write_told_step(step, puzzle, language, true)).collect(),
    };
    let finding = match &proving.finding {
        Finding::Correct(wrong) => FindingMessage::Correct(write_wrong_entries(wrong, puzzle)),
        Finding::Known => FindingMessage::Known(pb::ConclusionKnown {}),
        Finding::Proved(steps) => FindingMessage::Proved(told(steps)),
        Finding::Wrong(steps) => FindingMessage::Wrong(told(steps)),
        Finding::Undecided => FindingMessage::Undecided(pb::ConclusionUndecided {}),
    };
    pb::ProveResponse {
        verdict: Some(write_verdict(proving.verdict)),
        finding: Some(finding),
        stop_reason: write_stopped(proving.stopped).into(),
        nodes: proving.nodes,
    }
}
