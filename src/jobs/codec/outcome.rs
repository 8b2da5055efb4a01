//! What came of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CodecError, VerdictText, read_body, read_puzzle, read_word, write_body};
use crate::engine::budget::Stopped;
use crate::engine::generate::{GenerateOutcome, Generated, Progress};
use crate::engine::logic::path::PathEnd;
use crate::engine::logic::{Level, Slug};
use crate::engine::rate::{RateOutcome, Rating};
use crate::engine::solve::SolveOutcome;
use crate::jobs::job::JobOutcome;
use crate::puzzle::{Digit, Solution, formats, notation};
use crate::store::Body;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeText {
    Solve(SolveText),
    Rate(RateText),
    Generate(GenerateText),
}

#[derive(Serialize, Deserialize)]
struct SolveText {
    verdict: Option<VerdictText>,
    nodes: u64,
    solutions: Vec<String>,
    steps: u64,
    path: Option<PathEndText>,
    grid: String,
    searched_cells: u32,
    stopped: Option<StoppedText>,
}

#[derive(Serialize, Deserialize)]
struct RateText {
    verdict: VerdictText,
    solution: Option<String>,
    rating: Option<RatingText>,
    stopped: Option<StoppedText>,
}

#[derive(Serialize, Deserialize)]
struct GenerateText {
    generated: Option<GeneratedText>,
    progress: ProgressText,
    stopped: Option<StoppedText>,
}

#[derive(Serialize, Deserialize)]
struct GeneratedText {
    puzzle: Value,
    solution: String,
    rating: RatingText,
    attempt: u32,
}

#[derive(Serialize, Deserialize)]
struct ProgressText {
    tried: u32,
    kept: u32,
    nearest: Option<String>,
    nearest_clues: Option<u32>,
}

