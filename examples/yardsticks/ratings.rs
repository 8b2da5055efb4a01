//! Ratings compared with those of the programs whose scales they are, and our own over the faces of a puzzle.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::logic::path::{Facts, PathEnd, deduce};
use sleuth::engine::rate::{Rating, Scale};
use sleuth::puzzle::symmetry::{Face, Symmetries};
use sleuth::puzzle::{Position, Puzzle, formats};

use super::{Fault, Table, cores};

/// Faces of each puzzle, beside its own.
const FACES: u64 = 5;

/// A puzzle, and what is known of it.
struct Rated {
    puzzle: Arc<Puzzle>,
    /// The line, from the puzzle on.
    fields: Vec<String>,
}

fn read(file: &Path) -> Result<Vec<Rated>, Fault> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let is_puzzle = |line: &&str| line.starts_with(|symbol: char| symbol.is_ascii_digit() || symbol == '.');
    let read = |line: &str| -> Result<Rated, Fault> {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        let puzzle = formats::read(&fields[0]).map_err(|faults| faults.to_string())?;
        Ok(Rated { puzzle: Arc::new(puzzle), fields })
    };
    text.lines().filter(is_puzzle).map(read).collect()
}

fn rate(puzzle: &Arc<Puzzle>, scale: Scale) -> Rating {
    let rating = scale.rate(puzzle, &mut Budget::unlimited()).expect("no budget to run out");
    rating.expect("plain puzzles are for every scale")
}

fn rate_all(name: &str, rows: &[Rated], scale: Scale) -> Vec<Rating> {
    cores::each(name, rows.len(), || (), |(), number| rate(&rows[number].puzzle, scale))
}

/// ER, EP and ED.
pub fn explainer(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let rows = read(&folder.join("logic/se_ratings.csv"))?;
    let mut same = 0;
    for (row, rating) in rows.iter().zip(rate_all("explainer", &rows, Scale::Explainer)) {
        let ours = [Some(rating.score), rating.pearl, rating.diamond].map(Option::unwrap_or_default);
        let theirs = [1, 2, 3].map(|field| row.fields[field].replace('.', "").parse().unwrap_or(0));
        same += usize::from(ours == theirs);
        if ours != theirs {
            println!("explainer: {}: {ours:?}, Explainer {theirs:?}", row.fields[0]);
        }
    }
    table.share("Explainer's scale: ER, EP and ED identical", same, rows.len());
    Ok(())
}

/// Level and score.
pub fn hodoku(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let rows = read(&folder.join("logic/hodoku_ratings.csv"))?;
    let (mut levels, mut scores) = (0, 0);
    for (row, rating) in rows.iter().zip(rate_all("hodoku", &rows, Scale::Hodoku)) {
        let level = rating.level.map_or("", |level| level.word());
        let is_level = level == row.fields[1].to_lowercase();
        let is_score = rating.score.to_string() == row.fields[2];
        levels += usize::from(is_level);
        scores += usize::from(is_score);
        if !is_level || !is_score {
            let (score, theirs) = (rating.score, &row.fields[1..3]);
            println!("hodoku: {}: {level} {score}, HoDoKu {}", row.fields[0], theirs.join(" "));
        }
    }
    table.share("HoDoKu's scale: level identical", levels, rows.len());
    table.share("HoDoKu's scale: score identical", scores, rows.len());
    Ok(())
}

/// Solved to the end by steps alone.
pub fn mixed(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let rows = read(&folder.join("logic/mix200.txt"))?;
    let solve = |number: usize| {
        let mut position = Position::new(rows[number].puzzle.clone());
        deduce(&mut position, Facts { unique: true }, &mut Budget::unlimited(), &mut |_, _| {})
    };
    let ends = cores::each("mixed", rows.len(), || (), |(), number| solve(number));
    for (row, end) in rows.iter().zip(&ends).filter(|(_, end)| **end != PathEnd::Solved) {
        println!("mixed: {}: {end:?}", row.fields[0]);
    }
    let solved = ends.iter().filter(|end| **end == PathEnd::Solved).count();
    table.share("mix200 solved without search", solved, rows.len());
    Ok(())
}

/// Digits renamed, lines exchanged, transposed: all of the rating stays.
pub fn faces(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let rows = read(&folder.join("logic/mix200.txt"))?;
    let changed = |number: usize| {
        let puzzle = &rows[number].puzzle;
        let rating = rate(puzzle, Scale::Sleuth);
        let symmetries = Symmetries::of(puzzle);
        let faces = (0..FACES).map(|face| Face::from_seed(number as u64 * FACES + face, &symmetries));
        let others: Vec<Rating> =
            faces.map(|face| rate(&Arc::new(face.apply(puzzle)), Scale::Sleuth)).collect();
        others.iter().find(|other| **other != rating).map(|other| (rating.score, other.score))
    };
    let changes = cores::each("faces", rows.len(), || (), |(), number| changed(number));
    for (row, (score, other)) in rows.iter().zip(&changes).filter_map(|(row, change)| Some((row, (*change)?)))
    {
        println!("faces: {}: {score}, in another face {other}", row.fields[0]);
    }
    let count = changes.iter().flatten().count();
    let of = format!("{} puzzles in {} faces", rows.len(), FACES + 1);
    table.faults("own rating changed by a face", count, &of);
    Ok(())
}
