//! What a job is asked to do, and how it is to be treated.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::puzzle::{push_under, read_input, write_puzzle};
use super::words::{
    read_engine, read_level, read_mode, read_or, read_scale, read_symmetry, shorten, write_level, write_mode,
    write_symmetry,
};
use crate::api::proto as pb;
use crate::api::proto::job_spec::Kind;
use crate::engine::generate::{Recipe, Symmetry};
use crate::engine::logic::Level;
use crate::engine::solve::{Mode, SolveOptions};
use crate::jobs::{ClientId, JobSpec, Priority, Submission};
use crate::puzzle::{BoxShape, Fault, Faults, Layout, Puzzle, Regions};

/// The longest time limit of a job.
const MAX_TIME_LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);
/// How far ahead a job may be scheduled: far less than any clock is wrong.
const MAX_AHEAD: Duration = Duration::from_secs(366 * 24 * 3600);
/// The longest request id.
const MAX_REQUEST_ID: usize = 64;

/// A request for a job as it came: every call that makes one has these parts.
pub struct Request {
    /// What is to be done.
    pub kind: Option<Kind>,
    /// Under which field faults of it are named: empty for requests that hold its parts themselves.
    pub field: &'static str,
    /// How it is treated.
    pub options: Option<pb::JobOptions>,
    /// Under which field faults of that are named.
    pub options_field: &'static str,
    /// It goes on when nobody follows it.
    pub detached: bool,
    /// Its priority unless it says another.
    pub priority: Priority,
}

impl Request {
    /// The submission, or none and every fault.
    pub fn read(self, client: ClientId, faults: &mut Faults) -> Option<Submission> {
        let options = self.options.unwrap_or_default();
        let field = |part: &str| join(self.options_field, part);
        let request_id = read_request_id(&options.request_id, &field("request_id"), faults);
        let time_limit = read_time_limit(options.time_limit, &field("time_limit"), faults);
        let due = read_start_time(options.start_time, &field("start_time"), faults);
        let priority = read_or(options.priority, self.priority, read_priority, &field("priority"), faults);
        let Some(kind) = self.kind else {
            faults.push(Fault::new(self.field, "one of `solve`, `rate` and `generate` is needed"));
            return None;
        };
        let spec = read_spec(kind, self.field, &options.request_id, faults);
        Some(Submission {
            request_id,
            priority: priority?,
            time_limit,
            due,
            detached: self.detached,
            keep_trace: !options.discard_trace,
            work: Some(options.work_limit).filter(|limit| *limit > 0),
            ..Submission::new(client, spec?)
        })
    }
}

fn join(field: &str, part: &str) -> String {
    if field.is_empty() { part.to_owned() } else { format!("{field}.{part}") }
}

fn read_request_id(id: &str, field: &str, faults: &mut Faults) -> Option<String> {
    if id.len() > MAX_REQUEST_ID || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message =
            format!("`{}` is not of at most {MAX_REQUEST_ID} printable ASCII characters", shorten(id));
        faults.push(Fault::new(field, message));
    }
    Some(id.to_owned()).filter(|id| !id.is_empty())
}

fn read_time_limit(
    limit: Option<prost_types::Duration>,
    field: &str,
    faults: &mut Faults,
) -> Option<Duration> {
    let limit = limit?;
    let is_whole = (0..1_000_000_000).contains(&limit.nanos);
    let read = Duration::try_from(limit);
    match read {
        Ok(limit) if is_whole && limit >= Duration::from_millis(1) && limit <= MAX_TIME_LIMIT => Some(limit),
        Ok(_) | Err(_) => {
            faults.push(Fault::new(field, "a time limit is from 1 ms to 7 days"));
            None
        }
    }
}

fn read_start_time(
    time: Option<prost_types::Timestamp>,
    field: &str,
    faults: &mut Faults,
) -> Option<SystemTime> {
    let time = SystemTime::try_from(time?).ok().filter(|time| *time >= UNIX_EPOCH);
    let limit = SystemTime::now() + MAX_AHEAD;
    if time.is_none_or(|time| time > limit) {
        faults.push(Fault::new(field, "a start time is at most 366 days ahead, and not before 1970"));
    }
    time
}

fn read_priority(message: i32) -> Option<Priority> {
    match pb::Priority::try_from(message) {
        Ok(pb::Priority::Interactive) => Some(Priority::Interactive),
        Ok(pb::Priority::Normal) => Some(Priority::Normal),
        Ok(pb::Priority::Bulk) => Some(Priority::Bulk),
        Ok(pb::Priority::Unspecified) | Err(_) => None,
    }
}

