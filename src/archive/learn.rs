//! What the archive learns from the end of a job.

use crate::engine::generate::Generated;
use crate::engine::logic::Slug;
use crate::engine::rate::{RateOutcome, Rating, Scale};
use crate::engine::search::Verdict;
use crate::engine::solve::SolveOutcome;
use crate::puzzle::{Puzzle, Solution, formats, notation};
use crate::store::{NewPuzzle, Provenance, RatingColumns};

/// From a solve.
pub fn from_solve(puzzle: &Puzzle, outcome: &SolveOutcome) -> NewPuzzle {
    let only = outcome.solutions.first().filter(|_| outcome.verdict == Some(Verdict::One));
    NewPuzzle {
        solutions: outcome.verdict.and_then(count),
        solution: only.map(Solution::to_line),
        ..unknown(puzzle, Provenance::Solved)
    }
}

/// From a rating.
pub fn from_rate(puzzle: &Puzzle, outcome: &RateOutcome) -> NewPuzzle {
    NewPuzzle {
        solutions: count(outcome.verdict),
        solution: outcome.solution.as_ref().map(Solution::to_line),
        rating: outcome.rating.as_ref().and_then(columns),
        ..unknown(puzzle, Provenance::Rated)
    }
}

/// From a generation that made one.
pub fn from_generated(generated: &Generated) -> NewPuzzle {
    NewPuzzle {
        solutions: count(Verdict::One),
        solution: Some(generated.solution.to_line()),
        rating: columns(&generated.rating),
        ..unknown(&generated.puzzle, Provenance::Generated)
    }
}

fn unknown(puzzle: &Puzzle, provenance: Provenance) -> NewPuzzle {
    NewPuzzle {
        text: formats::json::to_line(puzzle),
        kind: puzzle.kind().to_owned(),
        size: puzzle.size() as u32,
        givens: notation::line(puzzle.givens().iter().copied()),
        solutions: None,
        solution: None,
        rating: None,
        provenance,
    }
}

/// How many solutions were counted, and whether those are all.
fn count(verdict: Verdict) -> Option<(u64, bool)> {
    match verdict {
        Verdict::None => Some((0, true)),
        Verdict::One => Some((1, true)),
        Verdict::Several { count, complete } => Some((count, complete)),
        Verdict::GaveUp { .. } => None,
    }
}

/// The archive keeps ratings on Sleuth's own scale alone: by these it is searched.
fn columns(rating: &Rating) -> Option<RatingColumns> {
    let level = rating.level.filter(|_| rating.scale == Scale::Sleuth.name())?;
    let techniques: Vec<String> =
        rating.counts.iter().map(|(slug, count)| format!("{slug}:{count}")).collect();
    Some(RatingColumns {
        scale: rating.scale.clone(),
        version: rating.version,
        level: level.word().to_owned(),
        score: rating.score,
        hardest: rating.hardest.as_ref().map(Slug::to_string),
        techniques: techniques.join(" "),
        searched_cells: rating.searched_cells,
    })
}
