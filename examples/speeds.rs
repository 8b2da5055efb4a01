//! How fast puzzles are explained, rated and checked, in turns with other programs:
//!
//! ```text
//! cargo run --release --example speeds -- [--passes N] [--peer NAME=COMMAND]...
//!     [--explainer-peer NAME=COMMAND]... [FILE]...
//! ```
//!
//! Of each file the first 81 characters of a line are a puzzle; puzzles that singles solve are always among what is
//! measured. A peer is a program that speaks the protocol of `bench::peer`, with "rated" for "has one solution"; it
//! takes its turns with ours on every set, the second kind with the Explainer's scale. Times are processor time of
//! the one thread that works, from the text of a puzzle on, and medians of all passes. One pass before them warms up.
//! The heap is the daemon's.

use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mimalloc::MiMalloc;
use sleuth::bench::clock::timed;
use sleuth::bench::line::Line;
use sleuth::bench::peer::Peer;
use sleuth::bench::{BenchError, Contender, Made, PuzzleSet, Tally, turns};
use sleuth::engine::budget::Budget;
use sleuth::engine::logic::path::{Facts, PathEnd, deduce};
use sleuth::engine::logic::verify::{NodeCap, verify};
use sleuth::engine::logic::{Level, Step};
use sleuth::engine::rate::{Scale, is_within};
use sleuth::puzzle::formats::{self, Format};
use sleuth::puzzle::{Position, Puzzle};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

type Fault = Box<dyn Error>;

/// Puzzles that singles solve, faces of the built-in ones.
const EASY_PUZZLES: usize = 2_000;

/// How long a peer may take for one set.
const PATIENCE: Duration = Duration::from_secs(3_600);

const UNIQUE: Facts = Facts { unique: true };

fn main() -> Result<(), Fault> {
    let options = Options::read(std::env::args().skip(1).collect())?;
    let mut sets = vec![easy_puzzles()?];
    for file in &options.files {
        sets.push(PuzzleSet::read(Path::new(file))?);
    }
    let mut path: Vec<Box<dyn Contender>> =
        vec![Box::new(FullPath), Box::new(Ratings(Scale::Sleuth)), Box::new(Ratings(Scale::Hodoku))];
    let mut explainer: Vec<Box<dyn Contender>> = vec![Box::new(Ratings(Scale::Explainer))];
    for (contenders, peers) in [(&mut path, &options.peers), (&mut explainer, &options.explainer_peers)] {
        for (name, command) in peers {
            contenders.push(Box::new(Peer::start(name, command, PATIENCE)?));
        }
    }
    for set in &sets {
        println!("{}: {} puzzles", set.name, set.lines.len());
        for contenders in [&mut path, &mut explainer] {
            turns::solve(set, 1, contenders)?;
            for row in turns::solve(set, options.passes, contenders)? {
                let speed = row.puzzles as f64 / row.time.as_secs_f64();
                println!("  {:<20} {speed:>10.0} a second, first is {:>7.1}x", row.name, row.first_is_faster);
            }
        }
        print_checker(set)?;
    }
    Ok(())
}

/// What was asked for.
struct Options {
    passes: usize,
    peers: Vec<(String, String)>,
    explainer_peers: Vec<(String, String)>,
    files: Vec<String>,
}

impl Options {
    fn read(mut words: VecDeque<String>) -> Result<Options, Fault> {
        let mut options =
            Options { passes: 5, peers: Vec::new(), explainer_peers: Vec::new(), files: Vec::new() };
        while let Some(word) = words.pop_front() {
            if !word.starts_with("--") {
                options.files.push(word);
                continue;
            }
            let value = words.pop_front().ok_or_else(|| format!("{word} needs a value"))?;
            let peer = || value.split_once('=').map(|(name, command)| (name.to_owned(), command.to_owned()));
            let peer = || peer().ok_or_else(|| format!("{word} needs NAME=COMMAND, not `{value}`"));
            match &*word {
                "--passes" => options.passes = value.parse()?,
                "--peer" => options.peers.push(peer()?),
                "--explainer-peer" => options.explainer_peers.push(peer()?),
                _ => return Err(format!("there is no option {word}").into()),
            }
        }
        Ok(options)
    }
}

