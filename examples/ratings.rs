//! What a rating takes:
//!
//! ```text
//! cargo run --release --example ratings -- DIR
//! ```
//!
//! `DIR` holds `mix200.txt` (a puzzle a line). Times are processor time of the one thread that rates. How far the
//! scales agree with those of other programs is measured by `yardsticks`.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustix::time::{ClockId, clock_gettime};
use sleuth::engine::budget::Budget;
use sleuth::engine::rate::{Rating, Scale};
use sleuth::puzzle::{Puzzle, formats};

type Fault = Box<dyn Error>;

fn main() -> Result<(), Fault> {
    let folder = std::env::args().nth(1).ok_or("the folder of the ratings is needed")?;
    measure(&fs::read_to_string(Path::new(&folder).join("mix200.txt"))?)
}

fn read(text: &str) -> Result<Arc<Puzzle>, Fault> {
    Ok(Arc::new(formats::read(text).map_err(|faults| faults.to_string())?))
}

fn rate(puzzle: &Arc<Puzzle>, scale: Scale) -> Result<Rating, Fault> {
    let rating = scale.rate(puzzle, &mut Budget::unlimited()).map_err(|stopped| format!("{stopped:?}"))?;
    Ok(rating.ok_or("the scale is not for this puzzle")?)
}

/// Every puzzle on every scale, once to warm up and once to measure.
fn measure(text: &str) -> Result<(), Fault> {
    let puzzles: Vec<Arc<Puzzle>> = text
        .lines()
        .filter(|line| line.len() >= 81 && !line.starts_with('#'))
        .map(|line| read(&line[..81]))
        .collect::<Result<_, _>>()?;
    for scale in Scale::ALL {
        for puzzle in &puzzles {
            rate(puzzle, scale)?;
        }
        let start = seconds();
        for puzzle in &puzzles {
            rate(puzzle, scale)?;
        }
        let rate = puzzles.len() as f64 / (seconds() - start);
        println!("{}: {} puzzles, {rate:.0} a second", scale.name(), puzzles.len());
    }
    Ok(())
}

fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