#[derive(Serialize, Deserialize)]
struct RatingText {
    scale: String,
    version: u32,
    level: Option<String>,
    score: u32,
    hardest: Option<String>,
    counts: Vec<(String, u32)>,
    searched_cells: u32,
    /// Left out by versions that knew Sleuth's own scale alone.
    #[serde(default)]
    pearl: Option<u32>,
    #[serde(default)]
    diamond: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PathEndText {
    Solved,
    Stalled,
    Contradiction,
    Stopped(StoppedText),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoppedText {
    Cancelled,
    Exhausted,
}

impl From<Stopped> for StoppedText {
    fn from(stopped: Stopped) -> StoppedText {
        match stopped {
            Stopped::Cancelled => StoppedText::Cancelled,
            Stopped::Exhausted => StoppedText::Exhausted,
        }
    }
}

impl From<StoppedText> for Stopped {
    fn from(text: StoppedText) -> Stopped {
        match text {
            StoppedText::Cancelled => Stopped::Cancelled,
            StoppedText::Exhausted => Stopped::Exhausted,
        }
    }
}

/// Writes what came of a job.
pub fn write_outcome(outcome: &JobOutcome) -> Body {
    write_body(&match outcome {
        JobOutcome::Solve(solve) => OutcomeText::Solve(write_solve(solve)),
        JobOutcome::Rate(rate) => OutcomeText::Rate(RateText {
            verdict: rate.verdict.into(),
            solution: rate.solution.as_ref().map(Solution::to_line),
            rating: rate.rating.as_ref().map(write_rating),
            stopped: rate.stopped.map(StoppedText::from),
        }),
        JobOutcome::Generate(generate) => OutcomeText::Generate(GenerateText {
            generated: generate.generated.as_ref().map(write_generated),
            progress: write_progress(&generate.progress),
            stopped: generate.stopped.map(StoppedText::from),
        }),
    })
}

/// Reads it back.
pub fn read_outcome(body: &Body) -> Result<JobOutcome, CodecError> {
    Ok(match read_body(body)? {
        OutcomeText::Solve(solve) => JobOutcome::Solve(read_solve(solve)?),
        OutcomeText::Rate(rate) => JobOutcome::Rate(RateOutcome {
            verdict: rate.verdict.into(),
            solution: rate.solution.as_deref().map(read_solution).transpose()?,
            rating: rate.rating.map(read_rating).transpose()?,
            stopped: rate.stopped.map(Stopped::from),
        }),
        OutcomeText::Generate(generate) => JobOutcome::Generate(GenerateOutcome {
            generated: generate.generated.map(read_generated).transpose()?,
            progress: read_progress(generate.progress)?,
            stopped: generate.stopped.map(Stopped::from),
        }),
    })
}

fn write_solve(solve: &SolveOutcome) -> SolveText {
    SolveText {
        verdict: solve.verdict.map(VerdictText::from),
        nodes: solve.nodes,
        solutions: solve.solutions.iter().map(Solution::to_line).collect(),
        steps: solve.steps,
        path: solve.path.map(|end| match end {
            PathEnd::Solved => PathEndText::Solved,
            PathEnd::Stalled => PathEndText::Stalled,
            PathEnd::Contradiction => PathEndText::Contradiction,
            PathEnd::Stopped(stopped) => PathEndText::Stopped(stopped.into()),
        }),
        grid: notation::line(solve.grid.iter().copied()),
        searched_cells: solve.searched_cells,
        stopped: solve.stopped.map(StoppedText::from),
    }
}

fn read_solve(text: SolveText) -> Result<SolveOutcome, CodecError> {
    Ok(SolveOutcome {
        verdict: text.verdict.map(Into::into),
        nodes: text.nodes,
        solutions: text.solutions.iter().map(|line| read_solution(line)).collect::<Result<_, _>>()?,
        steps: text.steps,
        path: text.path.map(|end| match end {
            PathEndText::Solved => PathEnd::Solved,
            PathEndText::Stalled => PathEnd::Stalled,
            PathEndText::Contradiction => PathEnd::Contradiction,
            PathEndText::Stopped(stopped) => PathEnd::Stopped(stopped.into()),
        }),
        grid: read_grid(&text.grid)?,
        searched_cells: text.searched_cells,
        stopped: text.stopped.map(Stopped::from),
    })
}

fn read_grid(text: &str) -> Result<Vec<Option<Digit>>, CodecError> {
    let read = |symbol| match symbol {
        '.' => Ok(None),
        symbol => read_word(&symbol.to_string(), |_| Digit::from_symbol(symbol)).map(Some),
    };
    text.chars().map(read).collect()
}

fn read_solution(text: &str) -> Result<Solution, CodecError> {
    read_word(text, Solution::parse)
}

fn write_rating(rating: &Rating) -> RatingText {
    RatingText {
        scale: rating.scale.clone(),
        version: rating.version,
        level: rating.level.map(|level| level.word().to_owned()),
        score: rating.score,
        hardest: rating.hardest.as_ref().map(Slug::to_string),
        counts: rating.counts.iter().map(|(slug, count)| (slug.to_string(), *count)).collect(),
        searched_cells: rating.searched_cells,
        pearl: rating.pearl,
        diamond: rating.diamond,
    }
}

fn read_rating(text: RatingText) -> Result<Rating, CodecError> {
    Ok(Rating {
        scale: text.scale,
        version: text.version,
        level: text.level.map(|level| read_word(&level, Level::from_word)).transpose()?,
        score: text.score,
        hardest: text.hardest.map(Slug::read),
        counts: text.counts.into_iter().map(|(slug, count)| (Slug::read(slug), count)).collect(),
        searched_cells: text.searched_cells,
        pearl: text.pearl,
        diamond: text.diamond,
    })
}

fn write_generated(generated: &Generated) -> GeneratedText {
    GeneratedText {
        puzzle: formats::json::to_json(&generated.puzzle),
        solution: generated.solution.to_line(),
        rating: write_rating(&generated.rating),
        attempt: generated.attempt,
    }
}

fn read_generated(text: GeneratedText) -> Result<Generated, CodecError> {
    Ok(Generated {
        puzzle: read_puzzle(&text.puzzle)?,
        solution: read_solution(&text.solution)?,
        rating: read_rating(text.rating)?,
        attempt: text.attempt,
    })
}

fn write_progress(progress: &Progress) -> ProgressText {
    ProgressText {
        tried: progress.tried,
        kept: progress.kept,
        nearest: progress.nearest.map(|level| level.word().to_owned()),
        nearest_clues: progress.nearest_clues,
    }
}

fn read_progress(text: ProgressText) -> Result<Progress, CodecError> {
    Ok(Progress {
        tried: text.tried,
        kept: text.kept,
        nearest: text.nearest.map(|word| read_word(&word, Level::from_word)).transpose()?,
        nearest_clues: text.nearest_clues,
    })
}
