//! How far our readings of other programs' scales agree with theirs, and what a rating takes:
//!
//! ```text
//! cargo run --release --example ratings -- DIR
//! ```
//!
//! `DIR` holds `hodoku_ratings.csv` (puzzle, level, score, techniques), `se_ratings.csv` (puzzle, ER, EP, ED) and
//! `mix200.txt` (a puzzle a line). Times are processor time of the one thread that rates.

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
    let folder = Path::new(&folder);
    compare_hodoku(&fs::read_to_string(folder.join("hodoku_ratings.csv"))?)?;
    compare_explainer(&fs::read_to_string(folder.join("se_ratings.csv"))?)?;
    measure(&fs::read_to_string(folder.join("mix200.txt"))?)
}

fn read(text: &str) -> Result<Arc<Puzzle>, Fault> {
    Ok(Arc::new(formats::read(text).map_err(|faults| faults.to_string())?))
}

fn rate(puzzle: &Arc<Puzzle>, scale: Scale) -> Result<Rating, Fault> {
    let rating = scale.rate(puzzle, &mut Budget::unlimited()).map_err(|stopped| format!("{stopped:?}"))?;
    Ok(rating.ok_or("the scale is not for this puzzle")?)
}

fn compare_hodoku(text: &str) -> Result<(), Fault> {
    let (mut count, mut levels, mut scores) = (0, 0, 0);
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let rating = rate(&read(fields[0])?, Scale::Hodoku)?;
        let level = rating.level.map_or("", |level| level.word());
        let is_level = level == fields[1].to_lowercase();
        let is_score = rating.score.to_string() == fields[2];
        count += 1;
        levels += u32::from(is_level);
        scores += u32::from(is_score);
        if !is_level || !is_score {
            println!("  {}: {level} {}, HoDoKu {} {}", fields[0], rating.score, fields[1], fields[2]);
        }
    }
    println!("HoDoKu: level {levels} of {count}, score {scores} of {count}");
    Ok(())
}

fn compare_explainer(text: &str) -> Result<(), Fault> {
    let (mut count, mut same) = (0, 0);
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        // Nested chains take minutes.
        if fields[1].len() > 3 {
            continue;
        }
        let rating = rate(&read(fields[0])?, Scale::Explainer)?;
        let ours = [Some(rating.score), rating.pearl, rating.diamond].map(Option::unwrap_or_default);
        let theirs = [1, 2, 3].map(|field| fields[field].replace('.', "").parse().unwrap_or(0));
        count += 1;
        same += u32::from(ours == theirs);
        if ours != theirs {
            println!("  {}: {ours:?}, Explainer {theirs:?}", fields[0]);
        }
    }
    println!("Explainer, below 10: ER, EP and ED {same} of {count}");
    Ok(())
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