/// The message's word for a priority.
pub fn write_priority(priority: Priority) -> pb::Priority {
    match priority {
        Priority::Interactive => pb::Priority::Interactive,
        Priority::Normal => pb::Priority::Normal,
        Priority::Bulk => pb::Priority::Bulk,
    }
}

fn read_spec(kind: Kind, field: &str, request_id: &str, faults: &mut Faults) -> Option<JobSpec> {
    // requests that hold the parts themselves name them as the specification does, but for the recipe
    let within = |word: &str| if field.is_empty() { String::new() } else { join(field, word) };
    match kind {
        Kind::Solve(spec) => {
            let field = within("solve");
            let puzzle = read_input(spec.puzzle, &join(&field, "puzzle"), faults);
            let options =
                read_solve_options(spec.options.unwrap_or_default(), &join(&field, "options"), faults);
            Some(JobSpec::Solve { puzzle: Arc::new(puzzle?), options: options? })
        }
        Kind::Rate(spec) => {
            let field = within("rate");
            let puzzle = read_input(spec.puzzle, &join(&field, "puzzle"), faults);
            let scale = read_scale(&spec.scale, &join(&field, "scale"), faults);
            Some(JobSpec::Rate { puzzle: Arc::new(puzzle?), scale: scale? })
        }
        Kind::Generate(spec) => {
            let field = if field.is_empty() { "recipe".to_owned() } else { within("generate") };
            read_recipe(spec, &field, request_id, faults).map(|recipe| JobSpec::Generate { recipe })
        }
    }
}

fn read_solve_options(message: pb::SolveOptions, field: &str, faults: &mut Faults) -> Option<SolveOptions> {
    let mode = read_or(message.mode, Mode::default(), read_mode, &join(field, "mode"), faults);
    let engine = read_engine(&message.engine, &join(field, "engine"), faults);
    Some(SolveOptions {
        mode: mode?,
        engine: engine?,
        limit: message.solution_limit.max(2),
        assume_unique: message.assume_unique,
    })
}

fn read_recipe(spec: pb::GenerateSpec, field: &str, request_id: &str, faults: &mut Faults) -> Option<Recipe> {
    let symmetry = read_or(spec.symmetry, Symmetry::None, read_symmetry, &join(field, "symmetry"), faults);
    let from = read_or(spec.min_level, Level::Easy, read_level, &join(field, "min_level"), faults);
    let to = read_or(spec.max_level, Level::Extreme, read_level, &join(field, "max_level"), faults);
    let seed = spec.seed.unwrap_or_else(|| draw_seed(request_id));
    let mut recipe = Recipe::any(read_board(&spec), seed);
    recipe.clues = spec.min_clues..=if spec.max_clues == 0 { *recipe.clues.end() } else { spec.max_clues };
    if spec.attempts != 0 {
        recipe.attempts = spec.attempts;
    }
    recipe.symmetry = symmetry?;
    recipe.levels = from?..=to?;
    match recipe.check() {
        Ok(recipe) => Some(recipe),
        Err(found) => {
            push_under(field, found, faults);
            None
        }
    }
}

/// The board as it was asked for, to be checked with the rest of the recipe.
fn read_board(spec: &pb::GenerateSpec) -> Layout {
    let side = |side: u32| u8::try_from(side).unwrap_or(u8::MAX);
    let shape = match (spec.boxes, spec.size) {
        (Some(boxes), _) => Some(BoxShape { rows: side(boxes.rows), columns: side(boxes.columns) }),
        (None, 0) => BoxShape::of_size(9),
        (None, size) => BoxShape::of_size(size.min(1000) as usize),
    };
    let size = match (spec.size, shape) {
        (0, Some(shape)) => shape.area(),
        (size, _) => size as usize,
    };
    Layout { regions: shape.map_or(Regions::None, Regions::Boxes), ..Layout::latin(size) }
}

