//! Counts the solutions of whole corpora and says what was right and how long it took:
//! `cargo run --release --example variants -- DIR [PART] [ENGINE]`.
//!
//! `DIR` holds `*.jsonl` as `puzzle::formats::corpus` reads them; `PART` must occur in a file's name; `ENGINE` is
//! `general` unless told. A puzzle is right if the engine finds its only solution, or as many as the line
//! says, and every solution found keeps the puzzle's rules. Times are CPU time of the thread, set-up
//! included, reading excluded. Ends with 1 if anything was wrong.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sleuth::engine::budget::Budget;
use sleuth::engine::search::{Count, End, Engine};
use sleuth::puzzle::Solution;
use sleuth::puzzle::formats::corpus::{self, CorpusPuzzle, SolutionCount};

/// A puzzle that takes longer is counted as slow.
const SLOW: Duration = Duration::from_secs(2);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let part = arguments.next().unwrap_or_default();
    let name = arguments.next().unwrap_or_else(|| "general".to_owned());
    let engine = Engine::from_name(&name).ok_or("there is no such engine")?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    println!(
        "file                              puzzles right wrong >2s  median ms   p95 ms   max ms     nodes"
    );
    let mut is_all_right = true;
    for file in files {
        let file_name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if file_name.contains(&part) {
            let tally = run(&fs::read_to_string(&file)?, engine)?;
            println!("{file_name:33} {tally}");
            is_all_right &= tally.wrong.is_empty();
        }
    }
    Ok(ExitCode::from(u8::from(!is_all_right)))
}

/// How a file went.
#[derive(Default)]
struct Tally {
    times: Vec<(Duration, String)>,
    wrong: Vec<String>,
    nodes: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let puzzles = self.times.len();
        let at = |hundredth: usize| {
            self.times
                .get((puzzles * hundredth / 100).min(puzzles.saturating_sub(1)))
                .map_or(0.0, |(time, _)| time.as_secs_f64() * 1e3)
        };
        let slow = self.times.iter().filter(|(time, _)| *time > SLOW).count();
        let wrong = self.wrong.len();
        write!(
            f,
            "{puzzles:7} {:5} {wrong:5} {slow:3} {:10.3} {:8.3} {:8.2} {:9}",
            puzzles - wrong,
            at(50),
            at(95),
            at(100),
            self.nodes
        )?;
        if let Some((_, slowest)) = self.times.last() {
            write!(f, "  slowest {slowest}")?;
        }
        self.wrong.iter().take(10).try_for_each(|wrong| write!(f, "\n  wrong: {wrong}"))
    }
}

fn run(text: &str, engine: Engine) -> Result<Tally, Box<dyn Error>> {
    let mut tally = Tally::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let entry = corpus::read_line(line)?;
        let limit = match entry.solution_count {
            SolutionCount::Exactly(count) => count + 1,
            _ => 2,
        };
        let mut first = None;
        let mut keeps_rules = true;
        let start = thread_time();
        let count = engine.search().count(&entry.puzzle, limit, &mut Budget::unlimited(), &mut |solution| {
            first.get_or_insert_with(|| solution.clone());
            keeps_rules &= entry.puzzle.is_solved_by(solution);
        });
        let time = thread_time() - start;
        tally.nodes += count.nodes;
        if !keeps_rules || !is_right(&entry, &count, first.as_ref()) {
            tally.wrong.push(format!("{}: {count:?}", entry.id));
        }
        tally.times.push((time, entry.id));
    }
    tally.times.sort();
    Ok(tally)
}

fn is_right(entry: &CorpusPuzzle, count: &Count, first: Option<&Solution>) -> bool {
    match entry.solution_count {
        SolutionCount::Several => count.solutions >= 2,
        SolutionCount::Exactly(1) | SolutionCount::Unknown => {
            (count.solutions, count.end) == (1, End::Complete)
                && (entry.solution.is_none() || entry.solution.as_ref() == first)
        }
        SolutionCount::Exactly(several) => (count.solutions, count.end) == (several, End::Complete),
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
