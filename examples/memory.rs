//! The most memory that one solve of a puzzle takes from the heap: path, rating, check of every step.
//!
//! ```text
//! cargo run --release --example memory -- FILE...
//! ```
//!
//! Of each file the first 81 characters of a line are a puzzle. Apart from `speeds`, since counting takes time.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use peak_alloc::PeakAlloc;
use sleuth::bench::PuzzleSet;
use sleuth::engine::budget::Budget;
use sleuth::engine::logic::path::{Facts, deduce};
use sleuth::engine::logic::verify::{NodeCap, verify};
use sleuth::engine::rate::Scale;
use sleuth::puzzle::{Position, Puzzle, formats};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const UNIQUE: Facts = Facts { unique: true };

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let set = PuzzleSet::read(Path::new(&file))?;
        println!("{}: {} puzzles; the most that one takes, in KiB", set.name, set.lines.len());
        let puzzles: Vec<Arc<Puzzle>> = set
            .lines
            .iter()
            .map(|line| formats::read(&String::from_utf8_lossy(line)).map(Arc::new))
            .collect::<Result<_, _>>()
            .map_err(|faults| faults.to_string())?;
        print("full path, kept", &puzzles, |puzzle| {
            let mut steps = Vec::new();
            let each = &mut |_: &Position, step| steps.push(step);
            deduce(&mut Position::new(puzzle.clone()), UNIQUE, &mut Budget::unlimited(), each);
        });
        print("and checked", &puzzles, |puzzle| {
            let each = &mut |before: &Position, step| {
                assert!(verify(before, &step, UNIQUE, NodeCap::default()).is_ok(), "{step:?}");
            };
            deduce(&mut Position::new(puzzle.clone()), UNIQUE, &mut Budget::unlimited(), each);
        });
        for scale in Scale::ALL {
            print(&format!("rating on `{}`", scale.name()), &puzzles, |puzzle| {
                assert!(scale.rate(puzzle, &mut Budget::unlimited()).is_ok_and(|rating| rating.is_some()));
            });
        }
    }
    Ok(())
}

/// The most that the work takes beyond what is held before it.
fn print(what: &str, puzzles: &[Arc<Puzzle>], work: impl Fn(&Arc<Puzzle>)) {
    let most = puzzles.iter().map(|puzzle| {
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        work(puzzle);
        HEAP.peak_usage() - before
    });
    println!("  {what:<22} {:>8}", most.max().unwrap_or(0) / 1024);
}