/// FNV-1a of the request id, so that a repeated request is the same, or a number that nobody knows beforehand.
fn draw_seed(request_id: &str) -> u64 {
    if request_id.is_empty() {
        return RandomState::new().build_hasher().finish();
    }
    request_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// What a job was asked to do.
pub fn write_spec(spec: &JobSpec) -> pb::JobSpec {
    let kind = match spec {
        JobSpec::Solve { puzzle, options } => Kind::Solve(pb::SolveSpec {
            puzzle: Some(write_input(puzzle)),
            options: Some(write_options(options)),
        }),
        JobSpec::Rate { puzzle, scale } => {
            Kind::Rate(pb::RateSpec { puzzle: Some(write_input(puzzle)), scale: scale.name().to_owned() })
        }
        JobSpec::Generate { recipe } => Kind::Generate(write_recipe(recipe)),
    };
    pb::JobSpec { kind: Some(kind) }
}

fn write_input(puzzle: &Puzzle) -> pb::PuzzleInput {
    let source = pb::puzzle_input::Source::Puzzle(write_puzzle(puzzle, true));
    pb::PuzzleInput { source: Some(source), format: String::new() }
}

fn write_options(options: &SolveOptions) -> pb::SolveOptions {
    pb::SolveOptions {
        mode: write_mode(options.mode).into(),
        engine: options.engine.search().name().to_owned(),
        solution_limit: options.limit,
        assume_unique: options.assume_unique,
    }
}

fn write_recipe(recipe: &Recipe) -> pb::GenerateSpec {
    let boxes = match recipe.layout.regions {
        Regions::Boxes(shape) => {
            Some(pb::BoxShape { rows: shape.rows.into(), columns: shape.columns.into() })
        }
        Regions::None | Regions::Jigsaw(_) => None,
    };
    pb::GenerateSpec {
        size: recipe.layout.size as u32,
        boxes,
        symmetry: write_symmetry(recipe.symmetry).into(),
        min_level: write_level(*recipe.levels.start()).into(),
        max_level: write_level(*recipe.levels.end()).into(),
        min_clues: *recipe.clues.start(),
        max_clues: *recipe.clues.end(),
        seed: Some(recipe.seed),
        attempts: recipe.attempts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: Option<Kind>, options: pb::JobOptions) -> Request {
        Request {
            kind,
            field: "spec",
            options: Some(options),
            options_field: "options",
            detached: false,
            priority: Priority::Normal,
        }
    }

    fn read(kind: Kind, options: pb::JobOptions) -> Result<Submission, Faults> {
        let mut faults = Faults::none();
        let submission = request(Some(kind), options).read(ClientId("local".into()), &mut faults);
        faults.into_result()?;
        Ok(submission.expect("no submission, and no fault"))
    }

    #[test]
    fn every_fault_of_everything() {
        let kind = Kind::Solve(pb::SolveSpec {
            puzzle: None,
            options: Some(pb::SolveOptions { mode: 9, engine: "warp".to_owned(), ..Default::default() }),
        });
        let options = pb::JobOptions {
            request_id: "a b".to_owned(),
            time_limit: Some(prost_types::Duration { seconds: -1, nanos: 0 }),
            priority: 9,
            ..Default::default()
        };
        let faults = read(kind, options).expect_err("faults");
        let fields: Vec<&str> = faults.list.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "options.request_id",
                "options.time_limit",
                "options.priority",
                "spec.solve.puzzle",
                "spec.solve.options.mode",
                "spec.solve.options.engine",
            ]
        );
    }

    #[test]
    fn recipes_round_trip_and_repeat() {
        let options = || pb::JobOptions { request_id: "again".to_owned(), ..Default::default() };
        let spec = pb::GenerateSpec { size: 6, min_level: 2, max_clues: 20, ..Default::default() };
        let first = read(Kind::Generate(spec), options()).expect("a recipe").spec;
        let second = read(Kind::Generate(spec), options()).expect("a recipe").spec;
        assert_eq!(first, second, "the seed follows from the request id");
        let Some(Kind::Generate(message)) = write_spec(&first).kind else { panic!("a recipe") };
        assert_eq!(read(Kind::Generate(message), options()).expect("the same").spec, first);
    }

    #[test]
    fn boards_that_are_not_made() {
        for (size, boxes) in [(5, None), (u32::MAX, None), (9, Some((2, 2))), (0, Some((u32::MAX, 3)))] {
            let boxes = boxes.map(|(rows, columns)| pb::BoxShape { rows, columns });
            let spec = pb::GenerateSpec { size, boxes, ..Default::default() };
            let faults = read(Kind::Generate(spec), Default::default()).expect_err("no such board");
            assert!(faults.list[0].field.starts_with("spec.generate."), "{faults}");
        }
    }

    #[test]
    fn nothing_to_do() {
        let mut faults = Faults::none();
        let submission = request(None, Default::default()).read(ClientId("local".into()), &mut faults);
        assert!(submission.is_none());
        assert_eq!(faults.list[0].field, "spec");
    }
}
