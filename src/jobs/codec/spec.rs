//! What was asked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CodecError, read_body, read_puzzle, read_word, write_body};
use crate::engine::generate::{Recipe, Symmetry};
use crate::engine::logic::Level;
use crate::engine::rate::Scale;
use crate::engine::search::Engine;
use crate::engine::solve::{Mode, SolveOptions};
use crate::jobs::job::JobSpec;
use crate::puzzle::{BoxShape, Layout, Regions, formats};
use crate::store::Body;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SpecText {
    Solve {
        puzzle: Value,
        options: OptionsText,
    },
    Rate {
        puzzle: Value,
        /// Left out by versions that knew Sleuth's own alone.
        #[serde(default)]
        scale: Option<String>,
    },
    Generate {
        recipe: RecipeText,
    },
}

#[derive(Serialize, Deserialize)]
struct OptionsText {
    mode: String,
    engine: String,
    limit: u64,
    assume_unique: bool,
}

#[derive(Serialize, Deserialize)]
struct RecipeText {
    size: usize,
    /// Rows and columns of the boxes; none where there are no boxes.
    boxes: Option<(u8, u8)>,
    symmetry: String,
    levels: (String, String),
    clues: (u32, u32),
    seed: u64,
    attempts: u32,
}

const MODES: [(Mode, &str); 3] =
    [(Mode::Full, "full"), (Mode::LogicOnly, "logic"), (Mode::SearchOnly, "search")];

/// Writes what was asked.
pub fn write_spec(spec: &JobSpec) -> Body {
    match spec {
        // what is asked most is put together from texts, which takes a fifth of the time of a value
        JobSpec::Solve { puzzle, options } => {
            let options = write_body(&write_options(options)).text;
            let text =
                format!(r#"{{"solve":{{"puzzle":{},"options":{options}}}}}"#, formats::json::to_line(puzzle));
            Body { version: Body::VERSION, text }
        }
        JobSpec::Rate { puzzle, scale } => write_body(&SpecText::Rate {
            puzzle: formats::json::to_json(puzzle),
            scale: Some(scale.name().to_owned()),
        }),
        JobSpec::Generate { recipe } => write_body(&SpecText::Generate { recipe: write_recipe(recipe) }),
    }
}

/// Reads it back.
pub fn read_spec(body: &Body) -> Result<JobSpec, CodecError> {
    Ok(match read_body(body)? {
        SpecText::Solve { puzzle, options } => {
            JobSpec::Solve { puzzle: Arc::new(read_puzzle(&puzzle)?), options: read_options(options)? }
        }
        SpecText::Rate { puzzle, scale } => JobSpec::Rate {
            puzzle: Arc::new(read_puzzle(&puzzle)?),
            scale: match scale {
                None => Scale::Sleuth,
                Some(name) => read_word(&name, Scale::from_name)?,
            },
        },
        SpecText::Generate { recipe } => JobSpec::Generate { recipe: read_recipe(recipe)? },
    })
}

fn write_options(options: &SolveOptions) -> OptionsText {
    let word = MODES.iter().find(|(mode, _)| *mode == options.mode).map(|(_, word)| *word);
    OptionsText {
        mode: word.expect("every mode has a word").to_owned(),
        engine: options.engine.search().name().to_owned(),
        limit: options.limit,
        assume_unique: options.assume_unique,
    }
}

fn read_options(text: OptionsText) -> Result<SolveOptions, CodecError> {
    let mode = |word: &str| MODES.iter().find(|(_, other)| *other == word).map(|(mode, _)| *mode);
    Ok(SolveOptions {
        mode: read_word(&text.mode, mode)?,
        engine: read_word(&text.engine, Engine::from_name)?,
        limit: text.limit,
        assume_unique: text.assume_unique,
    })
}

fn write_recipe(recipe: &Recipe) -> RecipeText {
    let boxes = match recipe.layout.regions {
        Regions::Boxes(shape) => Some((shape.rows, shape.columns)),
        Regions::None | Regions::Jigsaw(_) => None,
    };
    RecipeText {
        size: recipe.layout.size,
        boxes,
        symmetry: recipe.symmetry.word().to_owned(),
        levels: (recipe.levels.start().word().to_owned(), recipe.levels.end().word().to_owned()),
        clues: (*recipe.clues.start(), *recipe.clues.end()),
        seed: recipe.seed,
        attempts: recipe.attempts,
    }
}

fn read_recipe(text: RecipeText) -> Result<Recipe, CodecError> {
    let layout = match text.boxes {
        Some((rows, columns)) => Layout::boxed(BoxShape { rows, columns }),
        None => Layout::latin(text.size),
    };
    let recipe = Recipe {
        layout,
        symmetry: read_word(&text.symmetry, Symmetry::from_word)?,
        levels: read_word(&text.levels.0, Level::from_word)?..=read_word(&text.levels.1, Level::from_word)?,
        clues: text.clues.0..=text.clues.1,
        seed: text.seed,
        attempts: text.attempts,
    };
    recipe.check().map_err(CodecError::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solve_put_together_is_one_written_as_a_value() {
        let board = formats::json::from_str(
            r#"{"size": 4, "boxes": "2x2", "givens": "1...............", "windows": false}"#,
        );
        let puzzle = Arc::new(board.expect("readable").check().expect("a puzzle"));
        let options = SolveOptions { mode: Mode::SearchOnly, limit: 7, ..SolveOptions::default() };
        let text =
            SpecText::Solve { puzzle: formats::json::to_json(&puzzle), options: write_options(&options) };
        let spec = JobSpec::Solve { puzzle, options };
        assert_eq!(write_spec(&spec), write_body(&text));
        assert_eq!(read_spec(&write_spec(&spec)), Ok(spec));
    }
}