fn read(line: &Line) -> Arc<Puzzle> {
    let text = String::from_utf8_lossy(line);
    Arc::new(formats::read_as(Format::Line, &text).unwrap_or_else(|faults| panic!("{text}: {faults}")))
}

/// Those of the built-in sets that singles solve, under many faces.
fn easy_puzzles() -> Result<PuzzleSet, Fault> {
    let mut lines = Vec::new();
    for set in PuzzleSet::built_in().into_iter().filter(|set| ["easy", "minimal"].contains(&&*set.name)) {
        for line in set.lines {
            let is_easy = is_within(&read(&line), Level::Easy, &mut Budget::unlimited());
            if is_easy.map_err(|stopped| format!("{stopped:?}"))? {
                lines.push(line);
            }
        }
    }
    Ok(PuzzleSet { name: "singles".to_owned(), lines }.expanded(EASY_PUZZLES, 1))
}

/// All were dealt with: what is measured here has one solution.
fn tally(lines: &[Line], time: Duration) -> Result<Tally, BenchError> {
    Ok(Tally { time, solutions: [0, lines.len() as u64, 0], nodes: None })
}

/// The full path of a puzzle, every step with its marks and its proof.
struct FullPath;

impl Contender for FullPath {
    fn name(&self) -> &str {
        "full path"
    }

    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
        let ((), time) = timed(|| {
            for line in lines {
                let mut position = Position::new(read(line));
                let each = &mut |_: &Position, step: Step| {
                    std::hint::black_box(step);
                };
                let end = deduce(&mut position, UNIQUE, &mut Budget::unlimited(), each);
                assert_eq!(end, PathEnd::Solved, "logic alone solves what is measured here");
            }
        });
        tally(lines, time)
    }

    fn generate(&mut self, _count: u64, _seed: u64) -> Result<Option<Made>, BenchError> {
        Ok(None)
    }
}

/// The rating on a scale.
struct Ratings(Scale);

impl Contender for Ratings {
    fn name(&self) -> &str {
        match self.0 {
            Scale::Sleuth => "own rating",
            Scale::Hodoku => "HoDoKu's scale",
            Scale::Explainer => "Explainer's scale",
        }
    }

    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
        let ((), time) = timed(|| {
            for line in lines {
                let rating = self.0.rate(&read(line), &mut Budget::unlimited());
                assert!(std::hint::black_box(rating).is_ok_and(|rating| rating.is_some()), "plain puzzles");
            }
        });
        tally(lines, time)
    }

    fn generate(&mut self, _count: u64, _seed: u64) -> Result<Option<Made>, BenchError> {
        Ok(None)
    }
}

/// What checking every step of every path takes, as a share of finding them.
fn print_checker(set: &PuzzleSet) -> Result<(), Fault> {
    let (mut finding, mut checking) = (Duration::ZERO, Duration::ZERO);
    for line in &set.lines {
        let mut steps = Vec::new();
        let puzzle = read(line);
        let mut position = Position::new(puzzle.clone());
        let each = &mut |_: &Position, step| steps.push(step);
        finding += timed(|| deduce(&mut position, UNIQUE, &mut Budget::unlimited(), each)).1;
        let mut position = Position::new(puzzle);
        let (refusal, time) = timed(|| {
            steps.iter().find_map(|step| {
                let refusal = verify(&position, step, UNIQUE, NodeCap::default()).err();
                step.apply(&mut position);
                refusal
            })
        });
        if let Some(refusal) = refusal {
            return Err(format!("{}: {refusal}", String::from_utf8_lossy(line)).into());
        }
        checking += time;
    }
    println!("  checker: {:.1} % of finding", 100.0 * checking.as_secs_f64() / finding.as_secs_f64());
    Ok(())
}
