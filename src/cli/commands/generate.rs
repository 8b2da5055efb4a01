//! `sleuth generate`: a puzzle to order.

use std::hash::{BuildHasher, Hasher};
use std::io::{IsTerminal, Write};
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::{leave, print, print_json};
use crate::cli::args::GenerateArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::render::{self, Paint};
use crate::cli::report::GenerateReport;
use crate::cli::{local, remote, source};
use crate::engine::generate::{GenerateOutcome, Progress, Recipe, Symmetry};
use crate::engine::logic::Level;
use crate::jobs::JobSpec;
use crate::puzzle::{BoxShape, Digit, Fault, Faults, Layout};

/// Makes a puzzle.
pub fn run(arguments: &GenerateArguments) -> Result<Outcome, Failure> {
    let recipe = recipe(arguments)?;
    if arguments.limits.detach {
        let spec = JobSpec::Generate { recipe };
        return leave(&arguments.place, &spec, &arguments.limits, arguments.output);
    }
    let mut each = |progress: &Progress| show(progress, recipe.attempts);
    let outcome = if arguments.place.local {
        local::run_generate(&recipe, &arguments.limits, &mut each)
    } else {
        remote::run_generate(&arguments.place.server, &recipe, &arguments.limits, &mut each)?
    };
    clear();
    if arguments.output.json {
        let text = outcome.generated.as_ref().map(|made| source::shortest(&made.puzzle));
        print_json(&GenerateReport::new(&outcome, Some(recipe.seed), text))?;
    } else {
        print(&answer(&outcome, &recipe))?;
    }
    Ok(match (&outcome.generated, outcome.stopped) {
        (Some(_), _) => Outcome::Yes,
        (None, Some(_)) => Outcome::Undecided,
        (None, None) => Outcome::No,
    })
}

/// The recipe, or every fault in it.
fn recipe(arguments: &GenerateArguments) -> Result<Recipe, Failure> {
    let mut faults = Faults::none();
    let shape = usize::try_from(arguments.size)
        .ok()
        .filter(|size| *size <= Digit::MAX as usize)
        .and_then(BoxShape::of_size);
    if shape.is_none() {
        let message = format!("puzzles are made of size 4, 6 and 9, not {}", arguments.size);
        faults.push(Fault::new("size", message));
    }
    let layout = Layout::boxed(shape.unwrap_or(BoxShape { rows: 3, columns: 3 }));
    let mut recipe = Recipe::any(layout, arguments.seed.unwrap_or_else(new_seed));
    match Symmetry::from_word(&arguments.symmetry) {
        Some(symmetry) => recipe.symmetry = symmetry,
        None => {
            let words: Vec<&str> = Symmetry::ALL.iter().map(|symmetry| symmetry.word()).collect();
            let message = format!("`{}` is none of {}", arguments.symmetry, words.join(", "));
            faults.push(Fault::new("symmetry", message));
        }
    }
    if let Some(text) = &arguments.level {
        match range(text, Level::from_word) {
            Some(levels) => recipe.levels = levels,
            None => {
                let words: Vec<&str> = Level::ALL.iter().map(|level| level.word()).collect();
                let message = format!("`{text}` is no level or range of levels: {}", words.join(", "));
                faults.push(Fault::new("level", message));
            }
        }
    }
    if let Some(text) = &arguments.clues {
        match range(text, |part| u32::from_str(part).ok()) {
            Some(clues) => recipe.clues = clues,
            None => faults.push(Fault::new("clues", format!("`{text}` is no number or range as in 22..28"))),
        }
    }
    if let Some(attempts) = arguments.attempts {
        recipe.attempts = attempts;
    }
    match recipe.check() {
        Ok(recipe) => {
            faults.into_result()?;
            Ok(recipe)
        }
        // Without a size there is a board of no one's choice, and nothing to say of it.
        Err(_) if shape.is_none() => Err(faults.into()),
        Err(found) => {
            found.list.into_iter().for_each(|fault| faults.push(fault));
            faults.more += found.more;
            Err(faults.into())
        }
    }
}

/// `easy`, or `easy..hard`, both ends included.
fn range<T: Copy>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<RangeInclusive<T>> {
    match text.split_once("..") {
        None => read(text).map(|value| value..=value),
        Some((from, to)) => Some(read(from)?..=read(to)?),
    }
}

/// A seed that was not used before, small enough for any reader of JSON.
fn new_seed() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 11
}

/// Progress on standard error, where a person is watching.
fn show(progress: &Progress, attempts: u32) {
    if progress.tried.is_multiple_of(20) && std::io::stderr().is_terminal() {
        let nearest = progress.nearest.map_or("none yet", Level::word);
        // A terminal that cannot be written to costs the progress, not the puzzle.
        let _ =
            write!(std::io::stderr(), "\r\x1b[K{} of {attempts} tried, nearest: {nearest}", progress.tried);
    }
}

fn clear() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

fn answer(outcome: &GenerateOutcome, recipe: &Recipe) -> String {
    let Some(made) = &outcome.generated else {
        let progress = &outcome.progress;
        let clues = progress.nearest_clues.map_or("none".to_owned(), |clues| clues.to_string());
        return format!(
            "the recipe was not met: {} grids tried, nearest level {}, nearest number of clues {clues}, seed {}\n",
            progress.tried,
            progress.nearest.map_or("none", Level::word),
            recipe.seed
        );
    };
    let board = render::digits(&made.puzzle, made.puzzle.givens(), Paint::of_stdout());
    format!(
        "{board}{}\n{} clues, {}, score {}, seed {}\n",
        source::shortest(&made.puzzle),
        made.puzzle.givens().iter().flatten().count(),
        made.level(),
        made.rating.score,
        recipe.seed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends() {
        assert_eq!(range("easy..hard", Level::from_word), Some(Level::Easy..=Level::Hard));
        assert_eq!(range("24", |part| u32::from_str(part).ok()), Some(24..=24));
        for text in ["", "..", "easy..", "hard-easy", "easy..x"] {
            assert_eq!(range(text, Level::from_word), None, "{text}");
        }
    }
}
